//! The bits of the flag words in records (src/include/access/heapam_xlog.h, xlogrecord.h, xact.h).

use ffviz_format::page::Bit;

/// `fork_flags` of a block reference, above the number of the fork
pub(super) const BLOCK: &[Bit] = &[
    Bit::new("BKPBLOCK_HAS_IMAGE", 0x10, "the page's image is in the record"),
    Bit::new("BKPBLOCK_HAS_DATA", 0x20, "data for the page is in the record"),
    Bit::new("BKPBLOCK_WILL_INIT", 0x40, "replay makes the page anew, so what was on it before does not matter"),
    Bit::new("BKPBLOCK_SAME_REL", 0x80, "same relation as the reference before: its 12 bytes are not repeated"),
];

/// `bimg_info` of 13 and 14
pub(super) const IMAGE_13: &[Bit] = &[
    Bit::new("BKPIMAGE_HAS_HOLE", 1, "the free space in the middle of the page is left out"),
    Bit::new("BKPIMAGE_IS_COMPRESSED", 2, "compressed with pglz"),
    Bit::new("BKPIMAGE_APPLY", 4, "replay puts the image in place"),
];

/// `bimg_info` from 15 on
pub(super) const IMAGE: &[Bit] = &[
    Bit::new("BKPIMAGE_HAS_HOLE", 1, "the free space in the middle of the page is left out"),
    Bit::new("BKPIMAGE_APPLY", 2, "replay puts the image in place"),
    Bit::new("BKPIMAGE_COMPRESS_PGLZ", 4, "compressed with pglz"),
    Bit::new("BKPIMAGE_COMPRESS_LZ4", 8, "compressed with lz4"),
    Bit::new("BKPIMAGE_COMPRESS_ZSTD", 0x10, "compressed with zstd"),
];

/// the low bits of `xl_info`
pub(super) const RECORD: &[Bit] = &[
    Bit::new("XLR_SPECIAL_REL_UPDATE", 1, "changes relations in a way that block references do not tell"),
    Bit::new("XLR_CHECK_CONSISTENCY", 2, "carries images only to check replay (wal_consistency_checking)"),
];

/// What `t_xmax` does to a tuple.
pub(crate) const INFOBITS: &[Bit] = &[
    Bit::new("XLHL_XMAX_IS_MULTI", 1, "xmax is a multixact: several transactions"),
    Bit::new("XLHL_XMAX_LOCK_ONLY", 2, "xmax only locks: the row is neither deleted nor updated"),
    Bit::new("XLHL_XMAX_EXCL_LOCK", 4, "xmax holds an exclusive lock"),
    Bit::new("XLHL_XMAX_KEYSHR_LOCK", 8, "xmax holds a key-share lock"),
    Bit::new("XLHL_KEYS_UPDATED", 0x10, "deleted, or a key column changed: key-share locks conflict"),
];

pub(super) const INSERT: &[Bit] = &[
    Bit::new("XLH_INSERT_ALL_VISIBLE_CLEARED", 1, "the page was all-visible and is not any more"),
    Bit::new("XLH_INSERT_LAST_IN_MULTI", 2, "the last record of one COPY or multi-row insert batch"),
    Bit::new("XLH_INSERT_IS_SPECULATIVE", 4, "INSERT … ON CONFLICT: not final before it is confirmed"),
    Bit::new("XLH_INSERT_CONTAINS_NEW_TUPLE", 8, "the tuple is there even beside an image, for logical decoding"),
    Bit::new("XLH_INSERT_ON_TOAST_RELATION", 0x10, "the table is a TOAST table"),
    Bit::new("XLH_INSERT_ALL_FROZEN_SET", 0x20, "all tuples are frozen, and the visibility map says so"),
];

pub(super) const DELETE: &[Bit] = &[
    Bit::new("XLH_DELETE_ALL_VISIBLE_CLEARED", 1, "the page was all-visible and is not any more"),
    Bit::new("XLH_DELETE_CONTAINS_OLD_TUPLE", 2, "the deleted row is in the record, for logical decoding"),
    Bit::new("XLH_DELETE_CONTAINS_OLD_KEY", 4, "the deleted row's key is in the record, for logical decoding"),
    Bit::new("XLH_DELETE_IS_SUPER", 8, "takes back a speculative insert"),
    Bit::new("XLH_DELETE_IS_PARTITION_MOVE", 0x10, "an UPDATE moved the row to another partition"),
];

pub(super) const UPDATE: &[Bit] = &[
    Bit::new("XLH_UPDATE_OLD_ALL_VISIBLE_CLEARED", 1, "the old version's page was all-visible and is not any more"),
    Bit::new("XLH_UPDATE_NEW_ALL_VISIBLE_CLEARED", 2, "the new version's page was all-visible and is not any more"),
    Bit::new("XLH_UPDATE_CONTAINS_OLD_TUPLE", 4, "the old row is in the record, for logical decoding"),
    Bit::new("XLH_UPDATE_CONTAINS_OLD_KEY", 8, "the old row's key is in the record, for logical decoding"),
    Bit::new("XLH_UPDATE_CONTAINS_NEW_TUPLE", 0x10, "the new row is there even beside an image, for logical decoding"),
    Bit::new("XLH_UPDATE_PREFIX_FROM_OLD", 0x20, "the first bytes of the columns are those of the old version"),
    Bit::new("XLH_UPDATE_SUFFIX_FROM_OLD", 0x40, "the last bytes of the columns are those of the old version"),
];

pub(super) const LOCK: &[Bit] =
    &[Bit::new("XLH_LOCK_ALL_FROZEN_CLEARED", 1, "the page was all-frozen and is not any more")];

pub(super) const TRUNCATE: &[Bit] = &[
    Bit::new("XLH_TRUNCATE_CASCADE", 1, "TRUNCATE … CASCADE"),
    Bit::new("XLH_TRUNCATE_RESTART_SEQS", 2, "TRUNCATE … RESTART IDENTITY"),
];

/// Flags of `xl_heap_prune` of 17 and 18.
pub(super) const PRUNE: &[Bit] = &[
    Bit::new("XLHP_IS_CATALOG_REL", 2, "the table is a catalog that logical decoding reads"),
    Bit::new("XLHP_CLEANUP_LOCK", 4, "replay needs a cleanup lock: nobody may look at the page"),
    Bit::new("XLHP_HAS_CONFLICT_HORIZON", 8, "snapshotConflictHorizon follows"),
    Bit::new("XLHP_HAS_FREEZE_PLANS", 0x10, "tuples are frozen"),
    Bit::new("XLHP_HAS_REDIRECTIONS", 0x20, "line pointers are redirected"),
    Bit::new("XLHP_HAS_DEAD_ITEMS", 0x40, "line pointers become dead"),
    Bit::new("XLHP_HAS_NOW_UNUSED_ITEMS", 0x80, "line pointers become unused"),
];

/// Flags of `xl_heap_visible`.
pub(super) const VISIBLE: &[Bit] = &[
    Bit::new("VISIBILITYMAP_ALL_VISIBLE", 1, "every tuple of the page is visible to everybody"),
    Bit::new("VISIBILITYMAP_ALL_FROZEN", 2, "every tuple of the page is frozen"),
    Bit::new("VISIBILITYMAP_XLOG_CATALOG_REL", 4, "the table is a catalog that logical decoding reads"),
];

/// `frzflags` of a freeze plan.
pub(super) const FREEZE: &[Bit] = &[
    Bit::new("XLH_FREEZE_XVAC", 2, "t_xvac of a moved tuple becomes FrozenTransactionId"),
    Bit::new("XLH_INVALID_XVAC", 4, "t_xvac of a moved tuple becomes invalid"),
];

/// `xinfo` of COMMIT and ABORT.
pub(super) const XINFO: &[Bit] = &[
    Bit::new("XACT_XINFO_HAS_DBINFO", 1, "database and tablespace follow"),
    Bit::new("XACT_XINFO_HAS_SUBXACTS", 1 << 1, "subtransactions follow"),
    Bit::new("XACT_XINFO_HAS_RELFILELOCATORS", 1 << 2, "files that go follow"),
    Bit::new("XACT_XINFO_HAS_INVALS", 1 << 3, "messages for the caches of other servers follow"),
    Bit::new("XACT_XINFO_HAS_TWOPHASE", 1 << 4, "the prepared transaction's xid follows"),
    Bit::new("XACT_XINFO_HAS_ORIGIN", 1 << 5, "position and time at the replication origin follow"),
    Bit::new("XACT_XINFO_HAS_AE_LOCKS", 1 << 6, "a standby holds locks for it, which end here"),
    Bit::new("XACT_XINFO_HAS_GID", 1 << 7, "the prepared transaction's name follows"),
    Bit::new("XACT_XINFO_HAS_DROPPED_STATS", 1 << 8, "statistics that go follow"),
    Bit::new("XACT_COMPLETION_APPLY_FEEDBACK", 1 << 29, "a standby is to say when it has replayed this"),
    Bit::new("XACT_COMPLETION_UPDATE_RELCACHE_FILE", 1 << 30, "the relation cache's file has to be made anew"),
    Bit::new("XACT_COMPLETION_FORCE_SYNC_COMMIT", 1 << 31, "was flushed whatever synchronous_commit said"),
];

/// Flags of `xl_smgr_truncate`.
pub(super) const SMGR_TRUNCATE: &[Bit] = &[
    Bit::new("SMGR_TRUNCATE_HEAP", 1, "the main fork"),
    Bit::new("SMGR_TRUNCATE_VM", 2, "the visibility map"),
    Bit::new("SMGR_TRUNCATE_FSM", 4, "the free space map"),
];
