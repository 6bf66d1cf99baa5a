//! A heap page: line pointers as rows beside their tuples, HOT chains, `t_ctid` links.

use super::{Sheet, anomaly_texts, columns, fact, raw};
use crate::scene::{ChainMark, Change, Fact, Link, LinkKind, PageScene, PartId, Role, Row, tuple, words};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::datum::{Attribute, Datum};
use ffviz_format::heap::{HeapItem, HeapPage, HeapTuple, HotChain, heap_free_space};
use ffviz_format::page::{ItemIdData, LpFlags, Region, RegionKind};
use ffviz_format::state::AccessMethod;

/// characters of a row's values in a row of the line pointer array
pub(super) const VALUES_WIDTH: usize = 60;
/// characters of one of them
pub(super) const VALUE_WIDTH: usize = 32;

pub(super) fn scene(sheet: Sheet<'_>) -> PageScene {
    let sequence = sheet.relation.am == AccessMethod::Sequence;
    let heap = Heap::new(sheet);
    PageScene {
        id: heap.sheet.id,
        title: heap.sheet.title(if sequence { "sequence page" } else { "heap page" }),
        facts: heap.facts(),
        size: heap.sheet.page.size(),
        regions: heap.sheet.regions(&heap.page.regions, |region| heap.region(region)),
        columns: columns(
            &[
                ("lp", true),
                ("state", false),
                ("off", true),
                ("len", true),
                ("xmin", true),
                ("xmax", true),
                ("ctid", false),
                ("flags", false),
                ("row", false),
            ],
            &["state", "off", "len", "flags"],
        ),
        rows: heap.page.items.iter().map(|item| heap.row(item)).collect(),
        links: heap.links(),
        anomalies: anomaly_texts(&heap.page.anomalies),
    }
}

/// A heap page taken apart, and what each tuple was before the step.
struct Heap<'a> {
    sheet: Sheet<'a>,
    page: HeapPage,
    before: Option<HeapPage>,
    marks: Vec<Option<ChainMark>>,
}

impl<'a> Heap<'a> {
    fn new(sheet: Sheet<'a>) -> Self {
        let page = HeapPage::decode(sheet.page, sheet.id.block);
        let before = sheet.diff.before.map(|before| HeapPage::decode(before, sheet.id.block));
        let marks = chain_marks(&page);
        Self { sheet, page, before, marks }
    }

    /// Role of the tuple, or of the line pointer where there is none.
    fn role(item: &HeapItem) -> Role {
        match &item.tuple {
            Some(tuple) => tuple::role(tuple),
            None => lp_role(item.lp.lp_flags()),
        }
    }

    /// What the step did to the tuple: another inserting transaction makes it another tuple.
    fn tuple_change(&self, item: &HeapItem) -> Option<Change> {
        let now = item.tuple.as_ref()?;
        let before = self.before.as_ref()?;
        let then = before.item(item.offset).and_then(|item| item.tuple.as_ref());
        let same_row = then.filter(|then| then.t_xmin == now.t_xmin);
        Some(self.sheet.diff.moved(same_row.map(|tuple| &tuple.bytes), &now.bytes, self.sheet.page))
    }

    /// What the step did to the line pointer.
    fn lp_change(&self, item: &HeapItem) -> Option<Change> {
        let before = self.before.as_ref()?;
        Some(match before.item(item.offset) {
            None => Change::Added,
            Some(then) if then.lp == item.lp => Change::Same,
            Some(_) => Change::Modified,
        })
    }

    /// What the step did to line pointer and tuple together.
    fn row_change(&self, item: &HeapItem) -> Change {
        let whole = self.sheet.whole_change();
        let lp = self.lp_change(item).unwrap_or(whole);
        let tuple = self.tuple_change(item).unwrap_or(whole);
        match (lp, tuple) {
            (Change::Added, _) | (_, Change::Added) => Change::Added,
            (_, Change::Modified | Change::Moved) => tuple,
            _ => lp,
        }
    }

    fn row(&self, item: &HeapItem) -> Row {
        let mut cells = Vec::from([item.offset.to_string(), item.lp.lp_flags().name().to_string()]);
        match (&item.tuple, item.lp.redirect()) {
            (Some(tuple), _) => cells.extend([
                tuple.bytes.start.to_string(),
                item.lp.lp_len().to_string(),
                tuple.t_xmin.to_string(),
                tuple.t_xmax.to_string(),
                tuple.t_ctid.to_string(),
                tuple::flags(tuple),
                self.values(item),
            ]),
            (None, Some(target)) => cells.push(format!("→ {target}")),
            (None, None) => {}
        }
        cells.resize(9, String::new());
        Row {
            part: PartId::Region(RegionKind::LinePointer(item.offset)),
            role: Self::role(item),
            change: self.row_change(item),
            cells,
            chain: self.marks.get(usize::from(item.offset.0)).copied().flatten(),
        }
    }

    /// The row's values, shortened.
    fn values(&self, item: &HeapItem) -> String {
        let Some(tuple) = &item.tuple else { return String::new() };
        let Sheet { page, relation, .. } = self.sheet;
        let columns = tuple.columns(page, &relation.attributes);
        let value = |(datum, attribute): (&Datum, &Attribute)| match self.sheet.look.redact {
            true => words::HIDDEN.to_string(),
            false => words::shorten(words::squeeze(&datum.text(page, attribute)).trim_end(), VALUE_WIDTH),
        };
        let live = columns.iter().zip(&relation.attributes).filter(|(_, attribute)| !attribute.dropped);
        words::shorten(&live.map(value).collect::<Vec<_>>().join(", "), VALUES_WIDTH)
    }

    fn region(&self, region: &Region) -> (Role, Option<Change>, String) {
        let length = region.bytes.end - region.bytes.start;
        match region.kind {
            RegionKind::LinePointer(n) => {
                let Some(item) = self.page.item(n) else { return self.common(region) };
                let state = item.lp.lp_flags();
                let words = match (&item.tuple, item.lp.redirect()) {
                    (Some(tuple), _) => format!("{} → byte {}", state.name(), tuple.bytes.start),
                    (None, Some(target)) => format!("{} → line pointer {target}", state.name()),
                    (None, None) => state.name().to_string(),
                };
                (lp_role(state), self.lp_change(item), format!("line pointer {n}: {words}"))
            }
            RegionKind::Tuple(n) => {
                let Some(item) = self.page.item(n) else { return self.common(region) };
                let role = Self::role(item);
                (role, self.tuple_change(item), format!("tuple {n}: {}, {}", role.word(), words::bytes(length.into())))
            }
            RegionKind::Hole | RegionKind::Padding(_) => {
                let (role, label) = raw::common(region);
                (role, Some(self.sheet.whole_change()), label)
            }
            _ => self.common(region),
        }
    }

    fn common(&self, region: &Region) -> (Role, Option<Change>, String) {
        let (role, label) = raw::common(region);
        (role, None, label)
    }

    fn links(&self) -> Vec<Link> {
        let mut links = Vec::new();
        for item in &self.page.items {
            let (lp, own) =
                (PartId::Region(RegionKind::LinePointer(item.offset)), PartId::Region(RegionKind::Tuple(item.offset)));
            if let Some(target) = item.lp.redirect().filter(|target| self.page.item(*target).is_some()) {
                links.push(Link {
                    from: lp,
                    to: PartId::Region(RegionKind::LinePointer(target)),
                    kind: LinkKind::Redirect,
                });
            }
            let Some(tuple) = &item.tuple else { continue };
            links.push(Link { from: lp, to: own, kind: LinkKind::Item });
            if let Some((to, kind)) = self.next_version(tuple) {
                links.push(Link { from: own, to, kind });
            }
        }
        links
    }

    /// Where `t_ctid` leads, if the next version can be pointed at.
    fn next_version(&self, tuple: &HeapTuple) -> Option<(PartId, LinkKind)> {
        let next = tuple::next_version(tuple)?;
        let kind = if tuple.is_hot_updated() { LinkKind::HotUpdate } else { LinkKind::ColdUpdate };
        if next.block != self.sheet.id.block {
            return Some((PartId::Block(next.block), kind));
        }
        self.page.item(next.offset).map(|_| (PartId::Region(RegionKind::LinePointer(next.offset)), kind))
    }

    fn facts(&self) -> Vec<Fact> {
        let mut facts = self.sheet.space_facts();
        facts.push(fact("line pointers", self.line_pointer_words()));
        let old: Vec<&HeapItem> = self.page.items.iter().filter(|item| tuple::is_old(Self::role(item))).collect();
        if !old.is_empty() {
            let sum = old.iter().map(|item| max_align(item.lp.lp_len())).sum();
            facts.push(fact("old row versions", format!("{}, {}", old.len(), words::bytes(sum))));
        }
        // a sequence's one tuple is changed in place
        if self.sheet.relation.am != AccessMethod::Sequence {
            facts.extend(self.hot_room());
        }
        facts.extend(self.sheet.header_facts());
        facts
    }

    /// `12: 9 LP_NORMAL, 2 LP_REDIRECT, 1 LP_UNUSED`; `0` of a page without any
    fn line_pointer_words(&self) -> String {
        let states = [LpFlags::Normal, LpFlags::Redirect, LpFlags::Dead, LpFlags::Unused];
        let count = |state| self.page.items.iter().filter(|item| item.lp.lp_flags() == state).count();
        let parts = states.map(|state| (count(state), state.name())).into_iter().filter(|(n, _)| *n > 0);
        let parts: Vec<String> = parts.map(|(n, name)| format!("{n} {name}")).collect();
        let all = self.page.items.len();
        if parts.is_empty() { all.to_string() } else { format!("{all}: {}", parts.join(", ")) }
    }

    /// Would the next version of an average row fit? The test of `heap_update`: `MAXALIGN(t_len) <=
    /// PageGetHeapFreeSpace`. Both sides are told with the line pointer, so that what is free is one number wherever it
    /// stands.
    fn hot_room(&self) -> Option<Fact> {
        let lengths =
            self.page.items.iter().filter(|item| item.tuple.is_some()).map(|item| max_align(item.lp.lp_len()));
        let (n, sum) = lengths.fold((0, 0), |(n, sum), length| (n + 1, sum + length));
        let average = (sum / u64::max(n, 1)).next_multiple_of(8);
        let (needed, free) = (average + ItemIdData::SIZE as u64, u64::from(self.sheet.page.free()));
        let fits = average <= u64::from(heap_free_space(self.sheet.page));
        let answer = match fits {
            true => "yes",
            false if needed <= free => "no, unless pruning frees a line pointer",
            false => "no, unless pruning makes room",
        };
        let (needed, has) = (words::thousands(needed), words::bytes(free));
        (n > 0).then(|| fact("room for a HOT update", format!("{answer}: needs {needed}, free {has}")))
    }
}

/// `MAXALIGN`: tuples take multiples of 8 bytes.
pub(crate) const fn max_align(length: u16) -> u64 {
    (length as u64).next_multiple_of(8)
}

pub(crate) const fn lp_role(state: LpFlags) -> Role {
    match state {
        LpFlags::Unused => Role::LpUnused,
        LpFlags::Normal => Role::LpNormal,
        LpFlags::Redirect => Role::LpRedirect,
        LpFlags::Dead => Role::LpDead,
    }
}

/// The place in its chain of each line pointer, by number.
fn chain_marks(heap: &HeapPage) -> Vec<Option<ChainMark>> {
    let mut marks = alloc::vec![None; heap.items.len() + 1];
    for (ix, HotChain { members, .. }) in heap.chains.iter().enumerate() {
        for (place, member) in members.iter().enumerate() {
            let mark = ChainMark { chain: ix as u16 + 1, place: place as u16, last: place + 1 == members.len() };
            if let Some(slot) = marks.get_mut(usize::from(member.0)) {
                *slot = Some(mark);
            }
        }
    }
    marks
}
