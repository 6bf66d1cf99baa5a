//! Draws the engine's view: one file a view. A pure function of the view, the size, the theme and the scroll positions.
//!
//! ```text
//! title                                     where it comes from
//! tabs                                                relations
//! timeline bar, the step's label, what it did
//! ── figure ───────────────────────────── │ ── narration ─────
//!    list, relation map, page, tree or WAL│   of a lesson
//! ── what happened and why ─ ── inspector │
//! keys                                                   status
//! ```

mod byte_map;
mod canvas;
mod charts;
mod editor;
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

pub use canvas::{Canvas, HitMap, Pane, Scroll, Target};

use crate::keymap;
use crate::theme::{Ink, Theme};
use canvas::text_width;
pub(crate) use canvas::wrap;
use ffviz_story::app::{Command, Overlay, RelationTab, View};
use ffviz_story::scene::{Provenance, Scene};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// The smallest screen that is drawn.
pub const MIN: (u16, u16) = (60, 16);

/// Lines of the story that are worth their heading.
const LEAST: u16 = 3;

/// What the face knows and the model does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Local {
    /// which pane has the keys
    pub pane: Pane,
    /// how far the panes are scrolled
    pub scroll: Scroll,
    /// scrolled by hand since the selection last moved: then the selection may be out of sight
    pub loose: bool,
}

/// Draws everything; says where it went.
pub fn draw(view: &View, area: Rect, buffer: &mut Buffer, theme: &Theme, local: &Local) -> HitMap {
    let map = HitMap { hits: Vec::with_capacity(512), scroll: local.scroll, ..HitMap::default() };
    let mut canvas = Canvas { buffer, theme, map };
    canvas.clear(area);
    if area.width < MIN.0 || area.height < MIN.1 {
        too_small(&mut canvas, area);
    } else {
        screen(&mut canvas, view, area, local);
    }
    if theme.ascii {
        canvas.only_ascii();
    }
    canvas.map
}

/// Draws the main picture alone.
pub fn draw_figure(view: &View, area: Rect, buffer: &mut Buffer, theme: &Theme) {
    let local = Local { pane: Pane::Narration, ..Local::default() };
    let mut canvas = Canvas { buffer, theme, map: HitMap { scroll: local.scroll, ..HitMap::default() } };
    canvas.clear(area);
    picture(&mut canvas, view, area, &local);
    if theme.ascii {
        canvas.only_ascii();
    }
}

fn too_small(canvas: &mut Canvas, area: Rect) {
    let text = format!("{}×{}: too small, {}×{} needed", area.width, area.height, MIN.0, MIN.1);
    let x = area.x + area.width.saturating_sub(text_width(&text)) / 2;
    let style = canvas.theme.ink(Ink::Strong);
    canvas.text(x, area.y + area.height / 2, area.right().saturating_sub(x), &text, style);
}

fn screen(canvas: &mut Canvas, view: &View, area: Rect, local: &Local) {
    let mut rest = area;
    title(canvas, view, take(&mut rest, 1));
    tabs(canvas, view, take(&mut rest, 1));
    let status_line = take_end(&mut rest, 1);
    let message = message(view, area);
    messages(canvas, &message, take_end(&mut rest, message.len() as u16));
    if view.timeline.count > 0 {
        match (&view.versus, area.height >= 30) {
            // what the step did is said of each run
            (Some(_), true) => timeline::bar_and_label(canvas, &view.timeline, take(&mut rest, 2)),
            (Some(_), false) => timeline::bar_and_label(canvas, &view.timeline, take(&mut rest, 1)),
            (None, true) => timeline::draw(canvas, &view.timeline, take(&mut rest, 4)),
            (None, false) => timeline::draw(canvas, &view.timeline, take(&mut rest, 2)),
        }
    }
    let rest = beside_narration(canvas, view, rest, local);
    match view.versus.as_ref().filter(|_| !matches!(view.scene, Scene::List(_))) {
        Some(beside) => versus::draw(canvas, view, beside, rest, local),
        None => {
            let area = panels(canvas, view, rest, local);
            picture(canvas, view, area, local);
        }
    }
    // it says by which key what is out of sight can be read
    status(canvas, view, status_line, message.is_empty(), local);
    match &view.overlay {
        Some(Overlay::Help) => help::draw(canvas, view, area, local),
        Some(Overlay::Text(title, lines)) => help::text(canvas, title, lines, area, local),
        Some(Overlay::Editor(scene)) => editor::draw(canvas, scene, area),
        None => {}
    }
}

/// The main picture.
fn picture(canvas: &mut Canvas, view: &View, area: Rect, local: &Local) {
    canvas.hit(area, Target::Pane(Pane::Figure));
    match &view.scene {
        Scene::List(scene) => list::draw(canvas, view, scene, area, local),
        Scene::Figure(scene) => figure::draw(canvas, view, scene, area, local),
        Scene::RelationMap(scene) => relation_map::draw(canvas, view, scene, area, local),
        Scene::Page(scene) => page::draw(canvas, view, scene, area, local),
        Scene::Tree(scene) => tree::draw(canvas, view, scene, area, local),
        Scene::Wal(scene) => wal::draw(canvas, view, scene, area, local),
        Scene::Charts(scene) => charts::draw(canvas, scene, area, local),
    }
}

/// What is read of a lesson: to the right where there is room, else above the figure. Returns what is left.
fn beside_narration(canvas: &mut Canvas, view: &View, area: Rect, local: &Local) -> Rect {
    let Some(scene) = &view.narration else { return area };
    let mut rest = area;
    if area.width >= 120 {
        let left = take_left(&mut rest, area.width * 3 / 5);
        narration::draw(canvas, scene, Rect { x: rest.x + 1, width: rest.width - 1, ..rest }, local);
        return left;
    }
    let asked = scene.question.as_ref().is_some_and(|question| question.in_sight);
    let is_list = matches!(view.scene, Scene::List(_));
    let most = if asked || is_list || local.pane == Pane::Narration { area.height * 2 / 3 } else { area.height / 3 };
    let height = narration::height(scene, area.width, canvas.theme).min(most);
    narration::draw(canvas, scene, take(&mut rest, height), local);
    rest
}

/// Explanation and inspector, side by side where there is room; returns what is left for the figure.
fn panels(canvas: &mut Canvas, view: &View, area: Rect, local: &Local) -> Rect {
    let mut rest = area;
    let has_rows = !view.timeline.results.is_empty() || !view.timeline.excerpt.is_empty();
    let spare = area.height.saturating_sub(figure_height(view, area.width));
    // where there is little room the figure and the records have it: the story is a key away
    let is_small = area.width < 100 && area.height < 24;
    let comes_first = match &view.scene {
        Scene::Wal(_) => area.width < 100,
        // they are of all steps, not of this one
        Scene::Charts(_) => true,
        Scene::Figure(_) => is_small && spare < LEAST && !has_rows,
        _ => false,
    };
    let gives_way = comes_first && local.pane != Pane::Explanation;
    let explained = timeline::tells(&view.timeline) && !gives_way;
    if gives_way && timeline::tells(&view.timeline) {
        canvas.map.hidden = Some(timeline::word(&view.timeline));
    }
    let inspected = !view.inspector.title.is_empty();
    if !explained && !inspected {
        return rest;
    }
    let focused = matches!(local.pane, Pane::Inspector | Pane::Explanation);
    let told = timeline::height(&view.timeline, area.width, canvas.theme, spare);
    let wanted = inspector::height(&view.inspector, area.width, canvas.theme).max(told);
    // rows that a statement gave are what it was for; in a lesson it was for the page
    let least = if has_rows && view.narration.is_none() { area.height / 2 } else { 0 };
    let most = if focused { area.height * 2 / 3 } else { spare.max(area.height / 3).max(least) };
    if area.width >= 100 {
        // at least this much, so that the figure does not jump with each step
        let steady = (area.height * 2 / 5).min(most);
        let mut below = take_end(&mut rest, (wanted + 1).clamp(steady, most));
        let half = if explained && inspected { timeline::share(&view.timeline, below.width) } else { below.width };
        if explained {
            let left = take_left(&mut below, half);
            timeline::explanation(canvas, &view.timeline, left, local);
        }
        if inspected {
            if explained {
                take_left(&mut below, 2);
            }
            inspector::draw(canvas, view, below, local);
        }
    } else if local.pane == Pane::Inspector && inspected {
        inspector::draw(canvas, view, take_end(&mut rest, most), local);
    } else {
        if inspected {
            let lines = inspector::brief_height(&view.inspector, area.width).min(area.height / 3);
            inspector::brief(canvas, view, take_end(&mut rest, lines));
        }
        if explained {
            let lines = told + 1;
            let least = match &view.scene {
                Scene::Figure(_) if is_small => {
                    least.min(timeline::rows_height(&view.timeline, area.width, canvas.theme) + 1)
                }
                _ => least.max(5),
            };
            let most = if local.pane == Pane::Explanation { most } else { spare.max(least) };
            timeline::explanation(canvas, &view.timeline, take_end(&mut rest, lines.min(most)), local);
        }
    }
    rest
}

/// Is there anything to read of the step beside the picture?
#[must_use]
pub fn tells(view: &View) -> bool {
    view.timeline.count > 0 && timeline::tells(&view.timeline)
}

/// Lines that the picture needs to be seen whole; what it does not need the panels may have.
#[must_use]
pub fn figure_height(view: &View, width: u16) -> u16 {
    // the heights reckon with two lines of legend
    let legend = page::legend_lines(&view.legend, width, 3).saturating_sub(2);
    let height = match &view.scene {
        Scene::Page(scene) => page::height(scene, width),
        Scene::Figure(scene) => figure::height(scene, width),
        Scene::List(scene) => u16::try_from(scene.rows.len()).unwrap_or(u16::MAX).saturating_add(5),
        Scene::Tree(scene) => tree::height(scene),
        Scene::Wal(scene) => wal::height(scene),
        Scene::Charts(scene) => charts::height(scene, width),
        Scene::RelationMap(scene) => relation_map::height(scene, width),
    };
    height.saturating_add(legend)
}

fn title(canvas: &mut Canvas, view: &View, area: Rect) {
    let (strong, dim) = (canvas.theme.ink(Ink::Strong), canvas.theme.ink(Ink::Dim));
    let x = canvas.pieces(area.x + 1, area.y, area.right(), &[("ffviz", strong), ("  ", dim)]);
    let note = match (&view.busy, &view.provenance) {
        (Some(busy), _) => busy.as_str(),
        (None, Provenance::Statistics) => "estimates from statistics",
        (None, _) => "",
    };
    let end = area.right().saturating_sub(text_width(note) + 2);
    let text = canvas.theme.ink(Ink::Text);
    if view.title != "ffviz" {
        canvas.text(x, area.y, end.saturating_sub(x), &view.title, text);
    }
    let accent = canvas.theme.ink(if view.busy.is_some() { Ink::Dim } else { Ink::Accent });
    canvas.text(end + 1, area.y, area.right() - end - 1, note, accent);
}

fn tabs(canvas: &mut Canvas, view: &View, area: Rect) {
    let mut x = area.x + 1;
    for (name, word, current) in &view.tabs {
        let style = canvas.theme.ink(if *current { Ink::Selection } else { Ink::Dim });
        // with its key, where that leaves room for the relations
        let words = if area.width < 80 { format!(" {word} ") } else { format!(" {} {word} ", name.digit()) };
        let end = canvas.text(x, area.y, area.right() - x, &words, style);
        canvas.hit(Rect { x, width: end - x, ..area }, Target::Tab(*name));
        x = end + 1;
    }
    relations(canvas, view, Rect { x: x + 1, width: area.right().saturating_sub(x + 2), ..area });
}

/// The relations, flush right; where not all fit, those around the current one.
fn relations(canvas: &mut Canvas, view: &View, area: Rect) {
    let tabs = &view.relations;
    let width = |tabs: &[RelationTab]| tabs.iter().map(|tab| text_width(&tab.name) + 2).sum::<u16>();
    let current = tabs.iter().position(|tab| tab.current).unwrap_or(0);
    let (mut first, mut end) = (0, tabs.len());
    while width(&tabs[first..end]) + 2 > area.width && end - first > 1 {
        if end - 1 > current { end -= 1 } else { first += 1 }
    }
    let dim = canvas.theme.ink(Ink::Dim);
    let mut x = area.right().saturating_sub(width(&tabs[first..end])).max(area.x);
    canvas.text(x.saturating_sub(2).max(area.x), area.y, u16::from(first > 0), "‹", dim);
    for tab in &tabs[first..end] {
        let style = if tab.current { canvas.theme.ink(Ink::Strong).underlined() } else { dim };
        let end = canvas.text(x, area.y, area.right().saturating_sub(x), &tab.name, style);
        canvas.hit(Rect { x, width: end - x, ..area }, Target::Relation(tab.relation, tab.fork));
        x = end + 2;
    }
    canvas.text(area.right() - 1, area.y, u16::from(end < tabs.len()), "›", dim);
}

/// The lines of a message that is too long to stand beside the keys; none where it is not.
fn message(view: &View, area: Rect) -> Vec<String> {
    if text_width(&view.status) <= area.width - 12 {
        return Vec::new();
    }
    let mut lines = wrap(&view.status, area.width - 2);
    lines.truncate(usize::from(area.height / 2));
    lines
}

fn messages(canvas: &mut Canvas, lines: &[String], area: Rect) {
    let text = canvas.theme.ink(Ink::Text);
    for (line, y) in lines.iter().zip(area.top()..area.bottom()) {
        canvas.text(area.x + 1, y, area.width - 2, line, text);
    }
}

/// The keys that are of use, and beside them what there is to say, where it fits there.
fn status(canvas: &mut Canvas, view: &View, area: Rect, beside: bool, local: &Local) {
    let said = if beside { view.status.as_str() } else { "" };
    let (strong, dim) = (canvas.theme.ink(Ink::Strong), canvas.theme.ink(Ink::Dim));
    let mut x = area.x + 1;
    if let Some(filter) = &view.filter {
        let end = canvas.pieces(x, area.y, area.right(), &[("/", strong), (filter, strong), ("▏", dim)]);
        x = end + 2;
    }
    let note = text_width(said);
    let end = area.right().saturating_sub(if note > 0 { note + 3 } else { 1 }).max(x);
    // what is never crowded out: what else there is to read, help, the way out
    let is_always = |command: &Command| matches!(command, Command::Help | Command::Quit);
    let hint = |command: &Command| (keymap::first_key(*command), keymap::brief(*command));
    let elsewhere = if local.pane == Pane::Figure { canvas.map.hidden } else { Some("next pane") };
    let elsewhere = elsewhere.filter(|_| !view.hints.is_empty() && view.filter.is_none());
    let quit = view.hints.iter().filter(|command| **command == Command::Quit).map(hint);
    let help = view.hints.iter().filter(|command| **command == Command::Help).map(hint);
    let last: Vec<_> = elsewhere.map(|what| ("Tab".to_owned(), what)).into_iter().chain(help).chain(quit).collect();
    let mut others = view.hints.iter().filter(|command| !is_always(command)).map(hint).peekable();
    let needed = |(keys, what): &(String, &str)| text_width(keys) + 1 + text_width(what) + 2;
    let wanted = |hints: &[(String, &str)]| hints.iter().map(needed).sum::<u16>();
    // what is most of use here goes before where else there is something to read, and that before the way out
    let most = others.peek().map_or(0, needed);
    let kept = [&last[..], &last[..last.len().saturating_sub(1)]];
    let narrow = if elsewhere.is_some() { &last[1..last.len().min(2)] } else { &last[..last.len().min(1)] };
    let last = kept.into_iter().find(|hints| x + most + wanted(hints) <= end + 2).unwrap_or(narrow);
    let (mut used, room) = (x, (end + 2).saturating_sub(wanted(last)));
    let fits = |hint: &(String, &str)| {
        used += needed(hint);
        used <= room
    };
    let first: Vec<_> = others.take_while(fits).collect();
    for (keys, what) in first.iter().chain(last) {
        x = canvas.pieces(x, area.y, end, &[(keys, strong), (" ", dim), (what, dim)]) + 2;
    }
    let text = canvas.theme.ink(Ink::Text);
    let room = area.right().saturating_sub(x + 1).min(note.max(area.right().saturating_sub(x + 1)));
    canvas.right(x, area.y, room, said, text);
}

fn take(rest: &mut Rect, height: u16) -> Rect {
    let height = height.min(rest.height);
    let top = Rect { height, ..*rest };
    *rest = Rect { y: rest.y + height, height: rest.height - height, ..*rest };
    top
}

fn take_end(rest: &mut Rect, height: u16) -> Rect {
    let height = height.min(rest.height);
    *rest = Rect { height: rest.height - height, ..*rest };
    Rect { y: rest.bottom(), height, ..*rest }
}

fn take_left(rest: &mut Rect, width: u16) -> Rect {
    let width = width.min(rest.width);
    let left = Rect { width, ..*rest };
    *rest = Rect { x: rest.x + width, width: rest.width - width, ..*rest };
    left
}
