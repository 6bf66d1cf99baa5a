//! The terminal face: it draws views and sends messages.
//!
//! ```text
//! cli ──▶ source ──▶ run ──▶ view ──▶ terminal
//!                └─▶ show, play ──▶ standard output
//! ```

pub mod advise;
pub mod book;
pub mod cli;
pub mod editor;
pub mod environment;
pub mod experiment;
pub mod failure;
pub mod inbox;
pub mod interrupt;
pub mod keymap;
pub mod lanes;
pub mod library;
pub mod live;
pub mod look;
pub mod man;
pub mod on;
pub mod play;
pub mod plot;
pub mod progress;
pub mod record;
pub mod relation_file;
pub mod run;
pub mod show;
pub mod sim;
pub mod source;
pub mod terminal;
pub mod theme;
pub mod version;
pub mod view;
pub mod wal;
pub mod workload;
