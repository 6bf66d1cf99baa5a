//! The wasm module of the viewer: nothing but its entry points.
