//! All pages of an index, level by level: a box a page, arrows to the right neighbour, lines down to the pages below.

use super::canvas::{Canvas, text_width};
use super::{Local, Pane, page, take, take_end};
use crate::theme::{Ink, Theme};
use ffviz_engine::app::View;
use ffviz_engine::scene::{Change, Link, LinkKind, PartId, TreeLevel, TreeNode, TreeScene};
use ratatui::layout::Rect;
use ratatui::style::Style;

/// Where a node was drawn.
struct Placed {
    part: PartId,
    area: Rect,
}

/// Draws levels from the metapage down.
pub fn draw(canvas: &mut Canvas, view: &View, scene: &TreeScene, area: Rect, local: &Local) {
    let mut rest = area;
    page::heading(canvas, &scene.title, &scene.facts, take(&mut rest, 1), local.pane == Pane::Figure);
    if rest.height > 10 {
        let lines = if rest.height > 20 { 2 } else { 1 };
        page::legend(canvas, &view.legend, take_end(&mut rest, lines));
    }
    let rest = Rect { x: rest.x + 1, width: rest.width.saturating_sub(2), ..rest };
    let heights = level_heights(scene, rest.height);
    let mut y = rest.y;
    let mut placed: Vec<Placed> = Vec::new();
    for (level, height) in scene.levels.iter().zip(heights) {
        if y >= rest.bottom() {
            break;
        }
        let place = Rect { y, height: height.min(rest.bottom() - y), ..rest };
        draw_level(canvas, view, level, place, &mut placed);
        y += height + 1;
    }
    for link in &scene.links {
        draw_link(canvas, link, view.selected, &placed);
    }
}

/// Lines a level: a heading and the box, with as many lines of words as there is room for.
fn level_heights(scene: &TreeScene, height: u16) -> Vec<u16> {
    let wanted: Vec<u16> = (scene.levels.iter())
        .map(|level| level.nodes.iter().map(|n| n.lines.len()).max().unwrap_or(0) as u16 + 3)
        .collect();
    let count = wanted.len().max(1) as u16;
    let each = (height / count).saturating_sub(1).max(3);
    let total: u16 = wanted.iter().map(|w| w + 1).sum();
    wanted.into_iter().map(|w| if total <= height { w } else { w.min(each) }).collect()
}

fn draw_level(canvas: &mut Canvas, view: &View, level: &TreeLevel, area: Rect, placed: &mut Vec<Placed>) {
    let dim = canvas.theme.ink(Ink::Dim);
    canvas.text(area.x, area.y, area.width, &level.title, dim);
    let count = level.nodes.len().max(1);
    let natural = |node: &TreeNode| node.lines.iter().map(|l| text_width(l)).max().unwrap_or(0).clamp(4, 28) + 4;
    let widest = level.nodes.iter().map(natural).max().unwrap_or(8);
    let share = (usize::from(area.width) / count).saturating_sub(2);
    let width = usize::from(widest).min(share.max(9)) as u16;
    let across = usize::from(area.width / (width + 2)).max(1);
    let selected = level.nodes.iter().position(|n| Some(n.part) == view.selected).unwrap_or(0);
    let first = selected.saturating_sub(across / 2).min(count.saturating_sub(across));
    let shown = count.min(across) as u16;
    let mut x = area.x + (area.width.saturating_sub(shown * (width + 2))) / 2;
    if first > 0 {
        canvas.text(area.x, area.y + 1, 8, &format!("‹ {first}"), dim);
    }
    if first + across < count {
        canvas.right(area.x, area.y, area.width, &format!("{} ›", count - first - across), dim);
    }
    for node in level.nodes.iter().skip(first).take(across) {
        let place = Rect { x, y: area.y + 1, width, height: area.height.saturating_sub(1) };
        draw_node(canvas, node, place, Some(node.part) == view.selected);
        canvas.part(place, node.part, node.role, &node.lines.join(", "));
        placed.push(Placed { part: node.part, area: place });
        x += width + 2;
    }
}

fn draw_node(canvas: &mut Canvas, node: &TreeNode, place: Rect, selected: bool) {
    let theme = *canvas.theme;
    let border = border_style(&theme, node, selected);
    let (right, bottom) = (place.right() - 1, place.bottom() - 1);
    for x in place.x..=right {
        canvas.put(x, place.y, '─', border);
        canvas.put(x, bottom, '─', border);
    }
    for y in place.y..=bottom {
        canvas.put(place.x, y, '│', border);
        canvas.put(right, y, '│', border);
    }
    for (x, y, c) in [(place.x, place.y, '┌'), (right, place.y, '┐'), (place.x, bottom, '└'), (right, bottom, '┘')]
    {
        canvas.put(x, y, c, border);
    }
    let sign = format!("{} ", theme.glyph(node.role));
    let title = node.lines.first().map_or("", String::as_str);
    let head = if selected { theme.ink(Ink::Selection) } else { theme.ink(Ink::Strong) };
    let room = place.right().saturating_sub(2);
    canvas.pieces(place.x + 1, place.y, room, &[(&sign, theme.tone(node.role)), (title, head)]);
    if node.change != Change::Same {
        canvas.put(right, place.y, theme.change(node.change), theme.ink(Ink::Accent));
    }
    for (n, line) in node.lines.iter().skip(1).enumerate() {
        let y = place.y + 1 + n as u16;
        if y < bottom {
            canvas.text(place.x + 2, y, place.width.saturating_sub(3), line, theme.ink(Ink::Text));
        }
    }
    fill_bar(canvas, node, place);
}

/// How full the page is, on the box's lower edge.
fn fill_bar(canvas: &mut Canvas, node: &TreeNode, place: Rect) {
    let Some(percent) = node.percent else { return };
    let room = place.width.saturating_sub(2);
    let full = u16::try_from(u32::from(room) * u32::from(percent.min(100)) / 100).unwrap_or(room);
    let style = canvas.theme.tone(node.role);
    for x in place.x + 1..place.x + 1 + full {
        canvas.put(x, place.bottom() - 1, '━', style);
    }
}

fn border_style(theme: &Theme, node: &TreeNode, selected: bool) -> Style {
    match (selected, node.change) {
        (true, _) => theme.ink(Ink::Arrow),
        (false, Change::Same) => theme.ink(Ink::Rule),
        (false, _) => theme.ink(Ink::Accent),
    }
}

fn draw_link(canvas: &mut Canvas, link: &Link, selected: Option<PartId>, placed: &[Placed]) {
    let find = |part: PartId| placed.iter().find(|p| p.part == part).map(|p| p.area);
    let (Some(from), Some(to)) = (find(link.from), find(link.to)) else { return };
    let touched = Some(link.from) == selected || Some(link.to) == selected;
    let style = canvas.theme.ink(if touched { Ink::Arrow } else { Ink::Rule });
    match link.kind {
        LinkKind::RightLink => right_link(canvas, from, to, style),
        _ => down_link(canvas, from, to, style),
    }
}

fn right_link(canvas: &mut Canvas, from: Rect, to: Rect, style: Style) {
    if to.x == from.right() + 2 && to.y == from.y {
        let y = from.y + (from.height / 2);
        canvas.put(from.right(), y, '─', style);
        canvas.put(from.right() + 1, y, '▶', style);
    }
}

/// From the middle of a box down to the line above the box below.
fn down_link(canvas: &mut Canvas, from: Rect, to: Rect, style: Style) {
    if to.y <= from.bottom() {
        return;
    }
    let (start, end) = (from.x + from.width / 2, to.x + to.width / 2);
    let y = from.bottom();
    for x in start.min(end)..=start.max(end) {
        if canvas.buffer.cell((x, y)).is_some_and(|c| c.symbol() == " ") {
            canvas.put(x, y, '─', style);
        }
    }
    for y in y + 1..to.y {
        canvas.put(end, y, '│', style);
    }
    let turn = match end.cmp(&start) {
        std::cmp::Ordering::Less => '┌',
        std::cmp::Ordering::Equal => '│',
        std::cmp::Ordering::Greater => '┐',
    };
    canvas.put(end, y, turn, style);
    canvas.put(start, y, '┴', style);
    canvas.put(end, to.y - 1, '▼', style);
}
