//! Real WAL with bytes changed, cut, moved: reading it never panics and always comes to an end.

use crate::files::{Wal, read_on};
use ffviz_format::page::PgVersion;
use ffviz_format::wal::{BlockImage, Compression, Record, WalStream, XLogRecord, crc32c};
use ffviz_story::describe::{Before, cost, describe, explain, headline};
use ffviz_tests::instance::Instance;
use ffviz_tests::workload::{self, SETTINGS};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use std::cell::Cell;

/// Damaged streams, and damaged records, of each version.
const STREAMS: u32 = 400;
const RECORDS: u32 = 4000;
/// Bytes of a stream: pages of several kinds of records.
const STREAM: usize = 96 << 10;

/// What is done to bytes.
#[derive(Debug, Clone)]
enum Damage {
    Change { at: usize, to: u8 },
    Cut { at: usize },
    Repeat { at: usize, length: usize },
    Remove { at: usize, length: usize },
    Zero { at: usize, length: usize },
}

/// So many changes of a byte to four changes of the length or of many bytes.
fn damage(changes: u32) -> impl Strategy<Value = Vec<Damage>> {
    let at = || any::<usize>();
    let length = || 1usize..9000;
    let one = prop_oneof![
        changes => (at(), any::<u8>()).prop_map(|(at, to)| Damage::Change { at, to }),
        1 => at().prop_map(|at| Damage::Cut { at }),
        1 => (at(), length()).prop_map(|(at, length)| Damage::Repeat { at, length }),
        1 => (at(), length()).prop_map(|(at, length)| Damage::Remove { at, length }),
        1 => (at(), length()).prop_map(|(at, length)| Damage::Zero { at, length }),
    ];
    proptest::collection::vec(one, 1..9)
}

fn apply(bytes: &mut Vec<u8>, damage: &[Damage]) {
    for one in damage {
        let size = bytes.len().max(1);
        let end = |at: usize, length: usize| (at % size + length).min(size);
        match *one {
            Damage::Change { at, to } => bytes.iter_mut().skip(at % size).take(1).for_each(|byte| *byte = to),
            Damage::Cut { at } => bytes.truncate(at % size),
            Damage::Repeat { at, length } => {
                let copy: Vec<u8> = bytes.iter().skip(at % size).take(length).copied().collect();
                let place = at % size;
                drop(bytes.splice(place.min(bytes.len())..place.min(bytes.len()), copy));
            }
            Damage::Remove { at, length } => {
                drop(bytes.drain((at % size).min(bytes.len())..end(at, length).min(bytes.len())))
            }
            Damage::Zero { at, length } => bytes.iter_mut().skip(at % size).take(length).for_each(|byte| *byte = 0),
        }
    }
}

/// Streams and records of a server of that version.
pub fn of_real_wal(major: u32) {
    let instance = Instance::create(major, SETTINGS);
    for name in ["small_dml", "hot", "row_locks", "on_conflict", "page_deletion", "prepared", "compressed_images"] {
        workload::named(name).run(major, &mut || instance.client());
    }
    let mut client = instance.client();
    let _ = ffviz_tests::wal::flushed(&mut client);
    let wal = Wal::of(&instance, &mut client, 1);
    let records = wal.records().0;
    println!("PostgreSQL {major}: {}{}", streams(&wal, &records), one_by_one(&wal, &records));
}

fn runner(cases: u32) -> TestRunner {
    TestRunner::new(Config { cases, failure_persistence: None, max_shrink_iters: 200, ..Config::default() })
}

/// Damaged bytes through the stream, in two pieces; every record that comes is taken apart.
fn streams(wal: &Wal, records: &[Record]) -> String {
    let bytes = wal.bytes();
    let (read_all, plain, bad) = (Cell::new(0), Cell::new(0), Cell::new(0));
    let cases = (any::<prop::sample::Index>(), damage(6), any::<usize>());
    let done = runner(STREAMS).run(&cases, |(from, damage, piece)| {
        let start = from.get(records).start;
        let at = (start.0 - wal.start().0) as usize;
        let mut some = bytes[at..(at + STREAM).min(bytes.len())].to_vec();
        apply(&mut some, &damage);
        let (first, rest) = some.split_at(piece % (some.len() + 1));
        let mut stream = WalStream::new(start, wal.version, wal.segment_size());
        let mut read = Vec::new();
        for piece in [first, rest] {
            stream.push(piece);
            if let Some(end) = read_on(&mut stream, &mut read) {
                let count = if end.is_plain { &plain } else { &bad };
                count.set(count.get() + 1);
                break;
            }
        }
        // a record has at least its header: the stream cannot give more of them than bytes allow
        prop_assert!(read.len() <= some.len() / XLogRecord::SIZE);
        read_all.set(read_all.get() + read.len());
        read.iter().try_for_each(|record| take_apart(record, wal.version).map(drop))
    });
    done.expect("no panic");
    format!(
        "{STREAMS} damaged streams gave {} records, {} plain ends, {} others; ",
        read_all.get(),
        plain.get(),
        bad.get()
    )
}

/// Damaged records with a checksum that is right again, so that nothing stands before the decoders.
fn one_by_one(wal: &Wal, records: &[Record]) -> String {
    let (refused, images) = (Cell::new(0), Cell::new(0));
    let has_image = |record: &&Record| record.decode(wal.version).is_ok_and(|decoded| decoded.fpi_len() > 0);
    let with_image: Vec<Record> = records.iter().filter(has_image).cloned().collect();
    let cases = (any::<prop::sample::Index>(), any::<bool>(), damage(60));
    let done = runner(RECORDS).run(&cases, |(which, is_with_image, damage)| {
        let whole = which.get(if is_with_image { &with_image } else { records });
        let mut bytes = whole.bytes.to_vec();
        apply(&mut bytes, &damage);
        let length = (bytes.len() as u32).to_le_bytes();
        bytes.iter_mut().zip(length).for_each(|(byte, of_length)| *byte = of_length);
        if bytes.len() >= XLogRecord::SIZE {
            let sum = crc32c(&[&bytes[XLogRecord::SIZE..], &bytes[..20]]);
            bytes[20..24].copy_from_slice(&sum.to_le_bytes());
        }
        let record = Record::new(whole.start, whole.end, bytes.into());
        prop_assert_eq!(record.is_crc_right(), record.bytes.len() >= XLogRecord::SIZE);
        match take_apart(&record, wal.version)? {
            None => refused.set(refused.get() + 1),
            Some(restored) => images.set(images.get() + restored),
        }
        Ok(())
    });
    done.expect("no panic");
    format!("{RECORDS} damaged records: {} refused with a sentence, {} images tried", refused.get(), images.get())
}

/// Bytes that no server compressed, and half of what one did, as images of each method: a page of the right size or a
/// sentence.
#[test]
fn random_images() {
    let method = prop_oneof![Just(Compression::Pglz), Just(Compression::Lz4), Just(Compression::Zstd)];
    // what each method begins with, so that more than the first bytes is looked at
    let begin = prop_oneof![Just(vec![]), Just(vec![0x28, 0xB5, 0x2F, 0xFD, 0x60]), Just(vec![0x1F, 0x61, 0x01, 0x00])];
    let bytes =
        (begin, proptest::collection::vec(any::<u8>(), 0..300)).prop_map(|(begin, rest)| [begin, rest].concat());
    let restored = Cell::new(0);
    let cases = (method, bytes, any::<u16>(), any::<u16>());
    let done = runner(2 * RECORDS).run(&cases, |(method, bytes, hole_offset, hole_length)| {
        let (hole_offset, hole_length) = (hole_offset % 9000, hole_length % 9000);
        let compression = Some(method);
        let image = BlockImage { bytes: &bytes, hole_offset, hole_length, bimg_info: 0, compression, apply: true };
        match image.restore(8192) {
            Ok(page) => {
                restored.set(restored.get() + 1);
                prop_assert_eq!(page.bytes().len(), 8192);
            }
            Err(why) => prop_assert!(!why.is_empty()),
        }
        Ok(())
    });
    done.expect("no panic");
    println!("{} random images, {} of them a page", 2 * RECORDS, restored.get());
}

/// Everything that is made of a record; the number of its images, `None` where it cannot be taken apart.
fn take_apart(record: &Record, version: PgVersion) -> Result<Option<usize>, TestCaseError> {
    let decoded = match record.decode(version) {
        Ok(decoded) => decoded,
        Err(why) => {
            prop_assert!(!why.is_empty());
            return Ok(None);
        }
    };
    let images: Vec<_> = decoded.blocks.iter().filter(|block| block.image.is_some()).collect();
    for block in &images {
        if let Ok(page) = decoded.restore(block, 8192) {
            prop_assert_eq!(page.bytes().len(), 8192);
        }
    }
    let told = describe(&decoded).len() + headline(&decoded).len() + explain(&decoded).len();
    prop_assert!(told > 0 && !decoded.type_name().is_empty());
    let sum: u32 = cost(&decoded, &Before::default()).iter().map(|share| share.bytes).sum();
    prop_assert_eq!(sum, record.bytes.len() as u32);
    Ok(Some(images.len()))
}
