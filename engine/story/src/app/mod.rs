//! The whole behaviour of the program: a model, messages, update, view. A face draws the view and sends messages; it
//! decides nothing.
//!
//! ```text
//!        ┌────────── Msg ───────────┐
//!        ▼                          │
//! update(Model, Msg) ──▶ Effects ──▶ face ◀── view(Model)
//! ```
//!
//! If it would matter in a saved session or a bug report, it is in the model; scroll positions and sizes are the
//! face's.

mod command;
mod course;
mod fold;
mod follow;
mod list;
mod live;
mod model;
mod navigate;
mod script;
mod source;
mod step;
mod text;
mod update;
mod versus;
mod view;
mod wal;

pub use command::{COMMANDS, Command, CommandInfo};
pub use course::LESSONS;
pub use live::recording;
pub use model::{Model, Place};
pub use script::{EditorScene, Problem, RunReport, RunRequest, ScriptScene};
pub use source::Source;
pub use text::text;
pub use update::update;
pub use versus::Beside;
pub use view::view;

use crate::lesson::Lesson;
use crate::scene::{InspectorScene, Measure, NarrationScene, PartId, Provenance, Role, Scene, TimelineScene, WalList};
use crate::timeline::{Run, Timeline, WalBetween};
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::page::{ForkNumber, Oid};
use ffviz_format::state::{PageId, State};

/// What the user meant, or what came back from an effect.
#[derive(Debug, Clone)]
pub enum Msg {
    /// a command: a key, a button
    Command(Command),
    /// a part was clicked, or moved to
    Select(PartId),
    /// a part was double-clicked: follow it (page, chain, link)
    Activate(PartId),
    /// jump to a state of the timeline
    Seek(usize),
    /// go to the state where a statement ends; its figure is of all its steps in one
    SeekWhole(usize),
    /// show a view (click on a tab)
    Show(ViewName),
    /// show a relation's fork (click on its name)
    ShowRelation(Oid, ForkNumber),
    /// what the map shows (click on a measure)
    Measure(Measure),
    /// what the rows of the WAL view are (click on its switch)
    WalList(WalList),
    /// go where event n of the explanation happened
    SelectEvent(usize),
    /// text typed into the filter of a list
    Filter(String),
    /// a recording was read
    Opened {
        /// its name
        name: String,
        /// what it holds
        timeline: Timeline,
        /// what was lost while reading
        lost: Vec<String>,
    },
    /// a script was opened and run
    Scripted {
        /// its name
        name: String,
        /// its text and steps
        run: Run,
    },
    /// the script that is open, run in another way
    Versus {
        /// what is different: of the script that is open, of the other run
        names: [String; 2],
        /// the other run
        run: Run,
    },
    /// run what was written in the editor
    Run(String),
    /// close the editor; what was written is kept
    CloseEditor(String),
    /// what became of a run that was asked for
    RunReport {
        /// the number of the request
        number: u32,
        /// what became of it
        report: RunReport,
    },
    /// a lesson was played, or its trace was read
    Lesson {
        /// its name in the library
        name: String,
        /// what is read and asked
        lesson: Lesson,
        /// its steps
        timeline: Timeline,
    },
    /// answer n, from 0, of the question that is asked
    Choose(usize),
    /// the tables of a live database
    Tables(Vec<TableEntry>),
    /// a capture of a live database
    Captured(State),
    /// a capture of a live database with the WAL since the one before, as far as it could be read
    CapturedWithWal(State, WalBetween),
    /// pages of the current moment that were asked for: they join the current state, no step
    PagesRead(State),
    /// an effect did not work: a sentence for people
    Failed(String),
    /// an effect worked: a sentence for people
    Done(String),
}

/// What the face must do for the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// leave the program
    Quit,
    /// open entry n of the library
    OpenEntry(usize),
    /// list the tables of the live database
    ListTables,
    /// take a capture of this table, its indexes and TOAST table, with these pages
    Capture {
        /// the table
        table: Oid,
        /// the pages to read anew: those looked at before, and those now on screen
        pages: Vec<PageId>,
    },
    /// read pages that are looked at and not yet known
    ReadPages {
        /// the table they belong to
        table: Oid,
        /// which
        pages: Vec<PageId>,
    },
    /// take a capture every few seconds, or stop doing so
    Watch(bool),
    /// run a script, and report
    Run(RunRequest),
    /// stop the run that is under way; its report is not awaited
    StopRun,
    /// write the `recording` of what is open to a file; the face picks the name and answers `Done` or `Failed`
    Save,
}

/// The views, in the order of their tabs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ViewName {
    /// the library, or the tables of the database
    List,
    /// what the step did, as one drawing
    Figure,
    /// relation map
    Map,
    /// index tree
    Tree,
    /// one page
    Page,
    /// the WAL, record by record
    Wal,
    /// the contents of a lesson
    Lesson,
    /// numbers of all captures
    Charts,
}

impl ViewName {
    /// All of them, in the order of their tabs.
    pub const ALL: [Self; 8] =
        [Self::List, Self::Figure, Self::Map, Self::Tree, Self::Page, Self::Wal, Self::Lesson, Self::Charts];

    /// The number of its tab, and the key that shows it: the same everywhere, whichever tabs there are.
    #[must_use]
    pub fn digit(self) -> char {
        ('1'..).zip(Self::ALL).find(|(_, view)| *view == self).map_or('?', |(digit, _)| digit)
    }

    /// Its name in links.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::List => "list",
            Self::Figure => "figure",
            Self::Map => "map",
            Self::Tree => "tree",
            Self::Page => "page",
            Self::Wal => "wal",
            Self::Lesson => "lesson",
            Self::Charts => "charts",
        }
    }

    /// The view of that name.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|view| view.name() == name)
    }

    /// The view that a key shows.
    #[must_use]
    pub fn of_digit(digit: char) -> Option<Self> {
        Self::ALL.into_iter().find(|view| view.digit() == digit)
    }
}

/// A table of a live database, as its list shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableEntry {
    /// `pg_class.oid`
    pub oid: Oid,
    /// schema-qualified and quoted as SQL needs it; a partition says its parent
    pub name: String,
    /// `table`, `partition of …`, `materialized view`, `TOAST table`, `sequence`
    pub kind: String,
    /// size of table, indexes and TOAST in bytes
    pub bytes: u64,
    /// `n_dead_tup`
    pub dead: i64,
    /// HOT share of all updates in percent
    pub hot_percent: Option<u8>,
    /// fillfactor
    pub fillfactor: u8,
    /// can its pages be read? If not, the sentence that says why and what would help
    pub refused: Option<String>,
}

/// An entry of the library.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LibraryEntry {
    /// file name without ending, such as `18/hot-chain`; of a lesson `lesson/hot-update`
    pub name: String,
    /// what it shows, one line
    pub title: String,
}

/// Something laid over the view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Overlay {
    /// keys, generated from `COMMANDS` and the face's key table
    Help,
    /// a text to read: title and lines
    Text(String, Vec<String>),
    /// a text to change and run
    Editor(EditorScene),
}

/// A relation's fork that can be looked at: table, index, TOAST table, free space map, visibility map.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelationTab {
    /// which relation
    pub relation: Oid,
    /// which fork
    pub fork: ForkNumber,
    /// its name in words: `t`, `t_pkey`, `t free space map`
    pub name: String,
    /// is it the one shown?
    pub current: bool,
    /// is it looked at seldom: a TOAST table or its index, a map?
    pub minor: bool,
}

/// Everything that is drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct View {
    /// what is open: `hot-chain · PostgreSQL 18.4 · measured`
    pub title: String,
    /// the tabs that can be shown now, and which is
    pub tabs: Vec<(ViewName, &'static str, bool)>,
    /// the relations and forks that can be shown now, and which is
    pub relations: Vec<RelationTab>,
    /// measured or estimated
    pub provenance: Provenance,
    /// the main picture
    pub scene: Scene,
    /// what is selected
    pub selected: Option<PartId>,
    /// the row that the selection belongs to: a tuple's line pointer, an entry, a block
    pub row: Option<PartId>,
    /// its fields
    pub inspector: InspectorScene,
    /// the other run of the same script, side by side
    pub versus: Option<Box<Beside>>,
    /// of a lesson: what is read beside the steps
    pub narration: Option<NarrationScene>,
    /// the script that the steps come from, where it can be changed
    pub script: Option<ScriptScene>,
    /// the steps
    pub timeline: TimelineScene,
    /// the roles that occur in the picture, for the legend
    pub legend: Vec<Role>,
    /// over all that
    pub overlay: Option<Overlay>,
    /// one line: result of the last effect, or a hint
    pub status: String,
    /// an effect is under way: `reading block 17 …`
    pub busy: Option<String>,
    /// the commands that are of use here, most useful first: for the line of keys at the bottom
    pub hints: Vec<Command>,
    /// text of the filter while a list is filtered
    pub filter: Option<String>,
}
