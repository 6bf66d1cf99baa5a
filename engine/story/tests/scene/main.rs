//! Scenes and the program over the recordings of `snapshots/`.

mod damaged;
mod golden;
mod large;
mod pictures;
mod program;
mod shared;
mod trees;
