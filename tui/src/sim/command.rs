//! Runs `ffviz sim`.

use super::args::{Format, SimCommand};
use ffviz_engine::app::Run;
use ffviz_engine::sql::run::{Play, RunOptions, Simulator};
use ffviz_engine::sql::script::Script;
use std::fs;
use std::io::{self, ErrorKind, Read, Write};

/// The name of the script of the command line, and its text.
///
/// # Errors
/// A file that cannot be read: a sentence.
pub fn script(args: &SimCommand) -> Result<(String, String), String> {
    Ok(match (&args.command, args.file.as_deref()) {
        (Some(sql), _) => ("sim".to_owned(), sql.clone()),
        (None, Some("-")) => {
            let mut text = String::new();
            io::stdin().read_to_string(&mut text).map_err(|error| format!("standard input: {error}"))?;
            ("standard input".to_owned(), text)
        }
        (None, file) => {
            let file = file.unwrap_or_default();
            (file.to_owned(), fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?)
        }
    })
}

/// Runs a text step by step; gives the statements that were refused too, a sentence each.
///
/// # Errors
/// A text that is no script; a setting that there is not.
pub fn play(name: &str, text: String, options: &RunOptions) -> Result<(Run, Vec<String>), String> {
    let mut play = Play::new(text, options).map_err(|error| format!("{name}: {error}"))?;
    while play.next() {}
    let refused = std::mem::take(&mut play.refused);
    Ok((play.finish(), refused))
}

/// Prints a line a statement, as they end; gives the statements that were refused.
///
/// # Errors
/// A text that is no script; a setting that there is not; output that cannot be written.
pub fn trace(name: &str, text: &str, options: &RunOptions, out: &mut impl Write) -> Result<Vec<String>, String> {
    let script = Script::parse(text).map_err(|error| format!("{name}: {error}"))?;
    let mut simulator = Simulator::new(options, true, false)?;
    let mut refused = Vec::new();
    for item in &script.items {
        let done = simulator.item(item);
        refused.extend(done.refused);
        for line in done.lines {
            match writeln!(out, "{}", line.to_json()?) {
                Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(refused),
                result => result.map_err(|error| format!("standard output: {error}"))?,
            }
        }
    }
    out.flush().or_else(|error| if error.kind() == ErrorKind::BrokenPipe { Ok(()) } else { Err(error.to_string()) })?;
    Ok(refused)
}

/// What the exit status says of statements that were refused: a sentence.
///
/// # Errors
/// Where there is one.
pub fn verdict(refused: &[String]) -> Result<(), String> {
    match refused {
        [] => Ok(()),
        [one] => Err(one.clone()),
        [first, others @ ..] => Err(format!("{first} (and {} statements more)", others.len())),
    }
}

/// Is the trace wanted, rather than pictures?
#[must_use]
pub fn wants_trace(args: &SimCommand) -> bool {
    args.format == Some(Format::Jsonl)
}
