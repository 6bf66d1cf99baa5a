//! The steps between two captures, one a WAL record: the records replayed over the earlier capture, and what is left to the later one.
//!
//! ```text
//! capture A ──record──▶ · ──record──▶ · ── … ──▶ · ──not logged──▶ capture B
//!                                                │      hint bits, free space map: what redo does not do
//!                                                └ compared page by page with B, masked as wal_consistency_checking masks
//! ```
//!
//! A capture is not of one instant: each page says by its `pd_lsn` which records it has, so a record is done to the pages that are older
//! than it, and a page of B that is older than the last record is not taken back to.

use super::diff::{Diff, diff};
use super::{Cause, PageChange, RelationChange};
use crate::page::{BlockNumber, Oid, Page, TransactionId};
use crate::storage::{AccessMethod, ForkNumber, PageId, Relation, State};
use crate::wal::redo::{Disk, Effects, PageShape, mask, redo};
use crate::wal::{BlockTag, Record, RelFileLocator, Rmgr};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

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

/// How many records, and their bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Tally {
    /// number
    pub records: u64,
    /// bytes, without padding and page headers
    pub bytes: u64,
}

/// What replay found out: the check of everything the engine knows about changes of pages.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Replayed {
    /// records that became steps
    pub records: usize,
    /// pages of the later capture that replay led to and that were compared
    pub compared: usize,
    /// those that differ in more than hints: replay, or what was read, is wrong
    pub differing: Vec<PageId>,
    /// what redo could not do, a sentence each
    pub anomalies: Vec<String>,
}

/// One step of a replay: the state after it, and what changed.
pub(super) struct ReplayedStep {
    pub cause: Cause,
    pub state: State,
    pub found: Diff,
}

/// The steps from one capture to the next.
pub(super) fn steps(before: &State, after: &State, wal: &WalBetween) -> (Vec<ReplayedStep>, Replayed) {
    let mut replay = Replay::new(before, after, wal);
    for record in &wal.records {
        replay.take(record);
    }
    replay.finish(after)
}

/// A replay at work.
struct Replay<'a> {
    after: &'a State,
    disk: Disk,
    /// the files that belong to relations of the captures
    files: BTreeMap<RelFileLocator, Oid>,
    /// transactions that changed something here: their ends are of interest
    xids: BTreeSet<TransactionId>,
    /// files that a transaction made, in whose place they come when it commits
    new_files: BTreeMap<RelFileLocator, TransactionId>,
    state: State,
    steps: Vec<ReplayedStep>,
    report: Replayed,
}

impl<'a> Replay<'a> {
    fn new(before: &State, after: &'a State, wal: &WalBetween) -> Self {
        let mut replay = Self {
            after,
            disk: Disk::new(before.server.version, before.server.block_size, before.server.log_hints),
            files: files(before, after, &wal.records),
            xids: BTreeSet::new(),
            new_files: BTreeMap::new(),
            state: before.clone(),
            steps: Vec::new(),
            report: Replayed::default(),
        };
        for (locator, oid) in &replay.files {
            if before.relations.get(oid).is_some_and(|relation| relation.is_file(*locator)) {
                let pages = before.pages.range(first_page(*oid)..=last_page(*oid));
                pages.for_each(|(id, page)| replay.disk.put(tag(*locator, *id), page.clone()));
            }
        }
        replay.disk.only = Some(replay.files.keys().copied().collect());
        replay
    }

    /// Does what a record says, and makes a step of it if it is of interest.
    fn take(&mut self, record: &Record) {
        let decoded = match record.decode(self.state.server.version) {
            Ok(decoded) => decoded,
            Err(why) => return self.report.anomalies.push(alloc::format!("record at {}: {why}", record.start)),
        };
        let (rmgr, info, xid) = (decoded.rmgr(), decoded.info(), decoded.xid());
        if rmgr == Rmgr::STORAGE && xid != 0 {
            self.note_new_file(decoded.main_data, xid);
        }
        let effects = redo(&decoded, &mut self.disk);
        let is_ours = decoded.blocks.iter().any(|block| self.files.contains_key(&block.tag.locator))
            || !effects.truncated.is_empty()
            || self.new_files.values().any(|maker| *maker == xid && rmgr == Rmgr::STORAGE);
        if is_ours && xid != 0 {
            self.xids.insert(xid);
        }
        let is_end = rmgr == Rmgr::TRANSACTION && self.xids.contains(&xid);
        if !is_ours && !is_end && !is_landmark(rmgr, info) {
            return;
        }
        let mut found = self.changes(&effects);
        if is_end && matches!(info & 0x70, COMMIT | COMMIT_PREPARED) {
            self.switch_files(xid, &mut found);
        }
        self.report.anomalies.extend(effects.anomalies);
        if let Some(pointer) = checkpoint_redo(rmgr, info, decoded.main_data) {
            self.state.redo = Some(pointer);
        }
        self.state.lsn = Some(record.end);
        self.push(Cause::Record(Arc::new(record.clone())), found);
    }

    /// `XLOG_SMGR_CREATE` of a file of ours: `xl_smgr_create` begins with the locator.
    fn note_new_file(&mut self, main_data: &[u8], xid: TransactionId) {
        use crate::page::layout::Wire;
        let word = |at: usize| u32::get(main_data.get(at..).unwrap_or(&[]));
        let locator = RelFileLocator { spc: word(0), db: word(4), rel: word(8) };
        if self.files.contains_key(&locator) {
            self.new_files.insert(locator, xid);
        }
    }

    /// The changes of the relations' present files, as a step; the state follows.
    fn changes(&mut self, effects: &Effects) -> Diff {
        let mut found = Diff::default();
        for (locator, fork, blocks) in &effects.truncated {
            self.truncate(*locator, *fork, *blocks, &mut found);
        }
        for tag in &effects.changed {
            self.changed(*tag, &mut found);
        }
        found.pages.sort_by_key(|change| change.id);
        found.known.sort_by_key(|change| change.id);
        found
    }

    fn changed(&mut self, tag: BlockTag, found: &mut Diff) {
        let Some((id, page)) = self.present(tag.locator).map(|oid| page_id(oid, tag)).zip(self.disk.page(tag).cloned())
        else {
            return;
        };
        let before = self.state.pages.insert(id, page.clone());
        if let Some(change) = found.pages.iter_mut().find(|change| change.id == id) {
            change.after = Some(page);
            return;
        }
        let grown = self.grow(id, found);
        // a page that was there and not known: the record's image makes it known
        let list = if before.is_none() && !grown { &mut found.known } else { &mut found.pages };
        list.push(PageChange { id, before, after: Some(page) });
    }

    /// The fork is at least as long as to hold the page; did it grow?
    fn grow(&mut self, id: PageId, found: &mut Diff) -> bool {
        let Some(relation) = self.state.relations.get(&id.relation) else { return false };
        if relation.blocks.of(id.fork) > id.block {
            return false;
        }
        self.set_blocks(id.relation, id.fork, id.block.saturating_add(1), found);
        true
    }

    fn set_blocks(&mut self, oid: Oid, fork: ForkNumber, blocks: BlockNumber, found: &mut Diff) {
        let Some(old) = self.state.relations.get(&oid).cloned() else { return };
        let mut new = Relation::clone(&old);
        new.blocks.set(fork, blocks);
        let new = Arc::new(new);
        self.state.relations.insert(oid, new.clone());
        match found.relations.iter_mut().find(|change| change.oid == oid) {
            Some(change) => change.after = Some(new),
            None => found.relations.push(RelationChange { oid, before: Some(old), after: Some(new) }),
        }
    }

    fn truncate(&mut self, locator: RelFileLocator, fork: ForkNumber, blocks: BlockNumber, found: &mut Diff) {
        let Some(oid) = self.present(locator) else { return };
        let first = PageId { relation: oid, fork, block: blocks };
        let last = PageId { relation: oid, fork, block: BlockNumber::MAX };
        let gone: Vec<PageId> = self.state.pages.range(first..=last).map(|(id, _)| *id).collect();
        for id in gone {
            let before = self.state.pages.remove(&id);
            found.pages.push(PageChange { id, before, after: None });
        }
        if self.state.relations.get(&oid).is_some_and(|relation| relation.blocks.of(fork) > blocks) {
            self.set_blocks(oid, fork, blocks, found);
        }
    }

    /// The relation whose present file this is.
    fn present(&self, locator: RelFileLocator) -> Option<Oid> {
        let oid = *self.files.get(&locator)?;
        self.state.relations.get(&oid).filter(|relation| relation.is_file(locator)).map(|_| oid)
    }

    /// A transaction committed that had made new files (TRUNCATE, a rewrite, CREATE): they take the place of the old ones.
    fn switch_files(&mut self, xid: TransactionId, found: &mut Diff) {
        let of_xid = |(locator, maker): (&RelFileLocator, &TransactionId)| (*maker == xid).then_some(*locator);
        let made: Vec<RelFileLocator> = self.new_files.iter().filter_map(of_xid).collect();
        for locator in made {
            self.new_files.remove(&locator);
            let Some(oid) = self.files.get(&locator).copied() else { continue };
            let Some(later) = self.after.relations.get(&oid).filter(|relation| relation.is_file(locator)) else {
                continue;
            };
            let mut now = self.state.clone();
            now.pages.retain(|id, _| id.relation != oid);
            let mut relation = Relation::clone(later);
            relation.blocks = crate::storage::ForkBlocks::default();
            for (tag, page) in self.disk.pages().filter(|(tag, _)| tag.locator == locator) {
                relation.blocks.set(tag.fork, relation.blocks.of(tag.fork).max(tag.block.saturating_add(1)));
                now.pages.insert(page_id(oid, *tag), page.clone());
            }
            now.relations.insert(oid, Arc::new(relation));
            let switched = diff(&self.state, &now);
            found.pages.extend(switched.pages);
            found.relations.extend(switched.relations);
            self.state = now;
        }
        found.pages.sort_by_key(|change| change.id);
        found.relations.sort_by_key(|change| change.oid);
    }

    fn push(&mut self, cause: Cause, found: Diff) {
        self.report.records += 1;
        self.steps.push(ReplayedStep { cause, state: self.state.clone(), found });
    }

    /// What is left to the later capture: a last step, if anything is.
    fn finish(mut self, after: &State) -> (Vec<ReplayedStep>, Replayed) {
        let mut last = after.clone();
        let mut all_hints = true;
        for (id, replayed) in &self.state.pages {
            let Some(captured) = after.pages.get(id) else { continue };
            let (ours, theirs) = (replayed.header().pd_lsn(), captured.header().pd_lsn());
            let shape = shape(after, *id);
            if ours > theirs && shape != PageShape::Other {
                // read before the last records were written: what they did is not taken back
                last.pages.insert(*id, replayed.clone());
            } else if ours == theirs && self.disk_has(*id) {
                self.report.compared += 1;
                if replayed != captured && !is_masked_equal(replayed, captured, shape, *id) {
                    self.report.differing.push(*id);
                }
            }
        }
        let found = diff(&self.state, &last);
        for change in &found.pages {
            let (Some(old), Some(new)) = (&change.before, &change.after) else {
                all_hints = false;
                continue;
            };
            all_hints &= is_masked_equal(old, new, shape(after, change.id), change.id);
        }
        if found.pages.is_empty() && found.relations.is_empty() && !self.steps.is_empty() {
            if let Some(step) = self.steps.last_mut() {
                step.state.at.clone_from(&after.at);
            }
            return (self.steps, self.report);
        }
        let cause = if all_hints && !self.steps.is_empty() { Cause::NotLogged } else { Cause::Capture };
        self.steps.push(ReplayedStep { cause, state: last, found });
        (self.steps, self.report)
    }

    /// Was the page part of the replay?
    fn disk_has(&self, id: PageId) -> bool {
        let locator =
            self.files.iter().find(|(locator, oid)| **oid == id.relation && self.present(**locator).is_some());
        locator.is_some_and(|(locator, _)| self.disk.page(tag(*locator, id)).is_some())
    }
}

/// `XLOG_XACT_COMMIT`, `XLOG_XACT_COMMIT_PREPARED`
const COMMIT: u8 = 0;
const COMMIT_PREPARED: u8 = 0x30;

/// Checkpoints, switches of segments and of `full_page_writes`: what a reader of WAL wants to see wherever it is.
const fn is_landmark(rmgr: Rmgr, info: u8) -> bool {
    rmgr.0 == Rmgr::XLOG.0 && matches!(info & 0xF0, 0x00 | 0x10 | 0x40 | 0x70 | 0x80 | 0x90 | 0xE0)
}

/// The redo pointer that a checkpoint record carries at its beginning.
fn checkpoint_redo(rmgr: Rmgr, info: u8, main_data: &[u8]) -> Option<crate::page::Lsn> {
    use crate::page::layout::Wire;
    let is_checkpoint = rmgr == Rmgr::XLOG && matches!(info & 0xF0, 0x00 | 0x10);
    (is_checkpoint && main_data.len() >= 8).then(|| crate::page::Lsn(u64::get(main_data)))
}

/// Which files of WAL belong to which relation, be it at the earlier or the later capture.
fn files(before: &State, after: &State, records: &[Record]) -> BTreeMap<RelFileLocator, Oid> {
    let relations: Vec<&Arc<Relation>> = before.relations.values().chain(after.relations.values()).collect();
    let mut seen = BTreeSet::new();
    for decoded in records.iter().filter_map(|record| record.decode(before.server.version).ok()) {
        seen.extend(decoded.blocks.iter().map(|block| block.tag.locator));
    }
    let owner =
        |file: RelFileLocator| relations.iter().find(|relation| relation.is_file(file)).map(|relation| relation.oid);
    seen.into_iter().filter_map(|file| Some((file, owner(file)?))).collect()
}

/// How a page is to be compared.
fn shape(state: &State, id: PageId) -> PageShape {
    match (id.fork, state.relations.get(&id.relation).map(|relation| &relation.am)) {
        (ForkNumber::Main, Some(AccessMethod::Heap)) => PageShape::Heap,
        (ForkNumber::Main, Some(AccessMethod::Btree)) => PageShape::Btree,
        (ForkNumber::Main, Some(AccessMethod::Sequence)) => PageShape::Sequence,
        (ForkNumber::Vm, _) => PageShape::Vm,
        _ => PageShape::Other,
    }
}

/// Equal but for what redo does not reproduce? The free space map is not logged at all.
fn is_masked_equal(a: &Page, b: &Page, shape: PageShape, id: PageId) -> bool {
    a == b || id.fork == ForkNumber::Fsm || mask(a, shape, id.block) == mask(b, shape, id.block)
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
