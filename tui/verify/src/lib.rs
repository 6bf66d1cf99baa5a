//! `ffviz verify`: a script on a server and in the engine, compared statement by statement.
//!
//! ```text
//!  script ──fence──▶ Admitted ──runner──▶ server ──observer, journal──▶ trace ─┐
//!                             ──Simulator──▶ engine ───────────────────▶ trace ─┴─compare──▶ report
//! ```

pub mod annotate;
pub mod args;
pub mod command;
pub mod compare;
pub mod engine;
pub mod facts;
pub mod ground;
pub mod host;
mod journal;
mod observer;
pub mod place;
pub mod runner;
pub mod volatile;

use ffviz_live::connect::{Connector, Environment};
use ffviz_live::fence::Admitted;
use ground::Ground;
use host::Host;
use place::Place;
use runner::{Runner, ServerRun};
use std::sync::Arc;

/// Runs a script on a server, in a schema of its own that is dropped afterwards, or with `own_database` in a database;
/// `host` makes the power fail, where the script wants that.
///
/// # Errors
/// One sentence that says what is wrong and what to do.
pub fn run_on_server(
    conninfo: &str,
    script: &Admitted,
    own_database: bool,
    host: Option<&mut dyn Host>,
) -> Result<ServerRun, String> {
    let run = async {
        let connector = Connector::new(conninfo, Environment::of_process())?;
        let ground = Ground::find(connector, own_database).await?;
        let place = Place::make(ground, own_database, &script.server_settings()).await?;
        Runner::new(place, host, Arc::default()).run(script).await
    };
    ffviz_live::runtime()?.block_on(run).map_err(|failure| failure.sentence)
}
