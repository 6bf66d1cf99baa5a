//! The simulator's side: the same statements by calls of the heap access method, with as much of an executor as they
//! need.

use crate::server::{Files, Server, Shape, Start};
use crate::statement::{Row, Statement, copy_line};
use ffviz_format::datum::{FormedTuple, SqlType, TupleDesc, Value};
use ffviz_format::page::{ForkNumber, ItemPointer, Lsn, Oid};
use ffviz_format::state::RelKind;
use ffviz_format::wal::{DEFAULT_SEGMENT_SIZE, Record, RelFileLocator};
use ffviz_simulator::access::heap::scan::{HeapScan, heap_index_fetch_check};
use ffviz_simulator::access::heap::visibility::Snapshot;
use ffviz_simulator::access::heap::{
    BulkInsertState, FollowUpdates, InsertOptions, TmResult, UpdateIndexes, heap_delete, heap_insert, heap_lock_tuple,
    heap_multi_insert, heap_tuple, heap_update,
};
use ffviz_simulator::access::transam::{InsertPosition, Keep, WalLevel, WalSettings, WalWriter};
use ffviz_simulator::cluster::Cluster;
use ffviz_simulator::storage::{
    Buffer, CommandId, FileId, IndexAm, IndexedColumn, Instance, IsolationLevel, Outcome, RelationData,
    ReplicaIdentity, Settings, Stop, TableAm, Transam, VacuumOptions, WaitFor,
};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::Arc;

/// Rows that COPY keeps back at most, and bytes of their lines.
const MAX_BUFFERED_TUPLES: usize = 1000;
const MAX_BUFFERED_BYTES: usize = 65_535;

thread_local! {
    /// The index of the TOAST table: places by number of the value.
    static CHUNKS: RefCell<BTreeMap<Oid, Vec<ItemPointer>>> = const { RefCell::new(BTreeMap::new()) };
}

/// The simulated server with one table.
#[derive(Clone)]
pub struct Simulated {
    pub cluster: Cluster,
    pub rel: Arc<RelationData>,
    pub toast: Arc<RelationData>,
    /// the primary key's entries by key, and whether they are known to be dead
    index: Option<BTreeMap<i32, Vec<(ItemPointer, bool)>>>,
    chunks: BTreeMap<Oid, Vec<ItemPointer>>,
}

fn desc(types: &[SqlType], storage: Option<char>) -> Arc<TupleDesc> {
    let mut columns: Vec<_> = (1..).zip(types).map(|(n, ty)| ty.attribute(n, "c")).collect();
    for column in columns.iter_mut().filter(|column| column.len == -1) {
        column.storage = storage.unwrap_or(column.storage);
    }
    Arc::new(TupleDesc::new(columns))
}

fn relation(oid: Oid, kind: RelKind, file: FileId, desc: Arc<TupleDesc>) -> RelationData {
    RelationData {
        oid,
        name: "t".into(),
        kind,
        file,
        am: TableAm::Heap,
        permanent: true,
        created_by: None,
        desc,
        fillfactor: None,
        toast_tuple_target: 2032,
        vacuum: VacuumOptions::default(),
        replica_identity: ReplicaIdentity::Default,
        toast: None,
        indexes: Vec::new(),
        indexed: Vec::new(),
        index: None,
    }
}

fn lookup(_: &mut Instance, _: &RelationData, key: &[Value]) -> Outcome<Vec<ItemPointer>> {
    let Value::Oid(id) = key[0] else { panic!("a value's number") };
    Ok(CHUNKS.with_borrow(|chunks| chunks.get(&id).cloned().unwrap_or_default()))
}

fn insert(_: &mut Instance, _: &RelationData, key: &[Value], tid: ItemPointer) -> Outcome<()> {
    let Value::Oid(id) = key[0] else { panic!("a value's number") };
    CHUNKS.with_borrow_mut(|chunks| chunks.entry(id).or_default().push(tid));
    Ok(())
}

impl Simulated {
    /// An empty table as the server has it.
    pub fn new(server: &Server, shape: Shape, start: Start, settings: Settings, level: WalLevel) -> Self {
        let Files { db, table, toast, toast_index } = server.files;
        let wal = WalSettings { version: server.version, level, compression: None, consistency_checking: Vec::new() };
        let position = InsertPosition::new(start.lsn, start.lsn, DEFAULT_SEGMENT_SIZE);
        let wal = WalWriter::new(wal, position, Lsn(0), Keep::Records);
        let mut pg = Instance::new(settings, wal, Transam::new(start.next_xid, start.next_oid));
        let locator = |rel| RelFileLocator { spc: 1663, db, rel };
        let mut file = |rel| pg.buffers.create(locator(rel), !shape.unlogged);
        let (main, chunks, index) = (file(table), file(toast), file(toast_index));
        let mut rel = relation(table, RelKind::Table, main, desc(&[SqlType::INT4, SqlType::INT4, SqlType::TEXT], None));
        let chunk = [SqlType { oid: 26, typmod: -1 }, SqlType::INT4, SqlType { oid: 17, typmod: -1 }];
        let mut toast_rel = relation(toast, RelKind::Toast, chunks, desc(&chunk, Some('p')));
        let mut index_rel = relation(toast_index, RelKind::Index, index, desc(&chunk[..2], None));
        (rel.toast, rel.fillfactor) = (Some(toast), Some(shape.fillfactor));
        toast_rel.indexes.push(toast_index);
        for rel in [&mut rel, &mut toast_rel, &mut index_rel] {
            rel.permanent = !shape.unlogged;
        }
        if shape.key {
            rel.indexed.push(IndexedColumn { attnum: 1, hot_blocking: true, summarized: false, key: true });
        }
        let (rel, toast_rel) = (Arc::new(rel), Arc::new(toast_rel));
        pg.relations.insert(toast, Arc::clone(&toast_rel));
        pg.relations.insert(toast_index, Arc::new(index_rel));
        pg.index_am = Some(IndexAm { insert, lookup });
        Self {
            cluster: Cluster::new(pg, db, 0),
            rel,
            toast: toast_rel,
            index: shape.key.then(BTreeMap::new),
            chunks: BTreeMap::new(),
        }
    }

    /// Runs the statement from where the server started it; gives its records. `None`: it would wait, or fail; nothing
    /// is changed then.
    pub fn run(&mut self, session: usize, statement: &Statement, start: Start) -> Option<Vec<Record>> {
        let before = self.clone();
        CHUNKS.set(self.chunks.clone());
        let pg = &mut self.cluster.pg;
        pg.transam.advance_to(start.next_xid);
        (pg.transam.next_oid, pg.transam.oid_count) = (start.next_oid, 8192);
        pg.wal.set_position(InsertPosition::new(start.lsn, start.lsn, DEFAULT_SEGMENT_SIZE));
        pg.wal.take_records();
        pg.switch_to(["A", "B", "C"][session]);
        if self.execute(statement).is_err() {
            *self = before;
            return None;
        }
        self.chunks = CHUNKS.take();
        Some(self.cluster.pg.wal.take_records())
    }

    fn execute(&mut self, statement: &Statement) -> Result<(), Stop> {
        match statement {
            Statement::Begin => self.cluster.begin(None),
            Statement::BeginRepeatableRead => self.cluster.begin(Some(IsolationLevel::RepeatableRead)),
            Statement::Commit => {
                self.cluster.commit_block()?;
            }
            Statement::Rollback => self.cluster.rollback_block(),
            Statement::Savepoint => self.cluster.savepoint("s")?,
            Statement::RollbackTo => self.cluster.rollback_to("s")?,
            Statement::Release => self.cluster.release("s")?,
            Statement::Checkpoint => {
                let pg = &mut self.cluster.pg;
                let dirty: Vec<Buffer> = pg.buffers.dirty().collect();
                dirty.into_iter().for_each(|buf| pg.buffers.written(buf));
            }
            _ => {
                self.cluster.start_statement()?;
                self.change(statement)?;
                self.cluster.end_statement()?;
            }
        }
        Ok(())
    }

    fn change(&mut self, statement: &Statement) -> Outcome<()> {
        match statement {
            Statement::Insert(rows) => {
                let cid = self.cluster.pg.current_command_id();
                self.cluster.take_snapshot();
                for row in rows {
                    let mut tuple = self.form(row);
                    let tid = heap_insert(&mut self.cluster.pg, &self.rel, &mut tuple, cid, InsertOptions::NONE, None)?;
                    self.index_insert(row.0, tid);
                }
                Ok(())
            }
            Statement::Copy(rows) => self.copy(rows),
            Statement::Count(range) => self.update(range, |row| row.1 += 1),
            Statement::Fill(range, c) => self.update(range, |row| row.2.clone_from(c)),
            Statement::Rekey(range, by) => self.update(range, |row| row.0 += by),
            Statement::Delete(range) => self.each(Some(range), true, |this, tid, _, cid| {
                ok(heap_delete(&mut this.cluster.pg, &this.rel, tid, cid)?)
            }),
            Statement::Lock(range, mode) => self.each(Some(range), true, |this, tid, _, cid| {
                ok(heap_lock_tuple(&mut this.cluster.pg, &this.rel, tid, cid, *mode, FollowUpdates::Yes)?)
            }),
            _ => self.each(None, false, |_, _, _, _| Ok(())),
        }
    }

    fn form(&self, (a, b, c): &Row) -> FormedTuple {
        FormedTuple::new(&self.rel.desc, &[Value::Int4(*a), Value::Int4(*b), Value::text(c)])
    }

    fn copy(&mut self, rows: &[Row]) -> Outcome<()> {
        let cid = self.cluster.pg.current_command_id();
        self.cluster.take_snapshot();
        let mut bulk = BulkInsertState::new();
        let (mut batch, mut bytes): (Vec<&Row>, usize) = (Vec::new(), 0);
        for (n, row) in rows.iter().enumerate() {
            batch.push(row);
            bytes += copy_line(row).len() - 1;
            if batch.len() < MAX_BUFFERED_TUPLES && bytes < MAX_BUFFERED_BYTES && n + 1 < rows.len() {
                continue;
            }
            let tuples = batch.iter().map(|row| self.form(row)).collect();
            let pg = &mut self.cluster.pg;
            let tids = heap_multi_insert(pg, &self.rel, tuples, cid, InsertOptions::NONE, Some(&mut bulk))?;
            for (row, tid) in batch.drain(..).zip(tids) {
                self.index_insert(row.0, tid);
            }
            bytes = 0;
        }
        bulk.release(&mut self.cluster.pg);
        Ok(())
    }

    fn update(&mut self, range: &RangeInclusive<i32>, change: impl Fn(&mut Row)) -> Outcome<()> {
        self.each(Some(range), true, |this, tid, mut values, cid| {
            let (Value::Int4(a), Value::Int4(b)) = (&values[0], &values[1]) else { panic!("two integers") };
            let mut row = (*a, *b, String::new());
            change(&mut row);
            (values[0], values[1]) = (Value::Int4(row.0), Value::Int4(row.1));
            if !row.2.is_empty() {
                values[2] = Value::text(&row.2);
            }
            let mut tuple = FormedTuple::new(&this.rel.desc, &values);
            let done = heap_update(&mut this.cluster.pg, &this.rel, tid, &mut tuple, cid)?;
            ok(done.tm)?;
            if done.indexes == UpdateIndexes::All {
                this.index_insert(row.0, done.tid);
            }
            Ok(())
        })
    }

    /// A sequential scan; `does` what is done with each row whose `a` is in the range.
    fn each(
        &mut self,
        range: Option<&RangeInclusive<i32>>,
        changes: bool,
        mut does: impl FnMut(&mut Self, ItemPointer, Vec<Value>, CommandId) -> Outcome<()>,
    ) -> Outcome<()> {
        let cid = if changes { self.cluster.pg.current_command_id() } else { 0 };
        let snapshot = self.cluster.take_snapshot();
        let rel = Arc::clone(&self.rel);
        let mut scan = HeapScan::new(&self.cluster.pg, &rel);
        while let Some((buf, found)) = scan.next_page(&mut self.cluster.pg, &rel, &snapshot)? {
            for n in found {
                let pg = &self.cluster.pg;
                let tuple = heap_tuple(pg, buf, n).expect("a visible tuple");
                let mut values = Vec::new();
                rel.desc.deform(pg.buffers.page(buf).slice(tuple.bytes.clone()), &mut values);
                let wanted = matches!((&values[0], range), (Value::Int4(a), Some(range)) if range.contains(a));
                if wanted {
                    does(self, tuple.tid, values, cid)?;
                }
            }
        }
        Ok(())
    }

    /// An entry of the primary key, after the check that no row with the key is alive.
    fn index_insert(&mut self, key: i32, tid: ItemPointer) {
        let Some(index) = &mut self.index else { return };
        let entries = index.entry(key).or_default();
        entries.sort_unstable();
        for (tid, dead) in entries.iter_mut().filter(|(_, dead)| !dead) {
            let pg = &mut self.cluster.pg;
            *dead = heap_index_fetch_check(pg, &self.rel, *tid, Snapshot::Dirty).is_ok_and(|search| search.all_dead);
        }
        entries.push((tid, false));
    }

    /// Other records stood between the table's on the server: its pages get the LSNs that they have there.
    pub fn move_lsns(&mut self, ends: &BTreeMap<Lsn, Lsn>) {
        let buffers = &mut self.cluster.pg.buffers;
        let pages: Vec<Buffer> = buffers.all().collect();
        for buf in pages {
            if let Some(end) = ends.get(&buffers.page(buf).header().pd_lsn()) {
                buffers.page_mut(buf).set_pd_lsn(*end);
            }
        }
    }

    /// The pages of a fork.
    pub fn pages(&self, toast: bool, fork: ForkNumber) -> Vec<Vec<u8>> {
        let (file, buffers) = (if toast { self.toast.file } else { self.rel.file }, &self.cluster.pg.buffers);
        let blocks = 0..buffers.nblocks(file, fork);
        blocks.map(|block| buffers.page(Buffer { file, fork, block }).bytes().to_vec()).collect()
    }
}

/// These tests leave alone what another transaction has changed.
fn ok(tm: TmResult) -> Outcome<()> {
    if tm == TmResult::Ok { Ok(()) } else { Err(Stop::Wait(WaitFor::Transaction(0))) }
}
