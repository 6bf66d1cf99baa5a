//! How fast `ffviz run` is beside pgbench 15 with the same script, in turns: `cargo bench -p ffviz-tests --bench
//! pgbench`; BENCHMARKS.md has the figures.
//!
//! ```text
//!  script, protocol ─┬─▶ pgbench -c 1 ──▶ PostgreSQL 15, fsync off ─▶ transactions a second
//!                    └─▶ Benchmark, the simulator ──────────────────▶ transactions a second
//! ```

use ffviz_format::page::PgVersion;
use ffviz_simulator::pgbench::{
    BUILTINS, BenchScript, Benchmark, Options, Protocol, Turn, init_statements, vacuum_statements,
};
use ffviz_simulator::sql::run::{RunOptions, Simulator};
use ffviz_tests::instance::{Instance, of_debian};
use std::path::Path;
use std::process::Command;
use std::time::Instant;

const SETTINGS: &str = "shared_buffers = 1GB\nmax_wal_size = 64GB\ncheckpoint_timeout = 1d\nsynchronous_commit = off\n\
                        jit = off\nautovacuum = off";
const V15: PgVersion = PgVersion(150_018);
const TRANSACTIONS: u32 = 20_000;
const TURNS: usize = 5;

fn main() {
    let Some(bin) = of_debian(15).filter(|bin| bin.join("pgbench").exists()) else {
        eprintln!("pgbench 15 of Debian is not installed");
        return;
    };
    let (program, instance) = (bin.join("pgbench"), Instance::create_from(bin, 15, SETTINGS, &[]));
    println!("| script, each {TRANSACTIONS} times | pgbench, transactions/s | ffviz run | times |");
    println!("| --- | ---: | ---: | ---: |");
    for builtin in BUILTINS {
        for (name, protocol) in [("simple", Protocol::Simple), ("prepared", Protocol::Prepared)] {
            let turn = |_| (theirs(&program, &instance, builtin.name, name), ours(builtin.text, protocol));
            let pairs: Vec<(f64, f64)> = (0..TURNS).map(turn).collect();
            let middle = |figure: &dyn Fn(&(f64, f64)) -> f64| {
                let mut figures: Vec<f64> = pairs.iter().map(figure).collect();
                figures.sort_by(f64::total_cmp);
                (figures[TURNS / 2], figures[0], figures[TURNS - 1])
            };
            let (times, least, most) = middle(&|(theirs, ours)| ours / theirs);
            println!(
                "| {}, -M {name} | {:.0} | {:.0} | {times:.1} ({least:.1} to {most:.1}) |",
                builtin.name,
                middle(&|pair| pair.0).0,
                middle(&|pair| pair.1).0
            );
        }
    }
}

/// Transactions a second that pgbench prints, which do not count the time to connect; on tables that are new.
fn theirs(program: &Path, instance: &Instance, script: &str, protocol: &str) -> f64 {
    let run = |args: &[&str]| {
        let output = Command::new(program)
            .args(args)
            .args(["-h", "127.0.0.1", "-U", "postgres", "-p", &instance.port.to_string(), "postgres"])
            .output()
            .expect("pgbench runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    run(&["-i", "-q"]);
    let told = run(&["-n", "-c", "1", "-M", protocol, "-b", script, "-t", &TRANSACTIONS.to_string()]);
    let rate = told.lines().find_map(|line| line.strip_prefix("tps = ")?.split(' ').next()?.parse().ok());
    rate.unwrap_or_else(|| panic!("{told}"))
}

fn ours(script: &str, protocol: Protocol) -> f64 {
    let options = RunOptions { crashes: false, ..RunOptions::new(V15) };
    let mut simulator = Simulator::new(&options, false, false).expect("a server");
    for item in init_statements(V15, 1, 100).iter().chain(&vacuum_statements()) {
        assert_eq!(simulator.item(item).refused, None);
    }
    let options = Options {
        clients: 1,
        transactions: TRANSACTIONS.into(),
        seed: 1,
        scale: 1,
        defines: Vec::new(),
        protocol,
        autovacuum: false,
        checkpoint_every: None,
    };
    let mut benchmark = Benchmark::new(simulator, vec![BenchScript::parse("s", script, 1).expect("a script")], options);
    let start = Instant::now();
    while !matches!(benchmark.step().expect("it goes on"), Turn::Finished) {}
    f64::from(TRANSACTIONS) / start.elapsed().as_secs_f64()
}
