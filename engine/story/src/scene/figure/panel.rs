//! What a figure is made of: panels with lines, bands within them, arrows between bands.

use crate::scene::{PartId, Role, words};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::page::{BlockNumber, ItemPointer, OffsetNumber, Oid};
use ffviz_format::state::PageId;

/// What stands in front of who did it.
pub(super) const BY: &str = "by ";

/// A page, or a strip of a map or of the WAL, as a box.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Panel {
    /// the page it shows, where it is one
    pub page: Option<PageId>,
    /// `t · block 0`, `t_pkey · leaf 1`
    pub title: String,
    /// beside it: `free 4,408 → 3,468`, `new page`
    pub status: String,
    /// is the page new with this step?
    pub is_new: bool,
    /// 0 in the upper row, 1 below it: a page of an index and its children
    pub row: u8,
    /// a number that a note explains, for the panel as a whole
    pub mark: Option<u8>,
    /// from top to bottom, as on the page
    pub lines: Vec<PanelLine>,
    /// what its bands lead to that take part, those too that were left out
    pub(super) goals: Vec<(Fate, Goal)>,
    /// what is said of its bands, those too that were left out, and of how many
    pub(super) tags: Vec<(Fate, String, usize)>,
}

/// A line of a panel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PanelLine {
    /// line pointers, in order; `None` stands for some left out
    Chips(Vec<Option<Chip>>),
    /// free bytes between line pointers and tuples
    Free(String),
    /// a tuple, an index entry, a block of a map, a piece of a record
    Band(Band),
    /// bands left out, in words
    More(String),
    /// here the page is torn: what is above was written, what is below was not
    Tear(String),
}

/// A line pointer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chip {
    /// which
    pub part: PartId,
    /// `3`, of a redirect `1→5`
    pub text: String,
    /// its state
    pub role: Role,
    /// of a redirect: the line pointer that it leads to
    pub target: Option<OffsetNumber>,
    /// what became of it
    pub fate: Fate,
    /// others of which the same is to be said
    pub(super) also: Vec<PartId>,
    /// a number that a note explains
    pub mark: Option<u8>,
}

/// What became of a part in this step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Fate {
    /// nothing
    #[default]
    Same,
    /// it is the one that the event is about, or leads to, and did not change
    Concerned,
    /// only its place on the page changed
    Shifted,
    /// its bytes changed
    Changed,
    /// it was not there before
    New,
    /// it came from another panel
    Arrived,
    /// it went to another panel: a ghost
    Left,
    /// it is gone: a ghost
    Gone,
    /// its bytes cannot be what they should be
    Damaged,
}

impl Fate {
    /// Is it drawn as a ghost: not there any more?
    #[must_use]
    pub const fn is_ghost(self) -> bool {
        matches!(self, Self::Left | Self::Gone)
    }

    /// Does it take part in the event?
    #[must_use]
    pub const fn takes_part(self) -> bool {
        !matches!(self, Self::Same | Self::Shifted)
    }

    /// Its name, for style sheets and programs.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Concerned => "concerned",
            Self::Shifted => "shifted",
            Self::Changed => "changed",
            Self::New => "new",
            Self::Arrived => "arrived",
            Self::Left => "left",
            Self::Gone => "gone",
            Self::Damaged => "damaged",
        }
    }

    /// In a word, for who does not see it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Same | Self::Concerned => "",
            Self::Shifted => "shifted",
            Self::Changed => "changed",
            Self::New => "new",
            Self::Arrived => "moved here",
            Self::Left => "moved away",
            Self::Gone => "removed",
            Self::Damaged => "damaged",
        }
    }
}

/// A full-width box in a panel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Band {
    /// which part of the page
    pub part: PartId,
    /// number of its line pointer; nothing where that does not matter
    pub label: String,
    /// values or key
    pub text: String,
    /// of a row the values, which [`Self::fitting`] makes fewer where there is little room
    pub(super) values: Vec<Value>,
    /// where it leads: `→ (0,3)`, `→ block 2`
    pub leads: String,
    /// what changed: `NEW`, `xmax 0 → 758`
    pub tag: String,
    /// what it is
    pub role: Role,
    /// what became of it
    pub fate: Fate,
    /// what it stands for, or leads to
    pub goal: Option<Goal>,
    /// bytes that it takes
    pub bytes: u16,
    /// a number that a note explains
    pub mark: Option<u8>,
}

/// Which thing it is, the same in the figures of several steps: what stands elsewhere in the next one has moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Identity {
    /// a page as a whole
    Page(PageId),
    /// a part of a page: a tuple, a line pointer, a fact
    Part(PageId, PartId),
    /// an entry of an index, by what it leads to: it goes from page to page
    Entry(Oid, Goal),
}

/// From a piece of a panel to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arrow {
    /// panel and piece where it starts
    pub from: (usize, PartId),
    /// panel and piece where it ends
    pub to: (usize, PartId),
    /// is it the event itself?
    pub bold: bool,
    /// `next version`
    pub word: String,
}

/// What a band stands for, or leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Goal {
    /// a tuple of the table; of an index entry the first that it leads to
    Row(ItemPointer),
    /// a page below
    Child(BlockNumber),
}

impl Goal {
    /// The tuple.
    #[must_use]
    pub const fn row(self) -> Option<ItemPointer> {
        if let Self::Row(tid) = self { Some(tid) } else { None }
    }

    /// The page.
    #[must_use]
    pub const fn child(self) -> Option<BlockNumber> {
        if let Self::Child(block) = self { Some(block) } else { None }
    }
}

impl Chip {
    /// Does it stand for this line pointer?
    #[must_use]
    pub fn is(&self, part: PartId) -> bool {
        self.part == part || self.also.contains(&part)
    }
}

impl Panel {
    /// The page.
    #[must_use]
    pub fn identity(&self) -> Option<Identity> {
        self.page.map(Identity::Page)
    }

    /// Does what stands beside its title tell of a change?
    #[must_use]
    pub fn has_news(&self) -> bool {
        self.is_new || self.status.contains('→') || self.status.starts_with(BY)
    }

    /// Which thing a band is.
    #[must_use]
    pub fn identity_of(&self, band: &Band) -> Option<Identity> {
        let page = self.page?;
        let is_entry = matches!(band.role, Role::IndexTuple | Role::IndexKilled | Role::PostingList | Role::Pivot);
        let entry = band.goal.filter(|_| is_entry).map(|goal| Identity::Entry(page.relation, goal));
        Some(entry.unwrap_or(Identity::Part(page, band.part)))
    }

    /// Which thing a line pointer is.
    #[must_use]
    pub fn identity_of_chip(&self, chip: &Chip) -> Option<Identity> {
        Some(Identity::Part(self.page?, chip.part))
    }

    /// The bands, from top to bottom.
    pub fn bands(&self) -> impl Iterator<Item = &Band> {
        self.lines.iter().filter_map(|line| if let PanelLine::Band(band) = line { Some(band) } else { None })
    }

    /// The bands, to be changed.
    pub fn bands_mut(&mut self) -> impl Iterator<Item = &mut Band> {
        self.lines.iter_mut().filter_map(|line| if let PanelLine::Band(band) = line { Some(band) } else { None })
    }

    /// The line pointers that are shown.
    pub fn chips(&self) -> impl Iterator<Item = &Chip> {
        let rows =
            self.lines.iter().filter_map(|line| if let PanelLine::Chips(chips) = line { Some(chips) } else { None });
        rows.flatten().flatten()
    }

    /// The line pointers, to be changed.
    pub fn chips_mut(&mut self) -> impl Iterator<Item = &mut Chip> {
        let rows = self
            .lines
            .iter_mut()
            .filter_map(|line| if let PanelLine::Chips(chips) = line { Some(chips) } else { None });
        rows.flatten().flatten()
    }

    /// Number of line pointers before the first band.
    pub(super) fn chip_count(&self) -> usize {
        self.chips().count()
    }

    /// What is said of the bands, to be kept when some are left out of the drawing.
    pub(super) fn keep_tags(&mut self) {
        let mut tags: Vec<(Fate, String, usize)> = Vec::new();
        for band in self.bands().filter(|band| !band.tag.is_empty()) {
            match tags.iter_mut().find(|(fate, tag, _)| *fate == band.fate && *tag == band.tag) {
                Some((.., count)) => *count += 1,
                None => tags.push((band.fate, band.tag.clone(), 1)),
            }
        }
        self.tags = tags;
    }

    /// Something else is said of all with this fate.
    pub(super) fn retag(&mut self, fate: Fate, tag: &str) {
        let count = self.tags.iter().filter(|(of, ..)| *of == fate).map(|(.., count)| count).sum();
        self.tags.retain(|(of, ..)| *of != fate);
        if count > 0 {
            self.tags.push((fate, String::from(tag), count));
        }
    }

    /// What takes part, to be kept when it is left out of the drawing.
    pub(super) fn keep_goals(&mut self) {
        let goals = self.bands().filter(|band| band.fate.takes_part());
        self.goals = goals.filter_map(|band| Some((band.fate, band.goal?))).collect();
    }

    /// Line pointers and bands in the order of drawing: part of the page, fate, role, words.
    pub(super) fn pieces(&self) -> impl Iterator<Item = (PartId, Fate, Role, &str)> {
        let chips = self.chips().map(|chip| (chip.part, chip.fate, chip.role, chip.text.as_str()));
        chips.chain(self.bands().map(|band| (band.part, band.fate, band.role, band.text.as_str())))
    }

    /// The panel in words.
    pub(super) fn alternative(&self) -> String {
        let mut text = self.title.clone();
        if !self.status.is_empty() {
            text += &format!(" ({})", self.status);
        }
        let told = self.bands().filter(|band| band.fate.takes_part()).map(Band::alternative);
        let told: Vec<String> = told.collect();
        if told.is_empty() { text } else { format!("{text}: {}", told.join("; ")) }
    }
}

/// The value of a column in a band.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Value {
    /// its number; where nothing follows but columns that are left out, theirs
    pub column: u16,
    /// its name
    pub name: String,
    /// the value
    pub text: String,
    /// how soon it is left out
    pub rank: u8,
}

impl Value {
    /// the first column, where it is not the same in all rows
    pub const FIRST: u8 = 0;
    /// an UPDATE changed it
    pub const CHANGED: u8 = 1;
    /// rows have different ones
    pub const DIFFERS: u8 = 2;
    /// all have the same
    pub const CONSTANT: u8 = 3;
    /// long, and different
    pub const LONG: u8 = 4;
    /// long, and all have the same
    pub const FILLER: u8 = 5;

    /// Characters that it takes.
    pub fn length(&self) -> usize {
        self.name.chars().count() + 1 + self.text.chars().count()
    }
}

/// What is shown of values where there is less and less room.
const CUTS: [Cut; 6] = [
    Cut { value: 64, name: 64, is_named: true, is_open: true },
    Cut { value: 10, name: 16, is_named: true, is_open: true },
    Cut { value: 10, name: 16, is_named: true, is_open: false },
    Cut { value: 10, name: 16, is_named: false, is_open: false },
    Cut { value: 7, name: 12, is_named: false, is_open: false },
    Cut { value: 5, name: 8, is_named: false, is_open: false },
];

/// So many characters of a value, and of a name.
#[derive(Debug, Clone, Copy)]
struct Cut {
    value: usize,
    name: usize,
    /// has the first column its name? It is the key in most tables
    is_named: bool,
    /// is it said that columns follow which are left out?
    is_open: bool,
}

/// Values side by side, with an ellipsis for those between them; long ones, and names, cut in the middle.
fn join(values: &[&Value], cut: Cut) -> String {
    let mut text = String::new();
    let mut next = 0;
    for value in values {
        let is_end = value.name.is_empty();
        if !text.is_empty() || value.column > next {
            text += match (value.column > next || is_end, text.is_empty(), is_end) {
                (true, _, true) => " …",
                (true, true, _) => "… ",
                (true, false, _) => " … ",
                _ => " · ",
            };
        }
        if !is_end {
            let is_named = cut.is_named || value.column > 0 || values.len() == 1;
            if is_named {
                text += &words::middle(&value.name, cut.name);
                text.push(' ');
            }
            text += &words::middle(&value.text, cut.value);
        }
        next = value.column.saturating_add(1);
    }
    text
}

impl Band {
    /// Its words where there is little room: of a row's values those go first that tell least, and long ones are cut in
    /// the middle.
    #[must_use]
    pub fn fitting(&self, fits: impl Fn(&str) -> bool) -> String {
        if fits(&self.text) || self.values.is_empty() {
            return self.text.clone();
        }
        let mut kept: Vec<&Value> = self.values.iter().filter(|value| !value.name.is_empty()).collect();
        let end = Value { column: u16::MAX, name: String::new(), text: String::new(), rank: Value::FIRST };
        let total = self.values.iter().map(|value| value.column + 1).max().unwrap_or(0);
        loop {
            let told = |cut: Cut| {
                let ends = !cut.is_open || kept.last().is_none_or(|last| last.column + 1 >= total);
                let all: Vec<&Value> = kept.iter().copied().chain((!ends).then_some(&end)).collect();
                join(&all, cut)
            };
            let worst = kept.iter().map(|value| value.rank).max().unwrap_or(0);
            let cuts = if worst >= Value::CONSTANT && kept.len() > 1 { &CUTS[..1] } else { &CUTS };
            if let Some(text) = cuts.iter().map(|cut| told(*cut)).find(|text| fits(text)) {
                return text;
            }
            let Some(at) = kept.iter().rposition(|value| value.rank == worst).filter(|_| kept.len() > 1) else {
                return told(CUTS[5]);
            };
            kept.remove(at);
        }
    }

    /// Takes the values of a row for its words.
    pub(super) fn tell(&mut self, values: Vec<Value>) {
        self.text = join(&values.iter().collect::<Vec<_>>(), CUTS[0]);
        self.values = values;
    }

    fn alternative(&self) -> String {
        let pieces = [self.label.as_str(), &self.text, &self.leads, &self.tag, self.fate.word()];
        pieces.into_iter().filter(|piece| !piece.is_empty()).map(ToString::to_string).collect::<Vec<_>>().join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn band(values: &[(&str, &str, u8)]) -> Band {
        let value = |(column, (name, text, rank)): (u16, &(&str, &str, u8))| Value {
            column,
            name: String::from(*name),
            text: String::from(*text),
            rank: *rank,
        };
        let mut band = Band {
            part: PartId::Block(0),
            label: String::new(),
            text: String::new(),
            values: Vec::new(),
            leads: String::new(),
            tag: String::new(),
            role: Role::TupleLive,
            fate: Fate::Same,
            goal: None,
            bytes: 0,
            mark: None,
        };
        band.tell((0..).zip(values).map(value).collect());
        band
    }

    #[test]
    fn what_tells_rows_apart_stays_in_the_order_of_the_table() {
        let row = band(&[
            ("id", "2", Value::FIRST),
            ("kind", "x", Value::CONSTANT),
            ("name", "customer 2", Value::DIFFERS),
            ("n", "7", Value::CHANGED),
        ]);
        let within = |most: usize| row.fitting(|text| text.chars().count() <= most);
        assert_eq!(within(40), "id 2 · kind x · name customer 2 · n 7");
        assert_eq!(within(30), "id 2 … name customer 2 · n 7");
        assert_eq!(within(27), "2 … name customer 2 · n 7");
        assert_eq!(within(24), "2 … name cus…r 2 · n 7");
        assert_eq!(within(12), "id 2 … n 7");
        assert_eq!(within(8), "2 … n 7");
        let row = band(&[("id", "2", Value::FIRST), ("n", "7", Value::CHANGED), ("x", "y", Value::CONSTANT)]);
        assert_eq!(row.fitting(|text| text.chars().count() <= 8), "2 · n 7");
        assert_eq!(
            band(&[("chunk", "16412", Value::CONSTANT), ("seq", "3", Value::DIFFERS)]).fitting(|t| t.len() < 12),
            "… seq 3"
        );
    }
}
