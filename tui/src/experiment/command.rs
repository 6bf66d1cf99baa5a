//! Runs `ffviz experiment`.

use super::args::{ExperimentCommand, Format, Scale};
use super::servers::Servers;
use super::{markdown, table};
use crate::failure::Failure;
use crate::interrupt;
use crate::plot;
use crate::theme::{Palette, Theme};
use crate::workload::progress::Progress;
use ffviz_simulator::experiment::{
    Codec, EXPERIMENTS, Experiment, Figures, Lab, Origin, Outcome, RealServers, find_experiment,
};
use ffviz_story::scene::PlotScene;
use ffviz_story::scene::plot::of_runs;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use serde_json::{Map, Value, json};
use std::io::Write;

/// Columns of charts.
pub(super) const WIDTH: u16 = 100;

/// An experiment that was run.
pub(super) struct Ran {
    pub experiment: &'static Experiment,
    pub scale: u64,
    pub outcome: Outcome,
}

/// Runs the experiments and gives what there is to write.
///
/// # Errors
/// A name that there is not; a sentence, where one could not be run.
pub fn run(args: &ExperimentCommand, theme: &Theme, palettes: [Palette; 2]) -> Result<String, Failure> {
    if args.list {
        return Ok(table::list());
    }
    let chosen = chosen(args)?;
    let mut ran = Vec::new();
    let interrupt = interrupt::flag()?;
    let mut progress = Progress::new();
    let mut servers = Servers::of(&args.on, &interrupt)?;
    for experiment in chosen {
        let scale = match args.scale {
            None => experiment.scale,
            Some(Scale::Of(scale)) => scale,
            Some(Scale::Article) => experiment.article_scale,
        };
        let major = servers.as_ref().map(|servers| servers.version().major());
        let name = experiment.name;
        let mut lab = Lab {
            on: None,
            major,
            like: servers.as_ref().map(|servers| servers.settings.clone()).unwrap_or_default(),
            notes: Vec::new(),
            interrupt: interrupt.clone(),
            say: &mut |what| progress.say(&format!("{name}: {what} …")),
            compressed: &compressed,
        };
        let wrong = |why: String| format!("{name}: {why}");
        let mut outcome = experiment.run(&mut lab, scale).map_err(wrong)?;
        if let Some(servers) = &mut servers {
            (lab.say)("on the server");
            lab.on = Some(servers);
            outcome.add_beside(experiment.run(&mut lab, scale).map_err(wrong)?);
        }
        progress.clear();
        ran.push(Ran { experiment, scale, outcome });
    }
    let plots = |ran: &Ran| of_runs(&ran.outcome.runs);
    Ok(match args.format {
        Format::Text => ran.iter().map(|ran| table::text(ran) + &plot::text(&plots(ran), WIDTH, theme)).collect(),
        Format::Markdown => markdown::document(&ran),
        Format::Json => format!("{}\n", to_json(&ran)),
        Format::Svg => {
            let all: Vec<PlotScene> = ran.iter().flat_map(plots).collect();
            let names: Vec<&str> = ran.iter().map(|ran| ran.experiment.name).collect();
            if all.is_empty() {
                let why = format!("{}: there is no curve to draw; --format text has its table", names.join(", "));
                return Err(Failure::wrong_use(why));
            }
            plot::svg(&all, &names.join(", "), palettes)
        }
    })
}

fn chosen(args: &ExperimentCommand) -> Result<Vec<&'static Experiment>, Failure> {
    if args.all {
        return Ok(EXPERIMENTS.iter().collect());
    }
    let find = |name: &String| {
        find_experiment(name).ok_or_else(|| {
            let known: Vec<&str> = EXPERIMENTS.iter().map(|experiment| experiment.name).collect();
            Failure::wrong_use(format!("{name:?} is no experiment: there are {}", known.join(", ")))
        })
    };
    args.names.iter().map(find).collect()
}

/// Length of a block, compressed.
fn compressed(codec: Codec, block: &[u8]) -> usize {
    match codec {
        Codec::Lz4 => lz4_flex::block::compress(block).len(),
        Codec::Zlib => {
            let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
            let done = encoder.write_all(block).and_then(|()| encoder.finish());
            done.map_or(block.len(), |bytes| bytes.len())
        }
    }
}

/// Where figures are from, in a word.
pub(super) const fn origin(origin: Origin) -> &'static str {
    match origin {
        Origin::Simulated => "simulated",
        Origin::Server => "server",
    }
}

/// One object, or a list of several.
fn to_json(ran: &[Ran]) -> Value {
    let figures = |figures: &Figures| -> Map<String, Value> {
        figures.iter().map(|(key, figure)| ((*key).to_owned(), json!(figure))).collect()
    };
    let one = |ran: &Ran| {
        let rows: Vec<Value> = ran
            .outcome
            .rows
            .iter()
            .map(|row| {
                let case: Map<String, Value> =
                    row.case.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect();
                let (measured, published) = (figures(&row.measured), figures(&row.published));
                json!({ "system": row.system, "case": case, "measured": measured, "published": published, "origin": origin(row.origin) })
            })
            .collect();
        json!({ "experiment": ran.experiment.name, "scale": ran.scale, "rows": rows })
    };
    match ran {
        [ran] => one(ran),
        several => several.iter().map(one).collect(),
    }
}
