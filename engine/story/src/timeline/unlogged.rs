//! Changes of pages that no WAL record tells of.

use serde::{Deserialize, Serialize};

/// Why a page changed without a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unlogged {
    /// hint bits of tuples
    HintBits,
    /// `LP_DEAD` marks of an index page
    KilledItems,
    /// the free space map
    FreeSpaceMap,
    /// the visibility map, cleared by a record that does not name it
    VisibilityMap,
    /// new blocks of zeros, an initialised page
    Extension,
    /// values of a sequence handed out, which an earlier record covers
    Sequence,
    /// the relation is not logged
    Relation,
    /// files and relations that are gone
    Files,
    /// a crash, a torn write
    Crash,
}

impl Unlogged {
    /// What it is, as a learner reads it.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::HintBits => {
                "hint bits: what the commit log says of a transaction is noted in the tuple, without a record"
            }
            Self::KilledItems => "LP_DEAD marks in an index page: whoever comes next need not visit these rows",
            Self::FreeSpaceMap => "the free space map is not logged: after a crash VACUUM puts it right",
            Self::VisibilityMap => {
                "bits of the visibility map are cleared: the record of the heap page says so, not one of its own"
            }
            Self::Extension => "the file grows by blocks of zeros, without a record",
            Self::Sequence => "the sequence hands out a value that an earlier record covers",
            Self::Relation => "the relation is UNLOGGED or temporary: nothing of it is in the WAL",
            Self::Files => "files and relations that are gone",
            Self::Crash => "the crash: what was not written is lost",
        }
    }
}
