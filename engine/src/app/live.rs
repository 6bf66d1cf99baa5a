//! A live database: tables, captures, pages that are read when they are looked at.

use super::{Effect, Model, TableEntry, ViewName, update};
use crate::recording;
use crate::scene::words;
use crate::storage::{ForkNumber, PageId, State};
use crate::timeline::Timeline;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// pages asked for at a time: what an index tree or a map may want at once
const PAGES_AT_ONCE: usize = 64;

/// The tables of the database came.
pub(super) fn tables(model: &mut Model, tables: Vec<TableEntry>) {
    model.busy = None;
    model.tables = tables;
    if model.selected.is_none() && !model.tables.is_empty() {
        model.selected = Some(crate::scene::PartId::Entry(0));
    }
}

impl Model {
    /// Opens entry n of the list: a recording, or a table of the live database.
    pub(super) fn open_entry(&mut self, n: usize) -> Vec<Effect> {
        if !self.is_live() {
            return if n < self.library.len() { Vec::from([Effect::OpenEntry(n)]) } else { Vec::new() };
        }
        let Some(entry) = self.tables.get(n) else { return Vec::new() };
        if let Some(why) = &entry.refused {
            self.status = why.clone();
            return Vec::new();
        }
        self.busy = Some(format!("reading {} …", entry.name));
        Vec::from([Effect::Capture { table: entry.oid, pages: Vec::new() }])
    }
}

/// Takes a capture of the table that is open; of the list of tables, reads it anew.
pub(super) fn capture(model: &mut Model) -> Vec<Effect> {
    match (model.is_live(), model.live.table) {
        (false, _) => {
            model.status = "This is a recording: only a live database can be captured.".to_string();
            Vec::new()
        }
        (true, Some(table)) if model.view != ViewName::List => {
            model.busy = Some("taking a capture …".to_string());
            Vec::from([Effect::Capture { table, pages: known_pages(model) }])
        }
        (true, _) => {
            model.busy = Some("reading the list of tables …".to_string());
            Vec::from([Effect::ListTables])
        }
    }
}

/// Pages looked at before, and the one on screen: a capture reads them anew.
fn known_pages(model: &Model) -> Vec<PageId> {
    let mut pages: Vec<PageId> = model.look().map_or_else(Vec::new, |look| look.state.pages.keys().copied().collect());
    pages.extend(model.page.filter(|id| !pages.contains(id)));
    pages
}

/// Starts or stops taking captures every few seconds.
pub(super) fn watch(model: &mut Model) -> Vec<Effect> {
    if !model.is_live() || model.live.table.is_none() {
        model.status = "Open a table of a live database to watch it.".to_string();
        return Vec::new();
    }
    model.live.watching = !model.live.watching;
    model.status =
        if model.live.watching { "Watching: a capture every few seconds." } else { "No longer watching." }.to_string();
    Vec::from([Effect::Watch(model.live.watching)])
}

/// A capture came: a new step, or the first state.
pub(super) fn captured(model: &mut Model, state: State) {
    model.busy = None;
    model.live.asked.clear();
    let table = state.relations.values().find(|relation| relation.table.is_none()).map(|relation| relation.oid);
    let same_table = model.live.table.is_some() && model.live.table == table;
    match &mut model.timeline {
        Some(timeline) if same_table => {
            let at_end = timeline.current() + 1 == timeline.len();
            timeline.push(state, None);
            if at_end {
                timeline.seek(usize::MAX);
            }
        }
        _ => {
            model.remember();
            model.forget_places();
            model.live.table = table;
            update::start(model, Timeline::new(state, None));
        }
    }
}

/// Pages of the current moment came.
pub(super) fn pages_read(model: &mut Model, state: State) {
    model.busy = None;
    for id in state.pages.keys() {
        model.live.asked.remove(id);
    }
    if let Some(timeline) = &mut model.timeline {
        let stale = timeline.add_pages(state.pages);
        if !stale.is_empty() {
            model.status = "The database has moved on since the last capture: take a new one to see it.".to_string();
        }
    }
}

/// An effect did not work: the picture stays, the sentence is shown.
pub(super) fn failed(model: &mut Model, why: String) {
    model.busy = None;
    model.status = why;
}

/// The pages that are looked at and not yet known, once.
pub(super) fn pages_wanted(model: &mut Model) -> Vec<Effect> {
    let Some(table) = model.live.table.filter(|_| model.is_live()) else { return Vec::new() };
    let Some(timeline) = model.timeline.as_ref().filter(|timeline| timeline.current() + 1 == timeline.len()) else {
        return Vec::new();
    };
    let (state, Some(id)) = (timeline.state(), model.page) else { return Vec::new() };
    let wanted = match model.view {
        ViewName::List | ViewName::Map => Vec::new(),
        ViewName::Page => Vec::from([id]),
        ViewName::Tree => {
            let blocks = state.relations.get(&id.relation).map_or(0, |relation| relation.blocks.main);
            (0..blocks).map(|block| PageId { fork: ForkNumber::Main, block, ..id }).collect()
        }
    };
    let exists =
        |id: &PageId| state.relations.get(&id.relation).is_some_and(|relation| id.block < relation.blocks.of(id.fork));
    let unknown = |id: &PageId| !state.pages.contains_key(id) && !model.live.asked.contains(id);
    let pages: Vec<PageId> = wanted.into_iter().filter(|id| exists(id) && unknown(id)).take(PAGES_AT_ONCE).collect();
    let Some(first) = pages.first() else { return Vec::new() };
    let name = words::page(state.relations.get(&first.relation).map(AsRef::as_ref), *first);
    model.busy = Some(format!("reading {name} …"));
    model.live.asked.extend(pages.iter().copied());
    Vec::from([Effect::ReadPages { table, pages }])
}

/// Writes what was captured as a recording.
pub(super) fn save(model: &mut Model) -> Vec<Effect> {
    let Some(timeline) = &model.timeline else {
        model.status = "Nothing is open that could be saved.".to_string();
        return Vec::new();
    };
    if !model.redact {
        return Vec::from([Effect::Save(recording::save(timeline, None))]);
    }
    let mut at = timeline.clone();
    at.seek(0);
    let mut hidden = Timeline::new(recording::redact(at.state()), timeline.label(0).map(ToString::to_string));
    for n in 1..timeline.len() {
        at.seek(n);
        hidden.push(recording::redact(at.state()), timeline.label(n).map(ToString::to_string));
    }
    Vec::from([Effect::Save(recording::save(&hidden, None))])
}

/// An effect worked.
pub(super) fn done(model: &mut Model, what: String) {
    model.busy = None;
    model.status = what;
}
