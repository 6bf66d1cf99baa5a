//! Redo against real servers, from 13 to 18.
//!
//! ```text
//!  consistency   wal_consistency_checking = all: after every record, each page it changed is compared with the server's own image of it
//!  replay        all pages of all tables before and after a workload: the WAL between, replayed over the first, gives the second
//!  recovery      a server crashes and recovers by its own redo: the same pages, byte for byte
//!  damaged       records with bytes changed, over real pages: no panic
//! ```
//!
//! `cargo test -p ffviz-tests --test redo`; the longer version: the same with `-- --ignored`.

mod capture;
mod consistency;
mod damaged;
mod difference;
mod recovery;
mod replay;

/// A test for each major version, so that they run side by side; `#[ignore]` makes it one of the longer version.
macro_rules! each_version {
    ($(#[$attribute:meta])? $module:ident: $check:expr) => {
        mod $module {
            $crate::one_version!($(#[$attribute])? v13: $check, 13);
            $crate::one_version!($(#[$attribute])? v14: $check, 14);
            $crate::one_version!($(#[$attribute])? v15: $check, 15);
            $crate::one_version!($(#[$attribute])? v16: $check, 16);
            $crate::one_version!($(#[$attribute])? v17: $check, 17);
            $crate::one_version!($(#[$attribute])? v18: $check, 18);
        }
    };
}
macro_rules! one_version {
    ($(#[$attribute:meta])? $name:ident: $check:expr, $major:literal) => {
        #[test]
        $(#[$attribute])?
        fn $name() {
            $check($major);
        }
    };
}
pub(crate) use {each_version, one_version};
