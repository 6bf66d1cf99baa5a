//! Why block data has as many bytes, and what of the change was not written.

use super::super::lists::{Heap2, leaf_lists, page_lists};
use super::super::words::{bytes, count, join};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::heap::HeapTupleHeaderData;
use ffviz_format::wal::rec::Cut;
use ffviz_format::wal::rec::btree::XlBtreeSplit;
use ffviz_format::wal::rec::heap::{
    XLH_UPDATE_PREFIX_FROM_OLD, XLH_UPDATE_SUFFIX_FROM_OLD, XlHeapHeader, XlHeapUpdate,
};
use ffviz_format::wal::rec::heap2::{XlHeapFreezePlan, XlHeapFreezeTuple, XlHeapMultiInsert, XlMultiInsertTuple};
use ffviz_format::wal::{BlockRef, DecodedRecord, Rmgr};

pub(super) fn why(record: &DecodedRecord<'_>, block: &BlockRef<'_>) -> String {
    if !block.has_data {
        return String::new();
    }
    let mut text = match record.rmgr() {
        Rmgr::HEAP => heap(record, block),
        Rmgr::HEAP2 => heap2(record, block),
        Rmgr::BTREE => btree(record, block),
        Rmgr::UNDO => undo(record, block).to_string(),
        _ => "what is to be done to the page".to_string(),
    };
    if block.image.is_some_and(|image| image.apply) {
        text += "; replay does not need it beside the image, logical decoding does";
    }
    text
}

/// Bytes of a tuple's header on the page.
const HEADER: usize = HeapTupleHeaderData::SIZE;

fn heap(record: &DecodedRecord<'_>, block: &BlockRef<'_>) -> String {
    match record.info() & 0x70 {
        0x00 => {
            let rest = block.data.len().saturating_sub(XlHeapHeader::SIZE);
            format!("the tuple: {}, then {} of null bitmap, padding and columns", short_header(), bytes(rest))
        }
        0x20 | 0x40 => update(record, block),
        0x70 => "the row's columns as they are now: the tuple is overwritten where it stands".to_string(),
        _ => "what is to be done to the page".to_string(),
    }
}

fn undo(record: &DecodedRecord<'_>, block: &BlockRef<'_>) -> &'static str {
    match (record.info() & 0x70, block.id) {
        (0x00, 0) => "the row as it stands on the page",
        (0x10, 0) => "the new values of the changed columns: place, length, bytes; the rest of the row is there",
        (0x30, 0) => "the old values, to put them back",
        (_, 1) => "the undo record as it stands on its page: who, where, and the old values of the changed columns",
        _ => "what is to be done to the page",
    }
}

fn short_header() -> String {
    format!(
        "a header of {} bytes instead of {HEADER}, since the rest of it follows from the record",
        XlHeapHeader::SIZE
    )
}

fn update(record: &DecodedRecord<'_>, block: &BlockRef<'_>) -> String {
    let flags = XlHeapUpdate::new(record.main_data).flags();
    let mut cut = Cut::new(block.data);
    let mut length = |flag: u8| if flags & flag == 0 { None } else { Some(usize::from(cut.value::<u16>())) };
    let (prefix, suffix) = (length(XLH_UPDATE_PREFIX_FROM_OLD), length(XLH_UPDATE_SUFFIX_FROM_OLD));
    let rest = cut.rest().bytes.len().saturating_sub(XlHeapHeader::SIZE);
    let mut text = format!("the new version: {}, then {} of its body", short_header(), bytes(rest));
    let shared = [(prefix, "first"), (suffix, "last")];
    let shared: Vec<String> =
        shared.iter().filter_map(|(n, which)| n.map(|n| format!("the {which} {}", bytes(n)))).collect();
    if shared.is_empty() {
        let is_elsewhere = record.blocks.iter().any(|block| block.id == 1);
        text += if is_elsewhere {
            "; it is on another page than the old version, so nothing can be taken from there"
        } else {
            "; nothing is taken from the old version"
        };
    } else {
        let (saved, lengths) = (prefix.unwrap_or(0) + suffix.unwrap_or(0), 2 * shared.len());
        text += &format!(
            "; {} of the columns are those of the old version: {lengths} bytes say so and {} are saved",
            join(&shared, " and "),
            saved.saturating_sub(lengths)
        );
    }
    text
}

fn heap2(record: &DecodedRecord<'_>, block: &BlockRef<'_>) -> String {
    if Heap2::of(record) == Heap2::MultiInsert {
        let tuples = usize::from(XlHeapMultiInsert::new(record.main_data).ntuples());
        let header = XlMultiInsertTuple::SIZE;
        let saved = if tuples > 1 { "; a record for each tuple would take about 45 bytes more a tuple" } else { "" };
        let each = if tuples > 1 { "each " } else { "" };
        return format!("{}, {each}with a header of {header} bytes instead of {HEADER}{saved}", count(tuples, "tuple"));
    }
    let Some(lists) = page_lists(record) else { return format!("{} for the page", bytes(block.data.len())) };
    let plan = if record.major >= 16 { XlHeapFreezePlan::SIZE } else { XlHeapFreezeTuple::SIZE };
    let what = if record.major >= 16 { "freeze plan" } else { "frozen tuple" };
    let all = [
        (&lists.plans, plan, what, ""),
        (&lists.redirected, 4, "line pointer", " redirected"),
        (&lists.dead, 2, "line pointer", " now dead"),
        (&lists.unused, 2, "line pointer", " now unused"),
        (&lists.frozen, 2, "tuple", " frozen by the plans"),
    ];
    let there = all.iter().filter(|(part, ..)| !part.is_empty());
    let texts = there.map(|(part, size, what, behind)| {
        let number = count(part.bytes.len() / size, what);
        format!("{number}{behind}, {size} bytes each")
    });
    format!("only numbers, no tuples: {}", join(texts, "; "))
}

fn btree(record: &DecodedRecord<'_>, block: &BlockRef<'_>) -> String {
    let is_meta = matches!((record.info() & 0xF0, block.id), (0x20 | 0xA0, 2) | (0x90, 4) | (0xE0, 0));
    if is_meta {
        return "the metapage's fields, to write it anew".to_string();
    }
    match record.info() & 0xF0 {
        0x00 | 0x10 | 0x20 => "the new index entry as it stands on the page".to_string(),
        0x50 => "where the posting list is cut, and the new entry".to_string(),
        0x30 | 0x40 if block.id == 1 => {
            "every entry of the right half, which is a new page: no line pointers, they follow from the entries"
                .to_string()
        }
        0x30 | 0x40 => {
            let stays = XlBtreeSplit::new(record.main_data).firstrightoff();
            format!(
                "the left half's new high key, and the new entry if it belongs here; entries before line pointer {stays} stay"
            )
        }
        0x60 => {
            "pairs of first line pointer and number of entries, 4 bytes each; the posting lists follow from the page"
                .to_string()
        }
        0xA0 => "the entries of the new root".to_string(),
        0x70 | 0xC0 => {
            let Some(lists) = leaf_lists(record) else { return String::new() };
            let (gone, shorter) = (lists.deleted.bytes.len() / 2, lists.updates.len());
            let mut text = format!("only numbers: {} to be removed, 2 bytes each", count(gone, "line pointer"));
            if shorter > 0 {
                let tids: usize = lists.updates.iter().map(|update| update.ptids.bytes.len() / 2).sum();
                text += &format!(
                    "; {} that lose {}, 4 bytes a list and 2 a TID",
                    count(shorter, "posting list"),
                    count(tids, "TID")
                );
            }
            text
        }
        _ => "what is to be done to the page".to_string(),
    }
}
