//! SQL values on disk: from a tuple's bytes and the table's attribute list to named values.
//! Follows `heap_deform_tuple` and `index_deform_tuple` (src/backend/access/common/heaptuple.c, indextuple.c).
//!
//! [`deform`] finds where each column lies and makes no text; [`Datum::text`] makes the text of one.

mod array;
pub mod attribute;
mod cursor;
mod datetime;
mod deform;
mod float;
mod geometry;
mod jsonb;
mod network;
mod numeric;
pub(crate) mod pglz;
mod range;
#[cfg(test)]
mod tests;
mod text;
mod tsvector;
mod types;
mod varlena;

pub use attribute::{Align, Attribute};
pub(crate) use datetime::timestamptz_out;
pub use deform::{Datum, Storage, deform};
