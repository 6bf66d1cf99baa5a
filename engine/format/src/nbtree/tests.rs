//! B-tree pages of real servers; expected values are those of `bt_metap`, `bt_page_stats` and `bt_page_items` on the
//! same server.

use super::tree::{KeyColumns, Tree};
use super::{BtKind, BtPage, IndexTuple, IndexTupleKind, search};
use crate::datum::Attribute;
use crate::page::{Field, ItemPointer, LpFlags, OffsetNumber, Page, PgVersion, golden};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

const V13: PgVersion = PgVersion(130_023);
const V18: PgVersion = PgVersion(180_004);

const META: &str = include_str!("../../golden/btree_meta.page");
const META_13: &str = include_str!("../../golden/btree_meta_13.page");
const ROOT: &str = include_str!("../../golden/btree_root.page");
const LEAF: &str = include_str!("../../golden/btree_leaf.page");
const HALF_DEAD: &str = include_str!("../../golden/btree_half_dead.page");
const DELETED: &str = include_str!("../../golden/btree_deleted.page");
const DELETED_13: &str = include_str!("../../golden/btree_deleted_13.page");

fn attributes() -> Vec<Attribute> {
    serde_json::from_str(include_str!("../../golden/btree_leaf.json")).expect("attributes")
}

fn decoded(text: &str, version: PgVersion) -> (Page, BtPage) {
    let page = golden::page(text);
    let bt = BtPage::decode(&page, version);
    assert!(bt.anomalies.is_empty(), "{:?}", bt.anomalies);
    (page, bt)
}

fn tuple(bt: &BtPage, n: u16) -> &IndexTuple {
    bt.item(OffsetNumber(n)).and_then(|item| item.tuple.as_ref()).expect("a tuple")
}

fn keys(page: &Page, bt: &BtPage) -> Vec<String> {
    let tuples = bt.items.iter().filter_map(|item| item.tuple.as_ref());
    tuples.map(|tuple| tuple.key_text(page, &attributes(), 2)).collect()
}

fn tid(block: u32, offset: u16) -> ItemPointer {
    ItemPointer { block, offset: OffsetNumber(offset) }
}

/// `name value` of each field, and the names of the bits that are set.
fn lines(fields: &[Field]) -> Vec<String> {
    let bits = |field: &Field| -> String {
        field.bits.iter().filter(|bit| bit.set).map(|bit| format!(" {}", bit.name)).collect()
    };
    fields.iter().map(|field| format!("{} {}{}", field.name, field.value, bits(field))).collect()
}

#[test]
fn metapages_of_13_and_18() {
    let (page, bt) = decoded(META, V18);
    let meta = bt.meta.expect("a metapage");
    assert_eq!((bt.kind, meta.btm_version, meta.btm_root, meta.btm_level), (BtKind::Meta, 4, 3, 1));
    assert_eq!((meta.btm_fastroot, meta.btm_fastlevel, meta.btm_allequalimage), (3, 1, true));
    let names = |fields: Vec<Field>| -> Vec<String> { fields.into_iter().map(|field| field.name).collect() };
    assert_eq!(names(bt.meta_fields(&page, V18))[6], "btm_last_cleanup_num_delpages");
    let (page, bt) = decoded(META_13, V13);
    assert_eq!(names(bt.meta_fields(&page, V13))[6], "btm_oldest_btpo_xact");
    assert_eq!(lines(&bt.meta_fields(&page, V13))[8], "btm_last_cleanup_num_heap_tuples -1");
}

#[test]
fn leaf_with_high_key_posting_list_null_and_killed_item() {
    let (page, bt) = decoded(LEAF, V18);
    assert_eq!((bt.kind, bt.word(), bt.btpo_next, bt.items.len()), (BtKind::Leaf, "leaf", 2, 5));
    assert_eq!(keys(&page, &bt), ["(4, dup) TID (0,139)", "(1, one)", "(2, NULL)", "(3, three)", "(4, dup)"],);
    assert_eq!(tuple(&bt, 1).kind, IndexTupleKind::HighKey { n_keys: 2, heap_tid: Some(tid(0, 139)) });
    assert_eq!(tuple(&bt, 2).kind, IndexTupleKind::Posting((1..=5).map(|n| tid(0, n)).collect()));
    assert_eq!(tuple(&bt, 3).kind, IndexTupleKind::Plain(tid(0, 6)));
    let killed = bt.item(OffsetNumber(4)).expect("an item");
    assert_eq!((killed.lp.lp_flags(), killed.tuple.is_some()), (LpFlags::Dead, true));
    assert_eq!(
        lines(&bt.special_fields(&page, V18)),
        ["btpo_prev 0", "btpo_next 2", "btpo_level 0", "btpo_flags 0x0041 BTP_LEAF BTP_HAS_GARBAGE", "btpo_cycleid 0"]
    );
}

#[test]
fn fields_of_each_kind_of_tuple() {
    let (page, leaf) = decoded(LEAF, V18);
    let fields = |bt: &BtPage, page: &Page, n: u16| tuple(bt, n).fields(page, &attributes(), 2);
    assert_eq!(
        lines(&fields(&leaf, &page, 1)),
        [
            "t_tid (16,4098) BT_PIVOT_HEAP_TID_ATTR",
            "t_info 0x6018 INDEX_ALT_TID_MASK INDEX_VAR_MASK",
            "a 4",
            "b dup",
            "heap TID (0,139)"
        ]
    );
    assert!(fields(&leaf, &page, 1)[0].meaning.contains("block number 16 is left over"));
    let posting = lines(&fields(&leaf, &page, 2));
    assert_eq!((posting[0].as_str(), posting.len()), ("t_tid (16,8197) BT_IS_POSTING", 2 + 2 + 5));
    let with_null = lines(&fields(&leaf, &page, 3));
    assert_eq!(with_null[2..], ["null bitmap 10000000000000000000000000000000", "a 2", "b NULL"]);
    let (page, root) = decoded(ROOT, V18);
    assert_eq!(lines(&fields(&root, &page, 5))[2..], ["a 31", "b -inf"]);
}

#[test]
fn root_with_minus_infinity_and_truncated_pivots() {
    let (page, bt) = decoded(ROOT, V18);
    assert_eq!((bt.kind, bt.word(), bt.level_word()), (BtKind::Internal, "root", "level 1 (root)".to_string()));
    assert_eq!(
        keys(&page, &bt),
        ["(-inf, -inf)", "(4, dup) TID (0,139)", "(4, dup) TID (1,45)", "(4, dup) TID (1,177)", "(31, -inf)"]
    );
    let children: Vec<_> = bt.children().map(|(n, child)| (n.0, child)).collect();
    assert_eq!(children, [(1, 1), (2, 2), (3, 4), (4, 5), (5, 6)]);
    assert_eq!(tuple(&bt, 5).kind, IndexTupleKind::Downlink { child: 6, n_keys: 1, heap_tid: None });
}

#[test]
fn half_dead_and_deleted_pages() {
    let (page, bt) = decoded(HALF_DEAD, V18);
    assert_eq!((bt.kind, bt.btpo_prev, bt.btpo_next), (BtKind::HalfDead, 4, 275));
    assert_eq!(tuple(&bt, 1).kind, IndexTupleKind::TopParent(None));
    assert!(bt.data_items().is_empty() && bt.high_key().is_none());
    assert_eq!(lines(&bt.special_fields(&page, V18))[3], "btpo_flags 0x0011 BTP_LEAF BTP_HALF_DEAD");

    let (page, bt) = decoded(DELETED, V18);
    assert_eq!((bt.kind, bt.safexid, bt.items.len()), (BtKind::Deleted, Some(5051), 0));
    assert_eq!(lines(&bt.meta_fields(&page, V18)), ["safexid 5051"]);

    let (page, bt) = decoded(DELETED_13, V13);
    assert_eq!((bt.kind, bt.safexid, bt.items.len()), (BtKind::Deleted, Some(4153), 1));
    assert_eq!(lines(&bt.special_fields(&page, V13))[2], "btpo.xact 4153");
}

#[test]
fn tree_and_search() {
    let pages = [(0, golden::page(META)), (1, golden::page(LEAF)), (3, golden::page(ROOT))];
    let known = || pages.iter().map(|(block, page)| (*block, page));
    let attributes = attributes();
    let tree = Tree::build(known(), V18, KeyColumns { attributes: &attributes, n_keys: 2 }, Tree::default());
    let blocks = |nodes: &[super::tree::Node]| nodes.iter().map(|node| node.block).collect::<Vec<_>>();
    let levels: Vec<_> = tree.levels.iter().map(|level| (level.level, blocks(&level.nodes))).collect();
    assert_eq!(levels, [(1, Vec::from([3])), (0, Vec::from([1, 2, 4, 5, 6]))]);
    let leaf = tree.levels[1].nodes[0].contents.as_ref().expect("a page that was read");
    assert_eq!((leaf.first_key.as_deref(), leaf.high_key.as_deref()), (Some("(1, one)"), Some("(4, dup) TID (0,139)")));
    // 5 + 1 + 1 TIDs, and 132 of the next posting list; 8152 bytes of room, 7204 of them free
    assert_eq!((leaf.targets, leaf.fill()), (139, (948, 8152)));
    assert!(tree.levels[1].nodes[1..].iter().all(|node| node.contents.is_none()), "they were not read");
    let found = search::entries(known(), V18, tid(0, 7));
    assert_eq!((found.len(), found[0].block, found[0].offset.0, found[0].killed), (1, 1, 4, true));
}

#[test]
fn damage_in_words() {
    let damaged = |text: &str, at: usize, value: &[u8]| {
        let mut bytes = golden::page(text).bytes().to_vec();
        bytes[at..at + value.len()].copy_from_slice(value);
        let found = BtPage::decode(&Page::new(&bytes), V18).anomalies;
        found.into_iter().map(|anomaly| anomaly.text).collect::<Vec<_>>().join("; ")
    };
    assert_eq!(damaged(META, 24, &[1]), "index is not a btree: btm_magic 0x53101 is not 0x53162");
    assert_eq!(
        damaged(META, 28, &[9]),
        "version mismatch in index: file version 9, current version 4, minimal supported version 2"
    );
    assert_eq!(damaged(LEAF, 8176 + 8, &[3]), "invalid leaf page level 3");
    assert_eq!(damaged(ROOT, 8176 + 8, &[0]), "invalid internal page level 0");
    assert_eq!(damaged(LEAF, 8176 + 13, &[0x80]), "btpo_flags 0x8041 has bits that PostgreSQL 18 does not use");
    // the second line pointer is made LP_UNUSED
    assert_eq!(damaged(LEAF, 28, &[0; 4]), "line pointer 2 is LP_UNUSED: no such on a B-tree page");
    // pd_lower says: no line pointers
    assert_eq!(damaged(LEAF, 12, &[24]), "non-rightmost leaf lacks high key item");
    assert_eq!(damaged(ROOT, 12, &[24]), "internal page lacks high key and/or at least one downlink");
    // the posting list of the second item would begin within its header
    let posting_offset = tuple(&decoded(LEAF, V18).1, 2).bytes.start as usize + 2;
    let text = damaged(LEAF, posting_offset, &[4]);
    assert_eq!(text, "tuple 2: posting list offset 4 leads out of the tuple's 48 bytes, or into its header");
}

/// The names of nbtree.h, in the order of the bits. No server here has a page with all of them.
#[test]
fn every_flag_bit_has_its_name() {
    let mut bytes = golden::page(LEAF).bytes().to_vec();
    bytes[8176 + 12..8176 + 14].copy_from_slice(&0x01FF_u16.to_le_bytes());
    let page = Page::new(&bytes);
    let fields = BtPage::decode(&page, V18).special_fields(&page, V18);
    assert_eq!(
        lines(&fields)[3],
        "btpo_flags 0x01ff BTP_LEAF BTP_ROOT BTP_DELETED BTP_META BTP_HALF_DEAD BTP_SPLIT_END BTP_HAS_GARBAGE \
         BTP_INCOMPLETE_SPLIT BTP_HAS_FULLXID"
    );
}
