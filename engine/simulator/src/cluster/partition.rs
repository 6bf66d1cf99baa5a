//! What the catalogs say of partitioned tables and their partitions (`pg_partitioned_table`, `pg_inherits`,
//! `pg_class.relpartbound`; src/include/partitioning/partdefs.h). Bounds are compared by `sql::partition`.
//!
//! ```text
//!  p  key: RANGE (day)          p's index, without pages
//!  ├─ c1  FROM a TO b           ├─ c1_day_idx
//!  └─ c2  DEFAULT               └─ c2_day_idx        each names its parent
//! ```

use super::ddl::CheckConstraint;
use super::{Catalog, Class, Cluster};
use crate::storage::{FileId, Persistence};
use crate::version::SqlBehaviour;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::{SqlError, Value};
use ffviz_format::page::{ForkNumber, Oid};

/// Of a relation that is partitioned, a partition, or both.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Partitioning {
    /// `pg_partitioned_table`
    pub key: Option<PartitionKey>,
    /// `inhparent`: the table that it is a partition of, or the index of that table that it is a part of
    pub parent: Option<Oid>,
    /// `relpartbound`
    pub bound: Option<PartitionBound>,
}

/// PARTITION BY.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartitionKey {
    /// `partstrat`
    pub strategy: PartitionStrategy,
    /// `partattrs`
    pub columns: Vec<u16>,
}

/// `partstrat`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartitionStrategy {
    /// RANGE
    Range,
    /// LIST
    List,
    /// HASH
    Hash,
}

impl PartitionStrategy {
    /// All, by their words.
    pub const ALL: [(&'static str, Self); 3] = [("range", Self::Range), ("list", Self::List), ("hash", Self::Hash)];

    /// Its word.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Range => "range",
            Self::List => "list",
            Self::Hash => "hash",
        }
    }
}

/// FOR VALUES (`PartitionBoundSpec`).
#[derive(Debug, Clone, PartialEq)]
pub enum PartitionBound {
    /// DEFAULT
    Default,
    /// IN
    List(Vec<Value>),
    /// FROM, TO
    Range(Vec<RangeDatum>, Vec<RangeDatum>),
    /// WITH (MODULUS, REMAINDER)
    Hash(i32, i32),
}

/// A value of a bound (`PartitionRangeDatum`).
#[derive(Debug, Clone, PartialEq)]
pub enum RangeDatum {
    /// MINVALUE
    Min,
    /// a value
    Value(Value),
    /// MAXVALUE
    Max,
}

impl Catalog {
    /// The partitions of a table, or the parts of an index, by oid.
    pub fn partitions(&self, parent: Oid) -> impl Iterator<Item = &Arc<Class>> {
        self.classes().filter(move |class| class.partitioning.parent == Some(parent))
    }

    /// The key of a partitioned table.
    #[must_use]
    pub fn partition_key(&self, table: Oid) -> Option<&PartitionKey> {
        self.class(table)?.partitioning.key.as_ref()
    }

    /// `get_partition_parent`
    #[must_use]
    pub fn partition_parent(&self, oid: Oid) -> Option<Oid> {
        self.class(oid)?.partitioning.parent
    }
}

impl Cluster {
    /// What stands for the file of a relation that has none.
    pub(super) fn no_file(&mut self, persistence: Persistence) -> FileId {
        let locator = self.locator(0);
        let file = self.pg.buffers.create(locator, persistence == Persistence::Permanent);
        self.pg.buffers.remove_fork(file, ForkNumber::Main);
        file
    }

    /// `StorePartitionBound`, `StoreCatalogInheritance`: the table is a partition from now on.
    pub fn store_partition_bound(&mut self, table: Oid, parent: Oid, bound: PartitionBound) {
        self.pg.current_xid();
        self.update_class_row(table);
        self.use_commands(1);
        self.set_partition_of(table, Some((parent, bound)));
        // its relation cache entry has a list of partitions
        self.edit_relation(parent, |_| {});
    }

    /// `StoreConstraints`: CHECKs that a partition has of its table, stored with its defaults, if it has some.
    ///
    /// # Errors
    /// As [`Self::add_check`].
    pub fn inherit_checks(
        &mut self,
        table: Oid,
        checks: &[CheckConstraint],
        with_defaults: bool,
    ) -> Result<(), SqlError> {
        checks.iter().try_for_each(|check| self.add_check(table, check))?;
        if !checks.is_empty() {
            self.update_class_row(table);
            self.use_commands(u32::from(!with_defaults));
        }
        Ok(())
    }

    /// Of which table the relation is a partition.
    fn set_partition_of(&mut self, table: Oid, of: Option<(Oid, PartitionBound)>) {
        self.edit_class(table, |class| {
            let (parent, bound) = of.unzip();
            (class.partitioning.parent, class.partitioning.bound) = (parent, bound);
        });
        self.edit_relation(table, |_| {});
    }

    /// `RemoveInheritance`: the table stands alone again, and its indexes.
    pub fn remove_inheritance(&mut self, table: Oid, parent: Oid) {
        self.pg.current_xid();
        let parts: Vec<Oid> =
            self.indexes_of(table).filter(|index| index.partitioning.parent.is_some()).map(oid_of).collect();
        self.set_partition_of(table, None);
        if self.version().detaches_indexes_one_by_one() {
            self.use_commands(parts.len() as u32);
        }
        for index in parts {
            self.edit_class(index, |class| class.partitioning.parent = None);
        }
        self.edit_relation(parent, |_| {});
        self.update_class_row(table);
        self.use_commands(2);
    }

    /// `IndexSetParentIndex`
    pub fn set_parent_index(&mut self, index: Oid, parent: Oid) {
        self.pg.current_xid();
        self.update_class_row(index);
        self.edit_class(index, |class| class.partitioning.parent = Some(parent));
    }

    /// The indexes of a table, partitioned or not, by oid.
    pub fn indexes_of(&self, table: Oid) -> impl Iterator<Item = &Arc<Class>> {
        use ffviz_format::state::RelKind::{Index, PartitionedIndex};
        let is_index = |class: &&Arc<Class>| matches!(class.kind, Index | PartitionedIndex);
        self.catalog.classes().filter(is_index).filter(move |class| class.table == Some(table))
    }
}

fn oid_of(class: &Arc<Class>) -> Oid {
    class.oid
}
