//! Scripts that run on a server: sessions, a database of their own, and what each statement did, as a timeline.
//!
//! ```text
//!  script ──fence──▶ Walled ──Play──▶ database of its own, as a role without rights ──look, WAL──▶ Timeline
//! ```
//!
//! `ffviz verify` uses the pieces too: its own runner compares every byte, this one shows what there is to see.

mod database;
mod session;
mod sessions;
mod tag;

pub use database::{OwnDatabase, connect, leftovers, quoted};
pub use session::{Block, Message, Outcome, SETTINGS, ScriptSession, options};
pub use sessions::{Sessions, Settled};
