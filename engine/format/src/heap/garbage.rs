//! No bytes make the decoders panic, and every byte of every page has one owner: random pages, and real ones with
//! random bytes changed.

use super::HeapPage;
use crate::datum::Attribute;
use crate::page::region::{Region, covers};
use crate::page::{Anomaly, FsmPage, Page, VmPage, garbage, golden};
use alloc::vec;
use alloc::vec::Vec;
use proptest::strategy::Strategy;

static GOLDEN: [&str; 6] = [
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
        for field in attributes.iter().flat_map(|columns| tuple.fields(&page, columns)) {
            let (of, all) = (&field.bytes, &tuple.bytes);
            assert!(all.start <= of.start && of.start <= of.end && of.end <= all.end, "{field:?} of {all:?}");
        }
    }
}

fn run(cases: u32, pages: &impl Strategy<Value = Vec<u8>>) {
    let attributes = attributes();
    garbage::run(cases, pages, |bytes| check(bytes, &attributes));
}

#[test]
fn random_pages_of_all_sizes() {
    run(500, &garbage::random());
}

#[test]
fn mutated_real_pages() {
    run(3000, &garbage::mutated(&GOLDEN));
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
