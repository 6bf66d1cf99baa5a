//! Every page of a relation a cell: how high it is filled shows the measure, the colour shows what the page is.

use super::canvas::{Canvas, Target, scrolled, wrap};
use super::{Local, Pane, page, take, take_end};
use crate::theme::{Depth, Ink};
use ffviz_engine::app::View;
use ffviz_engine::scene::{Change, MapCell, PartId, RelationMapScene, Role};
use ratatui::layout::Rect;
use ratatui::style::Modifier;

/// From empty to full.
const LEVELS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Draws the measures, the grid and words for the selected page.
pub fn draw(canvas: &mut Canvas, view: &View, scene: &RelationMapScene, area: Rect, local: &Local) {
    let mut rest = area;
    page::heading(canvas, &scene.title, &scene.facts, take(&mut rest, 1), local.pane == Pane::Figure);
    measures(canvas, scene, take(&mut rest, 1));
    let dim = canvas.theme.ink(Ink::Dim);
    for line in wrap(&scene.measure, rest.width.saturating_sub(4)).iter().take(2) {
        let place = take(&mut rest, 1);
        canvas.text(place.x + 2, place.y, place.width.saturating_sub(3), line, dim);
    }
    if rest.height > 8 {
        page::legend(canvas, &view.legend, take_end(&mut rest, 2));
    }
    words(canvas, view, scene, take_end(&mut rest, 1));
    let gap = u16::from(rest.height > 6);
    take(&mut rest, gap);
    grid(canvas, view, scene, Rect { x: rest.x + 1, width: rest.width.saturating_sub(2), ..rest }, local);
}

fn measures(canvas: &mut Canvas, scene: &RelationMapScene, line: Rect) {
    let mut x = line.x + 2;
    for (measure, word, current) in &scene.measures {
        let style = canvas.theme.ink(if *current { Ink::Strong } else { Ink::Dim });
        let style = if *current { style.add_modifier(Modifier::UNDERLINED) } else { style };
        let end = canvas.text(x, line.y, line.right().saturating_sub(x), word, style);
        canvas.hit(Rect { x, width: end - x, ..line }, Target::Measure(*measure));
        x = end + 3;
    }
}

fn words(canvas: &mut Canvas, view: &View, scene: &RelationMapScene, line: Rect) {
    let selected = scene.cells.iter().find(|cell| Some(cell.part) == view.selected);
    if let Some(cell) = selected {
        let text = canvas.theme.ink(Ink::Text);
        canvas.text(line.x + 2, line.y, line.width.saturating_sub(3), &cell.label, text);
    }
}

/// Size of a cell: few pages are drawn large, with number and percent in them.
fn cell_size(count: usize, area: Rect) -> (u16, u16) {
    let fits = |(w, h): (u16, u16)| usize::from(area.width / w) * usize::from(area.height / h) >= count;
    [(12, 4), (9, 3), (7, 2), (4, 2), (3, 1), (2, 1)].into_iter().find(|size| fits(*size)).unwrap_or((1, 1))
}

fn grid(canvas: &mut Canvas, view: &View, scene: &RelationMapScene, area: Rect, local: &Local) {
    let gutter = 7;
    if area.width <= gutter + 8 || area.height == 0 {
        return;
    }
    let room = Rect { x: area.x + gutter, width: area.width - gutter, ..area };
    let (width, height) = cell_size(scene.cells.len(), room);
    let across = usize::from(room.width / width);
    let across = if across >= 10 { across / 10 * 10 } else { across };
    let selected = scene.cells.iter().position(|cell| Some(cell.part) == view.selected);
    let lines = scene.cells.len().div_ceil(across);
    let keep = if local.loose { None } else { selected.map(|n| n / across) };
    let from = scrolled(local.scroll.figure, lines, room.height / height, keep);
    canvas.map.scroll.figure = from;
    let first = usize::from(from) * across;
    let count = usize::from(room.height / height) * across;
    let dim = canvas.theme.ink(Ink::Dim);
    for (n, cell) in scene.cells.iter().enumerate().skip(first).take(count) {
        let (line, column) = ((n - first) / across, n % across);
        let place = Rect {
            x: room.x + column as u16 * width,
            y: room.y + line as u16 * height,
            width: width.saturating_sub(u16::from(width > 1)),
            height: height.saturating_sub(u16::from(height > 1)),
        };
        if column == 0
            && let PartId::Block(block) = cell.part
        {
            canvas.right(area.x, place.y, gutter - 1, &block.to_string(), dim);
        }
        draw_cell(canvas, cell, place, selected == Some(n));
        canvas.part(place, cell.part, cell.role, &cell.label);
    }
}

fn draw_cell(canvas: &mut Canvas, cell: &MapCell, place: Rect, selected: bool) {
    let theme = *canvas.theme;
    let faint = theme.fill(Role::Padding);
    let empty = if selected { theme.ink(Ink::Selection) } else { faint };
    let bar = if selected { theme.ink(Ink::Selection) } else { faint.patch(theme.tone(cell.role)) };
    canvas.paint(place, empty);
    // eighths of the cell's whole height
    let eighths = cell.percent.map_or(0, |p| (usize::from(p.min(100)) * 8 * usize::from(place.height)).div_ceil(100));
    for (line, y) in (place.top()..place.bottom()).rev().enumerate() {
        let level = eighths.saturating_sub(line * 8).min(8);
        for x in place.left()..place.right() {
            canvas.put(x, y, LEVELS[level], bar);
        }
    }
    let sign = if theme.ascii || theme.depth == Depth::None { digit(cell.percent) } else { theme.glyph(cell.role) };
    let unknown = cell.percent.is_none();
    if theme.ascii || theme.depth == Depth::None || unknown || place.width > 2 {
        let on = if eighths >= 8 * usize::from(place.height) && !selected { theme.fill(cell.role) } else { empty };
        let sign = if unknown { theme.glyph(cell.role) } else { sign };
        canvas.put(place.x, place.y, sign, if selected { empty } else { on });
    }
    if place.width >= 5 {
        let text = cell.percent.map_or(String::new(), |p| format!("{p}%"));
        canvas.right(place.x, place.y, place.width, &text, if selected { empty } else { theme.fill(cell.role) });
    }
    if cell.change != Change::Same {
        let x = place.right() - 1;
        canvas.put(x, place.bottom() - 1, theme.change(cell.change), theme.ink(Ink::Accent));
    }
}

/// Tenths as a digit, where height cannot be shown.
fn digit(percent: Option<u8>) -> char {
    percent.and_then(|p| char::from_digit(u32::from(p.min(99)) / 10, 10)).unwrap_or('?')
}
