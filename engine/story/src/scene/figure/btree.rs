//! Pages of a B-tree as panels. They are compared together, so that an entry that is gone from one and new on another
//! has moved.

use super::merge::{Place, merge};
use super::panel::{Band, Fate, Goal, Panel, PanelLine};
use super::stage::CUT_OFF;
use super::values;
use crate::scene::page::max_align;
use crate::scene::{Look, PartId, Role, words};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::nbtree::{BtItem, BtKind, BtPage, IndexTuple, IndexTupleKind};
use ffviz_format::page::{BlockNumber, ForkNumber, ItemPointer, LpFlags, Page, PgVersion, RegionKind};
use ffviz_format::state::{PageId, Relation};

/// An item's name: its bytes; the high key's is its own, whatever its bytes.
type Name<'a> = (bool, &'a [u8]);

/// The name of a high key.
const HIGH_KEY: Name<'static> = (true, &[]);

/// A page taken apart, with its items by name.
struct Side<'a> {
    page: &'a Page,
    decoded: BtPage,
    names: Vec<Name<'a>>,
    at: BTreeMap<Name<'a>, usize>,
}

impl<'a> Side<'a> {
    fn new(page: &'a Page, version: PgVersion) -> Self {
        let decoded = BtPage::decode(page, version);
        let named = decoded.items.iter().enumerate();
        let named: Vec<(Name<'a>, usize)> =
            named.filter_map(|(at, item)| Some((name(page, item.tuple.as_ref()?), at))).collect();
        let names = named.iter().map(|(name, _)| *name).collect();
        Self { page, names, at: named.into_iter().collect(), decoded }
    }

    fn find(&self, name: Name<'_>) -> Option<(&BtItem, &IndexTuple)> {
        let item = self.decoded.items.get(*self.at.get(&name)?)?;
        Some((item, item.tuple.as_ref()?))
    }
}

/// One page before and after the step.
struct Pair<'a> {
    block: BlockNumber,
    before: Option<Side<'a>>,
    after: Option<Side<'a>>,
}

/// The pages of one index that take part.
struct Tree<'a> {
    look: &'a Look<'a>,
    relation: &'a Relation,
    pairs: Vec<Pair<'a>>,
    /// where what has moved was before
    left: BTreeMap<Name<'a>, BlockNumber>,
    /// where it is now
    arrived: BTreeMap<Name<'a>, BlockNumber>,
}

/// The panels of these blocks of an index, in this order; `concerned` are heap TIDs whose entries the event is about.
/// Nothing is left out yet.
pub(super) fn panels(look: &Look<'_>, index: u32, blocks: &[BlockNumber], concerned: &[ItemPointer]) -> Vec<Panel> {
    let Some(relation) = look.relation(index) else { return Vec::new() };
    let decode = |page| Side::new(page, look.version());
    let pair = |block: &BlockNumber| {
        let id = PageId { relation: index, fork: ForkNumber::Main, block: *block };
        let change = look.change(id);
        let after = change.map_or(look.page(id), |change| change.after.as_ref());
        let before = change.map_or(after, |change| change.before.as_ref());
        Pair { block: *block, before: before.map(decode), after: after.map(decode) }
    };
    let pairs: Vec<Pair<'_>> = blocks.iter().map(pair).collect();
    let (left, arrived) = moved(&pairs);
    let tree = Tree { look, relation, pairs, left, arrived };
    tree.pairs.iter().map(|pair| tree.panel(pair, concerned)).collect()
}

fn name<'a>(page: &'a Page, tuple: &IndexTuple) -> Name<'a> {
    match tuple.kind {
        IndexTupleKind::HighKey { .. } | IndexTupleKind::TopParent(_) => HIGH_KEY,
        _ => (false, page.slice(tuple.bytes.clone())),
    }
}

type Places<'a> = BTreeMap<Name<'a>, BlockNumber>;

/// Items that are gone from one page and new on another.
fn moved<'a>(pairs: &[Pair<'a>]) -> (Places<'a>, Places<'a>) {
    let (mut gone, mut new): (Places<'_>, Places<'_>) = (BTreeMap::new(), BTreeMap::new());
    for pair in pairs {
        let of = |side: &Option<Side<'a>>| -> BTreeSet<Name<'a>> {
            side.iter().flat_map(|side| side.names.iter().copied()).collect()
        };
        let (was, is) = (of(&pair.before), of(&pair.after));
        gone.extend(was.difference(&is).filter(|name| **name != HIGH_KEY).map(|name| (*name, pair.block)));
        new.extend(is.difference(&was).filter(|name| **name != HIGH_KEY).map(|name| (*name, pair.block)));
    }
    let both: BTreeSet<Name<'a>> = gone.keys().filter(|name| new.contains_key(*name)).copied().collect();
    gone.retain(|name, _| both.contains(name));
    new.retain(|name, _| both.contains(name));
    (gone, new)
}

impl<'a> Tree<'a> {
    fn panel(&self, pair: &Pair<'a>, concerned: &[ItemPointer]) -> Panel {
        let kind = |side: &Option<Side<'_>>| side.as_ref().map(|side| side.decoded.kind);
        let (was, is) = (kind(&pair.before), kind(&pair.after));
        let is_new = matches!(was, None | Some(BtKind::New)) && !matches!(is, None | Some(BtKind::New));
        let mut panel = Panel {
            page: Some(PageId { relation: self.relation.oid, fork: ForkNumber::Main, block: pair.block }),
            title: self.title(pair),
            status: status(pair, is_new),
            is_new,
            row: 0,
            mark: None,
            lines: match is {
                Some(BtKind::Meta) => meta(pair),
                Some(BtKind::New) => Vec::from([PanelLine::Free(String::from("nothing but zeros: not yet written"))]),
                _ => self.items_or_none(pair, concerned),
            },
            goals: Vec::new(),
            tags: Vec::new(),
        };
        panel.keep_goals();
        super::abridge::panel(&mut panel, "entry");
        for band in panel.bands_mut().filter(|band| band.text.is_empty()) {
            let side = if band.fate.is_ghost() { &pair.before } else { &pair.after };
            let PartId::Region(RegionKind::Tuple(n)) = band.part else { continue };
            if let Some((side, tuple)) =
                side.as_ref().and_then(|side| Some((side, side.decoded.item(n)?.tuple.as_ref()?)))
            {
                band.text = self.text(side.page, tuple);
            }
        }
        panel
    }

    fn title(&self, pair: &Pair<'_>) -> String {
        let page = pair.after.as_ref().or(pair.before.as_ref()).map(|side| &side.decoded);
        let word = page.map_or("page", |page| match page.kind {
            BtKind::Internal if page.is_root() => "root",
            BtKind::Internal => "internal",
            BtKind::HalfDead | BtKind::Deleted | BtKind::New => "block",
            kind => kind.word(),
        });
        let name = self.relation.told();
        if pair.block == 0 { format!("{name} · {word}") } else { format!("{name} · {word} {}", pair.block) }
    }

    fn items_or_none(&self, pair: &Pair<'a>, concerned: &[ItemPointer]) -> Vec<PanelLine> {
        let items = self.items(pair, concerned);
        if items.is_empty() { Vec::from([PanelLine::Free(String::from("no entries"))]) } else { items }
    }

    fn items(&self, pair: &Pair<'a>, concerned: &[ItemPointer]) -> Vec<PanelLine> {
        let names = |side: &Option<Side<'a>>| side.as_ref().map_or_else(Vec::new, |side| side.names.clone());
        let (mut before, after) = (names(&pair.before), names(&pair.after));
        let changed = self.same_key(pair, &before, &after);
        for (was, is) in &changed {
            before.iter_mut().filter(|name| *name == was).for_each(|name| *name = *is);
        }
        let was_of = |is: &Name<'a>| changed.iter().find(|(_, after)| after == is).map_or(*is, |(was, _)| *was);
        let band = |place: Place<Name<'a>>| match place {
            Place::There(name) => self.there(pair, name, was_of(&name), concerned),
            Place::Ghost(name) => self.ghost(pair, name),
        };
        merge(&before, &after).into_iter().filter_map(band).map(PanelLine::Band).collect()
    }

    /// Posting lists that have other TIDs now: one list gone and one new with the same key are the same.
    fn same_key(&self, pair: &Pair<'a>, before: &[Name<'a>], after: &[Name<'a>]) -> Vec<(Name<'a>, Name<'a>)> {
        let only = |these: &[Name<'a>], others: &[Name<'a>]| -> Vec<Name<'a>> {
            let elsewhere = |name: &Name<'a>| self.left.contains_key(name) || self.arrived.contains_key(name);
            these.iter().filter(|name| !others.contains(name) && !elsewhere(name)).copied().collect()
        };
        let (gone, new) = (only(before, after), only(after, before));
        if gone.len() > 64 || gone.is_empty() || new.is_empty() {
            return Vec::new();
        }
        let key = |side: &Option<Side<'a>>, name: &Name<'a>| -> Option<(&'a [u8], bool)> {
            let side = side.as_ref()?;
            let (_, tuple) = side.find(*name)?;
            Some((side.page.slice(tuple.key.clone()), matches!(tuple.kind, IndexTupleKind::Posting(_))))
        };
        let mut pairs: Vec<(Name<'a>, Name<'a>)> = Vec::new();
        let is_list = |is: &&Name<'a>| key(&pair.after, is).is_some_and(|(_, list)| list);
        // a list goes on as a list rather than as the one entry beside it
        for is in new.iter().filter(is_list).chain(new.iter().filter(|is| !is_list(is))) {
            let Some((wanted, list)) = key(&pair.after, is) else { continue };
            let is_equal = |was: &&Name<'a>| key(&pair.before, was).is_some_and(|(key, _)| key == wanted);
            let is_paired = |was: &&Name<'a>| pairs.iter().any(|(other, _)| other == *was);
            let equal: Vec<&Name<'a>> = gone.iter().filter(|was| is_equal(was) && !is_paired(was)).collect();
            if let [was] = equal[..]
                && (list || key(&pair.before, was).is_some_and(|(_, list)| list))
            {
                pairs.push((*was, *is));
            }
        }
        pairs
    }

    fn there(&self, pair: &Pair<'_>, name: Name<'_>, was: Name<'_>, concerned: &[ItemPointer]) -> Option<Band> {
        let side = pair.after.as_ref()?;
        let (item, tuple) = side.find(name)?;
        let then = pair.before.as_ref().and_then(|before| Some((before.page, before.find(was)?)));
        let (fate, tag) = match then {
            None => self
                .left
                .get(&name)
                .map_or_else(|| (Fate::New, String::from("NEW")), |block| (Fate::Arrived, format!("from {block}"))),
            Some((page, then)) => changed((page, then), (side.page, (item, tuple))),
        };
        let leads_to = tuple.heap_tids().iter().any(|tid| concerned.contains(tid));
        let fate = if fate == Fate::Same && leads_to { Fate::Concerned } else { fate };
        let band = band(item, tuple, fate);
        // of a posting list the rows that came or went are what it is about
        let went = then.and_then(|(_, (_, then))| Exchange::of(then, tuple).first());
        Some(Band { tag, goal: went.map(Goal::Row).or(band.goal), ..band })
    }

    fn ghost(&self, pair: &Pair<'_>, name: Name<'_>) -> Option<Band> {
        let (item, tuple) = pair.before.as_ref()?.find(name)?;
        let (fate, tag) = match self.arrived.get(&name) {
            Some(block) => (Fate::Left, format!("to {block}")),
            None => (Fate::Gone, String::from(Fate::Gone.word())),
        };
        Some(Band { tag, ..band(item, tuple, fate) })
    }

    fn text(&self, page: &Page, tuple: &IndexTuple) -> String {
        let key = values::key(self.look, self.relation, page, tuple);
        match &tuple.kind {
            IndexTupleKind::HighKey { .. } => format!("high key {key}"),
            IndexTupleKind::TopParent(_) => String::from("being deleted"),
            IndexTupleKind::Downlink { n_keys: 0, .. } => String::from("−∞"),
            _ => key,
        }
    }
}

fn band(item: &BtItem, tuple: &IndexTuple, fate: Fate) -> Band {
    Band {
        part: PartId::Region(RegionKind::Tuple(item.offset)),
        label: String::new(),
        text: String::new(),
        values: Vec::new(),
        leads: leads(&tuple.kind),
        tag: String::new(),
        role: role(item, tuple),
        fate,
        goal: goal(tuple),
        bytes: max_align(tuple.bytes.end - tuple.bytes.start) as u16,
        mark: None,
    }
}

fn goal(tuple: &IndexTuple) -> Option<Goal> {
    match tuple.kind {
        IndexTupleKind::Downlink { child, .. } => Some(Goal::Child(child)),
        _ => tuple.heap_tids().first().copied().map(Goal::Row),
    }
}

fn role(item: &BtItem, tuple: &IndexTuple) -> Role {
    match &tuple.kind {
        IndexTupleKind::HighKey { .. } => Role::HighKey,
        IndexTupleKind::Downlink { .. } | IndexTupleKind::TopParent(_) => Role::Pivot,
        _ if item.lp.lp_flags() == LpFlags::Dead => Role::IndexKilled,
        IndexTupleKind::Plain(_) => Role::IndexTuple,
        IndexTupleKind::Posting(_) => Role::PostingList,
    }
}

fn leads(kind: &IndexTupleKind) -> String {
    match kind {
        IndexTupleKind::Plain(tid) => format!("→ {tid}"),
        IndexTupleKind::Posting(tids) => format!("→ {}", words::count(tids.len() as u64, "row")),
        IndexTupleKind::Downlink { child, .. } => format!("→ block {child}"),
        IndexTupleKind::HighKey { .. } | IndexTupleKind::TopParent(_) => String::new(),
    }
}

/// An item with its tuple, on its page.
type Placed<'a> = (&'a Page, (&'a BtItem, &'a IndexTuple));

/// What became of an item that stays.
fn changed((was_in, (was, then)): Placed<'_>, (is_in, (is, now)): Placed<'_>) -> (Fate, String) {
    let same = was_in.slice(then.bytes.clone()) == is_in.slice(now.bytes.clone());
    let killed = was.lp.lp_flags() != LpFlags::Dead && is.lp.lp_flags() == LpFlags::Dead;
    if killed {
        (Fate::Changed, String::from("LP_DEAD"))
    } else if same {
        (Fate::Same, String::new())
    } else {
        (Fate::Changed, Exchange::of(then, now).words(then.heap_tids().len()))
    }
}

/// The rows that came into a posting list, and those that had to go.
struct Exchange {
    came: Vec<ItemPointer>,
    went: Vec<ItemPointer>,
}

impl Exchange {
    fn of(then: &IndexTuple, now: &IndexTuple) -> Self {
        let only = |these: &IndexTuple, others: &IndexTuple| -> Vec<ItemPointer> {
            these.heap_tids().iter().filter(|tid| !others.heap_tids().contains(tid)).copied().collect()
        };
        Self { came: only(now, then), went: only(then, now) }
    }

    fn first(&self) -> Option<ItemPointer> {
        self.came.first().or(self.went.first()).copied()
    }

    fn words(&self, was: usize) -> String {
        match (&self.came[..], &self.went[..]) {
            ([], []) => String::from("changed"),
            ([came], [went]) => format!("{came} in, {went} out"),
            ([], [went]) => format!("{went} out · was {was}"),
            ([came], []) => format!("{came} in · was {was}"),
            _ => format!("was {was}"),
        }
    }
}

fn status(pair: &Pair<'_>, is_new: bool) -> String {
    let (was, is) = (pair.before.as_ref().map(|side| &side.decoded), pair.after.as_ref().map(|side| &side.decoded));
    let Some(is) = is else { return String::from(CUT_OFF) };
    let entries = |page: &BtPage| page.data_items().len();
    match (was, is.kind) {
        (_, BtKind::Meta) => String::new(),
        (Some(was), BtKind::HalfDead | BtKind::Deleted) if was.kind != is.kind => {
            format!("{} → {}", was.kind.word(), is.kind.word())
        }
        (_, BtKind::HalfDead) => String::from("half-dead"),
        (_, BtKind::Deleted) => String::from("deleted"),
        _ if is_new => String::from("NEW page"),
        (Some(was), _) if entries(was) != entries(is) => format!("{} → {} entries", entries(was), entries(is)),
        (Some(was), _) if was.btpo_prev != is.btpo_prev => {
            format!("left sibling {} → {}", sibling(was.btpo_prev), sibling(is.btpo_prev))
        }
        (Some(was), _) if was.btpo_next != is.btpo_next => {
            format!("right sibling {} → {}", sibling(was.btpo_next), sibling(is.btpo_next))
        }
        _ => words::count(entries(is) as u64, "entry"),
    }
}

fn sibling(block: BlockNumber) -> String {
    if block == 0 { String::from("none") } else { block.to_string() }
}

/// The metapage: which page is the root.
fn meta(pair: &Pair<'_>) -> Vec<PanelLine> {
    let meta = |side: &Option<Side<'_>>| side.as_ref().and_then(|side| side.decoded.meta);
    let (was, Some(is)) = (meta(&pair.before), meta(&pair.after)) else { return Vec::new() };
    let root = |root: BlockNumber, level: u32| match root {
        0 => String::from("none yet"),
        root => format!("block {root}, level {level}"),
    };
    let band = |label: &str, now: String, then: Option<String>| {
        let is_changed = then.as_ref().is_some_and(|then| *then != now);
        PanelLine::Band(Band {
            part: PartId::Region(RegionKind::Meta),
            label: String::new(),
            text: format!("{label} {now}"),
            values: Vec::new(),
            leads: String::new(),
            tag: then.filter(|_| is_changed).map_or_else(String::new, |then| format!("was {then}")),
            role: Role::Meta,
            fate: if is_changed { Fate::Changed } else { Fate::Same },
            goal: None,
            bytes: 8,
            mark: None,
        })
    };
    let mut lines =
        Vec::from([band("root", root(is.btm_root, is.btm_level), was.map(|was| root(was.btm_root, was.btm_level)))]);
    if was.is_some_and(|was| was.btm_cleanup != is.btm_cleanup) {
        let then = was.map(|was| words::thousands(was.btm_cleanup.into()));
        lines.push(band("last cleanup", words::thousands(is.btm_cleanup.into()), then));
    }
    let fast = |meta: &ffviz_format::nbtree::BtMeta| (meta.btm_fastroot, meta.btm_fastlevel);
    if fast(&is) != (is.btm_root, is.btm_level) || was.is_some_and(|was| fast(&was) != (was.btm_root, was.btm_level)) {
        lines.push(band(
            "fast root",
            root(is.btm_fastroot, is.btm_fastlevel),
            was.map(|was| root(was.btm_fastroot, was.btm_fastlevel)),
        ));
    }
    lines
}
