//! Plain-text playback: every state of a recording, one behind the other, for terminals that are none.

use crate::theme::Theme;
use ffviz_story::app::{self, Command, Model, Msg};
use ffviz_story::scene::text::{Options, Rows};
use std::io::{self, Write};

/// Columns of the playback.
const WIDTH: usize = 100;

/// Prints every state of what is open in the model, from the one on that a message leads to; of two runs side by side,
/// every statement.
///
/// # Errors
/// When the output cannot be written.
pub fn play(model: &mut Model, theme: &Theme, first: Msg, out: &mut impl Write) -> io::Result<()> {
    app::update(model, Msg::Command(Command::First));
    app::update(model, first);
    loop {
        let view = app::view(model);
        let text = app::text(&view, Options { width: WIDTH, ascii: theme.ascii, rows: Rows::Changed });
        writeln!(out, "{}\n", text.trim_end())?;
        // two runs are compared statement by statement
        app::update(
            model,
            match view.versus {
                Some(_) => Msg::Command(Command::NextGroup),
                None => Msg::Seek(view.timeline.current + 1),
            },
        );
        if app::view(model).timeline.current == view.timeline.current {
            break;
        }
    }
    Ok(())
}
