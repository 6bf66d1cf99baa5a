//! The WAL: totals, then a line a record with the bar of its bytes, a letter a part.

use super::{Options, facts, paragraph};
use crate::scene::{Bar, Column, Run, WalRow, WalScene, words};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::Write as _;

/// columns of a bar
const BAR: usize = 24;

pub(super) fn wal(wal: &WalScene, options: Options) -> String {
    let names: Vec<String> =
        wal.lists.iter().map(|(_, word, on)| if *on { format!("[{word}]") } else { (*word).to_string() }).collect();
    let mut text = format!("{}\n{}\n{}\n{}", wal.title, names.join("  "), wal.hint, facts(&wal.facts, options));
    let whole = options.columns().saturating_sub(12).min(100);
    let _ = writeln!(text, "all bytes   {}", bar(&wal.whole, wal.whole.length(), whole, options).trim_end());
    text.push_str(&paragraph(&wal.whole_words, "", options.columns()));
    for panel in &wal.panels {
        text.push('\n');
        rows(&mut text, &panel.columns, &panel.rows, panel.full, options);
    }
    if wal.rows.is_empty() {
        return text;
    }
    text.push('\n');
    say_more(&mut text, wal.above, "above");
    rows(&mut text, &wal.columns, &wal.rows, wal.full, options);
    say_more(&mut text, wal.below, "below");
    text.push_str(&paragraph(&wal.scale, "", options.columns()));
    text
}

fn say_more(text: &mut String, n: usize, where_: &str) {
    if n > 0 {
        let _ = writeln!(text, "    … {} more {where_}", words::thousands(n as u64));
    }
}

/// Cells in columns, the bar behind the last but one: what a record does comes last, as it may be long.
fn rows(text: &mut String, columns: &[Column], rows: &[WalRow], full: u32, options: Options) {
    let front = &columns[..columns.len().min(6)];
    let width = |(n, column): (usize, &Column)| {
        let cells = rows.iter().filter(|row| row.row.cells.len() > 1).filter_map(|row| row.row.cells.get(n));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0).max(column.title.chars().count())
    };
    let widths: Vec<usize> = front.iter().enumerate().map(width).collect();
    let mut line = |front: &str, cells: &[&str], bar: &str| {
        let mut line = String::from(front);
        for ((cell, column), width) in cells.iter().zip(columns).zip(&widths) {
            let _ = if column.right { write!(line, "{cell:>width$}  ") } else { write!(line, "{cell:<width$}  ") };
        }
        let _ = write!(line, "{bar}  {}", cells.get(widths.len()).unwrap_or(&""));
        text.push_str(words::shorten(line.trim_end(), options.columns().max(100)).trim_end());
        text.push('\n');
    };
    let titles: Vec<&str> = columns.iter().map(|column| column.title.as_str()).collect();
    line("    ", &titles, &" ".repeat(BAR));
    for row in rows {
        let sign = options.role(row.row.role);
        let cells: Vec<&str> = row.row.cells.iter().map(String::as_str).collect();
        if let [heading] = cells[..] {
            line(&format!("{sign}{sign} {heading}"), &[], "");
            continue;
        }
        let here = if row.current { '>' } else { ' ' };
        let front = format!("{here}{}{sign} ", bracket(row.run, options.ascii));
        line(&front, &cells, &bar(&row.bar, full, BAR, options));
    }
}

const fn bracket(run: Run, ascii: bool) -> char {
    match (run, ascii) {
        (Run::Alone, _) => ' ',
        (Run::First, false) => '┌',
        (Run::Middle, false) => '│',
        (Run::Last, false) => '└',
        (Run::Middle, true) => '|',
        (_, true) => '+',
    }
}

/// A letter a cell; no part that is there vanishes.
pub(super) fn bar(bar: &Bar, full: u32, width: usize, options: Options) -> String {
    let mut text = String::new();
    for (part, cells) in bar.parts.iter().zip(bar.cells(full, width)) {
        text.extend(core::iter::repeat_n(options.role(part.role), cells));
    }
    let fill = width.saturating_sub(text.chars().count());
    text + &" ".repeat(fill)
}
