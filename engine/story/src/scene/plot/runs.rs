//! One number of several runs, over their transactions.

use super::samples::curve;
use super::{PlotScene, Series};
use crate::timeline::{Sample, Samples};
use alloc::string::String;
use alloc::vec::Vec;

/// Points that are taken together: each is the mean of so many samples, so that what differs is seen rather than
/// chance.
const TOGETHER: usize = 5;

/// A number of a sample of so many transactions.
type Number = fn(&Sample, f64) -> Option<f64>;

const NUMBERS: [(&str, &str, Number); 5] = [
    ("Pages dirtied", "pages a transaction", |sample, n| Some(sample.usage.blks_dirtied as f64 / n)),
    ("HOT updates", "% of the updated rows", |sample, _| {
        let updated = sample.usage.tup_updated;
        (updated > 0).then(|| sample.usage.tup_hot_updated as f64 * 100.0 / updated as f64)
    }),
    ("WAL", "bytes a transaction", |sample, n| Some(sample.usage.wal.bytes as f64 / n)),
    ("Page splits of indexes", "splits a thousand transactions", |sample, n| {
        Some(sample.wal_of("Btree/SPLIT").records as f64 * 1000.0 / n)
    }),
    ("Size of all relations", "MB", |sample, _| {
        Some(sample.relations.iter().map(|size| f64::from(size.blocks)).sum::<f64>() / 128.0)
    }),
];

/// The plots of several runs that have something to show.
#[must_use]
pub fn of_runs(runs: &[(String, Samples)]) -> Vec<PlotScene> {
    let plot = |(title, unit, number): (&str, &str, Number)| {
        let series = runs.iter().map(|(name, samples)| smooth(curve(samples, name, number))).collect();
        PlotScene::new(title, "transactions", unit, series)
    };
    NUMBERS.into_iter().map(plot).filter(|plot| !plot.is_empty()).collect()
}

/// Means of neighbours, at the place of the last of them.
fn smooth(series: Series) -> Series {
    let mean = |points: &[(f64, f64)]| {
        let sum: f64 = points.iter().map(|point| point.1).sum();
        Some((points.last()?.0, sum / points.len() as f64))
    };
    let points = series.points.chunks(TOGETHER).filter_map(mean).collect();
    Series { points, ..series }
}
