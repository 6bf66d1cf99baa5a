//! Notes about index entries and the pages of a B-tree (src/backend/access/nbtree: nbtinsert.c, nbtdedup.c, nbtpage.c,
//! nbtree.c).

use super::super::panel::{Band, Fate, Goal, Panel};
use super::super::stage::Stage;
use super::from_story_where_nothing;
use crate::scene::{PartId, Role};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::nbtree::BtPage;
use ffviz_format::nbtree::flags::BTP_INCOMPLETE_SPLIT;
use ffviz_format::page::{BlockNumber, ForkNumber};
use ffviz_format::state::PageId;

/// What room is made for; whether it is enough, the next step shows.
const NO_SPLIT: &str = "done instead of a split: where the room that this makes is enough, the page stays one";

/// Rows that are named one by one.
const NAMED: usize = 4;

const fn is_entry(band: &Band) -> bool {
    matches!(band.role, Role::IndexTuple | Role::PostingList | Role::IndexKilled)
}

/// An entry, downlink or fact of the metapage that is new: rows of the table have notes of their own.
const fn is_new(band: &Band) -> bool {
    super::is_new(band) && !super::heap::is_tuple(band.role)
}

/// One that changed.
const fn is_changed(band: &Band) -> bool {
    super::is_changed(band) && !super::heap::is_tuple(band.role)
}

/// One that is gone.
const fn is_gone(band: &Band) -> bool {
    super::is_gone(band) && !super::heap::is_tuple(band.role)
}

const fn is_high_key(band: &Band) -> bool {
    matches!(band.role, Role::HighKey)
}

pub(super) fn insert(stage: &mut Stage<'_>) {
    lead_to_row(stage, is_new, "leads to");
    stage.note_bands(is_new, "a new entry, in the order of the keys");
    stage.note_bands(|band| band.fate == Fate::Concerned, "the row that it is for");
    from_story_where_nothing(stage);
}

/// An arrow from the first entry that is so to its row.
fn lead_to_row(stage: &mut Stage<'_>, is_it: impl Fn(&Band) -> bool, word: &str) {
    let from = stage.place(|band| is_entry(band) && is_it(band));
    let bands = stage.panels.iter().flat_map(Panel::bands);
    let row = bands.filter(|band| is_entry(band) && is_it(band)).find_map(|band| band.goal?.row());
    let to = row.and_then(|tid| stage.heap_place(tid));
    stage.arrow(from, to, true, word);
}

pub(super) fn posting_split(stage: &mut Stage<'_>) {
    stage.note_bands(
        |band| is_changed(band) || is_new(band),
        "the new TID lies between those of a posting list: the list is rewritten around it",
    );
    from_story_where_nothing(stage);
}

pub(super) fn downlink(stage: &mut Stage<'_>) {
    arrows_to_children(stage, is_new);
    stage.note_bands(is_new, "the downlink to the page that a split made: from here on a search finds it from above");
    from_story_where_nothing(stage);
}

/// Arrows from downlinks to the pages that are drawn below.
fn arrows_to_children(stage: &mut Stage<'_>, is_bold: impl Fn(&Band) -> bool) {
    let children: Vec<(BlockNumber, bool)> = stage
        .panels
        .iter()
        .flat_map(Panel::bands)
        .filter_map(|band| Some((band.goal?.child()?, is_bold(band))))
        .collect();
    let mut word = "downlink";
    for (child, bold) in children {
        let from = stage.place(|band| band.goal == Some(Goal::Child(child)));
        let below = |panel: &Panel| panel.row > 0 && panel.page.is_some_and(|id| id.block == child);
        let to = stage.panels.iter().position(below).map(|at| (at, PartId::Piece(at as u8, 0)));
        if to.is_some() {
            // one word is enough for all
            stage.arrow(from, to, bold, core::mem::take(&mut word));
        }
    }
}

pub(super) fn split(stage: &mut Stage<'_>) {
    let right = stage.panels.iter().find(|panel| panel.is_new).and_then(|panel| panel.page);
    let block = right.map_or_else(String::new, |id| format!(", block {}", id.block));
    let moved = stage.place(|band| band.fate == Fate::Left);
    let arrived = stage.place(|band| band.fate == Fate::Arrived);
    stage.note_bands(|band| is_entry(band) && is_new(band), "the new entry, for which the full page had no room");
    stage.note_bands(
        |band| matches!(band.fate, Fate::Left | Fate::Arrived),
        format!("these moved to the new page on the right{block}"),
    );
    stage.note_bands(
        |band| is_high_key(band) && band.fate != Fate::Same && !is_gone(band),
        "the high key: the left page's new upper bound, cut to the columns that separate (suffix truncation)",
    );
    stage.arrow(moved, arrived, true, "move");
    // the step behind it, where that is drawn too
    stage.note_bands(
        |band| band.role == Role::Pivot && is_new(band),
        "the downlink to the new page: from here on a search finds it from above",
    );
    if let Some(id) = stage.panels.iter().filter_map(|panel| panel.page).find(|id| is_incomplete(stage, *id)) {
        let panel = stage.panels.iter().position(|panel| panel.is_new);
        let note = format!("no page above leads to it yet: block {}'s right link does", id.block);
        match panel {
            Some(panel) => stage.note_panel(panel, note),
            None => stage.note(note),
        }
    }
    from_story_where_nothing(stage);
}

fn is_incomplete(stage: &Stage<'_>, id: PageId) -> bool {
    let page = stage.look.page(id).filter(|_| id.fork == ForkNumber::Main);
    page.is_some_and(|page| BtPage::decode(page, stage.look.version()).btpo_flags & BTP_INCOMPLETE_SPLIT != 0)
}

pub(super) fn new_root(stage: &mut Stage<'_>) {
    arrows_to_children(stage, is_new);
    // the split that came before, where it is drawn too
    let moved = |band: &Band| matches!(band.fate, Fate::Left | Fate::Arrived);
    stage.note_bands(moved, "the old root was full: it was split, and these moved to the new page");
    stage.note_bands(|band| is_entry(band) && is_new(band), "the new entry, for which it had no room");
    let root = stage.panels.iter().position(|panel| panel.is_new);
    if let Some(root) = root {
        stage.note_panel(root, "the new root, one level higher: a downlink to each half of the old one");
    }
    stage.note_bands(
        |band| band.role == Role::Meta && is_changed(band),
        "the metapage names the new root: every search begins here",
    );
    from_story_where_nothing(stage);
}

pub(super) fn deduplicate(stage: &mut Stage<'_>) {
    stage.tag(Fate::Gone, "merged");
    stage.note_bands(is_gone, "entries with equal keys: the key stood in each of them");
    stage.note_bands(
        |band| band.role == Role::PostingList && (is_new(band) || is_changed(band)),
        "posting lists: the key once, and all its TIDs",
    );
    stage.note(NO_SPLIT);
}

pub(super) fn kill_marks(stage: &mut Stage<'_>) {
    lead_to_row(stage, is_changed, "found dead");
    stage.note_bands(
        is_changed,
        "LP_DEAD: who followed the entry found its row dead to everybody; the next one passes over it. Not in the WAL",
    );
    stage.note_bands(|band| band.fate == Fate::Concerned, "the row that was found dead");
    from_story_where_nothing(stage);
}

pub(super) fn delete(stage: &mut Stage<'_>) {
    lead_to_row(stage, is_gone, "was checked");
    let rows = dead_rows(stage);
    let dead =
        format!("the rows were looked at first, and are dead to everybody: {rows}; they wait for pruning or VACUUM");
    if !stage.note_bands(|band| band.fate == Fate::Concerned, dead.clone()) {
        stage.note_chips(
            |chip| chip.fate == Fate::Concerned,
            format!("of the rows, dead to everybody, only line pointers are left: {rows}"),
        );
    }
    stage.note_bands(
        |band| is_entry(band) && (is_gone(band) || is_changed(band)),
        "so their entries are removed, to make room",
    );
    stage.note(NO_SPLIT);
}

/// The heap TIDs of the entries that are gone: `(0,1), (0,5) and 7 more`.
fn dead_rows(stage: &Stage<'_>) -> String {
    let gone = stage.panels.iter().flat_map(|panel| &panel.goals).filter(|(fate, _)| *fate == Fate::Gone);
    let tids: Vec<String> = gone.filter_map(|(_, goal)| Some(goal.row()?.to_string())).collect();
    let shown = tids.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
    match tids.len().saturating_sub(NAMED) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

pub(super) fn vacuum(stage: &mut Stage<'_>) {
    stage.note_bands(
        |band| is_entry(band) && (is_gone(band) || is_changed(band)),
        "VACUUM removes the entries of dead rows",
    );
    stage.note_chips(
        |chip| chip.role == Role::LpDead && chip.fate == Fate::Concerned,
        "only afterwards are their line pointers in the table free",
    );
    from_story_where_nothing(stage);
}

pub(super) fn half_dead(stage: &mut Stage<'_>) {
    if let Some(panel) = stage.panels.iter().position(|panel| panel.status == "half-dead") {
        stage.note_panel(panel, "an empty leaf: it loses its downlink and takes no more entries");
    }
    stage.note_bands(
        |band| band.role == Role::Pivot && band.fate.takes_part(),
        "the downlink to it goes to its right neighbour's",
    );
    from_story_where_nothing(stage);
}

pub(super) fn page_deleted(stage: &mut Stage<'_>) {
    if let Some(panel) = stage.panels.iter().position(|panel| panel.status == "deleted") {
        stage.note_panel(panel, "out of the tree: its neighbours link to each other; it can be used again when nobody can be on the way to it");
    }
    from_story_where_nothing(stage);
}

/// The first pages of an index: made by CREATE INDEX, which sorts, or by the first entry.
pub(super) fn build(stage: &mut Stage<'_>) {
    let is_sorted = stage.look.step.relations.iter().any(|change| change.before.is_none());
    let root = stage.place(|band| band.role == Role::Meta && band.text.starts_with("root"));
    let block = stage.panels.iter().position(|panel| panel.is_new && panel.page.is_some_and(|id| id.block > 0));
    let first = block.and_then(|panel| stage.place_in(panel, |_| true));
    stage.arrow(root, first, true, "root");
    let what = match is_sorted {
        true => "CREATE INDEX reads the table, sorts the keys, and fills leaves from left to right",
        false => "the first page of the tree: a leaf, and the root, until it splits",
    };
    if let Some(panel) = block {
        stage.note_panel(panel, what);
    }
    stage.note_bands(|band| is_entry(band) && is_new(band), "entries, in the order of the keys: each leads to a row");
    stage.note_bands(
        |band| band.role == Role::Meta,
        "the metapage, always block 0: it names the root, where every search begins",
    );
    from_story_where_nothing(stage);
}

pub(super) fn metapage(stage: &mut Stage<'_>) {
    stage.note_bands(
        |band| band.role == Role::Meta && is_changed(band),
        "VACUUM notes how many pages it deleted: by that it decides whether it must read the whole index next time",
    );
    from_story_where_nothing(stage);
}
