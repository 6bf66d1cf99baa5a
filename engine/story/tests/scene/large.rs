//! The map of a relation of a million blocks of which no page was read: only its free space map and visibility map.

use ffviz_format::page::fsm::{FsmAddress, slots_per_page};
use ffviz_format::page::vm::heap_blocks_per_page;
use ffviz_format::page::{ForkNumber, Page, PgVersion};
use ffviz_format::state::{AccessMethod, ForkBlocks, PageId, RelKind, Relation, RelationStats, Server, State};
use ffviz_story::scene::{Look, Measure, PartId, RelationMapScene, Role, map};
use ffviz_story::timeline::Timeline;
use std::sync::Arc;
use std::time::Instant;

const BLOCKS: u32 = 1_000_000;
const OID: u32 = 16384;
const SIZE: u16 = 8192;

/// Free space category of a block: whatever, but different from block to block.
const fn category(block: u32) -> u8 {
    (block.wrapping_mul(2_654_435_761) >> 24) as u8
}

/// Blocks that are all-visible, and those that are all-frozen.
const fn bits(block: u32) -> u8 {
    match block % 7 {
        0 | 1 => 1,
        2 => 3,
        _ => 0,
    }
}

fn page(contents: impl FnOnce(&mut [u8])) -> Page {
    let mut bytes = vec![0; usize::from(SIZE)];
    bytes[12..20].copy_from_slice(&[24, 0, 0, 32, 0, 32, 4, 32]);
    contents(&mut bytes);
    Page::new(&bytes)
}

fn state() -> State {
    let mut state =
        State::empty(Server { version: PgVersion(180_004), block_size: SIZE, data_checksums: false, log_hints: false });
    let relation = Relation {
        oid: OID,
        schema: "public".to_string(),
        name: "large".to_string(),
        kind: RelKind::Table,
        am: AccessMethod::Heap,
        table: None,
        filenode: OID,
        database: 0,
        tablespace: 0,
        fillfactor: None,
        blocks: ForkBlocks { main: BLOCKS, fsm: 250, vm: 31, init: 0 },
        attributes: Vec::new(),
        index: None,
        stats: Some(RelationStats { n_live_tup: 20_000_000, ..RelationStats::default() }),
    };
    state.relations.insert(OID, Arc::new(relation));
    let slots = u32::from(slots_per_page(SIZE));
    for logpageno in 0..BLOCKS.div_ceil(slots) {
        let block = FsmAddress { level: 0, logpageno }.block(SIZE);
        let leaf = page(|bytes| {
            let leaves = bytes.len() - slots as usize;
            for (slot, byte) in bytes[leaves..].iter_mut().enumerate() {
                *byte = category(logpageno * slots + slot as u32);
            }
        });
        state.pages.insert(PageId { relation: OID, fork: ForkNumber::Fsm, block }, leaf);
    }
    let per_page = heap_blocks_per_page(SIZE);
    for block in 0..BLOCKS.div_ceil(per_page) {
        let map = page(|bytes| {
            for place in 0..per_page {
                bytes[24 + place as usize / 4] |= bits(block * per_page + place) << (place % 4 * 2);
            }
        });
        state.pages.insert(PageId { relation: OID, fork: ForkNumber::Vm, block }, map);
    }
    state
}

#[test]
fn a_cell_is_what_its_blocks_are() {
    let timeline = Timeline::new(state(), None);
    let look = Look::new(&timeline, false);
    let started = Instant::now();
    let shown: Vec<RelationMapScene> =
        [Measure::Fill, Measure::Visibility].map(|measure| map::scene(&look, OID, measure, None)).into();
    println!("two maps of {BLOCKS} blocks in {:?}", started.elapsed());
    let [fill, visibility] = &shown[..] else { panic!("two maps") };
    assert_eq!((fill.zoom, fill.cells.len()), (512, 1954));
    for (cell, other) in fill.cells.iter().zip(&visibility.cells) {
        let PartId::Block(first) = cell.part else { panic!("a block") };
        let run = first..BLOCKS.min(first + fill.zoom);
        let free: u64 = run.clone().map(|block| u64::from(category(block)) * 32).sum();
        // the page header is no room for rows
        let all = run.len() as u64 * u64::from(SIZE - 24);
        let expected = ((all - free) * 100 + all / 2) / all;
        assert_eq!(cell.percent.map(u64::from), Some(expected), "{}", cell.label);
        let visible = run.clone().filter(|block| bits(*block) & 1 != 0).count() as u64;
        let expected = (visible * 100 + run.len() as u64 / 2) / run.len() as u64;
        assert_eq!(other.percent.map(u64::from), Some(expected), "{}", other.label);
    }
}

#[test]
fn zoomed_in_every_block_has_its_bits() {
    let timeline = Timeline::new(state(), None);
    let shown = map::scene(&Look::new(&timeline, false), OID, Measure::Fill, Some(1));
    assert_eq!(shown.cells.len(), BLOCKS as usize);
    for (block, cell) in (0..BLOCKS).zip(&shown.cells) {
        let role = match bits(block) {
            3 => Role::BlockAllFrozen,
            1 => Role::BlockAllVisible,
            // the free space map tells of it, and its bytes were not read
            _ => Role::BlockUnknown,
        };
        assert_eq!(cell.role, role, "{}", cell.label);
    }
}
