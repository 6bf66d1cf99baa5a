//! Following what is selected: entry → recording, line pointer → tuple → next version, index entry → heap tuple,
//! downlink → page.

use super::{Effect, Model, ViewName};
use crate::scene::{Look, PageKind, PartId, page_kind, tuple};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::heap::HeapPage;
use ffviz_format::nbtree::search::{Entry, entries};
use ffviz_format::nbtree::{BtPage, IndexTupleKind};
use ffviz_format::page::fsm::FsmAddress;
use ffviz_format::page::{BlockNumber, ForkNumber, ItemPointer, LpFlags, OffsetNumber, Page, RegionKind};
use ffviz_format::state::{AccessMethod, PageId, RelKind};
use ffviz_format::undo::{UNDO_PAGE, UndoPage, UndoRecord, row_xact};

/// What was followed, as far as the next one of the same goes on from there.
#[derive(Debug, Clone, Default)]
pub(super) struct Links {
    /// index entries for the same row that are still to visit with `FollowBack`
    pub trail: Vec<PartOf>,
    /// the posting list that was followed last, and how many of its TIDs
    posting: Option<(PartOf, usize)>,
}

/// A part of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PartOf {
    page: PageId,
    part: PartId,
}

/// Where following leads.
enum Target {
    /// a part of this page
    Part(PartId),
    /// a page, and a part of it
    Page(PageId, Option<PartId>),
    /// nowhere, and why
    Nowhere(String),
}

/// Follows a part of what is shown.
pub(super) fn activate(model: &mut Model, part: PartId) -> Vec<Effect> {
    if let (ViewName::List, PartId::Entry(n)) = (model.place.view, part) {
        return model.open_entry(n as usize);
    }
    if let (ViewName::Lesson, PartId::Entry(n)) = (model.place.view, part) {
        super::course::go_to_section(model, n as usize);
        return Vec::new();
    }
    if model.place.view == ViewName::Wal {
        super::wal::activate(model, part);
        return Vec::new();
    }
    if model.place.view == ViewName::Figure {
        go(model, from_figure(model, part));
        return Vec::new();
    }
    let Some(look) = model.look() else { return Vec::new() };
    let Some(id) = model.place.page else { return Vec::new() };
    let target = match (model.place.view, part) {
        (ViewName::Map | ViewName::Tree, PartId::Block(block)) => Target::Page(PageId { block, ..id }, None),
        (ViewName::Tree, PartId::Elided(block)) => Target::Part(PartId::Block(block)),
        (ViewName::Page, _) => match posting(&look, id, part) {
            Some(tids) => next_tid(model, id, part, &tids),
            None => follow(&look, id, part),
        },
        _ => return Vec::new(),
    };
    go(model, target);
    Vec::new()
}

fn go(model: &mut Model, target: Target) {
    match target {
        Target::Part(part) => {
            model.remember();
            model.place.selected = Some(part);
        }
        Target::Page(id, part) => {
            model.go_to(id.relation, id.fork, id.block);
            model.place.selected = part;
        }
        Target::Nowhere(why) => model.status = why,
    }
}

/// A part of a figure leads to the page that it stands for.
fn from_figure(model: &Model, part: PartId) -> Target {
    let figure = model.timeline.as_ref().map(|timeline| model.figure(timeline));
    let Some((Some(page), part)) = figure.and_then(|figure| figure.page_part(part)) else { return nowhere() };
    Target::Page(page, Some(part))
}

/// Where a part of a page leads.
fn follow(look: &Look<'_>, id: PageId, part: PartId) -> Target {
    let (Some(relation), Some(page)) = (look.relation(id.relation), look.page(id)) else {
        return Target::Nowhere("This page has not been read.".to_string());
    };
    match page_kind(relation, id.fork, page) {
        PageKind::Heap => from_heap(&HeapPage::decode(page, id.block), id, part),
        PageKind::Btree => from_btree(look, &BtPage::decode(page, look.version()), id, part),
        PageKind::Vm => match part {
            PartId::Block(block) => Target::Page(PageId { fork: ForkNumber::Main, block, ..id }, None),
            _ => nowhere(),
        },
        PageKind::Fsm => match part {
            PartId::Block(block) => {
                let is_leaf = FsmAddress::of_block(id.block, page.size()).level == 0;
                let fork = if is_leaf { ForkNumber::Main } else { ForkNumber::Fsm };
                Target::Page(PageId { fork, block, ..id }, None)
            }
            _ => nowhere(),
        },
        PageKind::Undo => from_undo(look, page, part),
        PageKind::New | PageKind::Invalid | PageKind::Other => nowhere(),
    }
}

/// From a row or a transaction item to the undo records, from one of those to its row.
fn from_undo(look: &Look<'_>, page: &Page, part: PartId) -> Target {
    let view = UndoPage::of(page);
    let record = |xact: u16| {
        let undo = view.xact(xact).map(|xact| xact.undo).filter(|undo| !undo.is_none());
        let segment = look.state.relations.values().find(|relation| relation.kind == RelKind::Undo);
        let (Some(undo), Some(segment)) = (undo, segment) else {
            return Target::Nowhere("Everybody sees the row as it is: nothing leads to older versions.".to_string());
        };
        let id = PageId { relation: segment.oid, fork: ForkNumber::Main, block: undo.block() };
        Target::Page(id, Some(PartId::Region(RegionKind::Tuple(OffsetNumber(undo.item())))))
    };
    match part {
        PartId::Region(RegionKind::LinePointer(n)) if view.item(n).is_some() => {
            Target::Part(PartId::Region(RegionKind::Tuple(n)))
        }
        PartId::Region(RegionKind::TransactionItem(n)) => record(n),
        PartId::Region(RegionKind::Tuple(n)) => match (view.item(n), view.own().pd_kind()) {
            (Some(bytes), UNDO_PAGE) => {
                let Some(record) = UndoRecord::decode(bytes) else { return nowhere() };
                let table = look.state.relations.values().find(|relation| relation.is_file(record.locator));
                let Some(table) = table else { return nowhere() };
                let id = PageId { relation: table.oid, fork: ForkNumber::Main, block: record.block };
                Target::Page(id, Some(PartId::Region(RegionKind::Tuple(record.offset))))
            }
            (Some(row), _) => record(row_xact(row).into()),
            (None, _) => nowhere(),
        },
        _ => nowhere(),
    }
}

fn nowhere() -> Target {
    Target::Nowhere("This leads nowhere else.".to_string())
}

fn from_heap(page: &HeapPage, id: PageId, part: PartId) -> Target {
    let PartId::Region(RegionKind::LinePointer(n) | RegionKind::Tuple(n)) = part else { return nowhere() };
    let Some(item) = page.item(n) else { return nowhere() };
    if let Some(target) = item.lp.redirect() {
        return Target::Part(PartId::Region(RegionKind::LinePointer(target)));
    }
    let Some(tuple) = &item.tuple else {
        let state = item.lp.lp_flags();
        return Target::Nowhere(match state {
            LpFlags::Dead => {
                "LP_DEAD: its tuple is gone; VACUUM frees the line pointer after cleaning the indexes.".to_string()
            }
            LpFlags::Unused => "LP_UNUSED: free for a new tuple.".to_string(),
            LpFlags::Normal | LpFlags::Redirect => format!("{}: no tuple can be read there.", state.name()),
        });
    };
    if matches!(part, PartId::Region(RegionKind::LinePointer(_))) {
        return Target::Part(PartId::Region(RegionKind::Tuple(n)));
    }
    match tuple::next_version(tuple) {
        None => Target::Nowhere(format!("There is no later version: {}.", tuple::role(tuple).word())),
        Some(next) if next.block == id.block => match page.item(next.offset) {
            Some(item) if item.tuple.is_some() => Target::Part(PartId::Region(RegionKind::Tuple(next.offset))),
            Some(_) => Target::Part(PartId::Region(RegionKind::LinePointer(next.offset))),
            None => Target::Nowhere(format!("t_ctid {next} names a line pointer that is not there any more.")),
        },
        Some(next) => {
            Target::Page(PageId { block: next.block, ..id }, Some(PartId::Region(RegionKind::Tuple(next.offset))))
        }
    }
}

fn from_btree(look: &Look<'_>, page: &BtPage, id: PageId, part: PartId) -> Target {
    match part {
        PartId::Region(RegionKind::Special) if page.btpo_next != 0 => {
            Target::Page(PageId { block: page.btpo_next, ..id }, None)
        }
        PartId::Region(RegionKind::Special) => Target::Nowhere("This page is the rightmost of its level.".to_string()),
        PartId::Region(RegionKind::Meta) => match page.meta {
            Some(meta) if meta.btm_root != 0 => Target::Page(PageId { block: meta.btm_root, ..id }, None),
            _ => Target::Nowhere("The index is empty: it has no root yet.".to_string()),
        },
        PartId::Region(RegionKind::LinePointer(n) | RegionKind::Tuple(n)) => {
            let item = usize::from(n.0).checked_sub(1).and_then(|ix| page.items.get(ix));
            let tuple = item.and_then(|item| item.tuple.as_ref());
            match tuple.map(|tuple| &tuple.kind) {
                Some(IndexTupleKind::Plain(tid)) => to_heap(look, id, *tid),
                Some(IndexTupleKind::Downlink { child, .. }) => Target::Page(PageId { block: *child, ..id }, None),
                Some(IndexTupleKind::Posting(_)) => nowhere(),
                Some(IndexTupleKind::HighKey { .. }) => {
                    Target::Nowhere("The high key is the upper bound of this page; it leads nowhere.".to_string())
                }
                Some(IndexTupleKind::TopParent(Some(top))) => Target::Page(PageId { block: *top, ..id }, None),
                Some(IndexTupleKind::TopParent(None)) | None => nowhere(),
            }
        }
        _ => nowhere(),
    }
}

/// The TIDs of a posting list.
fn posting(look: &Look<'_>, id: PageId, part: PartId) -> Option<Vec<ItemPointer>> {
    let PartId::Region(RegionKind::LinePointer(n) | RegionKind::Tuple(n)) = part else { return None };
    let relation = look.relation(id.relation).filter(|relation| relation.am == AccessMethod::Btree)?;
    let page = look.page(id).filter(|page| page_kind(relation, id.fork, page) == PageKind::Btree)?;
    match &BtPage::decode(page, look.version()).item(n)?.tuple.as_ref()?.kind {
        IndexTupleKind::Posting(tids) => Some(tids.clone()),
        _ => None,
    }
}

/// A posting list leads to one heap tuple after the other, each time it is followed.
fn next_tid(model: &mut Model, id: PageId, part: PartId, tids: &[ItemPointer]) -> Target {
    let list = PartOf { page: id, part };
    let followed = model.links.posting.filter(|(known, _)| *known == list).map_or(0, |(_, n)| n);
    let n = if followed < tids.len() { followed } else { 0 };
    let (Some(look), Some(tid)) = (model.look(), tids.get(n)) else { return nowhere() };
    let target = to_heap(&look, id, *tid);
    model.links.posting = Some((list, n + 1));
    model.status =
        format!("TID {} of {} of the posting list. Go back and follow it again for the next one.", n + 1, tids.len());
    target
}

/// The heap tuple that an index entry's TID names.
fn to_heap(look: &Look<'_>, id: PageId, tid: ItemPointer) -> Target {
    let table = look.relation(id.relation).and_then(|index| index.table);
    match table.filter(|table| look.relation(*table).is_some()) {
        Some(relation) => {
            let page = PageId { relation, fork: ForkNumber::Main, block: tid.block };
            Target::Page(page, Some(PartId::Region(RegionKind::LinePointer(tid.offset))))
        }
        None => Target::Nowhere(format!("The entry leads to heap TID {tid}, but the table is not in this recording.")),
    }
}

/// The other way: from a heap tuple to the index entries for its row, from a page of a tree to the downlink in its
/// parent.
pub(super) fn follow_back(model: &mut Model) {
    if let Some(PartOf { page, part }) = model.links.trail.pop() {
        let rest = core::mem::take(&mut model.links.trail);
        go(model, Target::Page(page, Some(part)));
        model.links.trail = rest;
        model.status = more_entries(model.links.trail.len());
        return;
    }
    let (Some(look), Some(id)) = (model.look(), model.place.page) else { return };
    let mut found = match look.relation(id.relation).map(|relation| relation.am.clone()) {
        Some(AccessMethod::Heap) if model.place.view == ViewName::Page => match model.place.selected {
            Some(PartId::Region(RegionKind::LinePointer(n) | RegionKind::Tuple(n))) => entries_of(&look, id, n),
            _ => Vec::new(),
        },
        Some(AccessMethod::Btree) => parent_of(&look, id, shown_block(model, id)),
        _ => Vec::new(),
    };
    found.reverse();
    match found.pop() {
        Some(PartOf { page, part }) => {
            go(model, Target::Page(page, Some(part)));
            model.status = more_entries(found.len());
            model.links.trail = found;
        }
        None => model.status = "Nothing that was read leads here.".to_string(),
    }
}

fn more_entries(n: usize) -> String {
    if n == 0 { String::new() } else { format!("{n} more: follow back again.") }
}

/// The block of the index that is looked at: the selected one in tree and map.
fn shown_block(model: &Model, id: PageId) -> BlockNumber {
    match (model.place.view, model.place.selected) {
        (ViewName::Map | ViewName::Tree, Some(PartId::Block(block))) => block,
        _ => id.block,
    }
}

/// The index entries that lead to a row: those for the root of its HOT chain, in the pages that were read.
fn entries_of(look: &Look<'_>, id: PageId, n: OffsetNumber) -> Vec<PartOf> {
    let Some(page) = look.page(id) else { return Vec::new() };
    let heap = HeapPage::decode(page, id.block);
    let chain = heap.chains.iter().find(|chain| chain.members.contains(&n));
    let root = ItemPointer { block: id.block, offset: chain.map_or(n, |chain| chain.root) };
    let indexes = look.state.indexes(id.relation).filter(|index| index.am == AccessMethod::Btree);
    let place = |index: u32| {
        move |entry: Entry| {
            let page = PageId { relation: index, fork: ForkNumber::Main, block: entry.block };
            PartOf { page, part: PartId::Region(RegionKind::LinePointer(entry.offset)) }
        }
    };
    let pages = |index: u32| look.state.fork(index, ForkNumber::Main);
    indexes
        .flat_map(|index| entries(pages(index.oid), look.version(), root).into_iter().map(place(index.oid)))
        .collect()
}

/// The downlink to a page of an index.
fn parent_of(look: &Look<'_>, id: PageId, block: BlockNumber) -> Vec<PartOf> {
    let is_index = look.relation(id.relation).is_some_and(|relation| relation.kind == RelKind::Index);
    if !is_index {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (parent, page) in look.state.fork(id.relation, ForkNumber::Main) {
        let page = BtPage::decode(page, look.version());
        let down = page.children().filter(|(_, child)| *child == block);
        let place = |(n, _)| PartOf {
            page: PageId { relation: id.relation, fork: ForkNumber::Main, block: parent },
            part: PartId::Region(RegionKind::LinePointer(n)),
        };
        found.extend(down.map(place));
    }
    let meta = PageId { fork: ForkNumber::Main, block: 0, ..id };
    let root = look.page(meta).and_then(|page| BtPage::decode(page, look.version()).meta);
    if found.is_empty() && block != 0 && root.is_some_and(|meta| meta.btm_root == block) {
        found.push(PartOf { page: meta, part: PartId::Region(RegionKind::Meta) });
    }
    found
}
