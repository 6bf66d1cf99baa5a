//! `heap2_desc` (src/backend/access/rmgrdesc/heapdesc.c); the first four types differ from version to version.

use super::super::lists::page_lists;
use super::{has_keys, list, offsets, true_or_false};
use alloc::format;
use alloc::string::String;
use core::fmt::Write;
use ffviz_format::wal::DecodedRecord;
use ffviz_format::wal::rec::heap::XLOG_HEAP_INIT_PAGE;
use ffviz_format::wal::rec::heap2::{
    PageLists, XLHP_HAS_CONFLICT_HORIZON, XLHP_IS_CATALOG_REL, XlHeapCleanupInfo, XlHeapFreezePage13,
    XlHeapFreezePage16, XlHeapFreezePlan, XlHeapMultiInsert, XlHeapNewCid, XlHeapPrune, XlHeapPrune13, XlHeapPrune16,
    XlHeapVacuum, XlHeapVisible,
};
use ffviz_format::wal::rec::{Cut, Part};
use ffviz_format::wal::record_type::Heap2Type;

pub(super) fn describe(record: &DecodedRecord<'_>, of: Heap2Type) -> String {
    match of {
        Heap2Type::Clean => format!("remxid {}", XlHeapPrune13::new(record.main_data).latestRemovedXid()),
        Heap2Type::Prune => prune(record),
        Heap2Type::PruneOnAccess | Heap2Type::PruneVacuumScan | Heap2Type::PruneVacuumCleanup => {
            prune_and_freeze(record)
        }
        Heap2Type::Vacuum => vacuum(record),
        Heap2Type::FreezePage => freeze(record),
        Heap2Type::CleanupInfo => format!("remxid {}", XlHeapCleanupInfo::new(record.main_data).latestRemovedXid()),
        Heap2Type::Visible => visible(record),
        Heap2Type::MultiInsert => multi_insert(record),
        Heap2Type::LockUpdated => super::heap::lock(record, "xmax"),
        Heap2Type::NewCid => new_cid(record),
        Heap2Type::Rewrite => String::new(),
    }
}

/// 14 to 16
fn prune(record: &DecodedRecord<'_>) -> String {
    let data = record.main_data;
    let old = XlHeapPrune13::new(data);
    let (xid, nredirected, ndead) = (old.latestRemovedXid(), old.nredirected(), old.ndead());
    if !has_keys(record) {
        return format!("latestRemovedXid {xid} nredirected {nredirected} ndead {ndead}");
    }
    let horizon = XlHeapPrune16::new(data).snapshotConflictHorizon();
    let text = format!("snapshotConflictHorizon: {horizon}, nredirected: {nredirected}, ndead: {ndead}");
    let lists = page_lists(record).map_or_else(String::new, |lists| {
        let unused = lists.unused.bytes.len() / 2;
        let (redirected, dead) = (redirections(&lists.redirected), offsets(&lists.dead));
        let unused_list = offsets(&lists.unused);
        format!(", nunused: {unused}, redirected: {redirected}, dead: {dead}, unused: {unused_list}")
    });
    text + &lists
}

/// The `PRUNE_…` records of 17 and 18.
fn prune_and_freeze(record: &DecodedRecord<'_>) -> String {
    let mut cut = Cut::new(record.main_data);
    let flags = XlHeapPrune::new(cut.take(XlHeapPrune::SIZE).bytes).flags();
    let horizon = if flags & XLHP_HAS_CONFLICT_HORIZON == 0 {
        String::new()
    } else {
        format!("snapshotConflictHorizon: {}", cut.value::<u32>())
    };
    let mut text = format!("{horizon}, isCatalogRel: {}", true_or_false(flags & XLHP_IS_CATALOG_REL != 0));
    let Some(lists) = page_lists(record) else { return text };
    let (plans, redirected) = (lists.plans.bytes.len() / XlHeapFreezePlan::SIZE, lists.redirected.bytes.len() / 4);
    let (dead, unused) = (lists.dead.bytes.len() / 2, lists.unused.bytes.len() / 2);
    // writing to a String cannot fail
    let _ = write!(text, ", nplans: {plans}, nredirected: {redirected}, ndead: {dead}, nunused: {unused}");
    let mut add = |key: &str, count: usize, text_of: &dyn Fn() -> String| {
        if count > 0 {
            let _ = write!(text, ", {key}: {}", text_of());
        }
    };
    add("plans", plans, &|| freeze_plans(&lists));
    add("redirected", redirected, &|| redirections(&lists.redirected));
    add("dead", dead, &|| offsets(&lists.dead));
    add("unused", unused, &|| offsets(&lists.unused));
    text
}

fn redirections(part: &Part<'_>) -> String {
    let pairs = part.values::<u32>();
    list(pairs.iter().map(|pair| format!("{}->{}", pair & 0xFFFF, pair >> 16)))
}

/// `plan_elem_desc`
fn freeze_plans(lists: &PageLists<'_>) -> String {
    let mut frozen = lists.frozen.values::<u16>().into_iter();
    list(lists.plans.elements(XlHeapFreezePlan::SIZE).map(|plan| {
        let plan = XlHeapFreezePlan::new(plan.bytes);
        let (xmax, infomask, infomask2, ntuples) = (plan.xmax(), plan.t_infomask(), plan.t_infomask2(), plan.ntuples());
        let offsets = list(frozen.by_ref().take(usize::from(ntuples)));
        format!(
            "{{ xmax: {xmax}, infomask: {infomask}, infomask2: {infomask2}, ntuples: {ntuples}, offsets: {offsets} }}"
        )
    }))
}

fn vacuum(record: &DecodedRecord<'_>) -> String {
    let nunused = XlHeapVacuum::new(record.main_data).nunused();
    if !has_keys(record) {
        return format!("nunused {nunused}");
    }
    let list = page_lists(record).map_or_else(String::new, |lists| format!(", unused: {}", offsets(&lists.unused)));
    format!("nunused: {nunused}{list}")
}

fn freeze(record: &DecodedRecord<'_>) -> String {
    if !has_keys(record) {
        let freeze = XlHeapFreezePage13::new(record.main_data);
        return format!("cutoff xid {} ntuples {}", freeze.cutoff_xid(), freeze.ntuples());
    }
    let freeze = XlHeapFreezePage16::new(record.main_data);
    let plans = page_lists(record).map_or_else(String::new, |lists| format!(", plans: {}", freeze_plans(&lists)));
    format!("snapshotConflictHorizon: {}, nplans: {}{plans}", freeze.snapshotConflictHorizon(), freeze.nplans())
}

fn visible(record: &DecodedRecord<'_>) -> String {
    let visible = XlHeapVisible::new(record.main_data);
    let (xid, flags) = (visible.snapshotConflictHorizon(), visible.flags());
    if has_keys(record) {
        format!("snapshotConflictHorizon: {xid}, flags: 0x{flags:02X}")
    } else {
        format!("cutoff xid {xid} flags 0x{flags:02X}")
    }
}

fn multi_insert(record: &DecodedRecord<'_>) -> String {
    let mut cut = Cut::new(record.main_data);
    let insert = XlHeapMultiInsert::new(cut.take(XlHeapMultiInsert::SIZE).bytes);
    let (ntuples, flags) = (insert.ntuples(), insert.flags());
    if !has_keys(record) {
        return format!("{ntuples} tuples flags 0x{flags:02X}");
    }
    let has_data = record.block(0).is_some_and(|block| block.has_data);
    let lists = if has_data && record.info() & XLOG_HEAP_INIT_PAGE == 0 {
        format!(", offsets: {}", offsets(&cut.array(usize::from(ntuples), 2)))
    } else {
        String::new()
    };
    format!("ntuples: {ntuples}, flags: 0x{flags:02X}{lists}")
}

fn new_cid(record: &DecodedRecord<'_>) -> String {
    let new_cid = XlHeapNewCid::new(record.main_data);
    let (rel, tid) = (new_cid.target_locator(), new_cid.target_tid());
    let (cmin, cmax, combo) = (new_cid.cmin(), new_cid.cmax(), new_cid.combocid());
    let (block, offset) = (tid.block, tid.offset);
    if has_keys(record) {
        format!("rel: {rel}, tid: {block}/{offset}, cmin: {cmin}, cmax: {cmax}, combo: {combo}")
    } else {
        format!("rel {rel}; tid {block}/{offset}; cmin: {cmin}, cmax: {cmax}, combo: {combo}")
    }
}
