//! Resource managers and the names of their records (src/include/access/rmgrlist.h; `heap_identify` and its likes in src/backend/access/rmgrdesc).

use alloc::format;
use alloc::string::{String, ToString};

/// Number of a resource manager, as in `xl_rmid`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rmgr(pub u8);

const NAMES: [&str; 22] = [
    "XLOG",
    "Transaction",
    "Storage",
    "CLOG",
    "Database",
    "Tablespace",
    "MultiXact",
    "RelMap",
    "Standby",
    "Heap2",
    "Heap",
    "Btree",
    "Hash",
    "Gin",
    "Gist",
    "Sequence",
    "SPGist",
    "BRIN",
    "CommitTs",
    "ReplicationOrigin",
    "Generic",
    "LogicalMessage",
];

impl Rmgr {
    /// `RM_XLOG_ID`
    pub const XLOG: Self = Self(0);
    /// `RM_XACT_ID`
    pub const TRANSACTION: Self = Self(1);
    /// `RM_SMGR_ID`
    pub const STORAGE: Self = Self(2);
    /// `RM_CLOG_ID`
    pub const CLOG: Self = Self(3);
    /// `RM_MULTIXACT_ID`
    pub const MULTIXACT: Self = Self(6);
    /// `RM_STANDBY_ID`
    pub const STANDBY: Self = Self(8);
    /// `RM_HEAP2_ID`
    pub const HEAP2: Self = Self(9);
    /// `RM_HEAP_ID`
    pub const HEAP: Self = Self(10);
    /// `RM_BTREE_ID`
    pub const BTREE: Self = Self(11);
    /// `RM_SEQ_ID`
    pub const SEQUENCE: Self = Self(15);
    /// `RM_COMMIT_TS_ID`
    pub const COMMIT_TS: Self = Self(18);
    /// The undo engine, which is a model: `RM_EXPERIMENTAL_ID`, the number of extensions that have none of their own.
    pub const UNDO: Self = Self(128);

    /// Its name, as `pg_waldump` prints it; that of an extension is told by its number.
    #[must_use]
    pub fn name(self) -> String {
        if self == Self::UNDO {
            return "Undo".to_string();
        }
        NAMES.get(usize::from(self.0)).map_or_else(|| format!("custom{:03}", self.0), ToString::to_string)
    }

    /// Name of a type of record, as `pg_waldump` of that major version prints it.
    #[must_use]
    pub fn type_name(self, info: u8, major: u32) -> String {
        let kind = info & 0xF0;
        let (kind, init) = match self {
            Self::HEAP | Self::HEAP2 | Self(17) | Self::UNDO => (kind & 0x70, kind & 0x80 != 0),
            Self::TRANSACTION => (kind & 0x70, false),
            _ => (kind, false),
        };
        match self.plain_type_name(kind, major) {
            Some(name) if init => format!("{name}+INIT"),
            Some(name) => name.to_string(),
            None => format!("UNKNOWN ({:x})", info & 0xF0),
        }
    }

    fn plain_type_name(self, kind: u8, major: u32) -> Option<&'static str> {
        let names: &[(u8, &'static str)] = match self.0 {
            0 => &XLOG,
            1 => &TRANSACTION,
            2 => &[(0x10, "CREATE"), (0x20, "TRUNCATE")],
            3 => &[(0, "ZEROPAGE"), (0x10, "TRUNCATE")],
            4 if major < 15 => &[(0, "CREATE"), (0x10, "DROP")],
            4 => &[(0, "CREATE_FILE_COPY"), (0x10, "CREATE_WAL_LOG"), (0x20, "DROP")],
            5 => &[(0, "CREATE"), (0x10, "DROP")],
            6 => &[(0, "ZERO_OFF_PAGE"), (0x10, "ZERO_MEM_PAGE"), (0x20, "CREATE_ID"), (0x30, "TRUNCATE_ID")],
            7 => &[(0, "UPDATE")],
            8 => &[(0, "LOCK"), (0x10, "RUNNING_XACTS"), (0x20, "INVALIDATIONS")],
            9 => heap2(major),
            10 => &HEAP,
            11 => &BTREE,
            12 => &HASH,
            13 => &GIN,
            14 => &GIST,
            15 => &[(0, "LOG")],
            16 => &SPGIST,
            17 => &BRIN,
            18 => &[(0, "ZEROPAGE"), (0x10, "TRUNCATE")],
            19 => &[(0, "SET"), (0x10, "DROP")],
            20 => &[(0, "Generic")],
            21 => &[(0, "MESSAGE")],
            128 => &UNDO,
            _ => &[],
        };
        names.iter().find(|(code, _)| *code == kind).map(|(_, name)| *name)
    }
}

const XLOG: [(u8, &str); 14] = [
    (0x00, "CHECKPOINT_SHUTDOWN"),
    (0x10, "CHECKPOINT_ONLINE"),
    (0x20, "NOOP"),
    (0x30, "NEXTOID"),
    (0x40, "SWITCH"),
    (0x50, "BACKUP_END"),
    (0x60, "PARAMETER_CHANGE"),
    (0x70, "RESTORE_POINT"),
    (0x80, "FPW_CHANGE"),
    (0x90, "END_OF_RECOVERY"),
    (0xA0, "FPI_FOR_HINT"),
    (0xB0, "FPI"),
    (0xD0, "OVERWRITE_CONTRECORD"),
    (0xE0, "CHECKPOINT_REDO"),
];

const TRANSACTION: [(u8, &str); 7] = [
    (0x00, "COMMIT"),
    (0x10, "PREPARE"),
    (0x20, "ABORT"),
    (0x30, "COMMIT_PREPARED"),
    (0x40, "ABORT_PREPARED"),
    (0x50, "ASSIGNMENT"),
    (0x60, "INVALIDATION"),
];

const HEAP: [(u8, &str); 8] = [
    (0x00, "INSERT"),
    (0x10, "DELETE"),
    (0x20, "UPDATE"),
    (0x30, "TRUNCATE"),
    (0x40, "HOT_UPDATE"),
    (0x50, "HEAP_CONFIRM"),
    (0x60, "LOCK"),
    (0x70, "INPLACE"),
];

const UNDO: [(u8, &str); 5] =
    [(0x00, "INSERT"), (0x10, "UPDATE"), (0x20, "DELETE"), (0x30, "ROLLBACK"), (0x40, "EXTEND")];

/// The first four types changed their meaning from version to version.
const fn heap2(major: u32) -> &'static [(u8, &'static str)] {
    const REST: [(u8, &str); 4] =
        [(0x40, "VISIBLE"), (0x50, "MULTI_INSERT"), (0x60, "LOCK_UPDATED"), (0x70, "NEW_CID")];
    const fn with(a: &'static str, b: &'static str, c: &'static str) -> [(u8, &'static str); 8] {
        [(0, "REWRITE"), (0x10, a), (0x20, b), (0x30, c), REST[0], REST[1], REST[2], REST[3]]
    }
    const THIRTEEN: [(u8, &str); 8] = with("CLEAN", "FREEZE_PAGE", "CLEANUP_INFO");
    const FOURTEEN: [(u8, &str); 8] = with("PRUNE", "VACUUM", "FREEZE_PAGE");
    const SEVENTEEN: [(u8, &str); 8] = with("PRUNE_ON_ACCESS", "PRUNE_VACUUM_SCAN", "PRUNE_VACUUM_CLEANUP");
    match major {
        0..=13 => &THIRTEEN,
        14..=16 => &FOURTEEN,
        _ => &SEVENTEEN,
    }
}

const BTREE: [(u8, &str); 15] = [
    (0x00, "INSERT_LEAF"),
    (0x10, "INSERT_UPPER"),
    (0x20, "INSERT_META"),
    (0x30, "SPLIT_L"),
    (0x40, "SPLIT_R"),
    (0x50, "INSERT_POST"),
    (0x60, "DEDUP"),
    (0x70, "DELETE"),
    (0x80, "UNLINK_PAGE"),
    (0x90, "UNLINK_PAGE_META"),
    (0xA0, "NEWROOT"),
    (0xB0, "MARK_PAGE_HALFDEAD"),
    (0xC0, "VACUUM"),
    (0xD0, "REUSE_PAGE"),
    (0xE0, "META_CLEANUP"),
];

const BRIN: [(u8, &str); 6] = [
    (0x00, "CREATE_INDEX"),
    (0x10, "INSERT"),
    (0x20, "UPDATE"),
    (0x30, "SAMEPAGE_UPDATE"),
    (0x40, "REVMAP_EXTEND"),
    (0x50, "DESUMMARIZE"),
];

const HASH: [(u8, &str); 13] = [
    (0x00, "INIT_META_PAGE"),
    (0x10, "INIT_BITMAP_PAGE"),
    (0x20, "INSERT"),
    (0x30, "ADD_OVFL_PAGE"),
    (0x40, "SPLIT_ALLOCATE_PAGE"),
    (0x50, "SPLIT_PAGE"),
    (0x60, "SPLIT_COMPLETE"),
    (0x70, "MOVE_PAGE_CONTENTS"),
    (0x80, "SQUEEZE_PAGE"),
    (0x90, "DELETE"),
    (0xA0, "SPLIT_CLEANUP"),
    (0xB0, "UPDATE_META_PAGE"),
    (0xC0, "VACUUM_ONE_PAGE"),
];

const GIN: [(u8, &str); 9] = [
    (0x10, "CREATE_PTREE"),
    (0x20, "INSERT"),
    (0x30, "SPLIT"),
    (0x40, "VACUUM_PAGE"),
    (0x50, "DELETE_PAGE"),
    (0x60, "UPDATE_META_PAGE"),
    (0x70, "INSERT_LISTPAGE"),
    (0x80, "DELETE_LISTPAGE"),
    (0x90, "VACUUM_DATA_LEAF_PAGE"),
];

const GIST: [(u8, &str); 6] = [
    (0x00, "PAGE_UPDATE"),
    (0x10, "DELETE"),
    (0x20, "PAGE_REUSE"),
    (0x30, "PAGE_SPLIT"),
    (0x60, "PAGE_DELETE"),
    (0x70, "ASSIGN_LSN"),
];

const SPGIST: [(u8, &str); 8] = [
    (0x10, "ADD_LEAF"),
    (0x20, "MOVE_LEAFS"),
    (0x30, "ADD_NODE"),
    (0x40, "SPLIT_TUPLE"),
    (0x50, "PICKSPLIT"),
    (0x60, "VACUUM_LEAF"),
    (0x70, "VACUUM_ROOT"),
    (0x80, "VACUUM_REDIRECT"),
];
