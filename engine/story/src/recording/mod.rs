//! The recording file `*.ffrec`: JSON Lines, defined in snapshots/README.md. Read, write, redact.
//!
//! ```text
//! capture   relation…  page…  end      capture   wal…   relation…  page…  end      …
//! └──────────── state 0 ────────┘      └ steps to ──────────── state n ─────┘
//! ```
//!
//! A simulated statement is a capture that has its steps in place of what it looks like afterwards; a lesson begins
//! with what is read in it.
//!
//! What a capture leaves out is as it was in the capture before; so a file may be as small as what changed.
//!
//! JSON Lines with whole pages in base64, because plain psql can write it and a person can read it; gzip makes it
//! small.

mod line;
mod read;
mod redact;
mod step;
mod wal;
mod write;

pub use read::{Recording, read};
pub use redact::{command_tag, redact, redact_timeline, redact_wal};
pub use write::{Saver, save, save_lesson, write};
