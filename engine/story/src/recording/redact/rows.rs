//! Where a record holds row data, and what takes its place: the same bytes of the redacted page that the record leads
//! to; zeros where that page is not known, since then nobody replays them.

use core::ops::Range;
use ffviz_format::heap::HeapTupleHeaderData;
use ffviz_format::nbtree::posting::index_tuple_size;
use ffviz_format::page::layout::Wire;
use ffviz_format::page::nbtree::IndexTupleData;
use ffviz_format::page::{ItemIdData, LpFlags, OffsetNumber, Page, maxalign};
use ffviz_format::wal::rec::heap::{
    XLH_UPDATE_PREFIX_FROM_OLD, XLH_UPDATE_SUFFIX_FROM_OLD, XlHeapDelete, XlHeapHeader, XlHeapInsert, XlHeapUpdate,
};
use ffviz_format::wal::rec::heap2::{XlHeapMultiInsert, XlMultiInsertTuple};
use ffviz_format::wal::rec::other::XlSeqRec;
use ffviz_format::wal::record_type::{BtreeType, Heap2Type, HeapType, SeqType};
use ffviz_format::wal::{BlockRef, DecodedRecord, RecordType};

/// A page as the record leaves it, and the same redacted.
type Pages = Option<(Page, Page)>;

/// Hides row data in a record's bytes; `pages` are those of its block references.
pub(super) fn hide(record: &DecodedRecord<'_>, pages: &[Pages], bytes: &mut [u8]) {
    let main = bytes.len().saturating_sub(record.main_data.len());
    let of = record.record_type();
    match of {
        RecordType::Heap(HeapType::Delete) => zero(bytes, main + XlHeapDelete::SIZE..usize::MAX),
        RecordType::Heap(HeapType::Update | HeapType::HotUpdate) => {
            zero(bytes, main + XlHeapUpdate::SIZE..usize::MAX);
        }
        RecordType::Seq(SeqType::Log) => {
            let tuple = pages.first().and_then(|pages| item(&pages.as_ref()?.1, 1)).unwrap_or(&[]);
            put(bytes, main + XlSeqRec::SIZE..usize::MAX, tuple);
        }
        _ => {}
    }
    for (block, page) in record.blocks.iter().zip(pages) {
        let hidden = page.as_ref().map(|(_, hidden)| hidden);
        let data = Data { record, block, at: block.data_at.start as usize };
        match of {
            _ if block.data.is_empty() => {}
            RecordType::Heap(HeapType::Insert) => data.insert(hidden, bytes),
            RecordType::Heap(HeapType::Update | HeapType::HotUpdate) if block.id == 0 => data.update(hidden, bytes),
            RecordType::Heap(HeapType::Inplace) => zero(bytes, data.at..data.at + block.data.len()),
            RecordType::Heap2(Heap2Type::MultiInsert) => data.multi_insert(hidden, bytes),
            RecordType::Btree(of) => data.btree(of, pages, bytes),
            _ => {}
        }
    }
}

/// The bytes of a line pointer's tuple.
fn item(page: &Page, n: u16) -> Option<&[u8]> {
    // an index entry that is marked LP_DEAD is still there
    let lp: ItemIdData =
        page.item_id(OffsetNumber(n)).filter(|lp| lp.lp_flags() != LpFlags::Redirect && lp.lp_len() > 0)?;
    page.bytes().get(usize::from(lp.lp_off())..usize::from(lp.lp_off()) + usize::from(lp.lp_len()))
}

/// Fills a range with zeros, as far as it is there.
fn zero(bytes: &mut [u8], at: Range<usize>) {
    let end = at.end.min(bytes.len());
    if let Some(place) = bytes.get_mut(at.start.min(end)..end) {
        place.fill(0);
    }
}

/// Writes bytes of the same length in their place; where the length differs, zeros.
fn put(bytes: &mut [u8], at: Range<usize>, with: &[u8]) {
    let end = at.end.min(bytes.len());
    match bytes.get_mut(at.start.min(end)..end) {
        Some(place) if place.len() == with.len() => place.copy_from_slice(with),
        Some(place) => place.fill(0),
        None => {}
    }
}

/// The data of a block reference, and where it stands in the record.
struct Data<'a> {
    record: &'a DecodedRecord<'a>,
    block: &'a BlockRef<'a>,
    at: usize,
}

impl Data<'_> {
    fn end(&self) -> usize {
        self.at + self.block.data.len()
    }

    /// `xl_heap_header`, then the tuple without its header.
    fn insert(&self, hidden: Option<&Page>, bytes: &mut [u8]) {
        let tuple = hidden.and_then(|page| item(page, XlHeapInsert::new(self.record.main_data).offnum()));
        put(bytes, self.at + XlHeapHeader::SIZE..self.end(), body(tuple));
    }

    /// The new version without what it shares with the old one.
    fn update(&self, hidden: Option<&Page>, bytes: &mut [u8]) {
        let main = XlHeapUpdate::new(self.record.main_data);
        let (mut at, mut shared) = (0, [0; 2]);
        for (length, flag) in shared.iter_mut().zip([XLH_UPDATE_PREFIX_FROM_OLD, XLH_UPDATE_SUFFIX_FROM_OLD]) {
            if main.flags() & flag != 0 {
                *length = usize::from(u16::get(self.block.data.get(at..).unwrap_or(&[])));
                at += u16::SIZE;
            }
        }
        let [prefix, suffix] = shared;
        let header = XlHeapHeader::new(self.block.data.get(at..).unwrap_or(&[]));
        let bitmap = usize::from(header.t_hoff()).saturating_sub(HeapTupleHeaderData::SIZE);
        let start = self.at + at + XlHeapHeader::SIZE;
        let body = body(hidden.and_then(|page| item(page, main.new_offnum())));
        let middle = bitmap + prefix..body.len().saturating_sub(suffix);
        put(bytes, start..(start + bitmap).min(self.end()), body.get(..bitmap).unwrap_or(&[]));
        put(bytes, (start + bitmap).min(self.end())..self.end(), body.get(middle).unwrap_or(&[]));
    }

    /// Several tuples, each at an even position behind a header of its own.
    fn multi_insert(&self, hidden: Option<&Page>, bytes: &mut [u8]) {
        let data = self.block.data;
        let offsets = self.record.main_data.get(XlHeapMultiInsert::SIZE..).unwrap_or(&[]);
        let (mut at, mut n) = (0, 0);
        while at + XlMultiInsertTuple::SIZE <= data.len() {
            let length = usize::from(XlMultiInsertTuple::new(&data[at..]).datalen());
            let start = at + XlMultiInsertTuple::SIZE;
            let end = (start + length).min(data.len());
            // a new page is filled from its first line pointer on
            let number =
                if self.block.will_init { n as u16 + 1 } else { u16::get(offsets.get(2 * n..).unwrap_or(&[])) };
            put(bytes, self.at + start..self.at + end, body(hidden.and_then(|page| item(page, number))));
            (at, n) = (end.next_multiple_of(2), n + 1);
        }
        zero(bytes, self.at + at.min(data.len())..self.end());
    }

    /// Index tuples: one, two, or all of a page.
    fn btree(&self, of: BtreeType, pages: &[Pages], bytes: &mut [u8]) {
        let own = self.record.blocks.iter().zip(pages).find(|(block, _)| block.id == self.block.id);
        let own = own.and_then(|(_, pages)| pages.as_ref());
        match (of, self.block.id) {
            (BtreeType::SplitL | BtreeType::SplitR, 1) | (BtreeType::Newroot, 0) => {
                let area = own.map_or(&[][..], |(_, hidden)| tuple_area(hidden));
                put(bytes, self.at..self.end(), area);
            }
            (
                BtreeType::InsertLeaf
                | BtreeType::InsertUpper
                | BtreeType::InsertMeta
                | BtreeType::SplitL
                | BtreeType::SplitR,
                0,
            ) => self.tuples(0, pages, bytes),
            // the number within the posting list comes first
            (BtreeType::InsertPost, 0) => self.tuples(u16::SIZE, pages, bytes),
            _ => {}
        }
    }

    /// Single index tuples from a position on: each is found on a page that the record leads to.
    fn tuples(&self, from: usize, pages: &[Pages], bytes: &mut [u8]) {
        let mut at = from;
        while let Some(size) = self.block.data.get(at..).and_then(|rest| index_tuple_size(rest).ok()) {
            let end = (at + usize::from(size)).min(self.block.data.len());
            if end <= at {
                break;
            }
            let hidden =
                pages.iter().flatten().find_map(|(real, hidden)| same_tuple(&self.block.data[at..end], real, hidden));
            let body = hidden.and_then(|tuple| tuple.get(IndexTupleData::SIZE..)).unwrap_or(&[]);
            put(bytes, self.at + at + IndexTupleData::SIZE..self.at + end, body);
            at = usize::from(maxalign(end as u16)).max(end);
        }
    }
}

/// A tuple without its header; nothing where there is none.
fn body(tuple: Option<&[u8]>) -> &[u8] {
    tuple.and_then(|tuple| tuple.get(HeapTupleHeaderData::SIZE..)).unwrap_or(&[])
}

/// The redacted form of the page's tuple that has the same key; the TID may be another one, since a posting list swaps
/// it.
fn same_tuple<'a>(tuple: &[u8], real: &Page, hidden: &'a Page) -> Option<&'a [u8]> {
    /// where `t_info` stands, which the key follows
    const T_INFO: usize = 6;
    let key = tuple.get(T_INFO..)?;
    let n = (1..=real.item_count()).find(|n| item(real, *n).and_then(|item| item.get(T_INFO..)) == Some(key))?;
    item(hidden, n)
}

/// All tuples of a page as they lie there.
fn tuple_area(page: &Page) -> &[u8] {
    page.slice(page.header().pd_upper()..page.special_start())
}
