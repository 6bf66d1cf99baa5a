//! A figure while it is made: panels enter, notes put their marks, arrows join parts.

use super::panel::{Arrow, BY, Band, Chip, Fate, Panel, PanelLine};
use super::whole::Doer;
use super::{FigureScene, Plot, actor, repeat};
use crate::scene::{Look, PartId};
use crate::timeline::{Cause, EventKind, Explanation, HotDecision, RelationChange};
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::page::{ItemPointer, Oid, RegionKind};
use ffviz_format::state::{PageId, RelKind};

/// A panel, and a piece of it.
pub(super) type Spot = (usize, PartId);

fn piece(panel: usize, at: usize) -> PartId {
    PartId::Piece(panel as u8, at as u16)
}

/// The figure so far.
pub(super) struct Stage<'a> {
    pub look: &'a Look<'a>,
    pub told: &'a Explanation,
    pub plot: Plot,
    /// are several steps drawn as one?
    pub is_whole: bool,
    /// who changed rows in place of the statement
    pub doers: &'a [Doer],
    pub panels: Vec<Panel>,
    pub left_out: String,
    /// is something drawn that was rolled back?
    pub is_taken_back: bool,
    /// the tables whose pages notes and arrows are about at the moment: all, where there are none
    pub tables: BTreeSet<Oid>,
    arrows: Vec<Arrow>,
    notes: Vec<String>,
}

/// How the name of a foreign key begins.
const FOREIGN_KEY: &str = "foreign key";

impl<'a> Stage<'a> {
    pub fn new(look: &'a Look<'a>, told: &'a Explanation, plot: Plot) -> Self {
        let (panels, arrows, notes) = (Vec::new(), Vec::new(), Vec::new());
        let (tables, left_out, doers) = (BTreeSet::new(), String::new(), &[][..]);
        Self { look, told, plot, is_whole: false, doers, panels, left_out, is_taken_back: false, tables, arrows, notes }
    }

    pub fn into_scene(mut self) -> FigureScene {
        let actor = actor::of(&self);
        let first = self.panels.iter_mut().find(|panel| takes_part(panel));
        if let (Some(actor), Some(panel)) = (&actor, first) {
            add_status(panel, actor, self.look.within.is_some());
        }
        for doer in self.doers {
            let is_its =
                |panel: &&mut Panel| panel.page.is_some_and(|id| id.relation == doer.table) && takes_part(panel);
            if let Some(panel) = self.panels.iter_mut().find(is_its) {
                // its name is in the notes
                let end = doer.who.find(FOREIGN_KEY).map_or(doer.who.len(), |at| at + FOREIGN_KEY.len());
                add_status(panel, &format!("{BY}{}", &doer.who[..end]), true);
            }
        }
        let look = self.look;
        let of_old_files = self.panels.iter_mut().filter(|panel| panel.status == CUT_OFF);
        of_old_files.for_each(|panel| panel.status = String::from(end_of_file(look, panel.page)));
        self.panels.iter_mut().for_each(repeat::once);
        let what = format!("{}{}", if self.look.step.is_redo() { "recovery · " } else { "" }, self.plot.word());
        FigureScene {
            plot: self.plot,
            title: match actor {
                Some(actor) => format!("{what} · {actor}"),
                None => what,
            },
            panels: self.panels,
            arrows: self.arrows,
            notes: self.notes,
            left_out: self.left_out,
        }
    }

    /// The name of a table in front of a note, with who changed its rows in place of the statement.
    pub fn name_of(&self, table: Oid) -> String {
        let Some(relation) = self.look.relation(table) else { return String::new() };
        let who: Vec<String> =
            self.doers.iter().filter(|doer| doer.table == table).map(|doer| format!(", by {}", doer.who)).collect();
        format!("{}{}: ", relation.told(), who.concat())
    }

    /// Is the step the difference of two moments, between which anything may have happened?
    pub fn is_measured(&self) -> bool {
        matches!(self.look.step.cause, Cause::Start | Cause::Capture | Cause::NotLogged)
    }

    /// What decided whether the UPDATE was HOT.
    pub fn decision(&self) -> Option<&'a HotDecision> {
        self.told.events.iter().find_map(|event| event.hot.as_ref())
    }

    /// The tables that the main event is about: what triggers, foreign keys and defaults do to others is told apart.
    /// None where it is about whatever is drawn.
    pub fn subject(&self) -> BTreeSet<Oid> {
        let is_about_all = matches!(self.plot, Plot::Catalog | Plot::FileLength | Plot::NewFile | Plot::Quiet);
        if !self.is_whole || is_about_all {
            return BTreeSet::new();
        }
        let is_it = |kind: EventKind| match self.plot {
            Plot::ManyUpdates => kind == EventKind::Update,
            Plot::ManyInserts => kind == EventKind::Insert,
            Plot::Delete => kind == EventKind::Delete,
            _ => true,
        };
        let events = self.told.events.iter().filter(|event| is_it(event.kind));
        events.map(|event| self.table_of(event.page.relation)).collect()
    }

    /// The table that a relation belongs to: that of an index, of a TOAST table, of the index of a TOAST table; itself
    /// where it is one.
    pub fn table_of(&self, relation: Oid) -> Oid {
        let of = |relation| self.look.relation(relation).and_then(|known| known.table);
        let table = of(relation).unwrap_or(relation);
        of(table).unwrap_or(table)
    }

    /// Do the notes of the moment concern this panel?
    fn is_of_tables(&self, panel: &Panel) -> bool {
        let table = panel.page.map(|page| self.table_of(page.relation));
        self.tables.is_empty() || table.is_none_or(|table| self.tables.contains(&table))
    }

    /// The panels that the notes of the moment concern.
    pub fn concerned(&self) -> impl Iterator<Item = (usize, &Panel)> {
        self.panels.iter().enumerate().filter(|(_, panel)| self.is_of_tables(panel))
    }

    /// The same, to be changed.
    fn concerned_mut(&mut self) -> impl Iterator<Item = &mut Panel> {
        let these: Vec<bool> = self.panels.iter().map(|panel| self.is_of_tables(panel)).collect();
        self.panels.iter_mut().zip(these).filter_map(|(panel, is_it)| is_it.then_some(panel))
    }

    /// The panel of a page.
    pub fn panel_of(&self, id: PageId) -> Option<usize> {
        self.panels.iter().position(|panel| panel.page == Some(id))
    }

    /// The number of the next note.
    fn next(&self) -> u8 {
        u8::try_from(self.notes.len() + 1).unwrap_or(u8::MAX)
    }

    /// A note about all bands of which `is_it` holds; none where there is no such band.
    pub fn note_bands(&mut self, is_it: impl Fn(&Band) -> bool, note: impl Into<String>) -> bool {
        self.note_bands_of(None, is_it, note)
    }

    /// The same on one page only.
    pub fn note_bands_of(
        &mut self,
        page: Option<PageId>,
        is_it: impl Fn(&Band) -> bool,
        note: impl Into<String>,
    ) -> bool {
        let mark = self.next();
        let mut found = false;
        let panels = self.concerned_mut().filter(|panel| page.is_none() || panel.page == page);
        let bands = panels.flat_map(Panel::bands_mut);
        for band in bands.filter(|band| band.mark.is_none() && is_it(band)) {
            // what only shifted needs no number each
            band.mark = Some(mark).filter(|_| !(found && band.fate == Fate::Shifted));
            found = true;
        }
        if found {
            self.notes.push(note.into());
        }
        found
    }

    /// Says otherwise what became of what is so, also of what is left out.
    pub fn tag(&mut self, fate: Fate, tag: &str) {
        self.panels.iter_mut().for_each(|panel| panel.retag(fate, tag));
        for line in self.panels.iter_mut().flat_map(|panel| &mut panel.lines) {
            match line {
                PanelLine::Band(band) if band.fate == fate => band.tag = String::from(tag),
                PanelLine::More(words) => *words = words.replace(fate.word(), tag),
                _ => {}
            }
        }
    }

    /// A note about all line pointers of which `is_it` holds.
    pub fn note_chips(&mut self, is_it: impl Fn(&Chip) -> bool, note: impl Into<String>) -> bool {
        let mark = self.next();
        let mut found = false;
        let chips = self.concerned_mut().flat_map(Panel::chips_mut);
        for chip in chips.filter(|chip| chip.mark.is_none() && is_it(chip)) {
            // the first carries the number: a row of line pointers is narrow
            chip.mark = (!found).then_some(mark);
            found = true;
        }
        if found {
            self.notes.push(note.into());
        }
        found
    }

    /// A note about a panel as a whole.
    pub fn note_panel(&mut self, panel: usize, note: impl Into<String>) {
        let mark = self.next();
        if let Some(panel) = self.panels.get_mut(panel).filter(|panel| panel.mark.is_none()) {
            panel.mark = Some(mark);
        }
        self.notes.push(note.into());
    }

    /// A note about the whole.
    pub fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    /// Is there any note yet?
    pub fn has_notes(&self) -> bool {
        !self.notes.is_empty()
    }

    /// The panel and piece of the first band that is so.
    pub fn place(&self, is_it: impl Fn(&Band) -> bool) -> Option<Spot> {
        self.concerned().find_map(|(panel, _)| self.place_in(panel, &is_it))
    }

    /// The same in one panel.
    pub fn place_in(&self, panel: usize, is_it: impl Fn(&Band) -> bool) -> Option<Spot> {
        let here = self.panels.get(panel)?;
        let at = here.bands().position(is_it)?;
        Some((panel, piece(panel, here.chip_count() + at)))
    }

    /// The panel and piece of a line pointer.
    pub fn chip_place(&self, panel: usize, is_it: impl Fn(&Chip) -> bool) -> Option<Spot> {
        let at = self.panels.get(panel)?.chips().position(is_it)?;
        Some((panel, piece(panel, at)))
    }

    /// The tuple of a heap TID, or its line pointer where no tuple is drawn.
    pub fn heap_place(&self, tid: ItemPointer) -> Option<Spot> {
        let is_page = |panel: &Panel| {
            panel.page.is_some_and(|id| {
                id.block == tid.block && self.look.relation(id.relation).is_some_and(|r| r.kind != RelKind::Index)
            })
        };
        let n = self.panels.iter().position(is_page)?;
        let tuple = PartId::Region(RegionKind::Tuple(tid.offset));
        self.tuple_place(n, tuple)
            .or_else(|| self.chip_place(n, |chip| chip.is(PartId::Region(RegionKind::LinePointer(tid.offset)))))
    }

    /// A tuple that is still there.
    pub fn tuple_place(&self, panel: usize, tuple: PartId) -> Option<Spot> {
        self.place_in(panel, |band| band.part == tuple && !band.fate.is_ghost())
    }

    /// An arrow between two places that are drawn.
    pub fn arrow(&mut self, from: Option<Spot>, to: Option<Spot>, bold: bool, word: &str) {
        if let (Some(from), Some(to)) = (from, to) {
            self.arrows.push(Arrow { from, to, bold, word: String::from(word) });
        }
    }
}

fn takes_part(panel: &Panel) -> bool {
    panel.pieces().any(|(_, fate, ..)| fate.takes_part())
}

/// Says one thing more beside a panel's title: where there is little room the first is kept.
/// What a panel says of a page that is no more, unless its file is.
pub(super) const CUT_OFF: &str = "cut off";

/// Why a page is no more: its file ends before it now, or is another relation's end.
fn end_of_file(look: &Look<'_>, page: Option<PageId>) -> &'static str {
    let is_its = |change: &&RelationChange| page.is_some_and(|page| change.oid == page.relation);
    match look.step.relations.iter().find(is_its).map(|change| (&change.before, &change.after)) {
        Some((Some(was), Some(is))) if was.filenode != is.filenode => "old file: goes at COMMIT",
        Some((Some(_), None)) => "dropped: goes at COMMIT",
        _ => CUT_OFF,
    }
}

fn add_status(panel: &mut Panel, more: &str, is_first: bool) {
    panel.status = match is_first {
        _ if panel.status.is_empty() => String::from(more),
        true => format!("{more} · {}", panel.status),
        false => format!("{} · {more}", panel.status),
    };
}
