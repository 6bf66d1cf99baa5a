//! Databases on a server, for experiments: one a case, dropped when it is measured.

use crate::on::{self, OnArgs};
use ffviz_format::page::PgVersion;
use ffviz_live::WorkloadServer;
use ffviz_simulator::experiment::{RealServer, RealServers};
use ffviz_simulator::sql::run::simulated_version;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The setting that a session may have otherwise than the server, and that experiments vary.
const OF_SESSIONS: &str = "wal_compression";

/// A server that was named.
pub(super) struct Servers<'a> {
    on: &'a OnArgs,
    interrupt: Arc<AtomicBool>,
    version: PgVersion,
    /// what the server has, of the settings by which its WAL is another one
    pub settings: Vec<(String, String)>,
}

impl<'a> Servers<'a> {
    /// The server, if one was named, and it is of a version that the simulator knows.
    pub fn of(on: &'a OnArgs, interrupt: &Arc<AtomicBool>) -> Result<Option<Self>, String> {
        let Some(first) = on::workload(on, interrupt)? else { return Ok(None) };
        let (version, settings) = (first.version(), first.settings(&on::COUNT)?);
        first.finish()?;
        simulated_version(&version.major().to_string())?;
        Ok(Some(Self { on, interrupt: Arc::clone(interrupt), version, settings }))
    }
}

impl RealServers for Servers<'_> {
    fn version(&self) -> PgVersion {
        self.version
    }

    fn open(&mut self, settings: &[(&str, &str)]) -> Result<Result<Box<dyn RealServer>, String>, String> {
        let opened = on::workload(self.on, &self.interrupt)?;
        let mut server: WorkloadServer = opened.ok_or("no server was named")?;
        let of_server: Vec<&(&str, &str)> = settings.iter().filter(|(name, _)| *name != OF_SESSIONS).collect();
        let has = server.settings(&of_server.iter().map(|(name, _)| *name).collect::<Vec<_>>())?;
        for (name, wanted) in of_server {
            let value = has.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value);
            if value != *wanted {
                let why = format!("a case was left out: it needs {name} = {wanted} on the server, which has {value}");
                return Ok(Err(why));
            }
        }
        for (name, wanted) in settings.iter().filter(|(name, _)| *name == OF_SESSIONS) {
            // what the server was built without
            if let Err(why) = server.sql(&format!("SET {name} = '{wanted}';")) {
                return Ok(Err(format!("a case was left out: it needs {name} = {wanted}; {why}")));
            }
        }
        Ok(Ok(Box::new(server)))
    }
}
