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
use ffviz_format::wal::{DecodedRecord, RelFileLocator};

pub(super) fn xlog(record: &DecodedRecord<'_>) -> String {
    let data = record.main_data;
    match record.info() & 0xF0 {
        0x00 => format!("checkpoint at shutdown, redo at {}", xlog::CheckPoint::new(data).redo().0),
        0x10 => format!("checkpoint, redo at {}", xlog::CheckPoint::new(data).redo().0),
        0x20 => "nothing: a record to fill WAL".to_string(),
        0x30 => format!("OIDs up to {} set aside", xlog::XlNextOid::new(data).nextOid()),
        0x40 => "switch to the next segment".to_string(),
        0x50 => format!("end of the base backup from {}", xlog::XlBackupEnd::new(data).startpoint().0),
        0x60 => "settings changed that a standby follows".to_string(),
        0x70 => format!("restore point {}", restore_point(data)),
        0x80 if xlog::XlFpwChange::new(data).fullPageWrites() => "full_page_writes on".to_string(),
        0x80 => "full_page_writes off".to_string(),
        0x90 => format!("end of recovery, timeline {}", xlog::XlEndOfRecovery::new(data).ThisTimeLineID()),
        0xA0 => images(record) + " for hint bits",
        0xB0 => images(record),
        0xD0 => format!("record at {} was never finished", xlog::XlOverwriteContrecord::new(data).overwritten_lsn().0),
        0xE0 => "checkpoint begins, redo is here".to_string(),
        _ => String::new(),
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

pub(super) fn transaction(record: &DecodedRecord<'_>) -> String {
    let data = record.main_data;
    match record.info() & 0x70 {
        0x00 => format!("COMMIT{}", ended(record, true)),
        0x10 => format!("PREPARE TRANSACTION '{}'", name(Prepare::new(data, record.major).gid.bytes)),
        0x20 => format!("ROLLBACK{}", ended(record, false)),
        0x30 => format!("COMMIT PREPARED{}", ended(record, true)),
        0x40 => format!("ROLLBACK PREPARED{}", ended(record, false)),
        0x50 => {
            let assignment = XlXactAssignment::new(data);
            let subxacts = usize::try_from(assignment.nsubxacts()).unwrap_or(0);
            format!("{} of transaction {}", count(subxacts, "subtransaction"), assignment.xtop())
        }
        0x60 => {
            let messages = usize::try_from(XlXactInvals::new(data).nmsgs()).unwrap_or(0);
            format!("{}, for other caches", count(messages, "invalidation"))
        }
        _ => String::new(),
    }
}

/// A name with a zero behind it.
fn name(bytes: &[u8]) -> String {
    let name = bytes.split(|byte| *byte == 0).next().unwrap_or(&[]);
    String::from_utf8_lossy(name).into_owned()
}

/// What a COMMIT or ROLLBACK says besides its time.
fn ended(record: &DecodedRecord<'_>, is_commit: bool) -> String {
    let end = XactEnd::new(record.main_data, record.info(), record.major, is_commit);
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

pub(super) fn standby(record: &DecodedRecord<'_>) -> String {
    let mut cut = Cut::new(record.main_data);
    match record.info() & 0xF0 {
        0x00 => {
            let locks = XlStandbyLocks::new(cut.take(XlStandbyLocks::SIZE).bytes).nlocks();
            let first = XlStandbyLock::new(cut.take(XlStandbyLock::SIZE).bytes).relOid();
            let more = if locks > 1 { format!(" and {} more", locks - 1) } else { String::new() };
            format!("ACCESS EXCLUSIVE lock on relation {first}{more}")
        }
        0x10 => {
            let running = XlRunningXacts::new(record.main_data);
            let xacts = usize::try_from(running.xcnt()).unwrap_or(0);
            format!("{}, for standbys", count(xacts, "running transaction"))
        }
        0x20 => {
            let messages = usize::try_from(XlInvalidations::new(record.main_data).nmsgs()).unwrap_or(0);
            format!("{}, for other caches", count(messages, "invalidation"))
        }
        _ => String::new(),
    }
}

pub(super) fn storage(record: &DecodedRecord<'_>) -> String {
    match record.info() & 0xF0 {
        0x10 => {
            let create = other::XlSmgrCreate::new(record.main_data);
            format!("new file {}", relation_path(create.rlocator(), create.forkNum(), record.major))
        }
        0x20 => {
            let truncate = other::XlSmgrTruncate::new(record.main_data);
            let blocks = count(truncate.blkno() as usize, "block");
            format!("file {} cut to {blocks}", relation_path(truncate.rlocator(), 0, record.major))
        }
        _ => String::new(),
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
