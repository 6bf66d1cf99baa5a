//! A slot that keeps a row version, and with it a pin on its page (`BufferHeapTupleTableSlot`,
//! src/backend/executor/execTuples.c): a page that is pinned twice is not pruned when an index scan comes back to it.

use crate::storage::{Buffer, Instance};

/// The page of the row version that a slot holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::sql) struct Slot {
    buf: Option<Buffer>,
}

impl Slot {
    /// `ExecStoreBufferHeapTuple`
    pub fn store(&mut self, pg: &mut Instance, buf: Buffer) {
        if self.buf != Some(buf) {
            self.clear(pg);
            pg.pin(buf);
            self.buf = Some(buf);
        }
    }

    /// `ExecClearTuple`
    pub fn clear(&mut self, pg: &mut Instance) {
        if let Some(buf) = self.buf.take() {
            pg.unpin(buf);
        }
    }
}
