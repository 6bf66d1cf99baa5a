//! Rows that come by INSERT and COPY: a value a column.

use super::Generator;

impl Generator {
    pub(super) fn table(&mut self) -> usize {
        self.random.below(self.tables.len() as u64) as usize
    }

    /// The key, then a value a column.
    fn row(&mut self, table: usize) -> String {
        let mut values = vec![self.tables[table].fresh_key(self.at).to_string()];
        for column in 0..self.tables[table].columns.len() {
            values.push(self.value(table, column));
        }
        format!("({})", values.join(", "))
    }

    pub(super) fn insert(&mut self) {
        let table = self.table();
        let rows: Vec<String> = (0..self.random.between(1, 3)).map(|_| self.row(table)).collect();
        self.push(format!("insert into {} values {}", self.tables[table].name, rows.join(", ")));
    }

    pub(super) fn copy(&mut self) {
        let table = self.table();
        self.copy_into(table, "");
    }

    /// FREEZE is for a table that the same transaction has made or emptied.
    pub(super) fn copy_freeze(&mut self) {
        let table = self.table();
        let name = self.tables[table].name.clone();
        self.push("begin".to_owned());
        self.push(format!("truncate {name}"));
        self.copy_into(table, " with (freeze)");
        let end = if self.random.percent(80) { "commit" } else { "rollback" };
        self.push(end.to_owned());
    }

    fn copy_into(&mut self, table: usize, options: &str) {
        /// the longest value
        const LONGEST: u64 = 600;
        let mut data = String::new();
        for _ in 0..self.random.between(1, 120) {
            let mut fields = vec![self.tables[table].fresh_key(self.at).to_string()];
            for column in 0..self.tables[table].columns.len() {
                let field = self.datum(table, column, LONGEST).map_or("\\N".to_owned(), |it| it.replace('\\', "\\\\"));
                fields.push(field);
            }
            data += &fields.join("\t");
            data.push('\n');
        }
        self.push_copy(format!("copy {} from stdin{options}", self.tables[table].name), Some(data));
    }
}
