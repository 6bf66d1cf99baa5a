//! The steps between two captures, one a WAL record: the records replayed over the earlier capture, and what is left to
//! the later one.
//!
//! ```text
//! capture A ──record──▶ · ──record──▶ · ── … ──▶ · ──not logged──▶ · ──measured──▶ capture B
//!                                                │      hint bits, free space map: what redo does not do
//!                                                └ compared page by page with B, masked as wal_consistency_checking masks
//! ```
//!
//! A capture is not of one instant: each page says by its `pd_lsn` which records it has, so a record is done to the
//! pages that are older than it, and a page of B that is older than the last record is not taken back to.

use super::cleared::Cleared;
use super::diff::Diff;
use super::xact::{Ending, Outcome, created_file};
use super::{PageChange, RelationChange, Tally};
use crate::redo::{Disk, Effects, redo};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::page::{BlockNumber, ForkNumber, Lsn, Oid, Page, PgVersion, TransactionId};
use ffviz_format::state::{ForkBlocks, PageId, Relation, State};
use ffviz_format::wal::rec::xlog::CheckPoint;
use ffviz_format::wal::record_type::XlogType;
use ffviz_format::wal::{BlockTag, DecodedRecord, Record, RecordType, RelFileLocator};

/// The WAL between two captures, as far as it could be had.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WalBetween {
    /// the records in order: all, or those about the relations of the captures, with commits and checkpoints
    pub records: Vec<Record>,
    /// records that were left out since they are about other relations
    pub others: Tally,
    /// why the records are not all: a sentence; `None` when nothing is missing
    pub gap: Option<String>,
}

/// What replay found out: the check of everything the engine knows about changes of pages.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Replayed {
    /// records that became steps
    pub records: usize,
    /// pages that records changed and that were compared with the later capture
    pub compared: usize,
    /// pages of the later capture that differ in more than hints, though they have the same records: replay, or what
    /// was read, is wrong
    pub differing: Vec<PageId>,
    /// changes that could not be shown, since the page was not known then
    pub unknown: usize,
    /// records that were not read but rebuilt from what the server tells of them
    pub rebuilt: usize,
    /// records of which too little is told to replay them
    pub lost: usize,
    /// what redo could not do, a sentence each
    pub anomalies: Vec<String>,
    /// why some of it is measured though there is WAL: a sentence
    pub measured: Option<String>,
}

/// A replay at work. The state that it goes over is the timeline's; what a record changes there is given as a
/// difference.
pub(super) struct Replay {
    disk: Disk,
    /// the files that belong to relations of the captures
    files: BTreeMap<RelFileLocator, Oid>,
    /// files that a transaction made, in whose place they come when it commits
    new_files: BTreeMap<RelFileLocator, TransactionId>,
    /// pages that records changed
    pub touched: BTreeSet<PageId>,
    /// what records cleared in visibility maps
    pub cleared: Cleared,
    /// where checkpoints began: what the redo pointer was set to
    redo_points: Vec<Lsn>,
    pub report: Replayed,
}

/// Where a replay is: what it reads of the captures.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    /// the state so far
    pub state: &'a State,
    /// the later capture
    pub after: &'a State,
}

impl Replay {
    /// A replay of records over the earlier capture; `files` are those that they are about.
    pub fn new(before: &State, files: BTreeMap<RelFileLocator, Oid>, records: &[Record]) -> Self {
        let server = &before.server;
        let mut disk = Disk::new(server.version, server.block_size, server.log_hints);
        for (locator, oid) in &files {
            if let Some(relation) = before.relations.get(oid).filter(|relation| relation.is_file(*locator)) {
                if relation.blocks.of(ForkNumber::Vm) == 0 {
                    disk.without_map(*locator);
                }
                let pages = before.pages.range(first_page(*oid)..=last_page(*oid));
                pages.for_each(|(id, page)| disk.put(tag(*locator, *id), page.clone()));
            }
        }
        disk.only = Some(files.keys().copied().collect());
        let mut redo_points: Vec<Lsn> =
            records.iter().filter_map(|record| checkpoint_redo(record, server.version)).collect();
        redo_points.sort_unstable();
        Self {
            disk,
            files,
            new_files: BTreeMap::new(),
            touched: BTreeSet::new(),
            cleared: Cleared::default(),
            redo_points,
            report: Replayed::default(),
        }
    }

    /// It is recovery after a crash: images count whatever the pages on disk say.
    pub const fn recovers(&mut self) {
        self.disk.is_recovery = true;
    }

    /// The redo pointer at a position, where a checkpoint says it.
    pub fn redo_at(&self, at: Lsn) -> Option<Lsn> {
        let n = self.redo_points.partition_point(|point| *point <= at);
        n.checked_sub(1).map(|n| self.redo_points[n])
    }

    /// Does what a record says; gives what it changes in the state.
    pub fn take(&mut self, record: &Record, place: Place<'_>) -> Diff {
        self.report.records += 1;
        self.report.rebuilt += usize::from(record.rebuilt.is_some());
        let mut found = Diff::default();
        let decoded = match record.decode(place.state.server.version) {
            Ok(decoded) => decoded,
            Err(why) => {
                self.report.anomalies.push(format!("record at {}: {why}", record.start));
                return found;
            }
        };
        self.note_new_file(&decoded, place.state);
        let effects = redo(&decoded, &mut self.disk);
        self.changes(&decoded, &effects, place.state, &mut found);
        if let Some(ending) = Ending::of(&decoded) {
            self.end(&ending, place, &mut found);
        }
        self.report.lost += usize::from(effects.is_lost);
        let told = effects.anomalies.iter().map(|anomaly| anomaly.told(|tag| self.page_name(tag, place)));
        self.report.anomalies.extend(told.collect::<Vec<_>>());
        found.pages.sort_by_key(|change| change.id);
        found.known.sort_by_key(|change| change.id);
        found.relations.sort_by_key(|change| change.oid);
        found
    }

    /// A page as it is named elsewhere, where its relation is known: the WAL names files.
    fn page_name(&self, tag: BlockTag, place: Place<'_>) -> String {
        let Some(oid) = self.files.get(&tag.locator) else { return tag.to_string() };
        let state = if place.state.relations.contains_key(oid) { place.state } else { place.after };
        state.page_name(page_id(*oid, tag))
    }

    /// A file that a transaction makes is that of a relation from the commit on. CREATE INDEX makes it before it has a
    /// transaction id: then the first transaction that writes to it is the one.
    fn note_new_file(&mut self, record: &DecodedRecord<'_>, state: &State) {
        for block in &record.blocks {
            let maker = self.new_files.get_mut(&block.tag.locator).filter(|maker| **maker == 0);
            maker.into_iter().for_each(|maker| *maker = record.xid());
        }
        let Some(locator) = created_file(record).filter(|locator| self.files.contains_key(locator)) else { return };
        if self.present(locator, state).is_none() {
            self.new_files.insert(locator, record.xid());
        }
    }

    /// The changes of the relations' present files. What redo writes to the free space map in passing is what a standby
    /// does: the server that wrote the WAL did not do it then.
    fn changes(&mut self, record: &DecodedRecord<'_>, effects: &Effects, state: &State, found: &mut Diff) {
        for (locator, fork, blocks) in &effects.truncated {
            let Some(oid) = self.present(*locator, state) else { continue };
            // pages made after the cut are kept
            let kept = |id: &PageId| self.disk.page(tag(*locator, *id)).is_some();
            truncate(PageId { relation: oid, fork: *fork, block: *blocks }, kept, state, found);
        }
        self.note_cleared(record.record.end, effects, state);
        let is_named = |tag: &BlockTag| record.blocks.iter().any(|block| block.tag == *tag);
        for tag in effects.changed.iter().filter(|tag| tag.fork != ForkNumber::Fsm || is_named(tag)) {
            if let Some(id) = self.present(tag.locator, state).map(|oid| page_id(oid, *tag)) {
                self.touched.insert(id);
                if let Some(page) = self.disk.page(*tag) {
                    change(id, page, state, found);
                }
            }
        }
        // a page that was known, and is changed by a record that is not replayed, stays as it was until the next
        // capture
        self.report.unknown += effects.unknown.iter().filter(|tag| self.present(tag.locator, state).is_some()).count();
    }

    /// Bits of the visibility map that are cleared from this record on. Where a table is cut off, so are the bits of
    /// what is gone.
    fn note_cleared(&mut self, end: Lsn, effects: &Effects, state: &State) {
        for (heap, bits) in &effects.cleared {
            if let Some(oid) = self.present(heap.locator, state) {
                self.cleared.note(page_id(oid, *heap), *bits, end);
            }
        }
        for (locator, fork, blocks) in &effects.truncated {
            if let Some(oid) = self.present(*locator, state).filter(|_| *fork == ForkNumber::Main) {
                self.cleared.note_cut(oid, *blocks, end);
            }
        }
    }

    /// The relation whose present file this is.
    fn present(&self, locator: RelFileLocator, state: &State) -> Option<Oid> {
        let oid = *self.files.get(&locator)?;
        state.relations.get(&oid).filter(|relation| relation.is_file(locator)).map(|_| oid)
    }

    /// A transaction ended. One that had made new files (TRUNCATE, a rewrite, CREATE): at its commit they take the
    /// place of the old ones.
    fn end(&mut self, ending: &Ending, place: Place<'_>, found: &mut Diff) {
        if ending.how == Outcome::Prepared {
            for sub in &ending.subxacts {
                self.new_files.values_mut().filter(|maker| *maker == sub).for_each(|maker| *maker = ending.xid);
            }
            return;
        }
        let is_its = |maker: &TransactionId| ending.xids().any(|xid| xid == *maker);
        let made: Vec<_> = self.new_files.iter().filter(|(_, maker)| is_its(maker)).map(|(file, _)| *file).collect();
        self.new_files.retain(|_, maker| !is_its(maker));
        if ending.how != Outcome::Committed {
            return;
        }
        for locator in made {
            let Some(oid) = self.files.get(&locator).copied() else { continue };
            if let Some(later) = place.after.relations.get(&oid).filter(|relation| relation.is_file(locator)) {
                self.switch_file(locator, later, place.state, found);
            }
        }
        for locator in &ending.dropped {
            let Some(oid) = self.present(*locator, place.state) else { continue };
            if !place.after.relations.contains_key(&oid) {
                replace(oid, None, &BTreeMap::new(), place.state, found);
            }
        }
    }

    /// The relation has another file from now on.
    fn switch_file(&mut self, locator: RelFileLocator, later: &Relation, state: &State, found: &mut Diff) {
        let oid = later.oid;
        let mut relation = later.clone();
        relation.blocks = ForkBlocks::default();
        let mut pages = BTreeMap::new();
        for (tag, page) in self.disk.pages().filter(|(tag, _)| tag.locator == locator) {
            relation.blocks.set(tag.fork, relation.blocks.of(tag.fork).max(tag.block.saturating_add(1)));
            pages.insert(page_id(oid, tag), page.clone());
            self.touched.insert(page_id(oid, tag));
        }
        replace(oid, Some(Arc::new(relation)), &pages, state, found);
    }
}

/// A page has other bytes now.
fn change(id: PageId, page: &Page, state: &State, found: &mut Diff) {
    let earlier = found.pages.iter_mut().chain(&mut found.known).find(|change| change.id == id);
    if let Some(change) = earlier {
        change.after = Some(page.clone());
        return;
    }
    let before = state.pages.get(&id).cloned();
    if before.as_ref() == Some(page) {
        return;
    }
    let grown = grow(id, state, found);
    // a page that was there and not known: the record's image makes it known
    let list = if before.is_none() && !grown { &mut found.known } else { &mut found.pages };
    list.push(PageChange { id, before, after: Some(page.clone()) });
}

/// The relation as it is after what was found so far.
fn relation_now(oid: Oid, state: &State, found: &Diff) -> Option<Arc<Relation>> {
    match found.relations.iter().find(|change| change.oid == oid) {
        Some(change) => change.after.clone(),
        None => state.relations.get(&oid).cloned(),
    }
}

/// The fork is at least as long as to hold the page; did it grow?
fn grow(id: PageId, state: &State, found: &mut Diff) -> bool {
    let grows = relation_now(id.relation, state, found).is_some_and(|now| now.blocks.of(id.fork) <= id.block);
    if grows {
        set_blocks(id.relation, id.fork, id.block.saturating_add(1), state, found);
    }
    grows
}

fn set_blocks(oid: Oid, fork: ForkNumber, blocks: BlockNumber, state: &State, found: &mut Diff) {
    let Some(old) = relation_now(oid, state, found) else { return };
    let mut new = Relation::clone(&old);
    new.blocks.set(fork, blocks);
    set_relation(oid, Some(Arc::new(new)), state, found);
}

fn set_relation(oid: Oid, after: Option<Arc<Relation>>, state: &State, found: &mut Diff) {
    match found.relations.iter_mut().find(|change| change.oid == oid) {
        Some(change) => change.after = after,
        None => found.relations.push(RelationChange { oid, before: state.relations.get(&oid).cloned(), after }),
    }
}

/// The fork ends before this block, but for pages that are kept.
fn truncate(end: PageId, kept: impl Fn(&PageId) -> bool, state: &State, found: &mut Diff) {
    let pages = state.pages.range(end..=PageId { block: BlockNumber::MAX, ..end });
    let mut blocks = end.block;
    for (id, page) in pages {
        if kept(id) {
            blocks = id.block.saturating_add(1);
        } else {
            found.pages.push(PageChange { id: *id, before: Some(page.clone()), after: None });
        }
    }
    if relation_now(end.relation, state, found).is_some_and(|now| now.blocks.of(end.fork) > blocks) {
        set_blocks(end.relation, end.fork, blocks, state, found);
    }
}

/// All pages of a relation are other ones.
fn replace(oid: Oid, relation: Option<Arc<Relation>>, pages: &BTreeMap<PageId, Page>, state: &State, found: &mut Diff) {
    found.pages.retain(|change| change.id.relation != oid);
    let old = state.pages.range(first_page(oid)..=last_page(oid));
    let ids: BTreeSet<PageId> = old.map(|(id, _)| *id).chain(pages.keys().copied()).collect();
    found.pages.extend(ids.into_iter().map(|id| PageChange {
        id,
        before: state.pages.get(&id).cloned(),
        after: pages.get(&id).cloned(),
    }));
    set_relation(oid, relation, state, found);
}

/// The redo pointer that a checkpoint record carries.
fn checkpoint_redo(record: &Record, version: PgVersion) -> Option<Lsn> {
    let RecordType::Xlog(XlogType::CheckpointShutdown | XlogType::CheckpointOnline) = record.record_type(version)
    else {
        return None;
    };
    // short main data stands behind two bytes
    let main_data = record.bytes.get(ffviz_format::wal::XLogRecord::SIZE + 2..)?;
    (main_data.len() >= 8).then(|| CheckPoint::new(main_data).redo().0)
}

const fn tag(locator: RelFileLocator, id: PageId) -> BlockTag {
    BlockTag { locator, fork: id.fork, block: id.block }
}

const fn page_id(relation: Oid, tag: BlockTag) -> PageId {
    PageId { relation, fork: tag.fork, block: tag.block }
}

const fn first_page(relation: Oid) -> PageId {
    PageId { relation, fork: ForkNumber::Main, block: 0 }
}

const fn last_page(relation: Oid) -> PageId {
    PageId { relation, fork: ForkNumber::Init, block: BlockNumber::MAX }
}
