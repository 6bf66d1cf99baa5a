//! Values one after another, each aligned: within arrays and ranges (`att_align_pointer`, `att_addlength_pointer`).

use super::Align;
use crate::page::layout::Wire;

/// Walks over the values of a container.
pub struct Cursor<'a> {
    bytes: &'a [u8],
    /// position of the first of `bytes`, as alignment counts
    origin: usize,
    at: usize,
}

impl<'a> Cursor<'a> {
    /// Starts at position `at`, counted as alignment counts.
    pub const fn new(bytes: &'a [u8], origin: usize, at: usize) -> Self {
        Self { bytes, origin, at }
    }

    /// The bytes of the next value, without the header of a varlena; `None` where it does not end within the container.
    pub fn take(&mut self, len: i16, align: Align) -> Option<&'a [u8]> {
        let is_packed = len == -1 && self.rest(self.at)?.first().is_some_and(|first| *first != 0);
        let start = if is_packed { self.at } else { self.at.next_multiple_of(align.bytes().into()) };
        let rest = self.rest(start)?;
        let (header, end) = match (usize::try_from(len), rest.first()?) {
            (Ok(fixed), _) => (0, fixed),
            (Err(_), first) if first & 1 == 1 && *first != 1 => (1, usize::from(first >> 1)),
            (Err(_), first) if first & 3 == 0 => (4, (u32::get(rest.get(..4)?) >> 2) as usize),
            _ => return None,
        };
        self.at = start + end;
        rest.get(header..end)
    }

    fn rest(&self, at: usize) -> Option<&'a [u8]> {
        self.bytes.get(at.checked_sub(self.origin)?..)
    }
}
