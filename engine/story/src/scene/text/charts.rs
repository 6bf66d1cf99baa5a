//! Charts as text: of each its curves as rows, with their values at the current capture, at the ends, and the most.

use super::{Options, paragraph, table};
use crate::scene::{ChartScene, ChartsScene};
use alloc::format;
use alloc::string::String;

pub(super) fn charts(scene: &ChartsScene, options: Options) -> String {
    let mut text = format!("{}\n{}", scene.title, paragraph(&scene.hint, "", options.columns()));
    for chart in &scene.charts {
        text.push_str(&one(chart, options));
    }
    text
}

fn one(chart: &ChartScene, options: Options) -> String {
    let mut text = format!("\n{}, {}\n", chart.plot.title, chart.plot.y.label);
    if !chart.plot.is_empty() {
        text.push_str(&table::totals(&chart.table, options));
    }
    for note in &chart.plot.notes {
        text.push_str(&paragraph(note, "", options.columns()));
    }
    text
}
