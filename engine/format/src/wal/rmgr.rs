//! Resource managers and the names of their records (src/include/access/rmgrlist.h; `heap_identify` and its likes in
//! src/backend/access/rmgrdesc); the types of those that ffviz looks into stand in `record_type`.

use super::RecordType;
use super::rec::heap::XLOG_HEAP_INIT_PAGE;
use crate::page::PgVersion;
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
    /// `RM_DBASE_ID`
    pub const DBASE: Self = Self(4);
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
    /// `RM_GIST_ID`
    pub const GIST: Self = Self(14);
    /// `RM_SEQ_ID`
    pub const SEQUENCE: Self = Self(15);
    /// `RM_BRIN_ID`
    pub const BRIN: Self = Self(17);
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

    /// Name of a type of record, as `pg_waldump` of that version prints it.
    #[must_use]
    pub fn type_name(self, info: u8, version: PgVersion) -> String {
        let name = RecordType::decode(self, info, version).name().or_else(|| self.only_named(info, version));
        let is_init =
            info & XLOG_HEAP_INIT_PAGE != 0 && matches!(self, Self::HEAP | Self::HEAP2 | Self::BRIN | Self::UNDO);
        match name {
            Some(name) if is_init => format!("{name}+INIT"),
            Some(name) => name.to_string(),
            None => format!("UNKNOWN ({:x})", info & 0xF0),
        }
    }

    /// Types of record that nothing but the name is known of.
    fn only_named(self, info: u8, version: PgVersion) -> Option<&'static str> {
        let names: &[(u8, &'static str)] = match self.0 {
            3 => &[(0, "ZEROPAGE"), (0x10, "TRUNCATE")],
            4 if !version.creates_databases_by_wal() => &[(0, "CREATE"), (0x10, "DROP")],
            4 => &[(0, "CREATE_FILE_COPY"), (0x10, "CREATE_WAL_LOG"), (0x20, "DROP")],
            5 => &[(0, "CREATE"), (0x10, "DROP")],
            7 => &[(0, "UPDATE")],
            12 => &HASH,
            13 => &GIN,
            14 => &GIST,
            16 => &SPGIST,
            17 => &BRIN,
            18 => &[(0, "ZEROPAGE"), (0x10, "TRUNCATE")],
            19 => &[(0, "SET"), (0x10, "DROP")],
            20 => &[(0, "Generic")],
            21 => &[(0, "MESSAGE")],
            _ => &[],
        };
        let kind = info & if self == Self::BRIN { 0x70 } else { 0xF0 };
        names.iter().find(|(code, _)| *code == kind).map(|(_, name)| *name)
    }
}

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
