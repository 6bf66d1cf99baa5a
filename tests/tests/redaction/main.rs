//! `--redact` on real servers: no byte of row data is left in a recording, and every structural byte is.
//!
//! Each table holds marked values, wherever PostgreSQL keeps such: in tuples, in what pruning left behind, out of line,
//! compressed, in dropped columns, in the catalog, in keys, high keys and posting lists. The server's own pageinspect
//! then reads both pages.

mod wal;

use ffviz_format::nbtree::BtPage;
use ffviz_format::page::{ForkNumber, Page};
use ffviz_format::state::{AccessMethod, PageId, State};
use ffviz_story::recording;
use ffviz_story::timeline::Timeline;
use ffviz_tests::capture::capture;
use ffviz_tests::servers::Database;

/// Marks as they stand in the pages, with the SQL that makes them. The bytes are ASCII where a type allows that.
fn marks() -> Vec<(&'static str, String, Vec<u8>)> {
    let text = |name, sql: &str| (name, sql.to_string(), b"GEHEIM".to_vec());
    let int = |bytes: [u8; 8]| i64::from_le_bytes(bytes);
    vec![
        ("int4", i32::from_le_bytes(*b"GEI4").to_string(), b"GEI4".to_vec()),
        ("int8", int(*b"GEHEIMI8").to_string(), b"GEHEIMI8".to_vec()),
        ("oid", u32::from_le_bytes(*b"GOID").to_string(), b"GOID".to_vec()),
        ("float4", format!("'{:e}'", f32::from_le_bytes(*b"GEF4")), b"GEF4".to_vec()),
        ("float8", format!("'{:e}'", f64::from_le_bytes(*b"GEHEIMF8")), b"GEHEIMF8".to_vec()),
        ("money", format!("'{}'::numeric::money", int(*b"MONEYMO\x01") / 100), b"NEYMO\x01".to_vec()),
        ("numeric", "1234567812345678".into(), [1234u16, 5678, 1234, 5678].map(u16::to_le_bytes).concat()),
        ("date", format!("'2000-01-01'::date + {}", 0x0002_3141), vec![0x41, 0x31, 0x02]),
        ("time", "'00:00'::time + '43404.508494 s'".into(), 43_404_508_494u64.to_le_bytes()[..5].to_vec()),
        ("timestamp", stamp("timestamp"), STAMP.to_le_bytes()[..7].to_vec()),
        ("timestamptz", stamp("timestamptz"), STAMP.to_le_bytes()[..7].to_vec()),
        ("interval", format!("'19088743 days {}'", seconds(STAMP)), 19_088_743u32.to_le_bytes().to_vec()),
        ("uuid", "'47454845-494d-5555-4944-3132333435'||'67'".replace("'||'", ""), b"GEHEIMUUID12345g".to_vec()),
        ("inet", "'71.73.78.84'".into(), b"GINT".to_vec()),
        ("macaddr", "'47:4d:41:43:41:44'".into(), b"GMACAD".to_vec()),
        ("bit(32)", "x'47424954'::bit(32)".into(), b"GBIT".to_vec()),
        ("bytea", "'GEHEIM bytea'".into(), b"GEHEIM".to_vec()),
        ("point", format!("point('{:e}', 1)", f64::from_le_bytes(*b"GEPOINTF")), b"GEPOINTF".to_vec()),
        ("int4range", format!("int4range({}, null)", i32::from_le_bytes(*b"GRNG")), b"GRNG".to_vec()),
        ("int4[]", format!("array[1, {}]", i32::from_le_bytes(*b"GARR")), b"GARR".to_vec()),
        text("text", "'GEHEIM text'"),
        text("varchar(40)", "'GEHEIM varchar'"),
        text("char(20)", "'GEHEIM'"),
        text("name", "'GEHEIM name'"),
        text("json", "'{\"GEHEIM\": 1}'"),
        text("jsonb", "'{\"GEHEIM\": [1, \"GEHEIM\"]}'"),
        text("text[]", "array['GEHEIM']"),
        text("tsvector", "'GEHEIM'::tsvector"),
        text("varbit", "x'47454845494D'::varbit"),
    ]
}

const STAMP: i64 = 0x0003_4D41_5453_4547;

/// Microseconds as 13 and 14 read them, which know no `us` beyond 32 bits.
fn seconds(microseconds: i64) -> String {
    format!("{}.{:06} s", microseconds / 1_000_000, microseconds % 1_000_000)
}

fn stamp(of: &str) -> String {
    format!("'2000-01-01'::{of} + '{}'::interval", seconds(STAMP))
}

/// A table with a column of every type, in the order above.
fn types_table(marks: &[(&str, String, Vec<u8>)]) -> String {
    let columns: Vec<String> = marks.iter().enumerate().map(|(n, (of, ..))| format!("c{n} {of}")).collect();
    let values: Vec<&str> = marks.iter().map(|(_, sql, _)| sql.as_str()).collect();
    let (columns, values) = (columns.join(", "), values.join(", "));
    format!(
        "SET timezone = 'UTC'; CREATE TABLE types ({columns}); INSERT INTO types SELECT {values}; INSERT INTO types (c0) VALUES (1);
         CREATE INDEX ON types (c0, c1, c6) INCLUDE (c20); CREATE INDEX ON types (c23); CREATE INDEX ON types (c22, c9);"
    )
}

/// Rows wherever they can be besides a tuple's columns.
const PLACES: &str = "
CREATE TABLE places (id int PRIMARY KEY, word text, gone text, long text, packed text);
ALTER TABLE places ALTER long SET STORAGE EXTERNAL;
INSERT INTO places SELECT i, 'GEHEIM' || i, 'GEHEIM dropped', repeat('GEHEIM', 1000), repeat('GEHEIM' || i, 200) FROM generate_series(1, 300) i;
CREATE INDEX by_word ON places (word);
CREATE INDEX by_equal ON places ((left(word, 6))) WHERE word <> 'GEHEIM predicate';
ALTER TABLE places ALTER long SET STORAGE EXTENDED;
INSERT INTO places SELECT i, 'GEHEIM' || i, 'GEHEIM dropped', repeat(md5(i::text) || 'GEHEIM', 300) FROM generate_series(301, 320) i;
INSERT INTO places SELECT i, 'GEHEIM again' FROM generate_series(1000, 2000) i;
ALTER TABLE places DROP gone;
ALTER TABLE places ADD late text DEFAULT 'GEHEIM missing';
UPDATE places SET word = word || ' new' WHERE id % 3 = 0;
DELETE FROM places WHERE id % 7 = 0 OR id BETWEEN 1500 AND 1900;
VACUUM places;
UPDATE places SET packed = 'GEHEIM unvacuumed' WHERE id % 11 = 0;
CREATE SEQUENCE counter;
CREATE TYPE mood AS ENUM ('GEHEIM enum', 'other');
CREATE DOMAIN secret AS text;
ALTER TABLE places ADD feeling mood DEFAULT 'GEHEIM enum', ADD told secret;
UPDATE places SET told = 'GEHEIM domain' WHERE id = 5;
CREATE TABLE odd (id int, word text);
INSERT INTO odd VALUES (1, 'GEHEIM hash');
CREATE INDEX ON odd USING hash (word);
CREATE INDEX ON odd USING gin (to_tsvector('simple', word));
CREATE UNLOGGED TABLE light AS SELECT 'GEHEIM' || i AS word FROM generate_series(1, 50) i;
CREATE INDEX ON light (word);
";

const TABLES: [&str; 5] = ["types", "places", "counter", "odd", "light"];

fn contains(bytes: &[u8], mark: &[u8]) -> bool {
    let Some((first, rest)) = mark.split_first() else { return true };
    let mut at = 0;
    // quick also in a build that is not optimized
    while let Some(found) = bytes[at..].iter().position(|byte| byte == first) {
        at += found + 1;
        if bytes[at..].starts_with(rest) {
            return true;
        }
    }
    false
}

/// All page bytes of a state, one page after another.
fn bytes(state: &State) -> Vec<u8> {
    state.pages.values().flat_map(|page| page.bytes().iter().copied()).collect()
}

/// The file without its pages: catalog facts and labels.
fn words(file: &str) -> String {
    file.lines().filter(|line| !line.starts_with(r#"{"line":"page""#)).collect()
}

/// Rows of a query about both pages; they must be equal. Gives their number.
fn same_rows(db: &mut Database, id: PageId, query: &str, before: &Page, after: &Page) -> usize {
    let mut rows = |page: &Page| -> Vec<String> {
        match db.client.query(query, &[&page.bytes(), &id.relation]) {
            Ok(rows) => rows.iter().map(|row| row.get::<_, Option<String>>(0).unwrap_or_default()).collect(),
            // 13 does not show the items of a deleted page
            Err(error) => error.as_db_error().map(|error| error.message().to_string()).into_iter().collect(),
        }
    };
    let (before, after) = (rows(before), rows(after));
    assert!(before == after, "{id}: {before:?}\n{after:?}");
    before.len()
}

const HEADER: &str =
    "SELECT (lsn, flags, lower, upper, special, pagesize, version, prune_xid, $2::oid)::text FROM page_header($1)";
const HEAP: &str = "SELECT (lp, lp_off, lp_flags, lp_len, t_xmin, t_xmax, t_field3, t_ctid, t_infomask2, t_infomask, t_hoff, t_bits,
    (SELECT array_agg(octet_length(a) ORDER BY n) FROM unnest(t_attrs) WITH ORDINALITY AS u (a, n)),
    (SELECT array_agg(CASE WHEN octet_length(a) = 18 AND get_byte(a, 0) = 1 THEN a END ORDER BY n) FROM unnest(t_attrs) WITH ORDINALITY AS u (a, n)))::text
    FROM heap_page_item_attrs($1, $2::oid::regclass)";
const BTREE: &str = "SELECT (itemoffset, ctid, itemlen, nulls, vars, dead, htid, tids, length(data), $2::oid)::text FROM bt_page_items($1)";

fn redacts(major: u32) {
    let mut db = Database::create(major, &format!("ffviz_redact_{major}"));
    let marks = marks();
    db.client.batch_execute(&types_table(&marks)).expect("a table of all types");
    // VACUUM wants a statement of its own
    for statement in PLACES.split(";\n") {
        db.client.batch_execute(statement).unwrap_or_else(|error| panic!("{statement}: {error}"));
    }
    db.client
        .batch_execute(&format!("SELECT setval('counter', {})", i64::from_le_bytes(*b"GEHEIMSQ")))
        .expect("setval");
    let state = capture(&db, &TABLES);
    let mut timeline = Timeline::new(state.clone(), Some("INSERT INTO t VALUES ('GEHEIM')".into()));
    timeline.push(state.clone(), Some("GEHEIM label".into()));

    let file = recording::save(&recording::redact_timeline(&timeline), None);
    let read = recording::read(&file);
    assert_eq!(read.lost, [""; 0]);
    let hidden = read.timeline.expect("a timeline");
    assert_eq!((hidden.label(0), hidden.label(1)), (Some("INSERT"), None));
    let hidden = hidden.state();
    assert!(hidden.redacted);

    let (open, closed) = (bytes(&state), bytes(hidden));
    assert_eq!(open.len(), closed.len());
    let general = ["GEHEIM", "GEHEIMSQ", "EHEIM", "HEIM"].map(|mark| ("anywhere", mark.as_bytes()));
    for (of, mark) in marks.iter().map(|(of, _, mark)| (*of, &mark[..])).chain(general) {
        assert!(contains(&open, mark), "{major}: the mark of {of} is not in the pages at all");
        assert!(!contains(&closed, mark), "{major}: a value of {of} is left");
    }
    let known = words(&recording::save(&timeline, None));
    for mark in ["GEHEIM predicate", "GEHEIM missing", "GEHEIM enum"] {
        assert!(known.contains(mark), "{mark} is not in the catalog's facts at all");
    }
    assert!(!words(&file).contains("GEHEIM"), "{major}: {}", words(&file));

    let (mut pages, mut items) = (0, 0);
    for (id, page) in &state.pages {
        let after = &hidden.pages[id];
        let am = &state.relations[&id.relation].am;
        items += same_rows(&mut db, *id, HEADER, page, after);
        let decoded = match am {
            _ if !matches!(id.fork, ForkNumber::Main | ForkNumber::Init) => "",
            AccessMethod::Heap | AccessMethod::Sequence => HEAP,
            AccessMethod::Btree if id.block > 0 => BTREE,
            AccessMethod::Btree | AccessMethod::Undo | AccessMethod::Other(_) => "",
        };
        if *am == AccessMethod::Btree {
            let (before, after) =
                (BtPage::decode(page, state.server.version), BtPage::decode(after, state.server.version));
            assert_eq!(before, after, "{id}");
        }
        if !decoded.is_empty() {
            items += same_rows(&mut db, *id, decoded, page, after);
        }
        let other = matches!(am, AccessMethod::Other(_));
        if decoded.is_empty() && !other {
            assert_eq!(page.bytes()[10..], after.bytes()[10..], "{id} has no row data");
        }
        pages += 1;
    }
    println!("PostgreSQL {major}: {pages} pages, {items} rows of pageinspect equal; {} marks hidden", marks.len() + 4);
    assert!(items > 1000);
}

/// A test for each major version, so that they run side by side.
macro_rules! wal_of {
    ($($name:ident $major:literal)*) => {
        $(#[test]
        fn $name() {
            wal::redacts($major);
        })*
    };
}
wal_of!(wal_of_13 13 wal_of_14 14 wal_of_15 15 wal_of_16 16 wal_of_17 17 wal_of_18 18);

#[test]
fn postgresql_13() {
    redacts(13);
}

#[test]
fn postgresql_14() {
    redacts(14);
}

#[test]
fn postgresql_15() {
    redacts(15);
}

#[test]
fn postgresql_16() {
    redacts(16);
}

#[test]
fn postgresql_17() {
    redacts(17);
}

#[test]
fn postgresql_18() {
    redacts(18);
}
