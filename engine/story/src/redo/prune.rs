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
use alloc::format;
use alloc::string::String;
use ffviz_format::heap::heap_free_space;
use ffviz_format::page::layout::Wire;
use ffviz_format::page::{BlockNumber, Compaction, ItemIdData, LpFlags, OffsetNumber, Page};
use ffviz_format::wal::rec::heap2::{
    PageLists, XLHP_CLEANUP_LOCK, XLHP_HAS_DEAD_ITEMS, XLHP_HAS_NOW_UNUSED_ITEMS, XLHP_HAS_REDIRECTIONS,
    XlHeapFreezePage13, XlHeapFreezePlan, XlHeapFreezeTuple, XlHeapPrune, XlHeapPrune13, XlHeapVacuum,
};

/// Bytes of a redirection: which line pointer, and where it leads.
const PAIR: usize = 2 * u16::SIZE;

/// `heap_xlog_clean` (13), `heap_xlog_prune` (14 to 16); 16 has the fields of 13 and another behind them.
pub(super) fn prune(redo: &mut Redo<'_>) {
    let Some(main) = redo.main_data(XlHeapPrune13::SIZE).map(XlHeapPrune13::new) else { return };
    execute(redo, false, |data| PageLists::prune(data, main.nredirected(), main.ndead()));
    note_space(redo);
}

/// `heap_xlog_vacuum` (14 to 16)
pub(super) fn vacuum(redo: &mut Redo<'_>) {
    if redo.main_data(XlHeapVacuum::SIZE).is_some() {
        execute(redo, true, PageLists::vacuum);
        note_space(redo);
    }
}

/// `heap_xlog_freeze_page` (13 to 16); 16 counts plans where the others count tuples.
pub(super) fn freeze_page(redo: &mut Redo<'_>) {
    let Some(main) = redo.main_data(XlHeapFreezePage13::SIZE).map(XlHeapFreezePage13::new) else { return };
    let (count, has_plans) = (main.ntuples(), redo.record.version.shares_freeze_plans());
    let read =
        |data| if has_plans { PageLists::freeze_plans(data, count) } else { PageLists::freeze_tuples(data, count) };
    execute(redo, false, read);
}

/// `heap_xlog_prune_freeze` (17, 18)
pub(super) fn prune_freeze(redo: &mut Redo<'_>) {
    let Some(main) = redo.main_data(XlHeapPrune::SIZE).map(XlHeapPrune::new) else { return };
    let flags = main.flags();
    // without the lock that keeps readers away no tuple may move
    execute(redo, flags & XLHP_CLEANUP_LOCK == 0, |data| PageLists::prune_and_freeze(data, flags));
    if flags & (XLHP_HAS_REDIRECTIONS | XLHP_HAS_DEAD_ITEMS | XLHP_HAS_NOW_UNUSED_ITEMS) != 0 {
        note_space(redo);
    }
}

/// Changes block 0. What the line pointers will be is worked out, and checked, before anything is written.
fn execute<'a>(redo: &mut Redo<'a>, lp_truncate_only: bool, read: impl FnOnce(&'a [u8]) -> PageLists<'a>) -> Action {
    let version = redo.record.version;
    redo.edit(0, |page, block| {
        let lists = read(block.data);
        let mut lps = page.item_ids();
        point(&mut lps, &lists)?;
        let plans = Plans { lists: &lists, block: block.tag.block, shared: version.shares_freeze_plans() };
        plans.each(|n, _| plans.check(page, &lps, n))?;
        if lists.redirected.is_empty() && lists.dead.is_empty() && lists.unused.is_empty() {
            // it only freezes
        } else if lp_truncate_only {
            page.set_item_ids(&lps);
            page.truncate_line_pointer_array();
        } else {
            page.repair_with(&mut Compaction::of(lps), version.major())?;
        }
        plans.each(|n, plan| plan.execute(page, plans.block, n))
    })
}

/// The free space map learns of the page whether it was changed now, restored or changed before.
fn note_space(redo: &mut Redo<'_>) {
    let free = redo.block(0).and_then(|block| redo.disk.page(block.tag)).map(heap_free_space);
    if let Some(free) = free {
        redo.note_space(0, free);
    }
}

/// `heap_page_prune_execute`: what the line pointers become.
fn point(lps: &mut [ItemIdData], lists: &PageLists<'_>) -> Result<(), String> {
    let known = 1..=lps.len() as u16;
    let mut set = |n: u16, lp: ItemIdData| {
        let place = lps.get_mut(usize::from(n).wrapping_sub(1));
        place.map(|place| *place = lp).ok_or_else(|| format!("there is no line pointer {n}"))
    };
    for pair in lists.redirected.elements(PAIR) {
        let (from, to) = (u16::get(pair.bytes), u16::get(pair.bytes.get(u16::SIZE..).unwrap_or(&[])));
        if !known.contains(&to) {
            return Err(format!("there is no line pointer {to}"));
        }
        set(from, ItemIdData::redirect_to(OffsetNumber(to)))?;
    }
    lists.dead.each().try_for_each(|n| set(n, ItemIdData::DEAD))?;
    lists.unused.each().try_for_each(|n| set(n, ItemIdData::UNUSED))
}

/// How tuples are frozen: each by a struct of its own, or some by a plan that they share.
struct Plans<'a> {
    lists: &'a PageLists<'a>,
    block: BlockNumber,
    shared: bool,
}

impl Plans<'_> {
    /// Calls `act` for each tuple.
    fn each(&self, mut act: impl FnMut(OffsetNumber, Plan) -> Result<(), String>) -> Result<(), String> {
        if !self.shared {
            let tuples = self.lists.plans.elements(XlHeapFreezeTuple::SIZE);
            return tuples.map(|part| XlHeapFreezeTuple::new(part.bytes)).try_for_each(|frozen| {
                let plan = Plan {
                    xmax: frozen.xmax(),
                    infomask2: frozen.t_infomask2(),
                    infomask: frozen.t_infomask(),
                    frzflags: frozen.frzflags(),
                };
                act(OffsetNumber(frozen.offset()), plan)
            });
        }
        let mut tuples = self.lists.frozen.each();
        for shared in self.lists.plans.elements(XlHeapFreezePlan::SIZE).map(|part| XlHeapFreezePlan::new(part.bytes)) {
            let plan = Plan {
                xmax: shared.xmax(),
                infomask2: shared.t_infomask2(),
                infomask: shared.t_infomask(),
                frzflags: shared.frzflags(),
            };
            for _ in 0..shared.ntuples() {
                act(OffsetNumber(tuples.next().ok_or("a plan is for more tuples than the record names")?), plan)?;
            }
        }
        Ok(())
    }

    /// Will that line pointer lead to a tuple?
    fn check(&self, page: &Page, lps: &[ItemIdData], n: OffsetNumber) -> Result<(), String> {
        let stays = lps.get(usize::from(n.0).wrapping_sub(1)).is_some_and(|lp| lp.lp_flags() == LpFlags::Normal);
        if stays { tuple(page, self.block, n).map(|_| ()) } else { Err(format!("line pointer {n} leads to no tuple")) }
    }
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
