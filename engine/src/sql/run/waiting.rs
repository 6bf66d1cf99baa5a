//! Statements that wait for a transaction of another session, and deadlocks among them (src/backend/storage/lmgr/deadlock.c).

use super::Simulator;
use crate::page::TransactionId;
use crate::sql::execute::Execution;
use crate::sql::script::Statement;

/// A statement that began and is not at its end.
#[derive(Debug)]
pub(super) struct Waiting {
    /// its number in the script
    pub n: u32,
    /// its session
    pub session: usize,
    /// the transaction that it waits for
    pub on: TransactionId,
    pub execution: Execution,
}

impl Waiting {
    pub const fn new(statement: &Statement, session: usize, execution: Execution) -> Self {
        Self { n: statement.n, session, on: 0, execution }
    }
}

impl Simulator {
    /// Would waiting for that transaction close a circle? The session whose wait closes it is the one that finds it.
    pub(super) fn is_deadlock(&self, session: usize, xid: TransactionId) -> bool {
        let mut holder = self.holder(xid);
        for _ in 0..=self.waiting.len() {
            match holder {
                Some(holder) if holder == session => return true,
                Some(other) => {
                    let its = self.waiting.iter().find(|waiting| waiting.session == other);
                    holder = its.and_then(|waiting| self.holder(waiting.on));
                }
                None => return false,
            }
        }
        false
    }

    /// The session whose transaction, or subtransaction, it is.
    fn holder(&self, xid: TransactionId) -> Option<usize> {
        let top = self.db.cluster.pg.transam.topmost(xid);
        self.db.cluster.pg.backends.iter().position(|backend| backend.top_xid() == Some(top))
    }
}
