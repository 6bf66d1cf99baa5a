//! `MARK_PAGE_HALFDEAD`, `UNLINK_PAGE`, `UNLINK_PAGE_META` (`btree_xlog_mark_page_halfdead`, `btree_xlog_unlink_page`):
//! a page leaves the tree.
//!
//! ```text
//!  half-dead   the parent's downlink to the leaf is led to the right sibling; the leaf keeps one item: what else of its branch is to go
//!  unlinked    left sibling ◀──▶ right sibling; the page is empty and says from when on it may be used again
//! ```

use crate::redo::Redo;
use alloc::string::String;
use ffviz_format::nbtree::Opaque;
use ffviz_format::nbtree::flags::{BTP_DELETED, BTP_HALF_DEAD, BTP_HAS_FULLXID, BTP_LEAF, INDEX_ALT_TID_MASK};
use ffviz_format::page::PgVersion;
use ffviz_format::page::layout::Wire;
use ffviz_format::page::nbtree::{BTDeletedPageData, IndexTupleData};
use ffviz_format::page::{BlockNumber, ItemPointer, OffsetNumber, Page, PageHeaderData};
use ffviz_format::wal::rec::btree::{XlBtreeMarkPageHalfdead, XlBtreeUnlinkPage, XlBtreeUnlinkPage13};

/// The first step: the leaf loses its downlink.
pub(super) fn mark_page_halfdead(redo: &mut Redo<'_>) {
    let mark = XlBtreeMarkPageHalfdead::new(redo.record.main_data);
    let size = redo.disk.page_size;
    redo.init(0, |_| half_dead(mark.leftblk(), mark.rightblk(), mark.topparent(), size));
    redo.edit(1, |page, _| lead_to_right_sibling(page, OffsetNumber(mark.poffset())));
}

/// In the parent: the item keeps its key and takes over the downlink of the next, which goes.
fn lead_to_right_sibling(page: &mut Page, poffset: OffsetNumber) -> Result<(), String> {
    let next = OffsetNumber(poffset.0.saturating_add(1));
    let right = IndexTupleData::new(page.index_item(next)?).t_tid().block;
    let mut item = page.index_item(poffset)?.to_vec();
    let t_tid = IndexTupleData::new(&item).t_tid();
    if item.len() < IndexTupleData::SIZE {
        return Err(alloc::format!("item {poffset} is shorter than its header"));
    }
    ItemPointer { block: right, ..t_tid }.set(&mut item);
    page.index_tuple_overwrite(poffset, &item)?;
    page.index_tuple_delete(next)
}

/// An empty leaf whose only item says which page of its branch is the next to go.
fn half_dead(prev: BlockNumber, next: BlockNumber, top_parent: BlockNumber, size: u16) -> Result<Page, String> {
    let opaque = Opaque { btpo_prev: prev, btpo_next: next, btpo_flags: BTP_HALF_DEAD | BTP_LEAF, ..Opaque::default() };
    let mut page = opaque.page(size);
    let mut tuple = [0; IndexTupleData::SIZE];
    ItemPointer { block: top_parent, offset: OffsetNumber(0) }.set(&mut tuple);
    (IndexTupleData::SIZE as u16 | INDEX_ALT_TID_MASK).set(&mut tuple[ItemPointer::SIZE..]);
    page.add_item(&tuple, OffsetNumber(1), false)?;
    Ok(page)
}

/// What the record says, in the words of all versions.
struct Unlink {
    leftsib: BlockNumber,
    rightsib: BlockNumber,
    leafleftsib: BlockNumber,
    leafrightsib: BlockNumber,
    leaftopparent: BlockNumber,
    page: Page,
}

impl Unlink {
    fn read(main: &[u8], version: PgVersion, size: u16) -> Self {
        if !version.has_btree_full_xids() {
            let unlink = XlBtreeUnlinkPage13::new(main);
            Self {
                leftsib: unlink.leftsib(),
                rightsib: unlink.rightsib(),
                leafleftsib: unlink.leafleftsib(),
                leafrightsib: unlink.leafrightsib(),
                leaftopparent: unlink.topparent(),
                // the xid stands where the level was
                page: deleted(unlink.leftsib(), unlink.rightsib(), unlink.btpo_xact(), BTP_DELETED, size),
            }
        } else {
            let unlink = XlBtreeUnlinkPage::new(main);
            let leaf = if unlink.level() == 0 { BTP_LEAF } else { 0 };
            let flags = BTP_DELETED | BTP_HAS_FULLXID | leaf;
            let mut page = deleted(unlink.leftsib(), unlink.rightsib(), unlink.level(), flags, size);
            let start = PageHeaderData::SIZE as u16;
            page.write(start, &unlink.safexid());
            page.set_pd_lower(start + BTDeletedPageData::SIZE as u16);
            Self {
                leftsib: unlink.leftsib(),
                rightsib: unlink.rightsib(),
                leafleftsib: unlink.leafleftsib(),
                leafrightsib: unlink.leafrightsib(),
                leaftopparent: unlink.leaftopparent(),
                page,
            }
        }
    }
}

fn deleted(prev: BlockNumber, next: BlockNumber, level: u32, flags: u16, size: u16) -> Page {
    Opaque { btpo_prev: prev, btpo_next: next, btpo_level: level, btpo_flags: flags, btpo_cycleid: 0 }.page(size)
}

/// The second step, for each page of the branch: its siblings are linked to one another.
pub(super) fn unlink_page(redo: &mut Redo<'_>) {
    let size = redo.disk.page_size;
    let unlink = Unlink::read(redo.record.main_data, redo.record.version, size);
    redo.init(0, |_| Ok(unlink.page.clone()));
    redo.edit(1, |page, _| Opaque::change(page, |opaque| opaque.btpo_next = unlink.rightsib));
    redo.edit(2, |page, _| Opaque::change(page, |opaque| opaque.btpo_prev = unlink.leftsib));
    // the leaf, unless it is the page itself
    redo.init(3, |_| half_dead(unlink.leafleftsib, unlink.leafrightsib, unlink.leaftopparent, size));
}
