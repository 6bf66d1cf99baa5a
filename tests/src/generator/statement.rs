//! The statements of random scripts, and how often each comes.

use super::Generator;
use super::table::Table;

/// What makes a statement.
pub(super) type Make = fn(&mut Generator);

impl Generator {
    /// What may come, by weight.
    pub(super) fn choices(&self) -> Vec<(u64, Make)> {
        let (level, is_open) = (self.level, self.sessions[self.at].is_open);
        let mut choices: Vec<(u64, Make)> = vec![
            (20, Self::insert),
            (10, Self::insert_many),
            (25, Self::update),
            (5, Self::update_many),
            (8, Self::delete),
            (12, Self::select),
        ];
        if level.vacuum() {
            choices.push((4, Self::checkpoint));
            choices.extend((!is_open).then_some((6, Self::vacuum as Make)));
        }
        if level.transactions() {
            choices.push((5, Self::lock_rows));
            choices.push(if is_open { (10, Self::end) } else { (10, Self::begin) });
            choices.extend(is_open.then_some((6, Self::savepoint as Make)));
        }
        if level.types() {
            choices.push((5, Self::copy));
        }
        if level.indexes() {
            choices.push((3, Self::insert_on_conflict));
        }
        if level.everything() {
            choices.extend([(1, Self::scans as Make), (2, Self::next_value)]);
        }
        if level.sessions() && self.sessions.len() > 1 {
            choices.push((4, Self::lock_shared_rows));
        }
        if level.everything() && !self.is_any_open() {
            choices.extend(Self::RARE.map(|make| (1, make)));
        }
        choices
    }

    pub(super) fn table(&mut self) -> usize {
        self.random.below(self.tables.len() as u64) as usize
    }

    /// A literal of a column's type, or NULL.
    fn value(&mut self, table: usize, column: usize) -> String {
        let kind = self.tables[table].columns[column].1;
        if self.level.vacuum() && self.random.percent(12) {
            return "null".to_owned();
        }
        let longest = self.longest(table);
        kind.literal(&mut self.random, longest)
    }

    /// Longest text of a table's column, so that a row fits on a page where there is no TOAST.
    fn longest(&self, table: usize) -> u64 {
        self.level.longest_text() / self.tables[table].columns.len().max(1) as u64 * 2
    }

    /// The key, then a value a column.
    fn row(&mut self, table: usize, key: u64) -> String {
        let values: Vec<String> =
            (0..self.tables[table].columns.len()).map(|column| self.value(table, column)).collect();
        format!("({key}, {})", values.join(", "))
    }

    fn insert(&mut self) {
        let table = self.table();
        let rows: Vec<String> = (0..self.random.between(1, 3))
            .map(|_| {
                let key = self.tables[table].fresh_key(self.at);
                self.row(table, key)
            })
            .collect();
        self.push(format!("insert into {} values {}", self.tables[table].name, rows.join(", ")));
    }

    /// Rows that are alike, from `generate_series`.
    fn insert_many(&mut self) {
        let table = self.table();
        let count = self.random.between(2, 60);
        let (first, step) = self.tables[table].fresh_keys(self.at, count);
        let last = first + (count - 1) * step;
        let name = self.tables[table].name.clone();
        let value = self.value(table, 1.min(self.tables[table].columns.len() - 1));
        let column = self.tables[table].columns.len().min(2) - 1;
        let filler: String = (0..column).map(|_| ", g % 7").collect();
        let names: Vec<String> =
            self.tables[table].columns.iter().take(column + 1).map(|(name, _)| name.clone()).collect();
        self.push(format!(
            "insert into {name} (a, {}) select g{filler}, {value} from generate_series({first}, {last}, {step}) g",
            names.join(", ")
        ));
    }

    fn insert_on_conflict(&mut self) {
        let table = self.table();
        if !self.tables[table].has_key {
            return self.insert();
        }
        let key = self.tables[table].old_key(self.at, &mut self.random);
        let row = self.row(table, key);
        let Table { name, columns, .. } = &self.tables[table];
        let (name, first) = (name.clone(), columns[0].0.clone());
        let action = if self.random.percent(50) {
            "nothing".to_owned()
        } else {
            format!("update set {first} = excluded.{first}")
        };
        self.push(format!("insert into {name} values {row} on conflict (a) do {action}"));
    }

    /// Rows of this session's class: one, or some; in a condition that a table's size does not change.
    fn condition(&mut self, table: usize, one: bool) -> String {
        let key = self.tables[table].old_key(self.at, &mut self.random);
        if one {
            return format!("a = {key}");
        }
        let (classes, class) = (self.tables[table].classes(), self.at);
        let own = if classes > 1 { format!("a % {classes} = {class} and ") } else { String::new() };
        match self.random.below(3) {
            0 => format!("{own}a between {key} and {}", key + self.random.between(3, 60)),
            1 => {
                let divisor = self.random.between(2, 9);
                format!("{own}a / {classes} % {divisor} = {}", self.random.below(divisor))
            }
            _ => format!("{own}a >= {key}"),
        }
    }

    fn assignment(&mut self, table: usize) -> String {
        let column = self.random.below(self.tables[table].columns.len() as u64) as usize;
        let name = self.tables[table].columns[column].0.clone();
        if column == 0 && self.random.percent(60) {
            return format!("{name} = {name} + 1");
        }
        let value = self.value(table, column);
        format!("{name} = {value}")
    }

    fn update(&mut self) {
        let table = self.table();
        let (set, condition) = (self.assignment(table), self.condition(table, true));
        self.push(format!("update {} set {set} where {condition}", self.tables[table].name));
    }

    fn update_many(&mut self) {
        let table = self.table();
        let (set, condition) = (self.assignment(table), self.condition(table, false));
        self.push(format!("update {} set {set} where {condition}", self.tables[table].name));
    }

    fn delete(&mut self) {
        let table = self.table();
        let one = self.random.percent(60);
        let condition = self.condition(table, one);
        self.push(format!("delete from {} where {condition}", self.tables[table].name));
    }

    fn select(&mut self) {
        let table = self.table();
        let one = self.random.percent(50);
        let condition = self.condition(table, one);
        let name = self.tables[table].name.clone();
        let sql = match self.random.below(4) {
            0 => format!("select count(*) from {name}"),
            1 => format!("select count(*) from {name} where {condition}"),
            2 => format!("select a from {name} where {condition} order by a limit 5"),
            _ => format!("select * from {name} where {condition}"),
        };
        self.push(sql);
    }

    /// Rows of this session's own class, in any mode.
    fn lock_rows(&mut self) {
        let table = self.table();
        let mode = *self.random.pick(&["update", "no key update", "share", "key share"]);
        let one = self.random.percent(70);
        let condition = self.condition(table, one);
        self.push(format!("select a from {} where {condition} for {mode}", self.tables[table].name));
    }

    /// Rows of the class for all: locks that do not conflict, and updates of one session that do not conflict with them.
    fn lock_shared_rows(&mut self) {
        let table = self.table();
        let class = self.sessions.len();
        let key = self.tables[table].old_key(class, &mut self.random);
        let name = self.tables[table].name.clone();
        if self.at == 0 && self.random.percent(30) {
            self.push(format!("update {name} set c0 = 1 where a = {key}"));
        } else {
            self.push(format!("select a from {name} where a = {key} for key share"));
        }
    }

    fn copy(&mut self) {
        let table = self.table();
        let mut data = String::new();
        for _ in 0..self.random.between(1, 120) {
            let mut fields = vec![self.tables[table].fresh_key(self.at).to_string()];
            for column in 0..self.tables[table].columns.len() {
                let kind = self.tables[table].columns[column].1;
                let longest = self.longest(table).min(600);
                let is_null = self.random.percent(10);
                let plain = kind.plain(&mut self.random, longest).replace('\\', "\\\\");
                fields.push(if is_null { "\\N".to_owned() } else { plain });
            }
            data += &fields.join("\t");
            data.push('\n');
        }
        self.push_copy(format!("copy {} from stdin", self.tables[table].name), Some(data));
    }

    fn checkpoint(&mut self) {
        self.push("checkpoint".to_owned());
    }

    fn vacuum(&mut self) {
        let table = self.table();
        let simple = ["vacuum", "vacuum (freeze)"];
        let all = [
            "vacuum",
            "vacuum (freeze)",
            "vacuum (index_cleanup off)",
            "vacuum (disable_page_skipping)",
            "vacuum (analyze)",
            "vacuum (truncate off)",
            "vacuum (index_cleanup on)",
            "vacuum (freeze, disable_page_skipping)",
            "analyze",
        ];
        let choices: &[&str] = if self.level.everything() { &all } else { &simple };
        let how = *self.random.pick(choices);
        // it would try for five seconds to get the lock that lets it shorten the file
        let how = if self.is_any_open() && how != "analyze" { "vacuum (truncate off)" } else { how };
        self.push(format!("{how} {}", self.tables[table].name));
    }

    fn begin(&mut self) {
        let how =
            if self.level.sessions() && self.random.percent(25) { " isolation level repeatable read" } else { "" };
        self.push(format!("begin{how}"));
        self.sessions[self.at].is_open = true;
        self.sessions[self.at].savepoints = 0;
    }

    pub(super) fn end(&mut self) {
        let how = if self.random.percent(65) { "commit" } else { "rollback" };
        self.push(how.to_owned());
        self.sessions[self.at].is_open = false;
    }

    fn savepoint(&mut self) {
        let known = self.sessions[self.at].savepoints;
        if known == 0 || self.random.percent(50) {
            self.push(format!("savepoint s{known}"));
            self.sessions[self.at].savepoints += 1;
            return;
        }
        let at = self.random.below(known);
        if self.random.percent(60) {
            self.push(format!("rollback to s{at}"));
            self.sessions[self.at].savepoints = at + 1;
        } else {
            self.push(format!("release s{at}"));
            self.sessions[self.at].savepoints = at;
        }
    }
}
