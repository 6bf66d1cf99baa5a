//! Writes the records that the engine's own tests read, which have no server: the shortest of each type on four
//! versions, in hex, with the server's description where it has pg_walinspect.
//!
//! `cargo test -p ffviz-tests --test wal_fixtures -- --ignored` writes engine/story/src/describe/fixtures.txt anew.

use ffviz_format::wal::{DecodedRecord, Record, Rmgr};
use ffviz_tests::instance::Instance;
use ffviz_tests::workload::{self, SETTINGS};
use postgres::Client;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

/// Each has layouts of its own.
const MAJORS: [u32; 4] = [13, 15, 16, 18];
/// Longer records are left out.
const LONGEST: u32 = 300;
/// Whose records are described.
const RMGRS: [Rmgr; 8] =
    [Rmgr::XLOG, Rmgr::TRANSACTION, Rmgr::STORAGE, Rmgr::STANDBY, Rmgr::HEAP2, Rmgr::HEAP, Rmgr::BTREE, Rmgr::SEQUENCE];

#[test]
#[ignore = "writes the engine's fixtures"]
fn write_fixtures() {
    let lines: String = MAJORS.into_iter().map(of_version).collect();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../engine/story/src/describe/fixtures.txt");
    std::fs::write(file, lines).expect("the engine's folder");
}

fn of_version(major: u32) -> String {
    let instance = Instance::create(major, SETTINGS);
    let mut client = instance.client();
    let version = ffviz_tests::wal::version(&mut client);
    client.batch_execute("CHECKPOINT").expect("a checkpoint");
    let from = client.query_one("SELECT redo_lsn::text FROM pg_control_checkpoint()", &[]).expect("a position");
    let from = from.get::<_, String>(0).parse().expect("an LSN");
    for workload in workload::all() {
        workload.run(major, &mut || instance.client());
    }
    let to = ffviz_tests::wal::flushed(&mut client);
    let records = ffviz_tests::wal::records(&instance, version, from, to);
    let decode = |record: &'static Record| record.decode(version).expect("the server's own record");
    let records: &'static [Record] = records.collect::<Vec<_>>().leak();
    let shortest = shortest(records.iter().map(decode));
    shortest.values().map(|record| line(&mut client, record)).collect()
}

/// The shortest of each type; one with block data before one whose image stands for it.
fn shortest(records: impl Iterator<Item = DecodedRecord<'static>>) -> BTreeMap<(u8, String), DecodedRecord<'static>> {
    let rank = |record: &DecodedRecord<'_>| {
        let has_data = record.blocks.iter().any(|block| block.has_data);
        let has_image = record.blocks.iter().any(|block| block.image.is_some());
        (has_image && !has_data, record.tot_len())
    };
    let mut shortest = BTreeMap::new();
    for record in records.filter(|record| record.tot_len() <= LONGEST && RMGRS.contains(&record.rmgr())) {
        let kept = shortest.entry((record.rmgr().0, record.type_name())).or_insert_with(|| record.clone());
        if rank(&record) < rank(kept) {
            *kept = record;
        }
    }
    shortest
}

/// Version, position, bytes, description; `-` where the server has none to tell.
fn line(client: &mut Client, record: &DecodedRecord<'_>) -> String {
    let start = record.record.start.to_string();
    let described = if record.major() < 15 {
        "-".to_owned()
    } else {
        client
            .batch_execute("CREATE EXTENSION IF NOT EXISTS pg_walinspect; SET timezone = 'UTC'")
            .expect("an extension");
        let sql = "SELECT coalesce(description, '') FROM pg_get_wal_record_info($1::text::pg_lsn)";
        client.query_one(sql, &[&start]).expect("a record").get(0)
    };
    let mut text = format!("{} {start} ", record.major());
    for byte in record.record.bytes.iter() {
        write!(text, "{byte:02x}").expect("a String takes everything");
    }
    text + " " + &described + "\n"
}
