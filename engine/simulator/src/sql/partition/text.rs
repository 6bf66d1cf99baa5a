//! Bounds and keys as they are written (`get_range_partbound_string`, `pg_get_partkeydef_worker`,
//! src/backend/utils/adt/ruleutils.c).

use super::PartitionDesc;
use crate::cluster::ddl::quote_identifier;
use crate::cluster::partition::RangeDatum;
use crate::storage::RelationData;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::datum::{SqlType, Value};

/// The values of FROM or TO.
#[must_use]
pub fn range_text(desc: &PartitionDesc, bound: &[RangeDatum]) -> String {
    let text = |(datum, (_, ty)): (&RangeDatum, &(u16, SqlType))| match datum {
        RangeDatum::Min => "MINVALUE".to_string(),
        RangeDatum::Max => "MAXVALUE".to_string(),
        RangeDatum::Value(value) => constant(value, *ty),
    };
    let texts: Vec<String> = bound.iter().zip(&desc.keys).map(text).collect();
    format!("({})", texts.join(", "))
}

/// The values of IN.
#[must_use]
pub fn list_text(desc: &PartitionDesc, values: &[Value]) -> String {
    let ty = desc.keys.first().map_or(SqlType::TEXT, |(_, ty)| *ty);
    let texts: Vec<String> = values.iter().map(|value| constant(value, ty)).collect();
    texts.join(", ")
}

/// `get_const_expr` without the type.
fn constant(value: &Value, ty: SqlType) -> String {
    const INT4: u32 = 23;
    const NUMERIC: u32 = 1700;
    if let Value::Bool(value) = value {
        return value.to_string();
    }
    if value.is_null() {
        return "NULL".to_string();
    }
    let text = value.output(ty.oid).unwrap_or_default();
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let is_number = is_plain && (ty.oid == INT4 || ty.oid == NUMERIC && text.contains('.'));
    if is_number { text } else { format!("'{}'", text.replace('\'', "''")) }
}

/// `RANGE (day)`
#[must_use]
pub fn key_text(desc: &PartitionDesc, relation: &RelationData) -> String {
    let name = |(column, _): &(u16, SqlType)| {
        relation.desc.attributes().get(usize::from(*column)).map(|column| quote_identifier(&column.name))
    };
    let names: Vec<String> = desc.keys.iter().filter_map(name).collect();
    format!("{} ({})", desc.strategy.word().to_uppercase(), names.join(", "))
}
