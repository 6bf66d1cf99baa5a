//! Ranges: the range type's oid, up to two bounds, flags in the last byte (src/backend/utils/adt/rangetypes.c).
//!
//! ```text
//! ├ rangetypid ┼ lower bound, aligned ┼ upper bound, aligned ┼ flags ┤      of an empty range no bounds
//! ```

use super::compare::comparator_of;
use super::cursor::Cursor;
use super::error::{Result, SqlError};
use super::form::SHORT_MAX;
use super::sql_type::{Kind, SqlType};
use super::types;
use super::value::Value;
use crate::page::Oid;
use crate::page::layout::Wire;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::cmp::Ordering;

/// `RANGE_EMPTY`
pub const RANGE_EMPTY: u8 = 0x01;
const RANGE_LB_INC: u8 = 0x02;
const RANGE_UB_INC: u8 = 0x04;
const RANGE_LB_INF: u8 = 0x08;
const RANGE_UB_INF: u8 = 0x10;

const INT4RANGE: Oid = 3904;
const INT8RANGE: Oid = 3926;
const DATERANGE: Oid = 3912;

/// The type of the bounds of the built-in range types (`pg_range.rngsubtype`).
#[must_use]
pub const fn range_subtype(range: Oid) -> Option<Oid> {
    Some(match range {
        INT4RANGE => 23,
        3906 => 1700,
        3908 => 1114,
        3910 => 1184,
        DATERANGE => 1082,
        INT8RANGE => 20,
        _ => return None,
    })
}

/// `RangeBound`
#[derive(Debug, Clone, PartialEq)]
pub struct Bound {
    /// the bound; `None`: there is none on that side
    pub value: Option<Value>,
    /// does the range contain it?
    pub inclusive: bool,
    /// is it the lower one?
    pub lower: bool,
}

/// A range taken apart (`range_deserialize`).
#[derive(Debug, Clone, PartialEq)]
pub struct Range {
    /// the type of the range
    pub oid: Oid,
    /// the byte at its end
    pub flags: u8,
    /// where it begins
    pub lower: Bound,
    /// where it ends
    pub upper: Bound,
}

impl Bound {
    /// A bound that a value says, NULL none.
    #[must_use]
    pub fn new(value: Value, inclusive: bool, lower: bool) -> Self {
        let value = Some(value).filter(|value| !value.is_null());
        Self { inclusive, lower, value }
    }

    const fn turned(mut self, lower: bool) -> Self {
        self.inclusive = !self.inclusive;
        self.lower = lower;
        self
    }

    /// `range_cmp_bound_values`: whichever of them belongs to its range.
    #[must_use]
    pub fn cmp_value(&self, other: &Self) -> Ordering {
        let below = |is_lower: bool| if is_lower { Ordering::Less } else { Ordering::Greater };
        match (&self.value, &other.value) {
            (None, None) if self.lower == other.lower => Ordering::Equal,
            (None, _) => below(self.lower),
            (_, None) => below(other.lower).reverse(),
            (Some(a), Some(b)) => compare_elements(a, b),
        }
    }

    /// `range_cmp_bounds`: where a range begins or ends there, before another one does.
    #[must_use]
    pub fn compare(&self, other: &Self) -> Ordering {
        let order = self.cmp_value(other);
        if order.is_ne() || self.value.is_none() || other.value.is_none() {
            return order;
        }
        let without = |is_lower: bool| if is_lower { Ordering::Greater } else { Ordering::Less };
        match (self.inclusive, other.inclusive) {
            (false, false) if self.lower == other.lower => Ordering::Equal,
            (false, _) => without(self.lower),
            (true, false) => without(other.lower).reverse(),
            (true, true) => Ordering::Equal,
        }
    }
}

/// The order of two values of a range's subtype.
fn compare_elements(a: &Value, b: &Value) -> Ordering {
    let kind = match a {
        Value::Int4(_) => Kind::Int4,
        Value::Date(_) => Kind::Date,
        Value::Numeric(_) => Kind::Numeric,
        _ => Kind::Int8,
    };
    comparator_of(kind).map_or(Ordering::Equal, |compare| compare(a, b))
}

impl Range {
    /// The range that is stored in a value; `None` of what is none.
    #[must_use]
    pub fn of(value: &Value) -> Option<Self> {
        Self::read(value.plain_bytes()?)
    }

    /// Reads what is stored; `None` for bytes that no range has.
    #[must_use]
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let (flags, body) = bytes.split_last()?;
        let oid = Oid::get(body.get(..4)?);
        let ty = types::find(range_subtype(oid)?)?;
        let kind = Kind::of(ty.oid);
        // positions count from the varlena header of 4 bytes; the bounds follow it and the oid
        let mut cursor = Cursor::new(body, 4, 8);
        let mut bound = |infinite: u8| match flags & (infinite | RANGE_EMPTY) {
            0 => cursor.take(ty.len, ty.align).map(|bytes| {
                let is_whole = kind.fixed_len().is_none_or(|len| len == bytes.len());
                is_whole.then(|| Value::from_stored(kind, bytes))
            }),
            _ => Some(None),
        };
        let (lower, upper) = (bound(RANGE_LB_INF)?, bound(RANGE_UB_INF)?);
        let lower = Bound { value: lower, inclusive: flags & RANGE_LB_INC != 0, lower: true };
        let upper = Bound { value: upper, inclusive: flags & RANGE_UB_INC != 0, lower: false };
        Some(Self { oid, flags: *flags, lower, upper })
    }

    /// `RangeIsEmpty`
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.flags & RANGE_EMPTY != 0
    }

    /// The bounds, below and above, that every part of the range lies between; `None` of an empty range.
    fn both<'a>(&'a self, other: &'a Self) -> Option<[&'a Bound; 4]> {
        (!self.is_empty() && !other.is_empty()).then_some([&self.lower, &self.upper, &other.lower, &other.upper])
    }

    /// `range_contains_elem_internal`
    #[must_use]
    pub fn contains_element(&self, element: &Value) -> bool {
        let at = Bound::new(element.clone(), true, true);
        let below = match self.lower.cmp_value(&at) {
            Ordering::Equal => self.lower.inclusive,
            order => order.is_lt(),
        };
        let above = match self.upper.cmp_value(&at) {
            Ordering::Equal => self.upper.inclusive,
            order => order.is_gt(),
        };
        !self.is_empty() && below && above
    }

    /// `range_overlaps_internal`
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        self.both(other).is_some_and(|[l1, u1, l2, u2]| {
            l1.compare(l2).is_ge() && l1.compare(u2).is_le() || l2.compare(l1).is_ge() && l2.compare(u1).is_le()
        })
    }

    /// `range_contains_internal`
    #[must_use]
    pub fn contains(&self, other: &Self) -> bool {
        let within = |[l1, u1, l2, u2]: [&Bound; 4]| l1.compare(l2).is_le() && u1.compare(u2).is_ge();
        other.is_empty() || self.both(other).is_some_and(within)
    }

    /// `range_before_internal`
    #[must_use]
    pub fn is_before(&self, other: &Self) -> bool {
        self.both(other).is_some_and(|[_, u1, l2, _]| u1.compare(l2).is_lt())
    }

    /// `range_overleft_internal`
    #[must_use]
    pub fn is_overleft(&self, other: &Self) -> bool {
        self.both(other).is_some_and(|[_, u1, _, u2]| u1.compare(u2).is_le())
    }

    /// `range_overright_internal`
    #[must_use]
    pub fn is_overright(&self, other: &Self) -> bool {
        self.both(other).is_some_and(|[l1, _, l2, _]| l1.compare(l2).is_ge())
    }

    /// `range_adjacent_internal`
    ///
    /// # Errors
    /// A bound that the type has not.
    pub fn is_adjacent(&self, other: &Self) -> Result<bool> {
        let Some([l1, u1, l2, u2]) = self.both(other) else { return Ok(false) };
        Ok(self.bounds_adjacent(u1, l2)? || self.bounds_adjacent(u2, l1)?)
    }

    /// `bounds_adjacent`: is there nothing between an upper bound and a lower one, and do they not overlap?
    fn bounds_adjacent(&self, upper: &Bound, lower: &Bound) -> Result<bool> {
        Ok(match upper.cmp_value(lower) {
            Ordering::Less if is_discrete(self.oid) => {
                let between = make_range(self.oid, upper.clone().turned(true), lower.clone().turned(false))?;
                Self::of(&between).is_some_and(|range| range.is_empty())
            }
            Ordering::Equal => upper.inclusive != lower.inclusive,
            _ => false,
        })
    }

    /// `range_union_internal`; what lies between them belongs to it where the caller says so.
    ///
    /// # Errors
    /// Something lies between them.
    pub fn union(&self, other: &Self, is_strict: bool) -> Result<Value> {
        let Some([l1, u1, l2, u2]) = self.both(other) else {
            return Ok((if self.is_empty() { other } else { self }).value());
        };
        if is_strict && !self.overlaps(other) && !self.is_adjacent(other)? {
            return Err(SqlError::new("22000", "result of range union would not be contiguous"));
        }
        let lower = if l1.compare(l2).is_lt() { l1 } else { l2 };
        let upper = if u1.compare(u2).is_gt() { u1 } else { u2 };
        make_range(self.oid, lower.clone(), upper.clone())
    }

    /// `range_intersect_internal`
    ///
    /// # Errors
    /// A bound that the type has not.
    pub fn intersect(&self, other: &Self) -> Result<Value> {
        let Some([l1, u1, l2, u2]) = self.both(other).filter(|_| self.overlaps(other)) else {
            return Ok(empty_range(self.oid));
        };
        let lower = if l1.compare(l2).is_ge() { l1 } else { l2 };
        let upper = if u1.compare(u2).is_le() { u1 } else { u2 };
        make_range(self.oid, lower.clone(), upper.clone())
    }

    /// `range_minus_internal`
    ///
    /// # Errors
    /// Two ranges are left.
    pub fn minus(&self, other: &Self) -> Result<Value> {
        let Some([l1, u1, l2, u2]) = self.both(other) else { return Ok(self.value()) };
        let (ll, lu, ul, uu) = (l1.compare(l2), l1.compare(u2), u1.compare(l2), u1.compare(u2));
        if ll.is_lt() && uu.is_gt() {
            return Err(SqlError::new("22000", "result of range difference would not be contiguous"));
        }
        if lu.is_gt() || ul.is_lt() {
            return Ok(self.value());
        }
        if ll.is_ge() && uu.is_le() {
            return Ok(empty_range(self.oid));
        }
        if ll.is_le() && ul.is_ge() && uu.is_le() {
            return make_range(self.oid, l1.clone(), l2.clone().turned(false));
        }
        make_range(self.oid, u2.clone().turned(true), u1.clone())
    }

    /// `range_cmp`: an empty one is below all others.
    #[must_use]
    pub fn compare(&self, other: &Self) -> Ordering {
        match (self.is_empty(), other.is_empty()) {
            (false, false) => self.lower.compare(&other.lower).then_with(|| self.upper.compare(&other.upper)),
            (a, b) => b.cmp(&a),
        }
    }

    fn value(&self) -> Value {
        if self.is_empty() { empty_range(self.oid) } else { store(self.oid, &self.lower, &self.upper, self.flags) }
    }
}

/// Has the type a canonical form (`pg_range.rngcanonical`)?
const fn is_discrete(range: Oid) -> bool {
    matches!(range, INT4RANGE | INT8RANGE | DATERANGE)
}

/// `range_cmp`, of two ranges as they are stored.
pub fn compare(a: &Value, b: &Value) -> Ordering {
    match (Range::of(a), Range::of(b)) {
        (Some(a), Some(b)) => a.compare(&b),
        _ => Ordering::Equal,
    }
}

/// `make_empty_range`
#[must_use]
pub fn empty_range(range: Oid) -> Value {
    let none = |lower| Bound { value: None, inclusive: false, lower };
    store(range, &none(true), &none(false), RANGE_EMPTY)
}

/// `make_range`: the range between two bounds, in the canonical form of its type.
///
/// # Errors
/// The lower bound is above the upper one; a bound that the type has not.
pub fn make_range(range: Oid, mut lower: Bound, mut upper: Bound) -> Result<Value> {
    let flags = flags_of(&lower, &upper)?;
    if flags & RANGE_EMPTY != 0 || !is_discrete(range) {
        return Ok(store(range, &lower, &upper, flags));
    }
    if let Some(value) = lower.value.as_mut().filter(|_| !lower.inclusive)
        && let Some(next) = next(value)?
    {
        (*value, lower.inclusive) = (next, true);
    }
    if let Some(value) = upper.value.as_mut().filter(|_| upper.inclusive)
        && let Some(next) = next(value)?
    {
        (*value, upper.inclusive) = (next, false);
    }
    let flags = flags_of(&lower, &upper)?;
    Ok(store(range, &lower, &upper, flags))
}

/// The value behind one of a discrete type (`int4range_canonical` and its like); a date that is infinite has none.
fn next(value: &Value) -> Result<Option<Value>> {
    /// `DATE_END_JULIAN` counted from 2000-01-01
    const DATE_END: i32 = 2_147_483_494 - 2_451_545;
    Ok(Some(match value {
        Value::Int4(number) => {
            let next = number.checked_add(1);
            Value::Int4(next.ok_or_else(|| SqlError::out_of_range("integer out of range"))?)
        }
        Value::Int8(number) => {
            let next = number.checked_add(1);
            Value::Int8(next.ok_or_else(|| SqlError::out_of_range("bigint out of range"))?)
        }
        Value::Date(i32::MIN | i32::MAX) => return Ok(None),
        Value::Date(day) if day + 1 >= DATE_END => return Err(SqlError::datetime_range("date out of range")),
        Value::Date(day) => Value::Date(day + 1),
        _ => return Ok(None),
    }))
}

/// The byte at the end of a range (`range_serialize`).
fn flags_of(lower: &Bound, upper: &Bound) -> Result<u8> {
    match lower.cmp_value(upper) {
        Ordering::Greater => {
            let message = "range lower bound must be less than or equal to range upper bound";
            return Err(SqlError::new("22000", message));
        }
        Ordering::Equal if !(lower.inclusive && upper.inclusive) => return Ok(RANGE_EMPTY),
        _ => {}
    }
    let flag = |bound: &Bound, infinite, inclusive| match bound.value {
        None => infinite,
        Some(_) if bound.inclusive => inclusive,
        Some(_) => 0,
    };
    Ok(flag(lower, RANGE_LB_INF, RANGE_LB_INC) | flag(upper, RANGE_UB_INF, RANGE_UB_INC))
}

/// `range_serialize`, of bounds whose flags are known.
fn store(range: Oid, lower: &Bound, upper: &Bound, flags: u8) -> Value {
    let mut bytes = Vec::from(range.to_le_bytes());
    let align = range_subtype(range).map_or(1, |subtype| usize::from(SqlType::plain(subtype).align().bytes()));
    let values = [&lower.value, &upper.value].into_iter().flatten().filter(|_| flags & RANGE_EMPTY == 0);
    for value in values {
        match value.plain_bytes() {
            // a number that fits gets a header of one byte, which is not aligned (datum_write)
            Some(payload) if payload.len() <= SHORT_MAX => bytes.push(((payload.len() + 1) << 1 | 1) as u8),
            header => {
                bytes.resize((bytes.len() + 4).next_multiple_of(align) - 4, 0);
                if let Some(payload) = header {
                    bytes.extend_from_slice(&(((payload.len() + 4) << 2) as u32).to_le_bytes());
                }
            }
        }
        value.store(&mut bytes);
    }
    bytes.push(flags);
    Value::Range(bytes.into())
}

/// `range_in`, given how text becomes a bound.
///
/// # Errors
/// Text that is no range; those of the bounds' type; a lower bound above the upper one.
pub fn range_in(text: &str, range: Oid, element: impl Fn(&str, SqlType) -> Result<Value>) -> Result<Value> {
    let malformed = |detail: &str| {
        SqlError::new("22P02", format!("malformed range literal: \"{text}\"")).with_detail(detail.to_string())
    };
    let Some(parts) = Parts::read(text).map_err(malformed)? else { return Ok(empty_range(range)) };
    let subtype = SqlType::plain(range_subtype(range).unwrap_or_default());
    let bound = |text: Option<String>| text.map_or(Ok(Value::Null), |text| element(&text, subtype));
    let (lower, upper) = (bound(parts.lower)?, bound(parts.upper)?);
    let [lower_inc, upper_inc] = parts.inclusive;
    make_range(range, Bound::new(lower, lower_inc, true), Bound::new(upper, upper_inc, false))
}

/// `range_parse`: the texts of the bounds.
struct Parts {
    lower: Option<String>,
    upper: Option<String>,
    inclusive: [bool; 2],
}

impl Parts {
    /// `None`: the word empty; an error says what is wrong.
    fn read(text: &str) -> core::result::Result<Option<Self>, &'static str> {
        let space = |c: char| matches!(c, ' ' | '\t'..='\r');
        let body = text.trim_start_matches(space);
        if let Some((word, rest)) = body.split_at_checked(5)
            && word.eq_ignore_ascii_case("empty")
        {
            let is_end = rest.chars().all(space);
            return if is_end { Ok(None) } else { Err("Junk after \"empty\" key word.") };
        }
        let mut chars = body.chars();
        let lower_inc = match chars.next() {
            Some(open @ ('[' | '(')) => open == '[',
            _ => return Err("Missing left parenthesis or bracket."),
        };
        let (lower, end) = bound(&mut chars)?;
        if end != ',' {
            return Err("Missing comma after lower bound.");
        }
        let (upper, end) = bound(&mut chars)?;
        if end == ',' {
            return Err("Too many commas.");
        }
        if !chars.all(space) {
            return Err("Junk after right parenthesis or bracket.");
        }
        Ok(Some(Self { lower, upper, inclusive: [lower_inc, end == ']'] }))
    }
}

/// `range_parse_bound`: up to a comma or what closes the range, which is given too; nothing at all is no bound.
fn bound(chars: &mut core::str::Chars<'_>) -> core::result::Result<(Option<String>, char), &'static str> {
    const AT_END: &str = "Unexpected end of input.";
    let (mut text, mut is_quoted, mut is_there) = (String::new(), false, false);
    loop {
        let c = chars.next().ok_or(AT_END)?;
        if !is_quoted && matches!(c, ',' | ')' | ']') {
            return Ok((is_there.then_some(text), c));
        }
        is_there = true;
        match c {
            '\\' => text.push(chars.next().ok_or(AT_END)?),
            '"' if is_quoted && chars.as_str().starts_with('"') => {
                chars.next();
                text.push('"');
            }
            '"' => is_quoted = !is_quoted,
            c => text.push(c),
        }
    }
}

/// `range_parse_flags`: does a range contain its bounds?
///
/// # Errors
/// Text that says neither.
pub fn range_flags(flags: &str) -> Result<[bool; 2]> {
    Ok(match flags {
        "[]" => [true, true],
        "[)" => [true, false],
        "(]" => [false, true],
        "()" => [false, false],
        _ => return Err(SqlError::new("42601", "invalid range bound flags")),
    })
}

/// `range_out`
pub fn range_out(bytes: &[u8]) -> Option<String> {
    range_out_by(bytes, &|value, subtype| Ok(value.output(subtype))).ok().flatten()
}

/// The same, with bounds as `text` prints them.
pub fn range_out_by(bytes: &[u8], text: &dyn Fn(&Value, Oid) -> Result<Option<String>>) -> Result<Option<String>> {
    let Some(range) = Range::read(bytes) else { return Ok(None) };
    if range.is_empty() {
        return Ok(Some("empty".to_string()));
    }
    let Some(subtype) = range_subtype(range.oid) else { return Ok(None) };
    let shown = |bound: &Bound| match &bound.value {
        None => Ok(Some(String::new())),
        Some(value) => Ok(text(value, subtype)?.map(|text| quote(&text))),
    };
    let (Some(lower), Some(upper)) = (shown(&range.lower)?, shown(&range.upper)?) else { return Ok(None) };
    let open = if range.lower.inclusive { '[' } else { '(' };
    let close = if range.upper.inclusive { ']' } else { ')' };
    Ok(Some(format!("{open}{lower},{upper}{close}")))
}

/// `range_bound_escape`, for bounds that are numbers, dates and times: these need quotes for spaces only.
fn quote(bound: &str) -> String {
    if bound.contains(' ') { format!("\"{bound}\"") } else { bound.to_string() }
}
