//! Statements that are planned once and run often (`PREPARE`, src/backend/commands/prepare.c): what a run of many has
//! to spend on each is the work itself.
//!
//! A prepared UPDATE runs again in the memory of the time before, and looks up nothing that has not changed.

use super::{Simulator, TICK};
use crate::sql::StatementError;
use crate::sql::commands::deferred::{fire_deferred, forget_due};
use crate::sql::expr::Analyzer;
use crate::sql::parse::parse_with;
use crate::sql::plan::{AnyValue, Given, Plan, plan};
use crate::sql::tcop::{Database, Execution};
use crate::storage::{Outcome, Stop};
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::datum::{SqlError, Value};
use ffviz_format::page::Oid;

/// The type of a parameter that the statement decides.
pub const UNDECIDED: Oid = Analyzer::UNDECIDED;

/// INSERT, UPDATE, DELETE or SELECT with `$1`, `$2` …, planned for any values: PostgreSQL's generic plan. It holds as
/// long as the relations that it names are not changed.
#[derive(Debug)]
pub struct Prepared {
    plan: Plan,
    /// types of its parameters
    pub types: Vec<Oid>,
    /// how it was run before, for the next time
    idle: Option<Execution>,
}

impl Prepared {
    /// Is its plan the one that any values would get, and for how long?
    pub(crate) fn for_any_value(&self, simulator: &Simulator) -> Option<AnyValue> {
        self.plan.for_any_value(&simulator.db)
    }

    /// To its end, after which it can be run again; where it fails, what there is of it is dropped.
    fn run(&mut self, db: &mut Database) -> Outcome<String> {
        let done = match &mut self.idle {
            Some(idle) => idle.restart(db, &self.plan).and_then(|()| idle.go_on(db)),
            None => self.idle.insert(Execution::start_planned(db, self.plan.clone())?).go_on(db),
        };
        if done.is_err() {
            self.idle = None;
        }
        done
    }
}

impl Simulator {
    /// Plans a statement whose parameters have these types; [`UNDECIDED`], where the statement decides.
    ///
    /// # Errors
    /// What the parser, the analyzer or the planner refuses; a statement that has no plan.
    pub fn prepare(&mut self, sql: &str, types: &[Oid]) -> Result<Prepared, StatementError> {
        let mut given = Given { params: types.into(), ..Given::default() };
        let types = self.db.type_names(sql);
        let planned = plan(&parse_with(sql, types)?, &mut self.db, &mut given)?;
        let unplanned = || StatementError::from(SqlError::new("42601", "this statement cannot be prepared"));
        planned.map(|plan| Prepared { plan, types: given.params, idle: None }).ok_or_else(unplanned)
    }

    /// Runs it with these values in the running session. Gives the command tag.
    ///
    /// # Errors
    /// The statement's error. It fails too where it would have to wait for another session.
    pub fn execute(&mut self, prepared: &mut Prepared, params: &[Value]) -> Result<String, SqlError> {
        let db = &mut self.db;
        db.cluster.clock += TICK;
        db.cluster.pg.buffers.begin_statement();
        db.note_time();
        db.cluster.start_statement()?;
        let done = db.with_params(params, |db| prepared.run(db)).and_then(|tag| fire_deferred(db).map(|()| tag));
        match done {
            Ok(_) => db.cluster.end_statement()?,
            Err(_) => {
                forget_due(db);
                db.cluster.fail_statement();
            }
        }
        done.map_err(|stop| match stop {
            Stop::Error(error) => error,
            Stop::Wait(on) => SqlError::new("55P03", alloc::format!("a prepared statement does not wait for {on}")),
        })
    }
}
