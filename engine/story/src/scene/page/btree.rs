//! A B-tree page: its items as rows, the high key first and marked; downlinks and the right link.

use super::{Sheet, anomaly_texts, columns, fact, raw};
use crate::scene::look::Look;
use crate::scene::{Change, Fact, Link, LinkKind, PageScene, PartId, Role, Row, words};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::nbtree::flags::{BTP_DELETED, BTP_HALF_DEAD, BTP_INCOMPLETE_SPLIT, BTP_LEAF, BTP_META, BTP_ROOT};
use ffviz_format::nbtree::{BtItem, BtKind, BtPage, IndexTuple, IndexTupleKind};
use ffviz_format::page::nbtree::BTPageOpaqueData;
use ffviz_format::page::{BlockNumber, LpFlags, Page, Region, RegionKind};
use ffviz_format::state::Relation;

/// characters of a key in a row of the items
const KEY_WIDTH: usize = 40;
/// TIDs of a posting list that a row names
const TIDS_SHOWN: usize = 3;

pub(super) fn scene(sheet: Sheet<'_>) -> PageScene {
    let tree = Btree::new(sheet);
    PageScene {
        id: tree.sheet.id,
        title: tree.sheet.title(&kind_words(&tree.page)),
        facts: tree.facts(),
        size: tree.sheet.page.size(),
        regions: tree.sheet.regions(&tree.page.regions, |region| tree.region(region)),
        columns: columns(
            &[("lp", true), ("kind", false), ("off", true), ("len", true), ("leads to", false), ("key", false)],
            &["off", "len"],
        ),
        rows: tree.page.items.iter().map(|item| tree.row(item)).collect(),
        links: tree.links(),
        anomalies: anomaly_texts(&tree.page.anomalies),
    }
}

/// `leaf`, `root (leaf)`, `internal page, level 1`, …
pub(crate) fn kind_words(page: &BtPage) -> String {
    match page.kind {
        BtKind::Internal => format!("{}, level {}", page.word(), page.btpo_level),
        _ => page.word().to_string(),
    }
}

/// The role of a page in map and tree, by its flags alone: a map asks for many.
pub(crate) fn page_role(page: &Page) -> Role {
    let special = BTPageOpaqueData::new(page.slice(page.special_start()..page.size()));
    let flags = special.btpo_flags();
    let has = |flag: u16| flags & flag != 0;
    if page.is_zero() {
        Role::New
    } else if has(BTP_META) {
        Role::Meta
    } else if has(BTP_DELETED) {
        Role::Deleted
    } else if has(BTP_HALF_DEAD) {
        Role::HalfDead
    } else if has(BTP_ROOT) {
        Role::Root
    } else if has(BTP_LEAF) {
        Role::Leaf
    } else {
        Role::Internal
    }
}

/// Number of key columns of an index.
pub(crate) fn n_keys(relation: &Relation) -> u16 {
    relation.index.as_ref().map_or(relation.attributes.len() as u16, |index| index.n_keys)
}

/// The key of an index tuple as text; truncated columns of a pivot are `-inf`.
fn key_text(look: &Look<'_>, relation: &Relation, page: &Page, tuple: &IndexTuple) -> String {
    if look.redact && tuple.n_keys() != Some(0) {
        return format!("({})", words::HIDDEN);
    }
    tuple.key_text(page, &relation.attributes, n_keys(relation))
}

/// A B-tree page taken apart, and what the step did to each item.
struct Btree<'a> {
    sheet: Sheet<'a>,
    page: BtPage,
    changes: Vec<Option<Change>>,
}

impl<'a> Btree<'a> {
    fn new(sheet: Sheet<'a>) -> Self {
        let page = BtPage::decode(sheet.page, sheet.version());
        let changes = match sheet.diff.before {
            Some(before) => changes(&BtPage::decode(before, sheet.version()), before, &page, sheet.page),
            None => Vec::new(),
        };
        Self { sheet, page, changes }
    }

    fn role(item: &BtItem) -> Role {
        match item.tuple.as_ref().map(|tuple| &tuple.kind) {
            None if item.lp.lp_flags() == LpFlags::Unused => Role::LpUnused,
            None if item.lp.lp_flags() == LpFlags::Dead => Role::LpDead,
            // it leads to where no entry is, as on a page that was cut off
            None => Role::LpNormal,
            Some(IndexTupleKind::HighKey { .. }) => Role::HighKey,
            Some(IndexTupleKind::Downlink { .. } | IndexTupleKind::TopParent(_)) => Role::Pivot,
            Some(_) if item.lp.lp_flags() == LpFlags::Dead => Role::IndexKilled,
            Some(IndexTupleKind::Plain(_)) => Role::IndexTuple,
            Some(IndexTupleKind::Posting(_)) => Role::PostingList,
        }
    }

    fn change(&self, item: &BtItem) -> Option<Change> {
        self.changes.get(usize::from(item.offset.0).checked_sub(1)?).copied().flatten()
    }

    fn row(&self, item: &BtItem) -> Row {
        let role = Self::role(item);
        let mut cells = Vec::from([item.offset.to_string(), role.word().to_string()]);
        if let Some(tuple) = &item.tuple {
            cells.extend([
                tuple.bytes.start.to_string(),
                item.lp.lp_len().to_string(),
                target_words(&tuple.kind),
                self.key(tuple),
            ]);
        }
        cells.resize(6, String::new());
        let whole = self.sheet.whole_change();
        Row {
            part: PartId::Region(RegionKind::LinePointer(item.offset)),
            role,
            change: self.change(item).unwrap_or(whole),
            cells,
            chain: None,
        }
    }

    fn key(&self, tuple: &IndexTuple) -> String {
        let Sheet { look, relation, page, .. } = self.sheet;
        words::shorten(&words::squeeze(&key_text(look, relation, page, tuple)), KEY_WIDTH)
    }

    fn region(&self, region: &Region) -> (Role, Option<Change>, String) {
        let (role, label) = raw::common(region);
        match region.kind {
            RegionKind::LinePointer(n) => {
                let Some(item) = self.page.item(n) else { return (role, None, label) };
                let dead = if item.lp.lp_flags() == LpFlags::Dead { Role::LpDead } else { role };
                let words = format!("line pointer {n}: {} → byte {}", item.lp.lp_flags().name(), item.lp.lp_off());
                (dead, None, words)
            }
            RegionKind::Tuple(n) => {
                let Some(item) = self.page.item(n) else { return (role, None, label) };
                let length = words::bytes(u64::from(region.bytes.end - region.bytes.start));
                let role = Self::role(item);
                (role, self.change(item), format!("item {n}: {}, {length}", role.word()))
            }
            RegionKind::Hole | RegionKind::Padding(_) => (role, Some(self.sheet.whole_change()), label),
            RegionKind::Special => (role, None, format!("BTPageOpaqueData: {}", kind_words(&self.page))),
            _ => (role, None, label),
        }
    }

    fn links(&self) -> Vec<Link> {
        let mut links = Vec::new();
        for item in &self.page.items {
            let Some(tuple) = &item.tuple else { continue };
            let own = PartId::Region(RegionKind::Tuple(item.offset));
            links.push(Link {
                from: PartId::Region(RegionKind::LinePointer(item.offset)),
                to: own,
                kind: LinkKind::Item,
            });
            if let IndexTupleKind::Downlink { child, .. } = tuple.kind {
                links.push(Link { from: own, to: PartId::Block(child), kind: LinkKind::Downlink });
            }
        }
        if let Some(next) = self.right_sibling() {
            links.push(Link {
                from: PartId::Region(RegionKind::Special),
                to: PartId::Block(next),
                kind: LinkKind::RightLink,
            });
        }
        if let Some(meta) = self.page.meta.filter(|meta| meta.btm_root != 0) {
            links.push(Link {
                from: PartId::Region(RegionKind::Meta),
                to: PartId::Block(meta.btm_root),
                kind: LinkKind::Downlink,
            });
        }
        links
    }

    fn right_sibling(&self) -> Option<BlockNumber> {
        let has_special = self.page.regions.iter().any(|region| region.kind == RegionKind::Special);
        (has_special && self.page.kind != BtKind::Meta && self.page.btpo_next != 0).then_some(self.page.btpo_next)
    }

    fn facts(&self) -> Vec<Fact> {
        let mut facts = Vec::new();
        match &self.page.meta {
            Some(meta) => {
                facts.push(fact("root", format!("block {}, level {}", meta.btm_root, meta.btm_level)));
                facts.push(fact("fast root", format!("block {}, level {}", meta.btm_fastroot, meta.btm_fastlevel)));
                let merges = if meta.btm_allequalimage { "yes" } else { "no" };
                facts.push(fact("deduplication possible", merges));
            }
            None => facts.extend(self.node_facts()),
        }
        facts.extend(self.sheet.header_facts());
        facts
    }

    fn node_facts(&self) -> Vec<Fact> {
        let sibling = |block: BlockNumber| if block == 0 { "none".to_string() } else { format!("block {block}") };
        let mut facts = self.sheet.space_facts();
        let n = |wanted: Role| self.page.items.iter().filter(|item| Self::role(item) == wanted).count();
        let (plain, posting, killed, pivots) =
            (n(Role::IndexTuple), n(Role::PostingList), n(Role::IndexKilled), n(Role::Pivot));
        let parts = [(plain, "plain"), (posting, "posting"), (killed, "killed"), (pivots, "pivot")];
        let parts: Vec<String> = parts.iter().filter(|(n, _)| *n > 0).map(|(n, word)| format!("{n} {word}")).collect();
        facts.push(fact("items", if parts.is_empty() { "none".to_string() } else { parts.join(", ") }));
        facts.push(fact("level", self.page.btpo_level.to_string()));
        facts.push(fact("left sibling", sibling(self.page.btpo_prev)));
        facts.push(fact("right sibling", sibling(self.page.btpo_next)));
        if let Some(xid) = self.page.safexid {
            facts.push(fact("may be recycled after", format!("xid {xid}")));
        }
        if self.page.btpo_flags & BTP_INCOMPLETE_SPLIT != 0 {
            facts.push(fact("split", "BTP_INCOMPLETE_SPLIT: the right sibling has no downlink yet"));
        }
        facts
    }
}

/// What the step did to each item. Numbers shift with each insertion, so the same bytes elsewhere are the same item.
fn changes(old: &BtPage, old_page: &Page, new: &BtPage, new_page: &Page) -> Vec<Option<Change>> {
    let tuples = || old.items.iter().filter_map(|item| Some((item, item.tuple.as_ref()?.bytes.clone())));
    let by_start: BTreeMap<u16, _> = tuples().map(|(item, bytes)| (bytes.start, (item, bytes))).collect();
    let contents: BTreeSet<&[u8]> = tuples().map(|(_, bytes)| old_page.slice(bytes)).collect();
    let change = |item: &BtItem| {
        let now = item.tuple.as_ref()?.bytes.clone();
        let bytes = new_page.slice(now.clone());
        Some(match by_start.get(&now.start) {
            Some((then, range)) if old_page.slice(range.clone()) == bytes => {
                if then.lp.lp_flags() == item.lp.lp_flags() { Change::Same } else { Change::Modified }
            }
            _ if contents.contains(bytes) => Change::Moved,
            Some(_) => Change::Modified,
            None => Change::Added,
        })
    };
    new.items.iter().map(change).collect()
}

/// Where an index tuple leads, in words.
fn target_words(kind: &IndexTupleKind) -> String {
    match kind {
        IndexTupleKind::Plain(tid) => tid.to_string(),
        IndexTupleKind::Posting(tids) => {
            let shown: Vec<String> = tids.iter().take(TIDS_SHOWN).map(ToString::to_string).collect();
            let more = tids.len().saturating_sub(TIDS_SHOWN);
            let rest = if more > 0 { format!(" … {more} more") } else { String::new() };
            format!("{}{rest}", shown.join(" "))
        }
        IndexTupleKind::Downlink { child, .. } => format!("block {child}"),
        // it leads nowhere: it bounds the page
        IndexTupleKind::HighKey { .. } => String::new(),
        IndexTupleKind::TopParent(Some(top)) => format!("block {top}, top of the branch being deleted"),
        IndexTupleKind::TopParent(None) => "no block: this leaf alone is being deleted".to_string(),
    }
}
