//! The numbers of plots, for spreadsheets and programs.

use ffviz_story::scene::PlotScene;
use serde_json::{Value, json};
use std::fmt::Write;

/// A line a number: which plot, which curve, where, how much.
#[must_use]
pub fn csv(plots: &[PlotScene]) -> String {
    let mut out = String::from("plot,unit,series,x,y\n");
    for plot in plots {
        for series in &plot.series {
            for (x, y) in &series.points {
                let words = [&plot.title, &plot.y.label, &series.name].map(|word| quoted(word));
                let _ = writeln!(out, "{},{x},{y}", words.join(","));
            }
        }
    }
    out
}

fn quoted(word: &str) -> String {
    if word.contains([',', '"', '\n']) { format!("\"{}\"", word.replace('"', "\"\"")) } else { word.to_owned() }
}

/// A list of the plots.
#[must_use]
pub fn json(plots: &[PlotScene]) -> Value {
    plots.iter().map(one).collect()
}

/// A plot: `title`, `x` and `y` (what the axes measure), `series` with `name` and `points`, `notes`.
#[must_use]
pub fn one(plot: &PlotScene) -> Value {
    let series: Vec<Value> =
        plot.series.iter().map(|series| json!({ "name": series.name, "points": series.points })).collect();
    json!({ "title": plot.title, "x": plot.x.label, "y": plot.y.label, "series": series, "notes": plot.notes })
}
