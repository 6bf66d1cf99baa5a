//! The roles that occur in a picture: what its legend must explain.

use super::{Role, Scene};
use alloc::collections::BTreeSet;
use alloc::vec::Vec;

/// Each role once, in the order of their declaration.
#[must_use]
pub fn roles(scene: &Scene) -> Vec<Role> {
    let mut seen = BTreeSet::new();
    match scene {
        Scene::List(list) => seen.extend(list.rows.iter().map(|row| row.role)),
        Scene::RelationMap(map) => seen.extend(map.cells.iter().map(|cell| cell.role)),
        Scene::Tree(tree) => seen.extend(tree.levels.iter().flat_map(|level| &level.nodes).map(|node| node.role)),
        Scene::Page(page) => {
            seen.extend(page.regions.iter().map(|region| region.role));
            seen.extend(page.rows.iter().map(|row| row.role));
        }
        Scene::Wal(wal) => {
            seen.extend(wal.rows.iter().map(|row| row.row.role));
            seen.extend(wal.whole.parts.iter().map(|part| part.role));
        }
    }
    seen.into_iter().collect()
}
