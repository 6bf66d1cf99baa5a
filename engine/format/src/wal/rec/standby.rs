//! Standby records and invalidation messages (src/include/storage/standbydefs.h, src/include/storage/sinval.h).

use crate::page::layout::c_struct;

/// `sizeof(SharedInvalidationMessage)`
pub const MESSAGE_SIZE: usize = SharedInvalidationMessage::SIZE;

c_struct! {
    /// `xl_standby_locks`: LOCK; the locks follow.
    pub struct XlStandbyLocks, 4 {
        /// how many locks
        0 => nlocks: i32,
    }
}

c_struct! {
    /// `xl_standby_lock`: a relation locked in `AccessExclusiveLock` mode.
    pub struct XlStandbyLock, 12 {
        /// transaction that holds it
        0 => xid: u32,
        /// database
        4 => dbOid: u32,
        /// relation
        8 => relOid: u32,
    }
}

c_struct! {
    /// `xl_running_xacts`: `RUNNING_XACTS`; the transactions follow.
    pub struct XlRunningXacts, 24 {
        /// how many transactions
        0 => xcnt: i32,
        /// how many subtransactions
        4 => subxcnt: i32,
        /// are subtransactions missing?
        8 => subxid_overflow: bool,
        /// alignment
        9 => padding: [u8; 3],
        /// next transaction id
        12 => nextXid: u32,
        /// oldest that is running
        16 => oldestRunningXid: u32,
        /// newest that has ended
        20 => latestCompletedXid: u32,
    }
}

c_struct! {
    /// `xl_invalidations`: INVALIDATIONS of a transaction without xid; the messages follow.
    pub struct XlInvalidations, 16 {
        /// database
        0 => dbId: u32,
        /// its tablespace
        4 => tsId: u32,
        /// does the relation cache's file have to be made anew?
        8 => relcacheInitFileInval: bool,
        /// alignment
        9 => padding: [u8; 3],
        /// how many messages
        12 => nmsgs: i32,
    }
}

c_struct! {
    /// `SharedInvalidationMessage`, a union: `id` says of what sort it is.
    pub struct SharedInvalidationMessage, 16 {
        /// 0 and more: a catalog cache; -1: a catalog, -2: a relation, -3: a file, -4: the relation map, -5: a
        /// snapshot, -6: a publication's relation
        0 => id: u8,
        /// of a file: the backend
        1 => backend: [u8; 3],
        /// database, 0 for a shared object; of a file: tablespace
        4 => dbId: u32,
        /// hash value, catalog or relation; of a file: database
        8 => what: u32,
        /// of a file: its number
        12 => rest: u32,
    }
}
