//! Tables that inherit from others, as statements make and change them (`MergeAttributes`, `ATExecAddInherit`,
//! src/backend/commands/tablecmds.c).
//!
//! ```text
//!  create  CREATE TABLE … INHERITS       drop  DROP TABLE of one that has children
//!  link    ALTER TABLE … INHERIT, NO INHERIT; what else goes from a parent to its children: alter/children
//!  stats   ANALYZE of one that has children
//! ```

mod create;
mod drop;
mod link;
mod stats;

pub(super) use create::{Merged, merge, own_checks};
pub(super) use drop::drop_children;
pub(super) use link::{inherit, no_inherit};
pub(super) use stats::analyze_children;

use super::partition::refuse;
use crate::cluster::pg_class::ExprId;
use crate::sql::tcop::Database;
use crate::storage::RelationData;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::datum::SqlError;

/// An expression over a parent's columns as one over its child's. Each is kept with the names that the columns had when
/// it was written, so it gets these names at the child's places.
fn rebased(db: &mut Database, id: ExprId, parent: &RelationData, child: &[String]) -> Result<ExprId, SqlError> {
    let Some(stored) = db.expressions.get(id).cloned() else { return Ok(id) };
    let columns = parent.desc.attributes();
    let mut names = Vec::new();
    for name in child {
        let place = columns.iter().position(|column| !column.dropped && column.name == *name);
        names.push(match place.and_then(|place| stored.columns.get(place)) {
            Some(written) => written.clone(),
            // no name that the expression may mean
            None => format!("{name}{}", '\0'),
        });
    }
    Ok(if names == stored.columns { id } else { db.expressions.keep_over(&stored.expr, names) })
}

/// The numbers of a parent's columns as those of its child.
fn renumbered(columns: &[u16], parent: &RelationData, child: &[String]) -> Result<Vec<u16>, SqlError> {
    let number = |attnum: &u16| {
        let column = parent.desc.attributes().get(usize::from(attnum - 1))?;
        child.iter().position(|name| *name == column.name).map(|place| place as u16 + 1)
    };
    columns.iter().map(number).collect::<Option<_>>().ok_or_else(|| refuse("a column that the child has not"))
}
