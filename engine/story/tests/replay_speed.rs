//! How fast a long WAL becomes a timeline: 100,000 records over 5,000 pages.

use ffviz_format::page::{ForkNumber, Lsn, Page, PgVersion};
use ffviz_format::state::{AccessMethod, ForkBlocks, PageId, RelKind, Relation, Server, State};
use ffviz_format::wal::{Record, crc32c};
use ffviz_story::timeline::{How, Timeline, WalBetween};
use std::time::Instant;

const PAGES: u32 = 5_000;
const RECORDS: u32 = 100_000;

/// An INSERT of a tuple of 48 bytes, as its line pointer `n` on a page.
fn insert(at: u64, block: u32, n: u16) -> Record {
    let mut bytes = vec![0; 24];
    // block reference 0 of the main fork with data
    bytes.extend([0, 0x20]);
    bytes.extend(30u16.to_le_bytes());
    bytes.extend([1663u32, 5, 16384, block].map(u32::to_le_bytes).concat());
    // main data of three bytes
    bytes.extend([255, 3]);
    // xl_heap_header, bitmap, columns
    bytes.extend([2, 0, 2, 8, 24]);
    bytes.extend([0; 25]);
    bytes.extend(n.to_le_bytes());
    bytes.push(0);
    let length = bytes.len() as u32;
    bytes[..4].copy_from_slice(&length.to_le_bytes());
    bytes[4..8].copy_from_slice(&700u32.to_le_bytes());
    bytes[17] = 10;
    let crc = crc32c(&[&bytes[24..], &bytes[..20]]);
    bytes[20..24].copy_from_slice(&crc.to_le_bytes());
    Record::new(Lsn(at), Lsn(at + 80), bytes.into())
}

fn table() -> Relation {
    Relation {
        oid: 16384,
        schema: "public".into(),
        name: "t".into(),
        kind: RelKind::Table,
        am: AccessMethod::Heap,
        table: None,
        filenode: 16384,
        database: 5,
        tablespace: 1663,
        fillfactor: None,
        blocks: ForkBlocks { main: PAGES, ..ForkBlocks::default() },
        attributes: Vec::new(),
        index: None,
        stats: None,
    }
}

#[test]
#[ignore = "run with --release; prints times"]
fn a_hundred_thousand_records() {
    let server = Server { version: PgVersion(180_004), block_size: 8192, data_checksums: false, log_hints: false };
    let mut state = State::empty(server);
    state.relations.insert(16384, table().into());
    let mut empty = vec![0; 8192];
    for (at, value) in [(12, 24u16), (14, 8192), (16, 8192), (18, 8192 | 4)] {
        empty[at..at + 2].copy_from_slice(&value.to_le_bytes());
    }
    for block in 0..PAGES {
        state.pages.insert(PageId { relation: 16384, fork: ForkNumber::Main, block }, Page::new(&empty));
    }
    let mut next = vec![0u16; PAGES as usize];
    let place = |n: u32| (n.wrapping_mul(2_654_435_761) >> 8) % PAGES;
    let records: Vec<Record> = (0..RECORDS)
        .map(|n| {
            let block = place(n);
            next[block as usize] += 1;
            insert(0x100_0000 + u64::from(n) * 80, block, next[block as usize])
        })
        .collect();
    let bytes: usize = records.iter().map(|record| record.bytes.len()).sum();
    let mut timeline = Timeline::new(state.clone(), None);
    let begun = Instant::now();
    timeline.push_replayed(state, None, WalBetween { records, ..WalBetween::default() });
    let took = begun.elapsed();
    let How::Replayed { report, .. } = &timeline.groups()[1].how else { panic!("{:?}", timeline.groups()[1].how) };
    assert_eq!(
        (report.records, report.anomalies.len(), report.unknown),
        (RECORDS as usize, 0, 0),
        "{:?}",
        report.anomalies.first()
    );
    let rate = f64::from(RECORDS) / took.as_secs_f64();
    println!("{RECORDS} records, {bytes} bytes, over {PAGES} pages: {took:?}, {rate:.0} records/s");
    let jumps = Instant::now();
    (1..=100).for_each(|n| timeline.seek(n * 7919 % timeline.len()));
    println!("100 jumps: {:?} each", jumps.elapsed() / 100);
    let memory = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    println!("{}", memory.lines().find(|line| line.starts_with("VmHWM")).unwrap_or("memory unknown"));
}
