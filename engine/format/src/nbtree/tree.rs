//! The pages of an index put into levels: the root first, each level from left to right.
//!
//! ```text
//! metapage ─▶ root ─downlinks▶ level below, in order ─downlinks▶ … ─▶ leaves
//!                               └─btpo_next▶ siblings without a downlink: incomplete splits, half-dead pages
//! ```
//!
//! Not every page need be known, and links may lead anywhere: a page that was not read keeps its place without
//! contents, and no page is visited twice.

use super::{BtKind, BtPage, IndexTupleKind};
use crate::datum::Attribute;
use crate::page::{Anomaly, BlockNumber, OffsetNumber, Page, PgVersion};
use alloc::collections::{BTreeMap, BTreeSet, VecDeque};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// An index by level.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Tree {
    /// block 0
    pub metapage: Option<Node>,
    /// root level first, leaves last
    pub levels: Vec<Level>,
    /// pages that are not part of the tree: deleted ones and new ones
    pub apart: Vec<Node>,
    /// links that cannot be
    pub anomalies: Vec<Anomaly>,
}

/// The pages of a level, from left to right.
#[derive(Debug, Clone, PartialEq)]
pub struct Level {
    /// 0 for leaves
    pub level: u32,
    /// pages
    pub nodes: Vec<Node>,
}

/// A page of the tree.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// which
    pub block: BlockNumber,
    /// `None` when the page was not read
    pub contents: Option<Contents>,
}

/// What a page of the tree holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Contents {
    /// the bytes that it was read from
    source: Page,
    /// the page
    pub page: BtPage,
    /// heap tuples (leaf) or pages below (internal) that the items lead to
    pub targets: u32,
    /// lowest key: that of the first data item, `(-inf)` for the leftmost of an internal page
    pub first_key: Option<String>,
    /// upper bound; `None` for the rightmost page of a level
    pub high_key: Option<String>,
}

/// What is needed to read keys: the columns of the index, and how many of them are key columns (`indnkeyatts`).
#[derive(Debug, Clone, Copy)]
pub struct KeyColumns<'a> {
    /// all columns
    pub attributes: &'a [Attribute],
    /// key columns; the others are INCLUDE columns
    pub n_keys: u16,
}

impl Tree {
    /// Puts the known pages of an index into levels. What an earlier tree of the same index has read is not read again.
    #[must_use]
    pub fn build<'a>(
        pages: impl Iterator<Item = (BlockNumber, &'a Page)> + Clone,
        version: PgVersion,
        columns: KeyColumns<'_>,
        mut earlier: Self,
    ) -> Self {
        if earlier.refresh(pages.clone(), version, columns) {
            return earlier;
        }
        let mut earlier = earlier.into_contents();
        let mut contents = |block, page: &Page| {
            let known = earlier.remove(&block).filter(|contents| contents.source.same(page));
            known.unwrap_or_else(|| Contents::read(page, version, columns))
        };
        let known = pages.map(|(block, page)| (block, contents(block, page))).collect();
        let mut builder = Builder { known, visited: BTreeSet::new(), tree: Self::default() };
        builder.levels();
        builder.strays();
        builder.tree
    }

    /// Reads anew what has changed. Does every page keep its place, as it does unless there are other pages or other
    /// links?
    fn refresh<'a>(
        &mut self,
        pages: impl Iterator<Item = (BlockNumber, &'a Page)>,
        version: PgVersion,
        columns: KeyColumns<'_>,
    ) -> bool {
        let nodes = self.levels.iter_mut().flat_map(|level| &mut level.nodes).chain(&mut self.apart);
        let known = nodes.chain(&mut self.metapage).filter_map(|node| Some((node.block, node.contents.as_mut()?)));
        let mut known: Vec<_> = known.collect();
        known.sort_unstable_by_key(|(block, _)| *block);
        let (mut known, mut stays) = (known.into_iter(), true);
        for (block, page) in pages {
            let Some((_, contents)) = known.next().filter(|(known, _)| *known == block) else { return false };
            if !contents.source.same(page) {
                let new = Contents::read(page, version, columns);
                stays &= new.page.leads_as(&contents.page);
                *contents = new;
            }
        }
        stays && known.next().is_none()
    }

    fn into_contents(self) -> BTreeMap<BlockNumber, Contents> {
        let nodes = self.levels.into_iter().flat_map(|level| level.nodes).chain(self.apart).chain(self.metapage);
        nodes.filter_map(|node| Some((node.block, node.contents?))).collect()
    }

    /// All pages of the tree, root first; not the metapage, nor those apart.
    pub fn nodes(&self) -> impl Iterator<Item = &Node> {
        self.levels.iter().flat_map(|level| &level.nodes)
    }
}

impl Node {
    /// The pages below, with the items that lead there; in order.
    pub fn children(&self) -> impl Iterator<Item = (OffsetNumber, BlockNumber)> {
        self.contents.iter().flat_map(|contents| contents.page.children())
    }
}

impl BtPage {
    /// The pages below, with the items that lead there; in order.
    pub fn children(&self) -> impl Iterator<Item = (OffsetNumber, BlockNumber)> {
        let items = if self.kind == BtKind::Internal { self.data_items() } else { &[] };
        items.iter().filter_map(|item| match item.tuple.as_ref()?.kind {
            IndexTupleKind::Downlink { child, .. } => Some((item.offset, child)),
            _ => None,
        })
    }
}

impl Contents {
    fn read(page: &Page, version: PgVersion, columns: KeyColumns<'_>) -> Self {
        let bt = BtPage::decode(page, version);
        let key = |tuple: &super::IndexTuple| tuple.key_text(page, columns.attributes, columns.n_keys);
        let first_key = bt.data_items().first().and_then(|item| item.tuple.as_ref()).map(key);
        let high_key = bt.high_key().map(key);
        let count = |tuple: &super::IndexTuple| match &tuple.kind {
            IndexTupleKind::Posting(tids) => tids.len() as u32,
            _ => 1,
        };
        let targets = bt.data_items().iter().filter_map(|item| item.tuple.as_ref()).map(count).sum();
        Self { source: page.clone(), targets, first_key, high_key, page: bt }
    }

    /// Bytes in use for line pointers and tuples, and how many there are.
    #[must_use]
    pub fn fill(&self) -> (u64, u64) {
        let (free, room) = (self.source.free(), self.source.room());
        (u64::from(room - free), room.into())
    }
}

struct Builder {
    known: BTreeMap<BlockNumber, Contents>,
    visited: BTreeSet<BlockNumber>,
    tree: Tree,
}

impl Builder {
    /// From the root down along downlinks.
    fn levels(&mut self) {
        let Some(root) = self.root() else { return };
        let mut blocks = Vec::from([root]);
        while !blocks.is_empty() {
            let nodes = self.level(blocks);
            if nodes.is_empty() {
                break;
            }
            let level = nodes.iter().find_map(|node| Some(node.contents.as_ref()?.page.btpo_level));
            // of a level without a page that was read we know it only from above
            let above = self.tree.levels.last().map(|above| above.level.saturating_sub(1));
            blocks = nodes.iter().flat_map(Node::children).map(|(_, child)| child).collect();
            self.tree.levels.push(Level { level: above.or(level).unwrap_or(0), nodes });
            self.check_level();
        }
    }

    /// Where the metapage says; without it, the page that says that it is the root.
    fn root(&mut self) -> Option<BlockNumber> {
        let is_meta = |contents: &Contents| contents.page.kind == BtKind::Meta;
        if self.known.get(&0).is_some_and(is_meta) {
            self.tree.metapage = self.visit(0);
        }
        let metapage = self.tree.metapage.as_ref().and_then(|node| node.contents.as_ref()?.page.meta);
        let marked = || self.known.iter().find(|(_, contents)| contents.page.is_root()).map(|(block, _)| *block);
        match metapage {
            Some(meta) => (meta.btm_root != 0).then_some(meta.btm_root),
            None => marked(),
        }
    }

    /// The pages in this order, each followed by the right siblings that nothing above leads to.
    fn level(&mut self, blocks: Vec<BlockNumber>) -> Vec<Node> {
        let linked: BTreeSet<BlockNumber> = blocks.iter().copied().collect();
        let mut queue = VecDeque::from(blocks);
        let mut nodes = Vec::new();
        while let Some(block) = queue.pop_front() {
            let Some(node) = self.visit(block) else {
                let text = format!("two links lead to block {block}");
                self.tree.anomalies.push(Anomaly::new(0..0, text));
                continue;
            };
            let right = node.contents.as_ref().map_or(0, |contents| contents.page.btpo_next);
            let is_new = !linked.contains(&right) && !self.visited.contains(&right);
            if is_new && self.known.get(&right).is_some_and(|contents| contents.page.is_in_tree()) {
                queue.push_front(right);
            }
            nodes.push(node);
        }
        nodes
    }

    /// The page with its contents, the first time.
    fn visit(&mut self, block: BlockNumber) -> Option<Node> {
        self.visited.insert(block).then(|| Node { block, contents: self.known.remove(&block) })
    }

    /// Every page of the level must say that it is of that level.
    fn check_level(&mut self) {
        let Some(Level { level, nodes }) = self.tree.levels.last() else { return };
        let wrong = nodes.iter().filter_map(|node| {
            let said = node.contents.as_ref()?.page.btpo_level;
            (said != *level).then(|| format!("block {} is of level {said}, but stands on level {level}", node.block))
        });
        let wrong: Vec<Anomaly> = wrong.map(|text| Anomaly::new(0..0, text)).collect();
        self.tree.anomalies.extend(wrong);
    }

    /// Pages that no known page leads to: those whose parent was not read go to the end of their level.
    fn strays(&mut self) {
        while let Some((&block, contents)) = self.known.first_key_value() {
            let (is_in_tree, level) = (contents.page.is_in_tree(), contents.page.btpo_level);
            if !is_in_tree {
                let node = self.visit(block);
                self.tree.apart.extend(node);
                continue;
            }
            let nodes = self.level(Vec::from([block]));
            let levels = &mut self.tree.levels;
            let at = levels.iter().position(|known| known.level <= level).unwrap_or(levels.len());
            match levels.get_mut(at) {
                Some(known) if known.level == level => known.nodes.extend(nodes),
                _ => levels.insert(at, Level { level, nodes }),
            }
        }
    }
}

impl BtPage {
    /// Has it the same place in the tree, and the same pages below and to the right?
    fn leads_as(&self, other: &Self) -> bool {
        let place = |page: &Self| {
            (page.kind, page.is_root(), page.btpo_level, page.btpo_next, page.meta.map(|meta| meta.btm_root))
        };
        let below = |page: &Self| page.children().map(|(_, child)| child).collect::<Vec<_>>();
        place(self) == place(other) && below(self) == below(other)
    }

    /// Is it a page of a level? Deleted and new pages are not.
    #[must_use]
    pub const fn is_in_tree(&self) -> bool {
        matches!(self.kind, BtKind::Leaf | BtKind::Internal | BtKind::HalfDead)
    }
}
