//! A page that a crash left half written: where the tear is.

use super::panel::PanelLine;
use crate::scene::words;
use crate::timeline::{Cause, PageChange, Step, Unlogged, torn_at};
use alloc::format;

/// The byte from which the page is as it was last written, where the step is a crash that tore it.
pub(super) fn at(step: &Step, change: &PageChange) -> Option<u16> {
    matches!(step.cause, Cause::Unlogged(Unlogged::Crash)).then(|| torn_at(change)).flatten()
}

/// The tear as a line of the panel.
pub(super) fn line(at: u16) -> PanelLine {
    PanelLine::Tear(format!("torn: new above, old from byte {} on", words::thousands(at.into())))
}
