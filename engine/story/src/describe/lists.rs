//! The lists in the data of records that clean a page.

use ffviz_format::wal::rec::btree::{LeafLists, XlBtreeDelete13, XlBtreeDelete14, XlBtreeVacuum};
use ffviz_format::wal::rec::heap2::{PageLists, XlHeapFreezePage13, XlHeapFreezePage16, XlHeapPrune, XlHeapPrune13};
use ffviz_format::wal::record_type::{BtreeType, Heap2Type};
use ffviz_format::wal::{DecodedRecord, RecordType};

/// The lists of a Heap2 record that prunes, vacuums or freezes; `None` where it has no block data (an image stands for
/// it).
pub(super) fn page_lists<'a>(record: &DecodedRecord<'a>) -> Option<PageLists<'a>> {
    let RecordType::Heap2(of) = record.record_type() else { return None };
    let main = record.main_data;
    let data = record.blocks.iter().find(|block| block.id == 0 && block.has_data)?.data;
    Some(match of {
        Heap2Type::PruneOnAccess | Heap2Type::PruneVacuumScan | Heap2Type::PruneVacuumCleanup => {
            PageLists::prune_and_freeze(data, XlHeapPrune::new(main).flags())
        }
        Heap2Type::Clean | Heap2Type::Prune => {
            let prune = XlHeapPrune13::new(main);
            PageLists::prune(data, prune.nredirected(), prune.ndead())
        }
        Heap2Type::Vacuum => PageLists::vacuum(data),
        Heap2Type::FreezePage if record.version.shares_freeze_plans() => {
            PageLists::freeze_plans(data, XlHeapFreezePage16::new(main).nplans())
        }
        Heap2Type::FreezePage => PageLists::freeze_tuples(data, XlHeapFreezePage13::new(main).ntuples()),
        Heap2Type::Rewrite
        | Heap2Type::CleanupInfo
        | Heap2Type::Visible
        | Heap2Type::MultiInsert
        | Heap2Type::LockUpdated
        | Heap2Type::NewCid => return None,
    })
}

/// The lists of a Btree DELETE or VACUUM; `None` where it has no block data.
pub(super) fn leaf_lists<'a>(record: &DecodedRecord<'a>) -> Option<LeafLists<'a>> {
    let RecordType::Btree(of) = record.record_type() else { return None };
    let data = record.blocks.iter().find(|block| block.id == 0 && block.has_data)?.data;
    let delete = XlBtreeDelete14::new(record.main_data);
    let (deleted, updated) = match of {
        BtreeType::Delete if !record.version.deletes_from_posting_lists() => {
            (XlBtreeDelete13::new(record.main_data).ndeleted(), 0)
        }
        BtreeType::Delete => (u32::from(delete.ndeleted()), delete.nupdated()),
        BtreeType::Vacuum => {
            let vacuum = XlBtreeVacuum::new(record.main_data);
            (u32::from(vacuum.ndeleted()), vacuum.nupdated())
        }
        _ => return None,
    };
    Some(LeafLists::new(data, deleted, updated))
}
