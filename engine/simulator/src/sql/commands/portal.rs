//! Cursors (src/backend/commands/portalcmds.c): queries that are run a few rows at a time, with the snapshot that they
//! were declared with.
//!
//! ```text
//!  DECLARE ─▶ planned for its first rows ─▶ FETCH: so many rows ─▶ FETCH … ─▶ CLOSE, or the transaction's end
//! ```

use crate::sql::StatementError;
use crate::sql::ast::{Declare, Fetch};
use crate::sql::executor::running::Running;
use crate::sql::executor::select::Query;
use crate::sql::plan::{Plan, plan_cursor};
use crate::sql::tcop::dest::{DestReceiver, Kept};
use crate::sql::tcop::{Database, Execution, Work};
use crate::storage::Outcome;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use ffviz_format::datum::SqlError;
use ffviz_story::timeline::ResultSet;

/// A cursor's query, as far as it has come.
#[derive(Debug, Clone)]
pub(in crate::sql) struct Portal {
    query: Query,
    running: Running,
}

/// A FETCH or MOVE that runs.
#[derive(Debug)]
pub(in crate::sql) struct FetchRows {
    fetch: Fetch,
    portal: Portal,
    done: u64,
    dest: Option<DestReceiver>,
}

/// `PerformCursorOpen`
pub(in crate::sql) fn declare(db: &mut Database, declare: &Declare) -> Result<Execution, StatementError> {
    let plan = plan_cursor(&declare.query, db)?;
    let snapshot = db.cluster.take_snapshot();
    if !db.cluster.pg.backend().xact.as_ref().is_some_and(|xact| xact.in_block) {
        let message = "DECLARE CURSOR can only be used in transaction blocks";
        return Err(StatementError::server("25P01", message));
    }
    if db.cluster.has_portal(&declare.name) {
        return Err(StatementError::server("42P03", format!("cursor \"{}\" already exists", declare.name)));
    }
    let plan = Plan::Select(plan.into());
    let explained = plan.explain();
    let Plan::Select(plan) = plan else { return Err(StatementError::server("XX000", "a cursor without a query")) };
    let query = Query::start(plan, &snapshot);
    let running = Running { snapshot: Some(snapshot.clone()), ..Running::default() };
    db.cluster.open_portal(&declare.name, snapshot.xmin);
    db.session().portals.insert(declare.name.clone(), Portal { query, running });
    Ok(Execution { plan: explained, ..Execution::of(Work::Done("DECLARE CURSOR")) })
}

/// `PerformPortalFetch`
pub(in crate::sql) fn fetch(db: &mut Database, fetch: &Fetch) -> Result<Work, SqlError> {
    let missing = || missing(&fetch.name);
    if !db.cluster.has_portal(&fetch.name) {
        return Err(missing());
    }
    let portal = db.session().portals.remove(&fetch.name).ok_or_else(missing)?;
    Ok(Work::Fetch(Box::new(FetchRows { fetch: fetch.clone(), portal, done: 0, dest: None })))
}

impl FetchRows {
    /// The rows are to be kept.
    pub fn keep(&mut self, kept: Kept) {
        self.dest = (!self.fetch.is_move).then(|| self.portal.query.receiver(kept));
    }

    /// The rows that were kept.
    pub fn finish(&mut self) -> Option<ResultSet> {
        self.dest.take().map(DestReceiver::finish)
    }

    /// Goes on until there are enough rows. Gives the command tag.
    pub fn go_on(&mut self, db: &mut Database) -> Outcome<String> {
        let mut running = core::mem::take(&mut self.portal.running);
        let done = db.while_running(&mut running, |db| self.rows(db));
        self.portal.running = running;
        done?;
        db.cluster.keep_pins(&self.fetch.name);
        db.session().portals.insert(self.fetch.name.clone(), self.portal.clone());
        Ok(format!("{} {}", if self.fetch.is_move { "MOVE" } else { "FETCH" }, self.done))
    }

    fn rows(&mut self, db: &mut Database) -> Outcome<()> {
        while self.fetch.count.is_none_or(|count| self.done < count) {
            let is_there = if self.fetch.is_move {
                self.portal.query.next(db)?.is_some()
            } else {
                self.portal.query.send_next(db, self.dest.as_mut())?
            };
            if !is_there {
                break;
            }
            self.done += 1;
        }
        Ok(())
    }
}

/// `PerformPortalClose`
pub(in crate::sql) fn close(db: &mut Database, name: Option<&str>) -> Result<String, SqlError> {
    let was_there = db.cluster.close_portal(name);
    match name {
        Some(name) if !was_there => Err(missing(name)),
        Some(name) => {
            db.session().portals.remove(name);
            Ok(String::from("CLOSE CURSOR"))
        }
        None => {
            db.session().portals.clear();
            Ok(String::from("CLOSE CURSOR ALL"))
        }
    }
}

fn missing(name: &str) -> SqlError {
    SqlError::new("34000", format!("cursor \"{name}\" does not exist"))
}
