//! WAL of a live server: how far it is, which ways lead to it, and the records between two captures.
//!
//! ```text
//!  capture A        capture B        capture C
//!  ──●─────────────────●────────────────●────────▶ WAL
//!    └─mark      └─────┘ flushed?       │
//!      └── follower: records between ───┘ about the tables
//! ```

mod facts;
mod filter;
mod follower;
mod server_files;

pub use facts::{Facts, Way};
pub use follower::{Follower, WalOptions};
pub use server_files::ServerFiles;
