//! Why updates are not HOT today, as far as a server's statistics tell: what no fillfactor changes comes first.
//!
//! `heap_update` (src/backend/access/heap/heapam.c) makes an update HOT where the page has room for the new version and
//! no index needs an entry. An update that stays on its page and is not HOT has changed a column of an index; one that
//! goes to another page has found no room (`n_tup_newpage_upd`, from 16 on).

use super::facts::Origin;
use super::pattern::{Pattern, UpdateStatement, Updates};
use super::shape::{Index, Shape};
use super::simulation::Case;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::page::{count, thousands};

/// Fewer updates tell nothing.
const ENOUGH: u64 = 100;
/// Transactions that began since a snapshot was taken, from which on it is told.
const OLD: u64 = 1000;

/// `pg_stat_user_tables` of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counters {
    /// `n_tup_ins`
    pub inserted: u64,
    /// `n_tup_upd`
    pub updated: u64,
    /// `n_tup_hot_upd`
    pub hot: u64,
    /// `n_tup_newpage_upd`, from 16 on
    pub newpage: Option<u64>,
    /// `n_live_tup`
    pub live: u64,
    /// `n_dead_tup`
    pub dead: u64,
}

impl Counters {
    /// HOT updates of all, 0 to 1.
    #[must_use]
    pub fn hot_share(&self) -> f64 {
        self.hot as f64 / self.updated.max(1) as f64
    }

    /// How often a row is updated: all updates by the rows that came, or that are there where most came before the
    /// counters began.
    #[must_use]
    pub fn updates_a_row(&self) -> Option<f64> {
        let rows = self.inserted.max(self.live);
        (self.updated >= ENOUGH && rows > 0).then(|| self.updated as f64 / rows as f64)
    }

    /// The share of the updates that change a column of an index: those that found room and were not HOT, of all that
    /// found room. Whether there is room does not depend on which column changes.
    #[must_use]
    pub fn indexed_share(&self) -> Option<f64> {
        let stayed = self.updated.checked_sub(self.newpage?)?;
        let indexed = stayed.checked_sub(self.hot)?;
        (self.updated >= ENOUGH && stayed > 0).then(|| indexed as f64 / stayed as f64)
    }
}

/// Who keeps old versions of rows from being pruned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder {
    /// `session 4711 (idle in transaction for 3,600 s)`, `replication slot "s"`
    pub who: String,
    /// transactions that have begun since
    pub age: u64,
    /// what would end it
    pub way_out: String,
}

/// What was read of a table's past.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Observed {
    /// its counters, where they could be read
    pub counters: Option<Counters>,
    /// since when they count, if ever they were reset
    pub since: Option<String>,
    /// which UPDATE statements were run, where that could be read
    pub statements: Vec<UpdateStatement>,
    /// who holds back pruning
    pub holders: Vec<Holder>,
}

impl Observed {
    /// What is known of the updates, where nobody says which columns they change.
    #[must_use]
    pub fn updates(&self) -> Updates {
        let measured = self.counters.and_then(|counters| counters.indexed_share());
        // a few in a thousand may be anything
        let measured = measured.map(|share| if share < 0.005 { 0.0 } else { share });
        match measured {
            _ if !self.statements.is_empty() => Updates::Statements(self.statements.clone(), measured),
            Some(share) => Updates::Indexed(share, Origin::Measured),
            None => Updates::Indexed(0.0, Origin::Assumed),
        }
    }
}

/// The reasons, a sentence each; none where nothing is known to stand in the way.
#[must_use]
pub fn obstacles(shape: &Shape, pattern: &Pattern, observed: &Observed) -> Vec<String> {
    let mut told = Vec::new();
    if let Some(counters) = observed.counters {
        told.push(of_counters(&counters, observed.since.as_deref()));
    }
    of_indexes(shape, pattern, &mut told);
    let mut holders: Vec<&Holder> = observed.holders.iter().filter(|holder| holder.age >= OLD).collect();
    holders.sort_by(|a, b| b.age.cmp(&a.age).then_with(|| a.who.cmp(&b.who)));
    told.extend(holders.into_iter().map(of_holder));
    told
}

/// Does the simulation of today's fillfactor give what the counters tell? `None`, where they tell too little.
#[must_use]
pub fn comparison(shape: &Shape, observed: &Observed, cases: &[Case]) -> Option<String> {
    /// points by which they may differ without more words
    const NEAR: f64 = 0.1;
    let counters = observed.counters.filter(|counters| counters.updated >= ENOUGH)?;
    let today = cases.iter().find(|case| case.fillfactor == shape.fillfactor)?;
    let (measured, simulated) = (counters.hot_share(), today.hot);
    let text = format!(
        "Measured are {:.1} % HOT, simulated with today's fillfactor {:.1} %",
        measured * 100.0,
        simulated * 100.0
    );
    let is_near = (measured - simulated).abs() <= NEAR;
    let why = "; what differs is the table's history, or what is assumed of its updates below: --updates and --busiest say it otherwise";
    Some(text + if is_near { "" } else { why })
}

fn of_counters(counters: &Counters, since: Option<&str>) -> String {
    let since = since.map_or_else(String::new, |since| format!(" since {since}"));
    if counters.updated < ENOUGH {
        return format!("{}{since}: too few to tell how many are HOT", count(counters.updated, "update"));
    }
    let percent = |part: u64| format!("{:.1} %", part as f64 * 100.0 / counters.updated as f64);
    let mut text = format!("{} updates{since}, {} HOT", thousands(counters.updated), percent(counters.hot));
    if let Some(newpage) = counters.newpage {
        let stayed = counters.updated.saturating_sub(newpage).saturating_sub(counters.hot);
        text += &format!(
            "; {} found no room on their page, which a fillfactor changes; {} found room and changed a column of an index, which none changes",
            percent(newpage),
            percent(stayed)
        );
    }
    text
}

/// Indexes on what changes.
fn of_indexes(shape: &Shape, pattern: &Pattern, told: &mut Vec<String>) {
    if pattern.share <= 0.0 {
        return;
    }
    let before = told.len();
    for (column, share) in &pattern.named {
        let name = shape.columns.get(*column).map_or("", |column| column.name.as_str());
        let of_all =
            if *share < 1.0 { format!(", which {:.0} % of the updates set,", share * 100.0) } else { String::new() };
        told.extend(shape.indexes_of(*column).map(|index| {
            let unused = unused(index);
            format!("column {name}{of_all} is in index {}{unused}: no UPDATE that changes it is HOT, whatever the fillfactor", index.name)
        }));
    }
    if told.len() > before {
        return;
    }
    let origin = pattern.facts.first().map(|fact| fact.origin);
    let (known, which) = match origin {
        Some(Origin::Measured) => {
            (", by the counters", format!(". Statistics do not tell of which: {}", all_indexes(shape)))
        }
        Some(Origin::Given) => ("", simulated(shape, pattern)),
        _ => (", since each column is in one", simulated(shape, pattern)),
    };
    told.push(format!(
        "{:.0} % of the updates change a column of an index{known}: they are never HOT, whatever the fillfactor{which}",
        pattern.share * 100.0
    ));
}

fn all_indexes(shape: &Shape) -> String {
    let indexes = shape.indexes.iter().filter(|index| !index.is_summarizing);
    let all: Vec<String> =
        indexes.map(|index| format!("{} ({}){}", index.name, columns(shape, index), unused(index))).collect();
    all.join(", ")
}

/// Which column of an index the simulated updates change.
fn simulated(shape: &Shape, pattern: &Pattern) -> String {
    let column = pattern.indexed.iter().copied().find(|column| !shape.is_hot(*column));
    let index = column.and_then(|column| Some((column, shape.indexes_of(column).next()?)));
    let Some((column, index)) = index else { return String::new() };
    let is_only = shape.indexes.iter().filter(|index| !index.is_summarizing).count() == 1;
    let only = if is_only { ", since there is no other" } else { "" };
    format!(". What changes is taken to be {}, a column of {}{only}", shape.columns[column].name, index.name)
}

fn columns(shape: &Shape, index: &Index) -> String {
    let all = index.keys.iter().chain(&index.others);
    let names: Vec<&str> = all.filter_map(|column| Some(shape.columns.get(*column)?.name.as_str())).collect();
    names.join(", ")
}

fn unused(index: &Index) -> String {
    match index.scans {
        Some(0) if !index.is_unique => ", which nobody has scanned".to_string(),
        _ => String::new(),
    }
}

fn of_holder(holder: &Holder) -> String {
    format!(
        "{} holds a snapshot that {} transactions have begun after: row versions that died since are not pruned, so pages stay full whatever the fillfactor; {}",
        holder.who,
        thousands(holder.age),
        holder.way_out
    )
}
