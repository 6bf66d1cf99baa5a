//! What a step is said to be, on real servers: for each scenario the events that must be told, by kind and key words,
//! on all six versions.
//!
//! A scenario's lines are statements of session A; those that begin with `B>` run in a second session.
//! `FFVIZ_STORIES=1 cargo test -p ffviz-tests --test explain_events -- --show-output` prints all that is told, to be
//! read.

mod edited;
mod rows;
mod trees;
mod updates;
mod vacuum;

use ffviz_format::state::State;
use ffviz_story::timeline::{EventKind, Explanation};
use ffviz_tests::capture::{capture, explain};
use ffviz_tests::servers::{Database, MAJORS, connect};
use postgres::Client;
use std::fmt::Write as _;
use std::ops::RangeInclusive;

/// versions, kind, how many things at least, words in `what` or `why`
type Expected = (RangeInclusive<u32>, EventKind, usize, &'static str);

struct Scenario {
    name: &'static str,
    tables: &'static [&'static str],
    setup: &'static [&'static str],
    step: &'static str,
    expected: &'static [Expected],
    /// no event may have these words
    never: &'static [&'static str],
}

const ALL: RangeInclusive<u32> = 13..=18;

fn run(sessions: &mut (Client, Client), script: &str) {
    for line in script.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (client, sql) = match line.strip_prefix("B>") {
            Some(sql) => (&mut sessions.1, sql),
            None => (&mut sessions.0, line),
        };
        client.batch_execute(sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
    }
}

fn story(explanation: &Explanation) -> String {
    let mut text = format!("  = {}\n", explanation.headline);
    for event in &explanation.events {
        writeln!(text, "  - [{:?} ×{} at {}] {}", event.kind, event.count, event.page, event.what).unwrap();
        event.why.iter().for_each(|why| writeln!(text, "      {why}").unwrap());
    }
    text
}

/// Times that a scenario is tried: rows that another session of the server may still see are not dead, so nothing is
/// pruned.
const TRIES: usize = 5;

/// What is done to the two captures before they are explained.
type Edit = fn(&mut State, &mut State);

/// What the scenario's step is said to be.
fn play(db: &Database, scenario: &Scenario, edit: Edit) -> Explanation {
    let mut sessions = (connect(db.major, &db.name), connect(db.major, &db.name));
    run(&mut sessions, "DROP TABLE IF EXISTS t, u\nDROP SEQUENCE IF EXISTS s");
    scenario.setup.iter().for_each(|script| run(&mut sessions, script));
    let mut before = capture(db, scenario.tables);
    run(&mut sessions, scenario.step);
    let is_there = |table: &&&str| -> bool {
        sessions.0.query_one("SELECT to_regclass($1) IS NOT NULL", &[table]).unwrap().get(0)
    };
    let there: Vec<&str> = scenario.tables.iter().filter(is_there).copied().collect();
    let mut after = capture(db, &there);
    edit(&mut before, &mut after);
    explain(&before, &after)
}

/// Expectations that are not met.
fn missed(major: u32, scenario: &Scenario, explanation: &Explanation) -> Vec<String> {
    let story = story(explanation);
    if std::env::var_os("FFVIZ_STORIES").is_some() {
        println!(
            "PostgreSQL {major}: {}\n  {}\n{story}",
            scenario.name,
            scenario.step.replace("                ", "  ")
        );
    }
    let mut missed = Vec::new();
    for (_, kind, count, words) in scenario.expected.iter().filter(|(majors, ..)| majors.contains(&major)) {
        let found = explanation.events.iter().any(|event| {
            let text = format!("{} {}", event.what, event.why.as_deref().unwrap_or_default());
            event.kind == *kind && event.count >= *count && words.split('|').all(|word| text.contains(word))
        });
        if !found {
            missed.push(format!(
                "PostgreSQL {major}, {}: no {kind:?} ×{count} with {words:?} in\n{story}",
                scenario.name
            ));
        }
    }
    for words in scenario.never.iter().filter(|words| story.contains(**words)) {
        missed.push(format!("PostgreSQL {major}, {}: {words:?} in\n{story}", scenario.name));
    }
    if explanation.headline.chars().count() > 76 {
        missed.push(format!("too long: {}", explanation.headline));
    }
    missed
}

fn check_all(name: &str, scenarios: &[Scenario]) {
    check_edited(name, &scenarios.iter().map(|scenario| (edited::AS_CAPTURED, scenario)).collect::<Vec<_>>());
}

fn check_edited(name: &str, scenarios: &[(Edit, &Scenario)]) {
    let (mut compared, mut wrong) = (0, Vec::new());
    for major in MAJORS {
        let db = Database::create(major, &format!("explain_{name}"));
        for (edit, scenario) in scenarios {
            let tries = (0..TRIES).map(|_| missed(major, scenario, &play(&db, scenario, *edit)));
            let mut last = Vec::new();
            for outcome in tries {
                last = outcome;
                if last.is_empty() {
                    break;
                }
            }
            wrong.extend(last);
            let here = scenario.expected.iter().filter(|(majors, ..)| majors.contains(&major));
            compared += here.count() + scenario.never.len() + 1;
        }
    }
    assert!(wrong.is_empty(), "{} of {compared} expectations missed:\n{}", wrong.len(), wrong.join("\n"));
    println!("{name}: {} scenarios on {} versions, {compared} expectations met", scenarios.len(), MAJORS.len());
}

const T: &str = "CREATE TABLE t (id int PRIMARY KEY, a int, b text)
    INSERT INTO t VALUES (1, 1, 'one'), (2, 2, 'two'), (3, 3, 'three')
    SELECT count(*) FROM t";

#[test]
fn rows() {
    check_all("rows", rows::ROWS);
}

#[test]
fn updates() {
    check_all("updates", updates::UPDATES);
}

#[test]
fn vacuum() {
    check_all("vacuum", vacuum::VACUUM);
}

#[test]
fn trees() {
    check_all("trees", trees::TREES);
}

#[test]
fn edited() {
    check_edited("edited", &edited::EDITED.iter().map(|(edit, scenario)| (*edit, scenario)).collect::<Vec<_>>());
}
