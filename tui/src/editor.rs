//! The editor within the program: the text of an [`EditorScene`] while the user changes it, by keys, by the mouse, or
//! in `$EDITOR`.

use crate::inbox::{Inbox, Incoming};
use crate::terminal::{self, Taken};
use crate::theme::{Ink, Theme};
use ffviz_story::app::{EditorScene, Msg, Overlay, Problem};
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseEvent, MouseEventKind};
use ratatui::layout::{Position, Rect};
use ratatui_textarea::{CursorMove, Input, TextArea, WrapMode};
use signal_hook::consts::{SIGINT, SIGTSTP};
use std::io::{self, Write};
use std::process::{Child, Command, ExitStatus};
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

/// A text that is being changed.
pub struct Editor {
    area: TextArea<'static>,
    title: String,
    problem: Option<Problem>,
}

/// What a key in the editor leads to.
pub enum Answer {
    /// the text was changed, or nothing was
    Nothing,
    /// for the model
    Send(Box<Msg>),
    /// the text is to be edited in `$EDITOR`
    External,
}

impl Editor {
    /// Keeps step with what lies over the view: another text opens anew, another problem moves the cursor to its place.
    #[must_use]
    pub fn follow(known: Option<Self>, overlay: Option<&Overlay>, theme: &Theme) -> Option<Self> {
        let Some(Overlay::Editor(scene)) = overlay else { return None };
        let same = known.filter(|editor| editor.title == scene.title);
        let mut editor = same.unwrap_or_else(|| Self::open(scene, theme));
        if editor.problem != scene.problem {
            editor.problem.clone_from(&scene.problem);
            if let Some(Problem { line, column, .. }) = &scene.problem {
                editor.jump(line.saturating_sub(1), column.map_or(0, |column| column.saturating_sub(1)));
            }
        }
        Some(editor)
    }

    fn open(scene: &EditorScene, theme: &Theme) -> Self {
        let mut editor = Self { area: TextArea::default(), title: scene.title.clone(), problem: None };
        editor.set(&scene.text, theme);
        editor
    }

    fn set(&mut self, text: &str, theme: &Theme) {
        let mut area = TextArea::from(text.lines());
        area.set_style(theme.ink(Ink::Text));
        area.set_cursor_line_style(theme.ink(Ink::Text));
        area.set_cursor_style(theme.ink(Ink::Text).reversed());
        area.set_line_number_style(theme.ink(Ink::Dim));
        area.set_wrap_mode(WrapMode::None);
        self.area = area;
    }

    fn jump(&mut self, line: usize, column: usize) {
        let short = |n: usize| u16::try_from(n).unwrap_or(u16::MAX);
        self.area.move_cursor(CursorMove::Jump(short(line), short(column)));
    }

    /// The text with a line end behind each line; an empty one has none.
    #[must_use]
    pub fn text(&self) -> String {
        match self.area.lines() {
            [only] if only.is_empty() => String::new(),
            lines => lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect(),
        }
    }

    /// Draws the text.
    pub fn draw(&self, area: Rect, buffer: &mut ratatui::buffer::Buffer) {
        ratatui::widgets::Widget::render(ratatui::widgets::Clear, area, buffer);
        ratatui::widgets::Widget::render(&self.area, area, buffer);
    }

    /// A key.
    pub fn key(&mut self, key: KeyEvent) -> Answer {
        match (key.code, key.modifiers == KeyModifiers::CONTROL) {
            (KeyCode::Char('r'), true) | (KeyCode::F(5), _) => Answer::Send(Box::new(Msg::Run(self.text()))),
            (KeyCode::Esc, _) | (KeyCode::Char('c'), true) => Answer::Send(Box::new(Msg::CloseEditor(self.text()))),
            (KeyCode::Char('o'), true) => Answer::External,
            _ => {
                self.area.input(Input::from(key));
                Answer::Nothing
            }
        }
    }

    /// A click sets the cursor, the wheel scrolls.
    pub fn mouse(&mut self, mouse: MouseEvent, inside: Rect) {
        if mouse.kind == MouseEventKind::Down(ratatui::crossterm::event::MouseButton::Left)
            && inside.contains(Position { x: mouse.column, y: mouse.row })
        {
            let (top, left) = self.area.scroll_offset();
            let column = (mouse.column - inside.x + left).saturating_sub(self.area.line_number_width());
            self.jump(usize::from(mouse.row - inside.y + top), usize::from(column));
        } else {
            self.area.input(Input::from(mouse));
        }
    }

    /// Gives the terminal to `$VISUAL` or `$EDITOR` with the text in a file, and takes both back.
    ///
    /// # Errors
    /// When the terminal cannot be had again. What went wrong with the editor is a message.
    pub fn external(&mut self, taken: &mut Taken, theme: &Theme, inbox: &Inbox) -> io::Result<Option<Msg>> {
        terminal::give_back();
        let edited = edit_file(&self.text(), inbox);
        taken.take_again()?;
        match edited {
            Ok(text) => {
                self.set(&text, theme);
                Ok(None)
            }
            Err(why) => Ok(Some(Msg::Failed(why))),
        }
    }
}

/// The text after it was edited in a file that only this user can read.
fn edit_file(text: &str, inbox: &Inbox) -> Result<String, String> {
    let set = |name: &str| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
    let program = set("VISUAL").or_else(|| set("EDITOR")).unwrap_or_else(|| "vi".into());
    let mut file = tempfile::Builder::new().prefix("ffviz-").suffix(".sql").tempfile().map_err(|e| e.to_string())?;
    file.write_all(text.as_bytes()).map_err(|error| format!("{}: {error}", file.path().display()))?;
    // as others start it, through the shell: it may have arguments
    let mut child = Command::new("sh")
        .arg("-c")
        .arg(format!("{program} \"$1\""))
        .arg("sh")
        .arg(file.path())
        .spawn()
        .map_err(|error| format!("{program}: {error}"))?;
    let status = wait(&mut child, inbox).map_err(|error| format!("{program}: {error}"))?;
    if !status.success() {
        return Err(format!("{program} ended with {status}; the text is as it was"));
    }
    let text = std::fs::read_to_string(file.path());
    text.map(|text| text.trim_start_matches('\u{FEFF}').to_owned())
        .map_err(|error| format!("{}: {error}", file.path().display()))
}

/// Waits for the editor. Ctrl-C is for it alone; where it is stopped, so are we.
fn wait(child: &mut Child, inbox: &Inbox) -> io::Result<ExitStatus> {
    let mut meanwhile = Vec::new();
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        match inbox.incoming.recv_timeout(Duration::from_millis(50)) {
            Ok(Incoming::Signal(SIGINT)) | Err(RecvTimeoutError::Timeout) => {}
            Ok(Incoming::Signal(SIGTSTP)) => signal_hook::low_level::emulate_default_handler(SIGTSTP)?,
            Ok(other) => meanwhile.push(other),
            Err(RecvTimeoutError::Disconnected) => break child.wait()?,
        }
    };
    for other in meanwhile {
        let _ = inbox.sender.send(other);
    }
    Ok(status)
}
