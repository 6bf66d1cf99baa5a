//! Random records: what is assembled decodes to what was registered, and what is laid into segments is read back.

use super::*;
use ffviz_format::page::layout::Wire;
use ffviz_format::page::{ForkNumber, Lsn, Page, PgVersion};
use ffviz_format::wal::{BlockTag, DEFAULT_SEGMENT_SIZE, Next, Record, RelFileLocator, Rmgr, Segment, WalStream};
use ffviz_story::timeline::WalUsage;
use proptest::prelude::*;
use std::vec::Vec;

const REDO: Lsn = Lsn(0x100_0000);

/// A block to register: which one of three relations, a block number, flags, `pd_lsn`, `pd_lower` and `pd_upper`, data.
#[derive(Debug, Clone)]
struct Given {
    rel: u32,
    block: u32,
    flags: u8,
    page: Page,
    data: Vec<Vec<u8>>,
}

fn given() -> impl Strategy<Value = Given> {
    let flags = prop::sample::select(std::vec![
        0,
        REGBUF_STANDARD,
        REGBUF_STANDARD | REGBUF_KEEP_DATA,
        REGBUF_STANDARD | REGBUF_FORCE_IMAGE,
        REGBUF_STANDARD | REGBUF_NO_IMAGE,
        REGBUF_STANDARD | REGBUF_WILL_INIT,
    ]);
    let data = prop::collection::vec(prop::collection::vec(any::<u8>(), 0..60), 0..3);
    (0..3u32, 0..4u32, flags, 0..0x200_0000u64, 0..8300u16, 0..8300u16, data).prop_map(
        |(rel, block, flags, lsn, lower, upper, data)| {
            let mut page = Page::init(8192, 0);
            page.bytes_mut().iter_mut().enumerate().skip(24).for_each(|(at, byte)| *byte = (at * 7 % 251) as u8);
            page.set_pd_lsn(Lsn(lsn));
            page.set_pd_lower(lower);
            page.set_pd_upper(upper);
            Given { rel, block, flags, page, data }
        },
    )
}

fn tag(given: &Given) -> BlockTag {
    let locator = RelFileLocator { spc: 1663, db: 5, rel: 16384 + given.rel };
    BlockTag { locator, fork: ForkNumber::Main, block: given.block }
}

fn writer(major: u32, at: Lsn, segment_size: u32, keep: Keep) -> WalWriter {
    let version = PgVersion(major * 10_000);
    let settings =
        WalSettings { version, level: WalLevel::Replica, compression: None, consistency_checking: Vec::new() };
    WalWriter::new(settings, InsertPosition::new(at, Lsn(at.0 - 40), segment_size), REDO, keep)
}

/// Must the block have an image?
fn has_image(given: &Given) -> bool {
    given.flags & REGBUF_FORCE_IMAGE != 0
        || (given.flags & REGBUF_NO_IMAGE == 0 && given.page.header().pd_lsn() <= REDO)
}

/// The page as its image gives it back.
fn without_hole(given: &Given) -> Vec<u8> {
    let mut page = given.page.bytes().to_vec();
    let (lower, upper) = (given.page.header().pd_lower(), given.page.header().pd_upper());
    if given.flags & REGBUF_STANDARD != 0 && lower >= 24 && lower < upper && upper <= 8192 {
        page[usize::from(lower)..usize::from(upper)].fill(0);
    }
    page
}

fn check(record: &Record, version: PgVersion, blocks: &[Given], main: &[u8], inserted: &Inserted) {
    assert!(record.is_crc_right());
    assert_eq!((record.start, record.end), (inserted.start, inserted.end));
    let decoded = record.decode(version).expect("a record");
    assert_eq!((decoded.tot_len(), decoded.xid(), decoded.main_data), (inserted.tot_len, 77, main));
    assert_eq!((decoded.origin, decoded.blocks.len()), (Some(3), blocks.len()));
    assert_eq!(decoded.toplevel_xid, Some(70));
    assert_eq!(decoded.blocks.iter().filter(|block| block.image.is_some()).count(), inserted.images as usize);
    for (read, given) in decoded.blocks.iter().zip(blocks) {
        assert_eq!((read.tag, read.image.is_some()), (tag(given), has_image(given)));
        assert_eq!(read.will_init, given.flags & REGBUF_WILL_INIT == REGBUF_WILL_INIT);
        let keeps = !has_image(given) || given.flags & REGBUF_KEEP_DATA != 0;
        assert_eq!(read.data, if keeps { given.data.concat() } else { Vec::new() });
        if has_image(given) {
            assert_eq!(decoded.restore(read, 8192).expect("an image").bytes(), without_hole(given));
        }
    }
}

/// Reads the segments from the first record on.
fn read_back(segments: Vec<(Segment, Vec<u8>)>, start: Lsn, version: PgVersion) -> Vec<Record> {
    let (first, bytes) = (segments[0].0, segments.into_iter().flat_map(|(_, bytes)| bytes).collect::<Vec<_>>());
    let mut stream = WalStream::new(start, version, first.size);
    stream.push(&bytes[(start.0 - first.start().0) as usize..]);
    let mut records = Vec::new();
    loop {
        match stream.next() {
            Next::Record(record) => records.push(record),
            Next::More => return records,
            Next::End(end) => {
                assert!(end.is_plain, "{end:?}");
                return records;
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// What is counted without a look at what it is made of is as long as what is put together.
    #[test]
    fn a_record_that_is_counted_takes_the_place_of_one_that_is_kept(
        records in prop::collection::vec(
            (prop::collection::vec(given(), 1..4), prop::collection::vec(any::<u8>(), 0..600)), 1..40),
        major in 13..=18u32,
    ) {
        let [mut kept, mut counted] = [Keep::Records, Keep::Counts].map(|keep| writer(major, Lsn(0x80_0000), 1 << 20, keep));
        let [mut keeping, mut counting] = [kept.backend(), counted.backend()];
        let mut simple = 0;
        for (blocks, main) in &records {
            let data: Vec<Vec<&[u8]>> = blocks.iter().map(|b| b.data.iter().map(Vec::as_slice).collect()).collect();
            let one_relation = |n: u32| BlockTag { block: n, ..tag(&blocks[0]) };
            let registered: Vec<Block<'_>> = blocks.iter().zip(&data).zip(0..).map(|((given, data), n)| {
                Block { data, ..Block::new(n, one_relation(n.into()), given.page.bytes(), given.flags) }
            }).collect();
            let assembly = Assembly { blocks: &registered[..], main: &[main], ..Assembly::new(Rmgr::HEAP, 0) };
            let pages = blocks.iter().map(|given| (given.flags, given.page.header().pd_lsn()));
            let lengths = (main.len(), data.iter().map(|data| length(data)).sum());
            let at_once = counted.count_about_pages(&mut counting, RecordKind(Rmgr::HEAP, 0), pages, lengths);
            simple += usize::from(at_once.is_some());
            let end = at_once.unwrap_or_else(|| counted.insert(&mut counting, &assembly).end);
            prop_assert_eq!(end, kept.insert(&mut keeping, &assembly).end);
            prop_assert_eq!(counting, keeping);
        }
        prop_assert_eq!(counted.usage_by_kind().collect::<Vec<_>>(), kept.usage_by_kind().collect::<Vec<_>>());
        prop_assert_eq!(simple, records.iter().filter(|(blocks, _)| !blocks.iter().any(has_image)).count());
    }

    #[test]
    fn what_is_assembled_decodes_to_what_was_registered(
        records in prop::collection::vec(
            (prop::collection::vec(given(), 0..5), prop::collection::vec(any::<u8>(), 0..9000), 0..12u8), 1..12),
        major in 13..=18u32,
        at in 0x80_0000..0x400_0000u64,
    ) {
        let (version, size) = (PgVersion(major * 10_000), 1 << 20);
        let mut wal = writer(major, Lsn(at), size, Keep::Records);
        let mut backend = wal.backend();
        let mut made = Vec::new();
        for (blocks, main, switch) in &records {
            let data: Vec<Vec<&[u8]>> = blocks.iter().map(|b| b.data.iter().map(Vec::as_slice).collect()).collect();
            let registered: Vec<Block<'_>> = blocks.iter().zip(&data).zip(0..).map(|((given, data), id)| {
                Block { data, ..Block::new(id, tag(given), given.page.bytes(), given.flags) }
            }).collect();
            (backend.xid, backend.origin, backend.toplevel_xid) = (77, Some(3), Some(70));
            let (front, back) = main.split_at(main.len() / 3);
            let inserted = wal.insert(&mut backend, &Assembly {
                blocks: &registered[..],
                main: &[front, back],
                include_origin: true,
                ..Assembly::new(Rmgr::HEAP, 0)
            });
            check(wal.records().last().expect("kept"), version, blocks, main, &inserted);
            made.push(inserted);
            if *switch == 0 {
                made.extend(wal.switch(&mut backend));
            }
        }
        let first = made[0].start;
        let mut segments = SegmentBytes::new(major, 42, Segment::of(first, 1, size));
        wal.records().iter().for_each(|record| segments.push(record));
        prop_assert_eq!(read_back(segments.finish(), first, version), wal.records());
        let sum = |of: fn(&Inserted) -> u32| made.iter().map(|one| u64::from(of(one))).sum::<u64>();
        let usage = WalUsage { records: made.len() as u64, fpi: sum(|one| one.images), bytes: sum(|one| one.tot_len) };
        prop_assert_eq!((wal.usage(), backend.usage), (usage, usage));
    }

    #[test]
    fn positions_are_bytes_without_headers(bytes in 0..1u64 << 40, shift in 0..11u32) {
        let position = InsertPosition::new(Lsn(0), Lsn(0), DEFAULT_SEGMENT_SIZE >> 4 << shift);
        let (start, end) = (position.rec_ptr(bytes), position.end_rec_ptr(bytes));
        prop_assert_eq!((position.byte_pos(start), position.byte_pos(end)), (bytes, bytes));
        // they differ where a page begins: by its header
        let header = if end.0.is_multiple_of(u64::from(position.segment_size())) { 40 } else { 24 };
        prop_assert_eq!(start.0 - end.0, if end.0.is_multiple_of(8192) { header } else { 0 });
    }
}

#[test]
fn full_page_writes_are_switched_with_a_record() {
    let mut wal = writer(18, Lsn(0x200_0028), DEFAULT_SEGMENT_SIZE, Keep::Records);
    let (mut checkpointer, mut backend) = (wal.backend(), wal.backend());
    let page = Page::init(8192, 0);
    let tag = BlockTag { locator: RelFileLocator { spc: 1663, db: 5, rel: 16384 }, fork: ForkNumber::Main, block: 0 };
    let images = |wal: &mut WalWriter, backend: &mut BackendWal| {
        let block = Block::new(0, tag, page.bytes(), REGBUF_STANDARD);
        let record = Assembly { blocks: &[block][..], ..Assembly::new(Rmgr::HEAP, 0) };
        wal.insert(backend, &record).images
    };
    assert_eq!(images(&mut wal, &mut backend), 1);
    assert_eq!(wal.update_full_page_writes(&mut checkpointer, true), None);
    assert_eq!(wal.update_full_page_writes(&mut checkpointer, false).map(|record| record.tot_len), Some(27));
    // the backend learns of it with its next record only
    assert_eq!(images(&mut wal, &mut backend), 1);
    assert_eq!(images(&mut wal, &mut backend), 0);
    assert!(!backend.check_buffer_needs_backup(Lsn(0)));
    wal.start_backup();
    assert_eq!(images(&mut wal, &mut backend), 1);
}

#[test]
fn sizes_of_checkpoints_are_those_of_servers() {
    for (major, redo) in [(13, None), (16, None), (17, Some(30)), (18, Some(30))] {
        let mut wal = writer(major, Lsn(0x200_0028), DEFAULT_SEGMENT_SIZE, Keep::Records);
        let mut backend = wal.backend();
        let at = begin_checkpoint(&mut wal, &mut backend, CheckpointKind::Online);
        assert_eq!(at, Lsn(0x200_0028));
        let snapshot = RunningXacts { xids: &[7, 8], ..RunningXacts::default() };
        let running = log_running_xacts(&mut wal, &mut backend, &snapshot).tot_len;
        let state = CheckpointState::default();
        let record = log_checkpoint(&mut wal, &mut backend, CheckpointKind::Online, at, &state).tot_len;
        let lengths: Vec<u32> = wal.records().iter().map(|record| u32::get(&record.bytes)).collect();
        assert_eq!((running, record), (58, 114));
        assert_eq!(lengths, redo.into_iter().chain([58, 114]).collect::<Vec<_>>());
    }
}
