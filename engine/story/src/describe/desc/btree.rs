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
    if !record.version.deletes_from_posting_lists() {
        // there ndeleted has 32 bits
        return format!("latestRemovedXid {xid}; ndeleted {}", u32::from(updated) << 16 | u32::from(deleted));
    }
    if !has_keys(record) {
        return format!("latestRemovedXid {xid}; ndeleted {deleted}; nupdated {updated}");
    }
    let catalog = catalog(record, delete.isCatalogRel());
    format!("snapshotConflictHorizon: {xid}, ndeleted: {deleted}, nupdated: {updated}{catalog}{}", lists(record))
}

/// That the table is a catalog, which 16 does not tell.
fn catalog(record: &DecodedRecord<'_>, is: bool) -> String {
    if record.version.describes_catalogs() { format!(", isCatalogRel: {}", true_or_false(is)) } else { String::new() }
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
    if !record.version.has_btree_full_xids() {
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
    if !record.version.has_btree_full_xids() {
        let xid = XlBtreeReusePage13::new(record.main_data).latestRemovedXid();
        return format!("rel {rel}; latestRemovedXid {xid}");
    }
    if !has_keys(record) {
        return format!("rel {rel}; latestRemovedXid {xid}");
    }
    format!("rel: {rel}, snapshotConflictHorizon: {xid}{}", catalog(record, reuse.isCatalogRel()))
}

fn meta_cleanup(record: &DecodedRecord<'_>) -> String {
    let data = record.block(0).map_or(&[][..], |block| block.data);
    let pages = XlBtreeMetadata::new(data).last_cleanup_num_delpages();
    if !record.version.has_btree_full_xids() {
        let meta = XlBtreeMetadata13::new(data);
        let (xact, rows) = (meta.oldest_btpo_xact(), meta.last_cleanup_num_heap_tuples());
        return format!("oldest_btpo_xact {xact}; last_cleanup_num_heap_tuples: {rows:.6}");
    }
    let colon = if has_keys(record) { ":" } else { "" };
    format!("last_cleanup_num_delpages{colon} {pages}")
}
