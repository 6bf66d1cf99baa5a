//! The record of an UPDATE (`log_heap_update`, src/backend/access/heap/heapam.c).
//!
//! ```text
//!  old version   ├ header ┼═ prefix ═┼ … ┼═ suffix ═┤     on the same page, where no image is expected
//!  new version   ├ header ┼═ prefix ═┼ middle ┼═ suffix ═┤
//!  block data    [prefix length][suffix length][infomask2, infomask, hoff, bitmap][middle]
//! ```

use super::insert::LOGGED_FROM;
use super::record::{ALL_VISIBLE_CLEARED, Cleared, heap_block, is_logically_logged, log_change, will_init};
use super::replica_identity::OldRow;
use super::xmax::compute_infobits;
use crate::access::transam::REGBUF_KEEP_DATA;
use crate::storage::{Buffer, Instance, RelationData};
use ffviz_format::datum::FormedTuple;
use ffviz_format::heap::{HeapTuple, HeapTupleHeaderData};
use ffviz_format::page::ItemPointer;
use ffviz_format::wal::Rmgr;
use ffviz_format::wal::rec::heap::{
    XLH_UPDATE_CONTAINS_OLD_KEY, XLH_UPDATE_CONTAINS_OLD_TUPLE, XLH_UPDATE_PREFIX_FROM_OLD, XLH_UPDATE_SUFFIX_FROM_OLD,
    XLOG_HEAP_INIT_PAGE, XlHeapUpdate,
};
use ffviz_format::wal::record_type::HeapType;

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
    pub unchanged: Unchanged,
    pub old_cleared: Cleared,
    pub new_cleared: Cleared,
}

/// How many bytes of the new version's values the record leaves out, since the old one has them: at the beginning and
/// at the end.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Unchanged {
    prefix: usize,
    suffix: usize,
}

impl Unchanged {
    /// None, unless both are on one page of which no image is expected, and logical decoding does not read the record.
    pub fn find(
        pg: &Instance,
        rel: &RelationData,
        (old, old_buf): (&HeapTuple, Buffer),
        (new, new_buf): (&FormedTuple, Buffer),
    ) -> Self {
        if old_buf != new_buf || is_logically_logged(pg, rel) || pg.buffer_needs_backup(new_buf) {
            return Self::default();
        }
        let (prefix, suffix) = unchanged(pg.buffers.page(old_buf).slice(old.data()), new.data());
        Self { prefix, suffix }
    }

    /// Those that are there, in the record's order.
    fn lengths(self) -> impl Iterator<Item = usize> {
        [self.prefix, self.suffix].into_iter().filter(|length| *length > 0)
    }

    /// How many bytes the record has about the new version.
    pub fn data_len(self, new: &FormedTuple) -> usize {
        new.bytes.len() - LOGGED_FROM - self.prefix - self.suffix + self.lengths().count() * LENGTH
    }
}

/// UPDATE or `HOT_UPDATE`; `old_row` for logical decoding.
pub(super) fn log_heap_update(pg: &mut Instance, update: &UpdateRecord<'_>, old_row: OldRow) {
    let UpdateRecord { rel, old, old_buf, new, new_buf, new_tid, unchanged, .. } = *update;
    let Unchanged { prefix, suffix } = unchanged;
    let is_logical = is_logically_logged(pg, rel);
    let init = will_init(pg.buffers.page(new_buf).header(), new_tid.offset);
    let flag = |holds: bool, flag: u8| if holds { flag } else { 0 };
    let regbuf = init | flag(is_logical, REGBUF_KEEP_DATA);
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
    for (place, length) in lengths.as_chunks_mut::<LENGTH>().0.iter_mut().zip(unchanged.lengths()) {
        *place = (length as u16).to_le_bytes();
    }
    let hoff = usize::from(new.hoff);
    let (lengths, middle) = (&lengths[..unchanged.lengths().count() * LENGTH], hoff + prefix..new.bytes.len() - suffix);
    let data = [lengths, &new.bytes[LOGGED_FROM..hoff], &new.bytes[middle]];
    let blocks = [heap_block(0, new_buf, regbuf, &data), heap_block(1, old_buf, 0, &[])];
    let heap = if old_buf == new_buf { &blocks[..1] } else { &blocks };
    let info = if update.hot { HeapType::HotUpdate.info() } else { HeapType::Update.info() }
        | flag(init != 0, XLOG_HEAP_INIT_PAGE);
    // a page of the map is named once
    let old_map = update.old_cleared.map.filter(|map| update.new_cleared.map != Some(*map));
    let maps = [(BLKREF_VM_NEW, update.new_cleared.map), (BLKREF_VM_OLD, old_map)];
    log_change(pg, rel, (Rmgr::HEAP, info), &[main, &old_row], heap, &maps);
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
