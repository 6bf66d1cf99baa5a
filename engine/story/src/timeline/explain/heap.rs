//! Rows: INSERT, UPDATE, DELETE, row locks and what was rolled back, as tuple headers show them.
//! Follows src/backend/access/heap/heapam.c.

use super::hot::{self, Judged};
use super::rows::{TableDiff, Update, Version, maxalign};
use super::why_hot::{self, Reason};
use super::words::{blocks, bytes, count, lower_bound, number, of_them_void};
use super::{Captures, EventKind, grouped};
use crate::timeline::Event;
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::heap::infomask::{HEAP_UPDATED, HEAP_XMAX_COMMITTED, HEAP_XMAX_INVALID, HEAP_XMAX_IS_MULTI};
use ffviz_format::page::ItemPointer;

/// All that happened to the rows of a table.
pub fn events(captures: &Captures<'_>, diff: &TableDiff<'_>) -> Vec<Event> {
    let found = diff.updates();
    let updated: BTreeSet<ItemPointer> = found.iter().filter_map(|u| u.old.map(|old| old.tid)).collect();
    let is_lost = |v: &Version<'_>| v.tuple.t_ctid != v.tid && !updated.contains(&v.tid);
    let lost = captures.is_measured() && ended(diff).any(|v| is_lost(&v) && !v.tuple.is_moved_to_partition());
    let mut events = updates(captures, diff, found, lost);
    events.extend(inserts(captures, diff));
    events.extend(deletes(captures, diff, &updated));
    events.extend(locks(diff));
    events.extend(rolled_back(diff, &updated));
    events
}

/// `(0,1) to (3,9)`, `(0,1)`.
pub fn span(tids: impl IntoIterator<Item = ItemPointer>) -> String {
    let (mut first, mut last) = (None, None);
    for tid in tids {
        first = Some(first.map_or(tid, |f: ItemPointer| f.min(tid)));
        last = Some(last.map_or(tid, |l: ItemPointer| l.max(tid)));
    }
    match (first, last) {
        (Some(first), Some(last)) if first != last => format!("{first} to {last}"),
        (Some(only), _) => only.to_string(),
        _ => String::new(),
    }
}

fn xids<'a>(versions: impl IntoIterator<Item = u32> + 'a) -> String {
    let mut all: Vec<u32> = versions.into_iter().collect();
    all.sort_unstable();
    all.dedup();
    match all.len() {
        1 => format!("transaction {}", all[0]),
        n => format!("{n} transactions"),
    }
}

/// `lost`: are there others, whose new versions are not to be seen?
fn updates<'a>(captures: &Captures<'_>, diff: &'a TableDiff<'_>, found: Vec<Update<'a>>, lost: bool) -> Vec<Event> {
    let judged: Vec<Judged<'_>> = found.into_iter().map(|u| Judged::new(captures, diff, u)).collect();
    let mut reasons: Vec<Reason> = judged.iter().map(|j| Reason::of(&j.decision)).collect();
    reasons.sort_unstable();
    reasons.dedup();
    let is_unseen = |j: &Judged<'_>| j.decision.old.is_none();
    let at_least = lost || captures.is_measured() && judged.iter().any(is_unseen) || diff.lacks_ends(captures);
    let bounded = |event: Event| Event { at_least, ..event };
    if judged.len() <= super::EACH {
        return judged.iter().map(|one| update(captures, diff, one)).map(bounded).collect();
    }
    let sorted = |reason: Reason| judged.iter().filter(move |j| Reason::of(&j.decision) == reason).collect::<Vec<_>>();
    reasons
        .into_iter()
        .flat_map(|reason| {
            grouped(
                &sorted(reason),
                |one| update(captures, diff, one),
                |many| many_updates(captures, diff, reason, at_least, many),
            )
        })
        .map(bounded)
        .collect()
}

fn update(captures: &Captures<'_>, diff: &TableDiff<'_>, judged: &Judged<'_>) -> Event {
    let page = diff.page(judged.decision.new.block).map(|pair| &pair.after.1);
    Event {
        item: Some(judged.decision.new.offset),
        what: why_hot::what(judged),
        why: page.map(|page| why_hot::why(captures, judged, diff.relation, page)),
        hot: Some(judged.decision.clone()),
        rolled_back: usize::from(judged.update.new.tuple.is_xmin_invalid()),
        ..Event::new(EventKind::Update, diff.id(judged.decision.new.block))
    }
}

fn many_updates(
    captures: &Captures<'_>,
    diff: &TableDiff<'_>,
    reason: Reason,
    at_least: bool,
    many: &[&Judged<'_>],
) -> Event {
    let example = update(captures, diff, many[0]);
    let verdict = reason.verdict_of_many();
    let on = blocks(many.iter().map(|j| j.decision.new.block));
    let (what, why) = (example.what.clone(), example.why.clone().unwrap_or_default());
    let rolled_back = many.iter().filter(|j| j.update.new.tuple.is_xmin_invalid()).count();
    let void = of_them_void(rolled_back, many.len());
    Event {
        count: many.len(),
        rolled_back,
        what: format!(
            "{}{}: {verdict}; new versions on {on}{void}",
            lower_bound(at_least),
            count(many.len(), "update")
        ),
        why: Some(format!("For example {what}. {why}")),
        ..example
    }
}

pub fn example_event(diff: &TableDiff<'_>, tid: &ItemPointer, kind: EventKind) -> Event {
    Event { item: Some(tid.offset), ..Event::new(kind, diff.id(tid.block)) }
}

fn inserts(captures: &Captures<'_>, diff: &TableDiff<'_>) -> Vec<Event> {
    let inserted: Vec<Version<'_>> = diff.added().filter(|v| !v.has(HEAP_UPDATED)).collect();
    let at_least = diff.lacks_rows(captures);
    let events = grouped(&inserted, |v| insert(captures, diff, v), |many| many_inserts(captures, diff, at_least, many));
    events.into_iter().map(|event| Event { at_least, ..event }).collect()
}

fn insert(captures: &Captures<'_>, diff: &TableDiff<'_>, v: &Version<'_>) -> Event {
    let what = match v.tuple.is_xmin_invalid() {
        true => format!("INSERT {} (rolled back): HEAP_XMIN_INVALID is set", v.tid),
        false => format!("INSERT {} by transaction {}", v.tid, v.tuple.t_xmin),
    };
    let why = diff.page(v.tid.block).map(|pair| {
        if captures.is_measured() && pair.was_pruned() {
            let taken = bytes(maxalign(v.len()));
            return format!("It takes {taken} for the tuple. The page was pruned since the capture before, so how much was free then is not known.");
        }
        let new = hot::is_new_line_pointer(captures, pair, v);
        let free = hot::free_before_putting(captures, pair, v);
        let pointer = match new {
            true => format!("4 for line pointer {}, which is new", v.tid.offset),
            false => format!("none for line pointer {}, which was LP_UNUSED and is used again", v.tid.offset),
        };
        let block = match pair.before {
            None if v.tid.offset.0 == 1 => format!("block {}, which is new", v.tid.block),
            _ => format!("block {}", v.tid.block),
        };
        format!(
            "It takes {} for the tuple and {pointer}; {} were free on {block}.",
            bytes(maxalign(v.len())),
            number(free.into())
        )
    });
    let rolled_back = usize::from(v.tuple.is_xmin_invalid());
    Event { what, why, rolled_back, ..example_event(diff, &v.tid, EventKind::Insert) }
}

fn many_inserts(captures: &Captures<'_>, diff: &TableDiff<'_>, at_least: bool, many: &[Version<'_>]) -> Event {
    let taken: u64 = many.iter().map(|v| u64::from(maxalign(v.len()))).sum();
    let reused =
        many.iter().filter(|v| diff.page(v.tid.block).is_some_and(|pair| !hot::is_new_line_pointer(captures, pair, v)));
    let reused = match reused.count() {
        0 => String::new(),
        n => format!(" {} that were LP_UNUSED are used again.", count(n, "line pointer")),
    };
    let by = xids(many.iter().map(|v| v.tuple.t_xmin));
    let rolled_back = many.iter().filter(|v| v.tuple.is_xmin_invalid()).count();
    let void = of_them_void(rolled_back, many.len());
    let on = blocks(many.iter().map(|v| v.tid.block));
    let is_open = |v: &Version<'_>| !v.tuple.is_xmin_committed() && !v.tuple.is_xmin_invalid();
    let unknown = match captures.is_measured() && many.iter().any(is_open) {
        true => " The pages do not say yet of all of them whether their transaction committed.",
        false => "",
    };
    Event {
        count: many.len(),
        rolled_back,
        what: format!("{}{} inserted on {on} by {by}{void}", lower_bound(at_least), count(many.len(), "row")),
        why: Some(format!("{}; {} of tuples.{reused}{unknown}", span(many.iter().map(|v| v.tid)), bytes(taken))),
        ..example_event(diff, &many[0].tid, EventKind::Insert)
    }
}

/// Versions that were ended in this step and have no successor here.
pub fn ended<'a>(diff: &'a TableDiff<'_>) -> impl Iterator<Item = Version<'a>> {
    let kept = diff.kept().filter(|(old, new)| new.ended_by() != old.ended_by()).map(|(_, new)| new);
    kept.chain(diff.added()).filter(|v| v.ended_by().is_some() && !v.has(HEAP_XMAX_INVALID))
}

fn deletes(captures: &Captures<'_>, diff: &TableDiff<'_>, updated: &BTreeSet<ItemPointer>) -> Vec<Event> {
    let (mut deleted, mut lost): (Vec<Version<'_>>, Vec<Version<'_>>) = (Vec::new(), Vec::new());
    for v in ended(diff).filter(|v| !updated.contains(&v.tid)) {
        if v.tuple.t_ctid == v.tid { deleted.push(v) } else { lost.push(v) }
    }
    let at_least = diff.lacks_ends(captures);
    let mut events = grouped(&deleted, |v| delete(diff, v), |many| many_deletes(diff, at_least, many));
    events.iter_mut().for_each(|event| event.at_least = at_least);
    events.extend(grouped(
        &lost,
        |v| lost_update(diff, v),
        |many| Event {
            count: many.len(),
            what: format!("{} whose new versions are not to be seen", count(many.len(), "update")),
            ..lost_update(diff, &many[0])
        },
    ));
    events
}

fn delete(diff: &TableDiff<'_>, v: &Version<'_>) -> Event {
    let by = match v.has(HEAP_XMAX_IS_MULTI) {
        true => format!("multixact {}", v.tuple.t_xmax),
        false => format!("transaction {}", v.tuple.t_xmax),
    };
    let committed = match v.has(HEAP_XMAX_COMMITTED) {
        true => "",
        false => " The page does not say yet whether that transaction committed.",
    };
    let why = format!(
        "Only the header changed: t_xmax = {}. The tuple keeps its {} until pruning or VACUUM removes it, since older snapshots still see the row.{committed}",
        v.tuple.t_xmax,
        bytes(maxalign(v.len()))
    );
    let what = format!("DELETE {} by {by}", v.tid);
    Event { what, why: Some(why), ..example_event(diff, &v.tid, EventKind::Delete) }
}

fn many_deletes(diff: &TableDiff<'_>, at_least: bool, many: &[Version<'_>]) -> Event {
    let dead: u64 = many.iter().map(|v| u64::from(maxalign(v.len()))).sum();
    let by = xids(many.iter().map(|v| v.tuple.t_xmax));
    Event {
        count: many.len(),
        what: format!(
            "{}{} deleted on {} by {by}",
            lower_bound(at_least),
            count(many.len(), "row"),
            blocks(many.iter().map(|v| v.tid.block))
        ),
        why: Some(format!(
            "{}: only their headers changed, t_xmax is set. The tuples keep their {} until pruning or VACUUM removes them.",
            span(many.iter().map(|v| v.tid)),
            bytes(dead)
        )),
        ..example_event(diff, &many[0].tid, EventKind::Delete)
    }
}

fn lost_update(diff: &TableDiff<'_>, v: &Version<'_>) -> Event {
    if v.tuple.is_moved_to_partition() {
        return Event {
            what: format!("UPDATE {}: the row moved to another partition", v.tid),
            why: Some(format!(
                "Its partition key changed: transaction {} deleted it here and inserted it there; t_ctid leads nowhere.",
                v.tuple.t_xmax
            )),
            ..example_event(diff, &v.tid, EventKind::Delete)
        };
    }
    Event {
        what: format!("UPDATE {} → {} by transaction {}", v.tid, v.tuple.t_ctid, v.tuple.t_xmax),
        why: Some(
            "The new version is not to be seen: pruned between the two captures, or on a page that was not read."
                .to_string(),
        ),
        ..example_event(diff, &v.tid, EventKind::Other)
    }
}

fn locks(diff: &TableDiff<'_>) -> Vec<Event> {
    let locked: Vec<Version<'_>> = diff
        .kept()
        .filter(|(old, new)| {
            new.tuple.t_xmax != 0 && new.tuple.is_locked_only() && old.tuple.t_xmax != new.tuple.t_xmax
        })
        .map(|(_, new)| new)
        .collect();
    grouped(
        &locked,
        |v| lock(diff, v),
        |many| Event {
            count: many.len(),
            what: format!("{} locked on {}", count(many.len(), "row"), blocks(many.iter().map(|v| v.tid.block))),
            ..lock(diff, &many[0])
        },
    )
}

fn lock(diff: &TableDiff<'_>, v: &Version<'_>) -> Event {
    let multi = v.has(HEAP_XMAX_IS_MULTI);
    let what = match multi {
        true => format!("row lock on {}: multixact {}", v.tid, v.tuple.t_xmax),
        false => format!("row lock on {}: {} by transaction {}", v.tid, v.tuple.lock_name(), v.tuple.t_xmax),
    };
    let why = match multi {
        true => {
            "More than one transaction or subtransaction is concerned, so t_xmax holds a multixact; its members stand in pg_multixact. HEAP_XMAX_LOCK_ONLY: the row itself is unchanged."
        }
        false => {
            "A row lock is kept in the tuple: t_xmax is the locker, and HEAP_XMAX_LOCK_ONLY says that it neither deleted nor updated the row. SELECT … FOR UPDATE, foreign keys and BEFORE triggers do this, and an UPDATE that finds no room on the page, before it looks for another one."
        }
    };
    Event { what, why: Some(why.to_string()), ..example_event(diff, &v.tid, EventKind::Lock) }
}

/// What was void already before, and is now known to be, or came and went in this step.
fn rolled_back(diff: &TableDiff<'_>, updated: &BTreeSet<ItemPointer>) -> Vec<Event> {
    let void_end = |old: &Version<'_>, new: &Version<'_>| {
        new.ended_by().is_some()
            && new.has(HEAP_XMAX_INVALID)
            && !(old.has(HEAP_XMAX_INVALID) && old.ended_by() == new.ended_by())
    };
    // An UPDATE of this step says itself that it was rolled back.
    let ends = diff.kept().filter(|(old, new)| void_end(old, new)).map(|(_, new)| new);
    let ends: Vec<Version<'_>> = ends.filter(|v| !updated.contains(&v.tid)).collect();
    let starts: Vec<Version<'_>> = diff
        .kept()
        .filter(|(old, new)| new.tuple.is_row_version() && new.tuple.is_xmin_invalid() && !old.tuple.is_xmin_invalid())
        .map(|(_, new)| new)
        .collect();
    let end = |v: &Version<'_>| {
        let did = if v.tuple.t_ctid == v.tid { "DELETE" } else { "UPDATE" };
        let why = "A statement, or VACUUM, found its transaction aborted in pg_xact and set HEAP_XMAX_INVALID: the version lives on. Nothing is undone on the page.";
        let what = format!("{did} of {} by transaction {} was rolled back", v.tid, v.tuple.t_xmax);
        Event { what, why: Some(why.to_string()), ..example_event(diff, &v.tid, EventKind::RolledBack) }
    };
    let start = |v: &Version<'_>| {
        let did = if v.has(HEAP_UPDATED) { "UPDATE that made" } else { "INSERT of" };
        let why = "A statement, or VACUUM, found its transaction aborted in pg_xact and set HEAP_XMIN_INVALID: nobody will ever see the tuple, and pruning or VACUUM removes it.";
        let what = format!("{did} {} by transaction {} was rolled back", v.tid, v.tuple.t_xmin);
        Event { what, why: Some(why.to_string()), ..example_event(diff, &v.tid, EventKind::RolledBack) }
    };
    let many = |example: Event, many: &[Version<'_>]| Event {
        count: many.len(),
        what: format!(
            "{} turn out to be rolled back, on {}",
            count(many.len(), "change"),
            blocks(many.iter().map(|v| v.tid.block))
        ),
        ..example
    };
    let mut events = grouped(&ends, end, |all| many(end(&all[0]), all));
    events.extend(grouped(&starts, start, |all| many(start(&all[0]), all)));
    events
}
