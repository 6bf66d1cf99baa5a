//! No bytes make the decoder, the key text or the tree panic or loop; every byte has one owner, every page of a tree
//! one place.

use super::tree::{KeyColumns, Tree};
use super::{BtPage, search};
use crate::datum::Attribute;
use crate::page::region::covers;
use crate::page::{BlockNumber, ItemPointer, OffsetNumber, Page, PgVersion, garbage, golden};
use alloc::vec;
use alloc::vec::Vec;
use proptest::prelude::*;

static GOLDEN: [&str; 8] = [
    include_str!("../../golden/btree_meta.page"),
    include_str!("../../golden/btree_meta_13.page"),
    include_str!("../../golden/btree_root.page"),
    include_str!("../../golden/btree_leaf.page"),
    include_str!("../../golden/btree_half_dead.page"),
    include_str!("../../golden/btree_half_dead_13.page"),
    include_str!("../../golden/btree_deleted.page"),
    include_str!("../../golden/btree_deleted_13.page"),
];

fn attributes() -> Vec<Attribute> {
    serde_json::from_str(include_str!("../../golden/btree_leaf.json")).expect("attributes")
}

/// What holds of any bytes.
fn check(bytes: &[u8], attributes: &[Attribute]) {
    let page = Page::new(bytes);
    for version in [130_000, 180_000].map(PgVersion) {
        let bt = BtPage::decode(&page, version);
        assert!(covers(&bt.regions, page.size()), "{} bytes: {:?}", page.size(), bt.regions);
        assert!(bt.anomalies.iter().all(|a| a.bytes.start <= a.bytes.end && !a.text.is_empty()), "{:?}", bt.anomalies);
        let _ = (bt.word(), bt.level_word(), bt.special_fields(&page, version), bt.meta_fields(&page, version));
        for tuple in bt.items.iter().filter_map(|item| item.tuple.as_ref()).take(15) {
            // an index may have fewer columns than its tuples, and key columns than it says
            for (known, n_keys) in [(attributes, 2), (attributes, 40), (&attributes[..1], 2), (&[], 1)] {
                let _ = tuple.key_text(&page, known, n_keys);
                for field in tuple.fields(&page, known, n_keys) {
                    let (of, all) = (&field.bytes, &tuple.bytes);
                    assert!(all.start <= of.start && of.start <= of.end && of.end <= all.end, "{field:?} of {all:?}");
                }
            }
        }
    }
}

#[test]
fn random_pages_of_all_sizes() {
    let attributes = attributes();
    garbage::run(400, &garbage::random(), |bytes| check(bytes, &attributes));
}

#[test]
fn mutated_real_pages() {
    let attributes = attributes();
    garbage::run(3000, &garbage::mutated(&GOLDEN), |bytes| check(bytes, &attributes));
}

#[test]
fn cut_and_empty_pages() {
    let attributes = attributes();
    for size in (0..200).chain([4096, 8191, 8192]) {
        for text in GOLDEN {
            check(&golden::page(text).bytes()[..size], &attributes);
        }
        check(&vec![0; size], &attributes);
        check(&vec![0xFF; size], &attributes);
    }
}

/// Pages of an index in any order, with links and flags that lead anywhere: each block is in the tree, or apart, once.
#[test]
fn trees_of_mutated_pages() {
    let attributes = attributes();
    let columns = KeyColumns { attributes: &attributes, n_keys: 2 };
    let forest = prop::collection::vec(garbage::mutated(&GOLDEN), 1..12);
    let joined = forest.prop_map(|pages| pages.concat());
    garbage::run(300, &joined, |bytes| {
        let pages: Vec<Page> = bytes.chunks(8192).map(Page::new).collect();
        let known = || (0..).zip(&pages);
        let tree = Tree::build(known(), PgVersion(180_000), columns, Tree::default());
        let mut placed: Vec<BlockNumber> = (tree.metapage.iter().chain(tree.nodes()).chain(&tree.apart))
            .filter(|node| node.contents.is_some())
            .map(|node| node.block)
            .collect();
        placed.sort_unstable();
        assert!(placed.iter().copied().eq(0..pages.len() as BlockNumber), "{placed:?} of {}", pages.len());
        let tid = ItemPointer { block: 0, offset: OffsetNumber(1) };
        let _ = search::entries(known(), PgVersion(180_000), tid);
    });
}
