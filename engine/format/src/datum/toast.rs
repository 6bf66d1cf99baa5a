//! TOAST's decisions, without the TOAST table: which value is compressed or moved out of line next, until the tuple is
//! short enough (`heap_toast_insert_or_update`, src/backend/access/heap/heaptoast.c;
//! src/backend/access/table/toast_helper.c).
//!
//! ```text
//! longer than the target?  1 ▶ the longest extended value is compressed, or, if alone too long, moved out; an external one is only moved
//!                          2 ▶ the longest extended or external value is moved out
//!                          3 ▶ the longest main value is compressed
//! longer than a page?      4 ▶ the longest main value is moved out
//! ```

use super::form::data_offset;
use super::varlena::VARHDRSZ_COMPRESSED;
use super::{TupleDesc, Value, pglz};
use alloc::vec::Vec;

/// `TOAST_TUPLE_TARGET`: the length up to which a tuple is let alone, where the table sets no `toast_tuple_target`.
pub const TOAST_TUPLE_TARGET: usize = 2032;
/// `TOAST_TUPLE_TARGET_MAIN`: a whole page's tuple.
const TOAST_TUPLE_TARGET_MAIN: usize = 8160;
/// `MAXALIGN(TOAST_POINTER_SIZE)`: values up to this are not worth it.
const TOO_SHORT: usize = 24;

/// What is done to a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// it was compressed, in line
    Compress {
        /// column, from 0
        index: usize,
        /// bytes before, header included
        from: usize,
        /// bytes after
        to: usize,
    },
    /// compression would save too little; it is not tried again
    Incompressible {
        /// column, from 0
        index: usize,
    },
    /// it must be stored in the TOAST table; [`Toaster::externalized`] takes the pointer
    Externalize {
        /// column, from 0
        index: usize,
    },
}

/// The values of a tuple on their way to being short enough.
pub struct Toaster<'a> {
    desc: &'a TupleDesc,
    values: Vec<Value>,
    /// `TOASTCOL_IGNORE`: neither compressed nor moved
    ignored: Vec<bool>,
    /// `TOASTCOL_INCOMPRESSIBLE`
    incompressible: Vec<bool>,
    hoff: usize,
    target: usize,
    has_toast_table: bool,
    /// the step of the picture
    round: u8,
    /// the value tried last in round 1, which is moved at once if it is too long by itself
    tried: Option<usize>,
}

impl<'a> Toaster<'a> {
    /// Begins with these values, one a column. `target` is the tuple length to reach. Out-of-line values among them
    /// stay as they are: the caller fetches those of other rows first.
    #[must_use]
    pub fn new(desc: &'a TupleDesc, values: Vec<Value>, target: usize, has_toast_table: bool) -> Self {
        let columns = desc.attributes().iter().zip(&values);
        let ignored = columns.map(|(attribute, value)| {
            attribute.len >= 0 || attribute.storage == 'p' || value.is_null() || is_external(value)
        });
        let (ignored, hoff) = (ignored.collect(), data_offset(values.len(), values.iter().any(Value::is_null)));
        let incompressible = alloc::vec![false; values.len()];
        Self { desc, values, ignored, incompressible, hoff, target, has_toast_table, round: 1, tried: None }
    }

    /// The values as they are now.
    #[must_use]
    pub fn into_values(self) -> Vec<Value> {
        self.values
    }

    /// A column's value as it is now.
    #[must_use]
    pub fn value(&self, index: usize) -> &Value {
        &self.values[index]
    }

    /// Takes the pointer to what was stored in the TOAST table.
    pub fn externalized(&mut self, index: usize, pointer: Value) {
        self.values[index] = pointer;
        self.ignored[index] = true;
    }

    /// What is done next; compression is done already. `None`: the tuple is short enough, or cannot be made shorter.
    pub fn next_decision(&mut self) -> Option<Decision> {
        if let Some(decision) = self.move_tried() {
            return Some(decision);
        }
        while self.round <= 4 {
            let limit = if self.round == 4 { TOAST_TUPLE_TARGET_MAIN } else { self.target };
            let compresses = self.round % 2 == 1;
            let is_possible = compresses || self.has_toast_table;
            let is_too_long = is_possible && self.hoff + self.desc.data_size(&self.values) > limit;
            match self.biggest(compresses, self.round > 2).filter(|_| is_too_long) {
                None => self.round += 1,
                Some(index) => {
                    let decision = self.treat(index, compresses);
                    if decision.is_some() {
                        return decision;
                    }
                }
            }
        }
        None
    }

    fn treat(&mut self, index: usize, compresses: bool) -> Option<Decision> {
        if !compresses {
            return Some(Decision::Externalize { index });
        }
        self.tried = (self.round == 1).then_some(index);
        if self.storage(index) == 'e' {
            // so that later passes do not compress it; nothing was tried that is worth telling
            self.incompressible[index] = true;
            return self.move_tried();
        }
        let from = self.size(index);
        Some(match compress_value(&self.values[index]) {
            Some(compressed) => {
                self.values[index] = compressed;
                Decision::Compress { index, from, to: self.size(index) }
            }
            None => {
                self.incompressible[index] = true;
                Decision::Incompressible { index }
            }
        })
    }

    /// The value just looked at is moved out at once where it alone is longer than the target.
    fn move_tried(&mut self) -> Option<Decision> {
        let index = self.tried.take()?;
        (self.hoff + self.size(index) > self.target && self.has_toast_table).then_some(Decision::Externalize { index })
    }

    /// `toast_tuple_find_biggest_attribute`: of equal ones the first.
    fn biggest(&self, compresses: bool, main: bool) -> Option<usize> {
        let (mut biggest, mut size) = (None, TOO_SHORT);
        for index in 0..self.values.len() {
            let skipped = self.ignored[index]
                || (compresses && (self.incompressible[index] || is_compressed(&self.values[index])))
                || (self.storage(index) == 'm') != main;
            if !skipped && self.size(index) > size {
                (biggest, size) = (Some(index), self.size(index));
            }
        }
        biggest
    }

    fn storage(&self, index: usize) -> char {
        self.desc.attributes()[index].storage
    }

    /// `VARSIZE_ANY`
    fn size(&self, index: usize) -> usize {
        self.desc.columns[index].varlena_len(&self.values[index])
    }
}

/// `toast_compress_datum` by pglz: the varlena compressed in line; `None` where that saves fewer than three bytes.
#[must_use]
pub fn compress_value(value: &Value) -> Option<Value> {
    let payload = value.plain_bytes()?;
    let compressed = pglz::compress(payload)?;
    let size = compressed.len() + VARHDRSZ_COMPRESSED;
    let mut stored = Vec::with_capacity(size);
    stored.extend_from_slice(&((size as u32) << 2 | 2).to_le_bytes());
    stored.extend_from_slice(&(payload.len() as u32).to_le_bytes());
    stored.extend_from_slice(&compressed);
    (size + 2 < payload.len()).then(|| Value::Stored(stored.into()))
}

/// `VARATT_IS_EXTERNAL`
#[must_use]
pub fn is_external(value: &Value) -> bool {
    matches!(value, Value::Stored(bytes) if bytes.first() == Some(&0x01))
}

/// `VARATT_IS_COMPRESSED`: compressed in line.
#[must_use]
pub fn is_compressed(value: &Value) -> bool {
    matches!(value, Value::Stored(bytes) if bytes.first().is_some_and(|first| first & 3 == 2))
}
