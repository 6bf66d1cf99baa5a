//! Which sort of Heap2 record it is, whatever the version calls it, and the lists in the data of records that clean a page.

use ffviz_format::wal::rec::btree::{LeafLists, XlBtreeDelete13, XlBtreeDelete14, XlBtreeVacuum};
use ffviz_format::wal::rec::heap2::{PageLists, XlHeapFreezePage13, XlHeapFreezePage16, XlHeapPrune, XlHeapPrune13};
use ffviz_format::wal::{DecodedRecord, Rmgr};

/// Types of Heap2 records; the numbers of the first four changed their meaning in 14 and 17.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Heap2 {
    Rewrite,
    /// CLEAN, PRUNE, `PRUNE_ON_ACCESS`, `PRUNE_VACUUM_SCAN`, `PRUNE_VACUUM_CLEANUP`
    Prune,
    Vacuum,
    Freeze,
    CleanupInfo,
    Visible,
    MultiInsert,
    LockUpdated,
    NewCid,
}

impl Heap2 {
    pub fn of(record: &DecodedRecord<'_>) -> Self {
        match (record.info() & 0x70, record.major) {
            (0x00, _) => Self::Rewrite,
            (0x10, _) | (0x20 | 0x30, 17..) => Self::Prune,
            (0x20, 14..=16) => Self::Vacuum,
            (0x20, _) | (0x30, 14..=16) => Self::Freeze,
            (0x30, _) => Self::CleanupInfo,
            (0x40, _) => Self::Visible,
            (0x50, _) => Self::MultiInsert,
            (0x60, _) => Self::LockUpdated,
            _ => Self::NewCid,
        }
    }
}

/// The lists of a Heap2 record that prunes, vacuums or freezes; `None` where it has no block data (an image stands for it).
pub(super) fn page_lists<'a>(record: &DecodedRecord<'a>) -> Option<PageLists<'a>> {
    if record.rmgr() != Rmgr::HEAP2 {
        return None;
    }
    let main = record.main_data;
    let data = record.blocks.iter().find(|block| block.id == 0 && block.has_data)?.data;
    Some(match (Heap2::of(record), record.major) {
        (Heap2::Prune, 17..) => PageLists::prune_and_freeze(data, XlHeapPrune::new(main).flags()),
        (Heap2::Prune, _) => {
            let prune = XlHeapPrune13::new(main);
            PageLists::prune(data, prune.nredirected(), prune.ndead())
        }
        (Heap2::Vacuum, _) => PageLists::vacuum(data),
        (Heap2::Freeze, 16..) => PageLists::freeze_plans(data, XlHeapFreezePage16::new(main).nplans()),
        (Heap2::Freeze, _) => PageLists::freeze_tuples(data, XlHeapFreezePage13::new(main).ntuples()),
        _ => return None,
    })
}

/// The lists of a Btree DELETE or VACUUM; `None` where it has no block data.
pub(super) fn leaf_lists<'a>(record: &DecodedRecord<'a>) -> Option<LeafLists<'a>> {
    if record.rmgr() != Rmgr::BTREE {
        return None;
    }
    let data = record.blocks.iter().find(|block| block.id == 0 && block.has_data)?.data;
    let delete = XlBtreeDelete14::new(record.main_data);
    let (deleted, updated) = match (record.info() & 0xF0, record.major) {
        (0x70, 0..=13) => (XlBtreeDelete13::new(record.main_data).ndeleted(), 0),
        (0x70, _) => (u32::from(delete.ndeleted()), delete.nupdated()),
        (0xC0, _) => {
            let vacuum = XlBtreeVacuum::new(record.main_data);
            (u32::from(vacuum.ndeleted()), vacuum.nupdated())
        }
        _ => return None,
    };
    Some(LeafLists::new(data, deleted, updated))
}

impl Heap2 {
    /// What main data holds.
    pub const fn contents(self, major: u32) -> &'static str {
        match self {
            Self::Prune if major >= 17 => {
                "which lists are with the block, and from which xid on a standby's snapshot is in the way"
            }
            Self::Prune => "how long the lists are, and from which xid on a standby's snapshot is in the way",
            Self::Vacuum => "how many line pointers become unused",
            Self::Freeze => "how many tuples or plans, and up to which xid is frozen",
            Self::CleanupInfo => "the table, and from which xid on a standby's snapshot is in the way",
            Self::Visible => "the visibility map's bits, and from which xid on a standby's snapshot is in the way",
            Self::MultiInsert => {
                "flags and number of tuples; line pointers only where the page is not new, 2 bytes each"
            }
            Self::LockUpdated => "who locks, line pointer and flags",
            Self::NewCid => "a catalog row and its command ids, for logical decoding",
            Self::Rewrite => "where rows of a rewritten catalog went, for logical decoding",
        }
    }
}
