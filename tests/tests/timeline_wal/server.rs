//! A server with captures of some tables, and its WAL.

use ffviz_format::page::{Lsn, PgVersion};
use ffviz_format::state::State;
use ffviz_story::timeline::WalBetween;
use ffviz_tests::capture::capture_of;
use ffviz_tests::instance::Instance;
use ffviz_tests::wal;
use postgres::Client;

const SETTINGS: &str = "autovacuum = off\ncheckpoint_timeout = 1d\nmax_wal_size = 4GB\nbgwriter_lru_maxpages = 0\n\
                        max_prepared_transactions = 4\nfsync = off";

pub struct Server {
    instance: Instance,
    client: Client,
    version: PgVersion,
}

/// A capture, and where WAL was before and after it.
pub struct Capture {
    pub state: State,
    pub begun: Lsn,
    pub done: Lsn,
}

impl Server {
    pub fn new(major: u32) -> Self {
        let instance = Instance::create(major, SETTINGS);
        let mut client = instance.client();
        client.batch_execute("CREATE EXTENSION pageinspect").expect("the package has it");
        let version = wal::version(&mut client);
        Self { instance, client, version }
    }

    /// Statements, each in a transaction of its own unless it says otherwise.
    pub fn run(&mut self, sql: &str) {
        for statement in sql.split(";\n").filter(|statement| !statement.trim().is_empty()) {
            self.client.batch_execute(statement).unwrap_or_else(|error| panic!("{statement}: {error}"));
        }
    }

    pub fn checkpoint(&mut self) {
        self.run("CHECKPOINT");
    }

    pub fn capture(&mut self) -> Capture {
        let begun = wal::insert_position(&mut self.client);
        let state = capture_of(&self.instance.url("postgres"), &super::workload::tables(&mut self.client));
        Capture { state, begun, done: wal::flushed(&mut self.client) }
    }

    /// From the earlier capture's beginning to the later one's end.
    pub fn wal(&mut self, before: &Capture, after: &Capture) -> WalBetween {
        let records = wal::records(&self.instance, self.version, before.begun, after.done);
        WalBetween::of(records, &before.state, &after.state)
    }
}
