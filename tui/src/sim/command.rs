//! Runs `ffviz sim`.

use super::args::{Format, SimCommand};
use super::file;
use ffviz_engine::app::{self, Model, Msg};
use ffviz_engine::scene::totals;
use ffviz_engine::sql::run::{Play, RunOptions, Simulator};
use ffviz_engine::sql::script::{Item, Script};
use ffviz_engine::storage::Usage;
use ffviz_engine::timeline::Run;
use std::io::{self, ErrorKind, Read, Write};
use std::path::Path;

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
            let text = text.strip_prefix('\u{FEFF}').map(str::to_owned).unwrap_or(text);
            ("standard input".to_owned(), text)
        }
        (None, file) => {
            let file = file.unwrap_or_default();
            (file.to_owned(), file::read(Path::new(file))?)
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

/// Opens a script that was run, beside its run in another way where that is asked for.
///
/// # Errors
/// A setting that there is not.
pub fn show(model: &mut Model, name: String, run: Run, versus: Option<&(String, RunOptions)>) -> Result<(), String> {
    let other = versus.map(|(what, options)| {
        let (run, _) = play("--versus", run.text.clone(), options)?;
        Ok::<_, String>((what, run))
    });
    app::update(model, Msg::Scripted { name: name.clone(), run });
    if let Some((what, run)) = other.transpose()? {
        app::update(model, Msg::Versus { names: ["as written".to_owned(), what.clone()], run });
    }
    Ok(())
}

/// Prints what the format lists, if it is one that needs no steps; gives the statements that were refused.
///
/// # Errors
/// A text that is no script; a setting that there is not; output that cannot be written.
pub fn list(
    format: Option<Format>,
    (name, text): (&str, &str),
    options: &RunOptions,
    out: &mut impl Write,
) -> Result<Option<Vec<String>>, String> {
    let script = || Script::parse(text).map_err(|error| format!("{name}: {error}"));
    match format {
        Some(Format::Jsonl) => trace(&script()?, options, out).map(Some),
        Some(Format::Stats) => stats(&script()?, options, out).map(Some),
        Some(Format::Text) | None => Ok(None),
    }
}

/// Prints a line a statement, as they end.
fn trace(script: &Script, options: &RunOptions, out: &mut impl Write) -> Result<Vec<String>, String> {
    let mut simulator = Simulator::new(options, true, false)?;
    let mut refused = Vec::new();
    for item in &script.items {
        let done = simulator.item(item);
        refused.extend(done.refused);
        for line in done.lines {
            if !put(out, &line.to_json()?)? {
                return Ok(refused);
            }
        }
    }
    Ok(refused)
}

/// Prints what each statement cost and, below, all of them.
fn stats(script: &Script, options: &RunOptions, out: &mut impl Write) -> Result<Vec<String>, String> {
    let crashes = script.items.iter().any(Item::is_crash);
    let mut simulator = Simulator::new(&RunOptions { crashes, ..options.clone() }, false, false)?;
    let (mut refused, mut total) = (Vec::new(), Usage::default());
    let mut goes_on = put(out, &format!("{}  statement", totals::heading()))?;
    for item in &script.items {
        if !goes_on {
            return Ok(refused);
        }
        let done = simulator.item(item);
        refused.extend(done.refused);
        total = total + done.simulated.usage;
        let label = done.simulated.label.split_whitespace().collect::<Vec<_>>().join(" ");
        goes_on = put(out, &format!("{}  {}: {label}", totals::line(&done.simulated.usage), done.simulated.outcome))?;
    }
    put(out, &format!("{}  all", totals::line(&total)))?;
    Ok(refused)
}

/// Writes a line; gives whether anybody reads on.
fn put(out: &mut impl Write, line: &str) -> Result<bool, String> {
    match writeln!(out, "{line}").and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(false),
        result => result.map(|()| true).map_err(|error| format!("standard output: {error}")),
    }
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
