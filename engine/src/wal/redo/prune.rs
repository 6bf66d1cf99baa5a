//! Redo of pruning, VACUUM's second pass and freezing, which each version logs in its own way.
//!
//! ```text
//!  13      CLEAN       {horizon, nredirected, ndead}   redirections, dead, unused           FREEZE_PAGE  a plan for each tuple
//!  14–16   PRUNE       the same                        VACUUM {nunused}  unused             FREEZE_PAGE; 16: shared plans
//!  17, 18  PRUNE_*     {reason, flags}[horizon]        plans, redirections, dead, unused, each with its count, tuples of the plans
//! ```
//!
//! `heap_xlog_clean`, `heap_xlog_prune`, `heap_xlog_vacuum`, `heap_xlog_freeze_page`, `heap_xlog_prune_freeze`;
//! `heap_page_prune_execute` (src/backend/access/heap/pruneheap.c).

use super::tuple::tuple;
use super::{Action, Redo};
use crate::heap::heap_free_space;
use crate::page::{BlockNumber, ItemIdData, OffsetNumber, Page};
use crate::wal::rec::Part;
use crate::wal::rec::heap2::{
    PageLists, XLHP_HAS_DEAD_ITEMS, XLHP_HAS_NOW_UNUSED_ITEMS, XLHP_HAS_REDIRECTIONS, XlHeapFreezePage13,
    XlHeapFreezePlan, XlHeapFreezeTuple, XlHeapPrune, XlHeapPrune13, XlHeapVacuum,
};
use alloc::format;
use alloc::string::String;

/// Since this version tuples that are frozen alike share a plan.
const PLANS_SINCE: u32 = 16;

/// Does what the record says; `kind` is its type.
pub(super) fn redo(redo: &mut Redo<'_>, kind: u8) {
    match (redo.record.major, kind) {
        (..=13, 0x10) | (14..=16, 0x10) => prune(redo),
        (14..=16, 0x20) => vacuum(redo),
        (..=13, 0x20) | (14..=16, 0x30) => freeze_page(redo),
        // CLEANUP_INFO of 13 is about snapshots on standbys
        (..=13, _) => {}
        _ => prune_freeze(redo),
    }
}

/// `heap_xlog_clean` (13), `heap_xlog_prune` (14 to 16); 16 has the fields of 13 and another behind them.
fn prune(redo: &mut Redo<'_>) {
    let Some(main) = redo.main_data(XlHeapPrune13::SIZE).map(XlHeapPrune13::new) else { return };
    execute(redo, false, |data| PageLists::prune(data, main.nredirected(), main.ndead()));
    note_space(redo);
}

/// `heap_xlog_vacuum` (14 to 16)
fn vacuum(redo: &mut Redo<'_>) {
    if redo.main_data(XlHeapVacuum::SIZE).is_some() {
        execute(redo, true, PageLists::vacuum);
        note_space(redo);
    }
}

/// `heap_xlog_freeze_page` (13 to 16); 16 counts plans where the others count tuples.
fn freeze_page(redo: &mut Redo<'_>) {
    let Some(main) = redo.main_data(XlHeapFreezePage13::SIZE).map(XlHeapFreezePage13::new) else { return };
    let (count, has_plans) = (main.ntuples(), redo.record.major >= PLANS_SINCE);
    let read =
        |data| if has_plans { PageLists::freeze_plans(data, count) } else { PageLists::freeze_tuples(data, count) };
    execute(redo, false, read);
}

/// `heap_xlog_prune_freeze` (17, 18)
fn prune_freeze(redo: &mut Redo<'_>) {
    const XLHP_CLEANUP_LOCK: u8 = 1 << 2;
    let Some(main) = redo.main_data(XlHeapPrune::SIZE).map(XlHeapPrune::new) else { return };
    let flags = main.flags();
    // without the lock that keeps readers away no tuple may move
    execute(redo, flags & XLHP_CLEANUP_LOCK == 0, |data| PageLists::prune_and_freeze(data, flags));
    if flags & (XLHP_HAS_REDIRECTIONS | XLHP_HAS_DEAD_ITEMS | XLHP_HAS_NOW_UNUSED_ITEMS) != 0 {
        note_space(redo);
    }
}

/// Changes block 0.
fn execute<'a>(redo: &mut Redo<'a>, lp_truncate_only: bool, read: impl FnOnce(&'a [u8]) -> PageLists<'a>) -> Action {
    let major = redo.record.major;
    redo.change(0, |page, block| {
        let lists = read(block.data);
        prune_execute(page, &lists, lp_truncate_only, major)?;
        if major < PLANS_SINCE {
            freeze_tuples(page, block.tag.block, &lists.plans)
        } else {
            freeze_by_plans(page, block.tag.block, &lists)
        }
    })
}

/// The free space map learns of the page whether it was changed now, restored or changed before.
fn note_space(redo: &mut Redo<'_>) {
    let free = redo.block(0).and_then(|block| redo.disk.page(block.tag)).map(heap_free_space);
    if let Some(free) = free {
        redo.note_space(0, free);
    }
}

/// The line pointers in a list.
fn numbers(list: &Part<'_>) -> impl Iterator<Item = OffsetNumber> {
    list.values::<u16>().into_iter().map(OffsetNumber)
}

/// `heap_page_prune_execute`
fn prune_execute(page: &mut Page, lists: &PageLists<'_>, lp_truncate_only: bool, major: u32) -> Result<(), String> {
    if lists.redirected.is_empty() && lists.dead.is_empty() && lists.unused.is_empty() {
        return Ok(());
    }
    for pair in lists.redirected.values::<u16>().chunks_exact(2) {
        let to = OffsetNumber(pair[1]);
        known(page, to)?;
        set(page, OffsetNumber(pair[0]), ItemIdData::redirect_to(to))?;
    }
    for n in numbers(&lists.dead) {
        set(page, n, ItemIdData::DEAD)?;
    }
    for n in numbers(&lists.unused) {
        set(page, n, ItemIdData::UNUSED)?;
    }
    if lp_truncate_only {
        page.truncate_line_pointer_array();
        return Ok(());
    }
    page.repair_fragmentation(major)
}

fn known(page: &Page, n: OffsetNumber) -> Result<(), String> {
    page.item_id(n).map(|_| ()).ok_or_else(|| format!("there is no line pointer {n}"))
}

fn set(page: &mut Page, n: OffsetNumber, lp: ItemIdData) -> Result<(), String> {
    known(page, n)?;
    page.set_item_id(n, lp);
    Ok(())
}

/// Each tuple has a struct of its own.
fn freeze_tuples(page: &mut Page, block: BlockNumber, tuples: &Part<'_>) -> Result<(), String> {
    tuples.elements(XlHeapFreezeTuple::SIZE).map(|part| XlHeapFreezeTuple::new(part.bytes)).try_for_each(|frozen| {
        let plan = Plan {
            xmax: frozen.xmax(),
            infomask2: frozen.t_infomask2(),
            infomask: frozen.t_infomask(),
            frzflags: frozen.frzflags(),
        };
        plan.execute(page, block, OffsetNumber(frozen.offset()))
    })
}

/// Each plan is for some tuples.
fn freeze_by_plans(page: &mut Page, block: BlockNumber, lists: &PageLists<'_>) -> Result<(), String> {
    let mut tuples = numbers(&lists.frozen);
    for shared in lists.plans.elements(XlHeapFreezePlan::SIZE).map(|part| XlHeapFreezePlan::new(part.bytes)) {
        let plan = Plan {
            xmax: shared.xmax(),
            infomask2: shared.t_infomask2(),
            infomask: shared.t_infomask(),
            frzflags: shared.frzflags(),
        };
        for _ in 0..shared.ntuples() {
            let n = tuples.next().ok_or("a plan is for more tuples than the record names")?;
            plan.execute(page, block, n)?;
        }
    }
    Ok(())
}

/// What freezing makes of a tuple's header.
#[derive(Debug, Clone, Copy)]
struct Plan {
    xmax: u32,
    infomask2: u16,
    infomask: u16,
    frzflags: u8,
}

impl Plan {
    /// `heap_execute_freeze_tuple`
    fn execute(self, page: &mut Page, block: BlockNumber, n: OffsetNumber) -> Result<(), String> {
        const XLH_FREEZE_XVAC: u8 = 0x02;
        const XLH_INVALID_XVAC: u8 = 0x04;
        const FROZEN_TRANSACTION_ID: u32 = 2;
        let mut tuple = tuple(page, block, n)?;
        tuple.t_xmax = self.xmax;
        if self.frzflags & XLH_FREEZE_XVAC != 0 {
            tuple.t_field3 = FROZEN_TRANSACTION_ID;
        }
        if self.frzflags & XLH_INVALID_XVAC != 0 {
            tuple.t_field3 = 0;
        }
        (tuple.t_infomask, tuple.t_infomask2) = (self.infomask, self.infomask2);
        tuple.write(page);
        Ok(())
    }
}
