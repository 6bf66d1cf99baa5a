//! Composite types: CREATE TYPE … AS (…), and those of the rows of tables (`DefineCompositeType`,
//! src/backend/commands/typecmds.c; `AddNewRelationType`, src/backend/catalog/heap.c).
//!
//! ```text
//!  CREATE TYPE pair AS (a int)    16384 pair, a relation of kind c   16385 pair[]   16386 pair, its type
//!  CREATE TABLE t (v pair)        v is stored as a row, whose header says 16386
//! ```

use super::ddl::quote_identifier;
use super::pg_class::Catalog;
use super::{Class, Cluster};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::cmp::Reverse;
use ffviz_format::datum::{Attribute, RowType, TupleDesc};
use ffviz_format::page::{Oid, TransactionId};
use ffviz_format::state::RelKind;

/// Types of rows that expressions may name.
pub type RowTypes = Arc<Vec<RowType>>;

/// A composite type that is no table's.
#[derive(Debug, Clone, PartialEq)]
pub struct CompositeType {
    /// `pg_type.oid`
    pub oid: Oid,
    /// `typrelid`
    pub relation: Oid,
    /// `nspname` of `typnamespace`
    pub schema: String,
    /// `typname`
    pub name: String,
    /// its columns, dropped ones too
    pub attributes: Vec<Attribute>,
    /// the transaction that made it
    pub made_by: TransactionId,
}

impl CompositeType {
    /// As expressions know it.
    #[must_use]
    pub fn row_type(&self) -> RowType {
        RowType { oid: self.oid, desc: Arc::new(TupleDesc::new(self.attributes.clone())) }
    }
}

impl Catalog {
    /// The composite types that are no tables'.
    #[must_use]
    pub const fn composites(&self) -> &Arc<Vec<CompositeType>> {
        &self.composites
    }

    /// The one of that OID.
    #[must_use]
    pub fn composite(&self, oid: Oid) -> Option<&CompositeType> {
        self.composites.iter().find(|ty| ty.oid == oid)
    }

    /// The one of that name.
    #[must_use]
    pub fn composite_named(&self, schema: &str, name: &str) -> Option<&CompositeType> {
        self.composites.iter().find(|ty| ty.schema == schema && ty.name == name)
    }
}

/// Is it a relation of rows that are stored?
fn has_rows(class: &Class) -> bool {
    matches!(class.kind, RelKind::Table | RelKind::PartitionedTable | RelKind::MaterializedView)
}

impl Cluster {
    /// `TypenameGetTypid`: the composite type of that name that is no table's, in that schema or in the first of
    /// `search_path` that has one.
    #[must_use]
    pub fn find_composite(&self, schema: Option<&str>, name: &str) -> Option<&CompositeType> {
        match schema {
            Some(schema) => self.catalog.composite_named(schema, name),
            None => self.search_path().into_iter().find_map(|schema| self.catalog.composite_named(schema, name)),
        }
    }

    /// The type of rows of that OID, of a table or of no table.
    #[must_use]
    pub fn row_type(&self, oid: Oid) -> Option<RowType> {
        if let Some(ty) = self.catalog.composite(oid) {
            return Some(ty.row_type());
        }
        let class = self.catalog.classes().find(|class| class.row_type == Some(oid))?;
        let relation = self.pg.relations.get(&class.oid)?;
        Some(RowType { oid, desc: relation.desc.clone() })
    }

    /// The schema and the name of a composite type, and whether the name alone finds it.
    #[must_use]
    pub fn row_type_place(&self, oid: Oid) -> Option<(String, String, bool)> {
        let of_table = || {
            let class = self.catalog.classes().find(|class| class.row_type == Some(oid))?;
            Some((class.schema.clone(), class.name.clone(), self.find(None, &class.name) == Some(class.oid)))
        };
        let of_type = self.catalog.composite(oid).map(|ty| {
            let is_found = self.find_composite(None, &ty.name) == Some(ty);
            (ty.schema.clone(), ty.name.clone(), is_found)
        });
        of_type.or_else(of_table)
    }

    /// `format_type` of a composite type.
    #[must_use]
    pub fn row_type_name(&self, oid: Oid) -> Option<String> {
        let (schema, name, is_found) = self.row_type_place(oid)?;
        let name = quote_identifier(&name);
        Some(if is_found { name } else { format!("{}.{name}", quote_identifier(&schema)) })
    }

    /// A column of a composite type gets to know its columns, one of an enum within them its labels.
    pub fn complete(&self, attribute: &mut Attribute) {
        if let Some(ty) = self.row_type(attribute.typid) {
            attribute.fields = self.completed(ty.desc.attributes());
            attribute.type_name = self.row_type_name(ty.oid).unwrap_or_default();
        }
    }

    pub(super) fn completed(&self, attributes: &[Attribute]) -> Vec<Attribute> {
        let mut attributes = attributes.to_vec();
        for attribute in &mut attributes {
            if let Some(ty) = self.catalog.enum_type(attribute.typid) {
                attribute.labels = ty.labels.iter().cloned().collect();
            }
            if let Some(name) = attribute.domain().and_then(|domain| self.domain_name(domain)) {
                attribute.type_name = name;
            }
        }
        attributes
    }

    /// Columns of tables and of composite types that a type or a domain is that of, by relation and `attnum`, the
    /// oldest relation first, and in it the last column.
    #[must_use]
    pub fn columns_of_type(&self, oid: Oid) -> Vec<(Oid, u16)> {
        let mut found = Vec::new();
        for class in self.catalog.classes().filter(|class| has_rows(class)) {
            let Some(relation) = self.pg.relations.get(&class.oid) else { continue };
            let is_it = |column: &&Attribute| {
                !column.dropped && (column.typid == oid || class.domains.get(&column.num) == Some(&oid))
            };
            found.extend(relation.desc.attributes().iter().filter(is_it).map(|column| (class.oid, column.num)));
        }
        for ty in self.catalog.composites.iter() {
            let columns = ty.attributes.iter().filter(|column| !column.dropped && column.typid == oid);
            found.extend(columns.map(|column| (ty.relation, column.num)));
        }
        found.sort_unstable_by_key(|(relation, attnum)| (*relation, Reverse(*attnum)));
        found
    }

    /// `find_composite_type_dependencies`: a column of a table in whose rows are such of that type, or of one within
    /// them.
    #[must_use]
    pub fn stored_in(&self, row_type: Oid) -> Option<(Oid, u16)> {
        self.columns_of_type(row_type).into_iter().find_map(|(relation, attnum)| {
            match self.catalog.composites.iter().find(|ty| ty.relation == relation) {
                Some(ty) => self.stored_in(ty.oid),
                None => Some((relation, attnum)),
            }
        })
    }

    /// `DefineCompositeType`: OIDs of its relation, of the type of its arrays and of itself.
    pub fn create_composite(&mut self, schema: &str, name: &str, mut attributes: Vec<Attribute>) {
        self.pg.current_xid();
        self.keep_names();
        let relation = self.pg.new_object_id();
        self.pg.new_object_id();
        let oid = self.pg.new_object_id();
        self.own(oid);
        self.create_stats(relation);
        for (attribute, num) in attributes.iter_mut().zip(1..) {
            attribute.num = num;
            self.complete(attribute);
        }
        let attributes = self.completed(&attributes);
        let (schema, name, made_by) = (schema.to_string(), name.to_string(), self.pg.top_xid());
        let ty = CompositeType { oid, relation, schema, name, attributes, made_by };
        Arc::make_mut(&mut self.catalog.composites).push(ty);
        self.use_commands(1);
    }

    /// `RemoveTypeById`, of the type and of that of its arrays, with its relation.
    pub fn drop_composite(&mut self, oid: Oid) {
        self.pg.current_xid();
        self.keep_names();
        if let Some(relation) = self.catalog.composite(oid).map(|ty| ty.relation) {
            self.drop_stats(relation);
        }
        Arc::make_mut(&mut self.catalog.composites).retain(|ty| ty.oid != oid);
        self.use_commands(3);
    }

    /// ALTER TYPE and ALTER DOMAIN … SET SCHEMA, of a type of any kind.
    pub fn set_type_schema(&mut self, oid: Oid, to: &str) {
        self.pg.current_xid();
        self.keep_names();
        let catalog = &mut self.catalog;
        let composites = Arc::make_mut(&mut catalog.composites).iter_mut().filter(|ty| ty.oid == oid);
        composites.for_each(|ty| ty.schema = to.to_string());
        let enums = Arc::make_mut(&mut catalog.enums).iter_mut().filter(|ty| ty.oid == oid);
        enums.for_each(|ty| ty.schema = to.to_string());
        let domains = Arc::make_mut(&mut catalog.domains).iter_mut().filter(|domain| domain.oid == oid);
        domains.for_each(|domain| Arc::make_mut(domain).schema = to.to_string());
        self.use_commands(1);
    }

    /// What ALTER TYPE changes in so many commands; columns of the type have other columns then.
    pub fn alter_composite(&mut self, oid: Oid, commands: u32, edit: impl FnOnce(&mut CompositeType)) {
        self.pg.current_xid();
        self.keep_names();
        if let Some(ty) = Arc::make_mut(&mut self.catalog.composites).iter_mut().find(|ty| ty.oid == oid) {
            edit(ty);
        }
        let fields = self.catalog.composite(oid).map_or_else(Vec::new, |ty| ty.attributes.clone());
        for other in Arc::make_mut(&mut self.catalog.composites) {
            let within = other.attributes.iter_mut().filter(|column| column.typid == oid);
            within.for_each(|column| column.fields.clone_from(&fields));
        }
        self.name_columns();
        self.use_commands(commands);
    }
}
