//! Cursors (src/backend/commands/portalcmds.c): queries that are run a few rows at a time, with the snapshot that they
//! were declared with.
//!
//! ```text
//!  DECLARE ─▶ planned for its first rows ─▶ FETCH: so many rows ─▶ FETCH … ─▶ CLOSE, or the transaction's end
//! ```

use super::matview;
use crate::access::heap::detoast_external_attr;
use crate::sql::StatementError;
use crate::sql::ast::{Declare, Fetch, FetchDirection, Statement};
use crate::sql::error::NOT_SIMULATED;
use crate::sql::executor::row::is_external;
use crate::sql::executor::running::Running;
use crate::sql::executor::select::Query;
use crate::sql::plan::{Given, Plan, SelectPlan, plan_cursor};
use crate::sql::tcop::dest::{DestReceiver, Kept};
use crate::sql::tcop::{Database, Execution, Work};
use crate::storage::{MvccSnapshot, Outcome, RelationData};
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::datum::{SqlError, SqlType, Value};
use ffviz_format::page::ItemPointer;
use ffviz_story::timeline::ResultSet;

/// A cursor's query, as far as it has come.
#[derive(Debug, Clone)]
pub(in crate::sql) struct Portal {
    query: Query,
    running: Running,
    /// SCROLL, or NO SCROLL
    scroll: Option<bool>,
    /// the rows that have come
    seen: Vec<Vec<Value>>,
    /// the places of those that are rows of a table
    tids: Vec<Option<ItemPointer>>,
    /// the number of the row that it stands on; 0 before the first, one more than there are behind the last
    at: usize,
    /// have all come?
    ended: bool,
    /// values of its parameters
    params: Vec<Value>,
    /// names and types of its columns
    columns: Vec<(String, SqlType)>,
    /// the plan of its query, a line each
    plan: Vec<String>,
}

/// A FETCH or MOVE that runs.
#[derive(Debug)]
pub(in crate::sql) struct FetchRows {
    fetch: Fetch,
    portal: Portal,
    done: u64,
    /// of RELATIVE: the number of the row
    target: Option<i64>,
    dest: Option<DestReceiver>,
    /// rows for a variable
    taken: Option<Vec<Vec<Value>>>,
}

impl Portal {
    /// `CURSOR_OPT_SCROLL`; nothing where that follows from a plan that is not known here.
    pub fn is_scrollable(&self) -> Option<bool> {
        self.scroll.or_else(|| self.query.goes_back())
    }
}

/// `PerformCursorOpen`
pub(in crate::sql) fn declare(db: &mut Database, declare: &Declare) -> Result<Execution, StatementError> {
    let plan = plan_cursor(&declare.query, db, &mut Given::default())?;
    let snapshot = db.cluster.take_snapshot();
    if !declare.hold && !db.cluster.pg.backend().xact.as_ref().is_some_and(|xact| xact.in_block) {
        let message = "DECLARE CURSOR can only be used in transaction blocks";
        return Err(StatementError::server("25P01", message));
    }
    if db.cluster.has_portal(&declare.name) {
        return Err(StatementError::server("42P03", format!("cursor \"{}\" already exists", declare.name)));
    }
    if plan.locking.is_some() && declare.scroll == Some(true) {
        let error = SqlError::new("0A000", "DECLARE SCROLL CURSOR ... FOR UPDATE is not supported");
        return Err(error.with_detail("Scrollable cursors must be READ ONLY.").into());
    }
    if plan.locking.is_some() && declare.hold {
        let error = SqlError::new("0A000", "DECLARE CURSOR WITH HOLD ... FOR UPDATE is not supported");
        return Err(error.with_detail("Holdable cursors must be READ ONLY.").into());
    }
    matview::check_query(db, &Statement::Select((*declare.query).clone()))?;
    let plan = Plan::Select(plan.into());
    let explained = plan.explain();
    let Plan::Select(plan) = plan else { return Err(StatementError::server("XX000", "a cursor without a query")) };
    let mut query = Query::start(plan, &snapshot);
    query.take_command_id(db);
    let running = Running { snapshot: Some(snapshot.clone()), ..Running::default() };
    db.cluster.open_portal(&declare.name, snapshot.xmin, declare.hold);
    let portal = Portal { plan: explained.clone(), ..Portal::new(query, running, declare.scroll) };
    db.session().portals.insert(declare.name.clone(), portal);
    Ok(Execution { plan: explained, ..Execution::of(Work::Done("DECLARE CURSOR")) })
}

/// `PerformPortalFetch`
pub(in crate::sql) fn fetch(db: &mut Database, fetch: &Fetch) -> Result<Work, SqlError> {
    let missing = || missing(&fetch.name);
    if !db.cluster.has_portal(&fetch.name) {
        return Err(missing());
    }
    let portal = db.session().portals.remove(&fetch.name).ok_or_else(missing)?;
    Ok(Work::Fetch(Box::new(FetchRows {
        fetch: fetch.clone(),
        portal,
        done: 0,
        target: None,
        dest: None,
        taken: None,
    })))
}

/// What OPEN of PL/pgSQL makes a cursor of.
pub(in crate::sql) struct NewPortal {
    pub plan: SelectPlan,
    pub params: Vec<Value>,
    pub scroll: Option<bool>,
    /// what it runs with
    pub running: Running,
}

/// `SPI_cursor_open_internal` (src/backend/executor/spi.c): a cursor of that name.
pub(in crate::sql) fn open(
    db: &mut Database,
    name: &str,
    snapshot: &MvccSnapshot,
    new: NewPortal,
) -> Result<(), SqlError> {
    let NewPortal { plan, params, scroll, mut running } = new;
    if plan.locking.is_some() && scroll == Some(true) {
        let error = SqlError::new("0A000", "DECLARE SCROLL CURSOR ... FOR UPDATE is not supported");
        return Err(error.with_detail("Scrollable cursors must be READ ONLY."));
    }
    let plan = Plan::Select(plan.into());
    let columns = plan.columns();
    let Plan::Select(plan) = plan else { return Err(SqlError::new("XX000", "a cursor without a query")) };
    let outside = core::mem::replace(&mut db.params, params.clone());
    let query = db.while_running(&mut running, |db| {
        let mut query = Query::start(plan, snapshot);
        query.take_command_id(db);
        query
    });
    db.params = outside;
    db.cluster.open_portal(name, snapshot.xmin, false);
    let portal = Portal { params, columns, ..Portal::new(query, running, scroll) };
    db.session().portals.insert(name.into(), portal);
    Ok(())
}

impl FetchRows {
    /// The plan of its query, a line each.
    pub fn plan(&self) -> Vec<String> {
        self.portal.plan.clone()
    }

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
        let outside = core::mem::replace(&mut db.params, self.portal.params.clone());
        let done = db.while_running(&mut running, |db| self.rows(db));
        db.params = outside;
        self.portal.running = running;
        done?;
        // within a function others hold pins, too
        if self.taken.is_none() {
            db.cluster.keep_pins(&self.fetch.name);
        }
        db.session().portals.insert(self.fetch.name.clone(), self.portal.clone());
        Ok(format!("{} {}", if self.fetch.is_move { "MOVE" } else { "FETCH" }, self.done))
    }

    /// `DoPortalRunFetch`
    fn rows(&mut self, db: &mut Database) -> Outcome<()> {
        match self.fetch.direction {
            FetchDirection::Forward(count) => {
                while count.is_none_or(|count| self.done < count) && self.portal.forward(db)? {
                    self.give(db)?;
                }
            }
            FetchDirection::Backward(count) => {
                self.portal.check_back()?;
                while count.is_none_or(|count| self.done < count) && self.portal.backward() {
                    self.give(db)?;
                }
            }
            FetchDirection::Absolute(number) if number < 0 => {
                while self.portal.forward(db)? {}
                self.portal.check_back()?;
                let rows = self.portal.seen.len() as i64;
                self.go_to(db, (rows + 1 + number).max(0))?;
            }
            FetchDirection::Absolute(number) => self.go_to(db, number)?,
            FetchDirection::Relative(by) => {
                // where it waited on the way, it goes on to the same row
                let at = self.portal.at as i64;
                let target = *self.target.get_or_insert(at.saturating_add(by).max(0));
                self.go_to(db, target)?;
            }
        }
        Ok(())
    }

    /// Gives the row of that number, where there is one, and stands there.
    fn go_to(&mut self, db: &mut Database, number: i64) -> Outcome<()> {
        let target = usize::try_from(number).unwrap_or(usize::MAX);
        if target <= self.portal.at && self.portal.at > 0 {
            self.portal.check_back()?;
            self.portal.at = target;
        }
        while self.portal.at < target && self.portal.forward(db)? {}
        if target > 0 && self.portal.at == target && target <= self.portal.seen.len() {
            self.give(db)?;
        }
        Ok(())
    }

    /// The row that it stands on goes to the client.
    fn give(&mut self, db: &mut Database) -> Outcome<()> {
        self.done += 1;
        if self.fetch.is_move {
            return Ok(());
        }
        let Some(mut row) = self.portal.at.checked_sub(1).and_then(|at| self.portal.seen.get(at)).cloned() else {
            return Ok(());
        };
        self.portal.query.send(db, &mut row, self.dest.as_mut())?;
        self.taken.iter_mut().for_each(|taken| taken.push(row.clone()));
        Ok(())
    }

    /// FETCH or MOVE of PL/pgSQL, of a cursor that there is.
    pub fn of_variable(db: &mut Database, fetch: Fetch) -> Result<Self, SqlError> {
        let missing = || missing(&fetch.name);
        if !db.cluster.has_portal(&fetch.name) {
            return Err(missing());
        }
        let portal = db.session().portals.remove(&fetch.name).ok_or_else(missing)?;
        Ok(Self { fetch, portal, done: 0, target: None, dest: None, taken: Some(Vec::new()) })
    }

    /// How many rows there were, the rows, and their columns.
    pub fn into_rows(self) -> (u64, Vec<Vec<Value>>, Vec<(String, SqlType)>) {
        (self.done, self.taken.unwrap_or_default(), self.portal.columns)
    }
}

impl Portal {
    const fn new(query: Query, running: Running, scroll: Option<bool>) -> Self {
        Self {
            query,
            running,
            scroll,
            seen: Vec::new(),
            tids: Vec::new(),
            at: 0,
            ended: false,
            params: Vec::new(),
            columns: Vec::new(),
            plan: Vec::new(),
        }
    }

    /// To the next row, where there is one.
    fn forward(&mut self, db: &mut Database) -> Outcome<bool> {
        if self.at >= self.seen.len() && !self.ended {
            match self.query.next(db)? {
                Some(row) => {
                    self.seen.push(row.clone());
                    self.tids.push(self.query.place());
                }
                None => self.ended = true,
            }
        }
        let is_there = self.at < self.seen.len();
        self.at = (self.at + 1).min(self.seen.len() + 1);
        Ok(is_there)
    }

    /// To the row before, where there is one.
    const fn backward(&mut self) -> bool {
        self.at = self.at.saturating_sub(1);
        self.at > 0
    }

    /// May it go back?
    fn check_back(&self) -> Result<(), SqlError> {
        match self.scroll.or_else(|| self.query.goes_back()) {
            Some(true) => Ok(()),
            Some(false) => Err(SqlError::new("55000", "cursor can only scan forward")),
            None => {
                let message =
                    "going back in a cursor of such a query is not supported unless it is declared with SCROLL";
                Err(SqlError::new(NOT_SIMULATED, message))
            }
        }
    }
}

/// `PreCommit_Portals`: the transaction commits, and cursors WITH HOLD read all of their rows
/// (`PersistHoldablePortal`).
pub(in crate::sql) fn hold(db: &mut Database) -> Outcome<()> {
    if db.cluster.pg.backend().xact.as_ref().is_some_and(|xact| xact.in_block) {
        return Ok(());
    }
    for name in db.cluster.portals_to_hold() {
        let Some(mut portal) = db.session().portals.remove(&name) else { continue };
        let at = portal.at;
        let mut running = core::mem::take(&mut portal.running);
        let outside = core::mem::replace(&mut db.params, portal.params.clone());
        let read = db.while_running(&mut running, |db| {
            while portal.forward(db)? {}
            portal.seen.iter_mut().try_for_each(|row| detoast(db, row))
        });
        db.params = outside;
        portal.running = running;
        portal.at = at.min(portal.seen.len() + 1);
        db.session().portals.insert(name.clone(), portal);
        read?;
        db.cluster.hold_portal(&name);
    }
    end_all(db);
    Ok(())
}

/// `PortalDrop` of those that end with the transaction that commits.
pub(in crate::sql) fn end_all(db: &mut Database) {
    let names: Vec<String> = db.session().portals.keys().cloned().collect();
    for name in names {
        if db.cluster.is_held_portal(&name) {
            continue;
        }
        if let Some(mut portal) = db.session().portals.remove(&name) {
            portal.query.end(db);
        }
    }
}

/// What is kept of a row does not need the table's TOAST table.
fn detoast(db: &mut Database, row: &mut [Value]) -> Outcome<()> {
    for value in row.iter_mut().filter(|value| is_external(value)) {
        *value = detoast_external_attr(&mut db.cluster.pg, value)?;
    }
    Ok(())
}

/// `execCurrentOf`: the row of the table that the cursor stands on.
pub(in crate::sql) fn exec_current_of(db: &mut Database, name: &str, table: &RelationData) -> Outcome<ItemPointer> {
    let wrong = |what: String| Err(SqlError::new("24000", format!("cursor \"{name}\" {what}")).into());
    if !db.cluster.has_portal(name) {
        return Err(missing(name).into());
    }
    if db.cluster.is_held_portal(name) {
        return wrong(String::from("is held from a previous transaction"));
    }
    let session = db.session();
    let Some(portal) = session.portals.get(name) else { return Err(missing(name).into()) };
    let is_locking = portal.query.is_locking();
    if portal.query.scanned() != Some(table.oid) || !is_locking && !portal.query.is_simple_scan() {
        return match is_locking {
            true => wrong(format!("does not have a FOR UPDATE/SHARE reference to table \"{}\"", table.name)),
            false => wrong(format!("is not a simply updatable scan of table \"{}\"", table.name)),
        };
    }
    match portal.at.checked_sub(1).and_then(|at| portal.tids.get(at)).copied().flatten() {
        Some(tid) => Ok(tid),
        None => wrong(String::from("is not positioned on a row")),
    }
}

/// `PerformPortalClose`
pub(in crate::sql) fn close(db: &mut Database, name: Option<&str>) -> Result<String, SqlError> {
    let was_there = db.cluster.close_portal(name);
    match name {
        Some(name) if !was_there => Err(missing(name)),
        Some(name) => {
            if let Some(mut portal) = db.session().portals.remove(name) {
                portal.query.end(db);
            }
            Ok(String::from("CLOSE CURSOR"))
        }
        None => {
            db.session().portals.clear();
            Ok(String::from("CLOSE CURSOR ALL"))
        }
    }
}

pub(in crate::sql) fn missing(name: &str) -> SqlError {
    SqlError::new("34000", format!("cursor \"{name}\" does not exist"))
}
