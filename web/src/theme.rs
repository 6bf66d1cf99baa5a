//! How a role looks: the name of its colours in ffviz.css, and a texture, so that colour is never the only sign.

use ffviz_engine::scene::{Change, LinkKind, Role};
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
    const PATTERNS: [(Self, &'static str); 4] =
        [(Self::Hatch, "ffviz-hatch"), (Self::Cross, "ffviz-cross"), (Self::Dots, "ffviz-dots"), (Self::Bars, "ffviz-bars")];

    /// What an SVG shape is filled with to get it.
    #[must_use]
    pub fn fill(self) -> Option<String> {
        Self::PATTERNS.iter().find(|(texture, _)| *texture == self).map(|(_, id)| format!("url(#{id})"))
    }
}

/// The name of a role's colours, and its texture.
#[must_use]
pub const fn look(role: Role) -> (&'static str, Texture) {
    match role {
        Role::PageHeader => ("header", Texture::Plain),
        Role::LpUnused => ("lp-unused", Texture::Dots),
        Role::LpNormal => ("lp", Texture::Plain),
        Role::LpRedirect => ("redirect", Texture::Plain),
        Role::LpDead => ("lp-dead", Texture::Cross),
        Role::Free | Role::Padding => ("free", Texture::Plain),
        Role::TupleLive | Role::IndexTuple => ("live", Texture::Plain),
        Role::TupleHeapOnly => ("heap-only", Texture::Plain),
        Role::TupleHotUpdated => ("hot-old", Texture::Hatch),
        Role::TupleUpdated => ("cold-old", Texture::Hatch),
        Role::TupleDeleted | Role::IndexKilled => ("deleted", Texture::Cross),
        Role::TupleLocked => ("locked", Texture::Bars),
        Role::TupleAborted => ("aborted", Texture::Cross),
        Role::PostingList => ("posting", Texture::Bars),
        Role::Pivot => ("pivot", Texture::Plain),
        Role::HighKey => ("high-key", Texture::Plain),
        Role::Special => ("special", Texture::Bars),
        Role::Meta => ("header", Texture::Bars),
        Role::Fsm => ("map", Texture::Plain),
        Role::Vm => ("map", Texture::Bars),
        Role::Residue => ("residue", Texture::Dots),
        Role::New => ("free", Texture::Dots),
        Role::Block => ("block", Texture::Plain),
        Role::BlockAllVisible => ("visible", Texture::Plain),
        Role::BlockAllFrozen => ("frozen", Texture::Plain),
        Role::BlockUnknown => ("unknown", Texture::Dots),
        Role::Root => ("root", Texture::Plain),
        Role::Internal => ("pivot", Texture::Plain),
        Role::Leaf => ("heap-only", Texture::Plain),
        Role::HalfDead => ("cold-old", Texture::Hatch),
        Role::Deleted => ("deleted", Texture::Cross),
        Role::Elided => ("unknown", Texture::Plain),
        Role::Bytes => ("residue", Texture::Bars),
        Role::Entry => ("entry", Texture::Plain),
        Role::Refused => ("lp-dead", Texture::Plain),
        Role::Heading => ("entry", Texture::Plain),
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
    classes!("part", format!("r-{}", look(role).0), change, selected.then_some("is-selected"))
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

/// Patterns and arrow heads that all pictures of the page refer to.
#[must_use]
pub fn definitions() -> Html {
    let pattern = |(texture, id): (Texture, &'static str)| {
        let path = match texture {
            Texture::Hatch => "M-1 1 1 -1M0 6 6 0M5 7 7 5",
            Texture::Cross => "M0 0 6 6M0 6 6 0",
            Texture::Bars => "M1.5 0V6M4.5 0V6",
            Texture::Plain | Texture::Dots => "M1 1.5h1M4 4.5h1",
        };
        html! {
            <pattern {id} width="6" height="6" patternUnits="userSpaceOnUse">
                <path class="texture" d={path} />
            </pattern>
        }
    };
    let head = |kind: LinkKind| {
        let class = link_class(kind);
        html! {
            <marker id={format!("ffviz-{class}")} viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7"
                orient="auto" markerUnits="userSpaceOnUse">
                <path class={classes!("head", class)} d="M0 0 8 4 0 8 2 4z" />
            </marker>
        }
    };
    let kinds = [
        LinkKind::Item,
        LinkKind::Redirect,
        LinkKind::HotUpdate,
        LinkKind::ColdUpdate,
        LinkKind::Downlink,
        LinkKind::RightLink,
    ];
    html! {
        <svg class="definitions" aria-hidden="true" width="0" height="0">
            <defs>{ for Texture::PATTERNS.into_iter().map(pattern) }{ for kinds.into_iter().map(head) }</defs>
        </svg>
    }
}

/// A sample of a role: its colours, texture and glyph.
#[must_use]
pub fn swatch(role: Role) -> Html {
    let texture = look(role).1.fill();
    html! {
        <svg class={classes!("swatch", classes(role, Change::Same, false))} viewBox="0 0 18 14" aria-hidden="true">
            <rect class="fill" width="18" height="14" rx="2" />
            if let Some(fill) = texture { <rect class="over" width="18" height="14" rx="2" {fill} /> }
            <text class="glyph" x="9" y="10.5" text-anchor="middle">{ role.glyph() }</text>
        </svg>
    }
}
