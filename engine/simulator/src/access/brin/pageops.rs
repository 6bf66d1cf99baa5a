//! Pages of summaries: one comes, changes or moves (src/backend/access/brin/brin_pageops.c).

use super::tuple::too_long;
use super::{BrinDesc, BrinIndex};
use crate::access::transam::{REGBUF_STANDARD, REGBUF_WILL_INIT};
use crate::storage::{BLCKSZ, Instance, Outcome, Registered};
use alloc::vec::Vec;
use ffviz_format::page::brin::{
    BRIN_EVACUATE_PAGE, BRIN_META, BRIN_REGULAR, BRIN_REVMAP, brin_page_flags, brin_page_init, brin_page_type,
    set_brin_page_flags,
};
use ffviz_format::page::{BlockNumber, ForkNumber, ItemIdData, ItemPointer, OffsetNumber, Page, PageHeaderData};
use ffviz_format::wal::Rmgr;
use ffviz_format::wal::rec::brin::{
    XLOG_BRIN_INIT_PAGE, XLOG_BRIN_INSERT, XLOG_BRIN_SAMEPAGE_UPDATE, XLOG_BRIN_UPDATE, XlBrinInsert,
    XlBrinSamepageUpdate, XlBrinUpdate,
};

/// `BrinMaxItemSize`
pub(super) const MAX_ITEM: u16 = BLCKSZ - (PageHeaderData::SIZE + ItemIdData::SIZE).next_multiple_of(8) as u16 - 8;

/// An item of a page, and its bytes.
type Old<'a> = ((BlockNumber, OffsetNumber), &'a [u8]);

/// `br_page_get_freespace`
pub(super) fn free_space(page: &Page) -> u16 {
    match brin_page_type(page) == BRIN_REGULAR && brin_page_flags(page) & BRIN_EVACUATE_PAGE == 0 {
        true => page.free().saturating_sub(ItemIdData::SIZE as u16),
        false => 0,
    }
}

impl BrinIndex {
    /// `brin_can_do_samepage_update`
    pub(super) fn fits_in_place(&self, pg: &Instance, block: BlockNumber, old: usize, new: usize) -> bool {
        new <= old || usize::from(self.page(pg, block).free()) >= new - old
    }

    /// `brin_doinsert`: a summary of the range, on the page `current` where it has room. Gives its number.
    ///
    /// # Errors
    /// It is longer than a page.
    pub(super) fn put(
        &mut self,
        pg: &mut Instance,
        current: &mut Option<BlockNumber>,
        range: BlockNumber,
        tuple: &[u8],
    ) -> Outcome<OffsetNumber> {
        let size = self.check_size(tuple)?;
        self.extend_revmap(pg, range)?;
        let has_room = |block: &BlockNumber| free_space(self.page(pg, *block)) >= size;
        let (block, is_new) = match current.filter(has_room) {
            Some(block) => (block, false),
            None => self.insert_buffer(pg, None, size),
        };
        *current = Some(block);
        let of_map = self.read_revmap(pg, range);
        let offset = self.append(pg, block, is_new, tuple);
        self.set_entry(pg, range, Some(ItemPointer { block, offset }));
        if self.rel.permanent {
            let main = XlBrinInsert::make(range, self.pages_per_range, offset.0);
            let (info, init) = if is_new { (XLOG_BRIN_INIT_PAGE, REGBUF_WILL_INIT) } else { (0, 0) };
            let flags = REGBUF_STANDARD | init;
            let blocks = [
                Registered { id: 0, buf: self.buffer(block), flags, data: &[tuple], sets_lsn: true },
                Registered { id: 1, buf: self.buffer(of_map), flags: 0, data: &[], sets_lsn: true },
            ];
            pg.xlog_insert(Rmgr::BRIN, XLOG_BRIN_INSERT | info, &[&main], &blocks);
        }
        if is_new {
            self.record_free_space(pg, block);
        }
        Ok(offset)
    }

    /// `brin_doupdate`: another summary of a range that has one. Gives whether it was done; else it has to be tried
    /// again.
    ///
    /// # Errors
    /// It is longer than a page.
    pub(super) fn update(
        &mut self,
        pg: &mut Instance,
        range: BlockNumber,
        ((old_block, old_item), old): Old<'_>,
        new: &[u8],
        is_same_page: bool,
    ) -> Outcome<bool> {
        let size = self.check_size(new)?;
        self.extend_revmap(pg, range)?;
        let found = if is_same_page { None } else { Some(self.insert_buffer(pg, Some(old_block), size)) };
        let elsewhere = found.filter(|(block, _)| *block != old_block);
        let old_buf = self.buffer(old_block);
        let leaves = brin_page_flags(self.page(pg, old_block)) & BRIN_EVACUATE_PAGE != 0;
        if !leaves && self.fits_in_place(pg, old_block, old.len(), new.len()) {
            let done = pg.buffers.page_mut(old_buf).index_tuple_overwrite(old_item, new);
            debug_assert!(done.is_ok(), "{done:?}");
            pg.mark_buffer_dirty(old_buf);
            if self.rel.permanent {
                let block = Registered { id: 0, buf: old_buf, flags: REGBUF_STANDARD, data: &[new], sets_lsn: true };
                let main = XlBrinSamepageUpdate::make(old_item.0);
                pg.xlog_insert(Rmgr::BRIN, XLOG_BRIN_SAMEPAGE_UPDATE, &[&main], &[block]);
            }
            return Ok(true);
        }
        let Some((block, is_new)) = elsewhere else { return Ok(false) };
        let of_map = self.read_revmap(pg, range);
        let done = pg.buffers.page_mut(old_buf).index_tuple_delete_no_compact(old_item);
        debug_assert!(done.is_ok(), "{done:?}");
        pg.mark_buffer_dirty(old_buf);
        let offset = self.append(pg, block, is_new, new);
        self.set_entry(pg, range, Some(ItemPointer { block, offset }));
        if self.rel.permanent {
            let main = XlBrinUpdate::make(old_item.0);
            let insert = XlBrinInsert::make(range, self.pages_per_range, offset.0);
            let (info, init) = if is_new { (XLOG_BRIN_INIT_PAGE, REGBUF_WILL_INIT) } else { (0, 0) };
            let flags = REGBUF_STANDARD | init;
            let blocks = [
                Registered { id: 0, buf: self.buffer(block), flags, data: &[new], sets_lsn: true },
                Registered { id: 1, buf: self.buffer(of_map), flags: 0, data: &[], sets_lsn: true },
                Registered { id: 2, buf: old_buf, flags: REGBUF_STANDARD, data: &[], sets_lsn: true },
            ];
            pg.xlog_insert(Rmgr::BRIN, XLOG_BRIN_UPDATE | info, &[&main, &insert], &blocks);
        }
        if is_new {
            self.record_free_space(pg, block);
        }
        Ok(true)
    }

    fn check_size(&self, tuple: &[u8]) -> Outcome<u16> {
        match u16::try_from(tuple.len()).ok().filter(|size| *size <= MAX_ITEM) {
            Some(size) => Ok(size),
            None => Err(too_long(tuple.len(), &self.rel).into()),
        }
    }

    /// The item behind all others, on a page that may be new.
    fn append(&self, pg: &mut Instance, block: BlockNumber, is_new: bool, tuple: &[u8]) -> OffsetNumber {
        let buf = self.buffer(block);
        let page = pg.buffers.page_mut(buf);
        if is_new {
            *page = brin_page_init(BLCKSZ, BRIN_REGULAR);
        }
        let has_room = page.append_item(tuple);
        debug_assert!(has_room, "{} bytes", tuple.len());
        let offset = OffsetNumber(page.item_count());
        pg.mark_buffer_dirty(buf);
        offset
    }

    pub(super) fn record_free_space(&self, pg: &mut Instance, block: BlockNumber) {
        let free = free_space(self.page(pg, block));
        pg.record_page_with_free_space(self.rel.file, block, free);
        pg.free_space_map_vacuum_range(self.rel.file, block..block + 1);
    }

    /// `brin_getinsertbuffer`: a page with so much room, and whether it is new; it may be `old`.
    fn insert_buffer(&self, pg: &mut Instance, old: Option<BlockNumber>, size: u16) -> (BlockNumber, bool) {
        let file = self.rel.file;
        let mut next = pg.backend().target_block(file).or_else(|| pg.get_page_with_free_space(file, size));
        loop {
            let Some(block) = next else {
                let block = pg.extend(file, ForkNumber::Main, 1);
                pg.backend_mut().set_target_block(file, Some(block));
                return (block, true);
            };
            if old != Some(block) {
                pg.read_buffer(self.buffer(block));
            }
            let free = free_space(self.page(pg, block));
            if free >= size {
                pg.backend_mut().set_target_block(file, Some(block));
                return (block, false);
            }
            next = pg.record_and_get_page_with_free_space(file, block, free, size);
        }
    }

    /// `brin_start_evacuating_page`: has the page items?
    pub(super) fn start_evacuating(&self, pg: &mut Instance, block: BlockNumber) -> bool {
        let (page, buf) = (self.page(pg, block), self.buffer(block));
        if page.is_new() || !page.line_pointers().any(|(_, lp)| lp.0 != 0) {
            return false;
        }
        let flags = brin_page_flags(page) | BRIN_EVACUATE_PAGE;
        set_brin_page_flags(pg.buffers.page_mut(buf), flags);
        pg.mark_buffer_dirty_hint(buf, true);
        true
    }

    /// `brin_evacuate_page`: all items move to other pages.
    pub(super) fn evacuate(&mut self, pg: &mut Instance, block: BlockNumber) -> Outcome<()> {
        let used = self.page(pg, block).line_pointers().filter(|(_, lp)| lp.0 != 0).map(|(n, _)| n);
        for n in used.collect::<Vec<OffsetNumber>>() {
            let tuple = self.item(pg, (block, n));
            while !self.update(pg, BrinDesc::range_of(&tuple), ((block, n), &tuple), &tuple, false)? {}
        }
        Ok(())
    }

    /// `brin_page_cleanup`: the free space map learns of the page.
    pub(super) fn clean_up(&self, pg: &mut Instance, block: BlockNumber) {
        let buf = self.buffer(block);
        pg.read_buffer(buf);
        if pg.buffers.page(buf).is_new() {
            // `brin_initialize_empty_new_buffer`
            *pg.buffers.page_mut(buf) = brin_page_init(BLCKSZ, BRIN_REGULAR);
            pg.mark_buffer_dirty(buf);
            pg.log_newpage_buffer(buf, true);
            let free = free_space(pg.buffers.page(buf));
            return pg.record_page_with_free_space(buf.file, block, free);
        }
        let page = pg.buffers.page(buf);
        if matches!(brin_page_type(page), BRIN_META | BRIN_REVMAP) {
            return;
        }
        let free = free_space(page);
        pg.record_page_with_free_space(buf.file, block, free);
    }
}
