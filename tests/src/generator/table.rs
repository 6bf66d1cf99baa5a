//! What the generator knows of a table: its columns, and keys that may be there.

use super::level::Level;
use super::random::Random;
use super::value::{ALL, Kind};

/// A table of a script.
#[derive(Debug, Clone)]
pub struct Table {
    /// its name
    pub name: String,
    /// columns after the key `a`
    pub columns: Vec<(String, Kind)>,
    /// is `a` its primary key?
    pub has_key: bool,
    /// the next key that nobody has used, of each class of keys
    next: Vec<u64>,
}

impl Table {
    /// A table, and the statements that make it. Keys are dealt to `classes`, so that sessions need not meet in a row.
    pub fn create(name: &str, random: &mut Random, level: Level, classes: usize) -> (Self, Vec<String>) {
        let count = if level.types() { random.between(1, 5) } else { 2 };
        let kind = |random: &mut Random, n: u64| match n {
            0 => Kind::Int,
            1 => Kind::Text,
            _ => *random.pick(&ALL),
        };
        let columns: Vec<(String, Kind)> = (0..count).map(|n| (format!("c{n}"), kind(random, n))).collect();
        let has_key = level.indexes() && random.percent(70);
        let mut definition = vec![format!("a int{}", if has_key { " primary key" } else { "" })];
        definition.extend(columns.iter().map(|(name, kind)| format!("{name} {}", kind.sql())));
        let with = if level.fillfactor() && random.percent(50) {
            format!(" with (fillfactor = {})", random.pick(&[10, 50, 70, 80, 90, 95]))
        } else {
            String::new()
        };
        let unlogged = if level.everything() && random.percent(5) { "unlogged " } else { "" };
        let mut statements = vec![format!("create {unlogged}table {name} ({}){with}", definition.join(", "))];
        if level.indexes() && random.percent(60) {
            let (column, _) = random.pick(&columns[..1]);
            statements.push(format!("create index {name}_{column} on {name} ({column})"));
        }
        (Self { name: name.to_owned(), columns, has_key, next: vec![0; classes] }, statements)
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

    /// A key of that class that may be there.
    pub fn old_key(&self, class: usize, random: &mut Random) -> u64 {
        random.below(self.next[class]) * self.next.len() as u64 + class as u64
    }

    /// How many classes of keys there are.
    #[must_use]
    pub fn classes(&self) -> usize {
        self.next.len()
    }
}
