//! Redo of Btree records (`btree_redo`, src/backend/access/nbtree/nbtxlog.c).
//!
//! | file | records |
//! | --- | --- |
//! | here | `INSERT_…`, `NEWROOT`, `META_CLEANUP` |
//! | `split` | `SPLIT_L`, `SPLIT_R` |
//! | `leaf` | `DEDUP`, `DELETE`, `VACUUM`: a leaf gets smaller |
//! | `unlink` | `MARK_PAGE_HALFDEAD`, `UNLINK_PAGE…`: a page leaves the tree |

mod leaf;
mod split;
mod unlink;

use super::Redo;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::nbtree::Opaque;
use ffviz_format::nbtree::flags::{BTP_INCOMPLETE_SPLIT, BTP_LEAF, BTP_META, BTP_ROOT};
use ffviz_format::nbtree::posting::{index_tuple_size, swap_posting};
use ffviz_format::page::layout::Wire;
use ffviz_format::page::nbtree::{BTMetaPageData, BTMetaPageData13, BTREE_MAGIC, UNKNOWN_HEAP_TUPLES};
use ffviz_format::page::{OffsetNumber, Page, PageHeaderData, PgVersion, maxalign};
use ffviz_format::wal::rec::btree::{XlBtreeInsert, XlBtreeMetadata, XlBtreeMetadata13, XlBtreeNewroot};
use ffviz_format::wal::record_type::BtreeType;

/// Does what the record says.
pub(super) fn redo(redo: &mut Redo<'_>, of: BtreeType) {
    match of {
        BtreeType::InsertLeaf => insert(redo),
        BtreeType::InsertUpper => insert_upper(redo),
        BtreeType::InsertMeta => {
            insert_upper(redo);
            restore_meta(redo, 2);
        }
        BtreeType::SplitL => split::redo(redo, true),
        BtreeType::SplitR => split::redo(redo, false),
        BtreeType::InsertPost => insert_posting(redo),
        BtreeType::Dedup => leaf::dedup(redo),
        BtreeType::Delete => leaf::delete(redo),
        BtreeType::UnlinkPage => unlink::unlink_page(redo),
        BtreeType::UnlinkPageMeta => {
            unlink::unlink_page(redo);
            restore_meta(redo, 4);
        }
        BtreeType::Newroot => newroot(redo),
        BtreeType::MarkPageHalfdead => unlink::mark_page_halfdead(redo),
        BtreeType::Vacuum => leaf::vacuum(redo),
        // changes no page: queries on a standby may be in its way
        BtreeType::ReusePage => {}
        BtreeType::MetaCleanup => restore_meta(redo, 0),
    }
}

/// `INSERT_LEAF`, and the first part of the others: a tuple more.
fn insert(redo: &mut Redo<'_>) {
    let offnum = OffsetNumber(XlBtreeInsert::new(redo.record.main_data).offnum());
    redo.edit(0, |page, block| page.add_item(block.data, offnum, false));
}

/// `INSERT_UPPER`: the downlink that finishes a split below.
fn insert_upper(redo: &mut Redo<'_>) {
    insert(redo);
    clear_incomplete_split(redo, 1);
}

/// `INSERT_POST`: the new tuple's TID lies between those of a posting list, so it changes places with the list's last.
fn insert_posting(redo: &mut Redo<'_>) {
    let offnum = OffsetNumber(XlBtreeInsert::new(redo.record.main_data).offnum());
    redo.edit(0, |page, block| {
        let (at, new) = (u16::get(block.data), block.data.get(u16::SIZE..).unwrap_or(&[]));
        let before = OffsetNumber(offnum.0.saturating_sub(1));
        let (list, new) = swap_posting(new, page.index_item(before)?, at)?;
        page.add_item(&new, offnum, false)?;
        page.index_tuple_overwrite(before, &list)
    });
}

/// `_bt_clear_incomplete_split`
fn clear_incomplete_split(redo: &mut Redo<'_>, id: u8) {
    redo.edit(id, |page, _| Opaque::change(page, |opaque| opaque.btpo_flags &= !BTP_INCOMPLETE_SPLIT));
}

/// `NEWROOT`: the first root is an empty leaf; later ones have two downlinks.
fn newroot(redo: &mut Redo<'_>) {
    let (level, size) = (XlBtreeNewroot::new(redo.record.main_data).level(), redo.disk.page_size);
    redo.init(0, |block| {
        let btpo_flags = if level == 0 { BTP_ROOT | BTP_LEAF } else { BTP_ROOT };
        let mut page = Opaque { btpo_level: level, btpo_flags, ..Opaque::default() }.page(size);
        if level > 0 {
            restore_page(&mut page, block.data)?;
        }
        Ok(page)
    });
    if level > 0 {
        clear_incomplete_split(redo, 1);
    }
    restore_meta(redo, 2);
}

/// `_bt_restore_page`: the tuples lie in the record as they will on the page, the last item first.
fn restore_page(page: &mut Page, mut data: &[u8]) -> Result<(), String> {
    let mut items = Vec::new();
    while !data.is_empty() {
        let size = usize::from(maxalign(index_tuple_size(data)?));
        let (item, rest) = data.split_at_checked(size).ok_or("the last tuple is cut off")?;
        items.push(item);
        data = rest;
    }
    (1..).zip(items.iter().rev()).try_for_each(|(n, item)| page.add_item(item, OffsetNumber(n), false))
}

/// `_bt_restore_meta`: the metapage, wholly from the record.
fn restore_meta(redo: &mut Redo<'_>, id: u8) {
    let (version, size) = (redo.record.version, redo.disk.page_size);
    redo.init(id, |block| {
        let wanted = if version.has_btree_full_xids() { XlBtreeMetadata::SIZE } else { XlBtreeMetadata13::SIZE };
        if block.data.len() != wanted {
            return Err(format!("{} bytes about the metapage, {wanted} are wanted", block.data.len()));
        }
        let mut page = Opaque { btpo_flags: BTP_META, ..Opaque::default() }.page(size);
        write_meta(&mut page, block.data, version);
        Ok(page)
    });
}

fn write_meta(page: &mut Page, data: &[u8], version: PgVersion) {
    let start = PageHeaderData::SIZE as u16;
    let at = |field: &str| BTMetaPageData::bytes_of(field, start).start;
    let meta = XlBtreeMetadata::new(data);
    page.write(at("btm_magic"), &BTREE_MAGIC);
    page.write(at("btm_version"), &meta.version());
    page.write(at("btm_root"), &meta.root());
    page.write(at("btm_level"), &meta.level());
    page.write(at("btm_fastroot"), &meta.fastroot());
    page.write(at("btm_fastlevel"), &meta.fastlevel());
    if !version.has_btree_full_xids() {
        let meta = XlBtreeMetadata13::new(data);
        let at = |field: &str| BTMetaPageData13::bytes_of(field, start).start;
        page.write(at("btm_oldest_btpo_xact"), &meta.oldest_btpo_xact());
        page.write(at("btm_last_cleanup_num_heap_tuples"), &meta.last_cleanup_num_heap_tuples());
        page.write(at("btm_allequalimage"), &u8::from(meta.allequalimage()));
    } else {
        page.write(at("btm_last_cleanup_num_delpages"), &meta.last_cleanup_num_delpages());
        page.write(at("btm_last_cleanup_num_heap_tuples"), &UNKNOWN_HEAP_TUPLES);
        page.write(at("btm_allequalimage"), &u8::from(meta.allequalimage()));
    }
    page.set_pd_lower(start + BTMetaPageData::SIZE as u16);
}
