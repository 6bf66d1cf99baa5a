//! What happened, step by step, and what there is to see of it.
//!
//! ```text
//! records ──redo──▶ pages      captures, records, simulated statements ──timeline──▶ steps and why
//!         ──describe──▶ words  steps ──scene──▶ what there is to see ──app──▶ Model, Msg, view
//! ```
//!
//! No I/O, no clock, no threads, no randomness: the crate is `no_std`, so it has none of them to use.
//! A module may use only what stands to its left in `describe <- rebuild <- redo <- timeline <- lesson <- scene <-
//! recording <- app`.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod app;
pub mod describe;
pub mod lesson;
pub mod rebuild;
pub mod recording;
pub mod redo;
pub mod scene;
pub mod timeline;
