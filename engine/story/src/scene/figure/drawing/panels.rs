//! The panels of a figure: titles, boxes, line pointers, bands.

use super::super::{Band, Chip, Fate, FigureScene, Panel, PanelLine, Widths, fitting};
use super::text::{fit, width};
use super::{Anchor, Form, MARGIN, Paint, Pen, Place, Shape, Spot};
use crate::scene::PartId;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::page::RegionKind;

/// Widths of panels; arrows with words take more between them.
const WIDTHS: Widths = Widths { least: 260, beside: 260, most: 520, gap: 44 };
/// Between rows of panels.
const BETWEEN: i32 = 46;
/// Title above the box.
const TITLE: i32 = 26;
/// Within the box.
const PADDING: i32 = 10;
/// Height of a row of line pointers.
const CHIPS: i32 = 30;
/// Width that a panel asks for on account of its rows' values.
const MOST_VALUES: i32 = 190;
/// The same of a row that takes part.
const MOST_CHANGED: i32 = 270;
/// Height of a line of words.
const WORDS: i32 = 24;

/// Draws all panels; returns where they end.
pub(super) fn draw(pen: &mut Pen, scene: &FigureScene, room: i32) -> i32 {
    let mut y = MARGIN;
    for row in WIDTHS.rows(scene, room - 2 * MARGIN) {
        let sides: Vec<i32> = row.iter().map(|n| side(scene, *n)).collect();
        let gap = gap(scene, &row);
        let n = row.len() as i32;
        let free = room - 2 * MARGIN - gap * (n - 1) - sides.iter().sum::<i32>();
        let mut x = MARGIN;
        let mut bottom = y;
        let wanted: Vec<i32> = row.iter().map(|n| needed(&scene.panels[*n])).collect();
        for ((n, side), w) in row.iter().zip(sides).zip(WIDTHS.share(&wanted, free)) {
            bottom = bottom.max(panel(pen, scene, *n, Slot { x, y, w }));
            x += w + side + gap;
        }
        y = bottom + BETWEEN;
    }
    // without a panel the notes begin at the top
    (y - BETWEEN).max(0)
}

/// Room beside a panel for arrows within it.
fn side(scene: &FigureScene, panel: usize) -> i32 {
    let within = scene.arrows.iter().filter(|arrow| arrow.from.0 == panel && arrow.to.0 == panel);
    within.map(|arrow| 44 + longest(&arrow.word)).max().unwrap_or(0)
}

fn gap(scene: &FigureScene, row: &[usize]) -> i32 {
    let across = scene.arrows.iter().filter(|a| a.from.0 != a.to.0 && row.contains(&a.from.0) && row.contains(&a.to.0));
    across.map(|arrow| longest(&arrow.word) + 30).max().unwrap_or(0).clamp(WIDTHS.gap, 110)
}

/// Width of the longest word: an arrow's words stand one below the other.
pub(super) fn longest(words: &str) -> i32 {
    words.split(' ').map(width).max().unwrap_or(0)
}

fn needed(panel: &Panel) -> i32 {
    let heading = wider(&panel.title) + width(&panel.status) + 24;
    let line = |line: &PanelLine| match line {
        PanelLine::Chips(_) => WIDTHS.least,
        PanelLine::Band(band) => {
            // of a row's values a few are enough; a title, and what changed, is to be read whole
            let most = if band.fate.takes_part() { MOST_CHANGED } else { MOST_VALUES };
            let text = width(&band.text).min(most);
            width(&band.label) + text + width(&band.leads) + width(&band.tag) + 2 * PADDING + 62
        }
        PanelLine::Free(words) | PanelLine::More(words) | PanelLine::Tear(words) => width(words) + 40,
    };
    panel.lines.iter().map(line).max().unwrap_or(0).max(heading)
}

/// Where something is drawn: as high as it needs.
#[derive(Debug, Clone, Copy)]
struct Slot {
    x: i32,
    y: i32,
    w: i32,
}

fn panel(pen: &mut Pen, scene: &FigureScene, n: usize, Slot { x, y, w }: Slot) -> i32 {
    let panel = &scene.panels[n];
    pen.of = panel.identity();
    title(pen, panel, Slot { x, y, w });
    let top = y + TITLE;
    let within = |at: i32| Slot { x: x + PADDING, y: at, w: w - 2 * PADDING };
    let frame = pen.shapes.len();
    let mut at = top + PADDING;
    let mut names = (0..).map(|at: u16| PartId::Piece(n as u8, at));
    let labels = panel.bands().map(|band| width(&band.label)).max().unwrap_or(0);
    for line in &panel.lines {
        pen.of = if let PanelLine::Band(band) = line { panel.identity_of(band) } else { None };
        at = match line {
            PanelLine::Chips(chips) => self::chips(pen, n, panel, chips, within(at), &mut names),
            PanelLine::Free(words) => middle(pen, words, Slot { x, y: at, w }, Paint::Dim),
            PanelLine::Band(band) => {
                let name = names.next().unwrap_or(PartId::Region(RegionKind::Hole));
                self::band(pen, n, band, labels, name, within(at))
            }
            PanelLine::More(words) => {
                pen.text(x + PADDING + labels + 34, at + 16, Anchor::Start, fit(words, w - labels - 60), Paint::Dim);
                at + WORDS
            }
            PanelLine::Tear(words) => tear(pen, words, Slot { x, y: at, w }),
        };
    }
    let bottom = at + PADDING - 4;
    let paint = if panel.is_new { Paint::FrameNew } else { Paint::Frame };
    let form = Form::Rect { x, y: top, w, h: bottom - top, r: 6 };
    pen.of = None;
    pen.shapes.insert(frame, Shape { form, paint, fate: Fate::Same, part: None, of: panel.identity() });
    pen.boxes.push(Place { panel: n, x, y, w, bottom });
    bottom
}

/// Width of a title, whose letters are larger.
fn wider(title: &str) -> i32 {
    width(title) * 16 / 14
}

fn title(pen: &mut Pen, panel: &Panel, Slot { x, y, w }: Slot) {
    let mut left = x;
    if let Some(mark) = panel.mark {
        pen.mark(x + 10, y + 10, mark);
        left += 26;
    }
    let most = (w / 2).max(w - (left - x) - wider(&panel.title) - 12);
    let status = fit(fitting(&panel.status, |status| width(status) <= most), most);
    // where there is no room for both, the name goes before what is no news
    let is_short = wider(&panel.title) + width(&status) + 12 > w - (left - x);
    let status = if is_short && !panel.has_news() { String::new() } else { status };
    let room = w - (left - x) - width(&status) - 12;
    pen.text(left, y + 16, Anchor::Start, fit(&panel.title, room * 14 / 16), Paint::Title);
    pen.text(x + w, y + 16, Anchor::End, status, if panel.has_news() { Paint::Tag } else { Paint::Dim });
}

fn middle(pen: &mut Pen, words: &str, Slot { x, y, w }: Slot, paint: Paint) -> i32 {
    pen.text(x + w / 2, y + 16, Anchor::Middle, fit(words, w - 16), paint);
    y + WORDS
}

fn tear(pen: &mut Pen, words: &str, Slot { x, y, w }: Slot) -> i32 {
    let mut path = format!("M{x} {}", y + 4);
    let teeth = w / 10;
    for tooth in 1..=teeth {
        path += &format!("L{} {}", x + tooth * w / teeth.max(1), y + if tooth % 2 == 0 { 4 } else { 10 });
    }
    pen.put(Form::Path(path), Paint::Tear, Fate::Same);
    middle(pen, words, Slot { x, y: y + 10, w }, Paint::Tag) + 4
}

fn chips(
    pen: &mut Pen,
    n: usize,
    panel: &Panel,
    chips: &[Option<Chip>],
    Slot { x: left, y: top, w }: Slot,
    names: &mut impl Iterator<Item = PartId>,
) -> i32 {
    let (mut x, mut y) = (left, top);
    for chip in chips {
        let wide = chip.as_ref().map_or(16, chip_width);
        if x > left && x + wide > left + w {
            (x, y) = (left, y + CHIPS);
        }
        match chip {
            None => pen.text(x + wide / 2, y + 16, Anchor::Middle, "…", Paint::Dim),
            Some(chip) => {
                let name = names.next().unwrap_or(PartId::Region(RegionKind::Hole));
                pen.of = panel.identity_of_chip(chip);
                self::chip(pen, n, chip, name, Slot { x, y, w: wide });
            }
        }
        x += wide + 6;
    }
    y + CHIPS
}

fn chip(pen: &mut Pen, panel: usize, chip: &Chip, name: PartId, Slot { x, y, w }: Slot) {
    let form = Form::Rect { x, y, w, h: 23, r: 4 };
    let part = Some((name, chip.role, chip.text.clone()));
    pen.shapes.push(Shape { form, paint: Paint::Chip, fate: chip.fate, part, of: pen.of });
    pen.spots.push(Spot { panel, piece: name, y, h: 23, chip: Some(x + w / 2) });
    let paint = if chip.fate.takes_part() { Paint::Strong } else { Paint::Dim };
    let form = Form::Text {
        x: x + w / 2 + if chip.mark.is_some() { 12 } else { 0 },
        y: y + 16,
        anchor: Anchor::Middle,
        text: chip.text.clone(),
    };
    pen.put(form, paint, chip.fate);
    if let Some(mark) = chip.mark {
        pen.mark(x + 12, y + 11, mark);
    }
}

fn chip_width(chip: &Chip) -> i32 {
    width(&chip.text) + if chip.mark.is_some() { 38 } else { 14 }
}

/// Tuples are as high as they are long, within bounds.
fn height(band: &Band) -> i32 {
    25 + i32::from(band.bytes / 90).min(12)
}

fn band(pen: &mut Pen, panel: usize, band: &Band, labels: i32, name: PartId, Slot { x, y, w }: Slot) -> i32 {
    let h = height(band);
    let part = Some((name, band.role, band.text.clone()));
    let form = Form::Rect { x, y, w, h, r: 4 };
    pen.shapes.push(Shape { form, paint: Paint::Band(band.role), fate: band.fate, part, of: pen.of });
    pen.spots.push(Spot { panel, piece: name, y, h, chip: None });
    if band.fate == Fate::Damaged {
        pen.put(Form::Path(hatching(x, y, w, h)), Paint::Hatch, Fate::Damaged);
    }
    let base = y + h / 2 + 5;
    let mut left = x + 14;
    if labels > 0 {
        pen.put(text(left + labels, base, Anchor::End, band.label.clone()), Paint::Dim, band.fate);
        left += labels + 8;
    }
    pen.put(text(left + 6, base, Anchor::Middle, String::from(band.role.glyph())), Paint::Dim, band.fate);
    left += 20;
    let room = x + w - left - width(&band.text).min(150) - width(&band.leads) - 26;
    let tag = fitting(&band.tag, |tag| width(tag) <= room);
    // it is bold, and is to be read whole
    let tag_width = width(tag) * 21 / 20;
    let right = x + w - 8;
    pen.put(
        text(right, base, Anchor::End, String::from(tag)),
        if band.fate.is_ghost() || band.fate == Fate::Same { Paint::Dim } else { Paint::Tag },
        band.fate,
    );
    let room = right - tag_width - if tag_width > 0 { 16 } else { 0 } - left;
    // where there is no room for both, what it is goes before where it leads
    let leads = if width(&band.leads) + width(&band.text).min(60) > room { 0 } else { width(&band.leads) };
    let paint = if band.fate.takes_part() { Paint::Strong } else { Paint::Text };
    let words = fit(&band.fitting(|text| width(text) <= room - leads), room - leads);
    pen.put(text(left, base, Anchor::Start, words), paint, band.fate);
    if leads > 0 {
        let at = right - tag_width - if tag_width > 0 { 16 } else { 0 };
        pen.put(text(at, base, Anchor::End, band.leads.clone()), Paint::Mono, band.fate);
    }
    if let Some(mark) = band.mark {
        pen.mark(x, y + h / 2, mark);
    }
    y + h + 4
}

fn text(x: i32, y: i32, anchor: Anchor, text: String) -> Form {
    Form::Text { x, y, anchor, text }
}

/// Lines across a rectangle.
fn hatching(x: i32, y: i32, w: i32, h: i32) -> String {
    let mut path = String::new();
    let mut at = -h;
    while at < w {
        let (from, to) = (at.max(0), (at + h).min(w));
        path += &format!("M{} {}L{} {}", x + from, y + h - (from - at), x + to, y + h - (to - at));
        at += 8;
    }
    path
}
