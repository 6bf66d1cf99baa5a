//! `xlog_desc` (src/backend/access/rmgrdesc/xlogdesc.c).

use alloc::format;
use alloc::string::{String, ToString};
use ffviz_format::page::layout::Wire;
use ffviz_format::wal::DecodedRecord;
use ffviz_format::wal::rec::xlog::{
    XlBackupEnd, XlCheckpointRedo, XlEndOfRecovery, XlFpwChange, XlNextOid, XlOverwriteContrecord, XlParameterChange,
    XlRestorePoint,
};
use ffviz_format::wal::record_type::XlogType;

pub(super) fn describe(record: &DecodedRecord<'_>, of: XlogType) -> String {
    let data = record.main_data;
    match of {
        XlogType::CheckpointShutdown => checkpoint(record) + "shutdown",
        XlogType::CheckpointOnline => checkpoint(record) + "online",
        XlogType::NextOid => XlNextOid::new(data).nextOid().to_string(),
        XlogType::BackupEnd => XlBackupEnd::new(data).startpoint().show(),
        XlogType::ParameterChange => parameter_change(data),
        XlogType::RestorePoint => restore_point(data),
        XlogType::FpwChange => XlFpwChange::new(data).fullPageWrites().to_string(),
        XlogType::EndOfRecovery => end_of_recovery(record),
        XlogType::OverwriteContrecord => {
            let overwrite = XlOverwriteContrecord::new(data);
            format!("lsn {}; time {}", overwrite.overwritten_lsn().show(), overwrite.overwrite_time().show())
        }
        XlogType::CheckpointRedo => format!("wal_level {}", wal_level(XlCheckpointRedo::new(data).wal_level())),
        XlogType::Noop | XlogType::Switch | XlogType::FpiForHint | XlogType::Fpi => String::new(),
    }
}

fn checkpoint(record: &DecodedRecord<'_>) -> String {
    let point = super::checkpoint(record);
    let level = if record.version.tells_wal_level() {
        format!("wal_level {}; ", wal_level(point.wal_level()))
    } else {
        String::new()
    };
    format!(
        "redo {}; tli {}; prev tli {}; fpw {}; {level}xid {}; oid {}; multi {}; offset {}; oldest xid {} in DB {}; \
         oldest multi {} in DB {}; oldest/newest commit timestamp xid: {}/{}; oldest running xid {}; ",
        point.redo().show(),
        point.ThisTimeLineID(),
        point.PrevTimeLineID(),
        point.fullPageWrites(),
        point.nextXid().show(),
        point.nextOid(),
        point.nextMulti(),
        point.nextMultiOffset(),
        point.oldestXid(),
        point.oldestXidDB(),
        point.oldestMulti(),
        point.oldestMultiDB(),
        point.oldestCommitTsXid(),
        point.newestCommitTsXid(),
        point.oldestActiveXid(),
    )
}

fn parameter_change(data: &[u8]) -> String {
    let change = XlParameterChange::new(data);
    let on = |is: bool| if is { "on" } else { "off" };
    format!(
        "max_connections={} max_worker_processes={} max_wal_senders={} max_prepared_xacts={} max_locks_per_xact={} \
         wal_level={} wal_log_hints={} track_commit_timestamp={}",
        change.MaxConnections(),
        change.max_worker_processes(),
        change.max_wal_senders(),
        change.max_prepared_xacts(),
        change.max_locks_per_xact(),
        wal_level(change.wal_level()),
        on(change.wal_log_hints()),
        on(change.track_commit_timestamp()),
    )
}

/// Name of a restore point.
pub(in super::super) fn restore_point(data: &[u8]) -> String {
    let name = XlRestorePoint::new(data).rp_name();
    let name = name.split(|byte| *byte == 0).next().unwrap_or(&[]);
    String::from_utf8_lossy(name).into_owned()
}

fn end_of_recovery(record: &DecodedRecord<'_>) -> String {
    let end = XlEndOfRecovery::new(record.main_data);
    let level = if record.version.tells_wal_level() {
        format!("; wal_level {}", wal_level(end.wal_level()))
    } else {
        String::new()
    };
    let (tli, prev, time) = (end.ThisTimeLineID(), end.PrevTimeLineID(), end.end_time().show());
    format!("tli {tli}; prev tli {prev}; time {time}{level}")
}

/// `wal_level` as the setting takes it.
pub(crate) const fn wal_level(level: i32) -> &'static str {
    match level {
        0 => "minimal",
        1 => "replica",
        2 => "logical",
        _ => "?",
    }
}
