//! Main data, by resource manager.

use super::super::desc::{restore_point, wal_level};
use super::super::flags;
use super::fields::Fields;
use super::xact::{self, messages};
use super::{RecordField, btree, heap, main_fields, undo};
use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;
use ffviz_format::heap::HeapTupleHeaderData;
use ffviz_format::heap::sequence::SequenceData;
use ffviz_format::page::layout;
use ffviz_format::wal::rec::standby::{XlInvalidations, XlRunningXacts, XlStandbyLock, XlStandbyLocks};
use ffviz_format::wal::rec::{Cut, other, xlog};
use ffviz_format::wal::record_type::{SeqType, SmgrType, StandbyType, XlogType};
use ffviz_format::wal::{DecodedRecord, RecordType};

pub(super) fn explain(record: &DecodedRecord<'_>) -> Vec<RecordField> {
    let mut fields = main_fields(record);
    match record.record_type() {
        RecordType::Heap(of) => heap::heap_main(record, of, &mut fields),
        RecordType::Heap2(of) => heap::heap2_main(record, of, &mut fields),
        RecordType::Btree(of) => btree::main(record, of, &mut fields),
        RecordType::Xlog(of) => xlog_fields(record, of, &mut fields),
        RecordType::Xact(of) => xact::main(record, of, &mut fields),
        RecordType::Standby(of) => standby(record, of, &mut fields),
        RecordType::Smgr(of) => storage(record, of, &mut fields),
        RecordType::Seq(SeqType::Log) => sequence(record, &mut fields),
        RecordType::Undo(of) => undo::main(record, of, &mut fields),
        RecordType::MultiXact(_) | RecordType::Other(_) => {}
    }
    fields.done()
}

fn xlog_fields(record: &DecodedRecord<'_>, of: XlogType, fields: &mut Fields<'_>) {
    let data = record.main_data;
    let (size, members): (usize, layout::Fields) = match of {
        XlogType::CheckpointShutdown | XlogType::CheckpointOnline => {
            (xlog::CheckPoint::SIZE, xlog::CheckPoint::new(data).fields(0))
        }
        XlogType::NextOid => (xlog::XlNextOid::SIZE, xlog::XlNextOid::new(data).fields(0)),
        XlogType::BackupEnd => (xlog::XlBackupEnd::SIZE, xlog::XlBackupEnd::new(data).fields(0)),
        XlogType::ParameterChange => (xlog::XlParameterChange::SIZE, xlog::XlParameterChange::new(data).fields(0)),
        XlogType::RestorePoint => (xlog::XlRestorePoint::SIZE, xlog::XlRestorePoint::new(data).fields(0)),
        XlogType::FpwChange => (xlog::XlFpwChange::SIZE, xlog::XlFpwChange::new(data).fields(0)),
        XlogType::EndOfRecovery if record.version.tells_wal_level() => {
            (xlog::XlEndOfRecovery::SIZE, xlog::XlEndOfRecovery::new(data).fields(0))
        }
        XlogType::EndOfRecovery => (xlog::XlEndOfRecovery13::SIZE, xlog::XlEndOfRecovery13::new(data).fields(0)),
        XlogType::OverwriteContrecord => {
            (xlog::XlOverwriteContrecord::SIZE, xlog::XlOverwriteContrecord::new(data).fields(0))
        }
        XlogType::CheckpointRedo => (xlog::XlCheckpointRedo::SIZE, xlog::XlCheckpointRedo::new(data).fields(0)),
        XlogType::Noop | XlogType::Switch | XlogType::FpiForHint | XlogType::Fpi => return,
    };
    fields.structure(0, size, members);
    match of {
        XlogType::CheckpointShutdown | XlogType::CheckpointOnline => {
            let point = xlog::CheckPoint::new(data);
            if record.version.tells_wal_level() {
                fields.mean("wal_level", |_| wal_level(point.wal_level()).to_string());
            } else {
                fields.mean("wal_level", |_| "alignment: wal_level is here from 17 on".to_string());
            }
            fields.mean("time", |_| format!("when the checkpoint began: {}", unix_time(point.time())));
        }
        XlogType::ParameterChange => {
            fields.mean("wal_level", |_| wal_level(xlog::XlParameterChange::new(data).wal_level()).to_string());
        }
        XlogType::RestorePoint => {
            fields.show("rp_name", restore_point(data));
            fields.hide("rp_name");
        }
        XlogType::EndOfRecovery => {
            fields.mean("wal_level", |_| wal_level(xlog::XlEndOfRecovery::new(data).wal_level()).to_string())
        }
        XlogType::CheckpointRedo => {
            fields.mean("wal_level", |_| wal_level(xlog::XlCheckpointRedo::new(data).wal_level()).to_string())
        }
        _ => {}
    }
}

/// A `time_t` in words: seconds since 1970.
fn unix_time(seconds: i64) -> alloc::string::String {
    let micros = seconds.saturating_sub(ffviz_format::datum::EPOCH_SHIFT).saturating_mul(1_000_000);
    layout::Wire::show(&ffviz_format::wal::rec::TimestampTz(micros))
}

fn standby(record: &DecodedRecord<'_>, of: StandbyType, fields: &mut Fields<'_>) {
    let data = record.main_data;
    let mut cut = Cut::new(data);
    match of {
        StandbyType::Lock => {
            let header = cut.take(XlStandbyLocks::SIZE);
            fields.structure(0, header.bytes.len(), XlStandbyLocks::new(data).fields(0));
            for lock in cut.rest().elements(XlStandbyLock::SIZE) {
                fields.structure(lock.at.start, lock.bytes.len(), XlStandbyLock::new(lock.bytes).fields(0));
            }
        }
        StandbyType::RunningXacts => {
            let header = cut.take(XlRunningXacts::SIZE);
            let running = XlRunningXacts::new(header.bytes);
            fields.structure(0, header.bytes.len(), running.fields(0));
            let xacts = cut.array(usize::try_from(running.xcnt()).unwrap_or(0), 4);
            fields.numbers::<u32>(&xacts, "xids", "the running transactions");
            fields.numbers::<u32>(&cut.rest(), "subxids", "their subtransactions");
        }
        StandbyType::Invalidations => {
            let header = cut.take(XlInvalidations::SIZE);
            fields.structure(0, header.bytes.len(), XlInvalidations::new(data).fields(0));
            messages(&cut.rest(), fields);
        }
    }
}

fn storage(record: &DecodedRecord<'_>, of: SmgrType, fields: &mut Fields<'_>) {
    let data = record.main_data;
    match of {
        SmgrType::Create => fields.structure(0, other::XlSmgrCreate::SIZE, other::XlSmgrCreate::new(data).fields(0)),
        SmgrType::Truncate => {
            let truncate = other::XlSmgrTruncate::new(data);
            fields.structure(0, other::XlSmgrTruncate::SIZE, truncate.fields(0));
            fields.spell("flags", truncate.flags().unsigned_abs(), flags::SMGR_TRUNCATE);
        }
    }
}

/// The locator, and the sequence's only tuple with its whole header.
fn sequence(record: &DecodedRecord<'_>, fields: &mut Fields<'_>) {
    let mut cut = Cut::new(record.main_data);
    let locator = cut.take(other::XlSeqRec::SIZE);
    fields.structure(0, locator.bytes.len(), other::XlSeqRec::new(locator.bytes).fields(0));
    let header = cut.take(HeapTupleHeaderData::SIZE);
    let tuple = HeapTupleHeaderData::new(header.bytes);
    fields.structure(header.at.start, header.bytes.len(), tuple.fields(0));
    cut.take(usize::from(tuple.t_hoff()).saturating_sub(HeapTupleHeaderData::SIZE));
    let row = cut.take(SequenceData::SIZE);
    fields.structure(row.at.start, row.bytes.len(), SequenceData::new(row.bytes).fields(0));
    fields.hide("last_value");
}
