//! What the other steps of a statement did, where all of them are one figure: a note for each sort of change that the
//! main event has none for.

use super::super::Plot;
use super::super::panel::{Band, Fate, Panel};
use super::super::stage::Stage;
use super::{heap, is_changed, is_gone, is_new};
use crate::scene::Role;
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::state::{AccessMethod, PageId};

/// Of rows that the statement read, and of which only the header changed.
const ON_THE_WAY: &str = "hint bits: a reader wrote into the row how its transaction had ended";

/// First of the tables that the main event is about, then of each other table by its name.
pub(super) fn besides(stage: &mut Stage<'_>) {
    besides_of(stage, "");
    if stage.tables.is_empty() {
        return;
    }
    let drawn: Vec<PageId> = stage.panels.iter().filter_map(|panel| panel.page).collect();
    let mut told = stage.tables.clone();
    for page in drawn {
        let table = stage.table_of(page.relation);
        if told.insert(table) {
            let name = stage.name_of(table);
            stage.tables = BTreeSet::from([table]);
            besides_of(stage, &name);
        }
    }
}

/// `name` stands in front of each note: empty where the main event's plot is that of these tables.
fn besides_of(stage: &mut Stage<'_>, name: &str) {
    let plot = if name.is_empty() { stage.plot } else { Plot::Mixed };
    let is_entry = |band: &Band| matches!(band.role, Role::IndexTuple | Role::PostingList | Role::IndexKilled);
    let is_map = |band: &Band| matches!(band.role, Role::Block | Role::BlockAllVisible | Role::BlockAllFrozen);
    let told = |what: &str| format!("{name}{what}");
    stage.note_bands(|band| matches!(band.fate, Fate::Left | Fate::Arrived), told("moved to the new page"));
    stage.note_bands(|band| is_entry(band) && is_new(band), told(new_entries(plot)));
    stage.note_bands(|band| is_entry(band) && is_changed(band), told(changed_entries(plot)));
    stage.note_bands(|band| is_entry(band) && is_gone(band), told("index entries that are gone now"));
    files_gone(stage);
    rows(stage, plot, &told);
    stage.note_bands(|band| band.fate == Fate::Changed && is_map(band), told("what the visibility map says of a page"));
}

const fn new_entries(plot: Plot) -> &'static str {
    match plot {
        Plot::Delete | Plot::Prune | Plot::IndexVacuum => "new index entries",
        Plot::Update | Plot::ManyUpdates => "each index gets an entry for a version that is not HOT",
        _ => "an entry in each index",
    }
}

const fn changed_entries(plot: Plot) -> &'static str {
    match plot {
        Plot::Prune | Plot::IndexVacuum | Plot::FreeLinePointers => "what led to dead rows is gone from these entries",
        _ => "entries that changed too",
    }
}

/// What became of rows: each sort of change has its own note.
fn rows(stage: &mut Stage<'_>, plot: Plot, told: &dyn Fn(&str) -> String) {
    let is_row = |band: &Band| heap::is_tuple(band.role);
    if sequences_only(stage) {
        stage.note_bands(|band| is_row(band) && band.fate.takes_part(), told(super::SEQUENCE));
    }
    stage.note_bands(
        |band| heap::has_new_xmax(band) && heap::is_locking(band),
        told("a row locked, not deleted: the locker stands in xmax"),
    );
    stage.note_bands(
        |band| heap::has_new_xmax(band) && band.role == Role::TupleDeleted,
        told("rows deleted: only their xmax changes"),
    );
    stage.note_bands(heap::has_new_xmax, told("the old version: xmax is set, t_ctid leads to the new one"));
    stage.note_bands(
        |band| is_row(band) && is_changed(band) && band.tag.contains(super::super::heap::FROZEN),
        told(super::FROZEN),
    );
    let gone = if plot == Plot::Catalog { "gone with their file" } else { "dead versions, removed on the way" };
    stage.note_bands(|band| is_row(band) && is_gone(band), told(gone));
    stage.note_bands(|band| is_row(band) && is_changed(band), told(ON_THE_WAY));
    let new = stage
        .concerned()
        .flat_map(|(_, panel)| panel.bands())
        .filter(|band| band.mark.is_none() && is_row(band) && is_new(band))
        .count();
    let what = if new > 1 { "new tuples" } else { "a new tuple" };
    stage.note_bands(|band| is_row(band) && is_new(band), told(what));
}

/// Are the pages that the notes are about those of sequences? A sequence has one row, which is overwritten.
fn sequences_only(stage: &Stage<'_>) -> bool {
    let mut relations = stage.concerned().filter_map(|(_, panel)| stage.look.relation(panel.page?.relation)).peekable();
    relations.peek().is_some() && relations.all(|relation| relation.am == AccessMethod::Sequence)
}

/// Pages that are not there any more.
fn files_gone(stage: &mut Stage<'_>) {
    let is_gone = |panel: &Panel| panel.page.is_some_and(|id| stage.look.page(id).is_none());
    let Some((first, _)) = stage.concerned().find(|(_, panel)| is_gone(panel)) else { return };
    if matches!(stage.plot, Plot::Prune | Plot::FreeLinePointers | Plot::FileLength) {
        stage.note_panel(first, "empty pages at the end of the file: cut off, and given back to the operating system");
    }
}
