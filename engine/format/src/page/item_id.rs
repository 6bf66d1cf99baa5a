//! `ItemIdData`, the line pointer: 32 bits (src/include/storage/itemid.h).
//!
//! ```text
//! bit  31            17 16  15 14             0
//!      ├──── lp_len ───┼flags─┼──── lp_off ───┤
//! ```

use super::numbers::OffsetNumber;
use super::{Anomaly, Page, PageHeaderData};
use alloc::format;
use core::ops::Range;

/// The four states of a line pointer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LpFlags {
    /// `LP_UNUSED`: free, a new tuple may take it
    Unused,
    /// `LP_NORMAL`: points to a tuple
    Normal,
    /// `LP_REDIRECT`: root of a HOT chain whose first tuple is gone; `lp_off` is a line pointer's number
    Redirect,
    /// `LP_DEAD`: no tuple (heap) or a killed one (index); kept until VACUUM has cleaned the indexes
    Dead,
}

impl LpFlags {
    /// PostgreSQL's name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unused => "LP_UNUSED",
            Self::Normal => "LP_NORMAL",
            Self::Redirect => "LP_REDIRECT",
            Self::Dead => "LP_DEAD",
        }
    }
}

/// A line pointer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ItemIdData(pub u32);

impl From<[u8; ItemIdData::SIZE]> for ItemIdData {
    #[inline]
    fn from(word: [u8; Self::SIZE]) -> Self {
        Self(u32::from_le_bytes(word))
    }
}

impl ItemIdData {
    /// size in bytes
    pub const SIZE: usize = 4;

    /// `ItemIdSetNormal`
    #[must_use]
    #[inline]
    pub const fn normal(lp_off: u16, lp_len: u16) -> Self {
        Self::new(lp_off, 1, lp_len)
    }

    /// `lp_off` (15 bits), `lp_flags` (2 bits: 0 unused, 1 normal, 2 redirect, 3 dead), `lp_len` (15 bits).
    #[must_use]
    #[inline]
    pub const fn new(lp_off: u16, lp_flags: u8, lp_len: u16) -> Self {
        Self((lp_off & 0x7FFF) as u32 | ((lp_flags & 3) as u32) << 15 | ((lp_len & 0x7FFF) as u32) << 17)
    }

    /// The same with another `lp_off`.
    #[must_use]
    #[inline]
    pub const fn moved(self, lp_off: u16) -> Self {
        Self(self.0 & !0x7FFF | (lp_off & 0x7FFF) as u32)
    }

    /// `ItemIdSetRedirect`
    #[must_use]
    pub const fn redirect_to(n: OffsetNumber) -> Self {
        Self::new(n.0, 2, 0)
    }

    /// `ItemIdSetDead`
    pub const DEAD: Self = Self::new(0, 3, 0);

    /// `ItemIdSetUnused`
    pub const UNUSED: Self = Self(0);

    /// Position of the tuple in bytes; for `LP_REDIRECT` the number of the line pointer it leads to.
    #[must_use]
    #[inline]
    pub const fn lp_off(self) -> u16 {
        (self.0 & 0x7FFF) as u16
    }

    /// State.
    #[must_use]
    #[inline]
    pub const fn lp_flags(self) -> LpFlags {
        match self.0 >> 15 & 3 {
            0 => LpFlags::Unused,
            1 => LpFlags::Normal,
            2 => LpFlags::Redirect,
            _ => LpFlags::Dead,
        }
    }

    /// Length of the tuple in bytes, not rounded up.
    #[must_use]
    #[inline]
    pub const fn lp_len(self) -> u16 {
        (self.0 >> 17) as u16
    }

    /// Has it a tuple? So has a killed one of an index, but no unused one, whatever it says.
    #[must_use]
    #[inline]
    pub fn is_stored(self) -> bool {
        self.lp_len() > 0 && self.lp_flags() != LpFlags::Unused
    }

    /// Where an `LP_REDIRECT` leads.
    #[must_use]
    #[inline]
    pub fn redirect(self) -> Option<OffsetNumber> {
        (self.lp_flags() == LpFlags::Redirect).then_some(OffsetNumber(self.lp_off()))
    }
}

/// The first place where this is true, of a list in which it is true of hardly any.
pub fn first_where<T: Copy>(list: &[T], is_true: impl Fn(T) -> bool) -> Option<usize> {
    // so many are asked at once: the compiler makes few instructions of that
    const SOME: usize = 16;
    let (chunks, _) = list.as_chunks::<SOME>();
    let any = |some: &[T; SOME]| some.iter().fold(false, |any, member| any | is_true(*member));
    let found = chunks.iter().position(any);
    // those that are left are asked at once too, with some of those before them
    if found.is_none() && list.last_chunk().is_some_and(|last| !any(last)) {
        return None;
    }
    let start = found.unwrap_or(chunks.len()) * SOME;
    list[start..].iter().position(|member| is_true(*member)).map(|at| start + at)
}

impl OffsetNumber {
    /// Where line pointer n lies on its page, in bytes.
    #[must_use]
    #[inline]
    pub const fn bytes(self) -> Range<u16> {
        let size = ItemIdData::SIZE as u16;
        let start = (PageHeaderData::SIZE as u16).saturating_add(self.0.saturating_sub(1).saturating_mul(size));
        start..start.saturating_add(size)
    }
}

impl Page {
    /// Where the tuple of an `LP_NORMAL` (or killed, but stored) line pointer lies; an anomaly where that cannot be.
    /// Follows the checks of `PageRepairFragmentation` and `PageIndexTupleDelete`.
    ///
    /// # Errors
    /// `lp_off` or `lp_len` lead out of the tuple space, or the tuple is shorter than `min_len` bytes.
    pub fn tuple_bytes(&self, n: OffsetNumber, lp: ItemIdData, min_len: u16) -> Result<Range<u16>, Anomaly> {
        let (off, len, special) = (lp.lp_off(), lp.lp_len(), self.special_start());
        let text = match off.checked_add(len) {
            Some(end) if end > special => format!("lp_off {off} + lp_len {len} exceeds pd_special {special}"),
            None => format!("lp_off {off} + lp_len {len} exceeds pd_special {special}"),
            Some(_) if (off as usize) < PageHeaderData::SIZE => format!("lp_off {off} lies within the page header"),
            Some(_) if len < min_len => format!("lp_len {len} is less than the {min_len} bytes of a tuple header"),
            Some(end) => return Ok(off..end),
        };
        Err(Anomaly::new(n.bytes(), format!("line pointer {n}: {text}")))
    }
}
