//! The event loop. Keys, signals, and answers of the live part come through one channel; each becomes a message, and
//! each effect is performed here or handed to the live part.
//!
//! ```text
//! terminal ─┐                       ┌─▶ quit, open, save
//! signals ──┼─▶ Incoming ─▶ update ─┤
//! live ─────┘                       └─▶ live
//! ```

use crate::editor::{Answer, Editor};
pub use crate::inbox::{Inbox, Mailbox, inbox};
use crate::inbox::{Incoming, forward_signals, forward_terminal};
use crate::terminal::{self, Taken};
use crate::theme::{Palette, Theme};
use crate::view::{self, HitMap, Local, Pane, Target};
use crate::{keymap, source};
use ffviz_format::state::PageId;
use ffviz_story::app::{self, Command, Effect, Model, Msg, View, ViewName};
use ffviz_story::scene::{PartId, Scene};
use ratatui::crossterm::event::{
    Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};
use signal_hook::consts::{SIGCONT, SIGTSTP};
use std::io::Write;
use std::sync::mpsc::Sender;

/// Where effects go that concern a database: they are performed in the background and answered through the `Mailbox`.
pub type Live = Box<dyn FnMut(Effect)>;

/// Why the loop ended.
enum End {
    Quit,
    Signal(i32),
    Panic,
}

struct Session {
    model: Model,
    view: View,
    theme: Theme,
    local: Local,
    map: HitMap,
    live: Option<Live>,
    inbox: Inbox,
    /// while a text is edited
    editor: Option<Editor>,
    /// tells whoever reads the terminal that it is ours again
    go_on: Option<Sender<()>>,
}

/// Runs the program until it is left. `first` are messages to begin with, `live` is where effects go that concern a
/// database.
///
/// # Errors
/// A sentence, when the terminal does not work.
pub fn run(model: Model, theme: Theme, first: Vec<Msg>, inbox: Inbox, live: Option<Live>) -> Result<(), String> {
    let panicked = inbox.sender.clone();
    terminal::give_back_on_panic(move || {
        let _ = panicked.send(Incoming::Panicked);
    });
    forward_signals(inbox.sender.clone()).map_err(|error| format!("signals cannot be received: {error}"))?;
    let view = app::view(&model);
    let (local, map) = (Local::default(), HitMap::default());
    let mut session = Session { model, view, theme, local, map, live, inbox, editor: None, go_on: None };
    for msg in first {
        session.send(msg);
    }
    let mut taken = Taken::take().map_err(|error| format!("the terminal cannot be used: {error}"))?;
    session.go_on = Some(forward_terminal(session.inbox.sender.clone()));
    let end = session.play(&mut taken).map_err(|error| format!("the terminal does not work: {error}"))?;
    drop(taken);
    // what works in the background ends first, and cleans up
    session.live = None;
    match end {
        End::Quit => Ok(()),
        End::Signal(signal) => terminal::die_by(signal).map_err(|error| error.to_string()),
        End::Panic => Err("this is a defect of ffviz; please report the lines above".into()),
    }
}

impl Session {
    fn play(&mut self, taken: &mut Taken) -> std::io::Result<End> {
        loop {
            self.draw(taken)?;
            let Ok(first) = self.inbox.incoming.recv() else { return Ok(End::Quit) };
            // what has come in meanwhile is one picture
            let meanwhile: Vec<Incoming> = self.inbox.incoming.try_iter().collect();
            for next in std::iter::once(first).chain(meanwhile) {
                if let Some(end) = self.take_in(taken, next)? {
                    return Ok(end);
                }
            }
        }
    }

    fn draw(&mut self, taken: &mut Taken) -> std::io::Result<()> {
        taken.screen.draw(|frame| {
            let area = frame.area();
            self.map = view::draw(&self.view, area, frame.buffer_mut(), &self.theme, &self.local);
            if let (Some(editor), Some(inside)) = (&self.editor, self.map.editor) {
                editor.draw(inside, frame.buffer_mut());
            }
        })?;
        self.local.scroll = self.map.scroll;
        Ok(())
    }

    fn take_in(&mut self, taken: &mut Taken, incoming: Incoming) -> std::io::Result<Option<End>> {
        let quit = match incoming {
            Incoming::Msg(msg) => self.send(*msg),
            Incoming::Terminal(Event::Key(key)) if key.kind != KeyEventKind::Release => {
                if key.modifiers == KeyModifiers::CONTROL && key.code == KeyCode::Char('z') {
                    taken.suspend()?;
                    false
                } else {
                    self.key_or_edit(taken, key)?
                }
            }
            Incoming::Terminal(Event::Mouse(mouse)) => self.mouse(mouse),
            Incoming::Terminal(_) => false,
            Incoming::Signal(SIGTSTP) => {
                taken.suspend()?;
                false
            }
            Incoming::Signal(SIGCONT) => {
                taken.take_again()?;
                false
            }
            Incoming::Signal(signal) => return Ok(Some(End::Signal(signal))),
            Incoming::Panicked => return Ok(Some(End::Panic)),
        };
        Ok(quit.then_some(End::Quit))
    }

    /// Sends a message to the model and performs what it asks for; `true` means to leave.
    fn send(&mut self, msg: Msg) -> bool {
        let place = self.place();
        let mut messages = vec![msg];
        while let Some(msg) = messages.pop() {
            for effect in app::update(&mut self.model, msg) {
                match effect {
                    Effect::Quit => return true,
                    Effect::OpenEntry(entry) => messages.push(self.open(entry)),
                    Effect::Save => messages.extend(app::recording(&self.model).map(|text| save(&text))),
                    other => match &mut self.live {
                        Some(live) => live(other),
                        None => messages.push(Msg::Failed("there is no server: this is a recording".into())),
                    },
                }
            }
        }
        let before = std::mem::replace(&mut self.view, app::view(&self.model));
        self.begin_anew(&before, place);
        self.editor = Editor::follow(self.editor.take(), self.view.overlay.as_ref(), &self.theme);
        self.local.loose = false;
        // a pane that is not there any more has no keys
        if self.view.overlay.is_none() && !self.panes().contains(&self.local.pane) {
            self.local.pane = Pane::Figure;
        }
        false
    }

    /// What the main picture is of: while it stays, so do its scroll positions. In map and tree the selection is what
    /// moves.
    fn place(&self) -> (ViewName, Option<PageId>) {
        let whole = |id: PageId| if self.model.place.view == ViewName::Page { id } else { PageId { block: 0, ..id } };
        (self.model.place.view, self.model.place.page.map(whole))
    }

    /// What was not shown before is shown from its beginning.
    fn begin_anew(&mut self, before: &View, place: (ViewName, Option<PageId>)) {
        let moved = self.place() != place;
        let section = |view: &View| view.narration.as_ref().map(|narration| narration.place.clone());
        let scroll = &mut self.local.scroll;
        for (is_other, position) in [
            (moved, &mut scroll.figure),
            (moved || before.selected != self.view.selected, &mut scroll.inspector),
            (before.timeline.current != self.view.timeline.current, &mut scroll.explanation),
            (section(before) != section(&self.view), &mut scroll.narration),
            (before.overlay.is_some() != self.view.overlay.is_some(), &mut scroll.overlay),
        ] {
            if is_other {
                *position = 0;
            }
        }
    }

    fn open(&self, entry: usize) -> Msg {
        let Some(entry) = self.model.library.get(entry) else { return Msg::Failed("no such entry".into()) };
        source::of_library(&entry.name)
            .map_or_else(|| Msg::Failed("no such entry".into()), |opened| opened.map_or_else(Msg::Failed, Msg::from))
    }

    /// A key, of the editor while it is open.
    fn key_or_edit(&mut self, taken: &mut Taken, key: KeyEvent) -> std::io::Result<bool> {
        let answer = self.editor.as_mut().map(|editor| editor.key(key));
        let quit = match answer {
            None => self.key(key),
            Some(Answer::Nothing) => false,
            Some(Answer::Send(msg)) => self.send(*msg),
            Some(Answer::External) => {
                let said = self.editor.as_mut().map(|editor| editor.external(taken, &self.theme, &self.inbox));
                said.transpose()?.flatten().is_some_and(|msg| self.send(msg))
            }
        };
        if let Some(go_on) = self.go_on.as_ref().filter(|_| keymap::hands_over(&Event::Key(key))) {
            let _ = go_on.send(());
        }
        Ok(quit)
    }

    fn key(&mut self, key: KeyEvent) -> bool {
        if let Some(filter) = self.view.filter.clone() {
            match key.code {
                KeyCode::Char(c) if !key.modifiers.contains(KeyModifiers::CONTROL) => {
                    return self.send(Msg::Filter(format!("{filter}{c}")));
                }
                KeyCode::Backspace if !filter.is_empty() => {
                    let shorter = filter.chars().take(filter.chars().count() - 1).collect();
                    return self.send(Msg::Filter(shorter));
                }
                _ => {}
            }
        }
        if self.local_key(key.code) {
            return false;
        }
        // what lies on top is closed first
        if key.code == KeyCode::Char('q') && self.view.overlay.is_some() {
            return self.send(Msg::Command(Command::Back));
        }
        keymap::command(key).is_some_and(|command| self.command(command))
    }

    /// A command; where another pane has the focus, up and down scroll it.
    fn command(&mut self, command: Command) -> bool {
        let pane = if self.view.overlay.is_some() { Pane::Overlay } else { self.local.pane };
        let is_list = matches!(self.view.scene, Scene::List(_)) && self.view.timeline.count == 0;
        // there is nothing to select in it
        let is_read = matches!(self.view.scene, Scene::Charts(_));
        match command {
            Command::First | Command::Last if is_list && pane == Pane::Figure => {
                return self.end_of_list(command == Command::Last);
            }
            Command::Up if pane != Pane::Figure || is_read => self.scroll(pane, -1),
            Command::Down if pane != Pane::Figure || is_read => self.scroll(pane, 1),
            Command::Back if pane != Pane::Figure && pane != Pane::Overlay => self.local.pane = Pane::Figure,
            // a list has no steps: the same keys move by half a screen there
            Command::StepForward | Command::StepBack if is_list && pane == Pane::Figure => {
                let to = if command == Command::StepForward { Command::Down } else { Command::Up };
                for _ in 0..8 {
                    self.send(Msg::Command(to));
                }
            }
            _ => return self.send(Msg::Command(command)),
        }
        false
    }

    /// Selects the first or the last entry of the list.
    fn end_of_list(&mut self, last: bool) -> bool {
        let Scene::List(list) = &self.view.scene else { return false };
        let mut entries = list.rows.iter().map(|row| row.part).filter(|part| matches!(part, PartId::Entry(_)));
        let end = if last { entries.next_back() } else { entries.next() };
        end.is_some_and(|entry| self.send(Msg::Select(entry)))
    }

    /// Keys that only concern the screen.
    fn local_key(&mut self, key: KeyCode) -> bool {
        if let Some(answer) = self.answer(key) {
            self.send(Msg::Choose(answer));
            return true;
        }
        if self.scroll_key(key) {
            return true;
        }
        let view = match key {
            KeyCode::Tab => return self.next_pane(false),
            KeyCode::BackTab => return self.next_pane(true),
            KeyCode::Char('t') => {
                let at = Palette::ALL.iter().position(|p| *p == self.theme.palette).unwrap_or(0);
                self.theme.palette = Palette::ALL[(at + 1) % Palette::ALL.len()];
                self.theme.opaque = true;
                return true;
            }
            KeyCode::Char(c) => ViewName::of_digit(c),
            _ => None,
        };
        let Some(view) = view else { return false };
        self.send(Msg::Show(view));
        true
    }

    /// The answer to a lesson's question that a key gives: the letter that stands beside it on the screen.
    fn answer(&self, key: KeyCode) -> Option<usize> {
        let (KeyCode::Char(letter), None) = (key, &self.view.overlay) else { return None };
        let answer = self.view.narration.as_ref()?.question.as_ref()?.answer(letter)?;
        self.map.hits.iter().any(|(_, target)| *target == Target::Choice(answer)).then_some(answer)
    }

    /// Keys that scroll what is read by pages, or to its ends. While the picture has the keys they are steps and places
    /// in a list.
    fn scroll_key(&mut self, key: KeyCode) -> bool {
        let pane = if self.view.overlay.is_some() { Pane::Overlay } else { self.local.pane };
        let Some(height) = self.map.height(pane).filter(|_| pane != Pane::Figure) else { return false };
        // a line or two of what was read last stays in sight, beside the frame
        let page = i16::try_from(height.saturating_sub(4).max(1)).unwrap_or(i16::MAX);
        let by = match key {
            KeyCode::PageDown => page,
            KeyCode::PageUp => -page,
            KeyCode::Home => i16::MIN,
            KeyCode::End => i16::MAX,
            KeyCode::Char(' ') if pane == Pane::Overlay => page,
            KeyCode::Char('g') if pane == Pane::Overlay => i16::MIN,
            KeyCode::Char('G') if pane == Pane::Overlay => i16::MAX,
            _ => return false,
        };
        self.scroll(pane, by);
        true
    }

    fn next_pane(&mut self, back: bool) -> bool {
        let panes = self.panes();
        let at = panes.iter().position(|pane| *pane == self.local.pane).unwrap_or(0);
        let by = if back { panes.len() - 1 } else { 1 };
        self.local.pane = panes[(at + by) % panes.len()];
        true
    }

    /// The panes that there are to read, on the screen or as soon as they have the keys.
    fn panes(&self) -> Vec<Pane> {
        let view = &self.view;
        let is_alone = view.versus.is_none();
        let has = |pane: &Pane| match pane {
            Pane::Figure => true,
            Pane::Narration => view.narration.is_some(),
            Pane::Inspector => is_alone && !view.inspector.title.is_empty(),
            Pane::Explanation if is_alone => view::tells(view),
            Pane::Explanation => self.map.height(*pane).is_some(),
            Pane::Overlay => view.overlay.is_some(),
        };
        [Pane::Figure, Pane::Narration, Pane::Inspector, Pane::Explanation].into_iter().filter(has).collect()
    }

    fn scroll(&mut self, pane: Pane, by: i16) {
        let scroll = &mut self.local.scroll;
        let place = match pane {
            Pane::Figure => &mut scroll.figure,
            Pane::Inspector => &mut scroll.inspector,
            Pane::Explanation => &mut scroll.explanation,
            Pane::Narration => &mut scroll.narration,
            Pane::Overlay => &mut scroll.overlay,
        };
        *place = place.saturating_add_signed(by);
        self.local.loose |= matches!(pane, Pane::Figure | Pane::Narration);
    }

    fn mouse(&mut self, mouse: MouseEvent) -> bool {
        if let (Some(editor), Some(inside)) = (&mut self.editor, self.map.editor) {
            editor.mouse(mouse, inside);
            return false;
        }
        let targets: Vec<Target> = self.map.at(mouse.column, mouse.row).cloned().collect();
        match mouse.kind {
            MouseEventKind::Down(MouseButton::Left) => targets.into_iter().next().is_some_and(|t| self.click(t)),
            MouseEventKind::ScrollUp | MouseEventKind::ScrollDown => {
                let pane = targets.iter().find_map(|t| if let Target::Pane(pane) = t { Some(*pane) } else { None });
                let by = if mouse.kind == MouseEventKind::ScrollUp { -3 } else { 3 };
                self.scroll(pane.unwrap_or_default(), by);
                false
            }
            _ => false,
        }
    }

    fn click(&mut self, target: Target) -> bool {
        match target {
            Target::Part(part, ..) if self.view.selected == Some(part) => self.send(Msg::Activate(part)),
            Target::Part(part, ..) => self.send(Msg::Select(part)),
            Target::Tab(view) => self.send(Msg::Show(view)),
            Target::Relation(relation, fork) => self.send(Msg::ShowRelation(relation, fork)),
            Target::Measure(measure) => self.send(Msg::Measure(measure)),
            Target::WalList(list) => self.send(Msg::WalList(list)),
            Target::Step(state) => self.send(Msg::Seek(state)),
            Target::Choice(n) => self.send(Msg::Choose(n)),
            Target::Event(event) => self.send(Msg::SelectEvent(event)),
            Target::Pane(pane) => {
                self.local.pane = pane;
                false
            }
        }
    }
}

/// Writes a recording to a new file in the current folder.
fn save(text: &str) -> Msg {
    for n in 1..10_000 {
        let name = format!("ffviz-{n}.ffrec");
        match std::fs::File::create_new(&name) {
            Ok(mut file) => {
                return match file.write_all(text.as_bytes()) {
                    Ok(()) => Msg::Done(format!("saved as {name}")),
                    Err(error) => Msg::Failed(format!("{name}: {error}")),
                };
            }
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Msg::Failed(format!("{name}: {error}")),
        }
    }
    Msg::Failed("this folder is full of recordings; save them elsewhere".into())
}
