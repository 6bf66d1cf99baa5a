//! ON CONFLICT: which unique indexes decide, and what is done instead (`transformOnConflictArbiter`,
//! src/backend/parser/parse_clause.c; `infer_arbiter_indexes`, src/backend/optimizer/util/plancat.c).

use super::ConflictPlan;
use super::clause::implies;
use super::fold::fold;
use super::statement::{Planner, column_of, domains_of, generated_of, no_column_plain, range_of};
use crate::sql::StatementError;
use crate::sql::ast::{Expr, ExprNode, OnConflict};
use crate::sql::catalog::{IndexKey, TableInfo};
use crate::sql::expr::{Node, RangeTable, SystemColumns, Typed};
use alloc::format;
use alloc::vec::Vec;
use ffviz_format::datum::{SqlType, Value};
use ffviz_format::page::Oid;

impl Planner<'_> {
    /// The plan of ON CONFLICT.
    pub(super) fn on_conflict(
        &mut self,
        table: &TableInfo,
        alias: Option<&str>,
        conflict: &OnConflict,
    ) -> Result<ConflictPlan, StatementError> {
        let indexes = match &conflict.constraint {
            Some(name) => alloc::vec![self.constraint_index(table, name)?],
            None => {
                let (range, filter) = (range_of(table, alias), conflict.filter.as_deref());
                let given = match filter {
                    Some(_) => self.filter(&range, filter, None)?.unwrap_or_default(),
                    None => Vec::new(),
                };
                let mut keys = Vec::new();
                for key in &conflict.columns {
                    keys.push(self.conflict_key(&range, table, key)?);
                }
                arbiters(table, &keys, &given)?
            }
        };
        let Some(update) = &conflict.update else { return Ok(ConflictPlan { indexes, update: None }) };
        if table.indexes.iter().any(|index| index.excludes && indexes.contains(&index.oid)) {
            let message = "ON CONFLICT DO UPDATE not supported with exclusion constraints";
            return Err(StatementError::server("42809", message));
        }
        let mut range = range_of(table, alias);
        range.entries[0].system = SystemColumns::Refused;
        let columns = range.entries[0].columns.clone();
        range.add("excluded", columns);
        range.entries[1].generated = generated_of(table);
        range.entries[1].domains = domains_of(table);
        let set = self.assignments(&range, table, &update.set)?;
        // NULL or false is no match either
        let filter = self.filter(&range, update.filter.as_ref(), None)?;
        let never = || alloc::vec![Typed::constant(Value::Bool(false), SqlType::plain(16))];
        Ok(ConflictPlan { indexes, update: Some((set, filter.unwrap_or_else(never))) })
    }

    /// `resolve_unique_index_expr`: a key as an index would have it.
    fn conflict_key(&mut self, range: &RangeTable, table: &TableInfo, key: &Expr) -> Result<Node, StatementError> {
        if let ExprNode::Column { table: None, name } = &key.node {
            let number = column_of(table, name).ok_or_else(|| no_column_plain(name))?;
            return Ok(Node::Slot(number as u16));
        }
        let typed = self.analyze(range, "index expression", |analyzer| analyzer.decided(key))?;
        Ok(fold(typed.clone(), self.catalog.input()).unwrap_or(typed).node)
    }

    /// `get_relation_constraint_oid`, and the index that the constraint has.
    fn constraint_index(&self, table: &TableInfo, name: &str) -> Result<Oid, StatementError> {
        match self.catalog.constraint_index(table.oid, name) {
            Some(Some(index)) => Ok(index),
            Some(None) => {
                let message = "constraint in ON CONFLICT clause has no associated index";
                Err(StatementError::server("42809", message))
            }
            None => {
                let message = format!("constraint \"{name}\" for table \"{}\" does not exist", table.name);
                Err(StatementError::server("42704", message))
            }
        }
    }
}

/// `infer_arbiter_indexes`: the unique indexes over exactly these keys, whose WHERE follows from what is given.
fn arbiters(table: &TableInfo, slots: &[Node], given: &[Typed]) -> Result<Vec<Oid>, StatementError> {
    let all = table.indexes.iter().chain(&table.unusable);
    let unique = all.filter(|index| {
        (index.unique || index.excludes && slots.is_empty()) && (slots.is_empty() || implies(given, &index.predicate))
    });
    let fits = |keys: &[IndexKey]| {
        slots.is_empty()
            || keys.iter().all(|key| slots.contains(&key.expr.node))
                && slots.iter().all(|slot| keys.iter().any(|key| key.expr.node == *slot))
    };
    let mut found: Vec<Oid> = unique.filter(|index| fits(&index.keys)).map(|index| index.oid).collect();
    found.sort_unstable();
    if found.is_empty() && !slots.is_empty() {
        let message = "there is no unique or exclusion constraint matching the ON CONFLICT specification";
        return Err(StatementError::server("42P10", message));
    }
    Ok(found)
}
