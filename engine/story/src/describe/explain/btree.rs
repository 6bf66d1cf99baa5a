//! Block data and main data of Btree records.

use super::super::lists::leaf_lists;
use super::fields::Fields;
use alloc::format;
use ffviz_format::nbtree::flags::{INDEX_SIZE_MASK, T_INFO};
use ffviz_format::page::layout;
use ffviz_format::page::nbtree::IndexTupleData;
use ffviz_format::wal::rec::Cut;
use ffviz_format::wal::rec::btree::{
    BTDedupInterval, XlBtreeDedup, XlBtreeDelete, XlBtreeDelete13, XlBtreeDelete14, XlBtreeInsert,
    XlBtreeMarkPageHalfdead, XlBtreeMetadata, XlBtreeMetadata13, XlBtreeNewroot, XlBtreeReusePage, XlBtreeReusePage13,
    XlBtreeReusePage14, XlBtreeSplit, XlBtreeUnlinkPage, XlBtreeUnlinkPage13, XlBtreeVacuum,
};
use ffviz_format::wal::record_type::BtreeType;
use ffviz_format::wal::{BlockRef, DecodedRecord};

/// Data of a Btree record's block.
pub(super) fn data(record: &DecodedRecord<'_>, of: BtreeType, block: &BlockRef<'_>, fields: &mut Fields<'_>) {
    let mut cut = Cut::new(block.data);
    match (of, block.id) {
        (BtreeType::InsertMeta | BtreeType::Newroot, 2)
        | (BtreeType::UnlinkPageMeta, 4)
        | (BtreeType::MetaCleanup, 0) => meta(record, block, fields),
        (BtreeType::InsertLeaf | BtreeType::InsertUpper | BtreeType::InsertMeta, 0)
        | (BtreeType::SplitL | BtreeType::SplitR, 0 | 1)
        | (BtreeType::Newroot, 0) => entries(&mut cut, fields),
        (BtreeType::InsertPost, 0) => {
            fields.value::<u16>(
                cut.take(2).at.start,
                "postingoff",
                "TID of the posting list before which the new one comes, from 0",
            );
            entries(&mut cut, fields);
        }
        (BtreeType::Dedup, 0) => {
            for interval in cut.rest().elements(BTDedupInterval::SIZE) {
                let of = BTDedupInterval::new(interval.bytes).fields(0);
                fields.structure(interval.at.start, interval.bytes.len(), of);
            }
        }
        (BtreeType::Delete | BtreeType::Vacuum, 0) => lists(record, fields),
        _ => {}
    }
}

fn meta(record: &DecodedRecord<'_>, block: &BlockRef<'_>, fields: &mut Fields<'_>) {
    if !record.version.has_btree_full_xids() {
        fields.structure(0, XlBtreeMetadata13::SIZE, XlBtreeMetadata13::new(block.data).fields(0));
    } else {
        fields.structure(0, XlBtreeMetadata::SIZE, XlBtreeMetadata::new(block.data).fields(0));
    }
}

/// Index tuples one after the other, each at a multiple of 8 bytes from the first.
fn entries(cut: &mut Cut<'_>, fields: &mut Fields<'_>) {
    while !cut.is_empty() {
        let header = cut.take(IndexTupleData::SIZE);
        let tuple = IndexTupleData::new(header.bytes);
        let size = usize::from(tuple.t_info() & INDEX_SIZE_MASK).next_multiple_of(8);
        fields.structure(header.at.start, header.bytes.len(), tuple.fields(0));
        fields.show("t_info", format!("{:#06x}", tuple.t_info()));
        fields.mean("t_info", |_| format!("size {size} bytes, and three flags"));
        fields.spell("t_info", tuple.t_info(), T_INFO);
        let rest = cut.take(size.saturating_sub(IndexTupleData::SIZE));
        fields.data(
            &rest,
            "key",
            "bytes of the columns, with a null bitmap before and TIDs behind where there are any",
        );
    }
}

/// DELETE and VACUUM.
fn lists(record: &DecodedRecord<'_>, fields: &mut Fields<'_>) {
    let Some(lists) = leaf_lists(record) else { return };
    fields.numbers::<u16>(&lists.deleted, "deletedoffsets", "line pointers of the entries that go");
    fields.numbers::<u16>(&lists.updated, "updatedoffsets", "line pointers of the posting lists that get shorter");
    for update in &lists.updates {
        let meaning = format!("how many TIDs the posting list at line pointer {} loses", update.offset);
        fields.value::<u16>(update.count.at.start, "ndeletedtids", &meaning);
        fields.numbers::<u16>(&update.ptids, "deletedtids", "which TIDs of the list go, counted from 0");
    }
}

/// Main data of a Btree record.
pub(super) fn main(record: &DecodedRecord<'_>, of: BtreeType, fields: &mut Fields<'_>) {
    let (data, version) = (record.main_data, record.version);
    let (size, members): (usize, layout::Fields) = match of {
        BtreeType::InsertLeaf | BtreeType::InsertUpper | BtreeType::InsertMeta | BtreeType::InsertPost => {
            (XlBtreeInsert::SIZE, XlBtreeInsert::new(data).fields(0))
        }
        BtreeType::SplitL | BtreeType::SplitR => (XlBtreeSplit::SIZE, XlBtreeSplit::new(data).fields(0)),
        BtreeType::Dedup => (XlBtreeDedup::SIZE, XlBtreeDedup::new(data).fields(0)),
        BtreeType::Delete if version.marks_catalogs() => (XlBtreeDelete::SIZE, XlBtreeDelete::new(data).fields(0)),
        BtreeType::Delete if version.deletes_from_posting_lists() => {
            (XlBtreeDelete14::SIZE, XlBtreeDelete14::new(data).fields(0))
        }
        BtreeType::Delete => (XlBtreeDelete13::SIZE, XlBtreeDelete13::new(data).fields(0)),
        BtreeType::UnlinkPage | BtreeType::UnlinkPageMeta if version.has_btree_full_xids() => {
            (XlBtreeUnlinkPage::SIZE, XlBtreeUnlinkPage::new(data).fields(0))
        }
        BtreeType::UnlinkPage | BtreeType::UnlinkPageMeta => {
            (XlBtreeUnlinkPage13::SIZE, XlBtreeUnlinkPage13::new(data).fields(0))
        }
        BtreeType::Newroot => (XlBtreeNewroot::SIZE, XlBtreeNewroot::new(data).fields(0)),
        BtreeType::MarkPageHalfdead => (XlBtreeMarkPageHalfdead::SIZE, XlBtreeMarkPageHalfdead::new(data).fields(0)),
        BtreeType::Vacuum => (XlBtreeVacuum::SIZE, XlBtreeVacuum::new(data).fields(0)),
        BtreeType::ReusePage if version.marks_catalogs() => {
            (XlBtreeReusePage::SIZE, XlBtreeReusePage::new(data).fields(0))
        }
        BtreeType::ReusePage if version.has_btree_full_xids() => {
            (XlBtreeReusePage14::SIZE, XlBtreeReusePage14::new(data).fields(0))
        }
        BtreeType::ReusePage => (XlBtreeReusePage13::SIZE, XlBtreeReusePage13::new(data).fields(0)),
        BtreeType::MetaCleanup => return,
    };
    fields.structure(0, size, members);
}
