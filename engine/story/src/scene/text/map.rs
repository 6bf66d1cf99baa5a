//! The relation map: a sign a cell, by how full it is.

use super::{Options, facts};
use crate::scene::{Change, MapCell, Measure, RelationMapScene, Role};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write as _;

pub(super) fn map(map: &RelationMapScene, options: Options) -> String {
    let names: Vec<String> =
        map.measures.iter().map(|(_, word, on)| if *on { format!("[{word}]") } else { (*word).into() }).collect();
    let mut text = format!("{}\n{}\n{}\n{}", map.title, names.join("  "), map.measure, facts(&map.facts, options));
    let columns = (options.columns() - 12).min(100) / 10 * 10;
    for (line, cells) in map.cells.chunks(columns).enumerate() {
        let signs: String = cells.iter().map(|cell| sign(cell, options)).collect();
        let _ = write!(text, "\n{:>9} {signs}", line * columns * map.zoom as usize);
    }
    let scale = if options.ascii { "0 .. 9: none to all" } else { "· ▁ ▂ ▃ ▄ ▅ ▆ ▇ █: none to all" };
    let _ = write!(text, "\n\n{scale}   ?: not known   blocks a cell: {}\n", map.zoom);
    let is_unread = |cell: &MapCell| cell.role == Role::BlockUnknown && cell.percent.is_some();
    if map.cells.iter().any(is_unread) {
        let [least, middle, most] = [0, 50, 100].map(|percent| unread(percent, options.ascii));
        let _ = writeln!(text, "{least} {middle} {most}: not read, by what the maps say");
    }
    let changed: Vec<&MapCell> = map.cells.iter().filter(|cell| cell.change != Change::Same).take(8).collect();
    let is_change = map.measures.iter().any(|(measure, _, on)| *on && *measure == Measure::Change);
    for cell in changed.iter().filter(|_| !is_change) {
        let _ = writeln!(text, "{} {}", super::change_sign(cell.change), cell.label);
    }
    text
}

/// What is known of a page that was not read is known by the maps only.
#[must_use]
pub fn unread(percent: u8, ascii: bool) -> char {
    let signs = if ascii { ['-', '=', '%'] } else { ['░', '▒', '▓'] };
    signs[usize::from(percent / 34).min(2)]
}

fn sign(cell: &MapCell, options: Options) -> char {
    match (cell.percent, options.ascii) {
        (Some(percent), ascii) if cell.role == Role::BlockUnknown => unread(percent, ascii),
        (None, _) if cell.role != Role::BlockUnknown => options.role(cell.role),
        (None, _) => '?',
        (Some(percent), true) => char::from(b'0' + (percent / 11).min(9)),
        (Some(0), false) => '·',
        (Some(percent), false) => {
            ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'][usize::from(percent.saturating_sub(1) / 13).min(7)]
        }
    }
}
