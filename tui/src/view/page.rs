//! One page: line pointers beside what they lead to, and the map of all bytes. Side by side where there is room, then
//! an arrow runs from the selected line pointer to its bytes; else the map stands above the rows.

use super::canvas::{Canvas, text_width, wrap};
use super::rows::{self, Table};
use super::{Local, Pane, byte_map, take, take_end, take_left};
use crate::theme::{Depth, Ink};
use ffviz_story::app::View;
use ffviz_story::scene::{Fact, PageScene, Role};
use ratatui::layout::Rect;

/// Columns between rows and map, where the arrow runs.
const BETWEEN: u16 = 5;

/// Draws the page.
pub fn draw(canvas: &mut Canvas, view: &View, scene: &PageScene, area: Rect, local: &Local) {
    let mut rest = area;
    heading(canvas, &scene.title, &scene.facts, take(&mut rest, 1), local.pane == Pane::Figure);
    anomalies(canvas, scene, &mut rest);
    if rest.height > 8 {
        let most = if rest.height > 24 { 3 } else { 1 + u16::from(rest.height > 16) };
        let lines = legend_lines(&view.legend, rest.width, most);
        legend(canvas, &view.legend, take_end(&mut rest, lines));
    }
    let table = Table { columns: &scene.columns, rows: &scene.rows, links: &scene.links, selected: view.selected };
    let rows_width = rows::width(&table) + 4;
    if area.width >= 150 {
        side_by_side(canvas, scene, &table, rest, rows_width, local);
    } else {
        stacked(canvas, scene, &table, rest, local);
    }
}

/// What is wrong with the page, in as many lines as that takes and the page can spare.
fn anomalies(canvas: &mut Canvas, scene: &PageScene, rest: &mut Rect) {
    let style = canvas.theme.tone(Role::LpDead);
    let sign = |n: usize| if n == 0 { "! " } else { "  " };
    let lines =
        scene.anomalies.iter().flat_map(|anomaly| wrap(anomaly, rest.width.saturating_sub(4)).into_iter().enumerate());
    for (n, text) in lines.take(usize::from(rest.height / 4)).collect::<Vec<_>>() {
        let line = take(rest, 1);
        canvas.pieces(line.x + 1, line.y, line.right(), &[(sign(n), style), (&text, style)]);
    }
}

/// Lines that show all rows and the map at its finest scale.
pub fn height(scene: &PageScene, width: u16) -> u16 {
    let rows = u16::try_from(scene.rows.len()).unwrap_or(u16::MAX).saturating_add(1);
    let map = byte_map::finest(scene, width.saturating_sub(2).min(byte_map::GUTTER + 64));
    rows.saturating_add(map).saturating_add(5)
}

/// The heading with as many facts as fit.
pub fn heading(canvas: &mut Canvas, title: &str, facts: &[Fact], line: Rect, focused: bool) {
    let room = line.width.saturating_sub(text_width(title) + 10);
    let mut text = String::new();
    for fact in facts {
        let piece = format!("{}{} {}", if text.is_empty() { "" } else { " · " }, fact.label, fact.value);
        if text_width(&text) + text_width(&piece) > room {
            break;
        }
        text.push_str(&piece);
    }
    canvas.heading(line, title, &text, focused);
}

/// Is it explained by a legend? What is free and what only fills is not.
const fn is_explained(role: Role) -> bool {
    !matches!(role, Role::Free | Role::Padding | Role::Heading)
}

/// Columns that a role takes in a legend.
fn needed(role: Role) -> u16 {
    text_width(role.word()) + 6
}

/// Lines that a legend of all these roles takes, of at most so many.
pub fn legend_lines(roles: &[Role], width: u16, most: u16) -> u16 {
    let (mut x, mut lines) = (1, 1);
    for role in roles.iter().filter(|role| is_explained(**role)) {
        if x + needed(*role) > width {
            (x, lines) = (1, lines + 1);
        }
        x += needed(*role);
    }
    lines.min(most)
}

/// The signs that occur and their words; where there is no room for all, whole ones are left out, and `…` says so.
pub fn legend(canvas: &mut Canvas, roles: &[Role], area: Rect) {
    let dim = canvas.theme.ink(Ink::Dim);
    let total: u16 = roles.iter().filter(|role| is_explained(**role)).map(|role| needed(*role)).sum();
    // where there is little room, what everybody knows gives way
    let tight = total > area.width * area.height;
    let known = |role: Role| tight && matches!(role, Role::PageHeader | Role::LpNormal | Role::Special);
    let told: Vec<Role> = roles.iter().copied().filter(|role| is_explained(*role) && !known(*role)).collect();
    let used = legend_lines(&told, area.width, area.height.max(1));
    let (mut x, mut y) = (area.x + 1, area.bottom().saturating_sub(used).max(area.y));
    for role in told {
        let last = y + 1 >= area.bottom();
        if x + needed(role) > area.right() && !last {
            (x, y) = (area.x + 1, y + 1);
        } else if x + needed(role) > area.right() {
            canvas.text(x.min(area.right().saturating_sub(1)), y, 1, "…", dim);
            break;
        }
        let style = if canvas.theme.depth == Depth::None { dim } else { canvas.theme.fill(role) };
        let sign = format!(" {} ", canvas.theme.glyph(role));
        x = canvas.pieces(x, y, area.right(), &[(&sign, style), (" ", dim), (role.word(), dim)]) + 2;
    }
}

fn stacked(canvas: &mut Canvas, scene: &PageScene, table: &Table, area: Rect, local: &Local) {
    let mut rest = area;
    let rows = scene.rows.len() as u16 + 1;
    let least = if area.height >= 11 { 4 } else { 3 };
    let most = area.height.saturating_sub(rows + 1).clamp(least, (area.height / 2).max(least));
    let place = Rect { x: area.x + 1, width: area.width - 2, height: most, ..area };
    let map = take(&mut rest, byte_map::height(scene, place));
    byte_map::draw(canvas, scene, table.selected, Rect { height: map.height, ..place });
    let gap = u16::from(rest.height > rows.min(6));
    take(&mut rest, gap);
    rows::draw(canvas, table, Rect { x: rest.x + 1, width: rest.width - 1, ..rest }, local);
}

fn side_by_side(canvas: &mut Canvas, scene: &PageScene, table: &Table, area: Rect, rows_width: u16, local: &Local) {
    let mut rest = Rect { x: area.x + 1, width: area.width - 2, ..area };
    let rows_area = take_left(&mut rest, rows_width.min(area.width - BETWEEN - byte_map::GUTTER - 64 - 2));
    let from = rows::draw(canvas, table, rows_area, local);
    let between = take_left(&mut rest, BETWEEN);
    let rest = Rect { y: rest.y + 1, height: rest.height.saturating_sub(1), ..rest };
    let to = byte_map::draw(canvas, scene, table.selected, rest);
    if let (Some((x, from_y)), Some((_, to_y))) = (from, to) {
        connector(canvas, x + 1, from_y, between, to_y);
    }
}

/// From the end of a row through the gap to the line of its bytes.
fn connector(canvas: &mut Canvas, x: u16, from_y: u16, between: Rect, to_y: u16) {
    let style = canvas.theme.ink(Ink::Arrow);
    let turn = between.x + 1;
    for x in x..turn {
        if canvas.buffer.cell((x, from_y)).is_some_and(|cell| cell.symbol() == " ") {
            canvas.put(x, from_y, '─', style);
        }
    }
    for y in from_y.min(to_y)..=from_y.max(to_y) {
        canvas.put(turn, y, '│', style);
    }
    let (start, end) = match from_y.cmp(&to_y) {
        std::cmp::Ordering::Less => ('╮', '╰'),
        std::cmp::Ordering::Equal => ('─', '─'),
        std::cmp::Ordering::Greater => ('╯', '╭'),
    };
    canvas.put(turn, from_y, start, style);
    canvas.put(turn, to_y, end, style);
    for x in turn + 1..between.right() - 1 {
        canvas.put(x, to_y, '─', style);
    }
    canvas.put(between.right() - 1, to_y, '▶', style);
}
