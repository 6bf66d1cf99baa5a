//! The servers' side against itself: what a script does is the same on two servers of one version. Without that a
//! comparison with the simulator would mean nothing.

use super::oracle::Oracle;
use super::scripts;
use ffviz_simulator::sql::trace::TraceLine;
use ffviz_verify::compare::{Counts, compare, report_counts};

ffviz_tests::each_version!(#[ignore = "the longer command: that the simulator equals the server says as much"] two_servers_do_the_same: super::check_twice);

/// Both start alike, so that even transaction ids and OIDs are the same.
fn check_twice(major: u32) {
    let (one, other) = (Oracle::start(major, false), Oracle::start(major, false));
    let mut counts = Counts::default();
    for case in scripts::all() {
        let run =
            |oracle: &Oracle| oracle.run(&case.script).unwrap_or_else(|why| panic!("{} on {major}: {why}", case.name));
        let (first, second) = (run(&one), run(&other));
        let statements = first.lines.iter().filter(|line| matches!(line, TraceLine::Statement(_))).count();
        assert_eq!(statements, case.script.statements().count());
        let comparison = compare(&first.lines, &second.lines, one.version);
        let text = ffviz_verify::compare::text(&comparison);
        assert!(comparison.differences.is_empty(), "{} on {major}:\n{text}", case.name);
        counts.add(comparison.counts);
    }
    println!("{major}: {}", report_counts(&counts));
    assert!(counts.is_something());
}
