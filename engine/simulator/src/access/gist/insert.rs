//! A new entry (`gistinsert`, `gistdoinsert`, `gistplacetopage`, src/backend/access/gist/gist.c).

use super::{Gist, GistEntry, ROOT, needs_split};
use crate::access::transam::REGBUF_STANDARD;
use crate::storage::{Outcome, Registered};
use alloc::vec::Vec;
use ffviz_format::datum::Value;
use ffviz_format::datum::form::index_form_tuple;
use ffviz_format::page::layout::Wire;
use ffviz_format::page::{ItemIdData, OffsetNumber, Page};
use ffviz_format::wal::Rmgr;
use ffviz_format::wal::rec::gist::{GistxlogPageUpdate, XLOG_GIST_PAGE_UPDATE};

impl Gist<'_> {
    /// `gistinsert`: an entry for a heap tuple.
    ///
    /// # Errors
    /// There is no room on the page.
    pub fn insert(&mut self, entry: &GistEntry) -> Outcome<()> {
        let tuple = self.form_tuple(entry)?;
        let buf = self.root();
        self.pg.read_buffer(buf);
        self.pg.check_for_serializable_conflict_in(self.rel, None, Some(ROOT))?;
        let page = self.pg.buffers.page(buf);
        if !has_room(page, tuple.len(), 0) {
            return Err(needs_split());
        }
        append(self.pg.buffers.page_mut(buf), &tuple);
        self.log_update(&[], &[&tuple]);
        Ok(())
    }

    /// `gistFormTuple`
    pub(super) fn form_tuple(&self, entry: &GistEntry) -> Outcome<Vec<u8>> {
        let classes = self.form().map_or(&[][..], |form| &form.classes);
        let keys: Vec<Value> = classes.iter().zip(&entry.values).map(|(class, value)| class.compress(value)).collect();
        let mut tuple = index_form_tuple(&self.rel.desc, &keys)?;
        entry.tid.set(&mut tuple);
        Ok(tuple)
    }

    /// `gistXLogUpdate`: items went and came.
    pub(super) fn log_update(&mut self, deleted: &[OffsetNumber], inserted: &[&[u8]]) {
        let buf = self.root();
        self.pg.mark_buffer_dirty(buf);
        let main = GistxlogPageUpdate::make(deleted.len() as u16, inserted.len() as u16);
        let numbers: Vec<u8> = deleted.iter().flat_map(|n| n.0.to_le_bytes()).collect();
        let data: Vec<&[u8]> = core::iter::once(&numbers[..]).chain(inserted.iter().copied()).collect();
        let page = Registered { id: 0, buf, flags: REGBUF_STANDARD, data: &data, sets_lsn: true };
        self.pg.xlog_insert(Rmgr::GIST, XLOG_GIST_PAGE_UPDATE, &[&main[..]], [page]);
    }
}

/// `gistnospace`: is there room for one more tuple, with so much to be left free?
pub(super) fn has_room(page: &Page, size: usize, left: usize) -> bool {
    let (lower, upper) = (usize::from(page.header().pd_lower()), usize::from(page.header().pd_upper()));
    // PageGetFreeSpace sets a line pointer aside
    let free = upper.saturating_sub(lower).saturating_sub(ItemIdData::SIZE);
    free >= size + ItemIdData::SIZE + left
}

/// `gistfillbuffer`: behind all others.
pub(super) fn append(page: &mut Page, tuple: &[u8]) {
    let has_room = page.append_item(tuple);
    debug_assert!(has_room, "{} bytes", tuple.len());
}
