//! The partitions of a table in the order of their bounds (`RelationBuildPartitionDesc`,
//! src/backend/partitioning/partdesc.c; `partition_bounds_create`, `check_new_partition_bound`, partbounds.c), and the
//! one that a row belongs to (`get_partition_for_tuple`, src/backend/executor/execPartition.c).
//!
//! ```text
//!  RANGE  ──[ c1 )──[ c2 )── gap ──[ c3 )──   by upper bound      LIST  by the least value, then NULL
//!         a row in a gap, or with NULL in its key, is DEFAULT's   HASH  by modulus and remainder
//! ```

use super::hash::row_hash;
use crate::cluster::Catalog;
use crate::cluster::partition::{PartitionBound, PartitionKey, PartitionStrategy, RangeDatum};
use crate::sql::expr::compare;
use crate::storage::RelationData;
use alloc::vec::Vec;
use core::cmp::Ordering;
use ffviz_format::datum::input::Context as Input;
use ffviz_format::datum::{SqlType, Value};
use ffviz_format::page::Oid;

/// The partitions of a table.
#[derive(Debug, Clone)]
pub struct PartitionDesc {
    /// how rows are told apart
    pub strategy: PartitionStrategy,
    /// columns of the key, from 0, with their types
    pub keys: Vec<(u16, SqlType)>,
    /// in their order, the default one last
    pub parts: Vec<Part>,
    input: Input,
}

/// A partition.
#[derive(Debug, Clone)]
pub struct Part {
    /// the table
    pub oid: Oid,
    /// its bound
    pub bound: PartitionBound,
}

impl PartitionDesc {
    /// Those of a table; `None` where it is not partitioned.
    #[must_use]
    pub fn of(catalog: &Catalog, relation: &RelationData, input: Input) -> Option<Self> {
        let PartitionKey { strategy, columns } = catalog.partition_key(relation.oid)?;
        let key = |attnum: &u16| {
            let column = relation.desc.attributes().get(usize::from(attnum - 1))?;
            Some((attnum - 1, column.ty()))
        };
        let keys = columns.iter().filter_map(key).collect();
        let mut desc = Self { strategy: *strategy, keys, parts: Vec::new(), input };
        let part = |class: &alloc::sync::Arc<crate::cluster::Class>| {
            Some(Part { oid: class.oid, bound: class.partitioning.bound.clone()? })
        };
        let mut parts: Vec<Part> = catalog.partitions(relation.oid).filter_map(part).collect();
        parts.sort_by(|one, other| desc.order(&one.bound, &other.bound));
        desc.parts = parts;
        Some(desc)
    }

    /// The order of two values of a column of the key; NULL comes last.
    pub(super) fn compare(&self, column: usize, one: &Value, other: &Value) -> Ordering {
        match (one.is_null(), other.is_null()) {
            (false, false) => compare(one, other, [self.keys[column].1.oid; 2], &self.input).unwrap_or(Ordering::Equal),
            (one, other) => one.cmp(&other),
        }
    }

    pub(super) const fn input(&self) -> &Input {
        &self.input
    }

    /// `partition_rbound_cmp`, of values alone.
    pub(super) fn compare_range(&self, one: &[RangeDatum], other: &[RangeDatum]) -> Ordering {
        const fn rank(datum: &RangeDatum) -> u8 {
            match datum {
                RangeDatum::Min => 0,
                RangeDatum::Value(_) => 1,
                RangeDatum::Max => 2,
            }
        }
        for (column, (one, other)) in one.iter().zip(other).enumerate() {
            let order = match (one, other) {
                (RangeDatum::Value(one), RangeDatum::Value(other)) => self.compare(column, one, other),
                _ if rank(one) == rank(other) => return Ordering::Equal,
                _ => rank(one).cmp(&rank(other)),
            };
            if order != Ordering::Equal {
                return order;
            }
        }
        Ordering::Equal
    }

    fn order(&self, one: &PartitionBound, other: &PartitionBound) -> Ordering {
        match (one, other) {
            (PartitionBound::Range(_, one), PartitionBound::Range(_, other)) => self.compare_range(one, other),
            (PartitionBound::Hash(modulus, remainder), PartitionBound::Hash(other, its)) => {
                (modulus, remainder).cmp(&(other, its))
            }
            (PartitionBound::List(one), PartitionBound::List(other)) => {
                let least = |values: &[Value]| {
                    values.iter().min_by(|one, other| self.compare(0, one, other)).cloned().unwrap_or(Value::Null)
                };
                self.compare(0, &least(one), &least(other))
            }
            (one, other) => (*one == PartitionBound::Default).cmp(&(*other == PartitionBound::Default)),
        }
    }

    /// `get_default_oid_from_partdesc`
    #[must_use]
    pub fn default_part(&self) -> Option<Oid> {
        self.parts.iter().find(|part| part.bound == PartitionBound::Default).map(|part| part.oid)
    }

    /// The values of a row's key.
    #[must_use]
    pub fn key_of(&self, row: &[Value]) -> Vec<Value> {
        self.keys.iter().map(|(column, _)| row.get(usize::from(*column)).cloned().unwrap_or(Value::Null)).collect()
    }

    /// The partition of a row with this key, where there is one.
    #[must_use]
    pub fn find(&self, key: &[Value]) -> Option<Oid> {
        let part = self.parts.iter().find(|part| self.takes(&part.bound, key));
        part.map(|part| part.oid).or_else(|| self.default_part())
    }

    /// Is a row with this key within the bound? Within DEFAULT it is if it is in no other.
    #[must_use]
    pub fn takes(&self, bound: &PartitionBound, key: &[Value]) -> bool {
        match bound {
            PartitionBound::Default => false,
            PartitionBound::List(values) => {
                let is_it = |value: &Value| key.first().is_some_and(|key| self.compare(0, value, key).is_eq());
                values.iter().any(is_it)
            }
            PartitionBound::Range(from, to) => {
                let has_null = key.iter().any(Value::is_null);
                let key: Vec<RangeDatum> = key.iter().cloned().map(RangeDatum::Value).collect();
                !has_null && self.compare_range(from, &key).is_le() && self.compare_range(&key, to).is_lt()
            }
            PartitionBound::Hash(modulus, remainder) => {
                row_hash(key) % u64::from(modulus.unsigned_abs()) == u64::from(remainder.unsigned_abs())
            }
        }
    }

    /// Is no row between these?
    #[must_use]
    pub fn is_empty_range(&self, from: &[RangeDatum], to: &[RangeDatum]) -> bool {
        self.compare_range(from, to).is_ge()
    }

    /// The first partition that would have rows of a new one.
    #[must_use]
    pub fn overlapping(&self, bound: &PartitionBound) -> Option<Oid> {
        let overlaps = |part: &&Part| match (&part.bound, bound) {
            (PartitionBound::Default, PartitionBound::Default) => true,
            (PartitionBound::List(_), PartitionBound::List(new)) => {
                new.iter().any(|value| self.takes(&part.bound, core::slice::from_ref(value)))
            }
            (PartitionBound::Range(from, to), PartitionBound::Range(new_from, new_to)) => {
                self.compare_range(from, new_to).is_lt() && self.compare_range(new_from, to).is_lt()
            }
            (PartitionBound::Hash(modulus, remainder), PartitionBound::Hash(new, its)) => {
                let least = *modulus.min(new);
                remainder % least == its % least
            }
            _ => false,
        };
        self.parts.iter().find(overlaps).map(|part| part.oid)
    }
}
