//! Main data in the making: values in the order of the C struct, and the bytes that nobody told.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::ops::Range;
use ffviz_format::page::layout::Wire;

/// Main data, as far as it is told.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Main {
    pub bytes: Vec<u8>,
    /// bytes that nobody told
    pub untold: Vec<Range<usize>>,
    /// redo reads some of them
    pub lacks: bool,
    /// the low bits of `xl_info`, and `XLOG_XACT_HAS_INFO`
    pub info: u8,
    /// replication origin, where it is told
    pub origin: Option<u16>,
    /// what is told, where none of it was understood
    pub description: Option<String>,
}

impl Main {
    /// Nothing of it is understood.
    pub fn untold(description: &str) -> Self {
        Self { lacks: true, description: Some(description.to_string()), ..Self::default() }
    }

    /// A value.
    pub fn put<T: Wire>(mut self, value: &T) -> Self {
        let at = self.bytes.len();
        self.bytes.resize(at + T::SIZE, 0);
        value.set(&mut self.bytes[at..]);
        self
    }

    /// Values one after the other.
    pub fn all<T: Wire>(self, values: &[T]) -> Self {
        values.iter().fold(self, Self::put)
    }

    /// Bytes that nobody told.
    pub fn skip(mut self, length: usize) -> Self {
        let at = self.bytes.len();
        self.untold.push(at..at + length);
        self.bytes.resize(at + length, 0);
        self
    }

    /// Redo reads what is not told.
    pub fn lacking(self) -> Self {
        Self { lacks: true, ..self }
    }

    /// As long as it is told to be: what is missing at its end nobody told. `None` where it is longer.
    pub fn of_length(self, length: usize) -> Option<Self> {
        let missing = length.checked_sub(self.bytes.len())?;
        Some(if missing == 0 { self } else { self.skip(missing) })
    }
}
