//! Heap pages of real servers, and expected values that those servers gave.

use super::{HeapPage, HeapTuple, TupleState, XactStatus};
use crate::datum::{Align, Attribute};
use crate::page::{ItemIdData, OffsetNumber, Page, golden, region};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

const HOT_CHAIN: &str = include_str!("../../golden/heap_hot_chain.page");

fn attribute(num: u16, name: &str, typid: u32, len: i16, align: Align) -> Attribute {
    Attribute {
        num,
        name: name.to_string(),
        typid,
        type_name: String::new(),
        len,
        align,
        base: None,
        labels: BTreeMap::new(),
        fields: Vec::new(),
        byval: len > 0,
        storage: 'p',
        typmod: -1,
        not_null: false,
        dropped: false,
        missing: None,
    }
}

fn columns() -> Vec<Attribute> {
    Vec::from([
        attribute(1, "id", 23, 4, Align::Int),
        attribute(2, "name", 25, -1, Align::Int),
        attribute(3, "note", 25, -1, Align::Int),
    ])
}

fn decoded() -> (Page, HeapPage) {
    let page = golden::page(HOT_CHAIN);
    let heap = HeapPage::decode(&page, 0);
    (page, heap)
}

/// A page of PostgreSQL 13 with tuples in every state, and the columns of its table.
fn states() -> (Page, HeapPage, Vec<Attribute>) {
    let page = golden::page(include_str!("../../golden/heap_states.page"));
    let attributes = serde_json::from_str(include_str!("../../golden/heap_states.json")).expect("attributes");
    let heap = HeapPage::decode(&page, 0);
    assert_eq!(heap.anomalies, []);
    assert!(region::covers(&heap.regions, page.size()));
    (page, heap, attributes)
}

/// The words for a redirect that leads elsewhere than to a heap-only tuple: what verify_heapam of amcheck looks for.
#[test]
fn redirects_that_cannot_be() {
    // the golden page has six line pointers, all LP_NORMAL
    let check = |edits: &[(u16, ItemIdData)], expected: &[&str]| {
        let mut bytes = golden::page(HOT_CHAIN).bytes().to_vec();
        for (n, lp) in edits {
            let at = usize::from(OffsetNumber(*n).bytes().start);
            bytes[at..at + 4].copy_from_slice(&lp.0.to_le_bytes());
        }
        let heap = HeapPage::decode(&Page::new(&bytes), 0);
        let found: Vec<&str> =
            heap.anomalies.iter().map(|a| a.text.as_str()).filter(|text| text.contains("LP_REDIRECT")).collect();
        assert_eq!(found, expected);
    };
    let to = |n| ItemIdData::redirect_to(OffsetNumber(n));
    check(&[], &[]);
    check(&[(1, to(1))], &["line pointer 1: LP_REDIRECT to itself"]);
    check(
        &[(1, to(2)), (2, to(1))],
        &[
            "line pointer 1: LP_REDIRECT to another LP_REDIRECT 2",
            "line pointer 2: LP_REDIRECT to another LP_REDIRECT 1",
        ],
    );
    check(&[(1, to(2)), (2, ItemIdData::DEAD)], &["line pointer 1: LP_REDIRECT to an LP_DEAD 2"]);
    check(&[(1, to(2)), (2, ItemIdData::UNUSED)], &["line pointer 1: LP_REDIRECT to an LP_UNUSED 2"]);
    check(&[(1, to(99))], &["line pointer 1: LP_REDIRECT to 99, of 6 line pointers"]);
    check(&[(1, to(0))], &["line pointer 1: LP_REDIRECT to 0, of 6 line pointers"]);
}

fn tuple(heap: &HeapPage, n: u16) -> &HeapTuple {
    heap.tuple(OffsetNumber(n)).expect("a tuple")
}

#[test]
fn tuple_headers_are_those_of_heap_page_items() {
    let (_, heap) = decoded();
    let rows: Vec<String> = (heap.items.iter())
        .filter_map(|item| Some((item, item.tuple.as_ref()?)))
        .map(|(item, t)| {
            let (lp, ctid) = (item.lp, t.t_ctid);
            format!(
                "{}|{}|{}|{}|{}|{}|{}|{ctid}|{}|{}|{}",
                item.offset,
                lp.lp_off(),
                lp.lp_flags() as u8,
                lp.lp_len(),
                t.t_xmin,
                t.t_xmax,
                t.t_field3,
                t.t_infomask2,
                t.t_infomask,
                t.t_hoff
            )
        })
        .collect();
    let expected = "\
        1|8160|1|32|769|770|0|(0,4)|16387|1283|24
        2|8120|1|34|769|772|0|(0,2)|8195|1282|24
        3|8080|1|34|769|773|0|(0,6)|16387|2307|24
        4|8048|1|32|770|771|0|(0,5)|49155|9475|24
        5|8008|1|33|771|0|0|(0,5)|32771|10499|24
        6|7968|1|33|773|0|0|(0,6)|32771|10755|24";
    assert_eq!(rows, expected.lines().map(str::trim).collect::<Vec<_>>());
    assert_eq!(heap.anomalies, []);
}

#[test]
fn chains_end_where_the_updater_aborted() {
    let (_, heap) = decoded();
    let chains: Vec<_> = heap.chains.iter().map(|c| c.members.iter().map(|n| n.0).collect::<Vec<_>>()).collect();
    assert_eq!(chains, [[1, 4, 5]]);
}

#[test]
fn states_come_from_hint_bits_and_links() {
    let (_, heap) = decoded();
    let states: Vec<_> = (1..=6).map(|n| tuple(&heap, n).state()).collect();
    use TupleState::{Aborted, Deleted, HeapOnly, HotUpdated, Live};
    assert_eq!(states, [HotUpdated, Deleted, Live, HotUpdated, HeapOnly, Aborted]);
    assert_eq!(tuple(&heap, 2).xmax_status(), XactStatus::Committed);
    assert_eq!(tuple(&heap, 5).xmax_status(), XactStatus::None);
}

#[test]
fn every_byte_has_one_owner() {
    let (page, heap) = decoded();
    assert!(region::covers(&heap.regions, page.size()));
    // header, 6 line pointers, hole, 6 tuples each with its padding but those of 32 bytes
    assert_eq!(heap.regions.len(), 1 + 6 + 1 + 6 + 4);
}

#[test]
fn columns_are_those_of_the_rows() {
    let (page, heap) = decoded();
    let fields = tuple(&heap, 5).fields(&page, &columns());
    let shown: Vec<String> = fields.iter().map(|f| format!("{} {:?} {}", f.name, f.bytes, f.value)).collect();
    assert_eq!(shown[8..], ["id 8032..8036 1", "name 8036..8041 eins", "note 8041..8041 NULL"]);
    assert_eq!(shown[7], "t_bits 8031..8032 11000000");
    let set: Vec<&str> = fields[5].bits.iter().filter(|bit| bit.set).map(|bit| bit.name).collect();
    let names = ["HEAP_HASNULL", "HEAP_HASVARWIDTH", "HEAP_XMIN_COMMITTED", "HEAP_XMAX_INVALID", "HEAP_UPDATED"];
    assert_eq!(set, names);
}

#[test]
fn a_sequence_has_one_row_and_a_magic_number() {
    let page = golden::page(include_str!("../../golden/sequence.page"));
    let heap = HeapPage::decode(&page, 0);
    let row = heap.sequence(&page).expect("a row");
    // select * from s
    assert_eq!((row.last_value(), row.log_cnt(), row.is_called()), (8, 31, true));
    assert_eq!(super::sequence::special_fields(&page)[0].value, "0x1717");
    assert_eq!(heap.regions.last().map(|r| (r.bytes.clone(), r.kind)), Some((8184..8192, region::RegionKind::Special)));
    assert_eq!(heap.anomalies, []);
}

#[test]
fn locks_multixacts_and_frozen_tuples_are_told_apart() {
    let (_, heap, _) = states();
    use TupleState::{Deleted, HeapOnly, HotUpdated, Live, Locked, Updated};
    let states = heap.items.iter().map(|item| item.tuple.as_ref().map(HeapTuple::state));
    let expected = [
        Some(HotUpdated), // by one of two transactions of a multixact
        Some(Live),
        None, // LP_REDIRECT
        Some(HeapOnly),
        Some(Live),
        Some(Live),
        Some(Live),
        Some(Locked), // for share
        Some(Locked), // for update
        Some(Locked), // by a multixact
        Some(Updated),
        Some(Deleted),
        Some(Locked), // the new version, whose old one is locked by another transaction
        Some(Live),
    ];
    assert_eq!(states.collect::<Vec<_>>(), expected);
    assert_eq!(tuple(&heap, 4).xmin_status(), XactStatus::Frozen);
    assert_eq!(tuple(&heap, 8).xmax_status(), XactStatus::Unknown);
    assert_eq!(tuple(&heap, 11).xmax_status(), XactStatus::Committed);
}

#[test]
fn chains_begin_at_redirects_and_follow_multixacts() {
    let (_, heap, _) = states();
    let chains: Vec<_> = heap.chains.iter().map(|c| c.members.iter().map(|n| n.0).collect::<Vec<_>>()).collect();
    assert_eq!(chains, [[1, 13], [3, 4]]);
}

#[test]
fn infomask_bits_are_those_of_heap_tuple_infomask_flags() {
    let (page, heap, attributes) = states();
    let names = |n| {
        let fields = tuple(&heap, n).fields(&page, &attributes);
        let bits =
            fields.iter().filter(|field| field.name.starts_with("t_infomask")).rev().flat_map(|f| f.bits.clone());
        bits.filter(|bit| bit.set).map(|bit| bit.name).collect::<Vec<_>>().join(",")
    };
    // raw_flags and, where they belong by their masks, combined_flags
    assert_eq!(
        names(1),
        "HEAP_HASVARWIDTH,HEAP_XMAX_EXCL_LOCK,HEAP_XMIN_COMMITTED,HEAP_XMIN_INVALID,HEAP_XMIN_FROZEN,\
         HEAP_XMAX_IS_MULTI,HEAP_HOT_UPDATED"
    );
    assert_eq!(
        names(8),
        "HEAP_HASNULL,HEAP_HASVARWIDTH,HEAP_XMAX_KEYSHR_LOCK,HEAP_XMAX_EXCL_LOCK,HEAP_XMAX_SHR_LOCK,\
         HEAP_XMAX_LOCK_ONLY,HEAP_XMIN_COMMITTED"
    );
    assert_eq!(
        names(13),
        "HEAP_HASNULL,HEAP_HASVARWIDTH,HEAP_XMAX_KEYSHR_LOCK,HEAP_XMAX_LOCK_ONLY,HEAP_XMIN_COMMITTED,HEAP_UPDATED,\
         HEAP_ONLY_TUPLE"
    );
}

#[test]
fn toasted_compressed_dropped_and_missing_columns_are_shown_as_what_they_are() {
    let (page, heap, attributes) = states();
    let value = |n, name: &str| {
        let fields = tuple(&heap, n).fields(&page, &attributes);
        fields.into_iter().find(|field| field.name == name).map(|field| field.value).expect("a column")
    };
    // chunk_id and sum(length(chunk_data)) of the TOAST table
    assert_eq!(value(2, "b"), "TOAST pointer: 2700 bytes, stored uncompressed, value 17363 in relation 17358");
    let text = "TOAST pointer: 18400 bytes, stored 7419 compressed (pglz), value 17364 in relation 17358";
    assert_eq!(value(5, "c"), text);
    assert_eq!(value(6, "c"), format!("compressed (pglz), 46 of 3000 bytes: {}", "abcdefghij".repeat(300)));
    assert_eq!(value(6, "........pg.dropped.2........"), "\\x06000000");
    assert_eq!((value(6, "d"), value(6, "e"), value(6, "i")), ("42".into(), "NULL".into(), "late".into()));
    assert_eq!((value(7, "d"), value(7, "f"), value(7, "i")), ("7".into(), "f".into(), "i".into()));
}

#[test]
fn a_page_with_all_its_line_pointers_has_room_only_where_one_is_unused() {
    let made = |size: u16, flags: u16, last: u32| {
        let n = super::max_heap_tuples_per_page(size);
        let lower = 24 + 4 * n;
        let mut bytes = Vec::from_iter((0..size).map(|_| 0));
        for (at, value) in [(10, flags), (12, lower), (14, size), (16, size), (18, size | 4)] {
            bytes[at..at + 2].copy_from_slice(&u16::to_le_bytes(value));
        }
        for at in (24..usize::from(lower)).step_by(4) {
            bytes[at..at + 4].copy_from_slice(&0x0001_8000_u32.to_le_bytes());
        }
        bytes[usize::from(lower) - 4..usize::from(lower)].copy_from_slice(&last.to_le_bytes());
        (super::heap_free_space(&Page::new(&bytes)), size - lower - 4)
    };
    for size in [4096, 8192, 16384, 32768] {
        let (dead, _) = made(size, 1, 0x0001_8000);
        let (unused, room) = made(size, 1, 0);
        let (not_told, _) = made(size, 0, 0);
        assert_eq!((dead, unused, not_told), (0, room, 0), "{size} bytes");
    }
    assert_eq!(super::max_heap_tuples_per_page(8192), 291);
    // a page with line pointers to spare: pd_upper − pd_lower − 4
    assert_eq!(super::heap_free_space(&golden::page(HOT_CHAIN)), 7968 - 48 - 4);
}

#[test]
fn values_in_the_header_are_put_in_words() {
    let (page, heap, attributes) = states();
    let meaning = |n, name: &str| {
        let fields = tuple(&heap, n).fields(&page, &attributes);
        fields.into_iter().find(|field| field.name == name).map(|field| field.meaning).expect("a field")
    };
    assert_eq!(meaning(4, "t_xmin"), "inserting transaction; frozen: visible to all");
    assert_eq!(meaning(8, "t_xmax"), "transaction that locks the row FOR SHARE; when it ends, so does the lock");
    assert_eq!(meaning(9, "t_xmax"), "transaction that locks the row FOR UPDATE; when it ends, so does the lock");
    assert_eq!(meaning(10, "t_xmax"), "multixact of the transactions that lock the row");
    assert_eq!(meaning(12, "t_xmax"), "deleting transaction; committed");
    assert_eq!(meaning(11, "t_ctid"), "the next version; index entries of its own lead there");
    assert_eq!(meaning(1, "t_ctid"), "the next version, in the same HOT chain: line pointer 13");
    assert_eq!(meaning(12, "t_field3"), "t_cmax: number of the deleting or updating command within its transaction");
    assert_eq!(meaning(8, "t_field3"), "t_cmin: number of the inserting command within its transaction");
    assert_eq!(meaning(13, "t_infomask2"), "10 attributes, heap-only");
}
