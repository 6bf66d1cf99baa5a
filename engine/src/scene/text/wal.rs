//! The WAL: totals, then a line a record with the bar of its bytes, a letter a part.

use super::{Options, facts, wrap};
use crate::scene::{Bar, Role, Run, WalPanel, WalRow, WalScene, words};
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
    text.push_str(&wrap(&[wal.whole_words.clone()], "", options.columns()));
    for panel in &wal.panels {
        text.push('\n');
        text.push_str(&self::panel(panel, options));
    }
    if wal.rows.is_empty() {
        return text;
    }
    text.push('\n');
    say_more(&mut text, wal.above, "above");
    let titles: Vec<&str> = wal.columns.iter().map(|column| column.title.as_str()).collect();
    rows(&mut text, &titles, &wal.rows, wal.full, options);
    say_more(&mut text, wal.below, "below");
    text.push_str(&wrap(&[wal.scale.clone()], "", options.columns()));
    text
}

fn say_more(text: &mut String, n: usize, where_: &str) {
    if n > 0 {
        let _ = writeln!(text, "    … {} more {where_}", words::thousands(n as u64));
    }
}

fn panel(panel: &WalPanel, options: Options) -> String {
    let mut text = String::new();
    let titles: Vec<&str> = panel.columns.iter().map(|column| column.title.as_str()).collect();
    rows(&mut text, &titles, &panel.rows, panel.full, options);
    text
}

/// Cells in columns, the bar behind the last but one: what a record does comes last, as it may be long.
fn rows(text: &mut String, titles: &[&str], rows: &[WalRow], full: u32, options: Options) {
    let cells = |row: &WalRow| row.row.cells.iter().map(|cell| cell.chars().count()).collect::<Vec<_>>();
    let mut widths: Vec<usize> = titles.iter().map(|title| title.chars().count()).collect();
    for row in rows.iter().filter(|row| row.row.cells.len() > 1) {
        for (width, cell) in widths.iter_mut().zip(cells(row)) {
            *width = (*width).max(cell);
        }
    }
    let (front, last) = widths.split_at(widths.len().min(6));
    let heading: Vec<String> = titles.iter().zip(front).map(|(title, width)| format!("{title:<width$}")).collect();
    let tail = if last.is_empty() { "" } else { "what" };
    let _ = writeln!(text, "{}", format!("    {}  {:<BAR$}  {tail}", heading.join("  "), "").trim_end());
    for row in rows {
        if row.row.cells.len() == 1 {
            let sign = if row.row.role == Role::Heading { '-' } else { options.role(row.row.role) };
            text.push_str(&words::shorten(&format!("{sign}{sign} {}", row.row.cells[0]), options.columns()));
            text.push('\n');
            continue;
        }
        let fill = |(cell, width): (&String, &usize)| format!("{cell:<width$}");
        let front: Vec<String> = row.row.cells.iter().zip(front).map(fill).collect();
        let here = if row.current { '>' } else { ' ' };
        let bar = bar(&row.bar, full, BAR, options);
        let tail = row.row.cells.get(front.len()).map_or("", String::as_str);
        let sign = options.role(row.row.role);
        let line = format!("{here}{}{sign} {}  {bar}  {tail}", bracket(row.run, options.ascii), front.join("  "));
        text.push_str(words::shorten(line.trim_end(), options.columns().max(100)).trim_end());
        text.push('\n');
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
fn bar(bar: &Bar, full: u32, width: usize, options: Options) -> String {
    let mut text = String::new();
    for (part, cells) in bar.parts.iter().zip(bar.cells(full, width)) {
        text.extend(core::iter::repeat_n(options.role(part.role), cells));
    }
    let fill = width.saturating_sub(text.chars().count());
    text + &" ".repeat(fill)
}
