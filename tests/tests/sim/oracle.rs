//! A server of the test's own, one a version: fixed settings, and a power switch.

use ffviz_format::page::{Lsn, PgVersion};
use ffviz_format::wal::{DEFAULT_SEGMENT_SIZE, Segment};
use ffviz_live::fence::Admitted;
use ffviz_simulator::sql::script::Script;
use ffviz_tests::instance::Instance;
use ffviz_tests::wal::version;
use ffviz_verify::facts::ServerFacts;
use ffviz_verify::host::{Host, Left};
use ffviz_verify::run_on_server;
use ffviz_verify::runner::ServerRun;
use postgres::Client;
use std::cell::RefCell;
use std::fs::OpenOptions;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::time::Duration;

/// Nothing in the background changes pages or writes WAL.
const SETTINGS: &str = "wal_keep_size = 1GB\nshared_buffers = 256MB\nfull_page_writes = on\nbgwriter_lru_maxpages = 0\ncheckpoint_timeout = 1d\n\
    max_wal_size = 32GB\nwal_level = replica\njit = off\nmax_parallel_workers_per_gather = 0\nmax_parallel_maintenance_workers = 0\n\
    synchronize_seqscans = off\ntimezone = 'UTC'\nwal_writer_delay = 10ms";

/// A server that scripts are run on.
pub struct Oracle {
    /// for what is asked between two scripts
    client: RefCell<Client>,
    instance: Instance,
    /// what it is
    pub version: PgVersion,
    /// OID of its database
    database: u32,
}

impl Oracle {
    /// Starts one.
    pub fn start(major: u32, checksums: bool) -> Self {
        Self::start_with(major, checksums, "")
    }

    /// The same with further lines of postgresql.conf.
    pub fn start_with(major: u32, checksums: bool, settings: &str) -> Self {
        let args: &[&str] = match (major, checksums) {
            (18.., false) => &["--no-data-checksums"],
            (..18, true) => &["--data-checksums"],
            _ => &[],
        };
        let instance = Instance::create_with(major, &format!("{SETTINGS}\n{settings}"), args);
        let mut client = instance.client();
        client.batch_execute("CREATE EXTENSION pageinspect").expect("pageinspect is in the package");
        let oid = client.query_one("SELECT oid FROM pg_database WHERE datname = current_database()", &[]);
        let (version, database) = (version(&mut client), oid.expect("its own row").get(0));
        Self { client: RefCell::new(client), instance, version, database }
    }

    /// The database that scripts run in, in schemas of their own; just after a checkpoint, and nobody else there.
    pub fn url(&self) -> String {
        const OTHERS: &str =
            "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()";
        self.ask(|client| {
            // a session that was closed may still be on its way out, with a snapshot that VACUUM cares for
            while client.query_one(OTHERS, &[]).expect("a server knows its sessions").get::<_, i64>(0) > 0 {
                std::thread::sleep(Duration::from_millis(1));
            }
            client.batch_execute("CHECKPOINT").expect("a checkpoint");
        });
        self.instance.url("postgres")
    }

    /// The same database, whoever is there.
    pub fn address(&self) -> String {
        self.instance.url("postgres")
    }

    /// Its data directory.
    pub fn data(&self) -> PathBuf {
        self.instance.data()
    }

    /// What decides over pages and WAL, as the simulator is told it.
    pub fn facts(&self) -> ServerFacts {
        let question = ServerFacts::question(self.version);
        let rows = self.ask(|client| client.query(&question, &[])).expect("a server knows its settings");
        let settings = rows.iter().map(|row| (row.get(0), row.get(1))).collect();
        ServerFacts { version: self.version, database: self.database, settings }
    }

    /// Does something outside of scripts, a statement or several.
    pub fn execute(&self, sql: &str) {
        for statement in sql.split(';') {
            self.ask(|client| client.batch_execute(statement)).expect(statement);
        }
    }

    /// Asks on a connection that is kept, unless the server has crashed since.
    fn ask<T>(&self, question: impl FnOnce(&mut Client) -> T) -> T {
        let mut client = self.client.borrow_mut();
        if client.is_valid(Duration::from_secs(10)).is_err() {
            *client = self.instance.client();
        }
        question(&mut client)
    }

    /// Runs a script.
    pub fn run(&self, script: &Script) -> Result<ServerRun, String> {
        if script.statements().any(|statement| statement.sql.to_ascii_lowercase().contains("temp")) {
            self.ask(|client| client.batch_execute(NO_TEMPORARY_SCHEMAS)).expect("temporary schemas are dropped");
        }
        let script = Admitted::for_a_server_of_ones_own(script);
        run_on_server(&self.url(), &script, false, Some(&mut Power(&self.instance)))
    }

    /// Runs a script in a database of its own.
    pub fn run_in_own_database(&self, script: &Script) -> Result<ServerRun, String> {
        let script = Admitted::for_a_server_of_ones_own(script);
        run_on_server(&self.url(), &script, true, Some(&mut Power(&self.instance)))
    }
}

/// The schemas of temporary tables stay in a database, and whoever comes later makes none: no OIDs are used up then, as
/// in a database that has seen none, which is what the simulator begins with.
const NO_TEMPORARY_SCHEMAS: &str = "DO $$ DECLARE name text; BEGIN
    FOR name IN SELECT nspname FROM pg_namespace WHERE nspname ~ '^pg_(toast_)?temp_' LOOP
        EXECUTE format('DROP SCHEMA %I CASCADE', name);
    END LOOP;
END $$";

/// The power switch of an instance.
struct Power<'a>(&'a Instance);

impl Host for Power<'_> {
    fn crash(&mut self, left: Left) -> Result<(), String> {
        self.0.stop("immediate");
        match left {
            Left::Wal => {}
            Left::Torn(torn) => self.overwrite(&torn.path, torn.offset, &torn.bytes)?,
            Left::WalUpTo(end) => self.lose_wal(end)?,
        }
        self.0.start();
        Ok(())
    }
}

impl Power<'_> {
    /// Writes into a file below the data directory.
    fn overwrite(&self, path: &str, offset: u64, bytes: &[u8]) -> Result<(), String> {
        let path = self.0.data().join(path);
        let file =
            OpenOptions::new().write(true).open(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        file.write_all_at(bytes, offset).map_err(|error| error.to_string())
    }

    /// The segment of WAL is zeros from a position on, as it is before anything is written to it: there recovery ends.
    fn lose_wal(&self, end: Lsn) -> Result<(), String> {
        let segment = Segment::of(end, 1, DEFAULT_SEGMENT_SIZE);
        let lost = vec![0; (segment.next().start().0 - end.0) as usize];
        self.overwrite(&format!("pg_wal/{}", segment.file_name()), end.0 - segment.start().0, &lost)
    }
}
