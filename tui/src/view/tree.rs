//! All pages of an index, level by level: a box a page, arrows to the right neighbour, lines down to the pages below.

use super::canvas::{Canvas, text_width};
use super::{Local, Pane, page, relation_map, take, take_end};
use crate::theme::{Ink, Theme};
use ffviz_story::app::View;
use ffviz_story::scene::{Change, Link, LinkKind, PartId, TreeLevel, TreeNode, TreeScene};
use ratatui::layout::Rect;
use ratatui::style::Style;

/// Where a node was drawn.
struct Placed {
    part: PartId,
    area: Rect,
    /// where links from above end: at the page, or at the band over it
    top: u16,
}

/// What marks a node.
#[derive(Clone, Copy)]
struct Marks {
    selected: bool,
    /// the step came by it
    on_path: bool,
}

/// Across, down, and the four corners of a page's box.
const BOX: [char; 6] = ['─', '│', '┌', '┐', '└', '┘'];
/// The same where the step came by.
const PATH_BOX: [char; 6] = ['═', '║', '╔', '╗', '╚', '╝'];

/// Draws levels from the metapage down.
pub fn draw(canvas: &mut Canvas, view: &View, scene: &TreeScene, area: Rect, local: &Local) {
    let mut rest = area;
    page::heading(canvas, &scene.title, &scene.facts, take(&mut rest, 1), local.pane == Pane::Figure);
    if rest.height > 10 {
        let most = if rest.height > 20 { 3 } else { 1 };
        let lines = page::legend_lines(&view.legend, rest.width, most);
        page::legend(canvas, &view.legend, take_end(&mut rest, lines));
    }
    let rest = Rect { x: rest.x + 1, width: rest.width.saturating_sub(2), ..rest };
    let heights = level_heights(scene, rest.height);
    let first = first_level(scene, view.selected, &heights, rest.height);
    let mut y = rest.y;
    let (mut placed, mut titles) = (Vec::new(), Vec::new());
    for (level, height) in scene.levels.iter().zip(heights).skip(first) {
        if y >= rest.bottom() {
            break;
        }
        let place = Rect { y, height: height.min(rest.bottom() - y), ..rest };
        draw_level(canvas, view, scene, level, place, &mut placed);
        titles.push((level.title.as_str(), Rect { height: 1, ..place }));
        y += height + 1;
    }
    right_links(canvas, scene, view.selected, &placed);
    downlinks(canvas, scene, view.selected, &placed);
    for (title, line) in titles {
        level_title(canvas, title, line);
    }
}

/// Lines that show every word of every level.
pub fn height(scene: &TreeScene) -> u16 {
    wanted(scene).iter().map(|w| w + 1).sum::<u16>() + 3
}

/// A heading, a box, and its words: all of it, level by level.
fn wanted(scene: &TreeScene) -> Vec<u16> {
    let words = |level: &TreeLevel| level.nodes.iter().map(|n| n.lines.len()).max().unwrap_or(0);
    scene.levels.iter().map(|level| words(level) as u16 + 2 + band_height(level)).collect()
}

/// A long level has a line for all its pages, above those that are drawn.
const fn band_height(level: &TreeLevel) -> u16 {
    if level.band.is_empty() { 0 } else { 1 }
}

/// Where not even the lowest levels fit together: the first to draw, so that the selected page is seen.
fn first_level(scene: &TreeScene, selected: Option<PartId>, heights: &[u16], height: u16) -> usize {
    let level = scene.levels.iter().position(|level| level.nodes.iter().any(|node| Some(node.part) == selected));
    let needed = |first: usize, last: usize| heights[first..=last].iter().map(|h| h + 1).sum::<u16>();
    let last = level.unwrap_or(0);
    (0..=last).find(|first| needed(*first, last) <= height + 1).unwrap_or(last)
}

/// Lines a level: a heading and a line at least, or what its pages must say; then, in turn, a line more of words while
/// there is room.
fn level_heights(scene: &TreeScene, height: u16) -> Vec<u16> {
    let wanted = wanted(scene);
    // what no sign tells of a page takes a box with a line
    let least = |level: &TreeLevel| {
        let boxed = level.nodes.iter().any(|node| node.incomplete);
        2 + band_height(level) + if boxed { 2 } else { 0 }
    };
    let mut given: Vec<u16> = wanted.iter().zip(&scene.levels).map(|(w, level)| (*w).min(least(level))).collect();
    let total = |given: &[u16]| given.iter().map(|g| g + 1).sum::<u16>().saturating_sub(1);
    loop {
        let before = total(&given);
        for (n, wanted) in wanted.iter().enumerate() {
            if given[n] < *wanted && total(&given) < height {
                given[n] += 1;
            }
        }
        if total(&given) == before {
            return given;
        }
    }
}

fn draw_level(
    canvas: &mut Canvas,
    view: &View,
    scene: &TreeScene,
    level: &TreeLevel,
    area: Rect,
    placed: &mut Vec<Placed>,
) {
    let dim = canvas.theme.ink(Ink::Dim);
    let top = area.y + 1 + if area.height > 2 { band_height(level) } else { 0 };
    if top > area.y + 1 {
        band(canvas, scene, level, Rect { y: area.y + 1, height: 1, ..area });
    }
    let count = level.nodes.len().max(1);
    let natural = |node: &TreeNode| node.lines.iter().map(|l| text_width(l)).max().unwrap_or(0).clamp(4, 28) + 4;
    let widest = level.nodes.iter().map(natural).max().unwrap_or(8);
    let share = (usize::from(area.width) / count).saturating_sub(2);
    let least = if area.height > 2 { 9 } else { 6 };
    let width = usize::from(widest).min(share.max(least)) as u16;
    let across = usize::from(area.width / (width + 2)).max(1);
    let selected = level.nodes.iter().position(|n| Some(n.part) == view.selected);
    let changed = || level.nodes.iter().position(|n| n.change != Change::Same);
    let selected = selected.or_else(changed).unwrap_or(0);
    let first = selected.saturating_sub(across / 2).min(count.saturating_sub(across));
    let shown = count.min(across) as u16;
    let mut x = area.x + (area.width.saturating_sub(shown * (width + 2))) / 2;
    if first > 0 {
        canvas.text(area.x, top, 8, &format!("‹ {first}"), dim);
    }
    if first + across < count {
        canvas.right(area.x, area.y, area.width, &format!("{} ›", count - first - across), dim);
    }
    for node in level.nodes.iter().skip(first).take(across) {
        let place = Rect { x, y: top, width, height: area.bottom().saturating_sub(top) };
        let marks = Marks { selected: Some(node.part) == view.selected, on_path: scene.is_on_path(node.part) };
        draw_node(canvas, node, place, marks);
        canvas.part(place, node.part, node.role, &node.lines.join(", "));
        placed.push(Placed { part: node.part, area: place, top: area.y + 1 });
        x += width + 2;
    }
}

/// All pages of a long level in a line.
fn band(canvas: &mut Canvas, scene: &TreeScene, level: &TreeLevel, line: Rect) {
    let cells = level.band.len() as u16;
    let width = (line.width / cells.max(1)).max(1);
    let room = usize::from(line.width / width);
    let mut x = line.x + line.width.saturating_sub(cells * width) / 2;
    for cell in level.band.iter().take(room) {
        let place = Rect { x, width, ..line };
        relation_map::draw_cell(canvas, cell, place, scene.is_on_path(cell.part));
        canvas.part(place, cell.part, cell.role, &cell.label);
        x += width;
    }
}

fn draw_node(canvas: &mut Canvas, node: &TreeNode, place: Rect, marks: Marks) {
    let theme = *canvas.theme;
    let selected = marks.selected;
    if place.height < 2 {
        return chip(canvas, node, place, selected);
    }
    let border = border_style(&theme, node, marks);
    let [across, down, corners @ ..] = if marks.on_path { PATH_BOX } else { BOX };
    let (right, bottom) = (place.right() - 1, place.bottom() - 1);
    for x in place.x..=right {
        canvas.put(x, place.y, across, border);
        canvas.put(x, bottom, across, border);
    }
    for y in place.y..=bottom {
        canvas.put(place.x, y, down, border);
        canvas.put(right, y, down, border);
    }
    let places = [(place.x, place.y), (right, place.y), (place.x, bottom), (right, bottom)];
    for ((x, y), c) in places.into_iter().zip(corners) {
        canvas.put(x, y, c, border);
    }
    let sign = format!("{} ", theme.glyph(node.role));
    let title = title(node, place.width.saturating_sub(5));
    let head = if selected { theme.ink(Ink::Selection) } else { theme.ink(Ink::Strong) };
    let room = place.right().saturating_sub(2);
    canvas.pieces(place.x + 1, place.y, room, &[(&sign, theme.tone(node.role)), (&title, head)]);
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

/// Where there is room for its number only: the page in a line.
fn chip(canvas: &mut Canvas, node: &TreeNode, place: Rect, selected: bool) {
    let theme = *canvas.theme;
    let style = if selected { theme.ink(Ink::Selection) } else { theme.fill(node.role) };
    canvas.paint(place, style);
    let text = format!("{} {}", theme.glyph(node.role), title(node, place.width.saturating_sub(3)));
    canvas.text(place.x, place.y, place.width, &text, style);
    if node.change != Change::Same {
        let accent = if selected { style } else { style.patch(theme.ink(Ink::Accent)) };
        canvas.put(place.right() - 1, place.y, theme.change(node.change), accent);
    }
}

/// The first line of words, or the block's number alone.
fn title(node: &TreeNode, room: u16) -> String {
    let words = node.lines.first().map_or("", String::as_str);
    match node.part {
        PartId::Block(block) if text_width(words) > room => block.to_string(),
        _ => words.to_owned(),
    }
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

fn border_style(theme: &Theme, node: &TreeNode, marks: Marks) -> Style {
    match (marks.selected || marks.on_path, node.change) {
        (true, _) => theme.ink(Ink::Arrow),
        (false, Change::Same) => theme.ink(Ink::Rule),
        (false, _) => theme.ink(Ink::Accent),
    }
}

fn area_of(placed: &[Placed], part: PartId) -> Option<Rect> {
    placed.iter().find(|p| p.part == part).map(|p| p.area)
}

fn link_style(canvas: &Canvas, link: &Link, selected: Option<PartId>) -> Style {
    let touched = Some(link.from) == selected || Some(link.to) == selected;
    canvas.theme.ink(if touched { Ink::Arrow } else { Ink::Rule })
}

/// Arrows between neighbours on a level.
fn right_links(canvas: &mut Canvas, scene: &TreeScene, selected: Option<PartId>, placed: &[Placed]) {
    for link in scene.links.iter().filter(|link| link.kind == LinkKind::RightLink) {
        let (Some(from), Some(to)) = (area_of(placed, link.from), area_of(placed, link.to)) else { continue };
        let style = link_style(canvas, link, selected);
        if to.x == from.right() + 2 && to.y == from.y {
            let y = from.y + from.height / 2;
            canvas.put(from.right(), y, '─', style);
            canvas.put(from.right() + 1, y, '▶', style);
        }
    }
}

/// Lines down from each page: one along the level, and from there one to each page below.
fn downlinks(canvas: &mut Canvas, scene: &TreeScene, selected: Option<PartId>, placed: &[Placed]) {
    let middle = |area: Rect| area.x + area.width / 2;
    for parent in placed {
        let links = scene.links.iter().filter(|link| link.kind != LinkKind::RightLink && link.from == parent.part);
        let y = parent.area.bottom();
        let below: Vec<(u16, u16, bool)> = links
            .filter_map(|link| Some((link, placed.iter().find(|placed| placed.part == link.to)?)))
            .filter(|(_, to)| to.top > y)
            .map(|(link, to)| {
                let touched = Some(link.from) == selected || Some(link.to) == selected || scene.is_followed(link);
                (middle(to.area), to.top, touched)
            })
            .collect();
        let Some(nearest) = below.iter().map(|(x, ..)| *x).min_by_key(|x| x.abs_diff(middle(parent.area))) else {
            continue;
        };
        // no jog where one column is all that lies between
        let start = if nearest.abs_diff(middle(parent.area)) <= 1 { nearest } else { middle(parent.area) };
        along(canvas, start, y, &below);
        for (x, bottom, touched) in below {
            let style = canvas.theme.ink(if touched { Ink::Arrow } else { Ink::Rule });
            for y in y + 1..bottom {
                canvas.put(x, y, if y + 1 == bottom { '▼' } else { '│' }, style);
            }
        }
    }
}

/// The line along a level: it comes from `start` above and meets the lines down.
fn along(canvas: &mut Canvas, start: u16, y: u16, below: &[(u16, u16, bool)]) {
    let ends = || below.iter().map(|(x, ..)| *x).chain([start]);
    let (Some(first), Some(last)) = (ends().min(), ends().max()) else { return };
    for x in first..=last {
        let down = below.iter().any(|(end, ..)| *end == x);
        let c = match (x > first, x < last, x == start, down) {
            (false, false, ..) => '│',
            (true, true, true, true) => '┼',
            (true, true, true, false) => '┴',
            (true, true, false, true) => '┬',
            (true, true, false, false) => '─',
            (true, false, true, true) => '┤',
            (true, false, true, false) => '┘',
            (true, false, false, _) => '┐',
            (false, true, true, true) => '├',
            (false, true, true, false) => '└',
            (false, true, false, _) => '┌',
        };
        let is_touched =
            |(end, _, touched): &(u16, u16, bool)| *touched && (start.min(*end)..=start.max(*end)).contains(&x);
        let style = canvas.theme.ink(if below.iter().any(is_touched) { Ink::Arrow } else { Ink::Rule });
        canvas.put(x, y, c, style);
    }
}

/// The name of a level at its left end, or else at its right; not where arrows are.
fn level_title(canvas: &mut Canvas, title: &str, line: Rect) {
    let width = text_width(title).min(line.width);
    let free = |canvas: &Canvas, x: u16| (x..x + width).all(|x| canvas.symbol(x, line.y) == " ");
    let right = line.right() - width;
    if let Some(x) = [line.x, right].into_iter().find(|x| free(canvas, *x)) {
        let dim = canvas.theme.ink(Ink::Dim);
        canvas.text(x, line.y, width, title, dim);
    }
}
