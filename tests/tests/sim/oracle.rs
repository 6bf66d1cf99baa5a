//! A server of the test's own, one a version: fixed settings, a database a script, and a power switch.

use ffviz_engine::page::PgVersion;
use ffviz_engine::sql::script::Script;
use ffviz_tests::instance::Instance;
use ffviz_tests::wal::version;
use ffviz_tui::verify::facts::ServerFacts;
use ffviz_tui::verify::host::{Host, TornWrite};
use ffviz_tui::verify::run_on_server;
use ffviz_tui::verify::runner::ServerRun;
use postgres::{Client, NoTls};
use std::fs::OpenOptions;
use std::os::unix::fs::FileExt;

/// Nothing in the background changes pages or writes WAL.
const SETTINGS: &str = "wal_keep_size = 1GB\nshared_buffers = 256MB\nfull_page_writes = on\nbgwriter_lru_maxpages = 0\ncheckpoint_timeout = 1d\n\
    max_wal_size = 32GB\nwal_level = replica\njit = off\nmax_parallel_workers_per_gather = 0\nmax_parallel_maintenance_workers = 0\n\
    synchronize_seqscans = off\ntimezone = 'UTC'";

/// A server that scripts are run on.
pub struct Oracle {
    instance: Instance,
    /// what it is
    pub version: PgVersion,
    databases: u32,
    /// OID of the last one
    database: u32,
}

impl Oracle {
    /// Starts one.
    pub fn start(major: u32, checksums: bool) -> Self {
        let args: &[&str] = match (major, checksums) {
            (18.., false) => &["--no-data-checksums"],
            (..18, true) => &["--data-checksums"],
            _ => &[],
        };
        let instance = Instance::create_with(major, SETTINGS, args);
        let version = version(&mut instance.client());
        Self { instance, version, databases: 0, database: 0 }
    }

    /// Makes a database, just after a checkpoint.
    pub fn database(&mut self) -> Database {
        self.databases += 1;
        let name = format!("script_{}", self.databases);
        self.instance
            .client()
            .batch_execute(&format!("CREATE DATABASE {name} TEMPLATE template0"))
            .expect("a database");
        let url = self.instance.url(&name);
        let mut client = Client::connect(&url, NoTls).expect("the database answers");
        client.batch_execute("CREATE EXTENSION pageinspect; CHECKPOINT").expect("pageinspect is in the package");
        let oid = client.query_one("SELECT oid FROM pg_database WHERE datname = current_database()", &[]);
        self.database = oid.expect("its own row").get(0);
        Database { name, url }
    }

    /// What decides over pages and WAL, as the simulator is told it; the database is the one that was made last.
    pub fn facts(&self) -> ServerFacts {
        let mut client = self.instance.client();
        let mut setting = |name: &str| {
            let value: String = client.query_one(&format!("SHOW {name}"), &[]).expect("a server answers SHOW").get(0);
            (name.to_owned(), value)
        };
        let names =
            ["data_checksums", "full_page_writes", "wal_log_hints", "wal_level", "wal_compression", "shared_buffers"];
        ServerFacts { version: self.version, database: self.database, settings: names.map(&mut setting).into() }
    }

    /// Runs a script in a database of its own.
    pub fn run(&mut self, script: &Script) -> Result<ServerRun, String> {
        let Database { name, url } = self.database();
        let run = run_on_server(&url, script, Some(&mut Power(&self.instance)));
        self.instance.client().batch_execute(&format!("DROP DATABASE {name} WITH (FORCE)")).expect("the database goes");
        run
    }
}

/// A database that goes with its server.
pub struct Database {
    name: String,
    /// connection string
    pub url: String,
}

/// The power switch of an instance.
struct Power<'a>(&'a Instance);

impl Host for Power<'_> {
    fn crash(&mut self, torn: Option<TornWrite>) -> Result<(), String> {
        self.0.stop("immediate");
        if let Some(torn) = torn {
            let path = self.0.data().join(&torn.path);
            let file =
                OpenOptions::new().write(true).open(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            file.write_all_at(&torn.bytes, torn.offset).map_err(|error| error.to_string())?;
        }
        self.0.start();
        Ok(())
    }
}
