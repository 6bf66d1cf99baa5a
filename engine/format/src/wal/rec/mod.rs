//! The C structs of WAL records, as each major version lays them out; what a record's bytes say in words is `describe`
//! of `ffviz_story`.
//!
//! ```text
//!  heap     Heap               src/include/access/heapam_xlog.h
//!  heap2    Heap2              src/include/access/heapam_xlog.h
//!  btree    Btree              src/include/access/nbtxlog.h
//!  brin     BRIN               src/include/access/brin_xlog.h
//!  xlog     XLOG               src/include/catalog/pg_control.h, src/include/access/xlog_internal.h
//!  xact     Transaction        src/include/access/xact.h
//!  standby  Standby            src/include/storage/standbydefs.h, src/include/storage/sinval.h
//!  undo     Undo               none: the model of `crate::undo`
//!  other    Storage, Sequence  src/include/catalog/storage_xlog.h, src/include/commands/sequence.h; MultiXact  src/include/access/multixact.h
//! ```
//!
//! A struct whose layout changed has one declaration a layout: the plain name is that of the newest, a number behind
//! the name is the first version of an older one (`XlBtreeDelete13`: 13; `XlBtreeDelete14`: 14 and 15; `XlBtreeDelete`:
//! 16 to 18). Getters of a struct read zero where bytes are missing, so a damaged record gives nonsense but never a
//! panic. Arrays behind a struct are cut by [`Cut`].

#![expect(non_snake_case, reason = "fields have PostgreSQL's names")]

pub mod brin;
pub mod btree;
pub mod gist;
pub mod heap;
pub mod heap2;
pub mod other;
pub mod standby;
pub mod undo;
pub mod xact;
pub mod xlog;

use super::RelFileLocator;
use crate::page::Lsn;
use crate::page::layout::Wire;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::ops::Range;

/// A position as records store it: one number of 64 bits. On a page the high half stands first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct XLogRecPtr(pub Lsn);

impl Wire for XLogRecPtr {
    const SIZE: usize = 8;
    fn get(bytes: &[u8]) -> Self {
        Self(Lsn(u64::get(bytes)))
    }
    fn set(&self, bytes: &mut [u8]) {
        self.0.0.set(bytes);
    }
    fn show(&self) -> String {
        self.0.to_string()
    }
}

/// Microseconds since 2000-01-01 00:00 UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimestampTz(pub i64);

impl Wire for TimestampTz {
    const SIZE: usize = 8;
    fn get(bytes: &[u8]) -> Self {
        Self(i64::get(bytes))
    }
    fn set(&self, bytes: &mut [u8]) {
        self.0.set(bytes);
    }
    fn show(&self) -> String {
        // a time that no server can have written
        let number = || self.0.to_string();
        crate::datum::timestamptz_out(&self.0.to_le_bytes()).unwrap_or_else(number)
    }
}

/// A transaction id with its epoch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FullTransactionId(pub u64);

impl Wire for FullTransactionId {
    const SIZE: usize = 8;
    fn get(bytes: &[u8]) -> Self {
        Self(u64::get(bytes))
    }
    fn set(&self, bytes: &mut [u8]) {
        self.0.set(bytes);
    }
    fn show(&self) -> String {
        format!("{}:{}", self.0 >> 32, self.0 as u32)
    }
}

impl Wire for RelFileLocator {
    const SIZE: usize = 12;
    #[inline]
    fn get(bytes: &[u8]) -> Self {
        let oid = |at: usize| u32::get(bytes.get(at..).unwrap_or(&[]));
        Self { spc: oid(0), db: oid(4), rel: oid(8) }
    }
    fn set(&self, bytes: &mut [u8]) {
        self.spc.set(bytes);
        self.db.set(&mut bytes[4..]);
        self.rel.set(&mut bytes[8..]);
    }
    fn show(&self) -> String {
        self.to_string()
    }
}

/// Cuts parts off the front of a record's data; where the data is too short, a part is as long as what is left.
#[derive(Debug, Clone)]
pub struct Cut<'a> {
    bytes: &'a [u8],
    at: usize,
}

/// A part of a record's data: its bytes, and where in the data they are.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Part<'a> {
    /// the bytes
    pub bytes: &'a [u8],
    /// where, from the start of the data
    pub at: Range<usize>,
}

impl<'a> Cut<'a> {
    /// From the start of the data.
    #[must_use]
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// The next so many bytes.
    pub fn take(&mut self, size: usize) -> Part<'a> {
        let end = self.at.saturating_add(size).min(self.bytes.len());
        let at = core::mem::replace(&mut self.at, end)..end;
        Part { bytes: self.bytes.get(at.clone()).unwrap_or(&[]), at }
    }

    /// The next value.
    pub fn value<T: Wire>(&mut self) -> T {
        T::get(self.take(T::SIZE).bytes)
    }

    /// The next `count` elements of `size` bytes.
    pub fn array(&mut self, count: usize, size: usize) -> Part<'a> {
        self.take(count.saturating_mul(size))
    }

    /// All that is left.
    pub fn rest(&mut self) -> Part<'a> {
        self.take(usize::MAX)
    }

    /// Where the next part starts.
    #[must_use]
    pub const fn position(&self) -> usize {
        self.at
    }

    /// Skips to a multiple of `to` bytes.
    pub fn align(&mut self, to: usize) {
        self.at = self.at.next_multiple_of(to).min(self.bytes.len());
    }

    /// Is nothing left?
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.at >= self.bytes.len()
    }
}

impl<'a> Part<'a> {
    /// Its whole elements of that type.
    #[must_use]
    pub fn values<T: Wire>(&self) -> Vec<T> {
        self.each().collect()
    }

    /// The same, one by one.
    pub fn each<T: Wire>(&self) -> impl Iterator<Item = T> + use<'a, T> {
        self.bytes.chunks_exact(T::SIZE).map(T::get)
    }

    /// Its elements of so many bytes; the last may be cut off.
    pub fn elements(&self, size: usize) -> impl Iterator<Item = Part<'a>> + use<'a> {
        let start = self.at.start;
        let chunks = self.bytes.chunks(size.max(1)).enumerate();
        chunks.map(move |(n, bytes)| {
            let at = start + n * size;
            Part { bytes, at: at..at + bytes.len() }
        })
    }

    /// Has it no bytes?
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }
}
