//! Line pointers: what pruning and VACUUM made of them. Follows src/backend/access/heap/pruneheap.c
//! (`heap_page_prune`), vacuumlazy.c (`lazy_vacuum_heap_page`) and storage/page/bufpage.c (`PageRepairFragmentation`,
//! `PageTruncateLinePointerArray`).
//!
//! ```text
//! pruning   LP_NORMAL ─▶ LP_REDIRECT   root of a chain whose first version is dead
//!           LP_NORMAL ─▶ LP_DEAD       the whole chain is dead; index entries still lead here
//!           LP_NORMAL ─▶ LP_UNUSED     heap-only: no index entry leads here
//! VACUUM    LP_DEAD   ─▶ LP_UNUSED     its index entries are gone
//! ```

use super::rows::{PagePair, TableDiff, maxalign};
use super::words::{bytes, count, lower_bound, number, plural};
use super::{Captures, EventKind, grouped};
use crate::timeline::Event;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::heap::{heap_free_space, hole_words};
use ffviz_format::page::header::{PD_ALL_VISIBLE, PD_PAGE_FULL};
use ffviz_format::page::{LpFlags, OffsetNumber, Page, PageHeaderData};
use ffviz_format::state::Relation;
use ffviz_format::wal::RecordType;
use ffviz_format::wal::record_type::Heap2Type;

/// What became of the line pointers of one page.
#[derive(Debug, Default)]
struct Outcome {
    block: u32,
    /// tuples removed, and their bytes
    removed: usize,
    freed: u32,
    /// tuples that are elsewhere on the page now
    moved: usize,
    /// line pointer → where it leads
    redirects: Vec<(OffsetNumber, OffsetNumber)>,
    /// became `LP_DEAD`
    dead: Vec<OffsetNumber>,
    /// heap-only tuples that became `LP_UNUSED`, or were cut off the array
    unused: Vec<OffsetNumber>,
    /// ordinary tuples that are gone without `LP_DEAD`: tables without index, or pruning and VACUUM in one step
    vanished: Vec<OffsetNumber>,
    /// `LP_DEAD`, or a redirect, that became `LP_UNUSED`
    reclaimed: Vec<OffsetNumber>,
    /// line pointers cut off the end of the array
    cut: usize,
    /// may it have removed versions that came between the two captures as well?
    at_least: bool,
}

/// What happened to the line pointers of all pages of a table.
pub fn events(captures: &Captures<'_>, diff: &TableDiff<'_>) -> Vec<Event> {
    let outcomes: Vec<Outcome> =
        diff.pages.iter().filter(|pair| pair.before.is_some()).map(|pair| outcome(captures, pair)).collect();
    let vacuumed = vacuumed(captures, diff, &outcomes);
    let mut events = pruned(captures, diff, &outcomes, vacuumed);
    events.extend(redirects(captures, diff, &outcomes));
    let indexed = !captures.indexes(diff.relation.oid).is_empty();
    let dead = match indexed {
        true => {
            "No snapshot sees the row any more, but index entries still lead here, so the line pointer itself must stay: \
             VACUUM makes it LP_UNUSED after it has removed those entries."
        }
        false => {
            "No snapshot sees the row any more. The table has no index, but pruning treats it as if it had: VACUUM makes it \
             LP_UNUSED later."
        }
    };
    events.extend(pointers(diff, &outcomes, EventKind::LpDead, |o| &o.dead, "LP_DEAD", dead));
    let unused = "No index entry leads to a heap-only tuple, so its line pointer can be used again at once.";
    events.extend(pointers(diff, &outcomes, EventKind::LpUnused, |o| &o.unused, "LP_UNUSED", unused));
    let reclaimed = match indexed {
        true => "VACUUM has removed the index entries that led here; now a new tuple may take the line pointer.",
        false => "The table has no index, so no entry can lead here: a new tuple may take the line pointer.",
    };
    events.extend(pointers(diff, &outcomes, EventKind::LpUnused, |o| &o.reclaimed, "LP_UNUSED again", reclaimed));
    let vanished = match indexed {
        false => "The table has no index, so nothing can lead to them: VACUUM frees such line pointers at once.",
        true => "Dead to every snapshot: pruned, and freed by VACUUM, between the two captures.",
    };
    events.extend(pointers(diff, &outcomes, EventKind::LpUnused, |o| &o.vanished, "LP_UNUSED", vanished));
    events.extend(cut(captures, diff, &outcomes));
    events
}

fn outcome(captures: &Captures<'_>, pair: &PagePair<'_>) -> Outcome {
    let at_least = captures.is_measured() && pair.shows_gone();
    let mut outcome = Outcome { block: pair.block, at_least, ..Outcome::default() };
    let items = pair.before.iter().flat_map(|(_, page)| &page.items);
    for item in items {
        let offset = item.offset;
        let now = pair.after.1.item(offset);
        let state = now.map_or(LpFlags::Unused, |now| now.lp.lp_flags());
        if let Some(old) = &item.tuple {
            if pair.kept(offset) {
                let moved = now.and_then(|i| i.tuple.as_ref()).is_some_and(|new| new.bytes.start != old.bytes.start);
                outcome.moved += usize::from(moved);
                continue;
            }
            if pair.is_unwritten(offset) {
                continue;
            }
            outcome.removed += 1;
            outcome.freed += u32::from(maxalign(old.bytes.end - old.bytes.start));
            match state {
                LpFlags::Redirect | LpFlags::Dead => {}
                _ if old.is_heap_only() => outcome.unused.push(offset),
                _ => outcome.vanished.push(offset),
            }
        }
        if item.lp.lp_flags() == LpFlags::Redirect && state == LpFlags::Normal {
            outcome.reclaimed.push(offset);
        }
        if matches!(item.lp.lp_flags(), LpFlags::Dead | LpFlags::Redirect) && state == LpFlags::Unused
            || item.lp.lp_flags() == LpFlags::Dead && state == LpFlags::Normal
        {
            outcome.reclaimed.push(offset);
        }
    }
    for item in &pair.after.1.items {
        let was = pair.item_before(item.offset).map(|i| i.lp);
        match item.lp.lp_flags() {
            LpFlags::Dead if was.is_none_or(|was| was.lp_flags() != LpFlags::Dead) => outcome.dead.push(item.offset),
            LpFlags::Redirect if was != Some(item.lp) => {
                outcome.redirects.extend(item.lp.redirect().map(|to| (item.offset, to)));
            }
            _ => {}
        }
    }
    outcome.cut = pair.items_before().saturating_sub(pair.after.1.items.len());
    outcome
}

/// Did VACUUM go over the table? It alone frees `LP_DEAD` and sets pages all-visible.
fn vacuumed(captures: &Captures<'_>, diff: &TableDiff<'_>, outcomes: &[Outcome]) -> bool {
    let set = |page: &Page| page.header().pd_flags() & PD_ALL_VISIBLE != 0;
    let became_visible =
        |pair: &PagePair<'_>| set(pair.after.0) && !pair.before.as_ref().is_some_and(|(page, _)| set(page));
    outcomes.iter().any(|o| !o.reclaimed.is_empty() || !o.vanished.is_empty())
        || diff.pages.iter().any(became_visible)
        || captures.shrunk(diff.relation.oid)
}

fn pruned(captures: &Captures<'_>, diff: &TableDiff<'_>, outcomes: &[Outcome], vacuumed: bool) -> Vec<Event> {
    let pruned: Vec<&Outcome> = outcomes.iter().filter(|o| o.removed > 0).collect();
    let one = |o: &&Outcome| {
        let moved = match o.moved {
            0 => String::new(),
            n => format!(
                " {} moved towards the page's end, so that the free bytes are in one piece.",
                count(n, "other tuple")
            ),
        };
        let them = if o.removed == 1 { "it" } else { "them" };
        let pair = diff.page(o.block);
        let cause = pair.map_or_else(String::new, |pair| cause(captures, diff.relation, pair, vacuumed));
        Event {
            at_least: o.at_least,
            what: format!(
                "pruned block {}: {}{} removed, {}{} freed",
                o.block,
                lower_bound(o.at_least),
                count(o.removed, "dead tuple"),
                lower_bound(o.at_least),
                bytes(o.freed)
            ),
            why: Some(format!("No snapshot sees {them} any more. {cause}{moved}")),
            ..event(diff, o.block, None, EventKind::Prune)
        }
    };
    let many = |all: &[&Outcome]| {
        let at_least = all.iter().any(|o| o.at_least);
        Event {
            count: all.len(),
            at_least,
            what: format!(
                "pruned {}: {}{} removed, {}{} freed",
                super::words::blocks(all.iter().map(|o| o.block)),
                lower_bound(at_least),
                count(all.iter().map(|o| o.removed).sum(), "dead tuple"),
                lower_bound(at_least),
                bytes(all.iter().map(|o| o.freed).sum::<u32>())
            ),
            ..one(&all[0])
        }
    };
    grouped(&pruned, one, many)
}

/// Who pruned, as far as the step tells: `heap_page_prune_opt` prunes where `pd_prune_xid` is set and room is short,
/// VACUUM each page that it reads. From 17 on a record says who wrote it; before, one with a transaction id is a
/// statement's, since VACUUM has none while it scans.
fn cause(captures: &Captures<'_>, table: &Relation, pair: &PagePair<'_>, vacuumed: bool) -> String {
    let record = match captures.record_type() {
        Some(RecordType::Heap2(of)) => Some(of),
        _ => None,
    };
    let is_vacuum = matches!(record, Some(Heap2Type::PruneVacuumScan | Heap2Type::PruneVacuumCleanup));
    if is_vacuum || vacuumed && !captures.is_measured() {
        return "VACUUM pruned the page.".to_string();
    }
    if vacuumed {
        return "VACUUM went over the table in between, and prunes each page that it reads; a statement may have pruned it before.".to_string();
    }
    let Some((before, _)) = &pair.before else { return String::new() };
    let is_told = record == Some(Heap2Type::PruneOnAccess) || captures.record_xid() != 0;
    let header = before.header();
    let fillfactor = table.fillfactor.unwrap_or(100).min(100);
    let reserve = u32::from(before.size()) * (100 - u32::from(fillfactor)) / 100;
    let minimum = reserve.max(u32::from(before.size()) / 10);
    let free = heap_free_space(before);
    let threshold = match u32::from(before.size()) / 10 >= reserve {
        true => format!("{} (a tenth of the page) and a line pointer", number(minimum.into())),
        false => format!("{} (what fillfactor {fillfactor} keeps free) and a line pointer", number(minimum.into())),
    };
    let (is_full, is_short) = (header.pd_flags() & PD_PAGE_FULL != 0, u32::from(free) < minimum);
    let xid = match header.pd_prune_xid() {
        0 => String::from("its pd_prune_xid, which was set in between,"),
        xid => format!("pd_prune_xid {xid}"),
    };
    let free = hole_words(before.free(), free);
    match (is_full, is_short) {
        (true, _) if is_told => {
            "A statement that came by pruned the page, because PD_PAGE_FULL said that an UPDATE had found no room.".to_string()
        }
        (_, true) if is_told => format!(
            "A statement that came by pruned the page: {xid} is older than every snapshot, and only {free} were free, fewer than {threshold}."
        ),
        (true, _) => {
            "PD_PAGE_FULL said that an UPDATE had found no room: then a statement that comes by prunes the page. VACUUM would have as well.".to_string()
        }
        (_, true) => format!(
            "Only {free} were free, fewer than {threshold}: then a statement that comes by prunes the page, once {xid} is older than every snapshot. VACUUM would have as well."
        ),
        _ if record.is_some() && !is_told => {
            // the fillfactor is that of the capture before
            format!(
                "{free} were free, and a statement prunes only below {threshold}: by the fillfactor of the capture before it was VACUUM; if that was lowered in between, a statement may have done it."
            )
        }
        _ if record.is_some() => String::new(),
        _ => format!(
            "In the capture before, {free} were free; a statement prunes only below {threshold}. So it was VACUUM, or the page had filled up in between."
        ),
    }
}

fn redirects(captures: &Captures<'_>, diff: &TableDiff<'_>, outcomes: &[Outcome]) -> Vec<Event> {
    let all: Vec<(u32, OffsetNumber, OffsetNumber)> =
        outcomes.iter().flat_map(|o| o.redirects.iter().map(|(from, to)| (o.block, *from, *to))).collect();
    let why = match captures.indexes(diff.relation.oid).is_empty() {
        true => {
            "It is the root of a HOT chain: an index entry would lead here, so it stays, and leads to the first version that is not dead."
        }
        false => {
            "It is the root of a HOT chain: index entries lead here, so it stays, and leads to the first version that is not dead."
        }
    };
    grouped(
        &all,
        |(block, from, to)| Event {
            what: format!("line pointer {from} of block {block}: LP_REDIRECT to {to}"),
            why: Some(why.to_string()),
            ..event(diff, *block, Some(*from), EventKind::Redirect)
        },
        |many| Event {
            count: many.len(),
            what: format!(
                "{} redirected on {}",
                count(many.len(), "line pointer"),
                super::words::blocks(many.iter().map(|(block, ..)| *block))
            ),
            why: Some(format!("For example line pointer {} of block {} to {}. {why}", many[0].1, many[0].0, many[0].2)),
            ..event(diff, many[0].0, Some(many[0].1), EventKind::Redirect)
        },
    )
}

/// One sentence a page for line pointers that changed state.
fn pointers(
    diff: &TableDiff<'_>,
    outcomes: &[Outcome],
    kind: EventKind,
    of: impl Fn(&Outcome) -> &Vec<OffsetNumber>,
    state: &str,
    why: &str,
) -> Vec<Event> {
    let pages: Vec<&Outcome> = outcomes.iter().filter(|o| !of(o).is_empty()).collect();
    let one = |o: &&Outcome| Event {
        count: of(o).len(),
        what: format!("{} of block {}: {state}", plural("line pointer", of(o).iter().map(|n| n.0.into())), o.block),
        why: Some(why.to_string()),
        ..event(diff, o.block, of(o).first().copied(), kind)
    };
    grouped(&pages, one, |many| {
        let n = many.iter().map(|o| of(o).len()).sum();
        Event {
            count: n,
            what: format!(
                "{} of {}: {state}",
                count(n, "line pointer"),
                super::words::blocks(many.iter().map(|o| o.block))
            ),
            ..one(&many[0])
        }
    })
}

fn cut(captures: &Captures<'_>, diff: &TableDiff<'_>, outcomes: &[Outcome]) -> Vec<Event> {
    let cut: Vec<&Outcome> = outcomes.iter().filter(|o| o.cut > 0).collect();
    let one = |o: &&Outcome| {
        let lower = |page: &Page| page.header().pd_lower();
        let (was, is) = diff.page(o.block).map_or((0, 0), |pair| {
            (pair.before.as_ref().map_or(PageHeaderData::SIZE as u16, |(page, _)| lower(page)), lower(pair.after.0))
        });
        let who = if captures.version().prunes_line_pointer_array() {
            "Pruning (from 15 on) and VACUUM (from 14 on) cut"
        } else {
            "VACUUM (from 14 on) cuts"
        };
        Event {
            what: format!("block {}: {} cut off, pd_lower {was} → {is}", o.block, count(o.cut, "line pointer")),
            why: Some(format!("{who} unused line pointers off the end of the array.")),
            ..event(diff, o.block, None, EventKind::LpArrayCut)
        }
    };
    grouped(&cut, one, |many| Event {
        count: many.iter().map(|o| o.cut).sum(),
        what: format!(
            "{} cut off the arrays of {}",
            count(many.iter().map(|o| o.cut).sum(), "line pointer"),
            super::words::blocks(many.iter().map(|o| o.block))
        ),
        ..one(&many[0])
    })
}

fn event(diff: &TableDiff<'_>, block: u32, item: Option<OffsetNumber>, kind: EventKind) -> Event {
    Event { item, ..Event::new(kind, diff.id(block)) }
}
