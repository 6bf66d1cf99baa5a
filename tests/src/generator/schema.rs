//! Indexes, columns and sequences of random scripts: what the generator has to remember, so that it can name them
//! again.

use super::Generator;
use super::table::Column;
use super::value::Kind;

/// What indexes are made of; `{c}` is a column.
const INDEXES: [&str; 12] = [
    "({c})",
    "({c})",
    "({c} desc, a)",
    "(a, {c} nulls first)",
    "({c}) include (a)",
    "({c}) where a > 50",
    "((a % 10))",
    "({c}) with (fillfactor = 60)",
    "({c}) with (deduplicate_items = off)",
    "(c0, {c})",
    "(c0) where {c} is not null",
    "(a desc)",
];

/// What columns are added.
const COLUMNS: [(&str, Kind); 5] = [
    ("int default 7", Kind::Int),
    ("bigint not null default 5", Kind::BigInt),
    ("int", Kind::Int),
    ("text default 'abc'", Kind::Text),
    ("timestamp", Kind::Timestamp),
];

/// Options of sequences that contradict each other.
const REFUSED: [&str; 4] =
    [" maxvalue -30 minvalue -20", " minvalue 7 start 3", " increment 0", " as smallint maxvalue 40000"];

impl Generator {
    pub(super) fn create_index(&mut self) {
        let (table, n) = (self.table(), self.script.items.len());
        let name = self.tables[table].name.clone();
        let of = self.tables[table].columns.iter().filter(|column| column.kind.is_key());
        let columns: Vec<String> = of.map(|column| column.name.clone()).collect();
        let column = self.random.pick(&columns).clone();
        let how = self.random.pick(&INDEXES).replace("{c}", &column);
        let (unique, how) = match self.random.below(12) {
            0 => ("unique ", "(a)".to_owned()),
            1 => ("", format!("using brin ({column})")),
            _ => ("", how),
        };
        self.push(format!("create {unique}index {name}_{n} on {name} {how}"));
        self.indexes.push(format!("{name}_{n}"));
    }

    pub(super) fn drop_index(&mut self) {
        if self.indexes.is_empty() {
            return self.create_index();
        }
        let at = self.random.below(self.indexes.len() as u64) as usize;
        let index = self.indexes.swap_remove(at);
        self.push(format!("drop index {index}"));
    }

    pub(super) fn reindex(&mut self) {
        let table = self.table();
        let name = self.tables[table].name.clone();
        if self.tables[table].has_key && self.random.percent(50) {
            self.push(format!("reindex index {name}_pkey"));
        } else {
            self.push(format!("reindex table {name}"));
        }
    }

    pub(super) fn add_column(&mut self) {
        let (table, n) = (self.table(), self.script.items.len());
        let (definition, kind) = *self.random.pick(&COLUMNS);
        self.push(format!("alter table {} add column x{n} {definition}", self.tables[table].name));
        let not_null = definition.contains("not null");
        self.tables[table].columns.push(Column { not_null, ..Column::new(format!("x{n}"), kind) });
    }

    /// Any but the key and `c0`.
    pub(super) fn drop_column(&mut self) {
        let table = self.table();
        let last = self.tables[table].columns.len() as u64 - 1;
        if last == 0 {
            return self.add_column();
        }
        let at = self.random.between(1, last) as usize;
        let column = self.tables[table].columns.remove(at);
        self.push(format!("alter table {} drop column {}", self.tables[table].name, column.name));
    }

    /// A sequence, of a serial column or of its own; one in ten is refused.
    pub(super) fn create_sequence(&mut self) {
        let n = self.script.items.len();
        if self.random.percent(10) {
            let options = *self.random.pick(&REFUSED);
            return self.push(format!("create sequence q{n}{options}"));
        }
        if self.random.percent(20) {
            self.push(format!("create table sq{n} (id serial)"));
            return self.sequences.push(format!("sq{n}_id_seq"));
        }
        let mut options = format!("increment {}", self.random.pick(&[1, 1, 3, 1000, -1, -7]));
        if self.random.percent(60) {
            let (least, range) = (self.random.below(50) as i64 - 25, self.random.between(1, 200));
            options += &format!(" minvalue {least} maxvalue {}", least + range as i64);
            if self.random.percent(50) {
                options += &format!(" start {}", least + self.random.below(range) as i64);
            }
        }
        if self.random.percent(40) {
            options += " cycle";
        }
        self.push(format!("create sequence q{n} {options}"));
        self.sequences.push(format!("q{n}"));
    }
}
