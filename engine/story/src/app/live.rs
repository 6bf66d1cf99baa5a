//! A live database: tables, captures, pages that are read when they are looked at.

use super::{Effect, Model, Overlay, Source, TableEntry, ViewName, update, view};
use crate::recording;
use crate::scene::{PartId, Role, Scene, words};
use crate::timeline::{How, Timeline, WalBetween};
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::page::{ForkNumber, Oid, Page};
use ffviz_format::state::{PageId, Relation, Server, State};

/// pages asked for at a time: what an index tree or a map may want at once
const PAGES_AT_ONCE: usize = 64;

/// What only a live database has.
#[derive(Debug, Clone)]
pub struct Live {
    /// what is known of the server before the first capture
    pub(super) server: Server,
    /// its tables
    pub(super) tables: Vec<TableEntry>,
    /// the table whose captures make the timeline
    pub(super) table: Option<Oid>,
    /// the table that was asked for and has not come yet
    wanted: Option<Oid>,
    /// pages asked for and not yet answered
    asked: BTreeSet<PageId>,
    /// was the list of tables asked for, since the program began with a table?
    listing: bool,
    /// are captures taken every few seconds?
    watching: bool,
}

impl Live {
    pub(super) const fn new(server: Server) -> Self {
        Self {
            server,
            tables: Vec::new(),
            table: None,
            wanted: None,
            asked: BTreeSet::new(),
            listing: false,
            watching: false,
        }
    }
}

/// The tables of the database came.
pub(super) fn tables(model: &mut Model, tables: Vec<TableEntry>) {
    model.busy = None;
    if let Some(live) = model.attached_mut() {
        live.tables = tables;
    }
    if model.place.selected.is_none() && model.place.view == ViewName::List {
        model.place.selected = model.open_entry_of_list();
    }
}

/// The list of tables, once, when it is looked at for the first time: a program that began with a table has none yet.
pub(super) fn tables_wanted(model: &mut Model) -> Option<Effect> {
    let is_shown = model.timeline.is_some() && model.place.view == ViewName::List;
    let live = model.attached_mut().filter(|live| is_shown && live.tables.is_empty() && !live.listing)?;
    live.listing = true;
    model.busy = Some("reading the list of tables …".to_string());
    Some(Effect::ListTables)
}

impl Model {
    /// Are captures taken every few seconds?
    #[must_use]
    pub fn is_watching(&self) -> bool {
        self.attached().is_some_and(|live| live.watching)
    }

    /// The tables of the live database, as far as they were listed.
    #[must_use]
    pub fn tables(&self) -> &[TableEntry] {
        self.attached().map_or(&[], |live| &live.tables)
    }

    /// Opens entry n of the list: a recording, or a table of the live database.
    pub(super) fn open_entry(&mut self, n: usize) -> Vec<Effect> {
        let Source::Live(_, live) = &mut self.source else {
            return if n < self.library.len() { Vec::from([Effect::OpenEntry(n)]) } else { Vec::new() };
        };
        let Some(entry) = live.tables.get(n) else { return Vec::new() };
        // a table whose pages cannot be read is shown by its statistics
        self.status = entry.refused.clone().unwrap_or_default();
        self.busy = Some(format!("reading {} …", entry.name));
        live.wanted = Some(entry.oid);
        Vec::from([Effect::Capture { table: entry.oid, pages: Vec::new() }])
    }
}

/// Takes a capture of the table that is open; of the list of tables, reads it anew.
pub(super) fn capture(model: &mut Model) -> Vec<Effect> {
    match model.attached().map(|live| live.table) {
        None => {
            model.status = "This is a recording: only a live database can be captured.".to_string();
            Vec::new()
        }
        Some(Some(table)) if model.place.view != ViewName::List => {
            model.busy = Some("taking a capture …".to_string());
            Vec::from([Effect::Capture { table, pages: known_pages(model) }])
        }
        Some(_) => {
            model.busy = Some("reading the list of tables …".to_string());
            Vec::from([Effect::ListTables])
        }
    }
}

/// Pages looked at before, and the one on screen: a capture reads them anew.
fn known_pages(model: &Model) -> Vec<PageId> {
    let mut pages: Vec<PageId> = model.look().map_or_else(Vec::new, |look| look.state.pages.keys().copied().collect());
    pages.extend(model.place.page.filter(|id| !pages.contains(id)));
    pages
}

/// Starts or stops taking captures every few seconds.
pub(super) fn watch(model: &mut Model) -> Vec<Effect> {
    let Some(live) = model.attached_mut().filter(|live| live.table.is_some()) else {
        model.status = "Open a table of a live database to watch it.".to_string();
        return Vec::new();
    };
    live.watching = !live.watching;
    let watching = live.watching;
    model.status = if watching { "Watching: a capture every few seconds." } else { "No longer watching." }.to_string();
    Vec::from([Effect::Watch(watching)])
}

/// A capture came: a new step of the table that is open, or the first state of another one.
pub(super) fn captured(model: &mut Model, state: State, wal: Option<WalBetween>) -> Vec<Effect> {
    model.busy = None;
    let Some(live) = model.attached_mut() else { return Vec::new() };
    live.asked.clear();
    let wanted = live.wanted.take().filter(|oid| state.relations.contains_key(oid));
    let table = live.table;
    match table.filter(|_| model.timeline.is_some()) {
        Some(open) if wanted.is_none_or(|wanted| wanted == open) => {
            if wanted.is_some() && model.place.view == ViewName::List {
                model.remember();
                model.place.view = ViewName::Page;
            }
            next(model, state, wal, open)
        }
        _ => {
            let is_table = |relation: &&Arc<Relation>| relation.table.is_none();
            let first = state.relations.values().find(is_table).map(|relation| relation.oid);
            start(model, state, wanted.or(first));
            Vec::new()
        }
    }
}

/// The first state of a table.
fn start(model: &mut Model, state: State, table: Option<Oid>) {
    model.remember();
    model.forget_places();
    if let Some(live) = model.attached_mut() {
        live.table = table;
    }
    let is_unread = state.pages.is_empty();
    update::start(model, Timeline::new(state, None));
    if let Some(relation) = table.filter(|table| model.place.page.is_none_or(|id| id.relation != *table)) {
        model.place.page = Some(PageId { relation, fork: ForkNumber::Main, block: 0 });
    }
    if is_unread && model.place.page.is_some() {
        model.place.view = ViewName::Map;
    }
}

/// A further state of the table that is open: a step, if anything changed.
fn next(model: &mut Model, state: State, wal: Option<WalBetween>, open: Oid) -> Vec<Effect> {
    let Some(timeline) = &mut model.timeline else { return Vec::new() };
    if is_same(timeline.last(), &state) {
        model.status = "Nothing changed since the last capture.".to_string();
        timeline.add_pages(state.pages);
        return Vec::new();
    }
    let is_gone = !state.relations.contains_key(&open);
    let at_end = timeline.current() + 1 == timeline.len();
    match wal {
        Some(wal) => timeline.push_replayed(state, None, wal),
        None => timeline.push(state, None),
    }
    if at_end {
        timeline.seek(usize::MAX);
    }
    if let Some(why) = timeline.groups().last().and_then(|group| without_wal(&group.how)) {
        model.status = why;
    }
    if !is_gone {
        return Vec::new();
    }
    model.status = "The table is gone: it was dropped. Its last pages are one step back.".to_string();
    let was_watching = model.attached_mut().is_some_and(|live| core::mem::take(&mut live.watching));
    if was_watching { Vec::from([Effect::Watch(false)]) } else { Vec::new() }
}

/// Why the last steps are measured, or some are: the beginning of the sentence, which the explanation has whole.
fn without_wal(how: &How) -> Option<String> {
    let (word, why) = match how {
        How::Measured(Some(why)) => ("Measured", why),
        How::Replayed { gap: Some(why), .. } => ("Not all WAL could be read", why),
        _ => return None,
    };
    Some(format!("{word}: {}", why.split("; ").next().unwrap_or(why)))
}

/// Are the files as they were, and the pages that both states know? Statistics count for nothing here.
fn is_same(before: &State, after: &State) -> bool {
    let shape = |state: &State| -> Vec<_> {
        let relations = state.relations.values();
        relations.map(|r| (r.oid, r.filenode, r.blocks, r.attributes.clone())).collect()
    };
    let same = |(id, page): (&PageId, &Page)| before.pages.get(id).is_none_or(|then| then == page);
    shape(before) == shape(after) && after.pages.iter().all(same)
}

/// Pages of the current moment came.
pub(super) fn pages_read(model: &mut Model, state: State) {
    model.busy = None;
    if let Some(live) = model.attached_mut() {
        live.asked.retain(|id| !state.pages.contains_key(id));
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
    if model.is_estimated() && model.timeline.as_ref().is_some_and(|timeline| timeline.len() == 1) {
        // why there are no pages, and the command that would give them: too long for the status line
        let lines = why.split("; ").flat_map(|part| part.split(". ")).map(ToString::to_string).collect();
        model.overlay = Some(Overlay::Text("Estimates only".to_string(), lines));
    }
    model.status = why;
}

/// The pages that are looked at and not yet known, once.
pub(super) fn pages_wanted(model: &mut Model) -> Vec<Effect> {
    let Some(live) = model.attached().filter(|_| !model.is_estimated()) else { return Vec::new() };
    let Some(table) = live.table else { return Vec::new() };
    let Some(timeline) = model.timeline.as_ref().filter(|timeline| timeline.current() + 1 == timeline.len()) else {
        return Vec::new();
    };
    let (state, Some(id)) = (timeline.state(), model.place.page) else { return Vec::new() };
    let wanted = match model.place.view {
        ViewName::List | ViewName::Lesson | ViewName::Map | ViewName::Wal | ViewName::Charts => Vec::new(),
        ViewName::Page | ViewName::Figure => Vec::from([id]),
        ViewName::Tree => unread_nodes(model, id),
    };
    let exists =
        |id: &PageId| state.relations.get(&id.relation).is_some_and(|relation| id.block < relation.blocks.of(id.fork));
    let unknown = |id: &PageId| !state.pages.contains_key(id) && !live.asked.contains(id);
    let pages: Vec<PageId> = wanted.into_iter().filter(|id| exists(id) && unknown(id)).take(PAGES_AT_ONCE).collect();
    let Some(first) = pages.first() else { return Vec::new() };
    let name = words::page(state.relations.get(&first.relation).map(AsRef::as_ref), *first);
    model.busy = Some(format!("reading {name} …"));
    if let Some(live) = model.attached_mut() {
        live.asked.extend(pages.iter().copied());
    }
    Vec::from([Effect::ReadPages { table, pages }])
}

/// The pages of the tree that are drawn and not known.
fn unread_nodes(model: &Model, id: PageId) -> Vec<PageId> {
    let Scene::Tree(tree) = view::scene(model) else { return Vec::new() };
    let nodes = tree.levels.iter().flat_map(|level| &level.nodes);
    let unread = nodes.filter(|node| node.role == Role::BlockUnknown).filter_map(|node| match node.part {
        PartId::Block(block) => Some(PageId { fork: ForkNumber::Main, block, ..id }),
        _ => None,
    });
    unread.collect()
}

/// Has what was captured written to a file.
pub(super) fn save(model: &mut Model) -> Vec<Effect> {
    if model.timeline.is_none() {
        model.status = "Nothing is open that could be saved.".to_string();
        return Vec::new();
    }
    Vec::from([Effect::Save])
}

/// What is open as a recording, without row data where that is hidden. The face asks for it, since one that cannot save
/// need not hold what writes recordings.
#[must_use]
pub fn recording(model: &Model) -> Option<String> {
    let timeline = model.timeline.as_ref()?;
    if let Some(lesson) = model.lesson().filter(|_| !model.redact) {
        return Some(recording::save_lesson(timeline, lesson));
    }
    let hidden = model.redact.then(|| recording::redact_timeline(timeline));
    Some(recording::save(hidden.as_ref().unwrap_or(timeline), None))
}

/// An effect worked.
pub(super) fn done(model: &mut Model, what: String) {
    model.busy = None;
    model.status = what;
}
