//! The relation map: every block a cell, or a run of blocks a cell when zoomed out.
//!
//! ```text
//!   page read ─▶ measured
//!   not read  ─▶ free space map: a category, visibility map: two bits ─▶ so much is known
//! ```
//!
//! So the map of a relation of any size is drawn without reading its pages.

mod label;
mod survey;

use super::{Change, Fact, Look, MapCell, Measure, PartId, RelationMapScene, Role, words};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::ops::Range;
use ffviz_format::page::Oid;
use survey::{Survey, Tally};

/// cells at most, unless zoomed in by hand
const CELLS: u32 = 2048;

/// The map of a relation's main fork. Without `zoom` it takes as many blocks a cell as it must.
#[must_use]
pub fn scene(look: &Look<'_>, oid: Oid, measure: Measure, zoom: Option<u32>) -> RelationMapScene {
    let survey = Survey::new(look, oid, measure);
    let blocks = survey.blocks;
    let zoom = zoom.unwrap_or_else(|| default_zoom(blocks)).max(1);
    let runs = (0..blocks).step_by(zoom as usize).map(|first| first..blocks.min(first.saturating_add(zoom)));
    let mut whole = Tally::default();
    let cells = runs.map(|run| {
        let tally = survey.tally(&run, measure);
        whole.add(&tally);
        cell(&run, &tally, measure)
    });
    let cells = cells.collect();
    RelationMapScene {
        title: title(&survey),
        measure: measure.meaning().to_string(),
        measures: Measure::ALL.iter().map(|other| (*other, other.word(), *other == measure)).collect(),
        facts: facts(&survey, &whole),
        cells,
        zoom,
        blocks,
    }
}

/// Blocks a cell, so that there are not too many cells: a power of two.
#[must_use]
pub fn default_zoom(blocks: u32) -> u32 {
    blocks.div_ceil(CELLS).max(1).next_power_of_two()
}

fn title(survey: &Survey<'_>) -> String {
    let name = survey.relation.map_or_else(String::new, |relation| relation.told().into_owned());
    let size = words::size(u64::from(survey.blocks) * u64::from(survey.page_size));
    format!("{name} · {} · {size}", words::count(u64::from(survey.blocks), "block"))
}

fn cell(run: &Range<u32>, tally: &Tally, measure: Measure) -> MapCell {
    MapCell {
        part: PartId::Block(run.start),
        role: tally.role.unwrap_or(Role::BlockUnknown),
        change: tally.change,
        percent: tally.percent(measure),
        label: label::of(run, tally, measure),
    }
}

fn facts(survey: &Survey<'_>, whole: &Tally) -> Vec<Fact> {
    let fact = |label: &str, value: String| Fact { label: label.to_string(), value };
    let mut facts = Vec::from([fact("pages read", words::thousands(whole.read.into()))]);
    if let Some(fill) = whole.percent(Measure::Fill) {
        let known =
            if whole.fill_known < whole.blocks { format!(", of {} known", whole.fill_known) } else { String::new() };
        facts.push(fact("fill", format!("{fill} %{known}")));
    }
    if whole.vm_known > 0 {
        facts.push(fact("all-visible", words::thousands(whole.visible.into())));
        facts.push(fact("all-frozen", words::thousands(whole.frozen.into())));
    }
    if let Some(average) = survey.average {
        facts.push(fact("average row version", words::bytes(average.into())));
    }
    let Some(relation) = survey.relation else { return facts };
    if let Some(fillfactor) = relation.fillfactor {
        facts.push(fact("fillfactor", fillfactor.to_string()));
    }
    if let Some(stats) = &relation.stats {
        facts.push(fact("live tuples (estimated)", words::thousands(stats.n_live_tup.max(0).unsigned_abs())));
        facts.push(fact("dead tuples (estimated)", words::thousands(stats.n_dead_tup.max(0).unsigned_abs())));
        if let Some(share) = words::share(stats.n_tup_hot_upd, stats.n_tup_upd) {
            facts.push(fact("HOT updates (estimated)", format!("{share} %")));
        }
        if whole.vm_known == 0 && stats.relallvisible > 0 {
            let pages = words::thousands(stats.relallvisible.unsigned_abs());
            facts.push(fact("all-visible (estimated)", pages));
        }
    }
    facts
}

impl Change {
    /// The change of two parts taken together.
    pub(super) fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Same, other) | (other, Self::Same) => other,
            (a, b) if a == b => a,
            _ => Self::Modified,
        }
    }
}
