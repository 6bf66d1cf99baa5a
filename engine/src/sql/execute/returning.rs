//! RETURNING (`ExecProcessReturning`, src/backend/executor/nodeModifyTable.c).
//!
//! ```text
//!  row changed ─▶ its expressions ─▶ kept (`FillPortalStore`) …  all rows done, foreign keys checked ─▶ values from the TOAST table are read
//! ```

use super::Database;
use super::row::{compute, fetch_value, is_external, push_system_values};
use crate::datum::Value;
use crate::datum::sql_type::Kind;
use crate::page::ItemPointer;
use crate::sql::plan::Returning;
use crate::storage::{Outcome, RelationData};
use alloc::sync::Arc;
use alloc::vec::Vec;

/// What is given of the rows that a statement changes.
#[derive(Debug, Default)]
pub(super) struct Returned {
    plan: Option<Arc<Returning>>,
    /// values that still have to be read
    external: Vec<(Kind, Value)>,
}

impl Returned {
    /// Of no row yet.
    pub const fn new(plan: Option<Arc<Returning>>) -> Self {
        Self { plan, external: Vec::new() }
    }

    /// Of a row that was changed and lies there.
    pub fn take(
        &mut self,
        db: &mut Database,
        relation: &RelationData,
        values: &[Value],
        tid: ItemPointer,
    ) -> Outcome<()> {
        let Some(plan) = self.plan.clone() else { return Ok(()) };
        let mut row = values[..relation.desc.attributes().len()].to_vec();
        if plan.system {
            push_system_values(db, relation, tid, &mut row);
        }
        let mut kinds = plan.targets.iter().map(|target| target.ty.kind());
        compute(db, &plan.targets, (&row, &[]), |value| {
            let kind = kinds.next();
            self.external.extend(kind.filter(|_| is_external(&value)).map(|kind| (kind, value)));
        })
    }

    /// All rows are on their way to the client.
    pub fn send(&mut self, db: &mut Database) -> Outcome<()> {
        self.external.drain(..).try_for_each(|(kind, mut value)| fetch_value(db, kind, &mut value))
    }
}
