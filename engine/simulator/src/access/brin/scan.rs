//! The summaries of all ranges of a table, which a scan compares with its conditions (`brinbeginscan`, `bringetbitmap`,
//! src/backend/access/brin/brin.c).

use super::{BrinIndex, Summary};
use crate::storage::{Instance, RelationData};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::Range;
use ffviz_format::page::BlockNumber;

impl BrinIndex {
    /// `brinbeginscan`: the metapage is read.
    pub fn begin_scan(pg: &mut Instance, rel: Arc<RelationData>) -> Self {
        let mut index = Self::new(rel);
        index.open(pg);
        index
    }

    /// The ranges of a table with so many pages, each with its summary. All rows of a serializable transaction's scan
    /// count as read.
    pub fn summaries(&mut self, pg: &mut Instance, pages: BlockNumber) -> Vec<(Range<BlockNumber>, Option<Summary>)> {
        pg.predicate_lock_relation(&self.rel);
        self.held = None;
        let size = self.pages_per_range;
        let starts = (0..pages).step_by(size as usize);
        let all = starts.map(|start| {
            let place = self.find(pg, start);
            let summary = place.map(|place| self.desc.deform(&self.item(pg, place)));
            (start..pages.min(start.saturating_add(size)), summary)
        });
        all.collect()
    }
}
