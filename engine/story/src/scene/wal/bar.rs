//! What a record's bytes are spent on, as `describe::cost` has it but without words, and how long a bar they make.
//!
//! ```text
//!  HHHH RRRR IIIIIIIIIIII DD M      header │ block references │ full-page images │ block data │ main data
//! ```

use crate::describe::spent;
use crate::scene::{Role, words};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::page::PgVersion;
use ffviz_format::wal::{Record, XLogRecord};

/// What bytes are spent on, in the order in which they stand in a record.
pub const BAR_ROLES: [Role; 5] =
    [Role::WalHeader, Role::WalBlockRef, Role::WalImage, Role::WalBlockData, Role::WalMainData];

/// Bytes for each of `BAR_ROLES`.
pub(super) type Bytes = [u64; BAR_ROLES.len()];

/// So many bytes of each part are drawn at full length …
const PLAIN: u64 = 64;
/// … and those beyond so many times shorter, so that a record of 60 bytes can be read beside an image of 8 KiB.
const SHORTER: u64 = 64;
/// The same in words.
pub(super) const SCALE: &str =
    "Bars: the first 64 bytes of each part at full length, the bytes beyond 64 times shorter.";
/// Length of the longest bar; what is longer is cut.
pub(super) const LONGEST: u32 = 512;

/// A bar of parts side by side.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Bar {
    /// the parts that are not empty
    pub parts: Vec<BarPart>,
    /// is it longer than it is drawn?
    pub cut: bool,
}

/// A part of a bar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BarPart {
    /// what the bytes are spent on
    pub role: Role,
    /// how many they are
    pub bytes: u64,
    /// how long they are drawn, on the scale of the scene
    pub length: u32,
}

impl Bar {
    /// Length of all parts.
    #[must_use]
    pub fn length(&self) -> u32 {
        self.parts.iter().fold(0, |sum, part| sum.saturating_add(part.length))
    }

    /// The cells that each part takes of `width`, where `full` is the length of the longest bar. No part that is there
    /// vanishes, as long as there is room.
    #[must_use]
    pub fn cells(&self, full: u32, width: usize) -> Vec<usize> {
        let (full, mut length, mut used) = (u64::from(full.max(1)), 0, 0);
        let cells = |part: &BarPart| {
            length += u64::from(part.length);
            let end = (length * width as u64).div_ceil(full) as usize;
            let cells = end.max(used + 1).min(width) - used;
            used += cells;
            cells
        };
        self.parts.iter().map(cells).collect()
    }

    /// Each byte as long as any other.
    #[must_use]
    pub(super) fn linear(bytes: &Bytes) -> Self {
        Self::new(bytes, |bytes| u32::try_from(bytes).unwrap_or(u32::MAX / 8))
    }

    /// Of one record, long parts shortened.
    pub(super) fn shortened(bytes: &Bytes) -> Self {
        let mut bar = Self::new(bytes, length);
        let mut room = LONGEST;
        for part in &mut bar.parts {
            bar.cut |= part.length > room;
            part.length = part.length.min(room);
            room -= part.length;
        }
        bar
    }

    fn new(bytes: &Bytes, length: impl Fn(u64) -> u32) -> Self {
        let part = |(role, bytes): (Role, u64)| BarPart { role, bytes, length: length(bytes) };
        let parts = BAR_ROLES.into_iter().zip(*bytes).filter(|(_, bytes)| *bytes > 0).map(part).collect();
        Self { parts, cut: false }
    }
}

pub(super) fn length(bytes: u64) -> u32 {
    let beyond = bytes.saturating_sub(PLAIN).div_ceil(SHORTER);
    u32::try_from(bytes.min(PLAIN).saturating_add(beyond)).unwrap_or(u32::MAX / 8)
}

/// What the bytes of a record are spent on; together its `xl_tot_len`.
pub(in crate::scene) fn bytes_of(record: &Record, version: PgVersion) -> Bytes {
    let total = record.bytes.len() as u64;
    let header = total.min(XLogRecord::SIZE as u64);
    match record.decode(version) {
        Ok(decoded) => spent(&decoded),
        Err(_) => [header, 0, 0, 0, total - header],
    }
}

pub(super) fn sum(bytes: &Bytes) -> u64 {
    bytes.iter().sum()
}

/// `24 bytes record header, 8,192 bytes full-page image`
pub(super) fn words(bytes: &Bytes) -> String {
    let parts = BAR_ROLES.iter().zip(bytes).filter(|(_, bytes)| **bytes > 0);
    parts.map(|(role, bytes)| format!("{} {}", words::bytes(*bytes), role.word())).collect::<Vec<_>>().join(", ")
}
