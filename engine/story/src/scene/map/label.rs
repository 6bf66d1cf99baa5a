//! A cell of the map in words.

use super::survey::Tally;
use crate::scene::{Change, Measure, words};
use alloc::string::{String, ToString};
use core::fmt::Write as _;
use core::ops::Range;

/// `block 17: 82 % full, all-visible`
pub(super) fn of(run: &Range<u32>, tally: &Tally, measure: Measure) -> String {
    let mut text = String::with_capacity(80);
    let single = tally.blocks == 1;
    let _ = match single {
        true => write!(text, "block {}: ", run.start),
        false => write!(text, "blocks {} to {}: ", run.start, run.end - 1),
    };
    // what the maps tell of a page is not what its bytes would
    if tally.read == 0 {
        text.push_str("not read");
        if tally.fill_known == 0 && tally.vm_known == 0 {
            return text;
        }
        text.push_str(", ");
    }
    fill(&mut text, tally);
    visibility(&mut text, tally, single);
    match (measure, tally.percent(measure)) {
        (Measure::Dead, Some(percent)) => {
            let _ = write!(text, ", {percent} % dead ({})", words::bytes(tally.dead_bytes));
        }
        (Measure::HotRoom, Some(percent)) => room(&mut text, percent, single),
        (Measure::Age, _) => age(&mut text, tally, single),
        _ => {}
    }
    if tally.change != Change::Same {
        let _ = match tally.change {
            Change::Added => write!(text, ", added by this step"),
            _ => write!(text, ", {} changed by this step", words::bytes(tally.changed_bytes)),
        };
    }
    text
}

fn fill(text: &mut String, tally: &Tally) {
    let Some(percent) = tally.percent(Measure::Fill) else {
        text.push_str("fill not known");
        return;
    };
    // the free space map rounds down, and nobody tells it of every change
    let _ = match (tally.read, tally.blocks) {
        (0, _) => write!(text, "{percent} % full by the free space map"),
        (read, blocks) if read < blocks => write!(text, "{percent} % full, {read} of {blocks} read"),
        _ => write!(text, "{percent} % full"),
    };
}

fn visibility(text: &mut String, tally: &Tally, single: bool) {
    let word = match (tally.visible, tally.frozen) {
        (0, _) => return,
        (_, frozen) if frozen == tally.blocks => ", all-frozen".to_string(),
        (visible, _) if visible == tally.blocks => ", all-visible".to_string(),
        _ if single => return,
        (visible, frozen) => alloc::format!(", {visible} all-visible, {frozen} all-frozen"),
    };
    text.push_str(&word);
}

fn age(text: &mut String, tally: &Tally, single: bool) {
    let which = if single { "" } else { "the newest " };
    let _ = match tally.age {
        None => write!(text, ", age not known"),
        Some(0) => write!(text, ", {which}written just now"),
        Some(age) => write!(text, ", {which}written {} of WAL ago", words::size(age)),
    };
}

fn room(text: &mut String, percent: u8, single: bool) {
    let _ = match (single, percent) {
        (true, 0) => write!(text, ", no room for a HOT update"),
        (true, _) => write!(text, ", room for a HOT update"),
        (false, _) => write!(text, ", {percent} % of the pages have room for a HOT update"),
    };
}
