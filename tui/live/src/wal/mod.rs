//! WAL of a live server: how far it is, which ways lead to it, and the records between two captures.
//!
//! ```text
//!  capture A        capture B        capture C
//!  ──●─────────────────●────────────────●────────▶ WAL
//!    └─mark      └─────┘ flushed?       │
//!      └── follower: records between ───┘ about the tables
//! ```
//!
//! Of the ways that one is taken first by which most can be replayed: the server's segments, then a folder (`--wal
//! DIR`), and only then `pg_walinspect`.

mod facts;
mod follower;
pub mod inspect;
mod mark;
mod names;
mod server;
mod server_files;

pub use facts::{Facts, Way};
pub use follower::{Follower, WalOptions};
pub use inspect::Walinspect;
pub use names::names;
pub use server::{Records, WalServer};
pub use server_files::ServerFiles;
