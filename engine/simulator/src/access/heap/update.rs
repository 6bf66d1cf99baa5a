//! `heap_update` (src/backend/access/heap/heapam.c).
//!
//! ```text
//!  which columns change? ─▶ may it be updated? ─▶ room on the page? ─ yes ──────────────────────▶ same page, HOT where no index cares
//!                                                       │ no, or long values
//!                                                       └▶ LOCK ─▶ TOAST ─▶ another page, if need be
//!  old version: t_xmax = xid, t_ctid ──▶ new version                                             ─▶ UPDATE or HOT_UPDATE
//! ```

use super::columns::{Modified, heap_determine_columns_info};
use super::conflict::{is_only_locked, multixact_conflict, updated_or_deleted};
use super::hio::{Wanted, put_heap_tuple, relation_get_buffer_for_tuple};
use super::insert::{InsertOptions, set_header};
use super::lock::write_lock;
use super::record::{Cleared, clear_all_visible, write_header};
use super::replica_identity::{OldRow, extract_replica_identity};
use super::speculative::tuple_at;
use super::toast::{HEAP_HASEXTERNAL, heap_toast_insert_or_update, needs_toast};
use super::update_record::{Unchanged, UpdateRecord, log_heap_update};
use super::visibility::{TmResult, heap_tuple_satisfies_update};
use super::xmax::{LockTupleMode, NewXmax, adjust_cmax, compute_new_xmax_infomask, of_multixact, set_cmax};
use crate::storage::{Buffer, CommandId, Instance, Outcome, RelationData, Stop, WaitFor};
use alloc::format;
use ffviz_format::datum::{FormedTuple, SqlError};
use ffviz_format::heap::infomask::{
    HEAP_HOT_UPDATED, HEAP_ONLY_TUPLE, HEAP_UPDATED, HEAP_XMAX_INVALID, HEAP_XMAX_KEYSHR_LOCK, HEAP_XMAX_LOCK_ONLY,
    HEAP_XMAX_SHR_LOCK,
};
use ffviz_format::heap::{HeapTuple, HeapTupleHeaderData, heap_free_space, hole_words};
use ffviz_format::page::header::PD_PAGE_FULL;
use ffviz_format::page::{ItemIdData, ItemPointer, TransactionId, thousands};
use ffviz_format::state::RelKind;

/// `TU_UpdateIndexes`: which indexes need entries for the new version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UpdateIndexes {
    /// none
    None,
    /// all
    All,
    /// those that summarize ranges of blocks
    Summarizing,
}

/// What [`heap_update`] did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UpdateResult {
    /// [`TmResult::Ok`] where the row is updated now, else why it is not, and nothing below means anything
    pub tm: TmResult,
    /// the new version
    pub tid: ItemPointer,
    /// which indexes need entries
    pub indexes: UpdateIndexes,
    /// how the old version is locked now
    pub lock_mode: LockTupleMode,
}

/// What is known of the transactions that lock the old version.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lockers {
    /// nobody asked
    Unchecked,
    /// they ended
    Gone,
    /// some go on to lock the new version
    Remain,
}

/// An UPDATE of one row at work.
pub(super) struct Update<'a> {
    pub(super) rel: &'a RelationData,
    pub(super) xid: TransactionId,
    /// the page of the old version
    pub(super) buf: Buffer,
    pub(super) old: HeapTuple,
    pub(super) new: &'a mut FormedTuple,
    modified: Modified,
    lock_mode: LockTupleMode,
    /// the old version's field for command ids
    cmax: (CommandId, bool),
    /// was `PD_PAGE_FULL` set when it began?
    was_full: bool,
    /// bytes free on the page
    free: u16,
}

/// `heap_update`: `new` takes the place of the version at `otid`.
///
/// # Errors
/// A row that the command cannot see, one too long for a page; [`Stop::Wait`] for a transaction that locks or changes
/// it.
pub fn heap_update(
    pg: &mut Instance,
    rel: &RelationData,
    otid: ItemPointer,
    new: &mut FormedTuple,
    cid: CommandId,
) -> Outcome<UpdateResult> {
    let xid = pg.current_xid();
    let buf = Buffer::main(rel.file, otid.block);
    set_header(new, xid, cid, HEAP_UPDATED | HEAP_XMAX_INVALID);
    pg.read_buffer(buf);
    let page = pg.buffers.page(buf);
    let mut old = tuple_at(page, otid)?;
    let (was_full, free) = (page.header().pd_flags() & PD_PAGE_FULL != 0, heap_free_space(page));
    let modified = heap_determine_columns_info(pg, rel, page.slice(old.bytes.clone()), new);
    let lock_mode = if modified.key { LockTupleMode::Exclusive } else { LockTupleMode::NoKeyExclusive };
    let (tm, lockers) = may_update(pg, &mut old, buf, cid, lock_mode)?;
    if tm != TmResult::Ok {
        return Ok(UpdateResult { tm, tid: otid, indexes: UpdateIndexes::None, lock_mode });
    }
    let xmax = compute_new_xmax_infomask(pg, &old, xid, lock_mode, true);
    inherit_lockers(pg, &old, lockers, new, cid);
    let cmax = adjust_cmax(pg, &old, cid);
    let mut update = Update { rel, xid, buf, old, new, modified, lock_mode, cmax, was_full, free };
    let target = update.choose_page(pg)?;
    pg.check_for_serializable_conflict_in(rel, Some(otid), Some(otid.block))?;
    update.execute(pg, target, xmax)
}

/// `HeapTupleSatisfiesUpdate`, and what others' locks mean for it.
fn may_update(
    pg: &mut Instance,
    old: &mut HeapTuple,
    buf: Buffer,
    cid: CommandId,
    mode: LockTupleMode,
) -> Outcome<(TmResult, Lockers)> {
    match heap_tuple_satisfies_update(pg, old, buf, cid) {
        TmResult::Invisible => Err(SqlError::new("55000", "attempted to update invisible tuple").into()),
        TmResult::BeingModified { xid } if old.is_xmax_multi() => {
            let conflict = multixact_conflict(pg, xid, mode);
            if let Some(xid) = conflict.wait {
                return Err(Stop::Wait(WaitFor::Transaction(xid)));
            }
            let lockers = match conflict {
                _ if !conflict.exists => Lockers::Unchecked,
                _ if conflict.remain => Lockers::Remain,
                _ => Lockers::Gone,
            };
            Ok((if is_only_locked(pg, old) { TmResult::Ok } else { updated_or_deleted(pg, old) }, lockers))
        }
        TmResult::BeingModified { xid } => {
            let is_key_share = old.t_infomask & HEAP_XMAX_SHR_LOCK == HEAP_XMAX_KEYSHR_LOCK;
            let leaves_key = mode == LockTupleMode::NoKeyExclusive;
            if pg.is_current_xid(xid) || (is_key_share && leaves_key) {
                return Ok((TmResult::Ok, Lockers::Remain));
            }
            Err(Stop::Wait(WaitFor::Transaction(xid)))
        }
        tm => Ok((tm, Lockers::Unchecked)),
    }
}

/// The new version is locked by those that lock the old one, which can only be key share locks. Else nobody has its
/// `t_xmax`.
fn inherit_lockers(pg: &Instance, old: &HeapTuple, lockers: Lockers, new: &mut FormedTuple, cid: CommandId) {
    if old.is_xmax_invalid() || lockers == Lockers::Gone || old.t_xmax == 0 {
        return;
    }
    let inherited = if old.is_xmax_multi() {
        of_multixact(pg, old.t_xmax)
    } else {
        NewXmax { xmax: old.t_xmax, infomask: HEAP_XMAX_KEYSHR_LOCK | HEAP_XMAX_LOCK_ONLY, infomask2: 0 }
    };
    let xmin = HeapTupleHeaderData::new(&new.bytes).t_xmin();
    set_header(new, xmin, cid, HEAP_UPDATED | inherited.infomask);
    let natts = new.natts;
    HeapTupleHeaderData::edit(&mut new.bytes).t_xmax(inherited.xmax).t_infomask2(natts | inherited.infomask2);
}

impl Update<'_> {
    fn size(&self) -> usize {
        self.new.bytes.len().next_multiple_of(8)
    }

    /// The page of the new version: that of the old one where there is room, whatever `fillfactor` says. Else, and
    /// where values go to the TOAST table, the old version is locked first, as its page is let go.
    fn choose_page(&mut self, pg: &mut Instance) -> Outcome<Buffer> {
        let free = usize::from(self.free);
        let has_toast = matches!(self.rel.kind, RelKind::Table | RelKind::MaterializedView);
        let need_toast = has_toast && (self.old.t_infomask & HEAP_HASEXTERNAL != 0 || needs_toast(self.new));
        if !need_toast && self.size() <= free {
            return Ok(self.buf);
        }
        let (buf, hole, needed) = (self.buf, pg.buffers.page(self.buf).free(), self.size());
        pg.trace.tell(Some(buf), || {
            let why = if need_toast { "long values" } else { "not enough for the new version" };
            let (hole, needed) = (hole_words(hole, self.free), thousands((needed + ItemIdData::SIZE) as u64));
            format!("block {}: {hole} free, {needed} needed ({why}): the row is locked first", buf.block)
        });
        self.lock_old(pg);
        if need_toast {
            self.toast(pg)?;
        }
        if self.size() <= free {
            return Ok(buf);
        }
        relation_get_buffer_for_tuple(pg, self.rel, Wanted { other: Some(buf), ..Wanted::one(self.new.bytes.len()) })
    }

    /// LOCK of the old version, before its page is let go.
    fn lock_old(&mut self, pg: &mut Instance) {
        let lock = compute_new_xmax_infomask(pg, &self.old, self.xid, self.lock_mode, false);
        lock.set(&mut self.old);
        self.old.t_infomask2 &= !HEAP_HOT_UPDATED;
        set_cmax(&mut self.old, self.cmax);
        self.old.t_ctid = self.old.tid;
        write_lock(pg, self.rel, self.buf, &self.old);
    }

    /// The new version with its long values stored apart; its header stays.
    fn toast(&mut self, pg: &mut Instance) -> Outcome<()> {
        let old = pg.buffers.page(self.buf).slice(self.old.bytes.clone()).to_vec();
        let header = HeapTupleHeaderData::new(&self.new.bytes);
        let (xmin, xmax, cid) = (header.t_xmin(), header.t_xmax(), header.t_field3());
        let (infomask, infomask2) = (header.t_infomask() & 0xFFF0, header.t_infomask2());
        heap_toast_insert_or_update(pg, self.rel, self.new, Some(&old), InsertOptions::NONE)?;
        set_header(self.new, xmin, cid, infomask);
        HeapTupleHeaderData::edit(&mut self.new.bytes).t_xmax(xmax).t_infomask2(infomask2);
        Ok(())
    }

    /// Does the new version go to the page of the old one?
    pub(super) const fn stays(&self, target: Buffer) -> bool {
        target.block == self.buf.block
    }

    /// May the new version go into the old one's HOT chain?
    fn is_hot(&self, pg: &Instance, target: Buffer) -> bool {
        let forbidden = self.was_full && !pg.version.hot_ignores_page_full();
        self.stays(target) && !self.modified.hot_blocking && !forbidden
    }

    /// Puts the new version on its page, ends the old one, and writes the record.
    fn execute(&mut self, pg: &mut Instance, target: Buffer, xmax: NewXmax) -> Outcome<UpdateResult> {
        let (buf, hot) = (self.buf, self.is_hot(pg, target));
        let old_row = extract_replica_identity(pg, self.rel, buf, &self.old, self.modified.identity)?;
        self.tell(pg, target, hot);
        self.old.t_infomask2 &= !HEAP_HOT_UPDATED;
        if hot {
            self.old.t_infomask2 |= HEAP_HOT_UPDATED;
            let infomask2 = HeapTupleHeaderData::new(&self.new.bytes).t_infomask2();
            HeapTupleHeaderData::edit(&mut self.new.bytes).t_infomask2(infomask2 | HEAP_ONLY_TUPLE);
        }
        let unchanged = Unchanged::find(pg, self.rel, (&self.old, buf), (self.new, target));
        xmax.set(&mut self.old);
        set_cmax(&mut self.old, self.cmax);
        let counted = self.write_and_count(pg, target, hot, unchanged);
        let (tid, is_counted) = counted.unwrap_or_else(|| (self.write(pg, target), false));
        if !is_counted {
            self.log(pg, target, tid, hot, unchanged, old_row);
        }
        pg.mark_buffer_dirty(buf);
        pg.counted.tup_updated += 1;
        pg.count_updated(self.rel.oid, hot, target != buf);
        pg.counted.tup_hot_updated += u64::from(hot);
        let indexes = match hot {
            false => UpdateIndexes::All,
            true if self.modified.summarized => UpdateIndexes::Summarizing,
            true => UpdateIndexes::None,
        };
        Ok(UpdateResult { tm: TmResult::Ok, tid, indexes, lock_mode: self.lock_mode })
    }

    /// Puts the new version on its page and the header of the old one on its own. Gives the new version's place.
    fn write(&mut self, pg: &mut Instance, target: Buffer) -> ItemPointer {
        let (tid, _) = put_heap_tuple(&mut pg.buffers, target, self.new, None);
        self.old.t_ctid = tid;
        let mut page = write_header(&mut pg.buffers, self.buf, &self.old);
        if !self.stays(target) {
            let flags = page.header().pd_flags();
            page.set_pd_flags(flags | PD_PAGE_FULL);
        }
        page.set_prunable(self.xid);
        tid
    }

    /// The pages are not all-visible any more, and the record says so.
    #[inline(never)]
    fn log(
        &self,
        pg: &mut Instance,
        new_buf: Buffer,
        new_tid: ItemPointer,
        hot: bool,
        unchanged: Unchanged,
        old_row: OldRow,
    ) {
        let Self { rel, buf: old_buf, ref old, ref new, .. } = *self;
        let old_cleared = clear_all_visible(pg, old_buf);
        let new_cleared = if new_buf == old_buf { Cleared::default() } else { clear_all_visible(pg, new_buf) };
        let record =
            UpdateRecord { rel, old, old_buf, new, new_buf, new_tid, hot, unchanged, old_cleared, new_cleared };
        log_heap_update(pg, &record, old_row);
    }

    fn tell(&self, pg: &mut Instance, target: Buffer, hot: bool) {
        let (full, modified) = (self.was_full, self.modified.hot_blocking);
        pg.trace.tell(Some(target), || match (hot, self.stays(target)) {
            (true, _) => "the new version stays on the page and no indexed column changes: HOT".into(),
            (false, false) => format!("the new version goes to block {}: not HOT", target.block),
            (false, true) if modified => "an indexed column changes: not HOT, although there is room".into(),
            (false, true) => format!("PD_PAGE_FULL is set ({full}): not HOT, although there is room"),
        });
    }
}
