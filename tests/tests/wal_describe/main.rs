//! What ffviz says of WAL records, over the WAL that all workloads make six servers write.
//!
//! ```text
//!  text    15+: describe() is the description of pg_walinspect, to the letter
//!  bytes   all: cost() sums to xl_tot_len and covers the record; explain() names every byte once
//!  words   all: a headline for each record; the first of each type is printed, to be read
//! ```

mod bytes;
mod fixtures;
mod text;

use ffviz_engine::page::Lsn;
use ffviz_engine::wal::describe::headline;
use ffviz_engine::wal::{DecodedRecord, Record};
use ffviz_tests::instance::Instance;
use ffviz_tests::workload::{self, SETTINGS};
use std::collections::BTreeMap;
use std::path::Path;

/// Runs all workloads and looks at each record.
fn check(major: u32) {
    workloads(major, |client, records| {
        println!("PostgreSQL {major}: {} records", records.len());
        print!("{}", examples(records));
        if major >= 15 {
            print!("{}", text::check(client, records));
        }
        print!("{}", bytes::check(records));
    });
}

/// Runs all workloads and hands over their records.
fn workloads(major: u32, look: impl FnOnce(&mut postgres::Client, &[DecodedRecord<'_>])) {
    let instance = Instance::create(major, SETTINGS);
    let mut client = instance.client();
    let version = ffviz_tests::wal::version(&mut client);
    let from = first_record(&mut client);
    for workload in workload::all() {
        workload.run(major, &mut || instance.client());
    }
    let to = ffviz_tests::wal::flushed(&mut client);
    let records = ffviz_tests::wal::records(&instance, version, from, to);
    let decoded: Vec<DecodedRecord<'_>> = records.iter().map(|record| decode(record, version)).collect();
    look(&mut client, &decoded);
}

#[test]
#[ignore = "writes the engine's fixtures"]
fn write_fixtures() {
    let mut lines = String::new();
    for major in [13, 15, 16, 18] {
        workloads(major, |client, records| {
            let records: Vec<DecodedRecord<'_>> =
                records.iter().filter(|record| text::is_described(record)).cloned().collect();
            let described = if major >= 15 { text::descriptions(client, &records) } else { Vec::new() };
            lines += &fixtures::lines(major, &records, &described);
        });
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../engine/src/wal/describe/fixtures.txt");
    std::fs::write(file, lines).expect("the engine's folder");
}

fn decode(record: &Record, version: ffviz_engine::page::PgVersion) -> DecodedRecord<'_> {
    record.decode(version).expect("the server's own record")
}

/// A position where a record starts: that of a checkpoint.
fn first_record(client: &mut postgres::Client) -> Lsn {
    client.batch_execute("CHECKPOINT").expect("a checkpoint");
    let row = client.query_one("SELECT redo_lsn::text FROM pg_control_checkpoint()", &[]).expect("a position");
    row.get::<_, String>(0).parse().expect("an LSN")
}

/// The first headline of each type, and how many records have it.
fn examples(records: &[DecodedRecord<'_>]) -> String {
    let mut types: BTreeMap<(u8, String), (usize, String)> = BTreeMap::new();
    for record in records {
        let line = headline(record);
        assert!(!line.is_empty() && !line.contains('\n'), "{}: {line:?}", record.record.start);
        types.entry((record.rmgr().0, record.type_name())).or_insert((0, line)).0 += 1;
    }
    let line = |((rmgr, name), (count, line)): (&(u8, String), &(usize, String))| {
        format!("  {count:>6} {}/{name}: {line}\n", ffviz_engine::wal::Rmgr(*rmgr).name())
    };
    types.iter().map(line).collect()
}

macro_rules! each_version {
    ($($name:ident: $major:literal),+) => {$(
        #[test]
        fn $name() {
            check($major);
        }
    )+};
}
each_version!(records_of_13: 13, records_of_14: 14, records_of_15: 15, records_of_16: 16, records_of_17: 17, records_of_18: 18);
