//! Statements that wait longer than a timeout lets them (`LockErrorCleanup`, src/backend/storage/lmgr/proc.c;
//! `ProcessInterrupts`, src/backend/tcop/postgres.c). There is no clock here: a short timeout is over before anybody
//! does anything else, a longer one once the script comes back to the session that waits.
//!
//! ```text
//!  B  SET lock_timeout = '2s'
//!  B  UPDATE t …             waits for A
//!  A  SELECT … FROM pg_locks
//!  B  ROLLBACK               the UPDATE: canceling statement due to lock timeout
//! ```

use super::{Ended, Resumed, Simulator, StatementEnd};
use crate::sql::tcop::Database;
use ffviz_format::datum::SqlError;

/// What a reader of a script takes for at once, in milliseconds.
const SHORT: u64 = 150;

/// A setting in milliseconds, as SHOW has it; 0 is none.
fn milliseconds(db: &Database, name: &str) -> u64 {
    let shown = db.setting(name).map(|(_, value)| value).unwrap_or_default();
    let digits = shown.find(|c: char| !c.is_ascii_digit()).unwrap_or(shown.len());
    let unit = match &shown[digits..] {
        "s" => 1000,
        "min" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        _ => 1,
    };
    shown[..digits].parse().unwrap_or(0) * unit
}

impl Simulator {
    /// The timeout of the session at work that is over first, after so many milliseconds.
    fn timeout(&self) -> Option<(u64, SqlError)> {
        let all = [("lock_timeout", "55P03", "lock"), ("statement_timeout", "57014", "statement")];
        let set = all.into_iter().map(|(name, sqlstate, what)| (milliseconds(&self.db, name), sqlstate, what));
        let (after, sqlstate, what) = set.filter(|(after, ..)| *after > 0).min_by_key(|(after, ..)| *after)?;
        Some((after, SqlError::new(sqlstate, alloc::format!("canceling statement due to {what} timeout"))))
    }

    /// A statement that is about to wait fails, where it would not wait long.
    pub(super) fn fails_soon(&mut self) -> Option<Ended> {
        let (_, error) = self.timeout().filter(|(after, _)| *after <= SHORT)?;
        Some(self.time_out(error))
    }

    /// The script comes back to the session at work: what waits there has failed by then.
    pub(super) fn fail_waiting(&mut self) -> Resumed {
        let (mut resumed, me) = (Resumed::default(), self.db.cluster.pg.me);
        let at = self.waiting.iter().position(|waiting| waiting.session == me);
        if let (Some(at), Some((_, error))) = (at, self.timeout()) {
            let waiting = self.waiting.remove(at);
            let name = self.db.cluster.pg.backend().name.clone();
            let ended = self.time_out(error).placed(waiting.line);
            resumed.outcomes.push(alloc::format!("statement {} of session {name}: {}", waiting.n, ended.words()));
            resumed.ends.push(StatementEnd::of(name.clone(), &ended));
            resumed.traces.extend(ended.resumed(waiting.n, name, None));
        }
        resumed
    }

    fn time_out(&mut self, error: SqlError) -> Ended {
        self.db.cluster.pg.locks.stop_waiting(self.db.cluster.pg.me);
        self.fail(error)
    }
}

impl Database {
    /// Would the session sleep too long (`statement_timeout`)?
    ///
    /// # Errors
    /// It would.
    pub(in crate::sql) fn check_sleep(&self, seconds: f64) -> Result<(), SqlError> {
        let most = milliseconds(self, "statement_timeout");
        if most > 0 && seconds * 1000.0 >= most as f64 {
            return Err(SqlError::new("57014", "canceling statement due to statement timeout"));
        }
        Ok(())
    }
}
