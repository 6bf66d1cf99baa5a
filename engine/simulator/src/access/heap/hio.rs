//! Which page a new tuple goes to: `RelationGetBufferForTuple` (src/backend/access/heap/hio.c).
//!
//! ```text
//!  the page of the last insert ─ full ▶ free space map ─ nothing ▶ last page ─ full ▶ new block
//!        │                                   ▲
//!        └─ records how much is left ────────┘
//! ```
//!
//! What is asked for is the tuple and what `fillfactor` keeps free; what an empty page has is always enough.

use super::bulk::BulkInsertState;
use super::extend::relation_add_blocks;
use super::insert::InsertOptions;
use crate::storage::{AddedItem, BLCKSZ, Buffer, Buffers, Instance, Outcome, RelationData};
use alloc::format;
use alloc::string::String;
use ffviz_format::datum::{FormedTuple, SqlError};
use ffviz_format::heap::{HeapTupleHeaderData, heap_free_space, hole_words, max_heap_tuples_per_page};
use ffviz_format::page::{BlockNumber, ForkNumber, HeaderMut, ItemIdData, ItemPointer, Page, bytes, maxalign};
use ffviz_story::timeline::Unlogged;

/// `MaxHeapTupleSize`
pub const MAX_HEAP_TUPLE_SIZE: u16 = BLCKSZ - maxalign(24 + 4);
/// `MaxHeapTuplesPerPage`
const MAX_HEAP_TUPLES_PER_PAGE: u16 = max_heap_tuples_per_page(BLCKSZ);
/// Free space that counts as an empty page's: an eighth of the line pointers may be there already.
const NEARLY_EMPTY_FREE_SPACE: u16 = MAX_HEAP_TUPLE_SIZE - MAX_HEAP_TUPLES_PER_PAGE / 8 * 4;

/// What is looked for.
pub(super) struct Wanted<'a> {
    /// `t_len`
    pub len: usize,
    /// of an INSERT
    pub options: InsertOptions,
    /// of a bulk insert
    pub bistate: Option<&'a mut BulkInsertState>,
    /// pages that the tuples still to come need, at least 1
    pub num_pages: u32,
    /// the page of an UPDATE's old version, which is at hand (`otherBuffer`)
    pub other: Option<Buffer>,
}

impl Wanted<'_> {
    /// Room for one tuple.
    pub const fn one(len: usize) -> Self {
        Self { len, options: InsertOptions::NONE, bistate: None, num_pages: 1, other: None }
    }
}

/// `RelationGetBufferForTuple`: a page with room, initialised.
///
/// # Errors
/// A tuple longer than any page has room for.
// always: the buffer would go through memory, written in pieces and read at once, which takes as long as all the rest
#[inline(always)]
pub(super) fn relation_get_buffer_for_tuple(
    pg: &mut Instance,
    rel: &RelationData,
    wanted: Wanted<'_>,
) -> Outcome<Buffer> {
    let len = aligned_len(wanted.len)?;
    let save = rel.target_page_free_space();
    let gives_up = !pg.version.looks_for_an_empty_page() && len + save > MAX_HEAP_TUPLE_SIZE;
    let target = if !pg.version.looks_for_an_empty_page() || len + save <= NEARLY_EMPTY_FREE_SPACE {
        len + save
    } else {
        len.max(NEARLY_EMPTY_FREE_SPACE)
    };
    if !gives_up && let Some(buf) = last_target(pg, rel, &wanted, target) {
        return Ok(buf);
    }
    Ok(look_for_page(pg, rel, wanted, target, gives_up))
}

/// The page of the last insert, where it has room: nothing is to be remembered then that is not.
#[inline(always)]
fn last_target(pg: &mut Instance, rel: &RelationData, wanted: &Wanted<'_>, target: u16) -> Option<Buffer> {
    let block = pg.backend().target_block(rel.file)?;
    let is_current = wanted.bistate.as_ref().is_none_or(|bistate| bistate.current_block() == Some(block));
    if !is_current || wanted.options.frozen {
        return None;
    }
    let buf = Buffer::main(rel.file, block);
    // a block of zeros has none
    let has_room = target <= heap_free_space(pg.buffers.page(buf));
    if has_room && wanted.other != Some(buf) {
        pg.read_buffer(buf);
    }
    has_room.then_some(buf)
}

/// Any other page, if need be a new one.
#[inline(never)]
fn look_for_page(pg: &mut Instance, rel: &RelationData, mut wanted: Wanted<'_>, target: u16, gives_up: bool) -> Buffer {
    let use_fsm = !wanted.options.skip_fsm && !gives_up;
    if !gives_up && let Some(buf) = search(pg, rel, &mut wanted, target, use_fsm) {
        return buf;
    }
    let blocks = pg.buffers.nblocks(rel.file, ForkNumber::Main);
    let last = blocks.checked_sub(1).map(|last| Buffer::main(rel.file, last));
    pg.trace.tell(last, || match blocks {
        0 => String::from("the table has no block yet: it grows by block 0"),
        _ => format!("no page has {} free: the table grows by block {blocks}", needed_words(wanted.len, target)),
    });
    let buf = relation_add_blocks(pg, rel, &mut wanted, use_fsm);
    init_page(pg, buf);
    if sets_map(pg, &wanted) {
        pg.visibilitymap_pin(rel.file, buf.block);
    }
    pg.backend_mut().set_target_block(rel.file, Some(buf.block));
    buf
}

/// What a tuple takes on a page.
///
/// # Errors
/// No page has room for it.
#[inline]
pub(super) fn aligned_len(len: usize) -> Result<u16, SqlError> {
    let aligned = u16::try_from(len).map_or(u16::MAX, maxalign);
    if aligned > MAX_HEAP_TUPLE_SIZE { Err(too_big(aligned)) } else { Ok(aligned) }
}

#[cold]
fn too_big(len: u16) -> SqlError {
    SqlError::new("54000", format!("row is too big: size {len}, maximum size {MAX_HEAP_TUPLE_SIZE}"))
}

/// Will the page be marked in the visibility map, so that the map's page has to be there? (COPY FREEZE)
fn sets_map(pg: &Instance, wanted: &Wanted<'_>) -> bool {
    wanted.options.frozen && pg.version.copy_freeze_sets_visibility_map()
}

/// Goes from candidate to candidate until one has `target` bytes free.
fn search(
    pg: &mut Instance,
    rel: &RelationData,
    wanted: &mut Wanted<'_>,
    target: u16,
    use_fsm: bool,
) -> Option<Buffer> {
    let mut candidate = first_candidate(pg, rel, wanted, target, use_fsm);
    while let Some(block) = candidate {
        let buf = Buffer::main(rel.file, block);
        if wanted.other != Some(buf) {
            pg.read_buffer(buf);
        }
        if let Some(bistate) = wanted.bistate.as_deref_mut() {
            bistate.read(pg, buf);
        }
        if pg.buffers.page(buf).is_new() {
            init_page(pg, buf);
        }
        if sets_map(pg, wanted) && pg.buffers.page(buf).item_count() == 0 {
            pg.visibilitymap_pin(rel.file, block);
        }
        let free = heap_free_space(pg.buffers.page(buf));
        if target <= free {
            pg.backend_mut().set_target_block(rel.file, Some(block));
            return Some(buf);
        }
        candidate = if let Some(next) = wanted.bistate.as_deref_mut().and_then(BulkInsertState::take_free) {
            if use_fsm {
                pg.record_page_with_free_space(rel.file, block, free);
            }
            Some(next)
        } else if use_fsm {
            let next = pg.record_and_get_page_with_free_space(rel.file, block, free, target);
            tell_search(pg, buf, free, wanted.len, target, next);
            next
        } else {
            None
        };
    }
    None
}

/// The page of the last insert, else what the free space map offers, else the last page.
fn first_candidate(
    pg: &mut Instance,
    rel: &RelationData,
    wanted: &Wanted<'_>,
    target: u16,
    use_fsm: bool,
) -> Option<BlockNumber> {
    let current = wanted.bistate.as_ref().and_then(|bistate| bistate.current_block());
    if let Some(block) = current.or_else(|| pg.backend().target_block(rel.file)) {
        return Some(block);
    }
    if use_fsm && let Some(block) = pg.get_page_with_free_space(rel.file, target) {
        pg.trace.tell(Some(Buffer::main(rel.file, block)), || {
            format!("{} are needed: the free space map offers block {block}", needed_words(wanted.len, target))
        });
        return Some(block);
    }
    let tries_last = use_fsm || pg.version.looks_for_an_empty_page();
    pg.buffers.nblocks(rel.file, ForkNumber::Main).checked_sub(1).filter(|_| tries_last)
}

/// What is asked of a page: room for the tuple with a line pointer, and what `fillfactor` keeps.
fn needed_words(len: usize, target: u16) -> String {
    let all = bytes(u64::from(target) + ItemIdData::SIZE as u64);
    if target > maxalign(len as u16) { all + " with those that fillfactor keeps" } else { all }
}

fn tell_search(pg: &mut Instance, buf: Buffer, free: u16, len: usize, target: u16, next: Option<BlockNumber>) {
    let hole = pg.buffers.page(buf).free();
    pg.trace.tell(Some(buf), || {
        let (hole, needed) = (hole_words(hole, free), needed_words(len, target));
        let asked = format!("block {}: {hole} free, {needed} needed: the free space map is asked", buf.block);
        match next {
            Some(block) => format!("{asked} and offers block {block}"),
            None => format!("{asked} and knows no page"),
        }
    });
}

/// `PageInit` of a block of zeros.
fn init_page(pg: &mut Instance, buf: Buffer) {
    *pg.buffers.page_mut(buf) = Page::init(BLCKSZ, 0);
    pg.mark_buffer_dirty(buf);
    pg.note_unlogged(Unlogged::Extension, buf);
}

/// `RelationPutHeapTuple`: puts the tuple, header and all, on the page and writes its own place into `t_ctid`, or the
/// token of a speculative insertion. The page is dirty then.
///
/// # Panics
/// Where the page has no room: the caller has found one that has.
#[inline]
pub(super) fn relation_put_heap_tuple(
    pg: &mut Instance,
    buf: Buffer,
    tuple: &FormedTuple,
    token: Option<ItemPointer>,
) -> ItemPointer {
    put_heap_tuple(&mut pg.buffers, buf, tuple, token).0
}

/// The same, with the page's header, as long as the page is at hand.
///
/// # Panics
/// As [`relation_put_heap_tuple`].
#[inline]
pub(super) fn put_heap_tuple<'a>(
    buffers: &'a mut Buffers,
    buf: Buffer,
    tuple: &FormedTuple,
    token: Option<ItemPointer>,
) -> (ItemPointer, HeaderMut<'a>) {
    let added = buffers.add_heap_item(buf, &tuple.bytes, MAX_HEAP_TUPLES_PER_PAGE);
    let AddedItem { number: offset, header, bytes } = added.expect("the page was chosen for its room");
    let tid = ItemPointer { block: buf.block, offset };
    if let Some(tuple) = bytes.first_chunk_mut::<{ HeapTupleHeaderData::SIZE }>() {
        HeapTupleHeaderData::edit(tuple).t_ctid(token.unwrap_or(tid));
    }
    (tid, header)
}
