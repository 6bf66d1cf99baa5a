//! The B-tree access method: what PostgreSQL does to the pages of an index (src/backend/access/nbtree).
//!
//! | file | what | PostgreSQL |
//! | --- | --- | --- |
//! | `search` | from the root to a leaf | `nbtsearch.c` |
//! | `scan` | along the leaves; scans for several values; columns that are skipped; conditions | `nbtsearch.c`, `nbtutils.c` |
//! | `insert` | a new tuple, uniqueness | `nbtinsert.c` |
//! | `split` | a page becomes two | `nbtinsert.c`, `nbtsplitloc.c` |
//! | `dedup` | making room instead: deduplication, deletion of entries | `nbtdedup.c`, `nbtpage.c` |
//! | `build` | CREATE INDEX | `nbtsort.c` |
//! | `vacuum` | VACUUM, pages that leave the tree | `nbtree.c`, `nbtpage.c` |
//! | `tuple`, `tell` | index tuples; decisions in words | `nbtutils.c` |
//! | `allocate`, `meta` | new pages, the metapage | `nbtpage.c` |
//! | `fast` | short cuts | |

mod allocate;
mod build;
mod dedup;
mod fast;
mod insert;
mod meta;
mod scan;
mod search;
mod split;
mod tell;
mod tuple;
mod vacuum;

pub use build::spool::{Copied, Spool};
pub use insert::{LastInsert, NewEntry, UniqueCheck};
pub use meta::{empty_metapage, root_height};
pub use scan::check::{KeyTest, Wanted};
pub use scan::keys::{ArrayKey, Limit, Limits};
pub use scan::{IndexBounds, IndexScan};
pub use search::key::ScanKey;
pub use vacuum::BulkDeleteResult;

use crate::access::transam::{REGBUF_STANDARD, RecordKind, length};
use crate::storage::{Buffer, IndexKey, Instance, Outcome, Registered, RelationData, count_at_hand};
use alloc::sync::Arc;
use ffviz_format::datum::compare::Comparator;
use ffviz_format::datum::sql_type::Kind;
use ffviz_format::nbtree::Opaque;
use ffviz_format::page::{BlockNumber, HeaderMut, OffsetNumber, Page};
use ffviz_format::wal::Rmgr;
use ffviz_format::wal::record_type::BtreeType;
use ffviz_story::timeline::Unlogged;

/// An index at work: the server, and what it knows of the index.
pub struct Index<'a> {
    /// the server
    pub pg: &'a mut Instance,
    /// the index
    pub rel: &'a RelationData,
}

/// A key column: its place in the order, and how its values compare.
#[derive(Debug, Clone, Copy)]
struct KeyColumn {
    key: IndexKey,
    /// how bytes of its type are read, where a value was compressed
    kind: Kind,
    compare: Comparator,
}

/// A block reference of a record about the index: the block, flags of the registration, data.
type Block<'a> = (BlockNumber, u8, &'a [&'a [u8]]);

impl<'a> Index<'a> {
    /// The index, on this server.
    pub const fn new(pg: &'a mut Instance, rel: &'a RelationData) -> Self {
        Self { pg, rel }
    }

    /// How each key column compares.
    fn columns(&self) -> impl Iterator<Item = KeyColumn> {
        KeyColumn::all(self.rel)
    }

    /// The table of the index.
    fn heap(&self) -> Outcome<Arc<RelationData>> {
        let table = self.rel.index.as_ref().map_or(0, |index| index.table);
        Ok(self.pg.relation(table)?)
    }

    const fn buffer(&self, block: BlockNumber) -> Buffer {
        Buffer::main(self.rel.file, block)
    }

    #[inline]
    fn page(&self, block: BlockNumber) -> &Page {
        self.pg.buffers.page(self.buffer(block))
    }

    /// `_bt_getbuf` of a block there is, as far as it is counted.
    #[inline]
    fn read(&mut self, block: BlockNumber) {
        self.pg.read_buffer(self.buffer(block));
    }

    #[inline]
    fn page_mut(&mut self, block: BlockNumber) -> &mut Page {
        let buf = self.buffer(block);
        self.pg.buffers.page_mut(buf)
    }

    fn opaque(&self, block: BlockNumber) -> Opaque {
        Opaque::at_end(self.page(block))
    }

    fn change_opaque(&mut self, block: BlockNumber, change: impl FnOnce(&mut Opaque)) {
        let mut opaque = self.opaque(block);
        change(&mut opaque);
        opaque.write(self.page_mut(block));
    }

    /// Number of key columns.
    fn n_keys(&self) -> u16 {
        self.rel.index.as_ref().map_or(0, |index| index.n_keys)
    }

    /// Number of columns, those of INCLUDE too.
    fn n_columns(&self) -> u16 {
        self.rel.desc.attributes().len() as u16
    }

    /// Changes one page and writes the record of that, of which its type, main data and the page's are given. A record
    /// that is only counted is counted at once, as long as the page is at hand. Gives what the change gives.
    #[inline]
    fn change_and_log<T>(
        &mut self,
        block: BlockNumber,
        change: impl FnOnce(&mut Page) -> T,
        (of, main, data): (BtreeType, &[u8], &[&[u8]]),
    ) -> T {
        let (buf, counts) = (self.buffer(block), self.rel.permanent && self.pg.prepare_to_count());
        let Instance { buffers, wal, backends, me, .. } = &mut *self.pg;
        let page = buffers.page_dirtied(buf);
        let changed = change(page);
        let about = (RecordKind(Rmgr::BTREE, of.info()), REGBUF_STANDARD, (main.len(), length(data)));
        let is_counted =
            counts && count_at_hand(wal, &mut backends[*me].wal, &mut HeaderMut::of(page), about).is_some();
        if !is_counted {
            self.log(of, main, &[(0, (block, REGBUF_STANDARD, data))]);
        }
        changed
    }

    /// Writes a record about pages that are changed already. An unlogged index has none.
    #[inline]
    fn log(&mut self, of: BtreeType, main: &[u8], blocks: &[(u8, Block<'_>)]) {
        for (_, (block, _, _)) in blocks {
            let buf = self.buffer(*block);
            self.pg.mark_buffer_dirty(buf);
        }
        if !self.rel.permanent {
            for (_, (block, _, _)) in blocks {
                let buf = self.buffer(*block);
                self.pg.note_unlogged(Unlogged::Relation, buf);
            }
            return;
        }
        let file = self.rel.file;
        let registered = blocks.iter().map(|&(id, (block, flags, data))| Registered {
            id,
            buf: Buffer::main(file, block),
            flags,
            data,
            sets_lsn: true,
        });
        let main: &[&[u8]] = if main.is_empty() { &[] } else { &[main] };
        self.pg.xlog_insert(Rmgr::BTREE, of.info(), main, registered);
    }
}

/// Number of an item as the page primitives take it.
const fn offset(n: u16) -> OffsetNumber {
    OffsetNumber(n)
}
