//! What `ffviz --version` says: the program's version, its commit where that is known, and which servers it simulates.

use ffviz_simulator::sql::run::{MAJORS, newest};
use std::sync::LazyLock;

static VERSION: LazyLock<String> = LazyLock::new(|| {
    let commit = option_env!("FFVIZ_COMMIT").map_or_else(String::new, |commit| format!("commit {commit}, "));
    let servers = MAJORS.map(|major| newest(major).to_string()).join(", ");
    format!("{} ({commit}PostgreSQL {servers})", env!("CARGO_PKG_VERSION"))
});

/// `0.1.0 (commit 0123abcde, PostgreSQL 13.23, …)`
#[must_use]
pub fn version() -> &'static str {
    &VERSION
}
