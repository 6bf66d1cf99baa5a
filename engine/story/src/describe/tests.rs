//! Real records of four versions (fixtures.txt, written by tests/tests/wal_fixtures.rs), and damaged ones.

use super::{Before, RecordField, RecordPart, Share, cost, describe, explain, headline, spent};
use ffviz_format::page::{Lsn, PgVersion};
use ffviz_format::wal::{BlockRef, DecodedRecord, Record};
use proptest::prelude::*;
use std::format;
use std::ops::Range;
use std::string::String;
use std::sync::Arc;
use std::vec::Vec;

struct Fixture {
    version: PgVersion,
    record: Record,
    /// what pg_walinspect says; 13 has none
    described: Option<&'static str>,
}

fn fixtures() -> Vec<Fixture> {
    include_str!("fixtures.txt").lines().map(fixture).collect()
}

fn fixture(line: &'static str) -> Fixture {
    let mut parts = line.splitn(4, ' ');
    let mut next = || parts.next().expect("four parts");
    let version = PgVersion(next().parse::<u32>().expect("a version") * 10_000);
    let start: Lsn = next().parse().expect("an LSN");
    let hex = next();
    let byte = |at| u8::from_str_radix(&hex[at..at + 2], 16).expect("hex");
    let bytes: Vec<u8> = (0..hex.len()).step_by(2).map(byte).collect();
    let described = Some(next()).filter(|text| *text != "-");
    Fixture { version, record: Record::new(start, start.plus(bytes.len() as u64), Arc::from(bytes)), described }
}

fn decode(fixture: &Fixture) -> DecodedRecord<'_> {
    fixture.record.decode(fixture.version).expect("a server's record")
}

/// The fixture of that version and type.
fn of_type(major: u32, rmgr: &str, name: &str) -> Fixture {
    let mut all = fixtures().into_iter();
    let found = all.find(|fixture| {
        let record = decode(fixture);
        record.major() == major && record.rmgr().name() == rmgr && record.type_name() == name
    });
    found.unwrap_or_else(|| panic!("no {rmgr} {name} of {major}"))
}

#[test]
fn descriptions_are_the_servers() {
    let mut compared = 0;
    for fixture in fixtures() {
        if let Some(described) = fixture.described {
            assert_eq!(describe(&decode(&fixture)), described, "{} {}", fixture.version, fixture.record.start);
            compared += 1;
        }
    }
    assert!(compared > 140, "{compared}");
}

/// The parts of each record follow one another from its first byte to its last.
fn covers(record: &DecodedRecord<'_>, mut ranges: Vec<Range<u32>>) {
    ranges.sort_by_key(|range| range.start);
    let mut next = 0;
    for range in &ranges {
        assert!(range.start == next && range.end > next, "{}: {ranges:?}", record.type_name());
        next = range.end;
    }
    assert_eq!(next, record.record.bytes.len() as u32, "{}", record.type_name());
}

fn check_bytes(record: &DecodedRecord<'_>) {
    let shares = cost(record, &Before::default());
    assert_eq!(shares.iter().map(|share| share.bytes).sum::<u32>(), record.tot_len());
    // a list that counts without words gives each part the same bytes
    let of = |parts: &[RecordPart]| -> u64 {
        shares.iter().filter(|share| parts.contains(&share.part)).map(|share| u64::from(share.bytes)).sum()
    };
    let rest = [RecordPart::Origin, RecordPart::ToplevelXid, RecordPart::MainData];
    let [header, reference, image, data] =
        [RecordPart::Header, RecordPart::BlockReference, RecordPart::Image, RecordPart::BlockData]
            .map(|part| of(&[part]));
    assert_eq!(spent(record), [header, reference, image, data, of(&rest)], "{}", record.type_name());
    covers(record, shares.into_iter().flat_map(|share| share.at).collect());
    covers(record, explain(record).into_iter().map(|field| field.bytes).collect());
    assert!(!headline(record).is_empty());
    let _ = describe(record);
}

#[test]
fn every_byte_is_told_once() {
    fixtures().iter().for_each(|fixture| check_bytes(&decode(fixture)));
}

#[test]
fn headlines_are_plain() {
    let check = |rmgr: &str, name: &str, expected: &str| {
        let fixture = of_type(18, rmgr, name);
        assert_eq!(headline(&decode(&fixture)), expected, "{name}: {:?}", fixture.described);
    };
    HEADLINES.iter().for_each(|(rmgr, name, expected)| check(rmgr, name, expected));
}

/// Of the records of 18.
const HEADLINES: &[(&str, &str, &str)] = &[
    ("Heap", "HOT_UPDATE", "HOT UPDATE (0,1) → (0,2)"),
    ("Heap", "UPDATE+INIT", "UPDATE (0,5) → (1,1) on a new page"),
    ("Heap", "INSERT", "INSERT (0,3)"),
    ("Heap", "DELETE", "DELETE (0,1)"),
    ("Heap", "LOCK", "lock row (0,7) FOR NO KEY UPDATE"),
    ("Heap", "HEAP_CONFIRM", "INSERT (0,1) is final (ON CONFLICT)"),
    ("Heap2", "PRUNE_ON_ACCESS", "prune block 7: 1 line pointer dead"),
    ("Heap2", "PRUNE_VACUUM_CLEANUP", "vacuum block 59: 1 line pointer freed"),
    ("Heap2", "VISIBLE", "block 0 is all-visible"),
    ("Btree", "INSERT_LEAF", "B-tree insert (2,256) for row (14,21)"),
    ("Btree", "INSERT_UPPER", "B-tree downlink (3,2) to block 4"),
    ("Btree", "NEWROOT", "B-tree root is now block 1, level 0"),
    ("XLOG", "CHECKPOINT_ONLINE", "checkpoint, redo at 0/174B300"),
    ("XLOG", "FPI_FOR_HINT", "image of block 1 of the free space map for hint bits"),
    ("Transaction", "COMMIT", "COMMIT"),
    ("Transaction", "ABORT_PREPARED", "ROLLBACK PREPARED 'ffviz two'"),
    ("Storage", "CREATE", "new file base/5/16385"),
];

#[test]
fn an_update_says_what_it_saved() {
    let fixture = of_type(18, "Heap", "HOT_UPDATE");
    let record = decode(&fixture);
    let shares = cost(&record, &Before::default());
    let data = share(&shares, RecordPart::BlockData);
    assert!(data.why.contains("5 bytes instead of 23") && data.why.contains("are saved"), "{}", data.why);
}

#[test]
fn an_image_says_why_it_is_there() {
    let fixture = of_type(18, "Heap", "HOT_UPDATE");
    let record = decode(&fixture);
    let page = Before { redo: Some(Lsn(0x100)), page_lsn: Vec::from([(0, Lsn(0x200))]) };
    let reference = share(&cost(&record, &page), RecordPart::BlockReference).why.clone();
    assert!(
        reference.contains("no image is needed: the page's LSN 0/200, the end of its last record, is after"),
        "{reference}"
    );
}

/// Without what came before, and with a page that is older, or newer, than the checkpoint.
#[test]
fn an_image_of_a_page_knows_the_checkpoint() {
    // an XLOG/FPI that is said to be a Heap record: those have images too long for the fixtures
    let mut fixture = of_type(18, "XLOG", "FPI");
    let mut bytes = fixture.record.bytes.to_vec();
    (bytes[16], bytes[17]) = (0x60, 10);
    fixture.record.bytes = Arc::from(bytes);
    let why = |before: &Before| share(&cost(&decode(&fixture), before), RecordPart::Image).why.clone();
    let before = |lsn| Before { redo: Some(Lsn(0x100)), page_lsn: Vec::from([(0, Lsn(lsn))]) };
    assert!(why(&Before::default()).contains("full_page_writes"), "{}", why(&Before::default()));
    assert!(why(&before(0x100)).contains("first change since the checkpoint"), "{}", why(&before(0x100)));
    assert!(why(&before(0x200)).contains("changed since the checkpoint already"), "{}", why(&before(0x200)));
}

/// What people wrote, and rows, is marked: `--redact` hides it.
#[test]
fn names_and_rows_are_data() {
    for (rmgr, name, field) in [
        ("XLOG", "RESTORE_POINT", "rp_name"),
        ("Transaction", "PREPARE", "gid"),
        ("Sequence", "LOG", "last_value"),
        ("Heap", "INSERT+INIT", "tuple data"),
        ("Btree", "INSERT_LEAF", "key"),
    ] {
        let fixture = of_type(18, rmgr, name);
        let fields = explain(&decode(&fixture));
        let found = fields.iter().find(|of| of.name == field).unwrap_or_else(|| panic!("{name}: no {field}"));
        assert!(found.is_data, "{found:?}");
    }
}

fn share(shares: &[Share], part: RecordPart) -> &Share {
    shares.iter().find(|share| share.part == part).unwrap_or_else(|| panic!("no {part:?} in {shares:?}"))
}

/// Not a test of values: prints all that is said, to be read.
#[test]
#[ignore = "prints"]
fn print_all() {
    for fixture in fixtures() {
        let record = decode(&fixture);
        let name = format!("{} {}", record.rmgr().name(), record.type_name());
        std::println!("\n{} {name}: {}\n    {}", fixture.version, headline(&record), describe(&record));
        for share in cost(&record, &Before::default()) {
            let block = share.block.map_or(String::new(), |id| format!(" {id}"));
            std::println!("  {:>5} {}{block}: {}", share.bytes, share.part.name(), share.why);
        }
        for RecordField { bytes, name, value, meaning, bits, .. } in explain(&record) {
            let set: Vec<&str> = bits.iter().filter(|bit| bit.set).map(|bit| bit.name).collect();
            std::println!("      {:>4}…{:<4} {name} = {value} {set:?}: {meaning}", bytes.start, bytes.end);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3_000))]

    /// Records with some bytes changed or the end cut off, under any version: nothing panics, and what can be decoded
    /// is told whole.
    #[test]
    fn damaged_records_never_panic(
        which in any::<prop::sample::Index>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        cut in prop::option::of(any::<prop::sample::Index>()),
        major in 12_u32..20,
    ) {
        let all = fixtures();
        let record = &which.get(&all).record;
        let mut bytes = record.bytes.to_vec();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()).max(24));
        }
        // else hardly any would be decoded
        let length = (bytes.len() as u32).to_le_bytes();
        bytes[..4].copy_from_slice(&length);
        let record = Record::new(record.start, record.end, Arc::from(bytes));
        if let Ok(decoded) = record.decode(PgVersion(major * 10_000)) {
            check_bytes(&decoded);
        }
    }

    /// Main data and block data that are shorter or longer than the type says.
    #[test]
    fn data_of_any_length_never_panics(
        which in any::<prop::sample::Index>(),
        main in prop::collection::vec(any::<u8>(), 0..80),
        data in prop::collection::vec(any::<u8>(), 0..80),
        info in any::<u8>(),
        major in 12_u32..20,
    ) {
        let all = fixtures();
        let fixture = which.get(&all);
        let mut decoded = decode(fixture);
        decoded.version = PgVersion::of_major(major);
        let record = with_data(&decoded, info, &main, &data);
        let decoded = record.decode(PgVersion(major * 10_000)).expect("well formed");
        check_bytes(&decoded);
    }
}

/// The record with other data: its first block reference without image, then main data.
fn with_data(record: &DecodedRecord<'_>, info: u8, main: &[u8], data: &[u8]) -> Record {
    let mut bytes = record.record.bytes[..24].to_vec();
    bytes[16] = info;
    if let Some(BlockRef { id, tag, .. }) = record.blocks.first() {
        let flags = if data.is_empty() { 0 } else { 0x20 };
        bytes.extend([*id, flags]);
        bytes.extend((data.len() as u16).to_le_bytes());
        for number in [tag.locator.spc, tag.locator.db, tag.locator.rel, tag.block] {
            bytes.extend(number.to_le_bytes());
        }
    }
    if !main.is_empty() {
        bytes.extend([255, main.len() as u8]);
    }
    if !record.blocks.is_empty() {
        bytes.extend(data);
    }
    bytes.extend(main);
    let length = (bytes.len() as u32).to_le_bytes();
    bytes[..4].copy_from_slice(&length);
    Record::new(record.record.start, record.record.end, Arc::from(bytes))
}
