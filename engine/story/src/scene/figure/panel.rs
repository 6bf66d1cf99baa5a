//! What a figure is made of: panels with lines, bands within them, arrows between bands.

use crate::scene::{PartId, Role};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::page::{BlockNumber, ItemPointer, OffsetNumber, Oid};
use ffviz_format::state::PageId;

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

impl Panel {
    /// The page.
    #[must_use]
    pub fn identity(&self) -> Option<Identity> {
        self.page.map(Identity::Page)
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

impl Band {
    fn alternative(&self) -> String {
        let pieces = [self.label.as_str(), &self.text, &self.leads, &self.tag, self.fate.word()];
        pieces.into_iter().filter(|piece| !piece.is_empty()).map(ToString::to_string).collect::<Vec<_>>().join(" ")
    }
}
