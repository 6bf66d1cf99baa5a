//! The simulator's web worker: its module, cut in two, and one classic script that is glue code and worker. A classic
//! one, since the page in one file makes the worker of a text, and a script made so cannot be a module everywhere.

use crate::split::{self, Halves};
use crate::{Asset, Outcome, classic_glue, later};
use std::fs;
use std::path::PathBuf;

/// The files as the face asks for them (`web/src/simulator.rs`).
pub const FILES: [&str; 3] = ["ffviz_simulator.wasm", "ffviz_simulator_rest.wasm", "ffviz_worker.js"];

/// The function of `worker.js` that fetches the second part of the module, as the module imports it.
const BRING: &str = "bringRest";

/// Both parts of the module, and the script.
pub fn assets([module, worker]: &[PathBuf; 2]) -> Outcome<Vec<Asset>> {
    let (glue, wasm) = classic_glue(module)?;
    let Halves { first, rest } = split::split(&wasm, &later::SIMULATOR, Some(BRING))?;
    let script = format!("{glue}\n{}", fs::read_to_string(worker)?);
    let parts = FILES.into_iter().zip([first, rest, script.into_bytes()]);
    Ok(parts.map(|(path, bytes)| Asset { path: path.to_owned(), bytes }).collect())
}
