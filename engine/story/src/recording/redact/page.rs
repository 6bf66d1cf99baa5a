//! One page: structure is copied, row data becomes filler, everything else stays zero.

use super::is_toast;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;
use ffviz_format::datum::{Attribute, Datum, Storage};
use ffviz_format::heap::{HeapPage, HeapTuple, HeapTupleHeaderData};
use ffviz_format::nbtree::{BtPage, IndexTuple};
use ffviz_format::page::nbtree::IndexTupleData;
use ffviz_format::page::{ForkNumber, OffsetNumber, Page, PageHeaderData, Region, RegionKind};
use ffviz_format::state::{AccessMethod, PageId, RelKind, Relation, State};

/// `pd_checksum`, cleared: it is a digest of the row data
const PD_CHECKSUM: Range<usize> = 8..10;
/// Types whose values are text, as `pg_type.dat` numbers them: text, varchar, bpchar, json, xml, cstring, name
const TEXT_TYPES: [u32; 7] = [25, 1043, 1042, 114, 142, 2275, 19];
/// What text becomes.
const FILLER: u8 = b'x';

/// The page without row data.
pub(super) fn redact(state: &State, id: PageId, page: &Page) -> Page {
    match id.fork {
        // free bytes a block, and two bits a block
        ForkNumber::Fsm | ForkNumber::Vm => page.clone(),
        ForkNumber::Main | ForkNumber::Init => match state.relations.get(&id.relation) {
            Some(relation) => redact_main(state, relation, id, page),
            None => Copy::of(page).finish(),
        },
    }
}

fn redact_main(state: &State, relation: &Relation, id: PageId, page: &Page) -> Page {
    let mut copy = Copy::of(page);
    let kept = |attnum: u16| match relation.kind {
        // chunk_id and chunk_seq, but not chunk_data
        RelKind::Toast => attnum <= 2,
        // log_cnt and is_called, but not last_value
        RelKind::Sequence => attnum >= 2,
        _ => is_toast(state, relation),
    };
    match relation.am {
        AccessMethod::Heap | AccessMethod::Sequence => {
            let heap = HeapPage::decode(page, id.block);
            if heap.anomalies.is_empty() {
                copy.regions(&heap.regions, |copy, n| {
                    if let Some(tuple) = heap.tuple(n) {
                        copy.heap_tuple(tuple, &relation.attributes, kept);
                    }
                });
            }
        }
        AccessMethod::Btree => {
            let bt = BtPage::decode(page, state.server.version);
            if bt.anomalies.is_empty() {
                copy.regions(&bt.regions, |copy, n| {
                    let item = usize::from(n.0).checked_sub(1).and_then(|at| bt.items.get(at));
                    if let Some(tuple) = item.and_then(|item| item.tuple.as_ref()) {
                        copy.index_tuple(tuple, &relation.attributes, kept);
                    }
                });
            }
        }
        // of the undo engine, which no server has, the header alone is kept
        AccessMethod::Undo | AccessMethod::Other(_) => {}
    }
    copy.finish()
}

/// A page in the making.
struct Copy<'a> {
    from: &'a Page,
    to: Vec<u8>,
}

impl<'a> Copy<'a> {
    /// Begins with the page header, and zeros behind it. On a page that is not as it should be nothing more is known to
    /// be structure.
    fn of(from: &'a Page) -> Self {
        let mut copy = Self { from, to: vec![0; from.bytes().len()] };
        copy.keep(0..PageHeaderData::SIZE as u16);
        if let Some(checksum) = copy.to.get_mut(PD_CHECKSUM) {
            checksum.fill(0);
        }
        copy
    }

    fn finish(self) -> Page {
        Page::new(&self.to)
    }

    fn keep(&mut self, bytes: Range<u16>) {
        let range = usize::from(bytes.start)..usize::from(bytes.end);
        if let (Some(to), Some(from)) = (self.to.get_mut(range.clone()), self.from.bytes().get(range)) {
            to.copy_from_slice(from);
        }
    }

    /// Everything that is no tuple and may be kept; `tuple` does the tuples.
    fn regions(&mut self, regions: &[Region], tuple: impl Fn(&mut Self, OffsetNumber)) {
        for region in regions {
            match region.kind {
                RegionKind::LinePointer(_) | RegionKind::Special | RegionKind::Meta => self.keep(region.bytes.clone()),
                RegionKind::Tuple(n) => tuple(self, n),
                _ => {}
            }
        }
    }

    fn heap_tuple(&mut self, tuple: &HeapTuple, attributes: &[Attribute], kept: impl Fn(u16) -> bool) {
        let start = tuple.bytes.start;
        self.keep(start..start + HeapTupleHeaderData::SIZE as u16);
        self.keep(tuple.null_bitmap());
        self.columns(&tuple.columns(self.from, attributes), attributes, kept);
    }

    fn index_tuple(&mut self, tuple: &IndexTuple, attributes: &[Attribute], kept: impl Fn(u16) -> bool) {
        let start = tuple.bytes.start;
        self.keep(start..start + IndexTupleData::SIZE as u16);
        self.keep(tuple.null_bitmap().unwrap_or_default());
        self.columns(&tuple.columns(self.from, attributes), attributes, kept);
        self.keep(tuple.tid_bytes());
    }

    fn columns(&mut self, columns: &[Datum], attributes: &[Attribute], kept: impl Fn(u16) -> bool) {
        for (column, attribute) in columns.iter().zip(attributes) {
            let value = column.payload();
            match column.storage {
                Storage::Broken => return,
                Storage::External => self.keep(column.bytes.clone()),
                _ if kept(column.attnum) => self.keep(column.bytes.clone()),
                _ => {
                    self.keep(column.bytes.start..value.start);
                    self.fill(value, column.storage, attribute);
                }
            }
        }
    }

    /// Text becomes `x`, all else zero bytes: the number 0, the date 2000-01-01, an empty array.
    fn fill(&mut self, value: Range<u16>, storage: Storage, attribute: &Attribute) {
        let end = if storage == Storage::Cstring { value.end.saturating_sub(1) } else { value.end };
        let is_text = matches!(storage, Storage::Plain | Storage::Short | Storage::Cstring)
            && TEXT_TYPES.contains(&attribute.base.unwrap_or(attribute.typid));
        if let Some(bytes) = self.to.get_mut(usize::from(value.start)..usize::from(end)).filter(|_| is_text) {
            bytes.fill(FILLER);
        }
    }
}
