//! `pg_attribute`: the columns of the script's relations, and the system columns of those that have rows
//! (`AddNewAttributeTuples`, src/backend/catalog/heap.c).

use super::Rows;
use super::catalogs::{BOOL, CHAR, INT2, INT4, OID, TEXT};
use crate::cluster::Class;
use crate::cluster::inherit::Inherited;
use crate::cluster::pg_class::ColumnDefault;
use crate::sql::tcop::Database;
use crate::storage::RelationData;
use crate::version::{Behaviour, SqlBehaviour};
use alloc::vec::Vec;
use ffviz_format::datum::{Attribute, Value, make_array};
use ffviz_format::page::{Oid, PgVersion};
use ffviz_format::state::RelKind;

/// Name, number, type, `attlen`, `attbyval` and `attalign` of the system columns, by number as an index scan finds
/// them.
const SYSTEM: [(&str, i16, Oid, i16, bool, u8); 6] = [
    ("tableoid", -6, OID, 4, true, b'i'),
    ("cmax", -5, 29, 4, true, b'i'),
    ("xmax", -4, 28, 4, true, b'i'),
    ("cmin", -3, 29, 4, true, b'i'),
    ("xmin", -2, 28, 4, true, b'i'),
    ("ctid", -1, 27, 6, false, b's'),
];

pub(super) fn pg_attribute(major: u32) -> Vec<(&'static str, Oid)> {
    let mut columns = Vec::from([
        ("attrelid", OID),
        ("attname", TEXT),
        ("atttypid", OID),
        ("attlen", INT2),
        ("attnum", INT2),
        ("atttypmod", INT4),
        ("attbyval", BOOL),
        ("attalign", CHAR),
        ("attstorage", CHAR),
        ("attnotnull", BOOL),
        ("atthasdef", BOOL),
        ("atthasmissing", BOOL),
        ("attidentity", CHAR),
        ("attgenerated", CHAR),
        ("attisdropped", BOOL),
        ("attislocal", BOOL),
        ("attmissingval", 2277),
    ]);
    // from 17 on NULL where it is not set
    columns.push(("attstattarget", if PgVersion::of_major(major).has_nullable_targets() { INT2 } else { INT4 }));
    // from 16 on it is as wide as it may get
    columns.push(("attinhcount", if PgVersion::of_major(major).has_narrow_inheritance_counts() { INT2 } else { INT4 }));
    columns.extend(PgVersion::of_major(major).has_column_compression().then_some(("attcompression", CHAR)));
    columns
}

pub(super) fn rows(db: &Database) -> Rows {
    let mut rows = Vec::new();
    for class in db.cluster.catalog.classes() {
        let Some(relation) = db.cluster.pg.relations.get(&class.oid) else { continue };
        if !matches!(class.kind, RelKind::Index | RelKind::PartitionedIndex) {
            rows.extend(SYSTEM.iter().map(|column| system_row(db, relation, column)));
        }
        let attributes = relation.desc.attributes().iter().enumerate();
        rows.extend(attributes.map(|(n, attribute)| row(db, class, relation, n, attribute)));
    }
    rows
}

fn has_compression(db: &Database) -> bool {
    db.cluster.version().has_column_compression()
}

fn system_row(
    db: &Database,
    relation: &RelationData,
    (name, number, ty, length, byval, align): &(&str, i16, Oid, i16, bool, u8),
) -> Vec<Value> {
    let mut row = Vec::from([
        Value::Oid(relation.oid),
        Value::text(name),
        Value::Oid(*ty),
        Value::Int2(*length),
        Value::Int2(*number),
        Value::Int4(-1),
        Value::Bool(*byval),
        Value::Char(*align),
        Value::Char(b'p'),
        Value::Bool(true),
        Value::Bool(false),
        Value::Bool(false),
        Value::Char(0),
        Value::Char(0),
        Value::Bool(false),
        Value::Bool(true),
        Value::Null,
    ]);
    row.push(match db.cluster.version().has_nullable_targets() {
        true => Value::Null,
        false => Value::Int4(0),
    });
    row.push(count(db, 0));
    row.extend(has_compression(db).then_some(Value::Char(0)));
    row
}

/// `attinhcount`
fn count(db: &Database, count: u16) -> Value {
    match db.cluster.version().has_narrow_inheritance_counts() {
        true => Value::Int2(count as i16),
        false => Value::Int4(count.into()),
    }
}

/// The domain of a column, or of the column that a key of an index is.
fn domain(db: &Database, class: &Class, attnum: u16) -> Option<Oid> {
    let index = db.cluster.pg.relations.get(&class.oid).and_then(|relation| relation.index.as_ref());
    match index {
        Some(form) => {
            let key = form.columns.get(usize::from(attnum) - 1)?;
            db.cluster.catalog.domain_of(form.table, key.attnum)
        }
        None => class.domains.get(&attnum).copied(),
    }
}

fn row(db: &Database, class: &Class, relation: &RelationData, n: usize, attribute: &Attribute) -> Vec<Value> {
    let align = match attribute.align.bytes() {
        1 => b'c',
        2 => b's',
        4 => b'i',
        _ => b'd',
    };
    let default = class.defaults.get(n).copied().unwrap_or_default();
    let (identity, generated) = match default {
        ColumnDefault::Identity { always: true, .. } => (b'a', 0),
        ColumnDefault::Identity { .. } => (b'd', 0),
        ColumnDefault::Generated(_) => (0, b's'),
        ColumnDefault::Virtual(_) => (0, b'v'),
        ColumnDefault::Null | ColumnDefault::Expr(_) | ColumnDefault::Sequence(_) => (0, 0),
    };
    let inherited = match class.partitioning.parent {
        Some(_) => Inherited::OF_PARTITION,
        None => class.inheritance.column(attribute.num),
    };
    let missing = if attribute.dropped { Value::Null } else { relation.desc.missing(n) };
    let domain = domain(db, class, attribute.num);
    let mut row = Vec::from([
        Value::Oid(relation.oid),
        Value::text(&attribute.name),
        Value::Oid(if attribute.dropped { 0 } else { domain.unwrap_or(attribute.typid) }),
        Value::Int2(attribute.len),
        Value::Int2(attribute.num as i16),
        Value::Int4(if domain.is_some() { -1 } else { attribute.typmod }),
        Value::Bool(attribute.byval),
        Value::Char(align),
        Value::Char(attribute.storage as u8),
        Value::Bool(attribute.not_null),
        Value::Bool(default.has_row()),
        Value::Bool(!missing.is_null()),
        Value::Char(identity),
        Value::Char(generated),
        Value::Bool(attribute.dropped),
        Value::Bool(inherited.local),
        if missing.is_null() { Value::Null } else { make_array(attribute.typid, core::slice::from_ref(&missing)) },
    ]);
    let target = class.statistics_targets.get(&attribute.num).copied();
    row.push(match (target, db.cluster.version().has_nullable_targets()) {
        (Some(target), true) => Value::Int2(target as i16),
        (None, true) => Value::Null,
        (target, false) => Value::Int4(target.map_or(-1, i32::from)),
    });
    row.push(count(db, inherited.count));
    let compression = if class.compressed.contains(&attribute.num) { b'p' } else { 0 };
    row.extend(has_compression(db).then_some(Value::Char(compression)));
    row
}
