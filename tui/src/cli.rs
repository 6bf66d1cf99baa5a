//! The command line.

use crate::attach::args::{AttachArgs, RecordArgs};
use crate::attach::{self, record};
use crate::show::{self, Format};
use crate::theme::{Depth, Palette, Theme};
use crate::{library, play, run, source};
use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};
use ffviz_engine::app::{self, Model, Msg, ViewName};
use ffviz_engine::scene::{PartId, Scene};
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

/// Shows what PostgreSQL does to its pages, step by step.
#[derive(Debug, Parser)]
#[command(name = "ffviz", version, max_term_width = 100, after_help = EXAMPLES)]
pub struct Cli {
    #[command(subcommand)]
    command: Option<Action>,
    #[command(flatten)]
    look: Look,
}

const EXAMPLES: &str = "Examples:
  ffviz                                         the library of recordings
  ffviz replay mine.ffrec                       step through a recording
  ffviz show 18/hot-chain --step 2              one picture
  ffviz show 18/hot-chain --format svg > a.svg  a picture for a document
  ffviz | less                                  without a terminal: plain text";

/// How things look; for every command.
#[derive(Debug, Clone, Copy, Args)]
pub struct Look {
    /// Colours; auto takes the terminal's background
    #[arg(long, value_enum, default_value_t = ThemeName::Auto, global = true)]
    theme: ThemeName,
    /// Whether to use colours; auto asks NO_COLOR, COLORTERM and TERM
    #[arg(long, value_enum, default_value_t = ColorWhen::Auto, global = true)]
    color: ColorWhen,
    /// ASCII characters only
    #[arg(long, global = true)]
    ascii: bool,
    /// State to begin with, from 0
    #[arg(long, value_name = "N", global = true)]
    step: Option<usize>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ThemeName {
    Auto,
    Dark,
    Light,
    /// Okabe and Ito's colours undiluted, on black
    Cvd,
    /// The same on white
    CvdLight,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ColorWhen {
    Auto,
    Always,
    Never,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Play a recording
    #[command(after_help = "Examples:\n  ffviz replay mine.ffrec\n  ffviz replay mine.ffrec.gz --step 3")]
    Replay {
        /// A recording, or a name of the library
        file: String,
    },
    /// Look at a live database
    #[command(after_help = attach::args::ATTACH_HELP)]
    Attach(AttachArgs),
    /// Record a live database to a file, without a screen
    #[command(after_help = attach::args::RECORD_HELP)]
    Record(RecordArgs),
    /// Print one picture, for scripts and documents
    #[command(after_help = SHOW_EXAMPLES)]
    Show(Show),
    /// Print shell completions
    #[command(after_help = "Example:\n  ffviz completions bash > /etc/bash_completion.d/ffviz")]
    Completions {
        /// Which shell
        shell: clap_complete::Shell,
    },
}

const SHOW_EXAMPLES: &str = "Examples:
  ffviz show 18/hot-chain                              the last step
  ffviz show 18/hot-chain --step 2 --select tuple:3
  ffviz show mine.ffrec --view tree --width 120 --format svg > tree.svg
  ffviz show mine.ffrec --page t:1 --format json";

#[derive(Debug, Args)]
struct Show {
    /// A recording, or a name of the library
    source: String,
    /// What to show
    #[arg(long, value_enum)]
    view: Option<ViewArg>,
    /// Page to show: the relation's name and a block; t/vm:0 is block 0 of the visibility map of t
    #[arg(long, value_name = "REL:BLOCK")]
    page: Vec<String>,
    /// Part to select, as --format json names it: lp:3, tuple:3, header, block:7
    #[arg(long, value_name = "PART")]
    select: Option<String>,
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

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ViewArg {
    List,
    Map,
    Page,
    Tree,
}

impl From<ViewArg> for ViewName {
    fn from(arg: ViewArg) -> Self {
        match arg {
            ViewArg::List => Self::List,
            ViewArg::Map => Self::Map,
            ViewArg::Page => Self::Page,
            ViewArg::Tree => Self::Tree,
        }
    }
}

impl Look {
    /// The theme for this terminal, or for a file when `forced` says how many colours it can take.
    #[must_use]
    pub fn theme(self, forced: Option<Depth>) -> Theme {
        let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let depth = match self.color {
            ColorWhen::Never => Depth::None,
            ColorWhen::Always => forced.unwrap_or(Depth::True),
            ColorWhen::Auto if variable("NO_COLOR").is_some() => Depth::None,
            ColorWhen::Auto => forced.unwrap_or_else(|| depth(variable("COLORTERM"), variable("TERM"))),
        };
        // "15;0": colours of text and ground, as rxvt, Konsole and others set it
        let light_ground = variable("COLORFGBG")
            .is_some_and(|v| v.rsplit(';').next().is_some_and(|ground| matches!(ground, "7" | "15")));
        let palette = match self.theme {
            ThemeName::Auto if light_ground => Palette::Light,
            ThemeName::Auto | ThemeName::Dark => Palette::Dark,
            ThemeName::Light => Palette::Light,
            ThemeName::Cvd => Palette::CvdDark,
            ThemeName::CvdLight => Palette::CvdLight,
        };
        Theme { palette, depth, ascii: self.ascii, opaque: !matches!(self.theme, ThemeName::Auto) }
    }
}

fn depth(colorterm: Option<String>, term: Option<String>) -> Depth {
    let term = term.unwrap_or_default();
    match colorterm.as_deref() {
        Some("truecolor" | "24bit") => Depth::True,
        _ if term.is_empty() || term == "dumb" || term.ends_with("-mono") => Depth::None,
        _ if term.ends_with("-direct") => Depth::True,
        _ if term.contains("256color") => Depth::Indexed,
        _ => Depth::Sixteen,
    }
}

/// Runs the command; says how it ended.
#[must_use]
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
        }
    };
    match perform(cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            let _ = writeln!(io::stderr(), "ffviz: {message}");
            ExitCode::FAILURE
        }
    }
}

fn perform(cli: Cli) -> Result<(), String> {
    let look = cli.look;
    match cli.command {
        None => open_library(look),
        Some(Action::Replay { file }) => {
            let mut model = Model::new(library::entries());
            app::update(&mut model, source::recording(&file)?.into());
            play_or_run(model, look)
        }
        Some(Action::Attach(args)) => attach(&args, look),
        Some(Action::Record(args)) => print(format!("{}\n", record::run(&args)?).as_bytes()),
        Some(Action::Show(show)) => print_picture(&show, look),
        Some(Action::Completions { shell }) => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "ffviz", &mut script);
            print(&script)
        }
    }
}

fn open_library(look: Look) -> Result<(), String> {
    let mut model = Model::new(library::entries());
    if !is_interactive() {
        let first = library::newest().ok_or("there is no recording in the library")?;
        app::update(&mut model, source::recording(&first)?.into());
    }
    play_or_run(model, look)
}

fn attach(args: &AttachArgs, look: Look) -> Result<(), String> {
    if args.print_wrapper {
        return print(attach::wrapper_sql(args.grant_to.as_deref()).as_bytes());
    }
    let (mailbox, inbox) = run::inbox();
    let attached = attach::start(args, move |msg| mailbox.send(msg))?;
    let mut model = Model::live(attached.place, attached.server);
    model.redact = args.read.redact;
    let effects = attached.effects;
    // a thread that has ended has said why by a message
    let live = move |effect| drop(effects.send(effect));
    run::run(model, look.theme(None), Vec::new(), inbox, Some(Box::new(live)))
}

fn is_interactive() -> bool {
    io::stdout().is_terminal() && io::stdin().is_terminal()
}

fn play_or_run(mut model: Model, look: Look) -> Result<(), String> {
    let first = look.step.map(Msg::Seek);
    if is_interactive() {
        return run::run(model, look.theme(None), first.into_iter().collect(), run::inbox().1, None);
    }
    let mut text = Vec::new();
    play::play(&mut model, &look.theme(Some(Depth::None)), &mut text).map_err(|error| error.to_string())?;
    print(&text)
}

fn print_picture(show: &Show, look: Look) -> Result<(), String> {
    let mut model = Model::new(library::entries());
    app::update(&mut model, source::recording(&show.source)?.into());
    app::update(&mut model, Msg::Seek(look.step.unwrap_or(usize::MAX)));
    if let Some(page) = show.page.first() {
        go_to(&mut model, page)?;
    }
    if let Some(view) = show.view {
        app::update(&mut model, Msg::Show(view.into()));
    }
    if let Some(part) = &show.select {
        let found = parts(&app::view(&model).scene).into_iter().find(|p| p.to_string() == *part);
        let found = found.ok_or_else(|| format!("{part}: no such part in this picture; --format json lists them"))?;
        app::update(&mut model, Msg::Select(found));
    }
    let forced = if show.format == Format::Text { Depth::None } else { Depth::True };
    print(show::show(&app::view(&model), (show.width, show.height), &look.theme(Some(forced)), show.format).as_bytes())
}

/// `REL:BLOCK` or `REL/FORK:BLOCK`.
fn go_to(model: &mut Model, page: &str) -> Result<(), String> {
    use ffviz_engine::storage::ForkNumber;
    let wrong = || format!("{page}: give a page as a relation's name and a block, such as t:0 or t/vm:0");
    let (name, block) = page.rsplit_once(':').ok_or_else(wrong)?;
    let block = block.parse().map_err(|_| wrong())?;
    let forks = [ForkNumber::Main, ForkNumber::Fsm, ForkNumber::Vm, ForkNumber::Init];
    let (name, fork) = (name.rsplit_once('/'))
        .and_then(|(name, fork)| Some((name, *forks.iter().find(|f| f.name() == fork)?)))
        .unwrap_or((name, ForkNumber::Main));
    let state = model.timeline.as_ref().map(|timeline| timeline.state());
    let relations = state.map(|state| state.relations.values().cloned().collect::<Vec<_>>()).unwrap_or_default();
    let is_it = |r: &&std::sync::Arc<ffviz_engine::storage::Relation>| {
        r.name == name || format!("{}.{}", r.schema, r.name) == name
    };
    let relation = relations.iter().find(is_it).ok_or_else(|| {
        let names = relations.iter().map(|r| r.name.as_str()).collect::<Vec<_>>().join(", ");
        format!("{name}: no such relation in this recording; it has {names}")
    })?;
    model.go_to(relation.oid, fork, block);
    Ok(())
}

/// Every part of a picture.
fn parts(scene: &Scene) -> Vec<PartId> {
    match scene {
        Scene::List(list) => list.rows.iter().map(|row| row.part).collect(),
        Scene::RelationMap(map) => map.cells.iter().map(|cell| cell.part).collect(),
        Scene::Page(page) => {
            page.regions.iter().map(|region| region.part).chain(page.rows.iter().map(|row| row.part)).collect()
        }
        Scene::Tree(tree) => tree.levels.iter().flat_map(|level| &level.nodes).map(|node| node.part).collect(),
    }
}

/// Writes to standard output; whoever closed it early has seen enough.
fn print(bytes: &[u8]) -> Result<(), String> {
    match io::stdout().write_all(bytes).and_then(|()| io::stdout().flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result.map_err(|error| format!("standard output: {error}")),
    }
}
