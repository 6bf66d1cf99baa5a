//! What happens between captures.

use postgres::Client;

pub const BEFORE: &str = "
CREATE TABLE account (id int PRIMARY KEY, owner text, balance numeric, note text) WITH (fillfactor = 80);
CREATE INDEX account_owner ON account (owner);
INSERT INTO account SELECT i, 'owner ' || i % 20, i * 1.5, repeat('n', i % 60) FROM generate_series(1, 300) i;
CREATE TABLE wide (id serial PRIMARY KEY, body text);
INSERT INTO wide (body) SELECT (SELECT string_agg(md5((i * 1000 + j)::text), '') FROM generate_series(1, 120) j) FROM generate_series(1, 5) i;
CREATE TABLE shrinking (id int, t text);
INSERT INTO shrinking SELECT i, repeat('x', 200) FROM generate_series(1, 400) i;
CREATE TABLE doomed (id int PRIMARY KEY);
INSERT INTO doomed VALUES (1);
CREATE TABLE stranger (id int PRIMARY KEY, word text);
CREATE UNLOGGED TABLE light (id int);
VACUUM account;
";

/// Words, and statements that are separated by `;` at a line's end.
pub const STATEMENTS: &[(&str, &str)] = &[
    ("nothing", "SELECT 1"),
    ("a SELECT", "SELECT count(*) FROM account"),
    ("one row", "INSERT INTO account VALUES (1001, 'new', 1, NULL)"),
    ("HOT update", "UPDATE account SET balance = 2 WHERE id = 7"),
    ("update of an indexed column", "UPDATE account SET owner = 'other' WHERE id = 8"),
    ("again", "UPDATE account SET owner = 'third' WHERE id = 8"),
    (
        "a transaction of three statements",
        "BEGIN; INSERT INTO account VALUES (1002, 'a', 1, 'x'); UPDATE account SET note = 'y' WHERE id = 1002; DELETE FROM account WHERE id = 9; COMMIT",
    ),
    (
        "subtransactions",
        "BEGIN; SAVEPOINT a; UPDATE account SET balance = 5 WHERE id = 30; ROLLBACK TO a; SAVEPOINT b; \
         UPDATE account SET balance = 6 WHERE id = 31; RELEASE b; INSERT INTO account VALUES (1003); COMMIT",
    ),
    ("rolled back", "BEGIN; DELETE FROM account WHERE id < 5; INSERT INTO account VALUES (1004); ROLLBACK"),
    (
        "prepared, others in between",
        "BEGIN; UPDATE account SET note = 'prepared' WHERE id = 40; PREPARE TRANSACTION 'p';\nINSERT INTO stranger SELECT i, 'secret' \
         FROM generate_series(1, 50) i;\nUPDATE account SET note = 'between' WHERE id = 41;\nCOMMIT PREPARED 'p'",
    ),
    ("lock", "BEGIN; SELECT * FROM account WHERE id = 50 FOR UPDATE; COMMIT"),
    ("update of all", "UPDATE account SET balance = balance + 1"),
    ("DELETE and VACUUM", "DELETE FROM account WHERE id % 3 = 0;\nVACUUM account;\n"),
    ("many rows", "INSERT INTO account SELECT i, 'many', 0, repeat('m', 100) FROM generate_series(2000, 2600) i"),
    (
        "wide rows",
        "INSERT INTO wide (body) SELECT body || body FROM wide;\nUPDATE wide SET body = 'short' WHERE id = 2;\nDELETE FROM wide WHERE id = 3",
    ),
    (
        "after a checkpoint",
        "CHECKPOINT;\nUPDATE account SET balance = 5 WHERE id = 7;\nUPDATE account SET balance = 6 WHERE id = 7;\nCHECKPOINT",
    ),
    ("truncation by VACUUM", "DELETE FROM shrinking WHERE id > 40;\nVACUUM shrinking;\n"),
    ("TRUNCATE and INSERT", "TRUNCATE shrinking;\nINSERT INTO shrinking VALUES (1, 'one')"),
    (
        "TRUNCATE in a transaction",
        "BEGIN; TRUNCATE shrinking; INSERT INTO shrinking VALUES (2, 'two'); SAVEPOINT s; TRUNCATE wide; ROLLBACK TO s; COMMIT",
    ),
    ("column added", "ALTER TABLE account ADD late int DEFAULT 5;\nUPDATE account SET late = 6 WHERE id = 7"),
    ("index made and dropped", "CREATE INDEX account_balance ON account (balance);\nDROP INDEX account_owner"),
    ("VACUUM FULL", "VACUUM FULL account;\nUPDATE account SET note = NULL WHERE id = 7"),
    ("table dropped", "DROP TABLE doomed"),
    (
        "table made",
        "CREATE TABLE fresh (id int PRIMARY KEY, t text);\nINSERT INTO fresh VALUES (1, 'a');\nUPDATE fresh SET t = 'b'",
    ),
    ("freeze", "VACUUM (FREEZE) account"),
    ("unlogged", "INSERT INTO light VALUES (1)"),
];

/// The tables that are there, but for one that is nobody's business.
pub fn tables(client: &mut Client) -> Vec<&'static str> {
    let all = ["account", "wide", "shrinking", "doomed", "fresh", "light", "wide_id_seq", "raced"];
    let is_there = |name: &&str| {
        client.query_one("SELECT to_regclass($1) IS NOT NULL", &[name]).expect("an answer").get::<_, bool>(0)
    };
    all.into_iter().filter(is_there).collect()
}
