//! `btree_desc` (src/backend/access/rmgrdesc/nbtdesc.c).

use super::super::lists::leaf_lists;
use super::{has_keys, list, offsets, true_or_false};
use alloc::format;
use alloc::string::String;
use ffviz_format::page::layout::Wire;
use ffviz_format::wal::DecodedRecord;
use ffviz_format::wal::rec::FullTransactionId;
use ffviz_format::wal::rec::btree::{
    LeafLists, XlBtreeDedup, XlBtreeDelete, XlBtreeInsert, XlBtreeMarkPageHalfdead, XlBtreeMetadata, XlBtreeMetadata13,
    XlBtreeNewroot, XlBtreeReusePage, XlBtreeReusePage13, XlBtreeSplit, XlBtreeUnlinkPage, XlBtreeUnlinkPage13,
    XlBtreeUpdate, XlBtreeVacuum,
};
use ffviz_format::wal::record_type::BtreeType;

pub(super) fn describe(record: &DecodedRecord<'_>, of: BtreeType) -> String {
    let text = match of {
        BtreeType::InsertLeaf | BtreeType::InsertUpper | BtreeType::InsertMeta | BtreeType::InsertPost => {
            format!("off: {}", XlBtreeInsert::new(record.main_data).offnum())
        }
        BtreeType::SplitL | BtreeType::SplitR => split(record),
        BtreeType::Dedup => format!("nintervals: {}", XlBtreeDedup::new(record.main_data).nintervals()),
        BtreeType::Delete => return delete(record),
        BtreeType::UnlinkPage | BtreeType::UnlinkPageMeta => return unlink(record),
        BtreeType::Newroot => return new_root(record),
        BtreeType::MarkPageHalfdead => return half_dead(record),
        BtreeType::Vacuum => return vacuum(record),
        BtreeType::ReusePage => return reuse(record),
        BtreeType::MetaCleanup => return meta_cleanup(record),
    };
    // before 16 these had no colons
    if has_keys(record) { text } else { text.replace(": ", " ") }
}

fn split(record: &DecodedRecord<'_>) -> String {
    let split = XlBtreeSplit::new(record.main_data);
    let (level, right, new, posting) = (split.level(), split.firstrightoff(), split.newitemoff(), split.postingoff());
    format!("level: {level}, firstrightoff: {right}, newitemoff: {new}, postingoff: {posting}")
}

fn delete(record: &DecodedRecord<'_>) -> String {
    let delete = XlBtreeDelete::new(record.main_data);
    let (xid, deleted, updated) = (delete.snapshotConflictHorizon(), delete.ndeleted(), delete.nupdated());
    match record.major() {
        // there ndeleted has 32 bits
        0..=13 => format!("latestRemovedXid {xid}; ndeleted {}", u32::from(updated) << 16 | u32::from(deleted)),
        14 | 15 => format!("latestRemovedXid {xid}; ndeleted {deleted}; nupdated {updated}"),
        16 => {
            let counts = format!("ndeleted: {deleted}, nupdated: {updated}");
            format!("snapshotConflictHorizon: {xid}, {counts}{}", lists(record))
        }
        _ => {
            let catalog = true_or_false(delete.isCatalogRel());
            let counts = format!("ndeleted: {deleted}, nupdated: {updated}, isCatalogRel: {catalog}");
            format!("snapshotConflictHorizon: {xid}, {counts}{}", lists(record))
        }
    }
}

fn vacuum(record: &DecodedRecord<'_>) -> String {
    let vacuum = XlBtreeVacuum::new(record.main_data);
    let (deleted, updated) = (vacuum.ndeleted(), vacuum.nupdated());
    if has_keys(record) {
        format!("ndeleted: {deleted}, nupdated: {updated}{}", lists(record))
    } else {
        format!("ndeleted {deleted}; nupdated {updated}")
    }
}

/// `delvacuum_desc`
fn lists(record: &DecodedRecord<'_>) -> String {
    let Some(LeafLists { deleted, updates, .. }) = leaf_lists(record) else { return String::new() };
    let updates = list(updates.iter().map(|update| {
        let count = XlBtreeUpdate::new(update.count.bytes).ndeletedtids();
        format!("{{ off: {}, nptids: {count}, ptids: {} }}", update.offset, offsets(&update.ptids))
    }));
    format!(", deleted: {}, updated: {updates}", offsets(&deleted))
}

fn half_dead(record: &DecodedRecord<'_>) -> String {
    let page = XlBtreeMarkPageHalfdead::new(record.main_data);
    let (top, leaf, left, right) = (page.topparent(), page.leafblk(), page.leftblk(), page.rightblk());
    if has_keys(record) {
        format!("topparent: {top}, leaf: {leaf}, left: {left}, right: {right}")
    } else {
        format!("topparent {top}; leaf {leaf}; left {left}; right {right}")
    }
}

fn unlink(record: &DecodedRecord<'_>) -> String {
    if record.major() < 14 {
        let page = XlBtreeUnlinkPage13::new(record.main_data);
        let (left, right, xact) = (page.leftsib(), page.rightsib(), page.btpo_xact());
        let (leaf_left, leaf_right, top) = (page.leafleftsib(), page.leafrightsib(), page.topparent());
        return format!(
            "left {left}; right {right}; btpo_xact {xact}; leafleft {leaf_left}; leafright {leaf_right}; topparent {top}"
        );
    }
    let page = XlBtreeUnlinkPage::new(record.main_data);
    let (left, right, level, xid) = (page.leftsib(), page.rightsib(), page.level(), page.safexid().show());
    let (leaf_left, leaf_right, top) = (page.leafleftsib(), page.leafrightsib(), page.leaftopparent());
    if has_keys(record) {
        let target = format!("left: {left}, right: {right}, level: {level}, safexid: {xid}");
        format!("{target}, leafleft: {leaf_left}, leafright: {leaf_right}, leaftopparent: {top}")
    } else {
        let target = format!("left {left}; right {right}; level {level}; safexid {xid}");
        format!("{target}; leafleft {leaf_left}; leafright {leaf_right}; leaftopparent {top}")
    }
}

fn new_root(record: &DecodedRecord<'_>) -> String {
    let level = XlBtreeNewroot::new(record.main_data).level();
    if has_keys(record) { format!("level: {level}") } else { format!("lev {level}") }
}

fn reuse(record: &DecodedRecord<'_>) -> String {
    let reuse = XlBtreeReusePage::new(record.main_data);
    let (rel, xid) = (reuse.locator(), FullTransactionId::show(&reuse.snapshotConflictHorizon()));
    match record.major() {
        0..=13 => {
            format!("rel {rel}; latestRemovedXid {}", XlBtreeReusePage13::new(record.main_data).latestRemovedXid())
        }
        14 | 15 => format!("rel {rel}; latestRemovedXid {xid}"),
        16 => format!("rel: {rel}, snapshotConflictHorizon: {xid}"),
        _ => {
            let catalog = true_or_false(reuse.isCatalogRel());
            format!("rel: {rel}, snapshotConflictHorizon: {xid}, isCatalogRel: {catalog}")
        }
    }
}

fn meta_cleanup(record: &DecodedRecord<'_>) -> String {
    let data = record.block(0).map_or(&[][..], |block| block.data);
    let pages = XlBtreeMetadata::new(data).last_cleanup_num_delpages();
    match record.major() {
        0..=13 => {
            let meta = XlBtreeMetadata13::new(data);
            let (xact, rows) = (meta.oldest_btpo_xact(), meta.last_cleanup_num_heap_tuples());
            format!("oldest_btpo_xact {xact}; last_cleanup_num_heap_tuples: {rows:.6}")
        }
        14 | 15 => format!("last_cleanup_num_delpages {pages}"),
        _ => format!("last_cleanup_num_delpages: {pages}"),
    }
}
