//! Entries of a table's indexes (`ExecInsertIndexTuples`, src/backend/executor/execIndexing.c;
//! `index_unchanged_by_update`).

use super::row::{eval, holds, is_external};
use crate::access::brin::BrinIndex;
use crate::access::gist::{Gist, GistEntry};
use crate::access::heap::detoast_external_attr;
use crate::access::heap::scan::{IndexBuildTuple, Unended, heap_index_build_page};
use crate::access::nbtree::{Copied, Index, LastInsert, NewEntry, Spool, UniqueCheck};
use crate::cluster::ddl::not_unique;
use crate::cluster::{Lookup, Strategy};
use crate::plain::PLAIN;
use crate::sql::commands::deferred::Recheck;
use crate::sql::commands::foreign_key::Event;
use crate::sql::expr::{Node, Typed};
use crate::sql::tcop::Database;
use crate::storage::{Buffer, Deferrable, Outcome, RelationData, Stop, TableAm};
use crate::undo::undo_build_rows;
use crate::version::Behaviour;
use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::Range;
use ffviz_format::datum::Value;
use ffviz_format::datum::sql_type::Kind;
use ffviz_format::page::{ForkNumber, ItemIdData, ItemPointer, LpFlags, OffsetNumber, Oid, PgVersion};

/// A value of the TOAST table as an entry takes it: compressed where it was stored so, whatever the column's storage
/// says (`index_form_tuple`).
fn index_form_external(db: &mut Database, pointer: &Value, kind: Kind) -> Outcome<Value> {
    let stored = detoast_external_attr(&mut db.cluster.pg, pointer)?;
    let plain = stored.plain_bytes().map(|bytes| Value::from_stored(kind, bytes));
    Ok(plain.unwrap_or(stored))
}

/// Which indexes get entries of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum IndexUse {
    /// in none: the new version is heap-only
    None,
    /// in all, of a new row
    Insert,
    /// in all, of a new version
    Update,
    /// in those that summarize ranges of blocks
    Summarizing,
}

/// Of what entries are made in all indexes.
#[derive(Debug, Clone, Copy)]
pub(in crate::sql) enum EntriesOf<'a> {
    /// a new row
    Insert,
    /// a new version, with these columns set, of the version that it replaces
    Update { set: &'a [u16], replaces: Option<ItemPointer> },
    /// a row that can be taken back: a duplicate in these indexes is told and is no error
    Speculative(&'a [Oid]),
    /// a new version, in those that summarize ranges of blocks
    Summaries,
}

/// An index of a table that is written to, ready for its entries.
#[derive(Debug, Clone)]
pub(in crate::sql) struct OpenIndex {
    pub relation: Arc<RelationData>,
    pub keys: Vec<Typed>,
    pub predicate: Vec<Typed>,
    /// the table's columns, from 0, that the index' columns are, where none of these is computed and each row has an
    /// entry
    columns: Option<Vec<u16>>,
    /// the columns that its keys depend on, from 0
    key_columns: Vec<u16>,
    /// `indisunique`
    is_unique: bool,
    /// `ii_IndexUnchanged`: does the UPDATE that runs leave its keys as they are? Found out with its first row
    is_unchanged: Option<bool>,
    /// the row whose entry may be a duplicate, of an index that is deferrable
    doubtful: Option<ItemPointer>,
    /// the row whose entry a GiST index has, while it is waited for another that may conflict
    inserted: Option<ItemPointer>,
    /// the entry that was made last, whose memory the next one takes
    entry: Vec<Value>,
    /// where that went, and the memory of its tuple
    last: LastInsert,
    /// of a BRIN index
    brin: Option<Box<BrinIndex>>,
}

/// `ExecOpenIndices`
pub(in crate::sql) fn open_indexes(db: &Database, table: &RelationData) -> Outcome<Vec<OpenIndex>> {
    let mut open = Vec::new();
    for oid in &table.indexes {
        let relation = db.cluster.pg.relation(*oid)?;
        if !relation.is_invalid() {
            open.push(OpenIndex::new(db, table, relation));
        }
    }
    Ok(open)
}

impl OpenIndex {
    fn new(db: &Database, table: &RelationData, relation: Arc<RelationData>) -> Self {
        let (keys, predicate) = (db.index_expressions(table, &relation), db.predicate(table, relation.oid));
        let n_keys = relation.index.as_ref().map_or(0, |form| usize::from(form.n_keys));
        let is_unique = relation.index.as_ref().is_some_and(|form| form.unique);
        let mut key_columns = Vec::new();
        keys.iter().take(n_keys).for_each(|key| key.slots(&mut key_columns));
        let slots = keys.iter().map(|key| if let Node::Slot(slot) = key.node { Some(slot) } else { None });
        let columns = slots.collect::<Option<Vec<u16>>>().filter(|_| predicate.is_empty());
        let (entry, last) = (Vec::new(), LastInsert::new(&relation));
        let is_brin = relation.index.as_ref().is_some_and(|form| form.summarizing);
        let brin = is_brin.then(|| Box::new(BrinIndex::new(relation.clone())));
        Self {
            relation,
            keys,
            predicate,
            columns,
            key_columns,
            is_unique,
            is_unchanged: None,
            doubtful: None,
            inserted: None,
            entry,
            last,
            brin,
        }
    }

    /// `indimmediate`
    pub fn is_immediate(&self) -> bool {
        self.relation.index.as_ref().is_none_or(|form| form.deferrable == Deferrable::No)
    }

    pub fn is_gist(&self) -> bool {
        self.relation.index.as_ref().is_some_and(|form| form.gist.is_some())
    }

    /// A GiST index gets the entry that was made, once: then it is looked at whether the row conflicts with another
    /// one. Gives whether there is none; `is_arbiter`: one is no error.
    fn insert_gist(&mut self, db: &mut Database, tid: ItemPointer, is_arbiter: bool) -> Outcome<bool> {
        let entry = GistEntry { values: self.entry.clone(), tid };
        let mut gist = Gist::new(&mut db.cluster.pg, &self.relation);
        if self.inserted != Some(tid) {
            gist.insert(&entry)?;
            self.inserted = Some(tid);
        }
        gist.check_not_empty(&entry)?;
        let is_alone = gist.check_exclusion(&entry, false, is_arbiter)?;
        self.inserted = None;
        Ok(is_alone)
    }

    /// `BuildSpeculativeIndexInfo`: what duplicates of its keys are found by.
    pub fn equalities(&self) -> impl Iterator<Item = Lookup> {
        let unique = self.relation.index.as_ref().filter(|form| form.unique);
        let keys = self.keys.iter().take(unique.map_or(0, |form| form.n_keys.into()));
        keys.map(|key| Lookup::member(key.ty.oid, Strategy::Equal))
    }

    /// `FormIndexDatum`, of a row of which only the first [`Self::columns_read`] are needed; `None` where the predicate
    /// leaves the row out.
    #[inline]
    pub fn entry(&mut self, db: &mut Database, row: &[Value]) -> Outcome<Option<&[Value]>> {
        let Some(columns) = &self.columns else { return self.computed_entry(db, row) };
        if self.entry.len() != columns.len() {
            self.entry.resize(columns.len(), Value::Null);
        }
        let mut has_external = false;
        for (value, column) in self.entry.iter_mut().zip(columns) {
            value.copy(&row[usize::from(*column)]);
            has_external |= is_external(value);
        }
        if has_external {
            self.fetch(db)?;
        }
        Ok(Some(&self.entry))
    }

    #[inline(never)]
    fn computed_entry(&mut self, db: &mut Database, row: &[Value]) -> Outcome<Option<&[Value]>> {
        if !holds(db, &self.predicate, row)? {
            return Ok(None);
        }
        self.entry.clear();
        for key in &self.keys {
            // a column alone is taken as it is stored: compressed, though it be too short for the index to compress it
            let value = match key.node {
                Node::Slot(slot) => row[usize::from(slot)].clone(),
                _ => eval(db, key, row, &[])?,
            };
            self.entry.push(value);
        }
        self.fetch(db)?;
        Ok(Some(&self.entry))
    }

    /// Values of the TOAST table are fetched.
    #[inline(never)]
    fn fetch(&mut self, db: &mut Database) -> Outcome<()> {
        for (n, value) in self.entry.iter_mut().enumerate().filter(|(_, value)| is_external(value)) {
            *value = index_form_external(db, value, self.relation.desc.kind(n))?;
        }
        Ok(())
    }

    /// The same of a tuple of the table, of whose columns no more are read than it takes: `row` is memory for those of
    /// an index that computes.
    fn entry_of(
        &mut self,
        db: &mut Database,
        table: &RelationData,
        buf: Buffer,
        tuple: Range<u16>,
        row: &mut Vec<Value>,
    ) -> Outcome<Option<&[Value]>> {
        let tuple = db.cluster.pg.buffers.page(buf).slice(tuple);
        if let Some(columns) = &self.columns {
            self.entry.clear();
            self.entry.extend(columns.iter().map(|column| table.desc.column(tuple, usize::from(*column))));
            if !self.entry.iter().any(|value| matches!(value, Value::Stored(_))) {
                return Ok(Some(&self.entry));
            }
        }
        table.desc.deform_some(tuple, self.columns_read(), row);
        self.entry(db, row)
    }

    /// How entries are copied of the table's tuples, where they can be.
    fn copied(&self, table: &RelationData) -> Option<Copied> {
        let is_btree = self.relation.index.as_ref()?.is_btree();
        let columns = self.columns.as_ref().filter(|_| is_btree)?;
        Copied::new(&table.desc, &self.relation, columns.iter().copied())
    }

    /// How many columns of a row it takes to make the entry.
    fn columns_read(&self) -> usize {
        let mut slots = Vec::new();
        self.keys.iter().chain(&self.predicate).for_each(|expr| expr.slots(&mut slots));
        slots.into_iter().max().map_or(0, |last| usize::from(last) + 1)
    }

    /// Where the last entry went may be elsewhere now.
    pub fn forget_place(&mut self) {
        self.last.forget_place();
    }

    /// Do entries go to places far apart, in an index that the processor's own memory does not hold?
    pub fn is_scattered(&self, db: &Database) -> bool {
        const LARGE: u32 = 512;
        let is_large = || db.cluster.pg.buffers.nblocks(self.relation.file, ForkNumber::Main) > LARGE;
        !PLAIN && self.columns.is_some() && self.last.strays() && is_large()
    }

    /// Looks ahead for the places of these rows, which come next.
    pub fn look_ahead<'a>(&mut self, rows: impl Iterator<Item = &'a [Value]>) {
        let Some(column) = self.columns.iter().flatten().next().copied().map(usize::from) else { return };
        self.last.look_ahead(rows.filter_map(|row| row.get(column)));
    }

    /// `index_unchanged_by_update`: does no key depend on a column that the statement sets?
    fn is_unchanged(&mut self, version: PgVersion, set: &[u16]) -> bool {
        *self.is_unchanged.get_or_insert_with(|| {
            let is_set = |slot: &u16| set.contains(&(slot + 1));
            version.hints_unchanged_keys()
                && (version.takes_keys_for_unchanged() || !self.key_columns.iter().any(is_set))
        })
    }
}

/// Puts entries into the indexes from `next` on, which counts those that have theirs. Gives whether no duplicate was
/// found.
///
/// # Errors
/// A duplicate in a unique index; [`crate::storage::Stop::Wait`] for a transaction that may still make it one.
pub(in crate::sql) fn insert_entries(
    db: &mut Database,
    indexes: &mut [OpenIndex],
    values: &[Value],
    tid: ItemPointer,
    next: &mut usize,
    of: &EntriesOf<'_>,
) -> Outcome<bool> {
    while let Some(index) = indexes.get_mut(*next) {
        if matches!(of, EntriesOf::Summaries) && index.brin.is_none() {
            *next += 1;
            continue;
        }
        if index.entry(db, values)?.is_some() {
            let is_arbiter = matches!(of, EntriesOf::Speculative(arbiters) if arbiters.contains(&index.relation.oid));
            let is_immediate = index.is_immediate();
            let unique = match (index.is_unique, is_arbiter || !is_immediate) {
                (_, true) => UniqueCheck::Partial,
                (true, false) => UniqueCheck::Yes,
                (false, false) => UniqueCheck::No,
            };
            if let Some(brin) = &mut index.brin {
                brin.insert(&mut db.cluster.pg, &index.entry, tid.block)?;
                *next += 1;
                continue;
            }
            if index.is_gist() {
                if !index.insert_gist(db, tid, is_arbiter)? {
                    return Ok(false);
                }
                *next += 1;
                continue;
            }
            let (unchanged, replaces) = match of {
                EntriesOf::Update { set, replaces } => (index.is_unchanged(db.cluster.version(), set), *replaces),
                _ => (false, None),
            };
            let OpenIndex { relation, entry, last, .. } = index;
            let new = NewEntry { tid, unique, unchanged, replaces };
            let inserted = Index::new(&mut db.cluster.pg, relation).insert(entry, new, last);
            if let Err(Stop::Error(_)) = inserted {
                db.cluster.look_up(names_of(relation));
            }
            let is_unique = inserted?;
            if is_arbiter && !is_unique {
                return Ok(false);
            }
            index.doubtful = (!is_unique && !is_immediate).then_some(tid);
        }
        *next += 1;
    }
    Ok(true)
}

/// The entries of a row that may be duplicates: of the primary key, and of other keys.
pub(in crate::sql) fn rechecks(
    db: &Database,
    table: Oid,
    indexes: &mut [OpenIndex],
    old: Option<ItemPointer>,
) -> (Vec<Event>, Vec<Event>) {
    let (mut of_primary, mut of_others) = (Vec::new(), Vec::new());
    for index in indexes {
        let Some(tid) = index.doubtful.take() else { continue };
        let is_primary = index.relation.index.as_ref().is_some_and(|form| form.primary);
        let kind = if is_primary { &mut of_primary } else { &mut of_others };
        kind.push(Event::Recheck(Recheck::new(db, table, index.relation.oid, tid, old)));
    }
    (of_primary, of_others)
}

/// The entry of a row that is there is looked at: is it a duplicate?
pub(in crate::sql) fn recheck_entry(
    db: &mut Database,
    table: &RelationData,
    index: Oid,
    row: &[Value],
    tid: ItemPointer,
) -> Outcome<()> {
    let relation = db.cluster.pg.relation(index)?;
    let mut open = OpenIndex::new(db, table, relation.clone());
    if open.entry(db, row)?.is_none() {
        return Ok(());
    }
    let checked = Index::new(&mut db.cluster.pg, &relation).recheck(&open.entry, tid);
    if let Err(Stop::Error(_)) = checked {
        db.cluster.look_up(names_of(&relation));
    }
    checked
}

/// `BuildIndexValueDescription`, `errtableconstraint`: what is told of an index where a key is a duplicate.
#[cold]
fn names_of(index: &RelationData) -> Vec<Lookup> {
    let mut names = Vec::from([Lookup::RelationName(index.oid), Lookup::SchemaName]);
    let keys = index
        .index
        .iter()
        .flat_map(|form| form.columns.iter().take(form.n_keys.into()).map(|key| (form.table, key.attnum)));
    names.extend(keys.map(|(table, attnum)| Lookup::ColumnName(table, attnum)));
    names
}

/// What an index is built for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::sql) enum BuildOf {
    /// CREATE INDEX
    Create,
    /// CREATE INDEX CONCURRENTLY, which takes no notice of broken HOT chains
    Concurrent,
    /// REINDEX
    Reindex,
    /// the same of a table whose rows were the same before: a unique index is built as one that is not
    UncheckedReindex,
}

/// `IndexCheckExclusion`: does none of the rows conflict with another?
fn check_exclusions(db: &mut Database, index: &RelationData, rows: &[GistEntry], is_skipped: bool) -> Outcome<()> {
    if is_skipped {
        return Ok(());
    }
    for entry in rows {
        let mut gist = Gist::new(&mut db.cluster.pg, index);
        gist.check_not_empty(entry)?;
        gist.check_exclusion(entry, true, false)?;
    }
    Ok(())
}

/// CREATE INDEX, or REINDEX: entries of all rows that some snapshot may still see (`heapam_index_build_range_scan`).
///
/// # Errors
/// A duplicate; what an expression of the index raises.
pub(in crate::sql) fn build(db: &mut Database, index: Oid, how: BuildOf) -> Outcome<()> {
    let mut relation = db.cluster.pg.relation(index)?;
    let is_skipped = how == BuildOf::UncheckedReindex && relation.index.as_ref().is_some_and(|form| form.unique);
    if is_skipped {
        relation = Arc::new(not_unique(&relation));
    }
    let Some(form) = &relation.index else { return Ok(()) };
    let table = db.cluster.pg.relation(form.table)?;
    let is_checked = form.unique || form.gist.as_ref().is_some_and(|gist| !gist.operators.is_empty());
    let unended = if is_checked { Unended::Waits } else { Unended::Plain };
    let mut open = OpenIndex::new(db, &table, relation.clone());
    let oldest = db.cluster.pg.oldest_nonremovable(table.file);
    let (mut spool, mut rows, mut is_broken) = (Spool::new(&relation), 0, false);
    // of a GiST index: its entries, and which of them are of rows that are alive
    let (mut entries, mut living): (Vec<GistEntry>, Vec<GistEntry>) = (Vec::new(), Vec::new());
    let (mut row, copied) = (Vec::new(), open.copied(&table));
    let (mut brin, pages) =
        (db.cluster.begin_brin(&relation), db.cluster.pg.buffers.nblocks(table.file, ForkNumber::Main));
    db.cluster.pg.count_scans(table.oid, 1);
    for block in 0..pages {
        db.cluster.pg.interrupt.check()?;
        let (buf, before) = (Buffer::main(table.file, block), spool.len());
        if table.am == TableAm::Undo {
            for (tid, tuple, alive) in undo_build_rows(&db.cluster.pg, &table, block) {
                table.desc.deform(&tuple, &mut row);
                if let Some(entry) = open.entry(db, &row)? {
                    match &mut brin {
                        Some(brin) => brin.add(&mut db.cluster.pg, block, entry)?,
                        None => spool.put(&relation, entry, tid, alive)?,
                    }
                    rows += usize::from(alive);
                }
            }
            continue;
        }
        let is_row = |(_, lp): &(OffsetNumber, ItemIdData)| lp.lp_flags() == LpFlags::Normal;
        let read = db.cluster.pg.buffers.page(buf).line_pointers().filter(is_row).count();
        db.cluster.pg.stats.of_mut(table.oid).read += read as u64;
        let take = |tuple: &[u8], tid| copied.as_ref().is_some_and(|copied| spool.copy(copied, tuple, tid, true));
        let (others, breaks) = heap_index_build_page(&mut db.cluster.pg, buf, oldest, unended, take)?;
        is_broken |= breaks;
        rows += spool.len() - before + others.iter().filter(|found| found.alive).count();
        for IndexBuildTuple { bytes, tid, alive } in others {
            let tuple = db.cluster.pg.buffers.page(buf).slice(bytes.clone());
            if copied.as_ref().is_some_and(|copied| spool.copy(copied, tuple, tid, alive)) {
                continue;
            }
            let entry = open.entry_of(db, &table, buf, bytes, &mut row)?;
            if let (Some(values), true) = (&entry, form.gist.is_some()) {
                entries.push(GistEntry { values: values.to_vec(), tid });
                living.extend(entries.last().filter(|_| alive).cloned());
                continue;
            }
            if let (Some(values), Some(brin)) = (&entry, &mut brin) {
                brin.add(&mut db.cluster.pg, block, values)?;
            } else if let Some(entry) = entry {
                spool.put(&relation, entry, tid, alive)?;
            }
        }
    }
    match (brin, form.gist.is_some()) {
        (Some(brin), _) => db.cluster.end_brin(brin, pages, rows as u64)?,
        (None, true) => {
            db.cluster.build_gist(index, entries, rows as u64)?;
            check_exclusions(db, &relation, &living, is_skipped || how == BuildOf::UncheckedReindex)?;
        }
        (None, false) => db.cluster.build_index(index, spool, rows as u64, !is_skipped)?,
    }
    // what is not checked to be unique is not known to be whole (`skipped_constraint`)
    if !is_skipped && how != BuildOf::Concurrent {
        db.cluster.note_broken_chains(index, is_broken, how != BuildOf::Create);
    }
    Ok(())
}
