//! A run on a real PostgreSQL in the page (PGlite): captures and WAL of each statement become a timeline, as those of a
//! server do.
//!
//! ```text
//!  statements ──▶ PGlite ──lines of a capture, bytes of the WAL──▶ Real ──push_played──▶ Timeline
//! ```

use ffviz_format::page::Lsn;
use ffviz_format::wal::{Next, WalStream};
use ffviz_story::recording;
use ffviz_story::timeline::{Played, Run, Timeline, WalBetween};
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
}

impl Real {
    /// The statements as the simulator's worker splits the text; gives those that PGlite is to run.
    pub fn split(&mut self, statements: &JsValue) -> Array {
        let all = Array::from(statements);
        let field = |item: &JsValue, name: &str| Reflect::get(item, &name.into()).unwrap_or_default();
        let known = |item: JsValue| {
            let end = field(&item, "end").as_f64().unwrap_or_default() as usize;
            (field(&item, "label").as_string().unwrap_or_default(), end)
        };
        self.statements = all.iter().map(known).collect();
        all.iter().map(|item| field(&item, "sql")).collect()
    }

    /// Takes in what was posted after a statement.
    pub fn take_in(&mut self, posted: &JsValue) {
        let field = |name: &str| Reflect::get(posted, &name.into()).unwrap_or_default();
        let word = |name: &str| field(name).as_string().unwrap_or_default();
        let Some(n) = field("n").as_f64().map(|n| n as usize) else { return };
        self.done = n;
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
        timeline.push_played(next, label, wal, Played { outcome, ..Played::default() });
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
