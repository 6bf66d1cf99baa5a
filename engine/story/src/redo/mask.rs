//! What a page after redo need not have in common with the server's page: hints and unused bytes
//! (src/backend/access/common/bufmask.c; `heap_mask`, `btree_mask`, `seq_mask`). Masked pages are compared byte for
//! byte.

use super::tuple::tuple;
use ffviz_format::heap::SPEC_TOKEN_OFFSET_NUMBER;
use ffviz_format::heap::infomask::{HEAP_XACT_MASK, HEAP_XMAX_COMMITTED, HEAP_XMAX_INVALID};
use ffviz_format::nbtree::flags::{BTP_DELETED, BTP_HAS_FULLXID, BTP_HAS_GARBAGE, BTP_LEAF, BTP_SPLIT_END};
use ffviz_format::page::brin::{
    BRIN_EVACUATE_PAGE, BRIN_REGULAR, SPECIAL as BRIN_SPECIAL, brin_page_flags, brin_page_type, set_brin_page_flags,
};
use ffviz_format::page::header::{PD_ALL_VISIBLE, PD_HAS_FREE_LINES, PD_PAGE_FULL};
use ffviz_format::page::nbtree::BTPageOpaqueData;
use ffviz_format::page::{ForkNumber, ItemIdData, LpFlags, Lsn, OffsetNumber, Page, PageHeaderData, maxalign};
use ffviz_format::state::{AccessMethod, PageId, State};

/// How a page is to be masked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageShape {
    /// main fork of a table
    Heap,
    /// main fork of a B-tree index
    Btree,
    /// a sequence
    Sequence,
    /// visibility map
    Vm,
    /// anything else
    Other,
}

impl PageShape {
    /// That of a page, by its fork and its relation's access method.
    #[must_use]
    pub fn of(state: &State, id: PageId) -> Self {
        match (id.fork, state.relations.get(&id.relation).map(|relation| &relation.am)) {
            (ForkNumber::Main, Some(AccessMethod::Heap)) => Self::Heap,
            (ForkNumber::Main, Some(AccessMethod::Btree)) => Self::Btree,
            (ForkNumber::Main, Some(AccessMethod::Sequence)) => Self::Sequence,
            (ForkNumber::Vm, _) => Self::Vm,
            _ => Self::Other,
        }
    }
}

/// The page with everything replaced that redo does not reproduce; `block` is its number.
#[must_use]
pub fn mask(page: &Page, shape: PageShape, block: u32) -> Page {
    let mut page = page.clone();
    page.set_pd_lsn(Lsn(0));
    page.write_bytes(PageHeaderData::bytes_of("pd_checksum", 0).start, &[0, 0]);
    match shape {
        // the server masks all of the map, since it takes its bits for unused space; here they must agree
        PageShape::Vm => {}
        PageShape::Sequence => mask_unused_space(&mut page),
        PageShape::Heap => {
            mask_hints(&mut page);
            mask_unused_space(&mut page);
            mask_heap(&mut page, block);
        }
        PageShape::Btree => {
            mask_hints(&mut page);
            mask_unused_space(&mut page);
            mask_btree(&mut page);
        }
        PageShape::Other => {
            mask_hints(&mut page);
            mask_unused_space(&mut page);
            mask_brin(&mut page);
        }
    }
    page
}

/// `mask_page_hint_bits`
fn mask_hints(page: &mut Page) {
    page.set_pd_prune_xid(0);
    page.set_pd_flags(page.header().pd_flags() & !(PD_PAGE_FULL | PD_HAS_FREE_LINES | PD_ALL_VISIBLE));
}

/// `mask_unused_space`: the hole.
fn mask_unused_space(page: &mut Page) {
    let (lower, upper) = (page.header().pd_lower(), page.header().pd_upper());
    if (PageHeaderData::SIZE as u16..=upper).contains(&lower) && upper <= page.special_start() {
        page.bytes_mut()[usize::from(lower)..usize::from(upper)].fill(0);
    }
}

/// `heap_mask`: hints of tuples, command ids, speculative tokens, bytes behind tuples.
fn mask_heap(page: &mut Page, block: u32) {
    for n in (1..=page.item_count()).map(OffsetNumber) {
        if let Ok(mut tuple) = tuple(page, block, n) {
            let hints = HEAP_XMAX_INVALID | HEAP_XMAX_COMMITTED;
            tuple.t_infomask &= !if tuple.is_frozen() { hints } else { HEAP_XACT_MASK };
            tuple.t_field3 = 0;
            if tuple.t_ctid.offset == SPEC_TOKEN_OFFSET_NUMBER {
                tuple.t_ctid = tuple.tid;
            }
            tuple.write(page);
        }
        let lp = page.item_id(n).unwrap_or(ItemIdData::UNUSED);
        let padding = usize::from(maxalign(lp.lp_len()) - lp.lp_len());
        if lp.lp_len() > 0 {
            page.write_bytes(lp.lp_off().saturating_add(lp.lp_len()), &[0; 8][..padding]);
        }
    }
}

/// `brin_mask`: that a page is to be left is not logged.
fn mask_brin(page: &mut Page) {
    if page.size() - page.special_start() == BRIN_SPECIAL && brin_page_type(page) == BRIN_REGULAR {
        let flags = brin_page_flags(page) & !BRIN_EVACUATE_PAGE;
        set_brin_page_flags(page, flags);
    }
}

/// `btree_mask`: killed items, hints of the page, what is left on deleted pages.
fn mask_btree(page: &mut Page) {
    let at = page.special_start();
    let opaque = BTPageOpaqueData::new(page.slice(at..page.size()));
    let flags = opaque.btpo_flags();
    if flags & BTP_DELETED != 0 && flags & BTP_HAS_FULLXID == 0 {
        // 13 leaves the contents as they were, redo makes the page anew
        page.set_pd_lower(0);
        page.set_pd_upper(0);
        page.bytes_mut().iter_mut().skip(PageHeaderData::SIZE).for_each(|byte| *byte = 0);
        return;
    }
    if flags & BTP_LEAF != 0 {
        for n in (1..=page.item_count()).map(OffsetNumber) {
            if let Some(lp) = page.item_id(n).filter(|lp| lp.lp_flags() != LpFlags::Unused) {
                page.set_item_id(n, ItemIdData::new(lp.lp_off(), 0, lp.lp_len()));
            }
        }
    }
    page.write(BTPageOpaqueData::bytes_of("btpo_flags", at).start, &(flags & !(BTP_HAS_GARBAGE | BTP_SPLIT_END)));
    page.write(BTPageOpaqueData::bytes_of("btpo_cycleid", at).start, &0_u16);
}
