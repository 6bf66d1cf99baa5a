//! What random scripts do to tables rather than to rows, when no transaction is open; and the settings of a session.

use super::Generator;
use super::statement::Make;
use super::table::Table;
use super::value::Kind;

impl Generator {
    /// Each comes now and then.
    pub(super) const RARE: [Make; 6] = [
        Self::truncate,
        Self::create_index,
        Self::add_column,
        Self::create_table_as,
        Self::set_storage,
        Self::set_parameter,
    ];

    fn truncate(&mut self) {
        let table = self.table();
        self.push(format!("truncate {}", self.tables[table].name));
    }

    /// Plain, of two columns, with a column besides, partial, over an expression.
    fn create_index(&mut self) {
        let (table, n) = (self.table(), self.script.items.len());
        let Table { name, columns, .. } = &self.tables[table];
        let column = columns[0].0.clone();
        let keys = [
            format!("({column})"),
            format!("({column} desc, a)"),
            format!("({column}) include (a)"),
            format!("({column}) where a > 50"),
            "((a % 10))".to_owned(),
            format!("({column}) with (fillfactor = 60)"),
        ];
        let sql = format!("create index {name}_{n} on {name} {}", self.random.pick(&keys));
        self.push(sql);
    }

    fn add_column(&mut self) {
        let table = self.table();
        let n = self.script.items.len();
        let name = self.tables[table].name.clone();
        self.push(format!("alter table {name} add column x{n} int default {n}"));
        self.tables[table].columns.push((format!("x{n}"), Kind::Int));
    }

    fn create_table_as(&mut self) {
        let table = self.table();
        let (n, name) = (self.script.items.len(), self.tables[table].name.clone());
        self.push(format!("create table u{n} as select * from {name}"));
    }

    /// Where long values of a text go.
    fn set_storage(&mut self) {
        let table = self.table();
        let Table { name, columns, .. } = &self.tables[table];
        let Some((column, _)) = columns.iter().find(|(_, kind)| *kind == Kind::Text) else { return self.truncate() };
        let how = *self.random.pick(&["external", "extended", "main"]);
        let sql = format!("alter table {name} alter column {column} set storage {how}");
        self.push(sql);
    }

    fn set_parameter(&mut self) {
        let table = self.table();
        let parameter = *self.random.pick(&["fillfactor = 40", "fillfactor = 100", "toast_tuple_target = 400"]);
        self.push(format!("alter table {} set ({parameter})", self.tables[table].name));
    }

    /// Plans that the planner would not choose.
    pub(super) fn scans(&mut self) {
        let scan = *self.random.pick(&["seqscan", "bitmapscan", "indexscan"]);
        let value = if self.random.percent(60) { "off" } else { "on" };
        self.push(format!("set enable_{scan} = {value}"));
    }

    /// The sequence, of a serial column, is made by whoever wants it first, and never in a transaction that may be rolled back.
    pub(super) fn next_value(&mut self) {
        if !self.has_sequence {
            if self.is_any_open() {
                return self.scans();
            }
            self.has_sequence = true;
            self.push("create table sq (id serial)".to_owned());
        }
        self.push("select nextval('sq_id_seq')".to_owned());
    }
}
