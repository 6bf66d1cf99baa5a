//! How much a script may use, so that the simulator can be checked from its first day.

/// A level of difficulty, from 1; each has all of those below.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Level(pub u32);

impl Level {
    /// Everything.
    pub const HIGHEST: Self = Self(7);

    /// 1: one session, one table of int and text without index; INSERT, UPDATE, DELETE, SELECT. 2: VACUUM, CHECKPOINT, NULL.
    #[must_use]
    pub const fn vacuum(self) -> bool {
        self.0 >= 2
    }

    /// 3: fillfactor, transactions, savepoints, row locks.
    #[must_use]
    pub const fn fillfactor(self) -> bool {
        self.0 >= 3
    }

    /// 3 too.
    #[must_use]
    pub const fn transactions(self) -> bool {
        self.0 >= 3
    }

    /// 4: more types, COPY.
    #[must_use]
    pub const fn types(self) -> bool {
        self.0 >= 4
    }

    /// 5: indexes, unique violations, ON CONFLICT.
    #[must_use]
    pub const fn indexes(self) -> bool {
        self.0 >= 5
    }

    /// 6: values that go to TOAST; several tables; several sessions.
    #[must_use]
    pub const fn sessions(self) -> bool {
        self.0 >= 6
    }

    /// 7: TRUNCATE, ALTER TABLE, unlogged tables, VACUUM's options, CREATE TABLE AS, sequences, storage, enable_*.
    #[must_use]
    pub const fn everything(self) -> bool {
        self.0 >= 7
    }

    /// The longest text: below 6 no row is long enough for TOAST.
    #[must_use]
    pub const fn longest_text(self) -> u64 {
        match self.0 {
            0..=3 => 1900,
            4 | 5 => 900,
            _ => 9000,
        }
    }
}
