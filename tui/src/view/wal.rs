//! The WAL: a record a row with the bar of its bytes; beside it, where there is room, what all bytes were spent on.
//!
//! ```text
//!  WAL · 12 records · 9,841 bytes ──────────────────────────────
//!  records  by type  by relation        HHRRIIIIIIIIIIIIIIIIIIDM
//!    position   xid  type          page  bytes
//! ▸┌▪ 0/1A2B3C8  745  Heap INSERT   t 0      59  HHRM    …
//! ```

use super::canvas::{Canvas, Pane, Target, scrolled, text_width, wrap};
use super::{Local, page, take, take_end, take_left};
use crate::theme::{Depth, Ink};
use ffviz_story::app::View;
use ffviz_story::scene::wal::BAR_ROLES;
use ffviz_story::scene::{Bar, Column, Role, Run, WalPanel, WalRow, WalScene};
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};

/// Columns before the cells: current step, bracket, sign, a blank.
const MARGIN: u16 = 4;
/// A list of records that is at least so wide has totals beside it.
const ROOMY: u16 = 140;
/// Lines that there have to be besides the rows, for how to read them to be told.
const ROOM: usize = 7;
/// Columns of the totals.
const SIDE: u16 = 58;

/// Draws totals, switch, rows.
pub fn draw(canvas: &mut Canvas, view: &View, scene: &WalScene, area: Rect, local: &Local) {
    let mut rest = area;
    page::heading(
        canvas,
        &scene.title,
        &scene.facts[2.min(scene.facts.len())..],
        take(&mut rest, 1),
        local.pane == Pane::Figure,
    );
    switch(canvas, scene, take(&mut rest, 1));
    if rest.height > 20 || scene.rows.len() + ROOM < usize::from(rest.height) {
        let dim = canvas.theme.ink(Ink::Dim);
        for line in wrap(&scene.hint, rest.width.saturating_sub(4)).iter().take(2) {
            let place = take(&mut rest, 1);
            canvas.text(place.x + 2, place.y, place.width.saturating_sub(3), line, dim);
        }
    }
    if rest.height > 6 {
        let most = if rest.height > 24 { 3 } else { 1 + u16::from(rest.height > 9) };
        let lines = page::legend_lines(&view.legend, rest.width, most);
        // what the bars are made of is what nobody knows
        let (bars, rows): (Vec<Role>, Vec<Role>) = view.legend.iter().partition(|role| BAR_ROLES.contains(role));
        page::legend(canvas, &[bars, rows].concat(), take_end(&mut rest, lines));
    }
    if rest.height > 10 {
        let line = take_end(&mut rest, 1);
        let dim = canvas.theme.ink(Ink::Dim);
        canvas.text(line.x + 2, line.y, line.width.saturating_sub(3), &scene.scale, dim);
    }
    let mut rest = Rect { x: rest.x + 1, width: rest.width.saturating_sub(2), ..rest };
    if rest.width >= ROOMY && !scene.panels.is_empty() {
        let room = rest.width - SIDE - 2;
        let list = take_left(&mut rest, room);
        take_left(&mut rest, 2);
        panels(canvas, view, scene, rest);
        rows(canvas, view, scene, list, local);
    } else {
        rows(canvas, view, scene, rest, local);
    }
}

/// What the rows can be, and all bytes in one bar.
fn switch(canvas: &mut Canvas, scene: &WalScene, line: Rect) {
    let mut x = line.x + 2;
    for (list, word, current) in &scene.lists {
        let style = canvas.theme.ink(if *current { Ink::Strong } else { Ink::Dim });
        let style = if *current { style.add_modifier(Modifier::UNDERLINED) } else { style };
        let end = canvas.text(x, line.y, line.right().saturating_sub(x), word, style);
        canvas.hit(Rect { x, width: end - x, ..line }, Target::WalList(*list));
        x = end + 3;
    }
    let dim = canvas.theme.ink(Ink::Dim);
    let room = line.right().saturating_sub(x + 2).min(80);
    if room > 24 {
        let x = canvas.text(line.right() - room - 1, line.y, 10, "all bytes ", dim);
        let width = line.right().saturating_sub(x + 1);
        bar(canvas, &scene.whole, scene.whole.length(), Rect { x, width, ..line });
    }
}

/// Widths of the columns, of the bar and of what follows it; 0 is left out.
struct Layout {
    cells: Vec<u16>,
    bar: u16,
    what: u16,
}

impl Layout {
    /// Columns before the bar.
    fn used(&self) -> u16 {
        MARGIN + self.cells.iter().filter(|width| **width > 0).map(|width| width + 2).sum::<u16>()
    }
}

fn lay_out(columns: &[Column], rows: &[WalRow], width: u16) -> Layout {
    let widest = |n: usize| {
        let cells = rows.iter().filter(|row| row.row.cells.len() > 1).filter_map(|row| row.row.cells.get(n));
        cells.map(|cell| text_width(cell)).max().unwrap_or(0).max(columns.get(n).map_or(0, |c| text_width(&c.title)))
    };
    // what a record does comes behind the bar, and as far as there is room
    let front = columns.len().min(6);
    let mut cells: Vec<u16> = (0..front).map(|n| widest(n).min(32)).collect();
    let used = |cells: &[u16]| MARGIN + cells.iter().filter(|width| **width > 0).map(|width| width + 2).sum::<u16>();
    let least = if width < 100 { 10 } else { 18 };
    // where it is tight: the running total goes first, then names are cut, then the transaction goes
    if used(&cells) + least > width && front == 6 {
        cells[5] = 0;
    }
    for n in [2, 3] {
        let over = (used(&cells) + least).saturating_sub(width);
        if let Some(cell) = cells.get_mut(n) {
            *cell -= over.min(cell.saturating_sub(12));
        }
    }
    if used(&cells) + least > width && cells.len() > 1 {
        cells[1] = 0;
    }
    let left = width.saturating_sub(used(&cells));
    let what = if columns.len() > front { widest(front).min(left.saturating_sub(least + 2)) } else { 0 };
    let what = if what < 16 { 0 } else { what };
    let bar = left.saturating_sub(if what > 0 { what + 2 } else { 0 }).min(48);
    Layout { cells, bar, what: if what > 0 { left - bar - 2 } else { 0 } }
}

fn rows(canvas: &mut Canvas, view: &View, scene: &WalScene, area: Rect, local: &Local) {
    if area.height < 2 || scene.rows.is_empty() {
        return;
    }
    let layout = lay_out(&scene.columns, &scene.rows, area.width.saturating_sub(1));
    headings(canvas, &scene.columns, &layout, area);
    let selected = scene.rows.iter().position(|row| view.selected == Some(row.row.part));
    let height = area.height - 1;
    let keep = if local.loose { None } else { selected };
    let from = scrolled(local.scroll.figure, scene.rows.len(), height, keep);
    canvas.map.scroll.figure = from;
    for (n, row) in scene.rows.iter().enumerate().skip(usize::from(from)).take(usize::from(height)) {
        let line = Rect { y: area.y + 1 + (n - usize::from(from)) as u16, height: 1, ..area };
        draw_row(canvas, &scene.columns, row, &layout, scene.full, line, selected == Some(n));
    }
    let more = |n: usize, sign: char| if n > 0 { format!(" {sign} {n} ") } else { String::new() };
    let rule = canvas.theme.ink(Ink::Dim);
    let hidden_below = scene.below + scene.rows.len().saturating_sub(usize::from(from + height));
    canvas.right(area.x, area.y, area.width, &more(scene.above + usize::from(from), '↑'), rule);
    if hidden_below > 0 {
        canvas.right(area.x, area.bottom() - 1, area.width, &more(hidden_below, '↓'), rule);
    }
}

fn headings(canvas: &mut Canvas, columns: &[Column], layout: &Layout, area: Rect) {
    let dim = canvas.theme.ink(Ink::Dim);
    let mut x = area.x + MARGIN;
    for (column, width) in columns.iter().zip(&layout.cells).filter(|(_, width)| **width > 0) {
        match column.right {
            true => canvas.right(x, area.y, *width, &column.title, dim),
            false => _ = canvas.text(x, area.y, *width, &column.title, dim),
        }
        x += width + 2;
    }
    if layout.what > 0 {
        canvas.text(x + layout.bar + 2, area.y, layout.what, &columns[layout.cells.len()].title, dim);
    }
}

fn draw_row(
    canvas: &mut Canvas,
    columns: &[Column],
    row: &WalRow,
    layout: &Layout,
    full: u32,
    line: Rect,
    selected: bool,
) {
    let theme = *canvas.theme;
    let cells = &row.row.cells;
    let words = format!("{} {} {}", row.row.role.word(), cells.join(" "), row.bar_words);
    canvas.part(line, row.row.part, row.row.role, words.trim_end());
    let glyph = theme.glyph(row.row.role).to_string();
    if let [text] = &cells[..] {
        let dim = theme.ink(Ink::Dim).add_modifier(Modifier::BOLD);
        canvas.pieces(line.x, line.y, line.right(), &[(&glyph, dim), (&glyph, dim), (" ", dim), (text, dim)]);
        return;
    }
    let style = if selected { theme.ink(Ink::Selection) } else { theme.ink(Ink::Text) };
    if selected {
        let width = MARGIN - 1 + layout.cells.iter().filter(|w| **w > 0).map(|w| w + 2).sum::<u16>();
        canvas.paint(Rect { x: line.x + 1, width: width - 1, ..line }, style);
    }
    let (accent, rule) = (theme.ink(Ink::Accent), theme.ink(Ink::Dim));
    canvas.put(line.x, line.y, if row.current { '▸' } else { ' ' }, accent);
    canvas.put(line.x + 1, line.y, bracket(row.run), if selected { style } else { rule });
    canvas.put(line.x + 2, line.y, theme.glyph(row.row.role), if selected { style } else { theme.tone(row.row.role) });
    let mut x = line.x + MARGIN;
    for (n, (cell, width)) in cells.iter().zip(&layout.cells).enumerate().filter(|(_, (_, width))| **width > 0) {
        let style = if n == 0 && row.current && !selected { accent } else { style };
        match columns.get(n).is_some_and(|column| column.right) {
            true => canvas.right(x, line.y, *width, cell, style),
            false => _ = canvas.text(x, line.y, *width, cell, style),
        }
        x += width + 2;
    }
    bar(canvas, &row.bar, full, Rect { x, width: layout.bar, ..line });
    if let Some(what) = cells.get(layout.cells.len()).filter(|_| layout.what > 0) {
        canvas.text(x + layout.bar + 2, line.y, layout.what, what, theme.ink(Ink::Text));
    }
}

const fn bracket(run: Run) -> char {
    match run {
        Run::Alone => ' ',
        Run::First => '┌',
        Run::Middle => '│',
        Run::Last => '└',
    }
}

/// A colour and a letter a part; without colours the letter in each cell.
pub fn bar(canvas: &mut Canvas, bar: &Bar, full: u32, area: Rect) {
    let theme = *canvas.theme;
    let (mut x, end) = (area.x, area.right());
    for (part, cells) in bar.parts.iter().zip(bar.cells(full, usize::from(area.width))) {
        let style = if theme.depth == Depth::None { Style::new() } else { theme.fill(part.role) };
        for n in 0..cells as u16 {
            let sign = if n == 0 || theme.depth == Depth::None { theme.glyph(part.role) } else { ' ' };
            canvas.put(x + n, area.y, sign, style);
        }
        x += cells as u16;
    }
    if bar.cut && x == end && area.width > 0 {
        canvas.put(end - 1, area.y, '…', theme.ink(Ink::Text));
    }
}

/// Types and relations with most bytes, one below the other.
fn panels(canvas: &mut Canvas, view: &View, scene: &WalScene, area: Rect) {
    let mut rest = area;
    for panel in &scene.panels {
        let lines = panel.rows.len() as u16 + 1;
        if rest.height < lines {
            return;
        }
        panel_rows(canvas, view, panel, take(&mut rest, lines));
        take(&mut rest, 1);
    }
}

fn panel_rows(canvas: &mut Canvas, view: &View, panel: &WalPanel, area: Rect) {
    let mut layout = lay_out(&panel.columns, &panel.rows, area.width + 12);
    if let Some(name) = layout.cells.first_mut() {
        *name = (*name).min(22);
    }
    // the bar gets what is left: behind the panel stands a lesson's prose
    layout.bar = layout.bar.min(12).min(area.width.saturating_sub(layout.used()));
    headings(canvas, &panel.columns, &layout, area);
    for (n, row) in panel.rows.iter().enumerate() {
        let line = Rect { y: area.y + 1 + n as u16, height: 1, ..area };
        let selected = view.selected == Some(row.row.part);
        draw_row(canvas, &panel.columns, row, &layout, panel.full, line, selected);
    }
}

/// Lines that the list would like; it is as long as the WAL, so as many as there are.
pub fn height(scene: &WalScene) -> u16 {
    u16::try_from(scene.rows.len()).unwrap_or(u16::MAX).saturating_add(8)
}
