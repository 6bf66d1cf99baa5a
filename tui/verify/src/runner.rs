//! Runs a script on a server, statement by statement, and tells what each did.
//!
//! ```text
//!  counters ─▶ send ─▶ ended, or waits ─▶ sessions that waited go on ─▶ counters ─▶ lengths and pages ─▶ a line
//!                                                                                          at the end: WAL
//! ```

use super::host::{Host, Left, TornWrite};
use super::journal::Journal;
use super::observer::Files;
use super::place::Place;
use ffviz_format::page::{Lsn, Oid, TransactionId};
use ffviz_live::Failure;
use ffviz_live::fence::Admitted;
use ffviz_live::script::{Block, Message, Outcome, Sessions, Settled};
use ffviz_live::wal::Facts;
use ffviz_simulator::sql::script::{Directive, Item, Statement, Variables};
use ffviz_simulator::sql::trace::{Counters, DirectiveTrace, ResumedTrace, StatementTrace, TraceLine};
use ffviz_story::timeline::ResultSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// How often the walwriter is looked for.
const GLANCE: Duration = Duration::from_millis(2);
/// When the walwriter has come, even if what is not on disk is an open transaction's and stays so.
const WALWRITER: Duration = Duration::from_millis(300);

/// A run.
pub struct Runner<'a> {
    place: Place,
    host: Option<&'a mut dyn Host>,
    sessions: Sessions,
    files: Files,
    journal: Journal,
    lines: Vec<TraceLine>,
    /// the next transaction id, as far as was seen
    xid: TransactionId,
    /// the last OID that was told
    oid: Oid,
    /// the counters as they were after the last look, if nothing was done since that could move them
    ready: Option<Counters>,
    /// asks to stop
    interrupt: Arc<AtomicBool>,
    /// may transactions end without a flush, as those do that changed unlogged tables only?
    ends_unflushed: bool,
    /// psql's variables
    variables: Variables,
    /// what the last statement gave
    last: Option<ResultSet>,
}

/// What a run gave.
#[derive(Debug)]
pub struct ServerRun {
    /// a line a statement, and those of directives
    pub lines: Vec<TraceLine>,
    /// OID of the database that it ran in
    pub database: Oid,
    /// what other clients wrote meanwhile; where there is something, the trace is not the script's alone
    pub foreign: Vec<String>,
}

impl<'a> Runner<'a> {
    /// A run in a place.
    #[must_use]
    pub fn new(place: Place, host: Option<&'a mut dyn Host>, interrupt: Arc<AtomicBool>) -> Self {
        let journal = Journal::new(place.database);
        Self {
            place,
            host,
            sessions: Sessions::default(),
            files: Files::default(),
            journal,
            lines: Vec::new(),
            xid: 0,
            oid: 0,
            ready: None,
            interrupt,
            ends_unflushed: false,
            variables: Variables::default(),
            last: None,
        }
    }

    /// Runs the script; cleans up, whatever happens.
    ///
    /// # Errors
    /// A sentence: what the server says to ffviz itself. What it says to the script is in the trace.
    pub async fn run(mut self, script: &Admitted) -> Result<ServerRun, Failure> {
        let outcome = self.items(script).await;
        if outcome.is_err() {
            self.stop().await;
        }
        let Self { place, sessions, lines, journal, .. } = self;
        drop(sessions);
        let database = place.database;
        let cleaned = place.clean().await;
        match (outcome, cleaned) {
            (Ok(()), Ok(())) => Ok(ServerRun { lines, database, foreign: journal.foreign }),
            (Err(failure), Err(left)) => Err(Failure::new(failure.kind, format!("{failure}; and {left}"))),
            (Err(failure), Ok(())) | (Ok(()), Err(failure)) => Err(failure),
        }
    }

    /// Nothing of the script goes on: what was made could not be dropped while it does.
    async fn stop(&mut self) {
        // where the connection is lost, so is that to the script's sessions
        let _ = self.place.cancel(&self.sessions).await;
    }

    async fn items(&mut self, admitted: &Admitted) -> Result<(), Failure> {
        let script = admitted.script();
        self.files = self.place.observer.files().await?;
        self.journal.learn_catalogs(&self.place.session).await?;
        self.ends_unflushed = script.statements().any(|it| it.sql.to_ascii_lowercase().contains("unlogged"));
        for item in &script.items {
            match item {
                Item::Statement(_) if self.variables.skips() => {}
                Item::Statement(statement) => match admitted.with_variables(statement, &self.variables) {
                    Some(sent) => self.statement(&sent).await?,
                    None => self.statement(statement).await?,
                },
                Item::Directive { directive, .. } => self.directive(directive).await?,
            }
        }
        self.read_wal().await
    }

    /// Everything that was written so far is put on disk, and into the trace.
    async fn read_wal(&mut self) -> Result<(), Failure> {
        self.place.flush_wal().await?;
        self.journal.read(&self.place.session, &mut self.place.pace, &mut self.lines).await
    }

    async fn statement(&mut self, statement: &Statement) -> Result<(), Failure> {
        let name = &statement.session;
        if self.sessions.get(name).is_none() {
            self.ready = None;
            let session = self.place.open_session().await?;
            self.sessions.insert(name.clone(), session);
        }
        if let Some(waiting) = self.sessions.running(name) {
            return Err(format!(
                "line {}: session {name} still waits for a lock in statement {}; it can run nothing until another session lets it",
                statement.line, waiting.n
            )
            .into());
        }
        let loaded = if statement.sql.contains("pg_reload_conf") {
            self.ready = None;
            Some(self.place.load_time().await?)
        } else {
            None
        };
        let start = match self.ready.take() {
            Some(counters) => counters,
            None => self.counters().await?,
        };
        if let Some(session) = self.sessions.get_mut(name) {
            session.start(statement);
        }
        self.settle().await?;
        let mut trace = StatementTrace {
            n: statement.n,
            session: name.clone(),
            sql: statement.sql.clone(),
            xid0: start.xid,
            start: Some(start),
            ..StatementTrace::default()
        };
        let resumed = self.take_outcomes(&mut trace).await;
        if let Some(before) = loaded.filter(|_| trace.status.is_some()) {
            self.place.wait_for_reload(&before).await?;
        }
        if self.ends_unflushed && self.sessions.get(name).is_some_and(|session| session.block == Block::None) {
            self.wait_for_walwriter().await?;
        }
        self.last.clone_from(&trace.result);
        let end = self.look(&mut trace).await?;
        self.journal.span(self.lines.len(), start.lsn, end.lsn);
        self.lines.push(TraceLine::Statement(trace));
        self.lines.extend(resumed.into_iter().map(TraceLine::Resumed));
        Ok(())
    }

    async fn counters(&mut self) -> Result<Counters, Failure> {
        let counters = self.place.observer.counters().await?;
        Ok(self.note(counters))
    }

    /// A subtransaction that was released holds no lock any more, and its id is still used.
    fn note(&mut self, counters: Counters) -> Counters {
        self.xid = self.xid.max(counters.xid);
        Counters { xid: self.xid, ..counters }
    }

    /// Waits until every session is at the end of its statement, or waits for a lock.
    async fn settle(&mut self) -> Result<(), Failure> {
        let began = Instant::now();
        loop {
            match self.place.wait_for(&self.sessions, began, &self.interrupt).await? {
                Settled::Quiet => return Ok(()),
                Settled::Busy => {}
                Settled::Interrupted => {
                    return Err("stopped; what was made on the server is dropped".to_owned().into());
                }
            }
        }
    }

    /// Until a commit is on disk no hint bit tells of it, nor of any that shares its group of 32 xids. The simulator
    /// knows no time and takes the walwriter, which comes several times a second, to have come.
    async fn wait_for_walwriter(&self) -> Result<(), Failure> {
        let began = Instant::now();
        while began.elapsed() < WALWRITER && !self.place.observer.is_flushed().await? {
            sleep(GLANCE).await;
        }
        Ok(())
    }

    /// The outcome of the statement itself; lines for those that had waited.
    async fn take_outcomes(&mut self, trace: &mut StatementTrace) -> Vec<ResumedTrace> {
        let mut resumed = Vec::new();
        trace.waiting = true;
        for (name, statement, outcome) in self.sessions.finished().await {
            let line = ended(statement.n, &name, outcome);
            if statement.n == trace.n {
                trace.waiting = false;
                (trace.status, trace.error, trace.detail) = (line.status, line.error, line.detail);
                (trace.hint, trace.position) = (line.hint, line.position);
                (trace.sqlstate, trace.result) = (line.sqlstate, line.result);
            } else {
                resumed.push(line);
            }
        }
        resumed
    }

    /// Lengths and pages that are otherwise than before. Gives the counters at the statement's end.
    async fn look(&mut self, trace: &mut StatementTrace) -> Result<Counters, Failure> {
        let own =
            self.sessions.get(&trace.session).filter(|session| session.changed_catalog && session.block == Block::Open);
        let observer = &self.place.observer;
        let (end, files, ready) = if let Some(session) = own {
            (observer.counters().await?, observer.files_within(&session.client).await?, None)
        } else {
            // one round trip, in which the server does them in this order
            let (end, files, ready) = tokio::join!(biased; observer.counters(), observer.files(), observer.counters());
            (end?, files?, Some(ready?))
        };
        let end = self.note(end);
        self.ready = ready.map(|counters| self.note(counters));
        trace.xid1 = end.xid;
        let hidden = self.sessions.all().any(|session| session.changed_catalog);
        let before = std::mem::replace(&mut self.files, files);
        self.files.complete(&before, hidden);
        self.journal.learn(self.lines.len(), self.files.names());
        trace.pages = self.files.changed_pages(&before);
        trace.forks = self.files.changed_forks(&before);
        if let Some(start) = &mut trace.start {
            // a value too: ANALYZE may have used OIDs up for long values of its statistics
            let values = self.files.new_values(&before).into_iter().filter(|oid| *oid > self.oid);
            start.oid = self.files.first_new_oid(&before).into_iter().chain(values).min();
            self.oid = self.oid.max(start.oid.unwrap_or_default());
        }
        Ok(end)
    }

    async fn directive(&mut self, directive: &Directive) -> Result<(), Failure> {
        self.ready = None;
        match directive {
            Directive::Crash => self.crash(directive, Left::Wal).await,
            Directive::CrashTorn { rel, block, bytes } => {
                let torn = self.torn(rel, *block, *bytes).await?;
                self.crash(directive, Left::Torn(torn)).await
            }
            Directive::CrashBefore { kind } => {
                let start = self.last_record(kind).await?;
                self.crash(directive, Left::WalUpTo(start)).await
            }
            Directive::Set { name, value } => self.place.set(name, value).await,
            Directive::Psql(command) => {
                self.variables.follow_run(command, self.last.as_ref());
                Ok(())
            }
            // a server's own counters count
            Directive::Lsn(_)
            | Directive::Xid(_)
            | Directive::Oid(_)
            | Directive::MultiXact(_)
            | Directive::Redo(_) => Ok(()),
        }
    }

    /// What a torn write leaves in the file.
    async fn torn(&self, rel: &str, block: u32, bytes: u16) -> Result<TornWrite, Failure> {
        let (oid, page) =
            self.files.page(rel, block).ok_or_else(|| format!("--@ crash torn: {rel} has no block {block}"))?;
        let page = self.place.as_written(page, block);
        let path = self.place.path(oid).await?;
        Ok(TornWrite { path, offset: u64::from(block) * 8192, bytes: page.bytes()[..usize::from(bytes)].to_vec() })
    }

    /// Where the last record of a type starts.
    async fn last_record(&mut self, kind: &str) -> Result<Lsn, Failure> {
        self.read_wal().await?;
        let records = self.lines.iter().rev().filter_map(|line| match line {
            TraceLine::Statement(StatementTrace { wal, .. }) | TraceLine::Directive(DirectiveTrace { wal, .. }) => {
                Some(wal)
            }
            TraceLine::Resumed(_) => None,
        });
        let found = records.flat_map(|wal| wal.iter().rev()).find(|wal| wal.kind == kind);
        let start = found.and_then(|wal| wal.record.as_ref()).map(|record| record.start);
        start.ok_or_else(|| format!("--@ crash before: no {kind} was written").into())
    }

    async fn crash(&mut self, directive: &Directive, left: Left) -> Result<(), Failure> {
        self.read_wal().await?;
        let host = self.host.as_mut().ok_or_else(|| "--@ crash needs a server of one's own".to_owned())?;
        self.sessions = Sessions::default();
        host.crash(left)?;
        // what had an id of which nothing is in the WAL gives it back
        self.xid = 0;
        self.place.reconnect().await?;
        let files = self.place.observer.files().await?;
        let before = std::mem::replace(&mut self.files, files);
        self.files.complete(&before, false);
        self.journal.learn(self.lines.len(), self.files.names());
        let pages = self.files.changed_pages(&before);
        let trace = DirectiveTrace { directive: directive.to_string(), pages, wal: Vec::new() };
        // recovery ends with a checkpoint; before it may come what a crash has cut off
        let begin = Facts::ask(&self.place.session).await?.redo;
        let end = self.counters().await?.lsn;
        self.journal.span(self.lines.len(), begin, end);
        self.lines.push(TraceLine::Directive(trace));
        Ok(())
    }
}

fn ended(resumed: u32, session: &str, outcome: Outcome) -> ResumedTrace {
    let trace = ResumedTrace { resumed, session: session.to_owned(), ..ResumedTrace::default() };
    match outcome {
        Ok((status, result)) => ResumedTrace { status: Some(status), result, ..trace },
        Err(Message { message, detail, hint, sqlstate, position }) => {
            let position = position.map(|position| position as u32);
            ResumedTrace { error: Some(message), detail, hint, position, sqlstate, ..trace }
        }
    }
}
