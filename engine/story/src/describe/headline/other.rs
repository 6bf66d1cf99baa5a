//! Records of all other resource managers in a line.

use super::super::desc::{relation_path, restore_point};
use super::super::words::count;
use super::block_word;
use alloc::format;
use alloc::string::{String, ToString};
use ffviz_format::heap::HeapTupleHeaderData;
use ffviz_format::heap::sequence::SequenceData;
use ffviz_format::page::layout::Wire;
use ffviz_format::wal::rec::standby::{XlInvalidations, XlRunningXacts, XlStandbyLock, XlStandbyLocks};
use ffviz_format::wal::rec::xact::{Prepare, XactEnd, XlXactAssignment, XlXactInvals};
use ffviz_format::wal::rec::{Cut, other, xlog};
use ffviz_format::wal::record_type::{SmgrType, StandbyType, XactType, XlogType};
use ffviz_format::wal::{DecodedRecord, RelFileLocator};

pub(super) fn xlog(record: &DecodedRecord<'_>, of: XlogType) -> String {
    let data = record.main_data;
    match of {
        XlogType::CheckpointShutdown => {
            format!("checkpoint at shutdown, redo at {}", xlog::CheckPoint::new(data).redo().0)
        }
        XlogType::CheckpointOnline => format!("checkpoint, redo at {}", xlog::CheckPoint::new(data).redo().0),
        XlogType::Noop => "nothing: a record to fill WAL".to_string(),
        XlogType::NextOid => format!("OIDs up to {} set aside", xlog::XlNextOid::new(data).nextOid()),
        XlogType::Switch => "switch to the next segment".to_string(),
        XlogType::BackupEnd => format!("end of the base backup from {}", xlog::XlBackupEnd::new(data).startpoint().0),
        XlogType::ParameterChange => "settings changed that a standby follows".to_string(),
        XlogType::RestorePoint => format!("restore point {}", restore_point(data)),
        XlogType::FpwChange if xlog::XlFpwChange::new(data).fullPageWrites() => "full_page_writes on".to_string(),
        XlogType::FpwChange => "full_page_writes off".to_string(),
        XlogType::EndOfRecovery => {
            format!("end of recovery, timeline {}", xlog::XlEndOfRecovery::new(data).ThisTimeLineID())
        }
        XlogType::FpiForHint => images(record) + " for hint bits",
        XlogType::Fpi => images(record),
        XlogType::OverwriteContrecord => {
            format!("record at {} was never finished", xlog::XlOverwriteContrecord::new(data).overwritten_lsn().0)
        }
        XlogType::CheckpointRedo => "checkpoint begins, redo is here".to_string(),
    }
}

/// `image of block 3`, `images of 32 blocks from block 3 on`
fn images(record: &DecodedRecord<'_>) -> String {
    let first = block_word(record.blocks.first());
    match &record.blocks[..] {
        [one] if one.image.is_none() => format!("change of {first}"),
        [] | [_] => format!("image of {first}"),
        many => format!("images of {} from {first} on", count(many.len(), "block")),
    }
}

pub(super) fn transaction(record: &DecodedRecord<'_>, of: XactType) -> String {
    let data = record.main_data;
    match of {
        XactType::Commit => format!("COMMIT{}", ended(record, true)),
        XactType::Prepare => format!("PREPARE TRANSACTION '{}'", name(Prepare::new(data, record.version).gid.bytes)),
        XactType::Abort => format!("ROLLBACK{}", ended(record, false)),
        XactType::CommitPrepared => format!("COMMIT PREPARED{}", ended(record, true)),
        XactType::AbortPrepared => format!("ROLLBACK PREPARED{}", ended(record, false)),
        XactType::Assignment => {
            let assignment = XlXactAssignment::new(data);
            let subxacts = usize::try_from(assignment.nsubxacts()).unwrap_or(0);
            format!("{} of transaction {}", count(subxacts, "subtransaction"), assignment.xtop())
        }
        XactType::Invalidations => {
            let messages = usize::try_from(XlXactInvals::new(data).nmsgs()).unwrap_or(0);
            format!("{}, for other caches", count(messages, "invalidation"))
        }
    }
}

/// A name with a zero behind it.
fn name(bytes: &[u8]) -> String {
    let name = bytes.split(|byte| *byte == 0).next().unwrap_or(&[]);
    String::from_utf8_lossy(name).into_owned()
}

/// What a COMMIT or ROLLBACK says besides its time.
fn ended(record: &DecodedRecord<'_>, is_commit: bool) -> String {
    let end = XactEnd::new(record.main_data, record.info(), record.version, is_commit);
    let gid = if end.gid.is_empty() { String::new() } else { format!(" '{}'", name(end.gid.bytes)) };
    let subxacts = end.subxacts.items.bytes.len() / 4;
    let files = end.rels.items.bytes.len() / RelFileLocator::SIZE;
    let mut text = gid;
    if subxacts > 0 {
        text += &format!(", with {}", count(subxacts, "subtransaction"));
    }
    if files > 0 {
        text += &format!(", {} removed", count(files, "file"));
    }
    text
}

pub(super) fn standby(record: &DecodedRecord<'_>, of: StandbyType) -> String {
    let mut cut = Cut::new(record.main_data);
    match of {
        StandbyType::Lock => {
            let locks = XlStandbyLocks::new(cut.take(XlStandbyLocks::SIZE).bytes).nlocks();
            let first = XlStandbyLock::new(cut.take(XlStandbyLock::SIZE).bytes).relOid();
            let more = if locks > 1 { format!(" and {} more", locks - 1) } else { String::new() };
            format!("ACCESS EXCLUSIVE lock on relation {first}{more}")
        }
        StandbyType::RunningXacts => {
            let running = XlRunningXacts::new(record.main_data);
            let xacts = usize::try_from(running.xcnt()).unwrap_or(0);
            format!("{}, for standbys", count(xacts, "running transaction"))
        }
        StandbyType::Invalidations => {
            let messages = usize::try_from(XlInvalidations::new(record.main_data).nmsgs()).unwrap_or(0);
            format!("{}, for other caches", count(messages, "invalidation"))
        }
    }
}

pub(super) fn storage(record: &DecodedRecord<'_>, of: SmgrType) -> String {
    match of {
        SmgrType::Create => {
            let create = other::XlSmgrCreate::new(record.main_data);
            format!("new file {}", relation_path(create.rlocator(), create.forkNum(), record.version))
        }
        SmgrType::Truncate => {
            let truncate = other::XlSmgrTruncate::new(record.main_data);
            let blocks = count(truncate.blkno() as usize, "block");
            format!("file {} cut to {blocks}", relation_path(truncate.rlocator(), 0, record.version))
        }
    }
}

/// The only row stands behind the locator; its value is row data, which a headline has none of.
pub(super) fn sequence(record: &DecodedRecord<'_>) -> String {
    let tuple = record.main_data.get(other::XlSeqRec::SIZE..).unwrap_or(&[]);
    let hoff = usize::from(HeapTupleHeaderData::new(tuple).t_hoff());
    match tuple.get(hoff..).map(|row| SequenceData::new(row).is_called()) {
        Some(true) => "sequence: more values set aside".to_string(),
        Some(false) => "sequence at its start value".to_string(),
        None => String::new(),
    }
}
