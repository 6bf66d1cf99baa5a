//! Rows in columns: line pointers beside their tuples, or entries of a list.
//!
//! ```text
//!     lp  state        len  t_ctid  …
//! + ┌─root  1 ↷ LP_REDIRECT          ──╮      brackets join a HOT chain,
//!   ├─1     2 ◇ …                    ◀─╯      arrows follow what is selected
//! ~ └─2     3 ◆ …
//! ```

use super::Local;
use super::canvas::{Canvas, kept, text_width};
use crate::lanes::{MAX_LANES, MOST_CHAINS, Span, chain_ends, chain_spans, spans};
use crate::theme::Ink;
use ffviz_format::page::RegionKind;
use ffviz_story::scene::{Change, Column, Link, LinkKind, PartId, Role, Row};
use ratatui::layout::Rect;
use ratatui::style::Style;
use std::borrow::Cow;

/// What is drawn.
pub struct Table<'a> {
    /// headings
    pub columns: &'a [Column],
    /// rows
    pub rows: &'a [Row],
    /// arrows between rows
    pub links: &'a [Link],
    /// what is selected, anywhere
    pub selected: Option<PartId>,
}

/// Where the selected row came to be drawn: the column after its text, and its line.
pub type Anchor = Option<(u16, u16)>;

/// From how many columns on there is.
const ROOMY: u16 = 130;

/// Columns of a cell that a table asks for at most; it takes more where there is room.
const WIDE: u16 = 100;

struct Layout {
    /// widths of the columns that fit
    widths: Vec<u16>,
    chain_lanes: usize,
    /// are there more chains than lanes?
    more_chains: bool,
    /// first column of: chain brackets, sign of the role, cells, arrows
    chains: u16,
    sign: u16,
    cells: u16,
    arrows: u16,
}

/// Columns that the whole table would like, without arrows.
pub fn width(table: &Table) -> u16 {
    let chains = chain_spans(table.rows, MOST_CHAINS).iter().map(|s| s.lane + 1).max().unwrap_or(0);
    let cells: u16 = natural(table).iter().map(|w| w.min(&WIDE) + 2).sum();
    cells + 4 + chain_width(chains)
}

/// Draws headings and rows; returns where the selected row is.
pub fn draw(canvas: &mut Canvas, table: &Table, area: Rect, local: &Local) -> Anchor {
    if area.height < 2 {
        return None;
    }
    let chains = chain_spans(table.rows, if area.width >= ROOMY { MOST_CHAINS } else { MAX_LANES });
    let links: Vec<(usize, usize, LinkKind)> = shown_links(table);
    let arrows = spans(&links.iter().map(|(from, to, _)| (*from.min(to), *from.max(to))).collect::<Vec<_>>());
    let layout = lay_out(table, area, &chains, &arrows);
    let selected = table.selected.and_then(|part| table.rows.iter().position(|row| same_row(row.part, part)));
    let height = area.height - 1;
    let keep = changed(table.rows).chain(selected).filter(|_| !local.loose);
    let from = kept(local.scroll.figure, table.rows.len(), height, keep);
    canvas.map.scroll.figure = from;
    headings(canvas, table, &layout, area);
    let visible = usize::from(from)..table.rows.len().min(usize::from(from + height));
    let line = |row: usize| area.y + 1 + (row - visible.start) as u16;
    for row in visible.clone() {
        let is_selected = selected == Some(row);
        draw_row(canvas, table, &table.rows[row], &layout, Rect { y: line(row), height: 1, ..area }, is_selected);
        for span in &chains {
            chain_piece(canvas, span, row, table.rows, &layout, line(row));
        }
    }
    for ((from, to, kind), span) in links.iter().zip(&arrows) {
        let style = arrow_style(canvas, *kind, selected == Some(*from) || selected == Some(*to));
        for row in visible.clone().filter(|row| (span.first..=span.last).contains(row)) {
            arrow_piece(canvas, span, (*from, *to, *kind), row, layout.arrows, line(row), style);
        }
    }
    scrollbar(canvas, area, from, table.rows);
    selected.filter(|row| visible.contains(row)).map(|row| (layout.arrows, line(row)))
}

/// The rows between which lies all that the step changed, what it added last: that is what it was about.
fn changed(rows: &[Row]) -> impl Iterator<Item = usize> {
    let ends = |is_it: fn(Change) -> bool| {
        let found = || rows.iter().enumerate().filter(move |(_, row)| is_it(row.change)).map(|(n, _)| n);
        found().next_back().into_iter().chain(found().next())
    };
    ends(|change| change != Change::Same).chain(ends(|change| change == Change::Added))
}

/// Line pointer and tuple of the same number stand in one row.
fn same_row(a: PartId, b: PartId) -> bool {
    a == b || number(a).is_some_and(|n| number(b) == Some(n))
}

/// The number that a line pointer and its tuple share.
pub const fn number(part: PartId) -> Option<u16> {
    match part {
        PartId::Region(RegionKind::LinePointer(n) | RegionKind::Tuple(n) | RegionKind::Padding(n)) => Some(n.0),
        _ => None,
    }
}

fn natural(table: &Table) -> Vec<u16> {
    let cell = |n: usize| table.rows.iter().filter_map(|r| r.cells.get(n)).map(|c| text_width(c)).max().unwrap_or(0);
    table.columns.iter().enumerate().map(|(n, column)| text_width(&column.title).max(cell(n))).collect()
}

const fn chain_width(lanes: usize) -> u16 {
    if lanes == 0 { 0 } else { lanes as u16 * 2 + 6 }
}

fn lay_out(table: &Table, area: Rect, chains: &[Span], arrows: &[Span]) -> Layout {
    let (chain_lanes, chain_count) = (chains.iter().map(|s| s.lane + 1).max().unwrap_or(0), chains.len());
    let arrow_lanes = arrows.iter().map(|s| s.lane + 1).max().unwrap_or(0);
    let chains = area.x + 2;
    let sign = chains + chain_width(chain_lanes);
    let cells = sign + 2;
    let reserved = if arrow_lanes == 0 { 1 } else { arrow_lanes as u16 * 2 + 3 };
    let widths = fit(&natural(table), area.right().saturating_sub(cells + reserved));
    let used: u16 = widths.iter().filter(|w| **w > 0).map(|w| w + 2).sum();
    let more_chains = chain_ends(table.rows).len() > chain_count;
    Layout { widths, chain_lanes, more_chains, chains, sign, cells, arrows: cells + used.saturating_sub(1) }
}

/// Makes room: the widest columns are squeezed, then left out; the first one, which says what a row is, and the last
/// one, its data, are kept as long as possible. What room is left over is theirs. A width of 0 means left out.
fn fit(natural: &[u16], room: u16) -> Vec<u16> {
    const NAME: u16 = 24;
    const SQUEEZED: u16 = 16;
    const LAST: u16 = 12;
    let least = |n: usize| if n == 0 { NAME } else { SQUEEZED };
    let mut widths: Vec<u16> = natural.iter().map(|width| *width.min(&WIDE)).collect();
    while total(&widths) > room {
        let Some((last, others)) = widths.split_last_mut() else { break };
        let is_squeezed = |(n, w): &(usize, &mut u16)| *n > 0 && **w > 0 && natural[*n] > SQUEEZED;
        let widest = others.iter_mut().enumerate().max_by_key(|(n, w)| w.saturating_sub(least(*n)));
        match widest.filter(|(n, w)| **w > least(*n)) {
            Some((_, widest)) => *widest -= 1,
            None => match others.iter_mut().enumerate().rev().find(is_squeezed) {
                Some((_, width)) => *width = 0,
                None if *last > LAST => *last -= 1,
                None => match widths.iter_mut().skip(1).rev().find(|w| **w > 0) {
                    Some(width) => *width = 0,
                    None => widths[0] = room,
                },
            },
        }
    }
    for n in [0, widths.len().saturating_sub(1)] {
        let spare = room.saturating_sub(total(&widths));
        if let Some(width) = widths.get_mut(n).filter(|width| **width > 0) {
            *width = (*width + spare).min(natural[n]);
        }
    }
    widths
}

/// What columns of these widths take side by side.
fn total(widths: &[u16]) -> u16 {
    widths.iter().filter(|width| **width > 0).map(|width| width + 2).sum::<u16>().saturating_sub(2)
}

fn headings(canvas: &mut Canvas, table: &Table, layout: &Layout, area: Rect) {
    let style = canvas.theme.ink(Ink::Dim);
    if layout.more_chains {
        canvas.text(layout.chains, area.y, 1, "…", style);
    }
    let mut x = layout.cells;
    for (column, width) in table.columns.iter().zip(&layout.widths).filter(|(_, width)| **width > 0) {
        if column.right {
            canvas.right(x, area.y, *width, &column.title, style);
        } else {
            canvas.text(x, area.y, *width, &column.title, style);
        }
        x += width + 2;
    }
}

fn draw_row(canvas: &mut Canvas, table: &Table, row: &Row, layout: &Layout, line: Rect, selected: bool) {
    let theme = *canvas.theme;
    let words = format!("{} {}", row.role.word(), row.cells.join(" "));
    canvas.part(line, row.part, row.role, words.trim_end());
    if row.role == Role::Heading {
        canvas.text(line.x + 1, line.y, line.width - 1, &row.cells.join("  "), theme.ink(Ink::Dim).bold());
        return;
    }
    let faded = matches!(row.role, Role::LpUnused | Role::Refused);
    let plain = if faded { theme.ink(Ink::Dim) } else { theme.ink(Ink::Text) };
    let style = if selected { theme.ink(Ink::Selection) } else { plain };
    if selected {
        let end = layout.arrows.max(layout.cells);
        canvas.paint(Rect { x: layout.sign - 1, width: end + 1 - layout.sign, ..line }, style);
    }
    let accent = theme.ink(Ink::Accent);
    canvas.put(line.x, line.y, theme.change(row.change), accent);
    let sign = if selected { style } else { theme.tone(row.role) };
    canvas.put(layout.sign, line.y, theme.glyph(row.role), sign);
    let mut x = layout.cells;
    for (n, (cell, width)) in row.cells.iter().zip(&layout.widths).enumerate().filter(|(_, (_, width))| **width > 0) {
        let style = if n == 0 && !selected && row.change != Change::Same { accent } else { style };
        if table.columns.get(n).is_some_and(|column| column.right) {
            canvas.right(x, line.y, *width, cell, style);
        } else {
            let is_last = n + 1 == row.cells.len();
            let shown = if is_last { cell.as_str().into() } else { whole_words(cell, *width) };
            canvas.text(x, line.y, *width, &shown, style);
        }
        x += width + 2;
    }
}

/// A list of words, such as flags, without those that there is no room for.
fn whole_words(cell: &str, width: u16) -> Cow<'_, str> {
    if text_width(cell) <= width {
        return cell.into();
    }
    let fits = |(at, _): &(usize, &str)| text_width(&cell[..*at]) + 2 <= width;
    match cell.match_indices(' ').rfind(fits) {
        Some((at, _)) => format!("{} …", &cell[..at]).into(),
        None => cell.into(),
    }
}

/// The piece of a chain's bracket on one row.
fn chain_piece(canvas: &mut Canvas, span: &Span, row: usize, rows: &[Row], layout: &Layout, y: u16) {
    if !(span.first..=span.last).contains(&row) {
        return;
    }
    let chain = rows[span.first].chain.map(|mark| mark.chain);
    let mark = rows[row].chain.filter(|mark| Some(mark.chain) == chain);
    let x = layout.chains + ((layout.chain_lanes - 1 - span.lane) * 2) as u16;
    let style = canvas.theme.tone(Role::TupleHeapOnly);
    let Some(mark) = mark else {
        canvas.put(x, y, '│', style);
        return;
    };
    let corner = match row {
        _ if span.first == span.last => '╶',
        _ if row == span.first => '┌',
        _ if row == span.last => '└',
        _ => '├',
    };
    let label = layout.chains + (layout.chain_lanes * 2) as u16;
    canvas.put(x, y, corner, style);
    for x in x + 1..label {
        canvas.put(x, y, '─', style);
    }
    let place = if mark.place == 0 { "root".to_owned() } else { mark.place.to_string() };
    canvas.text(label, y, 4, &place, style);
}

/// The arrows to draw: cold updates always, what the brackets already tell only where it is selected.
fn shown_links(table: &Table) -> Vec<(usize, usize, LinkKind)> {
    let row = |part: PartId| table.rows.iter().position(|row| same_row(row.part, part));
    let touches = |part: PartId| table.selected.is_some_and(|selected| same_row(selected, part));
    let is_shown = |link: &&Link| {
        link.kind != LinkKind::Item && (link.kind == LinkKind::ColdUpdate || touches(link.from) || touches(link.to))
    };
    (table.links.iter().filter(is_shown))
        .filter_map(|link| Some((row(link.from)?, row(link.to)?, link.kind)))
        .filter(|(from, to, _)| from != to)
        .take(MAX_LANES * 4)
        .collect()
}

fn arrow_style(canvas: &Canvas, kind: LinkKind, selected: bool) -> Style {
    let role = match kind {
        LinkKind::ColdUpdate => Role::TupleUpdated,
        LinkKind::Redirect => Role::LpRedirect,
        _ => Role::TupleHeapOnly,
    };
    if selected { canvas.theme.ink(Ink::Arrow) } else { canvas.theme.tone(role) }
}

/// The piece of an arrow on one row: it leaves to the right, runs in its lane, and comes back with a head.
fn arrow_piece(
    canvas: &mut Canvas,
    span: &Span,
    (from, to, kind): (usize, usize, LinkKind),
    row: usize,
    x: u16,
    y: u16,
    style: Style,
) {
    let (across, down) = match kind {
        LinkKind::ColdUpdate => ('╌', '┊'),
        LinkKind::Redirect => ('═', '║'),
        _ => ('─', '│'),
    };
    let lane = x + 2 + (span.lane * 2) as u16;
    if row != from && row != to {
        canvas.put(lane, y, down, style);
        return;
    }
    // an arrow starts where the row's text ends
    let is_blank = |x: u16| canvas.buffer.cell((x, y)).is_some_and(|cell| cell.symbol() == " ");
    let start = if row == from { (0..=x).rev().take_while(|x| is_blank(*x)).last().map_or(x, |x| x + 1) } else { x };
    for x in start.min(x) + 1..lane {
        canvas.put(x, y, across, style);
    }
    if row == to {
        canvas.put(x + 1, y, '◀', style);
    }
    canvas.put(lane, y, if row == span.first { '╮' } else { '╯' }, style);
}

/// Shows which part of the rows is in sight, where not all are, and where out of sight the step changed some.
fn scrollbar(canvas: &mut Canvas, area: Rect, from: u16, rows: &[Row]) {
    let (height, count) = (usize::from(area.height - 1), rows.len());
    if count <= height {
        return;
    }
    let style = canvas.theme.ink(Ink::Rule);
    let thumb = (height * height / count).max(1);
    let start = usize::from(from) * (height - thumb) / (count - height);
    for line in 0..height {
        let c = if (start..start + thumb).contains(&line) { '█' } else { '│' };
        canvas.put(area.right() - 1, area.y + 1 + line as u16, c, style);
    }
    let seen = usize::from(from)..usize::from(from) + height;
    let accent = canvas.theme.ink(Ink::Accent);
    for (n, row) in rows.iter().enumerate().filter(|(n, row)| row.change != Change::Same && !seen.contains(n)) {
        let line = (n * height / count) as u16;
        canvas.put(area.right() - 1, area.y + 1 + line, canvas.theme.change(row.change), accent);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_left_out_whole() {
        assert_eq!(whole_words("XMIN_COMMITTED XMAX_INVALID UPDATED", 30), "XMIN_COMMITTED XMAX_INVALID …");
        assert_eq!(whole_words("XMIN_COMMITTED XMAX_INVALID UPDATED", 28), "XMIN_COMMITTED …");
        assert_eq!(whole_words("XMIN_COMMITTED XMAX_INVALID", 27), "XMIN_COMMITTED XMAX_INVALID");
        assert_eq!(whole_words("XMIN_COMMITTED XMAX_INVALID", 10), "XMIN_COMMITTED XMAX_INVALID");
    }

    #[test]
    fn room_is_made_and_used() {
        let check = |natural: &[u16], room: u16, expected: &[u16]| {
            assert_eq!(fit(natural, room), expected, "{natural:?} in {room}");
        };
        check(&[19, 130], 160, &[19, 130]);
        check(&[19, 130], 140, &[19, 119]);
        check(&[19, 130], 72, &[19, 51]);
        // a long last column takes nothing away from the name
        check(&[13, 5, 10, 11, 11, 10, 250], 74, &[13, 5, 10, 11, 11, 10, 0]);
        // columns between give way to a long name, and a very long one is shortened
        check(&[30, 3, 40, 9, 11, 11, 10], 104, &[28, 3, 20, 9, 11, 11, 10]);
        check(&[30, 3, 40, 9, 11, 11, 10], 90, &[30, 3, 0, 9, 11, 11, 10]);
        check(&[30, 3, 40, 9, 11, 11, 10], 70, &[28, 3, 0, 9, 11, 11, 0]);
        check(&[60, 5, 9], 50, &[32, 5, 9]);
        check(&[60], 10, &[10]);
        check(&[], 10, &[]);
    }
}
