//! `heap_multi_insert` (src/backend/access/heap/heapam.c): the rows of COPY, as many to a page as fit, a record a page.
//!
//! ```text
//!  rows ─▶ a page with room for the next ─▶ put while the page has room beside what fillfactor keeps free ─▶ MULTI_INSERT ─▶ next page
//! ```

use super::bulk::BulkInsertState;
use super::hio::{Wanted, relation_get_buffer_for_tuple, relation_put_heap_tuple};
use super::insert::{InsertOptions, LOGGED_FROM, XLH_INSERT_CONTAINS_NEW_TUPLE, heap_prepare_insert};
use super::record::{ALL_VISIBLE_CLEARED, Cleared, clear_all_visible, heap_block, is_logically_logged, log_change};
use crate::access::transam::{REGBUF_KEEP_DATA, REGBUF_WILL_INIT};
use crate::storage::{BLCKSZ, Buffer, CommandId, Instance, Outcome, RelationData};
use crate::version::Behaviour;
use alloc::vec::Vec;
use ffviz_format::datum::FormedTuple;
use ffviz_format::heap::{HeapTupleHeaderData, heap_free_space};
use ffviz_format::page::header::PD_ALL_VISIBLE;
use ffviz_format::page::maps::VISIBILITYMAP_VALID_BITS;
use ffviz_format::page::{ItemPointer, PageHeaderData, maxalign};
use ffviz_format::wal::Rmgr;
use ffviz_format::wal::rec::heap::{XLH_INSERT_ALL_FROZEN_SET, XLOG_HEAP_INIT_PAGE};
use ffviz_format::wal::rec::heap2::XlHeapMultiInsert;
use ffviz_format::wal::record_type::Heap2Type;

/// `XLH_INSERT_LAST_IN_MULTI`
const XLH_INSERT_LAST_IN_MULTI: u8 = 0x02;

/// How many more pages the rows will need.
#[derive(Default)]
struct PagesNeeded {
    pages: u32,
    used: u32,
    /// was the page before empty, so that the count still holds?
    started_empty: bool,
}

/// `heap_multi_insert`: gives the new rows' places, in order.
///
/// # Errors
/// As [`super::heap_insert`]; rows that were put before stay, as those of a transaction that fails.
pub fn heap_multi_insert(
    pg: &mut Instance,
    rel: &RelationData,
    mut tuples: Vec<FormedTuple>,
    cid: CommandId,
    options: InsertOptions,
    mut bistate: Option<&mut BulkInsertState>,
) -> Outcome<Vec<ItemPointer>> {
    let xid = pg.current_xid();
    tuples.iter_mut().try_for_each(|tuple| heap_prepare_insert(pg, rel, tuple, xid, cid, options))?;
    pg.check_for_serializable_conflict_in(rel, None, None)?;
    let mut tids = Vec::with_capacity(tuples.len());
    let mut needed = PagesNeeded::default();
    while tids.len() < tuples.len() {
        let rest = &tuples[tids.len()..];
        let num_pages = needed.count(pg, rel, rest);
        let wanted = Wanted { options, bistate: bistate.as_deref_mut(), num_pages, ..Wanted::one(rest[0].bytes.len()) };
        let buf = relation_get_buffer_for_tuple(pg, rel, wanted)?;
        needed.started_empty = pg.buffers.page(buf).item_count() == 0;
        fill_page(pg, rel, buf, rest, options, &mut tids);
    }
    pg.count_inserted(rel.oid, tids.len());
    Ok(tids)
}

impl PagesNeeded {
    /// How many pages to ask for; before 16 tables do not grow in bulk.
    fn count(&mut self, pg: &Instance, rel: &RelationData, rest: &[FormedTuple]) -> u32 {
        if !pg.version.extends_in_bulk() {
            return 1;
        }
        if self.started_empty {
            self.used += 1;
        } else {
            (self.pages, self.used) = (heap_multi_insert_pages(rest, rel.target_page_free_space()), 0);
        }
        self.pages.saturating_sub(self.used).max(1)
    }
}

/// `heap_multi_insert_pages`: by PostgreSQL's count, in which a row longer than a page may hold makes the rest of the
/// page endless.
fn heap_multi_insert_pages(tuples: &[FormedTuple], save: u16) -> u32 {
    let whole = u64::from(BLCKSZ - PageHeaderData::SIZE as u16 - save);
    let (mut available, mut pages) = (whole, 1);
    for tuple in tuples {
        let size = tuple.bytes.len().next_multiple_of(8) as u64 + 4;
        if available < size {
            pages += 1;
            available = whole;
        }
        available = available.wrapping_sub(size);
    }
    pages
}

/// Puts rows on the page while they fit, and writes their record.
fn fill_page(
    pg: &mut Instance,
    rel: &RelationData,
    buf: Buffer,
    rest: &[FormedTuple],
    options: InsertOptions,
    tids: &mut Vec<ItemPointer>,
) {
    let from = tids.len();
    let was_empty = pg.buffers.page(buf).item_count() == 0;
    let save = rel.target_page_free_space();
    for (n, tuple) in rest.iter().enumerate() {
        let needed = maxalign(tuple.bytes.len() as u16) + save;
        if n > 0 && heap_free_space(pg.buffers.page(buf)) < needed {
            break;
        }
        tids.push(relation_put_heap_tuple(pg, buf, tuple, None));
    }
    let tids = &tids[from..];
    let freezes = options.frozen && pg.version.copy_freeze_sets_visibility_map();
    let cleared = if freezes { Cleared::default() } else { clear_all_visible(pg, buf) };
    let frozen = was_empty && freezes;
    if frozen {
        let page = pg.buffers.page_mut(buf);
        page.set_pd_flags(page.header().pd_flags() | PD_ALL_VISIBLE);
    }
    let mut flags = cleared.bit(ALL_VISIBLE_CLEARED);
    if frozen {
        flags = XLH_INSERT_ALL_FROZEN_SET;
    }
    if tids.len() == rest.len() {
        flags |= XLH_INSERT_LAST_IN_MULTI;
    }
    let tuples = &rest[..tids.len()];
    log_multi_insert(pg, rel, buf, tuples, tids, &Filled { was_empty, flags, cleared });
    if frozen {
        pg.visibilitymap_set(buf, 0, VISIBILITYMAP_VALID_BITS);
    }
}

/// What the record of a page says beside its rows.
struct Filled {
    was_empty: bool,
    flags: u8,
    cleared: Cleared,
}

/// `MULTI_INSERT`
fn log_multi_insert(
    pg: &mut Instance,
    rel: &RelationData,
    buf: Buffer,
    tuples: &[FormedTuple],
    tids: &[ItemPointer],
    filled: &Filled,
) {
    let all_new = usize::from(pg.buffers.page(buf).item_count()) == tids.len() && tids[0].offset.0 == 1;
    let init = if pg.version.inits_pages_without_line_pointers() { filled.was_empty } else { all_new };
    let is_logical = is_logically_logged(pg, rel);
    let mut flags = filled.flags;
    if is_logical {
        flags |= XLH_INSERT_CONTAINS_NEW_TUPLE;
    }
    let head = XlHeapMultiInsert::make(flags, tuples.len() as u16);
    let listed = if init { &[] } else { tids };
    let offsets: Vec<u8> = listed.iter().flat_map(|tid| tid.offset.0.to_le_bytes()).collect();
    let data = tuple_data(tuples);
    let data: [&[u8]; 1] = [&data];
    let regbuf = if init { REGBUF_WILL_INIT } else { 0 } | if is_logical { REGBUF_KEEP_DATA } else { 0 };
    let info = Heap2Type::MultiInsert.info(pg.version) | if init { XLOG_HEAP_INIT_PAGE } else { 0 };
    let block = heap_block(0, buf, regbuf, &data);
    log_change(pg, rel, (Rmgr::HEAP2, info), &[&head, &offsets], &[block], &[(1, filled.cleared.map)]);
}

/// For each tuple `xl_multi_insert_tuple`, at an even byte, and the tuple from its bitmap on.
fn tuple_data(tuples: &[FormedTuple]) -> Vec<u8> {
    let mut data = Vec::new();
    for tuple in tuples {
        data.resize(data.len().next_multiple_of(2), 0);
        let len = tuple.bytes.len() - HeapTupleHeaderData::SIZE;
        data.extend_from_slice(&(len as u16).to_le_bytes());
        data.extend_from_slice(&tuple.bytes[LOGGED_FROM..]);
    }
    data
}
