//! ANALYZE of a table with children: what is found out of its rows and theirs together (`do_analyze_rel` with `inh`,
//! `acquire_inherited_sample_rows`, src/backend/commands/analyze.c).

use crate::cluster::pg_class::ColumnStats;
use crate::sql::commands::analyze::{ROWS_A_BIN, TARGET, examine};
use crate::sql::commands::partition::refuse;
use crate::sql::commands::sampling::acquire_sample_rows;
use crate::sql::executor::row::read_row;
use crate::sql::tcop::Database;
use crate::storage::{Outcome, RelationData};
use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::{Attribute, Value};

/// Of these columns, or all where none are named.
pub(in crate::sql::commands) fn analyze_children(
    db: &mut Database,
    relation: &RelationData,
    named: &[u16],
) -> Outcome<()> {
    let Some(class) = db.cluster.catalog.class(relation.oid).filter(|class| class.inheritance.has_subclass) else {
        return Ok(());
    };
    let targets = class.statistics_targets.clone();
    if !class.statistics_objects.is_empty() {
        return Err(refuse("ANALYZE of a table with children and statistics of several columns").into());
    }
    let wanted = usize::from(targets.values().copied().chain([TARGET]).max().unwrap_or(TARGET)) * ROWS_A_BIN;
    let all = db.cluster.catalog.inheritors(relation.oid);
    if all.len() < 2 {
        db.cluster.forget_subclasses(relation.oid);
        return Ok(());
    }
    let (mut rows, mut total) = (Vec::new(), 0.0);
    for table in all {
        let child = db.cluster.pg.relation(table)?;
        let sample = acquire_sample_rows(db, &child, wanted);
        total += sample.total;
        let places: Vec<Option<usize>> = relation.desc.attributes().iter().map(|it| place(it, &child)).collect();
        for tid in sample.rows {
            let Some(row) = read_row(db, &child, tid) else { continue };
            let value = |place: &Option<usize>| place.and_then(|n| row.values.get(n).cloned()).unwrap_or(Value::Null);
            rows.push(places.iter().map(value).collect::<Vec<Value>>());
        }
    }
    let mut found: BTreeMap<u16, Arc<ColumnStats>> = BTreeMap::new();
    let attributes = relation.desc.attributes().to_vec();
    for (n, column) in attributes.iter().enumerate() {
        let target = targets.get(&column.num).copied().unwrap_or(TARGET);
        if target == 0 || !named.is_empty() && !named.contains(&column.num) {
            continue;
        }
        let stats = examine(db, &attributes, n, target, &rows, total)?;
        found.extend(stats.map(|stats| (column.num, Arc::new(stats))));
    }
    db.cluster.set_inherited_stats(relation.oid, found);
    Ok(())
}

/// Where a child has the column.
fn place(column: &Attribute, child: &RelationData) -> Option<usize> {
    let is_it = |own: &Attribute| !own.dropped && !column.dropped && own.name == column.name;
    child.desc.attributes().iter().position(is_it)
}
