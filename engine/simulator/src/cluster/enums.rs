//! Enum types and their labels (`EnumValuesCreate`, `AddEnumLabel`, `RenameEnumLabel`, src/backend/catalog/pg_enum.c).
//!
//! ```text
//!  CREATE TYPE mood AS ENUM ('sad', 'ok')    16384 mood[]   16385 mood   16386 sad   16388 ok     even OIDs, ascending
//!  ALTER TYPE mood ADD VALUE 'happy'         16390: even, as the order of OIDs is still that of labels
//!  ALTER TYPE mood ADD VALUE 'x' BEFORE 'ok' 16391: odd, as it is not any more
//! ```
//!
//! Values are compared by their OIDs alone. Of an enum with an odd one a sort and a comparison take the place of each
//! label (`enum_rank`); an index of it is refused.

use super::ddl::quote_identifier;
use super::pg_class::Catalog;
use super::{Cluster, CompositeType};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::SqlError;
use ffviz_format::datum::enums::{is_enum, with_names};
use ffviz_format::page::{Oid, TransactionId};

/// An enum type.
#[derive(Debug, Clone, PartialEq)]
pub struct EnumType {
    /// `pg_type.oid`
    pub oid: Oid,
    /// `nspname` of `typnamespace`
    pub schema: String,
    /// `typname`
    pub name: String,
    /// `pg_enum.oid` and `enumlabel`, by `enumsortorder`
    pub labels: Vec<(Oid, String)>,
    /// `enumsortorder` of each
    pub orders: Vec<f32>,
    /// the transaction that made it
    pub made_by: TransactionId,
    /// labels that a transaction that goes on has added (`uncommitted_enum_values`)
    pub fresh: Vec<(Oid, TransactionId)>,
}

impl EnumType {
    /// The label of that text.
    #[must_use]
    pub fn label(&self, text: &str) -> Option<Oid> {
        self.labels.iter().find(|(_, label)| label == text).map(|(oid, _)| *oid)
    }

    /// Is the order of its labels that of their OIDs?
    #[must_use]
    pub fn is_ordered(&self) -> bool {
        self.labels.is_sorted()
    }

    /// `AddEnumLabel`: where among the labels a new one goes; `None`: there is one of that text.
    ///
    /// # Errors
    /// PostgreSQL's, where the label that it is to stand beside is not there.
    pub fn place(&self, label: &str, neighbor: Option<(bool, &str)>) -> Result<Option<usize>, SqlError> {
        if self.label(label).is_some() {
            return Ok(None);
        }
        let Some((is_after, neighbor)) = neighbor else { return Ok(Some(self.labels.len())) };
        Ok(Some(self.index(neighbor)? + usize::from(is_after)))
    }

    fn index(&self, label: &str) -> Result<usize, SqlError> {
        let missing = || SqlError::new("22023", format!("\"{label}\" is not an existing enum label"));
        self.labels.iter().position(|(_, known)| known == label).ok_or_else(missing)
    }
}

impl Catalog {
    /// The enum of that OID.
    #[must_use]
    pub fn enum_type(&self, oid: Oid) -> Option<&EnumType> {
        self.enums.iter().find(|ty| ty.oid == oid)
    }

    /// The enum of that name.
    #[must_use]
    pub fn enum_named(&self, schema: &str, name: &str) -> Option<&EnumType> {
        self.enums.iter().find(|ty| ty.schema == schema && ty.name == name)
    }

    /// All of them.
    #[must_use]
    pub const fn enums(&self) -> &Arc<Vec<EnumType>> {
        &self.enums
    }
}

impl Cluster {
    /// `TypenameGetTypid`: the enum of that name, in that schema or in the first of `search_path` that has one.
    #[must_use]
    pub fn find_enum(&self, schema: Option<&str>, name: &str) -> Option<&EnumType> {
        match schema {
            Some(schema) => self.catalog.enum_named(schema, name),
            None => self.search_path().into_iter().find_map(|schema| self.catalog.enum_named(schema, name)),
        }
    }

    /// Names in place of marks; of a type as `format_type` prints it.
    #[must_use]
    pub fn name_enums(&self, text: &str) -> Option<String> {
        with_names(text, |oid| match self.catalog.enum_type(oid) {
            Some(ty) if self.find_enum(None, &ty.name) == Some(ty) => Some(quote_identifier(&ty.name)),
            Some(ty) => Some(format!("{}.{}", quote_identifier(&ty.schema), quote_identifier(&ty.name))),
            None if self.catalog.domain(oid).is_some() => self.domain_name(oid),
            None if self.row_type(oid).is_some() => self.row_type_name(oid),
            None => {
                let mut labels = self.catalog.enums.iter().flat_map(|ty| &ty.labels);
                labels.find(|(label, _)| *label == oid).map(|(_, label)| label.clone())
            }
        })
    }

    /// `DefineEnum`: OIDs of the type of its arrays, of itself, then of its labels.
    pub fn create_enum(&mut self, schema: &str, name: &str, labels: &[String]) {
        self.pg.current_xid();
        self.keep_names();
        self.pg.new_object_id();
        let oid = self.pg.new_object_id();
        self.own(oid);
        let mut oids: Vec<Oid> = labels.iter().map(|_| self.new_label(|oid| oid % 2 == 0)).collect();
        oids.sort_unstable();
        let labels: Vec<(Oid, String)> = oids.into_iter().zip(labels.iter().cloned()).collect();
        let orders = (1..).take(labels.len()).map(|n: u16| f32::from(n)).collect();
        let (schema, name, made_by) = (schema.to_string(), name.to_string(), self.pg.top_xid());
        let ty = EnumType { oid, schema, name, labels, orders, made_by, fresh: Vec::new() };
        Arc::make_mut(&mut self.catalog.enums).push(ty);
        self.use_commands(1);
    }

    /// `RemoveTypeById`, of the type and of that of its arrays.
    pub fn drop_enum(&mut self, oid: Oid) {
        self.pg.current_xid();
        self.keep_names();
        Arc::make_mut(&mut self.catalog.enums).retain(|ty| ty.oid != oid);
        self.use_commands(2);
    }

    /// `AddEnumLabel`, at that place: an even OID where it keeps the order of even OIDs, else an odd one.
    pub fn add_label(&mut self, oid: Oid, at: usize, label: &str) {
        self.pg.current_xid();
        self.keep_names();
        let labels = self.catalog.enum_type(oid).map_or_else(Vec::new, |ty| ty.labels.clone());
        let keeps_order = |new: Oid| {
            let is_fine = |(n, (old, _)): (usize, &(Oid, String))| old % 2 == 1 || (n < at) == (*old < new);
            labels.iter().enumerate().all(is_fine)
        };
        let new = self.new_label(|oid| keeps_order(oid) == (oid % 2 == 0));
        let xact = self.pg.backend().xact.as_ref();
        let xid = xact.filter(|xact| xact.in_block).and_then(|xact| xact.top_xid());
        self.edit_enum(oid, |ty| {
            let (before, behind) = (at.checked_sub(1).and_then(|at| ty.orders.get(at)), ty.orders.get(at));
            let order = match (before, behind) {
                (Some(before), Some(behind)) => (before + behind) / 2.0,
                (Some(before), None) => before + 1.0,
                (None, Some(behind)) => behind - 1.0,
                (None, None) => 1.0,
            };
            ty.orders.insert(at, order);
            ty.labels.insert(at, (new, label.to_string()));
            ty.fresh.extend(xid.map(|xid| (new, xid)));
        });
    }

    /// The labels that a transaction has added may be used, now that it ends.
    pub(super) fn commit_labels(&mut self, xid: TransactionId) {
        let has_fresh = |ty: &EnumType| ty.fresh.iter().any(|(_, by)| *by == xid);
        if self.catalog.enums.iter().any(has_fresh) {
            Arc::make_mut(&mut self.catalog.enums).iter_mut().for_each(|ty| ty.fresh.retain(|(_, by)| *by != xid));
        }
    }

    /// `RenameEnumLabel`
    ///
    /// # Errors
    /// PostgreSQL's, where there is no such label, or one of the new name.
    pub fn rename_label(&mut self, oid: Oid, from: &str, to: &str) -> Result<(), SqlError> {
        let Some(ty) = self.catalog.enum_type(oid) else { return Ok(()) };
        let at = ty.index(from)?;
        if ty.label(to).is_some() {
            return Err(SqlError::new("42710", format!("enum label \"{to}\" already exists")));
        }
        self.pg.current_xid();
        self.keep_names();
        self.edit_enum(oid, |ty| ty.labels[at].1 = to.to_string());
        Ok(())
    }

    /// An OID of a kind, for a label; others are passed over.
    fn new_label(&mut self, is_wanted: impl Fn(Oid) -> bool) -> Oid {
        loop {
            let oid = self.pg.new_object_id();
            if is_wanted(oid) {
                return oid;
            }
        }
    }

    fn edit_enum(&mut self, oid: Oid, edit: impl FnOnce(&mut EnumType)) {
        if let Some(ty) = Arc::make_mut(&mut self.catalog.enums).iter_mut().find(|ty| ty.oid == oid) {
            edit(ty);
        }
        self.use_commands(1);
    }

    /// The columns of enum types get the names of their types and labels, for those who look at pages, those of
    /// composite types their columns.
    pub fn name_columns(&mut self) {
        let enums = self.catalog.enums.clone();
        let named = |ty: &CompositeType| CompositeType { attributes: self.completed(&ty.attributes), ..ty.clone() };
        let composites: Vec<CompositeType> = self.catalog.composites.iter().map(named).collect();
        if enums.is_empty() && composites.is_empty() {
            return;
        }
        for relation in self.pg.relations.values_mut() {
            if !relation.desc.attributes().iter().any(|column| is_enum(column.typid)) {
                continue;
            }
            let mut desc = (*relation.desc).clone();
            for (index, column) in relation.desc.attributes().iter().enumerate() {
                if let Some(ty) = enums.iter().find(|ty| ty.oid == column.typid) {
                    desc.set_labels(index, &ty.name, ty.labels.iter().cloned().collect());
                }
                if let Some(ty) = composites.iter().find(|ty| ty.oid == column.typid) {
                    desc.set_fields(index, &ty.name, ty.attributes.clone());
                }
            }
            if desc != *relation.desc {
                Arc::make_mut(relation).desc = Arc::new(desc);
            }
        }
    }
}
