//! A decoded field: bytes, name, value, meaning; flag words also bit by bit. What the inspector shows.

use alloc::string::String;
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

/// A named bit, or group of bits, of a flag word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bit {
    /// PostgreSQL's name
    pub name: &'static str,
    /// the bits it stands for
    pub mask: u32,
    /// whether it is set here
    pub set: bool,
    /// what it means when it is set
    pub meaning: &'static str,
}
