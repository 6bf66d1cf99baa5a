//! Rows that a function gives (`exec_stmt_return_next`, `exec_stmt_return_query`, src/pl/plpgsql/src/pl_exec.c;
//! `postquel_get_single_result`, src/backend/executor/functions.c).

use super::{Interpreter, Returns, Running};
use crate::sql::ast::Embedded;
use crate::sql::error::NOT_SIMULATED;
use crate::sql::tcop::Database;
use crate::storage::Outcome;
use crate::version::SqlBehaviour;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::datum::{SqlError, SqlType, Value};

use super::variables::cast;

impl Interpreter {
    /// RETURN NEXT, of what OUT arguments have where there is no value.
    pub(super) fn return_next(&mut self, db: &mut Database, value: Option<&Embedded>) -> Outcome<()> {
        let Some(value) = value else {
            let row = self.outs();
            self.set.push(row);
            return Ok(());
        };
        let (value, from) = self.eval(db, value)?;
        if let Value::Record(row) = &value
            && !matches!(self.columns[..], [to] if to.oid == from.oid)
        {
            let (given, values): (Vec<_>, Vec<_>) = row.columns().map(|(column, value)| (column.ty(), value)).unzip();
            let names = db.cluster.version().names_returned_columns();
            self.check_structure(names, &given, "wrong record type supplied in RETURN NEXT")?;
            self.set.push(values);
            return Ok(());
        }
        let [to] = self.columns[..] else {
            return Err(SqlError::new("42804", "cannot return non-composite value from RETURN NEXT").into());
        };
        let value = cast(db, value, from, to)?;
        self.set.push(Vec::from([value]));
        Ok(())
    }

    /// What OUT arguments have.
    pub(super) fn outs(&self) -> Vec<Value> {
        self.routine.outs.iter().map(|out| self.values.get(*out).cloned().unwrap_or(Value::Null)).collect()
    }

    /// RETURN NEXT of a row.
    pub(super) fn return_next_row(&mut self, db: &Database, record: usize) -> Outcome<()> {
        let names = db.cluster.version().names_returned_columns();
        let Some(row) = self.records.get(record).and_then(Option::as_ref) else {
            return Err(self.not_assigned(record).into());
        };
        let given: Vec<SqlType> = row.columns.iter().map(|(_, ty)| *ty).collect();
        let values = row.values.clone();
        self.check_structure(names, &given, "wrong record type supplied in RETURN NEXT")?;
        self.set.push(values);
        Ok(())
    }

    /// RETURN of an expression that gives a row (`coerce_function_result_tuple`).
    pub(super) fn returned_record(&mut self, db: &Database, value: &Value) -> Outcome<()> {
        match value {
            Value::Null => Ok(()),
            Value::Record(row) => {
                let (given, values): (Vec<_>, Vec<_>) =
                    row.columns().map(|(column, value)| (column.ty(), value)).unzip();
                let names = db.cluster.version().names_returned_columns();
                self.check_structure(names, &given, "returned record type does not match expected record type")?;
                self.returned_row = Some(values);
                Ok(())
            }
            _ => {
                let message = "cannot return non-composite value from function returning composite type";
                Err(SqlError::new("42804", message).into())
            }
        }
    }

    /// RETURN of an expression in a trigger's function: a row of its table, or NULL.
    pub(super) fn returned_of_trigger(&mut self, value: &Value) -> Outcome<()> {
        let row = match value {
            Value::Null => return Ok(()),
            Value::Record(row) => row,
            _ => {
                let message = "cannot return non-composite value from function returning composite type";
                return Err(SqlError::new("42804", message).into());
            }
        };
        let table = self.routine.trigger.and_then(|it| {
            let of = |record: usize| self.records.get(record).and_then(Option::as_ref);
            of(it.new).or_else(|| of(it.old))
        });
        let Some(table) = table else { return Ok(()) };
        let given: Vec<(SqlType, Value)> = row.columns().map(|(column, value)| (column.ty(), value)).collect();
        let there: Vec<SqlType> =
            table.columns.iter().filter(|(name, _)| !name.is_empty()).map(|(_, ty)| *ty).collect();
        if !given.iter().map(|(ty, _)| ty.oid).eq(there.iter().map(|ty| ty.oid)) {
            let message = "a row of another type that a trigger's function returns is not supported";
            return Err(SqlError::new(NOT_SIMULATED, message).into());
        }
        let mut given = given.into_iter().map(|(_, value)| value);
        let value = |(name, _): &(String, SqlType)| if name.is_empty() { None } else { given.next() };
        let values: Vec<Value> = table.columns.iter().map(value).map(|value| value.unwrap_or(Value::Null)).collect();
        self.returned_row = Some(values);
        Ok(())
    }

    /// `convert_tuples_by_position`: are these the types of the columns that it gives?
    fn check_structure(&self, names: bool, given: &[SqlType], message: &'static str) -> Outcome<()> {
        let wrong = |detail: String| Err(SqlError::new("42804", message).with_detail(detail).into());
        let (count, expected) = (given.len(), self.columns.len());
        for (n, (given, wanted)) in (1..).zip(given.iter().zip(&self.columns)) {
            if given.oid != wanted.oid || wanted.typmod >= 0 && given.typmod != wanted.typmod {
                let (given, wanted) = (given.name(), wanted.name());
                let column = match self.column_names.get(n - 1).filter(|_| names) {
                    Some(name) => format!("\"{name}\" (position {n})"),
                    None => format!("{n}"),
                };
                return wrong(format!(
                    "Returned type {given} does not match expected type {wanted} in column {column}."
                ));
            }
        }
        if count == expected {
            return Ok(());
        }
        wrong(format!("Number of returned columns ({count}) does not match expected column count ({expected})."))
    }

    /// RETURN QUERY; what ends a function in SQL that gives rows.
    pub(super) fn return_query(&mut self, db: &mut Database, query: &Embedded) -> Outcome<()> {
        if self.running.is_none() {
            let running = self.begin(db, query)?;
            self.check_rows(db, &running)?;
            self.running = Some(Box::new(running));
        }
        self.take_rows(db)
    }

    /// RETURN QUERY EXECUTE
    pub(super) fn return_dynamic(&mut self, db: &mut Database, text: &Embedded, using: &[Embedded]) -> Outcome<()> {
        if self.running.is_none() {
            let running = self.begin_dynamic(db, text, using)?;
            if running.columns.is_empty() {
                return Err(SqlError::new("42601", "query does not return tuples").into());
            }
            self.check_rows(db, &running)?;
            self.running = Some(Box::new(running));
        }
        self.take_rows(db)
    }

    fn check_rows(&self, db: &Database, running: &Running) -> Outcome<()> {
        let names = db.cluster.version().names_returned_columns();
        if self.routine.is_sql {
            return Ok(());
        }
        let given: Vec<SqlType> = running.columns.iter().map(|(_, ty)| *ty).collect();
        self.check_structure(names, &given, "structure of query does not match function result type")
    }

    /// All rows of the statement that runs.
    fn take_rows(&mut self, db: &mut Database) -> Outcome<()> {
        let Some(mut running) = self.running.take() else { return Ok(()) };
        if let Err(stop) = running.finish(db, Some(usize::MAX)) {
            self.running = Some(running);
            return Err(stop);
        }
        self.next_command(db);
        self.row_count = running.rows.len() as i64;
        self.set_found(self.row_count != 0);
        for row in core::mem::take(&mut running.rows) {
            let row = self.as_declared(db, &running.columns, row)?;
            self.set.push(row);
        }
        Ok(())
    }

    /// A function in SQL casts what its last statement gives to what it is declared with.
    fn as_declared(&self, db: &mut Database, given: &[(String, SqlType)], mut row: Vec<Value>) -> Outcome<Vec<Value>> {
        if let ([Value::Record(record)], true) = (&row[..], self.routine.is_sql)
            && !matches!((given, &self.columns[..]), ([(_, from)], [to]) if from.oid == to.oid)
        {
            return Ok(record.columns().map(|(_, value)| value).collect());
        }
        if self.routine.is_sql {
            for ((value, (_, from)), to) in row.iter_mut().zip(given).zip(&self.columns) {
                *value = cast(db, core::mem::replace(value, Value::Null), *from, *to)?;
            }
        }
        Ok(row)
    }

    /// What ends a function in SQL that gives a value or a row: the first row, NULL without one.
    pub(super) fn result_of(&mut self, db: &mut Database, query: &Embedded) -> Outcome<()> {
        if self.running.is_none() {
            let running = self.begin(db, query)?;
            self.running = Some(Box::new(running));
        }
        let Some(mut running) = self.running.take() else { return Ok(()) };
        if let Err(stop) = running.finish(db, Some(1)) {
            self.running = Some(running);
            return Err(stop);
        }
        self.next_command(db);
        let Some(row) = running.rows.first().cloned() else { return Ok(()) };
        // a row as one value
        if let ([Value::Record(record)], true) = (&row[..], self.returns == Returns::Row)
            && !matches!((&running.columns[..], &self.columns[..]), ([(_, from)], [to]) if from.oid == to.oid)
        {
            return self.returned_record(db, &Value::Record(record.clone()));
        }
        let row = self.as_declared(db, &running.columns, row)?;
        self.result = row.first().cloned().unwrap_or(Value::Null);
        self.returned_row = Some(row);
        Ok(())
    }
}
