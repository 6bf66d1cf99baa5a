//! The browser face: it draws views and sends messages.
//!
//! ```text
//! keys, clicks, files, address ──▶ app ──Msg──▶ engine ──View──▶ view::Face ──▶ the page
//!                                   ▲             │
//!                                   └── library ◀─┴─ Effect
//! ```
//!
//! `Face` is a pure function of the view, so that it can be rendered without a browser too: the parity test does.

mod address;
mod app;
mod demo;
mod examples;
mod grid;
pub mod keymap;
mod library;
mod link;
mod player;
mod playground;
mod real;
mod rest;
mod server;
mod share;
mod simulator;
mod theme;
mod view;
mod window;

pub use app::App;
pub use demo::{Demo, DemoProps, Incoming as DemoIncoming, Options, Order, Told};
pub use library::set_base;
pub use rest::fetch as fetch_rest;
pub use view::{Face, FaceProps};
