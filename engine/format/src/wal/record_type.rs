//! Which type a record is of: what the high half of `xl_info` says, by resource manager and version
//! (`XLOG_HEAP_INSERT` and its likes, src/include/access/heapam_xlog.h; names as src/backend/access/rmgrdesc has them).
//!
//! Everybody who asks what a record is asks [`RecordType::decode`], and whoever makes one takes its number from here.
//! The resource managers whose records are only named stand in `rmgr`.

use super::Rmgr;
use crate::page::PgVersion;

/// The type of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RecordType {
    /// of `RM_XLOG_ID`
    Xlog(XlogType),
    /// of `RM_XACT_ID`
    Xact(XactType),
    /// of `RM_SMGR_ID`
    Smgr(SmgrType),
    /// of `RM_MULTIXACT_ID`
    MultiXact(MultiXactType),
    /// of `RM_STANDBY_ID`
    Standby(StandbyType),
    /// of `RM_HEAP2_ID`
    Heap2(Heap2Type),
    /// of `RM_HEAP_ID`
    Heap(HeapType),
    /// of `RM_BTREE_ID`
    Btree(BtreeType),
    /// of `RM_SEQ_ID`
    Seq(SeqType),
    /// of the undo engine
    Undo(UndoType),
    /// of a resource manager whose records are only named, or a number that none of its types has
    Other(Rmgr),
}

/// `XLR_RMGR_INFO_MASK`: what of `xl_info` is the resource manager's.
pub const XLR_RMGR_INFO_MASK: u8 = 0xF0;
/// `XLOG_HEAP_OPMASK`, `XLOG_XACT_OPMASK`: where the highest bit says something else.
const OPMASK: u8 = 0x70;

/// Declares the types of a resource manager: number in `xl_info`, name.
macro_rules! types {
    ($(#[$about:meta])* $name:ident { $($variant:ident = $info:literal $text:literal,)* }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum $name {
            $(#[doc = concat!("`", $text, "`")] $variant = $info,)*
        }

        impl $name {
            #[inline]
            const fn decode(info: u8) -> Option<Self> {
                match info {
                    $($info => Some(Self::$variant),)*
                    _ => None,
                }
            }

            /// Its number in `xl_info`.
            #[must_use]
            #[inline]
            pub const fn info(self) -> u8 {
                self as u8
            }

            /// Its name, as `pg_waldump` prints it.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)*
                }
            }
        }
    };
}

types! {
    /// `XLOG_…` (src/include/catalog/pg_control.h)
    XlogType {
        CheckpointShutdown = 0x00 "CHECKPOINT_SHUTDOWN",
        CheckpointOnline = 0x10 "CHECKPOINT_ONLINE",
        Noop = 0x20 "NOOP",
        NextOid = 0x30 "NEXTOID",
        Switch = 0x40 "SWITCH",
        BackupEnd = 0x50 "BACKUP_END",
        ParameterChange = 0x60 "PARAMETER_CHANGE",
        RestorePoint = 0x70 "RESTORE_POINT",
        FpwChange = 0x80 "FPW_CHANGE",
        EndOfRecovery = 0x90 "END_OF_RECOVERY",
        FpiForHint = 0xA0 "FPI_FOR_HINT",
        Fpi = 0xB0 "FPI",
        OverwriteContrecord = 0xD0 "OVERWRITE_CONTRECORD",
        CheckpointRedo = 0xE0 "CHECKPOINT_REDO",
    }
}

types! {
    /// `XLOG_XACT_…` (src/include/access/xact.h)
    XactType {
        Commit = 0x00 "COMMIT",
        Prepare = 0x10 "PREPARE",
        Abort = 0x20 "ABORT",
        CommitPrepared = 0x30 "COMMIT_PREPARED",
        AbortPrepared = 0x40 "ABORT_PREPARED",
        Assignment = 0x50 "ASSIGNMENT",
        Invalidations = 0x60 "INVALIDATION",
    }
}

types! {
    /// `XLOG_SMGR_…` (src/include/catalog/storage_xlog.h)
    SmgrType {
        Create = 0x10 "CREATE",
        Truncate = 0x20 "TRUNCATE",
    }
}

types! {
    /// `XLOG_MULTIXACT_…` (src/include/access/multixact.h)
    MultiXactType {
        ZeroOffPage = 0x00 "ZERO_OFF_PAGE",
        ZeroMemPage = 0x10 "ZERO_MEM_PAGE",
        CreateId = 0x20 "CREATE_ID",
        TruncateId = 0x30 "TRUNCATE_ID",
    }
}

types! {
    /// `XLOG_STANDBY_LOCK`, `XLOG_RUNNING_XACTS`, `XLOG_INVALIDATIONS` (src/include/storage/standbydefs.h)
    StandbyType {
        Lock = 0x00 "LOCK",
        RunningXacts = 0x10 "RUNNING_XACTS",
        Invalidations = 0x20 "INVALIDATIONS",
    }
}

types! {
    /// `XLOG_HEAP_…` of `RM_HEAP_ID` (src/include/access/heapam_xlog.h)
    HeapType {
        Insert = 0x00 "INSERT",
        Delete = 0x10 "DELETE",
        Update = 0x20 "UPDATE",
        Truncate = 0x30 "TRUNCATE",
        HotUpdate = 0x40 "HOT_UPDATE",
        Confirm = 0x50 "HEAP_CONFIRM",
        Lock = 0x60 "LOCK",
        Inplace = 0x70 "INPLACE",
    }
}

types! {
    /// `XLOG_BTREE_…` (src/include/access/nbtxlog.h)
    BtreeType {
        InsertLeaf = 0x00 "INSERT_LEAF",
        InsertUpper = 0x10 "INSERT_UPPER",
        InsertMeta = 0x20 "INSERT_META",
        SplitL = 0x30 "SPLIT_L",
        SplitR = 0x40 "SPLIT_R",
        InsertPost = 0x50 "INSERT_POST",
        Dedup = 0x60 "DEDUP",
        Delete = 0x70 "DELETE",
        UnlinkPage = 0x80 "UNLINK_PAGE",
        UnlinkPageMeta = 0x90 "UNLINK_PAGE_META",
        Newroot = 0xA0 "NEWROOT",
        MarkPageHalfdead = 0xB0 "MARK_PAGE_HALFDEAD",
        Vacuum = 0xC0 "VACUUM",
        ReusePage = 0xD0 "REUSE_PAGE",
        MetaCleanup = 0xE0 "META_CLEANUP",
    }
}

types! {
    /// `XLOG_SEQ_LOG` (src/include/commands/sequence.h)
    SeqType {
        Log = 0x00 "LOG",
    }
}

types! {
    /// Those of the undo engine (`super::rec::undo`).
    UndoType {
        Insert = 0x00 "INSERT",
        Update = 0x10 "UPDATE",
        Delete = 0x20 "DELETE",
        Rollback = 0x30 "ROLLBACK",
        Extend = 0x40 "EXTEND",
    }
}

/// `XLOG_HEAP2_…` of `RM_HEAP2_ID` (src/include/access/heapam_xlog.h). The numbers of those that clean pages changed
/// their meaning in 14 and in 17.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Heap2Type {
    /// `REWRITE`
    Rewrite,
    /// `CLEAN`, of 13
    Clean,
    /// `CLEANUP_INFO`, of 13
    CleanupInfo,
    /// `PRUNE`, of 14 to 16
    Prune,
    /// `VACUUM`, of 14 to 16
    Vacuum,
    /// `FREEZE_PAGE`, of 13 to 16
    FreezePage,
    /// `PRUNE_ON_ACCESS`, since 17
    PruneOnAccess,
    /// `PRUNE_VACUUM_SCAN`, since 17
    PruneVacuumScan,
    /// `PRUNE_VACUUM_CLEANUP`, since 17
    PruneVacuumCleanup,
    /// `VISIBLE`
    Visible,
    /// `MULTI_INSERT`
    MultiInsert,
    /// `LOCK_UPDATED`
    LockUpdated,
    /// `NEW_CID`
    NewCid,
}

impl Heap2Type {
    /// The types that the first four numbers stand for.
    const fn cleaning(version: PgVersion) -> [Self; 4] {
        if version.prunes_and_freezes_at_once() {
            [Self::Rewrite, Self::PruneOnAccess, Self::PruneVacuumScan, Self::PruneVacuumCleanup]
        } else if version.has_heap_vacuum_records() {
            [Self::Rewrite, Self::Prune, Self::Vacuum, Self::FreezePage]
        } else {
            [Self::Rewrite, Self::Clean, Self::FreezePage, Self::CleanupInfo]
        }
    }

    #[inline]
    const fn decode(info: u8, version: PgVersion) -> Option<Self> {
        Some(match info {
            0x00..=0x30 => Self::cleaning(version)[(info >> 4) as usize],
            0x40 => Self::Visible,
            0x50 => Self::MultiInsert,
            0x60 => Self::LockUpdated,
            0x70 => Self::NewCid,
            _ => return None,
        })
    }

    /// Its number in `xl_info` of that version.
    #[must_use]
    #[inline]
    pub const fn info(self, version: PgVersion) -> u8 {
        match self {
            Self::Rewrite => 0x00,
            Self::Clean | Self::Prune | Self::PruneOnAccess => 0x10,
            Self::FreezePage if !version.has_heap_vacuum_records() => 0x20,
            Self::Vacuum | Self::PruneVacuumScan => 0x20,
            Self::CleanupInfo | Self::FreezePage | Self::PruneVacuumCleanup => 0x30,
            Self::Visible => 0x40,
            Self::MultiInsert => 0x50,
            Self::LockUpdated => 0x60,
            Self::NewCid => 0x70,
        }
    }

    /// Its name, as `pg_waldump` prints it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rewrite => "REWRITE",
            Self::Clean => "CLEAN",
            Self::CleanupInfo => "CLEANUP_INFO",
            Self::Prune => "PRUNE",
            Self::Vacuum => "VACUUM",
            Self::FreezePage => "FREEZE_PAGE",
            Self::PruneOnAccess => "PRUNE_ON_ACCESS",
            Self::PruneVacuumScan => "PRUNE_VACUUM_SCAN",
            Self::PruneVacuumCleanup => "PRUNE_VACUUM_CLEANUP",
            Self::Visible => "VISIBLE",
            Self::MultiInsert => "MULTI_INSERT",
            Self::LockUpdated => "LOCK_UPDATED",
            Self::NewCid => "NEW_CID",
        }
    }
}

impl XactType {
    /// Does it commit, maybe what was prepared?
    #[must_use]
    #[inline]
    pub const fn commits(self) -> bool {
        matches!(self, Self::Commit | Self::CommitPrepared)
    }

    /// Does it roll back, maybe what was prepared?
    #[must_use]
    #[inline]
    pub const fn aborts(self) -> bool {
        matches!(self, Self::Abort | Self::AbortPrepared)
    }
}

impl RecordType {
    /// The type that `xl_rmid` and `xl_info` name in WAL of that version.
    #[must_use]
    #[inline]
    pub const fn decode(rmgr: Rmgr, info: u8, version: PgVersion) -> Self {
        macro_rules! of {
            ($decoded:expr, $known:ident) => {
                match $decoded {
                    Some(known) => Self::$known(known),
                    None => Self::Other(rmgr),
                }
            };
        }
        match rmgr {
            Rmgr::HEAP => of!(HeapType::decode(info & OPMASK), Heap),
            Rmgr::HEAP2 => of!(Heap2Type::decode(info & OPMASK, version), Heap2),
            Rmgr::BTREE => of!(BtreeType::decode(info & XLR_RMGR_INFO_MASK), Btree),
            Rmgr::TRANSACTION => of!(XactType::decode(info & OPMASK), Xact),
            Rmgr::XLOG => of!(XlogType::decode(info & XLR_RMGR_INFO_MASK), Xlog),
            Rmgr::STANDBY => of!(StandbyType::decode(info & XLR_RMGR_INFO_MASK), Standby),
            Rmgr::STORAGE => of!(SmgrType::decode(info & XLR_RMGR_INFO_MASK), Smgr),
            Rmgr::SEQUENCE => of!(SeqType::decode(info & XLR_RMGR_INFO_MASK), Seq),
            Rmgr::MULTIXACT => of!(MultiXactType::decode(info & XLR_RMGR_INFO_MASK), MultiXact),
            Rmgr::UNDO => of!(UndoType::decode(info & OPMASK), Undo),
            _ => Self::Other(rmgr),
        }
    }

    /// The type that has this name in that version, `+INIT` or not.
    #[must_use]
    pub fn named(rmgr: Rmgr, name: &str, version: PgVersion) -> Option<Self> {
        let name = name.strip_suffix("+INIT").unwrap_or(name);
        let all = (0..16).map(|high: u8| Self::decode(rmgr, high << 4, version));
        all.into_iter().find(|of| of.name() == Some(name))
    }

    /// Its name, as `pg_waldump` prints it, without `+INIT`; `None` for types that `rmgr` names, if anybody does.
    #[must_use]
    pub const fn name(self) -> Option<&'static str> {
        Some(match self {
            Self::Xlog(of) => of.name(),
            Self::Xact(of) => of.name(),
            Self::Smgr(of) => of.name(),
            Self::MultiXact(of) => of.name(),
            Self::Standby(of) => of.name(),
            Self::Heap2(of) => of.name(),
            Self::Heap(of) => of.name(),
            Self::Btree(of) => of.name(),
            Self::Seq(of) => of.name(),
            Self::Undo(of) => of.name(),
            Self::Other(_) => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Heap2Type, RecordType, Rmgr};
    use crate::page::{MAJORS, PgVersion};

    /// Numbers that 14 and 17 gave another meaning: what is written is what is read.
    #[test]
    fn numbers_go_both_ways() {
        let mut seen = 0;
        for version in MAJORS.map(PgVersion::of_major) {
            for info in (0..16_u8).map(|high| high << 4) {
                let RecordType::Heap2(of) = RecordType::decode(Rmgr::HEAP2, info, version) else {
                    panic!("{info:#x} of {version}")
                };
                assert_eq!(of.info(version), info & 0x70, "{of:?} of {version}");
                seen += u32::from(of == Heap2Type::FreezePage);
            }
        }
        assert_eq!(seen, 8, "FREEZE_PAGE of four versions, with the highest bit and without");
    }
}
