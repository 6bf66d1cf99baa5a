//! Statements that wait for a transaction or a lock of another session, and deadlocks among them
//! (src/backend/storage/lmgr/deadlock.c).
//!
//! ```text
//!  locks of relations, one by one ──▶ runs ──▶ end
//!         └ waits for a session          ├ waits for a transaction: its rows, its entries in unique indexes
//!                                        └ waits for a session that has locked a foreign key's other table
//! ```
//!
//! Who closes a circle fails. A server puts the queue in another order before it gives up; here it stays as it is.

use super::Simulator;
use crate::cluster::Before;
use crate::sql::ast::Statement as Tree;
use crate::sql::script::Statement;
use crate::sql::tcop::Execution;
use crate::storage::{RelationLock, WaitFor};
use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::string::String;
use alloc::vec::Vec;

/// A statement that is not at its end.
#[derive(Debug)]
pub(super) struct Waiting {
    /// its number in the script
    pub n: u32,
    /// its line there
    pub line: u32,
    /// its text
    pub sql: String,
    /// its session as it was before
    pub before: Before,
    /// its session
    pub session: usize,
    /// what it waits for, once it does
    pub on: Option<WaitFor>,
    /// its command tag, where only what was put off is still to be checked
    pub tag: Option<String>,
    pub stage: Stage,
}

/// How far a statement has come.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "one a session that waits")]
pub(super) enum Stage {
    /// it has not begun: these locks are still to be taken
    Locks { tree: Box<Tree>, copy_data: Option<String>, wanted: VecDeque<RelationLock> },
    /// it has begun
    Runs(Execution),
}

impl Waiting {
    pub fn new(statement: &Statement, before: Before, session: usize, tree: Tree, wanted: Vec<RelationLock>) -> Self {
        let stage =
            Stage::Locks { tree: Box::new(tree), copy_data: statement.copy_data.clone(), wanted: wanted.into() };
        Self {
            n: statement.n,
            line: statement.line,
            sql: statement.sql.clone(),
            before,
            session,
            on: None,
            tag: None,
            stage,
        }
    }
}

impl Simulator {
    /// Would waiting close a circle? The session whose wait closes it is the one that finds it. Sessions that stand in
    /// a queue before others count no further: a server puts such a queue in another order.
    pub(super) fn is_deadlock(&self, session: usize, on: WaitFor) -> bool {
        let (mut open, mut seen) = (self.holders(session, on), Vec::new());
        while let Some(holder) = open.pop() {
            if holder == session {
                return true;
            }
            if seen.contains(&holder) {
                continue;
            }
            seen.push(holder);
            let its = self.waiting.iter().find(|waiting| waiting.session == holder);
            if let Some(on) = its.and_then(|waiting| waiting.on) {
                open.extend(self.holders(holder, on));
            }
        }
        false
    }

    /// May the statement go on?
    pub(super) fn is_over(&self, waiting: &Waiting) -> bool {
        match waiting.on {
            Some(WaitFor::Transaction(xid)) => !self.db.cluster.pg.transam.is_in_progress(xid),
            Some(WaitFor::Lock(lock)) => self.db.cluster.pg.locks.blockers(waiting.session, lock).next().is_none(),
            Some(WaitFor::Advisory(key, shared)) => {
                self.db.cluster.pg.locks.advisory.holders(waiting.session, key, shared).next().is_none()
            }
            None => true,
        }
    }

    /// The sessions that have what the session waits for.
    pub(super) fn holders(&self, session: usize, on: WaitFor) -> Vec<usize> {
        self.db.cluster.holders(session, on)
    }
}
