//! Random histories of a table: what SQL did to it before the comparison begins, and what is compared.

/// A small generator of numbers (xorshift64*), so that a run can be repeated.
pub struct Random(u64);

impl Random {
    pub const fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// Less than `limit`.
    pub const fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % limit
    }

    /// Once in so many times.
    pub const fn chance(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }
}

/// A table of a test.
pub struct Table {
    pub name: &'static str,
    pub create: &'static str,
    /// reloption `fillfactor`
    pub fillfactor: Option<u8>,
    /// bytes of its text column at first
    pub width: u32,
    /// rows of an INSERT at most
    pub rows: u64,
    pub indexed: bool,
    pub permanent: bool,
    /// a history of its own, after which both do a VACUUM
    pub opening: &'static [&'static str],
}

impl Table {
    pub const ALL: [Self; 7] = [
        Self::new("plain", "CREATE TABLE plain (id int, n int, s text)", None, 20, 200, false),
        Self::new("keyed", "CREATE TABLE keyed (id int PRIMARY KEY, n int, s text)", None, 100, 150, true),
        Self::new(
            "loose",
            "CREATE TABLE loose (id int PRIMARY KEY, n int, s text) WITH (fillfactor = 70)",
            Some(70),
            300,
            60,
            true,
        ),
        Self::new("wide", "CREATE TABLE wide (id int PRIMARY KEY, n int, s text)", None, 900, 300, true),
        // of 150 pages one has a dead line pointer: VACUUM leaves the indexes alone
        Self {
            opening: &[
                "INSERT INTO large SELECT i, i, repeat('x', 1900) FROM generate_series(1, 600) i",
                "VACUUM large",
                "DELETE FROM large WHERE id = 300",
            ],
            ..Self::new("large", "CREATE TABLE large (id int PRIMARY KEY, n int, s text)", None, 1900, 100, true)
        },
        Self::new("broad", "CREATE TABLE broad (id int, n int, s text)", None, 1500, 150, false),
        Self {
            permanent: false,
            ..Self::new(
                "unlogged",
                "CREATE UNLOGGED TABLE unlogged (id int PRIMARY KEY, n int, s text)",
                None,
                100,
                80,
                true,
            )
        },
    ];

    const fn new(
        name: &'static str,
        create: &'static str,
        fillfactor: Option<u8>,
        width: u32,
        rows: u64,
        indexed: bool,
    ) -> Self {
        Self { name, create, fillfactor, width, rows, indexed, permanent: true, opening: &[] }
    }
}

/// A statement that changes the table, for inside a transaction.
fn change(random: &mut Random, table: &Table) -> String {
    let (t, m) = (table.name, 2 + random.below(9));
    let r = random.below(m);
    match random.below(11) {
        0 | 1 => {
            let (rows, width) = (1 + random.below(table.rows), table.width);
            format!(
                "INSERT INTO {t} SELECT coalesce((SELECT max(id) FROM {t}), 0) + i, i, repeat('x', {width}) \
                 FROM generate_series(1, {rows}) i"
            )
        }
        2 | 3 => format!("UPDATE {t} SET n = n + 1 WHERE id % {m} = {r}"),
        4 => format!("UPDATE {t} SET s = s || 'longer' WHERE id % {m} = {r}"),
        5 => format!("UPDATE {t} SET id = id + 1000000 WHERE id % 17 = {r} AND id < 1000000"),
        6 => format!("DELETE FROM {t} WHERE id % {m} = {r}"),
        7 => format!("DELETE FROM {t} WHERE id > (SELECT max(id) FROM {t}) - {}", random.below(table.rows)),
        8 => format!("DELETE FROM {t} WHERE id = (SELECT min(id) FROM {t}) + {}", random.below(table.rows)),
        9 => format!("UPDATE {t} SET n = n + 1 WHERE id = (SELECT max(id) FROM {t}) - {}", random.below(table.rows)),
        _ => format!("DO $$ BEGIN PERFORM 1 FROM {t} WHERE id % {m} = {r} FOR UPDATE; END $$"),
    }
}

/// Some statements, with transactions that abort wholly or in part.
pub fn random(random: &mut Random, table: &Table) -> Vec<String> {
    let t = table.name;
    let mut history = Vec::new();
    for _ in 0..1 + random.below(6) {
        let mut one = || change(random, table);
        let (a, b) = (one(), one());
        match random.below(10) {
            0 => history.push(format!("BEGIN; {a}; ROLLBACK")),
            1 => history.push(format!("BEGIN; {a}; {b}; COMMIT")),
            2 => history.push(format!("BEGIN; {a}; SAVEPOINT s; {b}; ROLLBACK TO s; COMMIT")),
            3 => history.push(format!("BEGIN; SAVEPOINT s; {a}; RELEASE s; {b}; ROLLBACK")),
            4 => history.push(format!("SELECT count(*) FROM {t}")),
            5 => history.push(format!("VACUUM (TRUNCATE off) {t}")),
            6 if random.chance(3) => history.push(format!("VACUUM (FREEZE) {t}")),
            _ => history.push(a),
        }
    }
    history
}

/// What both servers do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// a sequential scan
    Select,
    Vacuum,
    VacuumFreeze,
    /// `INDEX_CLEANUP off`
    NoCleanup,
    /// `INDEX_CLEANUP on`
    Cleanup,
    NoSkipping,
    NoTruncate,
}

impl Action {
    pub const fn random(random: &mut Random) -> Self {
        match random.below(10) {
            0..=2 => Self::Select,
            3 | 4 => Self::Vacuum,
            5 => Self::VacuumFreeze,
            6 => Self::NoCleanup,
            7 => Self::Cleanup,
            8 => Self::NoSkipping,
            _ => Self::NoTruncate,
        }
    }

    /// The statement.
    pub fn sql(self, table: &str) -> String {
        let options = match self {
            Self::Select => return format!("SELECT count(*) FROM {table}"),
            Self::Vacuum => "",
            Self::VacuumFreeze => "(FREEZE)",
            Self::NoCleanup => "(INDEX_CLEANUP off)",
            Self::Cleanup => "(INDEX_CLEANUP on)",
            Self::NoSkipping => "(DISABLE_PAGE_SKIPPING)",
            Self::NoTruncate => "(TRUNCATE off)",
        };
        format!("VACUUM {options} {table}")
    }
}
