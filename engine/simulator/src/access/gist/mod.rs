//! The GiST access method, of indexes whose root is a leaf (src/backend/access/gist; btree_gist in contrib).
//!
//! | file | what | PostgreSQL |
//! | --- | --- | --- |
//! | `opclass` | what a key is on a page, which operators it answers | `rangetypes_gist.c`, contrib/btree_gist |
//! | `insert` | a new tuple | `gist.c` |
//! | `build` | CREATE INDEX | `gistbuild.c` |
//! | `scan` | the items that satisfy conditions; exclusion constraints | `gistget.c`, `execIndexing.c` |
//! | `vacuum` | VACUUM | `gistvacuum.c` |
//!
//! What would take a second page is refused: no page is split here.

mod build;
mod insert;
mod opclass;
mod scan;
mod vacuum;

pub use opclass::{DefaultClass, GistClass, GistOp};
pub use scan::GistTest;

use crate::storage::{Buffer, GistForm, Instance, RelationData, Stop};
use alloc::vec::Vec;
use ffviz_format::datum::{SqlError, Value};
use ffviz_format::page::nbtree::{INDEX_NULL_MASK, IndexTupleData};
use ffviz_format::page::{ItemPointer, MAXALIGN, OffsetNumber, Page};

/// `GIST_ROOT_BLKNO`
const ROOT: u32 = 0;

/// An index at work: the server, and what it knows of the index.
pub struct Gist<'a> {
    /// the server
    pub pg: &'a mut Instance,
    /// the index
    pub rel: &'a RelationData,
}

/// An entry to be made of a row.
#[derive(Debug, Clone, PartialEq)]
pub struct GistEntry {
    /// the values of the keys
    pub values: Vec<Value>,
    /// the row version
    pub tid: ItemPointer,
}

impl<'a> Gist<'a> {
    /// The index, on this server.
    pub const fn new(pg: &'a mut Instance, rel: &'a RelationData) -> Self {
        Self { pg, rel }
    }

    fn form(&self) -> Option<&GistForm> {
        self.rel.index.as_ref()?.gist.as_ref()
    }

    const fn root(&self) -> Buffer {
        Buffer::main(self.rel.file, ROOT)
    }

    /// The items of the root that are not dead, in order: their numbers, keys and rows.
    fn items(&self) -> Vec<(OffsetNumber, Vec<Value>, ItemPointer)> {
        let page = self.pg.buffers.page(self.root());
        let of = |n: u16| {
            let offset = OffsetNumber(n);
            let bytes = tuple_at(page, offset)?;
            Some((offset, self.keys(bytes), ffviz_format::page::layout::Wire::get(bytes)))
        };
        (1..=page.item_count()).filter_map(of).collect()
    }

    /// The keys of an index tuple, as values of the columns' types.
    fn keys(&self, tuple: &[u8]) -> Vec<Value> {
        let classes = self.form().map_or(&[][..], |form| &form.classes);
        let columns = classes.iter().enumerate();
        let (nulls, data) = columns_of(tuple);
        columns.map(|(n, class)| class.decompress(&self.rel.desc.column_at(data, nulls, n))).collect()
    }
}

/// The bytes of an item.
fn tuple_at(page: &Page, n: OffsetNumber) -> Option<&[u8]> {
    let lp = page.item_id(n)?;
    let end = lp.lp_off().checked_add(lp.lp_len())?;
    page.bytes().get(usize::from(lp.lp_off())..usize::from(end)).filter(|bytes| bytes.len() >= 8)
}

/// The null bitmap (none: empty) and the columns' bytes.
fn columns_of(tuple: &[u8]) -> (&[u8], &[u8]) {
    const BITMAP: usize = 4;
    let info = IndexTupleData::new(tuple).t_info();
    let data = |start| tuple.get(start..).unwrap_or(&[]);
    match info & INDEX_NULL_MASK {
        0 => (&[], data(IndexTupleData::SIZE)),
        _ => (
            tuple.get(IndexTupleData::SIZE..IndexTupleData::SIZE + BITMAP).unwrap_or(&[]),
            data((IndexTupleData::SIZE + BITMAP).next_multiple_of(MAXALIGN.into())),
        ),
    }
}

/// What takes more than the page that there is.
#[cold]
fn needs_split() -> Stop {
    /// as `NOT_SIMULATED`
    const REFUSED: &str = "ZZ000";
    Stop::Error(SqlError::new(REFUSED, "a GiST index of more than one page is not supported"))
}
