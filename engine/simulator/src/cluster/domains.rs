//! Domains: types that are another one with conditions (`DefineDomain`, `AlterDomainAddConstraint`,
//! src/backend/commands/typecmds.c; the rows of `pg_type` and `pg_constraint` that they write).
//!
//! ```text
//!  CREATE DOMAIN posint AS int CHECK (VALUE > 0)    16384 posint[]   16385 posint   16386 posint_check
//!  CREATE TABLE t (a posint)                        a is stored as int; `Class::domains` says what is asked of it
//! ```

use super::ddl::{object_names, quote_identifier};
use super::pg_class::{Catalog, ExprId};
use super::{Class, Cluster};
use crate::version::Behaviour;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::SqlType;
use ffviz_format::page::Oid;

/// All of them.
pub type Domains = Arc<Vec<Arc<DomainType>>>;

/// A domain.
#[derive(Debug, Clone, PartialEq)]
pub struct DomainType {
    /// `pg_type.oid`
    pub oid: Oid,
    /// `nspname` of `typnamespace`
    pub schema: String,
    /// `typname`
    pub name: String,
    /// `typbasetype`, `typtypmod`
    pub base: SqlType,
    /// `typnotnull`; from 17 on the constraint has a name
    pub not_null: Option<String>,
    /// `typdefaultbin`
    pub default: Option<ExprId>,
    /// CHECKs, by name, which is the order in which they are asked
    pub checks: Vec<DomainCheck>,
}

/// CHECK of a domain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DomainCheck {
    /// `conname`
    pub name: String,
    /// `conbin`, over one column, the value
    pub expr: ExprId,
    /// `convalidated`: does it hold for all values?
    pub validated: bool,
}

/// A clause of CREATE DOMAIN, as far as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DomainPart {
    /// CHECK
    Check(DomainCheck),
    /// NOT NULL, by its name
    NotNull(String),
    /// what has no row of its own
    Other,
}

impl DomainType {
    /// Does a value have to satisfy anything?
    #[must_use]
    pub fn has_constraints(&self) -> bool {
        self.not_null.is_some() || !self.checks.is_empty()
    }

    /// Is there a constraint of that name?
    #[must_use]
    pub fn has_constraint(&self, name: &str) -> bool {
        self.not_null.as_deref() == Some(name) || self.checks.iter().any(|check| check.name == name)
    }

    fn add(&mut self, check: DomainCheck) {
        self.checks.push(check);
        self.sort();
    }

    /// `dcs_cmp`
    fn sort(&mut self) {
        self.checks.sort_by(|one, other| one.name.cmp(&other.name));
    }
}

impl Catalog {
    /// The domain of that OID.
    #[must_use]
    pub fn domain(&self, oid: Oid) -> Option<&Arc<DomainType>> {
        self.domains.iter().find(|domain| domain.oid == oid)
    }

    /// The domain of that name.
    #[must_use]
    pub fn domain_named(&self, schema: &str, name: &str) -> Option<&Arc<DomainType>> {
        self.domains.iter().find(|domain| domain.schema == schema && domain.name == name)
    }

    /// All of them.
    #[must_use]
    pub const fn domains(&self) -> &Domains {
        &self.domains
    }

    /// Has a type that scripts make that name?
    #[must_use]
    pub fn has_type(&self, schema: &str, name: &str) -> bool {
        self.enum_named(schema, name).is_some()
            || self.domain_named(schema, name).is_some()
            || self.composite_named(schema, name).is_some()
    }

    /// The domain of a column, by `attnum`.
    #[must_use]
    pub fn domain_of(&self, table: Oid, attnum: u16) -> Option<Oid> {
        self.class(table)?.domains.get(&attnum).copied()
    }
}

impl Cluster {
    /// `TypenameGetTypid`: the domain of that name, in that schema or in the first of `search_path` that has one.
    #[must_use]
    pub fn find_domain(&self, schema: Option<&str>, name: &str) -> Option<&Arc<DomainType>> {
        match schema {
            Some(schema) => self.catalog.domain_named(schema, name),
            None => self.search_path().into_iter().find_map(|schema| self.catalog.domain_named(schema, name)),
        }
    }

    /// `format_type` of a domain.
    #[must_use]
    pub fn domain_name(&self, oid: Oid) -> Option<String> {
        let domain = self.catalog.domain(oid)?;
        let name = quote_identifier(&domain.name);
        let is_found = self.find_domain(None, &domain.name) == Some(domain);
        Some(if is_found { name } else { format!("{}.{name}", quote_identifier(&domain.schema)) })
    }

    /// `DefineDomain`: the OIDs of the type of its arrays and of itself. The type is there before its constraints are
    /// looked at.
    pub fn begin_domain(&mut self) -> Oid {
        self.pg.current_xid();
        self.pg.new_object_id();
        let oid = self.pg.new_object_id();
        self.own(oid);
        oid
    }

    /// The same with its constraints, each with an OID. A command ends with each clause that finds something done.
    pub fn create_domain(&mut self, mut domain: DomainType, parts: Vec<DomainPart>) {
        self.keep_names();
        let (mut is_used, mut commands) = (true, 0);
        for part in parts {
            let has_row = match part {
                DomainPart::Check(check) => {
                    domain.add(check);
                    true
                }
                DomainPart::NotNull(name) => {
                    domain.not_null = Some(name);
                    self.version().catalogs_not_null_of_domains()
                }
                DomainPart::Other => false,
            };
            if has_row {
                self.pg.new_object_id();
            }
            commands += u32::from(is_used || has_row);
            is_used = false;
        }
        Arc::make_mut(&mut self.catalog.domains).push(Arc::new(domain));
        self.use_commands(commands + u32::from(is_used));
    }

    /// `RemoveTypeById` and `RemoveConstraintById`: the type, that of its arrays, and its constraints.
    pub fn drop_domain(&mut self, oid: Oid) {
        let Some(domain) = self.catalog.domain(oid).cloned() else { return };
        self.pg.current_xid();
        self.keep_names();
        Arc::make_mut(&mut self.catalog.domains).retain(|known| known.oid != oid);
        let not_null = domain.not_null.is_some() && self.version().catalogs_not_null_of_domains();
        self.use_commands(2 + domain.checks.len() as u32 + u32::from(not_null));
    }

    /// The OID of a constraint that is added, before the rows are looked at.
    pub fn begin_domain_constraint(&mut self) {
        self.pg.current_xid();
        self.pg.new_object_id();
    }

    /// ADD CONSTRAINT CHECK, which has its OID.
    pub fn add_domain_check(&mut self, oid: Oid, check: DomainCheck) {
        self.edit_domain(oid, 1, |domain| domain.add(check));
    }

    /// SET NOT NULL, by the name of the constraint, which has its OID, and DROP NOT NULL.
    pub fn set_domain_not_null(&mut self, oid: Oid, name: Option<String>) {
        self.pg.current_xid();
        let has_row = self.version().catalogs_not_null_of_domains();
        // DROP takes the row away, then changes the type
        let commands = 1 + u32::from(has_row && name.is_none());
        self.edit_domain(oid, commands, |domain| domain.not_null = name);
    }

    /// What ALTER DOMAIN changes in rows that are there.
    pub fn alter_domain(&mut self, oid: Oid, edit: impl FnOnce(&mut DomainType)) {
        self.pg.current_xid();
        self.edit_domain(oid, 1, edit);
    }

    fn edit_domain(&mut self, oid: Oid, commands: u32, edit: impl FnOnce(&mut DomainType)) {
        self.keep_names();
        let domains = Arc::make_mut(&mut self.catalog.domains);
        if let Some(domain) = domains.iter_mut().find(|domain| domain.oid == oid) {
            let domain = Arc::make_mut(domain);
            edit(domain);
            domain.sort();
        }
        self.use_commands(commands);
    }

    /// `ChooseConstraintName`: a name that no constraint of the schema has, nor one of these, which are made with it.
    #[must_use]
    pub fn domain_constraint_name(&self, schema: &str, domain: &str, label: &str, more: &[String]) -> String {
        let catalog = &self.catalog;
        let of_table = |name: &str, class: &Class| {
            class.schema == schema && class.constraints.iter().any(|it| catalog.constraint_name(it) == name)
        };
        let is_taken = |name: &str| {
            let of_domain = |domain: &Arc<DomainType>| domain.schema == schema && domain.has_constraint(name);
            more.iter().any(|other| other == name)
                || catalog.domains.iter().any(of_domain)
                || catalog.classes().any(|class| of_table(name, class))
        };
        object_names(domain, "", label).find(|name| !is_taken(name)).unwrap_or_default()
    }
}
