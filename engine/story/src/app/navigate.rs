//! Moving about: which parts can be selected and in what order, which views and relations can be shown.

use super::{Model, RelationTab, ViewName};
use crate::scene::{Change, Measure, PartId, Scene, words};
use alloc::collections::BTreeSet;
use alloc::string::ToString;
use alloc::vec::Vec;
use ffviz_format::page::{BlockNumber, ForkNumber, RegionKind};
use ffviz_format::state::{AccessMethod, PageId, RelKind, Relation, State};

/// The parts that Up and Down walk through, in order.
pub(super) fn walk(scene: &Scene) -> Vec<PartId> {
    match scene {
        Scene::List(list) => {
            let rows = list.rows.iter().map(|row| row.part);
            rows.filter(|part| !matches!(part, PartId::Heading(_))).collect()
        }
        Scene::Figure(figure) => figure.pieces().map(|piece| piece.part).collect(),
        Scene::RelationMap(map) => map.cells.iter().map(|cell| cell.part).collect(),
        Scene::Tree(tree) => tree.levels.iter().flat_map(|level| &level.nodes).map(|node| node.part).collect(),
        Scene::Wal(wal) => {
            let rows = wal.rows.iter().map(|row| row.row.part);
            rows.filter(|part| !matches!(part, PartId::Heading(_))).collect()
        }
        // they are read, there is nothing to select
        Scene::Charts(_) => Vec::new(),
        Scene::Page(page) => {
            let in_rows = |part: &PartId| {
                matches!(
                    part,
                    PartId::Region(RegionKind::LinePointer(_) | RegionKind::Tuple(_) | RegionKind::Padding(_))
                )
            };
            let (mut above, mut below) = (Vec::new(), Vec::new());
            for part in page.regions.iter().map(|region| region.part).filter(|part| !in_rows(part)) {
                if part == PartId::Region(RegionKind::PageHeader) { above.push(part) } else { below.push(part) }
            }
            above.into_iter().chain(page.rows.iter().map(|row| row.part)).chain(below).collect()
        }
    }
}

/// The row, cell or node that a part belongs to.
pub(super) fn row_of(scene: &Scene, part: PartId) -> PartId {
    match (scene, part) {
        (Scene::Page(page), PartId::Region(RegionKind::Tuple(n) | RegionKind::Padding(n))) => {
            let lp = PartId::Region(RegionKind::LinePointer(n));
            if page.rows.iter().any(|row| row.part == lp) { lp } else { part }
        }
        (Scene::RelationMap(map), PartId::Block(block)) => PartId::Block(block - block % map.zoom.max(1)),
        _ => part,
    }
}

/// Is the part in the picture?
pub(super) fn contains(scene: &Scene, part: PartId) -> bool {
    match scene {
        Scene::Page(page) => {
            page.rows.iter().any(|row| row.part == part) || page.regions.iter().any(|region| region.part == part)
        }
        Scene::Wal(wal) => {
            let in_panels = wal.panels.iter().flat_map(|panel| &panel.rows);
            wal.rows.iter().chain(in_panels).any(|row| row.row.part == part)
        }
        Scene::Tree(tree) if matches!(part, PartId::Band(_)) => {
            tree.levels.iter().flat_map(|level| &level.band).any(|cell| cell.part == part)
        }
        _ => walk(scene).contains(&row_of(scene, part)),
    }
}

/// The part above (`-1`) or below (`1`) the selected one; at the ends it stays.
pub(super) fn neighbour(scene: &Scene, selected: Option<PartId>, by: isize) -> Option<PartId> {
    let parts = walk(scene);
    let here = selected.map(|part| row_of(scene, part));
    let Some(at) = here.and_then(|here| parts.iter().position(|part| *part == here)) else { return first(scene) };
    parts.get(at.saturating_add_signed(by).min(parts.len().saturating_sub(1))).copied()
}

/// The part to begin with: the first row, cell or node.
fn first(scene: &Scene) -> Option<PartId> {
    let row = match scene {
        Scene::Page(page) => page.rows.first().map(|row| row.part),
        Scene::Wal(wal) => wal.rows.iter().find(|row| row.current).map(|row| row.row.part),
        _ => None,
    };
    row.or_else(|| walk(scene).first().copied())
}

/// The parts that the step changed, in the order of the walk.
pub(super) fn changed_parts(scene: &Scene) -> Vec<PartId> {
    let changed = |part: PartId, change: Change| (change != Change::Same).then_some(part);
    match scene {
        Scene::List(_) | Scene::Charts(_) => Vec::new(),
        Scene::Figure(figure) => {
            figure.pieces().filter(|piece| piece.fate.takes_part()).map(|piece| piece.part).collect()
        }
        Scene::Wal(wal) => wal.rows.iter().filter_map(|row| changed(row.row.part, row.row.change)).collect(),
        Scene::RelationMap(map) => map.cells.iter().filter_map(|cell| changed(cell.part, cell.change)).collect(),
        Scene::Tree(tree) => {
            let nodes = tree.levels.iter().flat_map(|level| &level.nodes);
            nodes.filter_map(|node| changed(node.part, node.change)).collect()
        }
        Scene::Page(page) => {
            let rows: Vec<PartId> = page.rows.iter().filter_map(|row| changed(row.part, row.change)).collect();
            if !rows.is_empty() {
                return rows;
            }
            page.regions.iter().filter_map(|region| changed(region.part, region.change)).collect()
        }
    }
}

impl Model {
    /// The views that can be shown now.
    #[must_use]
    pub fn views(&self) -> Vec<ViewName> {
        let has_list = !self.library.is_empty() || self.is_live();
        let list = has_list.then_some(ViewName::List);
        let lesson = self.lesson().is_some().then_some(ViewName::Lesson);
        let relation = self.look().and_then(|look| look.relation(self.place.page?.relation).cloned());
        let of_relation: &[ViewName] = match relation.map(|relation| relation.am.clone()) {
            None => &[],
            Some(AccessMethod::Btree) => &[ViewName::Map, ViewName::Tree, ViewName::Page],
            Some(_) => &[ViewName::Map, ViewName::Page],
        };
        let wal = self.has_wal().then_some(ViewName::Wal);
        let figure = self.timeline.is_some().then_some(ViewName::Figure);
        let list = list.into_iter().chain(figure);
        let charts = self.has_charts().then_some(ViewName::Charts);
        list.chain(of_relation.iter().copied()).chain(wal).chain(lesson).chain(charts).collect()
    }

    /// Shows the view that somebody asked for, or says why there is none.
    pub(super) fn ask_for(&mut self, view: ViewName) {
        if self.views().contains(&view) {
            return self.show(view);
        }
        let why = match view {
            ViewName::List => "there is no library, and no list of tables",
            ViewName::Figure => "nothing is open that has steps",
            ViewName::Map | ViewName::Page => "no relation is open",
            ViewName::Tree => "only a B-tree index has a tree",
            ViewName::Wal => "no WAL was read",
            ViewName::Lesson => "no lesson is open",
            ViewName::Charts => "charts take three captures of a server",
        };
        self.status = alloc::format!("view {}: {why}", view.digit());
    }

    /// Shows a view, if it can be shown.
    pub(super) fn show(&mut self, view: ViewName) {
        if view == self.place.view || !self.views().contains(&view) {
            return;
        }
        self.remember();
        let block = self.place.page.map(|id| PartId::Block(id.block));
        self.place.view = view;
        self.place.selected = match view {
            ViewName::List => self.open_entry_of_list(),
            ViewName::Lesson => self.section().map(|section| PartId::Entry(section as u32)),
            ViewName::Map | ViewName::Tree => block,
            ViewName::Page | ViewName::Figure | ViewName::Charts => None,
            ViewName::Wal => self.current_record(),
        };
        // map and tree are of the main fork
        if let (ViewName::Map | ViewName::Tree, Some(id)) =
            (view, self.place.page.filter(|id| id.fork != ForkNumber::Main))
        {
            self.place.page = Some(PageId { fork: ForkNumber::Main, block: 0, ..id });
            self.place.selected = Some(PartId::Block(0));
        }
    }

    /// The next (`1`) or previous (`-1`) view, round and round.
    pub(super) fn next_view(&mut self, by: isize) {
        let views = self.views();
        let Some(here) = views.iter().position(|view| *view == self.place.view) else { return };
        if let Some(view) = cyclic(&views, here, by) {
            self.show(*view);
        }
    }

    /// The next or previous page of the fork that is shown.
    pub(super) fn next_page(&mut self, by: i64) {
        if self.place.view == ViewName::Wal {
            return self.page_wal(by);
        }
        let (Some(id), Some(look)) = (self.place.page, self.look()) else { return };
        let blocks = look.relation(id.relation).map_or(0, |relation| relation.blocks.of(id.fork));
        let block = (i64::from(id.block) + by).clamp(0, i64::from(blocks.max(1)) - 1) as u32;
        if block == id.block {
            self.status = if by > 0 { "This is the last page." } else { "This is the first page." }.to_string();
            return;
        }
        self.remember();
        self.place.page = Some(PageId { block, ..id });
        if matches!(self.place.view, ViewName::Figure | ViewName::Charts) {
            self.place.view = ViewName::Page;
        }
        self.place.selected = self.block_part(block);
    }

    /// The block as what is selected, where the view is of blocks.
    fn block_part(&self, block: BlockNumber) -> Option<PartId> {
        matches!(self.place.view, ViewName::Map | ViewName::Tree).then_some(PartId::Block(block))
    }

    /// Relations and forks that can be shown, tables before their indexes.
    #[must_use]
    pub fn relation_tabs(&self) -> Vec<RelationTab> {
        let Some(look) = self.look() else { return Vec::new() };
        let here = self.place.page.map(|id| (id.relation, id.fork));
        let tab = |(relation, fork): (&Relation, ForkNumber)| RelationTab {
            relation: relation.oid,
            fork,
            name: words::relation_fork(relation, fork),
            current: here == Some((relation.oid, fork)),
            minor: fork != ForkNumber::Main || relation.schema == "pg_toast",
        };
        let relations = in_order(look.state);
        // data first, then the maps
        let data = relations.iter().map(|relation| (*relation, ForkNumber::Main));
        let others = relations.iter().flat_map(|relation| other_forks(relation).map(move |fork| (*relation, fork)));
        data.chain(others).map(tab).collect()
    }

    /// Shows a relation's fork: its map where the map was shown, else its first page that is of interest.
    pub(super) fn show_relation(&mut self, relation: u32, fork: ForkNumber) {
        let Some(look) = self.look() else { return };
        let touched = look.step.pages.iter().map(|change| change.id);
        let touched = touched
            .filter(|id| id.relation == relation && id.fork == fork && look.page(*id).is_some())
            .collect::<Vec<_>>();
        let is_index = look.relation(relation).is_some_and(|relation| relation.kind == RelKind::Index);
        let first = touched.iter().find(|id| !is_index || id.block > 0).map(|id| id.block);
        let block =
            first.unwrap_or_else(|| u32::from(is_index && look.page(PageId { relation, fork, block: 1 }).is_some()));
        self.remember();
        self.place.page = Some(PageId { relation, fork, block });
        let is_of_page = matches!(self.place.view, ViewName::Map | ViewName::Tree | ViewName::Page);
        if !is_of_page || !self.views().contains(&self.place.view) || fork != ForkNumber::Main {
            self.place.view = ViewName::Page;
        }
        self.place.selected = self.block_part(block);
    }

    /// The next or previous relation or fork, round and round.
    pub(super) fn next_relation(&mut self, by: isize) {
        let tabs = self.relation_tabs();
        let here = tabs.iter().position(|tab| tab.current).unwrap_or(0);
        if let Some(tab) = cyclic(&tabs, here, by) {
            self.show_relation(tab.relation, tab.fork);
        }
    }

    /// Shows another measure in the map.
    pub(super) fn show_measure(&mut self, measure: Measure) {
        if measure != self.place.measure {
            self.remember();
            self.place.measure = measure;
        }
    }
}

/// The entry `by` places on, past the ends from the other side.
fn cyclic<T>(entries: &[T], here: usize, by: isize) -> Option<&T> {
    let len = entries.len() as isize;
    (len > 0).then(|| (here as isize + by).rem_euclid(len) as usize).and_then(|at| entries.get(at))
}

/// The forks of a relation beside the main one that have pages.
fn other_forks(relation: &Relation) -> impl Iterator<Item = ForkNumber> + use<> {
    let blocks = relation.blocks;
    [ForkNumber::Fsm, ForkNumber::Vm, ForkNumber::Init].into_iter().filter(move |fork| blocks.of(*fork) > 0)
}

/// The relations of a state: each table, then its indexes, its TOAST table and that one's indexes.
pub(super) fn in_order(state: &State) -> Vec<&Relation> {
    fn add<'a>(state: &'a State, relation: &'a Relation, seen: &mut BTreeSet<u32>, out: &mut Vec<&'a Relation>) {
        if !seen.insert(relation.oid) {
            return;
        }
        out.push(relation);
        for wanted in [true, false] {
            let of_it = state.relations.values().filter(|other| other.table == Some(relation.oid));
            for other in of_it.filter(|other| (other.kind == RelKind::Index) == wanted) {
                add(state, other, seen, out);
            }
        }
    }
    let (mut seen, mut out) = (BTreeSet::new(), Vec::new());
    let owned = |relation: &Relation| relation.table.is_some_and(|table| state.relations.contains_key(&table));
    for relation in state.relations.values().filter(|relation| !owned(relation)) {
        add(state, relation, &mut seen, &mut out);
    }
    out
}
