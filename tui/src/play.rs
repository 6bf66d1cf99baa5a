//! Plain-text playback: every state of a recording, one behind the other, for terminals that are none.

use crate::theme::Theme;
use ffviz_story::app::{self, Command, Model, Msg, View};
use ffviz_story::scene::text::{Options, Rows};
use std::io::{self, Write};
use std::ops::Range;

/// Columns of the playback.
const WIDTH: usize = 100;

/// Which states are printed.
pub enum Played {
    /// from the one on that a message leads to
    From(Box<Msg>),
    /// these
    Only(Range<usize>),
}

/// Prints states of what is open in the model; of two runs side by side, every statement. What was said with the state
/// before, the title and the statement, is not said again.
///
/// # Errors
/// When the output cannot be written.
pub fn play(model: &mut Model, theme: &Theme, played: Played, out: &mut impl Write) -> io::Result<()> {
    let (first, end) = match played {
        Played::From(first) => (*first, usize::MAX),
        Played::Only(states) => (Msg::Seek(states.start), states.end),
    };
    app::update(model, Msg::Command(Command::First));
    app::update(model, first);
    let mut said: Option<View> = None;
    loop {
        let view = app::view(model);
        let current = view.timeline.current;
        let mut shown = view.clone();
        if let Some(said) = &said {
            leave_out(&mut shown, said);
        }
        let text = app::text(&shown, Options { width: WIDTH, ascii: theme.ascii, rows: Rows::Changed });
        writeln!(out, "{}\n", text.trim_end())?;
        // two runs are compared statement by statement
        app::update(
            model,
            match view.versus {
                Some(_) => Msg::Command(Command::NextGroup),
                None => Msg::Seek(current + 1),
            },
        );
        let next = app::view(model).timeline.current;
        if next == current || next >= end {
            break;
        }
        said = Some(view);
    }
    Ok(())
}

/// Takes out of a view what stands above it already.
fn leave_out(view: &mut View, said: &View) {
    if view.title == said.title {
        view.title.clear();
    }
    let (here, before) = (&mut view.timeline, &said.timeline);
    if (&here.statement, &here.label) == (&before.statement, &before.label) {
        here.label.clear();
    }
}
