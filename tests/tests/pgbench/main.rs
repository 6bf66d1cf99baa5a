//! `ffviz run` against Debian's pgbench 15: the statements that it sends by a seed, and the pages that they leave on
//! a server 18.
//!
//! ```text
//!  script, seed ─┬─▶ pgbench --debug ──▶ "client 0 sending SELECT …" ─┐
//!                └─▶ Statements ──────────────────────────────────────┴─▶ the same?
//! ```

mod advice;
mod experiments;
mod pages;

use ffviz_format::page::PgVersion;
use ffviz_simulator::pgbench::{BUILTINS, BenchScript, Options, Protocol, Statements};
use ffviz_tests::instance::{Instance, of_debian};
use std::process::Command;

const V15: PgVersion = PgVersion(150_018);

/// Draws of each function.
const DRAWS: u64 = 1000;

const FUNCTIONS: &str = r"\set a random(-5, 100000)
\set b random_gaussian(1, 10000, 2.5)
\set c random_exponential(1, 100000, 5)
\set d random_zipfian(1, 100000, 1.07)
\set e random_zipfian(1, 1000000, 2.5)
\set f permute(:a + 5, 100006, :default_seed)
\set g hash(:a)
\set h hash_fnv1a(:b, :c)
\set i case when :a % 2 = 0 then 'even' else 'odd' end
";

fn options(seed: u64, transactions: u64) -> Options {
    Options {
        clients: 1,
        transactions,
        seed,
        scale: 1,
        defines: vec![("mine".to_owned(), "7".to_owned())],
        protocol: Protocol::Simple,
        autovacuum: false,
        checkpoint_every: None,
    }
}

/// What pgbench 15 tells; `None` where it is not installed.
fn pgbench(instance: &Instance, args: &[&str]) -> Option<String> {
    let program = of_debian(15).map(|bin| bin.join("pgbench")).filter(|program| program.exists())?;
    let output = Command::new(program)
        .args(args)
        .args(["-h", "127.0.0.1", "-U", "postgres", "-p", &instance.port.to_string(), "postgres"])
        .output()
        .expect("pgbench runs");
    let told = String::from_utf8(output.stderr).expect("text");
    assert!(output.status.success(), "{told}");
    Some(told)
}

/// What it says that it sends.
fn sent(instance: &Instance, args: &[&str], seed: u64, transactions: u64) -> Vec<String> {
    let (seed, transactions) = (seed.to_string(), transactions.to_string());
    let run = ["-n", "--debug", "-c", "1", "-D", "mine=7", "-t", &transactions, "--random-seed", &seed];
    let told = pgbench(instance, &[&run, args].concat()).expect("pgbench is there");
    let lines = told.lines().filter_map(|line| line.split_once("client 0 sending ").map(|(_, sql)| sql.to_owned()));
    lines.collect()
}

fn ours(scripts: &[BenchScript], seed: u64, transactions: u64) -> Vec<String> {
    let all: Result<Vec<String>, String> = Statements::new(V15, scripts, &options(seed, transactions)).collect();
    all.expect("statements")
}

#[track_caller]
fn same(ours: &[String], theirs: &[String]) {
    let differs = ours.iter().zip(theirs).filter(|(ours, theirs)| ours != theirs);
    let first: Vec<_> = differs.clone().take(3).collect();
    assert!(
        first.is_empty() && ours.len() == theirs.len(),
        "{} of {} differ: {first:?}",
        differs.count(),
        theirs.len()
    );
    println!("{} statements are the same", theirs.len());
}

#[test]
fn statements_are_those_of_pgbench() {
    let instance = Instance::create(15, "");
    let Some(_) = pgbench(&instance, &["-i", "-q"]) else { return };
    let script = |text: &str| BenchScript::parse("s", text, 1).expect("a script");
    for builtin in BUILTINS {
        let theirs = sent(&instance, &["-b", builtin.name], 42, 50);
        same(&ours(&[script(builtin.text)], 42, 50), &theirs);
    }
    let functions = FUNCTIONS.replace("'even'", "2").replace("'odd'", "1");
    let text =
        format!("{functions}SELECT :a, :b, :c, :d, :e, :f, :g, :h, :i, :mine, :scale, :client_id, :random_seed;\n");
    let file = instance.write("functions.sql", &text, 0o644);
    let file = file.to_str().expect("a path");
    for seed in [1, 42, u64::from(u32::MAX) * 977] {
        let theirs = sent(&instance, &["-f", file], seed, DRAWS);
        same(&ours(&[script(&text)], seed, DRAWS), &theirs);
    }
    // several scripts, by weight
    let weighted: Vec<BenchScript> = BUILTINS
        .iter()
        .zip([2, 1, 5])
        .map(|(builtin, weight)| BenchScript::parse(builtin.name, builtin.text, weight).expect("a script"))
        .collect();
    let args = ["-b", "tpcb-like@2", "-b", "simple-update@1", "-b", "select-only@5"];
    let theirs = sent(&instance, &args, 3, 100);
    same(&ours(&weighted, 3, 100), &theirs);
}
