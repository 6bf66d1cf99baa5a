//! Relations of pg_catalog, as far as the simulator knows what is in them: the rows of the script's own relations, not
//! those of the catalogs themselves.

use super::locks::{OF_OTHERS, OF_RELATIONS};
use super::privileges::{table_privileges, table_privileges_columns};
use super::{
    Rows, attributes, buffercache, columns, constraints, extended, indexes, information_constraints, information_views,
    locks, partitions, privileges, session, stats, system, triggers, views,
};
use crate::cluster::namespace::PG_TOAST;
use crate::cluster::pg_class::Constraint;
use crate::cluster::temporary::PG_TEMP;
use crate::cluster::{Class, EnumType, ViewForm, ViewName};
use crate::sql::ast::RangeVar;
use crate::sql::commands::plain_kind;
use crate::sql::tcop::Database;
use crate::storage::{Persistence, RelationData, ReplicaIdentity};
use crate::version::{Behaviour, SqlBehaviour};
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::datum::{SqlError, Value, make_array};
use ffviz_format::page::{Oid, PgVersion};
use ffviz_format::state::RelKind;

pub(super) const BOOL: Oid = 16;
pub(super) const CHAR: Oid = 18;
pub(super) const INT2: Oid = 21;
pub(super) const INT4: Oid = 23;
pub(super) const TEXT: Oid = 25;
pub(super) const OID: Oid = 26;
const XID: Oid = 28;
const TIMESTAMPTZ: Oid = 1184;
pub(super) const FLOAT4: Oid = 700;
/// `pg_node_tree`: an expression, which `pg_get_expr` tells
pub const PG_NODE_TREE: Oid = 194;

/// `pg_namespace.oid`
pub(super) const PG_CATALOG: Oid = 11;

/// `relname` of the catalog of relations
pub const PG_CLASS: &str = "pg_class";
/// The rows of [`PG_CLASS`], with those of the system's own relations that may be locked
pub const WITH_SYSTEM: &str = "pg_class with the system's";

/// `relname` of the view of locks
pub const PG_LOCKS: &str = "pg_locks";

/// A relation of pg_catalog.
pub struct CatalogRelation {
    /// `relname`
    pub name: &'static str,
    columns: fn(u32) -> Vec<(&'static str, Oid)>,
    rows: fn(&mut Database) -> Result<Rows, SqlError>,
    /// the extension that brings it
    pub extension: Option<&'static str>,
    /// are these all columns that it has?
    pub is_whole: bool,
    /// columns of which one must be asked for, as the rows of the system's own relations are not here
    pub keys: &'static [&'static str],
}

impl CatalogRelation {
    /// Its columns in that version.
    #[must_use]
    pub fn columns(&self, major: u32) -> Vec<(&'static str, Oid)> {
        (self.columns)(major)
    }
}

/// A view of statistics. Of `pg_stat_all_…` a relation must be asked for, as the system's own are not here.
const fn statistics(
    name: &'static str,
    columns: fn(u32) -> Vec<(&'static str, Oid)>,
    rows: fn(&mut Database) -> Result<Rows, SqlError>,
) -> CatalogRelation {
    let is_of_all = name.len() < "pg_stat_user_tables".len();
    let keys: &[&str] = if is_of_all { &["relid", "relname", "indexrelname", "schemaname"] } else { &[] };
    CatalogRelation { name, columns, rows, extension: None, is_whole: true, keys }
}

/// One of which not all columns are known.
const fn known(
    name: &'static str,
    columns: fn(u32) -> Vec<(&'static str, Oid)>,
    rows: fn(&mut Database) -> Result<Rows, SqlError>,
    keys: &'static [&'static str],
) -> CatalogRelation {
    CatalogRelation { name, columns, rows, extension: None, is_whole: false, keys }
}

const CATALOGS: &[CatalogRelation] = &[
    CatalogRelation {
        name: PG_CLASS,
        columns: pg_class,
        rows: |db| Ok(classes(db)),
        extension: None,
        is_whole: false,
        keys: &["oid", "relname", "relnamespace", "relfilenode", "reltoastrelid"],
    },
    CatalogRelation {
        name: "pg_index",
        columns: indexes::pg_index,
        rows: |db| Ok(indexes::rows(db)),
        extension: None,
        is_whole: false,
        keys: &["indexrelid", "indrelid"],
    },
    CatalogRelation {
        name: "pg_attribute",
        columns: attributes::pg_attribute,
        rows: |db| Ok(attributes::rows(db)),
        extension: None,
        is_whole: false,
        keys: &["attrelid"],
    },
    CatalogRelation {
        name: "pg_enum",
        columns: |_| Vec::from([("oid", OID), ("enumtypid", OID), ("enumsortorder", FLOAT4), ("enumlabel", TEXT)]),
        rows: |db| Ok(labels(db)),
        extension: None,
        is_whole: true,
        keys: &[],
    },
    CatalogRelation {
        name: "pg_indexes",
        columns: indexes::pg_indexes,
        rows: |db| indexes::definitions(db),
        extension: None,
        is_whole: true,
        keys: &["schemaname", "tablename", "indexname"],
    },
    CatalogRelation {
        name: "pg_tables",
        columns: pg_tables,
        rows: |db| Ok(tables(db)),
        extension: None,
        is_whole: true,
        keys: &["schemaname", "tablename"],
    },
    CatalogRelation {
        name: "pg_namespace",
        columns: |_| Vec::from([("oid", OID), ("nspname", TEXT), ("nspowner", OID)]),
        rows: |db| {
            let row = |(name, oid): (&str, Oid)| {
                Vec::from([Value::Oid(oid), Value::text(name), Value::Oid(db.cluster.owner_of(oid))])
            };
            let of_system = [("pg_catalog", PG_CATALOG), PG_TOAST];
            Ok(of_system.into_iter().chain(db.cluster.catalog.schemas()).map(row).collect())
        },
        extension: None,
        is_whole: false,
        keys: &["oid", "nspname"],
    },
    CatalogRelation {
        name: "pg_extension",
        columns: |_| Vec::from([("extname", TEXT)]),
        // PL/pgSQL is there in every database
        rows: |db| {
            let all = core::iter::once(&"plpgsql").chain(&db.extensions);
            Ok(all.map(|name| Vec::from([Value::text(name)])).collect())
        },
        extension: None,
        is_whole: false,
        keys: &[],
    },
    CatalogRelation {
        name: "pg_stats",
        columns: views::pg_stats,
        rows: |db| views::column_stats(db),
        extension: None,
        is_whole: true,
        keys: &["schemaname", "tablename"],
    },
    CatalogRelation {
        name: "pg_statistic_ext",
        columns: extended::pg_statistic_ext,
        rows: |db| Ok(extended::of_objects(db)),
        extension: None,
        is_whole: false,
        keys: &[],
    },
    CatalogRelation {
        name: "pg_stats_ext",
        columns: extended::pg_stats_ext,
        rows: |db| extended::of_data(db),
        extension: None,
        is_whole: true,
        keys: &[],
    },
    statistics("pg_stat_user_tables", stats::of_tables, |db| Ok(stats::tables(db, true))),
    known("pg_statio_user_tables", stats::of_io, |db| Ok(stats::io(db)), &[]),
    statistics("pg_stat_all_tables", stats::of_tables, |db| Ok(stats::tables(db, false))),
    statistics("pg_stat_user_indexes", stats::of_indexes, |db| Ok(stats::indexes(db, true))),
    statistics("pg_stat_all_indexes", stats::of_indexes, |db| Ok(stats::indexes(db, false))),
    CatalogRelation {
        name: "pg_am",
        columns: views::pg_am,
        rows: |_| Ok(views::access_methods()),
        extension: None,
        is_whole: false,
        keys: &[],
    },
    CatalogRelation {
        name: "pg_type",
        columns: views::pg_type,
        rows: |db| Ok(views::types(db)),
        extension: None,
        is_whole: false,
        keys: &["oid", "typname"],
    },
    known(
        "pg_proc",
        |_| {
            Vec::from([
                ("oid", OID),
                ("proname", TEXT),
                ("pronamespace", OID),
                ("prokind", CHAR),
                ("prosecdef", BOOL),
                ("proleakproof", BOOL),
                ("proisstrict", BOOL),
                ("proretset", BOOL),
                ("provolatile", CHAR),
                ("proparallel", CHAR),
                ("pronargs", INT2),
                ("pronargdefaults", INT2),
                ("prorettype", OID),
                ("procost", FLOAT4),
                ("prorows", FLOAT4),
                ("prosrc", TEXT),
            ])
        },
        |db| Ok(db.procs()),
        &["oid", "proname"],
    ),
    CatalogRelation {
        name: "pg_sequence",
        columns: views::pg_sequence,
        rows: |db| Ok(views::sequence_forms(db)),
        extension: None,
        is_whole: true,
        keys: &[],
    },
    CatalogRelation {
        name: "pg_sequences",
        columns: views::pg_sequences,
        rows: |db| Ok(views::sequences(db)),
        extension: None,
        is_whole: true,
        keys: &[],
    },
    CatalogRelation {
        name: "pg_views",
        columns: |_| {
            let text = [("schemaname", TEXT), ("viewname", TEXT), ("viewowner", TEXT), ("definition", TEXT)];
            text.into_iter().chain([("", OID)]).collect()
        },
        rows: |db| {
            let row = |schema: &str, name: &str, oid: Oid| {
                let row = [schema, name, db.owner_name(oid)].map(Value::text).into_iter();
                row.chain([Value::Null, Value::Oid(oid)]).collect()
            };
            Ok(db.cluster.catalog.views().map(|((schema, name), view)| row(schema, name, view.oid)).collect())
        },
        extension: None,
        is_whole: true,
        keys: &["schemaname", "viewname"],
    },
    CatalogRelation {
        name: "pg_matviews",
        columns: |_| {
            let text = [("schemaname", TEXT), ("matviewname", TEXT), ("matviewowner", TEXT), ("tablespace", TEXT)];
            let flags = [("hasindexes", BOOL), ("ispopulated", BOOL)];
            text.into_iter().chain(flags).chain([("definition", TEXT), ("", OID)]).collect()
        },
        rows: |db| Ok(views::matviews(db)),
        extension: None,
        is_whole: true,
        keys: &[],
    },
    CatalogRelation {
        name: "pg_inherits",
        columns: |major| {
            let mut columns = Vec::from([("inhrelid", OID), ("inhparent", OID), ("inhseqno", INT4)]);
            columns.extend(PgVersion::of_major(major).detaches_concurrently().then_some(("inhdetachpending", BOOL)));
            columns
        },
        rows: |db| Ok(partitions::inherits(db)),
        extension: None,
        is_whole: true,
        keys: &[],
    },
    CatalogRelation {
        name: "pg_partitioned_table",
        columns: |_| Vec::from([("partrelid", OID), ("partstrat", CHAR), ("partnatts", INT2), ("partdefid", OID)]),
        rows: |db| Ok(partitions::partitioned_tables(db)),
        extension: None,
        is_whole: false,
        keys: &[],
    },
    CatalogRelation {
        extension: Some("pg_buffercache"),
        ..known("pg_buffercache", buffercache::columns, |db| buffercache::rows(db), &["relfilenode"])
    },
    known("pg_attrdef", columns::pg_attrdef, |db| Ok(columns::defaults(db)), &[]),
    known(INFORMATION_TABLES, columns::information_tables, |db| Ok(columns::tables(db)), OF_SCHEMA),
    known("information_schema.role_table_grants", table_privileges_columns, |db| Ok(table_privileges(db)), OF_SCHEMA),
    known("information_schema.table_privileges", table_privileges_columns, |db| Ok(table_privileges(db)), OF_SCHEMA),
    known("pg_roles", privileges::pg_roles, |db| Ok(privileges::roles(db)), &["rolname", "oid"]),
    CatalogRelation {
        is_whole: true,
        ..known("information_schema.views", information_views::columns, |db| Ok(information_views::rows(db)), OF_SCHEMA)
    },
    known(INFORMATION_COLUMNS, columns::information_columns, |db| columns::columns(db), OF_SCHEMA),
    known(
        "information_schema.table_constraints",
        information_constraints::table_constraints_columns,
        information_constraints::table_constraints,
        OF_CONSTRAINTS,
    ),
    known(
        "information_schema.key_column_usage",
        information_constraints::key_column_usage_columns,
        information_constraints::key_column_usage,
        OF_CONSTRAINTS,
    ),
    known(
        "information_schema.constraint_column_usage",
        information_constraints::constraint_column_usage_columns,
        information_constraints::constraint_column_usage,
        OF_CONSTRAINTS,
    ),
    known(
        "information_schema.check_constraints",
        information_constraints::check_constraints_columns,
        information_constraints::check_constraints,
        OF_CONSTRAINTS,
    ),
    known(
        "information_schema.referential_constraints",
        information_constraints::referential_constraints_columns,
        information_constraints::referential_constraints,
        &[],
    ),
    known("information_schema.triggers", triggers::information_columns, triggers::information, &[]),
    known("pg_settings", session::pg_settings, |db| Ok(session::settings(db)), &["name"]),
    known("pg_database", session::pg_database, |db| session::databases(db), &["oid", "datname"]),
    known("pg_prepared_statements", session::pg_prepared_statements, |db| Ok(session::prepared_statements(db)), &[]),
    known("pg_cursors", session::pg_cursors, session::cursors, &[]),
    known(ACTIVITY, session::pg_stat_activity, |db| Ok(session::activity(db)), OF_CLIENTS),
    known("pg_replication_slots", session::pg_replication_slots, |_| Ok(Rows::new()), &[]),
    known(
        "pg_constraint",
        constraints::pg_constraint,
        |db| Ok(constraints::rows(db)),
        &["conrelid", "conname", "connamespace"],
    ),
    CatalogRelation {
        name: "pg_trigger",
        columns: triggers::pg_trigger,
        rows: |db| triggers::rows(db),
        extension: None,
        is_whole: false,
        keys: &[],
    },
    CatalogRelation {
        name: PG_LOCKS,
        columns: locks::pg_locks,
        rows: |db| locks::rows(db, true),
        extension: None,
        is_whole: false,
        keys: &["pid", "relation", "mode", "locktype"],
    },
    CatalogRelation {
        name: "pg_prepared_xacts",
        columns: |_| {
            let (of_both, prepared) = ([("owner", TEXT), ("database", TEXT)], ("prepared", TIMESTAMPTZ));
            [("transaction", XID), ("gid", TEXT), prepared].into_iter().chain(of_both).collect()
        },
        rows: |_| Ok(Vec::new()),
        extension: None,
        is_whole: true,
        keys: &[],
    },
];

/// Sessions, and processes of the server that are none.
pub const ACTIVITY: &str = "pg_stat_activity";
/// What is NULL of processes that are no sessions.
const OF_CLIENTS: &[&str] = &["pid", "state", "datid", "datname", "backend_xid", "backend_xmin"];

/// Relations of information_schema, with its name before theirs.
const INFORMATION_TABLES: &str = "information_schema.tables";
const INFORMATION_COLUMNS: &str = "information_schema.columns";
/// What is asked for there, as the system's own relations are not here.
const OF_SCHEMA: &[&str] = &["table_schema", "table_name"];
const OF_CONSTRAINTS: &[&str] = &["table_name", "table_schema", "constraint_name", "constraint_schema"];

/// The relation of that name in pg_catalog or information_schema.
#[must_use]
pub fn catalog(name: &RangeVar, _major: u32) -> Option<&'static CatalogRelation> {
    if name.schema.as_deref() == Some("information_schema") {
        let its = |catalog: &&CatalogRelation| catalog.name.strip_prefix("information_schema.") == Some(&name.name);
        return CATALOGS.iter().find(its);
    }
    let is_there = name.schema.as_deref().is_none_or(|schema| schema == "pg_catalog");
    CATALOGS.iter().find(|catalog| is_there && catalog.name == name.name)
}

/// Of relations that tell views: the place of the column with their text, which is worked out where it is read, as not
/// all texts are told. Their last column, which has no name, is the view's OID.
#[must_use]
pub fn view_text(name: &str) -> Option<u16> {
    match name {
        "pg_views" | "information_schema.views" => Some(3),
        "pg_matviews" => Some(6),
        _ => None,
    }
}

/// Columns of which one must be asked for.
#[must_use]
pub fn keys(name: &str) -> &'static [&'static str] {
    CATALOGS.iter().find(|catalog| catalog.name == name).map_or(&[], |catalog| catalog.keys)
}

/// The first letters of relations of information_schema; all others of the system begin with `pg_` or `_pg_`.
const OTHERS_OF_SYSTEM: &str = "administrable applicable attributes character_sets check_constraint collation column constraint_ \
     data_type domain element_types enabled_roles foreign_ information_schema key_column parameters referential role_ routine \
     schemata sequences sql_ table_ tables transforms trigger udt_privileges usage_privileges user_defined \
     user_mapping view_ views";

/// Stands for any character in the beginning of a name.
pub const ANY_CHARACTER: char = '\0';

/// Has no relation of the system's own a name that begins so?
#[must_use]
pub fn is_beginning_of_own(beginning: &str) -> bool {
    let meets = |other: &str| {
        other.chars().zip(beginning.chars()).all(|(known, asked)| known == asked || asked == ANY_CHARACTER)
    };
    !meets("pg_") && !meets("_pg_") && !OTHERS_OF_SYSTEM.split(' ').any(meets)
}

/// Has the relation of that name more columns than are known here?
#[must_use]
pub fn has_more_columns(name: &str) -> bool {
    name == super::sets::ROW_LOCKS || CATALOGS.iter().any(|catalog| catalog.name == name && !catalog.is_whole)
}

/// Its rows, where it is one.
pub(super) fn rows(db: &mut Database, name: &str) -> Option<Result<Rows, SqlError>> {
    if name == OF_RELATIONS {
        return Some(locks::rows(db, false));
    }
    if name == WITH_SYSTEM {
        let columns = pg_class(db.cluster.version().major());
        return Some(Ok(classes(db).into_iter().chain(system_classes(db, &columns)).collect()));
    }
    if name == OF_OTHERS {
        return Some(Ok(locks::rows_of_others(db)));
    }
    if name == triggers::OWN_TRIGGERS {
        return Some(Ok(triggers::own(db)));
    }
    let catalog = CATALOGS.iter().find(|catalog| catalog.name == name)?;
    if name != PG_LOCKS && !system::is_known(name) {
        let me = db.cluster.pg.me;
        db.cluster.pg.locks.note_catalog(me);
    }
    Some((catalog.rows)(db))
}

fn pg_class(major: u32) -> Vec<(&'static str, Oid)> {
    let mut columns = Vec::from([
        ("oid", OID),
        ("relname", TEXT),
        ("relnamespace", OID),
        ("relowner", OID),
        ("relam", OID),
        ("relfilenode", OID),
        ("reltablespace", OID),
        ("relpages", INT4),
        ("reltuples", FLOAT4),
        ("relallvisible", INT4),
    ]);
    if PgVersion::of_major(major).keeps_all_frozen_pages() {
        columns.push(("relallfrozen", INT4));
    }
    columns.extend([
        ("reltoastrelid", OID),
        ("relhasindex", BOOL),
        ("relisshared", BOOL),
        ("relpersistence", CHAR),
        ("relkind", CHAR),
        ("relnatts", INT2),
        ("relchecks", INT2),
        ("relhastriggers", BOOL),
        ("relhassubclass", BOOL),
        ("relispopulated", BOOL),
        ("relreplident", CHAR),
        ("relispartition", BOOL),
        ("relrewrite", OID),
        ("relfrozenxid", XID),
        ("relminmxid", XID),
        ("reloptions", 1009),
        ("relpartbound", PG_NODE_TREE),
    ]);
    columns
}

const fn kind(kind: RelKind) -> u8 {
    match kind {
        RelKind::Index => b'i',
        RelKind::Sequence => b'S',
        RelKind::Toast => b't',
        RelKind::PartitionedTable => b'p',
        RelKind::PartitionedIndex => b'I',
        RelKind::MaterializedView => b'm',
        _ => b'r',
    }
}

pub(super) fn is_of_toast(db: &Database, class: &Class) -> bool {
    let owner = class.table.and_then(|table| db.cluster.catalog.class(table));
    class.kind == RelKind::Toast || class.kind == RelKind::Index && owner.is_some_and(|it| it.kind == RelKind::Toast)
}

/// `relreplident`
const fn replica_identity(class: &Class, relation: &RelationData) -> u8 {
    match relation.replica_identity {
        _ if !matches!(class.kind, RelKind::Table | RelKind::PartitionedTable) => b'n',
        ReplicaIdentity::Default => b'd',
        ReplicaIdentity::Index(_) => b'i',
        ReplicaIdentity::Full => b'f',
        ReplicaIdentity::Nothing => b'n',
    }
}

fn classes(db: &Database) -> Rows {
    const HEAP: Oid = 2;
    const BTREE: Oid = 403;
    const BRIN: Oid = 3580;
    const GIST: Oid = 783;
    let version = db.cluster.version();
    let row = |class: &Class| {
        let relation = db.cluster.pg.relations.get(&class.oid)?;
        let stats = db.cluster.known_stats(class.oid);
        let has_storage = class.kind != RelKind::Sequence;
        let am = match class.kind {
            RelKind::Index if class.is_brin => BRIN,
            RelKind::Index if class.is_gist => GIST,
            RelKind::Index | RelKind::PartitionedIndex => BTREE,
            RelKind::Sequence | RelKind::PartitionedTable => 0,
            _ => HEAP,
        };
        let has_rows = matches!(class.kind, RelKind::Table | RelKind::Toast);
        let (pages, tuples) = if has_storage { (stats.relpages, stats.reltuples) } else { (1, 1.0) };
        let mut row = Vec::from([
            Value::Oid(class.oid),
            Value::text(&class.name),
            Value::Oid(db.cluster.catalog.namespace(&class.schema)),
            Value::Oid(db.cluster.owner_of(class.oid)),
            Value::Oid(am),
            Value::Oid(class.filenode),
            Value::Oid(0),
            Value::Int4(pages as i32),
            Value::Float4(tuples),
            Value::Int4(stats.relallvisible as i32),
        ]);
        if version.keeps_all_frozen_pages() {
            row.push(Value::Int4(stats.relallfrozen as i32));
        }
        let option = |(name, value): &(String, String)| Value::text(&alloc::format!("{name}={value}"));
        let options: Vec<Value> = class.options.iter().map(option).collect();
        row.extend([
            Value::Oid(relation.toast.unwrap_or(0)),
            Value::Bool(stats.has_index),
            Value::Bool(false),
            Value::Char(match db.cluster.pg.buffers.persistence(relation.file) {
                Persistence::Permanent => b'p',
                Persistence::Unlogged => b'u',
                Persistence::Temporary => b't',
            }),
            Value::Char(kind(class.relkind())),
            Value::Int2(relation.desc.attributes().len() as i16),
            Value::Int2(class.constraints.iter().filter(|it| matches!(it, Constraint::Check { .. })).count() as i16),
            Value::Bool(stats.has_triggers),
            Value::Bool(class.inheritance.has_subclass || db.cluster.catalog.partitions(class.oid).next().is_some()),
            Value::Bool(class.matview.as_ref().is_none_or(|matview| matview.populated)),
            Value::Char(replica_identity(class, relation)),
            Value::Bool(class.partitioning.parent.is_some()),
            Value::Oid(0),
            Value::Oid(if has_rows { stats.relfrozenxid } else { 0 }),
            Value::Oid(if has_rows { stats.relminmxid } else { 0 }),
            if options.is_empty() { Value::Null } else { make_array(TEXT, &options) },
            db.partition_bound(class).map_or(Value::Null, |bound| Value::text(&bound)),
        ]);
        Some(row)
    };
    let views = db.cluster.catalog.views().map(|(name, view)| view_class(db, name, view));
    db.cluster.catalog.classes().filter_map(|class| row(class)).chain(views).collect()
}

/// The rows of the system's own relations, of which a few columns are known.
fn system_classes(db: &Database, columns: &[(&'static str, Oid)]) -> Vec<Vec<Value>> {
    let row = |(oid, name, kind): (Oid, &str, u8)| {
        let value = |column: &str| match column {
            "oid" => Value::Oid(oid),
            "relname" => Value::text(name),
            "relnamespace" => Value::Oid(PG_CATALOG),
            "relowner" => Value::Oid(10),
            "relkind" => Value::Char(kind),
            "relpersistence" => Value::Char(b'p'),
            _ => Value::Null,
        };
        columns.iter().map(|(column, _)| value(column)).collect()
    };
    system::all(db.cluster.version().major()).map(row).collect()
}

/// The row of a view, which has no file.
fn view_class(db: &Database, (schema, name): &ViewName, view: &ViewForm) -> Vec<Value> {
    let version = db.cluster.version();
    let namespace = db.cluster.catalog.namespace(schema);
    let mut row = Vec::from([Value::Oid(view.oid), Value::text(name), Value::Oid(namespace)]);
    row.push(Value::Oid(db.cluster.owner_of(view.oid)));
    row.extend([0; 3].map(Value::Oid));
    row.extend([Value::Int4(0), Value::Float4(if version.counts_from_unknown() { -1.0 } else { 0.0 }), Value::Int4(0)]);
    if version.keeps_all_frozen_pages() {
        row.push(Value::Int4(0));
    }
    let persistence = if schema.starts_with(PG_TEMP) { b't' } else { b'p' };
    row.extend([Value::Oid(0), Value::Bool(false), Value::Bool(false), Value::Char(persistence), Value::Char(b'v')]);
    row.extend([
        Value::Int2(view.columns as i16),
        Value::Int2(0),
        Value::Bool(false),
        Value::Bool(false),
        Value::Bool(true),
    ]);
    row.extend([Value::Char(b'n'), Value::Bool(false), Value::Oid(0), Value::Oid(0), Value::Oid(0)]);
    row.extend([Value::Null, Value::Null]);
    row
}

/// The labels of enums; the system has no enum.
fn labels(db: &Database) -> Rows {
    let of_type = |ty: &EnumType| {
        let row = |((oid, label), order): (&(Oid, String), &f32)| {
            Vec::from([Value::Oid(*oid), Value::Oid(ty.oid), Value::Float4(*order), Value::text(label)])
        };
        ty.labels.iter().zip(&ty.orders).map(row).collect::<Vec<_>>()
    };
    let mut rows: Vec<(Value, Vec<Value>)> = Vec::new();
    for row in db.cluster.catalog.enums().iter().flat_map(of_type) {
        rows.push((row[0].clone(), row));
    }
    rows.into_iter().map(|(_, row)| row).collect()
}

fn pg_tables(_: u32) -> Vec<(&'static str, Oid)> {
    Vec::from([
        ("schemaname", TEXT),
        ("tablename", TEXT),
        ("tableowner", TEXT),
        ("tablespace", TEXT),
        ("hasindexes", BOOL),
        ("hasrules", BOOL),
        ("hastriggers", BOOL),
        ("rowsecurity", BOOL),
    ])
}

fn tables(db: &Database) -> Rows {
    let own = db.cluster.catalog.classes().filter(|class| plain_kind(class.relkind()) == RelKind::Table);
    let row = |class: &alloc::sync::Arc<Class>| {
        let stats = db.cluster.known_stats(class.oid);
        Vec::from([
            Value::text(&class.schema),
            Value::text(&class.name),
            Value::text(db.owner_name(class.oid)),
            Value::Null,
            Value::Bool(stats.has_index),
            Value::Bool(false),
            Value::Bool(stats.has_triggers),
            Value::Bool(false),
        ])
    };
    own.map(row).collect()
}
