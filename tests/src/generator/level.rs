//! How much a script may use, so that the simulator could be checked from its first day: each level has all of those
//! below.

/// A level of difficulty, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Level(pub u32);

impl Level {
    /// one session, one table of int and text without index; INSERT, UPDATE, DELETE, SELECT
    pub const ROWS: Self = Self(1);
    /// VACUUM, CHECKPOINT, NULL
    pub const VACUUM: Self = Self(2);
    /// fillfactor, transactions, savepoints, row locks, statements that fail
    pub const TRANSACTIONS: Self = Self(3);
    /// more types, COPY, DO, system columns, scans by ctid, RETURNING
    pub const TYPES: Self = Self(4);
    /// indexes, unique violations, ON CONFLICT, REINDEX, IN and = ANY, EXPLAIN
    pub const INDEXES: Self = Self(5);
    /// values that go to TOAST; several tables; several sessions, isolation levels; VACUUM FULL
    pub const SESSIONS: Self = Self(6);
    /// TRUNCATE, ALTER TABLE, COPY FREEZE, foreign keys, unlogged tables, VACUUM's options, CREATE TABLE AS, sequences,
    /// storage, settings
    pub const EVERYTHING: Self = Self(7);
    /// triggers, PL/pgSQL, deferrable constraints, materialized views, MERGE, joins that change rows, cursors, types of
    /// tables that change: some themes a script
    pub const THEMES: Self = Self(8);

    /// That of a seed's script: all come in turn, the higher ones more often.
    #[must_use]
    pub const fn of_seed(seed: u64) -> Self {
        match seed % 10 {
            low @ 1..=5 => Self(low as u32),
            6 | 8 => Self::SESSIONS,
            9 => Self::EVERYTHING,
            _ => Self::THEMES,
        }
    }

    /// The longest text: below [`Self::SESSIONS`] no row is long enough for TOAST.
    #[must_use]
    pub const fn longest_text(self) -> u64 {
        match self.0 {
            0..=3 => 1900,
            4 | 5 => 900,
            _ => 9000,
        }
    }
}
