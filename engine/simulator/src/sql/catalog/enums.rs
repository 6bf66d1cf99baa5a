//! Enum, composite and other types as statements name them, and their names in what statements give (`typenameType`,
//! src/backend/parser/parse_type.c; `enum_out`, src/backend/utils/adt/enum.c).

use crate::cluster::EnumType;
use crate::sql::ast::RangeVar;
use crate::sql::error::NOT_SIMULATED;
use crate::sql::parse::{TypeName, TypeNames};
use crate::sql::tcop::Database;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::datum::enums::with_names;
use ffviz_format::datum::{SqlError, SqlType};
use ffviz_format::page::Oid;
use ffviz_story::timeline::ResultSet;

/// Values are compared by their OIDs.
///
/// # Errors
/// That is not their order.
pub(in crate::sql) fn check_order(of: &EnumType) -> Result<(), SqlError> {
    if of.is_ordered() {
        return Ok(());
    }
    let message = "the order of an enum with a value that was put between others is not supported";
    Err(SqlError::new(NOT_SIMULATED, message))
}

impl Database {
    /// The types made by scripts that a statement may name.
    pub(in crate::sql) fn type_names(&mut self, sql: &str) -> TypeNames {
        self.note_named_rows(sql);
        let cluster = &self.cluster;
        let named = |(schema, name): (&String, &String), is_found: bool, ty: SqlType, domain: Option<Oid>| {
            let alone = is_found.then(|| RangeVar::new(None, name.clone()));
            let whole = RangeVar::new(Some(schema.clone()), name.clone());
            alone.into_iter().chain([whole]).map(move |name| (name, TypeName { ty, domain }))
        };
        let enums = cluster.catalog.enums().iter().flat_map(|ty| {
            let is_found = cluster.find_enum(None, &ty.name) == Some(ty);
            named((&ty.schema, &ty.name), is_found, SqlType::plain(ty.oid), None)
        });
        let domains = cluster.catalog.domains().iter().flat_map(|domain| {
            // the system's own types are found first
            let is_hidden = SqlType::named(&domain.name).is_some();
            let is_found = !is_hidden && cluster.find_domain(None, &domain.name) == Some(domain);
            named((&domain.schema, &domain.name), is_found, domain.base, Some(domain.oid))
        });
        let row_types = self.row_types();
        let rows = row_types.iter().flat_map(|ty| {
            let place = cluster.row_type_place(ty.oid);
            let names = place.map(|(schema, name, is_found)| {
                let is_found = is_found && SqlType::named(&name).is_none();
                named((&schema, &name), is_found, SqlType::plain(ty.typid()), None).collect::<Vec<_>>()
            });
            names.unwrap_or_default()
        });
        enums.chain(domains).chain(rows).collect()
    }

    /// Something asks which of two values of the type is less.
    ///
    /// # Errors
    /// It is an enum whose order is not that of OIDs.
    pub(in crate::sql) fn check_order(&self, of: Oid) -> Result<(), SqlError> {
        self.cluster.catalog.enum_type(of).map_or(Ok(()), check_order)
    }

    /// Names of enums in place of their marks.
    pub(in crate::sql) fn with_enums(&self, error: SqlError) -> SqlError {
        let named = |text: &str| self.cluster.name_enums(text);
        let (message, detail) = (named(&error.message), error.detail.as_deref().and_then(named));
        let renamed = match message {
            Some(message) => error.with_message(message),
            None => error,
        };
        match detail {
            Some(detail) => renamed.with_detail(detail),
            None => renamed,
        }
    }

    /// The same in rows, and in the names of their columns.
    pub(in crate::sql) fn with_labels(&self, mut rows: ResultSet) -> ResultSet {
        let catalog = &self.cluster.catalog;
        let has_types = !catalog.enums().is_empty() || !catalog.domains().is_empty();
        if has_types || !catalog.composites().is_empty() || !self.named_rows.is_empty() {
            // a column that is called as its type is without its schema
            for name in &mut rows.columns {
                *name =
                    with_names(name, |oid| self.cluster.bare_type_name(oid)).unwrap_or_else(|| core::mem::take(name));
            }
            for text in rows.rows.iter_mut().flatten().flatten() {
                *text = self.cluster.name_enums(text).unwrap_or_else(|| core::mem::take(text));
            }
        }
        rows
    }
}
