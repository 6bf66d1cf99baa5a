//! `heap_insert` (src/backend/access/heap/heapam.c).
//!
//! ```text
//!  header: t_xmin = xid, t_cid, HEAP_XMAX_INVALID ─▶ too long? TOAST ─▶ a page with room ─▶ put ─▶ INSERT
//! ```

use super::bulk::BulkInsertState;
use super::hio::{Wanted, put_heap_tuple, relation_get_buffer_for_tuple};
use super::record::{ALL_VISIBLE_CLEARED, clear_all_visible, heap_block, is_logically_logged, log_change, will_init};
use super::toast::{heap_toast_insert_or_update, needs_toast};
use crate::access::transam::{REGBUF_KEEP_DATA, RecordKind};
use crate::storage::{Buffer, CommandId, Instance, Outcome, RelationData, count_at_hand};
use crate::version::Behaviour;
use ffviz_format::datum::FormedTuple;
use ffviz_format::heap::infomask::{HEAP_XMAX_INVALID, HEAP_XMIN_FROZEN};
use ffviz_format::heap::{HeapTupleHeaderData, SPEC_TOKEN_OFFSET_NUMBER};
use ffviz_format::page::header::PD_ALL_VISIBLE;
use ffviz_format::page::{ItemPointer, OffsetNumber, TransactionId};
use ffviz_format::state::RelKind;
use ffviz_format::wal::Rmgr;
use ffviz_format::wal::rec::heap::{XLOG_HEAP_INIT_PAGE, XlHeapInsert};
use ffviz_format::wal::record_type::HeapType;

/// Where `t_infomask2`, `t_infomask` and `t_hoff` are in a tuple: the fields of `xl_heap_header`, in its order, and all
/// after them is what records have of a tuple.
pub(super) const LOGGED_FROM: usize = HeapTupleHeaderData::FIELDS[4].offset as usize;

/// `XLH_INSERT_…`
const XLH_INSERT_IS_SPECULATIVE: u8 = 0x04;
pub(super) const XLH_INSERT_CONTAINS_NEW_TUPLE: u8 = 0x08;
const XLH_INSERT_ON_TOAST_RELATION: u8 = 0x10;

/// `HEAP_INSERT_…`: how a row is inserted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of PostgreSQL by its own name")]
pub struct InsertOptions {
    /// the free space map is neither asked nor told
    pub skip_fsm: bool,
    /// the row is visible to all at once (COPY FREEZE)
    pub frozen: bool,
    /// logical decoding is not to see it
    pub no_logical: bool,
    /// ON CONFLICT: the row can still be taken back ([`super::heap_finish_speculative`],
    /// [`super::heap_abort_speculative`])
    pub speculative: bool,
}

impl InsertOptions {
    /// An ordinary INSERT.
    pub const NONE: Self = Self { skip_fsm: false, frozen: false, no_logical: false, speculative: false };
}

/// `heap_insert`: gives the new row's place.
///
/// # Errors
/// A row too long for a page, and what storing its long values meets.
pub fn heap_insert(
    pg: &mut Instance,
    rel: &RelationData,
    tuple: &mut FormedTuple,
    cid: CommandId,
    options: InsertOptions,
    bistate: Option<&mut BulkInsertState>,
) -> Outcome<ItemPointer> {
    let xid = pg.current_xid();
    // the number is used up though the insertion may fail
    let token = options.speculative.then(|| speculative_token(pg));
    heap_prepare_insert(pg, rel, tuple, xid, cid, options)?;
    let wanted = Wanted { options, bistate, ..Wanted::one(tuple.bytes.len()) };
    let buf = relation_get_buffer_for_tuple(pg, rel, wanted)?;
    pg.check_for_serializable_conflict_in(rel, None, None)?;
    let (tid, is_counted) = put_and_count(pg, rel, buf, tuple, token);
    if !is_counted {
        log_heap_insert(pg, rel, buf, tuple, tid.offset, options);
    }
    pg.count_inserted(rel.oid, 1);
    Ok(tid)
}

/// Puts the tuple on the page. A record that is only counted is counted at once, as long as the page is at hand: it has
/// no image mostly. Gives the tuple's place, and whether that was done.
#[inline]
fn put_and_count(
    pg: &mut Instance,
    rel: &RelationData,
    buf: Buffer,
    tuple: &FormedTuple,
    token: Option<ItemPointer>,
) -> (ItemPointer, bool) {
    let counts = rel.permanent && pg.prepare_to_count();
    let Instance { buffers, wal, backends, me, .. } = pg;
    let (tid, mut page) = put_heap_tuple(buffers, buf, tuple, token);
    if !counts || page.header().pd_flags() & PD_ALL_VISIBLE != 0 {
        return (tid, false);
    }
    let lengths = (XlHeapInsert::SIZE, tuple.bytes.len() - LOGGED_FROM);
    let init = will_init(page.header(), tid.offset);
    let info = HeapType::Insert.info() | if init != 0 { XLOG_HEAP_INIT_PAGE } else { 0 };
    let about = (RecordKind(Rmgr::HEAP, info), init, lengths);
    (tid, count_at_hand(wal, &mut backends[*me].wal, &mut page, about).is_some())
}

/// `SpeculativeInsertionLockAcquire`: what stands in `t_ctid` until the insertion is final.
fn speculative_token(pg: &mut Instance) -> ItemPointer {
    let backend = pg.backend_mut();
    backend.speculative_token += 1;
    ItemPointer { block: backend.speculative_token, offset: SPEC_TOKEN_OFFSET_NUMBER }
}

/// `heap_prepare_insert`: long values go to the TOAST table, and the header gets its transaction.
pub(super) fn heap_prepare_insert(
    pg: &mut Instance,
    rel: &RelationData,
    tuple: &mut FormedTuple,
    xid: TransactionId,
    cid: CommandId,
    options: InsertOptions,
) -> Outcome<()> {
    if matches!(rel.kind, RelKind::Table | RelKind::MaterializedView) && needs_toast(tuple) {
        heap_toast_insert_or_update(pg, rel, tuple, None, options)?;
    }
    let frozen = if options.frozen { HEAP_XMIN_FROZEN } else { 0 };
    set_header(tuple, xid, cid, HEAP_XMAX_INVALID | frozen);
    Ok(())
}

/// Writes a new tuple's header; `infomask` are the bits about transactions.
#[inline]
pub(super) fn set_header(tuple: &mut FormedTuple, xmin: TransactionId, cid: CommandId, infomask: u16) {
    let (natts, columns, hoff) = (tuple.natts, tuple.infomask, tuple.hoff);
    let Some(header) = tuple.bytes.first_chunk_mut::<{ HeapTupleHeaderData::SIZE }>() else { return };
    HeapTupleHeaderData::edit(header)
        .t_xmin(xmin)
        .t_field3(cid)
        .t_infomask2(natts)
        .t_infomask(columns | infomask)
        .t_hoff(hoff);
}

/// INSERT, after which the page is not all-visible any more; on a page that had no tuple it makes the page anew, so
/// that no image is needed.
#[inline(never)]
fn log_heap_insert(
    pg: &mut Instance,
    rel: &RelationData,
    buf: Buffer,
    tuple: &FormedTuple,
    n: OffsetNumber,
    options: InsertOptions,
) {
    let cleared = clear_all_visible(pg, buf);
    let init = will_init(pg.buffers.page(buf).header(), n);
    let is_logical = is_logically_logged(pg, rel) && !options.no_logical;
    let mut flags = cleared.bit(ALL_VISIBLE_CLEARED);
    if options.speculative {
        flags |= XLH_INSERT_IS_SPECULATIVE;
    }
    if is_logical {
        flags |= XLH_INSERT_CONTAINS_NEW_TUPLE;
        if rel.kind == RelKind::Toast && pg.version.marks_toast_inserts() {
            flags |= XLH_INSERT_ON_TOAST_RELATION;
        }
    }
    let regbuf = init | if is_logical { REGBUF_KEEP_DATA } else { 0 };
    let info = HeapType::Insert.info() | if init != 0 { XLOG_HEAP_INIT_PAGE } else { 0 };
    let main = XlHeapInsert::make(n.0, flags);
    let data = [&tuple.bytes[LOGGED_FROM..]];
    let block = heap_block(0, buf, regbuf, &data);
    log_change(pg, rel, (Rmgr::HEAP, info), &[&main], &[block], &[(1, cleared.map)]);
}
