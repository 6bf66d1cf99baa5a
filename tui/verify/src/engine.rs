//! The engine as the simulator of `ffviz verify`.

use super::command::{Simulated, Simulator};
use super::facts::ServerFacts;
use ffviz_live::script;
use ffviz_simulator::sql::guc::check_server_setting;
use ffviz_simulator::sql::run::{self, RunOptions};
use ffviz_simulator::sql::script::{Item, Script};
use std::collections::BTreeMap;

/// Settings that the simulated server has like the real one, and its sessions like those of a script there.
fn settings(server: &ServerFacts) -> Vec<(String, String)> {
    // what is set otherwise there and not simulated stays as it is here; whether that matters is said elsewhere
    let is_known = |name: &str, value: &str| check_server_setting(name, value, server.version.major()).is_ok();
    let of_sessions = script::SETTINGS.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    let all = server.settings.iter().map(|(name, value)| (name.clone(), value.clone())).chain(of_sessions);
    all.filter(|(name, value)| is_known(name, value)).collect()
}

/// The engine.
#[derive(Debug, Clone, Copy, Default)]
pub struct Engine;

impl Engine {
    fn start(server: &ServerFacts, traces: bool) -> Result<run::Simulator, String> {
        let (settings, database) = (settings(server), Some(server.database));
        let options = RunOptions { settings, database, ..RunOptions::new(server.version) };
        run::Simulator::new(&options, traces, false)
    }
}

impl Simulator for Engine {
    fn unknown(&mut self, script: &Script, server: &ServerFacts) -> Result<BTreeMap<u32, String>, String> {
        let mut simulator = Self::start(server, false)?;
        simulator.keep_for_variables(script);
        let statements = script.items.iter().filter_map(|item| {
            let refused = simulator.item(item).refused?;
            let Item::Statement(statement) = item else { return None };
            // the number and the line are told beside it
            let why = refused.split_once("): ").map_or(refused.as_str(), |(_, why)| why).to_owned();
            Some((statement.n, why))
        });
        Ok(statements.collect())
    }

    fn run(&mut self, script: &Script, server: &ServerFacts) -> Result<Simulated, String> {
        let mut simulator = Self::start(server, true)?;
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
