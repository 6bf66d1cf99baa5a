//! `SetHintBits`: what the commit log says of a transaction, written beside its xid.
//!
//! The simulator knows no time: here the walwriter has always come before the next statement. On a server it comes
//! several times a second, and until then no hint bit tells of a commit that was not flushed, as that of a transaction
//! that changed unlogged tables only, or wrote nothing but its COMMIT. So `ffviz verify` waits for it where a script
//! has such tables (`tui/verify/src/runner.rs`).

use crate::storage::{Buffer, Instance};
use core::ops::Range;
use ffviz_format::heap::infomask::{HEAP_XMIN_COMMITTED, HEAP_XMIN_INVALID};
use ffviz_format::heap::{HeapTuple, HeapTupleHeaderData};
use ffviz_format::page::TransactionId;
use ffviz_format::page::layout::Wire;
use ffviz_story::timeline::Unlogged;

/// Where `t_infomask` is in a tuple.
const T_INFOMASK: Range<usize> = T_INFOMASK_AT..T_INFOMASK_AT + u16::SIZE;
const T_INFOMASK_AT: usize = HeapTupleHeaderData::FIELDS[5].offset as usize;

/// Adds bits to `t_infomask`. `committed` names the transaction that they say has committed: while its COMMIT is not on
/// disk, nothing on disk may say so, and the bits are left for a later visit, unless the page cannot reach the disk
/// before it either.
pub fn set_hint_bits(
    pg: &mut Instance,
    tuple: &mut HeapTuple,
    buf: Buffer,
    bits: u16,
    committed: Option<TransactionId>,
) {
    let lsn = |pg: &Instance| pg.buffers.page(buf).header().pd_lsn();
    if let Some(xid) = committed.filter(|_| pg.buffers.is_permanent(buf.file)) {
        let commit = pg.transam.commit_lsn(xid);
        if pg.xlog_needs_flush(commit) && lsn(pg) < commit {
            return;
        }
    }
    let before = pg.trace.on.then(|| lsn(pg));
    tuple.t_infomask |= bits;
    let item = pg.buffers.item_mut(buf, tuple.tid.offset, &tuple.bytes);
    if let Some(place) = item.bytes.get_mut(T_INFOMASK) {
        tuple.t_infomask.set(place);
    }
    pg.mark_buffer_dirty_hint(buf, true);
    // an image of the page has told it already
    if before.is_some_and(|before| before == lsn(pg)) {
        pg.note_unlogged(Unlogged::HintBits, buf);
    }
}

/// Keeps what the commit log says of `t_xmin`, which does not run any more. Did it commit?
pub(super) fn settle_xmin(pg: &mut Instance, tuple: &mut HeapTuple, buf: Buffer) -> bool {
    let xmin = tuple.t_xmin;
    let committed = pg.transam.did_commit(xmin);
    if committed {
        set_hint_bits(pg, tuple, buf, HEAP_XMIN_COMMITTED, Some(xmin));
    } else {
        set_hint_bits(pg, tuple, buf, HEAP_XMIN_INVALID, None);
    }
    committed
}
