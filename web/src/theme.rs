//! How a role looks: the name of its colours in ffviz.css, and a texture, so that colour is never the only sign.

use ffviz_story::scene::{Change, LinkKind, Role};
use yew::prelude::*;

/// Lines or dots over a colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Texture {
    /// the colour alone
    Plain,
    /// lines to the right: an old version
    Hatch,
    /// lines both ways: dead
    Cross,
    /// dots: nothing of value
    Dots,
    /// upright lines: structure
    Bars,
}

impl Texture {
    /// All that have a pattern, with their names.
    pub const PATTERNS: [(Self, &'static str); 4] = [
        (Self::Hatch, "ffviz-hatch"),
        (Self::Cross, "ffviz-cross"),
        (Self::Dots, "ffviz-dots"),
        (Self::Bars, "ffviz-bars"),
    ];

    /// What an SVG shape is filled with to get it.
    #[must_use]
    pub fn fill(self) -> Option<String> {
        Self::PATTERNS.iter().find(|(texture, _)| *texture == self).map(|(_, id)| format!("url(#{id})"))
    }
}

/// The family of colours of a role, as ffviz.css names it, and its texture. The families are the terminal's.
#[must_use]
pub const fn look(role: Role) -> (&'static str, Texture) {
    match role {
        Role::Free => ("free", Texture::Plain),
        Role::PageHeader | Role::Entry | Role::Heading | Role::Elided | Role::WalMeasured | Role::WalHeader => {
            ("frame", Texture::Plain)
        }
        Role::Special | Role::Meta | Role::TransactionItem => ("frame", Texture::Bars),
        Role::LpNormal | Role::IndexTuple | Role::WalRecord | Role::WalBlockRef => ("pointer", Texture::Plain),
        Role::PostingList => ("pointer", Texture::Bars),
        Role::LpUnused | Role::Residue | Role::New | Role::BlockUnknown | Role::WalNotLogged | Role::WalOther => {
            ("faint", Texture::Dots)
        }
        Role::Padding => ("faint", Texture::Plain),
        Role::Bytes => ("faint", Texture::Bars),
        Role::LpRedirect => ("redirect", Texture::Plain),
        Role::LpDead | Role::TupleDeleted | Role::TupleAborted | Role::IndexKilled | Role::Deleted => {
            ("dead", Texture::Cross)
        }
        Role::HalfDead => ("dead", Texture::Hatch),
        Role::Refused => ("dead", Texture::Plain),
        Role::TupleLive | Role::Leaf | Role::Block | Role::WalEnd | Role::WalMainData => ("live", Texture::Plain),
        Role::TupleHeapOnly | Role::WalBlockData => ("hot", Texture::Plain),
        Role::TupleHotUpdated | Role::UndoRecord => ("hot-old", Texture::Hatch),
        Role::TupleUpdated => ("cold", Texture::Hatch),
        Role::Pivot | Role::Internal => ("pointer", Texture::Plain),
        Role::TupleLocked => ("lock", Texture::Bars),
        Role::HighKey | Role::Root | Role::WalImage | Role::WalCheckpoint | Role::WalRedo => ("lock", Texture::Plain),
        Role::BlockAllVisible | Role::Fsm => ("settled", Texture::Plain),
        Role::BlockAllFrozen | Role::Vm => ("settled", Texture::Bars),
    }
}

/// Class of a part: role and change.
#[must_use]
pub fn classes(role: Role, change: Change, selected: bool) -> Classes {
    let change = match change {
        Change::Same => None,
        Change::Added => Some("is-added"),
        Change::Modified => Some("is-modified"),
        Change::Moved => Some("is-moved"),
    };
    classes!("part", format!("f-{}", look(role).0), change, selected.then_some("is-selected"))
}

/// Class of an arrow.
#[must_use]
pub const fn link_class(kind: LinkKind) -> &'static str {
    match kind {
        LinkKind::Item => "k-item",
        LinkKind::Redirect => "k-redirect",
        LinkKind::HotUpdate => "k-hot",
        LinkKind::ColdUpdate => "k-cold",
        LinkKind::Downlink => "k-down",
        LinkKind::RightLink => "k-right",
    }
}
