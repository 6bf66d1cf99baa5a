//! Notes about index entries and the pages of a B-tree (src/backend/access/nbtree: nbtinsert.c, nbtdedup.c, nbtpage.c,
//! nbtree.c).

use super::super::panel::{Band, Fate, Goal, Panel};
use super::super::stage::Stage;
use super::{from_story_where_nothing, is_changed, is_gone, is_new};
use crate::scene::{PartId, Role};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::nbtree::BtPage;
use ffviz_format::nbtree::flags::BTP_INCOMPLETE_SPLIT;
use ffviz_format::page::{BlockNumber, ForkNumber};
use ffviz_format::state::PageId;

/// What room is made for; whether it is enough, the next step shows.
const NO_SPLIT: &str = "done instead of a split: where the room that this makes is enough, the page stays one";

const fn is_entry(band: &Band) -> bool {
    matches!(band.role, Role::IndexTuple | Role::PostingList | Role::IndexKilled)
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
        "the high key: the left page's new upper bound, cut to the columns that separate",
    );
    stage.arrow(moved, arrived, true, "move");
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
    stage.tag_bands(is_gone, "merged");
    stage.note_bands(is_gone, "entries with equal keys: the key stood in each of them");
    stage.note_bands(|band| is_new(band) || is_changed(band), "posting lists: the key once, and all its TIDs");
    stage.note(NO_SPLIT);
}

pub(super) fn kill_marks(stage: &mut Stage<'_>) {
    lead_to_row(stage, is_changed, "was dead");
    stage.note_bands(
        is_changed,
        "LP_DEAD: who followed the entry found its row dead to everybody; the next one passes over it. Not in the WAL",
    );
    from_story_where_nothing(stage);
}

pub(super) fn delete(stage: &mut Stage<'_>) {
    lead_to_row(stage, is_gone, "was checked");
    stage.note_bands(
        |band| is_entry(band) && (is_gone(band) || is_changed(band)),
        "entries of rows that are dead to everybody: removed, to make room",
    );
    stage.note_bands(|band| band.fate == Fate::Concerned, "the dead row itself waits for pruning or VACUUM");
    stage.note(NO_SPLIT);
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
