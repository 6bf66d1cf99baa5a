//! What the views draw on: a ratatui buffer, a theme, and a note of where each part went.

use crate::theme::{Ink, Theme, to_ascii};
use ffviz_format::page::{ForkNumber, Oid};
use ffviz_story::app::ViewName;
use ffviz_story::scene::{Measure, PartId, Role, WalList};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::text::Span;

/// What a click on some place means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// a part of the picture, as what it is shown, and its words
    Part(PartId, Role, String),
    /// a view's tab
    Tab(ViewName),
    /// a relation's tab
    Relation(Oid, ForkNumber),
    /// a measure of the map
    Measure(Measure),
    /// a list of the WAL view
    WalList(WalList),
    /// a state on the timeline bar
    Step(usize),
    /// a line of the explanation
    Event(usize),
    /// an answer to a lesson's question
    Choice(usize),
    /// a pane: takes the focus, scrolls by wheel
    Pane(Pane),
}

/// The parts of the screen that can be scrolled and focused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Pane {
    /// the main picture
    #[default]
    Figure,
    /// the fields of what is selected
    Inspector,
    /// what happened and why
    Explanation,
    /// what is read of a lesson
    Narration,
    /// help or another text over the view
    Overlay,
}

/// How far the panes are scrolled, in lines; the figure's rows too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Scroll {
    /// rows of the page, list, map or tree
    pub figure: u16,
    /// columns of the tree
    pub sideways: u16,
    /// inspector
    pub inspector: u16,
    /// explanation
    pub explanation: u16,
    /// what is read of a lesson
    pub narration: u16,
    /// help
    pub overlay: u16,
}

/// Where everything went: for the mouse and for the parity test.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HitMap {
    /// areas in the order of drawing: a later one lies over an earlier one
    pub hits: Vec<(Rect, Target)>,
    /// the scroll positions as they came out: never past the end, and so that the selection can be seen
    pub scroll: Scroll,
    /// where the text of the editor stands
    pub editor: Option<Rect>,
    /// what a pane has to read that is out of sight, in a word
    pub hidden: Option<&'static str>,
}

impl HitMap {
    /// What lies at a place, uppermost first.
    pub fn at(&self, x: u16, y: u16) -> impl Iterator<Item = &Target> {
        self.hits.iter().rev().filter(move |(area, _)| area.contains(Position { x, y })).map(|(_, target)| target)
    }

    /// Lines of a pane, where it is on the screen.
    #[must_use]
    pub fn height(&self, pane: Pane) -> Option<u16> {
        let area = self.hits.iter().rev().find(|(_, target)| *target == Target::Pane(pane));
        area.map(|(area, _)| area.height)
    }

    /// The parts shown, in the order of drawing.
    pub fn parts(&self) -> impl Iterator<Item = (PartId, Role, &str)> {
        self.hits.iter().filter_map(|(_, target)| match target {
            Target::Part(part, role, label) => Some((*part, *role, label.as_str())),
            _ => None,
        })
    }
}

/// A buffer with a theme that remembers where parts are.
pub struct Canvas<'a> {
    pub(super) buffer: &'a mut Buffer,
    /// how things look
    pub theme: &'a Theme,
    /// where they went
    pub map: HitMap,
}

impl Canvas<'_> {
    /// Writes text of at most `width` columns; cuts what is too long with an ellipsis. Returns the column after it.
    pub fn text(&mut self, x: u16, y: u16, width: u16, text: &str, style: Style) -> u16 {
        let area = *self.buffer.area();
        if y >= area.bottom() || x >= area.right() || width == 0 {
            return x;
        }
        let width = width.min(area.right() - x);
        if text_width(text) <= width {
            return self.buffer.set_stringn(x, y, text, usize::from(width), style).0;
        }
        let (end, _) = self.buffer.set_stringn(x, y, text, usize::from(width - 1), style);
        self.buffer.set_stringn(end, y, "…", 1, style).0
    }

    /// The same, flush right within `width`.
    pub fn right(&mut self, x: u16, y: u16, width: u16, text: &str, style: Style) {
        let used = text_width(text).min(width);
        self.text(x + width - used, y, used, text, style);
    }

    /// Writes pieces one behind the other up to column `end`. Returns the column after them.
    pub fn pieces(&mut self, x: u16, y: u16, end: u16, pieces: &[(&str, Style)]) -> u16 {
        pieces.iter().fold(x, |x, (text, style)| self.text(x, y, end.saturating_sub(x), text, *style))
    }

    /// One character.
    pub fn put(&mut self, x: u16, y: u16, c: char, style: Style) {
        if let Some(cell) = self.buffer.cell_mut((x, y)) {
            cell.set_char(c).set_style(style);
        }
    }

    /// What stands at a place.
    #[must_use]
    pub fn symbol(&self, x: u16, y: u16) -> String {
        self.buffer.cell((x, y)).map_or(String::new(), |cell| cell.symbol().to_owned())
    }

    /// The style of a place.
    #[must_use]
    pub fn style(&self, x: u16, y: u16) -> Style {
        self.buffer.cell((x, y)).map_or(Style::new(), ratatui::buffer::Cell::style)
    }

    /// Changes the style of an area, keeps its characters.
    pub fn paint(&mut self, area: Rect, style: Style) {
        self.buffer.set_style(area, style);
    }

    /// Empties an area.
    pub fn clear(&mut self, area: Rect) {
        let area = area.intersection(*self.buffer.area());
        for y in area.top()..area.bottom() {
            for x in area.left()..area.right() {
                self.buffer[(x, y)].reset();
            }
        }
        self.paint(area, self.theme.ground());
    }

    /// A thin line with a heading on it, and a second text flush right.
    pub fn heading(&mut self, area: Rect, title: &str, right: &str, focused: bool) {
        let (rule, dim) = (self.theme.ink(Ink::Rule), self.theme.ink(Ink::Dim));
        for x in area.left()..area.right() {
            self.put(x, area.y, '─', rule);
        }
        let style = if focused { self.theme.ink(Ink::Strong) } else { dim };
        let mark = if focused { "▸ " } else { " " };
        let room = area.right().saturating_sub(area.x + 4);
        let x = self.pieces(area.x + 2, area.y, area.x + 2 + room, &[(mark, style), (title, style), (" ", dim)]);
        let left = area.right().saturating_sub(x + 2);
        if !right.is_empty() && left > 8 {
            let text = format!(" {right} ");
            let used = text_width(&text).min(left);
            self.text(area.right() - 1 - used, area.y, used, &text, dim);
        }
    }

    /// Notes that a part lies here.
    pub fn part(&mut self, area: Rect, part: PartId, role: Role, label: &str) {
        self.hit(area, Target::Part(part, role, label.to_owned()));
    }

    /// Notes what a click here means.
    pub fn hit(&mut self, area: Rect, target: Target) {
        let area = area.intersection(*self.buffer.area());
        if !area.is_empty() {
            self.map.hits.push((area, target));
        }
    }

    /// Replaces what is not ASCII; cells beside a wide character stay as they are.
    pub fn only_ascii(&mut self) {
        for cell in &mut self.buffer.content {
            if let Some(c) = cell.symbol().chars().next().filter(|c| !c.is_ascii()) {
                cell.set_char(to_ascii(c));
            }
        }
    }
}

/// Columns that a text takes.
#[must_use]
pub fn text_width(text: &str) -> u16 {
    u16::try_from(Span::raw(text).width()).unwrap_or(u16::MAX)
}

/// Breaks a text into lines of at most `width` columns, between words where that is possible.
#[must_use]
pub fn wrap(text: &str, width: u16) -> Vec<String> {
    let width = width.max(8);
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        let mut word = word.to_owned();
        if !line.is_empty() && text_width(&line) + 1 + text_width(&word) > width {
            lines.push(std::mem::take(&mut line));
        }
        while text_width(&word) > width {
            let cut = word.char_indices().take_while(|(at, c)| text_width(&word[..at + c.len_utf8()]) <= width).last();
            let rest = word.split_off(cut.map_or(word.len(), |(at, c)| at + c.len_utf8()));
            lines.push(std::mem::replace(&mut word, rest));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(&word);
    }
    if !line.is_empty() {
        lines.push(line);
    }
    lines
}

/// How many lines are out of sight below, and until the pane has the keys, the key that gives it them.
#[must_use]
pub fn more(hidden: usize, focused: bool) -> String {
    match (hidden, focused) {
        (0, _) => String::new(),
        (_, true) => format!("↓ {hidden}"),
        (_, false) => format!("↓ {hidden} · Tab"),
    }
}

/// The first line to show of `count` when `height` fit: `from` where possible, but so that line `keep` is among them,
/// with a few lines around it.
#[must_use]
pub fn scrolled(from: u16, count: usize, height: u16, keep: Option<usize>) -> u16 {
    let last = u16::try_from(count).unwrap_or(u16::MAX).saturating_sub(height);
    let from = from.min(last);
    let Some(keep) = keep.and_then(|keep| u16::try_from(keep).ok()) else { return from };
    if height == 0 {
        return from;
    }
    let around = 3.min(height.saturating_sub(1) / 2);
    from.clamp((keep + around + 1).saturating_sub(height), keep.saturating_sub(around)).min(last)
}

/// The first line to show so that each of these lines is in sight; where they do not fit together, a later one goes
/// before an earlier.
#[must_use]
pub fn kept(from: u16, count: usize, height: u16, lines: impl Iterator<Item = usize>) -> u16 {
    lines.fold(scrolled(from, count, height, None), |from, line| scrolled(from, count, height, Some(line)))
}
