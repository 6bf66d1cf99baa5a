//! Plain-text playback: every state of a recording, one behind the other, for terminals that are none.

use crate::show;
use crate::theme::Theme;
use ffviz_engine::app::{self, Command, Model, Msg};
use std::io::{self, Write};

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
        writeln!(out, "{}", show::show(&view, (100, 40), theme, show::Format::Text).trim_end())?;
        writeln!(out)?;
    }
    Ok(())
}
