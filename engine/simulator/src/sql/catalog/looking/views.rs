//! Further relations of pg_catalog: views over sequences and what ANALYZE found out, access methods, types
//! (src/backend/catalog/system_views.sql; src/include/catalog/pg_am.dat, pg_type.dat).

use super::Rows;
use super::catalogs::{BOOL, CHAR, FLOAT4, INT2, INT4, OID, PG_CATALOG, TEXT};
use crate::cluster::Class;
use crate::cluster::pg_class::SequenceForm;
use crate::sql::error::NOT_SIMULATED;
use crate::sql::tcop::Database;
use crate::storage::Buffer;
use crate::version::SqlBehaviour;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::{Attribute, SqlError, SqlType, Value, element_of, make_array};
use ffviz_format::page::Oid;
use ffviz_format::state::RelKind;

const INT8: Oid = 20;
const FLOAT4_ARRAY: Oid = 1021;
const ANYARRAY: Oid = 2277;

/// `pg_am`: oid, name and kind.
const ACCESS_METHODS: &[(Oid, &str, u8)] = &[
    (2, "heap", b't'),
    (403, "btree", b'i'),
    (405, "hash", b'i'),
    (783, "gist", b'i'),
    (2742, "gin", b'i'),
    (4000, "spgist", b'i'),
    (3580, "brin", b'i'),
];

/// `typname` of the types that columns can have here, with their OIDs.
const TYPES: &str = "16bool 17bytea 18char 20int8 21int2 23int4 25text 26oid 27tid 28xid 29cid 114json 700float4 701float8 790money \
     869inet 1007_int4 1009_text 1042bpchar 1043varchar 1082date 1083time 1114timestamp 1184timestamptz 1186interval 1560bit 1562varbit 1700numeric \
     2950uuid 3802jsonb 3904int4range 3906numrange 3908tsrange 3910tstzrange 3912daterange 3926int8range";

pub(super) fn pg_am(_: u32) -> Vec<(&'static str, Oid)> {
    Vec::from([("oid", OID), ("amname", TEXT), ("amtype", CHAR)])
}

pub(super) fn access_methods() -> Rows {
    let row = |(oid, name, kind): &(Oid, &str, u8)| [Value::Oid(*oid), Value::text(name), Value::Char(*kind)].to_vec();
    ACCESS_METHODS.iter().map(row).collect()
}

/// Other types of the system's own, which columns cannot have here.
const OTHER_TYPES: &str = "box circle line lseg path point polygon cidr macaddr macaddr8 tsquery tsvector xml timetz name \
     jsonpath record void trigger event_trigger unknown refcursor regproc regprocedure regoper regoperator regclass regtype \
     regrole regnamespace regconfig regdictionary regcollation oidvector int2vector xid8 txid_snapshot aclitem cstring \
     internal language_handler fdw_handler index_am_handler table_am_handler tsm_handler gtsvector int4multirange \
     int8multirange nummultirange datemultirange tsmultirange tstzmultirange cardinal_number character_data \
     sql_identifier time_stamp yes_or_no";

/// Is it the name of a type of the system's own of which `pg_type` has no row here?
pub fn is_other_type(name: &str) -> bool {
    let is_made_by_system = name.starts_with("any") || name.starts_with("pg_") || name.starts_with('_');
    is_made_by_system || OTHER_TYPES.split(' ').any(|other| other == name)
}

pub(super) fn pg_type(_: u32) -> Vec<(&'static str, Oid)> {
    Vec::from([
        ("oid", OID),
        ("typname", TEXT),
        ("typnamespace", OID),
        ("typlen", INT2),
        ("typbyval", BOOL),
        ("typtype", CHAR),
        ("typalign", CHAR),
        ("typstorage", CHAR),
    ])
}

/// Those that columns can have, then the script's own: enums, domains, and the rows of its relations.
pub(super) fn types(db: &Database) -> Rows {
    let of_system = |entry: &str| {
        let at = entry.find(|c: char| !c.is_ascii_digit())?;
        let oid: Oid = entry[..at].parse().ok()?;
        Some(type_row((oid, &entry[at..], PG_CATALOG), &SqlType::plain(oid).attribute(1, ""), b'b'))
    };
    let mut rows: Rows = TYPES.split(' ').filter_map(of_system).collect();
    let catalog = &db.cluster.catalog;
    for ty in catalog.enums().iter() {
        let name = (ty.oid, ty.name.as_str(), catalog.namespace(&ty.schema));
        rows.push(type_row(name, &SqlType::plain(INT4).attribute(1, ""), b'e'));
    }
    for domain in catalog.domains().iter() {
        let name = (domain.oid, domain.name.as_str(), catalog.namespace(&domain.schema));
        rows.push(type_row(name, &domain.base.attribute(1, ""), b'd'));
    }
    for ty in catalog.composites().iter() {
        rows.push(row_type((ty.oid, &ty.name, catalog.namespace(&ty.schema))));
    }
    let has_row_type = |class: &&Arc<Class>| {
        matches!(class.kind, RelKind::Table | RelKind::PartitionedTable | RelKind::MaterializedView)
    };
    for class in catalog.classes().filter(has_row_type) {
        rows.push(row_type((class.oid + ROW_TYPE, &class.name, catalog.namespace(&class.schema))));
    }
    for ((schema, name), view) in catalog.views() {
        rows.push(row_type((view.oid + ROW_TYPE, name, catalog.namespace(schema))));
    }
    rows
}

/// `heap_create_with_catalog`: the OID behind a relation's is that of the array of its rows, then comes that of a row.
const ROW_TYPE: Oid = 2;

/// The type of a relation's rows.
fn row_type(name: (Oid, &str, Oid)) -> Vec<Value> {
    let attribute = SqlType::plain(TEXT).attribute(1, "");
    let mut row = type_row(name, &attribute, b'c');
    row[6] = Value::Char(b'd');
    row
}

fn type_row((oid, name, namespace): (Oid, &str, Oid), attribute: &Attribute, kind: u8) -> Vec<Value> {
    let align = match attribute.align.bytes() {
        1 => b'c',
        2 => b's',
        4 => b'i',
        _ => b'd',
    };
    Vec::from([
        Value::Oid(oid),
        Value::text(name),
        Value::Oid(namespace),
        Value::Int2(attribute.len),
        Value::Bool(attribute.byval),
        Value::Char(kind),
        Value::Char(align),
        Value::Char(attribute.storage as u8),
    ])
}

/// `pg_matviews`
pub(super) fn matviews(db: &Database) -> Rows {
    let row = |class: &Arc<Class>| {
        let matview = class.matview.as_ref()?;
        let text = [&*class.schema, &*class.name, db.owner_name(class.oid)].map(Value::text);
        let flags = [class.stats.has_index, matview.populated].map(Value::Bool);
        let definition = [Value::Null, Value::Oid(class.oid)];
        Some(text.into_iter().chain([Value::Null]).chain(flags).chain(definition).collect())
    };
    db.cluster.catalog.classes().filter_map(row).collect()
}

pub(super) fn pg_sequences(_: u32) -> Vec<(&'static str, Oid)> {
    Vec::from([
        ("schemaname", TEXT),
        ("sequencename", TEXT),
        ("sequenceowner", TEXT),
        ("data_type", TEXT),
        ("start_value", INT8),
        ("min_value", INT8),
        ("max_value", INT8),
        ("increment_by", INT8),
        ("cycle", BOOL),
        ("cache_size", INT8),
        ("last_value", INT8),
    ])
}

pub(super) fn sequences(db: &Database) -> Rows {
    let mut rows = Rows::new();
    for class in db.cluster.catalog.classes() {
        let (Some(form), Some(relation)) = (class.sequence, db.cluster.pg.relations.get(&class.oid)) else { continue };
        let page = db.cluster.pg.buffers.page(Buffer::main(relation.file, 0));
        let row = crate::cluster::sequence::read_row(page);
        let last = if row.is_called { Value::Int8(row.last_value) } else { Value::Null };
        rows.push(Vec::from([
            Value::text(&class.schema),
            Value::text(&class.name),
            Value::text(db.owner_name(class.oid)),
            Value::text(&SqlType::plain(form.typid).name()),
            Value::Int8(form.start),
            Value::Int8(form.min),
            Value::Int8(form.max),
            Value::Int8(form.increment),
            Value::Bool(form.cycle),
            Value::Int8(form.cache),
            last,
        ]));
    }
    rows
}

pub(super) fn pg_sequence(_: u32) -> Vec<(&'static str, Oid)> {
    Vec::from([
        ("seqrelid", OID),
        ("seqtypid", OID),
        ("seqstart", INT8),
        ("seqincrement", INT8),
        ("seqmax", INT8),
        ("seqmin", INT8),
        ("seqcache", INT8),
        ("seqcycle", BOOL),
    ])
}

/// What sequences are to give, by relation.
pub(super) fn sequence_forms(db: &Database) -> Rows {
    let forms = db.cluster.catalog.classes().filter_map(|class| Some((class.oid, class.sequence?)));
    let row = |(oid, form): (Oid, SequenceForm)| {
        let numbers = [form.start, form.increment, form.max, form.min, form.cache].map(Value::Int8);
        let head = [Value::Oid(oid), Value::Oid(form.typid)];
        head.into_iter().chain(numbers).chain([Value::Bool(form.cycle)]).collect()
    };
    forms.map(row).collect()
}

pub(super) fn pg_stats(major: u32) -> Vec<(&'static str, Oid)> {
    let mut columns = Vec::from([
        ("schemaname", TEXT),
        ("tablename", TEXT),
        ("attname", TEXT),
        ("inherited", BOOL),
        ("null_frac", FLOAT4),
        ("avg_width", INT4),
        ("n_distinct", FLOAT4),
        ("most_common_vals", ANYARRAY),
        ("most_common_freqs", FLOAT4_ARRAY),
        ("histogram_bounds", ANYARRAY),
        ("correlation", FLOAT4),
        ("most_common_elems", ANYARRAY),
        ("most_common_elem_freqs", FLOAT4_ARRAY),
        ("elem_count_histogram", FLOAT4_ARRAY),
    ]);
    if ffviz_format::page::PgVersion::of_major(major).shows_range_statistics() {
        columns.extend([
            ("range_length_histogram", ANYARRAY),
            ("range_empty_frac", FLOAT4),
            ("range_bounds_histogram", ANYARRAY),
        ]);
    }
    columns
}

/// What ANALYZE found out of columns. Of the elements of arrays nothing is known here.
pub(super) fn column_stats(db: &Database) -> Result<Rows, SqlError> {
    let width = pg_stats(db.cluster.version().major()).len();
    let mut rows = Rows::new();
    for class in db.cluster.catalog.classes() {
        let Some(relation) = db.cluster.pg.relations.get(&class.oid) else { continue };
        let inherited = class.inheritance.stats.iter().map(|(attnum, stats)| (attnum, stats, true));
        let own = class.column_stats.iter().map(|(attnum, stats)| (attnum, stats, false));
        for (attnum, stats, is_inherited) in own.chain(inherited) {
            let Some(column) = relation.desc.attributes().get(usize::from(*attnum).saturating_sub(1)) else { continue };
            if element_of(column.typid).is_some() {
                let message = "what ANALYZE finds out of the elements of arrays is not supported";
                return Err(SqlError::new(NOT_SIMULATED, message));
            }
            let array = |of: Oid, values: Vec<Value>| {
                if values.is_empty() { Value::Null } else { make_array(of, &values) }
            };
            let common = stats.most_common.iter();
            let freqs = common.clone().map(|(_, share)| Value::Float4(*share as f32)).collect();
            // of a value alone there is no order
            let is_ordered = !stats.most_common.is_empty() || !stats.histogram.is_empty();
            let correlation = Value::Float4(stats.correlation as f32);
            let mut row = Vec::from([
                Value::text(&class.schema),
                Value::text(&class.name),
                Value::text(&column.name),
                Value::Bool(is_inherited),
                Value::Float4(stats.null_frac as f32),
                Value::Int4(stats.width as i32),
                Value::Float4(stats.distinct as f32),
                array(column.typid, common.map(|(value, _)| value.clone()).collect()),
                array(FLOAT4, freqs),
                array(column.typid, stats.histogram.clone()),
                if is_ordered { correlation } else { Value::Null },
            ]);
            row.resize(width, Value::Null);
            rows.push(row);
        }
    }
    Ok(rows)
}
