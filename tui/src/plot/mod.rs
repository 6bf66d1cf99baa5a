//! Plots as charts in a terminal, as SVG, and as data for programs.

mod chart;
mod data;
mod svg;

pub use chart::text;
pub use data::{csv, json};
pub use svg::svg;
