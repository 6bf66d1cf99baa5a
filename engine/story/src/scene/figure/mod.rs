//! The figure of a step: what happened, as one drawing. The pages that took part stand side by side; what vanished is
//! still there as a ghost, what is new or changed says so, one bold arrow tells the event, and the numbered notes
//! explain the marks.
//!
//! ```text
//! step ─▶ plot ─▶ pages that take part ─▶ heap, btree, maps, log ─▶ panels
//! panels ─▶ abridge ─▶ a few bands
//!        └▶ notes   ─▶ marks, arrows
//! several steps ─▶ whole ─▶ the same, and tally or ddl ─▶ the line above
//! ```
//!
//! It is made of pages and steps only, so captures, recordings and simulated runs all have it.

mod abridge;
mod actor;
mod arrange;
mod btree;
mod cast;
mod ddl;
pub mod drawing;
mod gist;
mod heap;
mod log;
mod maps;
mod merge;
mod notes;
mod order;
mod panel;
mod plot;
mod relations;
mod repeat;
mod stage;
mod tally;
mod torn;
mod undo;
mod values;
mod whole;

pub use arrange::{Widths, fitting};
pub use panel::{Arrow, Band, Chip, Fate, Goal, Identity, Panel, PanelLine};
pub use plot::Plot;
pub use whole::{Whole, provenance};

use super::{Look, PartId, Role};
use crate::timeline::Explanation;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::state::PageId;
use stage::Stage;

/// What a step did, as a drawing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FigureScene {
    /// what sort of event
    pub plot: Plot,
    /// what happened, in a line
    pub title: String,
    /// what takes part, from left to right
    pub panels: Vec<Panel>,
    /// from part to part; the event's is bold
    pub arrows: Vec<Arrow>,
    /// what the marks ①, ②, … say, in this order; a note without a mark in the drawing comes last
    pub notes: Vec<String>,
    /// what changed too and is not drawn: a sentence, or nothing
    pub left_out: String,
}

impl FigureScene {
    /// Stands the mark of that note in the drawing? What is said of the whole has none.
    #[must_use]
    pub fn has_mark(&self, note: u8) -> bool {
        let marked = |line: &PanelLine| match line {
            PanelLine::Band(band) => band.mark == Some(note),
            PanelLine::Chips(chips) => chips.iter().flatten().any(|chip| chip.mark == Some(note)),
            _ => false,
        };
        self.panels.iter().any(|panel| panel.mark == Some(note) || panel.lines.iter().any(marked))
    }

    /// The figure in words, for who does not see it.
    #[must_use]
    pub fn alternative(&self) -> String {
        let mut text = self.title.clone();
        for panel in &self.panels {
            text += &format!(". {}", panel.alternative());
        }
        for (n, note) in self.notes.iter().enumerate() {
            text += &format!(". {}: {note}", n + 1);
        }
        text
    }

    /// The signs of its bands that a reader has to be told: states of tuples and of index entries, each once.
    #[must_use]
    pub fn signs(&self) -> Vec<Role> {
        let bands = self.panels.iter().flat_map(Panel::bands).map(|band| band.role);
        let mut roles: Vec<Role> = bands.filter(|role| is_state(*role)).collect();
        roles.sort_unstable();
        roles.dedup();
        // rows that are all alike explain themselves
        if roles == [Role::TupleLive] { Vec::new() } else { roles }
    }

    /// The words at its bands that a reader has to be told, with what they mean.
    #[must_use]
    pub fn terms(&self) -> Vec<&'static str> {
        let is_said = |word: &str| self.panels.iter().flat_map(Panel::bands).any(|band| band.tag.contains(word));
        TERMS.into_iter().filter(|(word, _)| is_said(word)).map(|(_, meaning)| meaning).collect()
    }

    /// Line pointers and bands in the order of drawing, as what can be selected.
    pub fn pieces(&self) -> impl Iterator<Item = Piece> + '_ {
        self.panels.iter().enumerate().flat_map(|(n, panel)| {
            let name = move |(at, (of_page, fate, role, words)): (usize, (PartId, Fate, Role, &str))| Piece {
                part: PartId::Piece(n as u8, at as u16),
                panel: n,
                of_page,
                fate,
                role,
                words: String::from(words),
            };
            panel.pieces().enumerate().map(name)
        })
    }

    /// The page that a piece stands on, and the part of it.
    #[must_use]
    pub fn page_part(&self, part: PartId) -> Option<(Option<PageId>, PartId)> {
        let piece = self.pieces().find(|piece| piece.part == part)?;
        Some((self.panels[piece.panel].page, piece.of_page))
    }
}

/// Words at bands, and what they mean.
const TERMS: [(&str, &str); 1] = [(heap::OLD_LOCK, "old lock: xmax is a lock that is over")];

const fn is_state(role: Role) -> bool {
    matches!(
        role,
        Role::TupleLive
            | Role::TupleHeapOnly
            | Role::TupleHotUpdated
            | Role::TupleUpdated
            | Role::TupleDeleted
            | Role::TupleLocked
            | Role::TupleAborted
            | Role::PostingList
            | Role::HighKey
            | Role::IndexKilled
    )
}

/// A part of a figure that can be selected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// its name in the figure
    pub part: PartId,
    /// the panel that it is in
    pub panel: usize,
    /// the part of the panel's page that it is
    pub of_page: PartId,
    /// what became of it
    pub fate: Fate,
    /// what it is
    pub role: Role,
    /// its words: a line pointer's, a row's values, a key
    pub words: String,
}

/// The sign of a mark: ① to ⑳, then the number.
#[must_use]
pub fn mark_sign(mark: u8, ascii: bool) -> String {
    match mark {
        1..=20 if !ascii => char::from_u32(0x245F + u32::from(mark)).map_or_else(String::new, |sign| sign.to_string()),
        _ => format!("{mark})"),
    }
}

/// The figure of the step to the state that is looked at; `told` is its explanation. Where the step changed nothing
/// that can be drawn, the page `home` stands as it is.
#[must_use]
pub fn scene(look: &Look<'_>, told: &Explanation, home: Option<PageId>) -> FigureScene {
    let plot = Plot::of(look, told);
    let mut stage = Stage::new(look, told, plot);
    cast::enter(&mut stage, home);
    notes::tell(&mut stage);
    stage.into_scene()
}
