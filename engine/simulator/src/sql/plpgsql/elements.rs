//! Arrays: FOREACH, and an element that is assigned (`exec_stmt_foreach_a`, src/pl/plpgsql/src/pl_exec.c;
//! `array_set_element`, src/backend/utils/adt/arrayfuncs.c).

use super::variables::cast;
use super::{Interpreter, Loop};
use crate::sql::ast::Embedded;
use crate::sql::error::NOT_SIMULATED;
use crate::sql::tcop::Database;
use crate::storage::Outcome;
use alloc::collections::VecDeque;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::datum::{
    SqlError, SqlType, Value, array_dimensions, array_elements, array_slices, element_of, make_array_from,
};

/// More elements than that no array of a variable is given at once.
const MOST: i64 = 1_000_000;

impl Interpreter {
    /// FOREACH begins: over the elements, or parts of so many dimensions.
    pub(super) fn for_each(&mut self, db: &mut Database, number: usize, array: &Embedded, slice: u32) -> Outcome<()> {
        let (array, ty) = self.eval(db, array)?;
        let wrong = |sqlstate, message: String| Err(SqlError::new(sqlstate, message).into());
        if array.is_null() {
            return wrong("22004", "FOREACH expression must not be null".into());
        }
        let Some(element) = element_of(ty.oid) else {
            return wrong("42804", format!("FOREACH expression must yield an array, not type {}", ty.name()));
        };
        let dimensions = array_dimensions(&array).unwrap_or_default().len();
        if slice as usize > dimensions {
            return wrong("2202E", format!("slice dimension ({slice}) is out of the valid range 0..{dimensions}"));
        }
        let (left, element): (VecDeque<Value>, _) = match slice {
            0 => (array_elements(&array).unwrap_or_default().into(), element),
            _ => (array_slices(element, &array, slice as usize).into(), ty.oid),
        };
        self.loops[number] = Loop::Elements { left, element: SqlType::plain(element), ran: false };
        Ok(())
    }

    /// `array[index] := value`
    pub(super) fn assign_element(
        &mut self,
        db: &mut Database,
        target: usize,
        index: &Embedded,
        value: &Embedded,
    ) -> Outcome<()> {
        let ty = self.types.get(target).copied().unwrap_or(SqlType::TEXT);
        let Some(element) = element_of(ty.oid) else {
            let message = "a part of a variable that is no array is not supported";
            return Err(SqlError::new(NOT_SIMULATED, message).into());
        };
        let (index, from) = self.eval(db, index)?;
        let index = cast(db, index, from, SqlType::INT4)?;
        let (value, from) = self.eval(db, value)?;
        let value = cast(db, value, from, SqlType { oid: element, ..ty })?;
        let Value::Int4(index) = index else {
            return Err(SqlError::new("22004", "array subscript in assignment must not be null").into());
        };
        let now = self.values.get(target).cloned().unwrap_or(Value::Null);
        let (mut elements, mut lower) = match array_dimensions(&now).unwrap_or_default()[..] {
            [] => (Vec::new(), index),
            [only] => (array_elements(&now).unwrap_or_default(), only.lower),
            _ => return Err(SqlError::new("2202E", "wrong number of array subscripts").into()),
        };
        let at = i64::from(index) - i64::from(lower);
        if at.abs() > MOST {
            return Err(SqlError::new(NOT_SIMULATED, "an array of so many elements is not supported").into());
        }
        if at < 0 {
            let before = core::iter::repeat_n(Value::Null, at.unsigned_abs() as usize);
            elements = before.chain(elements).collect();
            lower = index;
        }
        let at = usize::try_from(at.max(0)).unwrap_or(0);
        if at >= elements.len() {
            elements.resize(at + 1, Value::Null);
        }
        elements[at] = value;
        self.set(target, make_array_from(element, lower, &elements));
        Ok(())
    }
}
