//! Notes about pages of the undo engine: the row stays, its old values go to an undo page.

use super::super::Plot;
use super::super::panel::Band;
use super::super::stage::Stage;
use super::{from_story, is_changed, is_new};
use crate::scene::Role;
use crate::timeline::Cause;
use ffviz_format::wal::Rmgr;

/// Is the step a record of the undo engine?
pub(super) fn is_of_undo(stage: &Stage<'_>) -> bool {
    matches!(&stage.look.step.cause, Cause::Record(record) if Rmgr(record.header().xl_rmid()) == Rmgr::UNDO)
}

pub(super) fn tell(stage: &mut Stage<'_>) {
    let is_row = |band: &Band| matches!(band.role, Role::TupleLive | Role::TupleDeleted);
    // not the slots of the segment, and not whose an undo page is
    let is_item = |band: &Band| {
        band.role == Role::TransactionItem && band.label.starts_with("item") && (is_new(band) || is_changed(band))
    };
    let is_record = |band: &Band| band.role == Role::UndoRecord && is_new(band);
    stage.note_bands(
        |band| is_row(band) && is_changed(band),
        match stage.plot {
            Plot::RolledBack => "the row is as it was: its undo record was put back",
            Plot::Delete => "the row is deleted by a flag: it keeps its place, and its index entries stay",
            _ => "the row is overwritten where it stands: no new version, and no new entry in any index",
        },
    );
    stage.note_bands(|band| is_row(band) && is_new(band), "the new row names its transaction by an item of the page");
    if stage.plot == Plot::RolledBack {
        stage.note_bands(is_item, "the item leads to the transaction's record before this one, or is free again");
        return;
    }
    stage.note_bands(is_record, "what it was before goes to an undo page of the transaction, in the same WAL record");
    stage
        .note_bands(is_item, "the transaction item leads from the row to its undo records: older snapshots read there");
    let (row, item) = (stage.place(|band| is_row(band) && (is_new(band) || is_changed(band))), stage.place(is_item));
    stage.arrow(row, item, false, "");
    stage.arrow(item, stage.place(is_record), true, "old values");
    if !stage.has_notes() {
        from_story(stage);
    }
}
