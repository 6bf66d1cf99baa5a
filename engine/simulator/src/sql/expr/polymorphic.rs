//! Functions of an array and of what may be its element: the call decides their types, which the arguments have in
//! common (`check_generic_type_consistency`, `enforce_generic_type_consistency`, src/backend/parser/parse_coerce.c).
//!
//! ```text
//! array_append('{1,2}', 3)          an element of type integer: the literal is an integer[]
//! array_append(ARRAY[1, 2], 3.5)    numeric is the common type: the array becomes a numeric[], from 14 on
//! ```

use super::Typed;
use super::analyze::Analyzer;
use super::choose::{Choice, common_type};
use super::function::no_function;
use super::pg_catalog::UNKNOWN;
use crate::sql::StatementError;
use crate::version::SqlBehaviour;
use alloc::format;
use alloc::vec::Vec;
use ffviz_format::datum::{array_of, element_of};
use ffviz_format::page::Oid;

/// What an argument is beside the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// `anycompatiblearray`, before 14 `anyarray`
    Array,
    /// `anycompatible`, before 14 `anyelement`
    Element,
}

/// The arguments whose types depend on each other, by their places.
fn places(name: &str, count: usize) -> &'static [Place] {
    use Place::{Array, Element};
    match (name, count) {
        ("array_append" | "array_positions" | "array_remove", 2) | ("array_position", 2 | 3) => &[Array, Element],
        ("array_prepend" | "width_bucket", 2) => &[Element, Array],
        ("array_cat", 2) => &[Array, Array],
        ("array_replace", 3) => &[Array, Element, Element],
        _ => &[],
    }
}

impl Analyzer<'_> {
    /// The arguments of a function of arrays, as one type has them; those of other functions stay.
    ///
    /// # Errors
    /// They have no type in common, or none is known.
    pub(super) fn compatible(&mut self, name: &str, mut args: Vec<Typed>) -> Result<Vec<Typed>, StatementError> {
        let places = places(name, args.len());
        if places.is_empty() {
            return Ok(args);
        }
        let given: Vec<Oid> = args.iter().map(|arg| arg.ty.oid).collect();
        let missing = || no_function(name, &given, Choice::None);
        let known = given.iter().zip(places).filter(|(oid, _)| **oid != UNKNOWN);
        let of_element = |(oid, place): (&Oid, &Place)| match place {
            Place::Array => element_of(*oid),
            Place::Element => Some(*oid),
        };
        let known: Vec<Oid> = known.map(of_element).collect::<Option<_>>().ok_or_else(missing)?;
        let element = if self.input.version().has_compatible_arrays() {
            common_type(&known, self.major()).map_err(|_| missing())?
        } else {
            match known.split_first() {
                Some((first, others)) if others.iter().all(|other| other == first) => *first,
                Some(_) => return Err(missing()),
                None => return Err(undetermined()),
            }
        };
        let array = array_of(element).ok_or_else(|| {
            StatementError::unsupported(format!("{name} of values of this type is not supported"), None)
        })?;
        for (arg, place) in args.iter_mut().zip(places) {
            *arg = self.implicit(arg.clone(), if *place == Place::Array { array } else { element })?;
        }
        Ok(args)
    }
}

/// No argument says which type is meant.
pub(super) fn undetermined() -> StatementError {
    StatementError::server("42804", "could not determine polymorphic type because input has type unknown")
}
