//! Where to read on: for each sort of event the function of PostgreSQL 18's source that does it, and the page of the
//! manual that tells of it. Other versions may have other names for a few of them.

use super::figure::Plot;
use alloc::format;
use alloc::string::String;

/// Source and manual of a sort of event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reference {
    /// of PostgreSQL's source, below src/backend: `access/heap/heapam.c`
    pub file: &'static str,
    /// the function in it: `heap_update`
    pub function: &'static str,
    /// of the manual: `storage-hot`, with the place on it where that has a name
    pub page: &'static str,
}

/// Where the manual is.
const MANUAL: &str = "https://www.postgresql.org/docs/current/";

impl Reference {
    /// File and function: `heap_update in src/backend/access/heap/heapam.c`.
    #[must_use]
    pub fn source(&self) -> String {
        format!("{} in src/backend/{}", self.function, self.file)
    }

    /// The address of the manual's page.
    #[must_use]
    pub fn url(&self) -> String {
        match self.page.split_once('#') {
            Some((page, place)) => format!("{MANUAL}{page}.html#{place}"),
            None => format!("{MANUAL}{}.html", self.page),
        }
    }
}

/// The reference of a sort of event; nothing where there is no event, or only a decision of many.
#[must_use]
pub const fn of(plot: Plot) -> Option<Reference> {
    let (file, function, page) = match plot {
        Plot::Quiet | Plot::Decision | Plot::Mixed => return None,
        Plot::Catalog => ("catalog/heap.c", "heap_create_with_catalog", "catalog-pg-class"),
        Plot::Insert => (HEAPAM, "heap_insert", "storage-page-layout"),
        Plot::ManyInserts => (HEAPAM, "heap_multi_insert", "storage-page-layout"),
        Plot::HotUpdate | Plot::Update | Plot::ManyUpdates => (HEAPAM, "heap_update", "storage-hot"),
        Plot::Delete => (HEAPAM, "heap_delete", "routine-vacuuming#VACUUM-FOR-SPACE-RECOVERY"),
        Plot::Lock => (HEAPAM, "heap_lock_tuple", "explicit-locking#LOCKING-ROWS"),
        Plot::RolledBack => ("access/heap/heapam_visibility.c", "HeapTupleSatisfiesMVCC", "mvcc-intro"),
        Plot::Sequence => ("commands/sequence.c", "nextval_internal", "functions-sequence"),
        Plot::Toast => ("access/common/toast_internals.c", "toast_save_datum", "storage-toast"),
        Plot::InPlace => (HEAPAM, "heap_inplace_update_and_unlock", "mvcc-intro"),
        Plot::Prune => ("access/heap/pruneheap.c", "heap_prune_chain", "storage-hot"),
        Plot::FreeLinePointers => ("access/heap/vacuumlazy.c", "lazy_vacuum_heap_page", "routine-vacuuming"),
        Plot::Freeze => (HEAPAM, "heap_prepare_freeze_tuple", "routine-vacuuming#VACUUM-FOR-WRAPAROUND"),
        Plot::HintBits => ("access/heap/heapam_visibility.c", "SetHintBits", "runtime-config-wal#GUC-WAL-LOG-HINTS"),
        Plot::AllVisible => ("access/heap/visibilitymap.c", "visibilitymap_set", "storage-vm"),
        Plot::VisibilityCleared => ("access/heap/visibilitymap.c", "visibilitymap_clear", "storage-vm"),
        Plot::FreeSpaceMap => ("storage/freespace/freespace.c", "RecordPageWithFreeSpace", "storage-fsm"),
        Plot::FileLength => ("storage/smgr/smgr.c", "smgrextend", "storage-file-layout"),
        Plot::NewFile => ("catalog/storage.c", "RelationCreateStorage", "storage-file-layout"),
        Plot::IndexInsert => (NBTINSERT, "_bt_doinsert", BTREE),
        Plot::Downlink => (NBTINSERT, "_bt_insert_parent", BTREE),
        Plot::PostingSplit => ("access/nbtree/nbtdedup.c", "_bt_swap_posting", DEDUPLICATION),
        Plot::Split => (NBTINSERT, "_bt_split", BTREE),
        Plot::NewRoot => (NBTINSERT, "_bt_newlevel", BTREE),
        Plot::Deduplicate => ("access/nbtree/nbtdedup.c", "_bt_dedup_pass", DEDUPLICATION),
        Plot::KillMarks => ("access/nbtree/nbtutils.c", "_bt_killitems", DELETION),
        Plot::IndexDelete => (NBTPAGE, "_bt_delitems_delete", DELETION),
        Plot::IndexVacuum => ("access/nbtree/nbtree.c", "btvacuumpage", "routine-vacuuming"),
        Plot::HalfDead => (NBTPAGE, "_bt_mark_page_halfdead", BTREE),
        Plot::PageDeleted => (NBTPAGE, "_bt_unlink_halfdead_page", BTREE),
        Plot::IndexBuild => ("access/nbtree/nbtsort.c", "btbuild", BTREE),
        Plot::FirstPage => (NBTPAGE, "_bt_getroot", BTREE),
        Plot::Metapage => (NBTPAGE, "_bt_set_cleanup_info", BTREE),
        Plot::Image => ("access/transam/xloginsert.c", "XLogRecordAssemble", "runtime-config-wal#GUC-FULL-PAGE-WRITES"),
        Plot::Checkpoint => ("access/transam/xlog.c", "CreateCheckPoint", "wal-configuration"),
        Plot::Commit => ("access/transam/xact.c", "RecordTransactionCommit", "wal-intro"),
        Plot::Abort => ("access/transam/xact.c", "RecordTransactionAbort", "sql-rollback"),
        Plot::Crash => ("access/transam/xlog.c", "StartupXLOG", "wal-reliability"),
        Plot::Redo => ("access/transam/xlogutils.c", "XLogReadBufferForRedoExtended", "wal-intro"),
        Plot::Record => ("access/transam/xloginsert.c", "XLogInsert", "wal-internals"),
    };
    Some(Reference { file, function, page })
}

const HEAPAM: &str = "access/heap/heapam.c";
const NBTINSERT: &str = "access/nbtree/nbtinsert.c";
const NBTPAGE: &str = "access/nbtree/nbtpage.c";
const BTREE: &str = "btree#BTREE-STRUCTURE";
const DELETION: &str = "btree#BTREE-DELETION";
const DEDUPLICATION: &str = "btree#BTREE-DEDUPLICATION";
