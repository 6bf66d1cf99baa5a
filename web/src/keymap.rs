//! Keys: one table, from which keys are bound and the help is made. They are those of the terminal; a test compares
//! them.

use ffviz_story::app::Command;

/// Keys of a command, as `KeyboardEvent.key` names them, and a word for it on buttons and in the line of keys.
struct Binding {
    command: Command,
    keys: &'static [&'static str],
    brief: &'static str,
}

const fn bind(command: Command, keys: &'static [&'static str], brief: &'static str) -> Binding {
    Binding { command, keys, brief }
}

const BINDINGS: &[Binding] = &[
    bind(Command::StepForward, &["ArrowRight", "l", " ", "PageDown"], "step"),
    bind(Command::StepBack, &["ArrowLeft", "h", "PageUp"], "back"),
    bind(Command::First, &["Home", "g"], "first"),
    bind(Command::Last, &["End", "G"], "last"),
    bind(Command::NextGroup, &["}"], "long step"),
    bind(Command::PreviousGroup, &["{"], "long step"),
    bind(Command::NextSection, &[")"], "section"),
    bind(Command::PreviousSection, &["("], "section"),
    bind(Command::ShowAnswer, &["S"], "show answer"),
    bind(Command::Pin, &["f"], "follow"),
    bind(Command::Unfold, &["d"], "details"),
    bind(Command::LastWriter, &["W"], "last writer"),
    bind(Command::Up, &["ArrowUp", "k"], "up"),
    bind(Command::Down, &["ArrowDown", "j"], "down"),
    bind(Command::Activate, &["Enter"], "open"),
    bind(Command::FollowBack, &["i", "b"], "leads here"),
    bind(Command::GoToChange, &["*", "c"], "change"),
    bind(Command::Back, &["Escape", "Backspace"], "go back"),
    bind(Command::NextView, &["v"], "view"),
    bind(Command::PreviousView, &["V"], "view"),
    bind(Command::NextPage, &["n", "."], "page"),
    bind(Command::PreviousPage, &["p", ","], "page"),
    bind(Command::NextRelation, &["]"], "relation"),
    bind(Command::PreviousRelation, &["["], "relation"),
    bind(Command::NextMeasure, &["m"], "measure"),
    bind(Command::ZoomIn, &["+", "="], "zoom in"),
    bind(Command::ZoomOut, &["-"], "zoom out"),
    bind(Command::Filter, &["/"], "filter"),
    bind(Command::Edit, &["e"], "edit"),
    bind(Command::BranchOff, &["B"], "branch off"),
    bind(Command::Undo, &["u"], "undo"),
    bind(Command::NextBranch, &[">"], "branch"),
    bind(Command::PreviousBranch, &["<"], "branch"),
    bind(Command::Redact, &["x"], "hide data"),
    bind(Command::Help, &["?", "F1"], "help"),
];

/// Can it be done here? A page in a browser is left by the browser's own means, and has neither a server nor files to
/// save to.
#[must_use]
pub const fn works(command: Command) -> bool {
    !matches!(command, Command::Capture | Command::Quit | Command::Save | Command::Watch)
}

/// What only concerns this face, as the help lists it.
pub const LOCAL_HELP: &[(&str, &str)] = &[
    ("1 … 8", "show the view whose tab has that number"),
    ("a b c …", "give the answer of that letter, while a lesson's question is open"),
    ("t", "light, dark, or as the system says"),
    ("E", "write SQL, and run it in this page"),
    ("Ctrl+Enter", "in the editor: run the script"),
    ("o", "open a file; it can also be dropped on the page"),
    ("mouse", "click selects, double click follows"),
];

fn binding(command: Command) -> Option<&'static Binding> {
    BINDINGS.iter().find(|b| b.command == command)
}

/// The command that a key means.
#[must_use]
pub fn command(key: &str) -> Option<Command> {
    BINDINGS.iter().find(|b| b.keys.contains(&key)).map(|b| b.command)
}

/// The keys of a command, for people: `→`, `l`, `Space`.
pub fn keys(command: Command) -> impl Iterator<Item = &'static str> {
    binding(command).map_or(&[][..], |b| b.keys).iter().map(|key| name(key))
}

/// A word for buttons and the line of keys.
#[must_use]
pub fn brief(command: Command) -> &'static str {
    binding(command).map_or("", |b| b.brief)
}

fn name(key: &'static str) -> &'static str {
    match key {
        "ArrowLeft" => "←",
        "ArrowRight" => "→",
        "ArrowUp" => "↑",
        "ArrowDown" => "↓",
        "Escape" => "Esc",
        "PageDown" => "PgDn",
        "PageUp" => "PgUp",
        " " => "Space",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ffviz_story::app::COMMANDS;
    use std::collections::BTreeSet;

    #[test]
    fn every_command_has_keys_of_its_own() {
        for info in COMMANDS {
            assert_eq!(keys(info.command).next().is_some(), works(info.command), "{:?}", info.command);
        }
        let all: Vec<&str> = BINDINGS.iter().flat_map(|b| b.keys).copied().collect();
        let different: BTreeSet<&str> = all.iter().copied().collect();
        assert_eq!(different.len(), all.len(), "a key is bound twice");
    }
}
