//! What lies over the view: the keys, made from the engine's command table and the face's key table; the legend; other
//! texts.

use super::canvas::{Canvas, Pane, Target, scrolled, wrap};
use super::{Local, take};
use crate::keymap;
use crate::theme::Ink;
use ffviz_story::app::{COMMANDS, View};
use ffviz_story::scene::{Change, MarkKind, Role};
use ratatui::layout::Rect;
use ratatui::style::Style;

/// columns of the keys
const KEYS: u16 = 20;

/// Pieces of a line with their styles.
type HelpLine = Vec<(String, Style)>;

/// The keys in groups, then the signs of the picture.
pub fn draw(canvas: &mut Canvas, view: &View, area: Rect, local: &Local) {
    let area = middle(area, 100);
    let width = if area.width >= 84 { area.width / 2 } else { area.width }.saturating_sub(4);
    let (mut left, mut right) = (keys(canvas, width), signs(canvas, view));
    if area.width < 84 {
        left.push(Vec::new());
        left.append(&mut right);
    }
    let count = left.len().max(right.len());
    let mut rest = frame(canvas, area, "keys and signs", count);
    let from = scroll(canvas, count, rest, local);
    column(canvas, &left, from, rest);
    super::take_left(&mut rest, width + 4);
    column(canvas, &right, from, rest);
}

/// A text with a title.
pub fn text(canvas: &mut Canvas, title: &str, lines: &[String], area: Rect, local: &Local) {
    let area = middle(area, 100);
    let style = canvas.theme.ink(Ink::Text);
    let lines: Vec<HelpLine> = (lines.iter())
        .flat_map(|line| if line.is_empty() { vec![String::new()] } else { wrap(line, area.width - 6) })
        .map(|line| vec![(line, style)])
        .collect();
    let rest = frame(canvas, area, title, lines.len());
    let from = scroll(canvas, lines.len(), rest, local);
    column(canvas, &lines, from, rest);
}

/// How far the text is scrolled; says on the lower edge how much more there is.
fn scroll(canvas: &mut Canvas, count: usize, rest: Rect, local: &Local) -> u16 {
    let from = scrolled(local.scroll.overlay, count, rest.height, None);
    canvas.map.scroll.overlay = from;
    let hidden = count.saturating_sub(usize::from(from + rest.height));
    if hidden > 0 {
        let strong = canvas.theme.ink(Ink::Strong);
        canvas.right(rest.x, rest.bottom(), rest.width, &format!(" ↓ {hidden} · PgDn "), strong);
    }
    from
}

fn keys(canvas: &Canvas, width: u16) -> Vec<HelpLine> {
    let theme = canvas.theme;
    let (strong, text, dim) = (theme.ink(Ink::Strong), theme.ink(Ink::Text), theme.ink(Ink::Dim));
    let mut lines: Vec<HelpLine> = Vec::new();
    let mut group = "";
    for info in COMMANDS {
        if info.group != group {
            group = info.group;
            lines.push(vec![(group.to_owned(), dim)]);
        }
        entry(&mut lines, (&keymap::keys(info.command), strong), (info.what, text), width);
    }
    lines.push(vec![("Screen".to_owned(), dim)]);
    for (key, what) in keymap::LOCAL_HELP {
        entry(&mut lines, (key, strong), (what, text), width);
    }
    lines
}

/// A key and what it does, in as many lines as that needs.
fn entry(lines: &mut Vec<HelpLine>, key: (&str, Style), what: (&str, Style), width: u16) {
    for (n, line) in wrap(what.0, width.saturating_sub(KEYS)).into_iter().enumerate() {
        let key = (if n == 0 { format!("  {:<18}", key.0) } else { " ".repeat(usize::from(KEYS)) }, key.1);
        lines.push(vec![key, (line, what.1)]);
    }
}

fn signs(canvas: &Canvas, view: &View) -> Vec<HelpLine> {
    let theme = canvas.theme;
    let (accent, text, dim) = (theme.ink(Ink::Accent), theme.ink(Ink::Text), theme.ink(Ink::Dim));
    let mut lines = vec![vec![("This picture".to_owned(), dim)]];
    for role in view.legend.iter().filter(|role| **role != Role::Free) {
        lines.push(vec![(format!("  {} ", theme.glyph(*role)), theme.tone(*role)), (role.word().to_owned(), text)]);
    }
    lines.push(vec![("This step".to_owned(), dim)]);
    for (change, what) in [(Change::Added, "added"), (Change::Modified, "modified"), (Change::Moved, "moved")] {
        lines.push(vec![(format!("  {} ", theme.change(change)), accent), (what.to_owned(), text)]);
    }
    if view.timeline.count > 0 {
        lines.push(vec![("Bar of steps".to_owned(), dim)]);
        lines.push(vec![("  ◉   ".to_owned(), accent), ("the step that is shown".to_owned(), text)]);
        for (kind, what) in MarkKind::LEGEND {
            let sign = |here| if theme.ascii { kind.ascii(here) } else { kind.glyph(here) };
            let (elsewhere, here) = (sign(false), sign(true));
            let signs = if elsewhere == here { format!("  {here}   ") } else { format!("  {elsewhere} {here} ") };
            lines.push(vec![(signs, text), (what.to_owned(), text)]);
        }
        lines.push(vec![("      ".to_owned(), text), ("● •: it changed the page shown".to_owned(), dim)]);
    }
    if view.versus.is_some() {
        lines.push(vec![("Two runs".to_owned(), dim)]);
        lines.push(vec![("  ".to_owned(), text), ("why stands below each picture on a".to_owned(), text)]);
        lines.push(vec![("  ".to_owned(), text), ("screen of 36 lines, a narrow one of 70".to_owned(), text)]);
    }
    lines
}

fn column(canvas: &mut Canvas, lines: &[HelpLine], from: u16, area: Rect) {
    for (row, line) in lines.iter().skip(usize::from(from)).take(usize::from(area.height)).enumerate() {
        let pieces: Vec<(&str, Style)> = line.iter().map(|(text, style)| (text.as_str(), *style)).collect();
        canvas.pieces(area.x, area.y + row as u16, area.right(), &pieces);
    }
}

/// A cleared box with a border, in the middle of the screen; returns its inside.
pub(super) fn frame(canvas: &mut Canvas, area: Rect, title: &str, lines: usize) -> Rect {
    let height = u16::try_from(lines + 2).unwrap_or(u16::MAX).clamp(3, area.height);
    let area = Rect { y: area.y + (area.height - height) / 2, height, ..area };
    canvas.clear(area);
    canvas.hit(area, Target::Pane(Pane::Overlay));
    let rule = canvas.theme.ink(Ink::Rule);
    let (right, bottom) = (area.right() - 1, area.bottom() - 1);
    for y in area.top()..=bottom {
        canvas.put(area.x, y, '│', rule);
        canvas.put(right, y, '│', rule);
    }
    canvas.heading(area, title, "Esc", true);
    for x in area.left()..=right {
        canvas.put(x, bottom, '─', rule);
    }
    for (x, y, c) in [(area.x, area.y, '┌'), (right, area.y, '┐'), (area.x, bottom, '└'), (right, bottom, '┘')]
    {
        canvas.put(x, y, c, rule);
    }
    let mut rest = area;
    take(&mut rest, 1);
    Rect { x: area.x + 3, width: area.width - 6, height: rest.height.saturating_sub(1), ..rest }
}

/// A part of the screen of at most that width.
pub(super) fn middle(area: Rect, width: u16) -> Rect {
    let width = width.min(area.width.saturating_sub(4));
    Rect { x: area.x + (area.width - width) / 2, width, y: area.y + 1, height: area.height - 2 }
}
