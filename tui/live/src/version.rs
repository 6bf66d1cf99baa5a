//! What of the SQL that ffviz itself sends differs between servers, a question each.

use ffviz_format::page::PgVersion;

/// The questions, to a server's version.
pub trait Sent {
    /// Are numbers of blocks of type int8 for pageinspect (1.9 and later), rather than int4?
    fn has_wide_blocks(self) -> bool;
    /// May `pg_logical_emit_message` put WAL on disk at once (`flush`)?
    fn flushes_messages(self) -> bool;
    /// Does CREATE DATABASE say who sorts texts (`LOCALE_PROVIDER`)?
    fn has_locale_providers(self) -> bool;
}

impl Sent for PgVersion {
    fn has_wide_blocks(self) -> bool {
        self.major() >= 14
    }

    fn flushes_messages(self) -> bool {
        self.major() >= 17
    }

    fn has_locale_providers(self) -> bool {
        self.major() >= 15
    }
}
