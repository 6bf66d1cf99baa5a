//! Pages of real servers, and expected values that those servers gave; pages of other sizes made by hand.

use super::fsm::{FsmAddress, FsmTarget, category_bytes};
use super::layout::Wire;
use super::region::covers;
use super::{ChecksumState, FsmPage, Page, PageHeaderData, PageKind, VmBits, VmPage, golden};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

const HEAP: &str = include_str!("../../golden/heap_hot_chain.page");
const FSM: &str = include_str!("../../golden/fsm.page");
const VM: &str = include_str!("../../golden/vm.page");
const SEQUENCE: &str = include_str!("../../golden/sequence.page");

/// The sizes `--with-blocksize` takes that ffviz reads.
const SIZES: [u16; 4] = [4096, 8192, 16384, 32768];

/// An initialised page, as `PageInit` leaves it, and what `edit` makes of it.
fn made(size: u16, special: u16, edit: impl FnOnce(&mut [u8])) -> Page {
    let mut bytes = vec![0; usize::from(size)];
    let values = [("pd_lower", 24), ("pd_upper", size - special), ("pd_special", size - special)];
    for (name, value) in values.into_iter().chain([("pd_pagesize_version", size | 4)]) {
        let spec = PageHeaderData::FIELDS.iter().find(|spec| spec.name == name).expect("a field");
        value.set(&mut bytes[usize::from(spec.offset)..]);
    }
    edit(&mut bytes);
    Page::new(&bytes)
}

#[test]
fn checksums_are_those_of_page_checksum() {
    // select page_checksum(get_raw_page('t',0), n) & 65535
    assert_eq!(golden::page(HEAP).checksum(0), Some(21815));
    assert_eq!(golden::page(HEAP).checksum(100_000), Some(56214));
    assert_eq!(golden::page(FSM).checksum(2), Some(23211));
}

#[test]
fn a_checksum_is_verified_on_pages_of_every_size() {
    for size in SIZES {
        let blank = made(size, 0, |_| {});
        assert_eq!(blank.verify_checksum(7), ChecksumState::None);
        let right = blank.checksum(7).expect("a checksum");
        let stored = made(size, 0, |bytes| right.set(&mut bytes[8..]));
        assert_eq!(stored.verify_checksum(7), ChecksumState::Correct);
        assert!(matches!(stored.verify_checksum(8), ChecksumState::Different(_)));
        let damaged = made(size, 0, |bytes| {
            right.set(&mut bytes[8..]);
            bytes[usize::from(size) - 1] = 1;
        });
        assert!(matches!(damaged.verify_checksum(7), ChecksumState::Different(_)));
    }
}

#[test]
fn kinds_are_told_from_the_special_space() {
    assert_eq!(Page::new(&[0; 8192]).kind(), PageKind::New);
    assert_eq!(golden::page(HEAP).kind(), PageKind::Heap);
    assert_eq!(golden::page(SEQUENCE).kind(), PageKind::Sequence);
    for size in SIZES {
        assert_eq!(made(size, 0, |_| {}).kind(), PageKind::Empty);
        assert_eq!(made(size, 16, |_| {}).kind(), PageKind::Btree);
        // a hash index: hasho_page_id 0xFF80
        let hash = made(size, 16, |bytes| 0xFF80_u16.set(&mut bytes[usize::from(size) - 2..]));
        assert_eq!(hash.kind(), PageKind::Other);
        assert_eq!(made(size, 0, |_| {}).header_anomalies(), []);
    }
}

#[test]
fn only_a_page_of_zeros_was_never_written() {
    let zeroed = |range: core::ops::Range<usize>| {
        let mut bytes = golden::page(HEAP).bytes().to_vec();
        bytes[range].fill(0);
        let page = Page::new(&bytes);
        (page.kind(), page.is_zero(), page.header_anomalies().len())
    };
    assert_eq!(zeroed(0..8192), (PageKind::New, true, 0));
    // PostgreSQL says of each of these: invalid page in block 0 of relation base/…
    assert_eq!(zeroed(0..24), (PageKind::Invalid, false, 1));
    assert_eq!(zeroed(14..16), (PageKind::Invalid, false, 1));
    assert_eq!(zeroed(24..8192).0, PageKind::Heap);
}

#[test]
fn header_fields_say_what_their_values_mean() {
    let fields = golden::page(HEAP).header_fields(0);
    let shown: Vec<String> =
        fields.iter().map(|f| format!("{} {:?} {}: {}", f.name, f.bytes, f.value, f.meaning)).collect();
    // select * from page_header(get_raw_page('t',0))
    assert_eq!(
        shown,
        [
            "pd_lsn 0..8 0/21F4250: end of the last WAL record that changed the page",
            "pd_checksum 8..10 0: none: checksums are off, or the page was never written out",
            "pd_flags 10..12 0x0000: hints: free line pointers, page full, all visible",
            "pd_lower 12..14 48: end of 6 line pointers, start of the hole",
            "pd_upper 14..16 7968: end of the hole, start of the tuples: 7920 bytes between pd_lower and here",
            "pd_special 16..18 8192: end of the page: no special space",
            "pd_pagesize_version 18..20 8196: page of 8192 bytes, layout version 4",
            "pd_prune_xid 20..24 770: oldest xid whose deletion or update may let this page be pruned",
        ]
    );
    assert_eq!(fields[2].bits.len(), 3);
}

#[test]
fn fsm_nodes_are_those_of_fsm_page_contents() {
    let fsm = FsmPage::decode(&golden::page(FSM), 2);
    let nodes = (fsm.nodes.iter().enumerate()).filter(|(_, value)| **value != 0);
    let shown: Vec<String> = nodes.map(|(node, value)| format!("{node}: {value}")).collect();
    // the first and the last of select fsm_page_contents(get_raw_page('m','fsm',2))
    assert_eq!(shown[..9].join(", "), "0: 108, 1: 108, 3: 108, 7: 108, 15: 108, 31: 108, 63: 108, 127: 7, 128: 108");
    assert_eq!(shown[shown.len() - 3..].join(", "), "4143: 1, 4145: 8, 4146: 108");
    assert_eq!((shown.len(), fsm.fp_next_slot, fsm.nodes.len(), fsm.inner), (63, 8, 8164, 4095));
    assert_eq!(fsm.anomalies, []);
}

#[test]
fn fsm_slots_are_those_of_pg_freespace() {
    let fsm = FsmPage::decode(&golden::page(FSM), 2);
    let free: Vec<u16> = fsm.slots().iter().map(|category| category_bytes(*category, 8192)).collect();
    // select * from pg_freespace('m')
    assert_eq!((free[6], free[7], free[16], free[50], free[51], free[52]), (0, 32, 224, 256, 3456, 0));
    assert_eq!(category_bytes(255, 8192), 8160);
    assert_eq!(fsm.address.target(51, 8192), FsmTarget::Heap(51));
}

#[test]
fn fsm_pages_stand_in_a_tree_of_three_levels() {
    let at = |block| FsmAddress::of_block(block, 8192);
    let places = [(0, 2, 0), (1, 1, 0), (2, 0, 0), (3, 0, 1), (4070, 0, 4068), (4071, 1, 1), (4072, 0, 4069)];
    for (block, level, logpageno) in places {
        assert_eq!(at(block), FsmAddress { level, logpageno }, "block {block}");
    }
    for block in (0..4_000_000).step_by(997) {
        for size in SIZES {
            assert_eq!(FsmAddress::of_block(block, size).block(size), block, "block {block} of {size} bytes");
        }
    }
    assert_eq!(at(0).target(1, 8192), FsmTarget::Fsm(4071));
    assert_eq!(at(1).target(0, 8192), FsmTarget::Fsm(2));
    assert_eq!(at(4072).target(3, 8192), FsmTarget::Heap(4069 * 4069 + 3));
}

#[test]
fn an_fsm_node_less_than_its_child_is_told() {
    for size in SIZES {
        let page = made(size, 0, |bytes| *bytes.last_mut().expect("a byte") = 9);
        let fsm = FsmPage::decode(&page, 2);
        assert!(covers(&fsm.regions, size));
        let last_inner = fsm.inner - 1;
        let text = format!("node {last_inner} is 0, the greater of its children 9; 0 more nodes differ so");
        // in a tree with an odd last node its parent is not the last inner one
        let found: Vec<String> = fsm.anomalies.iter().map(|anomaly| anomaly.text.to_string()).collect();
        assert!(
            found.len() == 1 && (found[0] == text || found[0].contains("the greater of its children 9")),
            "{found:?}"
        );
    }
}

#[test]
fn vm_bits_are_those_of_pg_visibility_map() {
    let page = golden::page(VM);
    let vm = VmPage::decode(&page, 0);
    let shown = |block| vm.bits(block).map(|VmBits { all_visible, all_frozen }| (all_visible, all_frozen));
    // select * from pg_visibility_map('m')
    assert_eq!(shown(0), Some((true, true)));
    assert_eq!(shown(2), Some((true, false)));
    assert_eq!(shown(7), Some((false, false)));
    assert_eq!(shown(24), Some((false, false)));
    assert_eq!(shown(51), Some((true, false)));
    assert_eq!(shown(52), Some((false, false)));
    assert_eq!((vm.blocks(), shown(32672)), (0..32672, None));
    assert_eq!(vm.counts(), (50, 35));
    assert_eq!(vm.anomalies, []);
    assert!(covers(&vm.regions, 8192));
}

#[test]
fn vm_pages_of_every_size_tell_frozen_without_visible() {
    for size in SIZES {
        let vm = VmPage::decode(&made(size, 0, |bytes| bytes[25] = 0b0010_0000), 1);
        let block = vm.first + 4 + 2;
        assert_eq!(vm.first, (u32::from(size) - 24) * 4);
        assert_eq!(vm.bits(block), Some(VmBits { all_visible: false, all_frozen: true }));
        assert_eq!(vm.anomalies[0].text, format!("block {block} is all-frozen but not all-visible"));
    }
}
