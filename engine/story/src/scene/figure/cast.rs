//! Which pages take part in an event. The event chooses: a HOT update its page and the index that is not touched, a
//! root split the new root over its children, an index entry the row that it leads to. What changed too and is no part
//! of the story is counted.

use super::panel::{Band, Fate, Panel};
use super::stage::Stage;
use super::{Plot, btree, heap, log, maps, relations};
use crate::scene::{PartId, words};
use crate::timeline::{Cause, failure};
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::heap::{HeapPage, HeapTuple};
use ffviz_format::nbtree::BtPage;
use ffviz_format::page::fsm::FsmAddress;
use ffviz_format::page::layout::Wire;
use ffviz_format::page::{BlockNumber, ForkNumber, ItemPointer, LpFlags, OffsetNumber, Oid, Page, RegionKind};
use ffviz_format::state::{AccessMethod, PageId, RelKind, Relation};

/// panels of changed pages at most
const MOST: usize = 3;
/// the same where several steps are drawn as one
const MOST_OF_WHOLE: usize = 4;
/// pages that are looked at for what takes part in those steps
const CANDIDATES: usize = 12;
/// files that are named of those that changed and are not drawn
const MOST_NAMED: usize = 4;
/// pages of an index that are looked through for the entry of a row
const LOOKED_THROUGH: usize = 256;

/// Brings the panels on.
pub(super) fn enter(stage: &mut Stage<'_>, home: Option<PageId>) {
    let changed = changed(stage);
    let shown = shown(stage, &changed);
    let is_tree = |id: &&PageId| is_btree(stage, id.relation) && id.fork == ForkNumber::Main;
    let is_heap = |id: &&PageId| id.fork == ForkNumber::Main && !is_btree(stage, id.relation);
    let trees: Vec<PageId> = shown.iter().filter(is_tree).copied().collect();
    let heaps: Vec<PageId> = shown.iter().filter(is_heap).copied().collect();
    let maps: Vec<PageId> =
        shown.iter().filter(|id| matches!(id.fork, ForkNumber::Fsm | ForkNumber::Vm)).copied().collect();
    for id in heaps {
        stage.panels.extend(heap::panels(stage.look, id));
    }
    enter_trees(stage, &trees);
    for id in maps {
        stage.panels.extend(maps::panel(stage.look, id));
    }
    if stage.is_whole {
        choose(stage);
    }
    match stage.plot {
        Plot::Catalog => {
            if let Some(panel) = relations::catalog(stage.look) {
                stage.panels.insert(0, panel);
            }
        }
        Plot::FileLength | Plot::NewFile => stage.panels.extend(relations::files(stage.look)),
        _ => supporting(stage),
    }
    let is_quiet = stage.panels.is_empty() && changed.is_empty();
    // what ends a transaction, or is of the whole server, is of no page
    let is_of_no_page = matches!(stage.plot, Plot::Commit | Plot::Abort | Plot::Checkpoint | Plot::Decision);
    if is_quiet && !is_of_no_page {
        // the table's page that was in sight stays there, unless a record is about others, which had its change already
        // when they were read; a page of an index would seem to have to do with what is told
        let home = home.filter(|id| is_of_table(stage, *id) && is_at_home(stage));
        let there = log::pages(stage.look).unwrap_or_else(|| home.into_iter().collect());
        enter_unchanged(stage, there.into_iter().find(|id| stage.look.page(*id).is_some()));
    }
    if log::takes_part(stage, is_quiet) {
        stage.panels.extend(log::panel(stage.look));
    }
    count_left_out(stage, &changed);
}

/// Of the pages of several steps those on which something takes part; the index of a TOAST table says nothing.
fn choose(stage: &mut Stage<'_>) {
    let look = stage.look;
    let table = |id: PageId| look.relation(look.relation(id.relation)?.table?);
    let is_of_toast = |id: PageId| table(id).is_some_and(|table| table.kind == RelKind::Toast);
    let takes_part =
        |panel: &Panel| panel.is_new || panel.row > 0 || panel.pieces().any(|(_, fate, ..)| fate.takes_part());
    stage.panels.retain(|panel| takes_part(panel) && !panel.page.is_some_and(is_of_toast));
    // the main event's tables with their indexes, then those that triggers and the like changed, sequences last
    let subject = stage.subject();
    let rank = |panel: &Panel| {
        let relation = panel.page.map(|id| id.relation);
        let is_sequence = relation.and_then(|oid| look.relation(oid)).is_some_and(|r| r.am == AccessMethod::Sequence);
        let is_other = relation.is_some_and(|oid| !subject.is_empty() && !subject.contains(&stage.table_of(oid)));
        (is_sequence, is_other)
    };
    let ranks: Vec<(bool, bool)> = stage.panels.iter().map(rank).collect();
    let mut ranked: Vec<((bool, bool), Panel)> = ranks.into_iter().zip(core::mem::take(&mut stage.panels)).collect();
    ranked.sort_by_key(|(rank, _)| *rank);
    stage.panels = ranked.into_iter().take(MOST_OF_WHOLE).map(|(_, panel)| panel).collect();
}

/// May the page that was in sight have to do with the step? A statement that failed, or was not run, may be about any
/// table, and a record that names no page is about none.
fn is_at_home(stage: &Stage<'_>) -> bool {
    !has_failed(stage) && !matches!(stage.look.step.cause, Cause::Record(_))
}

/// Is it a statement that failed, or was not run?
fn has_failed(stage: &Stage<'_>) -> bool {
    stage.look.outcome.is_some_and(|outcome| failure(outcome, false).is_some())
}

fn is_of_table(stage: &Stage<'_>, id: PageId) -> bool {
    id.fork == ForkNumber::Main && stage.look.relation(id.relation).is_some_and(|r| r.kind == RelKind::Table)
}

/// The page that was in sight before.
fn enter_unchanged(stage: &mut Stage<'_>, page: Option<PageId>) {
    let Some(id) = page else { return };
    match id.fork {
        ForkNumber::Main if is_btree(stage, id.relation) => {
            let panels = btree::panels(stage.look, id.relation, &[id.block], &[]);
            stage.panels.extend(panels);
        }
        ForkNumber::Main => stage.panels.extend(heap::panel(stage.look, id, &[])),
        _ => {}
    }
}

fn is_btree(stage: &Stage<'_>, relation: Oid) -> bool {
    known(stage, relation).is_some_and(|relation| relation.am == AccessMethod::Btree)
}

/// A relation that is there, or was before the step.
fn known<'a>(stage: &'a Stage<'_>, relation: Oid) -> Option<&'a Relation> {
    let gone = || stage.look.step.relations.iter().find(|change| change.oid == relation)?.before.as_ref();
    stage.look.relation(relation).or_else(gone).map(AsRef::as_ref)
}

/// The pages that the step changed, those first that the story names first.
fn changed(stage: &Stage<'_>) -> Vec<PageId> {
    let pages: Vec<PageId> = stage.look.step.pages.iter().map(|change| change.id).collect();
    let named =
        stage.told.events.iter().filter(|event| event.item.is_some() || event.count > 0).map(|event| event.page);
    let mut order: Vec<PageId> = Vec::new();
    for id in named.chain(pages.iter().copied()).filter(|id| pages.contains(id)) {
        if !order.contains(&id) {
            order.push(id);
        }
    }
    order
}

/// Those that are drawn.
fn shown(stage: &Stage<'_>, changed: &[PageId]) -> Vec<PageId> {
    let map = |id: &PageId| matches!(id.fork, ForkNumber::Fsm | ForkNumber::Vm);
    let of = |wanted: fn(&PageId) -> bool| changed.iter().filter(move |id| wanted(id)).copied().collect::<Vec<_>>();
    let main: Vec<PageId> = changed.iter().filter(|id| !map(id)).copied().collect();
    let about = about(stage);
    let most = if stage.is_whole { CANDIDATES } else { MOST };
    match stage.plot {
        // the tree is the event, the rows in it are not
        Plot::NewRoot | Plot::Split | Plot::IndexBuild | Plot::FirstPage if stage.is_whole => {
            let tree: Vec<PageId> = main.into_iter().filter(|id| is_btree(stage, id.relation)).collect();
            tree.into_iter().take(most).collect()
        }
        // what becomes of rows says what becomes of the entries that lead to them
        Plot::Catalog if stage.is_whole && main.iter().any(|id| !is_btree(stage, id.relation)) => {
            let heaps = main.into_iter().filter(|id| !is_btree(stage, id.relation));
            in_file_order(heaps.take(most).collect())
        }
        Plot::AllVisible | Plot::VisibilityCleared => {
            let vm = of(|id| id.fork == ForkNumber::Vm);
            main.into_iter().take(1).chain(vm.into_iter().take(1)).collect()
        }
        // new blocks are zeros: files are drawn, not pages
        Plot::FileLength | Plot::NewFile if lengths_differ(stage) => Vec::new(),
        Plot::FreeSpaceMap => {
            // what the pages above say follows from the lowest level, whose slots stand for blocks of the table
            let fsm = of(|id| id.fork == ForkNumber::Fsm);
            let is_lowest = |id: &PageId| FsmAddress::of_block(id.block, stage.look.state.server.block_size).level == 0;
            let lowest = fsm.iter().copied().find(is_lowest);
            lowest.or(fsm.first().copied()).into_iter().collect()
        }
        _ if main.is_empty() && changed.is_empty() => about.into_iter().collect(),
        _ if main.is_empty() => changed.iter().take(most).copied().collect(),
        _ => in_file_order(main.into_iter().take(most).collect()),
    }
}

fn lengths_differ(stage: &Stage<'_>) -> bool {
    !relations::files(stage.look).is_empty()
}

/// Old pages left of new ones; tables before their indexes, as relations have their oids.
fn in_file_order(mut pages: Vec<PageId>) -> Vec<PageId> {
    pages.sort_unstable();
    pages
}

/// The page that a decision is about.
fn about(stage: &Stage<'_>) -> Option<PageId> {
    match &stage.look.step.cause {
        Cause::Told { about, .. } => about.filter(|id| stage.look.page(*id).is_some()),
        _ => None,
    }
}

fn enter_trees(stage: &mut Stage<'_>, pages: &[PageId]) {
    let indexes: BTreeSet<Oid> = pages.iter().map(|id| id.relation).collect();
    for index in indexes {
        let mut blocks: Vec<BlockNumber> = pages.iter().filter(|id| id.relation == index).map(|id| id.block).collect();
        match stage.plot {
            Plot::Split if stage.is_whole && blocks.len() > 2 => return enter_family(stage, index, &blocks),
            Plot::NewRoot | Plot::Downlink => return enter_family(stage, index, &blocks),
            Plot::Split => blocks = split_pages(stage, index),
            _ => {}
        }
        let panels = btree::panels(stage.look, index, &blocks, &[]);
        stage.panels.extend(panels);
    }
}

/// The two halves of a split. A split that inserts a new leftmost item, or is in the middle, also tells the old right
/// sibling its new neighbour: that is counted, not drawn.
fn split_pages(stage: &Stage<'_>, index: Oid) -> Vec<BlockNumber> {
    let changes = stage.look.step.pages.iter().filter(|c| c.id.relation == index && c.id.fork == ForkNumber::Main);
    let decoded: Vec<(BlockNumber, bool, BtPage)> = changes
        .filter_map(|change| {
            let page = BtPage::decode(change.after.as_ref()?, stage.look.version());
            let is_new = change.before.as_ref().is_none_or(Page::is_zero);
            Some((change.id.block, is_new, page))
        })
        .collect();
    let halves = decoded.iter().filter(|(_, is_new, _)| *is_new).find_map(|(right, _, page)| {
        let left = decoded.iter().find(|(block, ..)| *block == page.btpo_prev)?;
        Some(Vec::from([left.0, *right]))
    });
    halves.unwrap_or_else(|| decoded.iter().take(MOST).map(|(block, ..)| *block).collect())
}

/// A page of an upper level, with the metapage beside it, over the children that the event is about.
fn enter_family(stage: &mut Stage<'_>, index: Oid, changed: &[BlockNumber]) {
    let page = |block| stage.look.page(PageId { relation: index, fork: ForkNumber::Main, block });
    let decode = |block: BlockNumber| Some(BtPage::decode(page(block)?, stage.look.version()));
    let is_parent = |block: &&BlockNumber| decode(**block).is_some_and(|page| page.children().next().is_some());
    let Some(parent) = changed.iter().filter(|block| **block > 0).find(is_parent).copied() else {
        let panels = btree::panels(stage.look, index, changed, &[]);
        return stage.panels.extend(panels);
    };
    let mut above = btree::panels(stage.look, index, &[parent], &[]);
    let children: Vec<BlockNumber> =
        decode(parent).iter().flat_map(|page| page.children().map(|(_, child)| child).collect::<Vec<_>>()).collect();
    let new: Vec<BlockNumber> = above.iter().flat_map(new_downlinks).collect();
    // the new child and the one before it, which was split
    let at = new.first().and_then(|new| children.iter().position(|child| child == new));
    let family: Vec<BlockNumber> = match at {
        _ if children.len() <= 2 => children,
        Some(at) => children[at.saturating_sub(1)..=at].to_vec(),
        None => children.into_iter().take(2).collect(),
    };
    let mut below = btree::panels(stage.look, index, &family, &[]);
    below.iter_mut().for_each(|panel| panel.row = 1);
    if changed.contains(&0) {
        above.extend(btree::panels(stage.look, index, &[0], &[]));
    }
    stage.panels.extend(above.into_iter().chain(below));
}

/// The children that an upper page leads to since this step.
fn new_downlinks(panel: &Panel) -> Vec<BlockNumber> {
    let new = panel.bands().filter(|band| matches!(band.fate, Fate::New | Fate::Changed));
    new.filter_map(|band| band.goal?.child()).collect()
}

/// Pages that did not change and without which the event cannot be understood.
fn supporting(stage: &mut Stage<'_>) {
    match stage.plot {
        Plot::HotUpdate => index_of_row(stage),
        Plot::IndexInsert | Plot::PostingSplit => rows_of(stage, &[Fate::New, Fate::Changed]),
        Plot::IndexDelete | Plot::IndexVacuum => rows_of(stage, &[Fate::Gone, Fate::Changed]),
        Plot::KillMarks => rows_of(stage, &[Fate::Changed]),
        Plot::Toast => toasted_row(stage),
        _ => {}
    }
}

/// The table's page with the row that an entry leads to.
fn rows_of(stage: &mut Stage<'_>, fates: &[Fate]) {
    let Some(index) = stage.panels.first().and_then(|panel| panel.page) else { return };
    let Some(table) = stage.look.relation(index.relation).and_then(|index| index.table) else { return };
    let goals = stage.panels.iter().flat_map(|panel| &panel.goals).filter(|(fate, _)| fates.contains(fate));
    let tids: Vec<ItemPointer> = goals.filter_map(|(_, goal)| goal.row()).collect();
    let Some(first) = tids.first() else { return };
    let id = PageId { relation: table, fork: ForkNumber::Main, block: first.block };
    let rows: Vec<OffsetNumber> = tids.iter().filter(|tid| tid.block == first.block).map(|tid| tid.offset).collect();
    let known = stage.look.page(id).is_some();
    if known && stage.panel_of(id).is_none() {
        stage.panels.extend(heap::panel(stage.look, id, &rows));
    }
}

/// The table's page with the row that points to the value: only a later step, or one that is drawn too, may put it
/// there.
fn toasted_row(stage: &mut Stage<'_>) {
    let is_toast = |id: &PageId| stage.look.relation(id.relation).is_some_and(|r| r.kind == RelKind::Toast);
    let chunks = stage.panels.iter().filter_map(|panel| panel.page);
    let Some((table, value)) = chunks.filter(is_toast).find_map(|id| {
        let heap = HeapPage::decode(stage.look.page(id)?, id.block);
        let changed = |band: &&Band| band.fate.takes_part() && !band.fate.is_ghost();
        let panel = stage.panels.iter().find(|panel| panel.page == Some(id))?;
        let PartId::Region(RegionKind::Tuple(n)) = panel.bands().find(changed)?.part else { return None };
        let chunk = Oid::get(stage.look.page(id)?.slice(heap.tuple(n)?.data()));
        Some((stage.look.relation(id.relation)?.table?, chunk))
    }) else {
        return;
    };
    let found = stage.look.state.fork(table, ForkNumber::Main).take(LOOKED_THROUGH).find_map(|(block, page)| {
        let relation = stage.look.relation(table)?;
        let heap = HeapPage::decode(page, block);
        let points = |tuple: &&HeapTuple| {
            let columns = tuple.columns(page, &relation.attributes);
            columns.iter().any(|datum| datum.toast_value(page) == Some(value))
        };
        let row = heap.items.iter().filter_map(|item| item.tuple.as_ref()).find(points)?;
        Some((PageId { relation: table, fork: ForkNumber::Main, block }, row.tid.offset))
    });
    let Some((id, row)) = found else { return };
    if stage.panel_of(id).is_none() {
        let row = heap::panel(stage.look, id, &[row]);
        row.into_iter().for_each(|panel| stage.panels.insert(0, panel));
    }
}

/// The leaf with the entry of the row whose HOT chain grew: it stays as it is.
fn index_of_row(stage: &mut Stage<'_>) {
    let Some(id) = stage.panels.first().and_then(|panel| panel.page) else { return };
    let Some(page) = stage.look.page(id) else { return };
    let new = stage.panels[0].bands().filter(|band| band.fate == Fate::New).find_map(|band| band.goal?.row());
    let Some(new) = new else { return };
    let root = root_of(&HeapPage::decode(page, id.block), new.offset);
    let tid = ItemPointer { block: id.block, offset: root };
    let found =
        stage.look.state.indexes(id.relation).filter(|index| index.am == AccessMethod::Btree).find_map(|index| {
            let pages = stage.look.state.fork(index.oid, ForkNumber::Main).take(LOOKED_THROUGH);
            Some((index.oid, pages.into_iter().find(|(_, page)| leads_to(page, tid))?.0))
        });
    // where it changed, with another row's entry, it is drawn already
    let is_drawn = |(relation, block)| stage.panel_of(PageId { relation, fork: ForkNumber::Main, block }).is_some();
    if let Some((index, leaf)) = found.filter(|leaf| !is_drawn(*leaf)) {
        let panels = btree::panels(stage.look, index, &[leaf], &[tid]);
        stage.panels.extend(panels);
    }
}

/// The line pointer that index entries name: the root of the chain, or the redirect in front of it.
fn root_of(heap: &HeapPage, member: OffsetNumber) -> OffsetNumber {
    let chain = heap.chains.iter().find(|chain| chain.members.contains(&member));
    let first = chain.map_or(member, |chain| chain.root);
    let redirect = heap.items.iter().find(|item| item.lp.redirect() == Some(first));
    redirect.map_or(first, |item| item.offset)
}

/// Has the page an entry whose first TID is this one? Only the six bytes of each tuple are read.
fn leads_to(page: &Page, tid: ItemPointer) -> bool {
    let normal = page.line_pointers().filter(|(_, lp)| lp.lp_flags() == LpFlags::Normal);
    let bytes = |at: u16| page.bytes().get(usize::from(at)..usize::from(at) + 6);
    normal.filter_map(|(_, lp)| bytes(lp.lp_off())).any(|bytes| ItemPointer::get(bytes) == tid)
}

/// Says what changed besides.
fn count_left_out(stage: &mut Stage<'_>, changed: &[PageId]) {
    let drawn: BTreeSet<PageId> = stage.panels.iter().filter_map(|panel| panel.page).collect();
    // a file that is drawn shows all its blocks
    let is_drawn = |id: &PageId| match stage.plot {
        Plot::FileLength | Plot::NewFile => {
            drawn.iter().any(|file| (file.relation, file.fork) == (id.relation, id.fork))
        }
        _ => drawn.contains(id),
    };
    // what becomes of a file that is new, or goes, stands in the catalog's panel
    let is_told = |id: &PageId| stage.is_whole && stage.plot == Plot::Catalog && has_other_file(stage, id.relation);
    let rest: Vec<&PageId> = changed.iter().filter(|id| !is_drawn(id) && !is_told(id)).collect();
    stage.left_out = match rest[..] {
        [] => String::new(),
        _ => format!("changed too, not drawn: {}", named(stage, &rest)),
    };
    let is_told = matches!(stage.look.step.cause, Cause::Told { .. });
    // why no page changed is said by the error, or what stands there is told of
    let is_explained = is_told && (!stage.panels.is_empty() || has_failed(stage));
    let is_plain = stage.plot == Plot::Decision || stage.plot == Plot::Quiet && is_explained;
    let shows_catalog = stage.plot == Plot::Catalog && !stage.panels.is_empty();
    if changed.is_empty() && !is_plain && !shows_catalog {
        stage.left_out = "this step changes no page of a table or index".to_string();
    }
}

/// Is the relation new or gone, or has it another file?
fn has_other_file(stage: &Stage<'_>, relation: Oid) -> bool {
    let its = stage.look.step.relations.iter().find(|change| change.oid == relation);
    its.is_some_and(|change| change.before.is_none() || change.after.is_none() || change.is_rewritten())
}

/// `t_pkey block 3`; of several pages by relation: `t_pkey (4 pages), t visibility map`.
fn named(stage: &Stage<'_>, pages: &[&PageId]) -> String {
    let relation = |id: &PageId| known(stage, id.relation);
    if let [one] = pages {
        return words::page(relation(one), **one);
    }
    let name = |id: &PageId| {
        relation(id).map_or_else(|| format!("relation {}", id.relation), |it| words::relation_fork(it, id.fork))
    };
    let mut forks: Vec<(String, u64)> = Vec::new();
    for id in pages {
        let name = name(id);
        match forks.iter_mut().find(|(known, _)| *known == name) {
            Some((_, n)) => *n += 1,
            None => forks.push((name, 1)),
        }
    }
    let name = |(name, n): &(String, u64)| match n {
        1 => name.clone(),
        n => format!("{name} ({})", words::count(*n, "page")),
    };
    let mut parts: Vec<String> = forks.iter().take(MOST_NAMED).map(name).collect();
    let others: u64 = forks.iter().skip(MOST_NAMED).map(|(_, n)| n).sum();
    if others > 0 {
        parts.push(format!("and {}", words::count(others, "page")));
    }
    parts.join(", ")
}
