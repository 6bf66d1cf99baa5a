//! Every byte of the page. The finest scale is taken at which the page fits, where whole lines within one region shrink
//! to one line.
//!
//! ```text
//!    0 ▣▣▣▣▣▣●1●2●3··········
//!      ⋮  free: 7,900 bytes  ⋮
//! 8064 ········◆3▂▂▂▂▂▂▂▂▂■2
//! ```

use super::canvas::{Canvas, text_width};
use super::rows::number;
use crate::theme::{Depth, Ink};
use ffviz_format::page::RegionKind;
use ffviz_story::scene::{Change, PageScene, PartId, PartRegion, Role};
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use std::ops::Range;

/// A blank that is part of a text, and keeps its style.
const BLANK: &str = "\u{A0}";

/// Columns for the byte positions at the left.
pub const GUTTER: u16 = 6;

/// Bytes a cell and cells a line, and what each line shows.
struct Plan {
    bytes: u32,
    cells: u32,
    lines: Vec<MapLine>,
}

enum MapLine {
    /// the bytes from here on
    Bytes(u32),
    /// several lines within one region, by its index
    Gap(usize),
}

/// A run of cells of one region on a line.
struct Segment {
    region: usize,
    cells: Range<u32>,
}

/// Draws the map; returns where the selected part begins.
pub fn draw(canvas: &mut Canvas, scene: &PageScene, selected: Option<PartId>, area: Rect) -> Option<(u16, u16)> {
    if area.width <= GUTTER + 8 || area.height == 0 || scene.regions.is_empty() {
        return None;
    }
    let plan = plan(scene, area);
    let (mut anchor, mut found_tuple) = (None, false);
    let pitch = pitch(&plan, area.height);
    for (row, line) in plan.lines.iter().take(usize::from(area.height)).enumerate() {
        let line_area = Rect { y: area.y + row as u16 * pitch, height: if pitch == 3 { 2 } else { 1 }, ..area };
        match line {
            MapLine::Gap(region) => gap(canvas, &scene.regions[*region], selected, line_area, &plan),
            MapLine::Bytes(start) => {
                let at = bytes_line(canvas, scene, selected, *start, &plan, line_area);
                // the tuple rather than its line pointer: that is where the arrow leads
                let better = |(_, is_tuple): &(u16, bool)| anchor.is_none() || (*is_tuple && !found_tuple);
                if let Some((x, is_tuple)) = at.filter(better) {
                    anchor = Some((x, line_area.y));
                    found_tuple = is_tuple;
                }
            }
        }
    }
    anchor
}

/// Lines of the map at a byte a cell.
pub fn finest(scene: &PageScene, width: u16) -> u16 {
    u16::try_from(lines(scene, cells(width)).len()).unwrap_or(u16::MAX)
}

/// Lines that the map takes of those that it may.
pub fn height(scene: &PageScene, area: Rect) -> u16 {
    let plan = plan(scene, area);
    (plan.lines.len() as u16 * pitch(&plan, area.height)).min(area.height)
}

/// Screen lines from one line of the map to the next: bars two lines high with an empty one between, where there is
/// room.
const fn pitch(plan: &Plan, height: u16) -> u16 {
    match height as usize + 1 {
        room if plan.lines.len() * 3 <= room => 3,
        room if plan.lines.len() * 2 <= room => 2,
        _ => 1,
    }
}

/// Cells that fit beside the gutter: a multiple of 32 where that is possible, so that positions are round.
const fn cells(width: u16) -> u32 {
    let room = width.saturating_sub(GUTTER) as u32;
    if room >= 32 { room / 32 * 32 } else { 8 }
}

/// Is the region selected: itself, or the tuple of the line pointer that is, or the line pointer of the tuple?
fn is_selected(region: &PartRegion, selected: Option<PartId>) -> bool {
    selected.is_some_and(|part| part == region.part || number(part).is_some_and(|n| number(region.part) == Some(n)))
        && !matches!(region.part, PartId::Region(RegionKind::Padding(_)))
}

/// The finest scale that fits; 128 bytes a cell at the coarsest.
fn plan(scene: &PageScene, area: Rect) -> Plan {
    let cells = cells(area.width);
    let mut bytes = 1;
    loop {
        let lines = lines(scene, bytes * cells);
        if lines.len() <= usize::from(area.height) || bytes >= 128 {
            return Plan { bytes, cells, lines };
        }
        bytes *= 2;
    }
}

fn lines(scene: &PageScene, line_bytes: u32) -> Vec<MapLine> {
    let mut lines = Vec::new();
    let (mut at, size, mut region) = (0, u32::from(scene.size), 0);
    while at < size {
        while scene.regions.get(region).is_some_and(|r| u32::from(r.bytes.end) <= at) {
            region += 1;
        }
        let Some(owner) = scene.regions.get(region) else { break };
        let whole = (u32::from(owner.bytes.end).saturating_sub(at)) / line_bytes;
        if whole >= 2 && u32::from(owner.bytes.start) <= at {
            lines.push(MapLine::Gap(region));
            at += whole * line_bytes;
        } else {
            lines.push(MapLine::Bytes(at));
            at += line_bytes;
        }
    }
    lines
}

fn gap(canvas: &mut Canvas, region: &PartRegion, selected: Option<PartId>, area: Rect, plan: &Plan) {
    let is_selected = is_selected(region, selected);
    let style = if is_selected { canvas.theme.ink(Ink::Selection) } else { canvas.theme.fill(region.role) };
    let map = Rect { x: area.x + GUTTER, width: plan.cells as u16, ..area };
    canvas.paint(map, style);
    let text = format!("⋮  {}  ⋮", region.label);
    let x = map.x + map.width.saturating_sub(text_width(&text)) / 2;
    let middle = map.y + map.height / 2;
    canvas.text(x, middle, map.right().saturating_sub(x), &text, style);
    let dim = canvas.theme.ink(Ink::Dim);
    canvas.right(area.x, middle, GUTTER - 1, "⋮", dim);
    canvas.part(map, region.part, region.role, &region.label);
}

fn bytes_line(
    canvas: &mut Canvas,
    scene: &PageScene,
    selected: Option<PartId>,
    start: u32,
    plan: &Plan,
    area: Rect,
) -> Option<(u16, bool)> {
    let dim = canvas.theme.ink(Ink::Dim);
    canvas.right(area.x, area.y, GUTTER - 1, &start.to_string(), dim);
    let left = area.x + GUTTER;
    let mut anchor = None;
    for segment in segments(scene, selected, start, plan) {
        let region = &scene.regions[segment.region];
        let x = left + segment.cells.start as u16;
        let width = (segment.cells.end - segment.cells.start) as u16;
        let place = Rect { x, width, ..area };
        let first = start + segment.cells.start * plan.bytes;
        let begins = u32::from(region.bytes.start) >= first;
        let is_selected = is_selected(region, selected);
        let words = words(scene, region);
        fill(canvas, region, words, place, begins, is_selected);
        if continues_words(region, start, plan) && width >= 10 {
            let style = canvas.style(place.x, place.y);
            canvas.text(place.x, place.y, width - 1, &words.replace(' ', BLANK), style);
        }
        for cell in segment.cells {
            let bytes = start + cell * plan.bytes..start + (cell + 1) * plan.bytes;
            // of something new all bytes count, those too that happen to be as they were
            let is_new = region.change == Change::Added;
            if region.change == Change::Moved {
                continue; // nothing in it changed; its row says where it was moved to
            }
            if is_new || region.changed.iter().any(|c| u32::from(c.start) < bytes.end && bytes.start < u32::from(c.end))
            {
                mark_changed(canvas, left + cell as u16, area.bottom() - 1, is_new, is_selected);
            }
        }
        canvas.part(place, region.part, region.role, &region.label);
        if is_selected && (anchor.is_none() || matches!(region.part, PartId::Region(RegionKind::Tuple(_)))) {
            anchor = Some((x, matches!(region.part, PartId::Region(RegionKind::Tuple(_)))));
        }
    }
    anchor
}

/// Did the region begin so near to the end of the line above that its words found no room there?
fn continues_words(region: &PartRegion, start: u32, plan: &Plan) -> bool {
    let line = plan.bytes * plan.cells;
    let from = u32::from(region.bytes.start);
    let room = plan.cells - from % line / plan.bytes;
    from < start && from + line >= start && room < 14 && matches!(region.part, PartId::Region(RegionKind::Tuple(_)))
}

/// The runs of cells on one line; a cell belongs to the region with most of its bytes, or to the selected one.
fn segments(scene: &PageScene, selected: Option<PartId>, start: u32, plan: &Plan) -> Vec<Segment> {
    let mut segments: Vec<Segment> = Vec::new();
    let mut first = scene.regions.partition_point(|r| u32::from(r.bytes.end) <= start);
    for cell in 0..plan.cells {
        let (from, to) = (start + cell * plan.bytes, start + (cell + 1) * plan.bytes);
        if from >= u32::from(scene.size) {
            break;
        }
        while scene.regions.get(first).is_some_and(|r| u32::from(r.bytes.end) <= from) {
            first += 1;
        }
        let inside = scene.regions[first..].iter().take_while(|r| u32::from(r.bytes.start) < to);
        let weight = |r: &PartRegion| {
            let bytes = u32::from(r.bytes.end).min(to) - u32::from(r.bytes.start).max(from);
            (is_selected(r, selected), bytes)
        };
        let best = inside.enumerate().max_by_key(|(n, r)| (weight(r), usize::MAX - n)).map(|(n, _)| first + n);
        let Some(region) = best else { break };
        match segments.last_mut() {
            Some(last) if last.region == region => last.cells.end = cell + 1,
            _ => segments.push(Segment { region, cells: cell..cell + 1 }),
        }
    }
    segments
}

/// What stands in a bar: the row or key, which is the last cell of its row in the table; for other regions what they
/// are.
fn words<'a>(scene: &'a PageScene, region: &PartRegion) -> &'a str {
    match region.part {
        PartId::Region(RegionKind::Tuple(n)) => {
            scene.rows.iter().find(|row| number(row.part) == Some(n.0)).and_then(|row| row.cells.last())
        }
        PartId::Region(RegionKind::LinePointer(_)) => None,
        _ => return region.role.word(),
    }
    .map_or("", String::as_str)
}

/// The colour of the region, its sign where it begins, its number where there is room.
fn fill(canvas: &mut Canvas, region: &PartRegion, words: &str, place: Rect, begins: bool, selected: bool) {
    let theme = *canvas.theme;
    let style = match (selected, number(region.part)) {
        (true, _) => theme.ink(Ink::Selection),
        (false, Some(n)) if n % 2 == 0 => theme.fill_other(region.role),
        (false, _) => theme.fill(region.role),
    };
    let sign = theme.glyph(region.role);
    let blank = match region.role {
        Role::Free => {
            if theme.ascii {
                '.'
            } else {
                '·'
            }
        }
        _ if theme.depth == Depth::None => sign,
        _ => ' ',
    };
    let fill_style = if region.role == Role::Free && !selected { theme.ink(Ink::Rule) } else { style };
    for y in place.top()..place.bottom() {
        for x in place.left()..place.right() {
            canvas.put(x, y, blank, fill_style);
        }
    }
    if !begins || matches!(region.role, Role::Free | Role::Padding) {
        return;
    }
    canvas.put(place.x, place.y, sign, style);
    let mut x = place.x + 1;
    if let Some(n) = number(region.part).map(|n| n.to_string()).filter(|n| text_width(n) < place.width) {
        x = canvas.text(x, place.y, place.width - 1, &n, style);
    }
    if place.right() >= x + 10 {
        canvas.text(x, place.y, 1, BLANK, style);
        // blanks that do not break: no stripe goes through the words
        canvas.text(x + 1, place.y, place.right() - x - 2, &words.replace(' ', BLANK), style);
    }
}

/// A stripe of the accent colour under the cell; where a sign or a word stands, that is underlined.
fn mark_changed(canvas: &mut Canvas, x: u16, y: u16, is_new: bool, selected: bool) {
    let theme = *canvas.theme;
    let Some(cell) = canvas.buffer.cell_mut((x, y)) else { return };
    if theme.depth == Depth::None {
        cell.modifier.insert(Modifier::UNDERLINED | Modifier::BOLD);
        return;
    }
    let accent = Style::new().fg(theme.ink(Ink::Accent).fg.unwrap_or_default()).add_modifier(Modifier::BOLD);
    if cell.symbol() == BLANK {
        return;
    }
    if cell.symbol() == " " {
        cell.set_char(if theme.ascii { '_' } else { '▂' }).set_style(accent);
    } else if is_new && !selected {
        cell.set_style(accent);
    } else {
        cell.set_style(Style::new().add_modifier(Modifier::UNDERLINED));
    }
}
