//! SQL values on disk: from a tuple's bytes and the table's attribute list to named values.
//! Follows `heap_deform_tuple` and `index_deform_tuple` (src/backend/access/common/heaptuple.c, indextuple.c).

pub mod attribute;

pub use attribute::{Align, Attribute};
