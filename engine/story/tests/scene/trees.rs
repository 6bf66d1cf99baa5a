//! The tree of an index is kept from step to step, and read anew where pages changed: it must be the tree that is built
//! from nothing.

use super::shared::timeline;
use ffviz_format::nbtree::tree::{KeyColumns, Tree};
use ffviz_format::page::ForkNumber;
use ffviz_format::state::{AccessMethod, PageId, State};
use ffviz_story::scene::{Look, Measure, PartId, map, page, tree};

/// The tree of each index, from what was known of it before.
fn trees(state: &State, earlier: impl Fn(usize) -> Tree) -> Vec<Tree> {
    let indexes = state.relations.values().filter(|relation| relation.am == AccessMethod::Btree).enumerate();
    let tree = |(n, index): (usize, &std::sync::Arc<ffviz_format::state::Relation>)| {
        let columns = KeyColumns { attributes: &index.attributes, n_keys: index.attributes.len() as u16 };
        Tree::build(state.fork(index.oid, ForkNumber::Main), state.server.version, columns, earlier(n))
    };
    indexes.map(tree).collect()
}

#[test]
fn a_tree_that_was_kept_is_the_tree_built_anew() {
    let (mut levels, mut splits, mut kept) = (0, 0, 0);
    for name in ["18/btree-grow", "18/dedup-bottomup", "18/wal-records"] {
        let mut timeline = timeline(name);
        let states = timeline.len();
        let mut known: Vec<Tree> = Vec::new();
        // forwards, back, and forwards in leaps
        for n in (0..states).chain((0..states).rev()).chain((0..states).step_by(7)) {
            timeline.seek(n);
            let now = trees(timeline.state(), |n| known.get(n).cloned().unwrap_or_default());
            assert_eq!(now, trees(timeline.state(), |_| Tree::default()), "{name}, state {n}");
            let pages = |trees: &[Tree]| trees.iter().map(|tree| tree.nodes().count()).collect::<Vec<_>>();
            levels = now.iter().map(|tree| tree.levels.len()).fold(levels, usize::max);
            match pages(&known) == pages(&now) {
                true => kept += 1,
                false => splits += 1,
            }
            known = now;
        }
    }
    println!(
        "{kept} steps with as many pages in each tree, {splits} with more or fewer; trees of up to {levels} levels"
    );
    assert!(kept > 100 && splits > 10 && levels > 1, "too little was compared");
}

/// A page of an index is as full beside its bytes as in the tree and on the map; all leaves together as
/// `avg_leaf_density` of `pgstatindex` has it.
#[test]
fn a_page_is_as_full_in_every_view() {
    let mut compared = 0;
    for name in ["18/btree-grow", "18/dedup-bottomup", "18/wal-records"] {
        let mut timeline = timeline(name);
        timeline.seek(timeline.len() - 1);
        let look = Look::new(&timeline, false);
        let indexes = look.state.relations.values().filter(|relation| relation.am == AccessMethod::Btree);
        for index in indexes {
            let drawn = tree::scene(&look, index.oid, &tree::build(&look, index.oid, Tree::default()), 0);
            let map = map::scene(&look, index.oid, Measure::Fill, Some(1));
            for node in drawn.levels.iter().flat_map(|level| &level.nodes) {
                let (PartId::Block(block), Some(percent)) = (node.part, node.percent) else { continue };
                let id = PageId { relation: index.oid, fork: ForkNumber::Main, block };
                let facts = page::scene(&look, id).facts;
                let fill = facts.iter().find(|fact| fact.label == "fill").map(|fact| fact.value.clone());
                let cell = map.cells.iter().find(|cell| cell.part == node.part).and_then(|cell| cell.percent);
                let line = node.lines.iter().any(|line| *line == format!("{percent} % full"));
                let all = (fill.as_deref(), cell, line);
                assert_eq!(
                    all,
                    (Some(format!("{percent} %").as_str()), Some(percent), true),
                    "{name} {} {block}",
                    index.name
                );
                compared += 1;
            }
        }
    }
    assert!(compared > 10, "only {compared} pages");
}
