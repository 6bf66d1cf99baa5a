//! From the conditions on an index' keys to what its scan is given (`ExecIndexBuildScanKeys`,
//! src/backend/executor/nodeIndexscan.c; `_bt_preprocess_keys`, src/backend/access/nbtree/nbtutils.c).
//!
//! ```text
//!  index (a, b, c)   a = 1 AND b > 5 AND c = 7 ─▶ bounds: from (1, 5) to the end of (1)   tests: c = 7
//!                    a IN (1, 2)               ─▶ bounds: (1), and (2)
//!                    (a, b) > (1, 5)           ─▶ bounds: from behind (1, 5)
//! ```

use super::row::eval;
use crate::access::nbtree::{ArrayKey, IndexBounds, KeyTest, Wanted};
use crate::sql::ast::BinaryOp;
use crate::sql::plan::{KeyOp, KeyQual};
use crate::sql::tcop::Database;
use crate::storage::{IndexKey, Outcome, RelationData};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::cmp::Ordering;
use ffviz_format::datum::Value;
use ffviz_format::datum::compare::comparator_of;
use ffviz_format::datum::ops::same_moment;
use ffviz_format::datum::sql_type::Kind;

/// What the entries lie between: equal leading keys, then a range. What sets no bound is tested ([`tests`]).
#[derive(Debug, Clone, Default)]
pub(super) struct Bounds {
    /// one a value of `= ANY`, else one; none where no entry can satisfy the conditions, or `arrays` are there
    pub all: Vec<IndexBounds>,
    /// from 17 on, where columns have several values
    pub arrays: Vec<ArrayKey>,
    /// do the bounds and tests say all that the conditions do? Of numbers they do, unless one is beyond what the column
    /// can hold
    pub is_exact: bool,
    /// memory of the values of a condition
    values: Vec<Value>,
}

impl Bounds {
    /// Finds them, in the memory of the time before.
    pub fn find(&mut self, db: &mut Database, index: &RelationData, keys: &[KeyQual]) -> Outcome<()> {
        let is_number =
            |key: &KeyQual| matches!(index.desc.kind(key.column.into()), Kind::Int2 | Kind::Int4 | Kind::Int8);
        let has_rows = keys.iter().any(|key| matches!(key.op, KeyOp::Rows(_)));
        self.is_exact = keys.iter().all(is_number) && !has_rows;
        self.begin();
        if !has_rows && let Some(arrays) = super::array_keys::find(db, index, keys)? {
            self.all.clear();
            self.arrays = arrays;
            return Ok(());
        }
        let Some(form) = &index.index else { return Ok(()) };
        for column in 0..form.n_keys {
            let on_column = keys.iter().filter(|key| key.column == column);
            let Some(attribute) = index.desc.attributes().get(usize::from(column)) else { break };
            let kind = Kind::of(attribute.typid);
            let Some(equal) = on_column.clone().find(|key| is_equality(key.op)) else {
                let Some(key) = form.columns.get(usize::from(column)) else { break };
                self.range(db, on_column.clone(), kind, key)?;
                return self.rows(db, index, on_column);
            };
            if !self.find_values(db, equal, kind)? {
                return Ok(());
            }
            self.sort_values(kind, form.columns.get(usize::from(column)).is_some_and(|key| key.desc));
            self.each_with_values();
            if self.all.is_empty() {
                return Ok(());
            }
        }
        Ok(())
    }

    /// All entries.
    fn begin(&mut self) {
        self.arrays.clear();
        self.all.resize_with(1, IndexBounds::default);
        for IndexBounds { lower, lower_inclusive, upper, upper_inclusive } in &mut self.all {
            lower.clear();
            upper.clear();
            (*lower_inclusive, *upper_inclusive) = (true, true);
        }
    }

    /// Each of the bounds with each of the values.
    fn each_with_values(&mut self) {
        let Some((last, others)) = self.values.split_last() else { return self.all.clear() };
        let add = |bound: &mut IndexBounds, value: &Value| {
            bound.lower.push(value.clone());
            bound.upper.push(value.clone());
        };
        if others.is_empty() {
            return self.all.iter_mut().for_each(|bound| add(bound, last));
        }
        let one = |(bound, value): (&IndexBounds, &Value)| {
            let mut bound = bound.clone();
            add(&mut bound, value);
            bound
        };
        let pairs = self.all.iter().flat_map(|bound| self.values.iter().map(move |value| (bound, value)));
        self.all = pairs.map(one).collect();
    }

    /// `_bt_sort_array_elements`: in the order of the index, each once.
    fn sort_values(&mut self, kind: Kind, descending: bool) {
        let Some(compare) = comparator_of(kind).filter(|_| self.values.len() > 1) else { return };
        self.values.sort_by(|a, b| if descending { compare(b, a) } else { compare(a, b) });
        self.values.dedup_by(|a, b| compare(a, b).is_eq());
    }

    /// The values of a condition, without NULL. Can the column's type hold all of them?
    fn find_values(&mut self, db: &mut Database, key: &KeyQual, kind: Kind) -> Outcome<bool> {
        self.values.clear();
        if key.op == KeyOp::IsNull {
            self.values.push(Value::Null);
            return Ok(true);
        }
        for expr in &key.value {
            let value = eval(db, expr, &[], &[])?;
            if value.is_null() {
                continue;
            }
            let Some(value) = as_kind(value, kind) else {
                self.is_exact = false;
                return Ok(false);
            };
            self.values.push(value);
        }
        Ok(true)
    }

    /// Rows that are compared (`_bt_first` of `SK_ROW_HEADER`), where their first column has no bound on that side:
    /// values up to the first NULL, and of columns that cannot be NULL themselves, since a NULL behind the first column
    /// may belong to what is wanted.
    fn rows<'a>(
        &mut self,
        db: &mut Database,
        index: &RelationData,
        keys: impl Iterator<Item = &'a KeyQual>,
    ) -> Outcome<()> {
        for key in keys {
            let (KeyOp::Rows(op), Some(form)) = (key.op, &index.index) else { continue };
            let Some(table) = db.cluster.catalog.class(index.oid).and_then(|class| class.table) else { continue };
            let table = db.cluster.pg.relation(table)?;
            let first = usize::from(key.column);
            let Some(column) = form.columns.get(first) else { continue };
            let is_upper = matches!(op, BinaryOp::Lt | BinaryOp::Le) != column.desc;
            let (mut values, mut inclusive) = (Vec::new(), matches!(op, BinaryOp::Le | BinaryOp::Ge));
            for (expr, column) in key.value.iter().zip(&form.columns[first..]) {
                let attribute =
                    usize::from(column.attnum).checked_sub(1).and_then(|at| table.desc.attributes().get(at));
                let Some(attribute) = attribute.filter(|it| values.is_empty() || it.not_null) else {
                    inclusive = true;
                    break;
                };
                match as_kind(eval(db, expr, &[], &[])?, Kind::of(attribute.typid)) {
                    Some(Value::Null) if values.is_empty() => {
                        self.all.clear();
                        return Ok(());
                    }
                    Some(Value::Null) => {
                        inclusive = false;
                        break;
                    }
                    Some(value) => values.push(value),
                    None => {
                        inclusive = true;
                        break;
                    }
                }
            }
            for bounds in &mut self.all {
                let end = if is_upper { &bounds.upper } else { &bounds.lower };
                // of two bounds of one side the other is asked of the rows
                if end.len() > first || values.is_empty() {
                    continue;
                }
                values.iter().for_each(|value| bound(bounds, value, is_upper, inclusive));
            }
        }
        Ok(())
    }

    /// `<`, `<=`, `>=`, `>`, IS NOT NULL on the column after the equal ones.
    fn range<'a>(
        &mut self,
        db: &mut Database,
        keys: impl Iterator<Item = &'a KeyQual> + Clone,
        kind: Kind,
        column: &IndexKey,
    ) -> Outcome<()> {
        let (mut has_lower, mut has_upper) = (false, false);
        for key in keys.clone() {
            let KeyOp::Compare(op) = key.op else { continue };
            let inclusive = matches!(op, BinaryOp::Le | BinaryOp::Ge);
            let is_upper = matches!(op, BinaryOp::Lt | BinaryOp::Le) != column.desc;
            if !self.find_values(db, key, kind)? {
                continue;
            }
            let Some(value) = self.values.first() else {
                self.all.clear();
                return Ok(());
            };
            // of two bounds of one side the other is tested
            if core::mem::replace(if is_upper { &mut has_upper } else { &mut has_lower }, true) {
                continue;
            }
            self.all.iter_mut().for_each(|bounds| bound(bounds, value, is_upper, inclusive));
        }
        // the NULLs of a column lie together at one end of it
        let is_open = !if column.nulls_first { has_lower } else { has_upper };
        if is_open && keys.clone().any(|key| key.op == KeyOp::IsNotNull) {
            self.all.iter_mut().for_each(|bounds| bound(bounds, &Value::Null, !column.nulls_first, false));
        }
        Ok(())
    }
}

pub(super) const fn is_equality(op: KeyOp) -> bool {
    matches!(op, KeyOp::Compare(BinaryOp::Eq) | KeyOp::Any | KeyOp::IsNull)
}

/// Integers of other lengths are those of the column, and so are dates and timestamps of other types that are the same
/// moment.
pub(super) fn as_kind(value: Value, kind: Kind) -> Option<Value> {
    let Some(number) = value.integer() else {
        return match (&value, kind) {
            (Value::Date(_), Kind::Timestamp | Kind::TimestampTz)
            | (Value::Timestamp(_), Kind::Date | Kind::TimestampTz)
            | (Value::TimestampTz(_), Kind::Date | Kind::Timestamp) => same_moment(&value, kind),
            _ => Some(value),
        };
    };
    match kind {
        Kind::Int2 => i16::try_from(number).ok().map(Value::Int2),
        Kind::Int4 => i32::try_from(number).ok().map(Value::Int4),
        Kind::Int8 => Some(Value::Int8(number)),
        _ => Some(value),
    }
}

/// The conditions that set no bounds: those on columns behind the first that has no `=`, and what the columns before
/// are asked besides.
pub(super) fn tests(db: &mut Database, index: &RelationData, keys: &[KeyQual]) -> Outcome<Arc<[KeyTest]>> {
    let has_equal = |column: u16| keys.iter().any(|key| key.column == column && is_equality(key.op));
    let range = (0..).find(|column| !has_equal(*column)).unwrap_or(0);
    let mut found = Vec::new();
    for (n, key) in keys.iter().enumerate() {
        let is_first = !keys[..n].iter().any(|other| other.column == key.column && side(other.op) == side(key.op));
        let is_bound = is_first && (key.column == range || key.column < range && is_equality(key.op));
        let Some(attribute) = index.desc.attributes().get(usize::from(key.column)).filter(|_| !is_bound) else {
            continue;
        };
        // a row is asked of the rows that are found
        if matches!(key.op, KeyOp::Rows(_)) {
            continue;
        }
        if let Some(wanted) = wanted(db, key, Kind::of(attribute.typid))? {
            found.push(KeyTest { column: key.column, wanted });
        }
    }
    Ok(if found.is_empty() { Arc::default() } else { found.into() })
}

/// What a condition bounds: both ends, the upper one, the lower one, that of NULLs.
const fn side(op: KeyOp) -> u8 {
    match op {
        KeyOp::Compare(BinaryOp::Lt | BinaryOp::Le) => 1,
        KeyOp::Compare(BinaryOp::Gt | BinaryOp::Ge) => 2,
        KeyOp::IsNotNull => 3,
        _ => 0,
    }
}

/// What a condition wants of its column; `None` where it is true of every value that the column can have.
fn wanted(db: &mut Database, key: &KeyQual, kind: Kind) -> Outcome<Option<Wanted>> {
    let holds = match key.op {
        KeyOp::IsNull => return Ok(Some(Wanted::Null)),
        KeyOp::IsNotNull => return Ok(Some(Wanted::NotNull)),
        KeyOp::Compare(BinaryOp::Lt) => Ordering::is_lt,
        KeyOp::Compare(BinaryOp::Le) => Ordering::is_le,
        KeyOp::Compare(BinaryOp::Gt) => Ordering::is_gt,
        KeyOp::Compare(BinaryOp::Ge) => Ordering::is_ge,
        KeyOp::Any | KeyOp::Compare(_) | KeyOp::Rows(_) | KeyOp::Gist(_) => Ordering::is_eq,
    };
    let mut values = Vec::new();
    for expr in &key.value {
        let value = eval(db, expr, &[], &[])?;
        let number = value.integer();
        match as_kind(value, kind) {
            Some(Value::Null) => {}
            Some(value) => values.push(value),
            // beyond what the column can hold; a time between two days its rows are asked for
            None if number.is_none_or(|number| holds(0.cmp(&number))) => return Ok(None),
            None => {}
        }
    }
    Ok(Some(Wanted::Compare(values, holds)))
}

fn bound(bounds: &mut IndexBounds, value: &Value, is_upper: bool, inclusive: bool) {
    if is_upper {
        bounds.upper.push(value.clone());
        bounds.upper_inclusive = inclusive;
    } else {
        bounds.lower.push(value.clone());
        bounds.lower_inclusive = inclusive;
    }
}
