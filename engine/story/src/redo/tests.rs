//! Redo of what the servers at hand do not write: from 17.11 and 18.6 on heap records name the page of the visibility
//! map that they change (made by hand from the source; all else is compared with servers in tests/tests/redo).

use super::{Disk, redo};
use alloc::sync::Arc;
use ffviz_format::page::{ForkNumber, Lsn, OffsetNumber, Page, PgVersion};
use ffviz_format::wal::{BlockTag, Record, RelFileLocator, Rmgr};

const LOCATOR: RelFileLocator = RelFileLocator { spc: 1663, db: 5, rel: 16384 };
const END: Lsn = Lsn(0x2000);

fn tag(fork: ForkNumber, block: u32) -> BlockTag {
    BlockTag { locator: LOCATOR, fork, block }
}

/// A Heap record: its type, block references (flags and fork, block, data) and main data.
fn record(info: u8, blocks: &[(u8, u32, &[u8])], main: &[u8]) -> Record {
    let mut bytes = alloc::vec![0; 24];
    for (id, (flags, block, data)) in (0..).zip(blocks) {
        let has_data = if data.is_empty() { 0 } else { 0x20 };
        bytes.extend([id, flags | has_data, data.len() as u8, 0]);
        for oid in [LOCATOR.spc, LOCATOR.db, LOCATOR.rel, *block] {
            bytes.extend(oid.to_le_bytes());
        }
    }
    bytes.extend([0xFF, main.len() as u8]);
    bytes.extend(blocks.iter().flat_map(|(_, _, data)| data.iter()));
    bytes.extend(main);
    let length = bytes.len() as u32;
    bytes[..4].copy_from_slice(&length.to_le_bytes());
    bytes[16] = info;
    bytes[17] = Rmgr::HEAP.0;
    Record::new(Lsn(0x1F00), END, Arc::from(bytes))
}

/// Heap pages 1 and 2 with a tuple each, and their page of the map with all bits set.
fn disk(map_lsn: Lsn) -> Disk {
    let mut disk = Disk::new(PgVersion(180_006), 8192, false);
    for block in [1, 2] {
        let mut page = Page::init(8192, 0);
        page.add_item(&[0; 28], OffsetNumber(1), true).expect("an empty page has room");
        disk.put(tag(ForkNumber::Main, block), page);
    }
    let mut map = Page::init(8192, 0);
    map.set_pd_lsn(map_lsn);
    map.write(24, &0xFF_u8);
    disk.put(tag(ForkNumber::Vm, 0), map);
    disk
}

/// The map's first byte, which is for blocks 0 to 3, its LSN, and how many pages were changed.
fn map_after(record: &Record, mut disk: Disk) -> (u8, Lsn, usize) {
    let decoded = record.decode(disk.version).expect("a record");
    let effects = redo(&decoded, &mut disk);
    assert_eq!(effects.anomalies, []);
    let map = disk.page(tag(ForkNumber::Vm, 0)).expect("the map");
    (map.bytes()[24], map.header().pd_lsn(), effects.changed.len())
}

/// `xl_heap_update` from block 2 to line pointer 2 of block 1; both lost their bits.
const UPDATE: [u8; 14] = [9, 0, 0, 0, 1, 0, 0, 0x03, 0, 0, 0, 0, 2, 0];
/// `xl_heap_header` and five bytes
const TUPLE: [u8; 10] = [1, 0, 0, 0x08, 24, 0, 7, 0, 0, 0];

#[test]
fn an_update_clears_the_bits_of_both_pages() {
    let named = record(0x20, &[(0, 1, &TUPLE), (0, 2, &[]), (2, 0, &[])], &UPDATE);
    assert_eq!(map_after(&named, disk(Lsn(0x1000))), (0b1100_0011, END, 3));
    let in_passing = record(0x20, &[(0, 1, &TUPLE), (0, 2, &[])], &UPDATE);
    assert_eq!(map_after(&in_passing, disk(Lsn(0x1000))), (0b1100_0011, Lsn(0x1000), 3));
}

#[test]
fn a_map_that_is_newer_stays_as_it_is() {
    let delete = [9, 0, 0, 0, 1, 0, 0, 0x01];
    for blocks in [&[(0_u8, 1_u32, &[][..]), (2, 0, &[])][..], &[(0, 1, &[])]] {
        assert_eq!(map_after(&record(0x10, blocks, &delete), disk(Lsn(0x3000))), (0xFF, Lsn(0x3000), 1));
    }
}
