//! Keys: one table, from which keys are bound and the help is made.

use ffviz_story::app::Command;
use ratatui::crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};

/// Keys of a command, and its short name for the line at the bottom.
struct Binding {
    command: Command,
    keys: &'static [KeyCode],
    brief: &'static str,
}

const fn bind(command: Command, keys: &'static [KeyCode], brief: &'static str) -> Binding {
    Binding { command, keys, brief }
}

use KeyCode::{Backspace, Char, Down, End, Enter, Esc, Home, Left, PageDown, PageUp, Right, Up};

/// Page up and page down step, because that is what presenters' remote controls send.
const BINDINGS: &[Binding] = &[
    bind(Command::StepForward, &[Right, Char('l'), Char(' '), PageDown], "step"),
    bind(Command::StepBack, &[Left, Char('h'), PageUp], "back"),
    bind(Command::First, &[Home, Char('g')], "first"),
    bind(Command::Last, &[End, Char('G')], "last"),
    bind(Command::NextGroup, &[Char('}')], "long step"),
    bind(Command::PreviousGroup, &[Char('{')], "long step"),
    bind(Command::NextSection, &[Char(')')], "section"),
    bind(Command::PreviousSection, &[Char('(')], "section"),
    bind(Command::ShowAnswer, &[Char('S')], "show answer"),
    bind(Command::Pin, &[Char('f')], "follow"),
    bind(Command::Unfold, &[Char('d')], "details"),
    bind(Command::LastWriter, &[Char('W')], "last writer"),
    bind(Command::Up, &[Up, Char('k')], "up"),
    bind(Command::Down, &[Down, Char('j')], "down"),
    bind(Command::Activate, &[Enter], "open"),
    bind(Command::FollowBack, &[Char('i'), Char('b')], "leads here"),
    bind(Command::GoToChange, &[Char('*'), Char('c')], "change"),
    bind(Command::Back, &[Esc, Backspace], "go back"),
    bind(Command::NextView, &[Char('v')], "view"),
    bind(Command::PreviousView, &[Char('V')], "view"),
    bind(Command::NextPage, &[Char('n'), Char('.')], "page"),
    bind(Command::PreviousPage, &[Char('p'), Char(',')], "page"),
    bind(Command::NextRelation, &[Char(']')], "relation"),
    bind(Command::PreviousRelation, &[Char('[')], "relation"),
    bind(Command::NextMeasure, &[Char('m')], "measure"),
    bind(Command::ZoomIn, &[Char('+'), Char('=')], "zoom in"),
    bind(Command::ZoomOut, &[Char('-')], "zoom out"),
    bind(Command::Filter, &[Char('/')], "filter"),
    bind(Command::Edit, &[Char('e')], "edit"),
    bind(Command::BranchOff, &[Char('B')], "branch off"),
    bind(Command::Undo, &[Char('u')], "undo"),
    bind(Command::NextBranch, &[Char('>')], "branch"),
    bind(Command::PreviousBranch, &[Char('<')], "branch"),
    bind(Command::Capture, &[Char('r')], "capture"),
    bind(Command::Watch, &[Char('w')], "watch"),
    bind(Command::Save, &[Char('s')], "save"),
    bind(Command::Redact, &[Char('x')], "hide data"),
    bind(Command::Help, &[Char('?'), KeyCode::F(1)], "help"),
    bind(Command::Quit, &[Char('q')], "quit"),
];

/// Keys that only concern the screen, as the help lists them.
pub const LOCAL_HELP: &[(&str, &str)] = &[
    ("Tab Shift-Tab", "next pane, previous pane: ▸ marks it, arrows and page keys then scroll it"),
    ("PgUp PgDn", "in the picture: step back, step forward; in another pane, and here: a page up, a page down"),
    ("Home End", "in another pane, and here: to its beginning, to its end"),
    ("1 … 8", "show the view whose tab has that number"),
    ("a b c …", "give the answer of that letter, while a lesson's question is in sight"),
    ("t", "other colours"),
    ("Ctrl-Z", "suspend"),
    ("mouse", "click selects, second click follows, wheel scrolls"),
];

/// Keys of the editor, as its frame says them.
pub const EDITOR_HELP: &[(&str, &str)] =
    &[("Ctrl-R", "run"), ("Ctrl-O", "open in $EDITOR"), ("Ctrl-U", "undo"), ("Esc", "close")];

/// May the key hand the terminal to another program?
#[must_use]
pub fn hands_over(event: &Event) -> bool {
    matches!(event, Event::Key(key) if key.modifiers == KeyModifiers::CONTROL && key.code == Char('o'))
}

/// The command that a key means.
#[must_use]
pub fn command(key: KeyEvent) -> Option<Command> {
    if key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT | KeyModifiers::SUPER) {
        return (key.modifiers == KeyModifiers::CONTROL && key.code == Char('c')).then_some(Command::Quit);
    }
    BINDINGS.iter().find(|b| b.keys.contains(&key.code)).map(|b| b.command)
}

/// The keys of a command, for the help: `→ l Space`. What page keys do depends on the pane, and `LOCAL_HELP` says it.
#[must_use]
pub fn keys(command: Command) -> String {
    let all = BINDINGS.iter().find(|b| b.command == command).map_or(&[][..], |b| b.keys);
    all.iter().filter(|key| !matches!(key, PageDown | PageUp)).map(|key| name(*key)).collect::<Vec<_>>().join(" ")
}

/// The first of them.
#[must_use]
pub fn first_key(command: Command) -> String {
    BINDINGS.iter().find(|b| b.command == command).and_then(|b| b.keys.first()).map_or(String::new(), |key| name(*key))
}

/// A word for the line of keys at the bottom.
#[must_use]
pub fn brief(command: Command) -> &'static str {
    BINDINGS.iter().find(|b| b.command == command).map_or("", |b| b.brief)
}

fn name(key: KeyCode) -> String {
    match key {
        Left => "←".into(),
        Right => "→".into(),
        Up => "↑".into(),
        Down => "↓".into(),
        Enter => "Enter".into(),
        Esc => "Esc".into(),
        Backspace => "Backspace".into(),
        PageDown => "PgDn".into(),
        PageUp => "PgUp".into(),
        Home => "Home".into(),
        End => "End".into(),
        KeyCode::F(n) => format!("F{n}"),
        Char(' ') => "Space".into(),
        Char(c) => c.to_string(),
        other => format!("{other:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ffviz_story::app::COMMANDS;

    #[test]
    fn every_command_has_a_key_of_its_own() {
        for info in COMMANDS {
            assert!(!keys(info.command).is_empty(), "{:?} has no key", info.command);
        }
        let mut all: Vec<_> = BINDINGS.iter().flat_map(|b| b.keys).collect();
        let count = all.len();
        all.sort_by_key(|key| format!("{key:?}"));
        all.dedup();
        assert_eq!(all.len(), count, "a key is bound twice");
    }
}
