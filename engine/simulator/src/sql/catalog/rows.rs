//! Types of rows as statements name them (`typenameType`, src/backend/parser/parse_type.c; `lookup_rowtype_tupdesc`,
//! src/backend/utils/cache/typcache.c).

use crate::cluster::RowTypes;
use crate::sql::tcop::Database;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::RowType;
use ffviz_format::page::Oid;

/// What a statement that names a type has.
const NAMING: [&str; 7] = ["::", "cast", "function", "procedure", "create", "declare", "alter"];

impl Database {
    /// The type of rows of that OID.
    pub(in crate::sql) fn row_type(&self, oid: Oid) -> Option<RowType> {
        self.cluster.row_type(oid)
    }

    /// Composite types, and those of rows of tables that statements have named.
    pub(in crate::sql) fn row_types(&self) -> RowTypes {
        let catalog = &self.cluster.catalog;
        if catalog.composites().is_empty() && self.named_rows.is_empty() {
            return RowTypes::default();
        }
        let of_tables = self.named_rows.iter().filter_map(|table| {
            let (class, relation) = (catalog.class(*table)?, self.cluster.pg.relations.get(table)?);
            Some(RowType { oid: class.row_type?, desc: relation.desc.clone() })
        });
        Arc::new(catalog.composites().iter().map(crate::cluster::CompositeType::row_type).chain(of_tables).collect())
    }

    /// Notes the tables whose names stand in a statement that may name types: most statements name none.
    pub(in crate::sql) fn note_named_rows(&mut self, sql: &str) {
        let lower = sql.to_ascii_lowercase();
        if !NAMING.iter().any(|word| lower.contains(word)) {
            return;
        }
        let is_named = |name: &str| sql.contains(name) || lower.contains(name);
        let named = self.cluster.catalog.classes().filter(|class| class.row_type.is_some() && is_named(&class.name));
        let named: Vec<Oid> = named.map(|class| class.oid).collect();
        self.named_rows.extend(named);
    }
}
