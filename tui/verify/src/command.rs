//! `ffviz verify FILE --server CONNINFO`: runs the script in both, compares, and says so.

use super::args::{Format, VerifyCommand};
use super::compare::{self, Comparison};
use super::facts::ServerFacts;
use super::ground::Ground;
use super::place::Place;
use super::runner::{Runner, ServerRun};
use super::{annotate, volatile};
use ffviz_format::page::PgVersion;
use ffviz_live::connect::{Connector, Environment};
use ffviz_live::fence::{self, Admitted, Reach};
use ffviz_simulator::sql::script::Script;
use ffviz_simulator::sql::trace::TraceLine;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

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
    /// The statements that it does not know, by number, each with what it says of it: they are not sent to the server.
    ///
    /// # Errors
    /// As [`Self::run`].
    fn unknown(&mut self, script: &Script, server: &ServerFacts) -> Result<BTreeMap<u32, String>, String>;

    /// A line a statement, as the server that is described would have made them; counters as the script's directives
    /// say.
    ///
    /// # Errors
    /// A sentence: why the script cannot be run at all.
    fn run(&mut self, script: &Script, server: &ServerFacts) -> Result<Simulated, String>;
}

/// Runs the command over the text of its file: the report, and what is not well, a phrase. `interrupt` stops it;
/// `tell` gets what is to be known beside the report, such as what interrupted runs have left, a sentence each.
///
/// # Errors
/// One sentence that says what is wrong and what to do.
pub fn run(
    args: &VerifyCommand,
    text: &str,
    simulator: &mut dyn Simulator,
    interrupt: Arc<AtomicBool>,
    tell: &mut dyn FnMut(&str),
) -> Result<(String, Option<&'static str>), String> {
    let name = file_name(&args.file);
    let script = Script::parse(text).map_err(|error| format!("{name}: {error}"))?;
    let reach = Reach { own_database: args.own_database, server_wide: args.allow_server_wide };
    let admitted = fence::admit(&script, reach).map_err(|why| format!("{name}: {why}; nothing was sent"))?;
    let connector = Connector::new(&args.server, Environment::of_process())?;
    let place = connector.place();
    let (admitted, server, facts) = on_server(args, connector, admitted, simulator, interrupt, tell)?;
    let annotated = annotate::annotate(admitted.script(), &server.lines);
    if let Some(path) = &args.keep {
        fs::write(path, annotated.to_string()).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    let engine = simulator.run(&annotated, &facts).map_err(|why| format!("{name}: {why}"))?;
    let mut comparison = compare_traces(admitted.script(), &server.lines, engine, facts.version);
    comparison.not_sent = admitted.left_out().to_vec();
    let report = match args.format {
        Format::Text => with_server(&compare::text(&comparison), &place, facts.version),
        Format::Json => compare::json(&comparison)?,
    };
    Ok((report, comparison.fault()))
}

/// What the script is called in messages; `-` is standard input.
#[must_use]
pub fn file_name(path: &Path) -> String {
    if path.as_os_str() == "-" { String::from("standard input") } else { path.display().to_string() }
}

/// The report, whose last line, the verdict, says of which server it is true.
fn with_server(report: &str, place: &str, version: PgVersion) -> String {
    format!("{} ({place}, PostgreSQL {}.{})\n", report.trim_end(), version.major(), version.0 % 10_000)
}

/// Compares what the server and the simulator made of a script, as far as it can be compared.
#[must_use]
pub fn compare_traces(script: &Script, server: &[TraceLine], engine: Simulated, version: PgVersion) -> Comparison {
    let left_out = volatile::not_comparable(script);
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

/// The server's side; other clients that write make it worthless.
fn on_server(
    args: &VerifyCommand,
    connector: Connector,
    mut admitted: Admitted,
    simulator: &mut dyn Simulator,
    interrupt: Arc<AtomicBool>,
    tell: &mut dyn FnMut(&str),
) -> Result<(Admitted, ServerRun, ServerFacts), String> {
    let run = async {
        let ground = Ground::find(connector, args.own_database).await?;
        for left in ground.leftovers().await? {
            tell(&left);
        }
        if !args.own_database {
            ground.objections().await?;
        }
        only_known(&mut admitted, simulator, &ground.facts().await?)?;
        let place = Place::make(ground, args.own_database, &admitted.server_settings()).await?;
        let facts = ServerFacts::ask(&place.session, place.access.server.version, place.database).await;
        match facts {
            Ok(facts) => Runner::new(place, None, interrupt).run(&admitted).await.map(|run| (run, facts)),
            Err(failure) => place.clean().await.and(Err(failure)),
        }
    };
    let (run, facts) = ffviz_live::runtime()?.block_on(run).map_err(|failure| failure.sentence)?;
    facts.unfit().iter().for_each(|sentence| tell(sentence));
    match run.foreign.first() {
        None => Ok((admitted, run, facts)),
        Some(first) => Err(format!(
            "other clients wrote meanwhile ({} times; first: {first}); run it again when nobody else works on the server",
            run.foreign.len()
        )),
    }
}

/// Leaves out what the simulator does not know. Without such a statement another may come to run that it does not know
/// either.
fn only_known(admitted: &mut Admitted, simulator: &mut dyn Simulator, facts: &ServerFacts) -> Result<(), String> {
    loop {
        let unknown = simulator.unknown(admitted.script(), facts)?;
        if unknown.is_empty() {
            return Ok(());
        }
        admitted.leave_out(&unknown);
    }
}
