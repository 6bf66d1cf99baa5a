//! What a server has counted so far: of its changes ([`Usage`]), and of the blocks that it read, as EXPLAIN tells of
//! them (`pgBufferUsage`, src/backend/executor/instrument.c; `ReadBuffer_common`, src/backend/storage/buffer/bufmgr.c).
//!
//! ```text
//!  a block is read ── in shared buffers: hit
//!                  └─ on disk only: read       what was written past the buffers (CREATE INDEX, VACUUM FULL) is there
//! ```

use super::Instance;
use super::buffers::Buffer;
use core::ops::{Add, Sub};
use ffviz_story::timeline::Usage;

/// `BufferUsage`: blocks, of shared buffers and of a session's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BufferUsage {
    /// were there
    pub hit: u64,
    /// had to be fetched
    pub read: u64,
    /// became dirty
    pub dirtied: u64,
    /// were written by who needed them, which here are new ones only
    pub written: u64,
}

impl BufferUsage {
    fn each(self, other: Self, op: impl Fn(u64, u64) -> u64) -> Self {
        Self {
            hit: op(self.hit, other.hit),
            read: op(self.read, other.read),
            dirtied: op(self.dirtied, other.dirtied),
            written: op(self.written, other.written),
        }
    }
}

impl Add for BufferUsage {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        self.each(other, |a, b| a + b)
    }
}

impl Sub for BufferUsage {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self.each(other, u64::saturating_sub)
    }
}

impl Instance {
    /// Everything so far, of all sessions.
    #[must_use]
    pub const fn usage(&self) -> Usage {
        let (pages_changed, blks_dirtied) = (self.buffers.changed(), self.buffers.dirtied());
        Usage { wal: self.wal.usage(), pages_changed, blks_dirtied, ..self.counted }
    }

    /// The blocks of all sessions so far.
    #[must_use]
    pub const fn buffer_usage(&self) -> BufferUsage {
        BufferUsage { dirtied: self.buffers.dirtied(), ..self.blocks_read }
    }

    /// `ReadBuffer`, as far as it is counted.
    #[inline]
    pub fn read_buffer(&mut self, buf: Buffer) {
        if self.buffers.fetch(buf) {
            self.blocks_read.read += 1;
        } else {
            self.blocks_read.hit += 1;
        }
    }
}
