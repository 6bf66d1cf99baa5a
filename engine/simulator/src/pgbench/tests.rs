//! What pgbench 15.18 gives for expressions and seeds, and what is said of scripts with something wrong in them.

use super::expr::{Scope, Value, eval, parse};
use super::*;
use crate::sql::run::{RunOptions, Simulator};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::page::PgVersion;

const V13: PgVersion = PgVersion(130_023);
const V15: PgVersion = PgVersion(150_018);

fn options(seed: u64) -> Options {
    Options {
        clients: 1,
        transactions: 1,
        seed,
        scale: 1,
        defines: Vec::new(),
        protocol: Protocol::Simple,
        autovacuum: false,
        checkpoint_every: None,
    }
}

/// What a script sends with `--random-seed 42`, or why it does not.
fn sent(version: PgVersion, text: &str) -> Result<Vec<String>, String> {
    let scripts = [BenchScript::parse("s", text, 1)?];
    Statements::new(version, &scripts, &options(42)).collect()
}

/// Values of Debian's pgbench 15.18 with `--random-seed=42 -c 2`; those of 13 and 14 by the C library's erand48 and
/// jrand48, which are the same generator: random(1, 100000), random_gaussian(1, 10000, 10), random_exponential(1,
/// 100000, 5), random_zipfian(1, 100000, 1.07), three times by two clients.
#[test]
fn random_numbers_of_a_seed() {
    const OF_15: [[i64; 4]; 6] = [
        [83532, 5691, 1200, 134],
        [78212, 4285, 10568, 5],
        [64583, 4724, 38103, 2010],
        [81172, 4376, 81681, 3],
        [51310, 5516, 37996, 1742],
        [3599, 5402, 69130, 6],
    ];
    const OF_13: [[i64; 4]; 6] = [
        [95212, 4890, 21563, 17457],
        [28991, 4895, 20463, 28],
        [65150, 5384, 23484, 324],
        [44956, 5745, 3731, 6067],
        [20505, 5076, 38789, 105],
        [9021, 4274, 6612, 5090],
    ];
    let cases = [(V15, OF_15, 4_482_733_528_210_176_216), (V13, OF_13, -4_997_763_277_643_735_024)];
    for (version, expected, default_seed) in cases {
        let seeds = Seeds::new(version, 42, 2, false);
        assert_eq!(seeds.default_seed, Some(default_seed));
        let mut found = Vec::new();
        for mut prng in seeds.clients {
            for _ in 0..3 {
                found.push([
                    prng.range(1, 100_000),
                    random::gaussian(&mut prng, 1, 10_000, 10.0),
                    random::exponential(&mut prng, 1, 100_000, 5.0),
                    random::zipfian(&mut prng, 1, 100_000, 1.07),
                ]);
            }
        }
        assert_eq!(found, expected);
    }
}

/// Values of Debian's pgbench 15.18.
#[test]
fn expressions_have_the_values_of_pgbench() {
    for (text, expected) in [
        ("permute(17, 100, 5)", "15"),
        ("permute(123456, 1000000, 42)", "268783"),
        ("hash(17, 5)", "8813057419061567224"),
        ("hash_fnv1a(17, 5)", "2056258949234144081"),
        ("hash_murmur2(-3, :default_seed)", "-7326872104678997716"),
        ("7 / 2 + 7 % 4 * -2", "-3"),
        ("1.5 * 3", "4.5"),
        ("~5 + 2", "-8"),
        ("case when 1 > 2 then 10 when null then 20 else 30 end", "30"),
        ("LEAST(3, 2.5, 9)", "2.5"),
        ("greatest(1, 2)", "2"),
        ("1e20", "1e+20"),
        ("pow(2, 0.5)", "1.4142135623731"),
        ("not 1 = 2 or false", "true"),
        ("null is null", "true"),
        ("3 is not true", "true"),
        ("ln(10) + exp(1) + sqrt(2) + pi()", "9.57667313741598"),
        ("10 << 3 | 1 # 7 & 6", "6"),
        ("-7 / 2", "-3"),
        ("abs(-3) + abs(-2.5)", "5.5"),
        ("int(2.5) + int(3.5)", "6"),
        ("double(5)", "5"),
        ("100 >> 2", "25"),
        ("0.000012345678901234567", "1.23456789012346e-05"),
        ("-9223372036854775808", "-9223372036854775808"),
    ] {
        let found = sent(V15, &format!("\\set x {text}\nSELECT :x;"));
        assert_eq!(found, Ok([format!("SELECT {expected};")].into()), "{text}");
    }
}

#[test]
fn what_is_wrong_is_said_with_its_line() {
    for (text, expected) in [
        ("SELECT 1;\n\\foo bar", "s, line 2: \\foo is no command of pgbench"),
        ("\\set x random(1)", "s, line 1: unexpected number of arguments (random)"),
        ("\\set x frobnicate(1)", "s, line 1: unexpected function name (frobnicate)"),
        ("\\set x 1 +", "s, line 1: syntax error"),
        ("\\set 1x 1", "s, line 1: invalid variable name: \"1x\""),
        ("\\set x 99999999999999999999", "s, line 1: bigint constant overflow"),
        ("\\if true\nSELECT 1;", "s, line 2: \\if without matching \\endif"),
        ("\\else", "s, line 1: \\else without matching \\if"),
        ("\\gset", "s, line 1: \\gset must follow an SQL command"),
        ("\\setshell x ls", "s, line 1: \\setshell runs a program, which is not supported"),
        ("\\sleep soon", "s, line 1: invalid sleep time"),
        ("-- nothing", "s: a script without a command"),
        ("\\set x 1/0\nSELECT 1;", "s, line 1: division by zero"),
        (
            "\\set x random_gaussian(1, 10, 1.5)\nSELECT 1;",
            "s, line 1: gaussian parameter must be at least 2.000000 (not 1.5",
        ),
        (
            "\\set x random_zipfian(1, 10, 1)\nSELECT 1;",
            "s, line 1: zipfian parameter must be in range [1.001, 1000] (not 1.0",
        ),
        (
            "\\set x random_exponential(1, 10, 0)\nSELECT 1;",
            "s, line 1: exponential parameter must be greater than zero",
        ),
        ("\\set x random(2, 1)\nSELECT 1;", "s, line 1: empty range given to random"),
        ("\\set x :y\nSELECT 1;", "s, line 1: undefined variable \"y\""),
        ("\\set x 9223372036854775807 + 1\nSELECT 1;", "s, line 1: bigint add out of range"),
    ] {
        let found = sent(V15, text).expect_err(text);
        assert!(found.starts_with(expected), "{text}: {found}");
    }
    let of_13 = sent(V13, "\\set x permute(1, 2, 3)\nSELECT 1;").expect_err("13 has none");
    assert!(of_13.contains("unexpected function name (permute)"), "{of_13}");
}

#[test]
fn conditions_and_statements() {
    let text = "\\set a 3\n\\if :a = 1\nSELECT 1;\n\\elif :a = 3\n\\if false\nSELECT 2;\n\\else\nSELECT ':a' || ':b', :a::int; -- not :a\n\\endif\n\
                \\else\nSELECT 3;\n\\endif\nSELECT (1;\n2); SELECT 4 \\gset p_\n\\sleep 10 ms\nEND";
    let expected = ["SELECT '3' || ':b', 3::int;", "SELECT (1;\n2);", "SELECT 4", "END"].map(String::from);
    assert_eq!(sent(V15, text), Ok(expected.into()));
}

/// Whatever the text, it is an expression or there is a sentence.
#[test]
fn expressions_that_are_none_do_not_panic() {
    let deep = "(".repeat(100_000) + "1";
    let long = "1".to_string() + &"+1".repeat(100_000);
    let mut texts = Vec::from([deep, long, "-".repeat(100_000), "not ".repeat(100_000), "é ö".to_string()]);
    let mut prng = Prng::xoroshiro(1);
    let parts = ["1", ":x", "(", ")", "random", ",", "case", "when", "-", "null", "is", "<", "2.5", "~", "e", "."];
    for _ in 0..2000 {
        let length = prng.range(1, 8);
        let words: Vec<&str> = (0..length).map(|_| parts[prng.range(0, 15) as usize]).collect();
        texts.push(words.join(if prng.range(0, 1) == 0 { " " } else { "" }));
    }
    let mut variables = Variables::default();
    variables.set("x", Value::Int(7));
    let mut values = 0;
    for text in texts {
        if let Ok(expr) = parse(&text) {
            let mut scope = Scope { variables: &variables, prng: &mut prng, version: V15 };
            values += u32::from(eval(&expr, &mut scope).is_ok());
        }
    }
    assert!(values > 30, "{values} have a value");
}

/// A client's own numbers do not depend on how many others there are, and scripts are taken by weight.
#[test]
fn clients_and_scripts_of_a_seed() {
    let [one, four] = [1, 4].map(|clients| Seeds::new(V15, 7, clients, false));
    assert_eq!(one.clients[0], four.clients[0]);
    let scripts = [1, 0, 9].map(|weight| BenchScript { name: String::new(), weight, commands: Vec::new() });
    let mut seeds = one;
    let mut counts = [0; 3];
    (0..1000).for_each(|_| counts[seeds.choose(&scripts)] += 1);
    assert!(counts[1] == 0 && (60..150).contains(&counts[0]), "{counts:?}");
}

/// Pages, and the end of the WAL, after a script; `plans`: may plans be kept?
fn outcome(protocol: Protocol, text: &str, plans: bool) -> (Vec<String>, u64) {
    let simulator = Simulator::new(&RunOptions { crashes: false, ..RunOptions::new(V15) }, false, false);
    let mut simulator = simulator.expect("a server");
    for item in init_statements(V15, 1, 90).iter().chain(&vacuum_statements()) {
        assert_eq!(simulator.item(item).refused, None);
    }
    let scripts = Vec::from([BenchScript::parse("s", text, 1).expect("a script")]);
    let options = Options { transactions: 150, autovacuum: true, protocol, ..options(42) };
    let mut benchmark = Benchmark::new(simulator, scripts, options);
    if !plans {
        benchmark.plan_anew();
    }
    while !matches!(benchmark.step().expect("it goes on"), Turn::Finished) {}
    let (simulator, _) = benchmark.finish();
    let pages = simulator.state().pages.iter().map(|(id, page)| format!("{id:?} {:?}", page.bytes())).collect();
    (pages, simulator.db.cluster.pg.wal.position().insert_lsn().0)
}

/// With each script plans are kept of some of its statements; conditions of which values decide are planned anew.
#[test]
fn plans_that_are_kept_change_nothing() {
    const MIXED: &str = "\\set aid random(1, 100000)\n\\set d random(-50, 50)\n\\set tid random(1, 10)\n\
        UPDATE pgbench_accounts SET abalance = abalance + :d WHERE aid = :aid;\n\
        UPDATE pgbench_tellers SET tbalance = :aid WHERE tid = :tid;\n\
        SELECT count(*) FROM pgbench_accounts WHERE aid < :tid * 10;\n\
        DELETE FROM pgbench_accounts WHERE aid = :aid + 1;\n\
        INSERT INTO pgbench_history (tid, delta, filler) VALUES (:tid, :d, 'x');\n\
        UPDATE pgbench_history SET delta = :d WHERE tid = :tid AND delta > :d;\n\
        \\if :aid % 40 = 0\nVACUUM pgbench_tellers;\n\\endif\n\
        \\if :aid % 70 = 0\nCREATE INDEX ON pgbench_history (tid);\n\\endif\n";
    for text in BUILTINS.iter().map(|builtin| builtin.text).chain([MIXED]) {
        let (kept, anew) = (outcome(Protocol::Simple, text, true), outcome(Protocol::Simple, text, false));
        assert!(kept == anew, "{text}");
    }
}

/// A plan by an index that is made and taken back does not outlive the ROLLBACK.
#[test]
fn plans_do_not_outlive_what_was_taken_back() {
    const UNDONE: &str = "\\set n random(1, 25)\n\\if :n = 1\nBEGIN;\n\
        CREATE INDEX undone ON pgbench_accounts ((aid + 1));\n\\endif\n\
        UPDATE pgbench_accounts SET bid = 2 WHERE aid + 1 = :n;\n\
        \\if :n = 1\nROLLBACK;\n\\endif\n";
    assert!(outcome(Protocol::Prepared, UNDONE, true) == outcome(Protocol::Prepared, UNDONE, false));
}
