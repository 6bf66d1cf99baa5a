//! Heap pages made by hand: of the sizes no package has, and damaged ones with what is said of them.

use super::{HeapPage, HeapTuple};
use crate::page::region::{RegionKind, covers};
use crate::page::{OffsetNumber, Page, golden};
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

const HOT_CHAIN: &str = include_str!("../../golden/heap_hot_chain.page");

/// The golden page with its tuples at the end of a page of another size, and `special` bytes after them.
fn resized(size: u16, special: u16) -> Vec<u8> {
    let golden = golden::page(HOT_CHAIN);
    let header = golden.header();
    let mut bytes = vec![0; usize::from(size)];
    let (lower, tuples) = (header.pd_lower(), golden.slice(header.pd_upper()..8192));
    let end = usize::from(size - special);
    bytes[..usize::from(lower)].copy_from_slice(golden.slice(0..lower));
    bytes[end - tuples.len()..end].copy_from_slice(tuples);
    put(&mut bytes, 14, (end - tuples.len()) as u16);
    put(&mut bytes, 16, end as u16);
    put(&mut bytes, 18, size | 4);
    for (n, lp) in golden.line_pointers() {
        let word = (lp.0 & !0x7FFF) | u32::from(end as u16 - (8192 - lp.lp_off()));
        put_line_pointer(&mut bytes, n.0, word);
    }
    bytes
}

fn put(bytes: &mut [u8], at: usize, value: u16) {
    bytes[at..at + 2].copy_from_slice(&value.to_le_bytes());
}

fn put_line_pointer(bytes: &mut [u8], n: u16, word: u32) {
    let at = usize::from(OffsetNumber(n).bytes().start);
    bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
}

const fn line_pointer(lp_off: u16, lp_flags: u32, lp_len: u16) -> u32 {
    lp_off as u32 | lp_flags << 15 | (lp_len as u32) << 17
}

/// What is said of a damaged page; that every byte still has one owner is checked besides.
fn said(bytes: &[u8]) -> (HeapPage, Vec<String>) {
    let page = Page::new(bytes);
    let heap = HeapPage::decode(&page, 0);
    assert!(covers(&heap.regions, page.size()), "{:?}", heap.regions);
    let texts = heap.anomalies.iter().map(|anomaly| anomaly.text.clone()).collect();
    (heap, texts)
}

#[test]
fn pages_of_every_size_hold_the_same_tuples() {
    let golden = golden::page(HOT_CHAIN);
    let original = HeapPage::decode(&golden, 0);
    for size in [4096, 8192, 16384, 32768] {
        let (heap, texts) = said(&resized(size, 0));
        assert_eq!(texts, Vec::<String>::new(), "{size} bytes");
        assert_eq!(heap.chains, original.chains);
        assert_eq!(heap.regions.len(), original.regions.len());
        let states =
            |heap: &HeapPage| heap.items.iter().map(|i| i.tuple.as_ref().map(HeapTuple::state)).collect::<Vec<_>>();
        assert_eq!(states(&heap), states(&original));
        let last = heap.tuple(OffsetNumber(1)).expect("a tuple");
        assert_eq!(
            (last.bytes.clone(), last.t_ctid),
            (size - 32..size, original.tuple(OffsetNumber(1)).expect("one").t_ctid)
        );
    }
}

#[test]
fn a_tuple_that_reaches_into_the_special_space_is_told() {
    let mut bytes = resized(8192, 16);
    put_line_pointer(&mut bytes, 2, line_pointer(8152, 1, 40));
    let (heap, texts) = said(&bytes);
    assert_eq!(texts, ["line pointer 2: lp_off 8152 + lp_len 40 exceeds pd_special 8176"]);
    assert_eq!(heap.item(OffsetNumber(2)).map(|item| item.tuple.is_none()), Some(true));
    assert_eq!(heap.regions.last().map(|r| (r.bytes.clone(), r.kind)), Some((8176..8192, RegionKind::Special)));
}

#[test]
fn of_tuples_that_overlap_the_first_keeps_the_bytes() {
    let mut bytes = resized(8192, 0);
    // lp 6 has 7968..8001 and lp 5 8008..8041; now lp 6 reaches into lp 5's tuple
    put_line_pointer(&mut bytes, 6, line_pointer(7968, 1, 48));
    let (heap, texts) = said(&bytes);
    assert_eq!(texts, ["tuple of line pointer 5 overlaps tuple of line pointer 6"]);
    let owned = |n| heap.regions.iter().find(|r| r.kind == RegionKind::Tuple(OffsetNumber(n))).map(|r| r.bytes.clone());
    assert_eq!((owned(6), owned(5)), (Some(7968..8016), Some(8016..8041)));
    // the anomaly names the shared bytes
    assert_eq!(heap.anomalies[0].bytes, 8008..8016);
}

#[test]
fn two_line_pointers_to_one_tuple_are_told() {
    let mut bytes = resized(8192, 0);
    put_line_pointer(&mut bytes, 2, line_pointer(8160, 1, 32));
    let (heap, texts) = said(&bytes);
    let expected = [
        "tuple of line pointer 2 overlaps tuple of line pointer 1",
        "HOT chain of line pointer 2 reaches 4, which is in that of 1 already",
    ];
    assert_eq!(texts, expected);
    // what line pointer 2 led to before is nobody's now
    assert!(heap.regions.iter().any(|r| r.kind == RegionKind::Residue(8120) && r.bytes == (8120..8160)));
}

#[test]
fn headers_and_line_pointers_that_cannot_be_are_told() {
    let mut bytes = resized(8192, 0);
    put(&mut bytes, 10, 0x0010);
    put(&mut bytes, 12, 8000);
    put_line_pointer(&mut bytes, 1, line_pointer(0, 1, 40));
    put_line_pointer(&mut bytes, 2, line_pointer(8120, 1, 20));
    put_line_pointer(&mut bytes, 3, line_pointer(4000, 2, 0));
    put_line_pointer(&mut bytes, 4, line_pointer(0, 0, 8));
    let (_, texts) = said(&bytes);
    for text in [
        "pd_flags has unknown bits 0x0010",
        "pd_lower 8000 exceeds pd_upper 7968",
        "line pointer 1: lp_off 0 lies within the page header",
        "line pointer 2: lp_len 20 is less than the 23 bytes of a tuple header",
        "line pointer 3: LP_REDIRECT to 4000, of 1994 line pointers",
        "line pointer 4: LP_UNUSED with lp_len 8",
    ] {
        assert!(texts.iter().any(|said| said == text), "{text:?} is not in {texts:?}");
    }
}

#[test]
fn a_tuple_header_that_cannot_be_is_told() {
    let mut bytes = resized(8192, 0);
    bytes[8160 + 22] = 200;
    bytes[8120 + 22] = 16;
    bytes[8080 + 22] = 26;
    let (heap, texts) = said(&bytes);
    let expected = [
        "tuple 1: t_hoff 200 exceeds lp_len 32",
        "tuple 2: t_hoff 16 is less than 24, the size of header and null bitmap",
        "tuple 3: t_hoff 26 is not a multiple of 8",
    ];
    assert_eq!(texts, expected);
    assert_eq!(heap.tuple(OffsetNumber(1)).map(HeapTuple::data), Some(8192..8192));
}

#[test]
fn a_chain_that_runs_in_a_circle_ends_and_is_told() {
    let mut bytes = resized(8192, 0);
    // lp 5, the last of the chain 1 → 4 → 5, says that transaction 770 updated it and that the next version is lp 4,
    // which 770 made
    let tuple = 8008;
    put(&mut bytes, tuple + 4, 770);
    put(&mut bytes, tuple + 16, 4);
    put(&mut bytes, tuple + 18, 0xC003);
    put(&mut bytes, tuple + 20, 0x2103);
    let (heap, texts) = said(&bytes);
    assert_eq!(texts, ["HOT chain of line pointer 1 reaches 4, which is in that of 1 already"]);
    assert_eq!(heap.chains[0].members, [1, 4, 5].map(OffsetNumber));
}

#[test]
fn a_page_that_is_new_but_not_empty_is_told() {
    let mut bytes = vec![0; 8192];
    assert_eq!(said(&bytes).1, Vec::<String>::new());
    bytes[5000] = 7;
    let (heap, texts) = said(&bytes);
    assert_eq!(
        texts,
        [
            "pd_upper is 0 as on a page that was never written, but byte 5000 is not zero: a server says \"invalid page\""
        ]
    );
    // its header, and bytes that nothing tells of
    assert_eq!(heap.regions.len(), 2);
}
