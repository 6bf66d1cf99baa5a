//! The sessions of a script together: which of them run, which wait for a lock of another, which are at their end.

use super::session::{Outcome, ScriptSession};
use crate::failure::Failure;
use ffviz_simulator::sql::script::Statement;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::time::Instant;
use tokio_postgres::Client;
use tokio_postgres::types::Type;

/// How long the end of a statement is waited for before the others are looked at again.
const GLANCE: Duration = Duration::from_millis(2);
/// A statement that runs so long may wait for a lock: longer than `deadlock_timeout`, so that a deadlock is found
/// before.
pub const PATIENCE: Duration = Duration::from_millis(150);
/// How long sessions are waited for before whoever waits has a look at other things.
const TURN: Duration = Duration::from_secs(1);

/// The sessions of a script, by name.
#[derive(Default)]
pub struct Sessions {
    of: BTreeMap<String, ScriptSession>,
}

/// What waiting for sessions came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Settled {
    /// each is at the end of its statement, or waits for a lock
    Quiet,
    /// some statement still runs
    Busy,
    /// somebody asked to stop
    Interrupted,
}

impl Sessions {
    /// The session of that name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&ScriptSession> {
        self.of.get(name)
    }

    /// The same, to start a statement in it.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut ScriptSession> {
        self.of.get_mut(name)
    }

    /// A session more.
    pub fn insert(&mut self, name: String, session: ScriptSession) {
        self.of.insert(name, session);
    }

    /// All of them.
    pub fn all(&self) -> impl Iterator<Item = &ScriptSession> {
        self.of.values()
    }

    /// The statement that a session still runs, or waits in.
    #[must_use]
    pub fn running(&self, name: &str) -> Option<&Statement> {
        self.of.get(name)?.running.as_ref().map(|(statement, _)| statement)
    }

    /// The backends of sessions whose statement is not at its end.
    fn busy(&self) -> Vec<i32> {
        self.all().filter(|session| session.running.is_some() && !session.is_finished()).map(|s| s.pid).collect()
    }

    /// Waits until every session is at the end of its statement, or waits for a lock of another; a second at most.
    /// `began`: when the last statement was started, and for how long it is not asked who waits for whom, which `admin`
    /// can see.
    ///
    /// # Errors
    /// What the server says.
    pub async fn settle(
        &self,
        admin: &Client,
        (began, patience): (Instant, Duration),
        interrupt: &AtomicBool,
    ) -> Result<Settled, Failure> {
        let turn = Instant::now();
        loop {
            if interrupt.load(Ordering::Relaxed) {
                return Ok(Settled::Interrupted);
            }
            let busy = self.busy();
            if busy.is_empty() {
                return Ok(Settled::Quiet);
            }
            if began.elapsed() > patience {
                let pids: Vec<i32> = self.all().map(|session| session.pid).collect();
                let blocked = blocked(admin, &pids).await?;
                if busy.iter().all(|pid| blocked.contains(pid)) {
                    return Ok(Settled::Quiet);
                }
            }
            if turn.elapsed() > TURN {
                return Ok(Settled::Busy);
            }
            for session in self.all() {
                session.wait(GLANCE).await;
            }
        }
    }

    /// Takes the outcomes of the statements that are at their end, with the names of their sessions.
    pub async fn finished(&mut self) -> Vec<(String, Statement, Outcome)> {
        let mut finished = Vec::new();
        for (name, session) in self.of.iter_mut().filter(|(_, session)| session.is_finished()) {
            let Some((statement, outcome)) = session.finish().await else { continue };
            finished.push((name.clone(), statement, outcome));
        }
        finished
    }

    /// Cancels what still runs: what was made could not be dropped while it does.
    ///
    /// # Errors
    /// What the server says.
    pub async fn cancel(&self, admin: &Client) -> Result<(), Failure> {
        const CANCEL: &str = "SELECT pg_catalog.pg_cancel_backend(pid) FROM pg_catalog.unnest($1::int4[]) pid";
        let pids = self.busy();
        if !pids.is_empty() {
            admin.query(CANCEL, &[&pids]).await?;
        }
        Ok(())
    }
}

/// Those of the sessions that wait for a lock of another of them.
async fn blocked(admin: &Client, pids: &[i32]) -> Result<Vec<i32>, Failure> {
    let rows = admin.query_typed(include_str!("../sql/script/blocked.sql"), &[(&pids, Type::INT4_ARRAY)]).await?;
    rows.iter().map(|row| Ok(row.try_get("pid")?)).collect()
}
