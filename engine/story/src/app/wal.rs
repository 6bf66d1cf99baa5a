//! The WAL view: what is kept for it, from a record to the bytes it changed, and from bytes to the step that wrote them
//! last.

use super::{Model, ViewName, navigate, step};
use crate::recording;
use crate::scene::timeline::Hide;
use crate::scene::wal::{self, Ask, Book, Sought, scene};
use crate::scene::{InspectorScene, PageScene, PartId, Scene, WalList, WalScene};
use crate::timeline::{Cause, Group, How, Timeline};
use alloc::borrow::Cow;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::ops::Range;

/// rows that `NextPage` moves by
const PAGE: isize = 20;

/// What is kept for the WAL view, since it takes long to make.
#[derive(Debug, Clone, Default)]
pub(super) struct WalView {
    book: Option<Book>,
    /// the states that a filter left, of so many, with row data hidden or not
    found: Option<(String, usize, bool, Vec<u32>)>,
}

/// What may be shown of a label while row data is hidden: labels are SQL with its literals, or free text; of either
/// only the command.
pub(super) fn hide(model: &Model) -> Option<Hide> {
    let hide: Hide = |label| recording::command_tag(label).unwrap_or_default();
    model.redact.then_some(hide)
}

impl Model {
    /// Is there WAL to show, or may there be?
    pub(super) fn has_wal(&self) -> bool {
        self.timeline.is_some() && (self.is_live() || self.has_records())
    }

    /// Is any step a WAL record?
    pub(super) fn has_records(&self) -> bool {
        let has_records = |group: &Group| match &group.how {
            How::Replayed { report, .. } => report.records > 0,
            How::Simulated { usage, .. } => usage.wal.records > 0,
            How::Start | How::Measured(_) => false,
        };
        self.timeline.as_ref().is_some_and(|timeline| timeline.groups().iter().any(has_records))
    }

    /// The states whose WAL is shown: all, but of a lesson none that are still to come, since what is asked is about
    /// them.
    fn wal_states(&self, timeline: &Timeline) -> usize {
        if self.lesson().is_some() { timeline.current() + 1 } else { timeline.len() }
    }

    /// Makes or extends what the WAL view needs.
    pub(super) fn prepare_wal(&mut self) {
        let Some(timeline) = self.timeline.as_ref().filter(|_| self.place.view == ViewName::Wal) else { return };
        let states = self.wal_states(timeline);
        self.wal.book.get_or_insert_default().extend(timeline, states);
        let typed = self.place.filter.as_deref().map(str::trim).unwrap_or_default();
        let is_known = |(text, of, redact, _): &(String, usize, bool, Vec<u32>)| {
            text == typed && *of == states && *redact == self.redact
        };
        if typed.is_empty() {
            self.wal.found = None;
        } else if !self.wal.found.as_ref().is_some_and(is_known) {
            let found = self.find(timeline, typed);
            self.wal.found = Some((typed.to_string(), states, self.redact, found));
        }
    }

    fn find(&self, timeline: &Timeline, typed: &str) -> Vec<u32> {
        let states = self.wal_states(timeline);
        let is_beginning = |(text, of, redact, _): &&(String, usize, bool, Vec<u32>)| {
            typed.starts_with(text.as_str()) && *of == states && *redact == self.redact
        };
        let within = self.wal.found.as_ref().filter(is_beginning).map(|(.., found)| found.as_slice());
        self.book(timeline).find(timeline, &Sought { text: typed, within, hide: hide(self) })
    }

    fn book(&self, timeline: &Timeline) -> Cow<'_, Book> {
        match &self.wal.book {
            Some(book) if book.states() == self.wal_states(timeline) => Cow::Borrowed(book),
            _ => Cow::Owned(Book::new(timeline, self.wal_states(timeline))),
        }
    }

    fn ask<T>(&self, timeline: &Timeline, selected: Option<PartId>, answer: impl FnOnce(&Ask<'_>) -> T) -> T {
        let found = self.wal.found.as_ref().map(|(.., found)| found.as_slice());
        let (list, hide) = (self.place.list, hide(self));
        let current = timeline.current();
        let steps = self.steps_in_one(timeline).unwrap_or(current..current + 1);
        answer(&Ask { timeline, steps, book: &self.book(timeline), found, list, selected, hide })
    }

    /// Shows the records, or totals.
    pub(super) fn show_wal_list(&mut self, list: WalList) {
        if self.place.view == ViewName::Wal && list != self.place.list {
            self.remember();
            self.place.list = list;
            self.place.selected = if list == WalList::Records { self.current_record() } else { None };
        }
    }

    pub(super) fn next_wal_list(&mut self) {
        let all = WalList::ALL;
        let here = all.iter().position(|list| *list == self.place.list).unwrap_or(0);
        self.show_wal_list(all[(here + 1) % all.len()]);
    }

    /// The row of the current step.
    pub(super) fn current_record(&self) -> Option<PartId> {
        let current = self.timeline.as_ref()?.current();
        (current > 0).then_some(PartId::Record(current as u32))
    }

    /// Moves the selection by a screenful.
    pub(super) fn page_wal(&mut self, by: i64) {
        let count = self.timeline.as_ref().map_or(0, |timeline| self.wal_states(timeline));
        let found = self.wal.found.as_ref();
        let Some(PartId::Record(state)) = self.place.selected.or_else(|| self.current_record()) else { return };
        let by = PAGE * by as isize;
        self.place.selected = match found {
            Some((.., found)) => {
                let at = found.partition_point(|other| *other < state).saturating_add_signed(by);
                found.get(at.min(found.len().saturating_sub(1))).map(|state| PartId::Record(*state))
            }
            None => {
                let to = (state as usize).saturating_add_signed(by).clamp(1, count.saturating_sub(1).max(1));
                Some(PartId::Record(to as u32))
            }
        };
    }
}

/// The WAL view.
pub(super) fn picture(model: &Model, timeline: &Timeline) -> WalScene {
    model.ask(timeline, model.place.selected, scene)
}

/// The fields of its selected row.
pub(super) fn inspected(model: &Model, selected: Option<PartId>) -> InspectorScene {
    let timeline = model.timeline.as_ref();
    timeline.map_or_else(InspectorScene::default, |timeline| model.ask(timeline, selected, wal::inspect))
}

/// Follows a row of the view: a record to the bytes it changed, a total to its records.
pub(super) fn activate(model: &mut Model, part: PartId) {
    match part {
        PartId::Record(state) => to_page(model, state as usize),
        PartId::Elided(0) => model.show_wal_list(WalList::Types),
        PartId::Elided(_) => model.show_wal_list(WalList::Relations),
        PartId::WalType(_) | PartId::WalRelation(_) => {
            let Some(timeline) = &model.timeline else { return };
            let Some(name) = model.book(timeline).name(part) else { return };
            model.remember();
            model.place.list = WalList::Records;
            model.place.filter = Some(name);
            model.place.selected = None;
            model.prepare_wal();
            model.select_first(navigate::walk);
        }
        _ => {}
    }
}

/// Goes to a step and shows what it changed.
fn to_page(model: &mut Model, state: usize) {
    model.remember_moment();
    let Some(timeline) = &mut model.timeline else { return };
    timeline.seek(state);
    let Some(id) = step::changed_page(timeline, state, None) else {
        model.status = "This step changed no page of these relations.".to_string();
        return;
    };
    (model.place.view, model.place.page, model.place.filter) = (ViewName::Page, Some(id), None);
    model.select_first(navigate::changed_parts);
}

/// Goes to the step that wrote the bytes of the selected part last.
pub(super) fn last_writer(model: &mut Model, scene: &Scene) {
    let (Scene::Page(page), Some(id)) = (scene, model.place.page) else {
        model.status = "Select a part of a page to ask which step wrote it last.".to_string();
        return;
    };
    let Some(timeline) = &model.timeline else { return };
    let (what, bytes) = bytes_of(page, model.place.selected);
    let current = timeline.current();
    let Some(state) = timeline.last_writer(id, &bytes) else {
        model.status = format!("The bytes of {what} are older than the first capture.");
        return;
    };
    let how = match timeline.cause(state) {
        Some(Cause::Record(record)) => format!("the record at {}", record.start),
        Some(Cause::NotLogged | Cause::Unlogged(_)) => "a change that is not logged, so no record has it".to_string(),
        _ => "something between two captures".to_string(),
    };
    let when = match current - state {
        0 => "the step that is shown".to_string(),
        1 => "one step before".to_string(),
        n => format!("{n} steps before"),
    };
    if state != current {
        model.remember_moment();
        if let Some(timeline) = &mut model.timeline {
            timeline.seek(state);
        }
    }
    model.status = format!("The bytes of {what} were written last by {how}: {when}.");
}

/// The selected part in words, and its bytes; nothing selected is the whole page.
fn bytes_of(page: &PageScene, selected: Option<PartId>) -> (String, Range<u16>) {
    let region = selected.and_then(|part| page.regions.iter().find(|region| region.part == part));
    region
        .map_or_else(|| ("this page".to_string(), 0..page.size), |region| (region.label.clone(), region.bytes.clone()))
}
