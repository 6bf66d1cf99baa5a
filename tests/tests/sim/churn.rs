//! Version churn in indexes: rows are updated again and again, a transaction each, and compared after each statement,
//! every page and record.
//!
//! One index keeps its key, one has it changed, one has many duplicates, one is unique: so simple deletion, bottom-up
//! deletion, deduplication, posting list splits and page splits come in all orders. `FFVIZ_UPDATES` says how many.

use super::oracle::Oracle;
use super::random::number;
use super::suite::both;
use ffviz_simulator::sql::script::Script;
use ffviz_verify::compare::{self, report_counts};
use std::fmt::Write as _;

/// Rows of the table.
const ROWS: u32 = 1000;
/// Transactions of a DO block.
const BLOCK: u32 = 1000;

/// The table, and so many updates of single rows; in between scans that kill items, a VACUUM, deletions and rows that
/// come anew.
fn script(updates: u32) -> Script {
    let mut text = format!(
        "create table n (id int primary key, same int, changed int, few int) with (autovacuum_enabled = off);
         create index n_same on n (same);
         create index n_changed on n (changed);
         create index n_few on n (few);
         insert into n select g, g, g, g % 20 from generate_series(1, {ROWS}) g;\n"
    );
    for (nth, from) in (1..=updates).step_by(BLOCK as usize).enumerate() {
        let to = (from + BLOCK - 1).min(updates);
        // every other block visits few rows often
        let id = if nth % 2 == 0 { format!("i * 7919 % {ROWS} + 1") } else { "i * 131 % 40 * 20 + 1".to_owned() };
        let _ = writeln!(
            text,
            "do $$ begin for i in {from} .. {to} loop update n set changed = changed + 1 where id = {id}; commit; end loop; end $$;"
        );
        match nth % 10 {
            4 => text.push_str("select count(*) from n;\n"),
            6 => text.push_str("delete from n where id % 10 = 3;\ninsert into n select g * 10 + 3, g, g, g % 20 from generate_series(0, 99) g;\n"),
            9 => text.push_str("vacuum n;\n"),
            _ => {}
        }
    }
    Script::parse(&text).expect("the script can be read")
}

fn check(major: u32, updates: u32) {
    let oracle = Oracle::start(major, false);
    let comparison = both(&oracle, &script(updates)).unwrap_or_else(|why| panic!("{major}: {why}"));
    println!("{major}: {updates} updates; {}", report_counts(&comparison.counts));
    assert!(comparison.is_equal(), "{major}:\n{}", compare::text(&comparison));
    assert!(comparison.counts.is_something(), "nothing was compared");
}

#[test]
#[ignore = "minutes"]
fn indexes_under_churn_are_those_of_the_server() {
    for major in [13, 14, 18] {
        check(major, number("FFVIZ_UPDATES", 100_000) as u32);
    }
}
