//! Posting lists, write side: index tuples made of others (`_bt_form_posting`, `_bt_update_posting`,
//! `_bt_swap_posting`, src/backend/access/nbtree/nbtdedup.c).
//!
//! ```text
//!  key │ (0,1)  +  key │ (0,2)  +  key │ (4,7)      ──form──▶   key │ (0,1) (0,2) (4,7)
//!  key │ (0,1) (0,2) (4,7)   and a new key │ (3,3)  ──swap──▶   key │ (0,1) (0,2) (3,3)   and   key │ (4,7)
//! ```

use super::flags::{BT_IS_POSTING, BT_OFFSET_MASK, INDEX_ALT_TID_MASK, INDEX_SIZE_MASK};
use crate::page::layout::Wire;
use crate::page::nbtree::IndexTupleData;
use crate::page::{ItemPointer, OffsetNumber, maxalign};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

const TID_SIZE: usize = ItemPointer::SIZE;
/// where `t_info` lies
const T_INFO: usize = ItemPointer::SIZE;

/// `IndexTupleSize`, as far as the tuple has so many bytes.
///
/// # Errors
/// A sentence, where it says less than a header or more than there is.
pub fn index_tuple_size(tuple: &[u8]) -> Result<u16, String> {
    let size = IndexTupleData::new(tuple).t_info() & INDEX_SIZE_MASK;
    let fits = (IndexTupleData::SIZE..=tuple.len()).contains(&usize::from(size));
    if fits { Ok(size) } else { Err(format!("an index tuple says it has {size} bytes, {} are there", tuple.len())) }
}

fn is_posting(tuple: &[u8]) -> bool {
    let header = IndexTupleData::new(tuple);
    header.t_info() & INDEX_ALT_TID_MASK != 0 && header.t_tid().offset.0 & BT_IS_POSTING != 0
}

/// The heap TIDs of a leaf tuple as they lie there, and the size of the tuple without its posting list.
fn tid_bytes(tuple: &[u8]) -> Result<(&[u8], u16), String> {
    let size = index_tuple_size(tuple)?;
    let header = IndexTupleData::new(tuple);
    let t_tid = header.t_tid();
    if !is_posting(tuple) {
        let is_pivot = header.t_info() & INDEX_ALT_TID_MASK != 0;
        let own = tuple.get(..TID_SIZE).filter(|_| !is_pivot);
        return own.map(|own| (own, size)).ok_or_else(|| String::from("a pivot tuple where heap TIDs are wanted"));
    }
    let count = usize::from(t_tid.offset.0 & BT_OFFSET_MASK);
    let end = (t_tid.block as usize).saturating_add(count * TID_SIZE);
    if count == 0 || (t_tid.block as usize) < IndexTupleData::SIZE || end > usize::from(size) {
        return Err(format!("a posting list of {count} TIDs at {} in a tuple of {size} bytes", t_tid.block));
    }
    Ok((tuple.get(t_tid.block as usize..end).unwrap_or(&[]), t_tid.block as u16))
}

/// The heap TIDs of a leaf tuple, and the size of the tuple without its posting list.
///
/// # Errors
/// A sentence, where it is no leaf tuple or its posting list does not fit.
pub fn heap_tids(tuple: &[u8]) -> Result<(Vec<ItemPointer>, u16), String> {
    let (list, keysize) = tid_bytes(tuple)?;
    Ok((list.chunks_exact(TID_SIZE).map(ItemPointer::get).collect(), keysize))
}

/// `_bt_form_posting`: the key of `base` with these TIDs, as a posting list unless it is only one.
///
/// # Errors
/// A sentence, where `base` is no leaf tuple, or there is no TID, or the tuple would be too large.
pub fn form_posting(base: &[u8], tids: &[ItemPointer]) -> Result<Vec<u8>, String> {
    let (mut list, mut tuple) = (alloc::vec![0; tids.len() * TID_SIZE], Vec::new());
    write_list(&mut list, 0, tids);
    form_posting_in(&mut tuple, base, &list)?;
    Ok(tuple)
}

/// The same in memory that is there, of TIDs as they lie in tuples.
///
/// # Errors
/// As those of [`form_posting`].
pub fn form_posting_in(tuple: &mut Vec<u8>, base: &[u8], list: &[u8]) -> Result<(), String> {
    let (_, keysize) = tid_bytes(base)?;
    let (count, end) = (list.len() / TID_SIZE, usize::from(keysize) + list.len());
    let size = if count > 1 { maxalign(u16::try_from(end).unwrap_or(u16::MAX)) } else { keysize };
    if count == 0 || size > INDEX_SIZE_MASK {
        return Err(format!("{count} TIDs and a key of {keysize} bytes make no tuple"));
    }
    tuple.clear();
    tuple.extend_from_slice(&base[..usize::from(keysize)]);
    if count == 1 {
        let flags = IndexTupleData::new(base).t_info() & !(INDEX_SIZE_MASK | INDEX_ALT_TID_MASK);
        tuple[..TID_SIZE].copy_from_slice(list);
        (flags | size).set(&mut tuple[T_INFO..]);
    } else {
        tuple.extend_from_slice(list);
        tuple.resize(usize::from(size), 0);
        set_posting_header(tuple, keysize, count as u16);
    }
    Ok(())
}

/// A posting list where it stands, of the key of a leaf tuple and of so many TIDs, two at least, in lists as they lie
/// in tuples. The place is as long as the list.
pub fn form_posting_of<'a>(place: &mut [u8], key: &[u8], n_tids: u16, lists: impl Iterator<Item = &'a [u8]>) {
    place[..key.len()].copy_from_slice(key);
    let mut at = key.len();
    for list in lists {
        let end = at + list.len();
        match (<&mut [u8; TID_SIZE]>::try_from(&mut place[at..end]), <&[u8; TID_SIZE]>::try_from(list)) {
            (Ok(place), Ok(tid)) => *place = *tid,
            _ => place[at..end].copy_from_slice(list),
        }
        at = end;
    }
    place[at..].fill(0);
    set_posting_header(place, key.len() as u16, n_tids);
}

/// The header of a posting list, of which the other flags stand there already.
fn set_posting_header(tuple: &mut [u8], keysize: u16, n_tids: u16) {
    let flags = IndexTupleData::new(tuple).t_info() & !(INDEX_SIZE_MASK | INDEX_ALT_TID_MASK);
    let offset = OffsetNumber(n_tids | BT_IS_POSTING);
    (flags | tuple.len() as u16 | INDEX_ALT_TID_MASK).set(&mut tuple[T_INFO..]);
    ItemPointer { block: u32::from(keysize), offset }.set(tuple);
}

/// `_bt_update_posting`: the tuple without the TIDs at these places of its list.
///
/// # Errors
/// A sentence, where it has no such TIDs or none would be left.
pub fn update_posting(tuple: &[u8], deleted: &[u16]) -> Result<Vec<u8>, String> {
    let (tids, _) = heap_tids(tuple)?;
    let left: Vec<ItemPointer> =
        (0u16..).zip(&tids).filter(|(place, _)| !deleted.contains(place)).map(|(_, tid)| *tid).collect();
    if left.len() + deleted.len() != tids.len() {
        return Err(format!("{} TIDs are to go from a list of {}, not all are there", deleted.len(), tids.len()));
    }
    form_posting(tuple, &left)
}

/// `_bt_swap_posting`: the TID of `new` takes place `at` in the posting list, whose last TID goes to `new`. Gives both
/// tuples: the list, the new.
///
/// # Errors
/// A sentence, where the list cannot be split there.
pub fn swap_posting(new: &[u8], posting: &[u8], at: u16) -> Result<(Vec<u8>, Vec<u8>), String> {
    let (mut tids, keysize) = heap_tids(posting)?;
    if at == 0 || usize::from(at) >= tids.len() {
        return Err(format!("posting list tuple with {} items cannot be split at offset {at}", tids.len()));
    }
    index_tuple_size(new)?;
    tids.insert(usize::from(at), IndexTupleData::new(new).t_tid());
    let (mut list, mut new) = (posting.to_vec(), new.to_vec());
    if let Some(last) = tids.pop() {
        last.set(&mut new);
    }
    write_list(&mut list, keysize, &tids);
    Ok((list, new))
}

/// Writes TIDs one after the other; there must be room.
fn write_list(tuple: &mut [u8], at: u16, tids: &[ItemPointer]) {
    for (place, tid) in tuple[usize::from(at)..].chunks_exact_mut(TID_SIZE).zip(tids) {
        tid.set(place);
    }
}
