//! Skip arrays: a column without `=` gets an array of all values that it has, so that the conditions on the columns
//! behind it can still be bounds of the scan. Which values those are is not known before: the scan finds each as it
//! goes on (from 18 on; `_bt_array_increment`, `_bt_array_set_low_or_high`, src/backend/access/nbtree/nbtutils.c;
//! `btint4skipsupport` and others, nbtcompare.c).
//!
//! ```text
//!  index (a, b), b = 5:   a before all ─▶ item (1, 3): a = 1 ─▶ item (1, 6): a = 2, or, of a type that knows no next value, a > 1 ─▶ …
//! ```

use super::keys::Limits;
use crate::storage::IndexKey;
use core::cmp::Ordering;
use ffviz_format::datum::Value;
use ffviz_format::datum::sql_type::Kind;

/// The current element of a skip array (`sk_flags` of its key).
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Element {
    /// `SK_BT_MINVAL`: the first value of the column, which is not known yet
    Lowest,
    /// `SK_BT_MAXVAL`: the last one, which is not known yet
    Highest,
    /// this value, or NULL
    At(Value),
    /// `SK_BT_NEXT`: the value behind this one, of a type that cannot tell which that is
    Next(Value),
    /// `SK_BT_PRIOR`: the value before this one, likewise
    Prior(Value),
}

/// The values of a column, none of which is asked for.
#[derive(Debug, Clone)]
pub(super) struct SkipArray {
    /// `low_compare`, `high_compare`
    pub limits: Limits,
    /// `null_elem`: is NULL one of them? Not where anything is asked of the column
    pub null_elem: bool,
    pub element: Element,
    kind: Kind,
    key: IndexKey,
}

impl SkipArray {
    /// Those between the limits. `null_elem`: NULL too; `None` where there can be none.
    pub fn new(mut limits: Limits, null_elem: bool, kind: Kind, key: IndexKey) -> Option<Self> {
        // _bt_skiparray_strat_adjust: with the next value the limit is one of them
        for (limit, up) in [(&mut limits.lower, true), (&mut limits.upper, false)] {
            let open = limit.as_mut().filter(|limit| !limit.inclusive && limit.own_type && has_support(kind));
            if let Some(limit) = open {
                limit.value = step(&limit.value, up != key.desc)?;
                limit.inclusive = true;
            }
        }
        Some(Self { limits, null_elem, element: Element::Lowest, kind, key })
    }

    /// `_bt_array_set_low_or_high`
    pub fn set_low_or_high(&mut self, low: bool) {
        self.element = match low {
            _ if self.null_elem && low == self.key.nulls_first => Element::At(Value::Null),
            true => Element::Lowest,
            false => Element::Highest,
        };
    }

    /// Is the current element known only when an item is read?
    pub const fn is_at_end(&self) -> bool {
        matches!(self.element, Element::Lowest | Element::Highest)
    }

    /// `_bt_array_increment`, `_bt_array_decrement`: to the next value in the order of the index, or the one before.
    /// Not beyond the last.
    pub fn advance(&mut self, up: bool) -> bool {
        let Element::At(value) = &self.element else { return false };
        let next = if value.is_null() && self.key.nulls_first != up {
            return false;
        } else if !has_support(self.kind) && up {
            Element::Next(value.clone())
        } else if !has_support(self.kind) {
            Element::Prior(value.clone())
        } else if value.is_null() {
            Element::At(end(self.kind, up != self.key.desc))
        } else {
            match step(value, up != self.key.desc) {
                Some(value) if self.limits.allow(&value, up, self.kind, self.key) => Element::At(value),
                None if self.null_elem && self.key.nulls_first != up => Element::At(Value::Null),
                _ => return false,
            }
        };
        self.element = next;
        true
    }
}

impl Limits {
    /// Is a value within the limit that lies in that direction?
    fn allow(&self, value: &Value, up: bool, kind: Kind, key: IndexKey) -> bool {
        let Some(limit) = (if up { &self.upper } else { &self.lower }) else { return true };
        let Some(compare) = ffviz_format::datum::compare::comparator_of(kind) else { return true };
        match compare(&limit.value, value) {
            Ordering::Equal => limit.inclusive,
            order => (order == Ordering::Greater) == (up != key.desc),
        }
    }
}

/// Has the type skip support: does it know which value comes next?
const fn has_support(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Bool
            | Kind::Char
            | Kind::Int2
            | Kind::Int4
            | Kind::Int8
            | Kind::Oid
            | Kind::Uuid
            | Kind::Date
            | Kind::Timestamp
            | Kind::TimestampTz
    )
}

/// `SkipSupportData.increment`, `decrement`: the next value of the type, or the one before; `None` at its end.
fn step(value: &Value, up: bool) -> Option<Value> {
    let to = if up { 1 } else { -1 };
    let near = |number: i64| i128::from(number) + to;
    match value {
        Value::Bool(is) => (*is != up).then_some(Value::Bool(up)),
        Value::Char(number) => u8::try_from(near((*number).into())).ok().map(Value::Char),
        Value::Int2(number) => i16::try_from(near((*number).into())).ok().map(Value::Int2),
        Value::Int4(number) => i32::try_from(near((*number).into())).ok().map(Value::Int4),
        Value::Int8(number) => i64::try_from(near(*number)).ok().map(Value::Int8),
        Value::Oid(number) => u32::try_from(near((*number).into())).ok().map(Value::Oid),
        Value::Uuid(bytes) => {
            u128::from_be_bytes(*bytes).checked_add_signed(to).map(|number| Value::Uuid(number.to_be_bytes()))
        }
        Value::Date(number) => i32::try_from(near((*number).into())).ok().map(Value::Date),
        Value::Timestamp(number) => i64::try_from(near(*number)).ok().map(Value::Timestamp),
        Value::TimestampTz(number) => i64::try_from(near(*number)).ok().map(Value::TimestampTz),
        _ => None,
    }
}

/// `SkipSupportData.low_elem`, `high_elem`: the first value of a type that has skip support, or the last.
const fn end(kind: Kind, low: bool) -> Value {
    match kind {
        Kind::Bool => Value::Bool(!low),
        Kind::Char => Value::Char(if low { u8::MIN } else { u8::MAX }),
        Kind::Int2 => Value::Int2(if low { i16::MIN } else { i16::MAX }),
        Kind::Int4 => Value::Int4(if low { i32::MIN } else { i32::MAX }),
        Kind::Int8 => Value::Int8(if low { i64::MIN } else { i64::MAX }),
        Kind::Oid => Value::Oid(if low { u32::MIN } else { u32::MAX }),
        Kind::Uuid => Value::Uuid(if low { [0; 16] } else { [0xff; 16] }),
        Kind::Date => Value::Date(if low { i32::MIN } else { i32::MAX }),
        Kind::Timestamp => Value::Timestamp(if low { i64::MIN } else { i64::MAX }),
        Kind::TimestampTz => Value::TimestampTz(if low { i64::MIN } else { i64::MAX }),
        _ => Value::Null,
    }
}
