//! Short cuts of expressions: PostgreSQL evaluates the same step by step.

pub(super) mod integer;
