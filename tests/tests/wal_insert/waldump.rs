//! WAL that no server wrote, read by `pg_waldump`: of PostgreSQL 15, as Debian has it.

use ffviz_format::page::{ForkNumber, Lsn, Page, PgVersion};
use ffviz_format::wal::rec::TimestampTz;
use ffviz_format::wal::record_type::XactType;
use ffviz_format::wal::{BlockTag, Record, RelFileLocator, Segment};
use ffviz_simulator::access::transam::*;
use ffviz_tests::instance::of_debian;
use std::process::Command;

const RELATION: RelFileLocator = RelFileLocator { spc: 1663, db: 5, rel: 16_384 };

#[test]
fn pg_waldump_reads_what_was_laid_into_segments() {
    let Some(bin) = of_debian(15) else {
        println!("pg_waldump is NOT asked: Debian's package postgresql-15 is not installed");
        return;
    };
    for size in [1 << 20, 16 << 20] {
        let wal = some_wal(size);
        let told = waldump(&bin.join("pg_waldump"), &wal, size);
        let ours: Vec<String> = wal.records().iter().map(|record| line(record, wal.settings.version)).collect();
        assert_eq!(told, ours);
        println!("pg_waldump reads {} records in segments of {size} bytes as they were inserted", told.len());
    }
}

/// What it tells of a record, but for the description.
fn line(record: &Record, version: PgVersion) -> String {
    let decoded = record.decode(version).expect("a record");
    let (tot_len, images) = (decoded.tot_len(), decoded.fpi_len());
    let at = |lsn: u64| format!("{:X}/{:08X}", lsn >> 32, lsn & 0xFFFF_FFFF);
    let (start, prev) = (at(record.start.0), at(record.header().xl_prev()));
    format!(
        "{} {} {tot_len} {} {start} {prev} {}",
        decoded.rmgr().name(),
        tot_len - images,
        decoded.xid(),
        decoded.type_name()
    )
}

/// A little of everything, over more than one segment of 16 MB.
fn some_wal(size: u32) -> WalWriter {
    let settings = WalSettings {
        version: PgVersion(150_018),
        level: WalLevel::Replica,
        compression: None,
        consistency_checking: Vec::new(),
    };
    let position = InsertPosition::new(Lsn(0x1A2_B3C8), Lsn(0x1A2_B390), size);
    let mut wal = WalWriter::new(settings, position, Lsn(0), Keep::Records);
    let mut backend = wal.backend();
    for round in 0..90 {
        let redo = begin_checkpoint(&mut wal, &mut backend, CheckpointKind::Online);
        log_running_xacts(&mut wal, &mut backend, &RunningXacts { xids: &[740], ..RunningXacts::default() });
        log_checkpoint(&mut wal, &mut backend, CheckpointKind::Online, redo, &CheckpointState::default());
        backend.xid = 741 + round;
        log_smgr_create(&mut wal, &mut backend, RELATION, ForkNumber::Main);
        let page = Page::init(8192, 0);
        let tag = |block| BlockTag { locator: RELATION, fork: ForkNumber::Main, block };
        let pages: Vec<_> = (0..round % 40 + 1).map(|block| (tag(block), page.bytes())).collect();
        log_newpages(&mut wal, &mut backend, &pages, round % 3 == 0);
        let subxacts: Vec<u32> = (1000..1000 + round * 61).collect();
        let end = XactEndRecord {
            subxacts: &subxacts,
            dbinfo: Some((5, 1663)),
            ..XactEndRecord::new(XactType::Commit, TimestampTz(700_000_000_000_000))
        };
        log_xact_end(&mut wal, &mut backend, &end);
        if round % 30 == 7 {
            wal.switch(&mut backend);
        }
        backend.xid = 0;
    }
    wal
}

/// Writes the segments and asks.
fn waldump(program: &std::path::Path, wal: &WalWriter, size: u32) -> Vec<String> {
    let (first, last) = (wal.records().first().expect("records"), wal.records().last().expect("records"));
    let mut segments = SegmentBytes::new(15, 7_000_000_000_000_000_042, Segment::of(first.start, 1, size));
    wal.records().iter().for_each(|record| segments.push(record));
    let folder = tempfile::tempdir().expect("a folder");
    for (segment, bytes) in segments.finish() {
        std::fs::write(folder.path().join(segment.file_name()), bytes).expect("a segment");
    }
    let output = Command::new(program)
        .arg("-p")
        .arg(folder.path())
        .args(["-s", &first.start.to_string(), "-e", &last.end.to_string()])
        .output()
        .expect("pg_waldump runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8").lines().map(told).collect()
}

/// `rmgr: Heap  len (rec/tot): 54/ 54, tx: 741, lsn: 0/01A2B3C8, prev 0/01A2B390, desc: INSERT off 1 …` without
/// punctuation.
fn told(line: &str) -> String {
    let words: Vec<&str> = line.split([' ', ':', ',', '/']).filter(|word| !word.is_empty()).collect();
    let after = |name: &str| words.iter().position(|word| *word == name).expect("a field") + 1;
    let (tot, tx, lsn, prev, desc) = (after("tot)"), after("tx"), after("lsn"), after("prev"), after("desc"));
    let at = |at: usize| format!("{}/{}", words[at], words[at + 1]);
    format!(
        "{} {} {} {} {} {} {}",
        words[after("rmgr")],
        words[tot],
        words[tot + 1],
        words[tx],
        at(lsn),
        at(prev),
        words[desc]
    )
}
