//! Summaries of rows that are there: CREATE INDEX, VACUUM, `brin_summarize_range` (`brinbuild`, `brinbuildCallback`,
//! `brinvacuumcleanup`, `brinsummarize`, `summarize_range`, src/backend/access/brin/brin.c).

use super::{BrinIndex, META, Summary};
use crate::access::heap::detoast_external_attr;
use crate::access::heap::scan::{IndexBuildTuple, Unended, heap_index_build_page};
use crate::access::nbtree::BulkDeleteResult;
use crate::access::transam::{REGBUF_STANDARD, REGBUF_WILL_INIT};
use crate::storage::{BLCKSZ, Buffer, Instance, Outcome, Registered, RelationData};
use crate::version::Behaviour;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::toast::is_external;
use ffviz_format::datum::{SqlError, Value};
use ffviz_format::page::brin::{BRIN_CURRENT_VERSION, brin_metapage_init};
use ffviz_format::page::{BlockNumber, ForkNumber, LpFlags};
use ffviz_format::wal::Rmgr;
use ffviz_format::wal::rec::brin::{XLOG_BRIN_CREATE_INDEX, XlBrinCreateidx};

/// What a scan of all rows makes an index of (`BrinBuildState`).
#[derive(Debug)]
pub struct BrinBuild {
    /// the index
    pub index: BrinIndex,
    /// `bs_dtuple`
    summary: Summary,
    /// `bs_currRangeStart`
    range: BlockNumber,
    /// `bs_currentInsertBuf`
    current: Option<BlockNumber>,
    /// `bs_numtuples`
    pub count: u64,
}

impl BrinBuild {
    /// The metapage of an index whose file is empty.
    pub fn begin(pg: &mut Instance, rel: Arc<RelationData>, pages_per_range: BlockNumber) -> Self {
        let mut index = BrinIndex::new(rel);
        let buf = index.buffer(META);
        pg.extend(buf.file, ForkNumber::Main, 1);
        *pg.buffers.page_mut(buf) = brin_metapage_init(BLCKSZ, pages_per_range, BRIN_CURRENT_VERSION);
        pg.mark_buffer_dirty(buf);
        if index.rel.permanent {
            let main = XlBrinCreateidx::make(pages_per_range, BRIN_CURRENT_VERSION as u16);
            let flags = REGBUF_WILL_INIT | REGBUF_STANDARD;
            let block = Registered { id: 0, buf, flags, data: &[], sets_lsn: true };
            pg.xlog_insert(Rmgr::BRIN, XLOG_BRIN_CREATE_INDEX, &[&main], &[block]);
        }
        index.open(pg);
        let summary = index.desc.empty();
        Self { index, summary, range: 0, current: None, count: 0 }
    }

    /// `brinbuildCallback`: a row of that page.
    ///
    /// # Errors
    /// A summary is longer than a page.
    pub fn add(&mut self, pg: &mut Instance, block: BlockNumber, values: &[Value]) -> Outcome<()> {
        while block - self.range >= self.index.pages_per_range {
            self.put(pg)?;
            self.range += self.index.pages_per_range;
            self.summary = self.index.desc.empty();
        }
        self.summary.add(&self.index.desc, values);
        Ok(())
    }

    /// `form_and_insert_tuple`
    fn put(&mut self, pg: &mut Instance) -> Outcome<()> {
        let tuple = self.index.desc.form(&self.index.rel, self.range, &self.summary)?;
        self.index.put(pg, &mut self.current, self.range, &tuple)?;
        self.count += 1;
        Ok(())
    }

    /// The last range, and from 17 on those behind it, of a table with so many pages.
    ///
    /// # Errors
    /// As those of [`Self::add`].
    pub fn end(&mut self, pg: &mut Instance, pages: BlockNumber) -> Outcome<()> {
        self.put(pg)?;
        let size = self.index.pages_per_range;
        while pg.version.fills_empty_ranges() && pages > self.range + size {
            self.range += size;
            self.summary = self.index.desc.empty();
            self.put(pg)?;
        }
        // `terminate_brin_buildstate`
        if let Some(block) = self.current {
            self.index.record_free_space(pg, block);
        }
        Ok(())
    }
}

impl BrinIndex {
    /// `brinsummarize`: the ranges without a summary get theirs, all or that of one page, and the last one too where it
    /// is not complete and `partial` says so. Gives how many got one, and how many had it.
    ///
    /// # Errors
    /// A summary is longer than a page; an index of expressions, which are computed elsewhere.
    pub fn summarize(
        &mut self,
        pg: &mut Instance,
        table: &RelationData,
        of: Option<BlockNumber>,
        partial: bool,
    ) -> Outcome<(u32, u32)> {
        self.open(pg);
        let (size, mut counted) = (self.pages_per_range, (0, 0));
        let mut pages = pg.buffers.nblocks(table.file, ForkNumber::Main);
        let first = of.map_or(0, |block| self.range_of(block));
        if of.is_some() {
            pages = pages.min(first.saturating_add(size));
        }
        for range in (first..pages).step_by(size as usize) {
            if !partial && range.saturating_add(size) > pages {
                break;
            }
            if self.find(pg, range).is_some() {
                counted.1 += 1;
                continue;
            }
            self.summarize_range(pg, table, range)?;
            counted.0 += 1;
        }
        Ok(counted)
    }

    /// `summarize_range`: while the rows are read, a placeholder stands for the summary.
    fn summarize_range(&mut self, pg: &mut Instance, table: &RelationData, range: BlockNumber) -> Outcome<()> {
        let mut summary = self.desc.empty();
        let placeholder = Summary { placeholder: true, ..summary.clone() };
        let placeholder = self.desc.form(&self.rel, range, &placeholder)?;
        let mut current = None;
        let item = self.put(pg, &mut current, range, &placeholder)?;
        let Some(block) = current else { return Ok(()) };
        let pages = pg.buffers.nblocks(table.file, ForkNumber::Main).min(range.saturating_add(self.pages_per_range));
        let oldest = pg.oldest_nonremovable(table.file);
        pg.count_scans(table.oid, 1);
        for heap in range..pages {
            let buf = Buffer::main(table.file, heap);
            let is_row = |lp: &ffviz_format::page::ItemIdData| lp.lp_flags() == LpFlags::Normal;
            let read = pg.buffers.page(buf).line_pointers().filter(|(_, lp)| is_row(lp)).count();
            pg.stats.of_mut(table.oid).read += read as u64;
            let (rows, _) = heap_index_build_page(pg, buf, oldest, Unended::Counts, |_, _| false)?;
            for IndexBuildTuple { bytes, .. } in rows {
                let values = self.values_of(pg, table, buf, bytes)?;
                summary.add(&self.desc, &values);
            }
        }
        let new = self.desc.form(&self.rel, range, &summary)?;
        let is_same_page = self.fits_in_place(pg, block, placeholder.len(), new.len());
        while !self.update(pg, range, ((block, item), &placeholder), &new, is_same_page)? {}
        Ok(())
    }

    /// The values of the index' columns in a row of the table.
    fn values_of(
        &self,
        pg: &mut Instance,
        table: &RelationData,
        buf: Buffer,
        bytes: core::ops::Range<u16>,
    ) -> Outcome<Vec<Value>> {
        /// as `NOT_SIMULATED`
        const REFUSED: &str = "ZZ000";
        let Some(form) = &self.rel.index else { return Ok(Vec::new()) };
        if form.partial || form.columns.iter().any(|key| key.attnum == 0) {
            let message = "summarizing new ranges of a BRIN index of expressions, or a partial one, is not supported";
            return Err(SqlError::new(REFUSED, message).into());
        }
        let tuple = pg.buffers.page(buf).slice(bytes);
        let values = form.columns.iter().map(|key| table.desc.column(tuple, usize::from(key.attnum) - 1));
        let mut values: Vec<Value> = values.collect();
        for value in values.iter_mut().filter(|value| is_external(value)) {
            *value = detoast_external_attr(pg, value)?;
        }
        Ok(values)
    }

    /// `brinvacuumcleanup`: the free space map learns of all pages, and complete ranges get their summary.
    ///
    /// # Errors
    /// As those of [`Self::summarize`].
    pub fn vacuum_cleanup(&mut self, pg: &mut Instance, table: &RelationData) -> Outcome<BulkDeleteResult> {
        let pages = pg.buffers.nblocks(self.rel.file, ForkNumber::Main);
        for block in 0..pages {
            self.clean_up(pg, block);
        }
        pg.free_space_map_vacuum_range(self.rel.file, 0..BlockNumber::MAX);
        let (new, known) = self.summarize(pg, table, None, false)?;
        let ranges = u64::from(new) + u64::from(known);
        Ok(BulkDeleteResult { num_pages: pages, num_index_tuples: ranges, ..BulkDeleteResult::default() })
    }
}
