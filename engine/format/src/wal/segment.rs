//! Segments: where a position lies in the files below pg_wal (`XLogFileName`, src/include/access/xlog_internal.h).

use crate::page::Lsn;
use alloc::format;
use alloc::string::String;

/// A segment of WAL: one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Segment {
    /// timeline
    pub tli: u32,
    /// number of the segment, from the beginning of WAL
    pub number: u64,
    /// bytes a segment
    pub size: u32,
}

impl Segment {
    /// The segment that holds a position.
    #[must_use]
    pub const fn of(lsn: Lsn, tli: u32, size: u32) -> Self {
        let size = if size == 0 { 1 } else { size };
        Self { tli, number: lsn.0 / size as u64, size }
    }

    /// The next one.
    #[must_use]
    pub const fn next(self) -> Self {
        Self { number: self.number.saturating_add(1), ..self }
    }

    /// Where it starts.
    #[must_use]
    pub const fn start(self) -> Lsn {
        Lsn(self.number.saturating_mul(self.size as u64))
    }

    /// Segments in 4 GiB: what one value of the middle part of the name stands for.
    const fn per_id(size: u32) -> u64 {
        let per_id = (1 << 32) / size as u64;
        if per_id == 0 { 1 } else { per_id }
    }

    /// Name of the file.
    #[must_use]
    pub fn file_name(self) -> String {
        let per_id = Self::per_id(self.size);
        format!("{:08X}{:08X}{:08X}", self.tli, self.number / per_id, self.number % per_id)
    }

    /// The segment of that name; `None` where it is not the name of a segment.
    #[must_use]
    pub fn parse(name: &str, size: u32) -> Option<Self> {
        if name.len() != 24 || size == 0 || !name.bytes().all(|b| b.is_ascii_hexdigit() && !b.is_ascii_lowercase()) {
            return None;
        }
        let part = |at: usize| u32::from_str_radix(name.get(at..at + 8)?, 16).ok();
        let (high, low) = (u64::from(part(8)?), u64::from(part(16)?));
        let per_id = Self::per_id(size);
        (low < per_id).then_some(Self { tli: part(0)?, number: high * per_id + low, size })
    }
}
