//! REFRESH MATERIALIZED VIEW CONCURRENTLY: only what differs is deleted and inserted, by statements of SQL
//! (`refresh_by_match_merge`, src/backend/commands/matview.c).
//!
//! ```text
//!  query ──▶ fresh ─┐ FULL JOIN by the columns of unique indexes
//!            view ──┴──────▶ diff ──▶ DELETE by ctid, then INSERT        fresh, diff: temporary tables
//! ```

use super::analyze::analyze_within;
use super::matview::is_usable;
use super::spi::{change, execute, next_command, parsed, rows_of, run};
use crate::access::heap::{InsertOptions, heap_insert};
use crate::cluster::MatView;
use crate::cluster::ddl::quote_identifier;
use crate::qsort::pg_qsort;
use crate::sql::StatementError;
use crate::sql::ast::{RangeVar, Select, Statement};
use crate::sql::catalog::Catalog;
use crate::sql::error::NOT_SIMULATED;
use crate::sql::executor::hash::hash_of;
use crate::sql::plan::{hash_buckets, of_table};
use crate::sql::tcop::Database;
use crate::storage::{Outcome, Stop};
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::datum::{FormedTuple, SqlError, SqlType, Value};
use ffviz_format::page::Oid;

/// More rows than these may not fit into `work_mem`.
const MOST_ROWS: usize = 10_000;

/// What of it is left to be done.
#[derive(Debug)]
pub(in crate::sql) struct MatchMerge {
    matview: Oid,
    /// what the view is filled by
    query: Select,
    /// schema and name of the view, as SQL has them and as they are
    name: String,
    view: RangeVar,
    /// names of its columns, quoted
    columns: Vec<String>,
    /// columns of its unique indexes, from 0
    keys: Vec<usize>,
}

impl MatchMerge {
    /// Looks up what is to be compared with what.
    pub fn start(db: &mut Database, matview: Oid, form: &MatView) -> Result<Self, StatementError> {
        let missing = || StatementError::server("XX000", "the query of a materialized view is missing");
        let query = db.views.get(form.query as usize).ok_or_else(missing)?.query.clone();
        let relation = db.cluster.pg.relation(matview)?;
        let attributes = relation.desc.attributes();
        let columns: Vec<String> = attributes.iter().map(|it| quote_identifier(&it.name)).collect();
        let mut keys: Vec<usize> = Vec::new();
        for index in relation.indexes.iter().filter(|index| is_usable(db, **index)) {
            let index = db.cluster.pg.relation(*index)?;
            let Some(form) = &index.index else { continue };
            for key in form.columns.iter().take(form.n_keys.into()) {
                let place = usize::from(key.attnum - 1);
                if !keys.contains(&place) {
                    keys.push(place);
                }
            }
        }
        let schema = quote_identifier(db.cluster.schema_of(matview));
        let name = format!("{schema}.{}", quote_identifier(&relation.name));
        let view = RangeVar::new(Some(db.cluster.schema_of(matview).into()), relation.name.clone());
        db.cluster.set_populated(matview, true);
        Ok(Self { matview, query, name, view, columns, keys })
    }

    /// Does all of it: nobody else writes to the view meanwhile.
    pub fn go_on(&mut self, db: &mut Database) -> Outcome<String> {
        let (fresh, diff) = (format!("pg_temp_{}", self.matview), format!("pg_temp_{}_2", self.matview));
        self.fill(db, &fresh)?;
        Self::analyze(db, &fresh)?;
        self.compare(db, &fresh, &diff)?;
        Self::analyze(db, &diff)?;
        let gone = format!("SELECT \"?tid?\" FROM pg_temp.{diff} WHERE \"?tid?\" IS NOT NULL AND \"?new?\" IS NULL");
        change(db, &format!("DELETE FROM {} mv WHERE ctid = ANY ({gone})", self.name))?;
        let columns = self.list("");
        let came = format!("SELECT {columns} FROM pg_temp.{diff} WHERE \"?tid?\" IS NULL");
        change(db, &format!("INSERT INTO {} {came}", self.name))?;
        run(db, &format!("DROP TABLE pg_temp.{diff}, pg_temp.{fresh}"))?;
        Ok("REFRESH MATERIALIZED VIEW".to_string())
    }

    fn analyze(db: &mut Database, table: &str) -> Outcome<()> {
        next_command(db);
        analyze_within(db, &[RangeVar::new(Some("pg_temp".into()), table.into())])?;
        Ok(())
    }

    /// The columns, each behind that.
    fn list(&self, before: &str) -> String {
        let names = self.columns.iter().map(|name| format!("{before}{name}"));
        names.collect::<Vec<_>>().join(", ")
    }

    /// The new rows, in a temporary table.
    fn fill(&self, db: &mut Database, fresh: &str) -> Outcome<()> {
        let names = self.list("");
        let mut statement = parsed(db, &format!("CREATE TEMP TABLE {fresh} ({names}) AS SELECT 1"))?;
        if let Statement::CreateTableAs(create) = &mut statement {
            *create.query = self.query.clone();
        }
        execute(db, statement)
    }

    /// What differs, by the place that a row has, new rows last, in a temporary table (the FULL JOIN of
    /// `refresh_by_match_merge`). Two new rows that are the same, and have no NULL, could not be told apart.
    fn compare(&self, db: &mut Database, fresh: &str, diff: &str) -> Outcome<()> {
        let columns = self.list("");
        let old = rows_of(db, &format!("SELECT ctid, {columns} FROM {}", self.name))?;
        let new = rows_of(db, &format!("SELECT ctid, {columns} FROM pg_temp.{fresh}"))?;
        let desc = db.cluster.pg.relation(self.matview)?.desc.clone();
        let image = |row: &[Value]| {
            let mut tuple = FormedTuple::default();
            tuple.form_inserted(&desc, &row[1..]);
            tuple.bytes
        };
        let images = [&old, &new].map(|rows| rows.iter().map(|row| image(row)).collect::<Vec<_>>());
        let mut known = BTreeSet::new();
        for (row, image) in new.iter().zip(&images[1]) {
            if !known.insert(image) && !row.iter().any(Value::is_null) {
                return Err(self.duplicate(db, fresh, row).into());
            }
        }
        let has_key = |row: &[Value]| !self.keys.iter().any(|place| row[place + 1].is_null());
        let there: BTreeSet<&Vec<u8>> =
            old.iter().zip(&images[0]).filter(|(row, _)| has_key(row)).map(|it| it.1).collect();
        let is_alone = |rows: &[Vec<Value>], images: &[Vec<u8>], others: &BTreeSet<&Vec<u8>>| -> Vec<usize> {
            (0..rows.len()).filter(|n| !has_key(&rows[*n]) || !others.contains(&images[*n])).collect()
        };
        let (gone, came) = (is_alone(&old, &images[0], &known), is_alone(&new, &images[1], &there));
        let expected = self.expected(db)?;
        let hashes_old = expected < new.len() as f64;
        let mut found: Vec<(Option<usize>, Option<usize>)> = Vec::new();
        let of_old = |all: Vec<usize>| all.into_iter().map(|n| (Some(n), None)).collect::<Vec<_>>();
        let of_new = |all: Vec<usize>| all.into_iter().map(|n| (None, Some(n))).collect::<Vec<_>>();
        if hashes_old {
            found.extend(of_new(came));
            found.extend(of_old(self.by_buckets(&old, gone, expected)?));
        } else {
            found.extend(of_old(gone));
            found.extend(of_new(self.by_buckets(&new, came, new.len() as f64)?));
        }
        // the place of a row of the view grows with its number
        pg_qsort(&mut found, &mut |one, other| match (one.0, other.0) {
            (Some(one), Some(other)) => one.cmp(&other),
            (one, other) => one.is_none().cmp(&other.is_none()),
        });
        self.keep(
            db,
            diff,
            found.into_iter().map(|(gone, came)| match (gone, came) {
                (Some(gone), _) => (Some(old[gone][0].clone()), None),
                (None, came) => (None, came.map(|came| new[came].clone())),
            }),
        )
    }

    fn duplicate(&self, db: &mut Database, fresh: &str, row: &[Value]) -> SqlError {
        let view = db.cluster.pg.relations.get(&self.matview).map_or("", |relation| &relation.name).to_string();
        let message =
            format!("new data for materialized view \"{view}\" contains duplicate rows without any null columns");
        let Value::Tid(tid) = row[0] else { return SqlError::new("21000", message) };
        let text = format!("SELECT ROW({})::text FROM pg_temp.{fresh} WHERE ctid = '{tid}'", self.list(""));
        let told = rows_of(db, &text).ok().and_then(|rows| rows.first()?.first()?.output(SqlType::TEXT.oid));
        SqlError::new("21000", message).with_detail(format!("Row: {}", told.unwrap_or_default()))
    }

    /// How many rows the planner takes the view to have: what has fewer is hashed.
    fn expected(&self, db: &mut Database) -> Outcome<f64> {
        let major = db.cluster.version().major();
        let missing = || SqlError::new("XX000", "the materialized view is missing");
        let table = db.table(&self.view).ok_or_else(missing)?;
        Ok(of_table(&table, major).tuples)
    }

    /// `ExecScanHashTableForUnmatched`: bucket by bucket, what came last first.
    fn by_buckets(&self, rows: &[Vec<Value>], mut alone: Vec<usize>, expected: f64) -> Outcome<Vec<usize>> {
        let buckets = hash_buckets(expected);
        let refuse = |what: &str| {
            let message = format!("REFRESH MATERIALIZED VIEW CONCURRENTLY of {what} is not supported");
            Stop::Error(SqlError::new(NOT_SIMULATED, message))
        };
        if rows.len() > buckets as usize || rows.len() > MOST_ROWS {
            return Err(refuse("so many rows"));
        }
        let mut hashes = Vec::with_capacity(rows.len());
        for row in rows {
            let hash = hash_of(self.keys.iter().map(|place| &row[place + 1]));
            hashes.push(hash.ok_or_else(|| refuse("a view with a key of this type"))? & (buckets - 1));
        }
        alone.sort_by_key(|n| (hashes[*n], core::cmp::Reverse(*n)));
        Ok(alone)
    }

    fn keep(
        &self,
        db: &mut Database,
        diff: &str,
        rows: impl Iterator<Item = (Option<Value>, Option<Vec<Value>>)>,
    ) -> Outcome<()> {
        let columns = self.list("new.");
        let from = format!("FROM {} mv, {} new", self.name, self.name);
        let named = "mv.ctid AS \"?tid?\", new.ctid AS \"?new?\"";
        // a server's table has the row as one column, whatever its columns are: so it always has a TOAST table
        let row = "''::text AS \"?row?\"";
        run(db, &format!("CREATE TEMP TABLE {diff} AS SELECT {named}, {columns}, {row} {from} WITH NO DATA"))?;
        // a server adds the column of the row by another statement
        next_command(db);
        db.cluster.use_commands(1);
        let missing = || SqlError::new("XX000", "the table of differences is missing");
        let oid = db.cluster.find(Some("pg_temp"), diff).ok_or_else(missing)?;
        let (relation, cid) = (db.cluster.pg.relation(oid)?, db.cluster.pg.current_command_id());
        let mut tuple = FormedTuple::default();
        for (gone, came) in rows {
            let mut values = Vec::from([gone.unwrap_or(Value::Null)]);
            values.extend(came.unwrap_or_else(|| alloc::vec![Value::Null; self.columns.len() + 1]));
            values.push(Value::Null);
            tuple.form_inserted(&relation.desc, &values);
            heap_insert(&mut db.cluster.pg, &relation, &mut tuple, cid, InsertOptions::NONE, None)?;
        }
        Ok(())
    }
}
