//! Redo: what a record does to pages (`ApplyWalRecord`, src/backend/access/transam/xlogrecovery.c;
//! `XLogReadBufferForRedo`, xlogutils.c).
//!
//! ```text
//!  block reference   image to apply ──▶ the page is the image                      (restored)
//!                    WILL_INIT      ──▶ the page is made anew, then changed
//!                    else           ──▶ pd_lsn < end of the record? changed : left as it is   (it has the change already)
//! ```
//!
//! Pages that are not known stay unknown, unless a record makes them whole. Damaged records change nothing that they do
//! not fit: an anomaly says what was wrong.
//!
//! All is checked before anything is written, so that this needs no copy of the page for each record; builds with debug
//! assertions compare.

mod brin;
mod btree;
mod disk;
mod gist;
mod heap;
mod heap2;
mod maps;
mod mask;
mod other;
mod prune;
mod storage;
#[cfg(test)]
mod tests;
mod tuple;
mod undo;
mod update;

pub use disk::Disk;
pub use mask::{PageShape, mask};

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use core::ops::Deref;
use ffviz_format::page::{BlockNumber, ForkNumber, Lsn, Page};
use ffviz_format::wal::{BlockRef, BlockTag, DecodedRecord, RecordType, RelFileLocator, Rmgr};

/// What a record did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Effects {
    /// pages that it changed or made, in the order of its block references; FSM and VM pages that redo writes besides
    /// come after them
    pub changed: Vec<BlockTag>,
    /// pages that had the change already
    pub done: Vec<BlockTag>,
    /// pages that it would have changed, had they been known
    pub unknown: Vec<BlockTag>,
    /// heap pages whose bits in the visibility map it says were cleared, and which bits
    pub cleared: Vec<(BlockTag, u8)>,
    /// forks that it cut to so many blocks
    pub truncated: Vec<(RelFileLocator, ForkNumber, BlockNumber)>,
    /// it was told too little of to be done to its pages, which are not known any more
    pub is_lost: bool,
    /// what cannot be
    pub anomalies: Vec<RedoAnomaly>,
}

/// A record that does not fit what is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RedoAnomaly {
    /// the record: `HOT_UPDATE at 0/1A2B3C8`
    pub record: String,
    /// the page that it was not done to
    pub page: Option<BlockTag>,
    /// what is wrong
    pub why: String,
}

impl RedoAnomaly {
    /// As a sentence; the page named by who knows whose file it is: the WAL does not.
    #[must_use]
    pub fn told(&self, name: impl FnOnce(BlockTag) -> String) -> String {
        let page = self.page.map_or_else(String::new, |tag| format!(", {}", name(tag)));
        format!("{}{page}: {}", self.record, self.why)
    }
}

impl fmt::Display for RedoAnomaly {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.told(|tag| tag.to_string()))
    }
}

/// Does to the pages what the record says.
pub fn redo(record: &DecodedRecord<'_>, disk: &mut Disk) -> Effects {
    let mut redo = Redo { record, disk, effects: Effects::default() };
    match record.record_type() {
        _ if record.record.rebuilt.as_ref().is_some_and(|rebuilt| rebuilt.lacks_main_data) => {
            other::take_images(&mut redo, true)
        }
        RecordType::Heap(of) => heap::redo(&mut redo, of),
        RecordType::Heap2(of) => heap2::redo(&mut redo, of),
        RecordType::Btree(of) => btree::redo(&mut redo, of),
        RecordType::Smgr(of) => storage::redo(&mut redo, of),
        RecordType::Undo(of) => undo::redo(&mut redo, of),
        RecordType::Other(Rmgr::GIST) => gist::redo(&mut redo),
        RecordType::Other(Rmgr::BRIN) => brin::redo(&mut redo),
        RecordType::Other(Rmgr::STORAGE | Rmgr::UNDO) => {}
        _ => other::redo(&mut redo),
    }
    redo.effects
}

/// What became of a block reference (`XLogRedoAction`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Action {
    /// the change was made
    NeedsRedo,
    /// the page is the image of the record
    Restored,
    /// the page had the change already
    Done,
    /// the record has no such block reference, or its page is not known, or the change could not be made
    NotFound,
}

/// The page of a block, where it is known and older than the record; else what became of the block.
fn older<P: Deref<Target = Page>>(
    page: Option<P>,
    end: Lsn,
    tag: BlockTag,
    effects: &mut Effects,
) -> Result<P, Action> {
    let Some(page) = page else {
        effects.unknown.push(tag);
        return Err(Action::NotFound);
    };
    if page.header().pd_lsn() >= end {
        effects.done.push(tag);
        return Err(Action::Done);
    }
    Ok(page)
}

/// A record at work.
struct Redo<'a> {
    record: &'a DecodedRecord<'a>,
    disk: &'a mut Disk,
    effects: Effects,
}

impl<'a> Redo<'a> {
    /// The block reference of that id.
    fn block(&self, id: u8) -> Option<&'a BlockRef<'a>> {
        self.record.blocks.iter().find(|block| block.id == id)
    }

    /// The block reference of that id, whose page has to be changed; what became of it where there is nothing to
    /// change: nobody wants it, its image is restored, or what would be done to it is not known.
    fn wanted(&mut self, id: u8) -> Result<&'a BlockRef<'a>, Action> {
        let block = self.block(id).filter(|block| self.disk.wants(block.tag.locator)).ok_or(Action::NotFound)?;
        if block.image.is_some_and(|image| image.apply) {
            return Err(self.restore(block));
        }
        if self.record.lacks(block) {
            return Err(self.lose(block));
        }
        Ok(block)
    }

    /// `XLogReadBufferForRedo`: restores the image, or calls `apply` where the page is known and older than the record,
    /// and sets `pd_lsn`. When `apply` fails the page stays as it was.
    fn change(&mut self, id: u8, apply: impl FnOnce(&mut Page, &BlockRef<'a>) -> Result<(), String>) -> Action {
        let block = match self.wanted(id) {
            Ok(block) => block,
            Err(done) => return done,
        };
        let known = self.disk.page(block.tag);
        let mut page = match older(known, self.record.record.end, block.tag, &mut self.effects) {
            Ok(page) => page.clone(),
            Err(done) => return done,
        };
        match apply(&mut page, block) {
            Ok(()) => {
                self.put(block.tag, page);
                Action::NeedsRedo
            }
            Err(why) => self.refuse(block, &why),
        }
    }

    /// Like [`Self::change`], without a copy of the page: `apply` must have checked everything before it writes
    /// anything.
    fn edit(&mut self, id: u8, apply: impl FnOnce(&mut Page, &BlockRef<'a>) -> Result<(), String>) -> Action {
        self.edit_in_place(id, true, apply)
    }

    /// Like [`Self::edit`], for a hint: `pd_lsn` changes only where hints count as changes.
    fn edit_hint(&mut self, id: u8, apply: impl FnOnce(&mut Page, &BlockRef<'a>) -> Result<(), String>) -> Action {
        self.edit_in_place(id, self.disk.log_hints, apply)
    }

    fn edit_in_place(
        &mut self,
        id: u8,
        sets_lsn: bool,
        apply: impl FnOnce(&mut Page, &BlockRef<'a>) -> Result<(), String>,
    ) -> Action {
        let block = match self.wanted(id) {
            Ok(block) => block,
            Err(done) => return done,
        };
        let known = self.disk.page_mut(block.tag);
        let page = match older(known, self.record.record.end, block.tag, &mut self.effects) {
            Ok(page) => page,
            Err(done) => return done,
        };
        #[cfg(debug_assertions)]
        let before = page.clone();
        let applied = apply(page, block);
        #[cfg(debug_assertions)]
        debug_assert!(applied.is_ok() || before == *page, "{} writes before it checks", self.record.type_name());
        match applied {
            Ok(()) => {
                if sets_lsn {
                    page.set_pd_lsn(self.record.record.end);
                }
                self.effects.changed.push(block.tag);
                Action::NeedsRedo
            }
            Err(why) => self.refuse(block, &why),
        }
    }

    /// The main data, where it has at least so many bytes.
    fn main_data(&mut self, least: usize) -> Option<&'a [u8]> {
        let data = self.record.main_data;
        if data.len() < least {
            let (start, name, length) = (self.record.record.start, self.record.type_name(), data.len());
            self.effects.anomalies.push(RedoAnomaly {
                record: format!("{name} at {start}"),
                page: None,
                why: format!("{length} bytes of main data where {least} are needed"),
            });
            return None;
        }
        Some(data)
    }

    /// `XLogInitBufferForRedo`: `make` gives the page's contents.
    fn init(&mut self, id: u8, make: impl FnOnce(&BlockRef<'a>) -> Result<Page, String>) -> Action {
        let block = match self.wanted(id) {
            Ok(block) => block,
            Err(done) => return done,
        };
        if self.disk.is_newer(block.tag, self.record.record.end) {
            self.effects.done.push(block.tag);
            return Action::Done;
        }
        match make(block) {
            Ok(page) => {
                self.put(block.tag, page);
                Action::NeedsRedo
            }
            Err(why) => self.refuse(block, &why),
        }
    }

    /// Puts the image in place, unless the page is newer already: recovery starts from a state older than all images,
    /// ffviz may not.
    fn restore(&mut self, block: &BlockRef<'a>) -> Action {
        if self.record.lacks(block) {
            return self.lose(block);
        }
        if self.disk.is_newer(block.tag, self.record.record.end) {
            self.effects.done.push(block.tag);
            return Action::Done;
        }
        match self.record.restore(block, self.disk.page_size) {
            Ok(page) if page.is_new() => {
                // a new page has no LSN
                self.disk.put(block.tag, page);
                self.effects.changed.push(block.tag);
                Action::Restored
            }
            Ok(page) => {
                self.put(block.tag, page);
                Action::Restored
            }
            Err(why) => self.refuse(block, &why),
        }
    }

    /// What was done to the page is not known: neither is the page any more, unless it has the change already.
    fn lose(&mut self, block: &BlockRef<'_>) -> Action {
        if self.disk.page(block.tag).is_some_and(|page| page.header().pd_lsn() >= self.record.record.end) {
            self.effects.done.push(block.tag);
            return Action::Done;
        }
        self.disk.forget(block.tag);
        self.effects.unknown.push(block.tag);
        self.effects.is_lost |= self.record.record.rebuilt.is_some();
        Action::NotFound
    }

    /// Writes a page that the record changed.
    fn put(&mut self, tag: BlockTag, mut page: Page) {
        page.set_pd_lsn(self.record.record.end);
        self.disk.put(tag, page);
        self.effects.changed.push(tag);
    }

    /// The page cannot be what the record takes it for: it stays as it was.
    fn refuse(&mut self, block: &BlockRef<'a>, why: &str) -> Action {
        let (start, name) = (self.record.record.start, self.record.type_name());
        self.effects.anomalies.push(RedoAnomaly {
            record: format!("{name} at {start}"),
            page: Some(block.tag),
            why: String::from(why),
        });
        Action::NotFound
    }
}
