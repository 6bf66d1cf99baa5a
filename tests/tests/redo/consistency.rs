//! Oracle 1: under `wal_consistency_checking = all` each record carries the server's image of every page that it
//! changed, as it was after the change. After each single record our page must equal it, under the mask
//! (`verifyBackupPageConsistency`, xlogrecovery.c).

use super::difference::{difference, shape_of};
use ffviz_format::page::{ForkNumber, PgVersion};
use ffviz_format::wal::{BlockRef, DecodedRecord, Record, Rmgr};
use ffviz_story::redo::{Disk, redo};
use ffviz_tests::instance::Instance;
use ffviz_tests::wal;
use ffviz_tests::workload::{self, Workload};
use std::collections::{BTreeMap, BTreeSet};

ffviz_tests::each_version!(short: super::short);
ffviz_tests::each_version!(#[ignore = "three minutes"] long: super::long);

/// Those that together write every type, and little else.
const SHORT: [&str; 17] = [
    "small_dml",
    "hot",
    "vacuum",
    "freezing",
    "truncation",
    "copy_rows",
    "toast",
    "row_locks",
    "on_conflict",
    "sequences",
    "killed_items",
    "posting_lists",
    "fast_root",
    "inplace",
    "logical",
    "logical_rewrite",
    "checkpoints",
];

fn short(major: u32) {
    check(major, &SHORT.map(workload::named));
}

fn long(major: u32) {
    check(major, &workload::all());
}

/// What was compared of a type of record.
#[derive(Default)]
struct Count {
    records: u32,
    /// pages that equal the server's
    equal: u32,
    /// pages that do not, in words
    wrong: Vec<String>,
    /// pages that were not known: the server's image was taken over
    adopted: u32,
}

/// Replays records and compares as it goes.
struct Comparison {
    version: PgVersion,
    disk: Disk,
    counts: BTreeMap<(Rmgr, String), Count>,
}

impl Comparison {
    fn record(&mut self, record: &Record) {
        let decoded = record.decode(self.version).unwrap_or_else(|why| panic!("record at {}: {why}", record.start));
        let effects = redo(&decoded, &mut self.disk);
        let key = (decoded.rmgr(), decoded.type_name());
        let count = self.counts.entry(key).or_default();
        count.records += 1;
        count.wrong.extend(effects.anomalies.iter().map(ToString::to_string));
        for block in decoded.blocks.iter().filter(|block| block.image.is_some_and(|image| !image.apply)) {
            compare(&decoded, block, &mut self.disk, count);
        }
    }
}

fn compare(record: &DecodedRecord<'_>, block: &BlockRef<'_>, disk: &mut Disk, count: &mut Count) {
    let mut server = record.restore(block, 8192).expect("an image of the server");
    let shape = shape_of(record.rmgr(), block.tag, &server);
    match disk.page(block.tag) {
        // its shape is compared elsewhere: a map that is not logged
        Some(_) if block.tag.fork == ForkNumber::Fsm => return,
        Some(ours) => match difference(ours, &server, shape, block.tag.block) {
            None => {
                count.equal += 1;
                return;
            }
            Some(text) => count.wrong.push(format!("record at {}, {}: {text}", record.record.start, block.tag)),
        },
        None => count.adopted += 1,
    }
    // the image was taken before the record's position was known
    server.set_pd_lsn(record.record.end);
    disk.put(block.tag, server);
}

/// Types of records that change no page.
const WITHOUT_PAGES: [&str; 5] = ["REUSE_PAGE", "TRUNCATE", "CLEANUP_INFO", "NEW_CID", "REWRITE"];

/// The types that a version can write, of the resource managers that are replayed.
fn types(major: u32) -> BTreeSet<(Rmgr, String)> {
    let mut types = BTreeSet::new();
    for rmgr in [Rmgr::HEAP, Rmgr::HEAP2, Rmgr::BTREE, Rmgr::SEQUENCE] {
        for info in (0..=0xF0).step_by(0x10) {
            let name = rmgr.type_name(info, PgVersion::of_major(major));
            let init = name.strip_suffix("+INIT").unwrap_or(&name);
            let can_init = ["INSERT", "UPDATE", "HOT_UPDATE", "MULTI_INSERT"].contains(&init);
            if !name.starts_with("UNKNOWN") && (init == name || can_init) {
                types.insert((rmgr, name));
            }
        }
    }
    // a HOT update stays on a page that has a tuple
    types.remove(&(Rmgr::HEAP, String::from("HOT_UPDATE+INIT")));
    types
}

fn check(major: u32, workloads: &[Workload]) {
    let settings = format!("{}\nwal_consistency_checking = 'all'", workload::SETTINGS);
    let instance = Instance::create(major, &settings);
    let mut client = instance.client();
    let version = wal::version(&mut client);
    let mut comparison = Comparison { version, disk: Disk::new(version, 8192, false), counts: BTreeMap::new() };
    // without a gap: sessions that have ended still drop their temporary tables between two workloads
    let mut at = wal::insert_position(&mut client);
    for workload in workloads {
        workload.run(major, &mut || instance.client());
        let to = wal::flushed(&mut client);
        for record in wal::records(&instance, version, at, to) {
            comparison.record(&record);
            at = record.end;
        }
    }
    report(major, &comparison.counts);
}

fn report(major: u32, counts: &BTreeMap<(Rmgr, String), Count>) {
    let wanted = types(major);
    let mut wrong = Vec::new();
    let (mut records, mut equal) = (0, 0);
    let mut lines = String::new();
    for ((rmgr, name), count) in counts.iter().filter(|((rmgr, _), _)| wanted.iter().any(|(known, _)| known == rmgr)) {
        lines += &format!("  {} {name}: {} records, {} pages equal", rmgr.name(), count.records, count.equal);
        lines += &format!(", {} seen first\n", count.adopted);
        wrong.extend(count.wrong.iter().take(3).map(|text| format!("{} {name}: {text}", rmgr.name())));
        if count.wrong.len() > 3 {
            wrong.push(format!("{} {name}: {} pages in all", rmgr.name(), count.wrong.len()));
        }
        records += count.records;
        equal += count.equal;
    }
    println!("PostgreSQL {major}: {records} records, {equal} pages equal to the server's after the record\n{lines}");
    let is_seen = |key: &(Rmgr, String)| {
        let count = counts.get(key);
        count.is_some_and(|count| count.equal > 0 || WITHOUT_PAGES.contains(&key.1.as_str()) && count.records > 0)
    };
    let missing: Vec<String> =
        wanted.iter().filter(|key| !is_seen(key)).map(|(rmgr, name)| format!("{} {name}", rmgr.name())).collect();
    assert!(missing.is_empty(), "PostgreSQL {major}: nothing was compared of {}", missing.join(", "));
    assert!(wrong.is_empty(), "PostgreSQL {major}: pages differ:\n{}", wrong.join("\n"));
    assert!(equal > 3000, "PostgreSQL {major}: too little was compared");
}
