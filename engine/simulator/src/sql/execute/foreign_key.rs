//! Foreign keys: the checks that are made when all rows of a statement are done (`RI_FKey_check`, `RI_FKey_noaction_del`,
//! src/backend/utils/adt/ri_triggers.c). As there, each is made of queries, planned like any other.
//!
//! ```text
//!  a row that refers       SELECT 1 FROM ONLY the referred-to table WHERE its key = … FOR KEY SHARE    must give a row
//!  a key that goes         the same of the key that went: where another row has it by now, all is well (`ri_Check_Pk_Match`)
//!                          SELECT 1 FROM ONLY the referring table WHERE its columns = … FOR KEY SHARE  must give none
//! ```
//!
//! The other table is opened, and locked, when the check begins: a statement that fails before has not met it. Rows that are inserted open it though
//! their key is NULL; of those that are updated no check is noted then (`RI_FKey_fk_upd_check_required`).

use super::Database;
use super::plan_source::PlanSource;
use super::rewrite::{no_wait, scan_rows};
use super::select::Query;
use crate::cluster::catalog::Constraint;
use crate::sql::StatementError;
use crate::sql::parse::parse;
use crate::sql::plan::{Plan, SelectPlan};
use crate::storage::{LockMode, Outcome, RelationData, RelationLock, Stop, WaitFor};
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;
use ffviz_format::datum::sql_type::Kind;
use ffviz_format::datum::{SqlError, Value};
use ffviz_format::page::Oid;

/// A check that is to be made at the end of the statement.
#[derive(Debug)]
pub(super) struct Check {
    /// the table that the key leads to, or from
    other: Oid,
    /// what is still to be asked, the next question last
    questions: Vec<Question>,
    values: Vec<Value>,
    types: Vec<Oid>,
    message: String,
    /// DETAIL: `Key (a)=(1) is not present in table "t".`
    detail: String,
}

/// A query of a check.
#[derive(Debug)]
struct Question {
    table: Oid,
    key: CheckKey,
    query: Option<Query>,
}

/// Which query it is (`RI_QueryKey`): a session keeps the plans of each.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct CheckKey {
    /// the table that refers, and the constraint's name
    constraint: (Oid, String),
    wants: Wants,
    sql: String,
}

/// What a query of a check has to give.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Wants {
    Row,
    NoRow,
    /// a row ends the check, without one it goes on
    RowOrMore,
}

impl Check {
    /// Makes it. Where it has to wait, it goes on where it stopped.
    pub fn go_on(&mut self, db: &mut Database) -> Outcome<()> {
        lock(db, self.other)?;
        let kept = core::mem::replace(&mut db.params, self.values.clone());
        let is_right = self.ask(db);
        db.params = kept;
        match is_right? {
            true => Ok(()),
            false => Err(SqlError::new("23503", self.message.clone()).with_detail(self.detail.clone()).into()),
        }
    }

    fn ask(&mut self, db: &mut Database) -> Outcome<bool> {
        while let Some(question) = self.questions.last_mut() {
            let found = question.find(db, &self.types)?;
            match question.key.wants {
                Wants::Row => return Ok(found),
                Wants::NoRow => return Ok(!found),
                Wants::RowOrMore if found => return Ok(true),
                Wants::RowOrMore => self.questions.pop(),
            };
        }
        Ok(true)
    }
}

impl Question {
    fn new(constraint: &(Oid, String), table: &RelationData, columns: &[u16], wants: Wants) -> Self {
        let name = |attnum: &u16| quoted(&table.desc.attributes()[usize::from(attnum - 1)].name);
        let conditions = (1..).zip(columns).map(|(n, column): (usize, &u16)| format!("{} = ${n}", name(column)));
        let conditions: Vec<String> = conditions.collect();
        let sql = format!("SELECT 1 FROM {} x WHERE {} FOR KEY SHARE", quoted(&table.name), conditions.join(" AND "));
        Self { table: table.oid, key: CheckKey { constraint: constraint.clone(), wants, sql }, query: None }
    }

    fn find(&mut self, db: &mut Database, types: &[Oid]) -> Outcome<bool> {
        if self.query.is_none() {
            lock(db, self.table)?;
            let indexes = db.cluster.pg.relation(self.table)?.indexes.clone();
            indexes.into_iter().try_for_each(|index| lock(db, index))?;
            let planned = self.plan(db, types)?;
            if let Some(xact) = &mut db.cluster.pg.backend_mut().xact {
                xact.next_command();
            }
            // `ri_PerformCheck`: what refers to a key that goes is looked for as of now (`detectNewRows`)
            let snapshot = match self.key.wants {
                Wants::Row => db.cluster.take_snapshot(),
                Wants::NoRow | Wants::RowOrMore => db.cluster.latest_snapshot(),
            };
            self.query = Some(Query::start(planned, &snapshot));
        }
        let Some(query) = &mut self.query else { return Ok(false) };
        let found = query.next(db)?.is_some();
        query.end(db);
        Ok(found)
    }

    /// `ri_FetchPreparedPlan`: where its tables have changed since, the query is prepared anew, as if it had never run.
    fn plan(&self, db: &mut Database, types: &[Oid]) -> Outcome<Arc<SelectPlan>> {
        let known = db.session().checks.remove(&self.key).filter(|known| known.is_valid(db));
        let prepared = known.map_or_else(|| Ok(PlanSource::new(parse(&self.key.sql)?, types.to_vec(), Vec::new())), Ok);
        let mut source = prepared.map_err(StatementError::error_with_place)?;
        let values = db.params.clone();
        let planned = source.plan(db, &values).map_err(StatementError::error_with_place)?;
        db.session().checks.insert(self.key.clone(), source);
        match planned {
            Some(Plan::Select(plan)) => Ok(plan),
            _ => Err(SqlError::new("XX000", format!("the check cannot be planned: {}", self.key.sql)).into()),
        }
    }
}

/// Rows of the relation are going to be locked.
fn lock(db: &mut Database, relation: Oid) -> Outcome<()> {
    let lock = RelationLock { relation, mode: LockMode::RowShare };
    if db.cluster.lock_relation(lock) { Ok(()) } else { Err(Stop::Wait(WaitFor::Lock(lock))) }
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// What a new version of a row comes after.
#[derive(Debug, Clone, Copy)]
pub(super) enum Before<'a> {
    /// it is inserted
    Nothing,
    /// a version that the transaction has made itself: nothing is known yet of its keys
    Own,
    /// another version
    Row(&'a [Value]),
}

/// What a new version of a row asks for.
pub(super) fn of_new_row(
    db: &Database,
    table: &RelationData,
    new: &[Value],
    before: Before<'_>,
) -> Outcome<Vec<Check>> {
    let Some(class) = db.cluster.catalog.class(table.oid) else { return Ok(Vec::new()) };
    let mut checks = Vec::new();
    for constraint in &class.constraints {
        let Constraint::Foreign { name, columns, table: referred, index, .. } = constraint else { continue };
        let key = |row: &[Value]| values_of(table, row, columns);
        let has_null = key(new).iter().any(Value::is_null);
        let is_needless = match before {
            Before::Nothing => false,
            Before::Own => has_null,
            Before::Row(old) => has_null || key(old) == key(new),
        };
        if is_needless {
            continue;
        }
        let (referred, index) = (db.cluster.pg.relation(*referred)?, db.cluster.pg.relation(*index)?);
        let keys: Vec<u16> =
            index.index.iter().flat_map(|form| &form.columns).take(columns.len()).map(|key| key.attnum).collect();
        let message =
            format!("insert or update on table \"{}\" violates foreign key constraint \"{name}\"", table.name);
        let detail =
            format!("Key {} is not present in table \"{}\".", key_description(table, columns, new), referred.name);
        let (values, types) = (key(new), types_of(table, columns));
        let constraint = (table.oid, name.clone());
        let question = (!has_null).then(|| Question::new(&constraint, &referred, &keys, Wants::Row));
        checks.push(Check {
            other: referred.oid,
            questions: question.into_iter().collect(),
            values,
            types,
            message,
            detail,
        });
    }
    Ok(checks)
}

/// What a version that goes asks for: `new` is the version after, of an UPDATE.
pub(super) fn of_old_row(
    db: &Database,
    table: &RelationData,
    old: &[Value],
    new: Option<&[Value]>,
) -> Outcome<Vec<Check>> {
    let mut checks = Vec::new();
    for class in db.cluster.catalog.classes() {
        for constraint in &class.constraints {
            let Constraint::Foreign { name, columns, table: referred, index, .. } = constraint else { continue };
            if *referred != table.oid {
                continue;
            }
            let index = db.cluster.pg.relation(*index)?;
            let keys: Vec<u16> =
                index.index.iter().flat_map(|form| &form.columns).take(columns.len()).map(|key| key.attnum).collect();
            let key = values_of(table, old, &keys);
            if key.iter().any(Value::is_null) || new.is_some_and(|new| values_of(table, new, &keys) == key) {
                continue;
            }
            let referring = db.cluster.pg.relation(class.oid)?;
            let message = format!(
                "update or delete on table \"{}\" violates foreign key constraint \"{name}\" on table \"{}\"",
                table.name, referring.name
            );
            let told = key_description(table, &keys, old);
            let detail = format!("Key {told} is still referenced from table \"{}\".", referring.name);
            let constraint = (class.oid, name.clone());
            let again = Question::new(&constraint, table, &keys, Wants::RowOrMore);
            let questions = vec![Question::new(&constraint, &referring, columns, Wants::NoRow), again];
            checks.push(Check {
                other: referring.oid,
                questions,
                values: key,
                types: types_of(table, &keys),
                message,
                detail,
            });
        }
    }
    Ok(checks)
}

/// `RI_Initial_Check`: does each row of the table have what it refers to? The other table is read first, then this one, as a hash join does.
pub(super) fn initial_check(db: &mut Database, table: Oid, constraint: &Constraint) -> Result<(), SqlError> {
    let Constraint::Foreign { name, columns, table: referred, index, .. } = constraint else { return Ok(()) };
    let (relation, referred) = (db.cluster.pg.relation(table)?, db.cluster.pg.relation(*referred)?);
    let index = db.cluster.pg.relation(*index)?;
    let form = index.index.iter().flat_map(|form| &form.columns);
    let keys: Vec<u16> = form.take(columns.len()).map(|key| key.attnum).collect();
    let mut known = BTreeSet::new();
    let read = scan_rows(db, &referred, |_, row| {
        known.insert(comparable(&referred, &row, &keys));
        Ok(())
    });
    read.map_err(no_wait)?;
    let mut missing = None;
    let read = scan_rows(db, &relation, |_, row| {
        let key = comparable(&relation, &row, columns);
        if missing.is_none() && key.iter().all(Option::is_some) && !known.contains(&key) {
            missing = Some(key_description(&relation, columns, &row));
        }
        Ok(())
    });
    read.map_err(no_wait)?;
    match missing {
        None => Ok(()),
        Some(key) => {
            let message =
                format!("insert or update on table \"{}\" violates foreign key constraint \"{name}\"", relation.name);
            let detail = format!("Key {key} is not present in table \"{}\".", referred.name);
            Err(SqlError::new("23503", message).with_detail(detail))
        }
    }
}

/// A key as text that is equal where the keys are; `None` for NULL.
fn comparable(table: &RelationData, row: &[Value], columns: &[u16]) -> Vec<Option<String>> {
    let text = |(value, typid): (Value, Oid)| {
        let text = value.output(typid)?;
        const BPCHAR: Oid = 1042;
        let is_padded = typid == BPCHAR;
        let has_point = Kind::of(typid) == Kind::Numeric && text.contains('.');
        Some(match (is_padded, has_point) {
            (true, _) => String::from(text.trim_end_matches(' ')),
            (_, true) => String::from(text.trim_end_matches('0').trim_end_matches('.')),
            _ => text,
        })
    };
    values_of(table, row, columns).into_iter().zip(types_of(table, columns)).map(text).collect()
}

/// The columns of a row that make a key, whatever headers they are stored with.
fn values_of(table: &RelationData, row: &[Value], columns: &[u16]) -> Vec<Value> {
    let value = |column: usize| row[column].detoasted(table.desc.kind(column)).unwrap_or_else(|| row[column].clone());
    columns.iter().map(|attnum| value(usize::from(attnum - 1))).collect()
}

/// `ri_ReportViolation`: `(a, b)=(1, x)`, names as they are.
fn key_description(table: &RelationData, columns: &[u16], row: &[Value]) -> String {
    let named = |attnum: &u16| table.desc.attributes().get(usize::from(attnum - 1));
    let names: Vec<&str> = columns.iter().filter_map(|attnum| Some(named(attnum)?.name.as_str())).collect();
    let values = values_of(table, row, columns).into_iter().zip(types_of(table, columns));
    let values: Vec<String> = values.map(|(value, typid)| value.described(typid)).collect();
    format!("({})=({})", names.join(", "), values.join(", "))
}

fn types_of(table: &RelationData, columns: &[u16]) -> Vec<Oid> {
    columns.iter().map(|attnum| table.desc.attributes()[usize::from(attnum - 1)].typid).collect()
}
