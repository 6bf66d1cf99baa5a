//! What the pages are made of: SQL, and what it reaches, as the server then shows it. `14+: …` holds from that version
//! on, `13: …` for it only.

use postgres::Client;

/// A schema full of relations.
pub struct Fixture {
    /// name of the schema
    pub name: &'static str,
    sql: &'static str,
    /// what must occur on the pages
    pub reaches: &'static [&'static str],
    after: Option<fn(&mut Client)>,
}

impl Fixture {
    const fn new(name: &'static str, sql: &'static str, reaches: &'static [&'static str]) -> Self {
        Self { name, sql, reaches, after: None }
    }

    const fn then(self, after: fn(&mut Client)) -> Self {
        Self { after: Some(after), ..self }
    }

    /// Runs the SQL, each statement by itself, in a schema of the fixture's name.
    pub fn make(&self, client: &mut Client) {
        let open = format!("CREATE SCHEMA {0}; SET search_path = {0}, public", self.name);
        client.batch_execute(&open).expect("a new schema");
        for statement in self.sql.split(";\n").filter(|text| !text.trim().is_empty()) {
            client.batch_execute(statement).unwrap_or_else(|error| panic!("{statement}: {error:?}"));
        }
        self.after.iter().for_each(|after| after(client));
        // names are qualified from now on
        client.batch_execute("SET search_path = public").expect("a setting");
    }
}

/// All of them.
pub const ALL: &[Fixture] = &[
    // heap: line pointers, chains, transactions
    Fixture::new(
        "hot",
        HOT,
        &["LP_NORMAL", "LP_REDIRECT", "LP_UNUSED", "LP_DEAD", "HEAP_HOT_UPDATED", "HEAP_ONLY_TUPLE", "HEAP_UPDATED"],
    ),
    Fixture::new(
        "cold",
        COLD,
        &["HEAP_UPDATED", "HEAP_XMAX_COMMITTED", "HEAP_XMIN_COMMITTED", "moved to another partition"],
    ),
    Fixture::new(
        "locks",
        LOCKS,
        &[
            "HEAP_XMAX_LOCK_ONLY",
            "HEAP_XMAX_EXCL_LOCK",
            "HEAP_XMAX_KEYSHR_LOCK",
            "HEAP_XMAX_SHR_LOCK",
            "HEAP_XMAX_IS_MULTI",
            "HEAP_KEYS_UPDATED",
        ],
    ),
    Fixture::new("aborted", ABORTED, &["HEAP_XMIN_INVALID", "HEAP_XMAX_INVALID", "HEAP_COMBOCID"]),
    Fixture::new("frozen", FROZEN, &["HEAP_XMIN_FROZEN", "PD_ALL_VISIBLE", "all_visible", "all_frozen", "free space"]),
    Fixture::new("large", LARGE, &["second leaf page of the FSM", "all_visible", "free space"]),
    Fixture::new("copy_freeze", COPY_FREEZE, &["HEAP_XMIN_FROZEN", "14+: PD_ALL_VISIBLE", "14+: all_frozen"]),
    // heap: columns
    Fixture::new("types", TYPES, TYPES_REACHED),
    Fixture::new(
        "edges",
        EDGES,
        &["numeric", "double precision", "real", "timestamp with time zone", "date", "interval", "NULL"],
    ),
    Fixture::new("toast", TOAST, &["TOAST pointer", "compressed in line", "HEAP_HASEXTERNAL", "text", "bytea"]),
    Fixture::new("columns", COLUMNS, &["column added later", "attmissingval", "HEAP_HASNULL", "NULL"]),
    // other relations
    Fixture::new("sequences", SEQUENCES, &["HEAP_XMIN_FROZEN", "bigint", "boolean"]),
    Fixture::new("unlogged", UNLOGGED, &["init fork"]),
    Fixture::new("empty", EMPTY, &["empty relation", "tree without root"]),
    // indexes
    Fixture::new(
        "keys",
        KEYS,
        &[
            "level 1 tree",
            "level 0 tree",
            "page type l",
            "page type r",
            "BTP_LEAF",
            "BTP_ROOT",
            "minus infinity",
            "truncated key attribute",
            "pivot without INCLUDE",
            "NULL key",
            "key cstring",
            "key numeric",
            "key text",
        ],
    ),
    Fixture::new("duplicates", DUPLICATES, &["posting list", "heap TID in a pivot"]),
    Fixture::new("deep", DEEP, &["level 4 tree", "page type i", "page type r"]),
    Fixture::new("killed", KILLED, &["killed item", "BTP_HAS_GARBAGE"]).then(scan_deleted_rows),
    Fixture::new("deleted", DELETED, &["page type d", "14+: BTP_HAS_FULLXID", "BTP_DELETED", "14+: page type D"]),
    Fixture::new("half_dead", HALF_DEAD, &["page type e", "BTP_HALF_DEAD"]).then(interrupt_vacuum),
];

const HOT: &str = "
CREATE TABLE t (id int PRIMARY KEY, n int, note text) WITH (fillfactor = 70);
INSERT INTO t SELECT i, 0, 'row ' || i FROM generate_series(1, 400) i;
UPDATE t SET n = 1 WHERE id <= 20;
UPDATE t SET n = 2 WHERE id <= 10;
VACUUM t;
UPDATE t SET n = n + 1 WHERE id <= 100;
DELETE FROM t WHERE id BETWEEN 130 AND 140;
UPDATE t SET n = n + 1 WHERE id BETWEEN 120 AND 240;
UPDATE t SET n = n + 1 WHERE id BETWEEN 120 AND 240;
SELECT count(*) FROM t;
UPDATE t SET n = 7 WHERE id BETWEEN 5 AND 8;
VACUUM (INDEX_CLEANUP OFF) t;
UPDATE t SET n = 8 WHERE id BETWEEN 5 AND 6;
CREATE TABLE unused (id int);
INSERT INTO unused SELECT generate_series(1, 50);
DELETE FROM unused WHERE id BETWEEN 10 AND 20;
VACUUM unused;
";

const COLD: &str = "
CREATE TABLE t (id int PRIMARY KEY, n int);
CREATE INDEX ON t (n);
INSERT INTO t SELECT i, i FROM generate_series(1, 300) i;
UPDATE t SET n = n + 1000 WHERE id % 3 = 0;
SELECT count(*) FROM t;
CREATE TABLE p (id int, part int) PARTITION BY LIST (part);
CREATE TABLE p1 PARTITION OF p FOR VALUES IN (1);
CREATE TABLE p2 PARTITION OF p FOR VALUES IN (2);
INSERT INTO p VALUES (1, 1), (2, 1), (3, 2);
UPDATE p SET part = 2 WHERE id = 1;
";

const LOCKS: &str = "
CREATE TABLE t (id int PRIMARY KEY, n int);
INSERT INTO t SELECT i, 0 FROM generate_series(1, 20) i;
BEGIN;
SELECT FROM t WHERE id = 1 FOR UPDATE;
SELECT FROM t WHERE id = 2 FOR NO KEY UPDATE;
SELECT FROM t WHERE id = 3 FOR SHARE;
SELECT FROM t WHERE id = 4 FOR KEY SHARE;
SELECT FROM t WHERE id IN (5, 6, 7) FOR KEY SHARE;
SAVEPOINT s;
UPDATE t SET n = 1 WHERE id = 5;
SELECT FROM t WHERE id = 6 FOR SHARE;
DELETE FROM t WHERE id = 7;
COMMIT;
UPDATE t SET id = 108 WHERE id = 8;
DELETE FROM t WHERE id = 9;
";

const ABORTED: &str = "
CREATE TABLE t (id int PRIMARY KEY, n int);
INSERT INTO t SELECT i, 0 FROM generate_series(1, 20) i;
BEGIN;
INSERT INTO t SELECT i, 0 FROM generate_series(21, 30) i;
UPDATE t SET n = 1 WHERE id < 5;
DELETE FROM t WHERE id = 7;
ROLLBACK;
SELECT count(*) FROM t;
BEGIN;
INSERT INTO t VALUES (40, 0), (41, 0);
DELETE FROM t WHERE id = 40;
UPDATE t SET n = 5 WHERE id = 41;
COMMIT;
";

const FROZEN: &str = "
CREATE TABLE t (id int, filler text);
INSERT INTO t SELECT i, repeat('x', 100) FROM generate_series(1, 1000) i;
VACUUM (FREEZE) t;
DELETE FROM t WHERE id BETWEEN 300 AND 500;
VACUUM t;
INSERT INTO t VALUES (2000, 'new');
UPDATE t SET filler = 'y' WHERE id = 900;
CREATE MATERIALIZED VIEW m AS SELECT * FROM t WHERE id < 30;
";

/// A row a page, and more pages than one page of the free space map has slots for.
const LARGE: &str = "
CREATE TABLE t (id int, filler text) WITH (fillfactor = 10);
INSERT INTO t SELECT i, repeat(md5(i::text), 22) FROM generate_series(1, 4200) i;
DELETE FROM t WHERE id % 50 = 0 OR id > 4190;
VACUUM t;
";

const COPY_FREEZE: &str = "
BEGIN;
CREATE TABLE t (id int);
COPY t FROM PROGRAM 'seq 1 1200' WITH (FREEZE);
COMMIT;
";

const TYPES: &str = r#"
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
CREATE DOMAIN positive AS int CHECK (value > 0);
CREATE TYPE pair AS (a int, b text);
CREATE TABLE t (
  c_bool bool, c_int2 int2, c_int4 int4, c_int8 int8, c_float4 float4, c_float8 float8, c_numeric numeric, c_money money,
  c_text text, c_varchar varchar(20), c_char char(10), c_name name, c_onechar "char", c_bytea bytea,
  c_date date, c_time time, c_timetz timetz, c_timestamp timestamp, c_timestamptz timestamptz, c_interval interval,
  c_uuid uuid, c_json json, c_jsonb jsonb, c_xid xid, c_oid oid, c_tid tid, c_inet inet, c_cidr cidr, c_macaddr macaddr, c_macaddr8 macaddr8,
  c_point point, c_box box, c_bit bit(5), c_varbit varbit, c_ints int[], c_texts text[], c_range int4range, c_lsn pg_lsn,
  c_mood mood, c_positive positive, c_pair pair, c_tsvector tsvector, c_circle circle, c_lseg lseg);
INSERT INTO t VALUES (
  true, -32768, 2147483647, -9223372036854775808, 1.5, -2.5e-7, 12345.6789, '$1,234.56',
  'Grüße, 世界', 'varying', 'padded', 'a name', 'c', '\xdeadbeef',
  '2024-02-29', '23:59:59.999999', '12:34:56.789+02:30', '2024-02-29 12:34:56.123456', '2024-06-30 23:59:59+00', '1 year 2 mons -3 days 04:05:06.7',
  'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', '{"a": [1, 2]}', '{"b": null, "a": [1, 2.50, "x\n\"", true], "c": {}}', '3', 4294967295, '(7,3)',
  '192.168.0.1/24', '10.0.0.0/8', '08:00:2b:01:02:03', '08:00:2b:01:02:03:04:05',
  '(1,-2.5)', '((0,0),(1,1))', B'10110', B'1', '{1,NULL,3}', '{a,"b c",NULL,"NULL","q\"\\"}', '[1,10)', '16/B374D848',
  'happy', 7, ROW(1, 'two'), 'fat cat', '<(0,0),1>', '((0,0),(1,1))');
INSERT INTO t DEFAULT VALUES;
INSERT INTO t (c_bool, c_char, c_jsonb, c_ints, c_texts, c_inet, c_range, c_interval, c_money, c_onechar) VALUES
  (false, '', '[]', '{}', '{{a,b},{c,d}}', '::1', 'empty', '-00:00:01', '-$0.05', ''),
  (NULL, 'ten chars!', '"str"', '[0:1]={7,8}', '{"{}","\\",""," "}', '2001:db8::/32', '(,5)', '-1 days', '$0.00', ''),
  (NULL, NULL, '-1e-5', '{{1,2},{3,4}}', NULL, '::ffff:1.2.3.4/128', '[,]', '100 years', '-$92,233,720,368,547,758.08', NULL);
CREATE TABLE onechar (v "char");
DO $$ BEGIN IF current_setting('server_version_num')::int >= 160000 THEN INSERT INTO onechar VALUES ('\377'), ('\200'); END IF; END $$;
"#;

const TYPES_REACHED: &[&str] = &[
    "boolean",
    "smallint",
    "integer",
    "bigint",
    "real",
    "double precision",
    "numeric",
    "money",
    "text",
    "character varying(20)",
    "character(10)",
    "name",
    "\"char\"",
    "bytea",
    "date",
    "time without time zone",
    "time with time zone",
    "timestamp without time zone",
    "timestamp with time zone",
    "interval",
    "uuid",
    "json",
    "jsonb",
    "xid",
    "oid",
    "tid",
    "inet",
    "cidr",
    "macaddr",
    "macaddr8",
    "point",
    "box",
    "bit(5)",
    "bit varying",
    "integer[]",
    "text[]",
    "int4range",
    "pg_lsn",
    "types.mood",
    "types.positive",
    "NULL",
];

const EDGES: &str = "
SELECT setseed(0.42);
CREATE TABLE n (v numeric);
INSERT INTO n VALUES (0), (0.00), (1), (-1), (9999), (10000), (10001), (-10000.0001), (0.0001), (0.00010), (0.00001), (1e20), (1e-20),
  (123456789012345678901234567890.123456789), (-0.5), (100), (1000000), (99999999.99999999), ('NaN'), (NULL), (1e100), (1e-100), (repeat('9', 300)::numeric),
  (('0.' || repeat('0', 80) || '1')::numeric), (12345678.9000);
INSERT INTO n SELECT (random() * 10 ^ (i % 30) - 10 ^ (i % 25))::numeric / 10::numeric ^ (i % 17) FROM generate_series(1, 200) i;
CREATE TABLE n14 (v numeric);
DO $$ BEGIN IF current_setting('server_version_num')::int >= 140000 THEN INSERT INTO n14 VALUES ('Infinity'), ('-Infinity'); END IF; END $$;
CREATE TABLE n_typed (a numeric(10, 2), b numeric(5, 0), c numeric(30, 15));
INSERT INTO n_typed VALUES (1, 2, 3), (12345678.90, 99999, 0.000000000000001), (-0.01, 0, 0);
CREATE TABLE f (a float8, b float4);
INSERT INTO f VALUES (0, 0), ('-0', '-0'), ('NaN', 'NaN'), ('Infinity', '-Infinity'), (1e300, 1e38), (1e-300, 1e-38), (0.1, 0.1), (1e15, 1e6), (1e16, 1e7),
  (123456789012345678, 16777216), (5e-324, 1e-45), (1.7976931348623157e308, 3.4028235e38), (0.0001, 0.0001), (0.00001, 0.00001), (100000, 100000), (1.5e-5, 123456.7),
  (3, 3), (-2.5, -2.5), (1e22, 1e10), (9007199254740993, 8388609),
  (844565371806868.25, 8388608.5), (844565371806868.75, 0.3), (1e23, 3e10);
INSERT INTO f SELECT random() * 10 ^ (i % 40 - 20), random() * 10 ^ (i % 40 - 20) FROM generate_series(1, 300) i;
CREATE TABLE d (a date, b timestamp, c timestamptz, d interval, e time, f timetz);
INSERT INTO d VALUES ('infinity', 'infinity', '-infinity', '0', '00:00', '00:00+00'), ('-infinity', '-infinity', 'infinity', '1 us', '24:00', '24:00-15:59'),
  ('0001-01-01', '0001-01-01 00:00:00', '0001-01-01 00:00:00+00', '-1 years -2 mons +3 days -04:05:06.000007', '12:00:00.5', '01:02:03.000001+05:30'),
  ('0044-03-15 BC', '4713-01-01 00:00:00 BC', '0001-12-31 23:59:59.999999+00 BC', '1 mon', '00:00:00.000001', '12:00-00:30'),
  ('5874897-12-31', '294276-12-31 23:59:59.999999', '294276-12-31 23:59:59.999999+00', '178000000 years', '23:59', '23:59:59.999999+15:59:59'),
  ('2000-01-01', '2000-01-01', '2000-01-01 00:00:00+00', '1 day -00:00:00.1', '01:01:01', '01:01:01-08'),
  ('1999-12-31', '1999-12-31 23:59:59.9', '1970-01-01 00:00:00+00', '-1 day +100:00:00', '10:20:30.123', '10:20:30.12+01'),
  ('1900-02-28', '1582-10-15', '2038-01-19 03:14:08+00', '12 mons 40 days', NULL, NULL), ('2100-03-01', '10000-01-01', NULL, '00:00:59.999999', '00:00:01', NULL);
INSERT INTO d SELECT '2000-01-01'::date + (random() * 800000 - 400000)::int, timestamp '2000-01-01' + random() * interval '2000 years' - interval '1000 years',
  timestamptz '2000-01-01 00:00+00' + random() * interval '500 years', random() * interval '3 years' - random() * interval '40 days', random() * interval '24 hours', NULL
  FROM generate_series(1, 300);
CREATE TABLE s (a text, b char(3), c bytea, d varchar);
INSERT INTO s VALUES ('', '', '', ''), (repeat('a', 126), 'abc', decode(repeat('00', 126), 'hex'), 'x'), (repeat('b', 127), 'ab', decode(repeat('ff', 127), 'hex'), repeat('ü', 100)),
  (E'tab\\tnewline\\n\\\\', ' a', E'\\\\x00ff', 'NULL'), (NULL, NULL, NULL, NULL);
";

const TOAST: &str = "
CREATE TABLE t (id int, plain text, packed text, bytes bytea, inside text);
ALTER TABLE t ALTER plain SET STORAGE EXTERNAL;
ALTER TABLE t ALTER inside SET STORAGE MAIN;
INSERT INTO t VALUES (1, repeat('x', 5000), (SELECT string_agg(md5(i::text), '') FROM generate_series(1, 300) i), NULL, 'short');
INSERT INTO t VALUES (2, repeat('y', 2500), repeat('compressible ', 200), decode(repeat('ab', 4000), 'hex'), repeat('main ', 1000));
INSERT INTO t VALUES (3, NULL, 'small', (SELECT decode(string_agg(md5(i::text), ''), 'hex') FROM generate_series(1, 500) i), NULL);
INSERT INTO t SELECT i, repeat('z', 2000 + 37 * i), (SELECT string_agg(md5(k::text), '') || repeat('.', 3000) FROM generate_series(1, 60 + i) k), NULL, NULL FROM generate_series(4, 20) i;
UPDATE t SET id = 100 WHERE id = 1;
DELETE FROM t WHERE id = 5;
";

const COLUMNS: &str = "
CREATE TABLE t (a int, gone text, b int, gone_fixed int8);
INSERT INTO t VALUES (1, 'dropped', 10, 5), (2, NULL, 20, NULL), (3, repeat('long', 100), NULL, 7);
ALTER TABLE t DROP gone;
ALTER TABLE t DROP gone_fixed;
INSERT INTO t VALUES (4, 40);
ALTER TABLE t ADD added int DEFAULT 7, ADD words text DEFAULT 'a, \"quoted\" {default}', ADD empty int, ADD big numeric DEFAULT 1.50;
INSERT INTO t VALUES (5, 50, 8, 'own', NULL, 2.5), (6, NULL, NULL, NULL, NULL, NULL);
UPDATE t SET b = 21 WHERE a = 2;
CREATE TABLE wide (c1 int, c2 bool, c3 int8, c4 bool, c5 int2, c6 text, c7 float8, c8 bool, c9 int4, c10 uuid, c11 bool, c12 timestamptz);
INSERT INTO wide SELECT i, i % 2 = 0, i, NULL, i, repeat('v', i % 9), i / 8.0, true, NULLIF(i % 3, 0), md5(i::text)::uuid, false, timestamptz '2024-01-01 00:00+00' + i * interval '1 hour' FROM generate_series(1, 60) i;
";

const SEQUENCES: &str = "
CREATE SEQUENCE fresh;
CREATE SEQUENCE used START 100 INCREMENT -3 MINVALUE -1000 MAXVALUE 1000;
SELECT nextval('used'), nextval('used');
CREATE TABLE t (id bigserial, v text);
INSERT INTO t (v) SELECT 'x' FROM generate_series(1, 40);
";

const UNLOGGED: &str = "
CREATE UNLOGGED TABLE t (id int PRIMARY KEY, v text);
INSERT INTO t SELECT i, 'v' FROM generate_series(1, 100) i;
";

const EMPTY: &str = "
CREATE TABLE t (id int PRIMARY KEY, v text);
";

const KEYS: &str = "
CREATE TABLE t (id int, a text, b numeric, c name, d int, e timestamptz, f uuid, g bool, h float8, i date, j int8);
INSERT INTO t SELECT i, 'text ' || md5(i::text), (i * 7919 % 10007) / 100.0, ('n' || i)::name, CASE WHEN i % 10 > 0 THEN i % 50 END, timestamptz '2024-01-01 00:00+00' + i * interval '1 minute',
  md5(i::text)::uuid, i % 2 = 0, i / 3.0, '2024-01-01'::date + i % 700, i * 10000000000 FROM generate_series(1, 1500) i;
CREATE INDEX one ON t (id);
CREATE INDEX several ON t (d, a, id);
CREATE INDEX three ON t (g, d, b);
CREATE INDEX words ON t (a);
CREATE INDEX numbers ON t (b);
CREATE INDEX names ON t (c);
CREATE INDEX descending ON t (id DESC, a);
CREATE INDEX nulls_first ON t (d DESC NULLS FIRST, id);
CREATE INDEX nulls ON t (d);
CREATE INDEX including ON t (id) INCLUDE (a, d);
CREATE INDEX including_many ON t (g, d) INCLUDE (b, e);
CREATE INDEX expression ON t (lower(a), (id % 7));
CREATE INDEX partial ON t (e) WHERE d IS NULL;
CREATE INDEX moments ON t (e, f);
CREATE INDEX mixed ON t (g, j, i, h, c);
CREATE TABLE small (id int PRIMARY KEY, v text UNIQUE);
INSERT INTO small SELECT i, 'v' || i FROM generate_series(1, 10) i;
CREATE TABLE grown (id int, v text);
CREATE INDEX grown_key ON grown (v, id);
INSERT INTO grown SELECT i * 7919 % 2003, 'value ' || i % 40 FROM generate_series(1, 2003) i;
CREATE TABLE long (v text);
CREATE INDEX long_key ON long (v);
INSERT INTO long SELECT repeat(i || ' compressible ', 60) FROM generate_series(1, 40) i;
";

const DUPLICATES: &str = "
CREATE TABLE t (a int, b text);
INSERT INTO t SELECT i % 4, 'same' FROM generate_series(1, 3000) i;
CREATE INDEX built ON t (a);
CREATE INDEX built_text ON t (b, a);
CREATE INDEX plain ON t (a) WITH (deduplicate_items = off);
CREATE TABLE inserted (a int, b int);
CREATE INDEX inserted_key ON inserted (a);
CREATE INDEX inserted_with_null ON inserted (b);
INSERT INTO inserted SELECT i % 3, NULLIF(i % 2, 0) FROM generate_series(1, 4000) i;
";

const DEEP: &str = "
CREATE TABLE t (k text);
ALTER TABLE t ALTER k SET STORAGE PLAIN;
CREATE INDEX deep ON t (k);
INSERT INTO t SELECT repeat('k', 1900) || lpad((i * 37 % 211)::text, 5, '0') FROM generate_series(1, 210) i;
";

const KILLED: &str = "
CREATE TABLE t (id int, v text);
INSERT INTO t SELECT i, 'v' FROM generate_series(1, 500) i;
CREATE INDEX by_id ON t (id);
DELETE FROM t WHERE id BETWEEN 100 AND 120;
";

/// Reads the deleted rows by the index until their entries are marked: a scan can do so only once no transaction of the
/// server is older than the DELETE.
fn scan_deleted_rows(client: &mut Client) {
    let scan =
        "SET enable_seqscan = off; SET enable_bitmapscan = off; SELECT count(v) FROM t WHERE id BETWEEN 90 AND 130;
                RESET enable_seqscan; RESET enable_bitmapscan";
    let killed = "SELECT coalesce(sum(dead_items), 0) FROM generate_series(1, pg_relation_size('by_id') / 8192 - 1) n, bt_page_stats('by_id', n::int)";
    for _ in 0..100 {
        client.batch_execute(scan).expect("a scan");
        let found: i64 = client.query_one(killed, &[]).expect("pages can be read").get(0);
        if found > 0 {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
}

const DELETED: &str = "
CREATE TABLE t (id int);
INSERT INTO t SELECT generate_series(1, 30000);
CREATE INDEX by_id ON t (id) WITH (fillfactor = 10);
DELETE FROM t WHERE id BETWEEN 100 AND 29900;
VACUUM t;
";

/// Filled, and emptied by a VACUUM that is stopped, below.
const HALF_DEAD: &str = "
CREATE TABLE t (id int);
CREATE INDEX by_id ON t (id) WITH (fillfactor = 10);
";

/// Stops VACUUM while it deletes pages. Interrupts are served between marking a leaf half-dead and unlinking it, so
/// most often one such leaf is left; the timeout grows until that has happened.
fn interrupt_vacuum(client: &mut Client) {
    let fill =
        "TRUNCATE t; INSERT INTO t SELECT generate_series(1, 30000); DELETE FROM t WHERE id BETWEEN 100 AND 29900";
    let half_dead = "SELECT count(*) FROM generate_series(1, pg_relation_size('by_id') / 8192 - 1) n, bt_page_stats('by_id', n::int)
                     WHERE type = 'e'";
    let mut ended = true;
    for attempt in 0..500 {
        if ended {
            client.batch_execute(fill).expect("a table to vacuum");
        }
        client.batch_execute(&format!("SET statement_timeout = {}", 2 + attempt % 50)).expect("a setting");
        ended = client.batch_execute("VACUUM t").is_ok();
        // on a busy machine the timeout ends this too
        let is_reset = (0..100).any(|_| client.batch_execute("RESET statement_timeout").is_ok());
        assert!(is_reset, "the timeout stays");
        let found: i64 = client.query_one(half_dead, &[]).expect("pages can be read").get(0);
        if found > 0 {
            return;
        }
    }
}
