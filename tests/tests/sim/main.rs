//! The simulator against real servers, statement by statement, and the servers' side against itself.
//!
//! ```text
//!  scripts/*.sql ─┬─▶ server of each version ──▶ trace ─┬─▶ compare
//!                 └─▶ simulator ───────────────▶ trace ─┘
//! ```

/// A test a version.
macro_rules! each_version {
    ($(#[$mark:meta])? $name:ident: $check:path) => {
        mod $name {
            $(#[$mark])?
            #[test]
            fn v13() {
                $check(13);
            }
            $(#[$mark])?
            #[test]
            fn v14() {
                $check(14);
            }
            $(#[$mark])?
            #[test]
            fn v15() {
                $check(15);
            }
            $(#[$mark])?
            #[test]
            fn v16() {
                $check(16);
            }
            $(#[$mark])?
            #[test]
            fn v17() {
                $check(17);
            }
            $(#[$mark])?
            #[test]
            fn v18() {
                $check(18);
            }
        }
    };
}

mod bloat;
mod browser;
mod chapters;
mod churn;
mod command;
mod determinism;
mod differential;
mod digests;
mod eager;
mod expected;
mod fence;
mod field;
mod keys;
mod known;
mod leaves;
mod looking;
mod oracle;
mod published;
mod random;
mod replayed;
mod scripts;
mod settings;
mod statistics;
mod suite;
mod torn;
