//! Values of every type that ffviz reads, made at random by servers 13 to 18, against the text that the same server
//! prints for them.

use ffviz_format::datum::Storage;
use ffviz_format::heap::HeapPage;
use ffviz_format::page::{ForkNumber, OffsetNumber};
use ffviz_format::state::State;
use ffviz_tests::capture::capture;
use ffviz_tests::servers::{Database, MAJORS};

/// Rows a server.
const ROWS: u32 = 3000;

/// A type, and an SQL expression of a value of row `n`. `r()` is a number from 0 to 1.
const COLUMNS: &[(&str, &str)] = &[
    ("int2", "(r() * 65535 - 32768)::int2"),
    ("int8", "((r() - 0.5) * 1.8e19)::int8"),
    ("oid", "(r() * 4e9)::int8::oid"),
    ("float8", "(r() - 0.5) * power(10::float8, (r() * 600 - 300)::int)"),
    ("float8", "(n % 1000) * power(10::float8, n / 50 - 25)"),
    ("float8", "(n::float8 - 1500) / 8"),
    ("float4", "((r() - 0.5) * power(10::float8, (r() * 70 - 35)::int))::float4"),
    ("float4", "((n % 100) * power(10::float8, n / 50 - 30))::float4"),
    ("numeric", "round(((r() - 0.5) * power(10::numeric, (r() * 40)::int - 10))::numeric, (r() * 30)::int)"),
    ("numeric", "((n - 1500) * power(10::numeric, n % 90 - 45))"),
    ("numeric(18,6)", "((r() - 0.5) * 1e11)::numeric(18,6)"),
    ("numeric", "power(7::numeric, n % 400)"),
    ("text", "repeat(chr(32 + n % 90), (r() * 300)::int)"),
    ("text", "repeat(md5(n::text), n % 90)"),
    ("varchar(40)", "left(md5(n::text), n % 33)"),
    ("char(20)", "left(md5(n::text), n % 20)"),
    ("bytea", "decode(repeat(md5(n::text), n % 5), 'hex')"),
    ("uuid", "md5(n::text)::uuid"),
    ("date", "'2000-01-01'::date + ((r() - 0.1) * 6000000)::int"),
    ("date", "'0001-01-01'::date + (n - 1500)"),
    ("time", "'00:00'::time + r() * '24 hours'::interval"),
    ("timetz", "(('00:00'::time + r() * '24 hours'::interval)::text || '+' || (n % 15) || ':' || n % 60)::timetz"),
    ("timestamp", "'4713-01-02 BC'::timestamp + make_interval(days => (r() * 4000000)::int, secs => r() * 86400)"),
    ("timestamptz", "'2000-01-01'::timestamptz + make_interval(secs => (r() - 0.5) * 1e8)"),
    (
        "interval",
        "make_interval(months => (r() * 60 - 30)::int, days => (r() * 60 - 30)::int, secs => r() * 1e5 - 5e4)",
    ),
    ("interval", "make_interval(months => n % 3 * 12 - 12, days => n % 5 - 2, secs => (n % 7 - 3) / 2.0)"),
    ("json", "json_build_object('n', n, 'r', r())"),
    (
        "jsonb",
        "jsonb_build_object('n', n, 'a', to_jsonb(string_to_array(repeat('x ', n % 70), ' ')), 'o', jsonb_build_object('f', r(), 'b', n % 2 = 0, '', null))",
    ),
    ("inet", "('10.0.0.0'::inet + (r() * 1e7)::int)"),
    ("inet", "set_masklen('1::'::inet + (r() * 1e18)::int8, n % 129)"),
    ("inet", "(case n % 4 when 0 then '::' when 1 then '::ffff:0:0' when 2 then '::1:0' else 'a:0:b::' end)::inet + n"),
    ("cidr", "network(set_masklen('10.1.2.3'::inet + n * 1000, n % 33))"),
    ("macaddr", "substr(md5(n::text), 1, 12)::macaddr"),
    ("bit(11)", "n::bit(11)"),
    ("varbit", "left(repeat(n::bit(12)::text, 3), n % 37)::varbit"),
    ("point", "point(r() * 100, -r())"),
    (
        "int4[]",
        "case when n % 3 = 0 then array[n, null, -n] else array_fill(n, array[n % 3 + 1, 2], array[n % 5 - 2, 1]) end",
    ),
    ("text[]", "array[md5(n::text), null, '', 'a b', '{' || chr(32 + n % 90), 'NULL']"),
    ("numeric[]", "array[n, null, r()]::numeric[]"),
    ("timestamptz[]", "array['2000-01-01'::timestamptz + make_interval(secs => n)]"),
    ("int4range", "int4range(nullif(n % 5, 0), n + 5, '[]')"),
    ("numrange", "numrange(-r()::numeric, r()::numeric)"),
    ("tstzrange", "tstzrange('2000-01-01'::timestamptz + make_interval(secs => n), null)"),
    ("lseg", "lseg(point(r(), n), point(-n, 0.5))"),
    ("box", "box(point(r(), n), point(-n, 0.5))"),
    ("path", "(case n % 2 when 0 then '[(0,0),(1,' || n || ')]' else '((0,0),(' || n || ',1),(2.5,-1))' end)::path"),
    ("polygon", "polygon(n % 9 + 3, circle(point(r(), n), 2))"),
    ("line", "line(point(0, r()), point(n, 1))"),
    ("circle", "circle(point(n, -r()), r())"),
    ("box[]", "array[box(point(0, 0), point(n, 1)), null, box(point(r(), 0), point(2, 2))]"),
    ("point[]", "array[point(n, 1), null]"),
    ("tsvector", "to_tsvector('simple', repeat(md5(n::text) || ' It''s back\\slash', n % 4))"),
    (
        "tsvector",
        "setweight('fat:1 cat:2,7 ''a b'':3'::tsvector, (array['A','B','C','D'])[n % 4 + 1]::\"char\") || $$stripped 'it''s'$$::tsvector",
    ),
    ("name", "left(md5(n::text), n % 30)::name"),
    ("\"char\"", "chr(33 + n % 90)::\"char\""),
    ("bool", "n % 2 = 0"),
    ("pg_lsn", "(to_hex(n) || '/' || to_hex(n * 7919))::pg_lsn"),
    ("mood", "(array['sad', 'ok', 'happy'])[n % 3 + 1]::mood"),
    ("nice_mood", "'happy'::nice_mood"),
    ("short_code", "left(md5(n::text), 4)::short_code"),
    ("tid", "('(' || n * 100000 || ',' || n || ')')::tid"),
];

/// Makes the table; every tenth value is NULL.
fn fill(db: &mut Database) {
    let columns: Vec<String> = COLUMNS.iter().enumerate().map(|(i, (ty, _))| format!("c{i} {ty}")).collect();
    let value = |(i, (ty, sql)): (usize, &(&str, &str))| format!("CASE WHEN (n + {i}) % 10 > 0 THEN ({sql})::{ty} END");
    let values: Vec<String> = COLUMNS.iter().enumerate().map(value).collect();
    let sql = format!(
        "SET timezone = 'UTC';
         CREATE FUNCTION r() RETURNS float8 LANGUAGE sql VOLATILE AS 'SELECT random()';
         CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
         CREATE DOMAIN nice_mood AS mood CHECK (VALUE <> 'sad');
         CREATE DOMAIN code AS varchar(9);
         CREATE DOMAIN short_code AS code CHECK (length(VALUE) < 5);
         SELECT setseed(0.5);
         CREATE TABLE v ({}) WITH (autovacuum_enabled = off);
         INSERT INTO v SELECT {} FROM generate_series(1, {ROWS}) AS n;",
        columns.join(", "),
        values.join(", ")
    );
    db.client.batch_execute(&sql).expect("the table is made");
}

/// The server's own text of every value, by block and line pointer.
fn printed(db: &mut Database) -> Vec<(u32, u16, Vec<Option<String>>)> {
    let texts: Vec<String> =
        (0..COLUMNS.len()).map(|i| format!("CASE WHEN c{i} IS NOT NULL THEN format('%s', c{i}) END")).collect();
    let (first, second) = texts.split_at(texts.len() / 2);
    let sql = format!(
        "SELECT (ctid::text::point)[0]::int8, (ctid::text::point)[1]::int4, ARRAY[{}] || ARRAY[{}] FROM v",
        first.join(","),
        second.join(",")
    );
    let rows = db.client.query(&sql, &[]).expect("the rows can be read");
    let place = |row: &postgres::Row| (row.get::<_, i64>(0) as u32, row.get::<_, i32>(1) as u16);
    rows.iter().map(|row| (place(row).0, place(row).1, row.get(2))).collect()
}

/// Compares every value that lies plainly or compressed in the row; how many of each kind.
fn compare(major: u32, state: &State, printed: &[(u32, u16, Vec<Option<String>>)]) -> (usize, usize) {
    let table = state.relations.values().find(|relation| relation.name == "v").expect("the table was captured");
    let heap: Vec<_> = state.fork(table.oid, ForkNumber::Main).collect();
    let (mut plain, mut compressed) = (0, 0);
    for (block, offset, texts) in printed {
        let page = heap.iter().find(|(known, _)| known == block).expect("the block was captured").1;
        let decoded = HeapPage::decode(page, *block);
        let tuple = decoded.tuple(OffsetNumber(*offset)).expect("a tuple");
        for ((datum, attribute), text) in
            tuple.columns(page, &table.attributes).iter().zip(&table.attributes).zip(texts)
        {
            let shown = datum.text(page, attribute);
            let what = format!("PostgreSQL {major}, {} at ({block},{offset})", attribute.type_name);
            match datum.storage {
                Storage::Null => assert_eq!(&None, text, "{what}"),
                Storage::External => assert!(shown.starts_with("TOAST pointer: "), "{what}: {shown}"),
                Storage::Compressed => {
                    compressed += 1;
                    let value = shown.split_once(": ").map(|(_, value)| value.to_owned());
                    assert_eq!(&value, text, "{what}");
                }
                _ => {
                    plain += 1;
                    assert_eq!(Some(&shown), text.as_ref(), "{what}");
                }
            }
        }
    }
    (plain, compressed)
}

#[test]
fn values_are_printed_as_each_server_prints_them() {
    for major in MAJORS {
        let mut db = Database::create(major, "ffviz_values");
        fill(&mut db);
        let state = capture(&db, &["v"]);
        let (plain, compressed) = compare(major, &state, &printed(&mut db));
        println!(
            "PostgreSQL {major}: {plain} values as they lie, {compressed} compressed, of {} columns",
            COLUMNS.len()
        );
        assert!(plain > 100_000 && compressed > 100, "too little was compared");
    }
}
