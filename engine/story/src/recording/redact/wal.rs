//! WAL without row data: the same records, with the bytes that they put on pages taken from the redacted pages.
//!
//! ```text
//! page before ──record──▶ page after          the real record over the real page
//!      │ redact               │ redact
//!      ▼                      ▼
//! page before ──record'─▶ page after          record': the same lengths and structure; its rows are those of the redacted page
//! ```
//!
//! Each record made so is tried: done to the redacted page it must give the redacted later page, but for what redo does
//! not reproduce. One with which that is not so ends the WAL there. Text of people, such as the names of restore
//! points, is left out.

use super::{page, rows};
use crate::redo::{Disk, PageShape, mask, redo};
use crate::timeline::{Sieve, WalBetween};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::page::{ForkNumber, Oid, Page};
use ffviz_format::state::{AccessMethod, PageId, State};
use ffviz_format::wal::rec::xact::{Prepare, XactEnd};
use ffviz_format::wal::record_type::{XactType, XlogType};
use ffviz_format::wal::{
    BlockRef, BlockTag, DecodedRecord, Record, RecordType, RelFileLocator, Rmgr, XLogRecord, crc32c,
};

/// The WAL between two captures, to be replayed over their redacted forms. The captures are those that are not
/// redacted.
#[must_use]
pub fn redact_wal(wal: &WalBetween, before: &State, after: &State) -> WalBetween {
    let mut hidden = WalBetween { records: Vec::new(), others: wal.others, gap: wal.gap.clone() };
    let mut sieve = Sieve::new(before, after);
    let records: Vec<&Record> = wal.records.iter().filter(|record| sieve.takes(record)).collect();
    hidden.others.add(sieve.others);
    let mut hider = match Hider::new(before, after, sieve.files()) {
        Ok(hider) => hider,
        Err(why) => {
            records.iter().for_each(|record| hidden.others.count(record));
            return WalBetween { gap: Some(why), ..hidden };
        }
    };
    let mut lost = None;
    for record in records {
        match hider.record(record) {
            _ if lost.is_some() => hidden.others.count(record),
            Ok(Some(done)) => hidden.records.push(done),
            Ok(None) => hidden.others.count(record),
            Err(why) => {
                hidden.others.count(record);
                lost = Some(format!("a record could not be redacted and is left out with all behind it: {why}"));
            }
        }
    }
    hidden.gap = lost.or(hidden.gap);
    hidden
}

/// The real pages and the redacted ones, side by side.
struct Hider {
    /// the relations of both captures, for their columns
    facts: State,
    owners: BTreeMap<RelFileLocator, Oid>,
    real: Disk,
    hidden: Disk,
}

impl Hider {
    fn new(before: &State, after: &State, owners: BTreeMap<RelFileLocator, Oid>) -> Result<Self, String> {
        let mut facts = State { pages: BTreeMap::new(), ..after.clone() };
        for (oid, old) in &before.relations {
            let new = facts.relations.entry(*oid).or_insert_with(|| old.clone());
            // pages from before a change of the columns would be read with the wrong ones
            if new.attributes.get(..old.attributes.len()) != Some(&old.attributes[..]) {
                return Err(format!("columns of {} changed, so that its records cannot be redacted", old.name));
            }
        }
        let server = &before.server;
        let mut real = Disk::new(server.version, server.block_size, server.log_hints);
        real.only = Some(owners.keys().copied().collect());
        let mut hider = Self { facts, hidden: real.clone(), real, owners };
        for (id, page) in &before.pages {
            let file = before.relations.get(&id.relation).and_then(|relation| {
                hider.owners.iter().find(|(file, oid)| **oid == id.relation && relation.is_file(**file))
            });
            let Some((locator, _)) = file else { continue };
            let tag = BlockTag { locator: *locator, fork: id.fork, block: id.block };
            hider.hidden.put(tag, page::redact(&hider.facts, *id, page));
            hider.real.put(tag, page.clone());
        }
        Ok(hider)
    }

    /// The record without row data; `None` where it is to be left out.
    fn record(&mut self, record: &Record) -> Result<Option<Record>, String> {
        let decoded = record.decode(self.real.version)?;
        if !is_replayed(decoded.rmgr()) || decoded.record_type() == RecordType::Xlog(XlogType::RestorePoint) {
            return Ok(None);
        }
        let effects = redo(&decoded, &mut self.real);
        let mut made = Record { restored: Vec::new(), ..record.clone() };
        if let Some(rebuilt) = &mut made.rebuilt {
            // it may quote what people wrote
            Arc::make_mut(rebuilt).description = None;
        }
        let mut bytes = record.bytes.to_vec();
        let changed: Vec<Option<&Page>> = decoded
            .blocks
            .iter()
            .map(|block| self.real.page(block.tag).filter(|_| effects.changed.contains(&block.tag)))
            .collect();
        let pages: Vec<Option<(Page, Page)>> = decoded
            .blocks
            .iter()
            .zip(&changed)
            .map(|(block, page)| page.map(|page| (page.clone(), self.redacted(block.tag, page))))
            .collect();
        for block in &decoded.blocks {
            made.restored.extend(self.image(&decoded, block, &mut bytes)?.map(|page| (block.id, page)));
        }
        rows::hide(&decoded, &pages, &mut bytes);
        names(&decoded, &mut bytes);
        set_crc(&mut bytes);
        made.bytes = Arc::from(bytes);
        self.try_out(&made, &effects.changed)?;
        Ok(Some(made))
    }

    fn redacted(&self, tag: BlockTag, page: &Page) -> Page {
        let relation = self.owners.get(&tag.locator).copied().unwrap_or_default();
        page::redact(&self.facts, PageId { relation, fork: tag.fork, block: tag.block }, page)
    }

    /// Writes the redacted image over the real one; where that is compressed, zeros, and the page stands beside the
    /// record.
    fn image(
        &self,
        record: &DecodedRecord<'_>,
        block: &BlockRef<'_>,
        bytes: &mut [u8],
    ) -> Result<Option<Page>, String> {
        let Some(image) = block.image.filter(|image| !image.apply || !record.lacks(block)) else { return Ok(None) };
        let page = self.redacted(block.tag, &record.restore(block, self.real.page_size)?);
        let at = block.image_at.start as usize..block.image_at.end as usize;
        let Some(place) = bytes.get_mut(at) else { return Ok(None) };
        let (hole, length) = (usize::from(image.hole_offset), usize::from(image.hole_length));
        let (front, back) = (page.bytes().get(..hole), page.bytes().get(hole + length..));
        match (front, back) {
            (Some(front), Some(back)) if image.compression.is_none() && front.len() + back.len() == place.len() => {
                place[..hole].copy_from_slice(front);
                place[hole..].copy_from_slice(back);
                Ok(None)
            }
            _ => {
                place.fill(0);
                Ok(Some(page))
            }
        }
    }

    /// Does the record lead from the redacted pages to the redacted later pages?
    fn try_out(&mut self, made: &Record, changed: &[BlockTag]) -> Result<(), String> {
        let decoded = made.decode(self.hidden.version)?;
        let effects = redo(&decoded, &mut self.hidden);
        if let Some(anomaly) = effects.anomalies.first() {
            return Err(anomaly.to_string());
        }
        for tag in changed {
            let Some(wanted) = self.real.page(*tag).map(|page| self.redacted(*tag, page)) else { continue };
            let shape = self.shape(*tag);
            let same = |page: &Page| mask(page, shape, tag.block) == mask(&wanted, shape, tag.block);
            if tag.fork != ForkNumber::Fsm && !self.hidden.page(*tag).is_some_and(same) {
                return Err(format!("{} at {}, {tag}", decoded.type_name(), made.start));
            }
        }
        Ok(())
    }

    fn shape(&self, tag: BlockTag) -> PageShape {
        let relation = self.owners.get(&tag.locator).and_then(|oid| self.facts.relations.get(oid));
        match (tag.fork, relation.map(|relation| &relation.am)) {
            (ForkNumber::Main, Some(AccessMethod::Heap)) => PageShape::Heap,
            (ForkNumber::Main, Some(AccessMethod::Btree)) => PageShape::Btree,
            (ForkNumber::Main, Some(AccessMethod::Sequence)) => PageShape::Sequence,
            (ForkNumber::Vm, _) => PageShape::Vm,
            _ => PageShape::Other,
        }
    }
}

/// Is it known what all bytes of its records are? Of other access methods it is not.
fn is_replayed(rmgr: Rmgr) -> bool {
    [Rmgr::HEAP, Rmgr::HEAP2, Rmgr::BTREE, Rmgr::SEQUENCE, Rmgr::XLOG, Rmgr::STORAGE, Rmgr::TRANSACTION].contains(&rmgr)
}

/// The name of a prepared transaction becomes `x`.
fn names(record: &DecodedRecord<'_>, bytes: &mut [u8]) {
    let RecordType::Xact(of) = record.record_type() else { return };
    let gid = match of {
        XactType::Prepare => Prepare::new(record.main_data, record.version).gid,
        XactType::Commit | XactType::CommitPrepared | XactType::Abort | XactType::AbortPrepared => {
            XactEnd::new(record.main_data, record.info(), record.version, of.commits()).gid
        }
        XactType::Assignment | XactType::Invalidations => return,
    };
    let main = bytes.len().saturating_sub(record.main_data.len());
    if let Some(name) = bytes.get_mut(main + gid.at.start..main + gid.at.end) {
        name.iter_mut().filter(|byte| **byte != 0).for_each(|byte| *byte = b'x');
    }
}

/// `xl_crc`, over the data and then the header before it.
fn set_crc(bytes: &mut [u8]) {
    let Some((header, rest)) = bytes.split_at_mut_checked(XLogRecord::SIZE) else { return };
    let (head, crc) = header.split_at_mut(XLogRecord::SIZE - 4);
    crc.copy_from_slice(&crc32c(&[rest, head]).to_le_bytes());
}
