//! PostgreSQL's access methods: what it does to pages, and the WAL that it writes of it (src/backend/access).

pub mod brin;
pub mod gist;
pub mod heap;
pub mod nbtree;
pub mod transam;
