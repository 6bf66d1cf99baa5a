//! BRIN pages (src/include/access/brin_page.h; `brin_page_init`, `brin_metapage_init`,
//! src/backend/access/brin/brin_pageops.c; `brinSetHeapBlockItemptr`, brin_revmap.c).
//!
//! ```text
//!  0 meta    pages a range, last page of the range map        1 … revmap   where the summary of each range is
//!  regular   summaries, an item each                          behind each: 8 bytes of special space, the type last
//! ```

#![expect(non_snake_case, reason = "fields have PostgreSQL's names")]

use super::layout::{Wire, c_struct};
use super::numbers::BlockNumber;
use super::{ItemPointer, OffsetNumber, Page, PageHeaderData};

c_struct! {
    /// `BrinMetaPageData`: what the first page holds.
    pub struct BrinMetaPageData, 16 {
        /// 0xA8109CFA
        0 => brinMagic: u32,
        /// 1
        4 => brinVersion: u32,
        /// pages of the table that one summary is of
        8 => pagesPerRange: BlockNumber,
        /// the last page of the range map
        12 => lastRevmapPage: BlockNumber,
    }
}

/// Size of `BrinSpecialSpace`.
pub const SPECIAL: u16 = 8;
/// `BRIN_META_MAGIC`
pub const BRIN_META_MAGIC: u32 = 0xA810_9CFA;
/// `BRIN_CURRENT_VERSION`
pub const BRIN_CURRENT_VERSION: u32 = 1;
/// `BRIN_PAGETYPE_META`
pub const BRIN_META: u16 = 0xF091;
/// `BRIN_PAGETYPE_REVMAP`
pub const BRIN_REVMAP: u16 = 0xF092;
/// `BRIN_PAGETYPE_REGULAR`
pub const BRIN_REGULAR: u16 = 0xF093;
/// `BRIN_EVACUATE_PAGE`: its items move away, for the range map comes here
pub const BRIN_EVACUATE_PAGE: u16 = 1;

/// Where `PageGetContents` begins.
const CONTENTS: u16 = PageHeaderData::SIZE as u16;

/// `BrinPageType`
#[must_use]
pub fn brin_page_type(page: &Page) -> u16 {
    halfword(page, 6)
}

/// `BrinPageFlags`
#[must_use]
pub fn brin_page_flags(page: &Page) -> u16 {
    halfword(page, 4)
}

/// One of the special space.
fn halfword(page: &Page, at: u16) -> u16 {
    let at = page.special_start().saturating_add(at);
    let bytes = page.slice(at..at.saturating_add(2));
    if bytes.len() == u16::SIZE { u16::get(bytes) } else { 0 }
}

/// Sets `BrinPageFlags`.
pub fn set_brin_page_flags(page: &mut Page, flags: u16) {
    page.write(page.special_start() + 4, &flags);
}

/// `brin_page_init`
#[must_use]
pub fn brin_page_init(size: u16, page_type: u16) -> Page {
    let mut page = Page::init(size, SPECIAL);
    page.write(page.special_start() + 6, &page_type);
    page
}

/// `brin_metapage_init`
#[must_use]
pub fn brin_metapage_init(size: u16, pages_per_range: BlockNumber, version: u32) -> Page {
    let mut page = brin_page_init(size, BRIN_META);
    page.write_bytes(CONTENTS, &BrinMetaPageData::make(BRIN_META_MAGIC, version, pages_per_range, 0));
    set_meta_lower(&mut page);
    page
}

fn set_meta_lower(page: &mut Page) {
    page.set_pd_lower(CONTENTS + BrinMetaPageData::SIZE as u16);
}

/// What a metapage holds; zeros where bytes are missing.
#[must_use]
pub fn brin_meta(page: &Page) -> BrinMetaPageData<'_> {
    BrinMetaPageData::new(page.slice(CONTENTS..CONTENTS + BrinMetaPageData::SIZE as u16))
}

/// The metapage learns which page of the range map is the last one.
pub fn set_last_revmap_page(page: &mut Page, last: BlockNumber) {
    page.write(BrinMetaPageData::bytes_of("lastRevmapPage", CONTENTS).start, &last);
    set_meta_lower(page);
}

/// `REVMAP_PAGE_MAXITEMS`: entries of a page of the range map.
#[must_use]
pub const fn revmap_page_items(size: u16) -> u32 {
    (size.saturating_sub(CONTENTS + SPECIAL) / ItemPointer::SIZE as u16) as u32
}

/// The entry of a page of the range map; `None`: the range has no summary.
#[must_use]
pub fn revmap_entry(page: &Page, index: u32) -> Option<ItemPointer> {
    revmap_entries(page).nth(index as usize).filter(|tid| tid.offset.0 != 0)
}

/// All entries of a page of the range map, as they are stored.
pub fn revmap_entries(page: &Page) -> impl Iterator<Item = ItemPointer> {
    let end = CONTENTS + revmap_page_items(page.size()) as u16 * ItemPointer::SIZE as u16;
    page.slice(CONTENTS..end).chunks_exact(ItemPointer::SIZE).map(ItemPointer::get)
}

/// `brinSetHeapBlockItemptr`, where a page of the map has the entry at `index`.
pub fn set_revmap_entry(page: &mut Page, index: u32, tid: Option<ItemPointer>) {
    let none = ItemPointer { block: BlockNumber::MAX, offset: OffsetNumber(0) };
    page.write(CONTENTS + index as u16 * ItemPointer::SIZE as u16, &tid.unwrap_or(none));
}
