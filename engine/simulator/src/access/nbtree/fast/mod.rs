//! Short cuts of B-trees. PostgreSQL does the same in more steps: no page and no record tells the difference.

pub(super) mod ahead;
pub(super) mod begin;
pub(super) mod leaves;
pub(super) mod number;
pub(super) mod pieces;
