//! Real servers for tests and benchmarks: `tests/servers` starts them, each test works in a database of its own.

use postgres::{Client, NoTls};
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;

/// The major versions that every claim about bytes is checked on.
pub use ffviz_format::page::MAJORS;

fn port(major: u32) -> u32 {
    let base = std::env::var("FFVIZ_SERVERS_PORT").ok().and_then(|text| text.parse::<u32>().ok());
    base.unwrap_or(5500) + major
}

/// Connection string of a database on the server of that major version.
#[must_use]
pub fn url(major: u32, database: &str) -> String {
    format!("postgresql://postgres@127.0.0.1:{}/{database}", port(major))
}

/// Connects, starting the server first where it does not run.
///
/// # Panics
/// With the version's number where the server cannot be had: a comparison that is left out unnoticed is worse than
/// none.
#[must_use]
pub fn connect(major: u32, database: &str) -> Client {
    static STARTING: Mutex<()> = Mutex::new(());
    let guard = STARTING.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if Client::connect(&url(major, "postgres"), NoTls).is_err() {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("servers");
        let started = Command::new(&script).args(["start", &major.to_string()]).status();
        assert!(started.is_ok_and(|status| status.success()), "PostgreSQL {major} cannot be had; see tests/servers");
    }
    drop(guard);
    let mut client = Client::connect(&url(major, database), NoTls)
        .unwrap_or_else(|error| panic!("PostgreSQL {major}, database {database}: {error}"));
    let is: String = client.query_one("show server_version_num", &[]).expect("a server answers SHOW").get(0);
    assert_eq!(
        is.parse::<u32>().map(|number| number / 10_000),
        Ok(major),
        "another server listens on port {}",
        port(major)
    );
    client
}

/// A database that a test has for itself; dropped with it.
pub struct Database {
    /// major version of the server
    pub major: u32,
    /// name of the database
    pub name: String,
    /// connected to it
    pub client: Client,
}

impl Database {
    /// Makes the database anew, with pageinspect and the other extensions that the tests read pages with.
    ///
    /// # Panics
    /// Where the server cannot be had or refuses.
    #[must_use]
    pub fn create(major: u32, name: &str) -> Self {
        let mut admin = connect(major, "postgres");
        drop_database(&mut admin, name);
        admin.batch_execute(&format!("CREATE DATABASE {name} TEMPLATE template0")).expect("the database can be made");
        let mut client = connect(major, name);
        client
            .batch_execute(
                "CREATE EXTENSION pageinspect; CREATE EXTENSION pg_visibility; CREATE EXTENSION pg_freespacemap",
            )
            .expect("the package has these extensions");
        Self { major, name: name.to_owned(), client }
    }

    /// Connection string.
    #[must_use]
    pub fn url(&self) -> String {
        url(self.major, &self.name)
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        if let Ok(mut admin) = Client::connect(&url(self.major, "postgres"), NoTls) {
            drop_database(&mut admin, &self.name);
        }
    }
}

fn drop_database(admin: &mut Client, name: &str) {
    // a test that panics drops its other connections after this one
    let _ = admin.batch_execute(&format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)"));
}
