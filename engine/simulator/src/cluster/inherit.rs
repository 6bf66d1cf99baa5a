//! What the catalogs say of tables that inherit from others (`pg_inherits`, `pg_attribute.attinhcount`,
//! `pg_constraint.coninhcount`; src/backend/catalog/pg_inherits.c).
//!
//! ```text
//!  log ◀── log_2015      a child has the columns and CHECKs of its parents, and maybe its own; its rows are
//!      ◀── log_2016      read with those of the parent
//! ```

use super::ddl::CheckConstraint;
use super::pg_class::ColumnStats;
use super::{Catalog, Class, Cluster};
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::SqlError;
use ffviz_format::page::Oid;

/// Of a table that inherits from others, or from which others inherit.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Inheritance {
    /// `inhparent`, each with its `inhseqno`, by that
    pub parents: Vec<(Oid, i32)>,
    /// columns, by number, that a parent has too
    pub columns: BTreeMap<u16, Inherited>,
    /// constraints, by name, likewise
    pub constraints: BTreeMap<String, Inherited>,
    /// `relhassubclass`, which may stay when the last child is gone
    pub has_subclass: bool,
    /// what ANALYZE found out of columns, by number, of the table and its children together
    pub stats: BTreeMap<u16, Arc<ColumnStats>>,
}

/// How a column or a constraint is inherited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Inherited {
    /// `attinhcount`, `coninhcount`: how many parents have it
    pub count: u16,
    /// `attislocal`, `conislocal`: was it written for the child too?
    pub local: bool,
}

impl Inherited {
    /// Of one that no parent has.
    pub const LOCAL: Self = Self { count: 0, local: true };
    /// Of a partition, which has what its table has.
    pub const OF_PARTITION: Self = Self { count: 1, local: false };
}

impl Inheritance {
    /// How a column is inherited, by its number.
    #[must_use]
    pub fn column(&self, attnum: u16) -> Inherited {
        self.columns.get(&attnum).copied().unwrap_or(Inherited::LOCAL)
    }

    /// How a constraint is inherited.
    #[must_use]
    pub fn constraint(&self, name: &str) -> Inherited {
        self.constraints.get(name).copied().unwrap_or(Inherited::LOCAL)
    }
}

impl Class {
    /// Does it inherit from that table, and is no partition of it?
    #[must_use]
    pub fn inherits_from(&self, parent: Oid) -> bool {
        self.inheritance.parents.iter().any(|(oid, _)| *oid == parent)
    }
}

impl Catalog {
    /// `find_inheritance_children`: the tables that inherit from a table, its partitions, or the parts of an index,
    /// by oid.
    pub fn children(&self, parent: Oid) -> impl Iterator<Item = &Arc<Class>> {
        self.classes().filter(move |class| class.partitioning.parent == Some(parent) || class.inherits_from(parent))
    }

    /// `find_all_inheritors`: the table, its children, theirs; each once.
    #[must_use]
    pub fn inheritors(&self, table: Oid) -> Vec<Oid> {
        let mut all = Vec::from([table]);
        let mut at = 0;
        while let Some(parent) = all.get(at).copied() {
            let children: Vec<Oid> = self.children(parent).map(|class| class.oid).collect();
            for child in children {
                if !all.contains(&child) {
                    all.push(child);
                }
            }
            at += 1;
        }
        all
    }

    /// Do tables inherit from that one, which is not partitioned?
    #[must_use]
    pub fn is_inherited(&self, table: Oid) -> bool {
        self.classes().any(|class| class.inherits_from(table))
    }

    /// The tables that a table inherits from, the first one first.
    #[must_use]
    pub fn parents(&self, table: Oid) -> Vec<Oid> {
        let class = self.class(table);
        class.map_or_else(Vec::new, |class| class.inheritance.parents.iter().map(|(oid, _)| *oid).collect())
    }
}

impl Cluster {
    /// `StoreConstraints`: CHECKs that a new table has of its parents. Its row of `pg_class` is written anew by the
    /// command that writes those of columns with defaults of the parents, if there are any.
    ///
    /// # Errors
    /// As [`Self::add_check`].
    pub fn add_checks_of_parents(
        &mut self,
        table: Oid,
        checks: &[CheckConstraint],
        with_defaults: bool,
    ) -> Result<(), SqlError> {
        checks.iter().try_for_each(|check| self.add_check(table, check))?;
        if !checks.is_empty() && !with_defaults {
            self.update_class_row(table);
            self.use_commands(1);
        }
        Ok(())
    }

    /// `StoreCatalogInheritance1`: the table inherits from that one, too.
    pub fn store_inheritance(&mut self, table: Oid, parent: Oid) {
        self.pg.current_xid();
        self.edit_class(table, |class| {
            let last = class.inheritance.parents.iter().map(|(_, number)| *number).max();
            class.inheritance.parents.push((parent, last.unwrap_or(0) + 1));
        });
        self.edit_relation(table, |_| {});
        self.set_has_subclass(parent);
    }

    /// `SetRelationHasSubclass`
    fn set_has_subclass(&mut self, parent: Oid) {
        if self.catalog.class(parent).is_some_and(|class| !class.inheritance.has_subclass) {
            self.update_class_row(parent);
            self.edit_class(parent, |class| class.inheritance.has_subclass = true);
        }
        // its relation cache entry may have a list of children
        self.edit_relation(parent, |_| {});
    }

    /// The same where the last child is gone, which ANALYZE finds.
    pub fn forget_subclasses(&mut self, table: Oid) {
        self.use_commands(1);
        self.update_class_row(table);
        self.edit_class(table, |class| class.inheritance.has_subclass = false);
        self.edit_relation(table, |_| {});
    }

    /// `update_attstats` with `inh`: what ANALYZE found out of columns of a table and its children together.
    pub fn set_inherited_stats(&mut self, table: Oid, found: BTreeMap<u16, Arc<ColumnStats>>) {
        if found.is_empty() {
            return;
        }
        self.pg.current_xid();
        self.edit_class(table, |class| class.inheritance.stats.extend(found));
        self.forget_statistics(table);
        if let Some(xact) = &mut self.pg.backend_mut().xact {
            xact.command_id_used = true;
        }
    }

    /// `DeleteInheritsTuple`
    pub fn drop_inheritance(&mut self, table: Oid, parent: Oid) {
        self.pg.current_xid();
        self.edit_class(table, |class| class.inheritance.parents.retain(|(oid, _)| *oid != parent));
        self.edit_relation(table, |_| {});
        self.edit_relation(parent, |_| {});
    }

    /// How columns and constraints of a table are inherited is changed.
    pub fn edit_inheritance(&mut self, table: Oid, change: impl FnOnce(&mut Inheritance)) {
        self.pg.current_xid();
        self.edit_class(table, |class| change(&mut class.inheritance));
        self.edit_relation(table, |_| {});
    }
}
