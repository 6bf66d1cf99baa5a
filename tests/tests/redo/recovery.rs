//! Oracle 3: PostgreSQL's own redo. A server crashes after a workload (immediate shutdown, nothing written since the
//! checkpoint) and recovers: its pages are then those of the checkpoint with the WAL replayed over them, as ours are.
//! So they must be equal in every byte, hints, holes, LSNs and free space maps included; only checksums and where a
//! search in a free space map begins are left out.

use super::capture::Capture;
use super::replay::instance;
use ffviz_format::page::{ForkNumber, Page, PageHeaderData};
use ffviz_format::wal::{BlockTag, Record};
use ffviz_story::redo::{Disk, redo};
use ffviz_tests::{instance::Instance, wal, workload};
use std::collections::BTreeSet;

ffviz_tests::each_version!(short: super::without_checksums);
ffviz_tests::each_version!(#[ignore = "the same again"] long: super::with_checksums);

/// Before the checkpoint: tables with all forks.
const BEFORE: &str = "
CREATE TABLE account (id int PRIMARY KEY, n int, s text) WITH (fillfactor = 80);
INSERT INTO account SELECT i, i, 'text ' || i FROM generate_series(1, 3000) i;
CREATE TABLE tail (id int, s text);
INSERT INTO tail SELECT i, repeat('x', i % 300) FROM generate_series(1, 3000) i;
CREATE TABLE copied (id int, s text);
INSERT INTO copied SELECT i, 'x' FROM generate_series(1, 500) i;
CREATE SEQUENCE counter;
DELETE FROM account WHERE id % 50 = 0;
VACUUM account; VACUUM tail; VACUUM (FREEZE) copied;";

/// After it: changes of these tables, their maps, and their ends.
const AFTER: &str = "
UPDATE account SET n = n + 1 WHERE id % 3 = 0;
SELECT count(*) FROM account;
UPDATE account SET n = n + 1 WHERE id % 3 = 0;
UPDATE account SET s = repeat('longer ', 20) WHERE id % 7 = 0;
UPDATE account SET n = n + 1;
DELETE FROM account WHERE id % 11 = 0;
VACUUM account;
INSERT INTO account SELECT i, i, 'text ' || i FROM generate_series(4000, 5000) i;
SELECT count(*) FROM account WHERE id < 500;
BEGIN; SELECT id FROM account WHERE id < 100 FOR UPDATE; ROLLBACK;
SELECT id FROM copied WHERE id < 100 FOR SHARE;
UPDATE copied SET s = 'y' WHERE id % 10 = 0;
INSERT INTO copied SELECT i, repeat('z', 700) FROM generate_series(1, 200) i;
VACUUM (FREEZE) copied;
DELETE FROM tail WHERE id > 700;
VACUUM tail;
INSERT INTO tail SELECT i, 'again' FROM generate_series(1, 300) i;
SELECT nextval('counter') FROM generate_series(1, 70);
VACUUM (FREEZE) account;
UPDATE account SET n = 0 WHERE id < 1000;";

/// Besides, in tables of their own.
const WORKLOADS: [&str; 8] =
    ["hot", "vacuum", "truncation", "copy_rows", "row_locks", "on_conflict", "posting_lists", "page_deletion"];

/// A crash loses nothing that was flushed; full-page images would hide what redo does to the page before.
const SETTINGS: &str = "autovacuum = off\nfull_page_writes = off\nshared_buffers = 256MB";

/// Runs statements one by one.
fn run(instance: &Instance, sql: &str) {
    let mut client = instance.client();
    for statement in sql.split(";\n").flat_map(|line| line.split("; VACUUM").enumerate()) {
        let (n, text) = statement;
        let text = if n == 0 { text.to_owned() } else { format!("VACUUM{text}") };
        client.batch_execute(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
    }
}

fn without_checksums(major: u32) {
    check(major, false);
}

/// Hints are logged then, and setting PD_ALL_VISIBLE changes a page's LSN.
fn with_checksums(major: u32) {
    check(major, true);
}

fn check(major: u32, checksums: bool) {
    let instance = instance(major, checksums);
    instance.configure(SETTINGS);
    instance.stop("fast");
    instance.start();
    run(&instance, BEFORE);
    let mut client = instance.client();
    let version = wal::version(&mut client);
    client.batch_execute("CHECKPOINT").expect("a checkpoint");
    let from = wal::insert_position(&mut client);
    let before = Capture::take(&mut client);
    run(&instance, AFTER);
    for name in WORKLOADS {
        workload::named(name).run(major, &mut || instance.client());
    }
    let to = wal::flushed(&mut client);
    let records: Vec<Record> = wal::records(&instance, version, from, to).collect();
    instance.stop("immediate");
    instance.start();
    let after = Capture::take(&mut instance.client());

    let mut disk = Disk::new(version, 8192, checksums);
    disk.only = Some(after.files.keys().copied().collect());
    for (tag, page) in before.pages {
        disk.put(tag, page);
    }
    let mut changed = BTreeSet::new();
    for record in &records {
        let effects = redo(&record.decode(version).expect("a record of the server"), &mut disk);
        assert_eq!(effects.anomalies, []);
        changed.extend(effects.changed);
    }
    println!("PostgreSQL {major}: {} records", records.len());
    compare(major, &changed, &disk, &after);
}

fn compare(major: u32, changed: &BTreeSet<BlockTag>, disk: &Disk, after: &Capture) {
    let (mut main, mut vm, mut fsm, mut unchanged, mut wrong) = (0, 0, 0, 0, Vec::new());
    for (tag, server) in &after.pages {
        let name = &after.files[&tag.locator].name;
        match (disk.page(*tag), tag.fork) {
            // ours are only those that were there before
            (None, ForkNumber::Fsm) => {}
            (None, _) if server.is_new() => {}
            (None, _) => wrong.push(format!("{name} {tag}: not known")),
            (Some(ours), fork) => match difference(ours, server, *tag) {
                None if !changed.contains(tag) => unchanged += 1,
                Some(text) => wrong.push(format!("{name} {tag}: {text}")),
                None if fork == ForkNumber::Vm => vm += 1,
                None if fork == ForkNumber::Fsm => fsm += 1,
                None => main += 1,
            },
        }
    }
    println!(
        "PostgreSQL {major}: equal in every byte to what the server's own recovery made: {main} pages that redo changed, {vm} of \
         visibility maps, {fsm} of free space maps; {unchanged} that it did not change"
    );
    assert!(wrong.is_empty(), "{} pages differ:\n{}", wrong.len(), wrong[..wrong.len().min(12)].join("\n"));
    assert!(main > 300 && vm > 8 && fsm > 3, "too little was compared");
}

/// Where the pages differ.
fn difference(ours: &Page, server: &Page, tag: BlockTag) -> Option<String> {
    const FP_NEXT_SLOT: std::ops::Range<usize> = 24..28;
    let checksum = PageHeaderData::bytes_of("pd_checksum", 0);
    let is_left_out = |at: usize| {
        (usize::from(checksum.start)..usize::from(checksum.end)).contains(&at)
            || (tag.fork == ForkNumber::Fsm && FP_NEXT_SLOT.contains(&at))
    };
    let pairs = ours.bytes().iter().zip(server.bytes()).enumerate();
    let differ: Vec<usize> = pairs.filter(|(at, (a, b))| a != b && !is_left_out(*at)).map(|(at, _)| at).collect();
    let first = *differ.first()?;
    let hex =
        |page: &Page| -> String { page.bytes()[first..].iter().take(12).map(|byte| format!("{byte:02x}")).collect() };
    let last = differ.last().copied().unwrap_or(first);
    Some(format!("{} bytes differ, {first} to {last}: {} ours, {} server", differ.len(), hex(ours), hex(server)))
}
