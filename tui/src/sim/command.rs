//! Runs `ffviz sim`.

use super::args::{Format, SimCommand};
use ffviz_engine::sql::run::{RunOptions, Simulator};
use ffviz_engine::sql::script::Script;
use ffviz_engine::storage::{ForkNumber, PageId, RelKind};
use ffviz_engine::timeline::Timeline;
use std::fs;
use std::io::{self, ErrorKind, Read, Write};

/// A script that was run.
pub struct Played {
    /// how it is called on screen
    pub name: String,
    /// its steps
    pub timeline: Timeline,
    /// statements that the simulator does not know, a sentence each
    pub refused: Vec<String>,
}

/// The script of the command line, and its name.
///
/// # Errors
/// A file that cannot be read, a text that is no script: a sentence.
pub fn script(args: &SimCommand) -> Result<(String, Script), String> {
    let (name, text) = match (&args.command, args.file.as_deref()) {
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
    };
    let script = Script::parse(&text).map_err(|error| format!("{name}: {error}"))?;
    Ok((name, script))
}

/// Runs the script step by step.
///
/// # Errors
/// A setting that there is not.
pub fn play(name: String, script: &Script, options: &RunOptions) -> Result<Played, String> {
    let mut simulator = Simulator::new(options, false, true)?;
    let mut timeline = Timeline::new(simulator.state(), None);
    let mut refused = Vec::new();
    for item in &script.items {
        let done = simulator.item(item);
        refused.extend(done.refused);
        simulator.append(&mut timeline, done.simulated);
    }
    timeline.seek(first_to_see(&timeline));
    Ok(Played { name, timeline, refused })
}

/// The state to begin with. A server that was just started has nothing to see, and CREATE TABLE makes pages of indexes only: what a script is
/// about begins with the first row.
fn first_to_see(timeline: &Timeline) -> usize {
    let is_row = |id: PageId| {
        let relation = timeline.last().relations.get(&id.relation);
        id.fork == ForkNumber::Main && relation.is_some_and(|relation| relation.kind == RelKind::Table)
    };
    let touching =
        |wanted: &dyn Fn(PageId) -> bool| (0..timeline.len()).find(|state| timeline.touched(*state).any(wanted));
    touching(&is_row).or_else(|| touching(&|_| true)).unwrap_or(timeline.len() - 1)
}

/// Prints a line a statement, as they end; gives the statements that were refused.
///
/// # Errors
/// A setting that there is not; output that cannot be written.
pub fn trace(script: &Script, options: &RunOptions, out: &mut impl Write) -> Result<Vec<String>, String> {
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
