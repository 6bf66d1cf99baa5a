//! Values on servers 13 to 18 and in the engine: how they are printed, read from text, stored, ordered, computed with,
//! compressed.

mod columns;
mod expressions;
mod literals;
mod printed;
mod server;
mod toast;
