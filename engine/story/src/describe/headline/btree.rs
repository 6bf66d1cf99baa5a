//! Btree records in a line.

use super::super::words::count;
use super::{block_word, tid};
use alloc::format;
use alloc::string::{String, ToString};
use ffviz_format::page::ItemPointer;
use ffviz_format::page::layout::Wire;
use ffviz_format::wal::DecodedRecord;
use ffviz_format::wal::rec::btree::{
    XlBtreeDedup, XlBtreeDelete13, XlBtreeDelete14, XlBtreeInsert, XlBtreeMarkPageHalfdead, XlBtreeNewroot,
    XlBtreeReusePage, XlBtreeSplit, XlBtreeVacuum,
};
use ffviz_format::wal::record_type::BtreeType;

pub(super) fn headline(record: &DecodedRecord<'_>, of: BtreeType) -> String {
    let data = record.main_data;
    let block = block_word(record.block(0));
    match of {
        BtreeType::InsertLeaf => format!("B-tree insert {}{}", new_entry(record), row(record, 0)),
        BtreeType::InsertUpper => format!("B-tree downlink {}{}", new_entry(record), child(record)),
        BtreeType::InsertMeta => format!("B-tree downlink {}{}, new fast root", new_entry(record), child(record)),
        BtreeType::InsertPost => format!("B-tree insert {}{} into a posting list", new_entry(record), row(record, 2)),
        BtreeType::SplitL | BtreeType::SplitR => split(record),
        BtreeType::Dedup => {
            let lists = usize::from(XlBtreeDedup::new(data).nintervals());
            format!("B-tree deduplication of {block}: {}", count(lists, "posting list"))
        }
        BtreeType::Delete if !record.version.deletes_from_posting_lists() => {
            removed(record, "delete", XlBtreeDelete13::new(data).ndeleted(), 0)
        }
        BtreeType::Delete => {
            let delete = XlBtreeDelete14::new(data);
            removed(record, "delete", u32::from(delete.ndeleted()), delete.nupdated())
        }
        BtreeType::Vacuum => {
            let vacuum = XlBtreeVacuum::new(data);
            removed(record, "vacuum", u32::from(vacuum.ndeleted()), vacuum.nupdated())
        }
        BtreeType::UnlinkPage | BtreeType::UnlinkPageMeta => {
            format!("B-tree {block} unlinked from its siblings: deleted")
        }
        BtreeType::Newroot => {
            let root = XlBtreeNewroot::new(data);
            format!("B-tree root is now block {}, level {}", root.rootblk(), root.level())
        }
        BtreeType::MarkPageHalfdead => format!(
            "B-tree block {} half-dead: first step of its deletion",
            XlBtreeMarkPageHalfdead::new(data).leafblk()
        ),
        BtreeType::ReusePage => {
            format!("B-tree block {} taken again, it was deleted", XlBtreeReusePage::new(data).block())
        }
        BtreeType::MetaCleanup => "B-tree metapage changed by VACUUM".to_string(),
    }
}

fn new_entry(record: &DecodedRecord<'_>) -> String {
    tid(record.block(0), XlBtreeInsert::new(record.main_data).offnum())
}

/// The tuple ID at the start of the new entry, `skip` bytes into the data; `None` where an image stands for it.
fn t_tid(record: &DecodedRecord<'_>, skip: usize) -> Option<ItemPointer> {
    let entry = record.block(0)?.data.get(skip..)?;
    (entry.len() >= ItemPointer::SIZE).then(|| ItemPointer::get(entry))
}

fn row(record: &DecodedRecord<'_>, skip: usize) -> String {
    t_tid(record, skip).map_or_else(String::new, |tid| format!(" for row {tid}"))
}

fn child(record: &DecodedRecord<'_>) -> String {
    t_tid(record, 0).map_or_else(String::new, |tid| format!(" to block {}", tid.block))
}

fn split(record: &DecodedRecord<'_>) -> String {
    let level = match XlBtreeSplit::new(record.main_data).level() {
        0 => String::new(),
        level => format!(" on level {level}"),
    };
    let (left, right) = (block_word(record.block(0)), block_word(record.block(1)));
    format!("B-tree split of {left}{level}, right half to {right}")
}

/// DELETE and VACUUM.
fn removed(record: &DecodedRecord<'_>, word: &str, deleted: u32, updated: u16) -> String {
    let block = block_word(record.block(0));
    let gone = if deleted == 1 { "1 entry".to_string() } else { format!("{deleted} entries") };
    let shorter = count(usize::from(updated), "posting list");
    match (deleted, updated) {
        (_, 0) => format!("B-tree {word} in {block}: {gone} removed"),
        (0, _) => format!("B-tree {word} in {block}: {shorter} shortened"),
        _ => format!("B-tree {word} in {block}: {gone} removed, {shorter} shortened"),
    }
}
