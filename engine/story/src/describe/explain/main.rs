//! Main data, by resource manager.

use super::super::desc::{has_wal_level, restore_point, wal_level};
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
use ffviz_format::wal::{DecodedRecord, Rmgr};

pub(super) fn explain(record: &DecodedRecord<'_>) -> Vec<RecordField> {
    let mut fields = main_fields(record);
    match record.rmgr() {
        Rmgr::HEAP => heap::heap_main(record, &mut fields),
        Rmgr::HEAP2 => heap::heap2_main(record, &mut fields),
        Rmgr::BTREE => btree::main(record, &mut fields),
        Rmgr::XLOG => xlog_fields(record, &mut fields),
        Rmgr::TRANSACTION => xact::main(record, &mut fields),
        Rmgr::STANDBY => standby(record, &mut fields),
        Rmgr::STORAGE => storage(record, &mut fields),
        Rmgr::SEQUENCE => sequence(record, &mut fields),
        Rmgr::UNDO => undo::main(record, &mut fields),
        _ => {}
    }
    fields.done()
}

fn xlog_fields(record: &DecodedRecord<'_>, fields: &mut Fields<'_>) {
    let data = record.main_data;
    let (size, of): (usize, layout::Fields) = match record.info() & 0xF0 {
        0x00 | 0x10 => (xlog::CheckPoint::SIZE, xlog::CheckPoint::new(data).fields(0)),
        0x30 => (xlog::XlNextOid::SIZE, xlog::XlNextOid::new(data).fields(0)),
        0x50 => (xlog::XlBackupEnd::SIZE, xlog::XlBackupEnd::new(data).fields(0)),
        0x60 => (xlog::XlParameterChange::SIZE, xlog::XlParameterChange::new(data).fields(0)),
        0x70 => (xlog::XlRestorePoint::SIZE, xlog::XlRestorePoint::new(data).fields(0)),
        0x80 => (xlog::XlFpwChange::SIZE, xlog::XlFpwChange::new(data).fields(0)),
        0x90 if record.major >= 17 => (xlog::XlEndOfRecovery::SIZE, xlog::XlEndOfRecovery::new(data).fields(0)),
        0x90 => (xlog::XlEndOfRecovery13::SIZE, xlog::XlEndOfRecovery13::new(data).fields(0)),
        0xD0 => (xlog::XlOverwriteContrecord::SIZE, xlog::XlOverwriteContrecord::new(data).fields(0)),
        0xE0 => (xlog::XlCheckpointRedo::SIZE, xlog::XlCheckpointRedo::new(data).fields(0)),
        _ => return,
    };
    fields.structure(0, size, of);
    match record.info() & 0xF0 {
        0x00 | 0x10 => {
            let point = xlog::CheckPoint::new(data);
            if has_wal_level(record.major) {
                fields.mean("wal_level", |_| wal_level(point.wal_level()).to_string());
            } else {
                fields.mean("wal_level", |_| "alignment: wal_level is here from 17 on".to_string());
            }
            fields.mean("time", |_| format!("when the checkpoint began: {}", unix_time(point.time())));
        }
        0x60 => {
            fields.mean("wal_level", |_| wal_level(xlog::XlParameterChange::new(data).wal_level()).to_string());
        }
        0x70 => {
            fields.show("rp_name", restore_point(data));
            fields.hide("rp_name");
        }
        0x90 => fields.mean("wal_level", |_| wal_level(xlog::XlEndOfRecovery::new(data).wal_level()).to_string()),
        0xE0 => fields.mean("wal_level", |_| wal_level(xlog::XlCheckpointRedo::new(data).wal_level()).to_string()),
        _ => {}
    }
}

/// A `time_t` in words: seconds since 1970.
fn unix_time(seconds: i64) -> alloc::string::String {
    const SECONDS_TO_2000: i64 = 946_684_800;
    let micros = seconds.saturating_sub(SECONDS_TO_2000).saturating_mul(1_000_000);
    layout::Wire::show(&ffviz_format::wal::rec::TimestampTz(micros))
}

fn standby(record: &DecodedRecord<'_>, fields: &mut Fields<'_>) {
    let data = record.main_data;
    let mut cut = Cut::new(data);
    match record.info() & 0xF0 {
        0x00 => {
            let header = cut.take(XlStandbyLocks::SIZE);
            fields.structure(0, header.bytes.len(), XlStandbyLocks::new(data).fields(0));
            for lock in cut.rest().elements(XlStandbyLock::SIZE) {
                fields.structure(lock.at.start, lock.bytes.len(), XlStandbyLock::new(lock.bytes).fields(0));
            }
        }
        0x10 => {
            let header = cut.take(XlRunningXacts::SIZE);
            let running = XlRunningXacts::new(header.bytes);
            fields.structure(0, header.bytes.len(), running.fields(0));
            let xacts = cut.array(usize::try_from(running.xcnt()).unwrap_or(0), 4);
            fields.numbers::<u32>(&xacts, "xids", "the running transactions");
            fields.numbers::<u32>(&cut.rest(), "subxids", "their subtransactions");
        }
        0x20 => {
            let header = cut.take(XlInvalidations::SIZE);
            fields.structure(0, header.bytes.len(), XlInvalidations::new(data).fields(0));
            messages(&cut.rest(), fields);
        }
        _ => {}
    }
}

fn storage(record: &DecodedRecord<'_>, fields: &mut Fields<'_>) {
    let data = record.main_data;
    match record.info() & 0xF0 {
        0x10 => fields.structure(0, other::XlSmgrCreate::SIZE, other::XlSmgrCreate::new(data).fields(0)),
        0x20 => {
            let truncate = other::XlSmgrTruncate::new(data);
            fields.structure(0, other::XlSmgrTruncate::SIZE, truncate.fields(0));
            fields.spell("flags", truncate.flags().unsigned_abs(), flags::SMGR_TRUNCATE);
        }
        _ => {}
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
