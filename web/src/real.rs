//! A run on a real PostgreSQL in the page (PGlite): captures and WAL of each statement become a timeline, as those of a
//! server do.
//!
//! ```text
//!  statements ──▶ PGlite ──lines of a capture, bytes of the WAL──▶ Real ──push_played──▶ Timeline
//!                                                                   │                       │ compare
//!                                                                   └─counters─▶ simulator ──┴──▶ Verdict
//! ```
//!
//! The simulator then runs the same script from the counters that the server had: xid, OID and the WAL's position are
//! written before each statement, as directives.

use ffviz_format::page::Lsn;
use ffviz_format::state::State;
use ffviz_format::wal::{Next, WalStream};
use ffviz_story::recording;
use ffviz_story::timeline::{Played, Run, Timeline, Verdict, WalBetween, compare};
use js_sys::{Array, Reflect, Uint8Array};
use wasm_bindgen::JsValue;

/// The version that is chosen for it.
pub const PGLITE: &str = "pglite";
/// `wal_segment_size` of its data directory (`web/pglite/data.mjs`).
const SEGMENT: u32 = 1 << 20;

/// What has arrived of a run.
#[derive(Default)]
pub struct Real {
    /// what is said of each statement, and where in the text it ends
    statements: Vec<(String, usize)>,
    timeline: Option<Timeline>,
    done: usize,
    /// the server's own version, such as `18.6`
    version: String,
    /// what stands before each statement that was run, so that the simulator begins it from the same counters
    directives: Vec<String>,
    /// the counters after the last one: position in the WAL, next xid
    counters: (String, String),
}

/// Settings of the server that the simulator has otherwise (`web/pglite/worker.js`, `web/pglite/data.mjs`).
pub const SETTINGS: [&str; 1] = ["shared_buffers=16MB"];

impl Real {
    /// The statements as the simulator's worker splits the text; gives those that PGlite is to run, and the crashes.
    pub fn split(&mut self, statements: &JsValue) -> Array {
        let all = Array::from(statements);
        let field = |item: &JsValue, name: &str| Reflect::get(item, &name.into()).unwrap_or_default();
        let is_crash = |item: &JsValue| field(item, "label").as_string().is_some_and(|label| is_crash(&label));
        let known = |item: JsValue| {
            let end = field(&item, "end").as_f64().unwrap_or_default() as usize;
            (field(&item, "label").as_string().unwrap_or_default(), end)
        };
        self.statements = all.iter().map(known).collect();
        all.iter().map(|item| field(&item, if is_crash(&item) { "label" } else { "sql" })).collect()
    }

    /// Takes in what was posted after a statement.
    pub fn take_in(&mut self, posted: &JsValue) {
        let field = |name: &str| Reflect::get(posted, &name.into()).unwrap_or_default();
        let word = |name: &str| field(name).as_string().unwrap_or_default();
        let Some(n) = field("n").as_f64().map(|n| n as usize) else { return };
        self.done = n;
        if n == 0 {
            self.version = word("version");
        }
        let before = core::mem::replace(&mut self.counters, (word("lsn"), word("xid")));
        let outcome = field("error").as_string().map_or_else(|| word("status"), |error| format!("ERROR: {error}"));
        let read = recording::read(word("lines").as_bytes()).timeline;
        let Some(timeline) = &mut self.timeline else {
            self.timeline = read;
            return;
        };
        // where nothing could be asked, in a transaction that has failed, all is taken to be as it was
        let is_seen = read.is_some();
        let next = read.map_or_else(|| timeline.last().clone(), |read| read.state().clone());
        let wal = is_seen.then(|| between(&word("from"), &field("wal"), timeline));
        let label = self.statements.get(n.wrapping_sub(1)).map(|(label, _)| label.clone());
        self.directives.push(directives(&before, timeline, &next));
        let played = Played { outcome, ..Played::default() };
        match (recording::read(word("disk").as_bytes()).timeline, wal) {
            (Some(disk), Some(wal)) => timeline.push_crashed(disk.state(), &next, label, wal, played),
            (_, wal) => timeline.push_played(next, label, wal, played),
        }
    }

    /// The script for the simulator, and the version to run it on: the same statements, each from the server's
    /// counters.
    #[must_use]
    pub fn annotated(&self) -> (String, &str) {
        let pairs = self.directives.iter().zip(&self.statements);
        let text = pairs.map(|(directives, (sql, _))| match sql.starts_with("--@") {
            true if is_crash(sql) => format!("{directives}{sql}\n"),
            // the server takes no others
            true => String::new(),
            false => format!("{directives}{};\n", sql.trim_end().trim_end_matches(';')),
        });
        (text.collect(), &self.version)
    }

    /// What is equal to what the simulator did with it.
    #[must_use]
    pub fn verdict(&self, simulated: &Run) -> String {
        let verdict = self.timeline.as_ref().map_or_else(Verdict::default, |real| compare(real, &simulated.timeline));
        verdict.sentence(&format!("the simulator of PostgreSQL {}", self.version))
    }

    /// Statements that are done, and how many there are.
    #[must_use]
    pub const fn progress(&self) -> (usize, usize) {
        (self.done, self.statements.len())
    }

    /// The steps so far.
    #[must_use]
    pub fn run(&self, text: &str) -> Option<Run> {
        let ends = self.statements.iter().map(|(_, end)| *end).collect();
        Some(Run::new(text.to_owned(), ends, self.timeline.clone()?))
    }
}

/// A crash, the one directive that PostgreSQL in the page can play.
fn is_crash(label: &str) -> bool {
    label.starts_with("--@") && label[3..].trim_start().starts_with("crash")
}

/// The counters that a statement began with; the OID only where it made a relation.
fn directives((lsn, xid): &(String, String), before: &Timeline, after: &State) -> String {
    let known = &before.last().relations;
    let new = after.relations.iter().filter(|(oid, _)| !known.contains_key(oid));
    let oid = new.flat_map(|(oid, relation)| [*oid, relation.filenode]).filter(|oid| *oid > 0).min();
    // in a transaction that has failed they cannot be asked for
    let is_known = !lsn.is_empty() && !xid.is_empty();
    let mut text = if is_known { format!("--@ lsn {lsn}\n--@ xid {xid}\n") } else { String::new() };
    text.extend(oid.map(|oid| format!("--@ oid {oid}\n")));
    text
}

/// The records of these bytes of WAL.
fn between(from: &str, bytes: &JsValue, timeline: &Timeline) -> WalBetween {
    let Ok(start) = from.parse::<Lsn>() else { return WalBetween::default() };
    let mut stream = WalStream::new(start, timeline.last().server.version, SEGMENT);
    stream.push(&Uint8Array::from(bytes.clone()).to_vec());
    let mut wal = WalBetween::default();
    loop {
        match stream.next() {
            Next::Record(record) => wal.records.push(record),
            Next::More => return wal,
            Next::End(end) => {
                wal.gap = Some(format!("the WAL cannot be read on from {}", end.at));
                return wal;
            }
        }
    }
}
