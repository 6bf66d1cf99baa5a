//! What a server says about its WAL without `pg_walinspect`, so on 13 and 14 too.

use crate::files::Wal;
use ffviz_format::page::layout::Wire;
use ffviz_format::page::{Lsn, PgVersion};
use ffviz_format::wal::{DecodedRecord, Record};
use ffviz_tests::instance::Instance;
use ffviz_tests::wal;
use postgres::{Client, Row, SimpleQueryMessage};
use std::collections::{BTreeMap, BTreeSet};

/// Statements that EXPLAIN (ANALYZE, WAL) counts the records of.
const STATEMENTS: [&str; 8] = [
    "INSERT INTO t SELECT i, i % 20, repeat('x', i % 90) FROM generate_series(1, 900) i",
    "UPDATE t SET n = n + 1 WHERE id % 3 = 0",
    "UPDATE t SET filler = filler || 'y' WHERE id % 4 = 0",
    "DELETE FROM t WHERE id BETWEEN 100 AND 220",
    "SELECT count(*) FROM t",
    "SELECT * FROM t WHERE id < 50 FOR UPDATE",
    "INSERT INTO t SELECT i, 1, 'new' FROM generate_series(880, 1000) i ON CONFLICT (id) DO UPDATE SET n = 5",
    "UPDATE t SET id = id + 5000 WHERE id < 90",
];

/// Records, bytes and images of each statement, as EXPLAIN counts them.
pub fn explain(instance: &Instance, client: &mut Client) -> String {
    client
        .batch_execute(
            "CREATE SCHEMA explained; SET search_path = explained;
             CREATE TABLE t (id int PRIMARY KEY, n int, filler text) WITH (fillfactor = 90); CREATE INDEX ON t (n);
             CREATE TABLE warm (LIKE t INCLUDING ALL)",
        )
        .expect("a table");
    let mut told = Vec::new();
    for (n, statement) in STATEMENTS.into_iter().enumerate() {
        // every second statement is the first after a checkpoint, so with images
        if n % 2 == 0 {
            client.batch_execute("CHECKPOINT").expect("a checkpoint");
        }
        // the first reader of a catalog page may log its hint bits, and that counts
        let _ = explained(client, &statement.replace(" t ", " warm "));
        let from = wal::insert_position(client);
        let json = explained(client, statement);
        let plan = &json[0]["Plan"];
        let count = |name: &str| plan[name].as_u64().expect("a number");
        told.push((
            from,
            wal::insert_position(client),
            [count("WAL Records"), count("WAL Bytes"), count("WAL FPI")],
            statement,
        ));
    }
    let _ = wal::flushed(client);
    let files: Vec<u32> = client
        .query("SELECT pg_relation_filenode(oid) FROM pg_class WHERE relnamespace = 'explained'::regnamespace", &[])
        .expect("the relations")
        .iter()
        .map(|row| row.get(0))
        .collect();
    let version = wal::version(client);
    let mut compared = 0;
    for (from, to, told, statement) in told {
        let ours = counted(wal::records(instance, version, from, to), version, &files);
        assert_eq!(ours, told, "{}: records, bytes, images of {statement}", version.major());
        compared += ours[0];
    }
    format!("EXPLAIN (WAL) counts {compared} records of {} statements as the reader does\n", STATEMENTS.len())
}

/// What EXPLAIN says.
fn explained(client: &mut Client, statement: &str) -> serde_json::Value {
    let rows = client.simple_query(&format!("EXPLAIN (ANALYZE, WAL, FORMAT JSON) {statement}")).expect("a plan");
    let text = rows.iter().find_map(|message| match message {
        SimpleQueryMessage::Row(row) => row.get(0),
        _ => None,
    });
    serde_json::from_str(text.expect("a row")).expect("JSON")
}

/// Records, bytes and images of a statement: those about these files, as planning changes hint bits of the catalog.
fn counted(records: impl Iterator<Item = Record>, version: PgVersion, files: &[u32]) -> [u64; 3] {
    let mut sum = [0; 3];
    for record in records {
        let decoded = record.decode(version).expect("the server's own record");
        if decoded.blocks.iter().any(|block| files.contains(&block.tag.locator.rel)) {
            let images = decoded.blocks.iter().filter(|block| block.image.is_some()).count();
            sum = [sum[0] + 1, sum[1] + u64::from(decoded.tot_len()), sum[2] + images as u64];
        }
    }
    sum
}

/// A page and its `pd_lsn`: file, fork, block.
pub struct PageLsn {
    page: (u32, u8, u32),
    lsn: Lsn,
}

/// The `pd_lsn` of every page there is.
pub fn page_lsns(client: &mut Client) -> Vec<PageLsn> {
    let open = "CREATE EXTENSION IF NOT EXISTS pageinspect SCHEMA public; SET search_path = public";
    client.batch_execute(open).expect("pageinspect");
    let rows = client.query(PAGES, &[]).expect("all pages");
    let page = |row: &Row| PageLsn {
        page: (row.get(0), row.get::<_, i32>(1) as u8, row.get::<_, i64>(2) as u32),
        lsn: row.get::<_, String>(3).parse().expect("an LSN"),
    };
    rows.iter().map(page).collect()
}

/// The `pd_lsn` of a page must be where a record ends that names the page.
pub fn compare_page_lsns(pages: &[PageLsn], wal: &Wal, records: &[Record]) -> String {
    let major = wal.version.major();
    let mut ends: BTreeMap<Lsn, BTreeSet<(u32, u8, u32)>> = BTreeMap::new();
    for record in records {
        let decoded = record.decode(wal.version).expect("the server's own record");
        let tags = decoded.blocks.iter().map(|block| (block.tag.locator.rel, block.tag.fork as u8, block.tag.block));
        ends.entry(record.end).or_default().extend(tags);
    }
    let (with, without): (Vec<_>, Vec<_>) = pages.iter().partition(|page| page.lsn > wal.start());
    for PageLsn { page, lsn } in &with {
        let named = ends.get(lsn);
        assert!(named.is_some(), "{major}: pd_lsn {lsn} of {page:?} is no record's end");
        assert!(
            named.is_some_and(|pages| pages.contains(page)),
            "{major}: no record that ends at {lsn} names {page:?}"
        );
    }
    assert!(with.len() > 1000, "only {} pages have an LSN", with.len());
    format!(
        "  pd_lsn of {} pages is the end of a record that names the page ({} never changed by a record)\n",
        with.len(),
        without.len()
    )
}

/// Every page of the main forks and visibility maps of the database's permanent relations.
const PAGES: &str = "
SELECT pg_relation_filenode(c.oid), fork.number, block, (page_header(get_raw_page(c.oid::regclass::text, fork.name, block::int))).lsn::text
FROM pg_class c, (VALUES ('main', 0), ('vm', 2)) fork (name, number),
     generate_series(0, pg_relation_size(c.oid, fork.name) / 8192 - 1) block
WHERE c.relpersistence = 'p' AND c.relkind IN ('r', 'i', 't', 'm', 'S') AND pg_relation_size(c.oid, fork.name) > 0";

/// The record of the last checkpoint says what pg_control says.
pub fn checkpoint(client: &mut Client, wal: &Wal, records: &[Record]) -> String {
    let row = client
        .query_one(
            "SELECT checkpoint_lsn::text, redo_lsn::text, timeline_id::bigint, split_part(next_xid, ':', 2)::bigint, \
             next_oid::bigint, full_page_writes FROM pg_control_checkpoint()",
            &[],
        )
        .expect("pg_control");
    let at: Lsn = row.get::<_, String>(0).parse().expect("an LSN");
    let redo: Lsn = row.get::<_, String>(1).parse().expect("an LSN");
    let record = records.iter().find(|record| record.start == at).expect("the record of the checkpoint");
    let decoded = record.decode(wal.version).expect("the server's own record");
    assert_eq!(decoded.type_name(), "CHECKPOINT_ONLINE");
    let told = (row.get::<_, i64>(2), row.get::<_, i64>(3), row.get::<_, i64>(4), row.get::<_, bool>(5));
    assert_eq!((Lsn(field(&decoded, 0)), told), (redo, checkpoint_fields(&decoded)), "{}", wal.version.major());
    assert!(records.iter().any(|record| record.start == redo), "no record starts at the redo pointer {redo}");
    format!("  the last checkpoint at {at} is that of pg_control, redo {redo}\n")
}

fn field<T: Wire>(record: &DecodedRecord<'_>, at: usize) -> T {
    T::get(&record.main_data[at..at + T::SIZE])
}

/// Timeline, next xid, next OID and full_page_writes of `CheckPoint`.
fn checkpoint_fields(record: &DecodedRecord<'_>) -> (i64, i64, i64, bool) {
    let (tli, xid, oid): (u32, u32, u32) = (field(record, 8), field(record, 24), field(record, 32));
    (i64::from(tli), i64::from(xid), i64::from(oid), field::<u8>(record, 16) != 0)
}
