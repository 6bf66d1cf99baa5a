//! What captures measured, over time: WAL by type of record, HOT updates, changed pages, dead row versions.
//!
//! ```text
//!  Timeline ─captures─▶ numbers of each ─▶ plots, made once ─▶ ChartsScene: with the current values
//! ```

use super::plot::{Axis, Series};
use super::{Column, PlotScene, Totals};
use crate::timeline::{Capture, Timeline};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::page::{ForkNumber, Oid, thousands};
use ffviz_format::state::AccessMethod;

/// So many captures there must be for a curve to tell more than its points do.
pub const LEAST: usize = 3;
/// Curves of a chart that are named, at most; the others share one.
const CURVES: usize = 5;
/// Runs of captures that a note names.
const RUNS: usize = 4;

/// Numbers of all captures, as charts.
#[derive(Debug, Clone, PartialEq)]
pub struct ChartsScene {
    /// how many captures, and which is the current one
    pub title: String,
    /// how to read them
    pub hint: String,
    /// the number of the current capture, the first is 0
    pub current: usize,
    /// from top to bottom
    pub charts: Vec<ChartScene>,
}

/// A chart, and its numbers in words.
#[derive(Debug, Clone, PartialEq)]
pub struct ChartScene {
    /// the curves
    pub plot: PlotScene,
    /// of each curve its value at the current capture; empty where it has none
    pub here: Vec<String>,
    /// a row a curve: its name, and what it comes to
    pub table: Totals,
}

/// The plots of a timeline, whichever its current state.
#[must_use]
pub fn plots(timeline: &Timeline) -> Vec<PlotScene> {
    let captures = timeline.captures();
    Vec::from([wal(&captures), hot(&captures), pages(&captures), dead(timeline, &captures)])
}

/// The plots at the current state.
#[must_use]
pub fn scene(timeline: &Timeline, plots: Vec<PlotScene>) -> ChartsScene {
    let groups = timeline.groups();
    let current = groups.partition_point(|group| group.states.end <= timeline.current());
    ChartsScene {
        title: format!("Charts · {} captures · at capture {current}", groups.len()),
        hint:
            "A capture is what was read of the server at one moment, and a point in each curve; the first is 0. WAL, \
               updates and changed pages: what came since the capture before. Dead row versions: how many there were."
                .to_string(),
        current,
        charts: plots.into_iter().map(|plot| chart(plot, current)).collect(),
    }
}

fn chart(plot: PlotScene, current: usize) -> ChartScene {
    let columns = ["curve", "at this capture", "first", "last", "peak at capture"];
    let columns = columns.iter().enumerate().map(|(n, title)| Column::new(title, n > 0)).collect();
    let here: Vec<String> = plot.series.iter().map(|series| at(series, current)).collect();
    let row = |(series, here): (&Series, &String)| {
        let value = |point: Option<&(f64, f64)>| point.map_or_else(String::new, |point| number(point.1));
        let most = series.points.iter().reduce(|most, point| if point.1 > most.1 { point } else { most });
        let most = most.map_or_else(String::new, |point| format!("{} at {}", number(point.1), number(point.0)));
        Vec::from([series.name.clone(), here.clone(), value(series.points.first()), value(series.points.last()), most])
    };
    let rows = plot.series.iter().zip(&here).map(row).collect();
    ChartScene { here, table: Totals { columns, rows }, plot }
}

/// A curve's value at a capture, where it has one.
fn at(series: &Series, capture: usize) -> String {
    let point = series.points.iter().find(|point| (point.0 - capture as f64).abs() < 0.5);
    point.map_or_else(String::new, |point| number(point.1))
}

/// A count, which no chart has a fraction of.
fn number(value: f64) -> String {
    thousands((value + 0.5) as u64)
}

/// A plot over all captures.
fn plot(title: &str, unit: &str, captures: &[Capture], series: Vec<Series>) -> PlotScene {
    let mut plot = PlotScene::new(title, "captures", unit, series);
    plot.x = Axis::counted("captures", captures.len().saturating_sub(1) as f64);
    plot.y = Axis::counted(unit, plot.y.end);
    plot
}

/// A curve of those captures that have the number.
fn curve(name: &str, captures: &[Capture], number: impl Fn(&Capture) -> Option<f64>) -> Series {
    let points = captures.iter().enumerate().filter_map(|(n, capture)| Some((n as f64, number(capture)?)));
    Series { name: name.to_string(), points: points.collect() }
}

/// Those that come to most have curves of their own.
fn largest<K: Ord + Clone>(sums: &BTreeMap<K, u64>) -> (Vec<K>, Vec<K>) {
    let mut keys: Vec<(&K, u64)> = sums.iter().filter(|(_, sum)| **sum > 0).map(|(key, sum)| (key, *sum)).collect();
    keys.sort_by(|(a, x), (b, y)| y.cmp(x).then_with(|| a.cmp(b)));
    // one that is left over may as well be named
    let named = if keys.len() == CURVES + 1 { keys.len() } else { keys.len().min(CURVES) };
    let mut first: Vec<K> = keys.into_iter().map(|(key, _)| key.clone()).collect();
    let others = first.split_off(named);
    (first, others)
}

fn wal(captures: &[Capture]) -> PlotScene {
    let mut sums: BTreeMap<String, u64> = BTreeMap::new();
    for (name, bytes) in captures.iter().filter_map(|capture| capture.wal.as_ref()).flatten() {
        *sums.entry(name.clone()).or_default() += bytes;
    }
    let (named, others) = largest(&sums);
    let bytes = |capture: &Capture, names: &[String]| {
        let wal = capture.wal.as_ref()?;
        Some(wal.iter().filter(|(name, _)| names.contains(name)).map(|(_, bytes)| *bytes).sum::<u64>() as f64)
    };
    let mut series: Vec<Series> =
        named.iter().map(|name| curve(name, captures, |capture| bytes(capture, core::slice::from_ref(name)))).collect();
    if !others.is_empty() {
        series.push(curve(&format!("{} other types", others.len()), captures, |capture| bytes(capture, &others)));
    }
    let mut plot = plot("WAL by type of record", "bytes", captures, series);
    plot.notes = gaps(captures);
    if captures.iter().any(|capture| capture.wal.is_some()) {
        let about = if sums.is_empty() {
            "No record was about these relations."
        } else {
            "Records about these relations, with the ends of their transactions and checkpoints."
        };
        plot.notes.insert(0, about.to_string());
    }
    plot
}

/// Which captures have no WAL, or not all of it, and why.
fn gaps(captures: &[Capture]) -> Vec<String> {
    let mut why: BTreeMap<(bool, &str), Vec<usize>> = BTreeMap::new();
    for (n, capture) in captures.iter().enumerate().skip(1) {
        match (&capture.wal, &capture.gap) {
            (Some(_), None) => {}
            (wal, gap) => {
                let gap = gap.as_deref().unwrap_or("the captures were taken without it");
                why.entry((wal.is_some(), gap)).or_default().push(n);
            }
        }
    }
    let note = |((is_part, why), of): ((bool, &str), Vec<usize>)| {
        let what = if is_part { "Not all WAL is there" } else { "No WAL" };
        let why = why.trim_end_matches('.');
        // of all captures they need not be named
        let of = if of.len() + 1 == captures.len() { String::new() } else { format!(" of {}", named(&of)) };
        format!("{what}{of}: {why}.")
    };
    why.into_iter().map(note).collect()
}

/// `capture 4`, `captures 2, 5–9`
fn named(captures: &[usize]) -> String {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for n in captures {
        match runs.last_mut() {
            Some((_, end)) if *end + 1 == *n => *end = *n,
            _ => runs.push((*n, *n)),
        }
    }
    let word = |(start, end): &(usize, usize)| match end - start {
        0 => start.to_string(),
        _ => format!("{start}–{end}"),
    };
    let mut words: Vec<String> = runs.iter().take(RUNS).map(word).collect();
    words.extend((runs.len() > RUNS).then(|| "…".to_string()));
    format!("{} {}", if captures.len() == 1 { "capture" } else { "captures" }, words.join(", "))
}

fn hot(captures: &[Capture]) -> PlotScene {
    let share = curve("HOT", captures, |capture| {
        (capture.updates > 0).then(|| capture.hot as f64 * 100.0 / capture.updates as f64)
    });
    let (updates, hot) =
        captures.iter().fold((0, 0), |(updates, hot), capture| (updates + capture.updates, hot + capture.hot));
    let has_wal = captures.iter().any(|capture| capture.wal.is_some());
    let note = match (has_wal, updates) {
        (false, _) => "Which updates were HOT is counted by their WAL records, and there is no WAL.".to_string(),
        (true, 0) => "No record of the WAL is one of an UPDATE.".to_string(),
        (true, _) => format!(
            "{} of {} updates were HOT, by their WAL records; captures without an update have no point.",
            thousands(hot),
            thousands(updates)
        ),
    };
    let series = if updates > 0 { Vec::from([share]) } else { Vec::new() };
    let mut plot = plot("HOT updates", "% of all updates", captures, series);
    plot.y = Axis::counted(&plot.y.label, 100.0);
    plot.with_note(&note)
}

fn pages(captures: &[Capture]) -> PlotScene {
    // the first capture has nothing before it
    let points = captures.iter().enumerate().skip(1).map(|(n, capture)| (n as f64, capture.pages as f64));
    let series = Series { name: "pages".to_string(), points: points.collect() };
    plot("Changed pages", "pages", captures, Vec::from([series]))
        .with_note("Pages of tables, indexes and their maps that are different, or that WAL records are about.")
}

fn dead(timeline: &Timeline, captures: &[Capture]) -> PlotScene {
    let mut sums: BTreeMap<Oid, u64> = BTreeMap::new();
    for (oid, dead) in captures.iter().flat_map(|capture| &capture.dead) {
        *sums.entry(*oid).or_default() += dead;
    }
    let (named, others) = largest(&sums);
    let relations = [&timeline.last().relations, &timeline.state().relations];
    let name = |oid: &Oid| {
        let relation = relations.iter().find_map(|known| known.get(oid));
        relation.map_or_else(|| format!("relation {oid}"), |relation| relation.told().into_owned())
    };
    let count = |capture: &Capture, of: &[Oid]| {
        let dead = capture.dead.iter().filter(|(oid, _)| of.contains(oid)).map(|(_, dead)| *dead);
        Some(dead.sum::<u64>() as f64)
    };
    let mut series: Vec<Series> = named
        .iter()
        .map(|oid| curve(&name(oid), captures, |capture| count(capture, core::slice::from_ref(oid))))
        .collect();
    if !others.is_empty() {
        series.push(curve(&format!("{} other tables", others.len()), captures, |capture| count(capture, &others)));
    }
    plot("Dead row versions", "row versions", captures, series).with_note(&counted_on(timeline, sums.is_empty()))
}

/// On which pages dead row versions are counted.
fn counted_on(timeline: &Timeline, nothing: bool) -> String {
    let state = timeline.last();
    let is_heap = |oid: &Oid| state.relations.get(oid).is_some_and(|relation| relation.am == AccessMethod::Heap);
    let all: u64 = state.relations.iter().filter(|(oid, _)| is_heap(oid)).map(|(_, r)| u64::from(r.blocks.main)).sum();
    let read = state.pages.keys().filter(|id| id.fork == ForkNumber::Main && is_heap(&id.relation)).count() as u64;
    let where_ = match (nothing && read == 0, read < all) {
        (true, _) => return "No page of a table was read, so none is counted.".to_string(),
        (_, true) => format!(
            "on the {} of {} pages that were read; more are counted once more are",
            thousands(read),
            thousands(all)
        ),
        (_, false) => "on all pages".to_string(),
    };
    format!("Line pointers that are dead, and row versions that were updated, deleted or rolled back, {where_}.")
}
