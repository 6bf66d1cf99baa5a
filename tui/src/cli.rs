//! The command line.

use crate::advise::{self, args::AdviseCommand};
use crate::book::{self, LessonArgs};
use crate::environment::{self, variable};
use crate::experiment::{self, args::ExperimentCommand};
use crate::failure::Failure;
use crate::live::Attached;
use crate::look::{Look, print};
use crate::man::{self, ManArgs};
use crate::on::{self, Bounds, On, OnArgs};
use crate::play::Played;
use crate::relation_file::{self, Hints};
use crate::show::{self, Format, Frames, Request};
use crate::sim::args::{SimCommand, VersusArgs};
use crate::sim::{self, runner::Runner};
use crate::theme::Depth;
use crate::version::version;
use crate::wal::{self, args::WalCommand};
use crate::workload::{self, args::RunCommand};
use crate::{interrupt, library, play, record, run, source};
use clap::{Arg, Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use ffviz_format::page::PgVersion;
use ffviz_live::args::{AttachArgs, RecordArgs};
use ffviz_simulator::sql::run::{DEFAULT, RunOptions, simulated_version};
use ffviz_simulator::sql::script::Script;
use ffviz_simulator::sql::trace::TraceLine;
use ffviz_story::app::{self, Model, Msg, ViewName};
use ffviz_story::scene::StepName;
use ffviz_verify::args::VerifyCommand;
use std::io::{self, IsTerminal};
use std::ops::Range;
use std::process::ExitCode;

/// Shows what PostgreSQL does to its pages, step by step.
#[derive(Debug, Parser)]
#[command(name = "ffviz", version = version(), max_term_width = 100, after_help = EXAMPLES)]
pub struct Cli {
    #[command(subcommand)]
    command: Option<Action>,
    #[command(flatten)]
    look: Look,
}

const EXAMPLES: &str = "Examples:
  ffviz                                         the library of lessons and recordings
  ffviz lesson hot-update                       a lesson
  ffviz sim course.sql                          step through a script in the simulator
  ffviz replay mine.ffrec                       step through a recording
  ffviz show 18/hot-chain --step 2              one picture
  ffviz show 18/hot-chain --format svg > a.svg  a picture for a document
  ffviz | less                                  without a terminal: plain text

Characters are ASCII where the locale (LC_ALL, LC_CTYPE, LANG) has no UTF-8, there are no colours under
NO_COLOR or CLICOLOR=0, and where TERM is dumb there is plain text instead of a screen.

Exit status: 0 done, 1 failed, 2 wrong use.";

#[derive(Debug, Subcommand)]
enum Action {
    /// Play a lesson: SQL, step by step, with what is to be read and to be predicted
    #[command(after_help = book::HELP)]
    Lesson(LessonArgs),
    /// Step through an SQL script in the simulator
    #[command(after_help = sim::args::HELP)]
    Sim(SimCommand),
    /// Run pgbench's scripts in the simulator, and plot what they do to pages and WAL
    #[command(after_help = workload::args::HELP)]
    Run(RunCommand),
    /// Run published experiments anew: the articles' figures beside the simulator's
    #[command(after_help = experiment::args::HELP)]
    Experiment(ExperimentCommand),
    /// Say why a table's updates are not HOT, and which fillfactor suits them
    #[command(after_help = advise::args::HELP)]
    Advise(AdviseCommand),
    /// Run a script on a server and in the simulator, and compare every page and every WAL record
    #[command(after_help = ffviz_verify::args::HELP)]
    Verify(VerifyCommand),
    /// Play a recording
    #[command(after_help = REPLAY_EXAMPLES)]
    Replay {
        /// A recording, or a name of the library; a script is run as `ffviz sim` does
        file: String,
        /// Script: version of the server
        #[arg(long, value_name = "VERSION", default_value_t = DEFAULT, value_parser = simulated_version)]
        pg: PgVersion,
    },
    /// Look at the pages of a relation file of a data directory
    #[command(after_help = relation_file::HELP)]
    Open(Open),
    /// Look at a live database
    #[command(after_help = ffviz_live::args::ATTACH_HELP)]
    Attach(AttachArgs),
    /// Record a live database to a file, without a screen
    #[command(after_help = ffviz_live::args::RECORD_HELP)]
    Record(RecordArgs),
    /// List or count the records of the WAL, of a server or a folder of segments
    #[command(after_help = wal::args::HELP)]
    Wal(WalCommand),
    /// Print one picture, for scripts and documents
    #[command(after_help = SHOW_EXAMPLES)]
    Show(Show),
    /// Print shell completions
    #[command(after_help = "Example:\n  ffviz completions bash > /etc/bash_completion.d/ffviz")]
    Completions {
        /// Which shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page, or write those of all commands to a folder
    #[command(after_help = man::HELP)]
    Man(ManArgs),
}

const REPLAY_EXAMPLES: &str = "Examples:
  ffviz replay mine.ffrec
  ffviz replay mine.ffrec.gz --step 3
  ffviz replay 18/hot-chain
  ffviz replay mine.ffrec | less                every step as text";

const SHOW_EXAMPLES: &str = "Examples:
  ffviz show 18/hot-chain                              the last step
  ffviz show 18/hot-chain --step 2 --select tuple:3
  ffviz show course.sql --statement 4 --pg 14          after the fourth statement, in the simulator
  ffviz show mine.ffrec --view tree --width 120 --format svg > tree.svg
  ffviz show mine.ffrec --page t:1 --format json
  ffviz show hot-update --format figure --animate 6.all..9.all > chain.svg
  ffviz show mine.ffrec --format svg --theme light > light.svg
  ffviz show course.sql --versus fillfactor=80 --width 160 --height 50 --format svg > two.svg
  ffviz show base/5/16384 --types int4,text
  ffviz show postgresql://me@db1/shop -t orders --page orders:7

svg and figure follow the reader's light or dark theme, unless --theme names one.

Of a script, statements that the simulator does not know are told on standard error. The exit status is
0 all the same, unless it is the steps of one of them that are shown.";

/// Which relation file, and what is to be known of it.
#[derive(Debug, Args)]
struct Open {
    /// The file; its other forks are read too when they lie beside it
    path: String,
    #[command(flatten)]
    file: FileArgs,
}

/// What a relation file or a script does not say itself.
#[derive(Debug, Clone, Default, Args)]
struct FileArgs {
    /// Relation file: types of its columns, separated by commas
    #[arg(long, value_name = "TYPES")]
    types: Vec<String>,
    /// Relation file: block to begin with
    #[arg(long, value_name = "N")]
    block: Option<u32>,
    /// Version of the server; a major version, or of a script a minor one such as 18.4 too [default: of a relation file
    /// PG_VERSION beside it, else 18]
    #[arg(long, value_name = "VERSION", value_parser = simulated_version)]
    pg: Option<PgVersion>,
}

impl FileArgs {
    /// A model with a source open, and the statements of a script that were refused.
    fn open(&self, source: &str) -> Result<(Model, Vec<String>), String> {
        let hints = Hints { types: self.types.clone(), version: self.pg, block: self.block };
        let mut opened = source::open(source, &hints)?;
        // on the screen a sentence stands until the next key; whoever has no screen, or leaves it, finds it here
        opened.told.iter().for_each(|told| environment::note(told));
        let (page, told, refused) = (opened.page, opened.told.join(" "), std::mem::take(&mut opened.refused));
        let mut model = Model::new(library::entries());
        model.elsewhere = if source.ends_with(".sql") { sim::command::ELSEWHERE } else { "" };
        app::update(&mut model, opened.into());
        if let Some(page) = page {
            model.go_to(page.relation, page.fork, page.block);
        }
        if !told.is_empty() {
            app::update(&mut model, Msg::Done(told));
        }
        Ok((model, refused))
    }
}

#[derive(Debug, Args)]
struct Show {
    /// A recording, a name of the library, a script, a relation file, or with -t a database as psql names it
    source: String,
    /// Live database: the table
    #[arg(short, long, value_name = "TABLE")]
    table: Vec<String>,
    /// Hide row data
    #[arg(long)]
    redact: bool,
    #[command(flatten)]
    file: FileArgs,
    #[command(flatten)]
    versus: VersusArgs,
    #[command(flatten)]
    on: OnArgs,
    /// What to show
    #[arg(long, value_enum)]
    view: Option<ViewArg>,
    /// Page to show: the relation's name and a block; t/vm:0 is block 0 of the visibility map of t
    #[arg(long, value_name = "REL:BLOCK")]
    page: Vec<String>,
    /// Part to select, as --format json names it: lp:3, tuple:3, header, block:7
    #[arg(long, value_name = "PART")]
    select: Option<String>,
    /// The state after the statement of this number, instead of --step
    #[arg(long, value_name = "N", conflicts_with = "step")]
    statement: Option<usize>,
    /// One animated figure of the steps from one to another (6.1..6.4), or of statements (6.all..9.all)
    #[arg(long, value_name = "FROM..TO", conflicts_with_all = ["step", "statement", "view", "page", "select"])]
    animate: Option<Frames>,
    /// Columns
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u16).range(60..=500))]
    width: u16,
    /// Lines
    #[arg(long, default_value_t = 40, value_parser = clap::value_parser!(u16).range(16..=300))]
    height: u16,
    /// How to write it
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

impl Show {
    fn is_live(&self) -> bool {
        let is_uri = ["postgres://", "postgresql://"].iter().any(|scheme| self.source.starts_with(scheme));
        !self.table.is_empty() || is_uri
    }

    /// A model with the source open; a script beside its run in another way, where that is asked for. And the
    /// statements that were refused.
    fn open(&self) -> Result<(Model, Vec<String>), String> {
        if let Some(server) = self.on.server(Bounds::default()) {
            return self.open_on(&server);
        }
        let options = RunOptions::new(self.file.pg.unwrap_or(DEFAULT));
        let Some(versus) = self.versus.options(&options)? else { return self.file.open(&self.source) };
        let text = sim::file::read(std::path::Path::new(&self.source))?;
        let (run, mut refused) = sim::command::play(&self.source, text, &options)?;
        let mut model = Model::new(library::entries());
        model.elsewhere = sim::command::ELSEWHERE;
        refused.extend(sim::command::show(&mut model, self.source.clone(), run, Some(&versus))?);
        Ok((model, refused))
    }

    /// A script or a lesson, run on a server.
    fn open_on(&self, server: &On) -> Result<(Model, Vec<String>), String> {
        if self.file.pg.is_some() {
            return Err("--pg: the server that --on names has its own version; leave one out".to_owned());
        }
        let mut model = Model::new(library::entries());
        let refused = if let Some(chapter) = book::find(&self.source) {
            let mut opened = server.lesson(chapter)?;
            let refused = std::mem::take(&mut opened.refused);
            app::update(&mut model, opened.into());
            refused
        } else {
            let text = sim::file::read(std::path::Path::new(&self.source))?;
            let (run, refused) = server.script(&self.source, &text)?;
            app::update(&mut model, Msg::Scripted { name: self.source.clone(), run });
            refused
        };
        Ok((model, refused))
    }

    /// What `attach` would be told; all else is as `attach` has it.
    fn attach(&self) -> Result<AttachArgs, String> {
        #[derive(Parser)]
        struct CommandLine {
            #[command(flatten)]
            args: AttachArgs,
        }
        let tables = self.table.iter().flat_map(|table| ["--table", table]);
        let redact = self.redact.then_some("--redact");
        let words = ["attach"].into_iter().chain(tables).chain(redact).chain(["--", &self.source]);
        CommandLine::try_parse_from(words).map(|line| line.args).map_err(|error| error.to_string())
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ViewArg {
    List,
    Figure,
    Map,
    Page,
    Tree,
    Wal,
    Charts,
}

impl From<ViewArg> for ViewName {
    fn from(arg: ViewArg) -> Self {
        match arg {
            ViewArg::List => Self::List,
            ViewArg::Figure => Self::Figure,
            ViewArg::Map => Self::Map,
            ViewArg::Page => Self::Page,
            ViewArg::Tree => Self::Tree,
            ViewArg::Wal => Self::Wal,
            ViewArg::Charts => Self::Charts,
        }
    }
}

impl Action {
    /// What is done without steps.
    const fn without_steps(&self) -> Option<&'static str> {
        match self {
            Self::Run(_) => Some("run"),
            Self::Experiment(_) => Some("experiment"),
            Self::Advise(_) => Some("advise"),
            Self::Verify(_) => Some("verify"),
            Self::Attach(_) => Some("attach"),
            Self::Record(_) => Some("record"),
            Self::Wal(_) => Some("wal"),
            Self::Completions { .. } => Some("completions"),
            Self::Man(_) => Some("man"),
            Self::Lesson(_) | Self::Sim(_) | Self::Replay { .. } | Self::Open(_) | Self::Show(_) => None,
        }
    }
}

/// The command line. What does not begin with a step does not offer `--step`, and still says what is wrong where it is
/// given.
fn command() -> clap::Command {
    let hidden = || Arg::new("step").long("step").hide(true).value_parser(clap::value_parser!(StepName));
    let without = ["run", "experiment", "advise", "verify", "attach", "record", "wal", "completions", "man"];
    without.into_iter().fold(Cli::command(), |command, name| command.mut_subcommand(name, |sub| sub.arg(hidden())))
}

/// Runs the command; says how it ended.
#[must_use]
pub fn main() -> ExitCode {
    let parsed = command().try_get_matches().and_then(|matches| Cli::from_arg_matches(&matches));
    let cli = match parsed {
        Ok(cli) => cli,
        Err(error) => {
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
        }
    };
    match perform(cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            failure.sentences.lines().for_each(environment::note);
            ExitCode::from(failure.status)
        }
    }
}

fn perform(cli: Cli) -> Result<(), Failure> {
    let look = cli.look;
    if let (Some(command), Some(_)) = (cli.command.as_ref().and_then(Action::without_steps), look.step) {
        return Err(Failure::wrong_use(format!("--step: `ffviz {command}` does not begin with a step; leave it out")));
    }
    match cli.command {
        None => open_library(look),
        Some(Action::Lesson(args)) => play_lesson(&args, look),
        Some(Action::Sim(args)) => simulate(&args, look),
        Some(Action::Run(args)) => run_workload(&args, look),
        Some(Action::Experiment(args)) => {
            let text = experiment::command::run(&args, &look.of_output(), look.of_document().palettes())?;
            Ok(look.print(&text, args.format == experiment::args::Format::Text)?)
        }
        Some(Action::Advise(args)) => {
            let text = advise::command::run(&args, &look.of_output(), look.of_document().palettes())?;
            Ok(look.print(&text, args.format == advise::args::Format::Text)?)
        }
        Some(Action::Verify(args)) => Ok(verify_script(&args, look)?),
        Some(Action::Replay { file, pg }) => {
            let (model, refused) = FileArgs { pg: Some(pg), ..FileArgs::default() }.open(&file)?;
            play_or_run(model, refused, look)
        }
        Some(Action::Open(open)) => {
            let (model, refused) = open.file.open(&open.path)?;
            play_or_run(model, refused, look)
        }
        Some(Action::Attach(args)) => Ok(attach(&args, look)?),
        Some(Action::Record(args)) => Ok(look.print(&format!("{}\n", record::run(&args)?), true)?),
        Some(Action::Wal(args)) => Ok(wal::command::run(&args, look.is_ascii())?),
        Some(Action::Show(show)) => print_picture(&show, look),
        Some(Action::Completions { shell }) => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut command(), "ffviz", &mut script);
            Ok(print(&script)?)
        }
        Some(Action::Man(args)) => Ok(write_manual(&args)?),
    }
}

fn write_manual(args: &ManArgs) -> Result<(), String> {
    // `ffviz help sim` prints what the pages say, and needs none
    let command = command().disable_help_subcommand(true);
    match &args.dir {
        Some(dir) => {
            let count = man::write(command, dir)?;
            print(format!("{count} pages written to {}\n", dir.display()).as_bytes())
        }
        None => print(&man::page(command).map_err(|error| error.to_string())?),
    }
}

fn open_library(look: Look) -> Result<(), Failure> {
    if is_interactive() {
        return play_or_run(Model::new(library::entries()), Vec::new(), look);
    }
    let first = library::first().ok_or_else(|| "there is no recording in the library".to_owned())?;
    let (model, refused) = FileArgs::default().open(&first)?;
    play_or_run(model, refused, look)
}

fn play_lesson(args: &LessonArgs, look: Look) -> Result<(), Failure> {
    if args.list {
        return Ok(look.print(&book::list(), true)?);
    }
    let chapter = book::chosen(args.name.as_deref())?;
    let mut model = Model::new(library::entries());
    let mut opened = match args.on.server(Bounds::default()) {
        Some(server) => server.lesson(chapter)?,
        None => book::play(chapter)?,
    };
    let refused = std::mem::take(&mut opened.refused);
    app::update(&mut model, opened.into());
    if is_interactive() {
        return play_or_run(model, refused, look);
    }
    let first = look.step.map_or(Ok(0), |step| show::state_of(&model, step))?;
    print(book::text(&mut model, chapter, &look.theme(Some(Depth::None)), first).as_bytes())?;
    Ok(sim::command::verdict(&refused)?)
}

fn run_workload(args: &RunCommand, look: Look) -> Result<(), Failure> {
    if let Some(transaction) = args.look {
        let mut model = Model::new(library::entries());
        app::update(&mut model, workload::command::look(args, transaction)?.into());
        return play_or_run(model, Vec::new(), look);
    }
    let written = workload::command::run(args, &look.of_output(), look.of_document().palettes())?;
    look.print(&written.text, args.format == workload::args::Format::Text)?;
    written.fault.map_or(Ok(()), |fault| Err(fault.into()))
}

fn verify_script(args: &VerifyCommand, look: Look) -> Result<(), String> {
    let (report, fault) = ffviz_verify::command::run(
        args,
        &sim::file::read(&args.file)?,
        &mut ffviz_verify::engine::Engine,
        interrupt::flag()?,
        &mut environment::note,
    )?;
    look.print(&report, args.format == ffviz_verify::args::Format::Text)?;
    fault.map_or(Ok(()), |fault| Err(format!("{} {fault}", sim::file::name(&args.file))))
}

fn simulate(args: &SimCommand, look: Look) -> Result<(), Failure> {
    let (name, text) = sim::command::script(args)?;
    let bounds = Bounds { steps: args.server.steps as usize, disk: args.server.disk };
    if let Some(server) = args.on.server(bounds) {
        return simulate_on(server, name, &text, args, look);
    }
    let options = args.server.options();
    let versus = args.versus.options(&options).map_err(Failure::wrong_use)?;
    let ways = sim::command::ways(&options, versus.as_ref());
    if let Some(refused) =
        sim::command::list((args.format, args.statement), &name, &text, &ways, &mut io::stdout().lock())?
    {
        return Ok(sim::command::verdict_of_simulator(&refused)?);
    }
    let script = Script::parse(&text).map_err(|error| format!("{name}: {error}"))?;
    sim::command::check_statements(args.statement, &script)?;
    let (run, mut refused) = sim::command::play(&name, text, &options)?;
    let states = args.statement.map(|only| sim::command::states(&run.timeline, &script, only));
    if let Some(file) = &args.output {
        look.print(&sim::command::save(&run.timeline, &name, file)?, true)?;
        return Ok(sim::command::verdict_of_simulator(&refused)?);
    }
    let mut model = Model::new(library::entries());
    model.elsewhere = sim::command::ELSEWHERE;
    refused.extend(sim::command::show(&mut model, name, run, versus.as_ref())?);
    if args.format.is_some() || !is_interactive() {
        print_play(&mut model, look, states)?;
    } else {
        let first = begin(&model, look, states)?;
        let (mailbox, inbox) = run::inbox();
        let mut runner = Runner::new(options, versus.map(|(_, options)| options), mailbox);
        run::run(model, look.theme(None), first, inbox, Some(Box::new(move |effect| runner.perform(effect))))?;
    }
    Ok(sim::command::verdict_of_simulator(&refused)?)
}

/// The same on a server.
fn simulate_on(server: On, name: String, text: &str, args: &SimCommand, look: Look) -> Result<(), Failure> {
    match args.format {
        Some(sim::args::Format::Stats) => {
            let why = "--format stats counts what the simulator does; with --on there are text and jsonl";
            return Err(Failure::wrong_use(why.to_owned()));
        }
        Some(sim::args::Format::Jsonl) => {
            let script = Script::parse(text).map_err(|error| format!("{name}: {error}"))?;
            sim::command::check_statements(args.statement, &script)?;
            let mut played = server.run(&name, &script)?;
            let mut is_wanted = args.statement.is_none();
            for line in &played.lines {
                is_wanted = match (line, args.statement) {
                    (TraceLine::Statement(trace), Some(only)) => only.has(trace.n),
                    (TraceLine::Directive(_), Some(_)) => false,
                    // it went on by the statement before
                    _ => is_wanted,
                };
                if !is_wanted {
                    continue;
                }
                print(format!("{}\n", line.to_json()?).as_bytes())?;
            }
            return Ok(sim::command::verdict(&on::told(&name, &mut played))?);
        }
        Some(sim::args::Format::Text) | None => {}
    }
    let script = Script::parse(text).map_err(|error| format!("{name}: {error}"))?;
    sim::command::check_statements(args.statement, &script)?;
    let (run, refused) = server.script(&name, text)?;
    let states = args.statement.map(|only| sim::command::states(&run.timeline, &script, only));
    if let Some(file) = &args.output {
        look.print(&sim::command::save(&run.timeline, &name, file)?, true)?;
        return Ok(sim::command::verdict(&refused)?);
    }
    let mut model = Model::new(library::entries());
    app::update(&mut model, Msg::Scripted { name, run });
    if args.format.is_some() || !is_interactive() {
        print_play(&mut model, look, states)?;
    } else {
        let first = begin(&model, look, states)?;
        let (mailbox, inbox) = run::inbox();
        let mut runner = on::Runner::new(server, mailbox);
        let live = move |effect| runner.perform(effect);
        run::run(model, look.theme(None), first, inbox, Some(Box::new(live)))?;
    }
    Ok(sim::command::verdict(&refused)?)
}

fn attach(args: &AttachArgs, look: Look) -> Result<(), String> {
    if args.print_wrapper {
        return print(ffviz_live::wrapper_sql(args.grant_to.as_deref()).as_bytes());
    }
    if !is_interactive() {
        let view = app::view(&Attached::start(args)?.model);
        return print(show::show(&view, (100, 40), &look.theme(Some(Depth::None)), Format::Text).as_bytes());
    }
    let (mailbox, inbox) = run::inbox();
    let attached = ffviz_live::start(args, move |msg| mailbox.send(msg))?;
    let mut model = Model::live(attached.place, attached.server);
    model.redact = args.read.redact;
    let effects = attached.effects;
    // a thread that has ended has said why by a message
    let live = move |effect| drop(effects.send(effect));
    run::run(model, look.theme(None), Vec::new(), inbox, Some(Box::new(live)))
}

fn is_interactive() -> bool {
    io::stdout().is_terminal() && io::stdin().is_terminal() && !environment::is_dumb(variable)
}

/// Plays what is open; the statements of a script that were refused are told at the end.
fn play_or_run(mut model: Model, refused: Vec<String>, look: Look) -> Result<(), Failure> {
    if is_interactive() {
        let first = begin(&model, look, None)?;
        run::run(model, look.theme(None), first, run::inbox().1, None)?;
    } else {
        print_play(&mut model, look, None)?;
    }
    Ok(sim::command::verdict(&refused)?)
}

/// What the program on screen begins with: a step, and again what there was to be said of what is open.
fn begin(model: &Model, look: Look, states: Option<Range<usize>>) -> Result<Vec<Msg>, Failure> {
    let said = app::view(model).status;
    let said = if said.is_empty() { None } else { Some(Msg::Done(said)) };
    let first = look.first(model)?.or(states.map(|states| Msg::Seek(states.start)));
    Ok(first.map_or_else(Vec::new, |first| [first].into_iter().chain(said).collect()))
}

fn print_play(model: &mut Model, look: Look, states: Option<Range<usize>>) -> Result<(), Failure> {
    let mut text = Vec::new();
    let played = match states {
        Some(states) => Played::Only(states),
        None => Played::From(Box::new(look.first(model)?.unwrap_or(Msg::Seek(0)))),
    };
    play::play(model, &look.theme(Some(Depth::None)), played, &mut text).map_err(|error| error.to_string())?;
    Ok(print(&text)?)
}

fn print_animation(show: &Show, look: Look, frames: Frames) -> Result<(), Failure> {
    if show.format != Format::Figure {
        return Err(Failure::wrong_use("--animate makes figures: give --format figure too".to_owned()));
    }
    if show.is_live() {
        return Err(Failure::wrong_use("--animate needs steps: name a lesson, a script or a recording".to_owned()));
    }
    let (mut model, refused) = show.open()?;
    model.redact = show.redact;
    let views = frames.views(&mut model)?;
    print(show::animate(&views, &look.of_document())?.as_bytes())?;
    Ok(told_beside(&model, &refused)?)
}

fn print_picture(show: &Show, look: Look) -> Result<(), Failure> {
    if let Some(frames) = show.animate {
        return print_animation(show, look, frames);
    }
    let is_of_two = !show.versus.versus.is_empty() && show.format == Format::Figure;
    if is_of_two && show.view.is_some_and(|view| ViewName::from(view) != ViewName::Figure) {
        let why = "--format figure draws two runs as figures only: leave --view out, or give --format svg, which has every view of both";
        return Err(Failure::wrong_use(why.to_owned()));
    }
    let request = Request {
        step: look.step,
        statement: show.statement,
        view: show.view.map(ViewName::from).or(is_of_two.then_some(ViewName::Figure)),
        pages: show.page.clone(),
        select: show.select.clone(),
    };
    let (model, refused) = if show.is_live() {
        let mut attached = Attached::start(&show.attach()?)?;
        request.apply(&mut attached)?;
        (attached.model, Vec::new())
    } else {
        let (mut model, refused) = show.open()?;
        model.redact = show.redact;
        request.apply(&mut model)?;
        (model, refused)
    };
    let view = app::view(&model);
    let theme = match show.format {
        Format::Text => look.theme(Some(Depth::None)),
        Format::Ansi => look.theme(Some(Depth::True)),
        Format::Svg | Format::Figure | Format::Json => look.of_document(),
    };
    print(show::show(&view, (show.width, show.height), &theme, show.format).as_bytes())?;
    Ok(told_beside(&model, &refused)?)
}

/// What is said of refused statements beside a picture, which is good where it is not one of them that it shows.
fn told_beside(model: &Model, refused: &[String]) -> Result<(), String> {
    let is_shown = model.timeline.as_ref().is_some_and(|timeline| timeline.is_not_run());
    sim::command::beside_picture(refused, is_shown, model.elsewhere)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `--step` is offered where something begins with a step, and understood, to be refused in words, everywhere.
    #[test]
    fn who_offers_a_step() {
        let mut built = command();
        built.build();
        let offers = |sub: &clap::Command| sub.get_arguments().any(|arg| arg.get_id() == "step" && !arg.is_hide_set());
        let offering: Vec<&str> =
            built.get_subcommands().filter(|sub| offers(sub)).map(clap::Command::get_name).collect();
        assert_eq!(offering, ["lesson", "sim", "replay", "open", "show"]);
        let matches = command().try_get_matches_from(["ffviz", "wal", "--step", "3"]).expect("understood");
        assert_eq!(Cli::from_arg_matches(&matches).expect("a command").look.step, Some(StepName::State(3)));
    }
}
