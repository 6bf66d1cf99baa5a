//! Page headers and checksums of all pages; free space map and visibility map.

use crate::relation::{Relation, ask};
use crate::tally::{Ours, Place, Tally, some};
use ffviz_format::page::fsm::{FsmPage, FsmTarget, category_bytes};
use ffviz_format::page::region::{self, Region};
use ffviz_format::page::vm::VmPage;
use ffviz_format::page::{Anomaly, BlockNumber, Page};
use postgres::Client;
use std::collections::BTreeMap;

/// Relation, fork and block in words.
pub fn place(relation: &Relation, fork: &str, block: usize, item: Option<u32>) -> Place {
    Place { page: format!("{} {fork} block {block}", relation.name), item }
}

/// What every decoded page must be: covered exactly, and without anomaly, as it comes from a healthy server.
pub fn sound(tally: &mut Tally, place: &Place, page: &Page, regions: &[Region], anomalies: &[Anomaly]) {
    tally.page();
    let covers = region::covers(regions, page.size()).to_string();
    tally.field(place, "regions cover the page", Some(&covers), Some("true"));
    let texts: Vec<&str> = anomalies.iter().map(|anomaly| anomaly.text.as_str()).collect();
    tally.field(place, "anomalies", Some(&texts.join("; ")), Some(""));
}

fn header(page: &Page) -> Ours {
    let h = page.header();
    Ours::from([
        ("lsn", some(h.pd_lsn())),
        ("checksum", some(h.pd_checksum().cast_signed())),
        ("flags", some(h.pd_flags())),
        ("lower", some(h.pd_lower())),
        ("upper", some(h.pd_upper())),
        ("special", some(h.pd_special())),
        ("pagesize", some(h.page_size())),
        ("version", some(h.layout_version())),
        ("prune_xid", some(h.pd_prune_xid())),
    ])
}

/// `page_header` and `page_checksum`.
pub fn compare_headers(relation: &Relation, fork: &str, pages: &[Page], client: &mut Client, tally: &mut Tally) {
    let rows = relation.ask(client, fork, 0, pages.len(), "page_header($page)");
    let sums = relation.ask(client, fork, 0, pages.len(), "page_checksum($page, n::int)");
    for (block, ((page, row), sum)) in pages.iter().zip(&rows).zip(&sums).enumerate() {
        let place = place(relation, fork, block, None);
        tally.row(&place, "page_header", row, &header(page), &["n"]);
        if page.header().pd_flags() & 4 != 0 {
            tally.saw("PD_ALL_VISIBLE");
        }
        // PostgreSQL refuses to sum up a page that was never written
        let ours = page.checksum(block as BlockNumber).map(|sum| sum.cast_signed().to_string());
        if !page.is_new() {
            tally.field(&place, "page_checksum", ours.as_deref(), sum.get("f"));
        }
    }
    tally.same_count(&place(relation, fork, 0, None), "page_header rows", pages.len(), rows.len());
}

/// `fsm_page_contents`: inner nodes and slots that are not 0, then `fp_next_slot`; and `pg_freespace` for the blocks.
pub fn compare_fsm(relation: &Relation, pages: &[Page], client: &mut Client, tally: &mut Tally) {
    let rows = relation.ask(client, "fsm", 0, pages.len(), "fsm_page_contents($page)");
    let maps: Vec<FsmPage> = (0..).zip(pages).map(|(block, page)| FsmPage::decode(page, block)).collect();
    for (block, ((page, fsm), row)) in pages.iter().zip(&maps).zip(&rows).enumerate() {
        let place = place(relation, "fsm", block, None);
        sound(tally, &place, page, &fsm.regions, &fsm.anomalies);
        let nodes = fsm.nodes.iter().enumerate().filter(|(_, category)| **category != 0);
        let ours = nodes.map(|(node, category)| format!("{node}: {category}\n")).collect::<String>();
        let ours = format!("{ours}fp_next_slot: {}\n", fsm.fp_next_slot);
        // from 16 on the server says nothing of a page that was never written
        let ours = (!page.is_new() || tally.major < 16).then_some(ours);
        tally.field(&place, "fsm_page_contents", ours.as_deref(), row.get("f"));
    }
    compare_free_space(relation, &maps, client, tally);
}

/// `pg_freespace` for the blocks of the relation; and the pages above, whose slots are the greatest of the pages below.
fn compare_free_space(relation: &Relation, maps: &[FsmPage], client: &mut Client, tally: &mut Tally) {
    let mut free = BTreeMap::new();
    for (block, fsm) in maps.iter().enumerate() {
        for (slot, category) in (0..).zip(fsm.slots()) {
            match fsm.address.target(slot, 8192) {
                FsmTarget::Heap(heap_block) => {
                    free.insert(heap_block, (block, category_bytes(*category, 8192).to_string()));
                }
                // only VACUUM keeps these up to date; it has run on the one relation with several leaf pages
                FsmTarget::Fsm(_) if maps.len() <= 3 => {}
                FsmTarget::Fsm(below) => {
                    let greatest = maps.get(below as usize).map_or(0, FsmPage::root);
                    let place = place(relation, "fsm", block, Some(u32::from(slot)));
                    tally.field(&place, "greatest below", Some(&category.to_string()), Some(&greatest.to_string()));
                }
            }
        }
    }
    for row in ask(client, &format!("SELECT blkno, avail FROM pg_freespace('{}')", relation.name)) {
        let heap_block = row.number("blkno");
        let (block, ours) = free.remove(&heap_block).unwrap_or_default();
        tally.field(
            &place(relation, "fsm", block, Some(heap_block)),
            "pg_freespace.avail",
            Some(&ours),
            row.get("avail"),
        );
        if row.get("avail") != Some("0") {
            tally.saw("free space");
            tally.saw(if block > 2 { "second leaf page of the FSM" } else { "first leaf page of the FSM" });
        }
    }
}

/// `pg_visibility_map`.
pub fn compare_vm(relation: &Relation, pages: &[Page], client: &mut Client, tally: &mut Tally) {
    let map = VmPage::decode(&pages[0], 0);
    sound(tally, &place(relation, "vm", 0, None), &pages[0], &map.regions, &map.anomalies);
    let sql = format!("SELECT * FROM pg_visibility_map('{}')", relation.name);
    for row in ask(client, &sql) {
        let block = row.number("blkno");
        let bits = map.bits(block).unwrap_or_default();
        let text = |set: bool| some(if set { "t" } else { "f" });
        let ours = Ours::from([("all_visible", text(bits.all_visible)), ("all_frozen", text(bits.all_frozen))]);
        tally.row(&place(relation, "vm", 0, Some(block)), "pg_visibility_map", &row, &ours, &["blkno"]);
        for bit in ["all_visible", "all_frozen"] {
            if row.get(bit) == Some("t") {
                tally.saw(bit);
            }
        }
    }
}

/// A page of zeros, as a crash after extending a file leaves it: the server's functions take its bytes.
pub fn compare_zero_page(client: &mut Client, tally: &mut Tally) {
    let page = Page::new(&[0; 8192]);
    let place = Place { page: "a page of zeros".to_owned(), item: None };
    let rows = ask(client, "SELECT * FROM page_header(decode(repeat('00', 8192), 'hex'))");
    tally.row(&place, "page_header", &rows[0], &header(&page), &[]);
    let items = ask(client, "SELECT * FROM heap_page_items(decode(repeat('00', 8192), 'hex'))");
    let heap = ffviz_format::heap::HeapPage::decode(&page, 0);
    tally.same_count(&place, "heap_page_items rows", heap.items.len(), items.len());
    sound(tally, &place, &page, &heap.regions, &heap.anomalies);
}
