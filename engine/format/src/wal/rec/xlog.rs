//! XLOG records (src/include/catalog/pg_control.h, src/include/access/xlog_internal.h).

use super::{FullTransactionId, TimestampTz, XLogRecPtr};
use crate::page::layout::c_struct;

c_struct! {
    /// `CheckPoint`: `CHECKPOINT_ONLINE`, `CHECKPOINT_SHUTDOWN`.
    pub struct CheckPoint, 88 {
        /// where recovery starts: the position when the checkpoint began
        0 => redo: XLogRecPtr,
        /// timeline
        8 => ThisTimeLineID: u32,
        /// timeline before, if this record begins one
        12 => PrevTimeLineID: u32,
        /// `full_page_writes`
        16 => fullPageWrites: bool,
        /// alignment
        17 => padding1: [u8; 3],
        /// `wal_level`: 0 minimal, 1 replica, 2 logical; from 17 on, alignment before
        20 => wal_level: i32,
        /// next transaction id
        24 => nextXid: FullTransactionId,
        /// next OID
        32 => nextOid: u32,
        /// next multixact
        36 => nextMulti: u32,
        /// where its members come
        40 => nextMultiOffset: u32,
        /// oldest `datfrozenxid` of the cluster
        44 => oldestXid: u32,
        /// database that has it
        48 => oldestXidDB: u32,
        /// oldest `datminmxid` of the cluster
        52 => oldestMulti: u32,
        /// database that has it
        56 => oldestMultiDB: u32,
        /// alignment
        60 => padding2: [u8; 4],
        /// when the checkpoint began
        64 => time: i64,
        /// oldest transaction with a commit timestamp
        72 => oldestCommitTsXid: u32,
        /// newest transaction with a commit timestamp
        76 => newestCommitTsXid: u32,
        /// oldest transaction that was running, 0 where that was not asked
        80 => oldestActiveXid: u32,
        /// alignment
        84 => padding3: [u8; 4],
    }
}

c_struct! {
    /// `xl_parameter_change`: `PARAMETER_CHANGE`.
    pub struct XlParameterChange, 28 {
        /// `max_connections`
        0 => MaxConnections: i32,
        /// `max_worker_processes`
        4 => max_worker_processes: i32,
        /// `max_wal_senders`
        8 => max_wal_senders: i32,
        /// `max_prepared_transactions`
        12 => max_prepared_xacts: i32,
        /// `max_locks_per_transaction`
        16 => max_locks_per_xact: i32,
        /// `wal_level`: 0 minimal, 1 replica, 2 logical
        20 => wal_level: i32,
        /// `wal_log_hints`
        24 => wal_log_hints: bool,
        /// `track_commit_timestamp`
        25 => track_commit_timestamp: bool,
        /// alignment
        26 => padding: [u8; 2],
    }
}

c_struct! {
    /// `xl_restore_point`: `RESTORE_POINT`.
    pub struct XlRestorePoint, 72 {
        /// when it was made
        0 => rp_time: TimestampTz,
        /// its name, with zeros behind it
        8 => rp_name: [u8; 64],
    }
}

c_struct! {
    /// `xl_end_of_recovery` of 17 and later: `END_OF_RECOVERY`.
    pub struct XlEndOfRecovery, 24 {
        /// when recovery ended
        0 => end_time: TimestampTz,
        /// the new timeline
        8 => ThisTimeLineID: u32,
        /// the timeline it came from
        12 => PrevTimeLineID: u32,
        /// `wal_level`: 0 minimal, 1 replica, 2 logical
        16 => wal_level: i32,
        /// alignment
        20 => padding: [u8; 4],
    }
}

c_struct! {
    /// `xl_end_of_recovery` before 17.
    pub struct XlEndOfRecovery13, 16 {
        /// when recovery ended
        0 => end_time: TimestampTz,
        /// the new timeline
        8 => ThisTimeLineID: u32,
        /// the timeline it came from
        12 => PrevTimeLineID: u32,
    }
}

c_struct! {
    /// `xl_overwrite_contrecord`: `OVERWRITE_CONTRECORD`.
    pub struct XlOverwriteContrecord, 16 {
        /// where the record began whose rest never came
        0 => overwritten_lsn: XLogRecPtr,
        /// when that was found
        8 => overwrite_time: TimestampTz,
    }
}

c_struct! {
    /// NEXTOID.
    pub struct XlNextOid, 4 {
        /// OIDs below this one may be given out
        0 => nextOid: u32,
    }
}

c_struct! {
    /// `FPW_CHANGE`.
    pub struct XlFpwChange, 1 {
        /// `full_page_writes` from here on
        0 => fullPageWrites: bool,
    }
}

c_struct! {
    /// `BACKUP_END`.
    pub struct XlBackupEnd, 8 {
        /// where the backup began
        0 => startpoint: XLogRecPtr,
    }
}

c_struct! {
    /// `CHECKPOINT_REDO`, from 17 on.
    pub struct XlCheckpointRedo, 4 {
        /// `wal_level`: 0 minimal, 1 replica, 2 logical
        0 => wal_level: i32,
    }
}
