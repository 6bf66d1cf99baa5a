//! The switch that turns all short cuts off: what is left does what PostgreSQL's own code does, step by step.
//!
//! ```text
//!  short cut                                              where it is turned off
//!  numbers of a first key column, and what they lead      access/nbtree/fast/number.rs (`NumberColumn::first_of`)
//!   to: leaves that are known, ways of the next entries,
//!   runs of equal keys, short tuples of CREATE INDEX
//!  an insertion begins where the one before went          access/nbtree/insert (`insert`)
//!  entries of CREATE INDEX copied byte by byte            access/nbtree/build/spool.rs (`Copied::new`)
//!  rows of INSERT … SELECT and COPY worked out ahead      sql/executor/index.rs (`is_scattered`)
//!  projections that were prepared                         sql/executor/select/mod.rs (`start`)
//!  whole numbers calculated without values                sql/expr/fast/integer.rs
//!  plans that pgbench's scripts keep                      pgbench/benchmark.rs (`new`)
//!  WAL that is counted, not written: access/heap/fast      sql/run/options.rs (`start`)
//! ```
//!
//! It is a feature of the crate, `plain`, and so costs nothing where it is off. With it the suite and random scripts
//! must be equal to servers as they are without: `cargo test -p ffviz-tests --features plain --test sim suite`.
//! That both ways give the same bytes, hundreds of random scripts tell without a server: `tests/plain`.

/// Are all short cuts off?
pub(crate) const PLAIN: bool = cfg!(feature = "plain");
