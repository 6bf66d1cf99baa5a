//! Records of the undo engine, field by field.

use super::fields::Fields;
use alloc::format;
use ffviz_format::undo::{UndoRecordData, UndoRowHeaderData};
use ffviz_format::wal::rec::undo::{XlUndoBegin, XlUndoChange, XlUndoExtend, XlUndoRollback};
use ffviz_format::wal::rec::{Cut, Part};
use ffviz_format::wal::record_type::UndoType;
use ffviz_format::wal::{BlockRef, DecodedRecord};

/// Main data.
pub(super) fn main(record: &DecodedRecord<'_>, of: UndoType, fields: &mut Fields<'_>) {
    let data = record.main_data;
    match of {
        UndoType::Insert | UndoType::Update | UndoType::Delete => {
            fields.structure(0, XlUndoChange::SIZE.min(data.len()), XlUndoChange::new(data).fields(0));
            let mut cut = Cut::new(data);
            cut.take(XlUndoChange::SIZE);
            let begin = cut.rest();
            fields.structure(begin.at.start, begin.bytes.len(), XlUndoBegin::new(begin.bytes).fields(0));
        }
        UndoType::Rollback => fields.structure(0, XlUndoRollback::SIZE, XlUndoRollback::new(data).fields(0)),
        UndoType::Extend => fields.structure(0, XlUndoExtend::SIZE, XlUndoExtend::new(data).fields(0)),
    }
}

/// What is to be done to a page.
pub(super) fn data(of: UndoType, block: &BlockRef<'_>, fields: &mut Fields<'_>) {
    let mut cut = Cut::new(block.data);
    match (of, block.id) {
        (UndoType::Insert, 0) => {
            let header = cut.take(UndoRowHeaderData::SIZE);
            fields.structure(0, header.bytes.len(), UndoRowHeaderData::new(header.bytes).fields(0));
            fields.data(&cut.rest(), "row", "null bitmap and columns");
        }
        (UndoType::Update | UndoType::Rollback, 0) => pieces(&mut cut, fields),
        (UndoType::Insert | UndoType::Update | UndoType::Delete, 1) => {
            let header = cut.take(UndoRecordData::SIZE);
            fields.structure(0, header.bytes.len(), UndoRecordData::new(header.bytes).fields(0));
            pieces(&mut cut, fields);
        }
        _ => {}
    }
}

/// Values of a row: where, how long, which.
fn pieces(cut: &mut Cut<'_>, fields: &mut Fields<'_>) {
    let mut n = 0;
    while !cut.is_empty() {
        n += 1;
        let place = cut.position();
        let at = cut.value::<u16>();
        let length = match cut.value::<u8>() {
            255 => usize::from(cut.value::<u16>()),
            short => short.into(),
        };
        let name = format!("place {n}");
        fields.push(place..cut.position(), &name, format!("byte {at}, {length} bytes"), "where in the row, how long");
        let value: Part<'_> = cut.take(length);
        fields.data(&value, &format!("value {n}"), "the bytes");
    }
}
