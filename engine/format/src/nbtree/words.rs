//! What a page of the tree is called: the words of titles, levels and rows.

use super::flags::BTP_ROOT;
use super::{BtKind, BtPage, IndexTupleKind};
use alloc::format;
use alloc::string::{String, ToString};

impl BtPage {
    /// The true root of the tree (`BTP_ROOT`), which may be a leaf.
    #[must_use]
    pub const fn is_root(&self) -> bool {
        self.btpo_flags & BTP_ROOT != 0 && matches!(self.kind, BtKind::Leaf | BtKind::Internal)
    }

    /// The sort of page in words: `metapage`, `root`, `root (leaf)`, `internal page`, `leaf`, …
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match (self.kind, self.is_root()) {
            (BtKind::Leaf, true) => "root (leaf)",
            (BtKind::Internal, true) => "root",
            (kind, _) => kind.word(),
        }
    }

    /// The level the page stands on, in words: see [`level_word`].
    #[must_use]
    pub fn level_word(&self) -> String {
        match self.kind {
            BtKind::Leaf | BtKind::Internal => level_word(self.btpo_level, self.is_root()),
            kind => kind.word().to_string(),
        }
    }
}

impl BtKind {
    /// The sort of page in words.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Meta => "metapage",
            Self::Leaf => "leaf",
            Self::Internal => "internal page",
            Self::HalfDead => "half-dead page",
            Self::Deleted => "deleted page",
            Self::New => "new page (all zero)",
        }
    }
}

impl IndexTupleKind {
    /// The kind of tuple in words.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Plain(_) => "index tuple",
            Self::Posting(_) => "posting list",
            Self::Downlink { .. } => "downlink",
            Self::HighKey { .. } => "high key",
            Self::TopParent(_) => "top parent link",
        }
    }
}

/// A level of the tree in words: `leaves`, `level 1`, `level 2 (root)`, `leaves (root)`.
#[must_use]
pub fn level_word(level: u32, is_root: bool) -> String {
    let name = if level == 0 { "leaves".to_string() } else { format!("level {level}") };
    if is_root { name + " (root)" } else { name }
}
