//! How much of a relation's pages is used (contrib/pgstattuple: `pgstat_heap`, `pgstatindex_impl`).

use super::{Rows, text_of};
use crate::access::heap::heap_tuple;
use crate::access::heap::visibility::heap_tuple_satisfies_dirty;
use crate::sql::error::NOT_SIMULATED;
use crate::sql::tcop::Database;
use crate::storage::{BLCKSZ, Buffer, RelationData};
use crate::version::SqlBehaviour;
use alloc::format;
use alloc::vec::Vec;
use ffviz_format::datum::{SqlError, Value};
use ffviz_format::nbtree::{BtKind, BtPage};
use ffviz_format::page::{BlockNumber, ForkNumber, LpFlags, Page, PgVersion};
use ffviz_format::state::RelKind;

/// `sizeof(ItemIdData)`
const LINE_POINTER: u16 = ffviz_format::page::ItemIdData::SIZE as u16;
/// `SizeOfPageHeaderData`
const HEADER: u16 = 24;

pub(super) fn rows(db: &mut Database, name: &str, args: &[Value]) -> Result<Rows, SqlError> {
    let relation = match &args[0] {
        Value::Oid(oid) => Value::Oid(*oid),
        other => Value::text(&text_of(other)),
    };
    if let Some(view) = db.view_meant(&relation)? {
        let is_index = name == "pgstatindex";
        return Err(if is_index { not_btree(&view) } else { no_tuples(db.cluster.version(), &view) });
    }
    let relation = db.looked_at(&relation)?;
    if name == "pgstatindex" {
        return index(db, &relation);
    }
    match relation.kind {
        RelKind::Table | RelKind::Toast | RelKind::Sequence => Ok(heap(db, &relation)),
        RelKind::Index if is_btree(&relation) => Ok(btree(db, &relation)),
        _ => Err(SqlError::new(NOT_SIMULATED, "pgstattuple of an index that is no B-tree is not supported")),
    }
}

/// `pgstat_relation` of a view.
fn no_tuples(version: PgVersion, view: &str) -> SqlError {
    const FEATURE_NOT_SUPPORTED: &str = "0A000";
    if !version.details_kinds() {
        return SqlError::new(FEATURE_NOT_SUPPORTED, format!("\"{view}\" (view) is not supported"));
    }
    let message = format!("cannot get tuple-level statistics for relation \"{view}\"");
    SqlError::new(FEATURE_NOT_SUPPORTED, message).with_detail("This operation is not supported for views.")
}

fn not_btree(name: &str) -> SqlError {
    SqlError::new("42809", format!("relation \"{name}\" is not a btree index"))
}

fn is_btree(relation: &RelationData) -> bool {
    relation.index.as_ref().is_some_and(|form| form.is_btree())
}

/// `pgstat_btree_page`: of leaves what is in them, of other pages nothing.
fn btree(db: &Database, relation: &RelationData) -> Rows {
    let version = db.cluster.version();
    let blocks = db.cluster.pg.buffers.nblocks(relation.file, ForkNumber::Main);
    let mut sums = Sums::default();
    for block in 1..blocks {
        let page = db.cluster.pg.buffers.page(Buffer::main(relation.file, block));
        let tree = BtPage::decode(page, version);
        match tree.kind {
            BtKind::New | BtKind::Deleted | BtKind::HalfDead => sums.free += u64::from(BLCKSZ),
            BtKind::Meta | BtKind::Internal => {}
            BtKind::Leaf => {
                sums.free += leaf_free(version, page);
                // the high key is no entry
                for item in tree.items.iter().skip(usize::from(!tree.is_rightmost())) {
                    sums.add(item.lp.lp_flags() != LpFlags::Dead, item.lp.lp_len());
                }
            }
        }
    }
    sums.row(blocks)
}

/// `PageGetExactFreeSpace`, and before 18 `PageGetFreeSpace`.
fn leaf_free(version: PgVersion, page: &Page) -> u64 {
    let exact = exact_free(page);
    if version.counts_exact_space() { exact } else { exact.saturating_sub(LINE_POINTER.into()) }
}

/// `pgstattuple_type`
#[derive(Default)]
struct Sums {
    live: u64,
    live_len: u64,
    dead: u64,
    dead_len: u64,
    free: u64,
}

impl Sums {
    fn add(&mut self, is_live: bool, length: u16) {
        let (count, sum) =
            if is_live { (&mut self.live, &mut self.live_len) } else { (&mut self.dead, &mut self.dead_len) };
        *count += 1;
        *sum += u64::from(length);
    }

    /// `build_pgstattuple_type`
    fn row(&self, blocks: BlockNumber) -> Rows {
        let length = u64::from(blocks) * u64::from(BLCKSZ);
        let count = |count: u64| Value::Int8(count.cast_signed());
        Vec::from([Vec::from([
            count(length),
            count(self.live),
            count(self.live_len),
            percent(self.live_len, length),
            count(self.dead),
            count(self.dead_len),
            percent(self.dead_len, length),
            count(self.free),
            percent(self.free, length),
        ])])
    }
}

fn percent(part: u64, whole: u64) -> Value {
    if whole == 0 {
        return Value::Float8(0.0);
    }
    let percent = 100.0 * part as f64 / whole as f64;
    // build_pgstattuple_type rounds through text
    Value::Float8(format!("{percent:.2}").parse().unwrap_or(0.0))
}

/// Each row version is looked at as `SnapshotDirty` sees it, which may set its hint bits.
fn heap(db: &mut Database, relation: &RelationData) -> Rows {
    let blocks = db.cluster.pg.buffers.nblocks(relation.file, ForkNumber::Main);
    let mut sums = Sums::default();
    for block in 0..blocks {
        let buf = Buffer::main(relation.file, block);
        let offsets: Vec<_> = db.cluster.pg.buffers.page(buf).line_pointers().collect();
        for (offset, lp) in offsets {
            if lp.lp_flags() != LpFlags::Normal {
                continue;
            }
            let Some(mut tuple) = heap_tuple(&db.cluster.pg, buf, offset) else { continue };
            let is_live = heap_tuple_satisfies_dirty(&mut db.cluster.pg, &mut tuple, buf).is_some();
            sums.add(is_live, lp.lp_len());
        }
        let page = db.cluster.pg.buffers.page(buf);
        sums.free += page_free(db.cluster.version(), page);
    }
    sums.row(blocks)
}

/// What a heap page has left.
pub(super) fn page_free(version: PgVersion, page: &Page) -> u64 {
    if version.counts_exact_space() { exact_free(page) } else { heap_free(page) }
}

/// `PageGetExactFreeSpace`
fn exact_free(page: &Page) -> u64 {
    let header = page.header();
    header.pd_upper().saturating_sub(header.pd_lower()).into()
}

/// `PageGetHeapFreeSpace`
fn heap_free(page: &Page) -> u64 {
    ffviz_format::heap::heap_free_space(page).into()
}

fn index(db: &Database, relation: &RelationData) -> Result<Rows, SqlError> {
    if relation.kind != RelKind::Index || !is_btree(relation) {
        return Err(not_btree(&relation.name));
    }
    let version = db.cluster.version();
    let blocks = db.cluster.pg.buffers.nblocks(relation.file, ForkNumber::Main);
    let page = |block: BlockNumber| db.cluster.pg.buffers.page(Buffer::main(relation.file, block));
    let Some(meta) = BtPage::decode(page(0), version).meta else { return Ok(Vec::new()) };
    let (mut internal, mut leaves, mut empty, mut deleted) = (0_i64, 0_i64, 0_i64, 0_i64);
    let (mut available, mut free, mut fragments) = (0_u64, 0_u64, 0_i64);
    for block in 1..blocks {
        let page = page(block);
        let tree = BtPage::decode(page, version);
        match tree.kind {
            BtKind::New | BtKind::Meta => {}
            BtKind::Deleted => deleted += 1,
            BtKind::HalfDead => empty += 1,
            BtKind::Internal => internal += 1,
            BtKind::Leaf => {
                let header = page.header();
                leaves += 1;
                available += u64::from(header.pd_special() - HEADER);
                free += leaf_free(version, page);
                // the next leaf lies before this one
                fragments += i64::from(tree.btpo_next != 0 && tree.btpo_next < block);
            }
        }
    }
    let rounded = |number: f64| Value::Float8(format!("{number:.2}").parse().unwrap_or(f64::NAN));
    let density =
        if available > 0 { rounded(100.0 - free as f64 / available as f64 * 100.0) } else { Value::Float8(f64::NAN) };
    let fragmentation =
        if leaves > 0 { rounded(fragments as f64 / leaves as f64 * 100.0) } else { Value::Float8(f64::NAN) };
    Ok(Vec::from([Vec::from([
        Value::Int4(meta.btm_version.cast_signed()),
        Value::Int4(meta.btm_level.cast_signed()),
        Value::Int8((1 + leaves + internal + deleted + empty) * i64::from(BLCKSZ)),
        Value::Int8(meta.btm_root.into()),
        Value::Int8(internal),
        Value::Int8(leaves),
        Value::Int8(empty),
        Value::Int8(deleted),
        density,
        fragmentation,
    ])]))
}
