//! A server on which a workload runs: sessions in a database of their own, which is dropped at the end.

use super::count::Counter;
use crate::failure::Failure;
use crate::fence::{Errand, Walled};
use crate::runtime;
use crate::script::{Eyes, Ground, Outcome, Place, Sessions, Settled};
use ffviz_format::page::{ForkNumber, Page, PgVersion};
use ffviz_format::state::State;
use ffviz_simulator::experiment::{RealServer, Workload};
use ffviz_simulator::pgbench::{BenchScript, Protocol, Statements};
use ffviz_simulator::sql::script::{FIRST_SESSION, Item, Script, Statement};
use ffviz_story::timeline::{RelationSize, Sample, Samples, Usage, WalUsage};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::runtime::Runtime;
use tokio::time::Instant;

/// Errors that end a transaction, and not a run: serialization failures, deadlocks, and what comes after them in it.
const GOES_ON: [&str; 3] = ["40001", "40P01", "25P02"];
/// For how long it is not asked who waits for whom: a deadlock is found a statement later.
const PATIENCE: Duration = Duration::from_millis(10);

/// A place on a server, and what was counted there so far.
pub struct WorkloadServer {
    runtime: Runtime,
    /// nothing, once it was dropped
    place: Option<Place>,
    sessions: Sessions,
    /// statements of sessions that still wait for a lock in one before: of those that wait for the same row any may be
    /// the next on a server, whoever it is in the simulator
    queued: Vec<(Statement, String)>,
    counter: Counter,
    interrupt: Arc<AtomicBool>,
    server_wide: bool,
    /// statements that were sent
    sent: u32,
    /// what was counted
    pub samples: Samples,
}

impl WorkloadServer {
    /// Connects, and makes the place; `told` is given how it would be dropped by hand, and what earlier runs have left.
    ///
    /// # Errors
    /// A sentence.
    pub fn open(
        conninfo: &str,
        server_wide: bool,
        interrupt: Arc<AtomicBool>,
        told: &mut dyn FnMut(String),
    ) -> Result<Self, String> {
        let runtime = runtime()?;
        let opened: Result<_, Failure> = runtime.block_on(async {
            let ground = Ground::find(conninfo).await?;
            ground.leftovers().await?.into_iter().for_each(&mut *told);
            // in somebody's database the WAL of others' tables could not be told from the workload's
            ground.has_own_database()?;
            let place = Place::make(ground, server_wide).await?;
            told(format!("should it be killed, what is left is dropped by: {}", place.how_to_drop()));
            match Counter::begin(&place).await {
                Ok(counter) => Ok((place, counter)),
                Err(failure) => place.clean().await.and(Err(failure)),
            }
        });
        let (place, counter) = opened.map_err(|failure| failure.sentence)?;
        let (sessions, samples, queued) = (Sessions::default(), Samples::default(), Vec::new());
        Ok(Self { runtime, place: Some(place), sessions, queued, counter, interrupt, server_wide, sent: 0, samples })
    }

    /// The server's version.
    #[must_use]
    pub fn version(&self) -> PgVersion {
        self.place.as_ref().map_or(PgVersion(0), |place| place.access.server.version)
    }

    /// The server in words: `18.4`.
    #[must_use]
    pub fn name(&self) -> String {
        let version = self.version();
        format!("{}.{}", version.major(), version.0 % 10_000)
    }

    /// What the server has these settings at.
    ///
    /// # Errors
    /// What the server says.
    pub fn settings(&self, names: &[&str]) -> Result<Vec<(String, String)>, String> {
        const SQL: &str = "SELECT name, setting FROM pg_settings WHERE name = ANY ($1)";
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let rows = async {
            let rows = self.here()?.session.read(SQL, &[(&names, tokio_postgres::types::Type::TEXT_ARRAY)]).await?;
            let pairs = rows.iter().map(|row| Ok((row.try_get("name")?, row.try_get("setting")?)));
            pairs.collect::<Result<Vec<_>, Failure>>()
        };
        self.runtime.block_on(rows).map_err(|failure| failure.sentence)
    }

    /// Runs statements one after the other.
    ///
    /// # Errors
    /// A sentence: the fence's, the server's.
    pub fn items(&mut self, items: &[Item]) -> Result<(), String> {
        let script = Script { items: items.to_vec() };
        let walled = self.here().map_err(|failure| failure.sentence)?.admit(&script, self.server_wide)?;
        for statement in script.statements() {
            self.one(statement, &walled)?;
            // a long statement's WAL is read before checkpoints of the server's own make room of it
            let place = self.place.as_ref().ok_or_else(gone)?;
            self.runtime.block_on(self.counter.read(place)).map_err(|failure| failure.sentence)?;
        }
        Ok(())
    }

    /// Sends one of a workload's statements; gives its outcome, unless it waits for a lock of another session.
    ///
    /// # Errors
    /// A sentence: the fence's, the server's.
    pub fn send(&mut self, session: &str, sql: &str) -> Result<Option<Outcome>, String> {
        let statement = self.statement(session, sql);
        let script = Script { items: vec![Item::Statement(statement.clone())] };
        let walled = self.here().map_err(|failure| failure.sentence)?.admit(&script, self.server_wide)?;
        self.one(&statement, &walled)
    }

    fn statement(&mut self, session: &str, sql: &str) -> Statement {
        self.sent += 1;
        let (session, sql) = (session.to_owned(), sql.to_owned());
        Statement { n: self.sent, session, sql, copy_data: None, line: self.sent }
    }

    /// The outcome of its own, where it is at its end.
    fn one(&mut self, statement: &Statement, walled: &Walled) -> Result<Option<Outcome>, String> {
        let sent = match walled.errand(statement.n) {
            Errand::Send(sent) => sent,
            Errand::Perform(block) => format!("SELECT ffviz.perform('{}')", block.replace('\'', "''")),
            Errand::Checkpoint => {
                let place = self.place.as_ref().ok_or_else(gone)?;
                let work = self.counter.checkpoint(place);
                return self.runtime.block_on(work).map(|()| None).map_err(|failure| failure.sentence);
            }
            Errand::Extension { name, .. } => return Err(format!("CREATE EXTENSION {name} is not sent in a workload")),
            Errand::LeaveOut(why) => return Err(format!("not sent: {why}: {}", statement.sql)),
        };
        self.queued.push((statement.clone(), sent));
        let finished = self.go_on()?;
        finished.iter().try_for_each(ends_no_run)?;
        Ok(finished.into_iter().find(|(of, _)| of.n == statement.n).map(|(_, outcome)| outcome))
    }

    /// Waits for those that still waited when the last statement was sent.
    ///
    /// # Errors
    /// A sentence.
    pub fn drain(&mut self) -> Result<(), String> {
        let place = self.place.as_mut().ok_or_else(gone)?;
        let work = async {
            let began = (Instant::now(), PATIENCE);
            while self.sessions.settle(&place.admin, began, &self.interrupt).await? == Settled::Busy {}
            let waited = self.sessions.finished().await.into_iter().map(|(_, of, outcome)| (of, outcome));
            let later = go_on(place, &mut self.sessions, &mut self.queued, &self.interrupt).await?;
            Ok::<Vec<_>, Failure>(waited.chain(later).collect())
        };
        let finished = self.runtime.block_on(work).map_err(|failure| failure.sentence)?;
        finished.iter().try_for_each(ends_no_run)?;
        if self.queued.is_empty() { Ok(()) } else { Err("clients wait for each other on the server".to_owned()) }
    }

    fn go_on(&mut self) -> Result<Vec<(Statement, Outcome)>, String> {
        let place = self.place.as_mut().ok_or_else(gone)?;
        let work = go_on(place, &mut self.sessions, &mut self.queued, &self.interrupt);
        self.runtime.block_on(work).map_err(|failure| failure.sentence)
    }

    /// Counts what happened since the last time, as of so many transactions since the beginning.
    ///
    /// # Errors
    /// What the server says.
    pub fn sample(&mut self, transactions: u64) -> Result<(), String> {
        let place = self.place.as_ref().ok_or_else(gone)?;
        let counted = async {
            let counted = self.counter.count(place).await?;
            Ok::<_, Failure>((counted, sizes(place).await?))
        };
        let (counted, relations) = self.runtime.block_on(counted).map_err(|failure| failure.sentence)?;
        let wal = counted.by_type.into_iter().collect();
        self.samples.all.push(Sample { transactions, usage: counted.usage, wal, relations });
        Ok(())
    }

    /// CHECKPOINT where one is due; what is counted up to there is a sample.
    fn end_transaction(&mut self, done: u64, workload: &Workload<'_>) -> Result<(), String> {
        if workload.checkpoint_every.is_some_and(|every| done.is_multiple_of(every)) {
            self.send(FIRST_SESSION, "CHECKPOINT")?;
            self.sample(done)?;
        }
        Ok(())
    }

    /// What came before does not count: the workload begins.
    ///
    /// # Errors
    /// What the server says.
    pub fn restart(&mut self) -> Result<(), String> {
        self.sample(0)?;
        let first = self.samples.all.pop().unwrap_or_default();
        let (usage, wal) = (Usage::default(), Vec::new());
        self.samples.all = vec![Sample { transactions: 0, usage, wal, relations: first.relations }];
        Ok(())
    }

    /// Drops what was made.
    ///
    /// # Errors
    /// A sentence: what is left, and how to drop it.
    pub fn finish(mut self) -> Result<Samples, String> {
        self.clean()?;
        Ok(std::mem::take(&mut self.samples))
    }

    fn clean(&mut self) -> Result<(), String> {
        let Some(place) = self.place.take() else { return Ok(()) };
        let sessions = std::mem::take(&mut self.sessions);
        let clean = async {
            // where the connection is lost, so is that to the sessions
            let _ = sessions.cancel(&place.admin).await;
            drop(sessions);
            place.clean().await
        };
        self.runtime.block_on(clean).map_err(|failure| failure.sentence)
    }

    fn here(&self) -> Result<&Place, Failure> {
        self.place.as_ref().ok_or_else(|| gone().into())
    }
}

impl Drop for WorkloadServer {
    fn drop(&mut self) {
        if let Err(why) = self.clean() {
            eprintln!("ffviz: {why}");
        }
    }
}

/// An experiment's own: one session, one client.
impl RealServer for WorkloadServer {
    fn sql(&mut self, text: &str) -> Result<(), String> {
        let script = Script::parse(text).map_err(|error| error.to_string())?;
        self.items(&script.items)
    }

    fn explained(&mut self, statement: &str) -> Result<Usage, String> {
        const OPTIONS: &str = "ANALYZE, BUFFERS, WAL, COSTS OFF, TIMING OFF, SUMMARY OFF, FORMAT JSON";
        let outcome = self.send(FIRST_SESSION, &format!("EXPLAIN ({OPTIONS}) {statement}"))?;
        let told = outcome.and_then(Result::ok).map(|(tag, _)| tag).unwrap_or_default();
        explained(told.trim_start_matches("EXPLAIN")).ok_or_else(|| format!("EXPLAIN is not understood: {told}"))
    }

    fn run(&mut self, workload: Workload<'_>) -> Result<Samples, String> {
        let read = |(text, weight): &(&str, u32)| BenchScript::parse("the workload", text, *weight);
        let scripts = workload.scripts.iter().map(read).collect::<Result<Vec<_>, _>>()?;
        let options = workload.options(Protocol::Simple);
        self.restart()?;
        let mut statements = Statements::new(self.version(), &scripts, &options);
        let mut current = 1;
        while let Some(sql) = statements.next() {
            let before = std::mem::replace(&mut current, statements.transaction());
            if current > before {
                self.end_transaction(before, &workload)?;
            }
            self.send(FIRST_SESSION, sql?.trim_end().trim_end_matches(';'))?;
        }
        self.end_transaction(current, &workload)?;
        if self.samples.transactions() < current {
            self.sample(current)?;
        }
        Ok(std::mem::take(&mut self.samples))
    }

    fn pages(&mut self, relation: Option<&str>) -> Result<Vec<Page>, String> {
        let place = self.place.as_ref().ok_or_else(gone)?;
        let read = async {
            let mut state = State::empty(place.access.server.clone());
            place.look(u32::MAX).fill(Eyes::Own(&place.session), &mut state, None, false).await?;
            Ok::<_, Failure>(state)
        };
        let state = self.runtime.block_on(read).map_err(|failure| failure.sentence)?;
        let is_meant = |oid| state.relations.get(oid).is_some_and(|it| relation.is_none_or(|name| it.name == name));
        let main = state.pages.iter().filter(|(id, _)| id.fork == ForkNumber::Main && is_meant(&id.relation));
        Ok(main.map(|(_, page)| page.clone()).collect())
    }
}

/// An error that is no deadlock and the like ends the run.
fn ends_no_run((statement, outcome): &(Statement, Outcome)) -> Result<(), String> {
    match outcome {
        Err(error) if !error.sqlstate.as_deref().is_some_and(|state| GOES_ON.contains(&state)) => {
            Err(format!("on the server: ERROR: {}: {}", error.message, statement.sql))
        }
        _ => Ok(()),
    }
}

/// Sends what is queued for sessions that are free, and waits until each is at its end or waits for another, over and
/// over; gives what came to its end.
async fn go_on(
    place: &mut Place,
    sessions: &mut Sessions,
    queued: &mut Vec<(Statement, String)>,
    interrupt: &AtomicBool,
) -> Result<Vec<(Statement, Outcome)>, Failure> {
    let mut outcomes = Vec::new();
    loop {
        let free = |(statement, _): &(Statement, String)| sessions.running(&statement.session).is_none();
        let Some(next) = queued.iter().position(free) else { return Ok(outcomes) };
        let (statement, sent) = queued.remove(next);
        start(place, sessions, &statement, sent).await?;
        let began = (Instant::now(), PATIENCE);
        while sessions.settle(&place.admin, began, interrupt).await? == Settled::Busy {}
        if interrupt.load(Ordering::Relaxed) {
            return Err("interrupted".to_owned().into());
        }
        let finished = sessions.finished().await;
        outcomes.extend(finished.into_iter().map(|(_, statement, outcome)| (statement, outcome)));
    }
}

async fn start(place: &mut Place, sessions: &mut Sessions, statement: &Statement, sent: String) -> Result<(), Failure> {
    let name = &statement.session;
    if sessions.get(name).is_none() {
        let session = place.open_session().await?;
        sessions.insert(name.clone(), session);
    }
    let Some(session) = sessions.get_mut(name) else { return Ok(()) };
    if let Some(role) = place.role
        && !session.is_still(role).await?
    {
        let why = "a statement has changed whose rights a session has, or how it reads texts; nothing more is sent";
        return Err(why.to_owned().into());
    }
    session.start_as(statement, sent);
    Ok(())
}

/// Lengths of the tables and indexes of users.
async fn sizes(place: &Place) -> Result<Vec<RelationSize>, Failure> {
    let rows = place.session.read(include_str!("../sql/workload/sizes.sql"), &[]).await?;
    rows.iter()
        .map(|row| {
            let blocks = u32::try_from(row.try_get::<_, i64>("blocks")?).unwrap_or(u32::MAX);
            Ok(RelationSize { name: row.try_get("name")?, is_index: row.try_get("is_index")?, blocks, free: 0 })
        })
        .collect()
}

/// Counters of a plan in JSON: of the whole, and the rows that its table gave it.
fn explained(json: &str) -> Option<Usage> {
    let told: serde_json::Value = serde_json::from_str(json.trim()).ok()?;
    let plan = told.get(0)?.get("Plan")?;
    let number = |plan: &serde_json::Value, key: &str| plan.get(key)?.as_f64().map(|number| number as u64);
    let wal = WalUsage {
        records: number(plan, "WAL Records")?,
        fpi: number(plan, "WAL FPI")?,
        bytes: number(plan, "WAL Bytes")?,
    };
    let tup_updated = plan.get("Plans").and_then(|plans| number(plans.get(0)?, "Actual Rows")).unwrap_or(0);
    let blks_dirtied = number(plan, "Shared Dirtied Blocks")?;
    Some(Usage { wal, blks_dirtied, tup_updated, ..Usage::default() })
}

fn gone() -> String {
    "its database was dropped".to_owned()
}
