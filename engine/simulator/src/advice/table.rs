//! A smaller table of the same shape, as SQL: its columns, rows and indexes, and the statements that update it.
//!
//! ```text
//!  row g ─▶ value of a column:  g itself, where all rows differ      (g * 7919) % n, where there are n values
//!           as a number, a uuid or a text of md5(that), by the column's kind
//! ```
//!
//! An UPDATE finds its row by a unique index of the table, whose value can be calculated from the row's number. Where
//! there is none, or the updates change it, the table gets a key of its own.

use super::facts::{Fact, Origin};
use super::pattern::Pattern;
use super::shape::{Index, Kind, Shape};
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// Scatters the values of columns that have fewer than there are rows.
const PRIME: u64 = 7919;
/// Characters of a text that are enough to make it another one than those of all other rows.
const TELLING: u16 = 12;
/// Bytes of a row's columns beyond which values would be compressed or go to a TOAST table: those of the table are as
/// wide as they are kept.
const WIDEST: u32 = 1900;
/// Values that a row of a column whose rows differ goes through before they come again.
const LAPS: u64 = 1000;
/// Bytes of a column that an index takes whole; of a longer one it takes the beginning.
const INDEXED: u16 = 400;

/// The table.
#[derive(Debug, Clone)]
pub(super) struct SimulatedTable<'a> {
    shape: &'a Shape,
    pattern: &'a Pattern,
    rows: u64,
    kinds: Vec<Kind>,
    /// columns that have another value in each row
    differing: BTreeSet<usize>,
    /// by which index rows are found; `None`: by a key of the simulated table's own
    lookup: Option<usize>,
}

impl<'a> SimulatedTable<'a> {
    pub fn new(shape: &'a Shape, pattern: &'a Pattern, rows: u64) -> Self {
        let kinds = narrowed(shape);
        let mut differing: BTreeSet<usize> =
            (0..kinds.len()).filter(|column| values(shape, *column, rows) >= rows).collect();
        differing.retain(|column| tells_rows_apart(kinds[*column]));
        let unique = shape.indexes.iter().filter(|index| is_kept_unique(index, &kinds));
        differing.extend(unique.filter_map(|index| telling(index, &kinds)));
        let changed: BTreeSet<usize> = pattern.changed().collect();
        let finds = |index: &Index| {
            is_kept_unique(index, &kinds)
                && index.method == "btree"
                && !index.keys.iter().any(|key| changed.contains(key))
        };
        let lookup = shape.indexes.iter().position(finds);
        Self { shape, pattern, rows, kinds, differing, lookup }
    }

    /// What is otherwise than in the real table.
    pub fn facts(&self) -> Vec<Fact> {
        let mut facts = Vec::new();
        let mut assumed = |text: String| facts.push(Fact::new(Origin::Assumed, text));
        if self.lookup.is_none() {
            assumed("rows are found by an index of one more bigint column, whose size and WAL are counted: the table has no unique index that the updates leave alone".to_string());
        }
        for index in &self.shape.indexes {
            if index.is_special {
                assumed(format!("{} is simulated without its expressions and its WHERE", index.name));
            }
            if index.method != "btree" && !index.is_summarizing {
                assumed(format!("{} ({}) is simulated as a B-tree", index.name, index.method));
            }
            if index.is_summarizing {
                assumed(format!("{} ({}) is left out", index.name, index.method));
            }
        }
        if self.kinds.iter().zip(&self.shape.columns).any(|(kind, column)| *kind != column.kind) {
            assumed(format!("the longest column is simulated shorter: rows of more than {WIDEST} bytes are not"));
        }
        facts
    }

    /// The statements that make the table.
    pub fn create(&self, fillfactor: u32) -> String {
        let own = if self.lookup.is_none() { ", k bigint" } else { "" };
        let columns: Vec<String> =
            self.kinds.iter().enumerate().map(|(n, kind)| format!("c{n} {}", sql_type(*kind))).collect();
        let values: Vec<String> = (0..self.kinds.len()).map(|column| self.first_value(column)).collect();
        let (columns, values) = (columns.join(", "), values.join(", "));
        let mut sql = format!(
            "CREATE TABLE t ({columns}{own}) WITH (fillfactor = {fillfactor});\n\
             INSERT INTO t SELECT {values}{} FROM generate_series(1, {}) g;\n",
            if own.is_empty() { "" } else { ", g" },
            self.rows
        );
        if !own.is_empty() {
            sql.push_str("CREATE UNIQUE INDEX ON t (k);\n");
        }
        for index in self.shape.indexes.iter().filter(|index| !index.is_summarizing) {
            sql.push_str(&self.index(index));
        }
        sql.push_str("VACUUM ANALYZE t;\nCHECKPOINT;\n");
        sql
    }

    /// The scripts of the updates with their weights; `id` says how the row is chosen.
    pub fn updates(&self, id: &str) -> Vec<(String, u32)> {
        let indexed = (self.pattern.share * 1000.0 + 0.5) as u32;
        let scripts = [(&self.pattern.plain, 1000_u32.saturating_sub(indexed)), (&self.pattern.indexed, indexed)];
        let script = |(columns, weight): (&Vec<usize>, u32)| {
            let set: Vec<String> =
                columns.iter().map(|column| format!("c{column} = {}", self.next_value(*column))).collect();
            let text = format!(
                "\\set id {id}\n\\set step random(1, 1000)\nUPDATE t SET {} WHERE {};\n",
                set.join(", "),
                self.condition()
            );
            (text, weight)
        };
        scripts.into_iter().filter(|(columns, weight)| *weight > 0 && !columns.is_empty()).map(script).collect()
    }

    fn index(&self, index: &Index) -> String {
        let key = |column: &usize| match self.kinds[*column] {
            Kind::Text(width) if width > INDEXED => format!("left(c{column}, {INDEXED})"),
            _ => format!("c{column}"),
        };
        let keys = if index.keys.is_empty() { &index.others } else { &index.keys };
        let is_plain = keys.iter().all(|column| self.kinds[*column].width() <= INDEXED);
        let included: Vec<String> =
            index.others.iter().filter(|_| is_plain && !index.is_special && !index.keys.is_empty()).map(key).collect();
        let unique = if is_kept_unique(index, &self.kinds) { "UNIQUE " } else { "" };
        let include = if included.is_empty() { String::new() } else { format!(" INCLUDE ({})", included.join(", ")) };
        let keys: Vec<String> = keys.iter().map(key).collect();
        if keys.is_empty() {
            String::new()
        } else {
            format!("CREATE {unique}INDEX ON t ({}){include};\n", keys.join(", "))
        }
    }

    /// The value of a column in row `g`.
    fn first_value(&self, column: usize) -> String {
        let value = self.value(column, "g");
        let nulls = (self.shape.columns[column].nulls * 100.0 + 0.5) as u32;
        let is_key = self.lookup.is_some_and(|index| self.shape.indexes[index].keys.contains(&column));
        if nulls == 0 || is_key || self.pattern.changed().any(|changed| changed == column) {
            return value;
        }
        format!("CASE WHEN (g * 7 + {}) % 100 < {nulls} THEN NULL ELSE {value} END", column * 13)
    }

    fn value(&self, column: usize, row: &str) -> String {
        let number = if self.differing.contains(&column) {
            row.to_string()
        } else {
            format!("({row} * {PRIME} % {})", self.values(column))
        };
        match self.kinds[column] {
            Kind::Bool => format!("({number} % 2 = 0)"),
            Kind::Int2 => format!("({number} % 30000)"),
            Kind::Int4 | Kind::Int8 => number,
            Kind::Uuid => format!("md5(({number})::text)::uuid"),
            Kind::Text(width) => text(&format!("({number})::text"), width),
        }
    }

    /// What an UPDATE makes of a value.
    fn next_value(&self, column: usize) -> String {
        let is_indexed = !self.shape.is_hot(column);
        match self.kinds[column] {
            Kind::Bool => format!("NOT c{column}"),
            Kind::Int2 => format!("(c{column} + 1) % 30000"),
            // rows stay apart: what row g has is always g and a multiple of the number of rows
            Kind::Int4 | Kind::Int8 if self.differing.contains(&column) => {
                format!("(c{column} + {}) % {}", self.rows, self.rows * LAPS)
            }
            // always another one
            Kind::Int4 | Kind::Int8 if is_indexed => {
                let values = self.values(column).max(2);
                format!("(c{column} + 1 + :step % {}) % {values}", values - 1)
            }
            Kind::Int4 | Kind::Int8 => format!("c{column} + :step"),
            Kind::Uuid => format!("md5(c{column}::text)::uuid"),
            Kind::Text(width) => text(&format!("c{column}"), width),
        }
    }

    /// WHERE of the row of that number.
    fn condition(&self) -> String {
        let Some(index) = self.lookup else { return "k = :id".to_string() };
        let equals = |column: &usize| {
            let is_number = matches!(self.kinds[*column], Kind::Int4 | Kind::Int8) && self.differing.contains(column);
            let row = if is_number { ":id" } else { "(:id + 0)" };
            format!("c{column} = {}", self.value(*column, row))
        };
        let all: Vec<String> = self.shape.indexes[index].keys.iter().map(equals).collect();
        all.join(" AND ")
    }

    fn values(&self, column: usize) -> u64 {
        values(self.shape, column, self.rows)
    }
}

/// How many values a column has among so many rows: the same number for each as among all.
fn values(shape: &Shape, column: usize, rows: u64) -> u64 {
    /// a table of so many values or fewer has as many however few its rows are
    const FEW: f64 = 50.0;
    let Some(distinct) = shape.columns[column].distinct else { return rows };
    let scaled = distinct * rows as f64 / shape.rows.max(1.0);
    (scaled.max(distinct.min(FEW)) as u64).clamp(1, rows)
}

/// The columns' kinds, the longest text cut where a row would be too long.
fn narrowed(shape: &Shape) -> Vec<Kind> {
    let mut kinds: Vec<Kind> = shape.columns.iter().map(|column| column.kind).collect();
    loop {
        let whole: u32 = kinds.iter().map(|kind| u32::from(kind.width())).sum();
        let Some(over) = whole.checked_sub(WIDEST).filter(|over| *over > 0) else { return kinds };
        let longest = kinds.iter_mut().filter(|kind| matches!(kind, Kind::Text(2..))).max_by_key(|kind| kind.width());
        let Some(longest) = longest else { return kinds };
        let less = u16::try_from(over).unwrap_or(u16::MAX);
        *longest = Kind::Text(longest.width().saturating_sub(less).max(1));
    }
}

fn sql_type(kind: Kind) -> &'static str {
    match kind {
        Kind::Bool => "boolean",
        Kind::Int2 => "smallint",
        Kind::Int4 => "int",
        Kind::Int8 => "bigint",
        Kind::Uuid => "uuid",
        Kind::Text(_) => "text",
    }
}

/// A text that takes so many bytes, by its seed.
fn text(seed: &str, width: u16) -> String {
    let characters = Kind::characters(width);
    let md5 = format!("md5({seed})");
    match characters {
        0 => "''".to_string(),
        32 => md5,
        1..32 => format!("left({md5}, {characters})"),
        _ => format!("left(repeat({md5}, {}), {characters})", characters.div_ceil(32)),
    }
}

/// Can a column of that kind have another value in each row?
fn tells_rows_apart(kind: Kind) -> bool {
    match kind {
        Kind::Int4 | Kind::Int8 | Kind::Uuid => true,
        Kind::Bool | Kind::Int2 => false,
        Kind::Text(width) => Kind::characters(width) >= TELLING,
    }
}

/// The column of an index's keys that tells its rows apart, rather the narrowest.
fn telling(index: &Index, kinds: &[Kind]) -> Option<usize> {
    let all = index.keys.iter().copied().filter(|key| kinds.get(*key).is_some_and(|kind| tells_rows_apart(*kind)));
    all.min_by_key(|key| kinds[*key].width())
}

/// Is the index unique in the simulated table too? Not where that would need what is not simulated.
fn is_kept_unique(index: &Index, kinds: &[Kind]) -> bool {
    let is_narrow = index.keys.iter().all(|key| kinds.get(*key).is_some_and(|kind| kind.width() <= INDEXED));
    index.is_unique && !index.is_special && is_narrow && telling(index, kinds).is_some()
}
