//! What is counted while the server works: WAL, pages, updates (`pgWalUsage`, `pgBufferUsage`,
//! `pgstat_count_heap_update`).

use core::ops::{Add, Sub};
use serde::{Deserialize, Serialize};

/// `pgWalUsage`: what a process has inserted, as EXPLAIN (WAL) and `pg_stat_statements` count it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct WalUsage {
    /// `wal_records`
    pub records: u64,
    /// `wal_fpi`
    pub fpi: u64,
    /// `wal_bytes`: sum of `xl_tot_len`
    pub bytes: u64,
}

impl WalUsage {
    /// One record more.
    #[inline]
    pub const fn count(&mut self, tot_len: u32, images: u32) {
        self.records += 1;
        self.fpi += images as u64;
        self.bytes += tot_len as u64;
    }
}

impl WalUsage {
    fn zip(self, other: Self, each: impl Fn(u64, u64) -> u64) -> Self {
        Self {
            records: each(self.records, other.records),
            fpi: each(self.fpi, other.fpi),
            bytes: each(self.bytes, other.bytes),
        }
    }
}

impl Sub for WalUsage {
    type Output = Self;

    fn sub(self, earlier: Self) -> Self {
        self.zip(earlier, |now, then| now - then)
    }
}

impl Add for WalUsage {
    type Output = Self;

    fn add(self, more: Self) -> Self {
        self.zip(more, |a, b| a + b)
    }
}

/// Counters that only grow; what happened in between is the difference of two of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Usage {
    /// what EXPLAIN (WAL) counts
    pub wal: WalUsage,
    /// pages that changed, each once a statement, whether they were dirty before or not
    pub pages_changed: u64,
    /// `shared_blks_dirtied`: pages that were clean, and are not any more
    pub blks_dirtied: u64,
    /// `shared_blks_written`: new blocks at the end of files
    pub blks_written: u64,
    /// `n_tup_upd`: row versions that an UPDATE replaced
    pub tup_updated: u64,
    /// `n_tup_hot_upd`: those whose new version needed no index entry
    pub tup_hot_updated: u64,
}

impl Usage {
    /// The same counters of both, put together by `each`.
    fn zip(self, other: Self, each: impl Fn(u64, u64) -> u64) -> Self {
        Self {
            wal: self.wal.zip(other.wal, &each),
            pages_changed: each(self.pages_changed, other.pages_changed),
            blks_dirtied: each(self.blks_dirtied, other.blks_dirtied),
            blks_written: each(self.blks_written, other.blks_written),
            tup_updated: each(self.tup_updated, other.tup_updated),
            tup_hot_updated: each(self.tup_hot_updated, other.tup_hot_updated),
        }
    }
}

impl Sub for Usage {
    type Output = Self;

    fn sub(self, earlier: Self) -> Self {
        self.zip(earlier, |now, then| now - then)
    }
}

impl Add for Usage {
    type Output = Self;

    fn add(self, more: Self) -> Self {
        self.zip(more, |a, b| a + b)
    }
}
