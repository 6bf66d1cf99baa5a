//! Damaged records over damaged pages: redo says what cannot be and leaves those pages as they were; it never panics,
//! and pages keep their size. In WAL that is read from a server the CRC keeps such records out; recordings and files
//! may hold anything.

use ffviz_format::page::{Lsn, Page, PgVersion};
use ffviz_format::wal::{BlockTag, DecodedRecord, Record, Rmgr};
use ffviz_story::redo::{Disk, PageShape, mask, redo};
use ffviz_tests::instance::Instance;
use ffviz_tests::wal;
use ffviz_tests::workload::{self, Random};
use std::collections::BTreeMap;
use std::sync::Arc;

ffviz_tests::each_version!(damaged: super::check);

/// What writes the records: every type of Heap, Heap2, Btree, Sequence and Storage that changes pages.
const WORKLOADS: [&str; 14] = [
    "small_dml",
    "hot",
    "vacuum",
    "freezing",
    "truncation",
    "copy_rows",
    "row_locks",
    "on_conflict",
    "sequences",
    "inplace",
    "splits",
    "posting_lists",
    "page_deletion",
    "bottom_up",
];
/// Records of a type that are damaged, and how often each.
const SAMPLES: u32 = 25;
const TRIES: u32 = 12;

#[derive(Debug, Default)]
struct Counts {
    /// by type of record
    sampled: BTreeMap<(Rmgr, String), u32>,
    tried: u32,
    /// the record could not be taken apart
    no_record: u32,
    /// with anomalies
    refused: u32,
    /// it fitted nevertheless
    changed: u32,
}

fn check(major: u32) {
    let instance = Instance::create(major, workload::SETTINGS);
    let mut client = instance.client();
    let version = wal::version(&mut client);
    let from = wal::insert_position(&mut client);
    for name in WORKLOADS {
        workload::named(name).run(major, &mut || instance.client());
    }
    let to = wal::flushed(&mut client);
    let mut disk = Disk::new(version, 8192, false);
    let (mut counts, mut random) = (Counts::default(), Random(u64::from(major)));
    for record in wal::records(&instance, version, from, to) {
        let decoded = record.decode(version).expect("a record of the server");
        counts.sample(&decoded, &disk, &mut random);
        redo(&decoded, &mut disk);
    }
    let types: Vec<String> = counts.sampled.keys().map(|(rmgr, name)| format!("{} {name}", rmgr.name())).collect();
    let Counts { tried, no_record, refused, changed, .. } = counts;
    println!(
        "PostgreSQL {major}: {tried} damaged records of {} types: {no_record} cannot be taken apart, {refused} refused, \
         {changed} changed pages nevertheless",
        types.len()
    );
    assert!(types.len() >= 30, "{types:?}");
    assert!(refused > 1000 && changed > 1000 && no_record > 0, "too few of a sort");
}

impl Counts {
    /// Damages a record and the pages it is for, as they are before it, in several ways.
    fn sample(&mut self, decoded: &DecodedRecord<'_>, disk: &Disk, random: &mut Random) {
        let replayed = [Rmgr::HEAP, Rmgr::HEAP2, Rmgr::BTREE, Rmgr::SEQUENCE, Rmgr::STORAGE, Rmgr::XLOG];
        if !replayed.contains(&decoded.rmgr()) {
            return;
        }
        let sampled = self.sampled.entry((decoded.rmgr(), decoded.type_name())).or_default();
        if *sampled == SAMPLES {
            return;
        }
        *sampled += 1;
        let files: Vec<_> = decoded.blocks.iter().map(|block| block.tag.locator).collect();
        for _ in 0..TRIES {
            let record = damaged_record(&decoded.record.to_record(), random);
            let mut few = Disk::new(disk.version, 8192, random.below(2) == 0);
            // a Storage record has no block references
            let is_known = |tag: &BlockTag| decoded.rmgr() == Rmgr::STORAGE || files.contains(&tag.locator);
            for (tag, page) in disk.pages().filter(|(tag, _)| is_known(tag)) {
                let is_its = decoded.blocks.iter().any(|block| block.tag == tag);
                let page = if is_its && random.below(2) == 0 { damaged_page(page, random) } else { page.clone() };
                few.put(tag, page);
            }
            self.replay(&record, &few, random);
        }
    }

    fn replay(&mut self, record: &Record, before: &Disk, random: &mut Random) {
        self.tried += 1;
        let Ok(decoded) = record.decode(before.version) else {
            self.no_record += 1;
            return;
        };
        let mut after = before.clone();
        let effects = redo(&decoded, &mut after);
        self.refused += u32::from(!effects.anomalies.is_empty());
        self.changed += u32::from(!effects.changed.is_empty());
        if effects.changed.is_empty() && effects.unknown.is_empty() && effects.truncated.is_empty() {
            assert!(before.pages().eq(after.pages()), "{} changed pages and does not say which", decoded.type_name());
        }
        for tag in effects.changed {
            let page = after.page(tag).expect("a page that was changed");
            assert_eq!(page.size(), 8192, "{}", decoded.type_name());
            let shapes = [PageShape::Heap, PageShape::Btree, PageShape::Sequence, PageShape::Vm, PageShape::Other];
            let masked = mask(page, shapes[random.below(5) as usize], tag.block);
            assert_eq!(masked.size(), 8192);
        }
    }
}

/// Some bytes changed, mostly behind the headers, so that it can be taken apart.
fn damaged_record(record: &Record, random: &mut Random) -> Record {
    let mut bytes = record.bytes.to_vec();
    let headers = record.decode(PgVersion(0)).map_or(0, |decoded| decoded.headers_end as usize);
    let from = if random.below(8) == 0 { 24 } else { headers.max(24) };
    for _ in 0..=random.below(3) {
        let room = bytes.len().saturating_sub(from).max(1) as u64;
        // small records are damaged anywhere, in long ones main data and the lists' counts are at the ends
        let at = from as u64 + if random.below(2) == 0 { random.below(room) } else { random.below(room.min(16)) };
        let back = bytes.len() as u64 - 1 - random.below(room.min(16));
        let at = if random.below(2) == 0 { at } else { back };
        if let Some(byte) = bytes.get_mut(at as usize) {
            *byte = damaged_byte(*byte, random);
        }
    }
    let mut damaged = Record::new(record.start, record.end, Arc::from(bytes));
    if random.below(10) == 0 {
        // as if the pages were of another time
        damaged.end = Lsn(record.start.0 ^ 1 << random.below(40));
    }
    damaged
}

/// Bytes of the header, the line pointers, a tuple or the special space changed.
fn damaged_page(page: &Page, random: &mut Random) -> Page {
    let mut page = page.clone();
    let bytes = page.bytes_mut();
    for _ in 0..=random.below(6) {
        let at = match random.below(4) {
            0 => 8 + random.below(16),
            1 => 24 + random.below(200),
            2 => 8192 - 1 - random.below(64),
            _ => random.below(8192),
        };
        bytes[at as usize] = damaged_byte(bytes[at as usize], random);
    }
    page
}

fn damaged_byte(byte: u8, random: &mut Random) -> u8 {
    match random.below(4) {
        0 => byte ^ 1 << random.below(8),
        1 => byte.wrapping_add(1),
        2 => 0xFF,
        _ => random.below(256) as u8,
    }
}
