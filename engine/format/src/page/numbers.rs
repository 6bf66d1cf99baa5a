//! PostgreSQL's numbers, each a type of its own, so that a position in bytes is never taken for a line pointer's
//! number.

use super::layout::Wire;
use alloc::format;
use alloc::string::{String, ToString};
use core::fmt;

/// Number of a block within a fork, from 0 (src/include/storage/block.h).
pub type BlockNumber = u32;
/// Object identifier (src/include/postgres_ext.h).
pub type Oid = u32;
/// 32-bit transaction id (src/include/access/transam.h).
pub type TransactionId = u32;

/// Number of a line pointer, from 1; 0 is `InvalidOffsetNumber` (src/include/storage/off.h).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct OffsetNumber(pub u16);

/// A position within a page in bytes, from 0 (src/include/storage/bufpage.h).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LocationIndex(pub u16);

/// A TID: block and line pointer (src/include/storage/itemptr.h).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ItemPointer {
    /// `ip_blkid`
    pub block: BlockNumber,
    /// `ip_posid`
    pub offset: OffsetNumber,
}

/// `FirstNormalObjectId`: OIDs before it are initdb's, relations from it on are users'; after the last one they begin
/// here again (src/include/access/transam.h).
pub const FIRST_NORMAL_OBJECT_ID: Oid = 16384;

/// A position in the WAL (src/include/access/xlogdefs.h). On a page the high half stands first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Lsn(pub u64);

/// `1234567` as `1,234,567`.
#[must_use]
pub fn thousands(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (ix, digit) in digits.chars().enumerate() {
        if ix > 0 && (digits.len() - ix).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1 tuple`, `1,204 tuples`; `entry` becomes `entries`.
#[must_use]
pub fn count(n: u64, one: &str) -> String {
    let number = thousands(n);
    match one.strip_suffix("ry") {
        _ if n == 1 => format!("{number} {one}"),
        Some(stem) => format!("{number} {stem}ries"),
        None => format!("{number} {one}s"),
    }
}

/// `1 byte`, `1,204 bytes`.
#[must_use]
pub fn bytes(n: u64) -> String {
    count(n, "byte")
}

impl fmt::Display for OffsetNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl fmt::Display for ItemPointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({},{})", self.block, self.offset)
    }
}

impl fmt::Display for Lsn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:X}/{:X}", self.0 >> 32, self.0 & 0xFFFF_FFFF)
    }
}

impl core::str::FromStr for Lsn {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let half = |part: &str| u32::from_str_radix(part, 16).ok().map(u64::from);
        text.split_once('/')
            .and_then(|(high, low)| Some(Self(half(high)? << 32 | half(low)?)))
            .ok_or_else(|| format!("\"{}\" is not an LSN such as 0/1A2B3C8", text.escape_default()))
    }
}

impl Wire for Lsn {
    const SIZE: usize = 8;
    #[inline]
    fn get(bytes: &[u8]) -> Self {
        // the high half stands first
        Self(u64::get(bytes).rotate_left(32))
    }
    #[inline]
    fn set(&self, bytes: &mut [u8]) {
        self.0.rotate_left(32).set(bytes);
    }
    fn show(&self) -> String {
        format!("{self}")
    }
}

impl Wire for ItemPointer {
    const SIZE: usize = 6;
    #[inline]
    fn get(bytes: &[u8]) -> Self {
        let bytes = <[u8; Self::SIZE]>::get(bytes);
        let half = |at: usize| u16::get(&bytes[at..]);
        Self { block: u32::from(half(0)) << 16 | u32::from(half(2)), offset: OffsetNumber(half(4)) }
    }
    #[inline]
    fn set(&self, bytes: &mut [u8]) {
        let [a, b] = ((self.block >> 16) as u16).to_le_bytes();
        let [c, d] = (self.block as u16).to_le_bytes();
        let [e, f] = self.offset.0.to_le_bytes();
        bytes[..Self::SIZE].copy_from_slice(&[a, b, c, d, e, f]);
    }
    fn show(&self) -> String {
        format!("{self}")
    }
}
