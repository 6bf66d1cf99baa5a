//! Which columns a table's UPDATE statements set, by pg_stat_statements. Only the names of columns are taken from the
//! texts.

use crate::failure::Failure;
use crate::session::Session;
use ffviz_simulator::advice::UpdateStatement;
use sqlparser::ast::{AssignmentTarget, Ident, ObjectName, Statement, TableFactor};
use sqlparser::dialect::PostgreSqlDialect;
use sqlparser::parser::Parser;
use std::collections::BTreeMap;
use tokio_postgres::types::Type;

/// A table: schema and name.
pub(crate) type Name<'a> = (&'a str, &'a str);

/// Reads the statements; `extension`: the schema of pg_stat_statements, quoted.
///
/// # Errors
/// What the server says: the library may not be loaded.
pub(crate) async fn read(session: &Session, extension: &str, table: Name<'_>) -> Result<Vec<UpdateStatement>, Failure> {
    let sql = include_str!("sql/statements.sql").replace("SCHEMA", extension);
    let mut found: BTreeMap<Vec<String>, u64> = BTreeMap::new();
    for row in session.read(&sql, &[(&table.1, Type::TEXT)]).await? {
        let (query, rows): (String, i64) = (row.try_get("query")?, row.try_get("rows")?);
        if let Some(columns) = set_columns(&query, table) {
            *found.entry(columns).or_default() += rows.unsigned_abs();
        }
    }
    Ok(found.into_iter().map(|(columns, rows)| UpdateStatement { columns, rows }).collect())
}

/// The columns that an UPDATE of the table sets; `None`, where the text is none.
fn set_columns(query: &str, (schema, table): Name<'_>) -> Option<Vec<String>> {
    let parsed = Parser::parse_sql(&PostgreSqlDialect {}, query).ok()?;
    let [Statement::Update(update)] = &parsed[..] else { return None };
    let TableFactor::Table { name, .. } = &update.table.relation else { return None };
    let mut parts = parts(name)?.into_iter().rev();
    let is_it = parts.next()? == table && parts.next().is_none_or(|named| named == schema);
    let mut columns = Vec::new();
    for assignment in update.assignments.iter().filter(|_| is_it) {
        match &assignment.target {
            // of a field of a composite value the column comes first
            AssignmentTarget::ColumnName(name) => columns.push(self::parts(name)?.into_iter().next()?),
            AssignmentTarget::Tuple(names) => {
                for name in names {
                    columns.push(self::parts(name)?.into_iter().next()?);
                }
            }
        }
    }
    columns.sort_unstable();
    columns.dedup();
    (!columns.is_empty()).then_some(columns)
}

/// The parts of a name, as PostgreSQL folds them.
fn parts(name: &ObjectName) -> Option<Vec<String>> {
    let folded = |part: &Ident| match part.quote_style {
        Some(_) => part.value.clone(),
        None => part.value.to_lowercase(),
    };
    name.0.iter().map(|part| part.as_ident().map(folded)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_of_statements() {
        let of = |query: &str| set_columns(query, ("public", "orders"));
        let some = |names: &[&str]| Some(names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
        assert_eq!(of("UPDATE orders SET State = $1, changed = now() WHERE id = $2"), some(&["changed", "state"]));
        assert_eq!(of("update public.orders as o set \"Odd\" = $1 from other x where x.id = o.id"), some(&["Odd"]));
        assert_eq!(of("UPDATE orders SET (a, b) = ($1, $2), c = c + $3 RETURNING *"), some(&["a", "b", "c"]));
        assert_eq!(of("/* web */ UPDATE \"orders\" SET n = CASE WHEN n > $1 THEN $2 ELSE n END"), some(&["n"]));
        for other in [
            "UPDATE shop.orders SET a = $1",
            "UPDATE \"Orders\" SET a = $1",
            "UPDATE orders_old SET a = $1 WHERE id IN (SELECT id FROM orders)",
            "SELECT * FROM orders FOR UPDATE",
            "INSERT INTO orders VALUES ($1) ON CONFLICT (id) DO UPDATE SET a = $2",
            "<insufficient privilege>",
            "UPDATE orders SET",
            "",
        ] {
            assert_eq!(of(other), None, "{other}");
        }
    }
}
