//! The plots of a run: what its transactions did to pages and WAL, and how the relations grew.

use super::{PlotScene, Series};
use crate::timeline::{RelationSize, Sample, Samples};
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// Types of record that have a curve of their own; the others share one.
const TYPES: usize = 5;
/// Relations that have a curve, at most, and how many times the largest may be larger.
const RELATIONS: usize = 4;
const TIMES: u32 = 50;
/// Bytes of a page.
const PAGE: f64 = 8192.0;

const X: &str = "transactions";

/// All plots that have something to show.
#[must_use]
pub fn of_samples(samples: &Samples) -> Vec<PlotScene> {
    let all =
        [pages(samples), hot(samples), wal(samples), images(samples), splits(samples), bloat(samples), free(samples)];
    all.into_iter().filter(|plot| !plot.is_empty()).collect()
}

/// A curve of a number of each sample, which takes the place of the sample's last transaction; the beginning has none.
pub(super) fn curve(samples: &Samples, name: &str, number: impl Fn(&Sample, f64) -> Option<f64>) -> Series {
    let pairs = samples.all.iter().zip(samples.all.iter().skip(1));
    let point = |(before, sample): (&Sample, &Sample)| {
        let transactions = sample.transactions.saturating_sub(before.transactions).max(1) as f64;
        Some((sample.transactions as f64, number(sample, transactions)?))
    };
    Series { name: name.to_string(), points: pairs.filter_map(point).collect() }
}

fn pages(samples: &Samples) -> PlotScene {
    let series = alloc::vec![
        curve(samples, "changed", |sample, n| Some(sample.usage.pages_changed as f64 / n)),
        curve(samples, "dirtied", |sample, n| Some(sample.usage.blks_dirtied as f64 / n)),
    ];
    PlotScene::new("Pages of a transaction", X, "pages a transaction", series)
        .with_note("changed: each once a statement; dirtied: not changed before since the last checkpoint")
}

fn hot(samples: &Samples) -> PlotScene {
    let share = curve(samples, "HOT", |sample, _| {
        let updated = sample.usage.tup_updated;
        (updated > 0).then(|| sample.usage.tup_hot_updated as f64 * 100.0 / updated as f64)
    });
    PlotScene::new("HOT updates", X, "% of the updated rows", alloc::vec![share])
        .with_note("HOT: the new version stays on the page of the old one, and no index gets an entry")
}

fn wal(samples: &Samples) -> PlotScene {
    let named: Vec<String> = samples.wal().into_iter().map(|(name, _)| name).collect();
    let (first, others) = named.split_at(named.len().min(TYPES));
    let bytes = |sample: &Sample, name: &String| {
        sample.wal.iter().find(|(known, _)| known == name).map_or(0, |(_, usage)| usage.bytes)
    };
    let mut series: Vec<Series> =
        first.iter().map(|name| curve(samples, name, |sample, n| Some(bytes(sample, name) as f64 / n))).collect();
    if !others.is_empty() {
        let sum = |sample: &Sample| others.iter().map(|name| bytes(sample, name)).sum::<u64>();
        series.push(curve(samples, "others", |sample, n| Some(sum(sample) as f64 / n)));
    }
    PlotScene::new("WAL by type of record", X, "bytes a transaction", series)
}

fn images(samples: &Samples) -> PlotScene {
    let series = curve(samples, "images", |sample, n| Some(sample.usage.wal.fpi as f64 / n));
    PlotScene::new("Full-page images", X, "images a transaction", alloc::vec![series])
        .with_note("the first change of a page after a checkpoint brings one")
}

fn splits(samples: &Samples) -> PlotScene {
    let series = curve(samples, "splits", |sample, n| Some(sample.wal_of("Btree/SPLIT").records as f64 * 1000.0 / n));
    PlotScene::new("Page splits of indexes", X, "splits a thousand transactions", alloc::vec![series])
}

/// The relations with the most blocks at the end.
fn largest(samples: &Samples) -> Vec<&RelationSize> {
    let last = samples.all.last().map_or(&[][..], |sample| &sample.relations);
    let mut found: Vec<&RelationSize> = last.iter().collect();
    found.sort_by(|a, b| b.blocks.cmp(&a.blocks).then_with(|| a.name.cmp(&b.name)));
    let most = found.first().map_or(0, |relation| relation.blocks);
    found.retain(|relation| relation.blocks.saturating_mul(TIMES) >= most);
    found.truncate(RELATIONS);
    found
}

fn bloat(samples: &Samples) -> PlotScene {
    let mega = PAGE / 1_048_576.0;
    let of = |relation: &RelationSize| {
        curve(samples, &relation.name, |sample, _| Some(f64::from(sample.relation(&relation.name)?.blocks) * mega))
    };
    PlotScene::new("Size", X, "MB", largest(samples).into_iter().map(of).collect())
}

fn free(samples: &Samples) -> PlotScene {
    let share = |size: &RelationSize| size.free as f64 * 100.0 / (f64::from(size.blocks) * PAGE);
    let of = |relation: &RelationSize| {
        curve(samples, &relation.name, |sample, _| {
            sample.relation(&relation.name).filter(|size| size.blocks > 0).map(share)
        })
    };
    PlotScene::new("Free space", X, "% of the bytes", largest(samples).into_iter().map(of).collect())
        .with_note("what lies between line pointers and rows; dead rows take room until they are pruned")
}
