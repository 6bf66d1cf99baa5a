//! Recovery: WAL from the redo pointer on, over what is on disk (`PerformWalRecovery`,
//! src/backend/access/transam/xlogrecovery.c).
//!
//! ```text
//!  pg_control ──redo pointer──▶ record ▶ record ▶ … ▶ end of WAL ──▶ CHECKPOINT_SHUTDOWN
//!                    image: the page on disk is not looked at
//!                    else:  it is read, its checksum compared, and changed where it is older than the record
//! ```

use super::{Cluster, ControlFile};
use crate::storage::{BLCKSZ, Buffer, FileId, Happening, InvalidPage, Telling, Trace, page_is_verified};
use crate::version::Behaviour;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::SqlError;
use ffviz_format::page::layout::Wire;
use ffviz_format::page::{BlockNumber, ForkNumber, Oid, Page, PgVersion, TransactionId, precedes};
use ffviz_format::wal::rec::xact::{XactEnd, XlXactAssignment};
use ffviz_format::wal::rec::xlog::XlNextOid;
use ffviz_format::wal::record_type::{XactType, XlogType};
use ffviz_format::wal::{BlockRef, BlockTag, DecodedRecord, Record, RecordType, RelFileLocator, Rmgr};
use ffviz_story::redo::{Disk, Effects, redo};

/// A record that was replayed.
#[derive(Debug)]
pub struct Replayed<'a> {
    /// the record
    pub record: &'a DecodedRecord<'a>,
    /// what it did to the pages
    pub effects: &'a Effects,
    /// the pages after it
    pub disk: &'a Disk,
}

/// How pages are verified that recovery reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Verification {
    /// `data_checksums`
    pub data_checksums: bool,
    /// `ignore_checksum_failure`: a page whose header makes sense is used all the same
    pub ignore_checksum_failure: bool,
}

/// A page that recovery read and that is damaged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damaged {
    /// which page
    pub tag: BlockTag,
    /// the record that needs it: type and position
    pub record: String,
    /// what is wrong
    pub why: InvalidPage,
    /// does recovery go on with the page as it is?
    pub is_ignored: bool,
}

/// Replays records, which begin at the redo pointer, over the pages on disk; `tell` is called after each, and for each
/// damaged page.
///
/// # Errors
/// Where a page that a record needs is damaged, as the server says it; or a record is.
pub fn replay<'r>(
    disk: &mut Disk,
    records: impl IntoIterator<Item = &'r Record>,
    verification: Verification,
    mut tell: impl FnMut(Step<'_>),
) -> Result<(), SqlError> {
    disk.is_recovery = true;
    let mut read = BTreeSet::new();
    for record in records {
        let decoded = record.decode(disk.version).map_err(|why| SqlError::new("XX001", why))?;
        for block in decoded.blocks.iter().filter(|block| is_replayed(&decoded, block)) {
            let reads = read.insert(block.tag) && is_read(block);
            if let Some(damaged) = reads.then(|| verify(disk, &decoded, block, verification)).flatten() {
                tell(Step::Damaged(&damaged));
                if !damaged.is_ignored {
                    return Err(SqlError::new("XX001", invalid_page(disk.version, damaged.tag)));
                }
            }
        }
        let effects = redo(&decoded, disk);
        tell(Step::Replayed(&Replayed { record: &decoded, effects: &effects, disk }));
    }
    Ok(())
}

/// What recovery did.
#[derive(Debug)]
pub enum Step<'a> {
    /// a record was replayed
    Replayed(&'a Replayed<'a>),
    /// a page is damaged
    Damaged(&'a Damaged),
}

/// Does redo touch the page? Of a hint whose image was not taken nothing is replayed.
fn is_replayed(record: &DecodedRecord<'_>, block: &BlockRef<'_>) -> bool {
    record.rmgr() != Rmgr::XLOG || is_overwritten(block)
}

/// An image, or a page that is made anew: what is on disk is not looked at.
fn is_overwritten(block: &BlockRef<'_>) -> bool {
    block.will_init || block.image.is_some_and(|image| image.apply)
}

/// Does redo read the page from disk as it is (`RBM_NORMAL`)? Pages of the maps are made anew where they are damaged
/// (`RBM_ZERO_ON_ERROR`).
fn is_read(block: &BlockRef<'_>) -> bool {
    !is_overwritten(block) && !matches!(block.tag.fork, ForkNumber::Fsm | ForkNumber::Vm)
}

/// What is wrong with a page that is read from disk, if anything is.
fn verify(
    disk: &Disk,
    record: &DecodedRecord<'_>,
    block: &BlockRef<'_>,
    verification: Verification,
) -> Option<Damaged> {
    let page = disk.page(block.tag).filter(|_| disk.wants(block.tag.locator))?;
    let why = page_is_verified(page, block.tag.block, verification.data_checksums).err()?;
    let is_ignored = verification.ignore_checksum_failure && why.header_sane;
    let record = format!("{}/{} at {}", record.rmgr().name(), record.type_name(), record.record.start);
    Some(Damaged { tag: block.tag, record, why, is_ignored })
}

/// What the server says of a damaged page.
fn invalid_page(version: PgVersion, tag: BlockTag) -> String {
    let RelFileLocator { db, rel, .. } = tag.locator;
    let path = match tag.fork {
        ForkNumber::Main => format!("base/{db}/{rel}"),
        fork => format!("base/{db}/{rel}_{}", fork.name()),
    };
    let path = if version.quotes_paths() { format!("\"{path}\"") } else { path };
    format!("invalid page in block {} of relation {path}", tag.block)
}

/// Counters as the records tell them.
struct Counters {
    next_xid: TransactionId,
    next_oid: Oid,
}

impl Counters {
    /// `AdvanceNextFullTransactionIdPastXid`
    fn pass(&mut self, xid: TransactionId) {
        if !precedes(xid, self.next_xid) && xid != 0 {
            self.next_xid = xid + 1;
        }
    }

    fn see(&mut self, record: &DecodedRecord<'_>) {
        self.pass(record.xid());
        match record.record_type() {
            RecordType::Xlog(XlogType::NextOid) => self.next_oid = XlNextOid::new(record.main_data).nextOid(),
            RecordType::Xact(of @ (XactType::Commit | XactType::Abort)) => {
                let end = XactEnd::new(record.main_data, record.info(), record.version, of.commits());
                end.subxacts.items.values().into_iter().for_each(|xid| self.pass(xid));
            }
            RecordType::Xact(XactType::Assignment) => {
                let subxacts = record.main_data.get(XlXactAssignment::SIZE..).unwrap_or(&[]);
                subxacts.chunks_exact(4).for_each(|xid| self.pass(u32::get(xid)));
            }
            _ => {}
        }
    }
}

impl Cluster {
    /// Recovers from the last checkpoint on; then the cluster takes connections again.
    pub(super) fn recover(&mut self, control: ControlFile) -> Result<(), SqlError> {
        let records: Vec<Record> =
            self.pg.wal.records().iter().filter(|record| record.start >= control.redo).cloned().collect();
        let mut disk = self.disk();
        let mut counters = Counters { next_xid: control.state.next_xid as u32, next_oid: control.state.next_oid };
        let files: BTreeMap<RelFileLocator, FileId> =
            self.pg.buffers.files().map(|file| (self.pg.buffers.locator(file), file)).collect();
        let version = self.pg.version;
        let trace = &mut self.pg.trace;
        trace.tell(None, || format!("recovery begins at the redo pointer {} of the last checkpoint", control.redo));
        let settings = &self.pg.settings;
        let verification = Verification {
            data_checksums: settings.data_checksums,
            ignore_checksum_failure: settings.ignore_checksum_failure,
        };
        let done = replay(&mut disk, &records, verification, |step| match step {
            Step::Replayed(replayed) => {
                counters.see(replayed.record);
                if trace.on {
                    tell(replayed, &files, trace);
                }
            }
            Step::Damaged(damaged) => {
                let about = buffer(&files, damaged.tag);
                trace.tell_why(about, || tell_damaged(damaged, version));
            }
        });
        self.take_over(&disk, &files);
        done?;
        self.pg.transam.crash(counters.next_xid);
        if self.pg.transam.announced_oids() != self.pg.transam.next_oid {
            (self.pg.transam.next_oid, self.pg.transam.oid_count) = (counters.next_oid, 0);
        }
        self.end_of_recovery_checkpoint();
        Ok(())
    }

    /// The files as redo sees them; those that are not logged have only the fork that they are made anew from.
    fn disk(&self) -> Disk {
        let (buffers, settings) = (&self.pg.buffers, &self.pg.settings);
        let mut disk = Disk::new(self.pg.version, BLCKSZ, settings.log_hints());
        disk.only = Some(buffers.files().map(|file| buffers.locator(file)).collect());
        let is_logged = |buf: &Buffer| buffers.is_permanent(buf.file) || buf.fork == ForkNumber::Init;
        for buf in buffers.all().filter(is_logged) {
            disk.put(buffers.tag(buf), buffers.page(buf).clone());
        }
        for file in buffers.files().filter(|file| buffers.nblocks(*file, ForkNumber::Vm) == 0) {
            disk.without_map(buffers.locator(file));
        }
        disk
    }

    /// Buffers and files are as replay left them.
    fn take_over(&mut self, disk: &Disk, files: &BTreeMap<RelFileLocator, FileId>) {
        let buffers = &mut self.pg.buffers;
        let mut lengths: BTreeMap<(FileId, ForkNumber), BlockNumber> = BTreeMap::new();
        for (tag, page) in disk.pages() {
            let Some(file) = files.get(&tag.locator) else { continue };
            let buf = Buffer { file: *file, fork: tag.fork, block: tag.block };
            let there = buffers.nblocks(*file, tag.fork);
            if tag.block >= there {
                buffers.extend(*file, tag.fork, tag.block + 1 - there);
            }
            buffers.replace(buf, page.clone());
            lengths.insert((*file, tag.fork), tag.block + 1);
        }
        let permanent: Vec<FileId> = files.values().copied().filter(|file| buffers.is_permanent(*file)).collect();
        for file in permanent {
            for fork in [ForkNumber::Main, ForkNumber::Fsm, ForkNumber::Vm] {
                buffers.truncate(file, fork, lengths.get(&(file, fork)).copied().unwrap_or(0));
            }
        }
    }
}

/// The page in memory.
fn buffer(files: &BTreeMap<RelFileLocator, FileId>, tag: BlockTag) -> Option<Buffer> {
    files.get(&tag.locator).map(|file| Buffer { file: *file, fork: tag.fork, block: tag.block })
}

/// A damaged page in PostgreSQL's words, and what follows.
fn tell_damaged(damaged: &Damaged, version: PgVersion) -> (String, Vec<String>) {
    let what = damaged.why.checksum_message().unwrap_or_else(|| invalid_page(version, damaged.tag));
    let mut facts = Vec::from([format!("redo of {} needs the page as it is on disk, and reads it", damaged.record)]);
    facts.push(if damaged.is_ignored {
        String::from("ignore_checksum_failure is on: the page is used as it is, and may spread its damage")
    } else {
        format!("{}: recovery ends here, and the server does not start", invalid_page(version, damaged.tag))
    });
    (what, facts)
}

/// What became of a record, in words, and the pages that it changed.
fn tell(replayed: &Replayed<'_>, files: &BTreeMap<RelFileLocator, FileId>, trace: &mut Trace) {
    let (record, effects) = (replayed.record, replayed.effects);
    for block in record.blocks.iter().filter(|block| files.contains_key(&block.tag.locator)) {
        let (sentence, about) = (sentence(record, block, effects), buffer(files, block.tag));
        trace.add(Happening::Told(Telling { sentence, facts: Vec::new(), about }));
    }
    let page = |tag: &BlockTag| Some((buffer(files, *tag)?, replayed.disk.page(*tag)?.clone()));
    let pages: Vec<(Buffer, Page)> = effects.changed.iter().filter_map(page).collect();
    if !pages.is_empty() {
        trace.add(Happening::Replayed(Arc::new(record.record.to_record()), pages));
    }
}

/// Why the block of a record was changed, or was not.
fn sentence(record: &DecodedRecord<'_>, block: &BlockRef<'_>, effects: &Effects) -> String {
    let (name, end, number) = (record.type_name(), record.record.end, block.tag.block);
    if block.image.is_some_and(|image| image.apply) {
        return format!(
            "redo of {name}: the record brings an image of block {number}, so what is on disk is not looked at"
        );
    }
    if block.will_init {
        return format!("redo of {name}: block {number} is made anew, so what is on disk is not looked at");
    }
    if effects.done.contains(&block.tag) {
        return format!(
            "redo of {name}: pd_lsn of block {number} is not less than {end}, where the record ends: taken for done, and skipped"
        );
    }
    if effects.changed.contains(&block.tag) {
        return format!(
            "redo of {name}: pd_lsn of block {number} is less than {end}, where the record ends: done again"
        );
    }
    format!("redo of {name}: nothing to do on block {number}")
}
