//! All rows of a table are looked at, where a foreign key is new or is to be validated (`RI_Initial_Check`,
//! src/backend/utils/adt/ri_triggers.c).

use super::{MIXED, key_description, types_of, values_of};
use crate::cluster::pg_class::Constraint;
use crate::sql::commands::rewrite::{no_wait, scan_rows};
use crate::sql::tcop::Database;
use crate::storage::RelationData;
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::datum::sql_type::Kind;
use ffviz_format::datum::{SqlError, Value};
use ffviz_format::page::Oid;

/// Does each row of the table have what it refers to? The other table is read first, then this one, as a hash join
/// does.
pub(in crate::sql) fn initial_check(db: &mut Database, table: Oid, constraint: &Constraint) -> Result<(), SqlError> {
    let Constraint::Foreign { name, columns, table: referred, columns_to, actions, .. } = constraint else {
        return Ok(());
    };
    let (relation, referred) = (db.cluster.pg.relation(table)?, db.cluster.pg.relation(*referred)?);
    let mut known = BTreeSet::new();
    let read = scan_rows(db, &referred, |_, row| {
        known.insert(comparable(&referred, &row, columns_to));
        Ok(())
    });
    read.map_err(no_wait)?;
    let mut missing = None;
    let read = scan_rows(db, &relation, |_, row| {
        let key = comparable(&relation, &row, columns);
        let is_mixed = actions.full && key.iter().any(Option::is_none) && key.iter().any(Option::is_some);
        if missing.is_none() && is_mixed {
            missing = Some(MIXED.into());
        } else if missing.is_none() && key.iter().all(Option::is_some) && !known.contains(&key) {
            let key = key_description(&relation, columns, &row);
            missing = Some(format!("Key {key} is not present in table \"{}\".", referred.name));
        }
        Ok(())
    });
    read.map_err(no_wait)?;
    match missing {
        None => Ok(()),
        Some(detail) => {
            let message =
                format!("insert or update on table \"{}\" violates foreign key constraint \"{name}\"", relation.name);
            Err(SqlError::new("23503", message).with_detail(detail))
        }
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
