//! The WAL of changes to heap pages: the pages of the table, and from 17.11 and 18.6 on those of the visibility map
//! whose bits went.

use crate::access::transam::{REGBUF_STANDARD, REGBUF_WILL_INIT, RecordKind, WalLevel};
use crate::storage::{Buffer, Buffers, Instance, ItemMut, Registered, RelationData, count_at_hand};
use crate::version::Behaviour;
use ffviz_format::heap::HeapTuple;
use ffviz_format::page::header::PD_ALL_VISIBLE;
use ffviz_format::page::maps::{VISIBILITYMAP_ALL_FROZEN, VISIBILITYMAP_VALID_BITS};
use ffviz_format::page::{HeaderMut, ItemIdData, OffsetNumber, PageHeaderData};
use ffviz_format::wal::Rmgr;
pub(super) use ffviz_format::wal::rec::heap::ALL_VISIBLE_CLEARED;
use ffviz_story::timeline::Unlogged;

/// What a change took away of what is known of its page's visibility.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Cleared {
    /// was `PD_ALL_VISIBLE` set?
    pub flag: bool,
    /// the page of the visibility map that lost bits
    pub map: Option<Buffer>,
}

impl Cleared {
    /// `bit` where the flag was set, as records have it.
    pub const fn bit(self, bit: u8) -> u8 {
        if self.flag { bit } else { 0 }
    }
}

/// The page is not all-visible any more: its flag and both bits of the map go.
#[inline]
pub(super) fn clear_all_visible(pg: &mut Instance, buf: Buffer) -> Cleared {
    let flags = pg.buffers.page(buf).header().pd_flags();
    if flags & PD_ALL_VISIBLE == 0 { Cleared::default() } else { clear_flag_and_map(pg, buf, flags) }
}

#[inline(never)]
fn clear_flag_and_map(pg: &mut Instance, buf: Buffer, flags: u16) -> Cleared {
    pg.read_visibilitymap(buf);
    pg.buffers.header_mut(buf).set_pd_flags(flags & !PD_ALL_VISIBLE);
    Cleared { flag: true, map: clear_map(pg, buf, VISIBILITYMAP_VALID_BITS) }
}

/// A row of the page has a lock: it is not all-frozen any more, but still all-visible.
pub(super) fn clear_all_frozen(pg: &mut Instance, buf: Buffer) -> Cleared {
    let is_all_visible = pg.buffers.page(buf).header().pd_flags() & PD_ALL_VISIBLE != 0;
    let map = if is_all_visible { clear_map(pg, buf, VISIBILITYMAP_ALL_FROZEN) } else { None };
    Cleared { flag: map.is_some(), map }
}

fn clear_map(pg: &mut Instance, buf: Buffer, bits: u8) -> Option<Buffer> {
    pg.visibilitymap_clear(buf.file, buf.block, bits).then(|| Instance::vm_buffer(buf.file, buf.block))
}

/// Writes a tuple's header back to its page, whose own header is at hand then.
#[inline]
pub(super) fn write_header<'a>(buffers: &'a mut Buffers, buf: Buffer, tuple: &HeapTuple) -> HeaderMut<'a> {
    let ItemMut { header, bytes } = buffers.item_mut(buf, tuple.tid.offset, &tuple.bytes);
    if let Some(place) = bytes.first_chunk_mut() {
        *place = tuple.header();
    }
    header
}

/// The same with the record of it, which has main data only. One that is only counted is counted at once, as long as
/// the page is at hand. `map`: the page of the visibility map that lost bits
pub(super) fn write_and_log_header(
    pg: &mut Instance,
    rel: &RelationData,
    (buf, tuple): (Buffer, &HeapTuple),
    record: (Rmgr, u8),
    main: &[u8],
    map: Option<Buffer>,
) {
    let counts = rel.permanent && map.is_none() && pg.prepare_to_count();
    let Instance { buffers, wal, backends, me, .. } = &mut *pg;
    let mut page = write_header(buffers, buf, tuple);
    let about = (RecordKind(record.0, record.1), REGBUF_STANDARD, (main.len(), 0));
    let is_counted = counts && count_at_hand(wal, &mut backends[*me].wal, &mut page, about).is_some();
    pg.mark_buffer_dirty(buf);
    if !is_counted {
        log_change(pg, rel, record, &[main], &[heap_block(0, buf, 0, &[])], &[(1, map)]);
    }
}

/// `REGBUF_WILL_INIT` where that tuple, just put on the page, is its only one: the record makes the page anew, so that
/// no image is needed.
#[inline]
pub(super) fn will_init(page: PageHeaderData<'_>, n: OffsetNumber) -> u8 {
    const ONE_ITEM: usize = PageHeaderData::SIZE + ItemIdData::SIZE;
    let is_only_one = n == OffsetNumber(1) && usize::from(page.pd_lower()) == ONE_ITEM;
    if is_only_one { REGBUF_WILL_INIT } else { 0 }
}

/// A page of the table in a record.
pub(super) const fn heap_block<'a>(id: u8, buf: Buffer, flags: u8, data: &'a [&'a [u8]]) -> Registered<'a> {
    Registered { id, buf, flags: REGBUF_STANDARD | flags, data, sets_lsn: true }
}

/// Writes the record of a change; of a table that is not logged, only tells which pages changed. `maps`: pages of the
/// visibility map that lost bits, with the numbers they get in the record.
pub(super) fn log_change(
    pg: &mut Instance,
    rel: &RelationData,
    (rmgr, info): (Rmgr, u8),
    main: &[&[u8]],
    heap: &[Registered<'_>],
    maps: &[(u8, Option<Buffer>)],
) {
    let maps = || maps.iter().filter_map(|(id, map)| Some((*id, (*map)?)));
    if !rel.permanent {
        for buf in heap.iter().map(|block| block.buf).chain(maps().map(|(_, buf)| buf)) {
            pg.note_unlogged(Unlogged::Relation, buf);
        }
        pg.trace.take_along();
        return;
    }
    if !pg.version.logs_vm_block() || maps().next().is_none() {
        pg.xlog_insert(rmgr, info, main, heap);
        return;
    }
    let maps = maps();
    let maps = maps.map(|(id, buf)| Registered { id, buf, flags: 0, data: &[], sets_lsn: true });
    pg.xlog_insert(rmgr, info, main, heap.iter().copied().chain(maps));
}

/// `RelationIsLogicallyLogged`: do records have all that logical decoding needs?
pub(super) fn is_logically_logged(pg: &Instance, rel: &RelationData) -> bool {
    pg.wal.settings.level >= WalLevel::Logical && rel.permanent
}
