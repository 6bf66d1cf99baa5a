//! Wrong statements, made out of good ones: a word left out, twice, in another place, or another in its place. What the
//! simulator says of each has the SQLSTATE that servers 13 and 18 give; what it does not support is counted.
//!
//! Each runs in a transaction that is rolled back. `FFVIZ_SEED` and `FFVIZ_STATEMENTS` try others.

use super::generate::Random;
use super::good::{GOOD, LATER, LATER_NAMES, NAMES, TABLES};
use ffviz_format::page::PgVersion;
use ffviz_simulator::sql::error::NOT_SIMULATED;
use ffviz_simulator::sql::run::{RunOptions, Simulator, newest};
use ffviz_simulator::sql::script::Script;
use ffviz_simulator::sql::trace::TraceLine;
use ffviz_tests::servers::Database;
use std::collections::BTreeMap;

const VALUES: &[&str] = &[
    "1",
    "0",
    "-1",
    "99999",
    "99999999999",
    "1.5",
    "1e400",
    "'x'",
    "''",
    "'2024-13-01'",
    "'1'",
    "null",
    "true",
    "'(0,1)'",
];
const WORDS: &[&str] = &[
    "select", "from", "where", "and", "not", "values", "(", ")", ",", "*", "=", "<", "+", "||", "::", "int", "text",
    "date", "foo", "count", "sum", "length", "abs", "as", "on", "is", "in", "order", "by",
];
/// Those of what came later.
const LATER_WORDS: &[&str] = &[
    "select",
    "from",
    "where",
    "(",
    ")",
    ",",
    "*",
    "=",
    "+",
    "int",
    "text",
    "mood",
    "jsonb",
    "int[]",
    "foo",
    "sum",
    "lag",
    "rank",
    "as",
    "on",
    "in",
    "using",
    "over",
    "set",
    "table",
    "view",
    "index",
    "trigger",
    "type",
    "cascade",
    "deferrable",
    "default",
    "stored",
    "always",
    "constraint",
    "materialized",
    "if",
    "exists",
    "all",
    "with",
];

fn one<'a>(random: &mut Random, of: &[&'a str]) -> &'a str {
    of[random.below(of.len())]
}

/// One or two words of a good statement changed; of what came later?
fn wrong(random: &mut Random, later: bool) -> String {
    let (good, names, other_words) = if later { (LATER, LATER_NAMES, LATER_WORDS) } else { (GOOD, NAMES, WORDS) };
    let mut words: Vec<&str> = one(random, good).split(' ').collect();
    for _ in 0..=random.below(2) {
        let at = random.below(words.len());
        let is_value = |word: &str| word.starts_with(|c: char| c.is_ascii_digit() || c == '\'');
        let is_name = |word: &str| names.contains(&word);
        match random.below(8) {
            0 if words.len() > 1 => drop(words.remove(at)),
            1 => words.insert(at, words[at]),
            2 if at > 0 => words.swap(at - 1, at),
            3 => words[at] = one(random, other_words),
            _ if is_value(words[at]) => words[at] = one(random, VALUES),
            _ if is_name(words[at]) => words[at] = one(random, names),
            4 => words.insert(at, one(random, names)),
            _ => {
                // a value or a name, wherever the next one stands
                let next = (0..words.len())
                    .map(|n| (at + n) % words.len())
                    .find(|n| is_value(words[*n]) || is_name(words[*n]));
                if let Some(next) = next {
                    words[next] = one(random, if is_value(words[next]) { VALUES } else { names });
                }
            }
        }
    }
    words.join(" ")
}

/// What a run in the simulator says of each: a SQLSTATE, or none.
fn simulated(version: PgVersion, statements: &[String]) -> Vec<Option<String>> {
    let mut simulator = Simulator::new(&RunOptions::new(version), true, false).expect("a server");
    let run = |simulator: &mut Simulator, sql: &str| -> Option<String> {
        let script = Script::parse(sql).expect("a script");
        let lines = script.items.iter().flat_map(|item| simulator.item(item).lines).collect::<Vec<_>>();
        lines.iter().find_map(|line| if let TraceLine::Statement(line) = line { line.sqlstate.clone() } else { None })
    };
    assert_eq!(run(&mut simulator, TABLES), None);
    let each = |sql: &String| {
        run(&mut simulator, "begin");
        let said = run(&mut simulator, sql);
        run(&mut simulator, "rollback");
        said
    };
    statements.iter().map(each).collect()
}

/// What the server says of each. Both tests run at once, so each has a database with a name of its own.
fn asked(major: u32, name: &str, statements: &[String]) -> Vec<Option<String>> {
    let mut database = Database::create(major, name);
    let client = &mut database.client;
    client.batch_execute(TABLES).expect("good statements");
    let each = |sql: &String| {
        client.batch_execute("begin").expect("begin");
        let said =
            client.batch_execute(sql).err().map(|error| error.code().map_or("none", |code| code.code()).to_owned());
        client.batch_execute("rollback").expect("rollback");
        said
    };
    statements.iter().map(each).collect()
}

#[test]
fn wrong_statements_have_the_sqlstate_of_each_server() {
    check(false, DIFFER);
}

/// The same of statements that came later: triggers, joins that change rows, cursors, constraints.
#[test]
fn so_have_those_of_what_came_later() {
    check(true, DIFFER_LATER);
}

fn check(later: bool, may_differ: usize) {
    let given =
        |name: &str, default: u64| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default);
    let mut random = Random(given("FFVIZ_SEED", 31));
    let statements: Vec<String> =
        (0..given("FFVIZ_STATEMENTS", DEFAULT as u64)).map(|_| wrong(&mut random, later)).collect();
    let mut failures = Vec::new();
    for major in [13, 18] {
        let database = if later { "wrong_statements_later" } else { "wrong_statements" };
        let (server, simulator) = (asked(major, database, &statements), simulated(newest(major), &statements));
        let (mut same, mut refused, mut failed) = (0, 0, 0);
        let mut others: BTreeMap<(Option<String>, Option<String>), Vec<&str>> = BTreeMap::new();
        for ((sql, theirs), ours) in statements.iter().zip(server).zip(simulator) {
            failed += usize::from(theirs.is_some());
            match &ours {
                _ if ours == theirs => same += 1,
                Some(code) if code == NOT_SIMULATED => refused += 1,
                _ => others.entry((theirs, ours)).or_default().push(sql),
            }
        }
        let told = format!(
            "PostgreSQL {major}: {} statements, {failed} of them wrong: {same} the same, {refused} not supported",
            statements.len()
        );
        println!("{told}");
        let mut others: Vec<_> = others.into_iter().collect();
        others.sort_by_key(|(_, examples)| std::cmp::Reverse(examples.len()));
        for ((theirs, ours), examples) in &others {
            let [theirs, ours] = [theirs, ours].map(|code| code.as_deref().unwrap_or("runs"));
            println!("  {:4}  server {theirs}, simulator {ours}:", examples.len());
            examples.iter().take(6).for_each(|sql| println!("          {sql}"));
        }
        let differ: usize = others.iter().map(|(_, examples)| examples.len()).sum();
        assert!(failed > 500, "{told}: too few are wrong");
        if differ * DEFAULT > may_differ * statements.len() {
            failures.push(format!("{told}: {differ} others"));
        }
    }
    assert!(failures.is_empty(), "{failures:?}");
}

/// How many are made.
const DEFAULT: usize = 1500;

/// Statements whose SQLSTATE is another one: what is checked in another order, such as an index on a sequence, and
/// words that are no alias before 14.
const DIFFER: usize = 12;
/// The same of what came later.
const DIFFER_LATER: usize = 12;
