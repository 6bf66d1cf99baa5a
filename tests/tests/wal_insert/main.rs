//! The write side of WAL against real servers: every record of every workload, taken apart, registered again and
//! inserted again.
//!
//! ```text
//!  server ──files──▶ records ──decode──▶ pages, data, what a record says ──transam──────▶ records ──segments──▶ files
//!                       └────────────────────── equal: every byte, xl_prev, CRC, start, end ──┘        pages equal ──┘
//!  rebuild    what is registered, and which pages get an image: `pd_lsn` against the redo pointer
//!  builders   records that have a function of their own are made of the values that they say
//!  waldump    pg_waldump of Debian's PostgreSQL 15 reads segments that only the engine wrote
//! ```

mod builders;
mod rebuild;
mod waldump;

use ffviz_format::page::{Lsn, PgVersion};
use ffviz_format::wal::{DEFAULT_SEGMENT_SIZE, Record, Segment, XLOG_BLCKSZ, XLogPageHeaderData};
use ffviz_simulator::access::transam::SegmentBytes;
use ffviz_tests::instance::Instance;
use ffviz_tests::wal;
use ffviz_tests::workload::{self, SETTINGS};

ffviz_tests::each_version!(every_record_again: super::every_record);

/// Settings of the server whose WAL is rebuilt; hints are logged, so that there are images of them.
const LOG_HINTS: &str = "wal_log_hints = on\nwal_consistency_checking = ''";

/// Workloads that run a second time, under `wal_consistency_checking`.
const CHECKED: [&str; 5] = ["small_dml", "hot", "vacuum", "splits", "sequences"];

/// Runs all workloads and builds their WAL anew.
fn every_record(major: u32) {
    let instance = Instance::create(major, &format!("{SETTINGS}\n{LOG_HINTS}"));
    for workload in workload::all() {
        workload.run(major, &mut || instance.client());
    }
    let mut client = instance.client();
    client
        .batch_execute("ALTER SYSTEM SET wal_consistency_checking = 'all'")
        .and_then(|()| client.batch_execute("SELECT pg_reload_conf(), pg_sleep(0.5)"))
        .expect("a setting");
    for name in CHECKED {
        client.batch_execute(&format!("DROP SCHEMA {name} CASCADE")).expect("the workload ran before");
        workload::named(name).run(major, &mut || instance.client());
    }
    let upto = wal::flushed(&mut client);
    let version = wal::version(&mut client);
    let first = first_segment(&instance);
    let records: Vec<Record> = wal::records(&instance, version, first.start(), upto).collect();
    let rebuilt = rebuild::all(version, &records);
    print!("PostgreSQL {major}: {rebuilt}");
    println!("{}", pages(&instance, version, first, &records));
}

/// The oldest file that the server has; the settings keep them all.
fn first_segment(instance: &Instance) -> Segment {
    let names = std::fs::read_dir(instance.data().join("pg_wal")).expect("pg_wal");
    let names = names.map(|entry| entry.expect("an entry").file_name());
    let segments = names.filter_map(|name| Segment::parse(name.to_str()?, DEFAULT_SEGMENT_SIZE));
    segments.min().expect("a segment")
}

/// Compares the files page by page, up to the last record. A page says by a bit whether a base backup was running.
fn pages(instance: &Instance, version: PgVersion, first: Segment, records: &[Record]) -> String {
    let folder = instance.data().join("pg_wal");
    let real = |segment: Segment| std::fs::read(folder.join(segment.file_name())).expect("a segment");
    let start = real(first);
    let system_identifier = u64::from_le_bytes(start[24..32].try_into().expect("eight bytes"));
    let mut made = SegmentBytes::new(version.major(), system_identifier, first);
    records.iter().for_each(|record| made.push(record));
    let end = records.last().map_or(Lsn(0), |record| record.end);
    let (mut equal, mut without_bit) = (0, 0);
    for (segment, ours) in made.finish() {
        let theirs = real(segment);
        let addresses = (segment.start().0..).step_by(XLOG_BLCKSZ as usize);
        let pairs = ours.chunks_exact(XLOG_BLCKSZ as usize).zip(theirs.chunks_exact(XLOG_BLCKSZ as usize));
        for (at, (ours, theirs)) in addresses.zip(pairs).take_while(|(at, _)| *at < end.0) {
            let length = (end.0 - at).min(u64::from(XLOG_BLCKSZ)) as usize;
            if ours[..length] == theirs[..length] {
                equal += 1;
                continue;
            }
            let mut ours = ours.to_vec();
            let info = XLogPageHeaderData::new(theirs).xlp_info();
            XLogPageHeaderData::edit(&mut ours).xlp_info(info);
            assert!(ours[..length] == theirs[..length], "{version}: the page at {} differs", Lsn(at));
            assert_eq!(info & 4, 0, "{version}: {} differs in more than the bit", Lsn(at));
            without_bit += 1;
        }
    }
    assert!(equal > 1000 && without_bit * 20 < equal, "{equal} {without_bit}");
    format!("  {equal} pages of the files are equal, {without_bit} up to the bit of running backups")
}
