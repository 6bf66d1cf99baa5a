//! A decoded field: bytes, name, value, meaning; flag words also bit by bit. What the inspector shows.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::ops::Range;

/// One field of whatever is looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// PostgreSQL's name of a struct member, or a column's name
    pub name: String,
    /// where on the page, in bytes
    pub bytes: Range<u16>,
    /// the value as text
    pub value: String,
    /// what it means here, a sentence or less
    pub meaning: String,
    /// the bits of a flag word, set or not, in order of their masks
    pub bits: Vec<Bit>,
    /// is it row data? Then it is hidden by `--redact`
    pub is_data: bool,
}

impl Field {
    /// A field of structure, not of data, without bits.
    #[must_use]
    pub fn new(name: &str, bytes: Range<u16>, value: String, meaning: &str) -> Self {
        Self { name: name.to_string(), bytes, value, meaning: meaning.to_string(), bits: Vec::new(), is_data: false }
    }
}

/// A named bit, or group of bits, of a flag word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bit {
    /// PostgreSQL's name
    pub name: &'static str,
    /// the bits it stands for
    pub mask: u32,
    /// whether it is set here: all of its bits are
    pub set: bool,
    /// what it means when it is set
    pub meaning: &'static str,
}

impl Bit {
    /// A row of a table of names, to be spelt out with [`Bit::spell`].
    #[must_use]
    pub const fn new(name: &'static str, mask: u32, meaning: &'static str) -> Self {
        Self { name, mask, set: false, meaning }
    }

    /// The bits of `table` as they are in `word`.
    #[must_use]
    pub fn spell(word: impl Into<u32>, table: &[Self]) -> Vec<Self> {
        let word = word.into();
        table.iter().map(|bit| Self { set: word & bit.mask == bit.mask, ..*bit }).collect()
    }
}
