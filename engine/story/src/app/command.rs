//! The commands: one table, from which keys are bound and the help is made, so that neither can miss one.
//!
//! A digit shows a view, a letter answers a question. A view's number is the same whichever tabs there are
//! (`ViewName::digit`), so a key means one thing. A letter answers only while it stands beside an answer in sight;
//! commands that have such a letter for a key have another one before it, which the line of keys says.

/// Something the user can ask for without saying where.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Command {
    /// one step forward in time
    StepForward,
    /// one step back
    StepBack,
    /// to the first state
    First,
    /// to the last state
    Last,
    /// to where the next statement of a script, transaction or capture ends
    NextGroup,
    /// to where the one before ended
    PreviousGroup,
    /// to the beginning of the lesson's next section
    NextSection,
    /// to the beginning of this section, or of the one before
    PreviousSection,
    /// show the answer to a lesson's question, and go on
    ShowAnswer,
    /// stay on the page that is shown while stepping, or follow the changes again
    Pin,
    /// show each step of catalog and files, or fold them into one again
    Unfold,
    /// to the step that wrote the selected bytes last
    LastWriter,
    /// select the part above
    Up,
    /// select the part below
    Down,
    /// follow what is selected: entry → recording, line pointer → tuple → next version, downlink → page, index entry →
    /// heap tuple
    Activate,
    /// the other way: from a heap tuple to the index entries that lead to its root line pointer, from a page to its
    /// parent
    FollowBack,
    /// to the next part of the picture, or page, that this step changed
    GoToChange,
    /// go back to where the last `Activate` or view change came from
    Back,
    /// next view
    NextView,
    /// previous view
    PreviousView,
    /// next page of the relation
    NextPage,
    /// previous page
    PreviousPage,
    /// next fork or relation: table, its indexes, TOAST, FSM, VM
    NextRelation,
    /// the one before
    PreviousRelation,
    /// the map's next measure: fill, dead, all-visible, HOT room, age; the WAL's next list: records, by type, by
    /// relation
    NextMeasure,
    /// fewer blocks a cell
    ZoomIn,
    /// more blocks a cell
    ZoomOut,
    /// type to filter a list
    Filter,
    /// simulator: change the script and run it anew
    Edit,
    /// simulator: run other SQL from the current statement on, in place of what followed
    BranchOff,
    /// simulator: back to the script that this one was made of
    Undo,
    /// simulator: the next branch of the script
    NextBranch,
    /// simulator: the branch before
    PreviousBranch,
    /// live: take a capture now
    Capture,
    /// live: take one every few seconds, or stop
    Watch,
    /// save what was captured as a recording
    Save,
    /// hide or show row data
    Redact,
    /// keys
    Help,
    /// leave
    Quit,
}

/// A command in words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommandInfo {
    /// which
    pub command: Command,
    /// heading in the help
    pub group: &'static str,
    /// what it does, a few words
    pub what: &'static str,
}

const fn info(command: Command, group: &'static str, what: &'static str) -> CommandInfo {
    CommandInfo { command, group, what }
}

/// Every command, in the order of the help.
pub const COMMANDS: &[CommandInfo] = &[
    info(Command::StepForward, "Time", "step forward"),
    info(Command::StepBack, "Time", "step back"),
    info(Command::First, "Time", "first step"),
    info(Command::Last, "Time", "last step"),
    info(Command::NextGroup, "Time", "end of the next statement, transaction or capture"),
    info(Command::PreviousGroup, "Time", "end of the one before"),
    info(Command::NextSection, "Time", "next section of the lesson"),
    info(Command::PreviousSection, "Time", "section before"),
    info(Command::ShowAnswer, "Time", "show the answer to the question"),
    info(Command::Pin, "Time", "stay on this page, or follow the changes"),
    info(Command::Unfold, "Time", "each step of CREATE and the like, or all in one"),
    info(Command::LastWriter, "Time", "who wrote these bytes last?"),
    info(Command::Up, "Look", "select the part above"),
    info(Command::Down, "Look", "select the part below"),
    info(Command::Activate, "Look", "open or follow what is selected"),
    info(Command::FollowBack, "Look", "what leads here: index entries of a row, parent of a page"),
    info(Command::GoToChange, "Look", "go to the next change of this step"),
    info(Command::Back, "Look", "go back"),
    info(Command::NextView, "Look", "next view"),
    info(Command::PreviousView, "Look", "previous view"),
    info(Command::NextPage, "Page", "next page"),
    info(Command::PreviousPage, "Page", "previous page"),
    info(Command::NextRelation, "Page", "next relation or fork"),
    info(Command::PreviousRelation, "Page", "previous relation or fork"),
    info(Command::NextMeasure, "Map", "show another measure; in WAL, other totals"),
    info(Command::ZoomIn, "Map", "zoom in"),
    info(Command::ZoomOut, "Map", "zoom out"),
    info(Command::Filter, "List", "filter by typing"),
    info(Command::Edit, "Simulator", "edit the script and run it anew"),
    info(Command::BranchOff, "Simulator", "branch off: run other SQL from this statement on"),
    info(Command::Undo, "Simulator", "back to the script that this was made of"),
    info(Command::NextBranch, "Simulator", "next branch of the script"),
    info(Command::PreviousBranch, "Simulator", "previous branch"),
    info(Command::Capture, "Live", "take a capture now"),
    info(Command::Watch, "Live", "watch: a capture every few seconds"),
    info(Command::Save, "Live", "save as a recording"),
    info(Command::Redact, "Program", "hide or show row data"),
    info(Command::Help, "Program", "this help"),
    info(Command::Quit, "Program", "quit"),
];
