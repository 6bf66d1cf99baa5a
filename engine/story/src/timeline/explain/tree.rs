//! What happened to the pages of a B-tree: first root, splits, new levels, half-dead and deleted pages.
//! Follows src/backend/access/nbtree/nbtinsert.c (`_bt_split`, `_bt_newlevel`) and nbtpage.c (`_bt_pagedel`).

use super::entries::{BtPair, TreeDiff};
use super::words::{blocks, bytes, count};
use super::{Captures, EventKind, grouped};
use crate::timeline::Event;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::nbtree::{BtKind, BtMeta, BtPage};
use ffviz_format::page::{BlockNumber, ForkNumber};
use ffviz_format::state::PageId;

/// A page that was split, once or several times.
struct Split<'a> {
    pair: &'a BtPair<'a>,
    /// the new pages to its right, from left to right
    right: Vec<BlockNumber>,
}

/// All that happened to the shape of the tree.
pub fn events(captures: &Captures<'_>, diff: &TreeDiff<'_>) -> Vec<Event> {
    let mut events: Vec<Event> = metapage(diff).into_iter().collect();
    let splits = splits(diff);
    events.extend(grouped(&splits, |s| split(captures, diff, s), |many| many_splits(captures, diff, many)));
    events.extend(became(diff, BtKind::HalfDead, EventKind::HalfDead));
    events.extend(became(diff, BtKind::Deleted, EventKind::PageDeleted));
    events.extend(recycled(diff));
    events
}

fn event(diff: &TreeDiff<'_>, block: BlockNumber, kind: EventKind) -> Event {
    let page = PageId { relation: diff.relation.oid, fork: ForkNumber::Main, block };
    Event::new(kind, page)
}

fn metapage(diff: &TreeDiff<'_>) -> Option<Event> {
    let pair = diff.page(0)?;
    let (was, is) = (pair.was()?.meta.as_ref()?, pair.is()?.meta.as_ref()?);
    let name = diff.relation.told();
    let (kind, what, why) = match (was, is) {
        (BtMeta { btm_root: 0, .. }, BtMeta { btm_root, .. }) if *btm_root != 0 => (
            EventKind::RootCreated,
            match is.btm_level {
                0 => format!("{name}: first root, block {btm_root}"),
                level => format!("{name}: first root, and splits since: root is block {btm_root} on level {level}"),
            },
            format!(
                "An empty index is a metapage only. The first entry makes a root that is a leaf too; the metapage (block 0) now says btm_root = {btm_root}."
            ),
        ),
        _ if is.btm_level > was.btm_level => (
            EventKind::NewRoot,
            format!("{name}: root split, new root is block {} on level {}", is.btm_root, is.btm_level),
            match is.btm_level - was.btm_level {
                1 => format!(
                    "Block {} was the root and had no parent to take a downlink. So the tree grew one level: the new root leads to block {} and to its new right sibling, and the metapage now says btm_root = {}.",
                    was.btm_root, was.btm_root, is.btm_root
                ),
                levels => format!(
                    "Block {} was the root and had no parent to take a downlink. So the tree grew one level, then again, {levels} in all; the metapage now says btm_root = {}.",
                    was.btm_root, is.btm_root
                ),
            },
        ),
        _ if (was.btm_fastroot, was.btm_fastlevel) != (is.btm_fastroot, is.btm_fastlevel) => (
            EventKind::Metapage,
            format!("{name}: fast root is now block {} on level {}", is.btm_fastroot, is.btm_fastlevel),
            "The fast root is the lowest level that has only one page; searches start there.".to_string(),
        ),
        _ if was != is => (
            EventKind::Metapage,
            format!("{name}: metapage updated"),
            "VACUUM notes there what it found about rows and deleted pages.".to_string(),
        ),
        _ => return None,
    };
    Some(Event { what, why: Some(why), ..event(diff, 0, kind) })
}

/// Was this page no part of the tree before?
fn is_fresh(diff: &TreeDiff<'_>, block: BlockNumber) -> bool {
    diff.page(block).is_some_and(|pair| pair.was().is_none_or(|was| matches!(was.kind, BtKind::New | BtKind::Deleted)))
}

fn splits<'a>(diff: &'a TreeDiff<'a>) -> Vec<Split<'a>> {
    let in_tree = |page: &BtPage| matches!(page.kind, BtKind::Leaf | BtKind::Internal);
    let was_there = |pair: &&BtPair<'_>| pair.was().is_some_and(in_tree) && pair.is().is_some_and(in_tree);
    let mut splits = Vec::new();
    for pair in diff.pages.iter().filter(was_there) {
        let mut right = Vec::new();
        let mut next = pair.is().map_or(0, |page| page.btpo_next);
        while next != 0 && right.len() <= diff.pages.len() && is_fresh(diff, next) {
            right.push(next);
            next = diff.page(next).and_then(BtPair::is).map_or(0, |page| page.btpo_next);
        }
        if !right.is_empty() {
            splits.push(Split { pair, right });
        }
    }
    splits
}

const fn word(page: &BtPage) -> &'static str {
    if page.btpo_level == 0 { "leaf" } else { "internal page" }
}

fn split(captures: &Captures<'_>, diff: &TreeDiff<'_>, split: &Split<'_>) -> Event {
    let block = split.pair.block;
    let (Some(was), Some((page, is))) = (split.pair.was(), &split.pair.after) else {
        return event(diff, block, EventKind::Split);
    };
    let what = match split.right.as_slice() {
        [one] => format!("{}: {} {block} split, right half → block {one}", diff.relation.told(), word(is)),
        several => {
            let right = blocks(several.iter().copied());
            format!("{}: {} {block} split {} times, new pages: {right}", diff.relation.told(), word(is), several.len())
        }
    };
    let items = |block: &BlockNumber| diff.page(*block).and_then(BtPair::is).map_or(0, |page| page.data_items().len());
    let now: Vec<String> =
        core::iter::once(&block).chain(&split.right).map(|b| format!("{} on block {b}", items(b))).collect();
    let mut why = format!(
        "A new entry found no room on block {block}, which had {}. Now {}.",
        count(was.data_items().len(), "entry"),
        super::words::list(&now)
    );
    if was.is_rightmost() && was.btpo_level == 0 {
        let fillfactor = diff.relation.fillfactor.unwrap_or(90);
        why.push_str(&format!(
            " It was the rightmost leaf, where ascending keys arrive: such a page is split unevenly, so that the left one stays {fillfactor} % full (the index's fillfactor)."
        ));
    }
    if let Some(high_key) = is.high_key() {
        why.push_str(&format!(" The high key of block {block} is now {}.", diff.key_text(captures, page, high_key)));
    }
    let parent = split.right.first().and_then(|right| diff.parent_of(*right));
    match (parent, split.right.as_slice()) {
        (Some(parent), [right]) => why.push_str(&format!(" Block {parent} got a downlink to block {right}.")),
        (Some(parent), _) => why.push_str(&format!(" Block {parent} got downlinks to them.")),
        (None, _) => {}
    }
    Event { count: split.right.len(), what, why: Some(why), ..event(diff, block, EventKind::Split) }
}

fn many_splits(captures: &Captures<'_>, diff: &TreeDiff<'_>, many: &[Split<'_>]) -> Event {
    let example = split(captures, diff, &many[0]);
    let n = many.iter().map(|s| s.right.len()).sum();
    Event {
        count: n,
        what: format!(
            "{}: {}, of {}; {} new",
            diff.relation.told(),
            count(n, "split"),
            blocks(many.iter().map(|s| s.pair.block)),
            count(n, "page")
        ),
        why: Some(format!("For example {}. {}", example.what, example.why.unwrap_or_default())),
        ..event(diff, many[0].pair.block, EventKind::Split)
    }
}

fn became(diff: &TreeDiff<'_>, kind: BtKind, event_kind: EventKind) -> Vec<Event> {
    let changed: Vec<&BtPair<'_>> = diff
        .pages
        .iter()
        .filter(|pair| {
            pair.is().is_some_and(|page| page.kind == kind) && pair.was().is_some_and(|page| page.kind != kind)
        })
        .collect();
    let name = diff.relation.told();
    let (did, why) = match kind {
        BtKind::HalfDead => (
            "is half-dead",
            "VACUUM found the leaf empty and took its downlink out of the parent; its siblings still link to it",
        ),
        _ => (
            "deleted from the tree",
            "VACUUM found no entry left and took the page out of the tree: neither a downlink nor a sibling leads to it. A scan may still stand on it, so it is used again only when no transaction of that time is left",
        ),
    };
    let Some(first) = changed.first() else { return Vec::new() };
    let safexid = first.is().and_then(|page| page.safexid).map(|xid| format!(" (safexid {xid})")).unwrap_or_default();
    Vec::from([Event {
        count: changed.len(),
        what: format!("{name}: {} {did}", blocks(changed.iter().map(|pair| pair.block))),
        why: Some(format!("{why}{safexid}.")),
        ..event(diff, first.block, event_kind)
    }])
}

fn recycled(diff: &TreeDiff<'_>) -> Vec<Event> {
    let again = |pair: &&BtPair<'_>| {
        pair.was().is_some_and(|page| page.kind == BtKind::Deleted)
            && pair.is().is_some_and(|page| matches!(page.kind, BtKind::Leaf | BtKind::Internal))
    };
    let all: Vec<&BtPair<'_>> = diff.pages.iter().filter(again).collect();
    let Some(first) = all.first() else { return Vec::new() };
    let free = first.after.as_ref().map_or(0, |(page, _)| page.free());
    Vec::from([Event {
        count: all.len(),
        what: format!(
            "{}: {} used again after deletion",
            diff.relation.told(),
            blocks(all.iter().map(|pair| pair.block))
        ),
        why: Some(format!(
            "VACUUM had put them into the index's free space map; a split took them from there. Block {} has {} free now.",
            first.block,
            bytes(free)
        )),
        ..event(diff, first.block, EventKind::Other)
    }])
}
