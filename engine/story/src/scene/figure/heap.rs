//! A heap page as a panel: line pointers, free space, the tuples in the order of the page, with what is gone still in
//! its old place.

use super::merge::{Place, merge};
use super::panel::{Band, Chip, Fate, Goal, Panel, PanelLine};
use super::stage::CUT_OFF;
use super::{torn, undo, values};
use crate::scene::page::{lp_role, max_align};
use crate::scene::{Look, PartId, Role, tuple, words};
use crate::timeline::PageChange;
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

/// The relation as it was or is, its page then, and a tuple there.
type Side<'a> = (&'a Relation, (&'a Page, &'a HeapTuple));

/// A tuple's name on the page: its line pointer; 1 where another version took the place of the one before.
type Name = (OffsetNumber, u8);

/// A heap page before and after the step.
#[derive(Clone)]
struct Pair<'a> {
    look: &'a Look<'a>,
    relation: &'a Relation,
    /// what the relation was before, where its rows were written anew into another file
    old: Option<&'a Relation>,
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
    let old = rewritten(look, id);
    let pair = Pair { look, relation: &relation, old, id, before: before.map(decode), after: after.map(decode) };
    Some(pair.panel(concerned))
}

/// The relation as it was, where it has another file since.
fn rewritten<'a>(look: &'a Look<'_>, id: PageId) -> Option<&'a Relation> {
    let rewritten = look.step.relations.iter().find(|change| change.oid == id.relation && change.is_rewritten());
    rewritten.and_then(|change| change.before.as_deref())
}

/// The panel of a page, or of both: that of the old file, and that of the new one.
pub(super) fn panels(look: &Look<'_>, id: PageId) -> Vec<Panel> {
    let sides = look.relation(id.relation).zip(rewritten(look, id)).zip(look.change(id));
    let Some(((relation, old), PageChange { before: Some(before), after: Some(after), .. })) = sides else {
        return panel(look, id, &[]).into_iter().collect();
    };
    let pair = Pair { look, relation, old: Some(old), id, before: None, after: None };
    let decode = |page| Some((page, HeapPage::decode(page, id.block)));
    let old = Pair { before: decode(before), ..pair.clone() }.panel(&[]);
    let new = Pair { after: decode(after), ..pair }.panel(&[]);
    Vec::from([old, Panel { status: String::from("new file"), ..new }])
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
            tags: Vec::new(),
        };
        super::abridge::panel(&mut panel, "row");
        self.tell(&mut panel);
        panel
    }

    /// The rows' values, once it is known which are shown.
    fn tell(&self, panel: &mut Panel) {
        let side = |band: &Band| {
            let PartId::Region(RegionKind::Tuple(n)) = band.part else { return None };
            match band.fate.is_ghost() {
                true => self.before_tuple(n).map(|side| (self.old.unwrap_or(self.relation), side)),
                false => self.after_tuple(n).map(|side| (self.relation, side)),
            }
        };
        let mut bands: Vec<(&mut Band, Side<'_>)> = Vec::new();
        for band in panel.bands_mut().filter(|band| band.text.is_empty()) {
            let side = side(band);
            bands.extend(side.map(|side| (band, side)));
        }
        if self.relation.am == AccessMethod::Sequence {
            bands.into_iter().for_each(|(band, (_, (page, tuple)))| band.text = sequence(page, tuple));
            return;
        }
        let rows: Vec<values::Row> =
            bands.iter().map(|(_, (relation, (page, tuple)))| self.row(relation, page, tuple)).collect();
        bands.into_iter().zip(values::told(&rows)).for_each(|((band, _), values)| band.tell(values));
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
            (_, None) => String::from(CUT_OFF),
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
            also: Vec::new(),
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
            let damaged = Band { text, ..self.band(n, tuple, Fate::Damaged) };
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
        let old_lock = fate == Fate::Same && self.look.fates.is_old_lock(tuple);
        // that it is frozen holds for ever, where it lies does not
        let (first, rest): (Vec<String>, Vec<String>) = facts.into_iter().partition(|fact| fact == FROZEN);
        let facts = first.into_iter().chain(moved).chain(rest).chain(old_lock.then(|| String::from(OLD_LOCK)));
        let facts: Vec<String> = facts.take(MOST_FACTS).collect();
        Some((tuple.bytes.start, Band { tag: facts.join(" · "), ..self.band(n, tuple, fate) }))
    }

    fn ghost(&self, n: OffsetNumber) -> Option<(u16, Band)> {
        let (_, tuple) = self.before_tuple(n)?;
        let is_torn = self.look.change(self.id).is_some_and(|change| torn::at(self.look.step, change).is_some());
        let tag = String::from(if is_torn { "not written" } else { Fate::Gone.word() });
        Some((tuple.bytes.start, Band { tag, ..self.band(n, tuple, Fate::Gone) }))
    }

    fn row(&self, relation: &Relation, page: &Page, tuple: &HeapTuple) -> values::Row {
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
        values::row(self.look, relation, page, tuple, other)
    }

    /// What is to be said of a tuple that was not there; `again` is true of one whose line pointer led to another.
    fn new_facts(&self, tuple: &HeapTuple, again: bool) -> Vec<String> {
        let fates = self.look.fates;
        let is_locked = tuple.is_locked_only() && !fates.is_xmax_void(tuple);
        // an UPDATE of a row that its transaction had locked hands the lock on
        let lock = match fates.is_own_lock(tuple) {
            _ if !is_locked => None,
            true => Some(String::from("lock kept")),
            false => Some(self.locked_by(tuple)),
        };
        let aborted = fates.is_aborted(tuple).then(|| String::from(ROLLED_BACK));
        // a new file has line pointers of its own
        let again = again && self.old.is_none();
        let facts = [(true, "NEW"), (tuple.is_heap_only(), "heap-only"), (again, "line pointer used again")];
        let facts = facts.into_iter().filter(|(is, _)| *is).map(|(_, fact)| String::from(fact));
        // that it counts for nobody says more than how it is linked
        facts.clone().take(1).chain(aborted).chain(facts.skip(1)).chain(lock).collect()
    }

    /// `locked FOR UPDATE by 758`; of a multixact who they are, where that is known.
    fn locked_by(&self, tuple: &HeapTuple) -> String {
        if !tuple.is_xmax_multi() {
            return format!("locked {} by {}", tuple.lock_name(), tuple.t_xmax);
        }
        match self.look.fates.members(tuple.t_xmax) {
            [] => format!("locked by multixact {}", tuple.t_xmax),
            members => {
                let members: Vec<String> = members.iter().map(ToString::to_string).collect();
                format!("locked by multixact {}: {}", tuple.t_xmax, members.join(", "))
            }
        }
    }

    /// What became of `t_xmax`.
    fn xmax_changes(&self, was: &HeapTuple, is: &HeapTuple) -> Vec<String> {
        let fates = self.look.fates;
        let mut facts = Vec::new();
        if was.t_xmax != is.t_xmax && is.is_locked_only() {
            let over = if fates.is_old_lock(is) { "was " } else { "" };
            facts.push(format!("{over}{}", self.locked_by(is)));
        } else if was.t_xmax != is.t_xmax {
            facts.push(match was.is_xmax_multi() && is.is_xmax_multi() {
                true => format!("multixact {} → {}", was.t_xmax, is.t_xmax),
                false => format!("xmax {} → {}", xmax(was), xmax(is)),
            });
        } else if was.is_locked_only() && !is.is_locked_only() && is.t_infomask & HEAP_XMAX_INVALID == 0 {
            // the transaction that holds the lock now updates or deletes the row
            facts.push(format!("locked → {}", if is.t_ctid == is.tid { "deleted" } else { "updated" }));
        }
        if !facts.is_empty() && !is.is_locked_only() && fates.is_xmax_void(is) {
            facts.push(String::from(ROLLED_BACK));
        }
        facts
    }

    /// What became of a tuple that stays, besides its place: what says most comes first.
    fn changes(&self, (was_in, was): (&Page, &HeapTuple), (is_in, is): (&Page, &HeapTuple)) -> Vec<String> {
        let mut facts = self.xmax_changes(was, is);
        if is.is_hot_updated() && !was.is_hot_updated() {
            facts.push(String::from("HOT-updated"));
        } else if is.is_moved_to_partition() && !was.is_moved_to_partition() {
            facts.push(String::from(TO_PARTITION));
        } else if was.t_ctid != is.t_ctid && is.t_ctid.block != self.id.block {
            facts.push(format!("next {}", is.t_ctid));
        }
        facts.extend(hints(was, is).map(String::from));
        if facts.is_empty() && was_in.slice(was.data()) != is_in.slice(is.data()) {
            facts.push(match self.relation.am {
                AccessMethod::Sequence => sequence_was(was_in, was, (is_in, is)),
                _ => String::from("in place"),
            });
        }
        facts
    }

    fn band(&self, n: OffsetNumber, tuple: &HeapTuple, fate: Fate) -> Band {
        Band {
            part: PartId::Region(RegionKind::Tuple(n)),
            label: n.to_string(),
            text: String::new(),
            values: Vec::new(),
            leads: String::new(),
            tag: String::new(),
            role: tuple::role_at(tuple, self.look.fates),
            fate,
            goal: Some(Goal::Row(tuple.tid)),
            bytes: max_align(tuple.bytes.end - tuple.bytes.start) as u16,
            mark: None,
        }
    }
}

/// A transaction's number, or which multixact it is.
fn xmax(tuple: &HeapTuple) -> String {
    if tuple.is_xmax_multi() { format!("multixact {}", tuple.t_xmax) } else { tuple.t_xmax.to_string() }
}

/// The only row of a sequence.
fn sequence(page: &Page, tuple: &HeapTuple) -> String {
    let data = SequenceData::new(page.slice(tuple.data()));
    format!("last_value {}{} · log_cnt {}", data.last_value(), not_called(&data), data.log_cnt())
}

fn not_called(data: &SequenceData<'_>) -> &'static str {
    if data.is_called() { "" } else { " (not yet given out)" }
}

/// What it was, of what is another now.
fn sequence_was(was_in: &Page, was: &HeapTuple, (is_in, is): (&Page, &HeapTuple)) -> String {
    let was = SequenceData::new(was_in.slice(was.data()));
    let is = SequenceData::new(is_in.slice(is.data()));
    match (was.last_value() == is.last_value(), was.is_called() == is.is_called()) {
        (true, true) => format!("log_cnt was {}", was.log_cnt()),
        (true, false) if is.is_called() => String::from("was not yet given out"),
        _ => format!("was {}", was.last_value()),
    }
}

/// What is said of a tuple that is frozen now.
pub(super) const FROZEN: &str = "frozen";

/// What is said of a tuple whose `t_xmax` is a lock that is over.
pub(super) const OLD_LOCK: &str = "old lock";

/// What is said of a tuple that a transaction that was rolled back put there, or deleted or updated.
pub(super) const ROLLED_BACK: &str = "rolled back";

/// What is said of a tuple whose row an UPDATE put into another partition.
pub(super) const TO_PARTITION: &str = "went to another partition";

/// The version that an UPDATE made of a tuple, or made it of.
fn neighbour<'a>(page: &'a HeapPage, tuple: &HeapTuple) -> Option<&'a HeapTuple> {
    let tuples = || page.items.iter().filter_map(|item| item.tuple.as_ref()).filter(|other| other.tid != tuple.tid);
    let next = tuples().find(|other| other.tid == tuple.t_ctid && other.t_xmin == tuple.t_xmax);
    next.or_else(|| tuples().find(|other| other.t_ctid == tuple.tid && other.t_xmax == tuple.t_xmin))
}

/// The hint bits that are set now and were not.
fn hints<'a>(was: &HeapTuple, is: &HeapTuple) -> impl Iterator<Item = &'a str> + use<'a> {
    let set = is.t_infomask & !was.t_infomask;
    let has = |bits: u16| is.t_infomask & bits == bits && set & bits != 0;
    let xmin = if has(HEAP_XMIN_FROZEN) {
        Some(FROZEN)
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
        Some("hint: xmax invalid")
    } else {
        None
    };
    xmin.into_iter().chain(xmax)
}
