//! Scans by the rows' places (src/backend/executor/nodeTidscan.c, nodeTidrangescan.c): no chain is followed, and a Tid
//! Scan prunes nothing.

use super::row::eval;
use super::slot::Slot;
use crate::access::heap::scan::{heap_fetch, heap_get_latest_tid};
use crate::access::heap::visibility::Snapshot;
use crate::sql::ast::BinaryOp;
use crate::sql::expr::{Node, Typed};
use crate::sql::plan::{TidRange, TidScan};
use crate::sql::tcop::Database;
use crate::storage::{Buffer, MvccSnapshot, Outcome, RelationData};
use alloc::vec::{IntoIter, Vec};
use core::ops::RangeInclusive;
use ffviz_format::datum::{Value, array_elements};
use ffviz_format::page::{ForkNumber, ItemPointer, OffsetNumber};

/// A Tid Scan that runs.
#[derive(Debug, Clone)]
pub(super) struct TidRows {
    tids: IntoIter<ItemPointer>,
    /// `ss_ScanTupleSlot`: the version that was found last
    found: Slot,
    /// WHERE CURRENT OF: is the version wanted that is visible now?
    is_current: bool,
}

impl TidRows {
    /// The row that a cursor stands on.
    pub fn current_of(tid: ItemPointer) -> Self {
        Self { tids: Vec::from([tid]).into_iter(), found: Slot::default(), is_current: true }
    }

    /// `TidListEval`: the places in their order, each once, as far as the table has such blocks.
    pub fn start(db: &mut Database, relation: &RelationData, plan: &TidScan) -> Outcome<Self> {
        let blocks = db.cluster.pg.buffers.nblocks(relation.file, ForkNumber::Main);
        let mut tids = Vec::new();
        let mut found = Vec::new();
        for qual in &plan.quals {
            if let Node::AnyElement(parts, _) = &qual.node {
                let array = eval(db, &parts.0, &[], &[])?;
                found.extend(array_elements(&array).into_iter().flatten());
            }
            for value in places(qual) {
                found.push(eval(db, value, &[], &[])?);
            }
        }
        for value in found {
            match value {
                Value::Tid(tid) if tid.offset.0 > 0 && tid.block < blocks => tids.push(tid),
                _ => {}
            }
        }
        tids.sort_unstable();
        tids.dedup();
        Ok(Self { tids: tids.into_iter(), found: Slot::default(), is_current: false })
    }

    /// `TidNext`: the next version that the snapshot sees.
    pub fn next(
        &mut self,
        db: &mut Database,
        table: &RelationData,
        snapshot: &MvccSnapshot,
    ) -> Outcome<Option<ItemPointer>> {
        let pg = &mut db.cluster.pg;
        for tid in self.tids.by_ref() {
            let tid = if self.is_current { heap_get_latest_tid(pg, table, tid, snapshot)? } else { tid };
            if heap_fetch(pg, table, tid, Snapshot::Mvcc(snapshot))?.is_some() {
                self.found.store(pg, Buffer::main(table.file, tid.block));
                return Ok(Some(tid));
            }
        }
        self.found.clear(pg);
        Ok(None)
    }

    pub fn end(&mut self, db: &mut Database) {
        self.found.clear(&mut db.cluster.pg);
    }
}

/// What a condition compares ctid with, but for an array that is not written out.
fn places(qual: &Typed) -> Vec<&Typed> {
    match &qual.node {
        Node::AnyOf(_, list, _) => list.iter().collect(),
        Node::Binary(_, operands) if operands.0.is_pseudo_constant() => alloc::vec![&operands.0],
        Node::Binary(_, operands) => alloc::vec![&operands.1],
        _ => Vec::new(),
    }
}

/// `TidRangeEval`: from the first to the last place; `None` where a bound is NULL.
pub(super) fn tid_range(db: &mut Database, plan: &TidRange) -> Outcome<Option<RangeInclusive<ItemPointer>>> {
    let mut least = ItemPointer { block: 0, offset: OffsetNumber(0) };
    let mut greatest = ItemPointer { block: u32::MAX, offset: OffsetNumber(u16::MAX) };
    for bound in &plan.bounds {
        let Value::Tid(tid) = eval(db, &bound.value, &[], &[])? else { return Ok(None) };
        match bound.op {
            BinaryOp::Lt => greatest = greatest.min(before(tid)),
            BinaryOp::Le => greatest = greatest.min(tid),
            BinaryOp::Gt => least = least.max(after(tid)),
            _ => least = least.max(tid),
        }
    }
    Ok(Some(least..=greatest))
}

/// `ItemPointerInc`
const fn after(tid: ItemPointer) -> ItemPointer {
    match (tid.offset.0.checked_add(1), tid.block.checked_add(1)) {
        (Some(offset), _) => ItemPointer { block: tid.block, offset: OffsetNumber(offset) },
        (None, Some(block)) => ItemPointer { block, offset: OffsetNumber(0) },
        (None, None) => tid,
    }
}

/// `ItemPointerDec`
const fn before(tid: ItemPointer) -> ItemPointer {
    match (tid.offset.0.checked_sub(1), tid.block.checked_sub(1)) {
        (Some(offset), _) => ItemPointer { block: tid.block, offset: OffsetNumber(offset) },
        (None, Some(block)) => ItemPointer { block, offset: OffsetNumber(u16::MAX) },
        (None, None) => tid,
    }
}
