//! The heap access method: what PostgreSQL does to heap pages (src/backend/access/heap).
//!
//! ```text
//!  read     scan ── visibility ── hint bits
//!  tidy up  prune ── freeze ── vacuum
//! ```

mod tuple;
pub mod visibility;

pub use tuple::heap_tuple;
