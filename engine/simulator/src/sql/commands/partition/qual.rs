//! What the bounds of a partition say of its rows, as a CHECK (`generate_partition_qual`,
//! src/backend/utils/cache/partcache.c; `PartConstraintImpliedByRelConstraint`, src/backend/commands/tablecmds.c).

use crate::cluster::ddl::CheckConstraint;
use crate::cluster::partition::PartitionBound;
use crate::cluster::pg_class;
use crate::sql::ast::{Constraint, ConstraintKind};
use crate::sql::commands::constraint;
use crate::sql::expr::{Node, Typed};
use crate::sql::parse::parse_expr;
use crate::sql::partition::{PartitionDesc, bound_condition};
use crate::sql::plan::implies;
use crate::sql::tcop::Database;
use alloc::vec::Vec;
use ffviz_format::datum::SqlError;
use ffviz_format::page::Oid;

/// A partitioned table around, and the bound of what is within it.
type Within = (PartitionDesc, PartitionBound);

/// The bounds as a CHECK of the table. `None` where the key of a table around is of several columns.
pub(super) fn as_check(db: &mut Database, table: Oid, bounds: &[Within]) -> Result<Option<CheckConstraint>, SqlError> {
    let relation = db.cluster.pg.relation(table)?;
    let texts = bounds.iter().map(|(desc, bound)| bound_condition(desc, bound, &relation));
    let Some(texts) = texts.collect::<Option<Vec<_>>>() else { return Ok(None) };
    let Ok(expr) = parse_expr(&texts.join(" AND ")) else { return Ok(None) };
    let wanted = Constraint::of(None, Vec::new(), ConstraintKind::Check(expr.clone()));
    constraint::check(db, table, &wanted, &expr).map(Some)
}

/// `PartConstraintImpliedByRelConstraint`: do the table's CHECKs say it already?
pub(super) fn is_implied(db: &mut Database, table: Oid, bounds: &[Within]) -> Result<bool, SqlError> {
    let relation = db.cluster.pg.relation(table)?;
    let Some(wanted) = as_check(db, table, bounds)? else { return Ok(false) };
    let known = db.cluster.catalog.class(table).map_or(&[][..], |class| &class.constraints);
    let conditions = known.iter().filter_map(|constraint| match constraint {
        pg_class::Constraint::Check { expr, validated: true, .. } => Some(db.stored_condition(&relation, *expr)),
        _ => None,
    });
    let conditions: Vec<Typed> = conditions.flatten().collect();
    // a CHECK lets NULL pass
    let is_never_null = |part: &Typed| match &part.node {
        Node::IsNull(operand, true) => match operand.node {
            Node::Slot(slot) => relation.desc.attributes()[usize::from(slot)].not_null || conditions.contains(part),
            _ => false,
        },
        _ => true,
    };
    let wanted = db.stored_condition(&relation, wanted.expr);
    let (nulls, values): (Vec<Typed>, Vec<Typed>) =
        wanted.into_iter().partition(|part| matches!(part.node, Node::IsNull(_, true)));
    Ok(nulls.iter().all(is_never_null) && implies(&conditions, &values))
}
