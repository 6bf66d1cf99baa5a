//! What the other steps of a statement did, where all of them are one figure: a note for each sort of change that the
//! main event has none for.

use super::super::Plot;
use super::super::panel::{Band, Fate, Panel};
use super::super::stage::Stage;
use super::{is_changed, is_gone, is_new};
use crate::scene::Role;

pub(super) fn besides(stage: &mut Stage<'_>) {
    let is_entry = |band: &Band| matches!(band.role, Role::IndexTuple | Role::PostingList | Role::IndexKilled);
    let is_row = |band: &Band| super::heap::is_tuple(band.role);
    stage.note_bands(|band| matches!(band.fate, Fate::Left | Fate::Arrived), "moved to the new page");
    let what = match stage.plot {
        Plot::Delete | Plot::Prune | Plot::IndexVacuum => "new index entries",
        Plot::Update | Plot::ManyUpdates => "each index gets an entry for a version that is not HOT",
        _ => "an entry in each index",
    };
    stage.note_bands(|band| is_entry(band) && is_new(band), what);
    let what = match stage.plot {
        Plot::Prune | Plot::IndexVacuum | Plot::FreeLinePointers => "what led to dead rows is gone from these entries",
        _ => "entries that changed too",
    };
    stage.note_bands(|band| is_entry(band) && is_changed(band), what);
    stage.note_bands(|band| is_entry(band) && is_gone(band), "index entries that are gone now");
    files_gone(stage);
    stage.note_bands(super::heap::is_stamped, "the old version is stamped, and leads to the new one");
    let what = if stage.plot == Plot::Catalog { "gone with their file" } else { "dead versions, removed on the way" };
    stage.note_bands(|band| is_row(band) && is_gone(band), what);
    stage.note_bands(|band| is_row(band) && is_changed(band), "hint bits and the like, set on the way");
    stage.note_bands(|band| is_row(band) && is_new(band), "a new tuple");
    stage.note_bands(
        |band| {
            band.fate == Fate::Changed
                && matches!(band.role, Role::Block | Role::BlockAllVisible | Role::BlockAllFrozen)
        },
        "what the visibility map says of a page",
    );
}

/// Pages that are not there any more.
fn files_gone(stage: &mut Stage<'_>) {
    let gone = |panel: &Panel| panel.page.is_some_and(|id| stage.look.page(id).is_none());
    let Some(first) = stage.panels.iter().position(gone) else { return };
    if matches!(stage.plot, Plot::Prune | Plot::FreeLinePointers | Plot::FileLength) {
        stage.note_panel(first, "empty pages at the end of the file: cut off, and given back to the operating system");
    }
}
