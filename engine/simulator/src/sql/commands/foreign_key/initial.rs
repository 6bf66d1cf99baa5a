//! All rows of a table are looked at, where a foreign key is new or is to be validated (`RI_Initial_Check`,
//! src/backend/utils/adt/ri_triggers.c).

use super::{MIXED, key_description, types_of, values_of};
use crate::cluster::ddl::quote_identifier;
use crate::cluster::pg_class::Constraint;
use crate::sql::commands::rewrite::{no_wait, scan_rows};
use crate::sql::commands::spi::first_rows;
use crate::sql::error::NOT_SIMULATED;
use crate::sql::tcop::Database;
use crate::storage::{Outcome, RelationData, Stop};
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::sql_type::Kind;
use ffviz_format::datum::{SqlError, Value};
use ffviz_format::page::Oid;

/// Does each row of the table have what it refers to? A query of both finds the first that has not, by the plan that
/// it has; where that is not known all rows are read, as a hash join does.
pub(in crate::sql) fn initial_check(db: &mut Database, table: Oid, constraint: &Constraint) -> Result<(), SqlError> {
    let Constraint::Foreign { name, columns, table: referred, columns_to, actions, .. } = constraint else {
        return Ok(());
    };
    let (relation, referred) = (db.cluster.pg.relation(table)?, db.cluster.pg.relation(*referred)?);
    let key = Key { relation: &relation, columns, referred: &referred, columns_to, full: actions.full };
    let missing = match key.by_query(db) {
        Err(Stop::Error(error)) if error.sqlstate == NOT_SIMULATED => key.by_scans(db),
        found => found,
    };
    match missing.map_err(no_wait)? {
        None => Ok(()),
        Some(detail) => {
            let message =
                format!("insert or update on table \"{}\" violates foreign key constraint \"{name}\"", relation.name);
            Err(SqlError::new("23503", message).with_detail(detail))
        }
    }
}

/// What is to be checked.
struct Key<'a> {
    relation: &'a Arc<RelationData>,
    columns: &'a [u16],
    referred: &'a Arc<RelationData>,
    columns_to: &'a [u16],
    /// MATCH FULL
    full: bool,
}

impl Key<'_> {
    /// The first row that refers to nothing, as the error has it.
    fn by_query(&self, db: &mut Database) -> Outcome<Option<String>> {
        let name = |relation: &RelationData, column: u16| {
            quote_identifier(&relation.desc.attributes()[usize::from(column - 1)].name)
        };
        let table = |db: &Database, relation: &RelationData| {
            let is_partitioned = db.cluster.catalog.partition_key(relation.oid).is_some();
            let schema = quote_identifier(db.cluster.schema_of(relation.oid));
            format!("{}{schema}.{}", if is_partitioned { "" } else { "ONLY " }, quote_identifier(&relation.name))
        };
        let own: Vec<String> = self.columns.iter().map(|it| format!("fk.{}", name(self.relation, *it))).collect();
        let theirs = self.columns_to.iter().map(|it| format!("pk.{}", name(self.referred, *it)));
        let theirs: Vec<String> = theirs.collect();
        let on: Vec<String> = theirs.iter().zip(&own).map(|(pk, fk)| format!("{pk} = {fk}")).collect();
        let is_there: Vec<String> = own.iter().map(|fk| format!("{fk} IS NOT NULL")).collect();
        let text = format!(
            "SELECT {} FROM {} fk LEFT JOIN {} pk ON ({}) WHERE {} IS NULL AND ({})",
            own.join(", "),
            table(db, self.relation),
            table(db, self.referred),
            on.join(" AND "),
            theirs.first().map_or("", |first| first),
            is_there.join(if self.full { " OR " } else { " AND " }),
        );
        let Some(values) = first_rows(db, &text, 1)?.into_iter().next() else { return Ok(None) };
        if values.iter().any(Value::is_null) {
            return Ok(Some(MIXED.into()));
        }
        let mut row = alloc::vec![Value::Null; self.relation.desc.attributes().len()];
        self.columns.iter().zip(values).for_each(|(column, value)| row[usize::from(column - 1)] = value);
        Ok(Some(self.not_present(&row)))
    }

    fn not_present(&self, row: &[Value]) -> String {
        let key = key_description(self.relation, self.columns, row);
        format!("Key {key} is not present in table \"{}\".", self.referred.name)
    }

    /// The same, where all rows are read: of the other table first.
    fn by_scans(&self, db: &mut Database) -> Outcome<Option<String>> {
        let mut known = BTreeSet::new();
        scan_rows(db, self.referred, |_, row| {
            known.insert(comparable(self.referred, &row, self.columns_to));
            Ok(())
        })?;
        let mut missing = None;
        scan_rows(db, self.relation, |_, row| {
            let key = comparable(self.relation, &row, self.columns);
            let is_mixed = self.full && key.iter().any(Option::is_none) && key.iter().any(Option::is_some);
            if missing.is_none() && is_mixed {
                missing = Some(MIXED.into());
            } else if missing.is_none() && key.iter().all(Option::is_some) && !known.contains(&key) {
                missing = Some(self.not_present(&row));
            }
            Ok(())
        })?;
        Ok(missing)
    }
}

/// A key as text that is equal where the keys are; `None` for NULL.
fn comparable(table: &RelationData, row: &[Value], columns: &[u16]) -> Vec<Option<String>> {
    let text = |(value, typid): (Value, Oid)| {
        let text = value.output(typid)?;
        const BPCHAR: Oid = 1042;
        let is_padded = typid == BPCHAR;
        let has_point = Kind::of(typid) == Kind::Numeric && text.contains('.');
        Some(match (is_padded, has_point) {
            (true, _) => String::from(text.trim_end_matches(' ')),
            (_, true) => String::from(text.trim_end_matches('0').trim_end_matches('.')),
            _ => text,
        })
    };
    values_of(table, row, columns).into_iter().zip(types_of(table, columns)).map(text).collect()
}
