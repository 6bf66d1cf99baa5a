//! Materialized views: tables that are filled by a query, and again by REFRESH (`ExecCreateTableAs`,
//! src/backend/commands/createas.c; `RefreshMatViewByOid`, src/backend/commands/matview.c).
//!
//! ```text
//!  CREATE … AS        a table, its rule ──▶ filled as CREATE TABLE AS does; from 17 on by a REFRESH
//!  REFRESH            a transient table, filled with rows that are frozen ──▶ files exchanged ──▶ indexes anew
//!  … CONCURRENTLY     `match_merge`
//! ```

use super::create_as::{columns, refuse_types};
use super::create_table::check_name;
use super::ddl::{OptionsOf, RelOptions, kept_options};
use super::match_merge::MatchMerge;
use super::partition::plain_kind;
use super::reindex::reindex_index;
use super::view::{aliased, stored, tables_of};
use crate::access::heap::{BulkInsertState, InsertOptions, heap_insert};
use crate::cluster::ddl::quote_identifier;
use crate::cluster::{Class, MatView};
use crate::sql::StatementError;
use crate::sql::ast::{CreateTableAs, FromItem, RangeVar, RefreshMatView, Select, Statement, Target};
use crate::sql::catalog::View;
use crate::sql::error::NOT_SIMULATED;
use crate::sql::executor::index::BuildOf;
use crate::sql::executor::select::Query;
use crate::sql::permission;
use crate::sql::plan::{SelectPlan, plan_query};
use crate::sql::run::locks::wanted;
use crate::sql::tcop::Database;
use crate::storage::{CommandId, MvccSnapshot, Outcome, RelationData, Stop};
use crate::version::SqlBehaviour;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::{FormedTuple, SqlError};
use ffviz_format::page::Oid;
use ffviz_format::state::RelKind;

/// REFRESH, or the last part of CREATE from 17 on.
#[derive(Debug)]
pub(in crate::sql) enum Refresh {
    /// by a new file
    Swapped(Box<Swap>),
    /// CONCURRENTLY
    Merged(Box<MatchMerge>),
}

/// What is filled anew, in another file.
#[derive(Debug)]
pub(in crate::sql) struct Swap {
    /// the relation as it was
    old: Arc<RelationData>,
    /// the one that is filled, and by which query; none: WITH NO DATA
    fill: Option<(Arc<RelationData>, Query)>,
    cid: CommandId,
    bistate: BulkInsertState,
    done: u64,
    /// its command tag; none: that of the query
    tag: Option<&'static str>,
}

impl Refresh {
    /// REFRESH MATERIALIZED VIEW.
    pub fn start(db: &mut Database, refresh: &RefreshMatView) -> Result<Self, StatementError> {
        let oid = db.open(&refresh.name)?.oid;
        let Some(matview) = db.cluster.catalog.class(oid).and_then(|class| class.matview.clone()) else {
            let is_table = db.cluster.catalog.class(oid).is_some_and(|class| plain_kind(class.kind) == RelKind::Table);
            let (code, what) = if is_table { ("0A000", "") } else { ("42809", "table or ") };
            let message = format!("\"{}\" is not a {what}materialized view", refresh.name.name);
            return Err(StatementError::server(code, message));
        };
        if refresh.concurrently {
            check_concurrently(db, oid, &matview, refresh.with_data)?;
            return Ok(Self::Merged(Box::new(MatchMerge::start(db, oid, &matview)?)));
        }
        Self::of(db, oid, &matview, refresh.with_data, Some("REFRESH MATERIALIZED VIEW"))
    }

    fn of(
        db: &mut Database,
        oid: Oid,
        matview: &MatView,
        with_data: bool,
        tag: Option<&'static str>,
    ) -> Result<Self, StatementError> {
        db.cluster.set_populated(oid, with_data);
        let old = db.cluster.begin_rewrite(oid)?;
        let (mut cid, bistate, mut fill) = (0, BulkInsertState::new(), None);
        if with_data {
            let missing = || StatementError::server("XX000", "the query of a materialized view is missing");
            let view = db.views.get(matview.query as usize).cloned().ok_or_else(missing)?;
            let plan = plan_query(&view.query, db)?;
            check_populated(db, &Statement::Select(view.query.clone()))?;
            let snapshot = db.cluster.take_snapshot();
            cid = db.cluster.pg.current_command_id();
            fill = Some((db.cluster.pg.relation(oid)?, Query::start(plan.into(), &snapshot)));
        }
        Ok(Self::Swapped(Box::new(Swap { old, fill, cid, bistate, done: 0, tag })))
    }

    /// Goes on until it is done. Gives the command tag.
    pub fn go_on(&mut self, db: &mut Database) -> Outcome<String> {
        match self {
            Self::Swapped(swap) => swap.go_on(db),
            Self::Merged(merge) => merge.go_on(db),
        }
    }
}

impl Swap {
    /// Goes on until all rows are stored, and the indexes are there again.
    fn go_on(&mut self, db: &mut Database) -> Outcome<String> {
        let options = InsertOptions { skip_fsm: true, frozen: true, ..InsertOptions::NONE };
        if let Some((relation, query)) = &mut self.fill {
            let mut tuple = FormedTuple::default();
            while let Some(row) = query.next(db)? {
                tuple.form_inserted(&relation.desc, row);
                query.copy_tuple(db, &mut tuple);
                heap_insert(&mut db.cluster.pg, relation, &mut tuple, self.cid, options, Some(&mut self.bistate))?;
                self.done += 1;
            }
            self.bistate.release(&mut db.cluster.pg);
        }
        self.swap(db).map_err(Stop::Error)?;
        Ok(self.tag.map_or_else(|| format!("SELECT {}", self.done), str::to_string))
    }

    /// `refresh_by_heap_swap`
    fn swap(&self, db: &mut Database) -> Result<(), SqlError> {
        db.cluster.swap_rewritten(&self.old);
        let indexes = db.cluster.pg.relation(self.old.oid)?.indexes.clone();
        indexes.iter().try_for_each(|index| reindex_index(db, *index, BuildOf::Reindex))?;
        db.cluster.end_rewrite(&self.old);
        Ok(())
    }
}

/// What REFRESH … CONCURRENTLY asks for.
fn check_concurrently(db: &Database, oid: Oid, matview: &MatView, with_data: bool) -> Result<(), SqlError> {
    if !matview.populated {
        let message = "CONCURRENTLY cannot be used when the materialized view is not populated";
        return Err(SqlError::new("0A000", message));
    }
    if !with_data {
        let message = "CONCURRENTLY and WITH NO DATA options cannot be used together";
        return Err(SqlError::new("42601", message));
    }
    let relation = db.cluster.pg.relation(oid)?;
    if relation.indexes.iter().any(|index| is_usable(db, *index)) {
        return Ok(());
    }
    let (schema, name) = (db.cluster.schema_of(oid), &relation.name);
    let name = format!("{}.{}", quote_identifier(schema), quote_identifier(name));
    let error = SqlError::new("55000", format!("cannot refresh materialized view \"{name}\" concurrently"));
    let hint = "Create a unique index with no WHERE clause on one or more columns of the materialized view.";
    Err(error.with_hint(hint))
}

/// `is_usable_unique_index`
pub(super) fn is_usable(db: &Database, index: Oid) -> bool {
    let form = db.cluster.pg.relations.get(&index).and_then(|index| index.index.as_ref());
    let has_expressions = db.cluster.catalog.class(index).is_some_and(|class| class.has_expressions);
    form.is_some_and(|form| form.unique && !form.partial && !form.invalid && !has_expressions)
}

/// CREATE MATERIALIZED VIEW that is being filled.
#[derive(Debug)]
pub(in crate::sql) enum CreateMatView {
    /// it is there already, or is not to be filled
    Done,
    /// as CREATE TABLE AS does
    Fill(Box<Fill>),
    /// by a REFRESH
    Refresh(Box<Refresh>),
}

/// The rows of a new one.
#[derive(Debug)]
pub(in crate::sql) struct Fill {
    query: Query,
    relation: Arc<RelationData>,
    cid: CommandId,
    bistate: BulkInsertState,
    done: u64,
}

impl CreateMatView {
    /// Makes it. Gives the query's plan besides.
    pub fn start(
        db: &mut Database,
        create: &CreateTableAs,
        snapshot: &MvccSnapshot,
    ) -> Result<(Self, Vec<String>), StatementError> {
        let plan = plan_query(&create.query, db)?;
        let explained = plan.explain();
        refuse_types(db, &create.query, &plan)?;
        let (schema, is_there) = db.creation(&create.name)?;
        if create.if_not_exists && is_there {
            return Ok((Self::Done, explained));
        }
        let name = &create.name.name;
        if db.cluster.catalog.has_type(&schema, name) && !is_there {
            return Err(StatementError::server("42710", format!("type \"{name}\" already exists")));
        }
        permission::check_select(db, &create.query)?;
        let (oid, matview) = make(db, create, schema, &plan)?;
        if !create.with_data {
            return Ok((Self::Done, explained));
        }
        if db.cluster.version().refreshes_new_matviews() {
            let refresh = Refresh::of(db, oid, &matview, true, None)?;
            return Ok((Self::Refresh(Box::new(refresh)), explained));
        }
        check_populated(db, &Statement::CreateTableAs(create.clone()))?;
        db.cluster.set_populated(oid, true);
        let (relation, cid) = (db.cluster.pg.relation(oid)?, db.cluster.pg.current_command_id());
        let query = Query::start(plan.into(), snapshot);
        let fill = Fill { query, relation, cid, bistate: BulkInsertState::new(), done: 0 };
        Ok((Self::Fill(Box::new(fill)), explained))
    }

    /// Goes on until all rows are stored. Gives the command tag.
    pub fn go_on(&mut self, db: &mut Database) -> Outcome<String> {
        match self {
            Self::Done => Ok("CREATE MATERIALIZED VIEW".to_string()),
            Self::Fill(fill) => fill.go_on(db),
            Self::Refresh(refresh) => refresh.go_on(db),
        }
    }
}

impl Fill {
    fn go_on(&mut self, db: &mut Database) -> Outcome<String> {
        let options = InsertOptions { skip_fsm: true, ..InsertOptions::NONE };
        let mut tuple = FormedTuple::default();
        while let Some(row) = self.query.next(db)? {
            tuple.form_inserted(&self.relation.desc, row);
            self.query.copy_tuple(db, &mut tuple);
            heap_insert(&mut db.cluster.pg, &self.relation, &mut tuple, self.cid, options, Some(&mut self.bistate))?;
            self.done += 1;
        }
        self.bistate.release(&mut db.cluster.pg);
        Ok(format!("SELECT {}", self.done))
    }
}

/// `create_ctas_internal`
fn make(
    db: &mut Database,
    create: &CreateTableAs,
    schema: String,
    plan: &SelectPlan,
) -> Result<(Oid, MatView), StatementError> {
    let options = RelOptions::of(OptionsOf::Table, &create.options)?;
    let columns = columns(plan, &create.columns)?;
    columns.iter().try_for_each(|column| check_name(&column.name))?;
    let names = columns.iter().map(|column| column.name.clone()).collect();
    let types = columns.iter().map(|column| column.ty).collect();
    let (query, aliased) = (stored(db, &create.query), aliased(&create.query));
    let view = View { columns: names, types, query, aliased, check: None };
    let mut depends = Vec::new();
    tables_of(db, &view.query, &mut depends);
    if depends.iter().any(|table| db.cluster.is_temporary(*table)) {
        let message = "materialized views must not use temporary tables or views";
        return Err(StatementError::server("0A000", message));
    }
    let has_star = view.query.targets.iter().any(|target| matches!(target, Target::Star(_)));
    let oid = db.cluster.create_table(&options.table(schema, &create.name.name, columns))?;
    kept_options(db, oid, &create.options, &[]);
    db.cluster.create_toast_table(oid);
    let matview = MatView { query: db.views.len() as u32, depends, has_star, populated: false };
    db.views.push(Arc::new(view));
    db.cluster.define_matview(oid, matview.clone());
    Ok((oid, matview))
}

/// What reads a materialized view has to find it populated (`ExecOpenScanRelation`).
///
/// # Errors
/// One that nobody has filled yet.
pub(in crate::sql) fn check_populated(db: &Database, statement: &Statement) -> Result<(), SqlError> {
    let is_empty = |class: &Class| class.matview.as_ref().is_some_and(|matview| !matview.populated);
    if !db.cluster.catalog.classes().any(|class| is_empty(class)) {
        return Ok(());
    }
    let read = wanted(&db.cluster, statement).into_iter().filter_map(|lock| db.cluster.catalog.class(lock.relation));
    match read.into_iter().find(|class| is_empty(class)) {
        Some(class) => {
            let message = format!("materialized view \"{}\" has not been populated", class.name);
            Err(SqlError::new("55000", message))
        }
        None => Ok(()),
    }
}

/// What is not done to a materialized view (`CheckValidResultRel`), and what is not done before it is filled.
///
/// # Errors
/// PostgreSQL's.
pub(in crate::sql) fn check_query(db: &Database, statement: &Statement) -> Result<(), SqlError> {
    check_changes(db, statement)?;
    check_populated(db, statement)
}

/// The first half of it, which EXPLAIN asks too.
///
/// # Errors
/// PostgreSQL's.
pub(in crate::sql) fn check_changes(db: &Database, statement: &Statement) -> Result<(), SqlError> {
    let change = |name: &RangeVar| match is_matview(db, name) {
        true => Err(SqlError::new("42809", format!("cannot change materialized view \"{}\"", name.name))),
        false => Ok(()),
    };
    match statement {
        Statement::Insert(insert) => change(&insert.table),
        Statement::Update(update) => change(&update.table),
        Statement::Delete(delete) => change(&delete.table),
        Statement::Select(select) => check_locking(db, select),
        Statement::With(with) => {
            with.with.iter().try_for_each(|common| check_changes(db, &common.statement))?;
            check_changes(db, &with.statement)
        }
        _ => Ok(()),
    }
}

/// `CheckValidRowMarkRel`
fn check_locking(db: &Database, select: &Select) -> Result<(), SqlError> {
    let locked = |item: &FromItem| match item {
        FromItem::Table { name, .. } => is_matview(db, name).then(|| name.name.clone()),
        _ => None,
    };
    match select.from.iter().find_map(locked).filter(|_| select.locking.is_some()) {
        Some(name) => Err(SqlError::new("42809", format!("cannot lock rows in materialized view \"{name}\""))),
        None => Ok(()),
    }
}

fn is_matview(db: &Database, name: &RangeVar) -> bool {
    let class = db.find(name).and_then(|oid| db.cluster.catalog.class(oid));
    class.is_some_and(|class| class.matview.is_some())
}

/// What utility statements do to tables only.
///
/// # Errors
/// PostgreSQL's, or that it is not supported.
pub(in crate::sql) fn check_utility(db: &Database, statement: &Statement) -> Result<(), SqlError> {
    let not_a_table = |name: &RangeVar| SqlError::new("42809", format!("\"{}\" is not a table", name.name));
    let refuse = |what: &str| SqlError::new(NOT_SIMULATED, format!("{what} of a materialized view is not supported"));
    let error = match statement {
        Statement::Truncate(truncate) => truncate.tables.iter().find(|it| is_matview(db, it)).map(not_a_table),
        Statement::Lock(lock) => {
            let found = lock.tables.iter().find(|it| is_matview(db, it));
            found.map(|name| SqlError::new("42809", format!("\"{}\" is not a table or view", name.name)))
        }
        Statement::AlterTable(alter) => is_matview(db, &alter.name).then(|| refuse("ALTER TABLE")),
        Statement::Merge(merge) => is_matview(db, &merge.table).then(|| {
            let message = format!("cannot execute MERGE on relation \"{}\"", merge.table.name);
            SqlError::new("42809", message).with_detail("This operation is not supported for materialized views.")
        }),
        Statement::Copy(copy) => is_matview(db, &copy.table)
            .then(|| SqlError::new("42809", format!("cannot copy to materialized view \"{}\"", copy.table.name))),
        Statement::CopyTo(copy) => match copy.relation.as_ref().filter(|name| is_matview(db, name)) {
            Some(name) if !db.cluster.version().copies_matviews() => {
                Some(SqlError::new("42809", format!("cannot copy from materialized view \"{}\"", name.name)))
            }
            _ => None,
        },
        _ => None,
    };
    error.map_or(Ok(()), Err)
}

/// The materialized views that read one of these relations, by oid.
pub(super) fn readers(db: &Database, relations: &[Oid]) -> Vec<Oid> {
    let reads = |class: &Class| {
        class.matview.as_ref().is_some_and(|matview| matview.depends.iter().any(|oid| relations.contains(oid)))
    };
    db.cluster.catalog.classes().filter(|class| reads(class)).map(|class| class.oid).collect()
}
