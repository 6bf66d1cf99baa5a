//! Scripts on servers (`--on`): the timeline that comes of them, the wall around them, and what is left when they are
//! broken off.

mod broken;
#[path = "../sim/fence/decoys.rs"]
mod decoys;
#[path = "../sim/fence/escapes.rs"]
mod escapes;
mod field;
mod plays;
#[path = "../sim/scripts.rs"]
#[allow(dead_code, reason = "names of relations are all that is wanted here")]
mod scripts;
mod wall;

use ffviz_live::script::{Ground, PlayOptions, ServerPlay, play};
use ffviz_simulator::sql::script::Script;
use ffviz_simulator::sql::trace::TraceLine;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// As the command plays it.
fn options() -> PlayOptions {
    PlayOptions {
        steps: 100_000,
        disk: 2 << 30,
        pages: 1000,
        wal: 64 << 20,
        server_wide: false,
        interrupt: Arc::default(),
    }
}

/// Plays a script on a server.
fn on(conninfo: &str, text: &str) -> Result<ServerPlay, String> {
    on_with(conninfo, text, options())
}

fn on_with(conninfo: &str, text: &str, options: PlayOptions) -> Result<ServerPlay, String> {
    let script = Script::parse(text).map_err(|error| error.to_string())?;
    let work = async {
        let ground = Ground::find(conninfo).await?;
        let walled = ground.admit(&script, options.server_wide)?;
        play(ground, walled, options, |_| {}).await
    };
    ffviz_live::runtime()?.block_on(work).map_err(|failure| failure.sentence)
}

/// What earlier runs have left.
fn leftovers(conninfo: &str) -> Vec<String> {
    let work = async { Ground::find(conninfo).await?.leftovers().await };
    ffviz_live::runtime().expect("a runtime").block_on(work).map_err(|failure| failure.sentence).expect("a server")
}

/// A play that somebody stops.
fn stopped_by(flag: &Arc<AtomicBool>) -> PlayOptions {
    PlayOptions { interrupt: Arc::clone(flag), ..options() }
}

/// How each statement ended, as the timeline tells it.
fn outcomes(played: &ServerPlay) -> Vec<&str> {
    played.timeline.groups().iter().filter_map(|group| group.outcome()).collect()
}

/// The errors of a play, with the numbers of the statements.
fn errors(played: &ServerPlay) -> Vec<(u32, String)> {
    let error = |line: &TraceLine| match line {
        TraceLine::Statement(statement) => Some((statement.n, statement.error.clone()?)),
        TraceLine::Resumed(resumed) => Some((resumed.resumed, resumed.error.clone()?)),
        TraceLine::Directive(_) => None,
    };
    played.lines.iter().filter_map(error).collect()
}
