//! Two runs of one script, a server's and the simulator's: are the pages and the WAL of each statement equal, byte for
//! byte?
//!
//! ```text
//!   server      s1 ─ s1 ─ s1 ┬ s2 ─ s2 ┬      the pages that either changed, as they are at the end of the statement,
//!   simulator   s1 ─ s1 ─────┴ s2 ─────┴      and the records of tables, indexes and sequences, in order
//! ```
//!
//! Left out are what only a position in the WAL decides (`pd_lsn`, and the checksum over it), and catalogs.

use super::{Cause, Group, Timeline};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::page::Page;
use ffviz_format::state::{PageId, State};
use ffviz_format::wal::{Record, Rmgr};

/// `pd_lsn` and `pd_checksum`.
const NOT_COMPARED: usize = 10;
/// Differences that are told one by one.
const TOLD: usize = 8;
/// Functions whose values are others each time.
const VOLATILE: [&str; 6] =
    ["random(", "gen_random_uuid(", "now(", "clock_timestamp", "current_timestamp", "current_date"];

/// What is equal, and what is not.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Verdict {
    /// statements that were compared
    pub statements: usize,
    /// pages
    pub pages: usize,
    /// WAL records
    pub records: usize,
    /// what differs: a phrase each
    pub differences: Vec<String>,
    /// why it was not compared to the end: a phrase
    pub left_out: Option<String>,
}

/// A page's name in both runs: relation, fork, block.
type Name = (String, &'static str, u32);

impl Verdict {
    /// In a sentence; `server` is its name.
    #[must_use]
    pub fn sentence(&self, server: &str) -> String {
        let compared = format!(
            "{} statements, {} pages, {} WAL records compared with {server}",
            self.statements, self.pages, self.records
        );
        let rest = self.left_out.as_ref().map_or_else(String::new, |why| format!(" Not compared: {why}."));
        match &self.differences[..] {
            [] if self.pages + self.records == 0 => format!("Nothing that could differ: {compared}.{rest}"),
            [] => format!("Equal, byte for byte: {compared}.{rest}"),
            told => format!("Not equal: {}. {compared}.{rest}", told.join("; ")),
        }
    }

    fn differs(&mut self, n: usize, what: &str) {
        match self.differences.len() {
            0..TOLD => self.differences.push(format!("statement {n}, {what}")),
            TOLD => self.differences.push(String::from("and more")),
            _ => {}
        }
    }
}

/// Compares what a server did with what the simulator did.
#[must_use]
pub fn compare(server: &Timeline, simulator: &Timeline) -> Verdict {
    let mut verdict = Verdict::default();
    let statements = |timeline: &Timeline| -> Vec<Group> {
        timeline.groups().iter().filter(|group| group.is_statement()).cloned().collect()
    };
    for (n, (theirs, ours)) in (1..).zip(statements(server).iter().zip(&statements(simulator))) {
        let sql = theirs.label.as_deref().unwrap_or_default();
        let lower = sql.to_lowercase();
        if let Some(function) = VOLATILE.into_iter().find(|function| lower.contains(function)) {
            let function = function.trim_end_matches('(');
            verdict.left_out =
                Some(format!("statement {n} and what follows, as {function} gives other values each time"));
            break;
        }
        verdict.statements += 1;
        outcome(&mut verdict, n, theirs, ours);
        let theirs = Played { timeline: server, statement: theirs };
        let ours = Played { timeline: simulator, statement: ours };
        pages(&mut verdict, n, theirs, ours);
        records(&mut verdict, n, theirs, ours);
    }
    verdict
}

/// A statement as one of the two did it.
#[derive(Clone, Copy)]
struct Played<'a> {
    timeline: &'a Timeline,
    statement: &'a Group,
}

impl Played<'_> {
    /// The state at its end, and the pages that it changed.
    fn end(self) -> End {
        let states = self.statement.states.clone();
        let state = self.timeline.here_at(states.end - 1).state;
        End { state, touched: states.flat_map(|state| self.timeline.touched(state)).collect() }
    }

    /// Its records of relations that are known.
    fn records(self) -> Vec<String> {
        let states = self.statement.states.clone();
        let end = self.timeline.here_at(states.end - 1).state;
        let causes = states.filter_map(|state| self.timeline.cause(state));
        causes.filter_map(|cause| record(&end, cause)).collect()
    }
}

struct End {
    state: State,
    touched: BTreeSet<PageId>,
}

impl End {
    /// The changed pages by name.
    fn names(&self) -> impl Iterator<Item = Name> {
        self.touched.iter().filter_map(|id| name(&self.state, *id))
    }
}

fn outcome(verdict: &mut Verdict, n: usize, theirs: &Group, ours: &Group) {
    let failed = |group: &Group| group.outcome().is_some_and(|outcome| outcome.starts_with("ERROR"));
    if failed(theirs) != failed(ours) {
        let told = |group: &Group| String::from(group.outcome().unwrap_or_default());
        verdict.differs(n, &format!("outcome: {} there, {} simulated", told(theirs), told(ours)));
    }
}

/// Compares the pages that either changed, as they are at the end.
fn pages(verdict: &mut Verdict, n: usize, theirs: Played<'_>, ours: Played<'_>) {
    let (theirs, ours) = (theirs.end(), ours.end());
    let names: BTreeSet<Name> = theirs.names().chain(ours.names()).collect();
    let by_name = |state: &State| -> BTreeMap<Name, PageId> {
        state.pages.keys().filter_map(|id| Some((name(state, *id)?, *id))).collect()
    };
    let (at_server, at_simulator) = (by_name(&theirs.state), by_name(&ours.state));
    for name in names {
        let page = |known: &BTreeMap<Name, PageId>, state: &State| {
            known.get(&name).and_then(|id| state.pages.get(id)).cloned()
        };
        let place = format!("{}{}:{}", name.0, name.1, name.2);
        verdict.pages += 1;
        match (page(&at_server, &theirs.state), page(&at_simulator, &ours.state)) {
            (Some(theirs), Some(ours)) => {
                if let Some(difference) = bytes(&theirs, &ours) {
                    verdict.differs(n, &format!("page {place}: {difference}"));
                }
            }
            (Some(_), None) => verdict.differs(n, &format!("page {place} is not simulated")),
            (None, Some(_)) => verdict.differs(n, &format!("page {place} is simulated only")),
            (None, None) => verdict.pages -= 1,
        }
    }
}

fn name(state: &State, id: PageId) -> Option<Name> {
    use ffviz_format::page::ForkNumber;
    let fork = match id.fork {
        ForkNumber::Main => "",
        ForkNumber::Fsm => "/fsm",
        ForkNumber::Vm => "/vm",
        ForkNumber::Init => "/init",
    };
    Some((state.relations.get(&id.relation)?.name.clone(), fork, id.block))
}

/// Where two pages differ first, and in how many bytes.
fn bytes(theirs: &Page, ours: &Page) -> Option<String> {
    let differing = |at: &usize| theirs.bytes().get(*at) != ours.bytes().get(*at);
    let mut all = (NOT_COMPARED..theirs.bytes().len().max(ours.bytes().len())).filter(differing);
    let first = all.next()?;
    let more = all.count();
    let byte =
        |page: &Page| page.bytes().get(first).map_or_else(|| String::from("none"), |byte| format!("{byte:#04x}"));
    Some(format!("byte {first} is {}, simulated {}; {more} more bytes differ", byte(theirs), byte(ours)))
}

/// Compares the records, in order.
fn records(verdict: &mut Verdict, n: usize, theirs: Played<'_>, ours: Played<'_>) {
    let (theirs, ours) = (theirs.records(), ours.records());
    verdict.records += theirs.len().max(ours.len());
    let none = || String::from("none");
    let at = (0..theirs.len().max(ours.len())).find(|at| theirs.get(*at) != ours.get(*at));
    if let Some(at) = at {
        let of = |all: &[String]| all.get(at).cloned().unwrap_or_else(none);
        verdict.differs(n, &format!("record {}: {}, simulated {}", at + 1, of(&theirs), of(&ours)));
    }
}

/// A record of a table, an index or a sequence that is known: its type and length.
fn record(state: &State, cause: &Cause) -> Option<String> {
    let Cause::Record(record) = cause else { return None };
    let rmgr = Rmgr(record.header().xl_rmid());
    is_known(state, record).then(|| {
        let name = record.type_name(state.server.version);
        format!("{} {name} of {} bytes", rmgr.name(), record.bytes.len())
    })
}

fn is_known(state: &State, record: &Record) -> bool {
    let Ok(decoded) = record.decode(state.server.version) else { return false };
    let known = |file| state.relations.values().any(|relation| relation.is_file(file));
    decoded.blocks.iter().any(|block| known(block.tag.locator))
}
