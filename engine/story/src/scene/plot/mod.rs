//! A plot: numbers over numbers. A run over its transactions, an experiment over its cases.
//!
//! ```text
//!  Samples ──of_samples──▶ PlotScene: title, axes with their marks, series, notes ──▶ a chart, SVG, CSV
//! ```

mod axis;
mod runs;
mod samples;
#[cfg(test)]
mod tests;

pub use axis::{Axis, Tick};
pub use runs::of_runs;
pub use samples::of_samples;

use alloc::string::String;
use alloc::vec::Vec;

/// The signs of curves, by which they are told apart without colour, each with its like in ASCII.
pub const SIGNS: [[char; 2]; 7] = [['●', 'o'], ['▲', '^'], ['■', '#'], ['◆', '*'], ['○', '@'], ['△', '+'], ['□', 'x']];

/// A plot.
#[derive(Debug, Clone, PartialEq)]
pub struct PlotScene {
    /// what is shown
    pub title: String,
    /// the axis to the right
    pub x: Axis,
    /// the axis upwards
    pub y: Axis,
    /// the curves
    pub series: Vec<Series>,
    /// what is to be known to read it, a sentence each
    pub notes: Vec<String>,
}

/// A curve.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// what it is of
    pub name: String,
    /// its points, from left to right
    pub points: Vec<(f64, f64)>,
}

impl PlotScene {
    /// A plot whose axes show all points, upwards from 0.
    #[must_use]
    pub fn new(title: &str, x: &str, y: &str, series: Vec<Series>) -> Self {
        let points = || series.iter().flat_map(|series| &series.points);
        let most = |of: fn(&(f64, f64)) -> f64| points().map(of).fold(0.0, f64::max);
        let (right, top) = (most(|point| point.0), most(|point| point.1));
        Self { title: title.into(), x: Axis::new(x, right), y: Axis::new(y, top), series, notes: Vec::new() }
    }

    /// The same with a note.
    #[must_use]
    pub fn with_note(mut self, note: &str) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Is there anything to see?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        !self.series.iter().flat_map(|series| &series.points).any(|point| point.1 > 0.0)
    }
}
