//! What there is to see: an inert value in byte coordinates, with roles and words, without colours, cells or pixels.
//!
//! Both faces draw it, so both show the same parts, roles and words. A face asks three questions of a part: which
//! (`PartId`), as what (`Role`), and did this step change it (`Change`).

mod address;
mod bands;
pub mod charts;
mod diff;
pub mod figure;
mod header;
mod inspector;
pub mod legend;
mod look;
pub mod map;
mod marks;
mod measure;
mod narration;
pub mod page;
mod part;
pub mod plot;
pub mod reference;
mod result;
mod role;
pub mod text;
pub mod timeline;
pub mod totals;
pub mod tree;
pub mod tuple;
pub mod wal;
pub mod words;

pub use address::{StepName, address};
pub use bands::BandScene;
pub use charts::{ChartScene, ChartsScene};
pub use figure::FigureScene;
pub use inspector::inspect;
pub use look::Look;
pub use marks::{MarkKind, StepMark};
pub use measure::Measure;
pub use narration::{ChoiceLine, ChoiceMark, NarrationScene, QuestionScene, Verdict};
pub use page::{PageKind, page_kind};
pub use part::PartId;
pub use plot::PlotScene;
pub use reference::Reference;
pub use result::ResultScene;
pub use role::Role;
pub use totals::{RunTotals, Totals};
pub use wal::{Bar, BarPart, Run, WalList, WalPanel, WalRow, WalScene};

use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;
use ffviz_format::page::Field;
use ffviz_format::state::PageId;

/// Where what is shown comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Provenance {
    /// bytes of a server, read at the given time
    Measured,
    /// those bytes, and WAL records replayed over them
    Replayed,
    /// what must have happened between two captures, since neither replay nor the earlier one shows it
    Inferred,
    /// made by the simulator
    Simulated,
    /// statistics and catalogs only: estimates
    Statistics,
}

impl Provenance {
    /// In words, as titles say it.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Measured => "measured",
            Self::Replayed => "replayed",
            Self::Inferred => "inferred: not logged",
            Self::Simulated => "simulated",
            Self::Statistics => "estimated: statistics only",
        }
    }
}

/// What the current step did to a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Change {
    /// nothing
    #[default]
    Same,
    /// it was not there before
    Added,
    /// its bytes changed
    Modified,
    /// same content, other place on the page
    Moved,
}

/// A label and a value for the summary of a view: `("free", "1,204 bytes")`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// what
    pub label: String,
    /// how much
    pub value: String,
}

/// The main picture. Each view is one variant, drawn by one file of the same name in each face.
#[derive(Debug, Clone, PartialEq)]
pub enum Scene {
    /// things to open: recordings or tables
    List(ListScene),
    /// what the step did, as one drawing
    Figure(FigureScene),
    /// every page of a relation a cell
    RelationMap(RelationMapScene),
    /// one page, byte by byte, with its line pointers
    Page(PageScene),
    /// all pages of an index by level
    Tree(TreeScene),
    /// the WAL, record by record
    Wal(WalScene),
    /// numbers of all captures
    Charts(ChartsScene),
}

/// A table of things to choose from: recordings of the library, tables of a database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListScene {
    /// what is listed
    pub title: String,
    /// how to read it, or why it is empty
    pub hint: String,
    /// names of the columns
    pub columns: Vec<Column>,
    /// the rows
    pub rows: Vec<Row>,
}

/// A column of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// heading
    pub title: String,
    /// are its cells numbers, set flush right?
    pub right: bool,
    /// is it left out first where there is little room? The map of the page, or what is selected, tells the same.
    pub detail: bool,
}

impl Column {
    /// One that is not left out.
    #[must_use]
    pub fn new(title: &str, right: bool) -> Self {
        Self { title: title.into(), right, detail: false }
    }
}

/// A row of a list, or a line pointer beside its tuple.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// which part it stands for
    pub part: PartId,
    /// as what
    pub role: Role,
    /// what this step did to it
    pub change: Change,
    /// one a column
    pub cells: Vec<String>,
    /// its place in a HOT chain: drawn as a bracket beside the rows
    pub chain: Option<ChainMark>,
}

/// A row's place in a HOT chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChainMark {
    /// number of the chain on this page, from 1
    pub chain: u16,
    /// place in the chain, 0 is the root
    pub place: u16,
    /// is it the last member?
    pub last: bool,
}

/// Every page of a relation as a cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelationMapScene {
    /// name of the relation and its size
    pub title: String,
    /// what the map shows now, in words that say what full and empty mean
    pub measure: String,
    /// all it can show, and which it does: `(Measure::Fill, "fill", true)`
    pub measures: Vec<(Measure, &'static str, bool)>,
    /// summary
    pub facts: Vec<Fact>,
    /// one a block, or one a run of blocks when zoomed out
    pub cells: Vec<MapCell>,
    /// blocks a cell
    pub zoom: u32,
    /// blocks of the relation in all
    pub blocks: u32,
}

/// One block, or a run of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MapCell {
    /// the first block
    pub part: PartId,
    /// as what
    pub role: Role,
    /// what this step did to any of its blocks
    pub change: Change,
    /// share of the current measure in percent, `None` where it is not known
    pub percent: Option<u8>,
    /// words for it: `block 17: 82 % full, 3 dead, all-visible`
    pub label: String,
}

/// One page, byte by byte.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageScene {
    /// which
    pub id: PageId,
    /// relation, fork, block and kind of page in words
    pub title: String,
    /// summary: fill, free bytes, line pointers, LSN
    pub facts: Vec<Fact>,
    /// size of the page in bytes
    pub size: u16,
    /// every byte, in order, each in exactly one
    pub regions: Vec<PartRegion>,
    /// names of the columns of `rows`
    pub columns: Vec<Column>,
    /// one a line pointer (or FSM slot, VM block)
    pub rows: Vec<Row>,
    /// arrows between parts of this page
    pub links: Vec<Link>,
    /// what cannot be, in words
    pub anomalies: Vec<String>,
}

/// A run of bytes of the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartRegion {
    /// which part
    pub part: PartId,
    /// where
    pub bytes: Range<u16>,
    /// as what
    pub role: Role,
    /// what this step did to it
    pub change: Change,
    /// the bytes in it that this step changed, as ranges of the page
    pub changed: Vec<Range<u16>>,
    /// words for it
    pub label: String,
}

/// An arrow, as a relation of two parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// from
    pub from: PartId,
    /// to
    pub to: PartId,
    /// as what
    pub kind: LinkKind,
}

/// What an arrow means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LinkKind {
    /// line pointer to its tuple
    Item,
    /// `LP_REDIRECT` to the line pointer it names
    Redirect,
    /// `t_ctid` within a HOT chain
    HotUpdate,
    /// `t_ctid` of an update that was not HOT
    ColdUpdate,
    /// downlink to a page below
    Downlink,
    /// right sibling
    RightLink,
}

impl LinkKind {
    /// Its name in words, as legends and screen readers say it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Item => "line pointer to tuple",
            Self::Redirect => "redirect to line pointer",
            Self::HotUpdate => "t_ctid: HOT update",
            Self::ColdUpdate => "t_ctid: update that was not HOT",
            Self::Downlink => "downlink",
            Self::RightLink => "right link",
        }
    }

    /// An arrow that tells it without colour.
    #[must_use]
    pub const fn glyph(self) -> char {
        match self {
            Self::Item | Self::RightLink => '→',
            Self::Redirect => '↷',
            Self::HotUpdate => '⇒',
            Self::ColdUpdate => '⇢',
            Self::Downlink => '↓',
        }
    }

    /// The same in ASCII.
    #[must_use]
    pub const fn ascii(self) -> char {
        match self {
            Self::Item | Self::RightLink | Self::Redirect => '>',
            Self::HotUpdate => '=',
            Self::ColdUpdate => '~',
            Self::Downlink => 'v',
        }
    }
}

/// All pages of an index, level by level.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TreeScene {
    /// name and size
    pub title: String,
    /// summary: levels, pages, fill
    pub facts: Vec<Fact>,
    /// the metapage first, then from the root down
    pub levels: Vec<TreeLevel>,
    /// downlinks and right links
    pub links: Vec<Link>,
    /// where the step descended: metapage, root, …, the page; of long levels the cells of their bands too
    pub path: Vec<PartId>,
}

impl TreeScene {
    /// Did the step come by this page?
    #[must_use]
    pub fn is_on_path(&self, part: PartId) -> bool {
        self.path.contains(&part)
    }

    /// Did the step follow this link?
    #[must_use]
    pub fn is_followed(&self, link: &Link) -> bool {
        link.kind == LinkKind::Downlink && self.is_on_path(link.from) && self.is_on_path(link.to)
    }
}

/// One level of the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeLevel {
    /// `metapage`, `level 1 (root)`, `leaves`, `deleted`
    pub title: String,
    /// of a long level: all its pages from left to right, a run of them a cell
    pub band: Vec<MapCell>,
    /// pages from left to right
    pub nodes: Vec<TreeNode>,
}

/// One page of the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeNode {
    /// `PartId::Block`, or `PartId::Elided` for a run of pages left out
    pub part: PartId,
    /// as what
    pub role: Role,
    /// what this step did to it
    pub change: Change,
    /// bytes in use, percent
    pub percent: Option<u8>,
    /// is its split incomplete? No role tells that, so the line that does, its second, is not left out
    pub incomplete: bool,
    /// lines of words: block, items, lowest key … high key
    pub lines: Vec<String>,
}

/// Every field of what is selected.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct InspectorScene {
    /// what is selected
    pub title: String,
    /// what it is, a sentence
    pub intro: String,
    /// of a WAL record: its bytes from the first to the last, by what they are spent on
    pub strip: Bar,
    /// its fields
    pub fields: Vec<InspectorField>,
}

/// A field with its bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InspectorField {
    /// the field
    pub field: Field,
    /// its bytes in hex, shortened in the middle when long
    pub hex: String,
    /// did this step change its bytes?
    pub change: Change,
}

/// The bar of steps and what the current one did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TimelineScene {
    /// number of the current state, from 0
    pub current: usize,
    /// number of states
    pub count: usize,
    /// of a script: `statement 3 of 7`
    pub statement: String,
    /// the current step's address: `3.2`
    pub address: String,
    /// of a script that has several sessions: the one that runs the statement
    pub session: String,
    /// label of the current step: usually the SQL
    pub label: String,
    /// one line: what happened
    pub headline: String,
    /// how the current step became known: `replayed: record 0/1A2B3C8 · Heap HOT_UPDATE · 71 bytes · xid 757`
    pub how: String,
    /// where the statement is wrong, at its last step: the line of the script, and below it a sign at the place
    pub excerpt: Vec<String>,
    /// rows that the statement gave, and those of statements that it let go on; at its last step
    pub results: Vec<ResultScene>,
    /// one an event: what and why
    pub events: Vec<EventLine>,
    /// where to read on about such an event
    pub reference: Option<Reference>,
    /// the states around the current one, at most `StepMark::WINDOW` to either side
    pub marks: Vec<StepMark>,
    /// the statements or captures that those belong to
    pub bands: Vec<BandScene>,
}

/// One event of the explanation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventLine {
    /// where it happened; selecting the event goes there
    pub page: PageId,
    /// the part, where there is one
    pub part: Option<PartId>,
    /// what
    pub what: String,
    /// why
    pub why: String,
}
