//! What the marks of a figure say: one short sentence each, numbered in the order of reading. A cause that is not in
//! the bytes is not told as one.

mod btree;
mod heap;
mod other;
mod undo;
mod whole;

pub(super) use other::what_rollback_leaves;

use super::Plot;
use super::panel::{Band, Fate};
use super::stage::Stage;
use crate::scene::PartId;
use crate::timeline::{Cause, EventKind};
use alloc::string::String;
use ffviz_format::page::RegionKind;

/// notes of a figure without words of its own
const MOST: usize = 4;

/// What happens to the row of a sequence.
const SEQUENCE: &str =
    "nextval: the sequence's only row is overwritten where it stands; no rollback gives the value back";

/// What becomes of a tuple that is frozen.
const FROZEN: &str = "frozen: visible to everybody for ever, whatever becomes of transaction numbers";

/// Puts marks, notes and arrows on the stage.
pub(super) fn tell(stage: &mut Stage<'_>) {
    // what was taken back is of no other use
    if stage.is_whole && stage.plot != Plot::RolledBack {
        stage.is_taken_back = heap::taken_back(stage);
    }
    stage.tables = stage.subject();
    event(stage);
    if stage.is_whole {
        whole::besides(stage);
    }
    stage.tables.clear();
    other::damaged(stage);
    if stage.plot != Plot::Image {
        other::image_of_record(stage);
    }
}

/// What the figure is about.
fn event(stage: &mut Stage<'_>) {
    match stage.plot {
        _ if undo::is_of_undo(stage) && !stage.is_whole => undo::tell(stage),
        Plot::ManyUpdates => heap::many_updates(stage),
        Plot::ManyInserts if stage.is_whole => heap::many_inserts(stage),
        Plot::RolledBack => heap::rolled_back(stage),
        plot if stage.is_measured() && !shows_itself(plot) => from_story(stage),
        Plot::HotUpdate => heap::hot_update(stage),
        Plot::Update => heap::update(stage),
        Plot::Insert => heap::insert(stage),
        Plot::ManyInserts => heap::many_inserts(stage),
        Plot::Delete => heap::delete(stage),
        Plot::Lock => heap::lock(stage),
        Plot::Prune => heap::prune(stage),
        Plot::FreeLinePointers => heap::free_line_pointers(stage),
        Plot::Freeze => heap::freeze(stage),
        Plot::HintBits => heap::hint_bits(stage),
        Plot::Sequence => heap::sequence(stage),
        Plot::InPlace => heap::in_place(stage),
        Plot::Toast => heap::toast(stage),
        Plot::IndexInsert => btree::insert(stage),
        Plot::PostingSplit => btree::posting_split(stage),
        Plot::Downlink => btree::downlink(stage),
        Plot::Split => btree::split(stage),
        Plot::NewRoot => btree::new_root(stage),
        Plot::Deduplicate => btree::deduplicate(stage),
        Plot::KillMarks => btree::kill_marks(stage),
        Plot::IndexDelete => btree::delete(stage),
        Plot::IndexVacuum => btree::vacuum(stage),
        Plot::HalfDead => btree::half_dead(stage),
        Plot::PageDeleted => btree::page_deleted(stage),
        Plot::IndexBuild | Plot::FirstPage => btree::build(stage),
        Plot::Metapage => btree::metapage(stage),
        Plot::AllVisible => other::all_visible(stage),
        Plot::VisibilityCleared => other::visibility_cleared(stage),
        Plot::FreeSpaceMap => other::free_space_map(stage),
        Plot::Image => other::image(stage),
        Plot::Checkpoint => other::checkpoint(stage),
        Plot::Commit => other::commit(stage),
        Plot::Abort => other::abort(stage),
        Plot::Crash => other::crash(stage),
        Plot::Decision => other::decision(stage),
        // how the statement ended stands above, its plan below
        Plot::Quiet if matches!(stage.look.step.cause, Cause::Told { .. }) => {}
        Plot::Catalog => other::catalog(stage),
        Plot::FileLength | Plot::NewFile => other::file_length(stage),
        _ => from_story(stage),
    }
}

/// Do the bytes alone show the event? Of all else between two captures only the result is seen: who removed an entry,
/// and whether a page was split for it, is not, and the story says so.
const fn shows_itself(plot: Plot) -> bool {
    matches!(
        plot,
        Plot::HotUpdate
            | Plot::Update
            | Plot::Insert
            | Plot::Delete
            | Plot::Lock
            | Plot::Sequence
            | Plot::Freeze
            | Plot::Toast
            | Plot::Catalog
            | Plot::FileLength
            | Plot::NewFile
    )
}

/// Where a figure has no words of its own, the story's own sentences are the notes, each at the part that it is about.
fn from_story(stage: &mut Stage<'_>) {
    let told = stage.told;
    let aside = |kind| matches!(kind, EventKind::Record | EventKind::Provenance | EventKind::Plan | EventKind::Descent);
    for event in told.events.iter().filter(|event| !aside(event.kind)).take(MOST) {
        let part = event.item.map(|n| PartId::Region(RegionKind::Tuple(n)));
        let is_it = |band: &Band| Some(band.part) == part;
        if !stage.note_bands_of(Some(event.page), is_it, event.what.clone()) {
            stage.note(event.what.clone());
        }
    }
}

/// The story's sentences where no band could carry a mark.
fn from_story_where_nothing(stage: &mut Stage<'_>) {
    if !stage.has_notes() {
        from_story(stage);
    }
}

const fn is_new(band: &Band) -> bool {
    // what a record holds is a copy
    matches!(band.fate, Fate::New) && !matches!(band.part, PartId::WalType(_) | PartId::WalOthers)
}

const fn is_gone(band: &Band) -> bool {
    matches!(band.fate, Fate::Gone)
}

const fn is_changed(band: &Band) -> bool {
    matches!(band.fate, Fate::Changed)
}

/// `a row`, `3 rows`.
fn some(n: usize, one: &str, article: &str) -> String {
    if n == 1 { alloc::format!("{article} {one}") } else { crate::scene::words::count(n as u64, one) }
}
