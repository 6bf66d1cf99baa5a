//! What the tests share: real servers, and nothing that a test could get wrong alone.

pub mod capture;
pub mod generator;
pub mod instance;
pub mod markup;
pub mod recorded;
pub mod servers;
pub mod tpcb;
pub mod wal;
pub mod workload;
