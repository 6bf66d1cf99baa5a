//! `ffviz experiment`: published experiments run anew, the articles' figures beside those of the simulator.

pub mod args;
pub mod command;
mod markdown;
mod servers;
mod table;
