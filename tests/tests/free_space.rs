//! The room on a heap page against what VACUUM of servers 13 to 18 writes to the free space map for it.

use ffviz_format::heap::{heap_free_space, max_heap_tuples_per_page};
use ffviz_format::page::fsm::FsmTarget;
use ffviz_format::page::{ForkNumber, FsmPage};
use ffviz_format::state::{RelKind, State};
use ffviz_tests::capture::capture;
use ffviz_tests::servers::{Database, MAJORS};
use std::collections::BTreeMap;

/// Rows of all widths with gaps between them; and rows without columns, of which 291 fill a page's line pointers before
/// its bytes.
const TABLES: &str = "
    CREATE TABLE wide (a int, b text) WITH (autovacuum_enabled = off);
    INSERT INTO wide SELECT n, repeat('x', n * 7919 % 1500) FROM generate_series(1, 3000) AS n;
    DELETE FROM wide WHERE a % 7 < a / 400;
    UPDATE wide SET b = b || 'y' WHERE a % 5 = 0;
    CREATE TABLE narrow () WITH (autovacuum_enabled = off);
    INSERT INTO narrow SELECT FROM generate_series(1, 3000);
    DELETE FROM narrow WHERE ctid BETWEEN '(2,1)' AND '(2,200)' OR ctid = '(4,291)';
    INSERT INTO narrow SELECT FROM generate_series(1, 10);
    VACUUM wide; VACUUM narrow;";

/// `fsm_space_avail_to_cat`: the last category is for pages that take the greatest tuple there can be.
fn category(free: u16) -> u8 {
    if free >= 8160 { 255 } else { (free / 32).min(254) as u8 }
}

/// Category of every heap block in the free space map.
fn recorded(state: &State, table: u32) -> BTreeMap<u32, u8> {
    let mut categories = BTreeMap::new();
    for (block, page) in state.fork(table, ForkNumber::Fsm) {
        let fsm = FsmPage::decode(page, block);
        for (slot, category) in (0..).zip(fsm.slots()) {
            if let FsmTarget::Heap(heap_block) = fsm.address.target(slot, page.size()) {
                categories.insert(heap_block, *category);
            }
        }
    }
    categories
}

#[test]
fn free_space_is_what_vacuum_records() {
    for major in MAJORS {
        let mut db = Database::create(major, "ffviz_free_space");
        for statement in TABLES.split(';') {
            db.client.batch_execute(statement).expect("the statement runs");
        }
        let state = capture(&db, &["wide", "narrow"]);
        let (mut pages, mut full) = (0, 0);
        for relation in state.relations.values().filter(|relation| relation.kind == RelKind::Table) {
            let recorded = recorded(&state, relation.oid);
            for (block, page) in state.fork(relation.oid, ForkNumber::Main) {
                let free = heap_free_space(page);
                let category = category(free);
                assert_eq!(
                    recorded.get(&block),
                    Some(&category),
                    "{major}: {} block {block}, {free} bytes",
                    relation.name
                );
                pages += 1;
                full += usize::from(page.item_count() == max_heap_tuples_per_page(page.size()));
            }
        }
        println!("PostgreSQL {major}: {pages} pages, {full} of them with all line pointers");
        assert!(pages > 200 && full > 5, "too little was compared");
    }
}
