//! A list of fields in the making, for one part of a record; and what makes the lists of all parts cover the record.

use super::super::RecordPart;
use super::super::shorts::main_data_at;
use super::RecordField;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::ops::Range;
use ffviz_format::page::layout::Wire;
use ffviz_format::page::{Bit, Field};
use ffviz_format::wal::DecodedRecord;
use ffviz_format::wal::rec::Part;

/// Bytes that are shown of a long stretch of data.
const SHOWN: usize = 64;

/// Fields of one part of the record.
pub(super) struct Fields<'a> {
    part: RecordPart,
    block: Option<u8>,
    /// where the part starts in the record
    start: u32,
    bytes: &'a [u8],
    fields: Vec<RecordField>,
}

impl<'a> Fields<'a> {
    pub const fn new(part: RecordPart, block: Option<u8>, start: u32, bytes: &'a [u8]) -> Self {
        Self { part, block, start, bytes, fields: Vec::new() }
    }

    /// A field at some bytes of the part; none where the part ends before it.
    pub fn push(&mut self, at: Range<usize>, name: &str, value: String, meaning: &str) {
        let end = at.end.min(self.bytes.len());
        if at.start >= end {
            return;
        }
        self.fields.push(RecordField {
            part: self.part,
            block: self.block,
            name: name.to_string(),
            bytes: self.start + at.start as u32..self.start + end as u32,
            value,
            // docstrings mark names with backticks, a screen does not
            meaning: meaning.replace('`', ""),
            bits: Vec::new(),
            is_data: false,
        });
    }

    /// A value of a type.
    pub fn value<T: Wire>(&mut self, at: usize, name: &str, meaning: &str) {
        let value = T::get(self.bytes.get(at..).unwrap_or(&[])).show();
        self.push(at..at + T::SIZE, name, value, meaning);
    }

    /// The fields of a C struct that lies at some byte of the part; `fields` were made as if it began at byte 0.
    pub fn structure(&mut self, at: usize, size: usize, fields: Vec<Field>) {
        for field in fields {
            let (start, end) = (usize::from(field.bytes.start), usize::from(field.bytes.end).min(size));
            self.push(at + start..at + end, &field.name, field.value, &field.meaning);
        }
    }

    /// A list of numbers of one type.
    pub fn numbers<T: Wire>(&mut self, part: &Part<'_>, name: &str, meaning: &str) {
        let values: Vec<String> = part.values::<T>().iter().map(Wire::show).collect();
        self.push(part.at.clone(), name, values.join(", "), meaning);
    }

    /// Row data, in hex.
    pub fn data(&mut self, part: &Part<'_>, name: &str, meaning: &str) {
        self.push(part.at.clone(), name, hex(part.bytes), meaning);
        self.mark_data(part);
    }

    fn mark_data(&mut self, part: &Part<'_>) {
        if let Some(pushed) = self.fields.last_mut().filter(|_| !part.is_empty()) {
            pushed.is_data = true;
        }
    }

    /// The field of that name that was added last.
    fn last(&mut self, name: &str) -> Option<&mut RecordField> {
        self.fields.iter_mut().rev().find(|field| field.name == name)
    }

    /// Another value for a field.
    pub fn show(&mut self, name: &str, value: String) {
        if let Some(field) = self.last(name) {
            field.value = value;
        }
    }

    /// The value is row data, or a text that people wrote.
    pub fn hide(&mut self, name: &str) {
        if let Some(field) = self.last(name) {
            field.is_data = true;
        }
    }

    /// What the value means here, from what the field means in general.
    pub fn mean(&mut self, name: &str, meaning: impl FnOnce(&str) -> String) {
        if let Some(field) = self.last(name) {
            field.meaning = meaning(&field.meaning);
        }
    }

    /// Spells out a flag word.
    pub fn spell(&mut self, name: &str, word: impl Into<u32>, table: &[Bit]) {
        let word = word.into();
        if let Some(field) = self.last(name) {
            field.bits = Bit::spell(word, table);
        }
    }

    pub fn done(self) -> Vec<RecordField> {
        self.fields
    }
}

/// The bytes in hex, shortened where they are many.
pub(super) fn hex(bytes: &[u8]) -> String {
    let shown: String = bytes.iter().take(SHOWN).map(|byte| format!("{byte:02x}")).collect();
    if bytes.len() > SHOWN { format!("{shown}… ({} bytes)", bytes.len()) } else { shown }
}

/// Sorts the fields and fills the gaps between them, so that they cover the record.
pub(super) fn tile(record: &DecodedRecord<'_>, mut fields: Vec<RecordField>) -> Vec<RecordField> {
    fields.sort_by_key(|field| (field.bytes.start, field.bytes.end));
    let mut all: Vec<RecordField> = Vec::with_capacity(fields.len());
    let mut at = 0;
    for mut field in fields {
        // what a damaged record says twice
        field.bytes.start = field.bytes.start.max(at);
        if field.bytes.is_empty() {
            continue;
        }
        fill(record, at..field.bytes.start, &mut all);
        at = field.bytes.end;
        all.push(field);
    }
    fill(record, at..record.record.bytes.len() as u32, &mut all);
    all
}

/// Bytes that nothing was said of: what they are is told by the part they are in. A gap may reach over several parts.
fn fill(record: &DecodedRecord<'_>, gap: Range<u32>, all: &mut Vec<RecordField>) {
    let mut at = gap.start;
    while at < gap.end {
        let (part, block, range) = part_at(record, at);
        let end = range.end.clamp(at + 1, gap.end);
        let bytes = record.record.bytes.get(at as usize..end as usize).unwrap_or(&[]);
        // alignment is zero everywhere
        let is_data = bytes.iter().any(|byte| *byte != 0);
        let (name, meaning) = match part {
            _ if !is_data => ("alignment", ""),
            RecordPart::BlockData => ("block data", "what is to be done to the page"),
            RecordPart::Image => ("image", "the page's bytes"),
            _ => ("data", "what the resource manager keeps here"),
        };
        all.push(RecordField {
            part,
            block,
            name: name.to_string(),
            bytes: at..end,
            value: hex(bytes),
            meaning: meaning.to_string(),
            bits: Vec::new(),
            is_data,
        });
        at = end;
    }
}

/// The part that a byte behind the headers belongs to, and that part's bytes.
fn part_at(record: &DecodedRecord<'_>, at: u32) -> (RecordPart, Option<u8>, Range<u32>) {
    for block in &record.blocks {
        let parts = [
            (RecordPart::BlockReference, &block.header),
            (RecordPart::Image, &block.image_at),
            (RecordPart::BlockData, &block.data_at),
        ];
        if let Some((part, range)) = parts.into_iter().find(|(_, range)| range.contains(&at)) {
            return (part, Some(block.id), range.clone());
        }
    }
    let main = main_data_at(record);
    if main.contains(&at) {
        (RecordPart::MainData, None, main)
    } else {
        (RecordPart::MainData, None, at..record.headers_end.max(at + 1))
    }
}
