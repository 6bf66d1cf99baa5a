//! A page: facts, the byte map, the rows, the links that leave it, anomalies.

use super::{Options, facts, table};
use crate::scene::{Change, Link, LinkKind, PageScene, PartId, PartRegion, Role, words};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write as _;

/// lines of the byte map
const LINES: usize = 16;

pub(super) fn page(page: &PageScene, options: Options) -> String {
    let mut text = format!("{}\n{}\n{}", page.title, facts(&page.facts, options), byte_map(page, options));
    if !page.rows.is_empty() {
        text.push('\n');
        text.push_str(&table::rows(&page.columns, &page.rows, options));
    }
    let leaving: Vec<String> = page.links.iter().filter(|link| leaves(link)).map(link_words).collect();
    if !leaving.is_empty() {
        let _ = write!(text, "\n{}", super::wrap(&leaving, "   ", options.columns()));
    }
    for anomaly in &page.anomalies {
        let _ = writeln!(text, "! {anomaly}");
    }
    text
}

/// A link that the rows do not show: to another page, other than a downlink, which its row names.
fn leaves(link: &Link) -> bool {
    matches!(link.to, PartId::Block(_)) && link.kind != LinkKind::Downlink
}

fn link_words(link: &Link) -> String {
    format!("{} → {} ({})", link.from, link.to, link.kind.word())
}

/// Every byte, as many to a cell as the width asks for; a cell shows what takes most of it. Lines of free space alone
/// are drawn once.
fn byte_map(page: &PageScene, options: Options) -> String {
    let columns = (options.columns() - 10).min(128).next_power_of_two() / 2;
    let columns = if columns * 2 <= options.columns() - 10 { columns * 2 } else { columns };
    let bytes = usize::from(page.size).div_ceil(columns * LINES).max(1);
    let mut text = String::new();
    let mut last = String::new();
    for start in (0..usize::from(page.size)).step_by(bytes * columns) {
        let cells: String = (0..columns)
            .map(|column| start + column * bytes)
            .take_while(|at| *at < usize::from(page.size))
            .map(|at| cell(page, at, at + bytes, options))
            .collect();
        if cells == last && cells.trim().is_empty() {
            if !text.ends_with(":\n") {
                text.push_str("      :\n");
            }
            continue;
        }
        let bar = if options.ascii { '|' } else { '│' };
        let _ = writeln!(text, "{start:>5} {bar}{cells}{bar}");
        last = cells;
    }
    format!("\n{text}      {} a cell\n", words::bytes(bytes as u64))
}

/// The sign of what takes most of the bytes; what the step changed goes first.
fn cell(page: &PageScene, from: usize, to: usize, options: Options) -> char {
    let first = page.regions.partition_point(|region| usize::from(region.bytes.end) <= from);
    let here = page.regions.iter().skip(first).take_while(|region| usize::from(region.bytes.start) < to);
    let share = |region: &&PartRegion| {
        let bytes = usize::from(region.bytes.end).min(to) - usize::from(region.bytes.start).max(from);
        (region.change != Change::Same && region.role != Role::Free, bytes)
    };
    here.max_by_key(share).map_or(' ', |region| options.role(region.role))
}
