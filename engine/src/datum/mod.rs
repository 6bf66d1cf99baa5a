//! SQL values on disk: from a tuple's bytes and the table's attribute list to named values.
//! Follows `heap_deform_tuple` and `index_deform_tuple` (src/backend/access/common/heaptuple.c, indextuple.c).
//!
//! [`deform`] finds where each column lies and makes no text; [`Datum::text`] makes the text of one.

pub mod attribute;
mod deform;
mod text;
mod varlena;

pub use attribute::{Align, Attribute};
pub use deform::{Datum, Storage, deform};
