//! The record of an UPDATE (`log_heap_update`, src/backend/access/heap/heapam.c).
//!
//! ```text
//!  old version   ├ header ┼═ prefix ═┼ … ┼═ suffix ═┤     on the same page, where no image is expected
//!  new version   ├ header ┼═ prefix ═┼ middle ┼═ suffix ═┤
//!  block data    [prefix length][suffix length][infomask2, infomask, hoff, bitmap][middle]
//! ```

use super::insert::LOGGED_FROM;
use super::record::{
    ALL_VISIBLE_CLEARED, Cleared, XLOG_HEAP_HOT_UPDATE, XLOG_HEAP_UPDATE, heap_block, is_logically_logged, log_change,
};
use super::replica_identity::OldRow;
use super::xmax::compute_infobits;
use crate::datum::FormedTuple;
use crate::heap::{HeapTuple, HeapTupleHeaderData};
use crate::page::ItemPointer;
use crate::storage::{Buffer, Instance, RelationData};
use crate::wal::Rmgr;
use crate::wal::insert::{REGBUF_KEEP_DATA, REGBUF_STANDARD, REGBUF_WILL_INIT};
use crate::wal::rec::heap::{
    XLH_UPDATE_CONTAINS_OLD_KEY, XLH_UPDATE_CONTAINS_OLD_TUPLE, XLH_UPDATE_PREFIX_FROM_OLD, XLH_UPDATE_SUFFIX_FROM_OLD,
    XLOG_HEAP_INIT_PAGE, XlHeapUpdate,
};

const XLH_UPDATE_NEW_ALL_VISIBLE_CLEARED: u8 = 0x02;
const XLH_UPDATE_CONTAINS_NEW_TUPLE: u8 = 0x10;
/// `HEAP_UPDATE_BLKREF_VM_NEW`, `HEAP_UPDATE_BLKREF_VM_OLD`
const BLKREF_VM_NEW: u8 = 2;
const BLKREF_VM_OLD: u8 = 3;
/// Bytes of the length of a prefix or suffix.
const LENGTH: usize = size_of::<u16>();
/// Bytes from which on leaving them out is worth the two bytes of their number.
const WORTH_IT: usize = 3;

/// What the record is about. The pages have both versions as they are now.
pub(super) struct UpdateRecord<'a> {
    pub rel: &'a RelationData,
    pub old: &'a HeapTuple,
    pub old_buf: Buffer,
    pub new: &'a FormedTuple,
    pub new_buf: Buffer,
    pub new_tid: ItemPointer,
    pub hot: bool,
    pub old_cleared: Cleared,
    pub new_cleared: Cleared,
}

/// UPDATE or `HOT_UPDATE`; `old_row` for logical decoding.
pub(super) fn log_heap_update(pg: &mut Instance, update: &UpdateRecord<'_>, old_row: OldRow) {
    let UpdateRecord { rel, old, old_buf, new, new_buf, new_tid, .. } = *update;
    let is_logical = is_logically_logged(pg, rel);
    let same_page = old_buf == new_buf;
    let (prefix, suffix) = if same_page && !is_logical && !pg.buffer_needs_backup(new_buf) {
        unchanged(pg.buffers.page(old_buf).slice(old.data()), new.data())
    } else {
        (0, 0)
    };
    let init = new_tid.offset.0 == 1 && pg.buffers.page(new_buf).item_count() == 1;
    let flag = |holds: bool, flag: u8| if holds { flag } else { 0 };
    let regbuf = flag(init, REGBUF_WILL_INIT) | flag(is_logical, REGBUF_KEEP_DATA);
    let hoff = usize::from(new.hoff);
    let middle = hoff + prefix..new.bytes.len() - suffix;
    let used = [prefix, suffix].into_iter().filter(|length| *length > 0).count() * LENGTH;
    if count_update(pg, update, regbuf, used + (hoff - LOGGED_FROM) + middle.len()) {
        return;
    }
    let flags = update.old_cleared.bit(ALL_VISIBLE_CLEARED)
        | update.new_cleared.bit(XLH_UPDATE_NEW_ALL_VISIBLE_CLEARED)
        | flag(prefix > 0, XLH_UPDATE_PREFIX_FROM_OLD)
        | flag(suffix > 0, XLH_UPDATE_SUFFIX_FROM_OLD)
        | old_row.flag(XLH_UPDATE_CONTAINS_OLD_KEY, XLH_UPDATE_CONTAINS_OLD_TUPLE)
        | flag(is_logical, XLH_UPDATE_CONTAINS_NEW_TUPLE);
    let infobits = compute_infobits(old.t_infomask, old.t_infomask2);
    let new_xmax = HeapTupleHeaderData::new(&new.bytes).t_xmax();
    let main: &[u8] = &XlHeapUpdate::make(old.t_xmax, old.tid.offset.0, infobits, flags, new_xmax, new_tid.offset.0);

    let old_row = old_row.bytes(pg, old_buf, old);

    let mut lengths = [0; 2 * LENGTH];
    let given = [prefix, suffix].into_iter().filter(|length| *length > 0);
    for (place, length) in lengths.as_chunks_mut::<LENGTH>().0.iter_mut().zip(given) {
        *place = (length as u16).to_le_bytes();
    }
    let data = [&lengths[..used], &new.bytes[LOGGED_FROM..hoff], &new.bytes[middle]];
    let blocks = [heap_block(0, new_buf, regbuf, &data), heap_block(1, old_buf, 0, &[])];
    let heap = if same_page { &blocks[..1] } else { &blocks };
    let info = if update.hot { XLOG_HEAP_HOT_UPDATE } else { XLOG_HEAP_UPDATE } | flag(init, XLOG_HEAP_INIT_PAGE);
    // a page of the map is named once
    let old_map = update.old_cleared.map.filter(|map| update.new_cleared.map != Some(*map));
    let maps = [(BLKREF_VM_NEW, update.new_cleared.map), (BLKREF_VM_OLD, old_map)];
    log_change(pg, rel, (Rmgr::HEAP, info), &[main, &old_row], heap, &maps);
}

/// The record, where it is only counted: with so many bytes about the new version. Was it? `regbuf`: of the new version's page
fn count_update(pg: &mut Instance, update: &UpdateRecord<'_>, regbuf: u8, data: usize) -> bool {
    let has_maps = update.old_cleared.map.is_some() || update.new_cleared.map.is_some();
    if !update.rel.permanent || has_maps || !pg.prepare_to_count() {
        return false;
    }
    let pages = [(REGBUF_STANDARD | regbuf, update.new_buf), (REGBUF_STANDARD, update.old_buf)];
    let pages = if update.old_buf == update.new_buf { &pages[..1] } else { &pages };
    pg.count_about_pages(pages.iter().copied(), (XlHeapUpdate::SIZE, data)).is_some()
}

/// How many bytes are the same at the beginning and, after those, at the end; 0 for fewer than are worth it.
fn unchanged(old: &[u8], new: &[u8]) -> (usize, usize) {
    let least = old.len().min(new.len());
    let prefix = common_start(&old[..least], &new[..least]);
    let prefix = if prefix < WORTH_IT { 0 } else { prefix };
    let rest = least - prefix;
    let suffix = common_end(&old[old.len() - rest..], &new[new.len() - rest..]);
    (prefix, if suffix < WORTH_IT { 0 } else { suffix })
}

/// Bytes that are compared at once: first so many, since most of a row is as it was, then those of a number.
const MANY: usize = 32;
const WORD: usize = size_of::<u64>();

/// How many bytes are the same at the beginning of two rows of one length.
fn common_start(old: &[u8], new: &[u8]) -> usize {
    let many = old.as_chunks::<MANY>().0.iter().zip(new.as_chunks::<MANY>().0);
    let mut same = many.take_while(|(old, new)| old == new).count() * MANY;
    while let (Some(a), Some(b)) = (old[same..].first_chunk::<WORD>(), new[same..].first_chunk()) {
        let differs = u64::from_le_bytes(*a) ^ u64::from_le_bytes(*b);
        if differs != 0 {
            return same + differs.trailing_zeros() as usize / 8;
        }
        same += WORD;
    }
    same + old[same..].iter().zip(&new[same..]).take_while(|(old, new)| old == new).count()
}

/// How many bytes are the same at the end.
fn common_end(mut old: &[u8], mut new: &[u8]) -> usize {
    let len = old.len();
    while let (Some((a_before, a)), Some((b_before, b))) = (old.split_last_chunk::<MANY>(), new.split_last_chunk())
        && a == b
    {
        (old, new) = (a_before, b_before);
    }
    while let (Some((a_before, a)), Some((b_before, b))) = (old.split_last_chunk::<WORD>(), new.split_last_chunk()) {
        let differs = u64::from_le_bytes(*a) ^ u64::from_le_bytes(*b);
        if differs != 0 {
            return len - old.len() + differs.leading_zeros() as usize / 8;
        }
        (old, new) = (a_before, b_before);
    }
    let rest = old.iter().rev().zip(new.iter().rev()).take_while(|(old, new)| old == new).count();
    len - old.len() + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    #[test]
    fn what_is_the_same_is_found_whatever_it_is_compared_by() {
        for len in 0..80 {
            let old = vec![7_u8; len];
            assert_eq!((common_start(&old, &old), common_end(&old, &old)), (len, len));
            for at in 0..len {
                let mut new = old.clone();
                new[at] = 8;
                assert_eq!((common_start(&old, &new), common_end(&old, &new)), (at, len - at - 1));
            }
        }
    }
}
