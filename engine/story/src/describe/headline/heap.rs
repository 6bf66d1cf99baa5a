//! Heap and Heap2 records in a line.

use super::super::lists::page_lists;
use super::super::words::{count, join};
use super::{block_word, tid};
use alloc::format;
use alloc::string::{String, ToString};
use ffviz_format::page::layout::Wire;
use ffviz_format::page::thousands;
use ffviz_format::wal::DecodedRecord;
use ffviz_format::wal::rec::heap::{
    XLOG_HEAP_INIT_PAGE, XlHeapConfirm, XlHeapDelete, XlHeapInsert, XlHeapLock, XlHeapTruncate, XlHeapUpdate,
};
use ffviz_format::wal::rec::heap2::{
    XlHeapCleanupInfo, XlHeapFreezePage13, XlHeapFreezePage16, XlHeapFreezePlan, XlHeapMultiInsert, XlHeapNewCid,
    XlHeapPrune13, XlHeapVacuum, XlHeapVisible,
};
use ffviz_format::wal::rec::{Cut, Part};
use ffviz_format::wal::record_type::{Heap2Type, HeapType};

pub(super) fn heap(record: &DecodedRecord<'_>, of: HeapType) -> String {
    let (data, block) = (record.main_data, record.block(0));
    let on_new_page = if record.info() & XLOG_HEAP_INIT_PAGE != 0 { " on a new page" } else { "" };
    match of {
        HeapType::Insert => {
            let insert = XlHeapInsert::new(data);
            let guess = if insert.flags() & 4 != 0 { ", not yet final (ON CONFLICT)" } else { "" };
            format!("INSERT {}{on_new_page}{guess}", tid(block, insert.offnum()))
        }
        HeapType::Delete => delete(record),
        HeapType::Update | HeapType::HotUpdate => {
            let update = XlHeapUpdate::new(data);
            let word = if of == HeapType::HotUpdate { "HOT UPDATE" } else { "UPDATE" };
            let old = tid(record.block(1).or(block), update.old_offnum());
            format!("{word} {old} → {}{on_new_page}", tid(block, update.new_offnum()))
        }
        HeapType::Truncate => format!("TRUNCATE of {}", count(XlHeapTruncate::new(data).nrelids() as usize, "table")),
        HeapType::Confirm => format!("INSERT {} is final (ON CONFLICT)", tid(block, XlHeapConfirm::new(data).offnum())),
        HeapType::Lock => lock(record, "lock row"),
        HeapType::Inplace => format!("catalog row {} overwritten in place", tid(block, u16::get(data))),
    }
}

fn delete(record: &DecodedRecord<'_>) -> String {
    let delete = XlHeapDelete::new(record.main_data);
    let row = tid(record.block(0), delete.offnum());
    match delete.flags() {
        flags if flags & 0x08 != 0 => format!("INSERT {row} taken back (ON CONFLICT)"),
        flags if flags & 0x10 != 0 => format!("DELETE {row}, moved to another partition"),
        _ => format!("DELETE {row}"),
    }
}

fn lock(record: &DecodedRecord<'_>, word: &str) -> String {
    let lock = XlHeapLock::new(record.main_data);
    let row = tid(record.block(0), lock.offnum());
    let strength = match lock.infobits_set() {
        bits if bits & 2 == 0 => "",
        bits if bits & 0x0C == 0x0C => " FOR SHARE",
        bits if bits & 0x08 != 0 => " FOR KEY SHARE",
        bits if bits & 0x14 == 0x14 => " FOR UPDATE",
        bits if bits & 0x04 != 0 => " FOR NO KEY UPDATE",
        _ => "",
    };
    format!("{word} {row}{strength}")
}

pub(super) fn heap2(record: &DecodedRecord<'_>, of: Heap2Type) -> String {
    let data = record.main_data;
    match of {
        Heap2Type::Clean | Heap2Type::Prune | Heap2Type::PruneOnAccess | Heap2Type::PruneVacuumScan => {
            clean(record, "prune")
        }
        Heap2Type::PruneVacuumCleanup => clean(record, "vacuum"),
        Heap2Type::Vacuum => {
            let unused = usize::from(XlHeapVacuum::new(data).nunused());
            format!("vacuum {}: {} freed", block_word(record.block(0)), count(unused, "dead line pointer"))
        }
        Heap2Type::FreezePage => freeze(record),
        Heap2Type::CleanupInfo => {
            format!("vacuum removes rows up to xid {}", XlHeapCleanupInfo::new(data).latestRemovedXid())
        }
        Heap2Type::Visible => {
            // block 0 is the page of the map, block 1 the heap's
            let frozen = XlHeapVisible::new(data).flags() & 2 != 0;
            let state = if frozen { "all-visible and all-frozen" } else { "all-visible" };
            format!("{} is {state}", block_word(record.block(1)))
        }
        Heap2Type::MultiInsert => multi_insert(record),
        Heap2Type::LockUpdated => lock(record, "lock newer version"),
        Heap2Type::NewCid => {
            let tid = XlHeapNewCid::new(data).target_tid();
            format!("command ids of catalog row {tid}, for logical decoding")
        }
        Heap2Type::Rewrite => "where rows of a rewritten catalog went, for logical decoding".to_string(),
    }
}

/// Pruning, vacuuming and freezing as one record does them.
fn clean(record: &DecodedRecord<'_>, word: &str) -> String {
    let block = block_word(record.block(0));
    let Some(lists) = page_lists(record) else {
        // the image stands for the lists; before 17 main data still has two of the counts
        let old = XlHeapPrune13::new(record.main_data);
        let (redirected, dead) = (usize::from(old.nredirected()), usize::from(old.ndead()));
        let pointers =
            if !record.version.prunes_and_freezes_at_once() { pointers(0, redirected, dead) } else { String::new() };
        return if pointers.is_empty() { format!("{word} {block}") } else { format!("{word} {block}: {pointers}") };
    };
    let len = |part: &Part<'_>, size: usize| part.bytes.len() / size;
    let pointers = pointers(len(&lists.unused, 2), len(&lists.redirected, 4), len(&lists.dead, 2));
    let frozen = count(len(&lists.frozen, 2), "tuple");
    match (pointers.is_empty(), lists.frozen.is_empty()) {
        (_, true) => format!("{word} {block}: {pointers}"),
        (true, false) => format!("freeze {frozen} on {block}"),
        (false, false) => format!("{word} {block}: {pointers}, {frozen} frozen"),
    }
}

/// `3 line pointers freed, 2 redirected, 1 dead`: what is counted is said once.
fn pointers(freed: usize, redirected: usize, dead: usize) -> String {
    let all = [(freed, "freed"), (redirected, "redirected"), (dead, "dead")];
    let there = all.into_iter().filter(|(n, _)| *n > 0).enumerate();
    let texts = there.map(|(place, (n, state))| {
        let number = if place == 0 { count(n, "line pointer") } else { thousands(n as u64) };
        format!("{number} {state}")
    });
    join(texts, ", ")
}

fn freeze(record: &DecodedRecord<'_>) -> String {
    let block = block_word(record.block(0));
    if !record.version.shares_freeze_plans() {
        let tuples = usize::from(XlHeapFreezePage13::new(record.main_data).ntuples());
        return format!("freeze {} on {block}", count(tuples, "tuple"));
    }
    let Some(lists) = page_lists(record) else {
        let plans = usize::from(XlHeapFreezePage16::new(record.main_data).nplans());
        return format!("freeze {block} by {}", count(plans, "plan"));
    };
    let plans = lists.plans.elements(XlHeapFreezePlan::SIZE);
    let tuples = plans.map(|plan| usize::from(XlHeapFreezePlan::new(plan.bytes).ntuples())).sum();
    format!("freeze {} on {block}", count(tuples, "tuple"))
}

fn multi_insert(record: &DecodedRecord<'_>) -> String {
    let mut cut = Cut::new(record.main_data);
    let ntuples = XlHeapMultiInsert::new(cut.take(XlHeapMultiInsert::SIZE).bytes).ntuples();
    let block = record.block(0);
    let is_new = record.info() & XLOG_HEAP_INIT_PAGE != 0;
    let offsets = cut.array(usize::from(ntuples), 2).values::<u16>();
    let (first, last) = if is_new {
        (1, ntuples)
    } else {
        (offsets.first().copied().unwrap_or(0), offsets.last().copied().unwrap_or(0))
    };
    let on_new_page = if is_new { " on a new page" } else { "" };
    let (first, last) = (tid(block, first), tid(block, last));
    match ntuples {
        1 => format!("INSERT {first}{on_new_page}"),
        _ => format!("INSERT of {} {first} to {last}{on_new_page}", count(usize::from(ntuples), "row")),
    }
}
