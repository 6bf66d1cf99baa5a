//! Live databases: the only part of ffviz that speaks to a server.
//!
//! ```text
//!  event loop ──Effect──▶ channel ──▶ background thread ──SQL──▶ server
//!      ▲                              (one connection, read-only transactions)
//!      └────────── deliver(Msg) ◀──────────┘
//! ```
//!
//! The face asks by [`Effect`]s (`ListTables`, `Capture`, `ReadPages`, `Watch`) and is answered by [`Msg`]s (`Tables`,
//! `Captured`, `PagesRead`, `Failed`, `Done`). It never waits for a server.

pub mod access;
pub mod args;
pub mod capture;
pub mod connect;
mod failure;
pub mod fence;
mod names;
pub mod pages;
pub mod script;
pub mod segments;
pub mod session;
mod statements;
pub mod statistics;
mod tables;
pub mod version;
pub mod wal;
mod worker;
mod workload;

pub use access::wrapper_sql;
pub use failure::{Failure, Kind};
pub use wal::ServerFiles;
pub use workload::WorkloadServer;

use access::Access;
use args::{AttachArgs, ReadArgs};
use connect::{Connector, Environment};
use ffviz_format::page::Oid;
use ffviz_format::state::Server;
use ffviz_story::app::{Effect, Msg};
use pages::Pace;
use session::Session;
use tokio::runtime::Runtime;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use wal::Follower;
use worker::{Options, Subject, Worker};

/// A live database that answers.
#[derive(Debug)]
pub struct Attached {
    /// where, in words for the title: `shop on db1:5432`
    pub place: String,
    /// what it is
    pub server: Server,
    /// `send` an [`Effect`] here; other effects than the four of this module are ignored. Dropping it ends the thread
    pub effects: UnboundedSender<Effect>,
}

/// Connects (asking for a password on the terminal, if it must: call this before the terminal is taken over), starts
/// the thread, and asks for the tables or, with `-t`, the first capture. `deliver` is called on that thread for each
/// message; it says whether anybody listens still.
///
/// # Errors
/// One sentence that says what is wrong and what to do.
pub fn start(args: &AttachArgs, deliver: impl FnMut(Msg) -> bool + Send + 'static) -> Result<Attached, String> {
    let runtime = runtime()?;
    let mut opened = runtime.block_on(Opened::open(&args.read)).map_err(|failure| failure.sentence)?;
    opened.connector.stop_asking();
    let (effects, requests) = unbounded_channel();
    let attached =
        Attached { place: opened.connector.place(), server: opened.access.server.clone(), effects: effects.clone() };
    let first = match opened.tables.first() {
        Some(table) => Effect::Capture { table: *table, pages: Vec::new() },
        None => Effect::ListTables,
    };
    let options = Options { interval: args.interval, pages: args.read.pages, system: args.read.system };
    let worker = Worker {
        connector: opened.connector,
        session: opened.session,
        access: opened.access,
        deliver,
        effects: requests,
        options,
        subject: Subject { tables: opened.tables, ..Subject::default() },
        pace: Pace::new(args.read.pages_per_second),
        wal: Follower::new(args.wal.options(!args.no_wal)?),
    };
    effects.send(first).map_err(|error| error.to_string())?;
    let run = move || runtime.block_on(worker.run());
    std::thread::Builder::new().name("attach".to_owned()).spawn(run).map_err(|error| format!("no thread: {error}"))?;
    Ok(attached)
}

/// What runs a connection, on the thread that calls it.
///
/// # Errors
/// A sentence.
pub fn runtime() -> Result<Runtime, String> {
    tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|error| format!("no runtime: {error}"))
}

/// A connection, and the tables that were named.
pub struct Opened {
    /// how it was connected, to connect again
    pub connector: Connector,
    /// the connection
    pub session: Session,
    /// by what pages are read
    pub access: Access,
    /// the tables, by oid
    pub tables: Vec<Oid>,
}

impl Opened {
    /// Connects, and finds the tables.
    ///
    /// # Errors
    /// One sentence that says what is wrong and what to do.
    pub async fn open(args: &ReadArgs) -> Result<Self, Failure> {
        let mut connector = Connector::new(args.conninfo.as_deref().unwrap_or_default(), Environment::of_process())?;
        let session = Session::open(&mut connector).await?;
        let access = Access::find(&session).await?;
        let mut tables = Vec::new();
        for name in &args.tables {
            for table in names::find(&session, name, args.system, connector.dbname()).await? {
                if !tables.contains(&table) {
                    tables.push(table);
                }
            }
        }
        Ok(Self { connector, session, access, tables })
    }

    /// Connects again.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub async fn reopen(&mut self) -> Result<(), Failure> {
        self.session = Session::open(&mut self.connector).await?;
        self.access = Access::find(&self.session).await?;
        Ok(())
    }
}
