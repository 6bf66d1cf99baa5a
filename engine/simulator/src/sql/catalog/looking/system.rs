//! The system's own relations that a query is known to lock: a catalog, and with it each of its indexes
//! (`get_relation_info`, src/backend/optimizer/util/plancat.c). Their OIDs are the same from 13 to 18
//! (src/include/catalog/pg_class.h and its like).

use super::locks::pg_locks_oid;
use crate::sql::ast::RangeVar;
use ffviz_format::page::Oid;

/// A catalog.
struct System {
    oid: Oid,
    name: &'static str,
    /// `relisshared`: it is of all databases
    is_shared: bool,
    indexes: &'static [(Oid, &'static str)],
}

const fn own(oid: Oid, name: &'static str, indexes: &'static [(Oid, &'static str)]) -> System {
    System { oid, name, is_shared: false, indexes }
}

const SYSTEM: &[System] = &[
    own(1247, "pg_type", &[(2703, "pg_type_oid_index"), (2704, "pg_type_typname_nsp_index")]),
    own(1249, "pg_attribute", &[(2658, "pg_attribute_relid_attnam_index"), (2659, "pg_attribute_relid_attnum_index")]),
    own(
        1259,
        "pg_class",
        &[
            (2662, "pg_class_oid_index"),
            (2663, "pg_class_relname_nsp_index"),
            (3455, "pg_class_tblspc_relfilenode_index"),
        ],
    ),
    System {
        oid: 1262,
        name: "pg_database",
        is_shared: true,
        indexes: &[(2671, "pg_database_datname_index"), (2672, "pg_database_oid_index")],
    },
    own(2601, "pg_am", &[(2651, "pg_am_name_index"), (2652, "pg_am_oid_index")]),
    own(2610, "pg_index", &[(2678, "pg_index_indrelid_index"), (2679, "pg_index_indexrelid_index")]),
    own(2615, "pg_namespace", &[(2684, "pg_namespace_nspname_index"), (2685, "pg_namespace_oid_index")]),
];

/// The OID of the catalog of that name, where it is one of these.
#[must_use]
pub(in crate::sql) fn system_relation(name: &RangeVar) -> Option<Oid> {
    let is_there = name.schema.as_deref().is_none_or(|schema| schema == "pg_catalog");
    SYSTEM.iter().find(|system| is_there && system.name == name.name).map(|system| system.oid)
}

/// The catalog with that OID and its indexes; nothing of another.
pub(in crate::sql) fn with_its_indexes(oid: Oid) -> impl Iterator<Item = Oid> {
    let system = SYSTEM.iter().find(|system| system.oid == oid);
    system.into_iter().flat_map(|system| core::iter::once(system.oid).chain(system.indexes.iter().map(|(oid, _)| *oid)))
}

/// Is it known what reading the catalog of that name locks?
pub(super) fn is_known(name: &str) -> bool {
    SYSTEM.iter().any(|system| system.name == name)
}

/// Is it a relation of all databases, so that `pg_locks.database` is 0?
pub(super) fn is_shared(oid: Oid) -> bool {
    let is_it = |system: &&System| system.oid == oid || system.indexes.iter().any(|(index, _)| *index == oid);
    SYSTEM.iter().find(is_it).is_some_and(|system| system.is_shared)
}

/// `oid`, `relname`, `relkind` of all, and of the view of locks.
pub(super) fn all(major: u32) -> impl Iterator<Item = (Oid, &'static str, u8)> {
    let with_indexes = |system: &'static System| {
        let indexes = system.indexes.iter().map(|(oid, name)| (*oid, *name, b'i'));
        core::iter::once((system.oid, system.name, b'r')).chain(indexes)
    };
    SYSTEM.iter().flat_map(with_indexes).chain([(pg_locks_oid(major), super::PG_LOCKS, b'v')])
}

/// The name of the system's relation with that OID.
pub(in crate::sql) fn system_name(oid: Oid, major: u32) -> Option<&'static str> {
    all(major).find(|(known, ..)| *known == oid).map(|(_, name, _)| name)
}
