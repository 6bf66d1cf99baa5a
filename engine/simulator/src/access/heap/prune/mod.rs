//! Pruning: row versions that nobody can see go, as a whole page is read or vacuumed
//! (src/backend/access/heap/pruneheap.c).
//!
//! ```text
//!  root ─▶ dead ─▶ dead ─▶ live      becomes      root ═ LP_REDIRECT ═▶ live
//!  root ─▶ dead ─▶ dead              becomes      root = LP_DEAD: index entries may still lead here
//! ```
//!
//! `state` classifies the row versions, `chain` walks from each root and decides, `execute` does it, `log` writes the
//! record of the version.

mod chain;
mod execute;
mod lists;
mod log;
mod state;

pub use execute::heap_page_prune_execute;
pub use lists::Few;
pub use log::{PruneReason, log_heap_freeze, log_heap_prune, log_heap_prune_and_freeze, log_heap_vacuum};
pub use state::{PruneState, Vistest, advance_conflict_horizon};

use super::freeze::heap_freeze_prepared_tuples;
use super::survey::Survey;
use crate::storage::{BLCKSZ, Buffer, Instance, RelationData, TableAm};
use alloc::format;
use alloc::vec::Vec;
use ffviz_format::heap::{heap_free_space, hole_words};
use ffviz_format::page::header::PD_PAGE_FULL;
use ffviz_format::page::{LpFlags, TransactionId, precedes, thousands};
use ffviz_story::timeline::Unlogged;

/// `heap_page_prune_opt`: prunes a page that a query reads, if that is likely to free something and room is short. The
/// caller has it pinned.
pub fn heap_page_prune_opt(pg: &mut Instance, rel: &RelationData, buf: Buffer) {
    // nothing old is on pages of the undo engine
    if rel.am == TableAm::Undo {
        return;
    }
    let prune_xid = pg.buffers.page(buf).header().pd_prune_xid();
    if prune_xid == 0 {
        return;
    }
    if !pg.is_removable(buf.file, prune_xid) {
        pg.trace.tell(Some(buf), || {
            format!("block {}: not pruned, since transaction {prune_xid} is not older than every snapshot", buf.block)
        });
        return;
    }
    let (page, minfree) = (pg.buffers.page(buf), rel.target_page_free_space().max(BLCKSZ / 10));
    let (free, is_full) = (heap_free_space(page), page.header().pd_flags() & PD_PAGE_FULL != 0);
    let hole = page.free();
    let numbers = || (hole_words(hole, free), thousands(minfree.into()));
    if !is_full && free >= minfree {
        pg.trace.tell(Some(buf), || {
            let (hole, minfree) = numbers();
            format!(
                "block {}: not pruned, since {hole} are free and pruning starts below {minfree} and a line pointer",
                buf.block
            )
        });
        return;
    }
    if pg.pin_count(buf) > 1 {
        pg.trace.tell(Some(buf), || format!("block {}: not pruned, since somebody else has it pinned", buf.block));
        return;
    }
    pg.trace.tell(Some(buf), || {
        let why = if is_full {
            "an UPDATE found no room here".into()
        } else {
            let (hole, minfree) = numbers();
            format!("{hole} are free, {minfree} and a line pointer wanted")
        };
        format!("block {}: pruned, since {why} and transaction {prune_xid} is older than every snapshot", buf.block)
    });
    let vistest = Vistest::GlobalVis;
    let before = rows_on(pg, buf);
    let state = if pg.version.prunes_and_freezes_at_once() {
        heap_page_prune_and_freeze(pg, buf, vistest, false, None, PruneReason::OnAccess)
    } else {
        heap_page_prune(pg, buf, vistest, 0)
    };
    // `pgstat_update_heap_dead_tuples`: what is left of a row as LP_DEAD still counts as a dead one
    let gone = before - rows_on(pg, buf) - state.now_dead.len() as i64;
    if gone > 0 {
        let stats = pg.stats.of_mut(rel.oid);
        stats.dead = (stats.dead - gone).max(0);
    }
}

/// Row versions on the page.
fn rows_on(pg: &Instance, buf: Buffer) -> i64 {
    pg.buffers.page(buf).line_pointers().filter(|(_, item)| item.lp_flags() == LpFlags::Normal).count() as i64
}

/// `heap_page_prune`, 13 to 16. `latest_removed` is where the conflict horizon starts from: 13's VACUUM carries it from
/// page to page.
pub fn heap_page_prune(pg: &mut Instance, buf: Buffer, vistest: Vistest, latest_removed: TransactionId) -> PruneState {
    let mut state = PruneState::new(pg, buf, vistest, false, false);
    state.latest_xid_removed = latest_removed;
    state.prune_in_order(pg);
    if state.is_empty() {
        set_hints(pg, &state, true);
        return state;
    }
    heap_page_prune_execute(pg, buf, &state);
    set_hints(pg, &state, false);
    pg.mark_buffer_dirty(buf);
    log_heap_prune(pg, buf, &state, state.latest_xid_removed);
    state
}

/// `heap_page_prune_and_freeze`, from 17 on. With a survey the row versions that stay are surveyed and may be frozen in
/// the same record. `mark_unused_now`: no index leads here, so dead line pointers can be used again at once.
pub fn heap_page_prune_and_freeze(
    pg: &mut Instance,
    buf: Buffer,
    vistest: Vistest,
    mark_unused_now: bool,
    survey: Option<&mut Survey>,
    reason: PruneReason,
) -> PruneState {
    let images_before = pg.backend().wal.usage.fpi;
    let mut state = PruneState::new(pg, buf, vistest, mark_unused_now, survey.is_some());
    let hint_image = pg.backend().wal.usage.fpi != images_before;
    state.prune_roots_first(pg);
    let do_prune = !state.is_empty();
    let do_hint = hints_change(pg, &state);
    let mut plans = Vec::new();
    if let Some(survey) = survey {
        state.survey_kept(pg, survey);
        if survey.decides_to_freeze(pg, buf, hint_image, do_prune, do_hint) {
            plans = core::mem::take(&mut survey.plans);
            survey.frozen = plans.len();
            let horizon = survey.freeze_horizon();
            if precedes(state.latest_xid_removed, horizon) {
                state.latest_xid_removed = horizon;
            }
        }
    }
    set_hints(pg, &state, !do_prune && plans.is_empty());
    if do_prune {
        heap_page_prune_execute(pg, buf, &state);
    }
    heap_freeze_prepared_tuples(pg, buf, &plans);
    if do_prune || !plans.is_empty() {
        pg.mark_buffer_dirty(buf);
        log_heap_prune_and_freeze(pg, buf, reason, state.latest_xid_removed, &plans, &state);
    }
    state
}

/// Would `pd_prune_xid` or `PD_PAGE_FULL` change?
fn hints_change(pg: &Instance, state: &PruneState) -> bool {
    let header = pg.buffers.page(state.buf).header();
    header.pd_prune_xid() != state.new_prune_xid || header.pd_flags() & PD_PAGE_FULL != 0
}

/// Sets `pd_prune_xid` and clears `PD_PAGE_FULL`: there is no point in pruning again before something else happens to
/// the page. `alone`: nothing else changes, so it is only a hint.
fn set_hints(pg: &mut Instance, state: &PruneState, alone: bool) {
    if !hints_change(pg, state) {
        return;
    }
    let mut page = pg.buffers.header_mut(state.buf);
    page.set_pd_prune_xid(state.new_prune_xid);
    let flags = page.header().pd_flags();
    page.set_pd_flags(flags & !PD_PAGE_FULL);
    if alone {
        pg.mark_buffer_dirty_hint(state.buf, true);
        pg.note_unlogged(Unlogged::HintBits, state.buf);
    }
}
