//! The undo engine against the heap: the same statements give the same rows, to old snapshots too; a rollback leaves
//! the rows' bytes as they were; redo makes the same pages; and the totals are those that are published.

use crate::sql::run::{RunOptions, Simulator, newest};
use crate::sql::script::Script;
use crate::sql::trace::TraceLine;
use crate::storage::{Buffer, Happening, TableAm};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::page::{ForkNumber, Page};
use ffviz_format::undo::{UndoPage, set_row_xact};
use ffviz_format::wal::{BlockTag, Record};
use ffviz_story::redo::{Disk, redo};
use std::println;

fn options(engine: TableAm) -> RunOptions {
    let settings = Vec::from([("full_page_writes".to_string(), "off".to_string())]);
    RunOptions { engine, settings, ..RunOptions::new(newest(18)) }
}

/// How each statement ended, and the rows that it gave, in no order.
fn results(script: &str, engine: TableAm) -> Vec<String> {
    let script = Script::parse(script).expect("a script");
    let lines = Simulator::trace(&script, &options(engine)).expect("a run");
    let told = lines.into_iter().filter_map(|line| match line {
        TraceLine::Statement(line) => {
            let mut rows: Vec<String> =
                line.result.iter().flat_map(|result| result.rows.iter().map(|row| format!("{row:?}"))).collect();
            rows.sort();
            let waits = line.waiting;
            Some(format!("{}: {:?} {:?} {waits} {rows:?}", line.sql, line.status, line.error))
        }
        TraceLine::Resumed(line) => Some(format!("resumed {:?} {:?}", line.status, line.error)),
        TraceLine::Directive(_) => None,
    });
    told.collect()
}

/// Numbers that look like chance, the same ones each time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

/// What a session does with a table of some rows.
fn statement(numbers: &mut Numbers, next_id: &mut u64) -> String {
    let id = numbers.below(*next_id) + 1;
    match numbers.below(12) {
        0..=3 => format!("update t set n = n + {} where id = {id}", numbers.below(9) + 1),
        4 => format!("update t set c = repeat('x', {}) where id = {id}", numbers.below(30)),
        5 => format!("update t set n = null, c = 'none' where id = {id}"),
        6 => format!("delete from t where id = {id}"),
        7 | 8 => {
            *next_id += 1;
            format!("insert into t values ({next_id}, {id}, 'new')")
        }
        9 => format!("update t set n = {id} where n > {}", 90 + numbers.below(20)),
        10 => "select count(*), sum(n) from t".to_string(),
        _ => format!("select * from t where id >= {id}"),
    }
}

/// Two sessions that write, in turn, and one that looks on with a snapshot of its own for a while.
fn random_script(seed: u64) -> String {
    let (mut numbers, mut next_id) = (Numbers(seed), 20);
    let mut script = String::from("create table t (id int primary key, n int, c text) with (fillfactor = 60);\n");
    script += "insert into t select i, i * 10, 'row ' || i from generate_series(1, 20) i;\n";
    for _ in 0..7 {
        script += "--@ session C\nbegin isolation level repeatable read;\nselect * from t;\n";
        for _ in 0..numbers.below(4) + 1 {
            script += "--@ session A\nbegin;\n";
            for _ in 0..numbers.below(5) {
                script += &format!("{};\n", statement(&mut numbers, &mut next_id));
            }
            if numbers.below(2) == 0 {
                script += &format!("savepoint s;\n{};\n", statement(&mut numbers, &mut next_id));
                script += &format!("{};\n", statement(&mut numbers, &mut next_id));
                script += ["rollback to s;\n", "release s;\n"][numbers.below(2) as usize];
                script += &format!("{};\n", statement(&mut numbers, &mut next_id));
            }
            script += "--@ session C\nselect * from t;\n--@ session B\nselect * from t;\n";
            script += &format!("{};\n", statement(&mut numbers, &mut next_id));
            script += ["--@ session A\ncommit;\n", "--@ session A\nrollback;\n"][numbers.below(2) as usize];
            script += "select * from t;\n--@ session C\nselect * from t where id < 30;\n";
        }
        script += "commit;\n";
    }
    script
}

#[test]
fn statements_give_what_they_give_on_the_heap() {
    let mut told = 0;
    for seed in 1..=8 {
        let script = random_script(seed);
        let (undo, heap) = (results(&script, TableAm::Undo), results(&script, TableAm::Heap));
        for (at, (undo, heap)) in undo.iter().zip(&heap).enumerate() {
            assert_eq!(undo, heap, "seed {seed}, statement {at}:\n{script}");
        }
        told += heap.len();
    }
    println!("{told} statements");
}

/// Runs a script, and after each statement compares what redo makes of its records with the pages.
fn replayed(script: &str) -> usize {
    let script = Script::parse(script).expect("a script");
    let mut simulator = Simulator::new(&options(TableAm::Undo), false, true).expect("a server");
    let mut disk = Disk::new(newest(18), 8192, false);
    let slots = simulator.db.cluster.pg.undo.slots().expect("a segment");
    let buffers = &simulator.db.cluster.pg.buffers;
    disk.put(buffers.tag(slots), buffers.page(slots).clone());
    let mut compared = 0;
    for item in &script.items {
        let happenings = simulator.item(item).happenings;
        let buffers = &simulator.db.cluster.pg.buffers;
        for happening in happenings {
            let Happening::Record(record, pages) = happening else { continue };
            let decoded = record.decode(newest(18)).expect("a record");
            let effects = redo(&decoded, &mut disk);
            assert_eq!(effects.anomalies, [], "{}", decoded.type_name());
            for (buf, page) in pages.iter().filter(|(buf, _)| buf.fork == ForkNumber::Main) {
                let tag: BlockTag = buffers.tag(*buf);
                if decoded.blocks.iter().any(|block| block.tag == tag) {
                    let made = disk.page(tag).unwrap_or_else(|| panic!("{tag} is not known"));
                    assert!(made == page, "{} leaves {tag} otherwise", decoded.type_name());
                    compared += 1;
                }
            }
        }
    }
    compared
}

#[test]
fn redo_makes_the_same_pages() {
    let compared: usize = (1..=4).map(|seed| replayed(&random_script(seed))).sum();
    println!("{compared} pages");
    assert!(compared > 500);
}

#[test]
fn damaged_records_do_not_stop_redo() {
    let script = Script::parse(&random_script(3)).expect("a script");
    let mut simulator = Simulator::new(&options(TableAm::Undo), false, true).expect("a server");
    let mut disk = Disk::new(newest(18), 8192, false);
    let slots = simulator.db.cluster.pg.undo.slots().expect("a segment");
    disk.put(simulator.db.cluster.pg.buffers.tag(slots), simulator.db.cluster.pg.buffers.page(slots).clone());
    let (mut numbers, mut tried) = (Numbers(1), 0);
    for item in &script.items {
        for happening in simulator.item(item).happenings {
            let Happening::Record(record, _) = happening else { continue };
            for _ in 0..16 {
                let mut damaged = Record::clone(&record);
                let mut bytes = damaged.bytes.to_vec();
                for _ in 0..=numbers.below(4) {
                    let at = 24 + numbers.below(bytes.len() as u64 - 24) as usize;
                    bytes[at] = numbers.below(256) as u8;
                }
                damaged.bytes = Arc::from(bytes);
                if let Ok(decoded) = damaged.decode(newest(18)) {
                    redo(&decoded, &mut disk.clone());
                    tried += 1;
                }
            }
            redo(&record.decode(newest(18)).expect("a record"), &mut disk);
        }
    }
    println!("{tried} records");
    assert!(tried > 500);
}

/// The rows of a table as their pages have them, without the number of the transaction item.
fn rows(simulator: &Simulator) -> BTreeMap<(u32, u16), Vec<u8>> {
    let cluster = &simulator.db.cluster;
    let file = cluster.open("t").expect("a table").file;
    let mut rows = BTreeMap::new();
    for block in 0..cluster.pg.buffers.nblocks(file, ForkNumber::Main) {
        let page: &Page = cluster.pg.buffers.page(Buffer::main(file, block));
        for (n, _) in UndoPage::of(page).line_pointers() {
            let Some(row) = UndoPage::of(page).item(n) else { continue };
            let mut row = row.to_vec();
            set_row_xact(&mut row, 0);
            rows.insert((block, n.0), row);
        }
    }
    rows
}

#[test]
fn a_rollback_leaves_the_bytes_of_rows_as_they_were() {
    for seed in 1..=25 {
        let (mut numbers, mut next_id) = (Numbers(seed), 20);
        let mut simulator = Simulator::new(&options(TableAm::Undo), false, false).expect("a server");
        let mut run = |text: &str| {
            let script = Script::parse(text).expect("a script");
            script.items.iter().for_each(|item| drop(simulator.item(item)));
            rows(&simulator)
        };
        let begin = "create table t (id int primary key, n int, c text) with (fillfactor = 60);
            insert into t select i, i * 10, 'row ' || i from generate_series(1, 20) i";
        let before = run(begin);
        let mut body = String::new();
        for at in 0..numbers.below(30) + 1 {
            if at == 5 {
                body += "savepoint s;\n";
            }
            body += &format!("{};\n", statement(&mut numbers, &mut next_id));
        }
        assert_eq!(run(&format!("begin;\n{body}rollback;")), before, "seed {seed}:\n{body}");
    }
}

/// What one of the published rows costs with 400 updates in place of 10,000, each of a page of its own as there.
fn cost(filler: u32, fillfactor: u32, bid: u32) -> (u64, u64, u64) {
    let text = format!(
        "create table pgbench_accounts (aid int primary key, bid int, filler char({filler}), abalance int) with (fillfactor = {fillfactor});
        insert into pgbench_accounts (aid, bid, filler, abalance)
            select aid, (aid - 1) / 100000 + 1, '', 0 from generate_series(1, 40000) as aid;
        vacuum analyze pgbench_accounts;
        checkpoint;
        update pgbench_accounts set bid = bid + {bid}, abalance = abalance + 7 where mod(aid, 100) = 1"
    );
    let script = Script::parse(&text).expect("a script");
    let options = RunOptions { crashes: false, ..options(TableAm::Undo) };
    let mut simulator = Simulator::new(&options, false, false).expect("a server");
    let usage = script.items.iter().map(|item| simulator.item(item).simulated.usage).last().expect("an UPDATE");
    (usage.blks_dirtied, usage.wal.records, usage.wal.bytes)
}

#[test]
fn six_rows_are_those_that_are_published() {
    // Redrock Postgres, 10,000 updates of 10,000,000 rows: filler, fillfactor, bid; pages dirtied, records, bytes
    let published = [
        ((64, 100, 0), (10_079, 10_077, 1_457_101)),
        ((64, 80, 0), (10_078, 10_076, 1_457_677)),
        ((64, 80, 1), (10_087, 10_085, 1_558_367)),
        ((128, 100, 0), (10_078, 10_076, 1_457_303)),
        ((128, 80, 0), (10_079, 10_077, 1_456_955)),
        ((128, 80, 1), (10_088, 10_086, 1_558_449)),
    ];
    for ((filler, fillfactor, bid), (dirtied, records, bytes)) in published {
        let ours = cost(filler, fillfactor, bid);
        let is_near = |ours: u64, published: u64| (ours * 25).abs_diff(published) * 20 <= published;
        let all = is_near(ours.0, dirtied) && is_near(ours.1, records) && is_near(ours.2, bytes);
        assert!(all, "{filler}, {fillfactor}, {bid}: {ours:?}, published {dirtied} {records} {bytes}");
    }
}

#[test]
fn what_the_model_does_not_do_is_refused_by_name() {
    let check = |sql: &str, expected: &str| {
        let begin = "create table t (id int primary key, n int);\ninsert into t values (1, 1), (2, 2);\n";
        let told = results(&format!("{begin}{sql};"), TableAm::Undo);
        let last = told.last().expect("a statement");
        assert!(last.contains(expected) && last.contains("not supported"), "{sql}: {last}");
    };
    check("update t set id = id + 10", "an UPDATE that changes a column of an index");
    check("truncate t", "TRUNCATE");
    check("alter table t add column c int", "ALTER TABLE");
    check("select * from t for update", "SELECT FOR UPDATE");
    check("insert into t values (1, 1) on conflict do nothing", "ON CONFLICT");
    check("vacuum full t", "VACUUM FULL");
    check("begin isolation level serializable", "SERIALIZABLE");
    check("create table u (a int references t)", "a foreign key");
    check("create unlogged table u (a int)", "UNLOGGED");
    check("select * from t where ctid = '(0,1)'", "a scan by ctid");
}
