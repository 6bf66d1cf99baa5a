//! The way down to a page, as a search takes it: the pages above, each with the item that was followed (`_bt_search`,
//! src/backend/access/nbtree/nbtsearch.c).
//!
//! ```text
//! metapage ─btm_fastroot─▶ root: item 2 of 3 ─downlink─▶ level 1: item 7 of 93 ─downlink─▶ the page
//! ```
//!
//! PostgreSQL compares keys; here the downlinks are followed back, which gives the same way without knowing how the
//! type compares.

use super::flags::BTP_LEAF;
use super::{BtKind, BtPage, Opaque};
use crate::page::{BlockNumber, OffsetNumber, Page, PgVersion};
use alloc::collections::BTreeMap;
use alloc::collections::btree_map::Entry;
use alloc::vec::Vec;

/// A page on the way, and the item in it that leads on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turn {
    /// the page
    pub block: BlockNumber,
    /// the item that was followed
    pub item: OffsetNumber,
}

/// The pages above a page of the tree, from where a search begins; nothing where one of them is not known, or none
/// leads there.
#[must_use]
pub fn descent<'a>(
    page: impl Fn(BlockNumber) -> Option<&'a Page>,
    version: PgVersion,
    target: BlockNumber,
) -> Option<Vec<Turn>> {
    let level = |block| Some(Opaque::of(page(block)?).ok()?.btpo_level);
    let meta = BtPage::decode(page(0)?, version).meta?;
    // where VACUUM has left one page only on the upper levels, a search begins below them
    let below_fastroot = level(target)? <= meta.btm_fastlevel;
    let root = if below_fastroot { meta.btm_fastroot } else { meta.btm_root };
    let mut above: BTreeMap<BlockNumber, Turn> = BTreeMap::new();
    let mut blocks = Vec::from([root]);
    while !blocks.contains(&target) {
        let mut below = Vec::new();
        for block in blocks {
            let known = page(block).filter(|page| is_above(page, level(target)));
            let decoded = known.map(|page| BtPage::decode(page, version)).filter(|page| page.kind == BtKind::Internal);
            for (item, child) in decoded.iter().flat_map(BtPage::children) {
                // each page once, wherever links of a damaged page lead
                if let Entry::Vacant(unseen) = above.entry(child) {
                    unseen.insert(Turn { block, item });
                    below.push(child);
                }
            }
        }
        if below.is_empty() {
            return None;
        }
        blocks = below;
    }
    let mut way = Vec::new();
    let mut here = target;
    while let Some(turn) = above.get(&here).filter(|_| here != root && way.len() < above.len()) {
        way.push(*turn);
        here = turn.block;
    }
    way.reverse();
    Some(way)
}

/// Is the page on a level above this one?
fn is_above(page: &Page, level: Option<u32>) -> bool {
    Opaque::of(page).is_ok_and(|opaque| opaque.btpo_flags & BTP_LEAF == 0 && Some(opaque.btpo_level) > level)
}
