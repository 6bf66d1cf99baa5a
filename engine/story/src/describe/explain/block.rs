//! The header of a block reference, its image's header and image, and its data.

use super::super::shorts::image_header_at;
use super::super::words::bytes;
use super::super::{RecordPart, flags};
use super::fields::{Fields, hex};
use super::{RecordField, btree, heap, undo};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::ops::Range;
use ffviz_format::page::layout::Wire;
use ffviz_format::wal::{BlockImage, BlockRef, DecodedRecord, RecordType, RelFileLocator};

pub(super) fn explain(record: &DecodedRecord<'_>, block: &BlockRef<'_>) -> Vec<RecordField> {
    let mut all = header(record, block);
    if let Some(image) = &block.image {
        all.extend(image_fields(record, block, image));
    }
    let mut fields = Fields::new(RecordPart::BlockData, Some(block.id), block.data_at.start, block.data);
    match record.record_type() {
        RecordType::Heap(of) => heap::heap_data(record, of, block, &mut fields),
        RecordType::Heap2(of) => heap::heap2_data(record, of, block, &mut fields),
        RecordType::Btree(of) => btree::data(record, of, block, &mut fields),
        RecordType::Undo(of) => undo::data(of, block, &mut fields),
        _ => {}
    }
    all.extend(fields.done());
    all
}

fn slice<'a>(record: &DecodedRecord<'a>, at: &Range<u32>) -> &'a [u8] {
    record.record.bytes.get(at.start as usize..at.end as usize).unwrap_or(&[])
}

fn header(record: &DecodedRecord<'_>, block: &BlockRef<'_>) -> Vec<RecordField> {
    let raw = slice(record, &block.header);
    let mut fields = Fields::new(RecordPart::BlockReference, Some(block.id), block.header.start, raw);
    let flag = raw.get(1).copied().unwrap_or(0);
    fields.value::<u8>(0, "id", "number of the block reference within the record");
    fields.push(1..2, "fork_flags", format!("{flag:#04x}"), &format!("{} fork, and four flags", block.tag.fork.name()));
    fields.spell("fork_flags", flag, flags::BLOCK);
    fields.value::<u16>(2, "data_length", "bytes of data for the page, the image not counted");
    let mut at = (image_header_at(block).end - block.header.start) as usize;
    if !block.same_rel {
        let locator = block.tag.locator.to_string();
        let meaning = "tablespace, database and file number of the relation";
        fields.push(at..at + RelFileLocator::SIZE, "locator", locator, meaning);
        at += RelFileLocator::SIZE;
    }
    fields.value::<u32>(at, "blkno", "number of the block");
    fields.done()
}

fn image_fields(record: &DecodedRecord<'_>, block: &BlockRef<'_>, image: &BlockImage<'_>) -> Vec<RecordField> {
    let header = image_header_at(block);
    let mut fields = Fields::new(RecordPart::Image, Some(block.id), header.start, slice(record, &header));
    fields.value::<u16>(0, "length", "bytes of the image in the record");
    fields.value::<u16>(2, "hole_offset", "where the hole begins on the page: pd_lower");
    let table = if record.version.has_image_methods() { flags::IMAGE } else { flags::IMAGE_13 };
    fields.push(4..5, "bimg_info", format!("{:#04x}", image.bimg_info), "what sort of image");
    fields.spell("bimg_info", image.bimg_info, table);
    fields.value::<u16>(5, "hole_length", "bytes of the hole, which a compressed image does not tell by its length");
    let mut all = fields.done();
    let hole = image.hole_length;
    let meaning = match (hole, image.compression) {
        (0, None) => "the whole page".to_string(),
        (_, None) => format!("the page without its hole of {}", bytes(usize::from(hole))),
        (0, Some(method)) => format!("the whole page, compressed by {}", method.name()),
        (_, Some(method)) => {
            format!("the page without its hole of {}, compressed by {}", bytes(usize::from(hole)), method.name())
        }
    };
    let mut fields = Fields::new(RecordPart::Image, Some(block.id), block.image_at.start, image.bytes);
    fields.push(0..image.bytes.len(), "image", hex(image.bytes), &meaning);
    let mut image: Vec<RecordField> = fields.done();
    image.iter_mut().for_each(|field| field.is_data = true);
    all.append(&mut image);
    all
}

/// A null bitmap as ones and zeros: 0 is NULL.
pub(super) fn bits(bytes: &[u8]) -> String {
    let bits = bytes.iter().flat_map(|byte| (0..u8::BITS).map(move |bit| byte >> bit & 1));
    bits.map(|bit| if bit == 1 { '1' } else { '0' }).collect()
}

/// Reads a value of the data.
pub(super) fn value<T: Wire>(bytes: &[u8], at: usize) -> T {
    T::get(bytes.get(at..).unwrap_or(&[]))
}
