//! Takes in messages. Every command ends here or in one of the files beside this one.

use super::{
    Command, Effect, Model, Msg, Overlay, Source, ViewName, course, fold, follow, live, navigate, script, step, versus,
    view, wal,
};
use crate::scene::{EventLine, Measure, PartId, Scene};
use crate::timeline::Timeline;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::page::ForkNumber;
use ffviz_format::state::{PageId, RelKind};

/// Takes in a message; says what the face must do.
pub fn update(model: &mut Model, msg: Msg) -> Vec<Effect> {
    if let Some(versus) = model.versus_mut().and_then(Option::take) {
        return versus::take_in(model, versus, msg);
    }
    if !matches!(msg, Msg::PagesRead(_) | Msg::Captured(_) | Msg::CapturedWithWal(..)) {
        model.status.clear();
    }
    let mut effects = Vec::new();
    match msg {
        Msg::Command(command) => effects = do_command(model, command),
        Msg::Select(part) => model.in_picture(|model, scene| select(model, scene, part)),
        Msg::Activate(part) => effects = follow::activate(model, part),
        Msg::Seek(to) => step::seek(model, to),
        Msg::SeekWhole(to) => step::seek_whole(model, to),
        Msg::Show(view) => model.ask_for(view),
        Msg::ShowRelation(relation, fork) => model.show_relation(relation, fork),
        Msg::Measure(measure) => model.show_measure(measure),
        Msg::WalList(list) => model.show_wal_list(list),
        Msg::SelectEvent(n) => model.in_picture(|model, scene| select_event(model, scene, n)),
        Msg::Filter(text) => filter(model, text),
        Msg::Opened { name, timeline, lost } => opened(model, name, timeline, lost),
        Msg::Scripted { name, run } => script::opened(model, name, run),
        Msg::Versus { names, run } => versus::opened(model, names, run),
        Msg::Run(text) => effects = script::run(model, text),
        Msg::CloseEditor(text) => script::close_editor(model, text),
        Msg::RunReport { number, report } => script::reported(model, number, report),
        Msg::Lesson { name, lesson, timeline } => course::opened(model, name, lesson, timeline),
        Msg::Choose(n) => course::choose(model, n),
        Msg::Tables(tables) => live::tables(model, tables),
        Msg::Captured(state) => effects = live::captured(model, state, None),
        Msg::CapturedWithWal(state, wal) => effects = live::captured(model, state, Some(wal)),
        Msg::PagesRead(state) => live::pages_read(model, state),
        Msg::Failed(why) => live::failed(model, why),
        Msg::Done(what) => live::done(model, what),
    }
    model.prepare();
    effects.extend(live::pages_wanted(model));
    effects.extend(live::tables_wanted(model));
    effects
}

fn do_command(model: &mut Model, command: Command) -> Vec<Effect> {
    match command {
        Command::Capture => return live::capture(model),
        Command::Watch => return live::watch(model),
        Command::Save => return live::save(model),
        Command::Quit => return Vec::from([Effect::Quit]),
        Command::Back if model.overlay.is_none() && script::stop(model) => return Vec::from([Effect::StopRun]),
        Command::Edit => script::edit(model),
        Command::BranchOff => script::branch_off(model),
        Command::Undo => script::undo(model),
        Command::NextBranch => script::next(model, 1),
        Command::PreviousBranch => script::next(model, -1),
        Command::Activate => match model.place.selected {
            Some(part) => return follow::activate(model, part),
            None => step_selection(model, 1),
        },
        Command::StepForward | Command::StepBack | Command::First | Command::Last => step::step(model, command),
        Command::NextGroup | Command::PreviousGroup => step::group(model, command == Command::NextGroup),
        Command::NextSection | Command::PreviousSection => course::section(model, command == Command::NextSection),
        Command::ShowAnswer => course::show_answer(model),
        Command::Pin => step::pin(model),
        Command::Unfold => fold::toggle(model),
        Command::LastWriter => model.in_picture(wal::last_writer),
        Command::Up => step_selection(model, -1),
        Command::Down => step_selection(model, 1),
        Command::FollowBack => follow::follow_back(model),
        Command::GoToChange => model.in_picture(go_to_change),
        Command::Back => back(model),
        Command::NextView => model.next_view(1),
        Command::PreviousView => model.next_view(-1),
        Command::NextPage => model.next_page(1),
        Command::PreviousPage => model.next_page(-1),
        Command::NextRelation => model.next_relation(1),
        Command::PreviousRelation => model.next_relation(-1),
        Command::NextMeasure if model.place.view == ViewName::Wal => model.next_wal_list(),
        Command::NextMeasure => next_measure(model),
        Command::ZoomIn => model.in_picture(|model, scene| zoom(model, scene, false)),
        Command::ZoomOut => model.in_picture(|model, scene| zoom(model, scene, true)),
        Command::Filter => start_filter(model),
        Command::Redact => model.redact = !model.redact,
        Command::Help => toggle_help(model),
    }
    Vec::new()
}

fn start_filter(model: &mut Model) {
    if model.is_filtered() {
        model.place.filter.get_or_insert_default();
    }
}

fn toggle_help(model: &mut Model) {
    model.overlay = match model.overlay {
        Some(Overlay::Help) => None,
        _ => Some(Overlay::Help),
    };
}

/// Closes what lies on top: an overlay, a filter; else goes to where we came from.
fn back(model: &mut Model) {
    if model.overlay.take().is_some() {
        return;
    }
    if model.is_filtered() && model.place.filter.take().is_some() {
        return;
    }
    if !model.go_back() {
        model.status = "There is nothing to go back to.".to_string();
    }
}

/// Selects a part, if it is in the picture.
fn select(model: &mut Model, scene: &Scene, part: PartId) {
    if !matches!(part, PartId::Heading(_)) && navigate::contains(scene, part) {
        set_selected(model, part);
    }
}

/// Selects a part that is known to be in the picture.
fn set_selected(model: &mut Model, part: PartId) {
    // a cell of a band leads to its first page, which is then drawn
    let part = if let PartId::Band(block) = part { PartId::Block(block) } else { part };
    model.place.selected = Some(part);
    if let (ViewName::Map | ViewName::Tree, PartId::Block(block), Some(id)) =
        (model.place.view, part, &mut model.place.page)
    {
        id.block = block;
    }
}

fn step_selection(model: &mut Model, by: isize) {
    let selected = model.place.selected;
    let next = model.in_picture(|_, scene| navigate::neighbour(scene, selected, by));
    if let Some(next) = next {
        set_selected(model, next);
    }
}

fn filter(model: &mut Model, text: String) {
    model.place.filter = Some(text);
    model.prepare_wal();
    let shown = model.in_picture(|_, scene| navigate::walk(scene));
    if model.is_filtered() && !model.place.selected.is_some_and(|part| shown.contains(&part)) {
        model.place.selected = shown.first().copied();
    }
}

fn next_measure(model: &mut Model) {
    let all = Measure::ALL;
    let here = all.iter().position(|measure| *measure == model.place.measure).unwrap_or(0);
    model.show_measure(all[(here + 1) % all.len()]);
}

fn zoom(model: &mut Model, scene: &Scene, out: bool) {
    let Scene::RelationMap(map) = scene else { return };
    let most = map.blocks.max(1).next_power_of_two();
    let zoom = if out { (map.zoom * 2).min(most) } else { (map.zoom / 2).max(1) };
    if zoom != map.zoom {
        model.remember();
        model.place.zoom = Some(zoom);
    }
}

/// A recording was read: shows the page that its first step changes.
pub(super) fn opened(model: &mut Model, name: String, timeline: Timeline, lost: Vec<String>) {
    model.busy = None;
    model.remember();
    model.forget_places();
    model.overlay = (!lost.is_empty()).then(|| Overlay::Text(format!("{name}: parts could not be read"), lost));
    model.source = Source::Recording(name);
    start(model, timeline);
}

/// Shows a timeline from where it stands.
pub(super) fn start(model: &mut Model, timeline: Timeline) {
    model.place.page = first_page(&timeline);
    let is_index = |id: PageId| timeline.state().relations.get(&id.relation).is_some_and(|r| r.kind == RelKind::Index);
    // an empty file has no page to show, but is a relation
    let is_empty_file = timeline.state().file.is_some() && timeline.state().pages.is_empty();
    model.place.view = if is_empty_file {
        ViewName::Map
    } else if timeline.len() > 1 {
        ViewName::Figure
    } else if model.place.page.is_some_and(is_index) {
        ViewName::Tree
    } else {
        ViewName::Page
    };
    model.set_timeline(timeline);
    model.place.filter = None;
    model.place.selected = None;
    model.place.zoom = None;
    if model.place.page.is_none() {
        // of a script there are its statements to be seen, and how they ended
        let is_script = model.timeline.as_ref().is_some_and(Timeline::is_script);
        model.place.view = if is_script { ViewName::Wal } else { ViewName::List };
        model.status = "There is no relation in it.".to_string();
    }
}

/// The page to begin with: the first heap page that the first step changes, else the first page of the first table.
/// Where that does not exist yet, as in a table still empty, the first page that does: that of an index.
pub(super) fn first_page(timeline: &Timeline) -> Option<PageId> {
    let state = timeline.state();
    let is_table = |id: &PageId| {
        state.relations.get(&id.relation).is_some_and(|relation| relation.kind != RelKind::Index)
            && id.fork == ForkNumber::Main
    };
    let known = |id: &PageId| state.pages.contains_key(id);
    let changed = timeline.touched(1).find(is_table);
    let first = || {
        navigate::in_order(state).first().map(|relation| PageId {
            relation: relation.oid,
            fork: ForkNumber::Main,
            block: 0,
        })
    };
    let wanted = changed.or_else(first);
    let there = || state.pages.keys().find(|id| id.fork == ForkNumber::Main).copied();
    wanted.filter(known).or_else(there).or(wanted)
}

/// Goes where event n of the explanation happened.
fn select_event(model: &mut Model, scene: &Scene, n: usize) {
    let told = view::timeline_scene(model, scene);
    let Some(EventLine { page, part, .. }) = told.events.get(n).cloned() else { return };
    if model.place.view == ViewName::Page && model.place.page == Some(page) {
        model.place.selected = part;
        return;
    }
    model.go_to(page.relation, page.fork, page.block);
    model.place.selected = part;
}

/// To the next changed part after the selected one; past the last, to the next changed page.
fn go_to_change(model: &mut Model, scene: &Scene) {
    let changed = navigate::changed_parts(scene);
    let order = navigate::walk(scene);
    let place = |part: PartId| order.iter().position(|other| *other == part);
    let here = model.place.selected.and_then(|part| place(navigate::row_of(scene, part)));
    let next = changed.iter().copied().find(|part| place(*part) > here);
    if next.is_some() {
        model.place.selected = next;
        return;
    }
    if model.place.view != ViewName::Page {
        model.place.selected = changed.first().copied().or(model.place.selected);
        return;
    }
    match next_changed_page(model) {
        Some(id) if model.place.page == Some(id) => model.place.selected = changed.first().copied(),
        Some(id) => {
            model.go_to(id.relation, id.fork, id.block);
            model.select_first(navigate::changed_parts);
        }
        None => model.status = "This step changed no page.".to_string(),
    }
}

/// The page after this one that the step changed, round and round.
fn next_changed_page(model: &Model) -> Option<PageId> {
    let look = model.look()?;
    let pages = || look.step.pages.iter().filter(|change| change.after.is_some()).map(|change| change.id);
    pages().find(|id| Some(*id) > model.place.page).or_else(|| pages().next())
}
