//! Transactions of a session: BEGIN, COMMIT, ROLLBACK and savepoints (src/backend/access/transam/xact.c), with what
//! they log, what they undo in the catalog, and the files that they unlink (src/backend/catalog/storage.c).
//!
//! ```text
//!  BEGIN ── SAVEPOINT a ── SAVEPOINT b ── RELEASE b ── ROLLBACK TO a ── COMMIT
//!  level 0     level 1        level 2     2 joins 1    1 aborts, a new 1
//! ```

use super::deferred;
use super::{Cluster, DEFAULT_TABLESPACE, KeptSettings};
use crate::access::transam::{DroppedStats, WalLevel, XactEndRecord, log_xact_end};
use crate::storage::{FileId, IsolationLevel, SessionSettings, Xact, XactLevel, XidStatus};
use crate::undo::{undo_end, undo_rollback};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::datum::SqlError;
use ffviz_format::page::{Lsn, TransactionId};
use ffviz_format::wal::RelFileLocator;
use ffviz_format::wal::rec::TimestampTz;
use ffviz_format::wal::rec::xact::XACT_XINFO_HAS_AE_LOCKS;
use ffviz_format::wal::record_type::XactType;

impl Cluster {
    /// BEGIN. Within a block it only warns.
    pub fn begin(&mut self, isolation: Option<IsolationLevel>) {
        let xact = self.pg.start_transaction(true);
        xact.in_block = true;
        if let Some(isolation) = isolation {
            xact.isolation = isolation;
        }
    }

    /// COMMIT of the running session; of a failed transaction it is a ROLLBACK. Gives the command tag.
    ///
    /// # Errors
    /// Where a SERIALIZABLE transaction has to fail; then it has been rolled back.
    pub fn commit_block(&mut self) -> Result<&'static str, SqlError> {
        if self.pg.backend().xact.as_ref().is_some_and(|xact| xact.failed) {
            self.rollback_block();
            return Ok("ROLLBACK");
        }
        self.commit()?;
        Ok("COMMIT")
    }

    /// COMMIT of the running session begins: what fails from now on ends the transaction, and its subtransactions are
    /// part of it.
    pub fn begin_commit(&mut self) {
        while self.depth() > 0 {
            self.commit_level();
        }
        if let Some(xact) = &mut self.pg.backend_mut().xact {
            xact.in_block = false;
        }
    }

    /// ROLLBACK of the running session.
    pub fn rollback_block(&mut self) {
        let is_over = self.pg.backend().xact.as_ref().is_none_or(|xact| xact.failed && xact.levels.len() == 1);
        if !is_over {
            while self.depth() > 0 {
                self.abort_level();
                self.pop_level();
            }
            self.abort_level();
        }
        self.finish();
    }

    /// `CommitTransaction`
    pub(super) fn commit(&mut self) -> Result<(), SqlError> {
        while self.depth() > 0 {
            self.commit_level();
        }
        self.pre_commit_on_commit_actions();
        if let Err(error) = self.pg.pre_commit_check_for_serialization_failure() {
            self.abort_level();
            self.finish();
            return Err(error);
        }
        let Some(xact) = &self.pg.backend().xact else { return Ok(()) };
        let (xid, children) = (xact.top_xid(), xact.levels[0].children.clone());
        let dropped: Vec<FileId> = core::mem::take(&mut self.session().dropped).into_iter().map(|(f, _)| f).collect();
        self.session().created.clear();
        let stats = self.take_dropped_stats(true, 0);
        self.pg.stats.end(self.pg.me, 0, true, self.clock);
        if let Some(xid) = xid {
            self.commit_labels(xid);
            let end = self.log_end(XactType::Commit, &children, &dropped, &stats);
            let is_flushed =
                self.pg.backend().settings.synchronous_commit || dropped.iter().any(|file| self.is_told(*file));
            let unflushed = (!is_flushed).then_some(end);
            if is_flushed {
                self.pg.flushed = self.pg.flushed.max(end);
            }
            self.pg.transam.end(children.iter().copied().chain([xid]), XidStatus::Committed, unflushed);
            undo_end(&mut self.pg, xid);
        }
        self.pg.release_predicate_locks(true);
        self.unlink(&dropped);
        self.invalidate();
        self.finish();
        Ok(())
    }

    /// The record of a transaction's end, with the files that go, the newest first, and the statistics. Gives where it
    /// ends.
    fn log_end(
        &mut self,
        kind: XactType,
        subxacts: &[TransactionId],
        dropped: &[FileId],
        stats: &[DroppedStats],
    ) -> Lsn {
        let rels = dropped.iter().rev().filter(|file| self.is_told(**file));
        let rels: Vec<RelFileLocator> = rels.map(|file| self.pg.buffers.locator(*file)).collect();
        let told_of_lock = self.pg.backend().xact.as_ref().is_some_and(|xact| xact.told_of_lock);
        let completion = if told_of_lock { XACT_XINFO_HAS_AE_LOCKS } else { 0 };
        let is_decoded = kind == XactType::Commit && self.pg.wal.settings.level >= WalLevel::Logical;
        let dbinfo = is_decoded.then_some((self.database, DEFAULT_TABLESPACE));
        let end = XactEndRecord {
            completion,
            dbinfo,
            subxacts,
            rels: &rels,
            stats,
            ..XactEndRecord::new(kind, TimestampTz(self.clock))
        };
        self.pg.log_about_no_page(|wal, backend| log_xact_end(wal, backend, &end))
    }

    /// `smgrGetPendingDeletes`: files of temporary relations are nobody else's.
    fn is_told(&self, file: FileId) -> bool {
        !self.pg.buffers.is_temporary(file)
    }

    /// The innermost level aborts: its ABORT record, the fate of its xids, its files and what it did to the catalog.
    /// The level stays.
    pub(super) fn abort_level(&mut self) {
        let depth = self.depth();
        let Some(level) = self.pg.backend_mut().xact.as_mut().and_then(|xact| xact.levels.last_mut()) else { return };
        let (xid, children) = (level.xid, core::mem::take(&mut level.children));
        // ABORT names no top-level transaction, not as the first record either (`IsTransactionState`)
        level.top_xid_logged = level.xid.is_some();
        let created: Vec<FileId> = self.take_files(depth);
        let stats = self.take_dropped_stats(false, depth);
        self.pg.stats.end(self.pg.me, depth, false, self.clock);
        if let Some(xid) = xid {
            let aborted: Vec<TransactionId> = children.iter().copied().chain([xid]).collect();
            undo_rollback(&mut self.pg, &aborted);
            if depth == 0 {
                undo_end(&mut self.pg, xid);
            }
            self.log_end(XactType::Abort, &children, &created, &stats);
            self.forget_xids(xid, &children);
            self.pg.transam.end(children.iter().copied().chain([xid]), XidStatus::Aborted, None);
        }
        self.unlink(&created);
        self.undo(depth);
        self.undo_names(depth);
        self.restore_settings(depth);
        self.session().deferred.abort(depth);
        self.pg.locks.release(self.pg.me, depth);
        if depth == 0 {
            self.pg.release_predicate_locks(false);
        }
        self.abort_portals(depth);
    }

    /// The innermost level has no xid any more, and nobody looks up those that it had.
    fn forget_xids(&mut self, xid: TransactionId, children: &[TransactionId]) {
        let Some(xact) = &mut self.pg.backend_mut().xact else { return };
        xact.remove_subxids(xid, children);
        if let Some(level) = xact.levels.last_mut() {
            level.forget_xid();
        }
    }

    /// The files that the level made; those that it wanted to drop stay.
    fn take_files(&mut self, depth: usize) -> Vec<FileId> {
        let session = self.session();
        session.dropped.retain(|(_, at)| *at < depth);
        let (gone, kept) = core::mem::take(&mut session.created).into_iter().partition(|(_, at)| *at >= depth);
        session.created = kept;
        let gone: Vec<(FileId, usize)> = gone;
        gone.into_iter().map(|(file, _)| file).collect()
    }

    fn pop_level(&mut self) {
        if let Some(xact) = &mut self.pg.backend_mut().xact {
            xact.levels.pop();
        }
    }

    /// `CommitSubTransaction`: the innermost level joins the one around it.
    fn commit_level(&mut self) {
        let depth = self.depth();
        let Some(xact) = &mut self.pg.backend_mut().xact else { return };
        xact.next_command();
        let Some(level) = xact.levels.pop() else { return };
        if let Some(parent) = xact.levels.last_mut() {
            parent.children.extend(level.xid);
            parent.children.extend(level.children);
        }
        let session = self.session();
        for (_, at) in session.created.iter_mut().chain(&mut session.dropped) {
            *at = (*at).min(depth - 1);
        }
        session.undo.iter_mut().for_each(|undo| undo.depth = undo.depth.min(depth - 1));
        session.stats.iter_mut().for_each(|pending| pending.depth = pending.depth.min(depth - 1));
        session.rows.iter_mut().for_each(|row| row.depth = row.depth.min(depth - 1));
        session.settings.iter_mut().for_each(|kept| kept.depth = kept.depth.min(depth - 1));
        session.portals.iter_mut().for_each(|portal| portal.depth = portal.depth.min(depth - 1));
        session.names.iter_mut().for_each(|(at, _)| *at = (*at).min(depth - 1));
        session.deferred.join(depth - 1);
        self.pg.stats.join(self.pg.me, depth - 1);
        self.pg.locks.join(self.pg.me, depth - 1);
    }

    /// SAVEPOINT.
    ///
    /// # Errors
    /// Outside a block.
    pub fn savepoint(&mut self, name: &str) -> Result<(), SqlError> {
        let xact = self.block("SAVEPOINT")?;
        xact.levels.push(XactLevel { savepoint: Some(String::from(name)), ..XactLevel::default() });
        Ok(())
    }

    /// RELEASE: the savepoint and those within it join what is around them.
    ///
    /// # Errors
    /// Outside a block, or of an unknown name.
    pub fn release(&mut self, name: &str) -> Result<(), SqlError> {
        let target = self.find_savepoint("RELEASE SAVEPOINT", name)?;
        while self.depth() >= target {
            self.commit_level();
        }
        Ok(())
    }

    /// ROLLBACK TO: what came after the savepoint is undone, the savepoint stays.
    ///
    /// # Errors
    /// Outside a block, or of an unknown name.
    pub fn rollback_to(&mut self, name: &str) -> Result<(), SqlError> {
        let target = self.find_savepoint("ROLLBACK TO SAVEPOINT", name)?;
        while self.depth() > target {
            self.abort_level();
            self.pop_level();
        }
        self.abort_level();
        if let Some(xact) = &mut self.pg.backend_mut().xact {
            xact.failed = false;
            // the number that the undone command used is not given again
            xact.next_command();
        }
        Ok(())
    }

    /// `BeginInternalSubTransaction`: of a block that handles errors.
    pub fn begin_internal_subtransaction(&mut self) {
        self.pg.start_transaction(false).levels.push(XactLevel::default());
    }

    /// `ReleaseCurrentSubTransaction`
    pub fn release_current_subtransaction(&mut self) {
        self.commit_level();
    }

    /// `RollbackAndReleaseCurrentSubTransaction`
    pub fn rollback_current_subtransaction(&mut self) {
        self.abort_level();
        self.pop_level();
    }

    fn block(&mut self, what: &str) -> Result<&mut Xact, SqlError> {
        let outside = || SqlError::new("25P01", format!("{what} can only be used in transaction blocks"));
        self.pg.backend_mut().xact.as_mut().filter(|xact| xact.in_block).ok_or_else(outside)
    }

    /// Number of the level that a savepoint began.
    fn find_savepoint(&mut self, what: &str, name: &str) -> Result<usize, SqlError> {
        let levels = &self.block(what)?.levels;
        let found = levels.iter().rposition(|level| level.savepoint.as_deref() == Some(name));
        found.ok_or_else(|| SqlError::new("3B001", format!("savepoint \"{name}\" does not exist")))
    }

    /// An error in the running statement: the innermost level aborts; in a block, what follows is refused until
    /// ROLLBACK.
    pub(super) fn fail(&mut self) {
        self.abort_level();
        match &mut self.pg.backend_mut().xact {
            Some(xact) if xact.in_block => {
                xact.failed = true;
                // `AbortTransaction` lets go of the snapshot and of what `MultiXactIdSetOldestMember` noted,
                // `AbortSubTransaction` leaves it to the transaction
                if xact.levels.len() == 1 {
                    xact.oldest_member = None;
                    let backend = self.pg.backend_mut();
                    (backend.snapshot, backend.proc_xmin) = (None, None);
                }
            }
            _ => self.finish(),
        }
    }

    /// The session is in no transaction any more.
    fn finish(&mut self) {
        let backend = self.pg.backend_mut();
        backend.xact = None;
        backend.snapshot = None;
        backend.proc_xmin = None;
        backend.in_vacuum = false;
        backend.combo_cids.clear();
        backend.pins.clear();
        self.pg.locks.release(self.pg.me, 0);
        self.session().undo.clear();
        self.session().rows.clear();
        self.session().names.clear();
        self.end_portals();
        self.session().deferred = deferred::Deferred::default();
        self.pg.backend_mut().catalog_snapshot = false;
        self.end_local_settings();
    }

    /// Keeps the session's settings, which SET is about to change, for the case that the transaction aborts
    /// (`push_old_value`).
    pub fn keep_settings(&mut self, local: bool, name: Option<&str>) {
        let depth = self.depth();
        let backend = self.pg.backend();
        let kept = KeptSettings {
            depth,
            local,
            name: name.map(Into::into),
            settings: backend.settings.clone(),
            own_compression: backend.wal.own_compression,
        };
        self.session().settings.push(kept);
    }

    /// How often they were kept in the transaction.
    pub fn kept_settings(&mut self) -> usize {
        self.session().settings.len()
    }

    /// Was that one set since they had been kept so often, otherwise than by SET LOCAL?
    pub fn is_set_since(&mut self, count: usize, name: &str) -> bool {
        let is_it = |kept: &KeptSettings| kept.name.as_deref().is_none_or(|set| set == name);
        self.session().settings.iter().skip(count).any(|kept| !kept.local && is_it(kept))
    }

    /// What was kept since then.
    pub fn settings_kept_since(&mut self, count: usize) -> impl Iterator<Item = &mut SessionSettings> {
        self.session().settings.iter_mut().skip(count).map(|kept| &mut kept.settings)
    }

    /// What was kept then is not needed, where nothing was kept after it.
    pub fn forget_kept_settings(&mut self, count: usize) {
        let kept = &mut self.session().settings;
        if kept.len() == count + 1 {
            kept.pop();
        }
    }

    /// `AtEOXact_GUC`: the settings as they were before the levels from `depth` on.
    fn restore_settings(&mut self, depth: usize) {
        while let Some(kept) = self.session().settings.pop_if(|kept| kept.depth >= depth) {
            self.set_settings(kept);
        }
    }

    /// SET LOCAL ends with the transaction, unless SET came after it.
    fn end_local_settings(&mut self) {
        let kept = &mut self.session().settings;
        if kept.is_empty() {
            return;
        }
        let kept = core::mem::take(kept);
        let last = kept.iter().rposition(|kept| !kept.local).map_or(0, |last| last + 1);
        if let Some(before) = kept.into_iter().nth(last) {
            self.set_settings(before);
        }
    }

    fn set_settings(&mut self, kept: KeptSettings) {
        let backend = self.pg.backend_mut();
        (backend.settings, backend.wal.own_compression) = (kept.settings, kept.own_compression);
    }

    pub(super) fn unlink(&mut self, files: &[FileId]) {
        for file in files {
            self.pg.buffers.unlink(*file);
        }
    }

    /// Takes back what the levels from `depth` on did to the catalog, newest first. The session forgets what it knows
    /// of these relations, others have not heard of the change (`AtEOXact_Inval`).
    pub(super) fn undo(&mut self, depth: usize) {
        self.session().rows.retain(|row| row.depth < depth);
        let mut changed = Vec::new();
        while let Some(undo) = self.session().undo.pop_if(|undo| undo.depth >= depth) {
            if undo.invalidates
                && let Some(relation) = &undo.relation
            {
                self.pg.backend_mut().set_target_block(relation.file, None);
                self.forget(self.pg.me, undo.oid);
            }
            self.pg.backend_mut().catalog_snapshot = false;
            self.put(undo.oid, undo.class, undo.relation);
            changed.push(undo.oid);
        }
        changed.into_iter().for_each(|oid| self.refresh_indexes(oid));
    }

    /// `AtEOXact_Inval`: all sessions hear what the transaction has changed.
    fn invalidate(&mut self) {
        if !self.session().undo.is_empty() {
            self.pg.backends.iter_mut().for_each(|backend| backend.catalog_snapshot = false);
        }
        let mut changed: Vec<_> =
            self.session().undo.iter().filter(|undo| undo.invalidates).map(|undo| undo.oid).collect();
        changed.dedup();
        for oid in changed {
            self.tell_of_change(oid);
            if self.pg.relations.get(&oid).is_some_and(|relation| relation.created_by.is_some()) {
                self.edit_relation(oid, |relation| relation.created_by = None);
            }
        }
    }
}
