//! What experiments, and advice about a table, are made with: servers, scripts, workloads.

use crate::pgbench::{BenchScript, Benchmark, Options, Protocol, Stopped, Turn};
use crate::sql::run::{RunOptions, Simulator, newest};
use crate::sql::script::Script;
use crate::storage::{Interrupt, TableAm};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
use core::sync::atomic::AtomicBool;
use ffviz_story::timeline::{Samples, Usage};

/// A way to compress.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Codec {
    /// LZ4, block format
    Lz4,
    /// zlib at its usual level
    Zlib,
}

/// What whoever runs an experiment gives.
pub struct Lab<'a> {
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
pub(crate) struct Workload<'a> {
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

impl Lab<'_> {
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
        let settings = settings.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
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
        let options = Options {
            clients: 1,
            transactions: workload.transactions,
            seed: workload.seed,
            scale: i64::try_from(workload.scale).unwrap_or(i64::MAX),
            defines: Vec::new(),
            protocol: Protocol::Prepared,
            autovacuum: workload.autovacuum,
            checkpoint_every: workload.checkpoint_every,
        };
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
