//! Scripts that run on a server: sessions, a database of their own, and what each statement did, as a timeline.
//!
//! ```text
//!  script ──fence──▶ Walled ──Play──▶ database of its own, as a role without rights ──look, WAL──▶ Timeline
//! ```
//!
//! `ffviz verify` uses the pieces too: its own runner compares every byte, this one shows what there is to see.

mod database;
mod ended;
mod look;
mod place;
mod play;
mod session;
mod sessions;
mod tag;
mod trace;

pub use database::{OwnDatabase, OwnSchema, connect, leftovers, objection, quoted};
pub use look::Eyes;
pub use place::{Ground, Place};
pub use play::{PlayOptions, ServerPlay, play};
pub use session::{Block, Message, Outcome, SETTINGS, ScriptSession, options};
pub use sessions::{PATIENCE, Sessions, Settled};

/// Asks where the server's counters stand.
pub const COUNTERS: &str = include_str!("../sql/script/counters.sql");
