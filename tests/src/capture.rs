//! Captures of a test's own tables: by snapshots/record.sql, and quickly again for the pages of one heap.

use crate::servers::Database;
use ffviz_format::page::{ForkNumber, Page};
use ffviz_format::state::{PageId, State};
use ffviz_story::recording;
use ffviz_story::timeline::{Explanation, Timeline};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

/// Everything about these tables, their indexes and TOAST tables, as `record.sql` prints it.
///
/// # Panics
/// Where psql fails or the capture is not whole.
#[must_use]
pub fn capture(db: &Database, tables: &[&str]) -> State {
    capture_of(&db.url(), tables)
}

/// The same of any database.
///
/// # Panics
/// Where psql fails or the capture is not whole.
#[must_use]
pub fn capture_of(url: &str, tables: &[&str]) -> State {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../snapshots/record.sql");
    let quoted: Vec<String> = tables.iter().map(|table| format!("'{table}'")).collect();
    let output = Command::new("psql")
        .args(["-XqAt", "-v", &format!("tables={}", quoted.join(",")), "-f"])
        .arg(script)
        .arg(url)
        .output()
        .expect("psql is installed");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let read = recording::read(output.stdout);
    assert_eq!(read.lost, Vec::<String>::new());
    read.timeline.expect("one capture").state().clone()
}

/// The same state with the main fork of one table read anew.
///
/// # Panics
/// Where the server refuses.
#[must_use]
pub fn reread(db: &mut Database, state: &State, table: &str) -> State {
    let relation = state.relations.values().find(|r| r.name == table).expect("the table was captured").clone();
    let rows = db
        .client
        .query(
            "SELECT n::int, get_raw_page($1, n::int) \
             FROM generate_series(0, pg_relation_size($1::text::regclass) / 8192 - 1) AS n",
            &[&table],
        )
        .expect("pages can be read");
    let mut next = state.clone();
    next.pages.retain(|id, _| id.relation != relation.oid || id.fork != ForkNumber::Main);
    for row in &rows {
        let block = u32::try_from(row.get::<_, i32>(0)).expect("a block number");
        let id = PageId { relation: relation.oid, fork: ForkNumber::Main, block };
        next.pages.insert(id, Page::new(row.get(1)));
    }
    let mut longer = (*relation).clone();
    longer.blocks.main = rows.len() as u32;
    next.relations.insert(relation.oid, Arc::new(longer));
    next
}

/// What happened between two captures.
#[must_use]
pub fn explain(before: &State, after: &State) -> Explanation {
    let mut timeline = Timeline::new(before.clone(), None);
    timeline.push(after.clone(), None);
    timeline.seek(1);
    timeline.explain()
}
