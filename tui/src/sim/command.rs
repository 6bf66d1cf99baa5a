//! Runs `ffviz sim`.

use super::args::{Format, SimCommand, Statements};
use super::file;
use crate::environment;
use crate::failure::Failure;
use ffviz_simulator::sql::error::{NOT_SIMULATED, with_lists_once, without_list};
use ffviz_simulator::sql::run::{Play, RunOptions, Simulator, StatementEnd};
use ffviz_simulator::sql::script::{Item, Script};
use ffviz_story::app::{self, Model, Msg};
use ffviz_story::recording;
use ffviz_story::scene::{totals, words};
use ffviz_story::timeline::{Run, Timeline, Usage};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::fs::File;
use std::io::{ErrorKind, Write};
use std::ops::Range;
use std::path::Path;

/// The name of the script of the command line, and its text.
///
/// # Errors
/// A file that cannot be read: a sentence.
pub fn script(args: &SimCommand) -> Result<(String, String), String> {
    Ok(match (&args.command, args.file.as_deref()) {
        (Some(sql), _) => ("sim".to_owned(), sql.clone()),
        (None, file) => {
            let file = Path::new(file.unwrap_or_default());
            (file::name(file), file::read(file)?)
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

/// Writes the steps of a run to a new recording; the sentence says so.
///
/// # Errors
/// A file that is there already, or cannot be written.
pub fn save(timeline: &Timeline, name: &str, file: &Path) -> Result<String, String> {
    let wrong = |error: std::io::Error| format!("{}: {error}", file.display());
    let text = recording::save(timeline, Some(name));
    let mut out = File::create_new(file).map_err(wrong)?;
    if file.extension().is_some_and(|ending| ending == "gz") {
        let mut encoder = GzEncoder::new(out, Compression::default());
        encoder.write_all(text.as_bytes()).and_then(|()| encoder.finish().map(drop)).map_err(wrong)?;
    } else {
        out.write_all(text.as_bytes()).map_err(wrong)?;
    }
    let (steps, file) = (words::count(timeline.len() as u64 - 1, "step"), file.display());
    Ok(format!("{steps} written to {file}; ffviz replay {file} plays them\n"))
}

/// How a run is called, where there are two, and what it begins with.
pub type Way<'a> = (Option<&'a str>, &'a RunOptions);

/// How the first of two runs is called.
const AS_WRITTEN: &str = "as written";

/// The runs that are asked for: one, or two.
#[must_use]
pub fn ways<'a>(options: &'a RunOptions, versus: Option<&'a (String, RunOptions)>) -> Vec<Way<'a>> {
    match versus {
        None => vec![(None, options)],
        Some((name, other)) => vec![(Some(AS_WRITTEN), options), (Some(name), other)],
    }
}

/// Opens a script that was run, beside its run in another way where that is asked for; gives the statements that were
/// refused in that one.
///
/// # Errors
/// A setting that there is not.
pub fn show(
    model: &mut Model,
    name: String,
    run: Run,
    versus: Option<&(String, RunOptions)>,
) -> Result<Vec<String>, String> {
    let other = versus.map(|(what, options)| Ok::<_, String>((what, play("--versus", run.text.clone(), options)?)));
    app::update(model, Msg::Scripted { name, run });
    let Some((what, (run, refused))) = other.transpose()? else { return Ok(Vec::new()) };
    app::update(model, Msg::Versus { names: [AS_WRITTEN.to_owned(), what.clone()], run });
    Ok(refused.into_iter().map(|sentence| format!("{what}: {sentence}")).collect())
}

/// What a run that is listed came to.
struct Listed {
    /// the statements that were refused, a sentence each
    refused: Vec<String>,
    /// does anybody read on?
    is_read: bool,
}

/// Prints what the format lists, if it is one that needs no steps, of one run after the other; gives the statements
/// that were refused.
///
/// # Errors
/// A text that is no script; a setting that there is not; output that cannot be written.
pub fn list(
    (format, only): (Option<Format>, Option<Statements>),
    name: &str,
    text: &str,
    ways: &[Way<'_>],
    out: &mut impl Write,
) -> Result<Option<Vec<String>>, Failure> {
    let list = match format {
        Some(Format::Jsonl) => trace,
        Some(Format::Stats) => stats,
        Some(Format::Text) | None => return Ok(None),
    };
    let script = Script::parse(text).map_err(|error| format!("{name}: {error}"))?;
    check_statements(only, &script)?;
    let mut refused: Vec<String> = Vec::new();
    for (nth, (name, options)) in ways.iter().enumerate() {
        if nth > 0 && format == Some(Format::Stats) && !put(out, "")? {
            break;
        }
        let listed = list(&script, (*name, options), only, out)?;
        let named = |sentence: String| match name.filter(|_| nth > 0) {
            Some(name) => format!("{name}: {sentence}"),
            None => sentence,
        };
        refused.extend(listed.refused.into_iter().map(named));
        if !listed.is_read {
            break;
        }
    }
    Ok(Some(refused))
}

/// Refuses statements that a script does not have.
///
/// # Errors
/// A sentence that says how many there are.
pub fn check_statements(only: Option<Statements>, script: &Script) -> Result<(), Failure> {
    let count = script.items.iter().filter(|item| matches!(item, Item::Statement(_))).count();
    only.map_or(Ok(()), |only| only.check(count)).map_err(Failure::wrong_use)
}

/// Is what an item did to be listed?
fn is_wanted(item: &Item, only: Option<Statements>) -> bool {
    only.is_none_or(|only| matches!(item, Item::Statement(statement) if only.has(statement.n)))
}

/// The states that statements have led to; all, where none are named.
#[must_use]
pub fn states(timeline: &Timeline, script: &Script, only: Statements) -> Range<usize> {
    let groups = timeline.groups().iter().skip(1);
    let mut wanted = groups.zip(&script.items).filter(|(_, item)| is_wanted(item, Some(only))).map(|(group, _)| group);
    let (first, last) = (wanted.clone().next(), wanted.next_back());
    first.map_or(0, |group| group.states.start)..last.map_or(0, |group| group.states.end)
}

/// Prints a line a statement, as they end; of two runs each line says which.
fn trace(
    script: &Script,
    (name, options): Way<'_>,
    only: Option<Statements>,
    out: &mut dyn Write,
) -> Result<Listed, String> {
    let run = name.map(serde_json::to_string).transpose().map_err(|error| error.to_string())?;
    let mut simulator = Simulator::new(options, true, false)?;
    let mut refused = Vec::new();
    for item in &script.items {
        let done = simulator.item(item);
        refused.extend(done.refused);
        for line in done.lines.into_iter().filter(|_| is_wanted(item, only)) {
            let line = line.to_json()?;
            let line = match (&run, line.strip_prefix('{')) {
                (Some(run), Some(fields)) => format!("{{\"run\":{run},{fields}"),
                _ => line,
            };
            if !put(out, &line)? {
                return Ok(Listed { refused, is_read: false });
            }
        }
    }
    Ok(Listed { refused, is_read: true })
}

/// Prints what each statement cost and, below, all of them; of two runs first which it is.
fn stats(
    script: &Script,
    (name, options): Way<'_>,
    only: Option<Statements>,
    out: &mut dyn Write,
) -> Result<Listed, String> {
    let crashes = script.items.iter().any(Item::is_crash);
    let mut simulator = Simulator::new(&RunOptions { crashes, ..options.clone() }, false, false)?;
    let (mut refused, mut total, mut bad) = (Vec::new(), Usage::default(), Bad::default());
    let title = name.map_or_else(String::new, |name| format!("-- {name}\n"));
    let mut is_read = put(out, &format!("{title}{}  statement", totals::heading()))?;
    for item in &script.items {
        if !is_read {
            return Ok(Listed { refused, is_read });
        }
        let done = simulator.item(item);
        refused.extend(done.refused);
        if !is_wanted(item, only) {
            continue;
        }
        bad.add(&done.ends);
        total = total + done.simulated.usage;
        let label = done.simulated.label.split_whitespace().collect::<Vec<_>>().join(" ");
        let outcome = without_list(&done.simulated.outcome);
        is_read = put(out, &format!("{}  {outcome}: {label}", totals::line(&done.simulated.usage)))?;
    }
    is_read = is_read && put(out, &format!("{}  all{}", totals::line(&total), bad.words()))?;
    Ok(Listed { refused, is_read })
}

/// Statements that did not do what they say.
#[derive(Default)]
struct Bad {
    /// with an error that PostgreSQL raises
    failed: u64,
    /// since the simulator does not know them
    unsupported: u64,
}

impl Bad {
    fn add(&mut self, ends: &[StatementEnd]) {
        let errors = ends.iter().filter_map(|end| end.error.as_ref());
        let (unsupported, failed): (Vec<_>, Vec<_>) = errors.partition(|error| error.sqlstate == NOT_SIMULATED);
        self.unsupported += unsupported.len() as u64;
        self.failed += failed.len() as u64;
    }

    /// Behind "all": what cost nothing is left out; what failed has its cost in the total.
    fn words(&self) -> String {
        let is = if self.unsupported == 1 { "is" } else { "are" };
        let unsupported = match self.unsupported {
            0 => String::new(),
            n => format!(" but {} that {is} not supported", words::count(n, "statement")),
        };
        match self.failed {
            0 => unsupported,
            n => format!("{unsupported}; {} failed with an error", words::count(n, "statement")),
        }
    }
}

/// Writes a line; gives whether anybody reads on.
fn put(out: &mut dyn Write, line: &str) -> Result<bool, String> {
    match writeln!(out, "{line}").and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(false),
        result => result.map(|()| true).map_err(|error| format!("standard output: {error}")),
    }
}

/// Sentences about refused statements that are told at most.
const TOLD: usize = 20;

/// Where statements that the simulator does not know run.
pub const ELSEWHERE: &str = "--on CONNINFO runs the script on a server, in a database of its own";

/// The same of a run in the simulator.
///
/// # Errors
/// Where there is one.
pub fn verdict_of_simulator(refused: &[String]) -> Result<(), String> {
    // what is no SQL runs nowhere
    let is_known = |sentence: &String| sentence.contains("not supported") || sentence.contains("not simulated");
    let between = if refused.len() > 1 { "\n" } else { "; " };
    let hint = if refused.iter().any(is_known) { format!("{between}{ELSEWHERE}") } else { String::new() };
    verdict(refused).map_err(|told| told + &hint)
}

/// What is said of the statements that were refused beside a picture of others: how many, and the first.
///
/// # Errors
/// The same, where it is a refused one that is shown.
pub fn beside_picture(refused: &[String], is_shown: bool, elsewhere: &str) -> Result<(), String> {
    let Some(first) = refused.first().map(|first| without_list(first)) else { return Ok(()) };
    let told = match refused.len() {
        1 => first.to_owned(),
        n => format!("{} were refused, the first is {first}", words::count(n as u64, "statement")),
    };
    let told = if elsewhere.is_empty() { told } else { format!("{told}; {elsewhere}") };
    if is_shown {
        return Err(told);
    }
    environment::note(&told);
    Ok(())
}

/// What the exit status says of statements that were refused: a sentence each, on lines of their own.
///
/// # Errors
/// Where there is one.
pub fn verdict(refused: &[String]) -> Result<(), String> {
    if refused.is_empty() {
        return Ok(());
    }
    let more = refused.len().saturating_sub(TOLD);
    let rest = (more > 0).then(|| {
        format!("{} more; --format stats of `ffviz sim` says it of each", words::count(more as u64, "statement"))
    });
    let told = &refused[..refused.len().min(TOLD)];
    let mut lines = with_lists_once(told);
    lines.splice(told.len()..told.len(), rest);
    Err(lines.join("\n"))
}
