//! Why block data has as many bytes, and what of the change was not written.

use super::super::lists::{leaf_lists, page_lists};
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
use ffviz_format::wal::record_type::{BtreeType, Heap2Type, HeapType, UndoType};
use ffviz_format::wal::{BlockRef, DecodedRecord, RecordType};

pub(super) fn why(record: &DecodedRecord<'_>, block: &BlockRef<'_>) -> String {
    if !block.has_data {
        return String::new();
    }
    let mut text = match record.record_type() {
        RecordType::Heap(of) => heap(record, of, block),
        RecordType::Heap2(of) => heap2(record, of, block),
        RecordType::Btree(of) => btree(record, of, block),
        RecordType::Undo(of) => undo(of, block).to_string(),
        _ => "what is to be done to the page".to_string(),
    };
    if block.image.is_some_and(|image| image.apply) {
        text += "; replay does not need it beside the image, logical decoding does";
    }
    text
}

/// Bytes of a tuple's header on the page.
const HEADER: usize = HeapTupleHeaderData::SIZE;

fn heap(record: &DecodedRecord<'_>, of: HeapType, block: &BlockRef<'_>) -> String {
    match of {
        HeapType::Insert => {
            let rest = block.data.len().saturating_sub(XlHeapHeader::SIZE);
            format!("the tuple: {}, then {} of null bitmap, padding and columns", short_header(), bytes(rest))
        }
        HeapType::Update | HeapType::HotUpdate => update(record, block),
        HeapType::Inplace => "the row's columns as they are now: the tuple is overwritten where it stands".to_string(),
        _ => "what is to be done to the page".to_string(),
    }
}

fn undo(of: UndoType, block: &BlockRef<'_>) -> &'static str {
    match (of, block.id) {
        (UndoType::Insert, 0) => "the row as it stands on the page",
        (UndoType::Update, 0) => {
            "the new values of the changed columns: place, length, bytes; the rest of the row is there"
        }
        (UndoType::Rollback, 0) => "the old values, to put them back",
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

fn heap2(record: &DecodedRecord<'_>, of: Heap2Type, block: &BlockRef<'_>) -> String {
    if of == Heap2Type::MultiInsert {
        let tuples = usize::from(XlHeapMultiInsert::new(record.main_data).ntuples());
        let header = XlMultiInsertTuple::SIZE;
        let saved = if tuples > 1 { "; a record for each tuple would take about 45 bytes more a tuple" } else { "" };
        let each = if tuples > 1 { "each " } else { "" };
        return format!("{}, {each}with a header of {header} bytes instead of {HEADER}{saved}", count(tuples, "tuple"));
    }
    let Some(lists) = page_lists(record) else { return format!("{} for the page", bytes(block.data.len())) };
    let plan = if record.version.shares_freeze_plans() { XlHeapFreezePlan::SIZE } else { XlHeapFreezeTuple::SIZE };
    let what = if record.version.shares_freeze_plans() { "freeze plan" } else { "frozen tuple" };
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

fn btree(record: &DecodedRecord<'_>, of: BtreeType, block: &BlockRef<'_>) -> String {
    let is_meta = matches!(
        (of, block.id),
        (BtreeType::InsertMeta | BtreeType::Newroot, 2) | (BtreeType::UnlinkPageMeta, 4) | (BtreeType::MetaCleanup, 0)
    );
    if is_meta {
        return "the metapage's fields, to write it anew".to_string();
    }
    match of {
        BtreeType::InsertLeaf | BtreeType::InsertUpper | BtreeType::InsertMeta => {
            "the new index entry as it stands on the page".to_string()
        }
        BtreeType::InsertPost => "where the posting list is cut, and the new entry".to_string(),
        BtreeType::SplitL | BtreeType::SplitR if block.id == 1 => {
            "every entry of the right half, which is a new page: no line pointers, they follow from the entries"
                .to_string()
        }
        BtreeType::SplitL | BtreeType::SplitR => {
            let stays = XlBtreeSplit::new(record.main_data).firstrightoff();
            format!(
                "the left half's new high key, and the new entry if it belongs here; entries before line pointer {stays} stay"
            )
        }
        BtreeType::Dedup => {
            "pairs of first line pointer and number of entries, 4 bytes each; the posting lists follow from the page"
                .to_string()
        }
        BtreeType::Newroot => "the entries of the new root".to_string(),
        BtreeType::Delete | BtreeType::Vacuum => {
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
