//! The tree of an index is kept from step to step, and read anew where pages changed: it must be the tree that is built from nothing.

use super::shared::timeline;
use ffviz_engine::nbtree::tree::{KeyColumns, Tree};
use ffviz_engine::storage::{AccessMethod, ForkNumber, State};

/// The tree of each index, from what was known of it before.
fn trees(state: &State, earlier: impl Fn(usize) -> Tree) -> Vec<Tree> {
    let indexes = state.relations.values().filter(|relation| relation.am == AccessMethod::Btree).enumerate();
    let tree = |(n, index): (usize, &std::sync::Arc<ffviz_engine::storage::Relation>)| {
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
