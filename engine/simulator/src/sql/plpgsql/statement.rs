//! Statements of SQL (`exec_stmt_execsql`, `exec_stmt_dynexecute`; `_SPI_execute_plan`,
//! src/backend/executor/spi.c).

use super::rows_of::with_columns;
use super::variables::Bound;
use super::{Interpreter, Running, Site, TransitionTable};
use crate::sql::StatementError;
use crate::sql::ast::{Embedded, Into, Statement};
use crate::sql::commands::{matview, session};
use crate::sql::error::NOT_SIMULATED;
use crate::sql::executor::plan_source::PlanSource;
use crate::sql::expr::Column;
use crate::sql::parse::{is_done_at_once, parse_with};
use crate::sql::permission;
use crate::sql::plan::Plan;
use crate::sql::run::wanted_locks;
use crate::sql::tcop::read_only::check_query;
use crate::sql::tcop::{Database, Execution, Work};
use crate::storage::{LockMode, Outcome, Stop, WaitFor};
use crate::version::SqlBehaviour;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::datum::{SqlError, SqlType, Value};

impl Interpreter {
    /// `CommandCounterIncrement`; a function that is not volatile has none.
    pub(super) fn next_command(&self, db: &mut Database) {
        if let Some(xact) = db.cluster.pg.backend_mut().xact.as_mut().filter(|_| self.snapshot.is_none()) {
            xact.next_command();
        }
    }

    /// Begins a statement with the values that the variables have.
    pub(super) fn begin(&mut self, db: &mut Database, sql: &Embedded) -> Outcome<Running> {
        lock(db, &sql.statement)?;
        let told = self.tell(db, sql);
        self.next_command(db);
        let Bound { types, values, names, rows, wrong } = self.bound(sql);
        let key = (types, rows);
        let of_cursor = self.with_cursor(&sql.statement, sql);
        if of_cursor.is_some() {
            self.sites[sql.site] = Site::Unknown;
        }
        let given = of_cursor.as_ref().unwrap_or(&sql.statement);
        let mut source = match core::mem::take(&mut self.sites[sql.site]) {
            Site::Planned(known, source) if known == key => source,
            _ if self.routine.is_sql => Box::new(PlanSource::of_sql(sql.statement.clone(), key.0.clone(), names)),
            _ => {
                let (statement, is_expanded) = with_columns(given, &key.1)?;
                if !is_expanded {
                    self.register(sql);
                }
                Box::new(PlanSource::of_rows(statement, key.0.clone(), names, key.1.clone(), self.known_tables()))
            }
        };
        let plans_for_any = self.routine.is_sql && !db.cluster.version().keeps_plans_of_sql_functions();
        let planned = if plans_for_any { source.plan_for_any(db) } else { source.plan(db, &values) };
        if of_cursor.is_none() {
            self.sites[sql.site] = Site::Planned(key, source);
        }
        let planned = planned.map_err(|error| match wrong {
            // a name that is nothing else is the row's
            Some(wrong) if matches!(error.error.sqlstate, "42703" | "42P01") => wrong,
            _ => error.error_with_place(),
        })?;
        self.check_read_only(&sql.statement)?;
        Ok(Running { told, ..begin_planned(db, planned, &sql.statement, values, self)? })
    }

    /// The transition tables, as planning knows them.
    pub(super) fn known_tables(&self) -> Vec<(String, Vec<Column>)> {
        let column = |(name, ty): &(String, SqlType)| Column { name: name.clone(), ty: *ty };
        let table = |it: &TransitionTable| (it.name.clone(), it.columns.iter().map(column).collect());
        self.tables.iter().map(table).collect()
    }

    /// A function that is not volatile changes nothing.
    fn check_read_only(&self, statement: &Statement) -> Outcome<()> {
        use Statement as S;
        if self.snapshot.is_none() {
            return Ok(());
        }
        let what = match statement {
            S::Select(select) if select.locking.is_none() => return Ok(()),
            S::Explain(..) => return Ok(()),
            S::Select(_) => "SELECT FOR UPDATE",
            S::Insert(_) => "INSERT",
            S::Update(_) => "UPDATE",
            S::Delete(_) => "DELETE",
            S::Merge(_) => "MERGE",
            _ => {
                let message = "this statement in a function that is not volatile is not supported";
                return Err(SqlError::new(NOT_SIMULATED, message).into());
            }
        };
        let message = alloc::format!("{what} is not allowed in a non-volatile function");
        Err(SqlError::new("0A000", message).into())
    }

    /// `exec_stmt_execsql`; `performs`: as PERFORM.
    pub(super) fn sql(
        &mut self,
        db: &mut Database,
        sql: &Embedded,
        into: Option<&Into>,
        performs: bool,
    ) -> Outcome<()> {
        if self.running.is_none() {
            let running = self.begin(db, sql)?;
            self.running = Some(Box::new(running));
        }
        let Some(mut running) = self.running.take() else { return Ok(()) };
        let is_changing = !matches!(sql.statement, Statement::Select(_));
        let most = into.map(|into| if into.strict || is_changing { 2 } else { 1 });
        self.at_work(db, running.told.as_ref());
        let finished = running.finish(db, most);
        self.at_work(db, None);
        if let Err(stop) = finished {
            self.running = Some(running);
            return Err(stop);
        }
        self.next_command(db);
        self.row_count = running.count;
        use Statement as S;
        let sets_found = matches!(
            sql.statement,
            S::Insert(_) | S::Update(_) | S::Delete(_) | S::Merge(_) | S::With(_) | S::Select(_)
        );
        if sets_found {
            self.set_found(running.count != 0);
        }
        if let Some(into) = into {
            return self.take_into(db, &running, into, is_changing);
        }
        if !performs && !running.columns.is_empty() {
            return Err(SqlError::new("42601", "query has no destination for result data").into());
        }
        Ok(())
    }

    /// INTO of the rows that were read.
    fn take_into(&mut self, db: &mut Database, running: &Running, into: &Into, is_changing: bool) -> Outcome<()> {
        if running.columns.is_empty() {
            return Err(SqlError::new("42601", "INTO used with a command that cannot return data").into());
        }
        match &running.rows[..] {
            [] if into.strict => return Err(SqlError::new("P0002", "query returned no rows").into()),
            [_, _, ..] if into.strict || is_changing => {
                return Err(SqlError::new("P0003", "query returned more than one row").into());
            }
            _ => {}
        }
        let row = running.rows.first().map(|row| &row[..]);
        self.move_row(db, &into.targets, &running.columns, row)
    }

    /// The first rows of a statement that begins here and ends.
    pub(super) fn some_rows(
        &mut self,
        db: &mut Database,
        running: &mut Running,
        most: usize,
    ) -> Outcome<Vec<Vec<Value>>> {
        running.finish(db, Some(most))?;
        self.next_command(db);
        Ok(core::mem::take(&mut running.rows))
    }

    /// `exec_stmt_dynexecute`
    pub(super) fn dynamic(
        &mut self,
        db: &mut Database,
        text: &Embedded,
        into: Option<&Into>,
        using: &[Embedded],
    ) -> Outcome<()> {
        if self.running.is_none() {
            let running = self.begin_dynamic(db, text, using)?;
            self.running = Some(Box::new(running));
        }
        let Some(mut running) = self.running.take() else { return Ok(()) };
        let most = into.map(|into| if into.strict { 2 } else { 1 });
        self.at_work(db, running.told.as_ref());
        let finished = running.finish(db, most);
        self.at_work(db, None);
        if let Err(stop) = finished {
            self.running = Some(running);
            return Err(stop);
        }
        self.next_command(db);
        self.row_count = running.count;
        match into {
            Some(into) => self.take_into(db, &running, into, false),
            None => Ok(()),
        }
    }

    /// A statement whose text is known only now.
    pub(super) fn begin_dynamic(&mut self, db: &mut Database, text: &Embedded, using: &[Embedded]) -> Outcome<Running> {
        let Some(text) = self.text(db, text)? else {
            return Err(SqlError::new("22004", "query string argument of EXECUTE is null").into());
        };
        let (mut types, mut values) = (Vec::new(), Vec::new());
        for value in using {
            let (value, ty) = self.eval(db, value)?;
            types.push(ty.oid);
            values.push(value);
        }
        let names = db.type_names(&text);
        let statement = parse_with(&text, names).map_err(StatementError::error_with_place)?;
        check_dynamic(&statement)?;
        lock(db, &statement)?;
        let told = self.tell_text(db, &text);
        self.next_command(db);
        self.check_read_only(&statement)?;
        if let Statement::Explain(..) = &statement {
            return Ok(Running { told, ..explained(db, statement)? });
        }
        let (rows, tables) = (Vec::new(), self.known_tables());
        let mut source = PlanSource::of_rows(statement.clone(), types, Vec::new(), rows, tables);
        let planned = source.plan(db, &values).map_err(StatementError::error_with_place)?;
        Ok(Running { told, ..begin_planned(db, planned, &statement, values, self)? })
    }
}

/// EXPLAIN, whose lines are rows (`PORTAL_UTIL_SELECT`).
fn explained(db: &mut Database, statement: Statement) -> Outcome<Running> {
    let mut execution = Execution::start(db, statement, None).map_err(StatementError::error_with_place)?;
    execution.go_on(db).map_err(|stop| match stop {
        Stop::Wait(_) => Stop::Error(SqlError::new(NOT_SIMULATED, "EXPLAIN that waits here is not supported")),
        stop => stop,
    })?;
    let lines = core::mem::take(&mut execution.plan);
    let rows: Vec<Vec<Value>> = lines.iter().map(|line| Vec::from([Value::text(line)])).collect();
    let columns = Vec::from([("QUERY PLAN".into(), SqlType::TEXT)]);
    let count = rows.len() as i64;
    Ok(Running {
        execution: Execution::of(Work::Done("EXPLAIN")),
        columns,
        rows,
        count,
        told: None,
        is_explained: true,
    })
}

/// What EXECUTE may run here.
fn check_dynamic(statement: &Statement) -> Result<(), SqlError> {
    use Statement as S;
    match statement {
        S::Insert(_) | S::Update(_) | S::Delete(_) | S::Merge(_) | S::Select(_) | S::With(_) => Ok(()),
        S::CreateTableAs(create) if create.is_select_into => {
            // a server makes the table first
            Err(SqlError::new(NOT_SIMULATED, "EXECUTE of SELECT … INTO, which fails on a server, is not supported"))
        }
        S::CreateTable(_) | S::CreateTableAs(_) | S::CreateSequence(_) | S::Drop(_) | S::Truncate(_) => Ok(()),
        S::CreateIndex(create) if !create.concurrently => Ok(()),
        S::AlterTable(_) | S::Rename(_) | S::AlterSequence(_) | S::Analyze(..) | S::Set(_) => Ok(()),
        S::Comment(_) | S::Lock(_) | S::Explain(..) => Ok(()),
        S::Grant(_) | S::Notification(_) | S::Checkpoint | S::SetConstraints(_) | S::RefreshMatView(_) => Ok(()),
        S::Cluster(cluster) if cluster.table.is_some() => Ok(()),
        S::Reindex(reindex) if !reindex.concurrently => Ok(()),
        S::Object(object) if is_done_at_once(object) => Ok(()),
        S::Transaction(_) => Err(SqlError::new("0A000", "EXECUTE of transaction commands is not implemented")),
        S::Vacuum(_) => Err(SqlError::new("25001", "VACUUM cannot be executed from a function")),
        _ => Err(SqlError::new(NOT_SIMULATED, "this statement in EXECUTE is not supported")),
    }
}

/// The relations that a statement names are locked (`AcquireExecutorLocks`, or when it is analyzed).
pub(super) fn lock(db: &mut Database, statement: &Statement) -> Outcome<()> {
    permission::check_utility(db, statement)?;
    for lock in wanted_locks(&db.cluster, statement) {
        if !db.cluster.lock_relation(lock) {
            return Err(Stop::Wait(WaitFor::Lock(lock)));
        }
    }
    Ok(())
}

fn begin_planned(
    db: &mut Database,
    planned: Option<Plan>,
    statement: &Statement,
    values: Vec<Value>,
    interpreter: &Interpreter,
) -> Outcome<Running> {
    let Some(plan) = planned else {
        if let Statement::Explain(..) | Statement::Show(_) = statement {
            return Err(SqlError::new("42601", "query has no destination for result data").into());
        }
        if let Statement::Lock(wanted) = statement {
            session::lock(db, wanted, false)?;
            if wanted.mode == LockMode::AccessExclusive {
                db.cluster.lock_view();
            }
            return Ok(Running::new(Execution::of(Work::Done("LOCK TABLE")), Vec::new()));
        }
        let execution = Execution::start(db, statement.clone(), None).map_err(StatementError::error_with_place)?;
        return Ok(Running::new(execution, Vec::new()));
    };
    check_query(db, &plan)?;
    permission::check_query(db, statement)?;
    matview::check_query(db, statement)?;
    let columns = plan.columns();
    let outside = core::mem::replace(&mut db.params, values.clone());
    let snapshot = match &interpreter.snapshot {
        Some(snapshot) => snapshot.clone(),
        None => db.cluster.take_snapshot(),
    };
    let work = interpreter.tables.iter().map(|table| (table.name.clone(), table.rows.clone())).collect();
    let started = Execution::start_planned_at(db, plan, (snapshot, work));
    db.params = outside;
    let mut execution = Execution { params: values, ..started? };
    execution.pipe_rows();
    Ok(Running::new(execution, columns))
}

impl Running {
    const fn new(execution: Execution, columns: Vec<(String, SqlType)>) -> Self {
        Self { execution, columns, rows: Vec::new(), count: 0, told: None, is_explained: false }
    }

    /// To its end; of a query whose rows are wanted, as many as these, which are kept.
    pub(super) fn finish(&mut self, db: &mut Database, most: Option<usize>) -> Outcome<()> {
        if self.is_explained {
            self.rows.truncate(most.unwrap_or(0));
            return Ok(());
        }
        if self.execution.is_query() {
            while most.is_none_or(|most| self.rows.len() < most) {
                let Some(row) = self.execution.next_row(db, most.is_some())? else { break };
                self.count += 1;
                if most.is_some() {
                    self.rows.push(row);
                }
            }
            self.execution.end(db);
            return Ok(());
        }
        let tag = self.execution.go_on(db)?;
        if let Some(count) = tag.rsplit(' ').next().and_then(|number| number.parse().ok()) {
            self.count = count;
        }
        if most.is_some() {
            if self.execution.is_with() {
                let message = "INTO of a statement whose WITH changes rows is not supported";
                return Err(SqlError::new(NOT_SIMULATED, message).into());
            }
            while let Some(row) = self.execution.next_piped() {
                self.rows.push(row);
            }
        }
        Ok(())
    }
}
