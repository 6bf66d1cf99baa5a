//! Cursors (`exec_stmt_open`, `exec_stmt_fetch`, `exec_stmt_close`, `exec_stmt_forc`, src/pl/plpgsql/src/pl_exec.c).
//!
//! ```text
//!  OPEN ─▶ a portal of that name, which the variable has ─▶ FETCH: a row of it ─▶ CLOSE
//!  FOR row IN cursor: OPEN, one row after the other, CLOSE
//! ```

use super::variables::Bound;
use super::{Interpreter, Loop};
use crate::sql::StatementError;
use crate::sql::ast::{Datum, Embedded, Fetch, FetchDirection, FetchStep, Opened, Select, Statement};
use crate::sql::commands::matview;
use crate::sql::commands::portal::{self, FetchRows, NewPortal};
use crate::sql::error::NOT_SIMULATED;
use crate::sql::executor::running::Running;
use crate::sql::parse::parse_with;
use crate::sql::plan::{Given, plan_cursor};
use crate::sql::tcop::Database;
use crate::storage::Outcome;
use crate::version::SqlBehaviour as _;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use ffviz_format::datum::{SqlError, SqlType, Value};

use super::rows_of::with_columns;
use super::statement::lock;

/// A loop over a cursor.
#[derive(Debug)]
pub(super) struct CursorLoop {
    name: String,
    /// the variable that has no name of a cursor behind it
    variable: Option<usize>,
    ran: bool,
    /// blocks with EXCEPTION around it
    depth: usize,
}

impl Interpreter {
    /// Until 15 a cursor that is declared with a query has its own name.
    pub(super) fn begin_cursor(&mut self, db: &Database, variable: usize, name: &str) {
        let named = !db.cluster.version().has_nameless_cursors();
        self.set(variable, if named { Value::text(name) } else { Value::Null });
    }

    /// OPEN. Gives the name.
    pub(super) fn open_cursor(
        &mut self,
        db: &mut Database,
        variable: usize,
        scroll: Option<bool>,
        opened: &Opened,
    ) -> Outcome<String> {
        let given = self.cursor_name(variable);
        if let Some(name) = given.as_ref().filter(|name| db.cluster.has_portal(name)) {
            return Err(SqlError::new("42P03", format!("cursor \"{name}\" already in use")).into());
        }
        let routine = self.routine.clone();
        if let Opened::Declared(_, arguments) = opened {
            for (target, value) in arguments {
                let value = self.eval(db, value)?;
                self.assign(db, *target, value)?;
            }
        }
        let (select, bound) = match opened {
            Opened::Declared(cursor, _) => self.cursor_query(db, &routine.cursors[*cursor].query)?,
            Opened::Query(query) => self.cursor_query(db, query)?,
            Opened::Dynamic(text, using) => self.dynamic_query(db, text, using)?,
        };
        let scroll = match opened {
            Opened::Declared(cursor, _) => routine.cursors[*cursor].scroll,
            _ => scroll,
        };
        self.next_command(db);
        let Bound { types, values, names, rows, wrong } = bound;
        let tables = self.known_tables();
        let mut known =
            Given { params: types, variables: names, rows, tables, values: values.clone(), ..Given::default() };
        let plan = plan_cursor(&select, db, &mut known).map_err(|error| match wrong {
            Some(wrong) if matches!(error.error.sqlstate, "42703" | "42P01") => wrong,
            _ => error.error_with_place(),
        })?;
        matview::check_query(db, &Statement::Select(select))?;
        let snapshot = match &self.snapshot {
            Some(snapshot) => snapshot.clone(),
            None => db.cluster.take_snapshot(),
        };
        let name = given.clone().unwrap_or_else(|| unnamed(db));
        let work = self.tables.iter().map(|table| (table.name.clone(), table.rows.clone())).collect();
        let running = Running { work, snapshot: Some(snapshot.clone()), ..Running::default() };
        portal::open(db, &name, &snapshot, NewPortal { plan, params: values, scroll, running })?;
        if given.is_none() {
            self.assign(db, variable, (Value::text(&name), SqlType::TEXT))?;
        }
        Ok(name)
    }

    /// The query that stands in the text, with what it names.
    fn cursor_query(&mut self, db: &mut Database, sql: &Embedded) -> Outcome<(Select, Bound)> {
        lock(db, &sql.statement)?;
        let bound = self.bound(sql);
        let (statement, is_expanded) = with_columns(&sql.statement, &bound.rows)?;
        if !is_expanded {
            self.register(sql);
        }
        match statement {
            Statement::Select(select) => Ok((select, bound)),
            _ => Err(SqlError::new("42P11", "cannot open a query that is no SELECT as cursor").into()),
        }
    }

    /// The query of a text that is known only now.
    fn dynamic_query(&mut self, db: &mut Database, text: &Embedded, using: &[Embedded]) -> Outcome<(Select, Bound)> {
        let Some(text) = self.text(db, text)? else {
            return Err(SqlError::new("22004", "query string argument of EXECUTE is null").into());
        };
        let mut bound = Bound::default();
        for value in using {
            let (value, ty) = self.eval(db, value)?;
            bound.types.push(ty.oid);
            bound.values.push(value);
        }
        let names = db.type_names(&text);
        let statement = parse_with(&text, names).map_err(StatementError::error_with_place)?;
        lock(db, &statement)?;
        match statement {
            Statement::Select(select) => Ok((select, bound)),
            _ => {
                Err(SqlError::new(NOT_SIMULATED, "OPEN … FOR EXECUTE of anything but a SELECT is not supported").into())
            }
        }
    }

    fn cursor_name(&self, variable: usize) -> Option<String> {
        match self.values.get(variable) {
            Some(Value::Null) | None => None,
            Some(value) => Some(String::from_utf8_lossy(value.plain_bytes()?).into_owned()),
        }
    }

    /// The name of a cursor that is open.
    fn open_name(&self, db: &Database, variable: usize) -> Result<String, SqlError> {
        let Some(name) = self.cursor_name(variable) else {
            let of = match self.routine.datums.get(variable) {
                Some(Datum::Var { name, .. }) => name.as_str(),
                _ => "",
            };
            return Err(SqlError::new("22004", format!("cursor variable \"{of}\" is null")));
        };
        if db.cluster.has_portal(&name) { Ok(name) } else { Err(portal::missing(&name)) }
    }

    /// FETCH, MOVE
    pub(super) fn fetch(&mut self, db: &mut Database, step: &FetchStep) -> Outcome<()> {
        let mut rows = match self.fetching.take() {
            Some(rows) => rows,
            None => {
                let name = self.open_name(db, step.variable)?;
                let direction = match &step.count {
                    Some(count) => counted(step.direction, self.position(db, count)?),
                    None => step.direction,
                };
                let fetch = Fetch { is_move: step.is_move, name, direction };
                Box::new(FetchRows::of_variable(db, fetch)?)
            }
        };
        if let Err(stop) = rows.go_on(db) {
            self.fetching = Some(rows);
            return Err(stop);
        }
        let (count, rows, columns) = rows.into_rows();
        if !step.is_move {
            self.move_row(db, &step.targets, &columns, rows.first().map(|row| &row[..]))?;
        }
        self.row_count = count as i64;
        self.set_found(count != 0);
        Ok(())
    }

    /// A number of rows, or of a row.
    fn position(&mut self, db: &mut Database, count: &Embedded) -> Outcome<i64> {
        let (value, from) = self.eval(db, count)?;
        match super::variables::cast(db, value, from, SqlType::INT4)? {
            Value::Int4(count) => Ok(i64::from(count)),
            _ => Err(SqlError::new("22004", "relative or absolute cursor position is null").into()),
        }
    }

    /// CLOSE
    pub(super) fn close_cursor(&self, db: &mut Database, variable: usize) -> Outcome<()> {
        let name = self.open_name(db, variable)?;
        portal::close(db, Some(&name))?;
        Ok(())
    }

    /// FOR over a cursor begins.
    pub(super) fn for_cursor(
        &mut self,
        db: &mut Database,
        (number, variable): (usize, usize),
        opened: &Opened,
    ) -> Outcome<()> {
        let was_named = self.cursor_name(variable).is_some();
        let name = self.open_cursor(db, variable, None, opened)?;
        let variable = (!was_named).then_some(variable);
        let depth = self.tries.len();
        self.loops[number] = Loop::Cursor(Box::new(CursorLoop { name, variable, ran: false, depth }));
        Ok(())
    }

    /// Its next row; is there one?
    pub(super) fn next_of_cursor(&mut self, db: &mut Database, number: usize, targets: &[usize]) -> Outcome<bool> {
        let Loop::Cursor(one) = &self.loops[number] else { return Ok(false) };
        let mut rows = match self.fetching.take() {
            Some(rows) => rows,
            None => {
                let direction = FetchDirection::Forward(Some(1));
                let fetch = Fetch { is_move: false, name: one.name.clone(), direction };
                Box::new(FetchRows::of_variable(db, fetch)?)
            }
        };
        if let Err(stop) = rows.go_on(db) {
            self.fetching = Some(rows);
            return Err(stop);
        }
        let (_, rows, columns) = rows.into_rows();
        let Loop::Cursor(one) = &mut self.loops[number] else { return Ok(false) };
        let (is_there, is_empty) = (!rows.is_empty(), rows.is_empty() && !one.ran);
        one.ran |= is_there;
        if is_there || is_empty {
            self.move_row(db, targets, &columns, rows.first().map(|row| &row[..]))?;
        }
        Ok(is_there)
    }

    /// It is over.
    pub(super) fn end_cursor_loop(&mut self, db: &mut Database, one: &CursorLoop) -> bool {
        // whoever closed it within the loop has left nothing to be closed
        let _ = portal::close(db, Some(&one.name));
        if let Some(variable) = one.variable {
            self.set(variable, Value::Null);
        }
        one.ran
    }

    /// WHERE CURRENT OF a variable is that of the cursor that it names.
    pub(super) fn with_cursor(&self, statement: &Statement, sql: &Embedded) -> Option<Statement> {
        let place = match statement {
            Statement::Update(update) => update.current_of.as_ref(),
            Statement::Delete(delete) => delete.current_of.as_ref(),
            _ => None,
        }?;
        let (_, variable) = sql.params.iter().find(|(name, _)| name == place)?;
        let name = self.cursor_name(*variable)?;
        let mut statement = statement.clone();
        match &mut statement {
            Statement::Update(update) => update.current_of = Some(name),
            Statement::Delete(delete) => delete.current_of = Some(name),
            _ => {}
        }
        Some(statement)
    }
}

impl CursorLoop {
    pub(super) const fn is_within(&self, depth: usize) -> bool {
        self.depth >= depth
    }
}

/// `CreateNewPortal`: a name that nobody gave.
pub(super) fn unnamed(db: &mut Database) -> String {
    loop {
        let session = db.session();
        session.unnamed_portals += 1;
        let name = format!("<unnamed portal {}>", session.unnamed_portals);
        if !db.cluster.has_portal(&name) {
            return name;
        }
    }
}

/// The direction with a number that was worked out.
const fn counted(direction: FetchDirection, count: i64) -> FetchDirection {
    use FetchDirection::{Absolute, Backward, Forward, Relative};
    let size = Some(count.unsigned_abs());
    match direction {
        Absolute(_) => Absolute(count),
        Relative(_) => Relative(count),
        _ if count == 0 => Relative(0),
        Forward(_) if count < 0 => Backward(size),
        Backward(_) if count < 0 => Forward(size),
        Forward(_) => Forward(size),
        Backward(_) => Backward(size),
    }
}
