//! What a script says of itself, in comments after a statement, checked on the server.
//!
//! ```text
//!  vacuum t;
//!  -- wal 14-15: PRUNE 68, VACUUM 56, VACUUM 54, VISIBLE 8256
//!  -- lp 14-18 t:0: 1:6/2/0 2:7/2/0 3:0/0/0
//!  -- status: VACUUM
//! ```
//!
//! `wal`: the records listed by the statement's trace, type and `xl_tot_len`. `lp`: the line pointers of a page that
//! the statement changed, number:offset/flags/length; `blocks`: the length of a fork after it. Versions may be left
//! out; `13`, `14-16`, `17-`.

use ffviz_format::page::Page;
use ffviz_simulator::sql::script::Script;
use ffviz_simulator::sql::trace::{StatementTrace, TraceLine};

/// How many comments were checked, and those that are wrong.
#[derive(Default)]
pub struct Outcome {
    pub checked: usize,
    pub wrong: Vec<String>,
}

/// Checks the comments of a script that are for that major version.
pub fn check(text: &str, script: &Script, lines: &[TraceLine], major: u32) -> Outcome {
    let mut outcome = Outcome::default();
    for (at, comment) in text.lines().enumerate() {
        let Some((what, range, argument, expected)) = parse(comment) else { continue };
        if !range.contains(&major) {
            continue;
        }
        let before = script.statements().filter(|statement| statement.line as usize <= at + 1);
        let Some(n) = before.map(|statement| statement.n).last() else { continue };
        let of_n = |line: &&TraceLine| matches!(line, TraceLine::Statement(statement) if statement.n == n);
        let Some(TraceLine::Statement(trace)) = lines.iter().find(of_n) else { continue };
        let found = match what {
            "wal" => wal(trace),
            "lp" => line_pointers(trace, argument),
            "blocks" => blocks(lines, n, argument),
            _ => trace.status.clone().unwrap_or_default(),
        };
        outcome.checked += 1;
        if found != expected {
            outcome
                .wrong
                .push(format!("line {} on {major}: {what} {argument}: expected {expected}, found {found}", at + 1));
        }
    }
    outcome
}

/// `-- wal 14-15: …` taken apart.
fn parse(comment: &str) -> Option<(&str, std::ops::RangeInclusive<u32>, &str, &str)> {
    let (head, expected) = comment.trim().strip_prefix("-- ")?.split_once(": ")?;
    let mut words = head.split(' ');
    let what = words.next().filter(|what| ["wal", "lp", "blocks", "status"].contains(what))?;
    let mut words = words.peekable();
    let range = words.next_if(|word| word.starts_with(|c: char| c.is_ascii_digit()));
    let range = range.map_or(Some(13..=18), |range| {
        let (from, to) = range.split_once('-').unwrap_or((range, range));
        Some(from.parse().ok()?..=if to.is_empty() { 18 } else { to.parse().ok()? })
    })?;
    Some((what, range, words.next().unwrap_or_default(), expected.trim()))
}

fn wal(trace: &StatementTrace) -> String {
    let records: Vec<String> = trace.wal.iter().map(|wal| format!("{} {}", wal.kind, wal.len)).collect();
    let runs = records.chunk_by(|one, other| one == other);
    let runs = runs.map(|run| if run.len() > 1 { format!("{} x {}", run.len(), run[0]) } else { run[0].clone() });
    let text = runs.collect::<Vec<_>>().join(", ");
    if text.is_empty() { "none".to_owned() } else { text }
}

fn line_pointers(trace: &StatementTrace, page: &str) -> String {
    let is_it = |rel: Option<&str>, blk: u32| format!("{}:{blk}", rel.unwrap_or_default()) == page;
    let found = trace.pages.iter().find(|trace| trace.fork.name() == "main" && is_it(trace.rel.as_deref(), trace.blk));
    found.map_or_else(|| "unchanged".to_owned(), |found| tell(&found.page))
}

fn tell(page: &Page) -> String {
    let pointer = |(n, lp): (ffviz_format::page::OffsetNumber, ffviz_format::page::ItemIdData)| {
        format!("{n}:{}/{}/{}", lp.lp_off(), lp.lp_flags() as u8, lp.lp_len())
    };
    let pointers: Vec<String> = page.line_pointers().map(pointer).collect();
    format!("{} flags {}", pointers.join(" "), page.header().pd_flags())
}

/// The length that a fork has after a statement: `t` or `t/fsm`.
fn blocks(lines: &[TraceLine], n: u32, file: &str) -> String {
    let (rel, fork) = file.split_once('/').unwrap_or((file, "main"));
    let of_statement = |line: &TraceLine| match line {
        TraceLine::Statement(statement) if statement.n <= n => {
            let fork = statement.forks.iter().rev().find(|f| f.rel.as_deref() == Some(rel) && f.fork.name() == fork);
            fork.map(|fork| fork.blocks)
        }
        _ => None,
    };
    lines.iter().rev().find_map(of_statement).unwrap_or_default().to_string()
}
