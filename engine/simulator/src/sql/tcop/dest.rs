//! Rows that come out of a statement become text, as the client gets them (`printtup`,
//! src/backend/access/common/printtup.c). They are kept only where somebody looks, and then the first ones only: a
//! SELECT may give more than there is memory.
//!
//! The first 20 stand beside the last step, 1,000 in a trace. They are told at the statement's end, since until then an
//! error can take them back; a run that makes no steps keeps none.

use alloc::string::String;
use alloc::vec;
use ffviz_format::datum::sql_type::Kind;
use ffviz_format::datum::style::Style;
use ffviz_format::datum::{SqlError, SqlType, Value};
use ffviz_story::timeline::ResultSet;

/// How much is kept of the rows that a statement gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kept {
    /// so many rows
    rows: usize,
    /// none more, once they have so many bytes
    bytes: usize,
    /// so many characters of a value
    width: usize,
    /// in which style times are printed
    style: Style,
}

impl Kept {
    /// The same with times in that style.
    #[must_use]
    pub const fn in_style(self, style: Style) -> Self {
        Self { style, ..self }
    }

    /// What is shown beside a step.
    pub const SHOWN: Self = Self { rows: 20, bytes: usize::MAX, width: 120, style: Style::DEFAULT };
    /// The same, where a variable may become one of the values.
    pub const TAKEN: Self = Self { width: usize::MAX, ..Self::SHOWN };
    /// What a trace has.
    pub const TRACED: Self = Self { rows: 1000, bytes: 1 << 20, width: usize::MAX, style: Style::DEFAULT };
}

/// Where rows go (`DestReceiver`, src/include/tcop/dest.h).
#[derive(Debug)]
pub(in crate::sql) struct DestReceiver {
    kept: Kept,
    bytes: usize,
    set: ResultSet,
}

impl DestReceiver {
    /// For rows of these columns.
    pub fn new(kept: Kept, columns: impl Iterator<Item = (String, SqlType)>) -> Self {
        let (columns, types) = columns.map(|(name, ty)| (name, ty.oid)).unzip();
        Self { kept, bytes: 0, set: ResultSet { columns, types, ..ResultSet::default() } }
    }

    /// Takes a row; gives its number, where it is kept.
    ///
    /// # Errors
    /// A time that the session's zone has no rule for.
    pub fn receive(&mut self, values: &[Value]) -> Result<Option<usize>, SqlError> {
        self.set.count += 1;
        let number = self.set.rows.len();
        if number >= self.kept.rows || self.bytes >= self.kept.bytes {
            return Ok(None);
        }
        self.set.rows.push(vec![None; self.set.columns.len()]);
        for (column, value) in values.iter().enumerate() {
            self.set(number, column, value)?;
        }
        Ok(Some(number))
    }

    /// Writes a value of a row that is kept, as the output function of its type prints it.
    ///
    /// # Errors
    /// As [`Self::receive`].
    pub fn set(&mut self, row: usize, column: usize, value: &Value) -> Result<(), SqlError> {
        let Some(typid) = self.set.types.get(column).copied() else { return Ok(()) };
        let plain = value.detoasted(Kind::of(typid));
        let mut text = plain.map(|value| self.kept.style.output(&value, typid)).transpose()?.flatten();
        if let Some(text) = &mut text {
            cut(text, self.kept.width);
            self.bytes += text.len();
        }
        if let Some(cell) = self.set.rows.get_mut(row).and_then(|row| row.get_mut(column)) {
            *cell = text;
        }
        Ok(())
    }

    /// What was kept.
    pub fn finish(self) -> ResultSet {
        self.set
    }
}

/// At most so many characters.
fn cut(text: &mut String, width: usize) {
    if let Some((at, _)) = text.char_indices().nth(width) {
        text.truncate(at);
        text.push('…');
    }
}
