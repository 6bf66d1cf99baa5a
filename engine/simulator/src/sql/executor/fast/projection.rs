//! Rows that come out of a query, each made in the memory of the one before (`ExecBuildProjectionInfo`,
//! src/backend/executor/execExpr.c).
//!
//! ```text
//!  targets:  constants           columns of the row that comes in      all others
//!            stay from row on    copied as they are stored             computed
//! ```
//!
//! A query's layers are chosen once. The query of a simple INSERT … SELECT becomes part of it, as in PostgreSQL. A
//! row's values, its tuple and its index entry take the memory of the row before.

use crate::sql::executor::row::compute;
use crate::sql::expr::{Calculation, Node};
use crate::sql::plan::Output;
use crate::sql::tcop::Database;
use crate::storage::Outcome;
use alloc::vec::Vec;
use ffviz_format::datum::Value;
use ffviz_format::datum::bytes::Bytes;

/// What is to be done for each row, by number of the target.
#[derive(Debug, Clone)]
pub(in crate::sql) struct Projection {
    /// with the column of the row that comes in
    columns: Vec<(u16, u16)>,
    /// with how it is calculated
    computed: Vec<(u16, Option<Calculation>)>,
}

impl Projection {
    /// Of these targets; `None` where one is a set-returning function.
    pub fn new(targets: &[Output]) -> Option<Self> {
        let (mut columns, mut computed) = (Vec::new(), Vec::new());
        for (number, target) in (0..).zip(targets) {
            let expr = target.value.expr()?;
            match expr.node {
                Node::Const(_) => {}
                Node::Slot(slot) => columns.push((number, slot)),
                _ => computed.push((number, Calculation::new(expr))),
            }
        }
        Some(Self { columns, computed })
    }

    /// `ExecProject`: the row that comes out, in place of the one before, or of none.
    pub fn project(
        &self,
        db: &mut Database,
        targets: &[Output],
        row: &[Value],
        result: &mut Vec<Value>,
    ) -> Outcome<()> {
        if result.is_empty() {
            result.extend(targets.iter().map(|target| match target.value.expr().map(|expr| &expr.node) {
                Some(Node::Const(value)) => value.clone(),
                _ => Value::Null,
            }));
        }
        for (target, slot) in &self.columns {
            result[usize::from(*target)].copy(&row[usize::from(*slot)]);
        }
        for (target, calculation) in &self.computed {
            let place = &mut result[usize::from(*target)];
            let is_done = calculation.as_ref().is_some_and(|prepared| prepared.put(row, &db.params, place));
            if !is_done && let Some(expr) = targets[usize::from(*target)].value.expr() {
                compute(db, [(expr, None)], (row, &[]), |value| *place = value)?;
            }
        }
        Ok(())
    }

    /// What was copied lets go of memory that is shared, so that the row that is read next can take it.
    pub fn release(&self, result: &mut [Value]) {
        for (target, _) in &self.columns {
            if let Some(value) = result.get_mut(usize::from(*target)).filter(is_shared) {
                *value = Value::Null;
            }
        }
    }
}

fn is_shared(value: &&mut Value) -> bool {
    value.bytes().is_some_and(|bytes| bytes.len() > Bytes::COPIED)
}
