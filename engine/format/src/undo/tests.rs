//! Changes of a page do what they say, and no bytes make the decoder panic.

use super::*;
use crate::datum::{FormedTuple, SqlType, TupleDesc, Value};
use crate::page::region::covers;
use crate::page::{OffsetNumber, Page, garbage};
use alloc::vec;
use alloc::vec::Vec;

const FIRST: OffsetNumber = OffsetNumber(1);

fn desc() -> TupleDesc {
    let int4 = |n, name| SqlType { oid: 23, typmod: -1 }.attribute(n, name);
    let text = SqlType { oid: 25, typmod: -1 }.attribute(3, "c");
    TupleDesc::new(vec![int4(1, "a"), int4(2, "b"), text])
}

fn row(a: i32, b: Option<i32>, c: &str) -> Vec<u8> {
    let b = b.map_or(Value::Null, Value::Int4);
    row_of(&FormedTuple::new(&desc(), &[Value::Int4(a), b, Value::text(c)]), 1)
}

#[test]
fn a_changed_column_is_its_place_and_its_bytes() {
    let (old, new) = changed_pieces(&desc(), &row(1, Some(2), "x"), &row(1, Some(3), "x"));
    assert_eq!((old.pieces.len(), old.is_tail), (1, false));
    assert_eq!((old.pieces[0].at, &old.pieces[0].bytes[..]), (9, &2_i32.to_le_bytes()[..]));
    assert_eq!((new.pieces[0].at, &new.pieces[0].bytes[..]), (9, &3_i32.to_le_bytes()[..]));
    // the size that the published totals ask for: 62 bytes with the line pointer
    let mut bytes = Vec::new();
    old.encode(&mut bytes);
    assert_eq!(UndoRecordData::SIZE + bytes.len() + 4, 62);
}

#[test]
fn pieces_lead_there_and_back() {
    let rows =
        [row(1, Some(2), "x"), row(1, None, "x"), row(7, Some(2), "longer"), row(1, Some(9), "y"), row(1, Some(2), "")];
    for a in &rows {
        for b in &rows {
            let (old, new) = changed_pieces(&desc(), a, b);
            for (pieces, from, to) in [(&old, b, a), (&new, a, b)] {
                let (mut bytes, mut changed) = (Vec::new(), from.clone());
                pieces.encode(&mut bytes);
                Pieces::decode(&bytes, pieces.is_tail).apply(&mut changed).expect("they fit");
                assert_eq!(&changed, to);
            }
        }
    }
}

#[test]
fn a_row_is_read_as_the_tuple_that_it_was_formed_of() {
    for row in [row(1, Some(2), "x"), row(-1, None, "hello")] {
        let mut values = Vec::new();
        desc().deform(&tuple_of(&row), &mut values);
        assert_eq!(row_of(&FormedTuple::new(&desc(), &values), 1), row);
    }
}

#[test]
fn items_move_up_for_a_transaction_item_and_stay_what_they_are() {
    let mut page = UndoPage::init_table(8192);
    let rows = [row(1, Some(2), "x"), row(2, None, "yy")];
    for row in &rows {
        UndoPage::add_item(&mut page, row).expect("room");
    }
    let item = ItemXact { xid: 700, undo: UndoRecPtr::new(3, 7) };
    UndoPage::take_xact(&mut page, 1, XactChange::Added, item).expect("room");
    let view = UndoPage::of(&page);
    assert_eq!((view.xact(1), view.item_count()), (Some(item), 2));
    assert_eq!(view.item(FIRST), Some(&rows[0][..]));
    assert_eq!(view.item(OffsetNumber(2)), Some(&rows[1][..]));
    assert_eq!((item.undo.block(), item.undo.item()), (3, 7));
}

#[test]
fn a_row_stays_in_its_place_as_long_as_it_fits() {
    let mut page = UndoPage::init_table(8192);
    UndoPage::add_item(&mut page, &row(1, Some(2), "first")).expect("room");
    UndoPage::add_item(&mut page, &row(2, Some(2), "second")).expect("room");
    let place = |page: &Page| UndoPage::of(page).lp(FIRST).map(crate::page::ItemIdData::lp_off);
    let before = place(&page);
    // shorter, then as long as it was
    for text in ["f", "first"] {
        UndoPage::write_item(&mut page, FIRST, &row(1, Some(2), text)).expect("room");
        assert_eq!((place(&page), UndoPage::of(&page).item(FIRST)), (before, Some(&row(1, Some(2), text)[..])));
    }
    UndoPage::write_item(&mut page, FIRST, &row(1, Some(2), "longer than it was")).expect("room");
    assert_ne!(place(&page), before);
    let whole = page.clone();
    assert!(UndoPage::write_item(&mut page, FIRST, &vec![0; 9000]).is_err());
    assert_eq!(page, whole);
}

/// A page with rows, transaction items and one with undo records.
fn sound() -> [Page; 2] {
    let mut table = UndoPage::init_table(8192);
    let mut undo = UndoPage::init(8192, UNDO_PAGE, 0);
    for n in 0..5 {
        UndoPage::add_item(&mut table, &row(n, Some(n), "text")).expect("room");
        let (values, _) = changed_pieces(&desc(), &row(n, Some(n), "text"), &row(n, Some(n + 1), "text"));
        let record = UndoRecord {
            kind: UNDO_UPDATE,
            xid: 700,
            cid: 0,
            locator: crate::wal::RelFileLocator { spc: 1, db: 2, rel: 3 },
            block: 0,
            offset: FIRST,
            prev: UndoRecPtr::NONE,
            old_xid: 0,
            old_undo: UndoRecPtr::NONE,
            old_xact: 0,
            values,
        };
        assert_eq!(UndoRecord::decode(&record.encode()), Some(record.clone()));
        UndoPage::add_item(&mut undo, &record.encode()).expect("room");
    }
    let item = ItemXact { xid: 700, undo: UndoRecPtr::new(1, 5) };
    UndoPage::add_xact(&mut table, item).expect("room");
    UndoPage::add_xact(&mut undo, item).expect("room");
    [table, undo]
}

fn check(bytes: &[u8]) {
    let page = Page::new(bytes);
    let contents = UndoPageContents::decode(&page);
    assert!(covers(&contents.regions, page.size()), "{:?}", contents.regions);
    let attributes = desc();
    let _ = UndoPageContents::header_fields(&page, 0);
    (0..4).for_each(|n| drop(UndoPageContents::xact_fields(&page, n)));
    for item in contents.items.iter().take(40) {
        for field in contents.item_fields(&page, item.offset, attributes.attributes()) {
            let all = item.bytes.clone().unwrap_or_default();
            let of = &field.bytes;
            assert!(all.start <= of.start && of.start <= of.end && of.end <= all.end, "{field:?} of {all:?}");
        }
        let _ = UndoPage::of(&page).item(item.offset).map(tuple_of);
    }
    let mut changed = page.clone();
    let item = ItemXact { xid: 1, undo: UndoRecPtr::new(1, 1) };
    for how in [XactChange::Kept, XactChange::Reused, XactChange::Added] {
        let _ = UndoPage::take_xact(&mut changed, contents.xacts.len() as u16 + 1, how, item);
        let _ = UndoPage::take_xact(&mut changed, 1, how, item);
    }
    let _ = (UndoPage::add_item(&mut changed, &[1; 60]), UndoPage::write_item(&mut changed, FIRST, &[1; 90]));
    let _ = UndoPage::remove_item(&mut changed, FIRST);
}

#[test]
fn no_bytes_make_it_panic_and_every_byte_has_one_owner() {
    sound().iter().for_each(|page| check(page.bytes()));
    garbage::run(500, &garbage::random(), check);
    let mut state = 1_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) as usize
    };
    for round in 0..2000 {
        let mut bytes = sound()[round % 2].bytes().to_vec();
        for _ in 0..next() % 20 {
            let range = if next() % 2 == 0 { 130 } else { bytes.len() };
            let at = next() % range;
            bytes[at] = next() as u8;
        }
        check(&bytes);
    }
}
