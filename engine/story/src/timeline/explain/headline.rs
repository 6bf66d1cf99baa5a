//! One line for the whole step.

use super::EventKind;
use super::words::{count, lower_bound, number, of_them_void};
use crate::timeline::Event;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// Longest headline, in characters, where it can be helped.
const WIDTH: usize = 76;

/// Of a step between two equal captures.
const NOTHING: &str = "nothing changed between the two captures";

/// The most important sorts of events, as many as fit on a line. Side effects are named only where nothing else
/// happened.
pub fn of(events: &[Event]) -> String {
    let has_cause = events.iter().any(|event| event.kind < EventKind::Extended);
    let told: Vec<&Event> = events.iter().filter(|e| !has_cause || e.kind < EventKind::Extended).collect();
    let mut line = String::new();
    for sort in told.chunk_by(|a, b| a.kind == b.kind) {
        let part = shorten(&summary(sort));
        if !line.is_empty() && line.chars().count() + 2 + part.chars().count() > WIDTH {
            break;
        }
        if !line.is_empty() {
            line.push_str("; ");
        }
        line.push_str(&part);
    }
    if line.is_empty() { NOTHING.to_string() } else { line }
}

fn shorten(part: &str) -> String {
    match part.char_indices().nth(WIDTH - 1) {
        Some((cut, _)) if part.chars().count() > WIDTH => format!("{}…", &part[..cut]),
        _ => part.to_string(),
    }
}

/// All events of one kind in few words.
fn summary(events: &[&Event]) -> String {
    let [first, others @ ..] = events else { return String::new() };
    let n: usize = events.iter().map(|event| event.count).sum();
    let void = of_them_void(events.iter().map(|event| event.rolled_back).sum(), n);
    let least = lower_bound(events.iter().any(|event| event.at_least));
    match first.kind {
        EventKind::Insert if others.is_empty() && n == 1 => row("INSERT", first),
        EventKind::Delete if others.is_empty() && n == 1 => row("DELETE", first),
        _ if others.is_empty() => first.what.clone(),
        EventKind::Update => format!("{least}{}{}", updates(events, n), void),
        EventKind::Insert => format!("{least}{} inserted{}", count(n, "row"), void),
        EventKind::Delete => format!("{least}{} deleted", count(n, "row")),
        EventKind::Lock => format!("{} locked", count(n, "row")),
        EventKind::RolledBack => format!("{} rolled back", count(n, "change")),
        EventKind::Prune => format!("{} pruned", count(n, "page")),
        EventKind::Redirect => format!("{} LP_REDIRECT", number(n as u64)),
        EventKind::LpDead => format!("{} LP_DEAD", number(n as u64)),
        EventKind::LpUnused => format!("{} LP_UNUSED", number(n as u64)),
        EventKind::Split => count(n, "page split"),
        EventKind::IndexInsert => count(n, "new index entry"),
        EventKind::IndexDelete => format!("{} removed", count(n, "index entry")),
        EventKind::IndexKilled => format!("{} marked LP_DEAD", count(n, "index entry")),
        EventKind::Start => format!("{}; {}", first.what, count(others.len(), "other relation")),
        EventKind::HintBits => "hint bits set".to_string(),
        _ => format!("{}; and {} more such", first.what, number(others.len() as u64)),
    }
}

/// `INSERT (0,3)`; where there are several tables, `t: INSERT (0,3)`.
fn row(did: &str, event: &Event) -> String {
    match (event.what.split_once(did), event.item) {
        (Some((table, _)), Some(item)) => {
            let end = if event.rolled_back > 0 { " (rolled back)" } else { "" };
            format!("{table}{did} ({},{item}){end}", event.page.block)
        }
        _ => event.what.clone(),
    }
}

/// Which of the updates were HOT. Where some may have left nothing to see, only of those that did is said what they
/// were.
fn updates(events: &[&Event], n: usize) -> String {
    let is_hot = |event: &&&Event| event.hot.as_ref().is_some_and(|decision| decision.hot);
    let updates = count(n, "update");
    let is_bound = events.iter().any(|event| event.at_least);
    match events.iter().filter(is_hot).map(|event| event.count).sum::<usize>() {
        0 if is_bound => format!("{updates}, none seen to be HOT"),
        hot if hot == n && is_bound => format!("{updates}, those seen HOT"),
        hot if is_bound => {
            format!("{updates}: {} seen HOT, {} not", number(hot as u64), number((n - hot) as u64))
        }
        0 => format!("{updates}, none HOT"),
        hot if hot == n => format!("{updates}, all HOT"),
        hot => format!("{updates}: {} HOT, {} not", number(hot as u64), number((n - hot) as u64)),
    }
}
