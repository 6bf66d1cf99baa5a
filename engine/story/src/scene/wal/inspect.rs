//! The selected record in the inspector: why it has as many bytes as it has, then each of its fields.

use super::Ask;
use super::bar::{self, Bar, BarPart};
use super::book::Book;
use crate::describe::{self, Before, RecordField, RecordPart, Share, cost, explain};
use crate::scene::timeline::Hide;
use crate::scene::{Change, InspectorField, InspectorScene, PartId, Role, words};
use crate::timeline::Timeline;
use crate::timeline::explain::told_without_names;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::page::{Field, Lsn};
use ffviz_format::wal::{DecodedRecord, Record, RecordRef};

/// The fields of what is selected.
#[must_use]
pub fn inspect(ask: &Ask<'_>) -> InspectorScene {
    let Some(PartId::Record(state)) = ask.selected else { return InspectorScene::default() };
    let Some(record) = ask.timeline.record(state as usize) else { return InspectorScene::default() };
    match record.decode(ask.timeline.last().server.version) {
        Ok(decoded) => of_record(ask, state as usize, &decoded),
        Err(why) => InspectorScene { title: title(record.lend()), intro: why, ..InspectorScene::default() },
    }
}

/// What a record does, one line.
pub(super) fn headline(hide: Option<Hide>, timeline: &Timeline, record: &Record) -> String {
    record.decode(timeline.last().server.version).map_or_else(|why| why, |decoded| did(hide, &decoded))
}

/// The same without names that people gave, where row data is hidden.
fn did(hide: Option<Hide>, record: &DecodedRecord<'_>) -> String {
    if hide.is_some() { told_without_names(record) } else { describe::headline(record) }
}

fn title(record: RecordRef<'_>) -> String {
    format!("record {} · {}", record.start, words::bytes(record.bytes.len() as u64))
}

fn of_record(ask: &Ask<'_>, state: usize, decoded: &DecodedRecord<'_>) -> InspectorScene {
    let record = decoded.record;
    let shares = cost(decoded, &before(ask, state, decoded));
    let mut fields: Vec<InspectorField> = shares.iter().map(share).collect();
    fields.push(fact("xl_tot_len", words::bytes(record.bytes.len() as u64), "all parts together: why this many bytes"));
    let redact = ask.hide.is_some();
    fields.extend(explain(decoded).into_iter().map(|of| shown(of, record, redact)));
    InspectorScene {
        title: title(record),
        intro: did(ask.hide, decoded) + &source(record),
        strip: strip(&shares),
        fields,
    }
}

/// Where a record's bytes come from, if they were not read.
fn source(record: RecordRef<'_>) -> String {
    let Some(rebuilt) = record.rebuilt else { return String::new() };
    let untold: u32 = rebuilt.untold.iter().map(|untold| untold.end.saturating_sub(untold.start)).sum();
    let left_out = match untold {
        0 => "nothing is left out".to_string(),
        n => format!("{} are not told", words::bytes(n.into())),
    };
    format!(". Rebuilt from what pg_walinspect tells; main data from its description; {left_out}")
}

/// What is known of the time before the record: where recovery would have started, and how old its pages were.
fn before(ask: &Ask<'_>, state: usize, decoded: &DecodedRecord<'_>) -> Before {
    let redo = redo_before(ask.book, decoded.record.start);
    let Some(then) = ask.timeline.before().filter(|_| ask.timeline.current() == state) else {
        return Before { redo, page_lsn: Vec::new() };
    };
    let step = ask.timeline.step();
    let lsn = |block: &ffviz_format::wal::BlockRef<'_>| {
        let is_it = |id: &&ffviz_format::state::PageId| {
            let relation = then.relations.get(&id.relation);
            (id.fork, id.block) == (block.tag.fork, block.tag.block)
                && relation.is_some_and(|relation| relation.is_file(block.tag.locator))
        };
        let id = step.pages.iter().map(|change| &change.id).find(is_it)?;
        Some((block.id, then.pages.get(id)?.header().pd_lsn()))
    };
    Before { redo: redo.or(then.redo), page_lsn: decoded.blocks.iter().filter_map(lsn).collect() }
}

/// The redo pointer of the last checkpoint that began before a position.
fn redo_before(book: &Book, at: Lsn) -> Option<Lsn> {
    book.redo.iter().copied().filter(|redo| *redo <= at).max()
}

fn fact(name: &str, value: String, meaning: &str) -> InspectorField {
    InspectorField { field: Field::new(name, 0..0, value, meaning), hex: String::new(), change: Change::Same }
}

fn share(share: &Share) -> InspectorField {
    let name = match share.block {
        Some(block) => format!("{} {block}", share.part.name()),
        None => share.part.name().to_string(),
    };
    fact(&name, words::bytes(share.bytes.into()), &share.why)
}

/// A field with its bytes; row data hidden where that is asked for.
fn shown(of: RecordField, record: RecordRef<'_>, redact: bool) -> InspectorField {
    let bytes = record.bytes.get(of.bytes.start as usize..of.bytes.end as usize).unwrap_or(&[]);
    let hidden = redact && of.is_data;
    let hide = |text: String| if hidden { words::HIDDEN.to_string() } else { text };
    let end = |at: u32| u16::try_from(at).unwrap_or(u16::MAX);
    let hex = if record.is_told(&of.bytes) { words::hex(bytes) } else { String::new() };
    InspectorField {
        hex: hide(hex),
        change: Change::Same,
        field: Field {
            name: of.name,
            bytes: end(of.bytes.start)..end(of.bytes.end),
            value: hide(of.value),
            meaning: of.meaning,
            bits: of.bits,
            is_data: of.is_data,
        },
    }
}

/// The record from its first byte to its last, long parts shortened.
fn strip(shares: &[Share]) -> Bar {
    let mut pieces: Vec<(u32, u32, Role)> = Vec::new();
    for share in shares {
        pieces.extend(share.at.iter().map(|at| (at.start, at.end - at.start, role(share.part))));
    }
    pieces.sort_unstable_by_key(|(start, ..)| *start);
    let part =
        |(_, bytes, role): (u32, u32, Role)| BarPart { role, bytes: bytes.into(), length: bar::length(bytes.into()) };
    Bar { parts: pieces.into_iter().map(part).collect(), cut: false }
}

const fn role(part: RecordPart) -> Role {
    match part {
        RecordPart::Header => Role::WalHeader,
        RecordPart::BlockReference => Role::WalBlockRef,
        RecordPart::Image => Role::WalImage,
        RecordPart::BlockData => Role::WalBlockData,
        RecordPart::Origin | RecordPart::ToplevelXid | RecordPart::MainData => Role::WalMainData,
    }
}
