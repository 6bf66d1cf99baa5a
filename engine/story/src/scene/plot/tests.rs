//! Axes, and the plots of a run that did few things.

use super::*;
use crate::timeline::{RelationSize, Sample, Samples, Usage, WalUsage};
use alloc::string::ToString;
use alloc::vec;

#[test]
fn axes_end_at_round_numbers() {
    for (most, end, labels) in [
        (97.0, 100.0, &["0", "20", "40", "60", "80", "100"][..]),
        (1.3, 1.5, &["0.0", "0.5", "1.0", "1.5"]),
        (20_000.0, 20_000.0, &["0", "5,000", "10,000", "15,000", "20,000"]),
        (0.0, 1.0, &["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
        (f64::NAN, 1.0, &["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
    ] {
        let axis = Axis::new("x", most);
        let found: Vec<&str> = axis.ticks.iter().map(|tick| tick.label.as_str()).collect();
        assert!((axis.end - end).abs() < 1e-9, "{most}: {}", axis.end);
        assert_eq!(found, labels, "{most}");
    }
}

/// What did not happen has no plot, and a number is one of a transaction.
#[test]
fn a_run_has_the_plots_of_what_it_did() {
    let size = |blocks| RelationSize { name: "t".to_string(), is_index: false, blocks, free: 4096 };
    let wal = WalUsage { records: 10, fpi: 0, bytes: 720 };
    let usage = Usage { wal, tup_updated: 10, tup_hot_updated: 5, ..Usage::default() };
    let samples = Samples {
        all: vec![
            Sample { relations: vec![size(1)], ..Sample::default() },
            Sample {
                transactions: 10,
                usage,
                wal: vec![("Heap/HOT_UPDATE".to_string(), wal)],
                relations: vec![size(2)],
            },
        ],
    };
    let plots = of_samples(&samples);
    let found: Vec<(&str, &str, f64)> = plots
        .iter()
        .map(|plot| (plot.title.as_str(), plot.series[0].name.as_str(), plot.series[0].points[0].1))
        .collect();
    assert_eq!(
        found,
        [
            ("HOT updates", "HOT", 50.0),
            ("WAL by type of record", "Heap/HOT_UPDATE", 72.0),
            ("Size", "t", 0.015_625),
            ("Free space", "t", 25.0)
        ]
    );
}
