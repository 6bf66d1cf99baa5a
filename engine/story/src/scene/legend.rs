//! The roles that occur in a picture: what its legend must explain.

use super::{Role, Scene};
use alloc::vec::Vec;

/// Each role once, in the order of their declaration.
#[must_use]
pub fn roles(scene: &Scene) -> Vec<Role> {
    let mut seen: Vec<Role> = Vec::new();
    let mut see = |role: Role| {
        if let Err(place) = seen.binary_search(&role) {
            seen.insert(place, role);
        }
    };
    match scene {
        Scene::List(list) => list.rows.iter().for_each(|row| see(row.role)),
        // a figure says in words what its parts are, a chart what its curves are
        Scene::Figure(_) | Scene::Charts(_) => {}
        Scene::RelationMap(map) => map.cells.iter().for_each(|cell| see(cell.role)),
        Scene::Tree(tree) => tree.levels.iter().flat_map(|level| &level.nodes).for_each(|node| see(node.role)),
        Scene::Page(page) => {
            page.regions.iter().for_each(|region| see(region.role));
            page.rows.iter().for_each(|row| see(row.role));
        }
        Scene::Wal(wal) => {
            wal.rows.iter().for_each(|row| see(row.row.role));
            wal.whole.parts.iter().for_each(|part| see(part.role));
        }
    }
    seen
}
