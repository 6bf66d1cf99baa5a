//! How fast the engine is: decode, step, jump, explain, scene. `cargo bench -p ffviz-tests --bench engine`;
//! BENCHMARKS.md has the figures.
//!
//! Pages are those of the shipped recordings, made full ones by hand where that is the harder case.

use divan::{Bencher, black_box};
use ffviz_format::heap::HeapPage;
use ffviz_format::nbtree::BtPage;
use ffviz_format::page::{ForkNumber, Page, PgVersion};
use ffviz_format::state::{AccessMethod, PageId, State};
use ffviz_story::app::{LibraryEntry, Model, Msg, update, view};
use ffviz_story::recording;
use ffviz_story::timeline::Timeline;
use std::io::Read;
use std::path::Path;

const VERSION: PgVersion = PgVersion(180_004);

fn main() {
    divan::main();
}

/// The file of a shipped recording, unpacked.
fn file(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../snapshots").join(format!("{name}.ffrec.gz"));
    let packed = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut text = Vec::new();
    flate2::read::GzDecoder::new(packed.as_slice()).read_to_end(&mut text).expect("gzip");
    text
}

fn timeline(name: &str) -> Timeline {
    let mut timeline = recording::read(file(name)).timeline.expect("a whole recording");
    timeline.seek(timeline.len());
    timeline
}

/// The page of that access method with the most line pointers.
fn fullest(state: &State, am: &AccessMethod) -> (PageId, Page) {
    let of_am = |id: &PageId| id.fork == ForkNumber::Main && state.relations[&id.relation].am == *am;
    let (id, page) =
        state.pages.iter().filter(|(id, _)| of_am(id)).max_by_key(|(_, page)| page.item_count()).expect("a page");
    (*id, page.clone())
}

#[divan::bench]
fn decode_heap_page(bencher: Bencher) {
    let (id, page) = fullest(timeline("18/fillfactor-100").state(), &AccessMethod::Heap);
    bencher.counter(divan::counter::ItemsCount::new(1usize)).bench(|| HeapPage::decode(black_box(&page), id.block));
}

#[divan::bench]
fn decode_btree_page(bencher: Bencher) {
    let (_, page) = fullest(timeline("18/btree-grow").state(), &AccessMethod::Btree);
    bencher.counter(divan::counter::ItemsCount::new(1usize)).bench(|| BtPage::decode(black_box(&page), VERSION));
}

#[divan::bench]
fn read_recording(bencher: Bencher) {
    let text = file("18/hot-chain");
    bencher.counter(divan::counter::BytesCount::of_slice(&text)).bench(|| recording::read(black_box(&text)));
}

/// 100,000 states that each change one page of 300.
fn long_timeline() -> Timeline {
    let mut state = timeline("18/fillfactor-100").state().clone();
    let (id, page) = fullest(&state, &AccessMethod::Heap);
    let with_counter = |n: u32| {
        let mut bytes = page.bytes().to_vec();
        bytes[4096..4100].copy_from_slice(&n.to_le_bytes());
        Page::new(&bytes)
    };
    // a few hundred distinct pages are enough: what costs is the number of steps, not what is on the page
    let pages: Vec<Page> = (0..300).map(with_counter).collect();
    for (block, page) in (0u32..).zip(&pages) {
        state.pages.insert(PageId { block, ..id }, page.clone());
    }
    let mut timeline = Timeline::new(state.clone(), None);
    for n in 1..100_000usize {
        state.pages.insert(PageId { block: (n % 300) as u32, ..id }, pages[n * 7 % 300].clone());
        timeline.push(state.clone(), None);
    }
    timeline
}

#[divan::bench(sample_count = 100, sample_size = 50)]
fn step_in_100_000(bencher: Bencher) {
    let mut timeline = long_timeline();
    let mut at = 50_000;
    bencher.bench_local(|| {
        at += 1;
        timeline.seek(at);
        timeline.state().pages.len()
    });
}

#[divan::bench(sample_count = 50, sample_size = 1)]
fn jump_in_100_000(bencher: Bencher) {
    let mut timeline = long_timeline();
    let mut at = 1;
    bencher.bench_local(|| {
        at = (at * 48_271 + 11) % 100_000;
        timeline.seek(at);
        timeline.state().pages.len()
    });
}

#[divan::bench]
fn explain_step(bencher: Bencher) {
    let timeline = timeline("18/fillfactor-100");
    bencher.bench(|| black_box(&timeline).explain());
}

#[divan::bench]
fn view_of_a_page(bencher: Bencher) {
    let entry = LibraryEntry { name: "18/fillfactor-100".into(), title: String::new() };
    let mut model = Model::new(vec![entry]);
    let opened =
        Msg::Opened { name: "fillfactor-100".into(), timeline: timeline("18/fillfactor-100"), lost: Vec::new() };
    update(&mut model, opened);
    bencher.bench(|| view(black_box(&model)));
}
