//! The selected row in the inspector: a record's fields, and what its bytes are spent on.

use super::{Ask, bar};
use crate::page::Field;
use crate::scene::{Change, InspectorField, InspectorScene, PartId, words};
use crate::wal::Record;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// The fields of what is selected.
#[must_use]
pub fn inspect(ask: &Ask<'_>) -> InspectorScene {
    let Some(PartId::Record(state)) = ask.selected else { return InspectorScene::default() };
    let Some(record) = ask.timeline.record(state as usize) else { return InspectorScene::default() };
    of_record(ask, record)
}

/// What a record does, one line.
pub(super) fn headline(ask: &Ask<'_>, record: &Record) -> String {
    let version = ask.timeline.last().server.version;
    match record.decode(version) {
        Ok(decoded) => format!("{} {}", decoded.rmgr().name(), decoded.type_name()),
        Err(why) => why,
    }
}

fn of_record(ask: &Ask<'_>, record: &Record) -> InspectorScene {
    let version = ask.timeline.last().server.version;
    let header = record.header();
    let fact = |name: &str, value: String, meaning: &str| InspectorField {
        field: Field::new(name, 0..0, value, meaning),
        hex: String::new(),
        change: Change::Same,
    };
    let mut fields = Vec::from([
        fact("xl_tot_len", header.xl_tot_len().to_string(), "bytes of the record, without what aligns the next one"),
        fact("xl_xid", header.xl_xid().to_string(), "the transaction that wrote it; 0: none"),
        fact("end", record.end.to_string(), "what pd_lsn becomes of the pages that it changes"),
    ]);
    let bytes = bar::bytes_of(record, version);
    for (role, bytes) in bar::BAR_ROLES.iter().zip(bytes).filter(|(_, bytes)| *bytes > 0) {
        fields.push(fact(role.word(), words::bytes(bytes), ""));
    }
    InspectorScene { title: format!("record {}", record.start), intro: headline(ask, record), fields }
}
