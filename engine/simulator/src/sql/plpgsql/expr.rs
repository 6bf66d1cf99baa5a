//! Expressions (`exec_eval_expr`): most are evaluated without a statement (`exec_eval_simple_expr`), the others are run
//! as `SELECT expression`.

use super::{Interpreter, Site, SiteKey};
use crate::sql::ast::{Embedded, Expr};
use crate::sql::catalog::Catalog as _;
use crate::sql::executor::row::eval;
use crate::sql::executor::running::Running;
use crate::sql::expr::{Analyzer, Context, RangeTable, Typed};
use crate::sql::permission;
use crate::sql::tcop::Database;
use crate::storage::Outcome;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use ffviz_format::datum::{SqlError, SqlType, Value};

use super::variables::{Bound, cast};

impl Interpreter {
    /// The value of an expression, and its type.
    pub(super) fn eval(&mut self, db: &mut Database, sql: &Embedded) -> Outcome<(Value, SqlType)> {
        let bound = self.bound(sql);
        let is_known = |(types, rows): &SiteKey| *types == bound.types && *rows == bound.rows;
        let simple = match &self.sites[sql.site] {
            Site::Simple(known, typed) if is_known(known) => Some(typed.clone()),
            Site::Planned(known, _) if is_known(known) => None,
            _ => match sql.expr().filter(|_| bound.wrong.is_none()) {
                Some(expr) => self.simple(db, sql, expr, &bound),
                None => None,
            },
        };
        let Some(typed) = simple else { return self.eval_by_query(db, sql) };
        permission::check_query(db, &sql.statement)?;
        self.register(sql);
        let outside = core::mem::replace(&mut db.params, bound.values);
        let mut running = Running { snapshot: self.snapshot.clone(), ..Running::default() };
        let value = db.while_running(&mut running, |db| eval(db, &typed, &[], &[]));
        db.params = outside;
        Ok((value?, typed.ty))
    }

    /// `exec_simple_check_plan`: the expression, where it needs no statement; what is wrong with it a statement tells.
    fn simple(&mut self, db: &mut Database, sql: &Embedded, expr: &Expr, bound: &Bound) -> Option<Arc<Typed>> {
        let range = RangeTable::default();
        let mut analyzer = Analyzer::new(&range, Context::input(db), "SELECT");
        analyzer.params.clone_from(&bound.types);
        (analyzer.variables, analyzer.rows) = (&bound.names, &bound.rows);
        (analyzer.functions, analyzer.enums, analyzer.extensions) = (db.sql_functions(), db.enums(), db.extensions());
        analyzer.row_types = db.row_types();
        let typed = Arc::new(analyzer.decided(expr).ok()?);
        let lookups = core::mem::take(&mut analyzer.lookups);
        db.look_up(lookups);
        self.sites[sql.site] = Site::Simple((bound.types.clone(), bound.rows.clone()), typed.clone());
        Some(typed)
    }

    /// `exec_run_select` for a value.
    fn eval_by_query(&mut self, db: &mut Database, sql: &Embedded) -> Outcome<(Value, SqlType)> {
        let mut running = self.begin(db, sql)?;
        let rows = self.some_rows(db, &mut running, 2)?;
        let [(_, ty)] = &running.columns[..] else {
            let count = running.columns.len();
            let message = format!("query returned {count} columns");
            return Err(SqlError::new("42601", message).into());
        };
        match &rows[..] {
            [] => Ok((Value::Null, *ty)),
            [row] => Ok((row.first().cloned().unwrap_or(Value::Null), *ty)),
            _ => Err(SqlError::new("21000", "query returned more than one row").into()),
        }
    }

    /// `exec_eval_boolean`: is it true?
    pub(super) fn holds(&mut self, db: &mut Database, sql: &Embedded) -> Outcome<bool> {
        let (value, ty) = self.eval(db, sql)?;
        Ok(cast(db, value, ty, SqlType::BOOL)? == Value::Bool(true))
    }

    /// `exec_eval_integer`; NULL is an error that says what it is of.
    pub(super) fn integer(&mut self, db: &mut Database, sql: &Embedded, what: &'static str) -> Outcome<i32> {
        let (value, ty) = self.eval(db, sql)?;
        match cast(db, value, ty, SqlType::INT4)? {
            Value::Int4(number) => Ok(number),
            _ => Err(SqlError::new("22004", format!("{what} of FOR loop cannot be null")).into()),
        }
    }

    /// The value as text; `None`: NULL.
    pub(super) fn text(&mut self, db: &mut Database, sql: &Embedded) -> Outcome<Option<String>> {
        let (value, ty) = self.eval(db, sql)?;
        match cast(db, value, ty, SqlType::TEXT)? {
            Value::Null => Ok(None),
            value => Ok(value.output(SqlType::TEXT.oid)),
        }
    }
}
