//! Building an index: entries of a table's rows into an empty file (`index_build`, src/backend/catalog/index.c;
//! `btbuild`, `btbuildempty`, src/backend/access/nbtree).

use crate::access::brin::BrinBuild;
use crate::access::gist::{Gist, GistEntry};
use crate::access::nbtree::{Index, IndexBounds, IndexScan, LastInsert, NewEntry, Spool, UniqueCheck, empty_metapage};
use crate::access::transam::{REGBUF_FORCE_IMAGE, REGBUF_STANDARD};
use crate::cluster::Cluster;
use crate::cluster::catalog_rows::CatalogRow;
use crate::cluster::pg_class::ClassStats;
use crate::storage::{BLCKSZ, Buffer, IndexAm, IndexForm, Instance, Outcome, Persistence, Registered, RelationData};
use crate::version::Behaviour;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::Value;
use ffviz_format::datum::sql_type::Kind;
use ffviz_format::page::brin::{BRIN_CURRENT_VERSION, brin_metapage_init};
use ffviz_format::page::{BlockNumber, ForkNumber, ItemPointer, Oid, Page};
use ffviz_format::wal::Rmgr;
use ffviz_format::wal::record_type::XlogType;

/// The B-tree, as the code of TOAST reaches it.
pub(in crate::cluster) const INDEX_AM: IndexAm = IndexAm { insert: toast_insert, lookup: toast_lookup };

fn toast_insert(pg: &mut Instance, index: &RelationData, values: &[Value], tid: ItemPointer) -> Outcome<()> {
    let new = NewEntry { tid, unique: UniqueCheck::Yes, unchanged: false, replaces: None };
    Index::new(pg, index).insert(values, new, &mut LastInsert::new(index)).map(drop)
}

fn toast_lookup(pg: &mut Instance, index: &RelationData, values: &[Value]) -> Outcome<Vec<ItemPointer>> {
    let mut scan = IndexScan::new(IndexBounds::equal(values), false);
    let mut found = Vec::new();
    while let Some(tid) = scan.next(pg, index)? {
        found.push(tid);
    }
    scan.end(pg, index);
    Ok(found)
}

/// `skip_constraint_checks`: the index as one that is not unique.
#[must_use]
pub fn not_unique(index: &RelationData) -> RelationData {
    let form = index.index.as_ref().map(|form| IndexForm { unique: false, ..form.clone() });
    RelationData { index: form, ..index.clone() }
}

impl Cluster {
    /// `index_build`: the index of these entries, in any order, of a table with so many live rows; `is_checked`: is a
    /// unique index built as one?
    ///
    /// # Errors
    /// A key that is too long; a duplicate in a unique index.
    pub fn build_index(&mut self, index: Oid, entries: Spool, rows: u64, is_checked: bool) -> Outcome<()> {
        let mut relation = self.pg.relation(index)?;
        if !is_checked {
            relation = Arc::new(not_unique(&relation));
        }
        let Some(form) = &relation.index else { return Ok(()) };
        if let Some(brin) = self.begin_brin(&relation) {
            return self.end_brin(brin, 0, rows);
        }
        if form.gist.is_some() {
            return self.build_gist(index, Vec::new(), rows);
        }
        let count = entries.len() as u64;
        let equal_image = self.all_equal_image(&relation);
        Index::new(&mut self.pg, &relation).build(entries, equal_image)?;
        if self.pg.buffers.persistence(relation.file) == Persistence::Unlogged {
            self.build_init_fork(&relation, empty_metapage(equal_image), true);
        }
        self.update_stats(form.table, rows);
        self.count_built(index, count);
        Ok(())
    }

    /// The build of a BRIN index begins; `None`: it is of another kind.
    pub fn begin_brin(&mut self, index: &Arc<RelationData>) -> Option<BrinBuild> {
        index.index.as_ref().filter(|form| form.summarizing)?;
        let pages = self.pages_per_range(index.oid);
        Some(BrinBuild::begin(&mut self.pg, index.clone(), pages))
    }

    /// Reloption `pages_per_range` of a BRIN index.
    #[must_use]
    fn pages_per_range(&self, index: Oid) -> BlockNumber {
        /// `BRIN_DEFAULT_PAGES_PER_RANGE`
        const DEFAULT: BlockNumber = 128;
        let options = self.catalog.class(index).map_or(&[][..], |class| &class.options);
        let given = options.iter().find(|(name, _)| name == "pages_per_range");
        given.and_then(|(_, value)| value.parse().ok()).unwrap_or(DEFAULT)
    }

    /// It ends, of a table with so many pages and live rows.
    ///
    /// # Errors
    /// A summary is longer than a page.
    pub fn end_brin(&mut self, mut build: BrinBuild, pages: BlockNumber, rows: u64) -> Outcome<()> {
        build.end(&mut self.pg, pages)?;
        let relation = build.index.rel.clone();
        if self.pg.buffers.persistence(relation.file) == Persistence::Unlogged {
            let pages_per_range = self.pages_per_range(relation.oid);
            let page = brin_metapage_init(BLCKSZ, pages_per_range, BRIN_CURRENT_VERSION);
            self.build_init_fork(&relation, page, false);
        }
        if let Some(form) = &relation.index {
            self.update_stats(form.table, rows);
        }
        self.count_built(relation.oid, build.count);
        Ok(())
    }

    /// The same of a GiST index.
    ///
    /// # Errors
    /// The entries do not fit on a page.
    pub fn build_gist(&mut self, index: Oid, entries: Vec<GistEntry>, rows: u64) -> Outcome<()> {
        let relation = self.pg.relation(index)?;
        let (count, table) = (entries.len() as u64, relation.index.as_ref().map_or(0, |form| form.table));
        Gist::new(&mut self.pg, &relation).build(entries)?;
        self.update_stats(table, rows);
        self.count_built(index, count);
        Ok(())
    }

    /// What the build of an index tells of its table.
    fn update_stats(&mut self, table: Oid, rows: u64) {
        if let Some(stats) = self.catalog.class(table).map(|class| class.stats) {
            self.set_stats(table, ClassStats { has_index: true, ..stats });
        }
        // from 18 on a table that autovacuum leaves alone, as here all are, keeps its figures
        if !self.version().builds_keep_table_stats() {
            self.count_built(table, rows);
        }
    }

    /// `indcheckxmin`: while a snapshot is as old as the index, its HOT chains may be broken for it. REINDEX finds out
    /// that none is any more.
    pub fn note_broken_chains(&mut self, index: Oid, is_broken: bool, is_reindex: bool) {
        let Some(relation) = self.pg.relations.get(&index) else { return };
        let is_noted = relation.index.as_ref().is_some_and(|form| form.check_xmin.is_some());
        if is_broken == is_noted || is_broken == is_reindex {
            return;
        }
        let check_xmin = is_broken.then(|| self.pg.current_xid());
        self.write_row(CatalogRow::Index(index));
        self.edit_relation(index, |relation| {
            if let Some(form) = &mut relation.index {
                form.check_xmin = check_xmin;
            }
        });
        // a build ends with a command of its own, to which what CREATE INDEX notes belongs
        self.use_commands(u32::from(is_reindex));
    }

    /// `index_update_stats`
    fn count_built(&mut self, oid: Oid, rows: u64) {
        let Some(stats) = self.catalog.class(oid).map(|class| class.stats) else { return };
        if rows == 0 && stats.reltuples < 0.0 {
            return;
        }
        let Some(relation) = self.pg.relations.get(&oid).cloned() else { return };
        let (relpages, relallvisible, relallfrozen) = self.count_pages(&relation);
        self.set_stats(oid, ClassStats { relpages, reltuples: rows as f32, relallvisible, relallfrozen, ..stats });
    }

    /// Pages of a relation; of these all-visible and, where that is counted, all-frozen.
    #[must_use]
    pub fn count_pages(&self, relation: &RelationData) -> (u32, u32, u32) {
        let pages = self.pg.buffers.nblocks(relation.file, ForkNumber::Main);
        let marked = |bit| {
            (0..pages).filter(|block| self.pg.visibilitymap_status(relation.file, *block) & bit != 0).count() as u32
        };
        (pages, marked(1), if self.version().keeps_all_frozen_pages() { marked(2) } else { 0 })
    }

    /// The same of a table without rows.
    pub fn build_empty(&mut self, index: Oid) {
        // the table is scanned all the same
        if let Some(table) = self.pg.relations.get(&index).and_then(|index| Some(index.index.as_ref()?.table)) {
            self.pg.count_scans(table, 1);
        }
        // without entries there is none that is too long
        let _ = self.build_index(index, Spool::default(), 0, true);
    }

    /// `btbuildempty`, `brinbuildempty`: the metapage that the index is made anew from after a crash.
    fn build_init_fork(&mut self, relation: &RelationData, metapage: Page, is_btree: bool) {
        if self.pg.buffers.exists(relation.file, ForkNumber::Init) {
            return;
        }
        self.create_init_fork(relation.file);
        let block = self.pg.extend(relation.file, ForkNumber::Init, 1);
        let buf = Buffer { file: relation.file, fork: ForkNumber::Init, block };
        *self.pg.buffers.page_mut(buf) = metapage;
        self.pg.mark_buffer_dirty(buf);
        // before 16 the page is written before its record has a place; 16 has it in a buffer; later it is written after
        // its record
        let sets_lsn = !is_btree || self.version().logs_init_fork_first();
        if !sets_lsn {
            self.pg.write_in_place(buf);
        }
        let flags = REGBUF_FORCE_IMAGE | REGBUF_STANDARD;
        let page = Registered { id: 0, buf, flags, data: &[], sets_lsn };
        self.pg.xlog_insert(Rmgr::XLOG, XlogType::Fpi.info(), &[], &[page]);
        if is_btree && self.version().writes_init_fork_in_bulk() {
            self.pg.write_in_place(buf);
        }
    }

    /// `_bt_allequalimage`: are keys that compare as equal the same in every byte?
    fn all_equal_image(&self, relation: &RelationData) -> bool {
        let Some(form) = &relation.index else { return false };
        let is_toast =
            self.pg.relations.get(&form.table).is_some_and(|t| t.kind == ffviz_format::state::RelKind::Toast);
        if usize::from(form.n_keys) < form.columns.len() || (is_toast && !self.version().dedups_toast_indexes()) {
            return false;
        }
        relation.desc.attributes().iter().all(|column| {
            !matches!(
                Kind::of(column.typid),
                Kind::Numeric
                    | Kind::Float4
                    | Kind::Float8
                    | Kind::Jsonb
                    | Kind::Array
                    | Kind::Range
                    | Kind::Interval
                    | Kind::Other
            )
        })
    }
}
