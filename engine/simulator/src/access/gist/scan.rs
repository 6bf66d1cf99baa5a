//! The entries that satisfy conditions (`gistScanPage`, src/backend/access/gist/gistget.c), and the check of an
//! exclusion constraint (`check_exclusion_or_unique_constraint`, src/backend/executor/execIndexing.c).
//!
//! An entry that is found dead is not marked so: the root is looked at without a block to go back to
//! (`so->curBlkno`).

use super::{Gist, GistEntry, GistOp, ROOT};
use crate::access::heap::scan::{IndexFetch, heap_hot_search_buffer};
use crate::access::heap::visibility::Snapshot;
use crate::storage::{Buffer, Outcome, Stop, WaitFor};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::datum::range::Range;
use ffviz_format::datum::{SqlError, Value};
use ffviz_format::page::{ItemPointer, Oid, TransactionId};

/// A condition on a key.
#[derive(Debug, Clone, PartialEq)]
pub struct GistTest {
    /// the index' column
    pub column: u16,
    /// the operator; `None`: IS NULL, or with true IS NOT NULL
    pub op: Result<GistOp, bool>,
    /// what the key is compared with
    pub value: Value,
}

/// A row that conflicts: its keys, its place, and the transaction that is at work on it.
type Conflict = (Vec<Value>, ItemPointer, Option<TransactionId>);

impl Gist<'_> {
    /// The rows of the entries that satisfy all conditions, in the order of the page.
    pub fn search(&mut self, tests: &[GistTest]) -> Vec<ItemPointer> {
        // a comparison with NULL holds of nothing (`so->qual_ok`)
        if tests.iter().any(|test| test.op.is_ok() && test.value.is_null()) {
            return Vec::new();
        }
        let buf = self.root();
        self.pg.read_buffer(buf);
        self.pg.predicate_lock_page(self.rel, ROOT);
        self.found(tests).into_iter().map(|(_, tid)| tid).collect()
    }

    /// `gistindex_keytest`, of all items.
    fn found(&self, tests: &[GistTest]) -> Vec<(Vec<Value>, ItemPointer)> {
        let classes = self.form().map_or(&[][..], |form| &form.classes);
        let holds = |keys: &[Value], test: &GistTest| {
            let n = usize::from(test.column);
            let (Some(key), Some(class)) = (keys.get(n), classes.get(n)) else { return false };
            match test.op {
                Err(is_not) => key.is_null() != is_not,
                Ok(op) => !key.is_null() && !test.value.is_null() && class.consistent(op, key, &test.value),
            }
        };
        let items = self.items().into_iter().filter(|(_, keys, _)| tests.iter().all(|test| holds(keys, test)));
        items.map(|(_, keys, tid)| (keys, tid)).collect()
    }

    /// `check_exclusion_constraint`: is there another row that conflicts with this one? `is_new`: the index has just
    /// been built. Gives whether there is none; `violation_ok`: one is no error, and is not waited for.
    ///
    /// # Errors
    /// A row that conflicts; [`Stop::Wait`] for a transaction that may still make it one.
    pub fn check_exclusion(&mut self, entry: &GistEntry, is_new: bool, violation_ok: bool) -> Outcome<bool> {
        match self.first_conflict(entry)? {
            None => Ok(true),
            Some(_) if violation_ok => Ok(false),
            Some((_, _, Some(xid))) => Err(Stop::Wait(WaitFor::Transaction(xid))),
            Some((keys, ..)) => Err(Stop::Error(self.conflict(&entry.values, &keys, is_new))),
        }
    }

    /// The place of a row that conflicts with one that is not there yet.
    ///
    /// # Errors
    /// [`Stop::Wait`] for a transaction that inserts or deletes such a row.
    pub fn find_conflict(&mut self, entry: &GistEntry) -> Outcome<Option<ItemPointer>> {
        match self.first_conflict(entry)? {
            None => Ok(None),
            Some((_, _, Some(xid))) => Err(Stop::Wait(WaitFor::Transaction(xid))),
            Some((_, tid, None)) => Ok(Some(tid)),
        }
    }

    /// The first row that conflicts: its keys, its place, and who is at work on it.
    fn first_conflict(&mut self, entry: &GistEntry) -> Outcome<Option<Conflict>> {
        let Some(form) = self.form() else { return Ok(None) };
        if form.operators.is_empty() || entry.values.iter().any(Value::is_null) {
            return Ok(None);
        }
        let operators = (0..).zip(form.operators.iter().zip(&entry.values));
        let tests: Vec<GistTest> =
            operators.map(|(column, (op, value))| GistTest { column, op: Ok(*op), value: value.clone() }).collect();
        let table = self.pg.relation(self.rel.index.as_ref().map_or(0, |form| form.table))?;
        self.pg.read_buffer(self.root());
        let (mut fetch, mut conflict) = (IndexFetch::default(), None);
        for (keys, tid) in self.found(&tests) {
            let buf = Buffer::main(table.file, tid.block);
            fetch.go_to(self.pg, &table, buf);
            let search = heap_hot_search_buffer(self.pg, &table, buf, tid.offset, Snapshot::Dirty, true)?;
            if let Some(found) = search.found.filter(|found| *found != entry.tid) {
                conflict = Some((keys, found, search.running.xmin.or(search.running.xmax)));
                break;
            }
        }
        fetch.end(self.pg);
        Ok(conflict)
    }

    /// `ExecWithoutOverlapsNotEmpty`: what may not overlap has to be somewhere.
    ///
    /// # Errors
    /// An empty range.
    pub fn check_not_empty(&self, entry: &GistEntry) -> Outcome<()> {
        let is_empty = |value: &Value| Range::of(value).is_some_and(|range| range.is_empty());
        if !self.form().is_some_and(|form| form.without_overlaps) || !entry.values.last().is_some_and(is_empty) {
            return Ok(());
        }
        let table = self.pg.relation(self.rel.index.as_ref().map_or(0, |form| form.table))?;
        let column = self.rel.desc.attributes().last().map_or("", |column| &column.name);
        let message =
            format!("empty WITHOUT OVERLAPS value found in column \"{column}\" in relation \"{}\"", table.name);
        Err(Stop::Error(SqlError::new("23514", message)))
    }

    /// The error of two rows that conflict.
    #[cold]
    fn conflict(&self, new: &[Value], existing: &[Value], is_new: bool) -> SqlError {
        let name = &self.rel.name;
        let (message, verb) = match is_new {
            true => (format!("could not create exclusion constraint \"{name}\""), "conflicts with key"),
            false => (
                format!("conflicting key value violates exclusion constraint \"{name}\""),
                "conflicts with existing key",
            ),
        };
        let error = SqlError::new("23P01", message);
        match (self.described(new), self.described(existing)) {
            (Some(new), Some(existing)) => error.with_detail(format!("Key {new} {verb} {existing}.")),
            _ => error,
        }
    }

    /// `BuildIndexValueDescription`
    fn described(&self, values: &[Value]) -> Option<String> {
        let names = self.rel.index.as_ref()?.key_names.as_ref()?;
        let types: &[Oid] = &self.form()?.types;
        let values: Vec<String> = values.iter().zip(types).map(|(value, ty)| value.described(*ty)).collect();
        Some(format!("({names})=({})", values.join(", ")))
    }
}
