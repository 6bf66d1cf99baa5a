//! The bar of steps, the label of the current one, and what happened and why.
//!
//! ```text
//! ●··│··◉··│─○··●   9/17   UPDATE t SET note = 'b' WHERE id = 1
//! HOT update: …
//! ```

use super::canvas::{Canvas, Pane, Target, more, scrolled, text_width, wrap};
use super::{Local, result, take};
use crate::theme::{Ink, Theme};
use ffviz_story::scene::{EventLine, MarkKind, Role, StepMark, TimelineScene};
use ratatui::layout::Rect;
use ratatui::style::Style;

/// Draws bar, label and headline in two lines, or three with room around them.
pub fn draw(canvas: &mut Canvas, scene: &TimelineScene, area: Rect) {
    let mut rest = area;
    let lines = if area.height < 3 { 1 } else { 2 };
    bar_and_label(canvas, scene, take(&mut rest, lines));
    let dim = canvas.theme.ink(Ink::Dim);
    let line = inner(take(&mut rest, 1));
    let accent = canvas.theme.ink(Ink::Accent);
    if text_width(&scene.headline) > line.width && rest.height > 0 {
        // what the step did goes before where that is known from
        let below = inner(take(&mut rest, 1));
        for (words, line) in wrap(&scene.headline, line.width).iter().zip([line, below]) {
            canvas.text(line.x, line.y, line.width, words, accent);
        }
        return;
    }
    let end = canvas.text(line.x, line.y, line.width, &scene.headline, accent);
    let room = line.right().saturating_sub(end + 3);
    if text_width(&scene.how) <= room {
        canvas.right(end + 3, line.y, room, &scene.how, dim);
    } else if rest.height > 1 {
        let line = inner(take(&mut rest, 1));
        canvas.text(line.x, line.y, line.width, &scene.how, dim);
    }
}

fn inner(line: Rect) -> Rect {
    Rect { x: line.x + 1, width: line.width.saturating_sub(2), ..line }
}

/// Draws bar and label in a line, or in one each.
pub fn bar_and_label(canvas: &mut Canvas, scene: &TimelineScene, area: Rect) {
    let mut rest = area;
    let (strong, dim) = (canvas.theme.ink(Ink::Strong), canvas.theme.ink(Ink::Dim));
    let place = if scene.statement.is_empty() { String::new() } else { format!(" · {}", scene.statement) };
    let count = format!("{}/{}", scene.current, scene.count.saturating_sub(1));
    let line = inner(take(&mut rest, 1));
    if area.height < 2 {
        let room = (line.width * 2 / 5).min(bar_width(scene));
        let x = bar(canvas, scene, Rect { width: room, ..line });
        let session = if scene.session.is_empty() { String::new() } else { format!("{}: ", scene.session) };
        let x = canvas.pieces(x, line.y, line.right(), &[("  ", dim), (&count, dim), ("  ", dim), (&session, dim)]);
        canvas.text(x, line.y, line.right().saturating_sub(x), &scene.label, strong);
    } else {
        let x = bar(
            canvas,
            scene,
            Rect { width: (line.width - 10 - text_width(&place)).min(bar_width(scene).saturating_mul(2)), ..line },
        );
        canvas.text(x + 2, line.y, line.right().saturating_sub(x + 2), &(count + &place), dim);
        let line = inner(take(&mut rest, 1));
        canvas.text(line.x, line.y, line.width, &scene.label, strong);
    }
}

fn bar_width(scene: &TimelineScene) -> u16 {
    u16::try_from(scene.count.saturating_mul(3)).unwrap_or(u16::MAX).saturating_sub(2)
}

/// A sign a state where they fit; of more states, those around the current one. Returns the column after it.
fn bar(canvas: &mut Canvas, scene: &TimelineScene, area: Rect) -> u16 {
    if usize::from(area.width) < scene.count {
        return window(canvas, scene, area);
    }
    // all steps equally long, so that the signs stand evenly
    let last = scene.count.saturating_sub(1).max(1);
    let pitch = (usize::from(area.width.saturating_sub(1)) / last).max(1);
    let area = Rect { width: (pitch * (scene.count - 1)) as u16 + 1, ..area };
    let column = |state: usize| area.x + (state * pitch) as u16;
    let (past, future) = (canvas.theme.ink(Ink::Text), canvas.theme.ink(Ink::Rule));
    let now = column(scene.current);
    for x in area.left()..area.right() {
        // between many small signs a line would only be noise
        let (c, style) = if pitch < 3 {
            (' ', future)
        } else if x < now {
            ('━', past)
        } else {
            ('─', future)
        };
        canvas.put(x, area.y, c, style);
    }
    for mark in &scene.marks {
        draw_mark(canvas, scene, mark, column(mark.state), area.y);
    }
    for x in area.left()..area.right() {
        let state = (usize::from(x - area.left()) + pitch / 2) / pitch;
        canvas.hit(Rect { x, y: area.y, width: 1, height: 1 }, Target::Step(state.min(last)));
    }
    area.right()
}

/// A cell a state, the current one in the middle; arrows say that there are more.
fn window(canvas: &mut Canvas, scene: &TimelineScene, area: Rect) -> u16 {
    let room = usize::from(area.width.saturating_sub(2)).max(1);
    let first = scene.current.saturating_sub(room / 2).min(scene.count.saturating_sub(room));
    let dim = canvas.theme.ink(Ink::Dim);
    canvas.put(area.x, area.y, if first > 0 { '‹' } else { ' ' }, dim);
    for mark in scene.marks.iter().filter(|mark| (first..first + room).contains(&mark.state)) {
        let x = area.x + 1 + (mark.state - first) as u16;
        draw_mark(canvas, scene, mark, x, area.y);
        canvas.hit(Rect { x, y: area.y, width: 1, height: 1 }, Target::Step(mark.state));
    }
    canvas.put(area.right() - 1, area.y, if first + room < scene.count { '›' } else { ' ' }, dim);
    area.right()
}

fn draw_mark(canvas: &mut Canvas, scene: &TimelineScene, mark: &StepMark, x: u16, y: u16) {
    let theme = *canvas.theme;
    if mark.state == scene.current {
        return canvas.put(x, y, '◉', theme.ink(Ink::Accent));
    }
    let sign = if theme.ascii { mark.kind.ascii(mark.here) } else { mark.kind.glyph(mark.here) };
    let style = match mark.kind {
        MarkKind::Differs => theme.tone(Role::TupleDeleted),
        MarkKind::Checkpoint | MarkKind::Redo => theme.tone(Role::WalCheckpoint),
        _ => theme.ink(if mark.state < scene.current { Ink::Text } else { Ink::Dim }),
    };
    canvas.put(x, y, sign, style);
}

/// Is there anything to read beside the picture?
pub const fn tells(scene: &TimelineScene) -> bool {
    !(scene.events.is_empty() && scene.results.is_empty() && scene.excerpt.is_empty())
}

/// In a word, what there is.
pub const fn word(scene: &TimelineScene) -> &'static str {
    if scene.results.is_empty() { "why" } else { "rows" }
}

/// Of a wide screen, the columns of the explanation: rows of a statement take more than sentences.
pub const fn share(scene: &TimelineScene, screen: u16) -> u16 {
    if scene.results.is_empty() { screen * 2 / 5 } else { screen / 2 }
}

/// Lines that the explanation takes at this width of the screen.
///
/// `spare`: lines that nothing else needs; where to read on is shown where they are enough for it.
pub fn height(scene: &TimelineScene, screen: u16, theme: &Theme, spare: u16) -> u16 {
    let width = if screen >= 100 { share(scene, screen) } else { screen };
    let whole = lines(scene, width, theme).len();
    let is_room = whole < usize::from(spare);
    u16::try_from(if is_room { whole } else { told(scene, width, theme).len() }).unwrap_or(u16::MAX)
}

/// A line of the explanation; of an event, which.
struct ExplanationLine {
    event: Option<usize>,
    text: String,
    style: Style,
}

/// What is told, then where to read on.
fn lines(scene: &TimelineScene, width: u16, theme: &Theme) -> Vec<ExplanationLine> {
    let mut lines = told(scene, width, theme);
    lines.extend(references(scene, width, theme.ink(Ink::Dim)));
    lines
}

/// Where the statement is wrong, and its rows.
fn rows(scene: &TimelineScene, width: u16, theme: &Theme) -> Vec<ExplanationLine> {
    let strong = theme.ink(Ink::Strong);
    let wrong = scene.excerpt.iter().map(|line| (line.clone(), strong));
    let rows = scene.results.iter().flat_map(|rows| result::lines(rows, width.saturating_sub(3), theme));
    wrong.chain(rows).map(|(text, style)| ExplanationLine { event: None, text, style }).collect()
}

/// Lines that those take.
pub fn rows_height(scene: &TimelineScene, width: u16, theme: &Theme) -> u16 {
    u16::try_from(rows(scene, width, theme).len()).unwrap_or(u16::MAX)
}

/// The statement's rows, then the events.
fn told(scene: &TimelineScene, width: u16, theme: &Theme) -> Vec<ExplanationLine> {
    let (text, dim) = (theme.ink(Ink::Text), theme.ink(Ink::Dim));
    let events = scene.events.iter().enumerate().flat_map(|(n, event)| {
        let lines = event_lines(event, &scene.headline, width).into_iter();
        lines.map(move |(what, line)| ExplanationLine {
            event: Some(n),
            text: line,
            style: if what { text } else { dim },
        })
    });
    let mut lines = rows(scene, width, theme);
    lines.extend(events);
    lines
}

/// Where to read on, below what is told.
fn references(scene: &TimelineScene, width: u16, style: Style) -> impl Iterator<Item = ExplanationLine> {
    let words = scene.reference.map(|reference| [reference.source(), reference.url()]);
    let lines = words.into_iter().flatten().flat_map(move |words| wrap(&words, width.saturating_sub(5)));
    lines.zip(0..).map(move |(line, n)| ExplanationLine {
        event: None,
        text: if n == 0 { format!("→ {line}") } else { format!("  {line}") },
        style,
    })
}

/// What the statement gave, what happened and why, an event a paragraph.
pub fn explanation(canvas: &mut Canvas, scene: &TimelineScene, area: Rect, local: &Local) {
    let mut rest = area;
    let focused = local.pane == Pane::Explanation;
    canvas.hit(area, Target::Pane(Pane::Explanation));
    let lines = lines(scene, area.width, canvas.theme);
    let heading = take(&mut rest, 1);
    let from = scrolled(local.scroll.explanation, lines.len(), rest.height, None);
    canvas.map.scroll.explanation = from;
    let hidden = lines.len().saturating_sub(usize::from(from + rest.height));
    if hidden > 0 && !focused {
        canvas.map.hidden = Some(word(scene));
    }
    let title = if scene.results.is_empty() { "what happened and why" } else { "rows, what happened and why" };
    canvas.heading(heading, title, &more(hidden, focused), focused);
    for (line, y) in lines.iter().skip(usize::from(from)).zip(rest.top()..rest.bottom()) {
        canvas.text(rest.x + 1, y, rest.width - 1, &line.text, line.style);
        if let Some(event) = line.event {
            canvas.hit(Rect { y, height: 1, ..rest }, Target::Event(event));
        }
    }
}

/// The sentences of one event as lines; `true` marks what, `false` why.
fn event_lines(event: &EventLine, headline: &str, width: u16) -> Vec<(bool, String)> {
    let room = width.saturating_sub(5);
    let mut lines = Vec::new();
    // beside other panes this one is narrow, on screens of 100 columns or more only
    let screen = if width < 60 { 100 } else { width };
    let is_said = event.what == headline && text_width(headline) + 2 <= screen;
    if is_said && !event.why.is_empty() {
        // the headline stands above the picture already, whole
        for (n, line) in wrap(&event.why, room).into_iter().enumerate() {
            lines.push((true, if n == 0 { format!("• {line}") } else { format!("  {line}") }));
        }
        return lines;
    }
    for (n, line) in wrap(&event.what, room).into_iter().enumerate() {
        lines.push((true, if n == 0 { format!("• {line}") } else { format!("  {line}") }));
    }
    // a short reason stands behind its event
    if let [(_, what)] = &mut lines[..]
        && !event.why.is_empty()
        && text_width(what) + text_width(&event.why) + 4 < room
    {
        what.push_str(" — ");
        what.push_str(&event.why);
        return lines;
    }
    lines.extend(wrap(&event.why, room).into_iter().map(|line| (false, format!("    {line}"))));
    lines
}
