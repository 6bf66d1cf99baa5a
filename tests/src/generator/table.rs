//! What the generator knows of a table: its columns, and keys that may be there.

use super::level::Level;
use super::random::Random;
use super::value::{ALL, Kind};

/// A table of a script.
#[derive(Debug, Clone)]
pub struct Table {
    /// its name
    pub name: String,
    /// columns after the key `a`; the first is an int
    pub columns: Vec<Column>,
    /// is `a` its primary key?
    pub has_key: bool,
    /// is it unlogged?
    pub is_unlogged: bool,
    /// the next key that nobody has used, of each class of keys
    next: Vec<u64>,
}

/// A column.
#[derive(Debug, Clone)]
pub struct Column {
    /// its name
    pub name: String,
    /// its type
    pub kind: Kind,
    /// NOT NULL?
    pub not_null: bool,
    /// the number of the table whose key it refers to
    pub refers: Option<usize>,
}

impl Column {
    /// One that may be NULL and refers to nothing.
    #[must_use]
    pub const fn new(name: String, kind: Kind) -> Self {
        Self { name, kind, not_null: false, refers: None }
    }

    fn definition(&self, tables: &[Table]) -> String {
        let not_null = if self.not_null { " not null" } else { "" };
        let refers = self.refers.map_or(String::new(), |table| format!(" references {}", tables[table].name));
        format!("{} {}{not_null}{refers}", self.name, self.kind.sql())
    }
}

impl Table {
    /// The next table, and the statements that make it. Keys are dealt to `classes`, so that sessions need not meet in
    /// a row.
    pub fn create(tables: &[Self], random: &mut Random, level: Level, classes: usize) -> (Self, Vec<String>) {
        let is_unlogged = level >= Level::EVERYTHING && random.percent(5);
        let mut columns = columns(random, level);
        if level >= Level::EVERYTHING && random.percent(25) {
            let referred = tables.iter().position(|table| table.has_key && table.is_unlogged == is_unlogged);
            columns
                .extend(referred.map(|table| Column { refers: Some(table), ..Column::new("r".to_owned(), Kind::Int) }));
        }
        let has_key = level >= Level::INDEXES && random.percent(70);
        let mut definition = vec![format!("a int{}", if has_key { " primary key" } else { "" })];
        definition.extend(columns.iter().map(|column| column.definition(tables)));
        let with = if level >= Level::TRANSACTIONS && random.percent(50) {
            format!(" with (fillfactor = {})", random.pick(&[10, 50, 70, 80, 90, 95]))
        } else {
            String::new()
        };
        let (name, unlogged) = (format!("t{}", tables.len()), if is_unlogged { "unlogged " } else { "" });
        let mut statements = vec![format!("create {unlogged}table {name} ({}){with}", definition.join(", "))];
        if level >= Level::INDEXES && random.percent(60) {
            statements.push(format!("create index {name}_c0 on {name} (c0)"));
        }
        (Self { name, columns, has_key, is_unlogged, next: vec![0; classes] }, statements)
    }

    /// A key of that class that was not used before.
    pub fn fresh_key(&mut self, class: usize) -> u64 {
        let classes = self.next.len() as u64;
        let key = self.next[class] * classes + class as u64;
        self.next[class] += 1;
        key
    }

    /// `count` keys of that class that were not used before: the first and the distance between two.
    pub fn fresh_keys(&mut self, class: usize, count: u64) -> (u64, u64) {
        let first = self.fresh_key(class);
        self.next[class] += count - 1;
        (first, self.next.len() as u64)
    }

    /// Notes that `count` keys from `first` on are used; the distance between two.
    pub fn use_keys(&mut self, class: usize, first: u64, count: u64) -> u64 {
        let classes = self.next.len() as u64;
        self.next[class] = self.next[class].max(first / classes + count);
        classes
    }

    /// A key of that class that may be there.
    pub fn old_key(&self, class: usize, random: &mut Random) -> u64 {
        random.below(self.next[class]) * self.next.len() as u64 + class as u64
    }

    /// A key of the class for all, an even or an odd one of them.
    pub fn shared_key(&self, parity: u64, random: &mut Random) -> u64 {
        let class = self.next.len() - 1;
        let n = random.below(self.next[class] / 2) * 2 + parity;
        n * self.next.len() as u64 + class as u64
    }

    /// How many classes of keys there are.
    #[must_use]
    pub fn classes(&self) -> usize {
        self.next.len()
    }
}

/// An int, mostly a text, and others.
fn columns(random: &mut Random, level: Level) -> Vec<Column> {
    let count = if level >= Level::TYPES { random.between(1, 5) } else { 2 };
    let column = |n: u64| {
        let kind = match n {
            0 => Kind::Int,
            1 => Kind::Text,
            _ => *random.pick(&ALL),
        };
        let not_null = level >= Level::TYPES && random.percent(8);
        Column { not_null: not_null && n > 1, ..Column::new(format!("c{n}"), kind) }
    };
    (0..count).map(column).collect()
}
