//! A heap page as a panel: line pointers, free space, the tuples in the order of the page, with what is gone still in
//! its old place.

use super::merge::{Place, merge};
use super::panel::{Band, Chip, Fate, Goal, Panel, PanelLine};
use super::{torn, undo, values};
use crate::scene::page::{lp_role, max_align};
use crate::scene::{Look, PartId, Role, tuple, words};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::heap::infomask::{
    HEAP_XMAX_COMMITTED, HEAP_XMAX_INVALID, HEAP_XMIN_COMMITTED, HEAP_XMIN_FROZEN, HEAP_XMIN_INVALID,
};
use ffviz_format::heap::sequence::SequenceData;
use ffviz_format::heap::{HeapItem, HeapPage, HeapTuple};
use ffviz_format::page::{LpFlags, OffsetNumber, Page, RegionKind};
use ffviz_format::state::{AccessMethod, PageId, RelKind, Relation};

/// Pages of other blocks at most that are searched for the other version of a row.
const OTHERS: usize = 2;

/// Facts that are told of a tuple.
const MOST_FACTS: usize = 3;

/// What is told of a tuple that has another place on its page.
pub(super) const MOVED: &str = "moved";

/// A page taken apart.
type Decoded<'a> = (&'a Page, HeapPage);

/// A tuple's name on the page: its line pointer; 1 where another version took the place of the one before.
type Name = (OffsetNumber, u8);

/// A heap page before and after the step.
struct Pair<'a> {
    look: &'a Look<'a>,
    relation: &'a Relation,
    id: PageId,
    before: Option<Decoded<'a>>,
    after: Option<Decoded<'a>>,
}

/// The panel of a page; `concerned` are line pointers that the event leads to without a change of theirs.
pub(super) fn panel(look: &Look<'_>, id: PageId, concerned: &[OffsetNumber]) -> Option<Panel> {
    let decode = |page| (page, HeapPage::decode(page, id.block));
    let known = |state_of: &ffviz_format::state::State| state_of.relations.get(&id.relation).cloned();
    let relation = known(look.state)
        .or_else(|| look.step.relations.iter().find(|change| change.oid == id.relation)?.before.clone())?;
    let change = look.change(id);
    let after = match change {
        Some(change) => change.after.as_ref(),
        None => look.page(id),
    };
    let before = change.map_or(after, |change| change.before.as_ref());
    if relation.am == AccessMethod::Undo {
        return undo::panel(look, id, &relation, before, after);
    }
    let pair = Pair { look, relation: &relation, id, before: before.map(decode), after: after.map(decode) };
    Some(pair.panel(concerned))
}

impl Pair<'_> {
    fn panel(&self, concerned: &[OffsetNumber]) -> Panel {
        let is_new = self.before.is_none() || self.is_zero(self.before.as_ref()) && !self.is_zero(self.after.as_ref());
        let mut panel = Panel {
            page: Some(self.id),
            title: format!("{} · block {}", self.name(), self.id.block),
            status: self.status(is_new),
            is_new,
            row: 0,
            mark: None,
            lines: self.lines(concerned),
            goals: Vec::new(),
        };
        super::abridge::panel(&mut panel, "row");
        for band in panel.bands_mut().filter(|band| band.text.is_empty()) {
            let PartId::Region(RegionKind::Tuple(n)) = band.part else { continue };
            let side = if band.fate.is_ghost() { self.before_tuple(n) } else { self.after_tuple(n) };
            band.text = side.map_or_else(String::new, |(page, tuple)| self.text(page, tuple));
        }
        panel
    }

    /// The relation's name; a TOAST table's is that of its table.
    fn name(&self) -> String {
        let table = self.relation.table.filter(|_| self.relation.kind == RelKind::Toast);
        match table.and_then(|table| self.look.relation(table)) {
            Some(table) => format!("TOAST of {}", table.told()),
            None => words::relation_fork(self.relation, self.id.fork),
        }
    }

    fn is_zero(&self, page: Option<&Decoded<'_>>) -> bool {
        page.is_some_and(|(page, _)| page.is_zero())
    }

    fn status(&self, is_new: bool) -> String {
        let free = |decoded: &Option<Decoded<'_>>| decoded.as_ref().map(|(page, _)| u64::from(page.free()));
        match (free(&self.before), free(&self.after)) {
            (_, None) => String::from("cut off"),
            _ if matches!(self.relation.am, AccessMethod::Other(_)) => String::from("changed"),
            _ if self.is_zero(self.after.as_ref()) => String::from("zeros"),
            _ if is_new => String::from("NEW page"),
            (Some(was), Some(is)) if was != is => {
                format!("free {} → {}", words::thousands(was), words::thousands(is))
            }
            (_, Some(is)) => format!("free {}", words::thousands(is)),
        }
    }

    fn lines(&self, concerned: &[OffsetNumber]) -> Vec<PanelLine> {
        let mut lines = Vec::new();
        if let AccessMethod::Other(name) = &self.relation.am {
            let [before, after] = [&self.before, &self.after].map(|side| side.as_ref().map(|(page, _)| *page));
            if name == "gist"
                && let Some(lines) = super::gist::lines(before, after)
            {
                return lines;
            }
            return Vec::from([PanelLine::Free(format!("pages of {name} are known as bytes only"))]);
        }
        let chips = self.chips(concerned);
        if !chips.is_empty() {
            lines.push(PanelLine::Chips(chips.into_iter().map(Some).collect()));
        }
        let Some((page, _)) = &self.after else {
            lines.extend(self.bands(concerned).into_iter().map(|(_, band)| PanelLine::Band(band)));
            return lines;
        };
        if page.is_zero() {
            lines.push(PanelLine::Free(String::from("nothing but zeros: not yet written")));
            return lines;
        }
        lines.push(PanelLine::Free(format!("free space {}", words::bytes(page.free().into()))));
        let mut tear = self.look.change(self.id).and_then(|change| torn::at(self.look.step, change));
        for (start, band) in self.bands(concerned) {
            if let Some(at) = tear.filter(|at| start >= *at) {
                lines.push(torn::line(at));
                tear = None;
            }
            lines.push(PanelLine::Band(band));
        }
        lines.extend(tear.map(torn::line));
        lines
    }

    fn chips(&self, concerned: &[OffsetNumber]) -> Vec<Chip> {
        let items = |decoded: &Option<Decoded<'_>>| decoded.as_ref().map_or(0, |(_, page)| page.items.len());
        let (was, is) = (items(&self.before), items(&self.after));
        (1..=was.max(is) as u16).map(OffsetNumber).filter_map(|n| self.chip(n, concerned)).collect()
    }

    fn chip(&self, n: OffsetNumber, concerned: &[OffsetNumber]) -> Option<Chip> {
        let item = |decoded: &Option<Decoded<'_>>| decoded.as_ref().and_then(|(_, page)| page.item(n).cloned());
        let (was, is) = (item(&self.before), item(&self.after));
        let fate = match (&was, &is) {
            (_, None) => Fate::Gone,
            (_, Some(is)) if self.is_damaged(is) => Fate::Damaged,
            (None, Some(_)) => Fate::New,
            (Some(was), Some(is)) if was.lp.lp_flags() != is.lp.lp_flags() || was.lp.redirect() != is.lp.redirect() => {
                Fate::Changed
            }
            _ if concerned.contains(&n) => Fate::Concerned,
            _ => Fate::Same,
        };
        let before = was.as_ref().map(|was| was.lp.lp_flags());
        let item = is.or(was)?;
        let flags = item.lp.lp_flags();
        let text = match (flags, item.lp.redirect()) {
            // cut off from the end of the array
            _ if fate == Fate::Gone && self.after.is_some() => format!("{n} cut off"),
            (_, Some(target)) => format!("{n}→{target}"),
            (LpFlags::Dead, _) => format!("{n} dead"),
            (LpFlags::Unused, _) if before == Some(LpFlags::Dead) => format!("{n} dead → unused"),
            (LpFlags::Unused, _) => format!("{n} unused"),
            _ if before == Some(LpFlags::Unused) => format!("{n} was unused"),
            _ => n.to_string(),
        };
        Some(Chip {
            part: PartId::Region(RegionKind::LinePointer(n)),
            text,
            role: lp_role(flags),
            target: item.lp.redirect(),
            fate,
            mark: None,
        })
    }

    /// Does a redirect lead to what none may lead to?
    fn is_damaged(&self, item: &HeapItem) -> bool {
        let anomalies = self.after.as_ref().map_or(&[][..], |(_, page)| &page.anomalies);
        item.lp.redirect().is_some() && anomalies.iter().any(|anomaly| anomaly.bytes == item.offset.bytes())
    }

    /// The tuples with the byte where each begins.
    fn bands(&self, concerned: &[OffsetNumber]) -> Vec<(u16, Band)> {
        let (before, after) = (self.named(&self.before, false), self.named(&self.after, true));
        let places = merge(&before, &after);
        let band = |place: Place<Name>| match place {
            Place::There((n, version)) => self.there(n, version, concerned),
            Place::Ghost((n, _)) => self.ghost(n),
        };
        places.into_iter().filter_map(band).collect()
    }

    /// The names of the tuples, in the order in which they lie.
    fn named(&self, decoded: &Option<Decoded<'_>>, is_after: bool) -> Vec<Name> {
        let Some((_, page)) = decoded else { return Vec::new() };
        let name = |item: &HeapItem| {
            let tuple = item.tuple.as_ref()?;
            let another = is_after && self.before_tuple(item.offset).is_some() && !self.is_kept(item.offset);
            Some((tuple.bytes.start, (item.offset, u8::from(another))))
        };
        let mut named: Vec<(u16, Name)> = page.items.iter().filter_map(name).collect();
        named.sort_unstable();
        named.into_iter().map(|(_, name)| name).collect()
    }

    fn before_tuple(&self, n: OffsetNumber) -> Option<(&Page, &HeapTuple)> {
        self.before.as_ref().and_then(|(page, decoded)| Some((*page, decoded.tuple(n)?)))
    }

    fn after_tuple(&self, n: OffsetNumber) -> Option<(&Page, &HeapTuple)> {
        self.after.as_ref().and_then(|(page, decoded)| Some((*page, decoded.tuple(n)?)))
    }

    /// Is it the version that was there? Row data may be overwritten in place, in a sequence and by the catalog's own
    /// updates.
    fn is_kept(&self, n: OffsetNumber) -> bool {
        let (Some((was_in, was)), Some((is_in, is))) = (self.before_tuple(n), self.after_tuple(n)) else {
            return false;
        };
        let length = |tuple: &HeapTuple| tuple.bytes.end - tuple.bytes.start;
        let in_place = was.bytes == is.bytes && was.t_ctid == is.t_ctid && was.t_xmax == is.t_xmax;
        was.t_xmin == is.t_xmin
            && length(was) == length(is)
            && (in_place || was_in.slice(was.data()) == is_in.slice(is.data()))
    }

    fn there(&self, n: OffsetNumber, version: u8, concerned: &[OffsetNumber]) -> Option<(u16, Band)> {
        let (page, tuple) = self.after_tuple(n)?;
        if page.slice(tuple.bytes.clone()).iter().all(|byte| *byte == 0) {
            let text = String::from("never written: zeros");
            let damaged = Band { text, ..band(n, tuple, Fate::Damaged) };
            return Some((tuple.bytes.start, Band { role: Role::Residue, ..damaged }));
        }
        let was = self.before_tuple(n).filter(|_| version == 0);
        let (fate, facts) = match was {
            None => (Fate::New, self.new_facts(tuple, version > 0)),
            Some((was_in, was)) => {
                let facts = self.changes((was_in, was), (page, tuple));
                let fate = match (facts.is_empty(), was.bytes.start == tuple.bytes.start) {
                    (false, _) => Fate::Changed,
                    (true, _) if concerned.contains(&n) => Fate::Concerned,
                    (true, true) => Fate::Same,
                    (true, false) => Fate::Shifted,
                };
                (fate, facts)
            }
        };
        let moved = was.is_some_and(|(_, was)| was.bytes.start != tuple.bytes.start).then(|| String::from(MOVED));
        let facts: Vec<String> = moved.into_iter().chain(facts).take(MOST_FACTS).collect();
        Some((tuple.bytes.start, Band { tag: facts.join(" · "), ..band(n, tuple, fate) }))
    }

    fn ghost(&self, n: OffsetNumber) -> Option<(u16, Band)> {
        let (_, tuple) = self.before_tuple(n)?;
        let is_torn = self.look.change(self.id).is_some_and(|change| torn::at(self.look.step, change).is_some());
        let tag = String::from(if is_torn { "not written" } else { Fate::Gone.word() });
        Some((tuple.bytes.start, Band { tag, ..band(n, tuple, Fate::Gone) }))
    }

    fn text(&self, page: &Page, tuple: &HeapTuple) -> String {
        if self.relation.am == AccessMethod::Sequence {
            let data = SequenceData::new(page.slice(tuple.data()));
            let called = if data.is_called() { "" } else { " (not yet given out)" };
            return format!("last_value {}{called} · log_cnt {}", data.last_value(), data.log_cnt());
        }
        let block = |id: PageId| self.look.page(id).map(|page| (page, HeapPage::decode(page, id.block)));
        // versions on other pages: where this one leads to, and those that the step changed
        let next = (tuple.t_ctid.block != self.id.block).then_some(PageId { block: tuple.t_ctid.block, ..self.id });
        let touched = self.look.step.pages.iter().map(|change| change.id);
        let others = touched.filter(|id| {
            id.relation == self.id.relation && id.fork == self.id.fork && id.block != self.id.block && Some(*id) != next
        });
        let others: Vec<Decoded<'_>> = next.into_iter().chain(others.take(OTHERS)).filter_map(block).collect();
        let here = self.after.iter().chain(&self.before);
        let other = here.chain(&others).find_map(|(page, decoded)| Some((*page, neighbour(decoded, tuple)?)));
        values::row(self.look, self.relation, page, tuple, other)
    }

    /// What is to be said of a tuple that was not there; `again` is true of one whose line pointer led to another.
    fn new_facts(&self, tuple: &HeapTuple, again: bool) -> Vec<String> {
        // an UPDATE of a row that its transaction had locked hands the lock on
        let locked = tuple.is_locked_only().then(|| format!("locked by {}", tuple.t_xmax));
        let facts = [(true, "NEW"), (tuple.is_heap_only(), "heap-only"), (again, "line pointer used again")];
        facts.into_iter().filter(|(is, _)| *is).map(|(_, fact)| String::from(fact)).chain(locked).collect()
    }

    /// What became of a tuple that stays, besides its place: what says most comes first.
    fn changes(&self, (was_in, was): (&Page, &HeapTuple), (is_in, is): (&Page, &HeapTuple)) -> Vec<String> {
        let mut facts: Vec<String> = Vec::new();
        if was.t_xmax != is.t_xmax {
            facts.push(match is.is_locked_only() {
                true => format!("locked {} by {}", is.lock_name(), is.t_xmax),
                false => format!("xmax {} → {}", was.t_xmax, is.t_xmax),
            });
        } else if was.is_locked_only() && !is.is_locked_only() && is.t_infomask & HEAP_XMAX_INVALID == 0 {
            // the transaction that holds the lock now updates or deletes the row
            let what = if is.t_ctid == is.tid { "delete" } else { "update" };
            facts.push(format!("lock → {what}"));
        }
        if is.is_hot_updated() && !was.is_hot_updated() {
            facts.push(String::from("HOT-updated"));
        } else if is.is_moved_to_partition() && !was.is_moved_to_partition() {
            facts.push(String::from(TO_PARTITION));
        } else if was.t_ctid != is.t_ctid && is.t_ctid.block != self.id.block {
            facts.push(format!("next {}", is.t_ctid));
        }
        facts.extend(hints(was, is).map(String::from));
        if facts.is_empty() && was_in.slice(was.data()) != is_in.slice(is.data()) {
            facts.push(String::from("in place"));
        }
        facts
    }
}

/// What is said of a tuple whose row an UPDATE put into another partition.
pub(super) const TO_PARTITION: &str = "went to another partition";

/// The version that an UPDATE made of a tuple, or made it of.
fn neighbour<'a>(page: &'a HeapPage, tuple: &HeapTuple) -> Option<&'a HeapTuple> {
    let tuples = || page.items.iter().filter_map(|item| item.tuple.as_ref()).filter(|other| other.tid != tuple.tid);
    let next = tuples().find(|other| other.tid == tuple.t_ctid && other.t_xmin == tuple.t_xmax);
    next.or_else(|| tuples().find(|other| other.t_ctid == tuple.tid && other.t_xmax == tuple.t_xmin))
}

fn band(n: OffsetNumber, tuple: &HeapTuple, fate: Fate) -> Band {
    Band {
        part: PartId::Region(RegionKind::Tuple(n)),
        label: n.to_string(),
        text: String::new(),
        leads: String::new(),
        tag: String::new(),
        role: tuple::role(tuple),
        fate,
        goal: Some(Goal::Row(tuple.tid)),
        bytes: max_align(tuple.bytes.end - tuple.bytes.start) as u16,
        mark: None,
    }
}

/// The hint bits that are set now and were not.
fn hints<'a>(was: &HeapTuple, is: &HeapTuple) -> impl Iterator<Item = &'a str> + use<'a> {
    let set = is.t_infomask & !was.t_infomask;
    let has = |bits: u16| is.t_infomask & bits == bits && set & bits != 0;
    let xmin = if has(HEAP_XMIN_FROZEN) {
        Some("frozen")
    } else if has(HEAP_XMIN_COMMITTED) {
        Some("hint: xmin committed")
    } else if has(HEAP_XMIN_INVALID) {
        Some("hint: xmin aborted")
    } else {
        None
    };
    let xmax = if has(HEAP_XMAX_COMMITTED) {
        Some("hint: xmax committed")
    } else if has(HEAP_XMAX_INVALID) && was.t_xmax != 0 {
        Some("hint: xmax void")
    } else {
        None
    };
    xmin.into_iter().chain(xmax)
}
