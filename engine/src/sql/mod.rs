//! SQL in, what it did to pages and WAL out.
//!
//! ```text
//!  text ──script──▶ statements and directives ──▶ run, here or on a server ──trace──▶ what each statement changed
//! ```

pub mod script;
pub mod trace;
