//! Makes the static site out of the wasm module.

fn main() {}
