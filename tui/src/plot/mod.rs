//! Plots as charts in a terminal, as SVG, and as data for programs.

mod chart;
mod data;
mod svg;

pub use chart::{Chart, text};
pub use data::{csv, json, one};
pub use svg::svg;
