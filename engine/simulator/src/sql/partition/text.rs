//! Bounds and keys as they are written (`get_range_partbound_string`, `pg_get_partkeydef_worker`,
//! src/backend/utils/adt/ruleutils.c).

use super::PartitionDesc;
use crate::cluster::ddl::quote_identifier;
use crate::cluster::partition::{PartitionBound, RangeDatum};
use crate::sql::expr::type_name;
use crate::storage::RelationData;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::datum::{SqlType, Value, array_of, make_array};

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

/// `get_qual_for_list`, `get_qual_for_range` of a key of one column, as SQL: what the bound says of a row.
#[must_use]
pub fn bound_condition(desc: &PartitionDesc, bound: &PartitionBound, relation: &RelationData) -> Option<String> {
    let [(column, ty)] = desc.keys[..] else { return None };
    let column = quote_identifier(&relation.desc.attributes().get(usize::from(column))?.name);
    let typed = |value: &Value| format!("{}::{}", constant(value, ty), type_name(ty.oid));
    let is_not_null = format!("{column} IS NOT NULL");
    let all = match bound {
        PartitionBound::Default | PartitionBound::Hash(..) => return None,
        PartitionBound::List(values) => {
            let nulls = values.iter().any(Value::is_null);
            let values: Vec<Value> = values.iter().filter(|value| !value.is_null()).cloned().collect();
            let among = match &values[..] {
                [] => return Some(format!("{column} IS NULL")),
                [one] => format!("{column} = {}", typed(one)),
                // the array is worked out when the condition is made (`eval_const_expressions`)
                all => match array_of(ty.oid).map(SqlType::plain) {
                    Some(array) => {
                        let text = make_array(ty.oid, all).output(array.oid)?;
                        format!("{column} = ANY ({}::{})", quote_literal(&text), array.name())
                    }
                    None => {
                        let texts: Vec<String> = all.iter().map(typed).collect();
                        format!("{column} = ANY (ARRAY[{}])", texts.join(", "))
                    }
                },
            };
            if nulls { format!("({column} IS NULL OR {among})") } else { format!("{is_not_null} AND {among}") }
        }
        PartitionBound::Range(from, to) => {
            let end = |datum: &RangeDatum, operator: &str| match datum {
                RangeDatum::Value(value) => Some(format!("{column} {operator} {}", typed(value))),
                RangeDatum::Min | RangeDatum::Max => None,
            };
            let ends = [end(from.first()?, ">="), end(to.first()?, "<")];
            let parts: Vec<String> = core::iter::once(is_not_null).chain(ends.into_iter().flatten()).collect();
            parts.join(" AND ")
        }
    };
    Some(all)
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
    if is_number { text } else { quote_literal(&text) }
}

fn quote_literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
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
