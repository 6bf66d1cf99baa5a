//! Short cuts of the executor: PostgreSQL does the same in more steps.

pub(in crate::sql) mod ahead;
pub(in crate::sql) mod projection;
pub(in crate::sql) mod reused;
