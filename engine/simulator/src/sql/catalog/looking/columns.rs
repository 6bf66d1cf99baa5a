//! Defaults of columns, and the tables and columns of information_schema (`pg_attrdef`; `pg_get_expr`,
//! src/backend/utils/adt/ruleutils.c; src/backend/catalog/information_schema.sql).

use super::Rows;
use super::catalogs::{INT2, INT4, OID, PG_NODE_TREE, TEXT};
use super::expressions::NOT_TOLD;
use super::information_views;
use crate::cluster::Class;
use crate::cluster::ddl::quote_identifier;
use crate::cluster::pg_class::ColumnDefault;
use crate::cluster::temporary::PG_TEMP;
use crate::sql::ast::Expr;
use crate::sql::catalog::{Catalog, ColumnInfo, TableInfo};
use crate::sql::commands::plain_kind;
use crate::sql::error::NOT_SIMULATED;
use crate::sql::expr::{AssignedType, DATABASE};
use crate::sql::ruleutils::{Deparser, PLAIN, Scope};
use crate::sql::tcop::Database;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::bits::{BIT, VARBIT};
use ffviz_format::datum::enums::is_enum;
use ffviz_format::datum::is_composite;
use ffviz_format::datum::{SqlError, SqlType, Value, element_of};
use ffviz_format::page::Oid;
use ffviz_format::state::RelKind;

type Columns = Vec<(&'static str, Oid)>;

pub(super) fn pg_attrdef(_: u32) -> Columns {
    Vec::from([("adrelid", OID), ("adnum", INT2), ("adbin", PG_NODE_TREE)])
}

/// The rows of `pg_attrdef`.
pub(super) fn defaults(db: &Database) -> Rows {
    let mut rows = Rows::new();
    for class in db.cluster.catalog.classes() {
        let Some(table) = db.table_of(class.oid) else { continue };
        for (n, default) in class.defaults.iter().enumerate().filter(|(_, default)| default.has_row()) {
            let text = default_text(db, &table, n, *default).unwrap_or_else(|| NOT_TOLD.to_string());
            rows.push(Vec::from([Value::Oid(class.oid), Value::Int2(n as i16 + 1), Value::text(&text)]));
        }
    }
    rows
}

/// What stands behind DEFAULT, or behind GENERATED ALWAYS AS, of the column of that place.
fn default_text(db: &Database, table: &TableInfo, n: usize, default: ColumnDefault) -> Option<String> {
    let column = table.columns.get(n)?;
    let told = |scope: Scope, expr: &Expr, column: &ColumnInfo| {
        let range = scope.range().clone();
        // that a value is cut to its length is not told
        let to = AssignedType { ty: SqlType::plain(column.attribute.ty().oid), domain: column.domain };
        let typed = db.analyzer(&range).assigned(expr, &column.attribute.name, to).ok()?;
        Deparser::new(db, PLAIN, scope).told(expr, &typed)
    };
    match default {
        ColumnDefault::Generated(id) | ColumnDefault::Virtual(id) => {
            let stored = db.expressions.get(id)?;
            told(Scope::of_table(table, Some(stored)), &stored.expr, column)
        }
        ColumnDefault::Sequence(sequence) => {
            let sequence = db.cluster.catalog.class(sequence)?;
            let is_found = db.cluster.find(None, &sequence.name) == Some(sequence.oid);
            let schema = if is_found { String::new() } else { quote_identifier(&sequence.schema) + "." };
            Some(alloc::format!("nextval('{schema}{}'::regclass)", quote_identifier(&sequence.name)))
        }
        _ => told(Scope::default(), column.default.as_ref()?, column),
    }
}

pub(super) fn information_tables(_: u32) -> Columns {
    ["table_catalog", "table_schema", "table_name", "table_type", "is_insertable_into", "is_typed"]
        .map(|name| (name, TEXT))
        .to_vec()
}

/// The rows of `information_schema.tables`.
pub(super) fn tables(db: &Database) -> Rows {
    let row = |schema: &str, name: &str, kind: &str| {
        let kind = if schema.starts_with(PG_TEMP) { "LOCAL TEMPORARY" } else { kind };
        [DATABASE, schema, name, kind, "YES", "NO"].map(Value::text).to_vec()
    };
    let own = own_tables(db).map(|class| row(&class.schema, &class.name, "BASE TABLE"));
    own.chain(information_views::of_tables(db)).collect()
}

pub(super) fn own_tables(db: &Database) -> impl Iterator<Item = &Arc<Class>> {
    db.cluster.catalog.classes().filter(|class| plain_kind(class.relkind()) == RelKind::Table)
}

pub(super) fn information_columns(_: u32) -> Columns {
    let texts = |names: &[&'static str]| names.iter().map(|name| (*name, TEXT)).collect::<Columns>();
    let mut columns = texts(&["table_catalog", "table_schema", "table_name", "column_name"]);
    columns.push(("ordinal_position", INT4));
    columns.extend(texts(&["column_default", "is_nullable", "data_type"]));
    columns.extend(["character_maximum_length", "numeric_precision", "numeric_scale"].map(|name| (name, INT4)));
    columns.push(("datetime_precision", INT4));
    columns.extend(texts(&["is_identity", "identity_generation", "is_generated", "generation_expression"]));
    columns
}

/// The rows of `information_schema.columns`.
///
/// # Errors
/// A default that is not told, or a view, whose columns are not.
pub(super) fn columns(db: &Database) -> Result<Rows, SqlError> {
    let refuse = |what: &str| {
        SqlError::new(
            NOT_SIMULATED,
            alloc::format!("information_schema.columns {what} is not supported; pg_attribute has them"),
        )
    };
    if db.cluster.catalog.views().next().is_some() {
        return Err(refuse("where there are views"));
    }
    let mut rows = Rows::new();
    for class in own_tables(db) {
        let Some(table) = db.table_of(class.oid) else { continue };
        for (n, column) in table.columns.iter().enumerate().filter(|(_, column)| !column.attribute.dropped) {
            let default = class.defaults.get(n).copied().unwrap_or_default();
            let text = match default.has_row() {
                true => Some(default_text(db, &table, n, default).ok_or_else(|| refuse("with such a default"))?),
                false => None,
            };
            rows.push(column_row(class, column, default, text));
        }
    }
    Ok(rows)
}

fn column_row(class: &Class, column: &ColumnInfo, default: ColumnDefault, text: Option<String>) -> Vec<Value> {
    let attribute = &column.attribute;
    let ty = attribute.ty();
    let text_or_null = |text: Option<&str>| text.map_or(Value::Null, Value::text);
    let yes = |is: bool| Value::text(if is { "YES" } else { "NO" });
    let number = |number: Option<i32>| number.map_or(Value::Null, Value::Int4);
    let is_generated = matches!(default, ColumnDefault::Generated(_) | ColumnDefault::Virtual(_));
    let identity = match default {
        ColumnDefault::Identity { always: true, .. } => Some("ALWAYS"),
        ColumnDefault::Identity { .. } => Some("BY DEFAULT"),
        _ => None,
    };
    let (precision, scale) = numeric_precision(ty);
    let mut row = [DATABASE, &class.schema, &class.name, &attribute.name].map(Value::text).to_vec();
    row.extend([
        Value::Int4(attribute.num.into()),
        text_or_null(text.as_deref().filter(|_| !is_generated)),
        yes(!attribute.not_null),
        Value::text(&data_type(ty)),
        number(character_length(ty)),
        number(precision),
        number(scale),
        number(datetime_precision(ty)),
        yes(identity.is_some()),
        text_or_null(identity),
        Value::text(if is_generated { "ALWAYS" } else { "NEVER" }),
        text_or_null(text.as_deref().filter(|_| is_generated)),
    ]);
    row
}

/// `data_type`
fn data_type(ty: SqlType) -> String {
    const BPCHAR: Oid = 1042;
    match ty.oid {
        array if element_of(array).is_some() => "ARRAY".to_string(),
        of_user if is_enum(of_user) || is_composite(of_user) => "USER-DEFINED".to_string(),
        BPCHAR => "character".to_string(),
        BIT => "bit".to_string(),
        _ => SqlType::plain(ty.oid).name(),
    }
}

/// `_pg_char_max_length`
fn character_length(ty: SqlType) -> Option<i32> {
    const HEADER: i32 = 4;
    if matches!(ty.oid, BIT | VARBIT) {
        return Some(ty.typmod).filter(|length| *length > 0);
    }
    matches!(ty.oid, 1042 | 1043).then_some(ty.typmod - HEADER).filter(|length| *length > 0)
}

/// `_pg_numeric_precision`, `_pg_numeric_scale`
fn numeric_precision(ty: SqlType) -> (Option<i32>, Option<i32>) {
    const HEADER: i32 = 4;
    match ty.oid {
        21 => (Some(16), Some(0)),
        23 => (Some(32), Some(0)),
        20 => (Some(64), Some(0)),
        700 => (Some(24), None),
        701 => (Some(53), None),
        1700 if ty.typmod >= HEADER => {
            let packed = ty.typmod - HEADER;
            (Some(packed >> 16 & 0xFFFF), Some(packed & 0xFFFF))
        }
        _ => (None, None),
    }
}

/// `_pg_datetime_precision`
const fn datetime_precision(ty: SqlType) -> Option<i32> {
    match ty.oid {
        1082 => Some(0),
        1083 | 1114 | 1184 if ty.typmod < 0 => Some(6),
        1186 if ty.typmod < 0 || ty.typmod & 0xFFFF == 0xFFFF => Some(6),
        1083 | 1114 | 1184 => Some(ty.typmod),
        1186 => Some(ty.typmod & 0xFFFF),
        _ => None,
    }
}
