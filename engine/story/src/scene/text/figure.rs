//! A figure as text, from top to bottom: each panel with its lines, what takes part marked, then the notes.

use super::{Options, paragraph, wrap};
use crate::scene::figure::{Band, Chip, Fate, FigureScene, Panel, PanelLine, mark_sign};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

pub(super) fn figure(figure: &FigureScene, options: Options) -> String {
    let mut text = format!("{}\n", figure.title);
    for panel in &figure.panels {
        text.push('\n');
        text += &self::panel(panel, options);
    }
    if !figure.notes.is_empty() {
        text.push('\n');
    }
    for (n, note) in (1..).zip(&figure.notes) {
        text += &paragraph(&format!("{} {note}", mark_sign(n, options.ascii)), "", options.columns());
    }
    if !figure.left_out.is_empty() {
        text += &paragraph(&format!("({})", figure.left_out), "", options.columns());
    }
    let signs = figure.signs().into_iter().map(|role| format!("{} {}", options.role(role), role.word()));
    let signs: Vec<String> = signs.chain(figure.terms().into_iter().map(String::from)).collect();
    text + &wrap(&signs, "   ", options.columns())
}

fn panel(panel: &Panel, options: Options) -> String {
    let mark = panel.mark.map_or_else(String::new, |mark| format!("{} ", mark_sign(mark, options.ascii)));
    let status = if panel.status.is_empty() { String::new() } else { format!("   {}", panel.status) };
    let mut text = format!("{mark}{}{status}\n", panel.title);
    for line in &panel.lines {
        text += &match line {
            PanelLine::Chips(chips) => format!("  {}\n", self::chips(chips, options)),
            PanelLine::Free(words) => format!("  · {words} ·\n"),
            PanelLine::Band(band) => self::band(band, options),
            PanelLine::More(words) => format!("      {words}\n"),
            PanelLine::Tear(words) => format!("  /\\/\\/\\ {words} /\\/\\/\\\n"),
        };
    }
    text
}

fn chips(chips: &[Option<Chip>], options: Options) -> String {
    let chip = |chip: &Option<Chip>| match chip {
        None => String::from("…"),
        Some(chip) => {
            let mark = chip.mark.map_or_else(String::new, |mark| mark_sign(mark, options.ascii));
            format!("[{}]{}{mark}", chip.text, sign(chip.fate))
        }
    };
    chips.iter().map(chip).collect::<Vec<_>>().join(" ")
}

fn band(band: &Band, options: Options) -> String {
    let mark = band.mark.map_or_else(|| String::from(" "), |mark| mark_sign(mark, options.ascii));
    let pieces = [band.label.as_str(), &band.text, &band.leads];
    let text = pieces.into_iter().filter(|piece| !piece.is_empty()).map(ToString::to_string).collect::<Vec<_>>();
    let tag = if band.tag.is_empty() { String::new() } else { format!("   {}", band.tag) };
    format!("  {mark}{} {} {}{tag}\n", sign(band.fate), options.role(band.role), text.join("  "))
}

/// A sign for what became of a part.
const fn sign(fate: Fate) -> char {
    match fate {
        Fate::Same | Fate::Concerned => ' ',
        Fate::Shifted => '>',
        Fate::Changed => '*',
        Fate::New | Fate::Arrived => '+',
        Fate::Left | Fate::Gone => '-',
        Fate::Damaged => '!',
    }
}
