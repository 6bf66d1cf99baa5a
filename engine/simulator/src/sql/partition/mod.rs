//! Partitions of a table: their order, which of them has a row, and which may have rows that satisfy conditions
//! (src/backend/partitioning).
//!
//! ```text
//!  desc    the partitions by their bounds; the partition of a row      partdesc.c, partbounds.c, execPartition.c
//!  prune   those that conditions leave                                 partprune.c
//!  text    bounds as they are written                                  ruleutils.c
//! ```

mod desc;
mod hash;
mod prune;
mod text;

pub use desc::{Part, PartitionDesc};
pub(in crate::sql) use hash::HASHED_TYPES;
pub(in crate::sql) use prune::live_partitions;
pub(in crate::sql) use text::{bound_condition, key_text, list_text, range_text};
