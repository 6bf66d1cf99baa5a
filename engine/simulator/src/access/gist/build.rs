//! CREATE INDEX (`gistbuild`, src/backend/access/gist/gistbuild.c).
//!
//! ```text
//!  13 to 17   rows in the order of the table, each inserted; then the page is logged
//!  18         sorted by the keys, since all operator classes have an order; the page is logged and written
//! ```

use super::insert::{append, has_room};
use super::{Gist, GistEntry, ROOT, needs_split};
use crate::storage::{BLCKSZ, Outcome};
use crate::version::Behaviour;
use alloc::vec::Vec;
use core::cmp::Ordering;
use ffviz_format::page::gist::{F_LEAF, gist_init_page};
use ffviz_format::page::{ForkNumber, Lsn};

/// `GIST_DEFAULT_FILLFACTOR`
const GIST_DEFAULT_FILLFACTOR: u8 = 90;

/// `GistBuildLSN`: of pages that the build has not logged yet.
const GIST_BUILD_LSN: Lsn = Lsn(1);

impl Gist<'_> {
    /// The index of these entries, in the order of the table; the file has no block yet.
    ///
    /// # Errors
    /// They do not fit on a page.
    pub fn build(&mut self, mut entries: Vec<GistEntry>) -> Outcome<()> {
        let sorts = self.pg.version.sorts_gist_builds();
        if sorts {
            entries.sort_by(|a, b| self.compare(a, b));
        }
        let fillfactor = usize::from(self.rel.fillfactor.unwrap_or(GIST_DEFAULT_FILLFACTOR));
        let left = usize::from(BLCKSZ) * (100 - fillfactor) / 100;
        let mut page = gist_init_page(BLCKSZ, F_LEAF);
        for entry in &entries {
            let tuple = self.form_tuple(entry)?;
            if !has_room(&page, tuple.len(), left) {
                return Err(needs_split());
            }
            append(&mut page, &tuple);
        }
        let buf = self.root();
        self.pg.extend(self.rel.file, ForkNumber::Main, 1);
        page.set_pd_lsn(GIST_BUILD_LSN);
        *self.pg.buffers.page_mut(buf) = page;
        self.pg.mark_buffer_dirty(buf);
        self.pg.log_newpages(self.rel, &[ROOT]);
        if sorts {
            self.pg.write_in_place(buf);
        }
        Ok(())
    }

    /// `comparetup_index_btree`: by the keys, NULL last, then by the row's place.
    fn compare(&self, a: &GistEntry, b: &GistEntry) -> Ordering {
        let classes = self.form().map_or(&[][..], |form| &form.classes);
        let keys = classes.iter().zip(a.values.iter().zip(&b.values));
        let orders = keys.map(|(class, (a, b))| match (a.is_null(), b.is_null()) {
            (false, false) => class.compare(a, b),
            (a, b) => a.cmp(&b),
        });
        orders.into_iter().find(|order| order.is_ne()).unwrap_or_else(|| a.tid.cmp(&b.tid))
    }
}
