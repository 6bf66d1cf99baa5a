//! The WAL of a cluster while it is written: `XLogInsert`, and what `XLogCtlInsert` and each process keep
//! (src/backend/access/transam/xlog.c).
//!
//! ```text
//!  BackendWal   a process' copy of the redo pointer, which may be old     its counters (pgWalUsage)
//!  WalWriter    the redo pointer, full_page_writes, the insert position   the records, where they are kept
//! ```
//!
//! Records that nobody reads are not written: they are counted by the lengths of their parts, where a block was
//! described first, and while the page that they are about is at hand. Positions, images and their holes are those of
//! the bytes that would have been written.

use super::assemble::{Images, Length, Policy, Scratch, length_about_pages};
use super::kind::UsageByKind;
use super::position::Reserved;
use super::{Assembly, Block, InsertPosition, RecordKind};
use crate::version::Behaviour;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::borrow::Borrow;
use ffviz_format::page::{Lsn, PgVersion, TransactionId};
use ffviz_format::wal::record_type::XlogType;
use ffviz_format::wal::{Compression, Record, Rmgr};
use ffviz_story::timeline::WalUsage;

/// `wal_level`
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum WalLevel {
    /// enough for recovery after a crash
    Minimal = 0,
    /// and for archives and standbys: `XLogStandbyInfoActive`
    Replica = 1,
    /// and for logical decoding: `XLogLogicalInfoActive`
    Logical = 2,
}

/// Settings that decide about the bytes of records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WalSettings {
    /// `server_version_num`
    pub version: PgVersion,
    /// `wal_level`
    pub level: WalLevel,
    /// `wal_compression`; 13 and 14 know pglz only
    pub compression: Option<Compression>,
    /// `wal_consistency_checking`
    pub consistency_checking: Vec<Rmgr>,
}

/// What becomes of the records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// all are kept with their CRC, until they are forgotten
    Records,
    /// they are only counted; they get no CRC, as nobody reads it
    Counts,
}

/// What a process keeps for itself and its records depend on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BackendWal {
    /// its `RedoRecPtr`; older than the shared one until it inserts a record or asks for it
    pub redo_rec_ptr: Lsn,
    /// its `doPageWrites`
    pub do_page_writes: bool,
    /// its transaction or subtransaction (`GetCurrentTransactionIdIfAny`); 0: none has an id
    pub xid: TransactionId,
    /// top-level transaction, where no record of the subtransaction has named it yet (`IsSubxactTopXidLogPending`: from
    /// 14 on, under `wal_level` logical); the next record does
    pub toplevel_xid: Option<TransactionId>,
    /// `wal_compression`, where the session has set it; else it is the server's
    pub own_compression: Option<Option<Compression>>,
    /// replication origin of the session
    pub origin: Option<u16>,
    /// its counters
    pub usage: WalUsage,
}

/// Where a record went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Inserted {
    /// where it starts
    pub start: Lsn,
    /// where it ends, which becomes `pd_lsn` of the pages that it changes
    pub end: Lsn,
    /// `xl_tot_len`
    pub tot_len: u32,
    /// how many full-page images it has
    pub images: u32,
}

/// The WAL of a cluster, to insert records into.
#[derive(Debug, Clone)]
pub struct WalWriter {
    /// settings that decide about the bytes
    pub settings: WalSettings,
    position: InsertPosition,
    redo_rec_ptr: Lsn,
    full_page_writes: bool,
    /// `runningBackups`
    running_backups: u32,
    keep: Keep,
    records: Vec<Record>,
    /// where it begins: what was written before is not here
    begin: Lsn,
    /// how many of the records were taken
    taken: usize,
    /// where the last one ends that was forgotten
    forgotten: Lsn,
    usage: WalUsage,
    /// the same of each kind of record
    by_kind: UsageByKind,
    /// records that are kept are put together here
    scratch: Scratch<Vec<u8>>,
}

impl WalWriter {
    /// WAL from a position on, whose last checkpoint has its redo pointer at `redo`; `full_page_writes` is on.
    #[must_use]
    pub fn new(settings: WalSettings, position: InsertPosition, redo: Lsn, keep: Keep) -> Self {
        Self {
            settings,
            position,
            begin: position.insert_lsn(),
            redo_rec_ptr: redo,
            full_page_writes: true,
            running_backups: 0,
            keep,
            records: Vec::new(),
            taken: 0,
            forgotten: Lsn(0),
            usage: WalUsage::default(),
            by_kind: UsageByKind::default(),
            scratch: Scratch::default(),
        }
    }

    /// What a new process knows. From 15 on it learns the redo pointer with its first record; before, it looks when it
    /// starts (`InitXLOGAccess`).
    #[must_use]
    pub fn backend(&self) -> BackendWal {
        let (redo_rec_ptr, do_page_writes) = if self.settings.version.learns_redo_pointer_late() {
            (Lsn(0), false)
        } else {
            (self.redo_rec_ptr, self.do_page_writes())
        };
        BackendWal {
            redo_rec_ptr,
            do_page_writes,
            xid: 0,
            toplevel_xid: None,
            own_compression: None,
            origin: None,
            usage: WalUsage { records: 0, fpi: 0, bytes: 0 },
        }
    }

    /// `XLogInsert`: assembles the record and gives it its place.
    #[inline]
    pub fn insert<'a, B>(&mut self, backend: &mut BackendWal, assembly: &Assembly<'a, B>) -> Inserted
    where
        B: IntoIterator<Item: Borrow<Block<'a>>> + Clone,
    {
        let (tot_len, images) = self.assemble(backend, assembly);
        let place = self.position.reserve(tot_len);
        self.done(backend, RecordKind(assembly.rmgr, assembly.info), place, tot_len, images)
    }

    /// `pg_switch_wal`: ends the segment, and gives the record's place; `None` where a segment begins here.
    pub fn switch(&mut self, backend: &mut BackendWal) -> Option<Inserted> {
        let (tot_len, _) = self.assemble(backend, &Assembly::new(Rmgr::XLOG, XlogType::Switch.info()));
        let place = self.position.reserve_switch()?;
        Some(self.done(backend, RecordKind(Rmgr::XLOG, XlogType::Switch.info()), place, tot_len, 0))
    }

    /// [`Self::insert`] for a record about one page or several of one relation, where nobody keeps it and no page needs
    /// an image, as it is with most: then only the lengths of its data count, of main data and the pages'. Gives its
    /// end; `None`, where it is not so simple: nothing is inserted. `pages`: of each `REGBUF_…` and `pd_lsn`
    #[inline]
    pub fn count_about_pages(
        &mut self,
        backend: &mut BackendWal,
        kind: RecordKind,
        pages: impl IntoIterator<Item = (u8, Lsn)>,
        (main, data): (usize, usize),
    ) -> Option<Lsn> {
        let is_simple = self.only_counts() && backend.toplevel_xid.is_none();
        let (images, mut count) = (self.images(backend), 0);
        let needs_none = is_simple
            && pages.into_iter().all(|(flags, pd_lsn)| {
                count += 1;
                !images.needs(flags, pd_lsn)
            });
        if !needs_none {
            return None;
        }
        self.tell(backend);
        let tot_len = length_about_pages(count, main, data);
        let place = self.position.reserve(tot_len);
        Some(self.done(backend, kind, place, tot_len, 0).end)
    }

    /// Is nothing of a record wanted but its length, unless it has an image?
    #[inline]
    #[must_use]
    pub fn only_counts(&self) -> bool {
        self.keep == Keep::Counts && self.settings.consistency_checking.is_empty()
    }

    /// What decides which pages need an image. A backend whose copies turn out to be old assembles its record again
    /// (`XLogInsertRecord`), but not where `full_page_writes` was switched off in between: then an image too many
    /// stays.
    const fn images(&self, backend: &BackendWal) -> Images {
        if self.do_page_writes() {
            Images { redo_rec_ptr: self.redo_rec_ptr, do_page_writes: true }
        } else {
            Images { redo_rec_ptr: backend.redo_rec_ptr, do_page_writes: backend.do_page_writes }
        }
    }

    /// Puts a record together where it is kept. Gives its length and how many images it has.
    #[inline]
    fn assemble<'a, B>(&mut self, backend: &mut BackendWal, assembly: &Assembly<'a, B>) -> (u32, u32)
    where
        B: IntoIterator<Item: Borrow<Block<'a>>> + Clone,
    {
        let images = self.images(backend);
        self.tell(backend);
        let policy = Policy {
            images,
            settings: &self.settings,
            own_compression: backend.own_compression,
            check_consistency: self.settings.consistency_checking.contains(&assembly.rmgr),
        };
        match self.keep {
            Keep::Records => {
                let images = self.scratch.write(assembly, backend, &policy);
                (self.scratch.record.len() as u32, images)
            }
            Keep::Counts => Scratch::<Length>::default().measure(assembly, backend, &policy),
        }
    }

    /// What a backend knows once it has inserted a record.
    pub const fn tell(&self, backend: &mut BackendWal) {
        (backend.redo_rec_ptr, backend.do_page_writes) = (self.redo_rec_ptr, self.do_page_writes());
    }

    /// Counts the record and keeps it.
    #[inline]
    fn done(
        &mut self,
        backend: &mut BackendWal,
        kind: RecordKind,
        place: Reserved,
        tot_len: u32,
        images: u32,
    ) -> Inserted {
        self.usage.count(tot_len, images);
        self.by_kind.count(kind, tot_len, images);
        backend.usage.count(tot_len, images);
        if self.keep == Keep::Records {
            self.keep(place);
        }
        Inserted { start: place.start, end: place.end, tot_len, images }
    }

    fn keep(&mut self, place: Reserved) {
        self.scratch.finish(place.prev);
        self.records.push(Record::new(place.start, place.end, Arc::from(self.scratch.record.as_slice())));
    }

    /// `UpdateFullPageWrites`, of the checkpointer: the setting was changed. The record stands on the side of the
    /// change where images are taken.
    pub fn update_full_page_writes(&mut self, checkpointer: &mut BackendWal, on: bool) -> Option<Inserted> {
        if on == self.full_page_writes {
            return None;
        }
        self.full_page_writes |= on;
        let change = Assembly { main: &[&[u8::from(on)]], ..Assembly::new(Rmgr::XLOG, XlogType::FpwChange.info()) };
        let logged = (self.settings.level >= WalLevel::Replica).then(|| self.insert(checkpointer, &change));
        self.full_page_writes = on;
        logged
    }

    /// `GetRedoRecPtr`: tells a process the redo pointer.
    pub const fn get_redo_rec_ptr(&self, backend: &mut BackendWal) -> Lsn {
        backend.redo_rec_ptr = self.redo_rec_ptr;
        self.redo_rec_ptr
    }

    /// A checkpoint has begun with this redo pointer.
    pub const fn set_redo_rec_ptr(&mut self, redo: Lsn) {
        self.redo_rec_ptr = redo;
    }

    /// A base backup begins: until it ends there are images whatever the setting says.
    pub const fn start_backup(&mut self) {
        self.running_backups += 1;
    }

    /// A base backup ends.
    pub const fn stop_backup(&mut self) {
        self.running_backups = self.running_backups.saturating_sub(1);
    }

    /// `full_page_writes`, as the checkpointer made it known.
    #[must_use]
    pub const fn full_page_writes(&self) -> bool {
        self.full_page_writes
    }

    /// Are images taken?
    #[must_use]
    pub const fn do_page_writes(&self) -> bool {
        self.full_page_writes || self.running_backups > 0
    }

    /// The redo pointer.
    #[must_use]
    pub const fn redo_rec_ptr(&self) -> Lsn {
        self.redo_rec_ptr
    }

    /// Where the next record goes.
    #[must_use]
    pub const fn position(&self) -> InsertPosition {
        self.position
    }

    /// The next record goes somewhere else: what other databases wrote in between is left out.
    pub const fn set_position(&mut self, position: InsertPosition) {
        self.position = position;
    }

    /// Everything that was inserted, by all processes.
    #[must_use]
    pub const fn usage(&self) -> WalUsage {
        self.usage
    }

    /// The same of each kind of record that there was.
    pub fn usage_by_kind(&self) -> impl Iterator<Item = (RecordKind, WalUsage)> {
        self.by_kind.all()
    }

    /// The records that are kept.
    #[must_use]
    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// The records since they were last taken. They are kept on: recovery may need them.
    pub fn take_records(&mut self) -> Vec<Record> {
        let since = core::mem::replace(&mut self.taken, self.records.len());
        self.records[since..].to_vec()
    }

    /// Forgets the records that start before a position: those before the redo pointer are not needed for recovery.
    /// (`RemoveOldXlogFiles`)
    pub fn forget_before(&mut self, at: Lsn) {
        let gone = self.records.iter().take_while(|record| record.start < at).count();
        if let Some(last) = self.records[..gone].last() {
            self.forgotten = last.end;
        }
        self.records.drain(..gone);
        self.taken = self.taken.saturating_sub(gone);
    }

    /// A crash before all was on disk: the records from a position on are lost, and what comes next takes their place.
    pub fn lose_from(&mut self, at: Lsn) {
        self.records.truncate(self.records.partition_point(|record| record.start < at));
        self.taken = self.taken.min(self.records.len());
        if let Some(last) = self.records.last() {
            self.position = InsertPosition::new(last.end, last.start, self.position.segment_size());
        }
    }

    /// Is all WAL here from a position on?
    #[must_use]
    pub fn keeps_all_since(&self, at: Lsn) -> bool {
        self.begin <= at && self.keeps_since(at)
    }

    /// Is every record still here that starts at a position or after it, so that recovery could replay them?
    #[must_use]
    pub fn keeps_since(&self, at: Lsn) -> bool {
        self.keep == Keep::Records && self.forgotten <= at
    }
}

impl BackendWal {
    /// `XLogCheckBufferNeedsBackup`: would a record about the page have an image, as far as the process knows?
    #[must_use]
    pub fn check_buffer_needs_backup(&self, page_lsn: Lsn) -> bool {
        self.do_page_writes && page_lsn <= self.redo_rec_ptr
    }
}
