//! Named workloads that reach every type of WAL record, as data: SQL for 13 to 18, in several sessions where one is not
//! enough.
//!
//! ```text
//!  CREATE TABLE t (id int);          session 0
//!  @1 BEGIN;                         session 1, opened when it is first named
//!  14+: INSERT INTO t …;             from that version on; `13: …` for it only, `14-16: …` for these
//!  @1 17+: COMMIT;                   both
//! ```
//!
//! A statement ends with `;` at the end of a line. No statement waits for another session, so one thread runs them all.

mod btree;
mod churn;
mod heap;
mod other;

pub use churn::{Random, churn};

use postgres::Client;
use std::borrow::Cow;

/// Settings of the `Instance` that a workload with [`Needs::Own`] wants; the others run on it as well.
pub const SETTINGS: &str = "wal_level = logical\nmax_prepared_transactions = 4\nmax_replication_slots = 4\n\
    wal_keep_size = 4GB\nmax_wal_size = 8GB\ncheckpoint_timeout = 1d\nbgwriter_lru_maxpages = 0\n\
    track_commit_timestamp = on\nsynchronize_seqscans = off\njit = off\nmax_parallel_maintenance_workers = 0\n\
    timezone = 'UTC'\ndeadlock_timeout = 10s\nwal_sender_timeout = 0";

/// What a workload asks of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    /// any server
    Nothing,
    /// one of its own with [`SETTINGS`]: others would feel it, or it needs `wal_level` logical
    Own,
}

/// SQL with a name.
#[derive(Debug, Clone)]
pub struct Workload {
    /// name, and that of the schema it works in
    pub name: &'static str,
    /// what it asks of the server
    pub needs: Needs,
    script: Cow<'static, str>,
}

/// A statement of a workload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Statement<'a> {
    /// which session runs it
    pub session: usize,
    /// without `;`
    pub sql: &'a str,
}

impl Workload {
    const fn new(name: &'static str, script: &'static str) -> Self {
        Self { name, needs: Needs::Nothing, script: Cow::Borrowed(script) }
    }

    const fn own(name: &'static str, script: &'static str) -> Self {
        Self { name, needs: Needs::Own, script: Cow::Borrowed(script) }
    }

    /// What a server of that version is to run, in order. The first makes the schema.
    pub fn statements(&self, major: u32) -> impl Iterator<Item = Statement<'_>> {
        let statements = self.script.split(";\n").map(str::trim).filter(|text| !text.is_empty());
        statements.filter_map(move |text| statement(text, major))
    }

    /// Runs all of it.
    ///
    /// # Panics
    /// With the statement that the server refuses.
    pub fn run(&self, major: u32, connect: &mut dyn FnMut() -> Client) {
        let mut sessions = Sessions::new(self, connect);
        for statement in self.statements(major) {
            sessions.execute(statement);
        }
    }
}

/// A statement without its prefixes; `None` where it is for other versions.
fn statement(text: &str, major: u32) -> Option<Statement<'_>> {
    let (session, text) = match text.strip_prefix('@') {
        Some(rest) => {
            let (number, rest) = rest.split_once(' ').unwrap_or((rest, ""));
            (number.parse().expect("the number of a session"), rest)
        }
        None => (0, text),
    };
    let (versions, sql) = text.split_once(": ").unwrap_or(("", text));
    let number = |text: &str| text.parse::<u32>().ok();
    let fits = match versions.split_once('-') {
        Some((from, to)) => number(from).zip(number(to)).map(|(from, to)| (from..=to).contains(&major)),
        None => match versions.strip_suffix('+') {
            Some(from) => number(from).map(|from| major >= from),
            None => number(versions).map(|only| major == only),
        },
    };
    match fits {
        None => Some(Statement { session, sql: text }),
        Some(true) => Some(Statement { session, sql }),
        Some(false) => None,
    }
}

/// The connections of a workload that runs.
pub struct Sessions<'a> {
    clients: Vec<Client>,
    connect: &'a mut dyn FnMut() -> Client,
    schema: &'static str,
}

impl<'a> Sessions<'a> {
    /// Opens the first session and makes the workload's schema in it.
    ///
    /// # Panics
    /// Where the server refuses.
    pub fn new(workload: &Workload, connect: &'a mut dyn FnMut() -> Client) -> Self {
        let mut sessions = Self { clients: Vec::new(), connect, schema: workload.name };
        let schema = format!("CREATE SCHEMA {}", workload.name);
        sessions.execute(Statement { session: 0, sql: &schema });
        sessions
    }

    /// The connection of a session, opened where it is not yet.
    ///
    /// # Panics
    /// Where the server refuses.
    pub fn client(&mut self, session: usize) -> &mut Client {
        while self.clients.len() <= session {
            let mut client = (self.connect)();
            client.batch_execute(&format!("SET search_path = {}, public", self.schema)).expect("a setting");
            self.clients.push(client);
        }
        &mut self.clients[session]
    }

    /// Runs a statement.
    ///
    /// # Panics
    /// With the statement, where the server refuses it.
    pub fn execute(&mut self, statement: Statement<'_>) {
        let done = self.client(statement.session).batch_execute(statement.sql);
        done.unwrap_or_else(|error| panic!("{}: {}: {error:?}", self.schema, statement.sql));
    }
}

/// All of them, churn with one seed included.
#[must_use]
pub fn all() -> Vec<Workload> {
    let fixed = [heap::ALL, btree::ALL, other::ALL].concat();
    fixed.into_iter().chain([churn(1, 150)]).collect()
}

/// The one of that name.
///
/// # Panics
/// Where there is none.
#[must_use]
pub fn named(name: &str) -> Workload {
    all().into_iter().find(|workload| workload.name == name).unwrap_or_else(|| panic!("no workload {name}"))
}
