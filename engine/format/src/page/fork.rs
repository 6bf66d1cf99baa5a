//! The files of a relation (src/include/common/relpath.h).

use serde::{Deserialize, Serialize};

/// A file of a relation (src/include/common/relpath.h).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ForkNumber {
    /// the data
    Main,
    /// free space map
    Fsm,
    /// visibility map
    Vm,
    /// initial contents of an unlogged relation
    Init,
}

impl ForkNumber {
    /// PostgreSQL's name, as `get_raw_page` takes it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Main => "main",
            Self::Fsm => "fsm",
            Self::Vm => "vm",
            Self::Init => "init",
        }
    }

    /// The fork of that number in a WAL record; `None` where there is no such fork.
    #[must_use]
    pub const fn of_number(number: u8) -> Option<Self> {
        match number {
            0 => Some(Self::Main),
            1 => Some(Self::Fsm),
            2 => Some(Self::Vm),
            3 => Some(Self::Init),
            _ => None,
        }
    }
}
