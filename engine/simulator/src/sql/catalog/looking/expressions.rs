//! Expressions that the catalog keeps, as `pg_get_expr` tells them (src/backend/utils/adt/ruleutils.c): bounds of
//! partitions, predicates and keys of indexes.
//!
//! Their columns hold `pg_node_tree`, of which nothing is known here but the text that `pg_get_expr` makes of it.

use crate::cluster::Class;
use crate::cluster::partition::PartitionBound;
use crate::cluster::pg_class::ExprId;
use crate::sql::catalog::Catalog;
use crate::sql::error::NOT_SIMULATED;
use crate::sql::partition::{list_text, range_text};
use crate::sql::ruleutils::{Deparser, PLAIN, Scope, Style};
use crate::sql::tcop::Database;
use crate::storage::RelationData;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::datum::{SqlError, Value};
use ffviz_format::page::Oid;

/// Stands for an expression that is there, but has parts that are not told.
pub(super) const NOT_TOLD: &str = "\u{1}";

impl Database {
    /// `pg_get_expr`
    pub(in crate::sql) fn pg_get_expr(&self, args: &[Value]) -> Result<Value, SqlError> {
        if args[0].plain_bytes() == Some(NOT_TOLD.as_bytes()) {
            return Err(SqlError::new(NOT_SIMULATED, "pg_get_expr of this expression is not supported"));
        }
        Ok(args[0].clone())
    }

    /// `pg_get_constraintdef`
    pub(in crate::sql) fn pg_get_constraintdef(&self, args: &[Value]) -> Result<Value, SqlError> {
        if args[0].plain_bytes() == Some(NOT_TOLD.as_bytes()) {
            return Err(SqlError::new(NOT_SIMULATED, "pg_get_constraintdef of this constraint is not supported"));
        }
        Ok(args[0].clone())
    }

    /// `relpartbound` (`PartitionBoundSpec`)
    pub(super) fn partition_bound(&self, class: &Class) -> Option<String> {
        let bound = class.partitioning.bound.as_ref()?;
        let parent = self.partition_desc(class.partitioning.parent?)?;
        Some(match bound {
            PartitionBound::Default => "DEFAULT".to_string(),
            PartitionBound::List(values) => format!("FOR VALUES IN ({})", list_text(&parent, values)),
            PartitionBound::Range(from, to) => {
                format!("FOR VALUES FROM {} TO {}", range_text(&parent, from), range_text(&parent, to))
            }
            PartitionBound::Hash(modulus, remainder) => {
                format!("FOR VALUES WITH (modulus {modulus}, remainder {remainder})")
            }
        })
    }

    /// `indpred`
    pub(super) fn index_predicate(&self, table: &RelationData, index: &RelationData) -> Value {
        let told = self.told_predicate(table, index.oid, PLAIN);
        told.map_or(Value::Null, |told| Value::text(&told.unwrap_or_else(|| NOT_TOLD.to_string())))
    }

    /// WHERE of an index, if it has one, as far as it is told.
    pub(super) fn told_predicate(&self, table: &RelationData, index: Oid, style: Style) -> Option<Option<String>> {
        let id = self.expressions.predicates.get(&index)?;
        Some(self.told_condition(table, *id, style))
    }

    /// A condition of the catalog as it was analyzed: its constant parts are not worked out.
    pub(super) fn told_condition(&self, table: &RelationData, id: ExprId, style: Style) -> Option<String> {
        let (info, stored) = (self.table_of(table.oid)?, self.expressions.get(id)?);
        Deparser::new(self, style, Scope::of_table(&info, Some(stored))).condition(&stored.expr)
    }

    /// A key of an index that is no column, in parentheses where it looks like no function.
    pub(super) fn told_key(&self, table: &RelationData, index: Oid, place: u16, style: Style) -> Option<String> {
        let stored = self.expressions.get(*self.expressions.keys.get(&(index, place))?)?;
        let info = self.table_of(table.oid)?;
        Deparser::new(self, style, Scope::of_table(&info, Some(stored))).index_key(&stored.expr)
    }

    /// `indexprs`: its keys that are no columns.
    pub(super) fn index_keys(&self, table: &RelationData, index: &RelationData) -> Value {
        let of_index = (index.oid, 0)..=(index.oid, u16::MAX);
        let keys: Vec<u16> = self.expressions.keys.range(of_index).map(|((_, place), _)| *place).collect();
        if keys.is_empty() {
            return Value::Null;
        }
        let info = self.table_of(table.oid);
        let told = |place: &u16| {
            let stored = self.expressions.get(*self.expressions.keys.get(&(index.oid, *place))?)?;
            let scope = Scope::of_table(info.as_ref()?, Some(stored));
            Deparser::new(self, PLAIN, scope).decided(&stored.expr)
        };
        let told = keys.iter().map(told).collect::<Option<Vec<_>>>();
        Value::text(&told.map_or_else(|| NOT_TOLD.to_string(), |keys| keys.join(", ")))
    }
}
