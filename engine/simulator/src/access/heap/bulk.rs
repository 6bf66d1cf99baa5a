//! `BulkInsertState`: what COPY and CREATE TABLE AS keep between rows, so that they need not look for a page each time
//! (src/include/access/hio.h, src/backend/access/heap/heapam.c).
//!
//! ```text
//!  blocks of the last extension:  │ current ┊ next_free … last_free │     taken one after the other, without asking the free space map
//! ```

use crate::storage::{Buffer, Instance};
use ffviz_format::page::BlockNumber;

/// What a bulk insert keeps. Its current page is pinned: let it go by [`Self::release`].
#[derive(Debug, Default)]
pub struct BulkInsertState {
    /// `current_buf`
    current: Option<Buffer>,
    /// `next_free` and `last_free`: new blocks that nothing was put on yet
    free: Option<(BlockNumber, BlockNumber)>,
    /// `already_extended_by`
    already_extended_by: u32,
}

impl BulkInsertState {
    /// `GetBulkInsertState`
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// `FreeBulkInsertState`
    pub fn release(&mut self, pg: &mut Instance) {
        if let Some(buf) = self.current.take() {
            pg.unpin(buf);
        }
    }

    /// `ReadBufferBI`: this page is pinned from now on, the one before not any more.
    pub(super) fn read(&mut self, pg: &mut Instance, buf: Buffer) {
        if self.current != Some(buf) {
            self.release(pg);
            pg.pin(buf);
            self.current = Some(buf);
        }
    }

    /// The block that is pinned.
    pub(super) fn current_block(&self) -> Option<BlockNumber> {
        self.current.map(|buf| buf.block)
    }

    /// How many blocks it has made: the next extension is at least as large.
    pub(super) const fn already_extended_by(&self) -> u32 {
        self.already_extended_by
    }

    /// The file grew by blocks `first..=last`, of which the first is taken at once.
    pub(super) const fn extended(&mut self, first: BlockNumber, last: BlockNumber) {
        self.free = if last > first { Some((first + 1, last)) } else { None };
        self.already_extended_by += last - first + 1;
    }

    /// The next of the blocks that nothing was put on yet.
    pub(super) fn take_free(&mut self) -> Option<BlockNumber> {
        let (next, last) = self.free?;
        self.free = (next < last).then_some((next + 1, last));
        Some(next)
    }
}
