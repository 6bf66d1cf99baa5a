//! What there is to see: the scene of the current view, and all that stands around it.

use super::{Command, Model, Overlay, Source, View, ViewName, course, list, navigate, script, versus, wal};
use crate::scene::{
    InspectorScene, PartId, Provenance, Scene, TimelineScene, charts, figure, inspect, legend, map, page, reference,
    timeline, tree, words,
};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::state::{FromFile, PageId};

/// What there is to see.
#[must_use]
pub fn view(model: &Model) -> View {
    let scene = scene(model);
    let selected = model.place.selected.filter(|part| navigate::contains(&scene, *part));
    let inspector = match (&scene, model.look()) {
        _ if model.place.view == ViewName::Lesson => InspectorScene::default(),
        (Scene::List(_), _) | (_, None) => list::inspect(model, selected),
        (Scene::Wal(_), _) => wal::inspected(model, selected),
        (_, Some(look)) => inspect(&look, &scene, model.place.page, selected),
    };
    let timeline = timeline_scene(model, &scene);
    View {
        title: title(model),
        tabs: model.views().into_iter().map(|view| (view, tab_word(model, view), view == model.place.view)).collect(),
        relations: model.relation_tabs(),
        provenance: provenance(model),
        selected,
        row: selected.map(|part| navigate::row_of(&scene, part)),
        inspector,
        versus: versus::beside(model),
        legend: legend::roles(&scene),
        overlay: model.overlay.clone(),
        status: status(model),
        busy: model.busy.clone(),
        narration: course::narration(model),
        script: script::scene(model),
        hints: hints(model, &timeline),
        filter: model.place.filter.clone().filter(|_| model.is_filtered()),
        timeline,
        scene,
    }
}

impl Model {
    /// Does something with the main picture, which is made once for it.
    pub(super) fn in_picture<T>(&mut self, act: impl FnOnce(&mut Self, &Scene) -> T) -> T {
        let scene = scene(self);
        act(self, &scene)
    }

    /// Selects the first of these parts of the picture that is shown from now on.
    pub(super) fn select_first(&mut self, parts: fn(&Scene) -> Vec<PartId>) {
        self.place.selected = self.in_picture(|_, scene| parts(scene).first().copied());
    }
}

/// The main picture alone.
pub(super) fn scene(model: &Model) -> Scene {
    match (model.place.view, model.look(), model.place.page) {
        (ViewName::Figure, ..) => match &model.timeline {
            Some(timeline) => Scene::Figure(model.figure(timeline).into_owned()),
            None => Scene::List(list::scene(model)),
        },
        (ViewName::Map, Some(look), Some(id)) => {
            Scene::RelationMap(map::scene(&look, id.relation, model.place.measure, model.place.zoom))
        }
        (ViewName::Tree, Some(look), Some(id)) => {
            Scene::Tree(tree::scene(&look, id.relation, &model.tree(&look, id.relation), id.block))
        }
        (ViewName::Page, Some(look), Some(id)) => Scene::Page(page::scene(&look, id)),
        (ViewName::Wal, ..) => match &model.timeline {
            Some(timeline) => Scene::Wal(wal::picture(model, timeline)),
            None => Scene::List(list::scene(model)),
        },
        (ViewName::Charts, ..) => match &model.timeline {
            Some(timeline) => Scene::Charts(charts::scene(timeline, model.plots(timeline).into_owned())),
            None => Scene::List(list::scene(model)),
        },
        (ViewName::Lesson, ..) => Scene::List(course::contents(model)),
        _ => Scene::List(list::scene(model)),
    }
}

/// Where the state that is shown comes from.
fn provenance(model: &Model) -> Provenance {
    match &model.timeline {
        _ if model.is_estimated() => Provenance::Statistics,
        // a script without statements
        Some(timeline) if timeline.len() == 1 && model.is_script() => Provenance::Simulated,
        Some(timeline) => match model.steps_in_one(timeline) {
            Some(steps) => figure::provenance(timeline, &steps),
            None => timeline::provenance(timeline),
        },
        None => Provenance::Measured,
    }
}

/// The bar of steps, and what is told of the current one beside this scene.
pub(super) fn timeline_scene(model: &Model, beside: &Scene) -> TimelineScene {
    let Some(open) = model.timeline.as_ref().filter(|_| model.place.view != ViewName::List) else {
        return TimelineScene::default();
    };
    let mut scene = timeline::scene(open, &model.explanation(open), model.place.page, wal::hide(model));
    if let Some(event) = scene.events.last_mut().filter(|event| open.is_unsupported() && event.why.is_empty()) {
        event.why = model.elsewhere.to_string();
    }
    if let Some(whole) = model.whole(open) {
        timeline::of_whole(&mut scene, open, wal::hide(model));
        scene.how.clone_from(&whole.how);
        // of a whole statement the last step is often a COMMIT, which is not what it was about
        scene.reference = reference::of(whole.plot());
    }
    if let Scene::Figure(figure) = beside {
        // each fact once: what the figure's notes say already, and has no reason beside it, is not said again
        scene.events.retain(|event| !event.why.is_empty() || !figure.notes.contains(&event.what));
        scene.reference = reference::of(figure.plot);
    }
    scene
}

/// `hot-chain · PostgreSQL 18.4 · measured`
fn title(model: &Model) -> String {
    let version = match (&model.timeline, model.attached().map(|live| &live.server)) {
        (Some(open), _) => match (open.state().file, open.state().server.version) {
            (None, version) => format!(" · PostgreSQL {version}"),
            (Some(FromFile { version_is_assumed: false }), version) => format!(" · PostgreSQL {}", version.major()),
            (Some(FromFile { version_is_assumed: true }), version) => {
                format!(" · PostgreSQL {} (assumed)", version.major())
            }
        },
        (None, Some(server)) => format!(" · PostgreSQL {}", server.version),
        (None, None) => String::new(),
    };
    let how = provenance(model).word();
    match &model.source {
        Source::Library => "ffviz".to_string(),
        Source::Lesson(_, course) => format!("{}{version} · {how}", course.title()),
        Source::Recording(name) => format!("{name}{version} · {how}"),
        Source::Script(name, script) => {
            let branch = model.timeline.as_ref();
            let branch = branch.map_or_else(String::new, |timeline| script.branches.words(timeline));
            format!("{name}{branch}{version} · {how}")
        }
        Source::Live(place, _) => format!("{place}{version} · {how}"),
    }
}

const fn tab_word(model: &Model, view: ViewName) -> &'static str {
    match view {
        ViewName::List if model.is_live() => "Tables",
        ViewName::List => "Library",
        ViewName::Lesson => "Lesson",
        ViewName::Figure => "Figure",
        ViewName::Map => "Map",
        ViewName::Tree => "Tree",
        ViewName::Page => "Page",
        ViewName::Wal => "WAL",
        ViewName::Charts => "Charts",
    }
}

/// The result of the last effect; else, where the step changed other pages than the one that was chosen, which.
fn status(model: &Model) -> String {
    if !model.status.is_empty() || model.place.view != ViewName::Page {
        return model.status.clone();
    }
    let (Some(look), Some(id)) = (model.look(), model.place.page) else { return String::new() };
    let name = |id: &PageId| words::page(look.relation(id.relation).map(AsRef::as_ref), *id);
    if let Some(home) = model.home() {
        return format!("Followed the change from {} to {}.", name(&home), name(&id));
    }
    let changed: Vec<PageId> = look.step.pages.iter().map(|change| change.id).collect();
    if changed.is_empty() || changed.contains(&id) {
        return String::new();
    }
    let mut names: Vec<String> = changed.iter().take(3).map(name).collect();
    if changed.len() > names.len() {
        names.push(format!("{} more", changed.len() - names.len()));
    }
    format!("This step did not change this page. It changed {}.", names.join(", "))
}

/// The commands that are of use here, most useful first.
fn hints(model: &Model, timeline: &TimelineScene) -> Vec<Command> {
    let mut hints = Vec::new();
    if matches!(model.overlay, Some(Overlay::Editor(_))) {
        return hints;
    }
    if model.place.filter.is_some() && model.is_filtered() {
        return Vec::from([Command::Activate, Command::Back]);
    }
    match model.place.view {
        ViewName::List => hints.extend([Command::Activate, Command::Filter]),
        ViewName::Lesson => hints.extend([Command::StepForward, Command::Activate]),
        ViewName::Wal => hints.extend([Command::Activate, Command::NextMeasure, Command::Filter]),
        ViewName::Charts => hints.extend([Command::StepForward, Command::StepBack, Command::Down, Command::Up]),
        _ if timeline.count > 1 => hints.extend([Command::StepForward, Command::StepBack, Command::GoToChange]),
        _ => {}
    }
    if model.is_script() && model.place.view != ViewName::List {
        hints.extend([Command::NextGroup, Command::Edit, Command::BranchOff]);
    }
    if model.lesson().is_some() && model.place.view != ViewName::List {
        let asked = course::narration(model).and_then(|narration| narration.question);
        if asked.is_some_and(|asked| asked.waits) {
            hints.insert(0, Command::ShowAnswer);
        }
        hints.push(Command::NextSection);
    }
    let has_records = model.has_records() && model.place.view != ViewName::List;
    hints.extend([Command::NextGroup].into_iter().filter(|_| has_records && !model.is_script()));
    match model.place.view {
        ViewName::List | ViewName::Lesson | ViewName::Charts => {}
        ViewName::Figure => hints.extend([Command::Activate]),
        ViewName::Wal => hints.extend([Command::StepForward, Command::StepBack]),
        ViewName::Map => hints.extend([Command::NextMeasure, Command::ZoomIn, Command::ZoomOut, Command::Activate]),
        ViewName::Tree => hints.extend([Command::Activate, Command::FollowBack]),
        ViewName::Page => {
            hints.extend([Command::LastWriter].into_iter().filter(|_| has_records));
            hints.extend([Command::Activate, Command::FollowBack, Command::NextPage]);
        }
    }
    if model.place.view != ViewName::List {
        hints.extend([Command::NextView, Command::NextRelation, Command::Back]);
    }
    if model.is_script() && model.place.view != ViewName::List {
        hints.extend([Command::NextBranch, Command::Undo].into_iter().filter(|_| model.has_branches()));
    }
    if model.is_live() {
        hints.extend([Command::Capture, Command::Watch, Command::Save]);
    }
    hints.extend([Command::Help, Command::Quit]);
    hints
}
