//! Every page of a relation a cell: how high it is filled shows the measure, the colour shows what the page is.

use super::canvas::{Canvas, Target, kept, wrap};
use super::{Local, Pane, page, take, take_end};
use crate::theme::{Depth, Ink};
use ffviz_story::app::View;
use ffviz_story::scene::text::unread;
use ffviz_story::scene::{Change, MapCell, PartId, RelationMapScene, Role};
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};

/// Columns for the block numbers at the left.
const GUTTER: u16 = 7;

/// From empty to full.
const LEVELS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Draws the measures, the grid and words for the selected page.
pub fn draw(canvas: &mut Canvas, view: &View, scene: &RelationMapScene, area: Rect, local: &Local) {
    let mut rest = area;
    page::heading(canvas, &scene.title, &scene.facts, take(&mut rest, 1), local.pane == Pane::Figure);
    measures(canvas, scene, take(&mut rest, 1));
    let dim = canvas.theme.ink(Ink::Dim);
    // the map comes first: where there is little room, its words are cut
    let lines = wrap(&scene.measure, rest.width.saturating_sub(4));
    if rest.height > 6 {
        for line in lines.iter().take(2) {
            let place = take(&mut rest, 1);
            canvas.text(place.x + 2, place.y, place.width.saturating_sub(3), line, dim);
        }
    } else {
        let place = take(&mut rest, 1);
        canvas.text(place.x + 2, place.y, place.width.saturating_sub(3), &scene.measure, dim);
    }
    if rest.height > 8 {
        let lines = page::legend_lines(&view.legend, rest.width, if rest.height > 16 { 3 } else { 2 });
        page::legend(canvas, &view.legend, take_end(&mut rest, lines));
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
    // below the last line no gap is needed
    let lines = |h: u16| usize::from((area.height + u16::from(h > 1)) / h);
    let fits = |(w, h): (u16, u16)| count.div_ceil(across(area.width, w)) <= lines(h);
    [(12, 4), (9, 3), (7, 2), (4, 2), (3, 1), (2, 1)].into_iter().find(|size| fits(*size)).unwrap_or((1, 1))
}

/// Cells on a line: tens where that is possible, so that block numbers are round.
const fn across(width: u16, cell: u16) -> usize {
    let across = (width / cell) as usize;
    if across >= 10 {
        across / 10 * 10
    } else if across == 0 {
        1
    } else {
        across
    }
}

fn grid(canvas: &mut Canvas, view: &View, scene: &RelationMapScene, area: Rect, local: &Local) {
    if area.width <= GUTTER + 8 || area.height == 0 {
        return;
    }
    let room = Rect { x: area.x + GUTTER, width: area.width - GUTTER, ..area };
    let (width, height) = cell_size(scene.cells.len(), room);
    let across = across(room.width, width);
    let selected = scene.cells.iter().position(|cell| Some(cell.part) == view.selected);
    let lines = scene.cells.len().div_ceil(across);
    let changed = scene.cells.iter().position(|cell| cell.change != Change::Same);
    let keep = changed.into_iter().chain(selected).map(|n| n / across).filter(|_| !local.loose);
    let from = kept(local.scroll.figure, lines, room.height.div_ceil(height), keep);
    canvas.map.scroll.figure = from;
    let first = usize::from(from) * across;
    let count = usize::from(room.height.div_ceil(height)) * across;
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
            canvas.right(area.x, place.y, GUTTER - 1, &block.to_string(), dim);
        }
        draw_cell(canvas, cell, place, selected == Some(n));
        canvas.part(place, cell.part, cell.role, &cell.label);
    }
}

pub(super) fn draw_cell(canvas: &mut Canvas, cell: &MapCell, place: Rect, selected: bool) {
    let theme = *canvas.theme;
    let faint = theme.fill(Role::Padding);
    let ground = if selected { theme.ink(Ink::Selection) } else { faint };
    canvas.paint(place, ground);
    let tone = if selected { ground } else { faint.patch(theme.tone(cell.role)) };
    let (solid, on_bar) = theme.bar(cell.role);
    let narrow_change = place.width == 1 && cell.change != Change::Same && !selected;
    let solid = faint.patch(if narrow_change { theme.ink(Ink::Accent) } else { solid });
    let plain = theme.ascii || theme.depth == Depth::None;
    match cell.percent {
        Some(percent) if cell.role == Role::BlockUnknown && place.width == 1 && !selected => {
            canvas.put(place.x, place.y, unread(percent, theme.ascii), tone);
        }
        Some(percent) if plain => digits(canvas, percent, place, ground),
        Some(percent) if !selected => bar(canvas, percent, place, [solid, on_bar, faint]),
        Some(percent) => digits(canvas, percent, place, ground),
        None => canvas.put(place.x, place.y, theme.glyph(cell.role), tone),
    }
    // what an ordinary page is needs no sign; what another is must be seen without colour too
    if !matches!(cell.role, Role::Block | Role::Leaf) && place.width > 1 && !(plain && place.width < 4) {
        canvas.put(place.x, place.y, theme.glyph(cell.role), tone);
    }
    if cell.change != Change::Same && (place.width > 1 || plain) {
        let accent = if selected { ground } else { faint.patch(theme.ink(Ink::Accent)) };
        canvas.put(place.right() - 1, place.bottom() - 1, theme.change(cell.change), accent);
    }
}

/// Filled from below, in eighths of a line.
fn bar(canvas: &mut Canvas, percent: u8, place: Rect, [style, on_bar, beside]: [Style; 3]) {
    let eighths = (usize::from(percent.min(100)) * 8 * usize::from(place.height)).div_ceil(100);
    for (line, y) in (place.top()..place.bottom()).rev().enumerate() {
        // lines that touch keep a hair of ground between them
        let level = eighths.saturating_sub(line * 8).min(if place.height == 1 { 7 } else { 8 });
        for x in place.left()..place.right() {
            canvas.put(x, y, LEVELS[level], style);
        }
    }
    if place.width >= 6 && place.height >= 2 {
        let text = format!("{percent}%");
        let x = place.right() - text.len() as u16;
        // text stands on the bar where the bar is that high
        let style = if eighths + 4 >= 8 * usize::from(place.height) { on_bar } else { beside };
        canvas.text(x, place.y, text.len() as u16, &text, style);
    }
}

/// The percentage, or its tenths where there is no room.
fn digits(canvas: &mut Canvas, percent: u8, place: Rect, style: Style) {
    if place.width >= 3 {
        canvas.right(
            place.x,
            place.bottom() - 1,
            place.width - u16::from(place.width > 3),
            &percent.to_string(),
            style,
        );
    } else {
        canvas.put(place.x, place.bottom() - 1, tenths(percent), style);
    }
}

/// Lines that the whole map takes at a size at which cells can be told apart.
pub fn height(scene: &RelationMapScene, width: u16) -> u16 {
    let across = usize::from(width.saturating_sub(GUTTER + 2) / 4).max(1);
    u16::try_from(scene.cells.len().div_ceil(across) * 2).unwrap_or(u16::MAX).saturating_add(9)
}

fn tenths(percent: u8) -> char {
    char::from_digit(u32::from(percent.min(99)) / 10, 10).unwrap_or('?')
}
