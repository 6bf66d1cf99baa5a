//! Conditions on an index' keys where columns have several values: `= ANY`, and columns that are skipped
//! (`_bt_preprocess_array_keys`, `_bt_num_array_keys`, `_bt_saoparray_shrink`, `_bt_skiparray_shrink`,
//! src/backend/access/nbtree/nbtpreprocesskeys.c).
//!
//! ```text
//!  index (a, b, c)   b IN (3, 1) AND b < 3 AND c = 7 ─▶ a: every value   b: 1   c: 7
//!                    before 18 a scan with conditions behind a gap has none of these, and tests them
//! ```

use super::row::eval;
use super::scan_keys::{as_kind, is_equality};
use crate::access::nbtree::{ArrayKey, Limit, Limits};
use crate::sql::ast::BinaryOp;
use crate::sql::plan::{KeyOp, KeyQual};
use crate::sql::tcop::Database;
use crate::storage::{IndexKey, Outcome, RelationData};
use crate::version::Behaviour;
use alloc::vec::Vec;
use core::cmp::Ordering;
use ffviz_format::datum::Value;
use ffviz_format::datum::compare::{Comparator, comparator_of};
use ffviz_format::datum::sql_type::Kind;
use ffviz_format::page::Oid;

/// A key a column; none where no entry can satisfy the conditions. `None`: no column has several values, or one is
/// compared with a number that its type cannot hold.
pub(super) fn find(db: &mut Database, index: &RelationData, keys: &[KeyQual]) -> Outcome<Option<Vec<ArrayKey>>> {
    let version = db.cluster.pg.version;
    if !version.reads_arrays_by_leaf() {
        return Ok(None);
    }
    let has_equal = |column: u16| keys.iter().any(|key| key.column == column && is_equality(key.op));
    let Some(mut last) = keys.iter().map(|key| key.column).max() else { return Ok(None) };
    let gap = (0..last).find(|column| !has_equal(*column));
    if !version.skips_columns() {
        last = gap.unwrap_or(last);
    }
    let has_array = || keys.iter().any(|key| key.column <= last && key.op == KeyOp::Any && key.value.len() > 1);
    if !(gap.is_some() && version.skips_columns() || has_array()) {
        return Ok(None);
    }
    let mut found = Vec::new();
    for number in 0..=last {
        let Some(column) = Column::of(index, number) else { return Ok(None) };
        let Some(wanted) = column.wanted(db, keys.iter().filter(|key| key.column == number))? else { return Ok(None) };
        if number == last && wanted.is_all {
            break;
        }
        let key = if wanted.is_never {
            None
        } else if has_equal(number) {
            ArrayKey::equal(wanted.values)
        } else if number == last {
            Some(ArrayKey::range(wanted.range(column.key)))
        } else {
            ArrayKey::skip(wanted.limits, wanted.is_all, column.kind, column.key)
        };
        let Some(key) = key else { return Ok(Some(Vec::new())) };
        found.push(key);
    }
    Ok(Some(found))
}

/// A key column of an index.
struct Column {
    typid: Oid,
    kind: Kind,
    key: IndexKey,
    compare: Comparator,
}

/// What a column is asked for, all conditions together.
struct Wanted {
    /// of `=`, `= ANY` and IS NULL
    values: Vec<Value>,
    limits: Limits,
    is_not_null: bool,
    /// nothing
    is_all: bool,
    /// what cannot be
    is_never: bool,
}

impl Wanted {
    /// With IS NOT NULL as an end, where nothing else is one on the side of the NULLs.
    fn range(self, key: IndexKey) -> Limits {
        let mut limits = self.limits;
        let end = if key.nulls_first { &mut limits.lower } else { &mut limits.upper };
        if self.is_not_null && end.is_none() {
            *end = Some(Limit { value: Value::Null, inclusive: false, own_type: true });
        }
        limits
    }
}

impl Column {
    fn of(index: &RelationData, number: u16) -> Option<Self> {
        let typid = index.desc.attributes().get(usize::from(number))?.typid;
        let key = *index.index.as_ref()?.columns.get(usize::from(number))?;
        let kind = Kind::of(typid);
        Some(Self { typid, kind, key, compare: comparator_of(kind)? })
    }

    /// In the order of the index.
    fn order(&self, a: &Value, b: &Value) -> Ordering {
        if self.key.desc { (self.compare)(b, a) } else { (self.compare)(a, b) }
    }

    /// All conditions on it; `None` where its type cannot hold a number that it is compared with.
    fn wanted<'a>(&self, db: &mut Database, keys: impl Iterator<Item = &'a KeyQual>) -> Outcome<Option<Wanted>> {
        let mut limits = Limits::default();
        let (mut equal, mut is_all, mut is_never) = (None::<Vec<Value>>, true, false);
        let (mut is_null, mut is_not_null) = (false, false);
        for key in keys {
            is_all = false;
            let Some(values) = self.values(db, key)? else { return Ok(None) };
            match key.op {
                KeyOp::IsNull => is_null = true,
                KeyOp::IsNotNull => is_not_null = true,
                // one that has such a key has no arrays; the latter are not of B-trees
                KeyOp::Rows(_) | KeyOp::Gist(_) => {}
                KeyOp::Any | KeyOp::Compare(BinaryOp::Eq) => {
                    equal = Some(match equal {
                        Some(others) => self.in_both(others, &values),
                        None => values,
                    });
                }
                KeyOp::Compare(op) => {
                    let own_type = key.value.first().is_some_and(|expr| expr.ty.oid == self.typid);
                    match values.into_iter().next() {
                        Some(value) => self.tighten(&mut limits, op, value, own_type),
                        None => is_never = true,
                    }
                }
            }
        }
        let has_limits = limits != Limits::default();
        let values = match equal {
            Some(values) if !is_null => values.into_iter().filter(|value| self.is_within(&limits, value)).collect(),
            None if is_null && !is_not_null && !has_limits => Vec::from([Value::Null]),
            _ => Vec::new(),
        };
        Ok(Some(Wanted { values, limits, is_not_null, is_all, is_never }))
    }

    /// What a condition compares with, without NULL, in the order of the index, each once (`_bt_sort_array_elements`).
    fn values(&self, db: &mut Database, key: &KeyQual) -> Outcome<Option<Vec<Value>>> {
        let mut values = Vec::new();
        for expr in &key.value {
            let value = eval(db, expr, &[], &[])?;
            if !value.is_null() {
                let Some(value) = as_kind(value, self.kind) else { return Ok(None) };
                values.push(value);
            }
        }
        values.sort_by(|a, b| self.order(a, b));
        values.dedup_by(|a, b| self.order(a, b).is_eq());
        Ok(Some(values))
    }

    /// `_bt_merge_arrays`
    fn in_both(&self, mut values: Vec<Value>, others: &[Value]) -> Vec<Value> {
        values.retain(|value| others.iter().any(|other| self.order(value, other).is_eq()));
        values
    }

    /// The narrower one of the limit that is there and another.
    fn tighten(&self, limits: &mut Limits, op: BinaryOp, value: Value, own_type: bool) {
        let is_upper = matches!(op, BinaryOp::Lt | BinaryOp::Le) != self.key.desc;
        let inclusive = matches!(op, BinaryOp::Le | BinaryOp::Ge);
        let limit = if is_upper { &mut limits.upper } else { &mut limits.lower };
        let is_narrower = limit.as_ref().is_none_or(|limit| match self.order(&value, &limit.value) {
            Ordering::Equal => !inclusive,
            order => order.is_lt() == is_upper,
        });
        if is_narrower {
            *limit = Some(Limit { value, inclusive, own_type });
        }
    }

    fn is_within(&self, limits: &Limits, value: &Value) -> bool {
        let holds = |limit: &Option<Limit>, beyond: Ordering| {
            limit.as_ref().is_none_or(|limit| match self.order(value, &limit.value) {
                Ordering::Equal => limit.inclusive,
                order => order != beyond,
            })
        };
        holds(&limits.lower, Ordering::Less) && holds(&limits.upper, Ordering::Greater)
    }
}
