//! The decoder against six servers: every field of every item of tables and indexes made to contain each thing a page
//! can hold.
//!
//! ```text
//! fixtures::ALL ──SQL──▶ server ──get_raw_page──▶ Page ──decode──▶ ours   ┐
//!                          └──page_header, heap_page_items, bt_page_items… ┴▶ Tally: equal, or named
//! ```
//!
//! A column of a server's answer that we have no value for counts as a difference, so nothing can be left out by
//! mistake. What a fixture says it reaches must really have occurred, as the server sees it. Run with `--nocapture` for
//! the numbers.

mod btree;
mod fixtures;
mod heap;
mod maps;
mod relation;
mod tally;

use ffviz_tests::servers::Database;
use relation::Relation;
use tally::Tally;

/// Makes the fixtures on one server and compares everything.
fn compare(major: u32) {
    let mut database = Database::create(major, &format!("ffviz_codec_{major}"));
    let mut tally = Tally::new(major);
    for fixture in fixtures::ALL {
        fixture.make(&mut database.client);
        tally.begin(fixture.name);
        for relation in Relation::of_schema(&mut database.client, fixture.name) {
            relation.compare(&mut database.client, &mut tally);
        }
        tally.expect_reached(fixture);
    }
    maps::compare_zero_page(&mut database.client, &mut tally);
    tally.finish();
}

#[test]
fn postgresql_13() {
    compare(13);
}

#[test]
fn postgresql_14() {
    compare(14);
}

#[test]
fn postgresql_15() {
    compare(15);
}

#[test]
fn postgresql_16() {
    compare(16);
}

#[test]
fn postgresql_17() {
    compare(17);
}

#[test]
fn postgresql_18() {
    compare(18);
}
