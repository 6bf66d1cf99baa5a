//! The undo segment: its slots, its pages, and to which transaction they belong.
//!
//! ```text
//!  block 0 ─ slots: transaction, its newest undo page         block 1 … ─ undo pages, each of one transaction
//!  running ──COMMIT, ROLLBACK──▶ ended ──everybody sees it──▶ free
//! ```

use super::{all_see, refuse};
use crate::access::transam::{REGBUF_STANDARD, REGBUF_WILL_INIT};
use crate::storage::{BLCKSZ, Buffer, FileId, Instance, Outcome, Registered};
use alloc::collections::{BTreeMap, BTreeSet, VecDeque};
use alloc::vec::Vec;
use ffviz_format::page::{BlockNumber, ForkNumber, ItemIdData, Page, TransactionId};
use ffviz_format::undo::{ItemXact, ItemXactData, UNDO_HEADER_SIZE, UNDO_PAGE, UNDO_SLOTS_PAGE, UndoPage, UndoRecPtr};
use ffviz_format::wal::Rmgr;
use ffviz_format::wal::rec::undo::XlUndoExtend;
use ffviz_format::wal::record_type::UndoType;

/// The block of the slots.
const SLOTS: BlockNumber = 0;
/// As many slots as the page has room for.
const MOST_SLOTS: u16 = (BLCKSZ - UNDO_HEADER_SIZE) / ItemXactData::SIZE as u16;
/// What an undo record may take on a page with its line pointer.
const ROOM: usize = BLCKSZ as usize - UNDO_HEADER_SIZE as usize - ItemXactData::SIZE;

/// The segment, and what the server keeps of it in memory.
#[derive(Debug, Clone, Default)]
pub struct UndoSegment {
    /// its file, where tables are made as those of the undo engine
    pub file: Option<FileId>,
    running: BTreeMap<TransactionId, UndoXact>,
    /// the one that ended first in front
    ended: VecDeque<(TransactionId, UndoXact)>,
    free: VecDeque<BlockNumber>,
}

/// What belongs to a transaction.
#[derive(Debug, Clone, Default)]
pub(super) struct UndoXact {
    slot: u16,
    /// oldest first
    pub(super) pages: Vec<BlockNumber>,
}

/// Where an undo record goes.
#[derive(Debug, Clone, Copy)]
pub(super) struct UndoPlace {
    pub buf: Buffer,
    pub address: UndoRecPtr,
    /// where the transaction begins: to whom the page belongs, and the slot
    pub begins: Option<(TransactionId, u16)>,
}

impl UndoSegment {
    /// Its first page: no slot yet.
    #[must_use]
    pub fn slots_page() -> Page {
        UndoPage::init(BLCKSZ, UNDO_SLOTS_PAGE, 0)
    }

    /// The undo pages of a transaction that runs, oldest first.
    pub(super) fn pages_of(&self, owner: TransactionId) -> &[BlockNumber] {
        self.running.get(&owner).map_or(&[], |xact| &xact.pages)
    }

    /// The page of the slots.
    #[must_use]
    pub fn slots(&self) -> Option<Buffer> {
        Some(Buffer::main(self.file?, SLOTS))
    }

    fn free_slot(&self) -> Option<u16> {
        let ended = self.ended.iter().map(|(_, xact)| xact.slot);
        let taken: BTreeSet<u16> = self.running.values().map(|xact| xact.slot).chain(ended).collect();
        (1..=MOST_SLOTS).find(|slot| !taken.contains(slot))
    }
}

/// The transaction has ended: its pages are kept as long as somebody may want an older version.
pub fn undo_end(pg: &mut Instance, owner: TransactionId) {
    if let Some(xact) = pg.undo.running.remove(&owner) {
        pg.undo.ended.push_back((owner, xact));
    }
}

/// A place for an undo record of the running transaction, which may need another page: that is a record of its own, but
/// for the first one.
pub(super) fn place_record(pg: &mut Instance, length: usize) -> Outcome<UndoPlace> {
    if length + ItemIdData::SIZE > ROOM {
        return refuse("an undo record longer than an undo page");
    }
    let owner = pg.top_xid();
    let Some(last) = pg.undo.pages_of(owner).last().copied() else { return begin(pg, owner) };
    let buf = buffer(pg, last)?;
    let view = UndoPage::of(pg.buffers.page(buf));
    if usize::from(view.free()) >= length + ItemIdData::SIZE {
        let address = UndoRecPtr::new(last, view.item_count() + 1);
        return Ok(UndoPlace { buf, address, begins: None });
    }
    extend(pg, owner, last)
}

/// The transaction's first page, and its slot.
fn begin(pg: &mut Instance, owner: TransactionId) -> Outcome<UndoPlace> {
    recycle(pg);
    let Some(slot) = pg.undo.free_slot() else { return refuse("so many transactions with undo") };
    let buf = new_page(pg, owner, 0)?;
    pg.undo.running.insert(owner, UndoXact { slot, pages: Vec::from([buf.block]) });
    set_slot(pg, owner, buf.block)?;
    Ok(UndoPlace { buf, address: UndoRecPtr::new(buf.block, 1), begins: Some((owner, slot)) })
}

/// One page more.
fn extend(pg: &mut Instance, owner: TransactionId, prev: BlockNumber) -> Outcome<UndoPlace> {
    recycle(pg);
    let buf = new_page(pg, owner, prev)?;
    let slots = set_slot(pg, owner, buf.block)?;
    let Some(xact) = pg.undo.running.get_mut(&owner) else { return refuse("this") };
    xact.pages.push(buf.block);
    let main = XlUndoExtend::make(owner, prev, xact.slot);
    let block = |id, buf, flags| Registered { id, buf, flags: REGBUF_STANDARD | flags, data: &[], sets_lsn: true };
    let blocks = [block(0, buf, REGBUF_WILL_INIT), block(1, slots, 0)];
    pg.xlog_insert(Rmgr::UNDO, UndoType::Extend.info(), &[&main], &blocks);
    Ok(UndoPlace { buf, address: UndoRecPtr::new(buf.block, 1), begins: None })
}

/// Pages of transactions that everybody sees are free.
fn recycle(pg: &mut Instance) {
    while let Some((owner, _)) = pg.undo.ended.front() {
        let owner = *owner;
        let is_over = !pg.transam.is_in_progress(owner) && !pg.transam.did_commit(owner);
        if !is_over && !all_see(pg, owner) {
            return;
        }
        let freed = pg.undo.ended.pop_front().map(|(_, xact)| xact.pages);
        pg.undo.free.extend(freed.into_iter().flatten());
    }
}

fn new_page(pg: &mut Instance, owner: TransactionId, prev: BlockNumber) -> Outcome<Buffer> {
    let Some(file) = pg.undo.file else { return refuse("a table without an undo segment") };
    let block = match pg.undo.free.pop_front() {
        Some(block) => block,
        None => pg.extend(file, ForkNumber::Main, 1),
    };
    let buf = Buffer::main(file, block);
    *pg.buffers.page_dirtied(buf) = UndoPage::init_owned(BLCKSZ, UNDO_PAGE, prev, owner);
    Ok(buf)
}

/// The slot says which undo page is the transaction's newest.
fn set_slot(pg: &mut Instance, owner: TransactionId, block: BlockNumber) -> Outcome<Buffer> {
    let slot = pg.undo.running.get(&owner).map_or(0, |xact| xact.slot);
    let Some(buf) = pg.undo.slots() else { return refuse("a table without an undo segment") };
    let item = ItemXact { xid: owner, undo: UndoRecPtr::new(block, 1) };
    if UndoPage::put_slot(pg.buffers.page_dirtied(buf), slot, item).is_err() {
        return refuse("so many transactions with undo");
    }
    Ok(buf)
}

fn buffer(pg: &Instance, block: BlockNumber) -> Outcome<Buffer> {
    match pg.undo.file {
        Some(file) => Ok(Buffer::main(file, block)),
        None => refuse("a table without an undo segment"),
    }
}
