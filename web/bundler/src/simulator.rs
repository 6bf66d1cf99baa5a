//! The simulator's web worker: its module, and one classic script that is glue code and worker. A classic one, since
//! the page in one file makes the worker of a text, and a script made so cannot be a module everywhere.

use crate::{Asset, Outcome, classic_glue, split};
use std::fs;
use std::path::PathBuf;

/// The files as the face asks for them (`web/src/simulator.rs`).
pub const FILES: [&str; 2] = ["ffviz_simulator.wasm", "ffviz_worker.js"];

/// Script and module.
pub fn assets([module, worker]: &[PathBuf; 2]) -> Outcome<Vec<Asset>> {
    let (glue, wasm) = classic_glue(module)?;
    let script = format!("{glue}\n{}", fs::read_to_string(worker)?);
    let wasm = split::without_names(&wasm)?;
    let [wasm_name, script_name] = FILES.map(str::to_owned);
    Ok(vec![Asset { path: wasm_name, bytes: wasm }, Asset { path: script_name, bytes: script.into_bytes() }])
}
