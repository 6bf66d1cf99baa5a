//! The BRIN access method with the operator classes `*_minmax_ops` (src/backend/access/brin).
//!
//! | file | what | PostgreSQL |
//! | --- | --- | --- |
//! | `tuple` | what a range is said to hold, in memory and on a page | `brin_tuple.c`, `brin_minmax.c` |
//! | `revmap` | where the summary of a range is | `brin_revmap.c` |
//! | `pageops` | summaries come, change and move | `brin_pageops.c` |
//! | `build` | CREATE INDEX, ranges that get their summary later, VACUUM | `brin.c` |
//! | `scan` | the summaries of all ranges, for a bitmap | `brin.c` |
//!
//! Here is what an INSERT does (`brininsert`, brin.c).

mod build;
mod pageops;
mod revmap;
mod scan;
mod tuple;

pub use build::BrinBuild;
pub use tuple::{BrinDesc, Summary, SummaryColumn};

use crate::storage::{Buffer, Instance, Outcome, RelationData};
use crate::version::Behaviour;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::Value;
use ffviz_format::page::brin::brin_meta;
use ffviz_format::page::{BlockNumber, OffsetNumber, Page};

/// `BRIN_METAPAGE_BLKNO`
const META: BlockNumber = 0;

/// An index at work, with what is known of its range map (`BrinRevmap`, `BrinDesc`).
#[derive(Debug, Clone)]
pub struct BrinIndex {
    /// the index
    pub rel: Arc<RelationData>,
    /// its columns
    pub desc: BrinDesc,
    /// `rm_pagesPerRange`; 0: the metapage was not read yet
    pages_per_range: BlockNumber,
    /// `rm_lastRevmapPage`
    last_revmap_page: BlockNumber,
    /// `rm_currBuf`: the page of the map that is held
    revmap: Option<BlockNumber>,
    /// the page of summaries that is held
    held: Option<BlockNumber>,
}

impl BrinIndex {
    /// The index, of which nothing is read yet.
    #[must_use]
    pub fn new(rel: Arc<RelationData>) -> Self {
        let desc = BrinDesc::new(&rel);
        Self { rel, desc, pages_per_range: 0, last_revmap_page: 0, revmap: None, held: None }
    }

    fn buffer(&self, block: BlockNumber) -> Buffer {
        Buffer::main(self.rel.file, block)
    }

    fn page<'a>(&self, pg: &'a Instance, block: BlockNumber) -> &'a Page {
        pg.buffers.page(self.buffer(block))
    }

    /// `brinRevmapInitialize`
    fn open(&mut self, pg: &mut Instance) {
        pg.read_buffer(self.buffer(META));
        let page = self.page(pg, META);
        let meta = brin_meta(page);
        (self.pages_per_range, self.last_revmap_page) = (meta.pagesPerRange().max(1), meta.lastRevmapPage());
        (self.revmap, self.held) = (None, None);
    }

    /// The first page of the range that a page is of.
    const fn range_of(&self, block: BlockNumber) -> BlockNumber {
        block / self.pages_per_range * self.pages_per_range
    }

    /// The bytes of a summary.
    fn item(&self, pg: &Instance, (block, n): (BlockNumber, OffsetNumber)) -> Vec<u8> {
        self.page(pg, block).index_item(n).unwrap_or_default().to_vec()
    }

    /// `brininsert`: a row came into that page of the table. A range without a summary stays without.
    ///
    /// # Errors
    /// The summary would be longer than a page; a serializable transaction has read the index.
    pub fn insert(&mut self, pg: &mut Instance, values: &[Value], block: BlockNumber) -> Outcome<()> {
        pg.check_for_serializable_conflict_in(&self.rel, None, None)?;
        if self.pages_per_range == 0 || !pg.version.keeps_brin_map() {
            self.open(pg);
        }
        self.held = None;
        let range = self.range_of(block);
        loop {
            let Some(place) = self.find(pg, range) else { return Ok(()) };
            let old = self.item(pg, place);
            let mut summary = self.desc.deform(&old);
            if !summary.add(&self.desc, values) {
                return Ok(());
            }
            let new = self.desc.form(&self.rel, range, &summary)?;
            let is_same_page = self.fits_in_place(pg, place.0, old.len(), new.len());
            if self.update(pg, range, (place, &old), &new, is_same_page)? {
                return Ok(());
            }
        }
    }
}
