//! Variables: what they are declared as, and what is assigned to them (`exec_assign_value`, `exec_cast_value`,
//! `exec_move_row`).

use super::{BarsEnd, Interpreter, Loop, Record, Returns, Site};
use crate::sql::StatementError;
use crate::sql::ast::{Datum, DeclaredType, Embedded, RangeVar, Routine};
use crate::sql::error::NOT_SIMULATED;
use crate::sql::executor::row::eval;
use crate::sql::expr::{Analyzer, Context, RangeTable, SYSTEM, Typed, VariableRow};
use crate::sql::tcop::Database;
use crate::storage::Outcome;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::enums::is_enum;
use ffviz_format::datum::input::input;
use ffviz_format::datum::{Attribute, RowType, SqlError, SqlType, Value};
use ffviz_format::page::{ItemPointer, Oid};

/// The columns of a table that are there, for rows of it.
///
/// # Errors
/// There is no such table.
pub(in crate::sql) fn columns_of(db: &Database, name: &RangeVar) -> Result<Vec<(String, SqlType)>, SqlError> {
    let column = |it: &Attribute| (it.name.clone(), it.ty());
    if let Some(ty) = db.cluster.find_composite(name.schema.as_deref(), &name.name) {
        return Ok(ty.attributes.iter().filter(|column| !column.dropped).map(column).collect());
    }
    let missing = || SqlError::new("42P01", format!("relation \"{name}\" does not exist"));
    let oid = db.find(name).ok_or_else(missing)?;
    let relation = db.cluster.pg.relation(oid)?;
    let columns = relation.desc.attributes().iter().filter(|column| !column.dropped);
    Ok(columns.map(column).collect())
}

/// The type of rows of that name, of a table or of none.
fn named_row_type(db: &Database, name: &RangeVar) -> Option<RowType> {
    if let Some(ty) = db.cluster.find_composite(name.schema.as_deref(), &name.name) {
        return Some(ty.row_type());
    }
    db.row_type(db.cluster.catalog.class(db.find(name)?)?.row_type?)
}

/// The types of a block's variables; of rows and their columns none.
///
/// # Errors
/// A table or a column that is not there.
pub(in crate::sql) fn types_of(db: &Database, routine: &Routine) -> Result<Vec<SqlType>, SqlError> {
    let mut types: Vec<SqlType> = Vec::with_capacity(routine.datums.len());
    for datum in &routine.datums {
        let ty = match datum {
            Datum::Var { ty: DeclaredType::Known(ty), .. } => *ty,
            Datum::Var { ty: DeclaredType::Variable(other), .. } => types.get(*other).copied().unwrap_or(SqlType::TEXT),
            Datum::Var { ty: DeclaredType::Column(table, column), .. } => {
                refuse_domain(db, table, column)?;
                let found = columns_of(db, table)?.into_iter().find(|(name, _)| name == column);
                let missing = || {
                    let message = format!("column \"{column}\" of relation \"{table}\" does not exist");
                    SqlError::new("42703", message)
                };
                found.ok_or_else(missing)?.1
            }
            Datum::Record { of: Some(table), .. } => columns_of(db, table).map(|_| SqlType::TEXT)?,
            _ => SqlType::TEXT,
        };
        types.push(ty);
    }
    Ok(types)
}

/// A variable of a domain would be checked whenever it is set.
fn refuse_domain(db: &Database, table: &RangeVar, column: &str) -> Result<(), SqlError> {
    let Some(relation) = db.find(table).and_then(|oid| db.cluster.pg.relations.get(&oid)) else { return Ok(()) };
    let is_it = |attribute: &&Attribute| !attribute.dropped && attribute.name == column;
    let found = relation.desc.attributes().iter().find(is_it);
    match found.and_then(|attribute| db.cluster.catalog.domain_of(relation.oid, attribute.num)) {
        Some(_) => Err(SqlError::new(NOT_SIMULATED, "%TYPE of a column of a domain is not supported")),
        None => Ok(()),
    }
}

/// What a statement may name (`setup_param_list`).
#[derive(Default)]
pub(super) struct Bound {
    /// types of variables, by number; behind them what tells rows apart
    pub types: Vec<Oid>,
    /// their values
    pub values: Vec<Value>,
    /// names by which they are named
    pub names: Vec<String>,
    /// those that are rows
    pub rows: Vec<VariableRow>,
    /// what is wrong with one that has no value
    pub wrong: Option<SqlError>,
}

impl Bound {
    fn add(&mut self, name: String, ty: SqlType, value: Value) {
        self.types.push(ty.oid);
        self.values.push(value);
        self.names.push(name);
    }
}

impl Interpreter {
    /// Before the first step; `sites` is what is kept of earlier calls.
    ///
    /// # Errors
    /// As [`types_of`].
    pub fn new(
        db: &Database,
        routine: Arc<Routine>,
        returns: Returns,
        (atomic, sites): (bool, Vec<Site>),
    ) -> Result<Self, SqlError> {
        let types = types_of(db, &routine)?;
        let mut values = alloc::vec![Value::Null; routine.datums.len()];
        if let Some(found) = values.get_mut(routine.found) {
            *found = Value::Bool(false);
        }
        let mut sites = sites;
        sites.resize(routine.sites, Site::Unknown);
        let mut records = alloc::vec![None; routine.datums.len()];
        for (record, datum) in records.iter_mut().zip(&routine.datums) {
            if let Datum::Record { of: Some(table), .. } = datum {
                let columns = columns_of(db, table)?;
                *record = Some(Record {
                    values: alloc::vec![Value::Null; columns.len()],
                    columns,
                    is_null: true,
                    is_registered: true,
                    place: None,
                    ty: named_row_type(db, table),
                });
            }
        }
        let loops = (0..routine.loops).map(|_| Loop::Ended).collect();
        Ok(Self {
            routine,
            returns,
            types,
            values,
            records,
            at: 0,
            loops,
            tries: Vec::new(),
            caught: Vec::new(),
            sites,
            running: None,
            row_count: 0,
            atomic,
            caller: db.cluster.pg.trace.within().cloned(),
            result: Value::Null,
            returned_row: None,
            columns: Vec::new(),
            column_names: Vec::new(),
            set: Vec::new(),
            tables: Vec::new(),
            snapshot: None,
            fetching: None,
            called: None,
            targets: Vec::new(),
            dest: None,
            bars_end: BarsEnd::Nothing,
            settings: None,
        })
    }

    /// Gives an argument, or a variable that the caller knows.
    pub fn set(&mut self, number: usize, value: Value) {
        if let (Value::Record(row), Some(Some(record))) = (&value, self.records.get_mut(number)) {
            let given = row.columns().map(|(_, value)| value);
            record.values = given.chain(core::iter::repeat(Value::Null)).take(record.columns.len()).collect();
            record.is_null = false;
            return;
        }
        if let Some(place) = self.values.get_mut(number) {
            *place = value;
        }
    }

    /// Gives a row, with its columns; without values it is NULL.
    pub fn set_row(&mut self, number: usize, columns: Vec<(String, SqlType)>, values: Option<Vec<Value>>) {
        if let Some(place) = self.records.get_mut(number) {
            let is_null = values.is_none();
            let values = values.unwrap_or_else(|| alloc::vec![Value::Null; columns.len()]);
            let ty = place.take().and_then(|record| record.ty);
            *place = Some(Record { columns, values, is_null, is_registered: true, place: None, ty });
        }
    }

    /// The row is one of a table, stored there.
    pub fn set_place(&mut self, number: usize, table: Oid, tid: Option<ItemPointer>) {
        if let Some(Some(record)) = self.records.get_mut(number) {
            record.place = Some((table, tid));
        }
    }

    pub(super) fn set_found(&mut self, found: bool) {
        self.set(self.routine.found, Value::Bool(found));
    }

    /// What it may name.
    pub(super) fn bound(&self, sql: &Embedded) -> Bound {
        let mut bound = Bound::default();
        for (name, datum) in &sql.params {
            match self.value(*datum) {
                Ok((ty, value)) => bound.add(name.clone(), ty, value),
                // it has no value, so that nothing can name it
                Err(error) => {
                    bound.wrong = Some(error);
                    bound.add(String::new(), SqlType::TEXT, Value::Null);
                }
            }
        }
        for (name, record) in &sql.rows {
            let Some(row) = self.records.get(*record).and_then(Option::as_ref) else {
                // as a whole it is NULL
                let (name, columns) = (name.clone(), Vec::new());
                bound.rows.push(VariableRow { name, columns, is_null: true, is_registered: false, ty: None });
                continue;
            };
            let mut columns = Vec::new();
            for ((column, ty), value) in row.columns.iter().zip(&row.values).filter(|((name, _), _)| !name.is_empty()) {
                columns.push((column.clone(), bound.types.len() as u16));
                bound.add(format!("{name}.{column}"), *ty, value.clone());
            }
            let (name, is_null, is_registered) = (name.clone(), row.is_null, row.is_registered);
            bound.rows.push(VariableRow { name, columns, is_null, is_registered, ty: row.ty.clone() });
        }
        bound
    }

    /// Rows that were values as a whole are known from then on (`ER_get_flat_size`).
    pub(super) fn register(&mut self, sql: &Embedded) {
        for (_, record) in &sql.rows {
            self.records[*record].iter_mut().for_each(|record| record.is_registered = true);
        }
    }

    /// The value is that of no row yet.
    pub(super) fn not_assigned(&self, record: usize) -> SqlError {
        let error = SqlError::new("55000", format!("record \"{}\" is not assigned yet", self.record_name(record)));
        error.with_detail("The tuple structure of a not-yet-assigned record is indeterminate.")
    }

    /// `exec_eval_datum`
    fn value(&self, datum: usize) -> Result<(SqlType, Value), SqlError> {
        let Some(Datum::Field { record, name }) = self.routine.datums.get(datum) else {
            let (ty, value) = (self.types.get(datum), self.values.get(datum));
            return Ok((ty.copied().unwrap_or(SqlType::TEXT), value.cloned().unwrap_or(Value::Null)));
        };
        let of = self.record_name(*record);
        let Some(row) = self.records.get(*record).and_then(Option::as_ref) else {
            return Err(self.not_assigned(*record));
        };
        let at = row.columns.iter().position(|(column, _)| column == name);
        let found = at.and_then(|at| Some((row.columns.get(at)?.1, row.values.get(at)?.clone())));
        if let (None, Some((table, tid))) = (&found, row.place)
            && let Some((name, ty)) = SYSTEM.iter().find(|(known, _)| *known == name)
        {
            return match (*name, tid) {
                ("ctid", Some(tid)) => Ok((*ty, Value::Tid(tid))),
                ("tableoid", _) => Ok((*ty, Value::Oid(table))),
                _ => Err(SqlError::new(NOT_SIMULATED, format!("{name} of a trigger's row is not supported"))),
            };
        }
        found.ok_or_else(|| SqlError::new("42703", format!("record \"{of}\" has no field \"{name}\"")))
    }

    pub(super) fn record_name(&self, record: usize) -> &str {
        match self.routine.datums.get(record) {
            Some(Datum::Record { name, .. }) => name,
            _ => "",
        }
    }

    /// `exec_assign_value`
    pub(super) fn assign(&mut self, db: &mut Database, target: usize, (value, from): (Value, SqlType)) -> Outcome<()> {
        let routine = self.routine.clone();
        match routine.datums.get(target) {
            Some(Datum::Var { ty: DeclaredType::Assigned, .. }) => {
                self.types[target] = from;
                self.set(target, value);
            }
            Some(Datum::Var { name, not_null, .. }) => {
                let value = cast(db, value, from, self.types[target])?;
                if *not_null && value.is_null() {
                    let message = format!("null value cannot be assigned to variable \"{name}\" declared NOT NULL");
                    return Err(SqlError::new("22004", message).into());
                }
                self.set(target, value);
            }
            Some(Datum::Field { record, name }) => {
                self.value(target)?;
                let Some(row) = self.records.get_mut(*record).and_then(Option::as_mut) else { return Ok(()) };
                let Some(at) = row.columns.iter().position(|(column, _)| column == name) else { return Ok(()) };
                let to = row.columns[at].1;
                let value = cast(db, value, from, to)?;
                row.values[at] = value;
                row.is_null = false;
            }
            Some(Datum::Record { .. }) => self.assign_value_to_row(db, target, value)?,
            None => {}
        }
        Ok(())
    }

    /// `exec_move_row_from_datum`
    fn assign_value_to_row(&mut self, db: &mut Database, target: usize, value: Value) -> Outcome<()> {
        match value {
            Value::Null => {
                self.begin_variable(target);
                Ok(())
            }
            Value::Record(row) => {
                let parts = row.columns().map(|(column, value)| ((column.name.clone(), column.ty()), value));
                let (columns, values): (Vec<_>, Vec<_>) = parts.unzip();
                self.move_row(db, &[target], &columns, Some(&values))
            }
            _ => Err(SqlError::new("42804", "cannot assign non-composite value to a record variable").into()),
        }
    }

    /// `exec_move_row`: a row, or NULL where there is none.
    pub(super) fn move_row(
        &mut self,
        db: &mut Database,
        targets: &[usize],
        columns: &[(String, SqlType)],
        row: Option<&[Value]>,
    ) -> Outcome<()> {
        let value = |at: usize| row.and_then(|row| row.get(at)).cloned().unwrap_or(Value::Null);
        if let [target] = targets
            && let Some(Datum::Record { of, .. }) = self.routine.datums.get(*target)
        {
            let values: Vec<Value> = (0..columns.len()).map(value).collect();
            let Some(known) = self.records[*target].as_ref().filter(|_| of.is_some()) else {
                let known = self.records[*target].as_ref().filter(|known| known.columns == columns);
                let was_registered = known.is_some_and(|known| known.is_registered);
                self.set_row(*target, columns.to_vec(), Some(values));
                self.records[*target].iter_mut().for_each(|record| record.is_registered = was_registered);
                return Ok(());
            };
            let wanted = known.columns.clone();
            let mut cast_values = Vec::with_capacity(wanted.len());
            for (at, (_, to)) in wanted.iter().enumerate() {
                let from = columns.get(at).map_or(SqlType::TEXT, |(_, ty)| *ty);
                cast_values.push(cast(db, value(at), from, *to)?);
            }
            self.set_row(*target, wanted, Some(cast_values));
            return Ok(());
        }
        for (at, target) in targets.iter().enumerate() {
            let from = columns.get(at).map_or(SqlType::TEXT, |(_, ty)| *ty);
            self.assign(db, *target, (value(at), from))?;
        }
        Ok(())
    }

    /// A row becomes another one.
    pub(super) fn assign_row(&mut self, db: &mut Database, target: usize, source: usize) -> Outcome<()> {
        let row = self.records.get(source).and_then(Option::as_ref).filter(|row| !row.is_null).cloned();
        let Some(row) = row else {
            self.begin_variable(target);
            return Ok(());
        };
        let is_there = |(column, _): &(&(String, SqlType), &Value)| !column.0.is_empty();
        let parts = row.columns.iter().zip(&row.values).filter(is_there);
        let (columns, values): (Vec<_>, Vec<_>) = parts.map(|(column, value)| (column.clone(), value.clone())).unzip();
        if let Some(Some(known)) = self.records.get(target)
            && known.columns.iter().any(|(name, _)| name.is_empty())
        {
            let message = "a row of a table with dropped columns that is assigned is not supported";
            return Err(SqlError::new(NOT_SIMULATED, message).into());
        }
        self.move_row(db, &[target], &columns, Some(&values))?;
        self.records[target].iter_mut().for_each(|record| record.is_registered |= row.is_registered);
        Ok(())
    }

    /// The values of a row that is a variable; `None` where it has none.
    pub(super) fn row(&self, record: usize) -> Option<&[Value]> {
        self.records.get(record)?.as_ref().filter(|row| !row.is_null).map(|row| &row.values[..])
    }
}

/// `exec_cast_value`: by an assignment cast, else by way of text.
pub(in crate::sql) fn cast(db: &mut Database, value: Value, from: SqlType, to: SqlType) -> Outcome<Value> {
    if value.is_null() {
        return Ok(Value::Null);
    }
    if from.oid == to.oid && (to.typmod < 0 || to.typmod == from.typmod) {
        return Ok(value);
    }
    let range = RangeTable::default();
    let context = Context::input(db);
    let mut analyzer = Analyzer::new(&range, context, "assignment");
    analyzer.row_types = db.row_types();
    let constant = Typed::constant(value.clone(), SqlType::plain(from.oid));
    match analyzer.assign(constant, "", to) {
        Ok(typed) => {
            let lookups = core::mem::take(&mut analyzer.lookups);
            db.cluster.look_up(lookups);
            eval(db, &typed, &[], &[])
        }
        Err(StatementError { error, .. }) if error.sqlstate != "42804" => Err(error.into()),
        Err(_) if is_enum(from.oid) || is_enum(to.oid) => {
            Err(SqlError::new(NOT_SIMULATED, "this cast of an enum to a variable is not supported").into())
        }
        Err(_) => match context.style.output(&value, from.oid)? {
            Some(text) => Ok(input(&text, to, &context)?),
            None => Err(SqlError::new(NOT_SIMULATED, "this cast to a variable is not supported").into()),
        },
    }
}
