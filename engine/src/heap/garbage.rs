//! No bytes make the decoders panic, and every byte of every page has one owner: random pages, and real ones with random bytes changed.

use super::HeapPage;
use crate::datum::Attribute;
use crate::page::region::{Region, covers};
use crate::page::{Anomaly, FsmPage, ItemIdData, Page, PgVersion, VmPage, golden};
use alloc::vec;
use alloc::vec::Vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

const GOLDEN: [&str; 6] = [
    include_str!("../../golden/heap_hot_chain.page"),
    include_str!("../../golden/heap_states.page"),
    include_str!("../../golden/types.page"),
    include_str!("../../golden/fsm.page"),
    include_str!("../../golden/vm.page"),
    include_str!("../../golden/sequence.page"),
];

fn attributes() -> Vec<Vec<Attribute>> {
    [include_str!("../../golden/heap_states.json"), include_str!("../../golden/types.json")]
        .map(|json| serde_json::from_str(json).expect("attributes"))
        .into()
}

/// What holds of any bytes.
fn check(bytes: &[u8], attributes: &[Vec<Attribute>]) {
    let page = Page::new(bytes);
    let size = page.size();
    let sound = |regions: &[Region], anomalies: &[Anomaly]| {
        assert!(covers(regions, size), "{size} bytes: {regions:?}");
        assert!(anomalies.iter().all(|a| a.bytes.start <= a.bytes.end && !a.text.is_empty()), "{anomalies:?}");
    };
    let heap = HeapPage::decode(&page, 3);
    sound(&heap.regions, &heap.anomalies);
    let fsm = FsmPage::decode(&page, 2);
    sound(&fsm.regions, &fsm.anomalies);
    let vm = VmPage::decode(&page, 0);
    sound(&vm.regions, &vm.anomalies);
    let _ = (page.kind(), page.header_fields(3), page.verify_checksum(3), super::sequence::special_fields(&page));
    for chain in &heap.chains {
        assert!(chain.members.len() > 1 && chain.members[0] == chain.root, "{chain:?}");
        let mut members = chain.members.clone();
        members.sort_unstable();
        assert!(members.windows(2).all(|pair| pair[0] < pair[1]), "a member twice: {chain:?}");
    }
    // a page of garbage can have thousands of tuples: some of them do
    for tuple in heap.items.iter().filter_map(|item| item.tuple.as_ref()).take(40) {
        let _ = tuple.state();
        for field in attributes.iter().flat_map(|columns| tuple.fields(&page, columns, PgVersion(180_004))) {
            let (of, all) = (&field.bytes, &tuple.bytes);
            assert!(all.start <= of.start && of.start <= of.end && of.end <= all.end, "{field:?} of {all:?}");
        }
    }
}

/// Any page: its size, seed of its bytes.
fn random() -> impl Strategy<Value = Vec<u8>> {
    (0..=32768_usize, any::<u64>(), any::<bool>()).prop_map(|(size, seed, plausible)| {
        let mut state = seed | 1;
        let mut bytes: Vec<u8> = (0..size)
            .map(|_| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                state as u8
            })
            .collect();
        // a header that lets the decoders get further than the first check
        if plausible && size >= 64 {
            let (size, lower) = (size as u16, 24 + 4 * (seed % 300) as u16 % (size as u16 - 24));
            for (at, value) in [(12, lower), (14, lower), (16, size), (18, size | 4)] {
                bytes[at..at + 2].copy_from_slice(&value.to_le_bytes());
            }
        }
        bytes
    })
}

/// A real page of some length, with some bytes changed; half of these among header and line pointers.
fn mutated() -> impl Strategy<Value = Vec<u8>> {
    let edits = prop::collection::vec((any::<bool>(), any::<u16>(), any::<u8>()), 0..40);
    let sizes = prop_oneof![4 => Just(8192_usize), 1 => 0..=32768_usize];
    (0..GOLDEN.len(), sizes, edits).prop_map(|(which, size, edits)| {
        let mut bytes = vec![0; size];
        let golden = golden::page(GOLDEN[which]);
        let shared = size.min(golden.bytes().len());
        bytes[..shared].copy_from_slice(&golden.bytes()[..shared]);
        for (in_front, at, value) in edits {
            let range = if in_front { 24 + 20 * ItemIdData::SIZE } else { size };
            if let Some(byte) = bytes.get_mut(usize::from(at) % range.max(1)) {
                *byte = value;
            }
        }
        bytes
    })
}

fn run(cases: u32, pages: &impl Strategy<Value = Vec<u8>>) {
    let attributes = attributes();
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let outcome = TestRunner::new(config).run(pages, |bytes| {
        check(&bytes, &attributes);
        Ok(())
    });
    outcome.expect("holds of any bytes");
    std::println!("{cases} pages");
}

#[test]
fn random_pages_of_all_sizes() {
    run(500, &random());
}

#[test]
fn mutated_real_pages() {
    run(3000, &mutated());
}

#[test]
fn cut_and_empty_pages() {
    let whole = golden::page(GOLDEN[1]);
    let attributes = attributes();
    for size in (0..200).chain([4096, 8191, 8192]) {
        check(&whole.bytes()[..size], &attributes);
        check(&vec![0; size], &attributes);
        check(&vec![0xFF; size], &attributes);
    }
}
