//! Step after step (`exec_stmts`), and back to a handler after an error (`exec_stmt_block`).

use super::{BarsEnd, Interpreter, Loop, Returns, Try, conditions};
use crate::sql::ast::{Datum, Embedded, ForInteger, Step};
use crate::sql::commands::portal;
use crate::sql::error::NOT_SIMULATED;
use crate::sql::guc::function;
use crate::sql::tcop::Database;
use crate::storage::{Outcome, Stop};
use ffviz_format::datum::{SqlError, SqlType, Value};

use super::variables::cast;

impl Interpreter {
    /// Goes on until it is over.
    ///
    /// # Errors
    /// One that no block handles; [`Stop::Wait`] where it is to be called again.
    pub fn go_on(&mut self, db: &mut Database) -> Outcome<()> {
        let ran = self.steps(db);
        if !matches!(ran, Err(Stop::Wait(_))) {
            self.settings.take().into_iter().for_each(|kept| function::leave(db, kept));
        }
        ran
    }

    fn steps(&mut self, db: &mut Database) -> Outcome<()> {
        let routine = self.routine.clone();
        while let Some(step) = routine.steps.get(self.at) {
            let done = match db.cluster.pg.interrupt.check() {
                Ok(()) => self.step(db, step),
                Err(error) => Err(error.into()),
            };
            match done {
                Ok(Some(next)) => self.at = next,
                Ok(None) => break,
                Err(Stop::Wait(on)) => return Err(Stop::Wait(on)),
                // a client is told places of what it has sent itself only (`errposition`)
                Err(Stop::Error(error)) => self.handle(db, error.nowhere())?,
            }
        }
        self.close_loops(db, 0);
        Ok(())
    }

    /// One step. Gives the next one.
    fn step(&mut self, db: &mut Database, step: &Step) -> Outcome<Option<usize>> {
        let next = self.at + 1;
        match step {
            Step::Jump(to) => return Ok(Some(*to)),
            Step::Unless(condition, to) => return Ok(Some(if self.holds(db, condition)? { next } else { *to })),
            Step::Begin(variable, default) => match default {
                Some(default) => {
                    let value = self.eval(db, default)?;
                    self.assign(db, *variable, value)?;
                }
                None => self.begin_variable(*variable),
            },
            Step::Assign(variable, value) => {
                let value = self.eval(db, value)?;
                self.assign(db, *variable, value)?;
            }
            Step::AssignRow(target, source) => self.assign_row(db, *target, *source)?,
            Step::Sql(sql, into, performs) => self.sql(db, sql, into.as_ref(), *performs)?,
            Step::Dynamic(text, into, using) => self.dynamic(db, text, into.as_ref(), using)?,
            Step::ForInteger(it) => self.for_integer(db, it)?,
            Step::NextInteger { number, variable, end } => {
                return Ok(Some(if self.next_integer(*number, *variable) { next } else { *end }));
            }
            Step::ForEach(number, array, slice) => self.for_each(db, *number, array, *slice)?,
            Step::NextElement { number, variable, end } => {
                return Ok(Some(if self.next_element(db, *number, *variable)? { next } else { *end }));
            }
            Step::ForRows(number, query) => self.for_rows(db, *number, query)?,
            Step::ForDynamic(number, text, using) => self.for_dynamic(db, *number, text, using)?,
            Step::NextRow { number, targets, end } => {
                return Ok(Some(if self.next_row(db, *number, targets)? { next } else { *end }));
            }
            Step::EndLoop(number) => self.end_loop(db, *number),
            Step::EndTransaction(commits) => self.end_transaction(db, *commits)?,
            Step::Try(_) => self.begin_try(db),
            Step::EndTry => {
                db.cluster.release_current_subtransaction();
                self.tries.pop();
            }
            Step::EndHandler => {
                self.caught.pop();
            }
            Step::End(has_returned) => {
                self.check_end(*has_returned)?;
                return Ok(None);
            }
            other => self.other(db, other)?,
        }
        Ok(Some(next))
    }

    /// What is rarer.
    fn other(&mut self, db: &mut Database, step: &Step) -> Outcome<()> {
        match step {
            Step::Call(call) => self.call_procedure(db, call)?,
            Step::AssignElement(target, parts) => self.assign_element(db, *target, &parts.0, &parts.1)?,
            Step::BeginCursor(variable, name) => self.begin_cursor(db, *variable, name),
            Step::Open(variable, scroll, opened) => {
                self.open_cursor(db, *variable, *scroll, opened)?;
            }
            Step::Fetch(fetch) => self.fetch(db, fetch)?,
            Step::Close(variable) => self.close_cursor(db, *variable)?,
            Step::ForCursor(number, variable, opened) => self.for_cursor(db, (*number, *variable), opened)?,
            Step::CaseNotFound => return Err(SqlError::new("20000", "case not found").into()),
            Step::Raise(raise) => self.raise(db, raise)?,
            Step::Assert(it) => self.assert(db, &it.0, it.1.as_ref())?,
            Step::RowCount(target) => self.assign(db, *target, (Value::Int8(self.row_count), SqlType::INT8))?,
            Step::Stacked(items) => self.stacked(db, items)?,
            Step::Fail(sqlstate, message) => return Err(SqlError::new(sqlstate, *message).into()),
            Step::Return(value) => self.returned(db, value.as_ref())?,
            Step::ReturnRow(record) => self.returned_row = self.row(*record).map(<[Value]>::to_vec),
            Step::ReturnNext(value) => self.return_next(db, value.as_ref())?,
            Step::ReturnNextRow(record) => self.return_next_row(db, *record)?,
            Step::ReturnQuery(query) => self.return_query(db, query)?,
            Step::ReturnDynamic(text, using) => self.return_dynamic(db, text, using)?,
            Step::Result(query) => self.result_of(db, query)?,
            _ => {}
        }
        Ok(())
    }

    /// A variable without a default is NULL each time its block begins.
    pub(super) fn begin_variable(&mut self, variable: usize) {
        if let Some(Datum::Record { of, .. }) = self.routine.datums.get(variable) {
            match (of, self.records.get_mut(variable)) {
                (None, Some(record)) => *record = None,
                (Some(_), Some(Some(record))) => {
                    record.values.fill(Value::Null);
                    record.is_null = true;
                }
                _ => {}
            }
        }
        self.set(variable, Value::Null);
    }

    fn begin_try(&mut self, db: &mut Database) {
        let pins = db.cluster.pg.backend().pins.clone();
        db.cluster.begin_internal_subtransaction();
        self.tries.push(Try { step: self.at, pins, caught: self.caught.len() });
    }

    /// An error: the blocks around it are left, until one of them handles it.
    fn handle(&mut self, db: &mut Database, error: SqlError) -> Outcome<()> {
        self.running = None;
        (self.fetching, self.called) = (None, None);
        self.at_work(db, None);
        if error.sqlstate == NOT_SIMULATED {
            return Err(error.into());
        }
        while let Some(left) = self.tries.pop() {
            let depth = self.tries.len() + 1;
            self.forget_loops(depth);
            db.cluster.rollback_current_subtransaction();
            db.cluster.pg.backend_mut().pins = left.pins;
            self.caught.truncate(left.caught);
            let routine = self.routine.clone();
            let Some(Step::Try(handlers)) = routine.steps.get(left.step) else { continue };
            let fits =
                |condition: &Option<_>| conditions::matches(condition.as_deref().map(|it: &str| it), error.sqlstate);
            if let Some(handler) = handlers.iter().find(|handler| handler.conditions.iter().any(fits)) {
                let (sqlstate, sqlerrm) = handler.variables;
                self.set(sqlstate, Value::text(error.sqlstate));
                self.set(sqlerrm, Value::text(&error.message));
                self.caught.push(error);
                self.at = handler.step;
                return Ok(());
            }
        }
        Err(error.into())
    }

    fn for_integer(&mut self, db: &mut Database, it: &ForInteger) -> Outcome<()> {
        let from = self.integer(db, &it.from, "lower bound")?;
        let end = self.integer(db, &it.to, "upper bound")?;
        let step = match &it.by {
            Some(by) => self.integer(db, by, "BY value")?,
            None => 1,
        };
        if step <= 0 {
            return Err(SqlError::new("22023", "BY value of FOR loop must be greater than zero").into());
        }
        self.loops[it.number] = Loop::Integers { next: Some(from), end, step, reverse: it.reverse, ran: false };
        Ok(())
    }

    /// The next value; is there one?
    fn next_integer(&mut self, number: usize, variable: usize) -> bool {
        let Loop::Integers { next, end, step, reverse, ran } = &mut self.loops[number] else { return false };
        let is_within = |value: &i32| if *reverse { *value >= *end } else { *value <= *end };
        let Some(value) = next.filter(is_within) else { return false };
        *next = if *reverse { value.checked_sub(*step) } else { value.checked_add(*step) };
        *ran = true;
        self.set(variable, Value::Int4(value));
        true
    }

    /// The next element; is there one?
    fn next_element(&mut self, db: &mut Database, number: usize, variable: usize) -> Outcome<bool> {
        let Loop::Elements { left, element, ran } = &mut self.loops[number] else { return Ok(false) };
        let (Some(value), element) = (left.pop_front(), *element) else { return Ok(false) };
        *ran = true;
        self.assign(db, variable, (value, element))?;
        Ok(true)
    }

    fn end_transaction(&mut self, db: &mut Database, commits: bool) -> Outcome<()> {
        if self.atomic {
            return Err(SqlError::new("2D000", "invalid transaction termination").into());
        }
        if self.bars_end == BarsEnd::Rows {
            let message = "COMMIT or ROLLBACK of a procedure that is called within a loop over rows is not supported";
            return Err(SqlError::new(NOT_SIMULATED, message).into());
        }
        if !self.tries.is_empty() {
            let what = if commits { "commit" } else { "roll back" };
            let message = alloc::format!("cannot {what} while a subtransaction is active");
            return Err(SqlError::new("2D000", message).into());
        }
        if db.cluster.has_deferred() {
            let message = "COMMIT or ROLLBACK within PL/pgSQL while constraints are deferred is not supported";
            return Err(SqlError::new(NOT_SIMULATED, message).into());
        }
        if commits {
            portal::end_all(db);
            db.cluster.end_statement()?;
        } else {
            db.cluster.rollback_block();
        }
        db.cluster.pg.start_transaction(false);
        Ok(())
    }

    fn returned(&mut self, db: &mut Database, value: Option<&Embedded>) -> Outcome<()> {
        self.returned_row = None;
        let Some(value) = value else { return Ok(()) };
        let (value, from) = self.eval(db, value)?;
        if self.returns == Returns::Row {
            return self.returned_record(db, &value);
        }
        if self.returns == Returns::Trigger {
            return self.returned_of_trigger(&value);
        }
        self.result = match self.returns {
            Returns::Value(to) => cast(db, value, from, to)?,
            _ => value,
        };
        Ok(())
    }

    /// A function has to end by RETURN.
    fn check_end(&self, has_returned: bool) -> Outcome<()> {
        let what = match self.returns {
            Returns::Value(_) | Returns::Row => "function",
            Returns::Trigger => "trigger procedure",
            Returns::Nothing | Returns::Outs | Returns::Set => return Ok(()),
        };
        if has_returned {
            return Ok(());
        }
        Err(SqlError::new("2F005", alloc::format!("control reached end of {what} without RETURN")).into())
    }
}
