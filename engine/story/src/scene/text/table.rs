//! Rows in columns: as wide as their contents, the last ones shortened where the screen ends.

use super::bracket::brackets;
use super::{Options, Rows, change_sign};
use crate::scene::{Change, Column, Role, Row, Totals, words};
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt::Write as _;

/// a table of so many rows is listed whole
const SHORT: usize = 24;
/// a shortened column keeps this many characters
const LEAST: usize = 14;

/// A table with its heading; before each row what the step did, the bracket of its chain, and its role.
pub(super) fn rows(columns: &[Column], rows: &[Row], options: Options) -> String {
    let lanes = brackets(rows);
    let margin = 3 + lanes.first().map_or(0, Vec::len);
    let widths = widths(columns, rows, options.columns().saturating_sub(margin));
    let mut text = String::new();
    let titles: Vec<&str> = columns.iter().map(|column| column.title.as_str()).collect();
    line(&mut text, &" ".repeat(margin), &titles, columns, &widths);
    let kept = kept(rows, options);
    let mut left_out = 0;
    for ((row, lanes), kept) in rows.iter().zip(lanes).zip(kept) {
        if !kept {
            left_out += 1;
            continue;
        }
        say_left_out(&mut text, &mut left_out, margin);
        if row.role == Role::Heading {
            text.push_str(&row.cells.join(" "));
            text.push('\n');
            continue;
        }
        let mut front = String::from(change_sign(row.change));
        front.extend(lanes.into_iter().map(|stroke| stroke.sign(options.ascii)));
        front.push(options.role(row.role));
        front.push(' ');
        let cells: Vec<&str> = row.cells.iter().map(String::as_str).collect();
        line(&mut text, &front, &cells, columns, &widths);
    }
    say_left_out(&mut text, &mut left_out, margin);
    text
}

fn say_left_out(text: &mut String, left_out: &mut usize, margin: usize) {
    if *left_out > 0 {
        let _ = writeln!(text, "{:margin$}… {} more", "", *left_out);
        *left_out = 0;
    }
}

/// Which rows are listed: in short, the changed ones with their neighbours, or the first ones where nothing changed.
fn kept(rows: &[Row], options: Options) -> Vec<bool> {
    if options.rows == Rows::All || rows.len() <= SHORT {
        return vec![true; rows.len()];
    }
    let changed = |at: usize| rows.get(at).is_some_and(|row| row.change != Change::Same);
    if !(0..rows.len()).any(changed) {
        return (0..rows.len()).map(|at| at < SHORT).collect();
    }
    (0..rows.len())
        .map(|at| at == 0 || changed(at) || changed(at + 1) || at.checked_sub(1).is_some_and(changed))
        .collect()
}

fn line(text: &mut String, front: &str, cells: &[&str], columns: &[Column], widths: &[usize]) {
    let mut line = String::from(front);
    for ((cell, column), width) in cells.iter().zip(columns).zip(widths) {
        let cell = words::shorten(cell, *width);
        let fill = " ".repeat(width.saturating_sub(cell.chars().count()));
        let (before, after) = if column.right { (fill.as_str(), "") } else { ("", fill.as_str()) };
        for part in [before, &cell, after, "  "] {
            line.push_str(part);
        }
    }
    text.push_str(line.trim_end());
    text.push('\n');
}

/// The width of each column: of its widest cell, then shortened from the last column on until all fit; but not the
/// first, which names the row.
fn widths(columns: &[Column], rows: &[Row], width: usize) -> Vec<usize> {
    let mut widths: Vec<usize> = columns.iter().map(|column| column.title.chars().count()).collect();
    for row in rows.iter().filter(|row| row.role != Role::Heading) {
        for (cell, widest) in row.cells.iter().zip(&mut widths) {
            *widest = cell.chars().count().max(*widest);
        }
    }
    let gaps = 2 * widths.len().saturating_sub(1);
    let mut over = (widths.iter().sum::<usize>() + gaps).saturating_sub(width);
    for column in widths.iter_mut().skip(1).rev() {
        let cut = over.min(column.saturating_sub(LEAST));
        *column -= cut;
        over -= cut;
    }
    widths
}

/// What two runs cost.
#[must_use]
pub fn totals(totals: &Totals, options: Options) -> String {
    let width = |(n, column): (usize, &Column)| {
        let cells = totals.rows.iter().filter_map(|row| row.get(n)).map(|cell| cell.chars().count());
        cells.fold(column.title.chars().count(), usize::max)
    };
    let widths: Vec<usize> = totals.columns.iter().enumerate().map(width).collect();
    let mut text = String::new();
    let titles: Vec<&str> = totals.columns.iter().map(|column| column.title.as_str()).collect();
    line(&mut text, "", &titles, &totals.columns, &widths);
    for row in &totals.rows {
        let cells: Vec<&str> = row.iter().map(String::as_str).collect();
        line(&mut text, "", &cells, &totals.columns, &widths);
    }
    options.finish(text)
}
