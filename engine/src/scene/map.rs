//! The relation map: every block a cell, or a run of blocks a cell when zoomed out.

use super::{Change, Fact, Look, MapCell, Measure, PartId, RelationMapScene, Role, words};
use crate::page::{BlockNumber, Oid, Page};
use crate::storage::{ForkNumber, PageId};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// cells at most, unless zoomed in by hand
const CELLS: u32 = 4000;

/// The map of a relation's main fork.
#[must_use]
pub fn scene(look: &Look<'_>, oid: Oid, measure: Measure, zoom: Option<u32>) -> RelationMapScene {
    let relation = look.relation(oid);
    let blocks = relation.map_or(0, |relation| relation.blocks.main);
    let zoom = zoom.unwrap_or_else(|| blocks.div_ceil(CELLS).max(1).next_power_of_two());
    let name = relation.map_or_else(String::new, |relation| words::relation(relation));
    let cell = |first: BlockNumber| cell(look, PageId { relation: oid, fork: ForkNumber::Main, block: first });
    RelationMapScene {
        title: format!("{name} · {}", words::count(u64::from(blocks), "block")),
        measure: measure.meaning().to_string(),
        measures: Measure::ALL.iter().map(|other| (*other, other.word(), *other == measure)).collect(),
        facts: Vec::from([Fact { label: "blocks".to_string(), value: words::thousands(u64::from(blocks)) }]),
        cells: (0..blocks).step_by(zoom as usize).map(cell).collect(),
        zoom,
        blocks,
    }
}

fn cell(look: &Look<'_>, id: PageId) -> MapCell {
    let page = look.page(id);
    let change = match look.change(id).map(|change| change.before.is_some()) {
        None => Change::Same,
        Some(true) => Change::Modified,
        Some(false) => Change::Added,
    };
    let percent = page.map(fill);
    let label = match percent {
        Some(percent) => format!("block {}: {percent} % full", id.block),
        None => format!("block {}: not read", id.block),
    };
    MapCell {
        part: PartId::Block(id.block),
        role: if page.is_some() { Role::Block } else { Role::BlockUnknown },
        change,
        percent,
        label,
    }
}

/// Share of the page in use.
fn fill(page: &Page) -> u8 {
    let header = page.header();
    let free = u64::from(header.pd_upper().saturating_sub(header.pd_lower()));
    words::percent(u64::from(page.size()).saturating_sub(free), u64::from(page.size()))
}
