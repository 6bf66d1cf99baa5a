//! Runs `ffviz advise`.

use super::args::{AdviseCommand, Format};
use super::plots::plots;
use super::report::Report;
use crate::failure::Failure;
use crate::interrupt;
use crate::plot;
use crate::theme::{Palette, Theme};
use crate::workload::progress::Progress;
use ffviz_live::statistics::{ROWS_UNKNOWN, TableStatistics};
use ffviz_simulator::advice::{
    Case, Fact, Observed, Origin, Pattern, Scale, Shape, comparison, hot_on_full_pages, obstacles, recommend, simulate,
};
use ffviz_simulator::experiment::Lab;
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Columns of charts.
const WIDTH: u16 = 100;

/// Reads, simulates, and gives what there is to write.
///
/// # Errors
/// A sentence: what could not be read, a column that there is not, an interruption.
pub fn run(args: &AdviseCommand, theme: &Theme, palettes: [Palette; 2]) -> Result<String, Failure> {
    let interrupt = interrupt::flag()?;
    let table = table(args)?;
    let shape = &table.shape;
    let updates = args.updates.clone().unwrap_or_else(|| table.observed.updates());
    let pattern = Pattern::new(shape, &updates)?;
    let default = Scale::of(shape, &table.observed);
    let scale = Scale {
        rows: args.rows.unwrap_or(default.rows),
        rounds: args.rounds.map_or(default.rounds, |rounds| (rounds.into(), Origin::Given)),
        busiest: args.busiest.map(|percent| f64::from(percent) / 100.0),
        seed: args.random_seed,
    };
    let cases = cases(args, shape, &pattern, scale, interrupt)?;
    let mut facts = table.facts;
    facts.extend(pattern.facts.iter().cloned());
    facts.extend(scale.facts(shape, &pattern));
    let report = Report {
        place: table.place,
        shape,
        scale,
        obstacles: obstacles(shape, &pattern, &table.observed),
        comparison: comparison(shape, &table.observed, &cases),
        recommendation: recommend(shape, &cases),
        why: hot_on_full_pages(scale, &cases),
        cases: &cases,
        facts,
    };
    let plots = plots(&report);
    Ok(match args.format {
        Format::Text => report.text() + &plot::text(&plots, WIDTH, theme),
        Format::Json => format!("{}\n", json!({ "advice": report.json(), "plots": plot::json(&plots) })),
        Format::Csv => plot::csv(&plots),
        Format::Svg => plot::svg(&plots, &report.title(), palettes),
    })
}

/// The table of the server, or one that the command line describes.
fn table(args: &AdviseCommand) -> Result<TableStatistics, Failure> {
    if let Some(name) = &args.table {
        let read = ffviz_live::statistics::read(args.conninfo.as_deref().unwrap_or_default(), name);
        return ffviz_live::runtime()?.block_on(read).map_err(|failure| failure.sentence.into());
    }
    let width = args.row_width.unwrap_or_default();
    let mut shape =
        Shape::of_width(width, args.indexes, args.version.major(), ROWS_UNKNOWN).map_err(Failure::wrong_use)?;
    shape.fillfactor = args.fillfactor;
    let indexes = if args.indexes == 1 { "1 index".to_owned() } else { format!("{} indexes", args.indexes) };
    let facts = vec![
        Fact::new(
            Origin::Given,
            format!("{width} bytes a row, its header left out; {indexes}; fillfactor {}", args.fillfactor),
        ),
        Fact::new(Origin::Assumed, "sizes are those of a million rows"),
    ];
    let version = args.version;
    Ok(TableStatistics { place: String::new(), version, shape, observed: Observed::default(), facts })
}

/// Today's fillfactor and the others, the largest first.
fn cases(
    args: &AdviseCommand,
    shape: &Shape,
    pattern: &Pattern,
    scale: Scale,
    interrupt: Arc<AtomicBool>,
) -> Result<Vec<Case>, String> {
    let mut fillfactors = args.fillfactors.clone();
    fillfactors.push(shape.fillfactor);
    fillfactors.sort_unstable_by(|a, b| b.cmp(a));
    fillfactors.dedup();
    let mut progress = Progress::new();
    let mut say = |what: &str| progress.say(what);
    // nothing is compressed
    let mut lab = Lab::new(interrupt, &mut say, &|_, block| block.len());
    let cases = fillfactors.into_iter().map(|fillfactor| simulate(&mut lab, shape, pattern, scale, fillfactor));
    let cases = cases.collect();
    progress.clear();
    cases
}
