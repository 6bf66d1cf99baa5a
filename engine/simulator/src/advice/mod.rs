//! Advice about a table: why its updates are not HOT, and what each fillfactor would come to, by simulating a smaller
//! table of the same shape under the same kind of updates.
//!
//! ```text
//!  Shape, Updates ──Pattern──▶ SimulatedTable ──simulate──▶ Case, one a fillfactor ──recommend──▶ Recommendation
//!  Observed ──obstacles──▶ what no fillfactor changes: an index on what changes, a snapshot that keeps old versions
//! ```
//!
//! Nothing here reads a server: whoever asks says what the table is like, and where it knows that from ([`Origin`]).

mod facts;
mod obstacle;
mod pattern;
mod recommendation;
mod shape;
mod simulation;
mod table;
#[cfg(test)]
mod tests;

pub use facts::{Fact, Origin};
pub use obstacle::{Counters, Holder, Observed, comparison, obstacles};
pub use pattern::{Pattern, UpdateStatement, Updates};
pub use recommendation::{Recommendation, hot_on_full_pages, recommend};
pub use shape::{Column, Index, Kind, Shape};
pub use simulation::{Case, Scale, simulate};
