//! What experiments, and advice about a table, are made with: servers, scripts, workloads.

use super::Origin;
use crate::pgbench::{BenchScript, Benchmark, Options, Protocol, Stopped, Turn};
use crate::sql::run::{RunOptions, Simulator, newest};
use crate::sql::script::Script;
use crate::storage::{Buffer, Interrupt, TableAm};
use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;
use core::sync::atomic::AtomicBool;
use ffviz_format::page::{ForkNumber, Page, PgVersion};
use ffviz_story::timeline::{Samples, Usage};

/// The version of experiments that need one.
const NEWEST: u32 = 18;

/// A way to compress.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Codec {
    /// LZ4, block format
    Lz4,
    /// zlib at its usual level
    Zlib,
}

/// A server that is not simulated: a database of an experiment's own there.
pub trait RealServer {
    /// Runs SQL.
    ///
    /// # Errors
    /// A sentence.
    fn sql(&mut self, text: &str) -> Result<(), String>;

    /// Runs a statement and gives what EXPLAIN counts of it: WAL, pages dirtied, rows updated.
    ///
    /// # Errors
    /// A sentence.
    fn explained(&mut self, statement: &str) -> Result<Usage, String>;

    /// Runs a workload to its end; there is a sample at least after each checkpoint.
    ///
    /// # Errors
    /// A sentence.
    fn run(&mut self, workload: Workload<'_>) -> Result<Samples, String>;

    /// The pages of a relation's main fork, or those of all relations.
    ///
    /// # Errors
    /// A sentence.
    fn pages(&mut self, relation: Option<&str>) -> Result<Vec<Page>, String>;
}

/// Where experiments find servers that are not simulated.
pub trait RealServers {
    /// Their version.
    fn version(&self) -> PgVersion;

    /// One more database, with these settings; a sentence instead, where a setting is the whole server's and is not so.
    ///
    /// # Errors
    /// A sentence.
    fn open(&mut self, settings: &[(&str, &str)]) -> Result<Result<Box<dyn RealServer>, String>, String>;
}

/// A server as an experiment uses it.
pub(super) enum Server {
    Simulated(Box<Simulator>),
    Real(Box<dyn RealServer>),
}

/// What whoever runs an experiment gives.
pub struct Lab<'a> {
    /// a server in place of the simulator
    pub on: Option<&'a mut dyn RealServers>,
    /// another version than the article's
    pub major: Option<u32>,
    /// settings of the server beside which this is, where an experiment has none of its own
    pub like: Vec<(String, String)>,
    /// what could not be done as it was asked for, a sentence each
    pub notes: Vec<String>,
    /// ends it soon, once it is set
    pub interrupt: Arc<AtomicBool>,
    /// told what is under way
    pub say: &'a mut dyn FnMut(&str),
    /// length of a block, compressed
    pub compressed: &'a dyn Fn(Codec, &[u8]) -> usize,
}

impl fmt::Debug for Lab<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lab").finish_non_exhaustive()
    }
}

/// A workload of one client.
#[derive(Debug, Clone, Copy)]
pub struct Workload<'a> {
    /// scripts with their weights
    pub scripts: &'a [(&'a str, u32)],
    /// transactions
    pub transactions: u64,
    /// `:scale`
    pub scale: u64,
    /// CHECKPOINT after so many transactions
    pub checkpoint_every: Option<u64>,
    /// VACUUM and ANALYZE where they are due
    pub autovacuum: bool,
    /// of its random numbers
    pub seed: u64,
}

impl Workload<'_> {
    /// As pgbench is told of it.
    #[must_use]
    pub fn options(&self, protocol: Protocol) -> Options {
        Options {
            clients: 1,
            transactions: self.transactions,
            seed: self.seed,
            scale: i64::try_from(self.scale).unwrap_or(i64::MAX),
            defines: Vec::new(),
            protocol,
            autovacuum: self.autovacuum,
            checkpoint_every: self.checkpoint_every,
        }
    }
}

impl Server {
    /// Runs SQL.
    pub fn sql(&mut self, lab: &mut Lab<'_>, text: &str) -> Result<(), String> {
        match self {
            Self::Simulated(simulator) => lab.sql(simulator, text).map(drop),
            Self::Real(server) => server.sql(text),
        }
    }

    /// Runs a statement; gives what EXPLAIN counts of it.
    pub fn explained(&mut self, lab: &mut Lab<'_>, statement: &str) -> Result<Usage, String> {
        match self {
            Self::Simulated(simulator) => lab.sql(simulator, statement),
            Self::Real(server) => server.explained(statement),
        }
    }

    /// Runs a workload to its end.
    pub fn run(self, lab: &mut Lab<'_>, workload: Workload<'_>) -> Result<(Self, Samples), String> {
        match self {
            Self::Simulated(simulator) => {
                let (simulator, samples) = lab.run(*simulator, workload)?;
                Ok((Self::Simulated(Box::new(simulator)), samples))
            }
            Self::Real(mut server) => {
                let samples = server.run(workload)?;
                Ok((Self::Real(server), samples))
            }
        }
    }

    /// The pages of a relation's main fork, or those of all relations.
    pub fn pages(&mut self, relation: Option<&str>) -> Result<Vec<Page>, String> {
        let simulator = match self {
            Self::Simulated(simulator) => simulator,
            Self::Real(server) => return server.pages(relation),
        };
        let cluster = &simulator.db.cluster;
        let files: Vec<_> = match relation {
            Some(name) => vec![cluster.open(name).map_err(|error| error.message.to_string())?.file],
            None => cluster.pg.relations.values().map(|relation| relation.file).collect(),
        };
        let page = |file, block| cluster.pg.buffers.page(Buffer::main(file, block)).clone();
        let blocks = |file| 0..cluster.pg.buffers.nblocks(file, ForkNumber::Main);
        Ok(files
            .into_iter()
            .flat_map(|file| blocks(file).map(move |block| (file, block)))
            .map(|(f, b)| page(f, b))
            .collect())
    }
}

impl<'a> Lab<'a> {
    /// One whose servers are simulated, of the article's versions.
    pub fn new(
        interrupt: Arc<AtomicBool>,
        say: &'a mut dyn FnMut(&str),
        compressed: &'a dyn Fn(Codec, &[u8]) -> usize,
    ) -> Self {
        Self { on: None, major: None, like: Vec::new(), notes: Vec::new(), interrupt, say, compressed }
    }
}

impl Lab<'_> {
    /// Are its servers simulated?
    pub(super) fn origin(&self) -> Origin {
        if self.on.is_some() { Origin::Server } else { Origin::Simulated }
    }

    /// The version of an experiment that needs one: 18, if nothing else was said.
    pub(super) fn newest(&self) -> u32 {
        self.major.unwrap_or(NEWEST)
    }

    /// Versions of an experiment that compares them, of a server that is not simulated its own alone.
    pub(super) fn majors(&self, compared: &[u32]) -> Vec<u32> {
        let own = self.major.filter(|major| self.on.is_some() || !compared.contains(major));
        let others = compared.iter().copied().filter(|_| self.on.is_none());
        others.chain(own).collect()
    }

    /// A server with these settings; nothing, with a note, where they are not to be had.
    pub(super) fn open(&mut self, major: u32, settings: &[(&str, &str)]) -> Result<Option<Server>, String> {
        let Some(servers) = &mut self.on else {
            return Ok(Some(Server::Simulated(Box::new(self.server(major, settings)?))));
        };
        match servers.open(settings)? {
            Ok(server) => Ok(Some(Server::Real(server))),
            Err(why) => {
                if !self.notes.contains(&why) {
                    self.notes.push(why);
                }
                Ok(None)
            }
        }
    }

    /// A server of that major version, with these settings.
    pub(crate) fn server(&mut self, major: u32, settings: &[(&str, &str)]) -> Result<Simulator, String> {
        self.server_with(TableAm::Heap, major, settings)
    }

    /// The same with tables kept by that engine.
    pub(crate) fn server_with(
        &mut self,
        engine: TableAm,
        major: u32,
        settings: &[(&str, &str)],
    ) -> Result<Simulator, String> {
        let own = settings.iter().map(|(name, value)| (name.to_string(), value.to_string()));
        let settings = self.like.iter().cloned().chain(own).collect();
        let options = RunOptions { engine, settings, crashes: false, ..RunOptions::new(newest(major)) };
        let mut simulator = Simulator::new(&options, false, false)?;
        simulator.db.cluster.pg.interrupt = Interrupt::new(Arc::clone(&self.interrupt));
        Ok(simulator)
    }

    /// Runs SQL; gives the counters of the last statement.
    pub(crate) fn sql(&mut self, simulator: &mut Simulator, text: &str) -> Result<Usage, String> {
        let script = Script::parse(text).map_err(|error| error.to_string())?;
        let mut last = Usage::default();
        for item in &script.items {
            let done = simulator.item(item);
            if let Some(refused) = done.refused {
                return Err(refused);
            }
            if let Some(error) = done.ends.first().and_then(|end| end.error.as_ref()) {
                return Err(format!("{}: {}", error.message, done.simulated.label));
            }
            last = done.simulated.usage;
        }
        Ok(last)
    }

    /// Runs a workload to its end.
    pub(crate) fn run(&mut self, simulator: Simulator, workload: Workload<'_>) -> Result<(Simulator, Samples), String> {
        let read = |(text, weight): &(&str, u32)| BenchScript::parse("the workload", text, *weight);
        let scripts = workload.scripts.iter().map(read).collect::<Result<Vec<_>, _>>()?;
        let options = workload.options(Protocol::Prepared);
        let mut benchmark = Benchmark::new(simulator, scripts, options);
        benchmark.interrupt_by(Arc::clone(&self.interrupt));
        loop {
            match benchmark.step() {
                Ok(Turn::Finished) => return Ok(benchmark.finish()),
                Ok(_) => {}
                Err(Stopped::Interrupted) => return Err("interrupted".to_string()),
                Err(Stopped::Failed(sentence)) => return Err(sentence),
            }
        }
    }
}

/// `PostgreSQL 18`
pub(super) fn system(major: u32) -> String {
    format!("PostgreSQL {major}")
}
