//! The arrows of a figure: beside a panel where both ends are in it, through the gap between neighbours, down to a row
//! below. The event's is bold.

use super::super::canvas::text_width;
use super::{Pen, Placed, WIDTHS};
use crate::theme::Ink;
use ffviz_story::scene::figure::{Arrow, FigureScene};
use ratatui::style::Style;

/// Columns beside a panel for the arrows within it, with their words.
pub(super) fn side(scene: &FigureScene, panel: usize) -> u16 {
    let within = scene.arrows.iter().filter(|arrow| arrow.from.0 == panel && arrow.to.0 == panel);
    within.map(|arrow| longest(&arrow.word) + 4).max().unwrap_or(0)
}

/// Columns of the longest word.
fn longest(words: &str) -> u16 {
    words.split(' ').map(text_width).max().unwrap_or(0)
}

/// Columns between the panels of a row: wide enough for the words of an arrow, where there is room.
pub(super) fn gap(scene: &FigureScene, row: &[usize], width: u16) -> u16 {
    let [least, narrow] = [WIDTHS.gap, WIDTHS.least].map(|width| u16::try_from(width).unwrap_or(0));
    let across =
        |arrow: &&Arrow| arrow.from.0 != arrow.to.0 && row.contains(&arrow.from.0) && row.contains(&arrow.to.0);
    let wanted = scene.arrows.iter().filter(across).map(|arrow| longest(&arrow.word) + 4).max().unwrap_or(least);
    let spare = width.saturating_sub(narrow * row.len() as u16 + 2);
    wanted.max(least).min((spare / (row.len() as u16).max(2)).max(least))
}

/// Draws all, the bold ones over the others.
pub(super) fn draw(pen: &mut Pen, scene: &FigureScene, placed: &[Placed<'_>]) {
    for bold in [false, true] {
        for arrow in scene.arrows.iter().filter(|arrow| arrow.bold == bold) {
            one(pen, arrow, placed);
        }
    }
}

fn one(pen: &mut Pen, arrow: &Arrow, placed: &[Placed<'_>]) {
    let spot = |(panel, piece)| {
        let spot = pen.spots.iter().find(|spot| spot.panel == panel && spot.piece == piece)?;
        Some((spot.y - u16::from(spot.below.is_some()), spot.below))
    };
    let panel = |n: usize| placed.iter().find(|panel| panel.n == n);
    let (Some((from_y, from_below)), Some((to_y, to_below))) = (spot(arrow.from), spot(arrow.to)) else { return };
    let (Some(from), Some(to)) = (panel(arrow.from.0), panel(arrow.to.0)) else { return };
    let style = pen.canvas.theme.ink(if arrow.bold { Ink::Accent } else { Ink::Dim });
    let is_right = from.x.end <= to.x.start;
    if from.n == to.n {
        beside(pen, from.x.end, from_y, to_y, &arrow.word, style);
    } else if from.y.start == to.y.start {
        let ends = if is_right { (from.x.end, to.x.start) } else { (from.x.start, to.x.end) };
        across(pen, ends, (from_y, to_y), &arrow.word, style);
    } else {
        if from.y.end <= to.y.start {
            down(pen, from, to, style);
        }
        return;
    }
    if let Some(column) = from_below.filter(|_| from_y != to_y || from.n != to.n) {
        along(pen, from, from.n == to.n || is_right, column, from_y, '┴', style);
    }
    if let Some(column) = to_below.filter(|_| from_y != to_y || from.n != to.n) {
        along(pen, to, from.n == to.n || !is_right, column, to_y, '▼', style);
    }
}

/// Along the upper border of a panel, between the line pointer below it and the right or left end of the border.
fn along(pen: &mut Pen, panel: &Placed<'_>, is_at_right: bool, column: u16, y: u16, sign: char, style: Style) {
    let border = if is_at_right { column + 1..panel.x.end + 1 } else { panel.x.start.saturating_sub(1)..column };
    border.for_each(|x| put(pen, x, y, '─', style));
    put(pen, column, y, sign, style);
}

fn put(pen: &mut Pen, x: u16, y: u16, sign: char, style: Style) {
    if let Some(line) = pen.line(y) {
        pen.canvas.put(x, line, sign, style);
    }
}

/// Out of a row, beside the panel, back into another row; its words to the right, a word a line.
fn beside(pen: &mut Pen, x: u16, from: u16, to: u16, words: &str, style: Style) {
    if from == to {
        return;
    }
    let (top, bottom) = (from.min(to), from.max(to));
    for y in top + 1..bottom {
        put(pen, x + 1, y, '│', style);
    }
    put(pen, x + 1, top, '╮', style);
    put(pen, x + 1, bottom, '╯', style);
    put(pen, x, from, '─', style);
    put(pen, x, to, '◀', style);
    let words: Vec<&str> = words.split(' ').collect();
    let first = u16::midpoint(top, bottom).saturating_sub(words.len() as u16 / 2).max(top);
    for (word, y) in words.into_iter().zip(first..) {
        if let Some(line) = pen.line(y) {
            pen.canvas.text(x + 3, line, text_width(word), word, style);
        }
    }
}

/// From the border of one panel to that of a neighbour.
fn across(pen: &mut Pen, (from, to): (u16, u16), (from_y, to_y): (u16, u16), words: &str, style: Style) {
    let (left, right) = (from.min(to), from.max(to));
    let middle = if from < to { right.saturating_sub(3) } else { left + 2 };
    let (from_x, to_x) = if from < to { (from..middle, middle + 1..to) } else { (middle + 1..from, to..middle) };
    from_x.for_each(|x| put(pen, x, from_y, '─', style));
    to_x.for_each(|x| put(pen, x, to_y, '─', style));
    let is_down = from_y < to_y;
    for y in from_y.min(to_y) + 1..from_y.max(to_y) {
        put(pen, middle, y, '│', style);
    }
    let (first, last) = match (from < to, from_y == to_y, is_down) {
        (_, true, _) => ('─', '─'),
        (true, _, true) => ('╮', '╰'),
        (true, _, false) => ('╯', '╭'),
        (false, _, true) => ('╭', '╯'),
        (false, _, false) => ('╰', '╮'),
    };
    put(pen, middle, from_y, first, style);
    put(pen, middle, to_y, last, style);
    if from < to {
        put(pen, to - 1, to_y, '▶', style);
    } else {
        put(pen, to, to_y, '◀', style);
    }
    // the words stand before the bend, above the line; without room there they are left to the notes
    let room = right - left;
    let lines: Vec<&str> = words.split(' ').collect();
    let fits = lines.iter().all(|word| text_width(word) + 4 <= room);
    if fits {
        // clear of the other end too
        let above = if from_y >= to_y && from_y - to_y <= lines.len() as u16 { to_y } else { from_y };
        let first = above.saturating_sub(lines.len() as u16);
        for (word, y) in lines.into_iter().zip(first..) {
            if let Some(line) = pen.line(y) {
                pen.canvas.text(left + 1, line, text_width(word), word, style);
            }
        }
    }
}

/// From the lower border of a panel to the upper one of a panel below.
fn down(pen: &mut Pen, from: &Placed<'_>, to: &Placed<'_>, style: Style) {
    let middle = u16::midpoint(to.x.start, to.x.end);
    let start = middle.clamp(from.x.start + 1, from.x.end.saturating_sub(2));
    let y = from.y.end;
    for x in start.min(middle)..=start.max(middle) {
        put(pen, x, y, '─', style);
    }
    put(
        pen,
        start,
        y,
        if start == middle {
            '│'
        } else if start < middle {
            '╰'
        } else {
            '╯'
        },
        style,
    );
    if start != middle {
        put(pen, middle, y, if start < middle { '╮' } else { '╭' }, style);
    }
    for y in y + 1..to.y.start {
        put(pen, middle, y, '│', style);
    }
    put(pen, middle, to.y.start.saturating_sub(1), '▼', style);
}
