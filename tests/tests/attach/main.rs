//! Live databases: everything that `ffviz attach` and `ffviz record` read, and everything that can go wrong, on real
//! servers.
#![expect(missing_docs, reason = "a test's helpers")]

mod connecting;
mod faults;
mod reading;
mod recording;
mod rights;
mod standby;
mod statistics;
mod wal;
mod wal_faults;
mod walinspect;

use ffviz_format::page::{ForkNumber, Oid};
use ffviz_format::state::{PageId, State};
use ffviz_live::args::{AttachArgs, ReadArgs, WalArgs};
use ffviz_live::{self, Attached};
use ffviz_story::app::{Effect, Msg, TableEntry};
use postgres::Client;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// Longer than any answer takes, even on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// How to read, as the command line would say it.
pub fn read_args(url: &str, tables: &[&str]) -> ReadArgs {
    ReadArgs {
        conninfo: Some(url.to_owned()),
        tables: tables.iter().map(|table| (*table).to_owned()).collect(),
        redact: false,
        pages: 1000,
        pages_per_second: 0,
        system: false,
    }
}

/// The WAL that the server gives.
pub const fn wal_args() -> WalArgs {
    WalArgs { wal: None, wal_limit: 64 << 20 }
}

/// What the face would see.
pub struct Live {
    pub attached: Attached,
    messages: Receiver<Msg>,
}

impl Live {
    pub fn start(url: &str, tables: &[&str]) -> Result<Self, String> {
        Self::with(read_args(url, tables))
    }

    pub fn with(read: ReadArgs) -> Result<Self, String> {
        Self::with_wal_args(read, false, wal_args())
    }

    pub fn with_wal_args(read: ReadArgs, no_wal: bool, wal: WalArgs) -> Result<Self, String> {
        let (send, messages) = channel();
        let interval = Duration::from_millis(200);
        let args = AttachArgs { read, interval, no_wal, wal, print_wrapper: false, grant_to: None };
        let attached = ffviz_live::start(&args, move |msg| send.send(msg).is_ok())?;
        Ok(Self { attached, messages })
    }

    pub fn ask(&self, effect: Effect) {
        self.attached.effects.send(effect).expect("the thread lives");
    }

    pub fn next(&self) -> Msg {
        self.messages.recv_timeout(PATIENCE).expect("a message within a minute")
    }

    pub fn tables(&self) -> Vec<TableEntry> {
        match self.next() {
            Msg::Tables(tables) => tables,
            other => panic!("instead of the tables: {other:?}"),
        }
    }

    pub fn captured(&self) -> State {
        match self.next() {
            Msg::Captured(state) | Msg::CapturedWithWal(state, _) => state,
            other => panic!("instead of a capture: {other:?}"),
        }
    }

    pub fn failed(&self) -> String {
        match self.next() {
            Msg::Failed(sentence) => sentence,
            other => panic!("instead of a failure: {other:?}"),
        }
    }

    /// Asks for a capture and gets it.
    pub fn capture(&self, table: Oid) -> State {
        self.ask(Effect::Capture { table, pages: Vec::new() });
        self.captured()
    }
}

/// Why one cannot attach.
pub fn refusal(url: &str, tables: &[&str]) -> String {
    Live::start(url, tables).err().unwrap_or_else(|| panic!("{url} {tables:?} should be refused"))
}

pub fn oid(client: &mut Client, name: &str) -> Oid {
    client.query_one("SELECT $1::text::regclass::oid", &[&name]).expect("the relation exists").get(0)
}

/// Compares every page of the state with what get_raw_page gives; says how many.
pub fn compare(state: &State, client: &mut Client) -> usize {
    for (id, page) in &state.pages {
        let relation = &state.relations[&id.relation];
        let name = format!("\"{}\".\"{}\"", relation.schema, relation.name.replace('"', "\"\""));
        let statement = "SELECT get_raw_page($1, $2, $3::text::int4)";
        let raw: Vec<u8> =
            client.query_one(statement, &[&name, &id.fork.name(), &id.block.to_string()]).expect("the page").get(0);
        assert!(page.bytes() == raw, "{name} {id}");
    }
    state.pages.len()
}

pub fn main_pages(state: &State, relation: Oid) -> Vec<PageId> {
    state
        .fork(relation, ForkNumber::Main)
        .map(|(block, _)| PageId { relation, fork: ForkNumber::Main, block })
        .collect()
}
