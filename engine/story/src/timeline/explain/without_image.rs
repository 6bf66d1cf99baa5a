//! How long a record would be without its full-page image (`XLogRecordAssemble`,
//! src/backend/access/transam/xloginsert.c; `log_heap_update`, src/backend/access/heap/heapam.c).
//!
//! With an image the change itself is left out of the record, since the image has it; so it is measured on the pages
//! before and after.

use super::Captures;
use ffviz_format::heap::{HeapPage, HeapTuple, HeapTupleHeaderData};
use ffviz_format::nbtree::BtPage;
use ffviz_format::page::layout::Wire;
use ffviz_format::page::{OffsetNumber, Page};
use ffviz_format::state::PageId;
use ffviz_format::wal::rec::heap::{XlHeapHeader, XlHeapUpdate};
use ffviz_format::wal::record_type::{BtreeType, HeapType};
use ffviz_format::wal::{BlockRef, DecodedRecord, RecordType};

/// Bytes of an image's header: `XLogRecordBlockImageHeader`, and with `XLogRecordBlockCompressHeader`.
const fn image_header(block: &BlockRef<'_>) -> u32 {
    match block.image {
        Some(image) if image.compression.is_some() && image.hole_length > 0 => 7,
        Some(_) => 5,
        None => 0,
    }
}

/// Bytes of the record without its image, where that can be told: of records with one image that change one page.
pub fn size(captures: &Captures<'_>, record: &DecodedRecord<'_>) -> Option<u32> {
    let [block] = &record.blocks[..] else { return None };
    let image = block.image.filter(|image| image.apply)?;
    let rest = record.tot_len().checked_sub(image.bytes.len() as u32)?.checked_sub(image_header(block))?;
    // wal_level logical keeps the data beside the image
    if block.has_data {
        return Some(rest);
    }
    let change = captures.step.pages.iter().find(|change| {
        let file = captures.after.relations.get(&change.id.relation).is_some_and(|now| now.is_file(block.tag.locator));
        file && (change.id.fork, change.id.block) == (block.tag.fork, block.tag.block)
    })?;
    let data = match record.record_type() {
        // all is in the main data
        RecordType::Heap(HeapType::Delete | HeapType::Lock) => 0,
        RecordType::Heap(HeapType::Insert) => {
            heap_data(&tuple(change.after.as_ref()?, change.id, u16::get(record.main_data))?, 0, 0)
        }
        RecordType::Heap(HeapType::Update | HeapType::HotUpdate) => {
            let main = XlHeapUpdate::new(record.main_data);
            let (before, after) = (change.before.as_ref()?, change.after.as_ref()?);
            let (old, new) =
                (tuple(before, change.id, main.old_offnum())?, tuple(after, change.id, main.new_offnum())?);
            let (prefix, suffix) = shared(before.slice(old.data()), after.slice(new.data()));
            heap_data(&new, prefix, suffix)
        }
        RecordType::Btree(BtreeType::InsertLeaf) => {
            let page = BtPage::decode(change.after.as_ref()?, captures.after.server.version);
            let item = page.items.get(usize::from(u16::get(record.main_data)).checked_sub(1)?)?;
            item.tuple.as_ref().map(|tuple| u32::from(tuple.bytes.end.saturating_sub(tuple.bytes.start)))?
        }
        _ => return None,
    };
    Some(rest + data)
}

fn tuple(page: &Page, id: PageId, n: u16) -> Option<HeapTuple> {
    HeapPage::decode(page, id.block).tuple(OffsetNumber(n)).cloned()
}

/// `xl_heap_header`, and the tuple without its header and what the old version has too.
fn heap_data(new: &HeapTuple, prefix: u32, suffix: u32) -> u32 {
    let body =
        u32::from(new.bytes.end.saturating_sub(new.bytes.start)).saturating_sub(HeapTupleHeaderData::SIZE as u32);
    let lengths = 2 * (u32::from(prefix > 0) + u32::from(suffix > 0));
    XlHeapHeader::SIZE as u32 + lengths + body.saturating_sub(prefix + suffix)
}

/// How many bytes both versions have in common at the start and at the end: fewer than 3 are not worth their length.
fn shared(old: &[u8], new: &[u8]) -> (u32, u32) {
    let worth = |n: usize| if n < 3 { 0 } else { n };
    let prefix = worth(old.iter().zip(new).take_while(|(a, b)| a == b).count());
    let left = old.len().min(new.len()) - prefix;
    let suffix = worth(old.iter().rev().zip(new.iter().rev()).take(left).take_while(|(a, b)| a == b).count());
    (prefix as u32, suffix as u32)
}
