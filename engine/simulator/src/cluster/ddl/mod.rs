//! Making, changing and dropping relations: their files, their OIDs in the order in which a server of the version uses
//! them up, and what the access methods have to know (src/backend/commands/tablecmds.c,
//! src/backend/catalog/{heap,index,toasting,storage}.c).

mod alter;
mod build;
mod constraint;
mod drop;
mod files;
mod index;
mod not_null;
mod rename;
mod swap;
mod table;
mod toast;
mod truncate;

pub(super) use build::INDEX_AM;
pub use build::not_unique;
pub use constraint::{CheckConstraint, ForeignKey, IndexConstraint, object_names};
pub use index::{IndexSpec, KeySpec, quote_identifier};
pub use not_null::{NotNull, conflicting_names};
pub use table::{ColumnSpec, DefaultSpec, TableSpec};
