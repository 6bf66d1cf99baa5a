//! A scan of a BRIN index for a bitmap: which ranges of blocks may have rows that satisfy the conditions
//! (`bringetbitmap`, src/backend/access/brin/brin.c; `brin_minmax_consistent`, brin_minmax.c). Each value of = ANY is
//! looked for on its own (`ExecIndexAdvanceArrayKeys`).

use super::row::eval;
use super::running::CountedBitmap;
use crate::access::brin::{BrinIndex, Summary, SummaryColumn};
use crate::sql::ast::BinaryOp;
use crate::sql::expr::{Node, Typed};
use crate::sql::plan::{IndexScan, KeyOp};
use crate::sql::tcop::Database;
use crate::storage::{Outcome, RelationData};
use alloc::boxed::Box;
use alloc::collections::BTreeSet;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::sql_type::Kind;
use ffviz_format::datum::{SqlType, Value};
use ffviz_format::page::{BlockNumber, ForkNumber};

/// A condition on a column of the index, with its value.
#[derive(Clone)]
struct Test {
    column: usize,
    op: KeyOp,
    value: Typed,
}

/// The blocks of the ranges that may have rows, and what finding them took.
pub(super) fn blocks_of(
    db: &mut Database,
    index: Arc<RelationData>,
    plan: &IndexScan,
) -> Outcome<(BTreeSet<BlockNumber>, CountedBitmap)> {
    let table = db.cluster.pg.relation(index.index.as_ref().map_or(0, |form| form.table))?;
    let closed = db.cluster.pg.buffer_usage();
    let mut scan = BrinIndex::begin_scan(&mut db.cluster.pg, index.clone());
    let before = db.cluster.pg.buffer_usage();
    db.running.counted.opened = db.running.counted.opened + (before - closed);
    let (mut found, mut counted) = (BTreeSet::new(), CountedBitmap::default());
    for tests in scans(db, plan)? {
        let pages = db.cluster.pg.buffers.nblocks(table.file, ForkNumber::Main);
        counted.searches += 1;
        for (range, summary) in scan.summaries(&mut db.cluster.pg, pages) {
            let may_have = match &summary {
                Some(summary) if !summary.placeholder => is_consistent(db, &index, summary, &tests)?,
                _ => true,
            };
            if may_have {
                /// what a page is taken to have of rows
                const ROWS: u64 = 10;
                counted.entries += ROWS * range.len() as u64;
                found.extend(range);
            }
        }
    }
    counted.blocks = db.cluster.pg.buffer_usage() - before;
    Ok((found, counted))
}

/// The conditions of each scan.
fn scans(db: &mut Database, plan: &IndexScan) -> Outcome<Vec<Vec<Test>>> {
    let mut scans: Vec<Vec<Test>> = Vec::from([Vec::new()]);
    for key in &plan.keys {
        let null = Typed::constant(Value::Null, SqlType::BOOL);
        let values = match key.value[..] {
            [] if key.op != KeyOp::Any => Vec::from([null]),
            _ => {
                let constant = |value: &Typed| Ok(Typed::constant(eval(db, value, &[], &[])?, value.ty));
                key.value.iter().map(constant).collect::<Outcome<Vec<_>>>()?
            }
        };
        let test = |value: &Typed| Test { column: key.column.into(), op: key.op, value: value.clone() };
        let with = |value: &Typed| scans.iter().map(|scan| [&scan[..], &[test(value)]].concat()).collect::<Vec<_>>();
        scans = values.iter().flat_map(with).collect();
    }
    Ok(scans)
}

/// May a range with that summary have a row that satisfies all conditions?
fn is_consistent(db: &mut Database, index: &RelationData, summary: &Summary, tests: &[Test]) -> Outcome<bool> {
    for test in tests {
        let (Some(column), Some(attribute)) =
            (summary.columns.get(test.column), index.desc.attributes().get(test.column))
        else {
            continue;
        };
        let ty = SqlType::plain(attribute.base.unwrap_or(attribute.typid));
        if summary.empty || !admits(db, column, ty, test)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn admits(db: &mut Database, column: &SummaryColumn, ty: SqlType, test: &Test) -> Outcome<bool> {
    let op = match test.op {
        KeyOp::IsNull => return Ok(column.bounds.is_none() || column.has_nulls),
        KeyOp::IsNotNull => return Ok(column.bounds.is_some()),
        KeyOp::Compare(op) => op,
        KeyOp::Any | KeyOp::Rows(_) | KeyOp::Gist(_) => BinaryOp::Eq,
    };
    let Some([least, greatest]) = &column.bounds else { return Ok(false) };
    let mut holds = |bound: &Value, op: BinaryOp| -> Outcome<bool> {
        let bound = bound.detoasted(Kind::of(ty.oid)).unwrap_or_else(|| bound.clone());
        let node = Node::Binary(op, Box::new((Typed::constant(bound, ty), test.value.clone())));
        let value = eval(db, &Typed { node, ty: SqlType::BOOL }, &[], &[])?;
        Ok(value == Value::Bool(true))
    };
    match op {
        BinaryOp::Lt | BinaryOp::Le => holds(least, op),
        BinaryOp::Gt | BinaryOp::Ge => holds(greatest, op),
        _ => Ok(holds(least, BinaryOp::Le)? && holds(greatest, BinaryOp::Ge)?),
    }
}
