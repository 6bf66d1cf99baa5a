//! Two traces of one script, a server's and the engine's: what was compared, and what differs.
//!
//! ```text
//!  line by line:  outcome, rows │ ids used │ lengths of files │ pages, field by field │ records, part by part
//! ```
//!
//! Of `pd_checksum` is compared whether there is one: it depends on `pd_lsn`. `pd_lsn` is compared as the record that
//! it is the end of; and as a number where nothing but the statement's own records was written, if both traces say
//! where records are.
//!
//! `pd_lsn` is compared for each relation by itself, since whoever else writes in between (catalogs, a checkpoint) puts
//! records elsewhere.

mod ends;
mod field;
mod order;
mod page;
mod report;
mod rows;
mod wal;

pub use report::{counts as report_counts, json, text};

use crate::volatile::without_times;
use ffviz_format::page::{ForkNumber, PageKind, PgVersion};
use ffviz_live::fence::LeftOut;
use ffviz_simulator::sql::script::Script;
use ffviz_simulator::sql::trace::{ForkTrace, PageTrace, ResumedTrace, StatementTrace, TraceLine};
use order::RecordOrder;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// What was compared and what differs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Comparison {
    /// how much
    pub counts: Counts,
    /// in the script's order
    pub differences: Vec<Difference>,
    /// statements that were not compared, as what they do is not the same twice
    pub not_comparable: Vec<NotComparable>,
    /// statements that were not sent to the server
    pub not_sent: Vec<LeftOut>,
}

/// A statement that was not compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NotComparable {
    /// its number
    pub n: u32,
    /// its text
    pub sql: String,
    /// the function in it that gives other values each time
    pub function: String,
}

/// How much was compared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// statements
    pub statements: u64,
    /// pages that both changed
    pub pages: u64,
    /// their bytes
    pub bytes: u64,
    /// rows that both gave
    pub rows: u64,
    /// WAL records that both wrote
    pub records: u64,
    /// values of `pd_lsn`
    pub lsns: u64,
    /// records whose position in the WAL was compared
    pub positions: u64,
    /// statements whose pages and records were left out, as what they do is not the same twice
    pub left_out: u64,
    /// records that tell of no page: ends of transactions, and TRUNCATE for logical decoding
    pub ends: u64,
    /// invalidation messages in them, which the simulator does not make
    pub messages_left_out: u64,
    /// indexes whose pages and records were left out, as the engine does not simulate them
    pub indexes_left_out: u64,
}

/// One thing that is not equal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// the statement's number; that of the last one before a directive
    pub n: u32,
    /// its text
    pub sql: String,
    /// where: `page t/main:0`, `record 2, Heap/UPDATE`, `length of t/fsm`, `outcome`
    pub place: String,
    /// the field: `tuple 2, t_infomask (bytes 8120 to 8121)`
    pub field: String,
    /// what the server has
    pub server: String,
    /// what the engine has
    pub engine: String,
}

impl Counts {
    /// Was anything compared that could differ?
    #[must_use]
    pub const fn is_something(&self) -> bool {
        self.statements > 0 && self.pages + self.records + self.rows > 0
    }

    /// Adds up.
    pub const fn add(&mut self, other: Self) {
        self.statements += other.statements;
        self.pages += other.pages;
        self.bytes += other.bytes;
        self.rows += other.rows;
        self.records += other.records;
        self.lsns += other.lsns;
        self.positions += other.positions;
        self.left_out += other.left_out;
        self.ends += other.ends;
        self.messages_left_out += other.messages_left_out;
        self.indexes_left_out += other.indexes_left_out;
    }
}

impl Comparison {
    /// Notes that a statement and those after it were not compared, since the engine does not know it.
    pub(super) fn refused(&mut self, n: u32, script: &Script, why: String) {
        let from_there = || script.statements().filter(|statement| statement.n >= n);
        self.counts.left_out += from_there().count() as u64;
        let sql = from_there().map(|statement| statement.sql.clone()).next().unwrap_or_default();
        self.differences.push(Difference {
            n,
            sql,
            place: "outcome".to_owned(),
            field: "simulated".to_owned(),
            server: "yes".to_owned(),
            engine: format!("not simulated: {why}; it and what follows is not compared"),
        });
    }

    /// Why the script was not found equal: a phrase.
    #[must_use]
    pub fn fault(&self) -> Option<&'static str> {
        if !self.is_equal() {
            Some("was not found equal")
        } else if !self.not_sent.is_empty() {
            Some("was not sent as a whole")
        } else {
            None
        }
    }

    /// Something was compared, and all of it is equal.
    #[must_use]
    pub fn is_equal(&self) -> bool {
        self.differences.is_empty() && self.counts.is_something()
    }
}

/// Compares a server's trace with the engine's.
#[must_use]
pub fn compare(server: &[TraceLine], engine: &[TraceLine], version: PgVersion) -> Comparison {
    compare_but(server, engine, version, BTreeMap::new())
}

/// The same without the statements of these numbers, which call such functions, and without the relations that they
/// change, from there on.
#[must_use]
pub fn compare_but(
    server: &[TraceLine],
    engine: &[TraceLine],
    version: PgVersion,
    left_out: BTreeMap<u32, String>,
) -> Comparison {
    let orders = (RecordOrder::of(server), RecordOrder::of(engine));
    let mut relations = indexes_left_out(server, engine);
    let (indexes, has_indexes) = (relations.len() as u64, !relations.is_empty());
    relations.extend(temporary(engine));
    let skipped = Skipped { statements: left_out, has_indexes, relations };
    let found = Comparison::default();
    let waiting = BTreeMap::new();
    let mut comparer = Comparer {
        version,
        orders,
        skipped,
        found,
        n: 0,
        sql: String::new(),
        failed: false,
        is_ahead: false,
        unseen: 0,
        waiting,
    };
    comparer.found.counts.indexes_left_out = indexes;
    for (server, engine) in server.iter().zip(engine) {
        comparer.line(server, engine);
    }
    if server.len() != engine.len() {
        comparer.differs("trace", "lines", server.len(), engine.len());
    }
    comparer.found
}

/// What is not compared.
struct Skipped {
    /// by number, with the function that is the cause
    statements: BTreeMap<u32, String>,
    /// what these statements have changed, and indexes that are not simulated
    relations: BTreeSet<Option<String>>,
    /// are there such indexes? Then the engine's records stand elsewhere
    has_indexes: bool,
}

impl Skipped {
    /// Does the statement name what is not compared?
    fn is_read(&self, sql: &str) -> bool {
        let sql = sql.to_ascii_lowercase();
        let mut words = sql.split(|c: char| !c.is_alphanumeric() && c != '_');
        words.any(|word| self.relations.iter().any(|name| name.as_deref() == Some(word)))
    }
}

/// Errors whose DETAIL is not compared: which of several duplicates a sort meets first depends on how it sorts, and
/// where in the text of a json or an array value the engine gives up it does not tell.
fn is_detail_by_chance(error: Option<&str>) -> bool {
    const BEGINNINGS: [&str; 3] =
        ["could not create unique index", "invalid input syntax for type json", "malformed array literal"];
    error.is_some_and(|error| BEGINNINGS.iter().any(|beginning| error.starts_with(beginning)))
}

/// Is it VACUUM or ANALYZE of everything?
fn is_about_all(sql: &str) -> bool {
    let mut rest = sql.trim_start().to_ascii_lowercase();
    let Some(after) = ["vacuum", "analyze"].iter().find_map(|word| rest.strip_prefix(word)) else { return false };
    rest = match after.trim_start().strip_prefix('(') {
        Some(options) => options.split_once(')').map_or("", |(_, names)| names).to_owned(),
        None => after.to_owned(),
    };
    rest.split_whitespace().all(|word| ["full", "freeze", "verbose", "analyze"].contains(&word))
}

/// Temporary relations: a server has them in buffers of their session alone, and the engine among the others.
fn temporary(engine: &[TraceLine]) -> BTreeSet<Option<String>> {
    let forks = engine.iter().filter_map(|line| match line {
        TraceLine::Statement(statement) => Some(statement.forks.iter().map(|fork| &fork.rel)),
        TraceLine::Directive(_) | TraceLine::Resumed(_) => None,
    });
    let pages = engine.iter().flat_map(TraceLine::pages).map(|page| &page.rel);
    let is_temporary = |rel: &&Option<String>| rel.as_deref().is_some_and(|name| name.starts_with("pg_temp."));
    forks.flatten().chain(pages).filter(is_temporary).cloned().collect()
}

/// The indexes of which the engine shows no page in the whole trace: it does not simulate their pages.
fn indexes_left_out(server: &[TraceLine], engine: &[TraceLine]) -> BTreeSet<Option<String>> {
    let is_index = |page: &&PageTrace| page.fork == ForkNumber::Main && page.page.kind() == PageKind::Btree;
    let shown: BTreeSet<_> = engine.iter().flat_map(TraceLine::pages).map(|page| page.rel.clone()).collect();
    let indexes = server.iter().flat_map(TraceLine::pages).filter(is_index).map(|page| page.rel.clone());
    indexes.filter(|relation| !shown.contains(relation)).collect()
}

/// What is at hand while a line is compared.
struct Comparer {
    version: PgVersion,
    /// which record ends where
    orders: (RecordOrder, RecordOrder),
    skipped: Skipped,
    found: Comparison,
    n: u32,
    sql: String,
    /// did the statement fail?
    failed: bool,
    /// is the simulator ahead in the WAL, as an image was longer there? It does not go back
    is_ahead: bool,
    /// statements that wait, with their text
    waiting: BTreeMap<u32, String>,
    /// transaction ids that a server does not show yet: a subtransaction that is over has no lock any more, and its
    /// transaction is not over
    unseen: u32,
}

impl Comparer {
    fn differs(&mut self, place: &str, field: &str, server: impl ToString, engine: impl ToString) {
        self.found.differences.push(Difference {
            n: self.n,
            sql: self.sql.clone(),
            place: place.to_owned(),
            field: field.to_owned(),
            server: server.to_string(),
            engine: engine.to_string(),
        });
    }

    fn check<T: PartialEq + std::fmt::Debug>(&mut self, place: &str, field: &str, server: &T, engine: &T) {
        if server != engine {
            self.differs(place, field, format!("{server:?}"), format!("{engine:?}"));
        }
    }

    /// Compares what each says of a statement's end.
    fn says(&mut self, field: &str, server: Option<&str>, engine: Option<&str>) {
        if server != engine {
            self.differs("outcome", field, server.unwrap_or("none"), engine.unwrap_or("none"));
        }
    }

    /// Compares how many transaction ids were used.
    fn transaction_ids(&mut self, server: &StatementTrace, engine: &StatementTrace) {
        let used = |trace: &StatementTrace| trace.xid1.wrapping_sub(trace.xid0);
        let (seen, all) = (used(server), used(engine).wrapping_add(self.unseen));
        self.unseen = 0;
        if seen < all && server.ends.is_empty() {
            self.unseen = all - seen;
        } else {
            self.check("transaction ids", "number used", &seen, &all);
        }
    }

    fn line(&mut self, server: &TraceLine, engine: &TraceLine) {
        match (server, engine) {
            (TraceLine::Statement(server), TraceLine::Statement(engine)) => self.statement(server, engine),
            (TraceLine::Directive(server), TraceLine::Directive(engine)) => {
                self.sql = format!("--@ {}", server.directive);
                self.check("directive", "text", &server.directive, &engine.directive);
                self.pages(&server.pages, &engine.pages);
                self.records(&server.wal, &engine.wal, false);
            }
            (TraceLine::Resumed(server), TraceLine::Resumed(engine)) => {
                self.resumed(server, engine);
            }
            (server, engine) => self.differs("trace", "kind of line", kind(server), kind(engine)),
        }
    }

    /// A statement that had waited.
    fn resumed(&mut self, server: &ResumedTrace, engine: &ResumedTrace) {
        self.check("statement that had waited", "number", &server.resumed, &engine.resumed);
        self.says("status of the statement that had waited", server.status.as_deref(), engine.status.as_deref());
        self.says("error of the statement that had waited", server.error.as_deref(), engine.error.as_deref());
        self.says("DETAIL of the statement that had waited", server.detail.as_deref(), engine.detail.as_deref());
        if let Some(sql) = self.waiting.remove(&server.resumed)
            && (&server.status, &server.error) == (&engine.status, &engine.error)
        {
            let place = format!("result of statement {}", server.resumed);
            self.rows(&place, &sql, server.result.as_ref(), engine.result.as_ref());
        }
    }

    fn statement(&mut self, server: &StatementTrace, engine: &StatementTrace) {
        (self.n, self.sql) = (server.n, server.sql.clone());
        if let Some(function) = self.skipped.statements.remove(&server.n) {
            self.found.counts.left_out += 1;
            self.found.not_comparable.push(NotComparable { n: server.n, sql: server.sql.clone(), function });
            self.outcome_only(server, engine);
            let changed = server.pages.iter().chain(&engine.pages).map(|page| page.rel.clone());
            self.skipped.relations.extend(changed);
            return;
        }
        self.found.counts.statements += 1;
        let [told, simulated] = [server, engine].map(|trace| trace.status.as_deref().map(without_times));
        self.says("status", told.as_deref(), simulated.as_deref());
        self.says("error", server.error.as_deref(), engine.error.as_deref());
        if !is_detail_by_chance(server.error.as_deref()) {
            self.says("DETAIL", server.detail.as_deref(), engine.detail.as_deref());
        }
        self.check("outcome", "waiting", &server.waiting, &engine.waiting);
        if (&server.status, &server.error) == (&engine.status, &engine.error) {
            self.rows("result", &server.sql, server.result.as_ref(), engine.result.as_ref());
        }
        if server.waiting {
            self.waiting.insert(server.n, server.sql.clone());
        }
        // without a name a server takes its catalogs too, each in a transaction
        if !is_about_all(&server.sql) {
            self.transaction_ids(server, engine);
        }
        self.lengths(&server.forks, &engine.forks);
        self.pages(&server.pages, &engine.pages);
        // a simulator that was told the server's position begins there
        let begin = engine.start.map_or(server.start.map(|start| start.lsn), |start| Some(start.lsn));
        let is_quiet = server.start.is_some_and(|start| start.quiet && Some(start.lsn) == begin);
        let is_quiet = is_quiet && !self.skipped.has_indexes;
        self.records(&server.wal, &engine.wal, is_quiet);
        self.ends(server, engine);
    }

    /// Of a statement that is not the same twice: whether it failed, how, and what it is. How many rows it took may
    /// differ.
    fn outcome_only(&mut self, server: &StatementTrace, engine: &StatementTrace) {
        let word =
            |trace: &StatementTrace| trace.status.as_deref().and_then(|tag| tag.split(' ').next()).map(str::to_owned);
        self.says("status", word(server).as_deref(), word(engine).as_deref());
        self.says("error", server.error.as_deref(), engine.error.as_deref());
    }

    fn lengths(&mut self, server: &[ForkTrace], engine: &[ForkTrace]) {
        let skipped = &self.skipped.relations;
        let by_file = |forks: &[ForkTrace]| {
            let file = |fork: &ForkTrace| (file_name(fork.rel.as_deref(), fork.fork), fork.blocks);
            let mut by_file: BTreeMap<String, u32> = BTreeMap::new();
            for (name, blocks) in forks.iter().filter(|fork| !skipped.contains(&fork.rel)).map(file) {
                // an index that was made again is one that was dropped, too
                by_file.entry(name).and_modify(|known| *known = blocks.max(*known)).or_insert(blocks);
            }
            by_file
        };
        let (server, engine) = (by_file(server), by_file(engine));
        for file in server.keys().chain(engine.keys().filter(|file| !server.contains_key(*file))) {
            let told = |blocks: Option<&u32>| blocks.map_or("unchanged".to_owned(), ToString::to_string);
            let (server, engine) = (told(server.get(file)), told(engine.get(file)));
            if server != engine {
                self.differs(&format!("length of {file}"), "blocks", server, engine);
            }
        }
    }

    fn pages(&mut self, server: &[PageTrace], engine: &[PageTrace]) {
        let skipped = &self.skipped.relations;
        let by_place = |pages: &[PageTrace]| {
            let entry = |page: &PageTrace| ((page.rel.clone(), page.fork, page.blk), page.page.clone());
            pages.iter().filter(|page| !skipped.contains(&page.rel)).map(entry).collect::<BTreeMap<_, _>>()
        };
        let (server, mut engine) = (by_place(server), by_place(engine));
        for ((rel, fork, blk), theirs) in server {
            match engine.remove(&(rel.clone(), fork, blk)) {
                Some(ours) => self.page(rel.as_deref(), (fork, blk), &theirs, &ours),
                None => {
                    let place = format!("page {}:{blk}", file_name(rel.as_deref(), fork));
                    self.differs(&place, "whole page", "changed", "unchanged");
                }
            }
        }
        for (rel, fork, blk) in engine.into_keys() {
            self.differs(
                &format!("page {}:{blk}", file_name(rel.as_deref(), fork)),
                "whole page",
                "unchanged",
                "changed",
            );
        }
    }
}

fn kind(line: &TraceLine) -> String {
    match line {
        TraceLine::Statement(statement) => format!("statement {}", statement.n),
        TraceLine::Directive(directive) => format!("--@ {}", directive.directive),
        TraceLine::Resumed(resumed) => format!("statement {} goes on", resumed.resumed),
    }
}

/// `t/main`; a relation that nobody knows is `?`.
fn file_name(rel: Option<&str>, fork: ForkNumber) -> String {
    format!("{}/{}", rel.unwrap_or("?"), fork.name())
}
