//! Few bands say more than many: who takes part stays, of the others the first and the last; what is left out is
//! counted.

use super::panel::{Band, Chip, Fate, Panel, PanelLine};
use crate::scene::{PartId, words};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// bands that take part and are shown one by one
const TAKING_PART: usize = 8;
/// bands shown of a page that has few
const FEW: usize = 9;
/// line pointers shown of a page that has few
const FEW_CHIPS: usize = 14;
/// line pointers that say the same and are shown one by one
const FEW_ALIKE: usize = 3;
/// what a line pointer with a target is
const REDIRECT: &str = "redirect";
/// line pointers shown besides those that take part
const AROUND: usize = 1;

/// Leaves out what does not take part.
pub(super) fn panel(panel: &mut Panel, thing: &str) {
    panel.keep_tags();
    let lines = core::mem::take(&mut panel.lines);
    let (chips, mut rest): (Vec<PanelLine>, Vec<PanelLine>) =
        lines.into_iter().partition(|line| matches!(line, PanelLine::Chips(_)));
    let chips = chips.into_iter().map(|line| match line {
        PanelLine::Chips(all) => PanelLine::Chips(abridged_chips(said_once(all))),
        other => other,
    });
    let before = rest.iter().take_while(|line| !matches!(line, PanelLine::Band(_))).count();
    let bands = rest.split_off(before);
    panel.lines = chips.chain(rest).chain(abridged(bands, thing)).collect();
}

fn abridged(lines: Vec<PanelLine>, thing: &str) -> Vec<PanelLine> {
    let fate = |line: &PanelLine| if let PanelLine::Band(band) = line { Some(band.fate) } else { None };
    let count = lines.iter().filter(|line| fate(line).is_some()).count();
    if count <= FEW {
        return lines;
    }
    let mut kept: BTreeSet<usize> = BTreeSet::new();
    let taking_part: Vec<usize> =
        (0..lines.len()).filter(|at| fate(&lines[*at]).is_some_and(Fate::takes_part)).collect();
    kept.extend(chosen(&taking_part, &lines));
    // what the event is not about: the first and the last, and a neighbour of a lonely part
    let others: Vec<usize> = (0..lines.len()).filter(|at| fate(&lines[*at]).is_none_or(|f| !f.takes_part())).collect();
    kept.extend(others.first());
    kept.extend(others.last());
    kept.extend((0..lines.len()).filter(|at| fate(&lines[*at]).is_none()));
    let mut out = Vec::new();
    let mut hidden: Vec<PanelLine> = Vec::new();
    for (at, line) in lines.into_iter().enumerate() {
        if kept.contains(&at) {
            flush(&mut hidden, &mut out, thing);
            out.push(line);
        } else {
            hidden.push(line);
        }
    }
    flush(&mut hidden, &mut out, thing);
    out
}

/// Of those that take part the first ones of each fate, so that a page with many gone still shows the one that is new.
fn chosen(taking_part: &[usize], lines: &[PanelLine]) -> Vec<usize> {
    let fate = |at: &usize| if let PanelLine::Band(band) = &lines[*at] { band.fate } else { Fate::Same };
    let mut groups: BTreeMap<Fate, Vec<usize>> = BTreeMap::new();
    taking_part.iter().for_each(|at| groups.entry(fate(at)).or_default().push(*at));
    let mut groups: Vec<Vec<usize>> = groups.into_values().collect();
    // what few have is shown whole, and leaves its room to what many have
    groups.sort_by_key(Vec::len);
    let (mut room, mut left) = (TAKING_PART, groups.len());
    let mut chosen = Vec::new();
    for same in groups {
        let each = (room / left).max(2);
        // the last one stands for all that are left out between
        match same.len() > each {
            true => chosen.extend(same[..each - 1].iter().chain(same.last()).copied()),
            false => chosen.extend(&same),
        }
        (room, left) = (room.saturating_sub(each.min(same.len())), left - 1);
    }
    chosen
}

/// Puts what was left out in one line; a single one is no shorter that way.
fn flush(hidden: &mut Vec<PanelLine>, out: &mut Vec<PanelLine>, thing: &str) {
    match hidden.len() {
        0 => {}
        1 => out.append(hidden),
        n => {
            out.push(PanelLine::More(more(hidden, n, thing)));
            hidden.clear();
        }
    }
}

fn more(hidden: &[PanelLine], n: usize, thing: &str) -> String {
    let bands = || hidden.iter().filter_map(|line| if let PanelLine::Band(band) = line { Some(band) } else { None });
    let number = words::thousands(n as u64);
    let told = |fate: Fate| bands().filter(|band: &&Band| band.fate == fate).count();
    let fates: Vec<String> = [Fate::New, Fate::Changed, Fate::Arrived, Fate::Left, Fate::Gone, Fate::Damaged]
        .into_iter()
        .map(|fate| (told(fate), fate.word()))
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| if count == n { String::from(word) } else { format!("{count} {word}") })
        .collect();
    if fates.is_empty() {
        let things = words::count(n as u64, thing);
        return format!("… {} more {}", number, things.trim_start_matches(&number).trim_start());
    }
    format!("… {number} more, {}", fates.join(", "))
}

fn abridged_chips(chips: Vec<Option<Chip>>) -> Vec<Option<Chip>> {
    if chips.len() <= FEW_CHIPS {
        return chips;
    }
    let last = chips.len() - 1;
    let takes_part = |at: usize| chips.get(at).and_then(Option::as_ref).is_some_and(|chip| chip.fate.takes_part());
    let taking_part: Vec<usize> = (0..chips.len()).filter(|at| takes_part(*at)).collect();
    let mut kept: BTreeSet<usize> = BTreeSet::from([0, 1, last]);
    for at in taking_part.iter().take(FEW_CHIPS / 2).chain(taking_part.last()) {
        kept.extend(at.saturating_sub(AROUND)..=(at + AROUND).min(last));
    }
    let mut out: Vec<Option<Chip>> = Vec::new();
    for (at, chip) in chips.into_iter().enumerate() {
        if kept.contains(&at) {
            out.push(chip);
        } else if out.last().is_some_and(Option::is_some) {
            out.push(None);
        }
    }
    out
}

/// Line pointers of which the same is to be said: the first stands for all, `25× dead → unused`. Of redirects each
/// leads elsewhere: the first says where, and is followed by how many more there are.
fn said_once(chips: Vec<Option<Chip>>) -> Vec<Option<Chip>> {
    let mut kinds: BTreeMap<(Fate, String), Vec<usize>> = BTreeMap::new();
    for (at, chip) in chips.iter().enumerate() {
        if let Some((fate, word)) = chip.as_ref().and_then(|chip| Some((chip.fate, said(chip)?))) {
            kinds.entry((fate, word)).or_default().push(at);
        }
    }
    let mut chips = chips;
    let mut gone: BTreeSet<usize> = BTreeSet::new();
    for ((_, word), all) in kinds.into_iter().filter(|(_, all)| all.len() > FEW_ALIKE) {
        let first = usize::from(word == REDIRECT);
        let parts: Vec<PartId> = all[first..].iter().filter_map(|at| Some(chips[*at].as_ref()?.part)).collect();
        let count = words::thousands(parts.len() as u64);
        gone.extend(&all[first + 1..]);
        if let Some(chip) = all.get(first).and_then(|at| chips[*at].as_mut()) {
            chip.text = if first == 0 { format!("{count}× {word}") } else { format!("{count} more {word}s") };
            chip.also = parts;
        }
    }
    let mut at = 0..;
    chips.retain(|_| at.next().is_none_or(|at| !gone.contains(&at)));
    chips
}

/// What stands beside the number of a line pointer.
fn said(chip: &Chip) -> Option<String> {
    if chip.target.is_some() {
        return Some(String::from(REDIRECT));
    }
    chip.text.split_once(' ').map(|(_, word)| String::from(word))
}
