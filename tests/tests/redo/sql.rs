//! Workloads: SQL that makes a server write every type of record, in small.

use ffviz_tests::instance::Instance;
use postgres::{Client, NoTls};
use std::io::Write;

/// Runs statements one by one, each in a transaction of its own; they are separated by `;` at a line's end.
pub fn run(client: &mut Client, statements: &str) {
    for statement in statements.split(";\n").filter(|statement| !statement.trim().is_empty()) {
        client.batch_execute(statement).unwrap_or_else(|error| panic!("{statement}: {error}"));
    }
}

/// Rows, their versions, and what pruning and VACUUM make of them.
const HEAP: &str = "
CREATE TABLE account (id int PRIMARY KEY, owner text, balance numeric, note text) WITH (fillfactor = 70);
CREATE INDEX account_owner ON account (owner);
INSERT INTO account SELECT i, 'owner ' || i % 50, i * 1.5, repeat('n', i % 60) FROM generate_series(1, 600) i;
UPDATE account SET balance = balance + 1 WHERE id % 3 = 0;
UPDATE account SET owner = 'nobody' WHERE id % 7 = 0;
UPDATE account SET note = repeat('long ', 200) WHERE id % 11 = 0;
DELETE FROM account WHERE id % 13 = 0;
SELECT count(*) FROM account;
UPDATE account SET balance = balance + 2 WHERE id % 3 = 0;
BEGIN; SELECT * FROM account WHERE id < 20 FOR UPDATE; UPDATE account SET balance = 0 WHERE id < 10; ROLLBACK;
BEGIN; INSERT INTO account VALUES (10001, 'x', 1, NULL); UPDATE account SET note = 'y' WHERE id = 10001; DELETE FROM account WHERE id = 10001; COMMIT;
INSERT INTO account VALUES (1, 'again', 0, NULL) ON CONFLICT (id) DO UPDATE SET balance = -1;
INSERT INTO account VALUES (20001, 'new', 0, NULL) ON CONFLICT (id) DO NOTHING;
VACUUM account;
UPDATE account SET note = NULL WHERE id % 5 = 0;
BEGIN; SAVEPOINT a; UPDATE account SET balance = 5 WHERE id = 30; ROLLBACK TO a; UPDATE account SET balance = 6 WHERE id = 31; COMMIT;
DELETE FROM account WHERE id > 300;
VACUUM (FREEZE) account;
UPDATE account SET note = 'after the freeze' WHERE id % 4 = 0;
VACUUM account;
INSERT INTO account SELECT i, 'second', 1, 'n' FROM generate_series(1000, 1200) i;
CREATE TABLE wide (id serial PRIMARY KEY, body text);
INSERT INTO wide (body) SELECT (SELECT string_agg(md5((i * 1000 + j)::text), '') FROM generate_series(1, 120) j) FROM generate_series(1, 15) i;
UPDATE wide SET body = body || 'more' WHERE id % 2 = 0;
DELETE FROM wide WHERE id % 5 = 0;
VACUUM wide;
CREATE TABLE emptied (id int PRIMARY KEY, t text);
INSERT INTO emptied SELECT i, repeat('x', 200) FROM generate_series(1, 400) i;
DELETE FROM emptied WHERE id > 40;
VACUUM emptied;
TRUNCATE emptied;
INSERT INTO emptied VALUES (1, 'one');
CREATE TABLE bare (a int, b text);
INSERT INTO bare SELECT i, repeat('b', 100) FROM generate_series(1, 300) i;
DELETE FROM bare WHERE a % 2 = 0;
VACUUM bare;
DELETE FROM bare WHERE a > 100;
VACUUM (FREEZE) bare;
UPDATE bare SET b = repeat('c', 150) WHERE a % 3 = 0;
CREATE SEQUENCE counter;
SELECT nextval('counter') FROM generate_series(1, 100);
ALTER SEQUENCE counter INCREMENT BY 3 RESTART WITH 7;
SELECT nextval('counter'), setval('counter', 1000);
";

/// Trees that grow to three levels on a few rows, as their keys are wide; that merge equal keys; that lose pages and take them again.
const BTREE: &str = "
CREATE TABLE many (id int, dup int);
CREATE INDEX many_id ON many (id);
CREATE INDEX many_dup ON many (dup);
INSERT INTO many SELECT i, i % 10 FROM generate_series(1, 1500) i;
INSERT INTO many SELECT (i * 7919) % 3000, i % 10 FROM generate_series(1, 1500) i;
DELETE FROM many WHERE id % 3 = 0;
VACUUM many;
INSERT INTO many SELECT (i * 7919) % 3000, 5 FROM generate_series(1, 900) i;
DELETE FROM many WHERE dup < 8;
VACUUM many;
INSERT INTO many SELECT i, 11 FROM generate_series(4000, 4600) i;
CREATE TABLE key (name text);
ALTER TABLE key ALTER name SET STORAGE PLAIN;
CREATE INDEX key_name ON key (name);
INSERT INTO key SELECT rpad(lpad((i * 7919 % 1000)::text, 4, '0'), 1600, 'x') FROM generate_series(1, 200) i;
DELETE FROM key WHERE name < '0900';
VACUUM key;
VACUUM key;
SELECT txid_current();
VACUUM key;
INSERT INTO key SELECT rpad(lpad((900 + i % 100)::text, 4, '0'), 1600, 'y') FROM generate_series(1, 60) i;
DELETE FROM key WHERE name > '0910';
VACUUM key;
INSERT INTO key SELECT rpad(lpad(i::text, 4, '0'), 1600, 'z') FROM generate_series(1, 120) i;
CREATE TABLE churn (id int PRIMARY KEY, a int, b int);
CREATE INDEX churn_a ON churn (a);
CREATE INDEX churn_b ON churn (b);
INSERT INTO churn SELECT i, i, 0 FROM generate_series(1, 100) i;
";

/// Enough changes of one column to make the indexes on the others delete what is dead.
fn churn(client: &mut Client) {
    for round in 0..40 {
        client.batch_execute(&format!("UPDATE churn SET b = {round}")).expect("an update");
        client.batch_execute("SET enable_seqscan = off; SELECT count(*) FROM churn WHERE a > 0").expect("a scan");
    }
    run(client, "RESET enable_seqscan;\nDELETE FROM churn WHERE id % 2 = 0;\nVACUUM churn;\n");
}

/// COPY writes many rows in one record.
pub fn copy(client: &mut Client) {
    client.batch_execute("CREATE TABLE copied (id int, name text)").expect("a table");
    for rows in [3, 900, 5] {
        let mut writer = client.copy_in("COPY copied FROM STDIN").expect("COPY starts");
        for row in 0..rows {
            writeln!(writer, "{row}\tname of row {row}").expect("a row");
        }
        writer.finish().expect("COPY ends");
    }
}

/// A second session locks a row that a first has a newer version of: the lock goes on to that version.
fn lock_a_newer_version(instance: &Instance, client: &mut Client) {
    let mut other = Client::connect(&instance.url("postgres"), NoTls).expect("a second session");
    client.batch_execute("BEGIN; UPDATE account SET note = 'newer' WHERE id = 41").expect("an update");
    other.batch_execute("BEGIN; SELECT * FROM account WHERE id = 41 FOR KEY SHARE; COMMIT").expect("a lock");
    client.batch_execute("COMMIT").expect("a commit");
}

/// What is written only for logical decoding.
const LOGICAL: &str = "
SELECT pg_create_logical_replication_slot('decoder', 'pgoutput');
CREATE TABLE described (id int PRIMARY KEY) WITH (user_catalog_table = true);
INSERT INTO described SELECT generate_series(1, 50);
UPDATE described SET id = id + 100;
VACUUM FULL described;
CREATE TABLE logged (id int PRIMARY KEY, t text);
ALTER TABLE logged REPLICA IDENTITY FULL;
INSERT INTO logged SELECT i, 'old' FROM generate_series(1, 30) i;
UPDATE logged SET t = 'new';
DELETE FROM logged WHERE id < 10;
TRUNCATE logged;
SELECT pg_drop_replication_slot('decoder');
";

/// Every type of record of tables, B-trees and sequences.
pub fn every_record_type(instance: &Instance, major: u32) {
    let mut client = instance.client();
    let _ = major;
    run(&mut client, HEAP);
    run(&mut client, BTREE);
    churn(&mut client);
    copy(&mut client);
    lock_a_newer_version(instance, &mut client);
    run(&mut client, LOGICAL);
    run(
        &mut client,
        "CHECKPOINT;\nUPDATE account SET balance = 1;\nINSERT INTO many SELECT i, 3 FROM generate_series(1, 300) i;\nVACUUM;\n",
    );
}
