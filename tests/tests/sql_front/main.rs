//! The front of the simulator's SQL against servers 13 to 18: what its tables say of types and operators, the values
//! and the errors of expressions, the choice of scans.

mod catalog;
mod expressions;
mod generate;
mod good;
mod places;
mod plans;
mod settings;
mod wrong;
