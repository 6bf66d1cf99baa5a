//! SQL values on disk: from a tuple's bytes and the table's attribute list to named values.
//! Follows `heap_deform_tuple` and `index_deform_tuple` (src/backend/access/common/heaptuple.c, indextuple.c).
//!
//! [`deform`] finds where each column lies and makes no text; [`Datum::text`] makes the text of one. The other way
//! round [`FormedTuple`] makes a tuple's bytes from a [`Value`] a column, and [`TupleDesc`] reads such values back.

mod array;
pub mod attribute;
pub mod bits;
pub mod bytes;
pub mod compare;
mod cursor;
mod datetime;
mod deform;
pub mod enums;
pub mod error;
mod float;
pub mod form;
mod geometry;
mod inet;
pub mod input;
mod jsonb;
pub mod md5;
pub mod money;
mod network;
mod numeric;
pub mod ops;
pub mod pglz;
pub mod random;
pub mod range;
pub mod record;
pub mod sql_type;
pub mod style;
#[cfg(test)]
mod tests;
mod text;
pub mod toast;
mod tsvector;
pub mod tupdesc;
mod types;
pub mod uuid;
pub mod value;
pub mod varlena;
pub mod zone;

pub use array::{
    Dimension, array_dimensions, array_elements, array_made_of, array_slices, is_plain_array, make_array,
    make_array_from, make_matrix, nested_array,
};
pub use attribute::{Align, Attribute};
pub use datetime::{END_OF_DATES, END_OF_TIMESTAMPS, FIRST_DAY, FIRST_TIMESTAMP};
pub use datetime::{EPOCH_SHIFT, civil, days_in_month, days_of, timestamp_out, timestamptz_in, timestamptz_out};
pub use deform::{Datum, Storage, deform};
pub use error::SqlError;
pub use form::FormedTuple;
pub use record::{RECORD_ARRAY, Record, RowType, is_composite, is_row, type_oid};
pub use sql_type::SqlType;
pub use tupdesc::TupleDesc;
pub use types::{array_of, element as element_of};
pub use value::Value;
