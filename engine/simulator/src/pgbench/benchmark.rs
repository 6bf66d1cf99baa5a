//! Clients that run scripts (`runClient`, `advanceConnectionState` of src/bin/pgbench/pgbench.c), one statement after
//! the other: whose turn it is a seed decides. Who waits for a lock waits; a deadlock ends a transaction as on a
//! server.

use super::autovacuum::due;
use super::client::{Client, Next, Seeds};
use super::expr::Value;
use super::kept_plan::KeptPlans;
use super::measure::Measure;
use super::prng::Prng;
use super::script::{BenchScript, Command, Got, SqlCommand};
use super::variables::Variables;
use crate::plain::PLAIN;
use crate::sql::run::{Done, Simulator, StatementEnd};
use crate::sql::script::{Item, Statement};
use crate::storage::Interrupt;
use crate::version::Behaviour;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::sync::atomic::AtomicBool;
use ffviz_format::datum::SqlError;
use ffviz_story::timeline::Samples;

/// How statements are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Protocol {
    /// as a text, each planned anew
    #[default]
    Simple,
    /// planned once, where that can be
    Prepared,
}

/// What a run is to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// clients
    pub clients: u32,
    /// transactions of each
    pub transactions: u64,
    /// `--random-seed`
    pub seed: u64,
    /// `:scale`
    pub scale: i64,
    /// `-D`
    pub defines: Vec<(String, String)>,
    /// how statements are sent
    pub protocol: Protocol,
    /// VACUUM and ANALYZE between transactions, where they are due
    pub autovacuum: bool,
    /// CHECKPOINT after so many transactions
    pub checkpoint_every: Option<u64>,
}

/// Why a run stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stopped {
    /// somebody wanted it to
    Interrupted,
    /// it cannot go on: a sentence
    Failed(String),
}

/// What keeps a client from its next statement.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Status {
    Ready,
    Waits,
    Finished,
}

#[derive(Debug)]
struct Running {
    client: Client,
    session: String,
    status: Status,
    /// the script that it runs, while it does
    script: Option<usize>,
    /// transactions that are done
    done: u64,
    /// where the row of the statement that it has sent goes
    got: Option<Got>,
    /// the line of that statement
    line: u32,
}

/// Clients and the server that they work on.
#[derive(Debug)]
pub struct Benchmark {
    /// the server
    pub simulator: Simulator,
    scripts: Vec<BenchScript>,
    options: Options,
    seeds: Seeds,
    running: Vec<Running>,
    /// whose turn it is
    turns: Prng,
    /// of one client, whose statements never wait; nothing, where each statement is to be seen
    plans: Option<KeptPlans>,
    measure: Measure,
    /// texts of statements since they were last taken, where they are to be kept
    sent: Option<Vec<Sent>>,
    /// transactions that are done, and those that failed
    done: u64,
    failed: u64,
    statements: u32,
}

/// A statement that was sent, by which session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sent {
    /// the client's session; `maintenance` is nobody's
    pub session: String,
    /// its text, without the semicolon
    pub sql: String,
}

/// A, B … Z, AA …
fn session_name(n: usize) -> String {
    let letter = char::from(b'A' + (n % 26) as u8);
    if n < 26 { letter.to_string() } else { format!("{}{letter}", session_name(n / 26 - 1)) }
}

fn without_semicolon(text: String) -> String {
    match text.strip_suffix(';') {
        Some(sql) => sql.trim_end().to_string(),
        None => text,
    }
}

/// The variables that a client begins with.
pub(super) fn variables(options: &Options, client: u32, default_seed: Option<i64>) -> Variables {
    let mut variables = Variables::default();
    options.defines.iter().for_each(|(name, text)| variables.set_text(name, text));
    variables.set_default("scale", options.scale);
    variables.set_default("client_id", client.into());
    variables.set_default("random_seed", options.seed as i64);
    if let Some(seed) = default_seed {
        variables.set("default_seed", Value::Int(seed));
    }
    variables
}

impl Benchmark {
    /// Clients at the beginning of their first transaction, on a server whose tables are made.
    #[must_use]
    pub fn new(mut simulator: Simulator, scripts: Vec<BenchScript>, options: Options) -> Self {
        let version = simulator.db.cluster.version();
        let has_default_seed = options.defines.iter().any(|(name, _)| name == "default_seed");
        let seeds = Seeds::new(version, options.seed, options.clients, has_default_seed);
        let running = (0..options.clients).zip(&seeds.clients).map(|(n, prng)| Running {
            client: Client::new(version, *prng, variables(&options, n, seeds.default_seed)),
            session: session_name(n as usize),
            status: Status::Ready,
            script: None,
            done: 0,
            got: None,
            line: 0,
        });
        let running = running.collect();
        let keeps_rows = scripts.iter().any(BenchScript::takes_rows);
        simulator.keep_rows(keeps_rows);
        let measure = Measure::new(&simulator, options.transactions * u64::from(options.clients));
        Self {
            simulator,
            scripts,
            turns: Prng::xoroshiro(options.seed),
            plans: (options.clients == 1 && !PLAIN).then(|| KeptPlans::new(options.protocol)),
            options,
            seeds,
            running,
            measure,
            sent: None,
            done: 0,
            failed: 0,
            statements: 0,
        }
    }

    /// The statement that runs ends soon after the flag is set.
    pub fn interrupt_by(&mut self, flag: Arc<AtomicBool>) {
        self.simulator.db.cluster.pg.interrupt = Interrupt::new(flag);
    }

    /// Statements are sent as texts from now on.
    pub fn plan_anew(&mut self) {
        self.plans = None;
    }

    /// Texts of statements are kept from now on, for [`Self::take_sent`].
    pub fn keep_sent(&mut self) {
        self.sent = Some(Vec::new());
    }

    /// The statements that were sent since the last time.
    pub fn take_sent(&mut self) -> Vec<Sent> {
        self.sent.as_mut().map(core::mem::take).unwrap_or_default()
    }

    /// How many samples were taken, with that of the beginning.
    #[must_use]
    pub fn samples(&self) -> usize {
        self.measure.samples.all.len()
    }

    /// How many transactions are done, and how many there are to be.
    #[must_use]
    pub fn progress(&self) -> (u64, u64) {
        (self.done, self.options.transactions * u64::from(self.options.clients))
    }

    /// Transactions that failed: deadlocks and serialization failures.
    #[must_use]
    pub const fn failed(&self) -> u64 {
        self.failed
    }

    /// The server, and what was measured.
    #[must_use]
    pub fn finish(mut self) -> (Simulator, Samples) {
        self.measure.finish(&self.simulator, self.done);
        (self.simulator, self.measure.samples)
    }

    /// One client's turn: up to its next statement, which is run, or to the end of a transaction. Gives what the
    /// statement did; `None` where there was none, or nobody looks.
    ///
    /// # Errors
    /// Why the run cannot go on.
    pub fn step(&mut self) -> Result<Turn, Stopped> {
        let Some(at) = self.whose_turn()? else { return Ok(Turn::Finished) };
        let Some(script) = self.running[at].script else { return Ok(self.begin(at)) };
        let running = &mut self.running[at];
        match running.client.next(&self.scripts[script]).map_err(Stopped::Failed)? {
            Next::End => {
                running.script = None;
                running.done += 1;
                self.end_transaction()?;
                Ok(Turn::Transaction)
            }
            Next::Send(Command { line, .. }, sql) => {
                let (line, sql) = (*line, sql.clone());
                self.send(at, (script, line), &sql)
            }
        }
    }

    /// A client that can go on.
    fn whose_turn(&mut self) -> Result<Option<usize>, Stopped> {
        if let [one] = &self.running[..] {
            return Ok((one.status == Status::Ready).then_some(0));
        }
        let is = |status: Status| move |(_, running): &(usize, &Running)| running.status == status;
        let ready: Vec<usize> = self.running.iter().enumerate().filter(is(Status::Ready)).map(|(at, _)| at).collect();
        if ready.is_empty() && self.running.iter().enumerate().any(|each| is(Status::Waits)(&each)) {
            return Err(Stopped::Failed("every client waits for another one".to_string()));
        }
        let last = ready.len().saturating_sub(1) as i64;
        let chosen = self.turns.range(0, last) as usize;
        Ok(ready.get(chosen).copied())
    }

    /// The next transaction of a client, or its end.
    fn begin(&mut self, at: usize) -> Turn {
        let running = &mut self.running[at];
        if running.done == self.options.transactions {
            running.status = Status::Finished;
            return Turn::Between;
        }
        running.script = Some(self.seeds.choose(&self.scripts));
        running.client.rewind();
        Turn::Between
    }

    fn send(&mut self, at: usize, place: (usize, u32), sql: &SqlCommand) -> Result<Turn, Stopped> {
        let running = &mut self.running[at];
        (running.got, running.line) = (sql.got.clone(), place.1);
        let (simulator, variables) = (&mut self.simulator, &running.client.variables);
        if let Some(sent) = self.sent.as_mut().filter(|_| self.plans.is_some()) {
            sent.push(Sent { session: running.session.clone(), sql: without_semicolon(sql.text(variables)) });
        }
        let planned = self.plans.as_mut().and_then(|plans| plans.run(simulator, place, sql, variables));
        if let Some(done) = planned {
            if let Err(error) = done {
                self.failed_with(at, &error)?;
            }
            return Ok(Turn::Between);
        }
        let text = sql.text(&self.running[at].client.variables);
        let session = self.running[at].session.clone();
        match &mut self.plans {
            Some(plans) => plans.sent(&text),
            None => self.note_sent(&session, &text),
        }
        let done = self.run(text, session, place.1);
        let done = self.settle(done)?;
        Ok(Turn::Statement(Box::new(done)))
    }

    fn note_sent(&mut self, session: &str, text: &str) {
        if let Some(sent) = &mut self.sent {
            sent.push(Sent { session: session.to_string(), sql: without_semicolon(text.to_string()) });
        }
    }

    fn run(&mut self, text: String, session: String, line: u32) -> Done {
        self.statements += 1;
        let sql = without_semicolon(text);
        self.simulator.item(&Item::Statement(Statement { n: self.statements, session, sql, copy_data: None, line }))
    }

    /// What became of a statement, and of those of others that it let go on.
    fn settle(&mut self, done: Done) -> Result<Done, Stopped> {
        if let Some(refused) = &done.refused {
            return Err(Stopped::Failed(refused.clone()));
        }
        for end in &done.ends {
            let Some(at) = self.running.iter().position(|running| running.session == end.session) else { continue };
            self.running[at].status = if end.waits { Status::Waits } else { Status::Ready };
            self.take_end(at, end)?;
        }
        Ok(done)
    }

    fn take_end(&mut self, at: usize, end: &StatementEnd) -> Result<(), Stopped> {
        if let Some(error) = &end.error {
            return self.failed_with(at, error);
        }
        let running = &mut self.running[at];
        if let Some(got) = running.got.take().filter(|_| !end.waits) {
            let taken = running.client.take(&got, end.rows.as_ref());
            taken.map_err(|sentence| self.told(at, &sentence))?;
        } else if end.waits {
            return Ok(());
        }
        Ok(())
    }

    /// A sentence about the statement that a client has sent.
    fn told(&self, at: usize, sentence: &str) -> Stopped {
        let running = &self.running[at];
        let script = running.script.and_then(|script| self.scripts.get(script));
        let name = script.map_or("the script", |script| &script.name);
        Stopped::Failed(format!("{name}, line {}: client {at} {sentence}", running.line))
    }

    /// A deadlock or a serialization failure ends the transaction, from 15 on; everything else ends the run.
    fn failed_with(&mut self, at: usize, error: &SqlError) -> Result<(), Stopped> {
        if error.sqlstate == "57014" {
            return Err(Stopped::Interrupted);
        }
        let goes_on = self.simulator.db.cluster.version().pgbench_goes_on_after_failure();
        if !goes_on || !matches!(error.sqlstate, "40001" | "40P01") {
            return Err(self.told(at, &format!("was aborted: ERROR: {}", error.message)));
        }
        let running = &mut self.running[at];
        (running.script, running.status) = (None, Status::Ready);
        running.done += 1;
        let session = running.session.clone();
        self.failed += 1;
        self.note_sent(&session, "ROLLBACK");
        let done = self.run("ROLLBACK".to_string(), session, 0);
        self.settle(done)?;
        self.end_transaction()
    }

    /// What comes after each transaction.
    fn end_transaction(&mut self) -> Result<(), Stopped> {
        self.done += 1;
        if self.options.autovacuum {
            for sql in due(&self.simulator) {
                self.maintain(sql)?;
            }
        }
        if self.options.checkpoint_every.is_some_and(|every| self.done.is_multiple_of(every)) {
            self.maintain("CHECKPOINT".to_string())?;
        }
        self.measure.note(&self.simulator, self.done);
        Ok(())
    }

    /// A statement of nobody's script.
    fn maintain(&mut self, sql: String) -> Result<(), Stopped> {
        if let Some(plans) = &mut self.plans {
            plans.forget();
        }
        let told = sql.clone();
        self.note_sent("maintenance", &sql);
        let done = self.run(sql, "maintenance".to_string(), 0);
        let failed = done.ends.iter().find_map(|end| end.error.as_ref().filter(|_| end.session == "maintenance"));
        if let Some(error) = failed {
            if error.sqlstate == "57014" {
                return Err(Stopped::Interrupted);
            }
            return Err(Stopped::Failed(format!("{told}: ERROR: {}", error.message)));
        }
        self.settle(done).map(drop)
    }
}

/// What a turn was.
#[derive(Debug)]
pub enum Turn {
    /// a statement that was sent as a text
    Statement(Box<Done>),
    /// a statement by a plan that is kept; or none
    Between,
    /// a transaction is at its end
    Transaction,
    /// there is nothing left to do
    Finished,
}
