//! Notes about pages of the undo engine: the row stays, its old values go to an undo page.

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
    let is_item = |band: &Band| band.role == Role::TransactionItem && (is_new(band) || is_changed(band));
    let is_record = |band: &Band| band.role == Role::UndoRecord && is_new(band);
    let has_record = stage.place(is_record).is_some();
    stage.note_bands(
        |band| is_row(band) && is_changed(band),
        if has_record {
            "the row is overwritten where it stands: no new version, and no new entry in any index"
        } else {
            "the row is as it was: its undo record was put back"
        },
    );
    stage.note_bands(|band| is_row(band) && is_new(band), "the new row names its transaction by an item of the page");
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
