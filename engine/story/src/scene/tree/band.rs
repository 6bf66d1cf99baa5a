//! A long level of the tree as a band: its pages from left to right, a run of them a cell, as full as they are on
//! average.
//!
//! ```text
//! leaves   ▆▆▆▆▃▃▆▆▆▁▆▆▆█   each cell stands for 23 leaves
//! ```

use super::WHOLE_LEVEL;
use crate::scene::{Change, Look, MapCell, PartId, Role, words};
use alloc::format;
use alloc::vec::Vec;
use ffviz_format::nbtree::tree::Node;
use ffviz_format::page::{ForkNumber, Oid};
use ffviz_format::state::PageId;

/// Cells of a band at most: a line of a narrow terminal.
const CELLS: usize = 72;

/// Pages a cell, on a level of so many.
const fn run(nodes: usize) -> usize {
    nodes.div_ceil(CELLS)
}

/// The cells of a level; none where all its pages are drawn anyway.
pub(super) fn cells(look: &Look<'_>, index: Oid, nodes: &[Node]) -> Vec<MapCell> {
    if nodes.len() <= WHOLE_LEVEL {
        return Vec::new();
    }
    let runs = nodes.chunks(run(nodes.len())).enumerate();
    runs.filter_map(|(n, run_nodes)| cell(look, index, run_nodes, n * run(nodes.len()), nodes.len())).collect()
}

/// The cell that page `at` of a level of so many is in.
pub(super) fn cell_of(band: &[MapCell], nodes: usize, at: usize) -> Option<&MapCell> {
    band.get(at / run(nodes).max(1))
}

fn cell(look: &Look<'_>, index: Oid, nodes: &[Node], first: usize, all: usize) -> Option<MapCell> {
    let (left, right) = (nodes.first()?, nodes.last()?);
    let known = nodes.iter().filter_map(|node| node.contents.as_ref());
    let count = known.clone().count();
    let percent = (count > 0).then(|| super::fill(known.clone()));
    let changes = nodes.iter().filter_map(|node| {
        let id = PageId { relation: index, fork: ForkNumber::Main, block: node.block };
        look.change(id).map(|change| if change.before.is_some() { Change::Modified } else { Change::Added })
    });
    let is_leaf = known.clone().any(|page| page.page.btpo_level == 0);
    let role = match (count, is_leaf) {
        (0, _) => Role::BlockUnknown,
        (_, true) => Role::Leaf,
        (_, false) => Role::Internal,
    };
    let place = match nodes.len() {
        1 => format!("page {} of {} from the left, block {}", first + 1, words::thousands(all as u64), left.block),
        n => format!(
            "pages {} to {} of {} from the left, blocks {} … {}",
            words::thousands(first as u64 + 1),
            words::thousands((first + n) as u64),
            words::thousands(all as u64),
            left.block,
            right.block
        ),
    };
    let label = percent.map_or_else(|| format!("{place}: not read"), |percent| format!("{place}: {percent} % full"));
    Some(MapCell {
        part: PartId::Band(left.block),
        role,
        change: changes.fold(Change::Same, Change::and),
        percent,
        label,
    })
}
