//! Which transaction item of its page a change takes.
//!
//! ```text
//!  the transaction's own ─▶ one that is free ─▶ one whose transaction everybody sees ─▶ one more, if there is room ─▶ wait
//! ```

use super::{all_see, refuse};
use crate::storage::{Buffer, Instance, Outcome, Stop, WaitFor};
use alloc::vec::Vec;
use ffviz_format::page::TransactionId;
use ffviz_format::undo::{ItemXact, ItemXactData, UndoPage, XactChange};

/// What a page may have of them: a row names its own in a byte.
const MOST: u16 = u8::MAX as u16;

/// A transaction item, and how the transaction comes by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TakenXact {
    pub n: u16,
    pub how: XactChange,
    /// what stands in it
    pub before: ItemXact,
}

impl TakenXact {
    /// Bytes that the page's transaction items grow by.
    pub const fn bytes(self) -> u16 {
        match self.how {
            XactChange::Added => ItemXactData::SIZE as u16,
            XactChange::Kept | XactChange::Reused => 0,
        }
    }
}

/// The item of the page for the running transaction; `None` where the page has none, and no room for one more beside
/// `needed` bytes.
pub(super) fn find_xact(pg: &mut Instance, buf: Buffer, xid: TransactionId, needed: u16) -> Option<TakenXact> {
    let view = UndoPage::of(pg.buffers.page(buf));
    let (free, count) = (view.free(), view.xact_count());
    let items: Vec<(u16, ItemXact)> = view.xacts().collect();
    if let Some((n, before)) = items.iter().find(|(_, item)| item.xid == xid) {
        return Some(TakenXact { n: *n, how: XactChange::Kept, before: *before });
    }
    if let Some((n, before)) = items.iter().find(|(_, item)| all_see(pg, item.xid)) {
        return Some(TakenXact { n: *n, how: XactChange::Reused, before: *before });
    }
    let one_more = TakenXact { n: count + 1, how: XactChange::Added, before: ItemXact::default() };
    (count < MOST && free >= one_more.bytes() + needed).then_some(one_more)
}

/// The same of a page whose row is to be changed.
///
/// # Errors
/// Where there is none: [`Stop::Wait`] for a transaction that has one and runs; refused where those that have one are
/// only kept for old snapshots.
pub(super) fn require_xact(pg: &mut Instance, buf: Buffer, xid: TransactionId) -> Outcome<TakenXact> {
    if let Some(taken) = find_xact(pg, buf, xid, 0) {
        return Ok(taken);
    }
    let mut others = UndoPage::of(pg.buffers.page(buf)).xacts().map(|(_, item)| item.xid);
    match others.find(|other| pg.transam.is_in_progress(*other) && !pg.is_current_xid(*other)) {
        Some(other) => Err(Stop::Wait(WaitFor::Transaction(other))),
        None => refuse("one more transaction on a page that is full"),
    }
}
