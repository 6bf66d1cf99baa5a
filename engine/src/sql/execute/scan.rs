//! Scans of a table, row by row, each of which can be gone on with (src/backend/executor/nodeSeqscan.c, nodeIndexscan.c,
//! nodeBitmapHeapscan.c).

use super::Database;
use super::row::{Row, holds, read_row};
use crate::datum::SqlError;
use crate::heap::access::scan::HeapScan;
use crate::page::{ItemPointer, OffsetNumber};
use crate::sql::plan::{Method, Scan};
use crate::storage::{Buffer, MvccSnapshot, Outcome, RelationData, Stop};
use alloc::sync::Arc;
use alloc::vec::Vec;

/// A scan that runs.
#[derive(Debug)]
pub(super) struct RowScan {
    pub relation: Arc<RelationData>,
    plan: Scan,
    snapshot: MvccSnapshot,
    source: Source,
}

/// Where it stands.
#[derive(Debug)]
enum Source {
    /// no row satisfies the condition, or none is left
    Done,
    /// page by page
    Seq(HeapScan, Page),
}

/// Rows of a page that are still to be returned.
#[derive(Debug, Default)]
struct Page {
    block: u32,
    offsets: Vec<OffsetNumber>,
    next: usize,
}

impl Page {
    fn new((buf, offsets): (Buffer, Vec<OffsetNumber>)) -> Self {
        Self { block: buf.block, offsets, next: 0 }
    }

    fn next(&mut self) -> Option<ItemPointer> {
        let offset = *self.offsets.get(self.next)?;
        self.next += 1;
        Some(ItemPointer { block: self.block, offset })
    }
}

impl RowScan {
    /// Before the first row.
    pub fn start(db: &Database, plan: &Scan, snapshot: &MvccSnapshot) -> Outcome<Self> {
        let relation = db.cluster.pg.relation(plan.table)?;
        let source = match &plan.method {
            Method::Nothing => Source::Done,
            Method::Seq => Source::Seq(HeapScan::new(&db.cluster.pg, &relation), Page::default()),
            Method::Index(_) | Method::Bitmap(_) => {
                return Err(Stop::Error(SqlError::new("0A000", "scans of indexes are not simulated yet")));
            }
        };
        Ok(Self { relation, plan: plan.clone(), snapshot: snapshot.clone(), source })
    }

    /// The next row that the snapshot sees and that satisfies the condition.
    pub fn next(&mut self, db: &mut Database) -> Outcome<Option<Row>> {
        while let Some(tid) = self.next_tid(db)? {
            let Some(row) = read_row(db, &self.relation, tid) else { continue };
            if holds(db, &self.plan.filter, &row.values)? {
                return Ok(Some(row));
            }
        }
        Ok(None)
    }

    /// Does a version satisfy the condition (`EvalPlanQual`)?
    pub fn rechecks(&self, db: &mut Database, row: &Row) -> Outcome<bool> {
        holds(db, &self.plan.filter, &row.values)
    }

    fn next_tid(&mut self, db: &mut Database) -> Outcome<Option<ItemPointer>> {
        let pg = &mut db.cluster.pg;
        match &mut self.source {
            Source::Done => Ok(None),
            Source::Seq(scan, page) => loop {
                if let Some(tid) = page.next() {
                    return Ok(Some(tid));
                }
                match scan.next_page(pg, &self.relation, &self.snapshot)? {
                    Some(next) => *page = Page::new(next),
                    None => return Ok(None),
                }
            },
        }
    }

    /// Lets go of the page that it is on.
    pub fn end(&mut self, db: &mut Database) {
        if let Source::Seq(scan, _) = &mut self.source {
            scan.end(&mut db.cluster.pg);
        }
        self.source = Source::Done;
    }
}
