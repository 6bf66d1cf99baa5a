//! What SQL says of partitions (`pg_partition_tree`, src/backend/utils/adt/partitionfuncs.c; `pg_get_partkeydef`,
//! src/backend/utils/adt/ruleutils.c; `pg_inherits`, `pg_partitioned_table`).

use super::Rows;
use crate::cluster::Class;
use crate::sql::catalog::Catalog;
use crate::sql::partition::key_text;
use crate::sql::tcop::Database;
use crate::version::SqlBehaviour;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::{SqlError, Value};
use ffviz_format::page::Oid;

impl Database {
    /// `pg_get_partkeydef`
    pub(in crate::sql) fn pg_get_partkeydef(&self, table: &Value) -> Value {
        let Value::Oid(table) = *table else { return Value::Null };
        let relation = self.cluster.pg.relations.get(&table);
        let text = relation.and_then(|relation| Some(key_text(&self.partition_desc(table)?, relation)));
        text.map_or(Value::Null, |text| Value::text(&text))
    }

    /// `pg_partition_tree`: the relation, its partitions, theirs.
    pub(super) fn partition_tree(&self, root: &Value) -> Result<Rows, SqlError> {
        let root = self.regclass_of_pages(root)?;
        let class = |oid: Oid| self.cluster.catalog.class(oid).map(|class| &class.partitioning);
        let is_whole = self.cluster.pg.relation(root).is_ok_and(|it| self.cluster.pg.buffers.has_file(it.file));
        if is_whole && class(root).is_none_or(|it| it.parent.is_none()) {
            return Ok(Rows::new());
        }
        let mut rows = Rows::new();
        for oid in self.cluster.catalog.inheritors(root) {
            let parent = class(oid).and_then(|it| it.parent);
            let ancestors = core::iter::successors(Some(oid), |oid| class(*oid).and_then(|it| it.parent));
            let level = ancestors.take_while(|ancestor| *ancestor != root).count();
            let is_leaf = self.cluster.pg.relation(oid).is_ok_and(|it| self.cluster.pg.buffers.has_file(it.file));
            let parent = parent.map_or(Value::Null, Value::Oid);
            rows.push(Vec::from([Value::Oid(oid), parent, Value::Bool(is_leaf), Value::Int4(level as i32)]));
        }
        Ok(rows)
    }
}

/// `pg_inherits`
pub(super) fn inherits(db: &Database) -> Rows {
    let rows = |class: &Arc<Class>| {
        let of_partition = class.partitioning.parent.map(|parent| (parent, 1));
        let parents = of_partition.into_iter().chain(class.inheritance.parents.iter().copied());
        let row = |(parent, number)| {
            let mut row = Vec::from([Value::Oid(class.oid), Value::Oid(parent), Value::Int4(number)]);
            if db.cluster.version().detaches_concurrently() {
                row.push(Value::Bool(false));
            }
            row
        };
        parents.map(row).collect::<Vec<_>>()
    };
    db.cluster.catalog.classes().flat_map(rows).collect()
}

/// `pg_partitioned_table`
pub(super) fn partitioned_tables(db: &Database) -> Rows {
    let row = |class: &Arc<Class>| {
        let key = class.partitioning.key.as_ref()?;
        let default = db.partition_desc(class.oid)?.default_part().unwrap_or(0);
        let strategy = key.strategy.word().as_bytes()[0];
        let natts = Value::Int2(key.columns.len() as i16);
        Some(Vec::from([Value::Oid(class.oid), Value::Char(strategy), natts, Value::Oid(default)]))
    };
    db.cluster.catalog.classes().filter_map(row).collect()
}
