//! What the tests share: real servers, and nothing that a test could get wrong alone.

pub mod capture;
pub mod generator;
pub mod instance;
pub mod markup;
pub mod recorded;
pub mod servers;
pub mod tpcb;
pub mod wal;
pub mod workload;

/// A test for each major version, so that they run side by side; `#[ignore = "…"]` makes it one of the longer command.
#[macro_export]
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
