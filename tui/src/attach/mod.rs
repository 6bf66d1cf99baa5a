//! Live databases: the only part of ffviz that speaks to a server.
//!
//! ```text
//!  event loop ──Effect──▶ channel ──▶ background thread ──SQL──▶ server
//!      ▲                              (one connection, read-only transactions)
//!      └────────── deliver(Msg) ◀──────────┘
//! ```
//!
//! The face asks by [`Effect`]s (`ListTables`, `Capture`, `ReadPages`, `Watch`) and is answered by [`Msg`]s (`Tables`, `Captured`,
//! `PagesRead`, `Failed`, `Done`). It never waits for a server.

pub mod args;

use args::AttachArgs;
use ffviz_engine::app::{Effect, Msg};
use ffviz_engine::storage::Server;
use tokio::sync::mpsc::UnboundedSender;

/// A live database that answers.
#[derive(Debug)]
pub struct Attached {
    /// where, in words for the title: `shop on db1:5432`
    pub place: String,
    /// what it is
    pub server: Server,
    /// `send` an [`Effect`] here; other effects than the four of this module are ignored. Dropping it ends the thread
    pub effects: UnboundedSender<Effect>,
}

/// Connects (asking for a password on the terminal, if it must: call this before the terminal is taken over), starts the thread, and asks
/// for the tables or, with `-t`, the first capture. `deliver` is called on that thread for each message; it says whether anybody listens still.
///
/// # Errors
/// One sentence that says what is wrong and what to do.
pub fn start(args: &AttachArgs, deliver: impl FnMut(Msg) -> bool + Send + 'static) -> Result<Attached, String> {
    let _ = (args, deliver);
    Err("live databases cannot be read yet".to_owned())
}
