//! Index tuples as bytes, read and made (src/include/access/nbtree.h). Leaf tuples with posting lists are made in
//! [`ffviz_format::nbtree::posting`].

use alloc::vec::Vec;
use ffviz_format::nbtree::flags::{
    BT_IS_POSTING, BT_OFFSET_MASK, BT_PIVOT_HEAP_TID_ATTR, INDEX_ALT_TID_MASK, INDEX_NULL_MASK, INDEX_SIZE_MASK,
};
use ffviz_format::page::layout::Wire;
use ffviz_format::page::nbtree::IndexTupleData;
use ffviz_format::page::{BlockNumber, ItemIdData, ItemPointer, OffsetNumber, Page, PageHeaderData};

/// Bytes of a heap TID.
pub(super) const TID_SIZE: usize = ItemPointer::SIZE;
/// Bytes of the shortest tuple that has a value: of a number, as a rule.
pub(super) const SHORT: usize = 16;

/// An index tuple of the shortest kind that has a value.
pub(super) type Short = [u8; SHORT];
/// What a heap TID in a high key takes on a page.
pub(super) const TID_ROOM: usize = 8;
/// Where `t_info` lies.
const T_INFO: usize = ItemPointer::SIZE;
/// Where the columns begin, without and with a null bitmap.
const DATA: [usize; 2] = [8, 16];

/// The bytes of an item; none where the page has no such item.
#[inline]
pub(super) fn item(page: &Page, n: u16) -> &[u8] {
    let lp = page.item_id(OffsetNumber(n));
    lp.map_or(&[], |lp| page.slice(lp.lp_off()..lp.lp_off() + lp.lp_len()))
}

/// The items of a page, for a search that looks at many of them.
#[derive(Clone, Copy)]
pub(super) struct Items<'a> {
    page: &'a [u8],
    line_pointers: &'a [[u8; ItemIdData::SIZE]],
}

impl<'a> Items<'a> {
    #[inline]
    pub fn of(page: &'a Page) -> Self {
        let lower = usize::from(page.header().pd_lower());
        let (line_pointers, _) = page.bytes().get(PageHeaderData::SIZE..lower).unwrap_or(&[]).as_chunks();
        Self { page: page.bytes(), line_pointers }
    }

    /// How many, the high key too.
    pub const fn count(&self) -> u16 {
        self.line_pointers.len() as u16
    }

    /// The first bytes of an item, from 1, where it has so many.
    #[inline]
    pub fn first_bytes<const N: usize>(&self, n: u16) -> Option<&'a [u8; N]> {
        self.first_bytes_at(self.line_pointers.get(usize::from(n).wrapping_sub(1))?)
    }

    /// The line pointers of `M` items from that number on, where there are so many, and as many bytes from the
    /// beginning of each; but none from beyond the page. Whether an item has so many is told by its line pointer.
    #[inline]
    pub fn first_bytes_of<const N: usize, const M: usize>(
        self,
        n: u16,
    ) -> Option<impl Iterator<Item = (ItemIdData, &'a [u8; N])>> {
        let words = self.line_pointers.get(usize::from(n).wrapping_sub(1)..)?.first_chunk::<M>()?;
        let last = self.page.len().checked_sub(N)?;
        Some(words.iter().filter_map(move |word| {
            let lp = ItemIdData(u32::from_le_bytes(*word));
            let start = usize::from(lp.lp_off()).min(last);
            Some((lp, self.page.get(start..start + N)?.first_chunk()?))
        }))
    }

    #[inline]
    fn first_bytes_at<const N: usize>(&self, word: &[u8; ItemIdData::SIZE]) -> Option<&'a [u8; N]> {
        let lp = ItemIdData(u32::from_le_bytes(*word));
        let start = usize::from(lp.lp_off());
        let item = self.page.get(start..start + N)?.first_chunk();
        item.filter(|_| usize::from(lp.lp_len()) >= N)
    }

    /// The bytes of all items from that number on.
    #[inline]
    pub fn from(self, n: u16) -> impl Iterator<Item = &'a [u8]> {
        let line_pointers = self.line_pointers.get(usize::from(n).wrapping_sub(1)..).unwrap_or(&[]);
        line_pointers.iter().map(move |word| self.bytes(ItemIdData(u32::from_le_bytes(*word))))
    }

    #[inline]
    fn bytes(&self, lp: ItemIdData) -> &'a [u8] {
        let start = usize::from(lp.lp_off());
        self.page.get(start..start + usize::from(lp.lp_len())).unwrap_or(&[])
    }

    /// The line pointer of an item, from 1; an unused one where there is none.
    #[inline]
    pub fn item_id(&self, n: u16) -> ItemIdData {
        let word = self.line_pointers.get(usize::from(n).wrapping_sub(1));
        ItemIdData(word.map_or(0, |word| u32::from_le_bytes(*word)))
    }

    /// The bytes of an item, from 1; none where there is no such item.
    #[inline]
    pub fn get(&self, n: u16) -> &'a [u8] {
        self.bytes(self.item_id(n))
    }
}

/// A copy of the header, of known length: its fields are then read without asking whether they are there.
#[inline]
fn header(tuple: &[u8]) -> [u8; IndexTupleData::SIZE] {
    Wire::get(tuple)
}

#[inline]
fn t_info(tuple: &[u8]) -> u16 {
    IndexTupleData::new(&header(tuple)).t_info()
}

/// `t_tid`
#[inline]
pub(super) fn t_tid(tuple: &[u8]) -> ItemPointer {
    IndexTupleData::new(&header(tuple)).t_tid()
}

/// `IndexTupleSize`
#[inline]
pub(super) fn size(tuple: &[u8]) -> usize {
    usize::from(t_info(tuple) & INDEX_SIZE_MASK)
}

/// `BTreeTupleIsPivot`
#[inline]
pub(super) fn is_pivot(tuple: &[u8]) -> bool {
    t_info(tuple) & INDEX_ALT_TID_MASK != 0 && t_tid(tuple).offset.0 & BT_IS_POSTING == 0
}

/// `BTreeTupleIsPosting`
#[inline]
pub(super) fn is_posting(tuple: &[u8]) -> bool {
    t_info(tuple) & INDEX_ALT_TID_MASK != 0 && t_tid(tuple).offset.0 & BT_IS_POSTING != 0
}

/// Size of a leaf tuple without its posting list: `BTreeTupleGetPostingOffset`, or its size.
#[inline]
pub(super) fn key_size(tuple: &[u8]) -> usize {
    if is_posting(tuple) { t_tid(tuple).block as usize } else { size(tuple) }
}

/// `BTreeTupleGetNPosting`; 1 for a tuple without a list.
#[inline]
pub(super) fn n_tids(tuple: &[u8]) -> usize {
    if is_posting(tuple) { usize::from(t_tid(tuple).offset.0 & BT_OFFSET_MASK) } else { 1 }
}

/// The heap TID of that number in a leaf tuple, from 0.
#[inline]
pub(super) fn tid(tuple: &[u8], n: usize) -> ItemPointer {
    let at = if is_posting(tuple) { key_size(tuple) + n * TID_SIZE } else { 0 };
    ItemPointer::get(tuple.get(at..).unwrap_or(&[]))
}

/// The heap TIDs of a leaf tuple.
#[inline]
pub(super) fn tids(tuple: &[u8]) -> impl Iterator<Item = ItemPointer> {
    tid_bytes(tuple).chunks_exact(TID_SIZE).map(ItemPointer::get)
}

/// The same as they lie there.
#[inline]
pub(super) fn tid_bytes(tuple: &[u8]) -> &[u8] {
    let list =
        if is_posting(tuple) { key_size(tuple)..key_size(tuple) + n_tids(tuple) * TID_SIZE } else { 0..TID_SIZE };
    tuple.get(list).unwrap_or(&[])
}

/// `BTreeTupleGetMaxHeapTID`
pub(super) fn max_tid(tuple: &[u8]) -> ItemPointer {
    tid(tuple, n_tids(tuple) - 1)
}

/// `BTreeTupleGetHeapTID`: the first of a leaf tuple; of a pivot its tie-breaker, where it has one.
#[inline]
pub(super) fn heap_tid(tuple: &[u8]) -> Option<ItemPointer> {
    if !is_pivot(tuple) {
        return Some(tid(tuple, 0));
    }
    let has = t_tid(tuple).offset.0 & BT_PIVOT_HEAP_TID_ATTR != 0;
    has.then(|| ItemPointer::get(tuple.get(size(tuple) - TID_SIZE..).unwrap_or(&[])))
}

/// `BTreeTupleGetNAtts`: how many columns it has; `all` unless it is a pivot.
#[inline]
pub(super) fn n_atts(tuple: &[u8], all: u16) -> u16 {
    if is_pivot(tuple) { t_tid(tuple).offset.0 & BT_OFFSET_MASK } else { all }
}

/// `BTreeTupleGetDownLink`
#[inline]
pub(super) fn downlink(tuple: &[u8]) -> BlockNumber {
    t_tid(tuple).block
}

/// `BTreeTupleSetDownLink`
pub(super) fn set_downlink(tuple: &mut [u8], block: BlockNumber) {
    ItemPointer { block, ..t_tid(tuple) }.set(tuple);
}

/// Sets the heap TID of a plain leaf tuple.
pub(super) fn set_tid(tuple: &mut [u8], tid: ItemPointer) {
    tid.set(tuple);
}

/// `BTreeTupleSetNAtts`: makes it a pivot with so many columns.
pub(super) fn set_n_atts(tuple: &mut [u8], n: u16, has_heap_tid: bool) {
    (t_info(tuple) | INDEX_ALT_TID_MASK).set(&mut tuple[T_INFO..]);
    let status = if has_heap_tid { BT_PIVOT_HEAP_TID_ATTR } else { 0 };
    ItemPointer { block: t_tid(tuple).block, offset: OffsetNumber(n | status) }.set(tuple);
}

/// Sets the size in `t_info`.
pub(super) fn set_size(tuple: &mut [u8], size: usize) {
    (t_info(tuple) & !INDEX_SIZE_MASK | size as u16).set(&mut tuple[T_INFO..]);
}

/// A pivot without columns: less than everything.
pub(super) fn minus_infinity(child: BlockNumber) -> [u8; IndexTupleData::SIZE] {
    let mut tuple = [0; IndexTupleData::SIZE];
    set_size(&mut tuple, IndexTupleData::SIZE);
    set_n_atts(&mut tuple, 0, false);
    set_downlink(&mut tuple, child);
    tuple
}

/// The null bitmap (none: empty) and the columns' bytes.
#[inline]
pub(super) fn columns(tuple: &[u8]) -> (&[u8], &[u8]) {
    let has_null = t_info(tuple) & INDEX_NULL_MASK != 0;
    let nulls = if has_null { tuple.get(IndexTupleData::SIZE..IndexTupleData::SIZE + 4) } else { None };
    (nulls.unwrap_or(&[]), tuple.get(DATA[usize::from(has_null)]..).unwrap_or(&[]))
}

/// The columns' bytes of a tuple that has no NULL.
#[inline]
pub(super) fn columns_without_null(tuple: &[u8]) -> Option<&[u8]> {
    let (header, columns) = tuple.split_first_chunk::<{ IndexTupleData::SIZE }>()?;
    let has_null = IndexTupleData::new(header).t_info() & INDEX_NULL_MASK != 0;
    (!has_null).then_some(columns)
}

/// The item numbers of a page from the first that is no high key.
pub(super) fn data_items(page: &Page, first: u16) -> Vec<&[u8]> {
    (first..=page.item_count()).map(|n| item(page, n)).collect()
}
