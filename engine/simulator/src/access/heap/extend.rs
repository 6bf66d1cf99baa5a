//! New blocks for a table: `RelationAddBlocks` (16 to 18), `RelationAddExtraBlocks` (13 to 15),
//! src/backend/access/heap/hio.c.
//!
//! ```text
//!  13 to 15, and every single INSERT and UPDATE:  one block
//!  COPY and CREATE TABLE AS from 16 on:           1, 1, 2, 4, 8 … 64 blocks; those not needed at once go to the free space map
//! ```

use super::hio::Wanted;
use crate::storage::{BLCKSZ, Buffer, Instance, RelationData};
use crate::version::Behaviour;
use ffviz_format::page::{ForkNumber, PageHeaderData};

/// `MAX_BUFFERS_TO_EXTEND_BY`
const MAX_BUFFERS_TO_EXTEND_BY: u32 = 64;
/// `REFCOUNT_ARRAY_ENTRIES`: pins that a session is taken to hold already
const REFCOUNT_ARRAY_ENTRIES: u32 = 8;

/// Makes the file longer and gives the first new block, which is zeros yet.
pub(super) fn relation_add_blocks(
    pg: &mut Instance,
    rel: &RelationData,
    wanted: &mut Wanted<'_>,
    use_fsm: bool,
) -> Buffer {
    let by = extend_by(pg, wanted, use_fsm);
    let first = pg.extend(rel.file, ForkNumber::Main, by);
    let (buf, last) = (Buffer::main(rel.file, first), first + by - 1);
    let kept = if wanted.bistate.is_some() { wanted.num_pages } else { 1 };
    if use_fsm && kept < by {
        record_free_blocks(pg, rel, first + kept, last);
    }
    if let Some(bistate) = wanted.bistate.as_deref_mut() {
        bistate.read(pg, buf);
        pg.buffers.grew_in_bulk(rel.file);
        bistate.extended(first, last);
    }
    buf
}

/// How many blocks. Nobody else waits for the lock on the relation's end, which would add more.
fn extend_by(pg: &Instance, wanted: &Wanted<'_>, use_fsm: bool) -> u32 {
    if !pg.version.extends_in_bulk() || (wanted.bistate.is_none() && !use_fsm) {
        return 1;
    }
    let before = wanted.bistate.as_ref().map_or(0, |bistate| bistate.already_extended_by());
    let settings = &pg.settings;
    // LimitAdditionalPins: a session's share of the buffers
    let share = settings.shared_buffers / settings.max_backends.max(1);
    let pins = share.saturating_sub(REFCOUNT_ARRAY_ENTRIES).max(1);
    wanted.num_pages.max(before).min(MAX_BUFFERS_TO_EXTEND_BY).min(pins)
}

/// Others may use these blocks. Up to 16.14, 17.10 and 18.4 the upper levels of the map are not told of the last one.
fn record_free_blocks(pg: &mut Instance, rel: &RelationData, first: u32, last: u32) {
    for block in first..=last {
        pg.record_page_with_free_space(rel.file, block, BLCKSZ - PageHeaderData::SIZE as u16);
    }
    let end = last + u32::from(pg.version.refreshes_last_new_block());
    pg.free_space_map_vacuum_range(rel.file, first..end);
}
