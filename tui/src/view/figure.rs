//! The figure of a step: panels side by side, their bands in the order of the page, ghosts struck through, arrows
//! beside and between the panels, the notes below.
//!
//! ```text
//! t · block 0            free 4,408 → 3,468      t_pkey · leaf, block 1        4 entries
//! ┌───────────────────────────────────────┐     ┌──────────────────────────────────────┐
//! │ 1 2 3 4 5                             │     │  1 ■ 1 → (0,1)                       │
//! │ ①▌5 ◆ id 1 · n 1      NEW · heap-only │◀╮   │ ③▌1 ■ 1 → (0,1)                      │
//! │ ②▌1 ◇ id 1 · n 0        xmax 0 → 758  │─╯   └──────────────────────────────────────┘
//! └───────────────────────────────────────┘
//! ```

mod arrows;

use super::canvas::{Canvas, scrolled, text_width, wrap};
use super::{Local, Pane, take_end};
use crate::theme::Ink;
use ffviz_story::app::View;
use ffviz_story::scene::PartId;
use ffviz_story::scene::figure::{Band, Chip, Fate, FigureScene, Panel, PanelLine, Widths, fitting, mark_sign};
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use std::ops::Range;

/// Columns of panels and between them; arrows with words take more.
const WIDTHS: Widths = Widths { least: 26, beside: 32, most: 60, gap: 5 };
/// Characters of a name that are enough to keep its end too.
const SHORT_NAME: usize = 6;
/// Lines between rows of panels, where arrows run.
const BETWEEN: u16 = 2;

/// A panel with its place; `y` counts from the top of the figure, which may be scrolled.
pub(super) struct Placed<'a> {
    /// its number in the figure
    pub n: usize,
    panel: &'a Panel,
    /// its lines, those left out that do not take part where there is little room
    lines: Vec<&'a PanelLine>,
    /// columns
    pub x: Range<u16>,
    /// lines, with title and borders
    pub y: Range<u16>,
}

/// Where a part was drawn.
pub(super) struct Spot {
    pub panel: usize,
    pub piece: PartId,
    pub y: u16,
    /// of a line pointer in the first row of them its column: an arrow comes to it from the border above
    pub below: Option<u16>,
}

/// Draws the figure.
pub fn draw(canvas: &mut Canvas, view: &View, scene: &FigureScene, area: Rect, local: &Local) {
    let mut rest = area;
    canvas.heading(super::take(&mut rest, 1), &scene.title, "", local.pane == Pane::Figure);
    let notes = notes(canvas, scene, area.width);
    let mut placed = place(scene, rest.x..rest.right(), false);
    if end(&placed) + notes.height() > rest.height {
        placed = place(scene, rest.x..rest.right(), true);
    }
    let total = end(&placed);
    // the notes stand below the panels; where both do not fit, the panels scroll
    let spare = rest.height.saturating_sub(total);
    let below = notes.height().min(rest.height / 2).max(spare);
    let mut under = take_end(&mut rest, below);
    let gap = u16::from(below > notes.height());
    super::take(&mut under, gap);
    notes.draw(canvas, under);
    let keep = view.selected.and_then(|part| line_of(scene, &placed, part));
    let from = scrolled(local.scroll.figure, usize::from(total), rest.height, keep.filter(|_| !local.loose));
    canvas.map.scroll.figure = from;
    let mut pen = Pen { canvas, view, area: rest, from, spots: Vec::new() };
    placed.iter().for_each(|panel| pen.panel(panel));
    arrows::draw(&mut pen, scene, &placed);
    more(&mut pen, total);
}

/// Lines that the figure needs.
pub fn height(scene: &FigureScene, width: u16) -> u16 {
    let notes: usize = scene.notes.iter().map(|note| wrap(note, width.saturating_sub(5)).len()).sum();
    let signs = usize::from(!scene.signs().is_empty() || !scene.terms().is_empty());
    height_of(scene, width) + (notes + signs) as u16 + 2
}

fn height_of(scene: &FigureScene, width: u16) -> u16 {
    end(&place(scene, 0..width, false))
}

fn end(placed: &[Placed<'_>]) -> u16 {
    placed.iter().map(|panel| panel.y.end).max().unwrap_or(0)
}

/// Says that there is more below.
fn more(pen: &mut Pen, total: u16) {
    let hidden = usize::from(total.saturating_sub(pen.from + pen.area.height));
    if hidden > 0 && pen.area.height > 0 {
        let words = super::canvas::more(hidden, false);
        let style = pen.canvas.theme.ink(Ink::Dim);
        let area = pen.area;
        pen.canvas.right(area.x, area.bottom() - 1, area.width, &words, style);
    }
}

/// Panels from left to right as far as the columns go, then below.
fn place<'a>(scene: &'a FigureScene, columns: Range<u16>, is_tight: bool) -> Vec<Placed<'a>> {
    let width = columns.end - columns.start;
    let mut placed: Vec<Placed<'a>> = Vec::new();
    let mut y = 0;
    for line in WIDTHS.rows(scene, i32::from(width)) {
        // arrows beside a panel and arrows to its neighbour share the columns behind it
        let gap = arrows::gap(scene, &line, width);
        let behind = |(at, n): (usize, &usize)| {
            let side = arrows::side(scene, *n);
            if at + 1 < line.len() { gap.max(side + 2) } else { side }
        };
        let behind: Vec<u16> = line.iter().enumerate().map(behind).collect();
        let room = width.saturating_sub(behind.iter().sum::<u16>() + 2);
        let mut x = columns.start + 1;
        let mut bottom = y;
        let wanted: Vec<i32> = line.iter().map(|n| i32::from(needed(&scene.panels[*n]))).collect();
        let shared = WIDTHS.share(&wanted, i32::from(room)).into_iter();
        let shared = shared.map(|width| u16::try_from(width).unwrap_or(0));
        for ((n, behind), each) in line.iter().zip(behind).zip(shared) {
            let panel = &scene.panels[*n];
            let lines: Vec<&PanelLine> = panel.lines.iter().filter(|line| !is_tight || takes_part(line)).collect();
            let height = 3 + lines.iter().map(|line| lines_of(line, each)).sum::<u16>();
            placed.push(Placed { n: *n, panel, lines, x: x..x + each, y: y..y + height });
            x += each + behind;
            bottom = bottom.max(y + height);
        }
        y = bottom + BETWEEN;
    }
    placed
}

/// Columns in which everything of a panel can be read.
fn needed(panel: &Panel) -> u16 {
    let heading = text_width(&panel.title) + text_width(&panel.status) + 4;
    let line = |line: &PanelLine| match line {
        PanelLine::Chips(_) => 0,
        PanelLine::Band(band) => text_width(&words(band)) + text_width(&band.tag) + text_width(&band.label) + 11,
        PanelLine::Free(words) | PanelLine::More(words) | PanelLine::Tear(words) => text_width(words) + 8,
    };
    panel.lines.iter().map(line).max().unwrap_or(0).max(heading)
}

/// Values or key, and where it leads.
fn words(band: &Band) -> String {
    if band.leads.is_empty() { band.text.clone() } else { format!("{} {}", band.text, band.leads) }
}

/// What became of the page: where there is no room for it beside the title, its first fact alone, then without what was
/// before.
fn short_status(panel: &Panel, room: u16) -> String {
    let fits = |status: &str| text_width(&panel.title) + 1 + text_width(status) <= room;
    let status = fitting(&panel.status, fits);
    match status.split_once(" → ") {
        Some((before, after)) if !fits(status) => {
            let word = before.split(' ').next().unwrap_or_default();
            format!("{word} → {after}")
        }
        _ => status.to_owned(),
    }
}

/// A title that fits: which block it is matters more than the whole name.
fn short_title(title: &str, room: u16) -> String {
    let Some((name, block)) = title.rsplit_once(" · ").filter(|_| text_width(title) > room) else {
        return title.to_owned();
    };
    let kept = usize::from(room.saturating_sub(text_width(block) + 4)).max(3);
    if kept < SHORT_NAME {
        return format!("{}… · {block}", name.chars().take(kept).collect::<String>());
    }
    format!("{} · {block}", ffviz_story::scene::words::middle(name, kept + 1))
}

fn takes_part(line: &PanelLine) -> bool {
    match line {
        PanelLine::Band(band) => band.fate.takes_part(),
        PanelLine::Chips(_) | PanelLine::Tear(_) | PanelLine::More(_) => true,
        PanelLine::Free(_) => false,
    }
}

fn lines_of(line: &PanelLine, width: u16) -> u16 {
    match line {
        PanelLine::Chips(chips) => chip_rows(chips, width.saturating_sub(2)).len() as u16,
        _ => 1,
    }
}

/// Line pointers with the columns that each takes, row by row.
fn chip_rows(chips: &[Option<Chip>], width: u16) -> Vec<Vec<&Option<Chip>>> {
    let mut rows: Vec<Vec<&Option<Chip>>> = Vec::from([Vec::new()]);
    let mut used = 0;
    for chip in chips {
        let needed = chip_width(chip) + 1;
        if used + needed > width + 1 && used > 0 {
            rows.push(Vec::new());
            used = 0;
        }
        used += needed;
        rows.last_mut().expect("one at least").push(chip);
    }
    rows
}

fn chip_width(chip: &Option<Chip>) -> u16 {
    chip.as_ref().map_or(1, |chip| text_width(&chip.text) + 2 + u16::from(chip.mark.is_some()))
}

/// The line of the figure on which a part stands.
fn line_of(scene: &FigureScene, placed: &[Placed<'_>], part: PartId) -> Option<usize> {
    let piece = scene.pieces().find(|piece| piece.part == part)?;
    let panel = placed.iter().find(|panel| panel.n == piece.panel)?;
    let mut y = panel.y.start + 2;
    for line in &panel.lines {
        let is_here = match line {
            PanelLine::Band(band) => band.part == piece.of_page && band.fate == piece.fate,
            PanelLine::Chips(chips) => chips.iter().flatten().any(|chip| chip.part == piece.of_page),
            _ => false,
        };
        if is_here {
            return Some(usize::from(y));
        }
        y += lines_of(line, panel.x.end - panel.x.start);
    }
    None
}

/// Draws at lines of the figure that may be scrolled out of sight.
pub(super) struct Pen<'c, 'b> {
    pub canvas: &'c mut Canvas<'b>,
    view: &'c View,
    pub area: Rect,
    from: u16,
    pub spots: Vec<Spot>,
}

impl Pen<'_, '_> {
    /// The line of the screen, where it is in sight.
    pub fn line(&self, y: u16) -> Option<u16> {
        let line = (self.area.y + y).checked_sub(self.from)?;
        (line >= self.area.y && line < self.area.bottom()).then_some(line)
    }

    fn panel(&mut self, placed: &Placed<'_>) {
        let Placed { n, panel, lines, x, y } = placed;
        self.title(panel, x, y.start);
        self.frame(x, y.start + 1..y.end, panel.is_new);
        let inner = x.start + 1..x.end - 1;
        let labels = panel.bands().map(|band| text_width(&band.label)).max().unwrap_or(0);
        let mut at = y.start + 2;
        let mut pieces = (0..).map(|at: u16| PartId::Piece(*n as u8, at));
        // pieces are counted with those that are left out
        let mut all = panel.lines.iter();
        for line in lines {
            for skipped in all.by_ref().take_while(|other| !std::ptr::eq(*other, *line)) {
                pieces.by_ref().take(pieces_of(skipped)).for_each(|_| ());
            }
            match line {
                PanelLine::Chips(chips) => self.chips(*n, chips, &inner, at, &mut pieces),
                PanelLine::Band(band) => {
                    let name = pieces.next().expect("there are numbers enough");
                    self.band(*n, band, labels, &inner, at, name);
                }
                PanelLine::Free(words) => self.middle(&format!("· {words} ·"), &inner, at, Ink::Dim),
                PanelLine::More(words) => drop(self.words(words, &(inner.start + labels + 4..inner.end), at, Ink::Dim)),
                PanelLine::Tear(words) => self.tear(words, x, at),
            }
            at += lines_of(line, x.end - x.start);
        }
    }

    fn title(&mut self, panel: &Panel, x: &Range<u16>, y: u16) {
        let Some(line) = self.line(y) else { return };
        let (strong, dim) = (self.canvas.theme.ink(Ink::Strong), self.canvas.theme.ink(Ink::Dim));
        let accent = self.canvas.theme.ink(Ink::Accent);
        let mark = self.mark(panel.mark);
        let start = self.canvas.pieces(x.start, line, x.end, &[(&mark, accent)]) + u16::from(panel.mark.is_some());
        let room = x.end.saturating_sub(start);
        let status = short_status(panel, room);
        let title = short_title(&panel.title, room.saturating_sub(text_width(&status) + 1));
        let end = self.canvas.text(start, line, room, &title, strong);
        self.canvas.right(
            end + 1,
            line,
            x.end.saturating_sub(end + 1),
            &status,
            if panel.has_news() { accent } else { dim },
        );
    }

    fn frame(&mut self, x: &Range<u16>, y: Range<u16>, is_new: bool) {
        let style = self.canvas.theme.ink(if is_new { Ink::Accent } else { Ink::Rule });
        let signs = if is_new {
            ['┏', '┓', '┗', '┛', '━', '┃']
        } else {
            ['┌', '┐', '└', '┘', '─', '│']
        };
        for at in y.clone() {
            let Some(line) = self.line(at) else { continue };
            let is_top = at == y.start;
            if is_top || at + 1 == y.end {
                let (left, right) = if is_top { (signs[0], signs[1]) } else { (signs[2], signs[3]) };
                for column in x.start..x.end {
                    self.canvas.put(column, line, signs[4], style);
                }
                self.canvas.put(x.start, line, left, style);
                self.canvas.put(x.end - 1, line, right, style);
            } else {
                self.canvas.put(x.start, line, signs[5], style);
                self.canvas.put(x.end - 1, line, signs[5], style);
            }
        }
    }

    fn mark(&self, mark: Option<u8>) -> String {
        mark.map_or_else(String::new, |mark| mark_sign(mark, self.canvas.theme.ascii))
    }

    fn chips(
        &mut self,
        panel: usize,
        chips: &[Option<Chip>],
        x: &Range<u16>,
        y: u16,
        names: &mut impl Iterator<Item = PartId>,
    ) {
        let first = y;
        for (row, y) in chip_rows(chips, x.end - x.start).into_iter().zip(y..) {
            let mut at = x.start;
            for chip in row {
                let Some(chip) = chip else {
                    at = self.words("…", &(at..x.end), y, Ink::Dim) + 1;
                    continue;
                };
                let name = names.next().expect("there are numbers enough");
                let middle = at + chip_width(&Some(chip.clone())) / 2;
                self.spots.push(Spot { panel, piece: name, y, below: (y == first).then_some(middle) });
                at = self.chip(chip, at..x.end, y, name) + 1;
            }
        }
    }

    fn chip(&mut self, chip: &Chip, x: Range<u16>, y: u16, name: PartId) -> u16 {
        let width = chip_width(&Some(chip.clone()));
        let Some(line) = self.line(y) else { return x.start + width };
        let mark = self.mark(chip.mark);
        let theme = self.canvas.theme;
        let style = match chip.fate {
            Fate::Same | Fate::Shifted => theme.ink(Ink::Dim),
            Fate::Gone | Fate::Left => theme.ink(Ink::Dim).add_modifier(Modifier::CROSSED_OUT),
            Fate::Concerned => theme.ink(Ink::Strong),
            _ => theme.ink(Ink::Accent),
        };
        let text = format!("[{}]", chip.text);
        let accent = theme.ink(Ink::Accent);
        let end = self.canvas.pieces(x.start, line, x.end, &[(&mark, accent), (&text, self.selected(name, style))]);
        let area = Rect { x: x.start, y: line, width: end.saturating_sub(x.start), height: 1 };
        self.canvas.part(area, name, chip.role, &chip.text);
        end
    }

    fn selected(&self, name: PartId, style: Style) -> Style {
        if self.view.selected == Some(name) { self.canvas.theme.ink(Ink::Selection) } else { style }
    }

    fn band(&mut self, panel: usize, band: &Band, labels: u16, x: &Range<u16>, y: u16, name: PartId) {
        self.spots.push(Spot { panel, piece: name, y, below: None });
        let Some(line) = self.line(y) else { return };
        let theme = self.canvas.theme;
        let (accent, dim) = (theme.ink(Ink::Accent), theme.ink(Ink::Dim));
        let text = match band.fate {
            Fate::Gone => dim.add_modifier(Modifier::CROSSED_OUT),
            Fate::Left => dim,
            Fate::Same | Fate::Shifted => theme.ink(Ink::Text),
            _ => theme.ink(Ink::Strong),
        };
        let tag = if band.fate.is_ghost() || band.fate == Fate::Same { dim } else { accent };
        let text = self.selected(name, text);
        self.canvas.text(x.start, line, 2, &self.mark(band.mark), accent);
        let bar = if band.fate.takes_part() { "▌" } else { " " };
        self.canvas.text(x.start + 1, line, 1, if band.fate.is_ghost() { "╎" } else { bar }, tag);
        self.canvas.right(x.start + 2, line, labels, &band.label, dim);
        let glyph = format!(" {} ", theme.glyph(band.role));
        let fill = if band.fate.is_ghost() { dim } else { theme.fill(band.role) };
        let at = self.canvas.text(x.start + 2 + labels + u16::from(labels > 0), line, 3, &glyph, fill) + 1;
        let leads = text_width(&band.leads) + u16::from(!band.leads.is_empty());
        let room = x.end.saturating_sub(at);
        // what became of it is what the figure is for: its first fact is not cut, rather the values are
        let fact = text_width(fitting(&band.tag, |_| false)) + 1;
        let needed = text_width(&band.text).min(14).min(room.saturating_sub(fact + leads)).max(4) + leads;
        let tagged = room.saturating_sub(needed + 1);
        let tag_words = fitting(&band.tag, |tag| text_width(tag) <= tagged);
        let tagged = text_width(tag_words) + u16::from(!tag_words.is_empty());
        let room = room.saturating_sub(tagged).max(needed).min(room);
        let space = room.saturating_sub(leads).max(4);
        let words = band.fitting(|words| text_width(words) <= space);
        let end = self.canvas.text(at, line, space, &words, text);
        let end = match leads {
            0 => end,
            _ => self.canvas.text(end + 1, line, x.end.saturating_sub(end + 1), &band.leads, text),
        };
        self.canvas.right(end + 1, line, x.end.saturating_sub(end + 1), tag_words, tag);
        let area = Rect { x: x.start, y: line, width: x.end - x.start, height: 1 };
        self.canvas.part(area, name, band.role, &band.text);
    }

    fn tear(&mut self, words: &str, x: &Range<u16>, y: u16) {
        let Some(line) = self.line(y) else { return };
        let style = self.canvas.theme.ink(Ink::Accent);
        for column in x.clone() {
            self.canvas.put(column, line, if column % 2 == 0 { '╱' } else { '╲' }, style);
        }
        self.middle(&format!(" {words} "), x, y, Ink::Accent);
    }

    fn middle(&mut self, words: &str, x: &Range<u16>, y: u16, ink: Ink) {
        let spare = (x.end - x.start).saturating_sub(text_width(words));
        self.words(words, &(x.start + spare / 2..x.end), y, ink);
    }

    fn words(&mut self, words: &str, x: &Range<u16>, y: u16, ink: Ink) -> u16 {
        let Some(line) = self.line(y) else { return x.start };
        let style = self.canvas.theme.ink(ink);
        self.canvas.text(x.start, line, x.end.saturating_sub(x.start), words, style)
    }
}

/// Parts of a line that can be selected.
fn pieces_of(line: &PanelLine) -> usize {
    match line {
        PanelLine::Chips(chips) => chips.iter().flatten().count(),
        PanelLine::Band(_) => 1,
        PanelLine::Free(_) | PanelLine::More(_) | PanelLine::Tear(_) => 0,
    }
}

/// The notes, broken into lines.
struct Notes(Vec<(String, String)>);

fn notes(canvas: &Canvas, scene: &FigureScene, width: u16) -> Notes {
    let mut lines = Vec::new();
    for (n, note) in (1..).zip(&scene.notes) {
        let sign = if scene.has_mark(n) { mark_sign(n, canvas.theme.ascii) } else { String::new() };
        let broken = wrap(note, width.saturating_sub(5));
        lines.extend(
            broken.into_iter().enumerate().map(|(at, line)| (if at == 0 { sign.clone() } else { String::new() }, line)),
        );
    }
    if !scene.left_out.is_empty() {
        lines.extend(wrap(&scene.left_out, width.saturating_sub(5)).into_iter().map(|line| (String::new(), line)));
    }
    let signs = scene.signs().into_iter().map(|role| format!("{} {}", canvas.theme.glyph(role), role.word()));
    let signs = signs.chain(scene.terms().into_iter().map(String::from));
    let signs = wrap_pieces(signs, width.saturating_sub(5));
    lines.extend(signs.into_iter().map(|line| (String::new(), line)));
    Notes(lines)
}

/// Pieces side by side, in as many lines as they need.
fn wrap_pieces(pieces: impl Iterator<Item = String>, width: u16) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for piece in pieces {
        match lines.last_mut() {
            Some(line) if text_width(line) + 3 + text_width(&piece) <= width => {
                line.push_str("   ");
                line.push_str(&piece);
            }
            _ => lines.push(piece),
        }
    }
    lines
}

impl Notes {
    fn height(&self) -> u16 {
        self.0.len() as u16
    }

    fn draw(&self, canvas: &mut Canvas, area: Rect) {
        let (accent, text) = (canvas.theme.ink(Ink::Accent), canvas.theme.ink(Ink::Text));
        for ((sign, words), y) in self.0.iter().zip(area.top()..area.bottom()) {
            canvas.text(area.x + 1, y, 2, sign, accent);
            canvas.text(area.x + 4, y, area.width.saturating_sub(5), words, text);
        }
    }
}
