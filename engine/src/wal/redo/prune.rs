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

use super::tuple::{at, tuple};
use super::{Action, Redo};
use crate::heap::heap_free_space;
use crate::page::{BlockNumber, ItemIdData, OffsetNumber, Page};
use alloc::format;
use alloc::string::String;

/// What is done to the page.
#[derive(Debug, Clone, Copy, Default)]
struct Changes<'a> {
    /// pairs of line pointers: from, to
    redirected: &'a [u8],
    dead: &'a [u8],
    unused: &'a [u8],
    /// only line pointers go, no tuple moves
    lp_truncate_only: bool,
    freeze: Freeze<'a>,
}

/// How freezing is logged.
#[derive(Debug, Clone, Copy, Default)]
enum Freeze<'a> {
    #[default]
    None,
    /// 13 to 15: an `xl_heap_freeze_tuple` for each tuple
    EachTuple(&'a [u8]),
    /// from 16 on: `xl_heap_freeze_plan`s, and the line pointers of the tuples that each is for
    Plans(&'a [u8], &'a [u8]),
}

/// Bytes of a plan, with or without the number of its tuple.
const PLAN: usize = 12;

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

/// `heap_xlog_clean` (13), `heap_xlog_prune` (14 to 16): {horizon u32, nredirected u16, ndead u16}.
fn prune(redo: &mut Redo<'_>) {
    let Some(main) = redo.main_data(8) else { return };
    let counts = (usize::from(at::<u16>(main, 4)) * 4, usize::from(at::<u16>(main, 6)) * 2);
    execute(redo, |data| {
        let (redirected, rest) = data.split_at_checked(counts.0)?;
        let (dead, unused) = rest.split_at_checked(counts.1)?;
        Some(Changes { redirected, dead, unused, ..Changes::default() })
    });
    note_space(redo);
}

/// `heap_xlog_vacuum` (14 to 16): {nunused u16}.
fn vacuum(redo: &mut Redo<'_>) {
    let Some(main) = redo.main_data(2) else { return };
    let count = usize::from(at::<u16>(main, 0)) * 2;
    execute(redo, |data| Some(Changes { unused: data.get(..count)?, lp_truncate_only: true, ..Changes::default() }));
    note_space(redo);
}

/// `heap_xlog_freeze_page`: {xid u32, number of tuples or plans u16}.
fn freeze_page(redo: &mut Redo<'_>) {
    let Some(main) = redo.main_data(6) else { return };
    let (bytes, has_plans) = (usize::from(at::<u16>(main, 4)) * PLAN, redo.record.major >= 16);
    execute(redo, |data| {
        let (plans, tuples) = data.split_at_checked(bytes)?;
        let freeze = if has_plans { Freeze::Plans(plans, tuples) } else { Freeze::EachTuple(plans) };
        Some(Changes { freeze, ..Changes::default() })
    });
}

/// `heap_xlog_prune_freeze` (17, 18): {reason u8, flags u8}.
fn prune_freeze(redo: &mut Redo<'_>) {
    const XLHP_CLEANUP_LOCK: u8 = 0x04;
    const XLHP_HAS_FREEZE_PLANS: u8 = 0x10;
    const XLHP_HAS_REDIRECTIONS: u8 = 0x20;
    const XLHP_HAS_DEAD_ITEMS: u8 = 0x40;
    const XLHP_HAS_NOW_UNUSED_ITEMS: u8 = 0x80;
    let Some(main) = redo.main_data(2) else { return };
    let flags = at::<u8>(main, 1);
    let has = |flag: u8| flags & flag != 0;
    execute(redo, |data| {
        let mut rest = data;
        let mut list = |flag: u8, header: usize, size: usize| {
            if !has(flag) {
                return Some(&[][..]);
            }
            let (list, after) = rest.get(header..)?.split_at_checked(usize::from(at::<u16>(rest, 0)) * size)?;
            rest = after;
            Some(list)
        };
        let plans = list(XLHP_HAS_FREEZE_PLANS, 4, PLAN)?;
        let redirected = list(XLHP_HAS_REDIRECTIONS, 2, 4)?;
        let dead = list(XLHP_HAS_DEAD_ITEMS, 2, 2)?;
        let unused = list(XLHP_HAS_NOW_UNUSED_ITEMS, 2, 2)?;
        let freeze = Freeze::Plans(plans, rest);
        Some(Changes { redirected, dead, unused, lp_truncate_only: !has(XLHP_CLEANUP_LOCK), freeze })
    });
    if has(XLHP_HAS_REDIRECTIONS | XLHP_HAS_DEAD_ITEMS | XLHP_HAS_NOW_UNUSED_ITEMS) {
        note_space(redo);
    }
}

/// Changes block 0.
fn execute<'a>(redo: &mut Redo<'a>, read: impl FnOnce(&'a [u8]) -> Option<Changes<'a>>) -> Action {
    let major = redo.record.major;
    redo.change(0, |page, block| {
        let changes = read(block.data).ok_or("the record is too short for its lists")?;
        changes.prune(page, major)?;
        changes.freeze.apply(page, block.tag.block)
    })
}

/// The free space map learns of the page whether it was changed now, restored or changed before.
fn note_space(redo: &mut Redo<'_>) {
    let free = redo.block(0).and_then(|block| redo.disk.page(block.tag)).map(heap_free_space);
    if let Some(free) = free {
        redo.note_space(0, free);
    }
}

/// The numbers in a list.
fn numbers(list: &[u8]) -> impl Iterator<Item = OffsetNumber> {
    list.chunks_exact(2).map(|bytes| OffsetNumber(at(bytes, 0)))
}

impl Changes<'_> {
    /// `heap_page_prune_execute`
    fn prune(&self, page: &mut Page, major: u32) -> Result<(), String> {
        if self.redirected.is_empty() && self.dead.is_empty() && self.unused.is_empty() {
            return Ok(());
        }
        for pair in self.redirected.chunks_exact(4) {
            let (from, to) = (OffsetNumber(at(pair, 0)), OffsetNumber(at(pair, 2)));
            known(page, to)?;
            set(page, from, ItemIdData::redirect_to(to))?;
        }
        for n in numbers(self.dead) {
            set(page, n, ItemIdData::DEAD)?;
        }
        for n in numbers(self.unused) {
            set(page, n, ItemIdData::UNUSED)?;
        }
        if self.lp_truncate_only {
            page.truncate_line_pointer_array();
            return Ok(());
        }
        page.repair_fragmentation(major)
    }
}

fn known(page: &Page, n: OffsetNumber) -> Result<(), String> {
    page.item_id(n).map(|_| ()).ok_or_else(|| format!("there is no line pointer {n}"))
}

fn set(page: &mut Page, n: OffsetNumber, lp: ItemIdData) -> Result<(), String> {
    known(page, n)?;
    page.set_item_id(n, lp);
    Ok(())
}

impl Freeze<'_> {
    fn apply(self, page: &mut Page, block: BlockNumber) -> Result<(), String> {
        match self {
            Self::None => Ok(()),
            Self::EachTuple(plans) => plans.chunks_exact(PLAN).try_for_each(|bytes| {
                let plan =
                    Plan { xmax: at(bytes, 0), infomask2: at(bytes, 6), infomask: at(bytes, 8), flags: at(bytes, 10) };
                plan.apply(page, block, OffsetNumber(at(bytes, 4)))
            }),
            Self::Plans(plans, tuples) => {
                let mut tuples = numbers(tuples);
                for bytes in plans.chunks_exact(PLAN) {
                    let plan = Plan {
                        xmax: at(bytes, 0),
                        infomask2: at(bytes, 4),
                        infomask: at(bytes, 6),
                        flags: at(bytes, 8),
                    };
                    for _ in 0..at::<u16>(bytes, 10) {
                        let n = tuples.next().ok_or("a plan is for more tuples than the record names")?;
                        plan.apply(page, block, n)?;
                    }
                }
                Ok(())
            }
        }
    }
}

/// What freezing makes of a tuple's header.
#[derive(Debug, Clone, Copy)]
struct Plan {
    xmax: u32,
    infomask2: u16,
    infomask: u16,
    flags: u8,
}

impl Plan {
    /// `heap_execute_freeze_tuple`
    fn apply(self, page: &mut Page, block: BlockNumber, n: OffsetNumber) -> Result<(), String> {
        const XLH_FREEZE_XVAC: u8 = 0x02;
        const XLH_INVALID_XVAC: u8 = 0x04;
        const FROZEN_TRANSACTION_ID: u32 = 2;
        let mut tuple = tuple(page, block, n)?;
        tuple.t_xmax = self.xmax;
        if self.flags & XLH_FREEZE_XVAC != 0 {
            tuple.t_field3 = FROZEN_TRANSACTION_ID;
        }
        if self.flags & XLH_INVALID_XVAC != 0 {
            tuple.t_field3 = 0;
        }
        (tuple.t_infomask, tuple.t_infomask2) = (self.infomask, self.infomask2);
        tuple.write(page);
        Ok(())
    }
}
