//! Statistics of several columns as SQL shows them: `pg_statistic_ext` (src/include/catalog/pg_statistic_ext.h), and
//! `pg_stats_ext` (src/backend/catalog/system_views.sql) with what ANALYZE found, as `pg_ndistinct_out`
//! (src/backend/statistics/mvdistinct.c) and `pg_dependencies_out` (dependencies.c) print it.

use super::Rows;
use super::catalogs::{BOOL, CHAR, INT2, INT4, OID, TEXT};
use crate::cluster::{Class, ExtendedStats, StatisticsObject};
use crate::sql::error::NOT_SIMULATED;
use crate::sql::expr::TEXT_ARRAY;
use crate::sql::tcop::Database;
use crate::version::SqlBehaviour;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::datum::{SqlError, Value, make_array, make_matrix};
use ffviz_format::page::{Oid, PgVersion};

const FLOAT8: Oid = 701;
const BOOL_ARRAY: Oid = 1000;
const CHAR_ARRAY: Oid = 1002;
const FLOAT8_ARRAY: Oid = 1022;
/// the role that all belongs to
const OWNER: Oid = 10;

pub(super) fn pg_statistic_ext(major: u32) -> Vec<(&'static str, Oid)> {
    let version = PgVersion::of_major(major);
    let mut columns = Vec::from([("oid", OID), ("stxrelid", OID), ("stxname", TEXT), ("stxnamespace", OID)]);
    let keys = ("stxkeys", TEXT);
    columns.push(("stxowner", OID));
    columns.extend(match version.has_no_default_target() {
        true => [keys, ("stxstattarget", INT2)],
        false => [("stxstattarget", INT4), keys],
    });
    columns.push(("stxkind", CHAR_ARRAY));
    columns
}

/// All objects, in the order in which they were made, with their tables.
fn objects(db: &Database) -> Vec<(&Class, &StatisticsObject)> {
    let of = |class| -> (&Class, &Vec<StatisticsObject>) { (class, &class.statistics_objects) };
    let classes = db.cluster.catalog.classes().map(|class| of(class));
    let mut all: Vec<_> =
        classes.flat_map(|(class, objects)| objects.iter().map(move |object| (class, object))).collect();
    all.sort_by_key(|(_, object)| object.oid);
    all
}

pub(super) fn of_objects(db: &Database) -> Rows {
    let version = db.cluster.version();
    let row = |(class, object): (&Class, &StatisticsObject)| {
        let namespace = db.cluster.catalog.namespace(&object.schema);
        let keys = Value::text(&object.columns.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "));
        let target = object.target.map(u16::cast_signed);
        let mut row = Vec::from([Value::Oid(object.oid), Value::Oid(class.oid), Value::text(&object.name)]);
        row.extend([Value::Oid(namespace), Value::Oid(OWNER)]);
        row.extend(match version.has_no_default_target() {
            true => [keys, target.map_or(Value::Null, Value::Int2)],
            false => [Value::Int4(target.unwrap_or(-1).into()), keys],
        });
        row.push(kinds(object));
        row
    };
    objects(db).into_iter().map(row).collect()
}

fn kinds(object: &StatisticsObject) -> Value {
    make_array(CHAR, &object.kinds.iter().map(|kind| Value::Char(*kind)).collect::<Vec<_>>())
}

pub(super) fn pg_stats_ext(major: u32) -> Vec<(&'static str, Oid)> {
    let version = PgVersion::of_major(major);
    let names = ["schemaname", "tablename", "statistics_schemaname", "statistics_name", "statistics_owner"];
    let mut columns: Vec<_> = names.into_iter().map(|name| (name, TEXT)).collect();
    columns.push(("attnames", TEXT_ARRAY));
    columns.extend(version.has_statistics_of_expressions().then_some(("exprs", TEXT_ARRAY)));
    columns.push(("kinds", CHAR_ARRAY));
    columns.extend(version.tells_inherited_statistics().then_some(("inherited", BOOL)));
    columns.extend([("n_distinct", TEXT), ("dependencies", TEXT), ("most_common_vals", TEXT_ARRAY)]);
    columns.extend([("most_common_val_nulls", BOOL_ARRAY), ("most_common_freqs", FLOAT8_ARRAY)]);
    columns.push(("most_common_base_freqs", FLOAT8_ARRAY));
    columns
}

pub(super) fn of_data(db: &Database) -> Result<Rows, SqlError> {
    let version = db.cluster.version();
    if objects(db).iter().any(|(_, object)| object.expr.is_some()) {
        let message = "pg_stats_ext with statistics of an expression is not supported";
        return Err(SqlError::new(NOT_SIMULATED, message));
    }
    let row = |(class, object): (&Class, &StatisticsObject)| {
        let relation = db.cluster.pg.relations.get(&class.oid);
        let column = |attnum: &u16| relation?.desc.attributes().get(usize::from(*attnum).saturating_sub(1));
        let names: Vec<Value> = object.columns.iter().filter_map(|it| Some(Value::text(&column(it)?.name))).collect();
        let schemas = [&class.schema, &class.name, &object.schema, &object.name].map(|name| Value::text(name));
        let mut row: Vec<Value> =
            schemas.into_iter().chain([Value::text("postgres"), make_array(TEXT, &names)]).collect();
        row.extend(version.has_statistics_of_expressions().then_some(Value::Null));
        row.push(kinds(object));
        row.extend(version.tells_inherited_statistics().then_some(Value::Bool(false)));
        let types: Vec<Oid> = object.columns.iter().filter_map(|it| Some(column(it)?.typid)).collect();
        row.extend(match &object.data {
            Some(data) => found(data, &types),
            None => [const { Value::Null }; 6],
        });
        row
    };
    // from 15 on there is a row of data once ANALYZE has found some
    let is_there =
        |(_, object): &(&Class, &StatisticsObject)| object.data.is_some() || !version.tells_inherited_statistics();
    Ok(objects(db).into_iter().filter(is_there).map(row).collect())
}

/// From `n_distinct` on.
fn found(data: &ExtendedStats, types: &[Oid]) -> [Value; 6] {
    let braced = |items: Vec<String>| match items.is_empty() {
        true => Value::Null,
        false => Value::text(&format!("{{{}}}", items.join(", "))),
    };
    let list = |columns: &[u16]| columns.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let distinct = data.ndistinct.iter().map(|(columns, count)| format!("\"{}\": {count:.0}", list(columns)));
    let dependency = |(columns, degree): &(Vec<u16>, f64)| {
        let (implied, implying) = columns.split_last()?;
        Some(format!("\"{} => {implied}\": {degree:.6}", list(implying)))
    };
    let rows = &data.most_common;
    if rows.is_empty() {
        let [vals, nulls, freqs, base_freqs] = [const { Value::Null }; 4];
        let dependencies = braced(data.dependencies.iter().filter_map(dependency).collect());
        return [braced(distinct.collect()), dependencies, vals, nulls, freqs, base_freqs];
    }
    let values = || rows.iter().flat_map(|row| row.values.iter().zip(types));
    let text = |(value, typid): (&Value, &Oid)| match value.is_null() {
        true => Value::Null,
        false => Value::text(&value.output(*typid).unwrap_or_default()),
    };
    let texts: Vec<Value> = values().map(text).collect();
    let nulls: Vec<Value> = values().map(|(value, _)| Value::Bool(value.is_null())).collect();
    let shares: Vec<Value> = rows.iter().map(|row| Value::Float8(row.frequency)).collect();
    let base: Vec<Value> = rows.iter().map(|row| Value::Float8(row.base_frequency)).collect();
    [
        braced(distinct.collect()),
        braced(data.dependencies.iter().filter_map(dependency).collect()),
        make_matrix(TEXT, types.len(), &texts),
        make_matrix(BOOL, types.len(), &nulls),
        make_array(FLOAT8, &shares),
        make_array(FLOAT8, &base),
    ]
}
