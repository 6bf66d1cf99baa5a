//! The heap access method: what PostgreSQL does to heap pages (src/backend/access/heap).
//!
//! ```text
//!  read     scan ── visibility ── hint bits
//!  tidy up  prune ── freeze ── vacuum
//! ```

pub mod freeze;
mod freeze_multi;
pub mod prune;
pub mod scan;
mod survey;
mod tuple;
pub mod visibility;

pub use tuple::heap_tuple;
