//! Short cuts of the heap: PostgreSQL does the same in more steps.

mod update;
