//! The engine as the simulator of `ffviz verify`.

use super::command::{Simulated, Simulator};
use super::facts::ServerFacts;
use ffviz_engine::sql::run::{self, RunOptions};
use ffviz_engine::sql::script::{Item, Script};

/// Settings that the simulated server takes from the real one.
const TAKEN: [&str; 10] = [
    "data_checksums",
    "full_page_writes",
    "wal_log_hints",
    "wal_level",
    "wal_compression",
    "shared_buffers",
    "max_pred_locks_per_page",
    "max_pred_locks_per_relation",
    "max_pred_locks_per_transaction",
    "vacuum_freeze_min_age",
];

/// The engine.
#[derive(Debug, Clone, Copy, Default)]
pub struct Engine;

impl Simulator for Engine {
    fn run(&mut self, script: &Script, server: &ServerFacts) -> Result<Simulated, String> {
        let taken = server.settings.iter().filter(|(name, _)| TAKEN.contains(&name.as_str()));
        let settings = taken.map(|(name, value)| (name.clone(), value.clone())).collect();
        let options = RunOptions { settings, database: Some(server.database), ..RunOptions::new(server.version) };
        let mut simulator = run::Simulator::new(&options, true, false)?;
        let mut simulated = Simulated::default();
        for item in &script.items {
            let done = simulator.item(item);
            simulated.lines.extend(done.lines);
            if let (Item::Statement(statement), Some(why), None) = (item, done.refused, &simulated.refused) {
                simulated.refused = Some((statement.n, why));
            }
        }
        Ok(simulated)
    }
}
