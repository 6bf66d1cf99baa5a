//! ANALYZE's sample: at most 30,000 blocks in their order, and of the rows on them at most 30,000, or as many as the
//! columns' statistics targets ask for (`acquire_sample_rows`, src/backend/commands/analyze.c; `BlockSampler`,
//! src/backend/utils/misc/sampling.c).
//!
//! ```text
//!  up to 30,000 blocks, 30,000 rows: all of them       more: by chance, from a generator that begins anew in each session
//! ```
//!
//! A server seeds its generator by chance too. So what a larger table's sample has is not the server's, and is the same
//! in each run.
//!
//! Of a table of up to 30,000 rows both look at all and find the same.

use crate::access::heap::scan::heap_analyze_page;
use crate::sql::tcop::Database;
use crate::storage::{Buffer, RelationData};
use alloc::vec::Vec;
use ffviz_format::datum::random::Random;
use ffviz_format::page::{BlockNumber, ForkNumber, ItemPointer};

/// The rows of a sample, by place, and what they tell of the whole table.
pub(super) struct Sample {
    pub rows: Vec<ItemPointer>,
    /// rows that the table is taken to have
    pub total: f64,
    /// dead ones
    pub dead: f64,
}

/// Looks at the blocks of the sample: hint bits are set. `wanted`: rows that are asked for, and so blocks.
pub(super) fn acquire_sample_rows(db: &mut Database, relation: &RelationData, wanted: usize) -> Sample {
    let blocks = db.cluster.pg.buffers.nblocks(relation.file, ForkNumber::Main);
    let mut random = db.session().global_random;
    let chosen = sample_blocks(blocks, wanted, &mut random);
    let oldest = db.cluster.pg.oldest_nonremovable(relation.file);
    let (mut rows, mut live, mut dead, mut seen) = (Vec::new(), 0_u64, 0_u64, 0_u64);
    for block in &chosen {
        let page = heap_analyze_page(&mut db.cluster.pg, Buffer::main(relation.file, *block), oldest);
        live += u64::from(page.live);
        dead += u64::from(page.dead);
        for offset in page.sampled {
            let tid = ItemPointer { block: *block, offset };
            seen += 1;
            if rows.len() < wanted {
                rows.push(tid);
            } else if let Some(row) = rows.get_mut((random.next_f64() * seen as f64) as usize) {
                *row = tid;
            }
        }
    }
    db.session().global_random = random;
    rows.sort_unstable();
    let pages = chosen.len().max(1) as f64;
    let of_all = |found: u64| (found as f64 / pages * f64::from(blocks) + 0.5) as u64 as f64;
    Sample { rows, total: of_all(live), dead: of_all(dead) }
}

/// `BlockSampler_Next` until there is no more (Knuth's algorithm S).
fn sample_blocks(blocks: BlockNumber, wanted: usize, random: &mut Random) -> Vec<BlockNumber> {
    let wanted = blocks.min(wanted as BlockNumber);
    let mut chosen = Vec::new();
    for block in 0..blocks {
        let (open, left) = (wanted - chosen.len() as BlockNumber, blocks - block);
        if open >= left || random.next_f64() * f64::from(left) < f64::from(open) {
            chosen.push(block);
        }
    }
    chosen
}
