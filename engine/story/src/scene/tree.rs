//! The index tree, level by level. Of a long level some pages are left out: which, is decided here, once for all faces.
//!
//! ```text
//! level 1 (root)   [3]
//! leaves           [1] [2] [4]  … 93 more …  [101] [102]* [103]  … 12 more …  [116]
//!                  the first      the selected one, what the step changed, and the last
//! ```

mod band;

use super::page::{self, n_keys};
use super::{Change, Fact, Link, LinkKind, Look, PartId, Role, TreeLevel, TreeNode, TreeScene, words};
use crate::timeline::goal;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::nbtree::flags::BTP_INCOMPLETE_SPLIT;
use ffviz_format::nbtree::tree::{Contents, KeyColumns, Level, Node, Tree};
use ffviz_format::nbtree::{BtKind, BtPage, Turn, descent, level_word};
use ffviz_format::page::{BlockNumber, ForkNumber, Oid};
use ffviz_format::state::{PageId, Relation};

/// pages of a level that are shown without leaving any out
const WHOLE_LEVEL: usize = 12;
/// pages shown at the start of a level
const FIRST: usize = 3;
/// pages shown to either side of the selected one
const AROUND: usize = 2;
/// pages shown because the step changed them
const CHANGED: usize = 8;
/// characters of a key
const KEY_WIDTH: usize = 22;

/// The pages of an index that were read, put into levels: what takes long when there are many. `earlier`: its tree at
/// another moment.
#[must_use]
pub fn build(look: &Look<'_>, oid: Oid, earlier: Tree) -> Tree {
    let Some(relation) = look.relation(oid) else { return Tree::default() };
    let columns = KeyColumns { attributes: &relation.attributes, n_keys: n_keys(relation) };
    Tree::build(look.state.fork(oid, ForkNumber::Main), look.version(), columns, earlier)
}

/// The picture of an index's tree, as `build` made it; `block` is the page that must not be left out.
#[must_use]
pub fn scene(look: &Look<'_>, oid: Oid, tree: &Tree, block: BlockNumber) -> TreeScene {
    let Some(relation) = look.relation(oid) else {
        return TreeScene::default();
    };
    Forest { look, relation, tree, way: Way::of(look, oid) }.scene(block)
}

/// Share of the bytes for line pointers and tuples that is in use, in percent, of pages taken together:
/// `avg_leaf_density` of `pgstatindex`.
fn fill<'a>(pages: impl IntoIterator<Item = &'a Contents>) -> u8 {
    let sum = pages.into_iter().map(Contents::fill).fold((0, 0), |(used, room), page| (used + page.0, room + page.1));
    words::percent(sum.0, sum.1)
}

struct Forest<'a> {
    look: &'a Look<'a>,
    relation: &'a Relation,
    tree: &'a Tree,
    way: Way,
}

/// Where the step descended.
#[derive(Default)]
struct Way {
    turns: Vec<Turn>,
    goal: Option<BlockNumber>,
}

impl Way {
    fn of(look: &Look<'_>, oid: Oid) -> Self {
        let page = |block| look.page(PageId { relation: oid, fork: ForkNumber::Main, block });
        let goal = goal(look.state, look.step, oid);
        let turns = goal.and_then(|goal| descent(page, look.version(), goal));
        turns.map_or_else(Self::default, |turns| Self { turns, goal })
    }

    /// The pages of the tree on it, from the root down.
    fn blocks(&self) -> impl Iterator<Item = BlockNumber> {
        self.turns.iter().map(|turn| turn.block).chain(self.goal)
    }
}

impl Forest<'_> {
    fn scene(&self, block: BlockNumber) -> TreeScene {
        let mut levels = Vec::from([self.metapage()]);
        let focus = self.focus(block);
        for (n, (level, focus)) in self.tree.levels.iter().zip(&focus).enumerate() {
            let (title, band) =
                (level_word(level.level, n == 0), band::cells(self.look, self.relation.oid, &level.nodes));
            levels.push(TreeLevel { title, band, nodes: self.nodes(&level.nodes, *focus) });
        }
        if !self.tree.apart.is_empty() {
            let here = self.tree.apart.iter().position(|node| node.block == block);
            let title = "not in the tree".to_string();
            levels.push(TreeLevel { title, band: Vec::new(), nodes: self.nodes(&self.tree.apart, here) });
        }
        let size = words::size(u64::from(self.relation.blocks.main) * u64::from(self.look.state.server.block_size));
        TreeScene {
            title: format!(
                "{} · {} · {size}",
                self.relation.told(),
                words::count(self.relation.blocks.main.into(), "block")
            ),
            facts: self.facts(),
            links: self.links(&levels),
            path: self.path(&levels),
            levels,
        }
    }

    /// The pages that the step came by, and the cells that they are in.
    fn path(&self, levels: &[TreeLevel]) -> Vec<PartId> {
        let mut path: Vec<PartId> = Vec::new();
        if self.way.goal.is_some() {
            path.push(PartId::Block(0));
        }
        path.extend(self.way.blocks().map(PartId::Block));
        for (level, drawn) in self.tree.levels.iter().zip(levels.iter().skip(1)) {
            let at = self.way.blocks().find_map(|block| level.nodes.iter().position(|node| node.block == block));
            path.extend(at.and_then(|at| band::cell_of(&drawn.band, level.nodes.len(), at)).map(|cell| cell.part));
        }
        path
    }

    /// Block 0, also when nothing was read yet; nothing where it holds something else, or where there is no block at
    /// all.
    fn metapage(&self) -> TreeLevel {
        let is_unread = || self.relation.blocks.main > 0 && self.look.page(self.id(0)).is_none();
        let unread = || is_unread().then(|| self.node(&Node { block: 0, contents: None }));
        let node = self.tree.metapage.as_ref().map(|node| self.node(node)).or_else(unread);
        TreeLevel { title: "metapage".to_string(), band: Vec::new(), nodes: node.into_iter().collect() }
    }

    /// The place on each level of the page itself, of those above it, and of the first ones below it.
    fn focus(&self, block: BlockNumber) -> Vec<Option<usize>> {
        let levels = &self.tree.levels;
        let mut places = alloc::vec![None; levels.len()];
        let place = |level: &Level, block: BlockNumber| level.nodes.iter().position(|node| node.block == block);
        let Some(own) = levels.iter().position(|level| place(level, block).is_some()) else { return places };
        let mut here = block;
        for (n, level) in levels.iter().enumerate().take(own + 1).rev() {
            places[n] = match n == own {
                true => place(level, block),
                false => level.nodes.iter().position(|node| node.children().any(|(_, child)| child == here)),
            };
            let Some(at) = places[n] else { break };
            here = level.nodes[at].block;
        }
        for n in own + 1..levels.len() {
            let above = places[n - 1].and_then(|at| levels[n - 1].nodes.get(at));
            let Some((_, child)) = above.and_then(|node| node.children().next()) else { break };
            places[n] = place(&levels[n], child);
        }
        places
    }

    /// The pages of a level, long runs of them left out.
    fn nodes(&self, nodes: &[Node], focus: Option<usize>) -> Vec<TreeNode> {
        let kept = self.kept(nodes, focus);
        let mut shown = Vec::new();
        let mut next = 0;
        for at in kept.into_iter().chain([nodes.len()]) {
            match nodes.get(next..at).unwrap_or(&[]) {
                [] => {}
                [one] => shown.push(self.node(one)),
                hidden @ [first, ..] => shown.push(self.elided(first.block, hidden)),
            }
            shown.extend(nodes.get(at).map(|node| self.node(node)));
            next = at + 1;
        }
        shown
    }

    /// A run of pages left out.
    fn elided(&self, first: BlockNumber, hidden: &[Node]) -> TreeNode {
        let changed = hidden.iter().any(|node| self.change(node.block) != Change::Same);
        TreeNode {
            part: PartId::Elided(first),
            role: Role::Elided,
            change: if changed { Change::Modified } else { Change::Same },
            percent: None,
            incomplete: false,
            lines: Vec::from([format!("{} more", words::thousands(hidden.len() as u64))]),
        }
    }

    fn kept(&self, nodes: &[Node], focus: Option<usize>) -> BTreeSet<usize> {
        if nodes.len() <= WHOLE_LEVEL {
            return (0..nodes.len()).collect();
        }
        let mut kept: BTreeSet<usize> = (0..FIRST).chain([nodes.len() - 1]).collect();
        if let Some(at) = focus {
            kept.extend(at.saturating_sub(AROUND)..nodes.len().min(at + AROUND + 1));
        }
        let changed = nodes.iter().enumerate().filter(|(_, node)| self.change(node.block) != Change::Same);
        kept.extend(changed.map(|(at, _)| at).take(CHANGED));
        let unfinished = |node: &Node| node.contents.as_ref().is_some_and(|contents| is_unfinished(&contents.page));
        let unfinished = nodes.iter().enumerate().filter(|(_, node)| unfinished(node));
        kept.extend(unfinished.map(|(at, _)| at).take(CHANGED));
        kept.extend(self.way.blocks().filter_map(|block| nodes.iter().position(|node| node.block == block)));
        kept
    }

    fn id(&self, block: BlockNumber) -> PageId {
        PageId { relation: self.relation.oid, fork: ForkNumber::Main, block }
    }

    fn change(&self, block: BlockNumber) -> Change {
        match self.look.change(self.id(block)).map(|change| change.before.is_some()) {
            None => Change::Same,
            Some(true) => Change::Modified,
            Some(false) => Change::Added,
        }
    }

    fn node(&self, node: &Node) -> TreeNode {
        let contents = node.contents.as_ref();
        let mut lines = Vec::from([format!("block {}", node.block)]);
        // what is out of the ordinary comes first: where there is room for few lines, it is among them
        lines.extend(contents.and_then(|contents| condition(&contents.page)).map(ToString::to_string));
        let followed = self.way.turns.iter().find(|turn| turn.block == node.block);
        lines.extend(followed.map(|turn| format!("item {} followed", turn.item)));
        match contents {
            None => lines.push("not read".to_string()),
            Some(contents) => lines.extend(self.lines(contents)),
        }
        TreeNode {
            part: PartId::Block(node.block),
            role: self.look.page(self.id(node.block)).map_or(Role::BlockUnknown, page::page_role),
            change: self.change(node.block),
            percent: contents.filter(|contents| contents.page.is_in_tree()).map(|contents| fill([contents])),
            incomplete: contents.is_some_and(|contents| contents.page.btpo_flags & BTP_INCOMPLETE_SPLIT != 0),
            lines,
        }
    }

    fn lines(&self, contents: &Contents) -> Vec<String> {
        let page = &contents.page;
        let mut lines = Vec::new();
        match page.kind {
            BtKind::Meta => {
                lines.extend(page.meta.map(|meta| match meta.btm_root {
                    0 => "no root yet".to_string(),
                    root => format!("root: block {root}, level {}", meta.btm_level),
                }));
            }
            BtKind::Deleted => {
                lines.extend(page.safexid.map(|xid| format!("safexid {xid}")));
            }
            BtKind::New => {}
            BtKind::Leaf | BtKind::Internal | BtKind::HalfDead => {
                let what = if page.kind == BtKind::Internal { "downlink" } else { "TID" };
                lines.push(format!("{} % full", fill([contents])));
                lines.push(words::count(contents.targets.into(), what));
                lines.extend(contents.first_key.as_ref().map(|key| format!("from {}", self.key(key))));
                lines.push(
                    contents
                        .high_key
                        .as_ref()
                        .map_or("no high key".to_string(), |key| format!("high key {}", self.key(key))),
                );
            }
        }
        lines
    }

    fn key(&self, key: &str) -> String {
        if self.look.redact { format!("({})", words::HIDDEN) } else { words::shorten(&words::squeeze(key), KEY_WIDTH) }
    }

    /// Downlinks and right links between what is shown; links to pages left out lead to the run they are in.
    fn links(&self, levels: &[TreeLevel]) -> Vec<Link> {
        let parts = self.parts(levels);
        let mut links = BTreeSet::new();
        let mut add = |from: BlockNumber, to: BlockNumber, kind: LinkKind| {
            links.extend(parts.get(&to).map(|to| (PartId::Block(from), *to, kind)));
        };
        if let (Some(_), Some(level)) = (&self.tree.metapage, self.tree.levels.first()) {
            level.nodes.iter().take(1).for_each(|root| add(0, root.block, LinkKind::Downlink));
        }
        let shown = |block| parts.get(&block) == Some(&PartId::Block(block));
        for node in self.tree.nodes().filter(|node| shown(node.block)) {
            node.children().for_each(|(_, child)| add(node.block, child, LinkKind::Downlink));
            let right = node.contents.as_ref().map_or(0, |contents| contents.page.btpo_next);
            if right != 0 {
                add(node.block, right, LinkKind::RightLink);
            }
        }
        links.into_iter().map(|(from, to, kind)| Link { from, to, kind }).collect()
    }

    /// The part that each page of the tree is drawn as.
    fn parts(&self, levels: &[TreeLevel]) -> BTreeMap<BlockNumber, PartId> {
        let metapage = levels.first().filter(|level| !level.nodes.is_empty());
        let mut parts: Vec<_> = metapage.map(|_| (0, PartId::Block(0))).into_iter().collect();
        for (level, drawn) in self.tree.levels.iter().zip(levels.iter().skip(1)) {
            let shown: BTreeSet<PartId> = drawn.nodes.iter().map(|node| node.part).collect();
            let mut run = None;
            for node in &level.nodes {
                let own = PartId::Block(node.block);
                run = if shown.contains(&own) { None } else { run.or(Some(PartId::Elided(node.block))) };
                parts.push((node.block, run.unwrap_or(own)));
            }
        }
        parts.into_iter().collect()
    }

    fn facts(&self) -> Vec<Fact> {
        let fact = |label: &str, value: String| Fact { label: label.to_string(), value };
        let read = self.look.state.fork(self.relation.oid, ForkNumber::Main).count();
        let leaves = || {
            let known = self.tree.nodes().filter_map(|node| node.contents.as_ref());
            known.filter(|contents| contents.page.kind == BtKind::Leaf)
        };
        let n = leaves().count() as u64;
        let mut facts = Vec::from([fact("levels", self.tree.levels.len().to_string())]);
        if read < self.relation.blocks.main as usize {
            facts.push(fact("pages read", format!("{read} of {}", words::thousands(self.relation.blocks.main.into()))));
        }
        facts.push(fact("leaves", words::thousands(n)));
        if n > 0 {
            facts.push(fact("leaf fill", format!("{} %", fill(leaves()))));
            facts.push(fact("TIDs", words::thousands(leaves().map(|contents| u64::from(contents.targets)).sum())));
        }
        if !self.tree.apart.is_empty() {
            facts.push(fact("not in the tree", words::count(self.tree.apart.len() as u64, "page")));
        }
        facts
    }
}

/// Is what was begun on the page still to be brought to its end, by an insertion or by VACUUM?
const fn is_unfinished(page: &BtPage) -> bool {
    matches!(page.kind, BtKind::HalfDead) || page.btpo_flags & BTP_INCOMPLETE_SPLIT != 0
}

/// What is out of the ordinary about a page of an index.
const fn condition(page: &BtPage) -> Option<&'static str> {
    match page.kind {
        BtKind::Deleted => Some("deleted"),
        BtKind::New if page.anomalies.is_empty() => Some("never written"),
        BtKind::New => Some("invalid page"),
        BtKind::HalfDead => Some("half-dead"),
        _ if page.btpo_flags & BTP_INCOMPLETE_SPLIT != 0 => Some("incomplete split"),
        _ => None,
    }
}
