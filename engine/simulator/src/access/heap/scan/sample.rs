//! The scan of a sample: blocks, or rows, whose hash is below a bound (src/backend/access/tablesample/system.c,
//! bernoulli.c; `heapam_scan_sample_next_block`, `heapam_scan_sample_next_tuple`,
//! src/backend/access/heap/heapam_handler.c).
//!
//! ```text
//!  SYSTEM      blocks whose number's hash is small ──▶ pruned, all their rows
//!  BERNOULLI   all blocks ──▶ rows whose place's hash is small; of less than a quarter nothing else is done to the block
//! ```

use super::seq::visible_tuples;
use crate::access::heap::heap_tuple;
use crate::access::heap::prune::heap_page_prune_opt;
use crate::access::heap::visibility::{heap_check_for_serializable_conflict_out, heap_tuple_satisfies_mvcc};
use crate::storage::{Buffer, Instance, MvccSnapshot, Outcome, RelationData};
use alloc::vec::Vec;
use ffviz_format::page::header::PD_ALL_VISIBLE;
use ffviz_format::page::{BlockNumber, ForkNumber, LpFlags, OffsetNumber};

/// From this share of the rows on BERNOULLI looks at blocks as other scans do.
const PAGEMODE_PERCENT: f64 = 25.0;

/// How the sample is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SampleMethod {
    /// by whole blocks
    System,
    /// by rows
    Bernoulli,
}

/// A scan that can be gone on with.
#[derive(Debug, Clone)]
pub struct SampleScan {
    method: SampleMethod,
    /// hashes below it are in the sample
    cutoff: u64,
    seed: u32,
    /// is a block looked at as other scans do?
    pagemode: bool,
    blocks: BlockNumber,
    next: BlockNumber,
    /// the page that it holds
    buf: Option<Buffer>,
    hash: fn(&[u8]) -> u32,
}

impl SampleScan {
    /// `heap_beginscan`: so many percent of the rows that are there now.
    #[must_use]
    pub fn new(
        pg: &mut Instance,
        rel: &RelationData,
        (method, percent, seed): (SampleMethod, f64, u32),
        hash: fn(&[u8]) -> u32,
    ) -> Self {
        const HASHES: f64 = 4_294_967_296.0;
        const WHOLE: f64 = 4_503_599_627_370_496.0;
        pg.predicate_lock_relation(rel);
        // rint
        let cutoff = (HASHES * percent / 100.0 + WHOLE - WHOLE) as u64;
        let pagemode = method == SampleMethod::System || percent >= PAGEMODE_PERCENT;
        let blocks = pg.buffers.nblocks(rel.file, ForkNumber::Main);
        Self { method, cutoff, seed, pagemode, blocks, next: 0, buf: None, hash }
    }

    fn is_taken(&self, parts: &[u32]) -> bool {
        let bytes: Vec<u8> = parts.iter().chain([&self.seed]).flat_map(|part| part.to_le_bytes()).collect();
        u64::from((self.hash)(&bytes)) < self.cutoff
    }

    /// The next page of the sample with its rows that the snapshot sees; `None` behind the last.
    ///
    /// # Errors
    /// Where a SERIALIZABLE transaction has to fail for what it reads.
    pub fn next_page(
        &mut self,
        pg: &mut Instance,
        rel: &RelationData,
        snapshot: &MvccSnapshot,
    ) -> Outcome<Option<(Buffer, Vec<OffsetNumber>)>> {
        self.end(pg);
        while self.next < self.blocks {
            let block = self.next;
            self.next += 1;
            if self.method == SampleMethod::System && !self.is_taken(&[block]) {
                continue;
            }
            let buf = Buffer::main(rel.file, block);
            self.buf = Some(buf);
            pg.pin(buf);
            pg.read_buffer(buf);
            return self.rows(pg, rel, buf, snapshot).map(|rows| Some((buf, rows)));
        }
        Ok(None)
    }

    fn rows(
        &self,
        pg: &mut Instance,
        rel: &RelationData,
        buf: Buffer,
        snapshot: &MvccSnapshot,
    ) -> Outcome<Vec<OffsetNumber>> {
        let is_in = |n: &OffsetNumber| match self.method {
            SampleMethod::System => true,
            SampleMethod::Bernoulli => self.is_taken(&[buf.block, n.0.into()]),
        };
        if self.pagemode {
            heap_page_prune_opt(pg, rel, buf);
            let visible = visible_tuples(pg, buf, snapshot)?;
            return Ok(visible.into_iter().filter(is_in).collect());
        }
        let page = pg.buffers.page(buf);
        let all_visible = page.header().pd_flags() & PD_ALL_VISIBLE != 0;
        let normal = page.line_pointers().filter(|(_, lp)| lp.lp_flags() == LpFlags::Normal).map(|(n, _)| n);
        let sampled: Vec<OffsetNumber> = normal.filter(is_in).collect();
        let mut visible = Vec::new();
        for n in sampled {
            let Some(mut tuple) = heap_tuple(pg, buf, n) else { continue };
            let is_visible = all_visible || heap_tuple_satisfies_mvcc(pg, &mut tuple, buf, snapshot);
            heap_check_for_serializable_conflict_out(pg, &mut tuple, buf, is_visible)?;
            if is_visible {
                visible.push(n);
            }
        }
        Ok(visible)
    }

    /// `heap_endscan`
    pub fn end(&mut self, pg: &mut Instance) {
        if let Some(buf) = self.buf.take() {
            pg.unpin(buf);
        }
    }
}
