//! `PD_ALL_VISIBLE` and the visibility map, as VACUUM sets them.

use super::LazyVacuum;
use super::first::ScannedPage;
use crate::storage::{Buffer, Instance};
use crate::version::Behaviour;
use ffviz_format::page::BlockNumber;
use ffviz_format::page::header::PD_ALL_VISIBLE;
pub(super) use ffviz_format::page::maps::{
    VISIBILITYMAP_ALL_FROZEN as ALL_FROZEN, VISIBILITYMAP_ALL_VISIBLE as ALL_VISIBLE,
};

impl Instance {
    /// `PageIsAllVisible`
    pub(super) fn is_all_visible(&self, buf: Buffer) -> bool {
        self.buffers.page(buf).header().pd_flags() & PD_ALL_VISIBLE != 0
    }

    /// `PageSetAllVisible`
    pub(super) fn set_all_visible(&mut self, buf: Buffer) {
        let page = self.buffers.page_mut(buf);
        let flags = page.header().pd_flags();
        page.set_pd_flags(flags | PD_ALL_VISIBLE);
    }
}

impl LazyVacuum<'_> {
    /// `visibilitymap_get_status`
    pub(super) fn vm_status(&self, pg: &Instance, block: BlockNumber) -> u8 {
        pg.visibilitymap_status(self.rel.file, block)
    }

    /// After the first pass over a page without dead line pointers: what the map does not say yet. `status`: what it
    /// said before.
    pub(super) fn mark_all_visible(&self, pg: &mut Instance, buf: Buffer, status: u8, page: &ScannedPage) {
        if !page.all_visible {
            return;
        }
        if status & ALL_VISIBLE == 0 {
            pg.set_all_visible(buf);
            pg.mark_buffer_dirty(buf);
            let flags = ALL_VISIBLE | if page.all_frozen { ALL_FROZEN } else { 0 };
            pg.visibilitymap_set(buf, page.visibility_cutoff_xid, flags);
        } else if page.all_frozen && status & ALL_FROZEN == 0 {
            if pg.version.freezes_pages() && !pg.is_all_visible(buf) {
                pg.set_all_visible(buf);
                pg.mark_buffer_dirty(buf);
            }
            let flags = if pg.version.freezes_pages() { ALL_VISIBLE | ALL_FROZEN } else { ALL_FROZEN };
            pg.visibilitymap_set(buf, 0, flags);
        }
    }
}
