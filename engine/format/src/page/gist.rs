//! GiST pages (src/include/access/gist.h).

use super::layout::{Wire, c_struct};
use super::numbers::{BlockNumber, OffsetNumber};
use super::{ItemPointer, Page};
use alloc::string::String;
use alloc::vec::Vec;

c_struct! {
    /// `GISTPageOpaqueData`: the special space at the end of every GiST page.
    pub struct GISTPageOpaqueData, 16 {
        /// when the page was split, high half of the LSN
        0 => nsn_high: u32,
        /// its low half
        4 => nsn_low: u32,
        /// right sibling
        8 => rightlink: BlockNumber,
        /// what sort of page
        12 => flags: u16,
        /// 0xFF81: this is a GiST page
        14 => gist_page_id: u16,
    }
}

/// `GIST_PAGE_ID`
pub const GIST_PAGE_ID: u16 = 0xFF81;
/// `F_LEAF`: its items lead to rows
pub const F_LEAF: u16 = 1 << 0;
/// `F_DELETED`: out of the tree
pub const F_DELETED: u16 = 1 << 1;
/// `F_TUPLES_DELETED`: VACUUM has taken items off it
pub const F_TUPLES_DELETED: u16 = 1 << 2;
/// `F_FOLLOW_RIGHT`: its right sibling has no downlink yet
pub const F_FOLLOW_RIGHT: u16 = 1 << 3;
/// `F_HAS_GARBAGE`: some item is LP_DEAD
pub const F_HAS_GARBAGE: u16 = 1 << 4;
/// `InvalidBlockNumber`
const NO_BLOCK: BlockNumber = BlockNumber::MAX;

/// The flags of a page by their names, in the order of their bits.
#[must_use]
pub fn gist_flags(flags: u16) -> Vec<&'static str> {
    const NAMES: [(u16, &str); 5] = [
        (F_LEAF, "F_LEAF"),
        (F_DELETED, "F_DELETED"),
        (F_TUPLES_DELETED, "F_TUPLES_DELETED"),
        (F_FOLLOW_RIGHT, "F_FOLLOW_RIGHT"),
        (F_HAS_GARBAGE, "F_HAS_GARBAGE"),
    ];
    NAMES.iter().filter(|(flag, _)| flags & flag != 0).map(|(_, name)| *name).collect()
}

/// What a GiST page has at its end; `None` of a page that is none.
#[must_use]
pub fn gist_opaque(page: &Page) -> Option<GISTPageOpaqueData<'_>> {
    let special = page.slice(page.special_start()..page.size());
    (special.len() == GISTPageOpaqueData::SIZE).then(|| GISTPageOpaqueData::new(special))
}

/// The items of a page that have bytes, by their numbers.
#[must_use]
pub fn gist_items(page: &Page) -> Vec<(OffsetNumber, &[u8])> {
    let item = |n| {
        let lp = page.item_id(OffsetNumber(n))?;
        let bytes = page.slice(lp.lp_off()..lp.lp_off().saturating_add(lp.lp_len()));
        (bytes.len() >= ItemPointer::SIZE).then_some((OffsetNumber(n), bytes))
    };
    (1..=page.item_count()).filter_map(item).collect()
}

/// `GISTInitBuffer`: an empty page.
#[must_use]
pub fn gist_init_page(size: u16, flags: u16) -> Page {
    let mut page = Page::init(size, GISTPageOpaqueData::SIZE as u16);
    let special = usize::from(page.special_start());
    if let Some(place) = page.bytes_mut().get_mut(special..) {
        GISTPageOpaqueData::edit(place).rightlink(NO_BLOCK).flags(flags).gist_page_id(GIST_PAGE_ID);
    }
    page
}

/// Sets flags of a page.
///
/// # Errors
/// A sentence, where it has no room for them.
pub fn gist_mark(page: &mut Page, flags: u16) -> Result<(), String> {
    let Some(known) = gist_opaque(page).map(|opaque| opaque.flags()) else {
        return Err(String::from("the page is no GiST page"));
    };
    let special = usize::from(page.special_start());
    if let Some(place) = page.bytes_mut().get_mut(special..) {
        GISTPageOpaqueData::edit(place).flags(known | flags);
    }
    Ok(())
}
