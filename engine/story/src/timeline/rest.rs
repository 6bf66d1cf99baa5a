//! What replay leaves to the later capture, and the check of replay against it.
//!
//! ```text
//! page   pd_lsn replayed   captured    it
//!              =                       must be equal but for what is not logged: hint bits, LP_DEAD marks  ──▶ inferred
//!              >                       was read before the last records were written: stays as replayed
//!              <                       has records that are not in the WAL that was read                   ──▶ measured
//!
//! of a visibility map pd_lsn does not say which bits were cleared: records do (timeline/cleared.rs)
//! ```

use super::diff::{Diff, diff};
use super::replay::{Place, Replay, Replayed};
use super::{PageChange, RelationChange};
use crate::redo::{PageShape, mask};
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use ffviz_format::heap::{HeapPage, HeapTuple};
use ffviz_format::page::header::PD_ALL_VISIBLE;
use ffviz_format::page::{ForkNumber, OffsetNumber, Page};
use ffviz_format::state::{AccessMethod, PageId, Relation, State};

/// Why a page of the visibility map may differ though all else is right: `visibilitymap_clear` comes before the record
/// is written.
const MAP_IS_EARLY: &str = " A bit of the visibility map is cleared before the record about the row is written: it may be that this page was read in between.";

/// What is left when all records are done, in the order in which it is told.
#[derive(Default)]
pub(super) struct Rest {
    /// what the WAL does not tell: hints, the free space map, zeroed blocks
    pub not_logged: Diff,
    /// what it would tell, were it all there
    pub measured: Diff,
    /// statistics, and pages that became known or were forgotten
    pub silent: Diff,
}

/// Compares the replayed state with the capture.
pub(super) fn rest(place: Place<'_>, replay: &mut Replay, gap: Option<&str>) -> Rest {
    // then what the capture lacks is younger than it
    let is_whole = gap.is_none() && replay.report.anomalies.is_empty() && replay.report.lost == 0;
    check(place, is_whole, replay);
    let target = target(place, is_whole, replay);
    let found = diff(place.state, &target);
    let mut rest = Rest::default();
    for change in found.pages {
        let list = if is_not_logged(place.after, &change) { &mut rest.not_logged } else { &mut rest.measured };
        list.pages.push(change);
    }
    for change in found.relations {
        let list = match weight(&change) {
            _ if rest.not_logged.has(&change) => &mut rest.not_logged,
            _ if rest.measured.has(&change) => &mut rest.measured,
            Weight::Statistics => &mut rest.silent,
            Weight::Length => &mut rest.not_logged,
            Weight::Facts => &mut rest.measured,
        };
        list.relations.push(change);
    }
    let last = match (rest.measured.is_empty(), rest.not_logged.is_empty()) {
        (false, _) => &mut rest.measured,
        (true, false) => &mut rest.not_logged,
        (true, true) => &mut rest.silent,
    };
    let forgets = found.known.iter().any(|change| change.after.is_none());
    // to forget is a step, lest a page that a record changed were said to have changed otherwise
    let last = if forgets { &mut rest.measured } else { last };
    last.known = found.known;
    if !rest.measured.is_empty() {
        replay.report.measured = Some(why_measured(place.after, &rest.measured, gap, &replay.report));
    }
    rest
}

impl Diff {
    /// Is a page of the relation among its changes?
    fn has(&self, change: &RelationChange) -> bool {
        self.pages.iter().any(|page| page.id.relation == change.oid)
    }

    /// Is it no step?
    pub(super) fn is_empty(&self) -> bool {
        let forgets = self.known.iter().any(|change| change.after.is_none());
        self.pages.is_empty() && self.relations.is_empty() && !forgets
    }
}

fn check(place: Place<'_>, is_whole: bool, Replay { report, touched, cleared, .. }: &mut Replay) {
    for (id, replayed) in place.state.pages.iter().filter(|(id, _)| is_replayed(place.after, **id)) {
        let Some(captured) = place.after.pages.get(id).filter(|_| is_same_file(place, *id)) else { continue };
        let (ours, theirs) = (replayed.header().pd_lsn(), captured.header().pd_lsn());
        if ours > theirs && has_lsn(place.after, *id) || ours < theirs && !is_whole {
            continue;
        }
        report.compared += usize::from(touched.contains(id));
        let is_equal = is_masked_equal(place.after, *id, replayed, captured);
        if !is_equal && !cleared.explains(*id, replayed, captured) {
            report.differing.push(*id);
        }
    }
}

/// The capture, with what replay knows better: it goes on to the end of the WAL, and each page of the capture was read
/// at another time.
fn target(place: Place<'_>, is_whole: bool, replay: &Replay) -> State {
    let mut target = place.after.clone();
    for (oid, relation) in &mut target.relations {
        let Some(now) = place.state.relations.get(oid).filter(|now| now.filenode == relation.filenode) else {
            continue;
        };
        if is_whole {
            *relation = with_longer_forks(relation, now);
        }
    }
    for (id, replayed) in place.state.pages.iter().filter(|(id, _)| is_same_file(place, **id)) {
        let is_newer = match place.after.pages.get(id) {
            Some(captured) if has_lsn(place.after, *id) => {
                let is_equal = || is_masked_equal(place.after, *id, replayed, captured);
                replayed.header().pd_lsn() > captured.header().pd_lsn()
                    || !is_equal() && replay.cleared.explains(*id, replayed, captured)
            }
            Some(_) => false,
            None => is_whole,
        };
        let flagged =
            place.after.pages.get(id).and_then(|captured| with_later_flag(place.after, *id, replayed, captured));
        if let Some(flagged) = flagged {
            target.pages.insert(*id, flagged);
        } else if is_newer && target.relations.get(&id.relation).is_some_and(|now| id.block < now.blocks.of(id.fork)) {
            target.pages.insert(*id, replayed.clone());
        }
    }
    target
}

/// The captured page with `PD_ALL_VISIBLE`, where a record about the visibility map set it after the page was read.
/// That need not move the page's `pd_lsn` (`log_heap_visible`), but to clear it does.
fn with_later_flag(after: &State, id: PageId, replayed: &Page, captured: &Page) -> Option<Page> {
    let (ours, theirs) = (replayed.header(), captured.header());
    let is_later = PageShape::of(after, id) == PageShape::Heap
        && ours.pd_lsn() == theirs.pd_lsn()
        && ours.pd_flags() & !theirs.pd_flags() & PD_ALL_VISIBLE != 0;
    is_later.then(|| {
        let mut page = captured.clone();
        page.set_pd_flags(theirs.pd_flags() | PD_ALL_VISIBLE);
        page
    })
}

/// The relation's facts with the greater length of each fork: one is as of the capture, the other as of the end of the
/// WAL.
fn with_longer_forks(captured: &Arc<Relation>, replayed: &Relation) -> Arc<Relation> {
    let mut blocks = captured.blocks;
    for fork in [ForkNumber::Main, ForkNumber::Fsm, ForkNumber::Vm, ForkNumber::Init] {
        blocks.set(fork, blocks.of(fork).max(replayed.blocks.of(fork)));
    }
    if blocks == captured.blocks {
        captured.clone()
    } else {
        Arc::new(Relation { blocks, ..Relation::clone(captured) })
    }
}

fn is_same_file(place: Place<'_>, id: PageId) -> bool {
    let file = |state: &State| state.relations.get(&id.relation).map(|relation| relation.filenode);
    file(place.state).is_some() && file(place.state) == file(place.after)
}

/// How much a change of a relation's facts says.
enum Weight {
    Statistics,
    Length,
    Facts,
}

fn weight(change: &RelationChange) -> Weight {
    let (Some(before), Some(after)) = (&change.before, &change.after) else { return Weight::Facts };
    let like_before = Relation { stats: before.stats, blocks: before.blocks, ..Relation::clone(after) };
    match (like_before == **before, before.blocks == after.blocks) {
        (false, _) => Weight::Facts,
        (true, true) => Weight::Statistics,
        // files grow before there is WAL about it; that they shrink is logged
        (true, false) if after.blocks.main >= before.blocks.main => Weight::Length,
        (true, false) => Weight::Facts,
    }
}

/// Can the change have come about without a record?
fn is_not_logged(after: &State, change: &PageChange) -> bool {
    match (&change.before, &change.after) {
        _ if change.id.fork == ForkNumber::Fsm => true,
        (Some(old), Some(new)) => is_masked_equal(after, change.id, old, new),
        (None, Some(new)) => new.is_new(),
        _ => false,
    }
}

/// Records of other access methods, such as hash and GIN, are not replayed.
fn is_replayed(state: &State, id: PageId) -> bool {
    let relation = state.relations.get(&id.relation);
    relation.is_none_or(|relation| !matches!(relation.am, AccessMethod::Other(_)))
}

/// Does `pd_lsn` say which records a page has? On the free space map, and where pages have no header of the usual form,
/// it does not.
fn has_lsn(state: &State, id: PageId) -> bool {
    PageShape::of(state, id) != PageShape::Other
}

/// Equal but for what redo does not reproduce? The free space map is not logged at all.
fn is_masked_equal(state: &State, id: PageId, a: &Page, b: &Page) -> bool {
    let shape = PageShape::of(state, id);
    if a == b || id.fork == ForkNumber::Fsm {
        return true;
    }
    let masked = |page: &Page| match shape {
        PageShape::Sequence => mask(&without_value(page), shape, id.block),
        _ => mask(page, shape, id.block),
    };
    masked(a) == masked(b)
}

/// A sequence's record says a value 32 ahead of the one on the page, and the values up to there are given out without a
/// record (`nextval_internal`, src/backend/commands/sequence.c).
fn without_value(page: &Page) -> Page {
    let mut page = page.clone();
    let data = HeapPage::decode(&page, 0).tuple(OffsetNumber(1)).map(HeapTuple::data).unwrap_or_default();
    if let Some(bytes) = page.bytes_mut().get_mut(usize::from(data.start)..usize::from(data.end)) {
        bytes.fill(0);
    }
    page
}

fn why_measured(after: &State, measured: &Diff, gap: Option<&str>, report: &Replayed) -> String {
    if let Some(gap) = gap {
        return format!("Part of the change is measured, since the WAL is not all there: {gap}.");
    }
    if let Some(id) = report.differing.first() {
        let n = report.differing.len();
        let early = if id.fork == ForkNumber::Vm { MAP_IS_EARLY } else { "" };
        return format!(
            "Part of the change is measured, since replay led to other bytes than the server shows on {n} of {} pages, first page {}.{early}",
            report.compared.max(n),
            after.page_name(*id)
        );
    }
    if report.lost > 0 {
        let records = if report.lost == 1 { "a record" } else { "some records" };
        return format!(
            "Part of the change is measured, since the server tells too little of {records} to replay what they did."
        );
    }
    if let Some(anomaly) = report.anomalies.first() {
        return format!("Part of the change is measured, since a record could not be replayed: {anomaly}.");
    }
    if measured.pages.iter().any(|change| !is_replayed(after, change.id)) {
        return String::from(
            "Part of the change is measured: ffviz does not replay the records of these access methods.",
        );
    }
    if measured.pages.is_empty() {
        return String::from("What the catalog says of the tables is measured: it is not in the WAL of their pages.");
    }
    String::from(
        "Part of the change is measured: the pages were not known before, or are not logged (an unlogged table).",
    )
}
