//! Rows of the undo engine: header, null bitmap, columns; and what an UPDATE changes of them.
//!
//! ```text
//!  ├ natts ┼ infomask ┼ item ┼ null bitmap, where there are NULLs ┼ columns, aligned to where these begin
//!  0       2          4      5
//! ```

use super::layout::UndoRowHeaderData;
use super::record::{Piece, Pieces};
use crate::datum::{FormedTuple, TupleDesc};
use crate::heap::HeapTupleHeaderData;
use crate::page::MAXALIGN;
use crate::page::infomask::HEAP_HASNULL;
use alloc::vec::Vec;
use core::ops::Range;

/// The flags that a row has in common with a heap tuple.
const SHARED: u16 = 0x0007;
/// The row is deleted.
const ROW_DELETED: u16 = 0x8000;
/// Where the transaction item's number stands.
const UR_XACT: usize = 4;

/// The row of a formed tuple, changed last by the transaction of that item.
#[must_use]
pub fn row_of(tuple: &FormedTuple, xact: u8) -> Vec<u8> {
    let mut row = Vec::from(UndoRowHeaderData::make(tuple.natts, tuple.infomask & SHARED, xact));
    row.extend_from_slice(tuple.nulls());
    row.extend_from_slice(tuple.data());
    row
}

/// The row as a heap tuple that names no transaction, as values are read from.
#[must_use]
pub fn tuple_of(row: &[u8]) -> Vec<u8> {
    let header = UndoRowHeaderData::new(row);
    let nulls = null_bitmap(row);
    let hoff = (HeapTupleHeaderData::SIZE + nulls.len()).next_multiple_of(MAXALIGN.into());
    let mut tuple = alloc::vec![0; HeapTupleHeaderData::SIZE];
    // more attributes than a row can have are those of a damaged page
    let (natts, hoff_byte) = (header.ur_natts() & 0x07FF, u8::try_from(hoff).unwrap_or(u8::MAX));
    HeapTupleHeaderData::edit(&mut tuple)
        .t_infomask2(natts)
        .t_infomask(header.ur_infomask() & SHARED)
        .t_hoff(hoff_byte);
    tuple.extend_from_slice(row.get(nulls.clone()).unwrap_or(&[]));
    tuple.resize(hoff_byte.into(), 0);
    tuple.extend_from_slice(row.get(nulls.end..).unwrap_or(&[]));
    tuple
}

/// Where the null bitmap lies in the row; empty where no column is NULL.
pub(super) fn null_bitmap(row: &[u8]) -> Range<usize> {
    let header = UndoRowHeaderData::new(row);
    let has_null = header.ur_infomask() & HEAP_HASNULL != 0;
    let length = if has_null { usize::from(header.ur_natts() & 0x07FF).div_ceil(8) } else { 0 };
    let start = UndoRowHeaderData::SIZE.min(row.len());
    start..(start + length).min(row.len())
}

/// The transaction item of whoever changed the row last; 0: everybody sees it.
#[must_use]
pub fn row_xact(row: &[u8]) -> u8 {
    UndoRowHeaderData::new(row).ur_xact()
}

/// Sets it.
pub fn set_row_xact(row: &mut [u8], xact: u8) {
    if let Some(place) = row.get_mut(UR_XACT) {
        *place = xact;
    }
}

/// Is the row deleted?
#[must_use]
pub fn row_is_deleted(row: &[u8]) -> bool {
    UndoRowHeaderData::new(row).ur_infomask() & ROW_DELETED != 0
}

/// Deletes the row, or takes that back.
pub fn set_row_deleted(row: &mut [u8], deleted: bool) {
    let infomask = UndoRowHeaderData::new(row).ur_infomask();
    if row.len() >= UndoRowHeaderData::SIZE {
        let infomask = if deleted { infomask | ROW_DELETED } else { infomask & !ROW_DELETED };
        UndoRowHeaderData::edit(row).ur_infomask(infomask);
    }
}

/// What makes the one row of the other, column by column: the old values, and the new ones in their places. Where the
/// columns do not all stay in their places it is all from the first byte that differs.
#[must_use]
pub fn changed_pieces(desc: &TupleDesc, old: &[u8], new: &[u8]) -> (Pieces, Pieces) {
    let in_place = columns(desc, old).zip(columns(desc, new));
    let is_same_shape = old.len() == new.len() && old.get(..UR_XACT) == new.get(..UR_XACT);
    if let Some((places, _)) = in_place.filter(|(was, is)| is_same_shape && was == is) {
        let nulls = null_bitmap(old);
        if old.get(nulls.clone()) == new.get(nulls) {
            let differs = |place: &&Range<usize>| old.get((*place).clone()) != new.get((*place).clone());
            let changed: Vec<&Range<usize>> = places.iter().filter(differs).collect();
            return (pieces(old, &changed), pieces(new, &changed));
        }
    }
    let same = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    // the item's number is none of the row's values
    let from = if same == UR_XACT { UR_XACT + 1 } else { same };
    (tail(old, from), tail(new, from))
}

/// Where each column lies in the row; none where it is NULL.
fn columns(desc: &TupleDesc, row: &[u8]) -> Option<Vec<Range<usize>>> {
    let nulls = null_bitmap(row);
    let (bitmap, data) = (row.get(nulls.clone())?, row.get(nulls.end..)?);
    let natts = usize::from(UndoRowHeaderData::new(row).ur_natts());
    let place = |n| desc.place_at(data, bitmap, n).map(|at| at.start + nulls.end..at.end + nulls.end);
    Some((0..natts.min(desc.attributes().len())).filter_map(place).collect())
}

fn pieces(row: &[u8], places: &[&Range<usize>]) -> Pieces {
    let piece = |place: &&Range<usize>| Piece {
        at: place.start as u16,
        bytes: row.get((*place).clone()).unwrap_or(&[]).to_vec(),
    };
    Pieces { pieces: places.iter().map(piece).collect(), is_tail: false }
}

fn tail(row: &[u8], from: usize) -> Pieces {
    let bytes = row.get(from..).unwrap_or(&[]).to_vec();
    Pieces { pieces: Vec::from([Piece { at: from as u16, bytes }]), is_tail: true }
}
