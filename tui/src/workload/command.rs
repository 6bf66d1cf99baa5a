//! Runs `ffviz run`.

use super::args::{Format, RunCommand};
use super::beside::Beside;
use super::progress::Progress;
use super::report::Report;
use super::scripts::{scripts, wants_tables};
use crate::failure::Failure;
use crate::interrupt;
use crate::on;
use crate::plot;
use crate::sim::file;
use crate::source::Opened;
use crate::theme::{Palette, Theme};
use ffviz_format::page::PgVersion;
use ffviz_live::WorkloadServer;
use ffviz_simulator::pgbench::{
    BenchScript, Benchmark, Statements, Stopped, Turn, init_statements, largest_scale, vacuum_statements,
};
use ffviz_simulator::sql::run::{Simulator, simulated_version};
use ffviz_simulator::sql::script::{Item, Script};
use ffviz_simulator::storage::Interrupt;
use ffviz_story::scene::plot::of_samples;
use ffviz_story::timeline::Timeline;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Columns of charts.
const WIDTH: u16 = 100;

/// What there is to write, and why the run did not come to its end.
pub struct Written {
    /// for standard output
    pub text: String,
    /// a sentence
    pub fault: Option<String>,
}

/// Runs the scripts and gives what there is to write.
///
/// # Errors
/// A sentence, where nothing was run.
pub fn run(args: &RunCommand, theme: &Theme, palettes: [Palette; 2]) -> Result<Written, Failure> {
    let scripts = prepare(args)?;
    if args.print {
        return print(args, &scripts);
    }
    let flag = interrupt::flag()?;
    let mut server = on::workload(&args.on, &flag)?;
    let (version, like) = match &server {
        Some(server) => (simulated(server)?, server.settings(&on::COUNT)?),
        None => (args.version(), Vec::new()),
    };
    let mut progress = Progress::new();
    let name = scripts.iter().map(|script| script.name.as_str()).collect::<Vec<_>>().join(", ");
    let simulator = Simulator::new(&args.server(version, like), false, false)?;
    let simulator = begin(args, simulator, server.as_mut(), &flag, &mut progress)?;
    if let Some(server) = &mut server {
        server.restart()?;
    }
    progress.restart();
    let mut benchmark = Benchmark::new(simulator, scripts, args.options());
    benchmark.interrupt_by(Arc::clone(&flag));
    let stopped = go(&mut benchmark, server.as_mut(), &flag, &mut progress);
    let seconds = progress.restart();
    progress.clear();
    let beside = server.map(|server| Beside::of(server, benchmark.progress().0)).transpose()?;
    let (progress, failed) = (benchmark.progress(), benchmark.failed());
    let fault = stopped.map(|stopped| match stopped {
        Stopped::Interrupted => format!("interrupted after {} of {} transactions", progress.0, progress.1),
        Stopped::Failed(sentence) => sentence,
    });
    let samples = benchmark.finish().1;
    let report = Report { name, args, version, progress, failed, seconds, samples, beside };
    let plots = of_samples(&report.samples);
    let text = match args.format {
        Format::Text => report.text() + &plot::text(&plots, WIDTH, theme),
        Format::Csv => plot::csv(&plots),
        Format::Svg => plot::svg(&plots, &report.title(), palettes),
        Format::Json => {
            let server = report.beside.as_ref().map(Beside::json);
            let all = serde_json::json!({ "run": report.json(), "server": server, "plots": plot::json(&plots) });
            format!("{all}\n")
        }
    };
    Ok(Written { text, fault })
}

/// Runs the scripts up to a transaction, and that one step by step.
///
/// # Errors
/// A sentence.
pub fn look(args: &RunCommand, transaction: u64) -> Result<Opened, Failure> {
    let of = args.transactions.saturating_mul(args.clients.into());
    if transaction > of {
        return Err(Failure::wrong_use(format!("--look {transaction}: there are {of} transactions; -t N makes more")));
    }
    let scripts = prepare(args)?;
    let flag = interrupt::flag()?;
    let mut progress = Progress::new();
    let mut simulator = Simulator::new(&args.server(args.version(), Vec::new()), false, true)?;
    simulator.tell(false);
    let simulator = begin(args, simulator, None, &flag, &mut progress)?;
    let mut benchmark = Benchmark::new(simulator, scripts, args.options());
    benchmark.interrupt_by(Arc::clone(&flag));
    let wrong = |stopped| match stopped {
        Stopped::Interrupted => "interrupted before the transaction began".to_owned(),
        Stopped::Failed(sentence) => sentence,
    };
    while benchmark.progress().0 + 1 < transaction {
        benchmark.step().map_err(wrong)?;
        benchmark.simulator.forget_wal();
        progress.note(benchmark.progress().0, transaction);
    }
    progress.clear();
    benchmark.plan_anew();
    benchmark.simulator.tell(true);
    let mut timeline = Timeline::new(benchmark.simulator.state(), None);
    while benchmark.progress().0 < transaction {
        if let Turn::Statement(done) = benchmark.step().map_err(wrong)? {
            benchmark.simulator.append(&mut timeline, done.simulated, done.happenings);
        }
    }
    Ok(Opened::new(&format!("transaction {transaction}"), timeline))
}

/// What is wrong with the command line is said before anything is run.
fn prepare(args: &RunCommand) -> Result<Vec<BenchScript>, Failure> {
    if let Some(answer) = args.answer() {
        return Err(Failure::wrong_use(answer.to_owned()));
    }
    let most = largest_scale(args.disk, args.fillfactor.into());
    if wants_tables(args) && args.scale > most {
        return Err(Failure::wrong_use(format!(
            "-s {}: the tables do not fit the simulated disk, which has room for scale {most}; --disk SIZE makes more of the memory of it",
            args.scale
        )));
    }
    scripts(args)
}

/// The version that is simulated beside a server.
fn simulated(server: &WorkloadServer) -> Result<PgVersion, String> {
    let version = server.version();
    let told = |why| format!("the server is PostgreSQL {}: {why}", server.name());
    simulated_version(&version.major().to_string()).map(|_| version).map_err(told)
}

/// The tables.
fn begin(
    args: &RunCommand,
    mut simulator: Simulator,
    mut server: Option<&mut WorkloadServer>,
    flag: &Arc<AtomicBool>,
    progress: &mut Progress,
) -> Result<Simulator, String> {
    let version = simulator.db.cluster.version();
    let mut all = |simulator: &mut Simulator, items: &[Item]| {
        all(simulator, items)?;
        server.as_mut().map_or(Ok(()), |server| server.items(items))
    };
    simulator.db.cluster.pg.interrupt = Interrupt::new(Arc::clone(flag));
    if let Some(path) = &args.before {
        let name = file::name(path);
        let script = Script::parse(&file::read(path)?).map_err(|error| format!("{name}: {error}"))?;
        all(&mut simulator, &script.items).map_err(|fault| format!("{name}: {fault}"))?;
    }
    if wants_tables(args) {
        progress.say("pgbench's tables …");
        all(&mut simulator, &init_statements(version, args.scale, args.fillfactor))?;
        if !args.no_vacuum {
            all(&mut simulator, &vacuum_statements())?;
        }
    }
    Ok(simulator)
}

fn all(simulator: &mut Simulator, items: &[Item]) -> Result<(), String> {
    for item in items {
        let done = simulator.item(item);
        if let Some(refused) = done.refused {
            return Err(refused);
        }
        if let Some(error) = done.ends.first().and_then(|end| end.error.as_ref()) {
            return Err(format!("{}: ERROR: {}", done.simulated.label, error.message));
        }
    }
    Ok(())
}

/// All transactions, or as many as there are until something stops them.
fn go(
    benchmark: &mut Benchmark,
    mut server: Option<&mut WorkloadServer>,
    flag: &AtomicBool,
    progress: &mut Progress,
) -> Option<Stopped> {
    if server.is_some() {
        benchmark.keep_sent();
    }
    loop {
        if flag.load(Ordering::Relaxed) {
            return Some(Stopped::Interrupted);
        }
        let turn = benchmark.step();
        if let Some(Err(sentence)) = server.as_mut().map(|server| follow(benchmark, server)) {
            return Some(Stopped::Failed(sentence));
        }
        match turn {
            Ok(Turn::Finished) => return None,
            Ok(Turn::Transaction) => {
                let (done, of) = benchmark.progress();
                progress.note(done, of);
            }
            Ok(_) => {}
            Err(stopped) => return Some(stopped),
        }
    }
}

/// The server does what the simulator has done.
fn follow(benchmark: &mut Benchmark, server: &mut WorkloadServer) -> Result<(), String> {
    for sent in benchmark.take_sent() {
        server.send(&sent.session, &sent.sql)?;
    }
    if benchmark.samples() > server.samples.all.len() {
        server.sample(benchmark.progress().0)?;
    }
    Ok(())
}

/// The statements of one client.
fn print(args: &RunCommand, scripts: &[BenchScript]) -> Result<Written, Failure> {
    if args.clients > 1 {
        let why =
            "--print writes the statements of one client: of several, the order depends on who waits; leave -c out";
        return Err(Failure::wrong_use(why.to_owned()));
    }
    if let Some(script) = scripts.iter().find(|script| script.takes_rows()) {
        let why = format!("{}: \\gset and \\aset need rows, and --print runs nothing; leave --print out", script.name);
        return Err(Failure::wrong_use(why));
    }
    let (mut text, mut fault) = (String::new(), None);
    for sql in Statements::new(args.version(), scripts, &args.options()) {
        match sql {
            Ok(sql) => text.extend([&sql.split_whitespace().collect::<Vec<_>>().join(" "), "\n"]),
            Err(sentence) => fault = Some(sentence),
        }
    }
    Ok(Written { text, fault })
}
