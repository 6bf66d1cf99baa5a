//! Making, changing and dropping relations: their files, their OIDs in the order in which a server of the version uses them up, and what
//! the access methods have to know (src/backend/commands/tablecmds.c, src/backend/catalog/{heap,index,toasting,storage}.c).

mod drop;
mod files;
mod index;
mod table;
mod toast;
mod truncate;

pub use index::{IndexSpec, KeySpec};
pub use table::{ColumnSpec, ConstraintSpec, DefaultSpec, TableSpec};
