//! `ffviz verify FILE --server CONNINFO`: runs the script in both, compares, and says so.

use super::args::{Format, VerifyCommand};
use super::compare::{self, Comparison};
use super::facts::ServerFacts;
use super::place::Place;
use super::runner::{Runner, ServerRun};
use super::{annotate, refuse};
use crate::attach;
use crate::attach::connect::{Connector, Environment};
use crate::sim::file;
use ffviz_engine::page::PgVersion;
use ffviz_engine::sql::script::Script;
use ffviz_engine::sql::trace::TraceLine;
use std::fs;

/// What a simulator made of a script.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Simulated {
    /// a line a statement
    pub lines: Vec<TraceLine>,
    /// the first statement that it does not know, and what it says of it: from there on nothing can be compared
    pub refused: Option<(u32, String)>,
}

/// Who runs a script without a server.
pub trait Simulator {
    /// A line a statement, as the server that is described would have made them; counters as the script's directives say.
    ///
    /// # Errors
    /// A sentence: why the script cannot be run at all.
    fn run(&mut self, script: &Script, server: &ServerFacts) -> Result<Simulated, String>;
}

/// Runs the command: the report, and whether all is equal.
///
/// # Errors
/// One sentence that says what is wrong and what to do.
pub fn run(args: &VerifyCommand, simulator: &mut dyn Simulator) -> Result<(String, bool), String> {
    let name = args.file.display();
    let text = file::read(&args.file)?;
    let script = Script::parse(&text).map_err(|error| format!("{name}: {error}"))?;
    refuse::check(&script, args.allow_server_wide).map_err(|why| format!("{name}: {why}"))?;
    let (server, facts) = on_server(args, &script)?;
    let annotated = annotate::annotate(&script, &server.lines);
    if let Some(path) = &args.keep {
        fs::write(path, annotated.to_string()).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    let engine = simulator.run(&annotated, &facts).map_err(|why| format!("{name}: {why}"))?;
    let comparison = compare_traces(&script, &server.lines, engine, facts.version);
    Ok((report(args.format, &comparison)?, comparison.is_equal()))
}

/// Compares what the server and the simulator made of a script, as far as it can be compared.
#[must_use]
pub fn compare_traces(script: &Script, server: &[TraceLine], engine: Simulated, version: PgVersion) -> Comparison {
    let left_out = refuse::not_comparable(script);
    let Some((n, why)) = engine.refused else {
        return compare::compare_but(server, &engine.lines, version, left_out);
    };
    let is_refused = |line: &TraceLine| matches!(line, TraceLine::Statement(statement) if statement.n == n);
    let before = |lines: &[TraceLine]| lines.iter().position(is_refused).unwrap_or(lines.len());
    let (theirs, ours) = (before(server), before(&engine.lines));
    let mut comparison = compare::compare_but(&server[..theirs], &engine.lines[..ours], version, left_out);
    comparison.refused(n, script, why);
    comparison
}

fn report(format: Format, comparison: &Comparison) -> Result<String, String> {
    match format {
        Format::Text => Ok(compare::text(comparison)),
        Format::Json => compare::json(comparison),
    }
}

/// The server's side; other clients that write make it worthless.
fn on_server(args: &VerifyCommand, script: &Script) -> Result<(ServerRun, ServerFacts), String> {
    let run = async {
        let place = Place::open(Connector::new(&args.server, Environment::of_process())?).await?;
        let facts = ServerFacts::ask(&place).await?;
        let run = Runner::new(place, None).run(script).await?;
        Ok::<_, attach::Failure>((run, facts))
    };
    let (run, facts) = attach::runtime()?.block_on(run).map_err(|failure| failure.sentence)?;
    facts.unfit().iter().for_each(|sentence| eprintln!("ffviz: {sentence}"));
    match run.foreign.first() {
        None => Ok((run, facts)),
        Some(first) => Err(format!(
            "other clients wrote meanwhile ({} times; first: {first}); run it again when nobody else works on the server",
            run.foreign.len()
        )),
    }
}
