//! Draws the engine's view: one file a view. A pure function of the view; clicks become messages.
//!
//! ```text
//! ┌ header: title, tabs, relations, tools ───────────────┐
//! │ story: timeline, label, what the step did            │
//! ├ figure ─────────────────────────┬ side ──────────────┤
//! │ list, map, page, tree, WAL      │ narration, why,    │
//! │ legend                          │ inspector          │
//! └ footer: keys, status ───────────┴────────────────────┘
//! ```

mod byte_map;
mod canvas;
mod charts;
pub(crate) mod editor;
mod figure;
mod help;
mod inspector;
mod list;
mod narration;
mod page;
mod relation_map;
mod result;
mod rows;
mod timeline;
mod tree;
mod versus;
mod wal;

use crate::{keymap, theme};
use canvas::{button, sends, sends_some, worded};
use ffviz_story::app::{Command, Msg, Overlay, RelationTab, View, ViewName};
use ffviz_story::scene::{Link, LinkKind, PartId, Provenance, Scene};
use std::rc::Rc;
use wasm_bindgen::JsCast;
use web_sys::Element;
use yew::prelude::*;

/// So many keys are named at the bottom, and that of the help.
const HINTS: usize = 3;

/// What is drawn, and where clicks go.
#[derive(Properties, Clone)]
pub struct FaceProps {
    /// the engine's view
    pub view: Rc<View>,
    /// takes the messages
    #[prop_or_default]
    pub send: Callback<Msg>,
    /// a window as narrow as a phone: pictures get narrower and longer
    #[prop_or_default]
    pub narrow: bool,
    /// buttons of the program around the view: open a file, light and dark
    #[prop_or_default]
    pub tools: Html,
    /// what a script runs on, to be chosen beside its text
    #[prop_or_default]
    pub server: Html,
    /// buttons to play the steps with
    #[prop_or_default]
    pub player: Html,
}

/// Another view is drawn, even if it is equal: to compare them takes more code than all else that a view is compared
/// for.
impl PartialEq for FaceProps {
    fn eq(&self, other: &Self) -> bool {
        let is_same = Rc::ptr_eq(&self.view, &other.view) && self.send == other.send;
        is_same
            && self.narrow == other.narrow
            && self.tools == other.tools
            && self.server == other.server
            && self.player == other.player
    }
}

/// The whole page.
#[component]
pub fn Face(props: &FaceProps) -> Html {
    let (view, send) = (&*props.view, &props.send);
    // in a list, the inspector would only repeat the row
    let repeats = matches!(view.scene, Scene::List(_)) && view.inspector.fields.is_empty();
    let inspected = !view.inspector.title.is_empty() && !repeats;
    let explained = !view.timeline.events.is_empty();
    let results = &view.timeline.results;
    let has_side = inspected || explained || !results.is_empty() || view.narration.is_some();
    let class = classes!("ffviz", has_side.then_some("has-side"), view.script.is_some().then_some("has-script"));
    html! {
        <div {class} aria-busy={view.busy.is_some().to_string()}>
            { canvas::definitions() }
            { header(view, send, &props.tools) }
            if view.timeline.count > 0 { { timeline::story(props) } }
            if let Some(script) = &view.script { { editor::draw(script, props) } }
            <main id="figure" tabindex="-1">{ pane(props) }</main>
            if has_side {
                <aside>
                    if let Some(scene) = &view.narration { { narration::draw(scene, send) } }
                    if !results.is_empty() { { result::draw(results) } }
                    if explained { { timeline::events(&view.timeline, send) } }
                    if inspected { { inspector::draw(props) } }
                </aside>
            }
            { footer(view, send) }
            { match &view.overlay {
                Some(Overlay::Help) => help::keys(send),
                Some(Overlay::Text(title, lines)) => help::text(title, lines, send),
                // it stands beside the picture
                Some(Overlay::Editor(_)) | None => Html::default(),
            } }
        </div>
    }
}

/// Within another page: the picture with a bar to step with, or nothing else, or all that there is to read.
pub fn embedded(props: &FaceProps, full: bool, bare: bool) -> Html {
    let (view, send) = (&*props.view, &props.send);
    html! {
        <>
            { canvas::definitions() }
            if full { if let Some(script) = &view.script { { editor::draw(script, props) } } }
            if !bare && view.timeline.count > 0 { { timeline::story(props) } }
            if full { { tabs(view, send) } }
            { pane(props) }
            if full {
                <div class="below">
                    if let Some(scene) = &view.narration { { narration::draw(scene, send) } }
                    if !view.timeline.results.is_empty() { { result::draw(&view.timeline.results) } }
                    if !view.timeline.events.is_empty() { { timeline::events(&view.timeline, send) } }
                    if !view.inspector.title.is_empty() { { inspector::draw(props) } }
                </div>
            }
            if !bare { <p class="status" role="status">{ view.busy.as_ref().unwrap_or(&view.status) }</p> }
        </>
    }
}

/// The picture, or two beside each other, with their legend; a click selects, a double click follows.
pub fn pane(props: &FaceProps) -> Html {
    let view = &*props.view;
    let onclick = on_part(props, |part| match part {
        PartId::Entry(_) => Msg::Activate(part),
        _ => Msg::Select(part),
    });
    let ondblclick = on_part(props, Msg::Activate);
    html! {
        <div class="pane" {onclick} {ondblclick}>
            { view.versus.as_ref().filter(|_| !matches!(view.scene, Scene::List(_)))
                .map_or_else(|| picture(props), |beside| versus::draw(beside, props)) }
            { legend(view) }
        </div>
    }
}

fn picture(props: &FaceProps) -> Html {
    match &props.view.scene {
        Scene::List(scene) => list::draw(scene, &props.view, &props.send),
        Scene::Figure(scene) => figure::draw(scene, props),
        Scene::RelationMap(scene) => relation_map::draw(scene, props),
        Scene::Page(scene) => page::draw(scene, props),
        Scene::Tree(scene) => tree::draw(scene, &props.view),
        Scene::Wal(scene) => wal::draw(scene, props),
        Scene::Charts(scene) => charts::draw(scene),
    }
}

/// One handler for all parts of the picture: the part that was clicked is named by the element's `data-part`.
fn on_part(props: &FaceProps, message: impl Fn(PartId) -> Msg + 'static) -> Callback<MouseEvent> {
    let view = props.view.clone();
    sends_some(&props.send, move |event: MouseEvent| {
        let element = event.target()?.dyn_into::<Element>().ok()?;
        let name = element.closest("[data-part]").ok()??.get_attribute("data-part")?;
        parts(&view.scene).find(|part| part.to_string() == name).map(&message)
    })
}

/// Every part that a scene has a place for.
fn parts(scene: &Scene) -> Box<dyn Iterator<Item = PartId> + '_> {
    match scene {
        Scene::List(list) => Box::new(list.rows.iter().map(|row| row.part)),
        Scene::Charts(_) => Box::new(std::iter::empty()),
        Scene::Figure(figure) => Box::new(figure.pieces().map(|piece| piece.part)),
        Scene::RelationMap(map) => Box::new(map.cells.iter().map(|cell| cell.part)),
        Scene::Page(page) => {
            Box::new(page.regions.iter().map(|region| region.part).chain(page.rows.iter().map(|row| row.part)))
        }
        Scene::Tree(tree) => Box::new(tree.levels.iter().flat_map(|level| &level.nodes).map(|node| node.part)),
        Scene::Wal(wal) => {
            let in_panels = wal.panels.iter().flat_map(|panel| &panel.rows);
            Box::new(wal.rows.iter().chain(in_panels).map(|row| row.row.part))
        }
    }
}

/// The views that can be shown.
fn tabs(view: &View, send: &Callback<Msg>) -> Html {
    let tab = |(name, word, here): &(ViewName, &'static str, bool)| {
        html! {
            <button type="button" class="tab" aria-current={here.then_some("page")} onclick={sends(send, Msg::Show(*name))}>
                <kbd>{ name.digit() }</kbd>{ *word }
            </button>
        }
    };
    html! { <nav aria-label="views">{ for view.tabs.iter().map(tab) }</nav> }
}

fn header(view: &View, send: &Callback<Msg>, tools: &Html) -> Html {
    let current = |here: bool| here.then_some("page");
    let relation = |tab: &RelationTab| {
        let onclick = sends(send, Msg::ShowRelation(tab.relation, tab.fork));
        html! {
            <button type="button" class="relation" aria-current={current(tab.current)} {onclick}>{ &tab.name }</button>
        }
    };
    html! {
        <header>
            <div class="bar">
                <h1>{ "ffviz" }</h1>
                if view.title != "ffviz" { <p class="title">{ &view.title }</p> }
                if view.provenance == Provenance::Statistics { <p class="estimate">{ "estimates from statistics" }</p> }
                { tabs(view, send) }
                <div class="tools">{ tools.clone() }{ button(Command::Help, html! { "?" }, send) }</div>
            </div>
            // a figure chooses its pages itself
            if view.relations.len() > 1 && matches!(view.scene, Scene::Page(_) | Scene::Tree(_) | Scene::RelationMap(_)) {
                <nav class="relations" aria-label="relations">
                    { for view.relations.iter().filter(|tab| !tab.minor || tab.current).map(relation) }
                    { more(view.relations.iter().filter(|tab| tab.minor && !tab.current).map(relation).collect()) }
                </nav>
            }
        </header>
    }
}

/// Relations that are looked at seldom: the reader asks for them.
fn more(relations: Vec<Html>) -> Html {
    if relations.is_empty() {
        return Html::default();
    }
    html! { <details class="more"><summary>{ format!("{} more", relations.len()) }</summary>{ for relations }</details> }
}

fn footer(view: &View, send: &Callback<Msg>) -> Html {
    let hint = |command: &Command| {
        let key = keymap::keys(*command).next().unwrap_or_default();
        let face = html! { <><kbd>{ key }</kbd>{ keymap::brief(*command) }</> };
        html! { <li>{ worded(*command, face, send) }</li> }
    };
    // the others are in the help
    let hints = view.hints.iter().filter(|command| keymap::works(**command) && **command != Command::Help);
    let hints = hints.take(HINTS).chain([&Command::Help]);
    html! {
        <footer>
            <ul class="hints">{ for hints.map(hint) }</ul>
            <p class="status" role="status">{ view.busy.as_ref().unwrap_or(&view.status) }</p>
        </footer>
    }
}

/// The roles and arrows of the picture.
fn legend(view: &View) -> Html {
    let mut kinds: Vec<LinkKind> = links(&view.scene).iter().map(|link| link.kind).collect();
    kinds.sort();
    kinds.dedup();
    if matches!(view.scene, Scene::List(_)) || view.legend.is_empty() && kinds.is_empty() {
        return Html::default();
    }
    let role = |role: &ffviz_story::scene::Role| html! { <li key={role.word()}>{ canvas::swatch(*role, false) }{ role.word() }</li> };
    let kind = |kind: LinkKind| {
        html! { <li key={kind.word()}><span class={classes!("arrow", theme::link_class(kind))} aria-hidden="true">{ kind.glyph() }</span>{ kind.word() }</li> }
    };
    html! {
        <ul class="legend" aria-label="legend">
            { for view.legend.iter().map(role) }{ for kinds.into_iter().map(kind) }
        </ul>
    }
}

fn links(scene: &Scene) -> &[Link] {
    match scene {
        Scene::Page(page) => &page.links,
        Scene::Tree(tree) => &tree.links,
        Scene::List(_) | Scene::Figure(_) | Scene::RelationMap(_) | Scene::Wal(_) | Scene::Charts(_) => &[],
    }
}
