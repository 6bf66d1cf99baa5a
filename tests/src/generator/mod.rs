//! Random scripts: the same for the same seed, and such that they run.
//!
//! ```text
//!  seed, level ─▶ tables ─▶ operations by weight ─▶ statements ─▶ script     a script that fails ─▶ shrink ─▶ tests/scripts/regressions
//!                                 operation.rs       fill.rs, rows.rs, …
//! ```
//!
//! Sessions do not wait for each other: each has keys of its own, and a class of rows that all of them may lock in ways
//! that do not conflict. What is not a row (CREATE INDEX, TRUNCATE) waits until no transaction is open.

mod fill;
mod level;
mod operation;
mod random;
mod rows;
mod schema;
mod shrink;
mod table;
mod transaction;
mod value;

pub use level::Level;
pub use random::Random;
pub use shrink::shrink;

use ffviz_simulator::sql::script::{Item, Script, Statement};
use operation::{Make, Operation, THEMES, Theme, When, explained, operations};
use table::Table;

/// The sessions of a script, in the order in which they come into it.
const SESSIONS: [&str; 3] = ["A", "B", "C"];

/// A script of so many statements besides those that make its tables.
#[must_use]
pub fn script(seed: u64, level: Level, statements: usize) -> Script {
    let mut random = Random::new(seed);
    let sessions = if level >= Level::SESSIONS { random.between(1, SESSIONS.len() as u64) as usize } else { 1 };
    let mut generator = Generator {
        level,
        tables: Vec::new(),
        indexes: Vec::new(),
        sessions: vec![Session::default(); sessions],
        at: 0,
        sequences: Vec::new(),
        themes: Vec::new(),
        random,
        script: Script::default(),
    };
    generator.create_tables();
    generator.create_themes();
    let made = generator.script.items.len();
    while generator.script.items.len() < made + statements {
        generator.step();
    }
    generator.close_all();
    generator.script
}

/// Where a session stands.
#[derive(Debug, Clone, Default)]
struct Session {
    /// in a transaction?
    is_open: bool,
    /// savepoints of it
    savepoints: u64,
}

/// Makes one script.
struct Generator {
    random: Random,
    level: Level,
    tables: Vec<Table>,
    /// names of indexes that were made on the way
    indexes: Vec<String>,
    sessions: Vec<Session>,
    /// the session that is used
    at: usize,
    /// names of sequences
    sequences: Vec<String>,
    /// what it is about besides
    themes: Vec<&'static Theme>,
    script: Script,
}

impl Generator {
    fn push(&mut self, sql: String) {
        self.push_copy(sql, None);
    }

    fn push_copy(&mut self, sql: String, copy_data: Option<String>) {
        let n = self.script.statements().count() as u32 + 1;
        let session = SESSIONS[self.at].to_owned();
        self.script.items.push(Item::Statement(Statement { n, session, sql, copy_data, line: n }));
    }

    fn create_tables(&mut self) {
        let count = if self.level >= Level::SESSIONS { self.random.between(1, 3) } else { 1 };
        // a class of keys for each session, and one for all
        let classes = self.sessions.len() + usize::from(self.sessions.len() > 1);
        for _ in 0..count {
            let (mut table, statements) = Table::create(&self.tables, &mut self.random, self.level, classes);
            statements.into_iter().for_each(|sql| self.push(sql));
            if classes > self.sessions.len() {
                let (first, step) = table.fresh_keys(classes - 1, 20);
                self.push(format!(
                    "insert into {} (a) select g from generate_series({first}, {}, {step}) g",
                    table.name,
                    first + 19 * step
                ));
            }
            self.tables.push(table);
        }
    }

    /// Two or three themes, whose operations come besides the others.
    fn create_themes(&mut self) {
        let count = if self.level >= Level::THEMES { self.random.between(2, 3) } else { 0 };
        for _ in 0..count {
            let theme = self.random.pick(THEMES);
            if !self.themes.iter().any(|other| other.setup == theme.setup) {
                self.themes.push(theme);
                let statements = self.statements(theme.setup);
                statements.into_iter().flatten().for_each(|sql| self.push(sql));
            }
        }
    }

    fn is_any_open(&self) -> bool {
        self.sessions.iter().any(|session| session.is_open)
    }

    /// One operation, perhaps of another session.
    fn step(&mut self) {
        if self.sessions.len() > 1 && self.random.percent(30) {
            self.at = self.random.below(self.sessions.len() as u64) as usize;
        }
        let of_themes = self.themes.iter().flat_map(|theme| theme.operations);
        let possible: Vec<(u64, Make)> = operations()
            .chain(of_themes)
            .filter(|operation| self.may(operation))
            .map(|it| (it.weight, it.make))
            .collect();
        match self.random.weighted(&possible) {
            Make::With(make) => make(self),
            Make::Sql(template) => {
                let statements = self.statements(template);
                statements.into_iter().flatten().for_each(|sql| self.push(sql));
            }
        }
    }

    /// EXPLAIN of what another operation would do.
    fn explain(&mut self) {
        let possible: Vec<(u64, &str)> = explained()
            .filter(|(operation, _)| self.may(operation))
            .map(|(operation, template)| (operation.weight, template))
            .collect();
        let template = self.random.weighted(&possible);
        let costs = if self.level >= Level::THEMES && self.random.percent(60) { "" } else { "(costs off) " };
        let statements = self.statements(template);
        statements.into_iter().flatten().for_each(|sql| self.push(format!("explain {costs}{sql}")));
    }

    fn may(&self, operation: &Operation) -> bool {
        let (is_open, several) = (self.sessions[self.at].is_open, self.sessions.len() > 1);
        self.level >= operation.level
            && match operation.when {
                When::Always => true,
                When::InBlock => is_open,
                When::Outside => !is_open,
                When::Nobody => !self.is_any_open(),
                When::Several => several,
                When::First => several && self.at == 0,
                When::Own => self.at == 0,
            }
    }

    /// Transactions that are open are ended, so that the script's end is the same as that of its transactions.
    fn close_all(&mut self) {
        for at in 0..self.sessions.len() {
            self.at = at;
            if self.sessions[at].is_open {
                self.end();
            }
        }
    }
}
