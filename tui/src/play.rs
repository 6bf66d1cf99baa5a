//! Plain-text playback: every state of a recording, one behind the other, for terminals that are none.

use crate::theme::Theme;
use ffviz_engine::app::{self, Command, Model, Msg};
use ffviz_engine::scene::text::{Options, Rows};
use std::io::{self, Write};

/// Columns of the playback.
const WIDTH: usize = 100;

/// Prints every state of what is open in the model.
///
/// # Errors
/// When the output cannot be written.
pub fn play(model: &mut Model, theme: &Theme, out: &mut impl Write) -> io::Result<()> {
    app::update(model, Msg::Command(Command::First));
    let count = app::view(model).timeline.count;
    for state in 0..count {
        app::update(model, Msg::Seek(state));
        let view = app::view(model);
        let text = app::text(&view, Options { width: WIDTH, ascii: theme.ascii, rows: Rows::Changed });
        writeln!(out, "{}\n", text.trim_end())?;
    }
    Ok(())
}
