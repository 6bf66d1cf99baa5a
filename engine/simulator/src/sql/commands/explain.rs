//! EXPLAIN: the statement is planned and not run (`ExplainOneQuery`, src/backend/commands/explain.c).
//! Planning may read the ends of indexes; what changes rows or locks them uses a command id up, as
//! `standard_ExecutorStart` does.

use super::matview;
use crate::cluster::Lookup;
use crate::sql::StatementError;
use crate::sql::ast::{
    ExplainFormat, ExplainOptions, ExprNode, FromItem, Insert, InsertSource, Object, RangeVar, Select, Statement,
};
use crate::sql::catalog::{Catalog, TableInfo};
use crate::sql::commands::prepared::{PlannedExecute, plan_execute};
use crate::sql::expr::Analyzer;
use crate::sql::plan::{
    Explained, FunctionItem, Given, IndexScan, InsertPlan, InsertRows, JoinTable, Method, Plan, Plans, Ran, Scan, Tree,
    plan,
};
use crate::sql::tcop::{Database, Execution, Work, read_only};
use crate::storage::{BufferUsage, FileId, Outcome, Stop};
use crate::version::SqlBehaviour;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::datum::{SqlError, Value};
use ffviz_format::page::Oid;
use ffviz_story::timeline::WalUsage;

/// EXPLAIN ANALYZE: the statement runs, and its rows go nowhere.
#[derive(Debug)]
pub(in crate::sql) struct Analyzed {
    work: Work,
    tree: Tree,
    options: ExplainOptions,
    /// what the session had written of WAL before it, and the blocks that it had read
    before: (WalUsage, BufferUsage),
    /// are blocks told?
    buffers: bool,
    /// also those of rows that are changed? Not where indexes are opened meanwhile, for which catalogs are read
    is_whole: bool,
    /// are these the session's own?
    is_local: bool,
    /// the plan, when the statement has run
    pub lines: Vec<String>,
}

impl Analyzed {
    /// Runs it to its end, or to where it waits.
    ///
    /// # Errors
    /// Those of the statement.
    pub fn go_on(&mut self, db: &mut Database) -> Outcome<String> {
        let returned = match &mut self.work {
            Work::Query(query, rows, _) => {
                while query.next(db)?.is_some() {
                    *rows += 1;
                }
                *rows
            }
            work => rows_of(&work.run(db)?),
        };
        let all = db.cluster.pg.backend().wal.usage - self.before.0;
        let counted = core::mem::take(&mut db.running.counted);
        let blocks = db.cluster.pg.buffer_usage() - self.before.1 - counted.opened;
        if counted.sort.is_some_and(|sort| sort.kilobytes.is_none()) {
            db.notes.push("the method of a sort of so many rows is not told".into());
        }
        let groups =
            (counted.groups.0 + counted.groups.1).min(if counted.distinct > 0 { counted.distinct } else { u64::MAX });
        let hash_kilobytes = Tree::hash_kilobytes(groups, db.cluster.version());
        if hash_kilobytes.is_none() && self.tree.hashed().is_some() {
            db.notes.push("the memory of a hash table of so many groups is not told".into());
        }
        self.tree.tell_actual(&Ran {
            returned,
            wanted: counted.wanted.unwrap_or(u64::MAX),
            groups: counted.groups,
            distinct: counted.distinct,
            hash_kilobytes,
            scanned: counted.join.as_ref().map_or(counted.rows, |join| join.rows),
            removed: counted.removed,
            rechecked: counted.rechecked,
            fetched: counted.fetched,
            searches: counted.searches,
            blocks: counted.blocks,
            bitmaps: counted.bitmaps,
            wal: self.options.wal.then_some((counted.wal, all)),
            buffers: self.buffers.then_some((counted.buffers, self.is_whole.then_some(blocks))),
            is_local: self.is_local,
            sort: counted.sort,
            join: counted.join,
            subs: core::mem::take(&mut db.running.subs),
            loops: 1,
            version: db.cluster.version(),
        });
        self.lines = with_labels(db, self.tree.lines(self.options.costs).unwrap_or_default());
        Ok("EXPLAIN".into())
    }
}

/// The lines with the names of enums and their labels.
fn with_labels(db: &Database, lines: Vec<String>) -> Vec<String> {
    lines.into_iter().map(|line| db.cluster.name_enums(&line).unwrap_or(line)).collect()
}

/// The rows that a command tag counts.
fn rows_of(tag: &str) -> u64 {
    tag.rsplit(' ').next().and_then(|rows| rows.parse().ok()).unwrap_or(0)
}

/// The plan, or with ANALYZE what runs before it is told.
pub(in crate::sql) fn explain(
    db: &mut Database,
    statement: &Statement,
    options: ExplainOptions,
) -> Result<Execution, StatementError> {
    let PlannedExecute { statement, plan: planned, values } = match statement {
        Statement::Object(Object::Execute(execute)) => plan_execute(db, execute)?,
        statement => {
            let mut given = parameters(db, options)?;
            let planned = plan(statement, db, &mut given)?;
            let Some(plan) = planned else { return Err(refuse("this statement")) };
            PlannedExecute { statement: statement.clone(), plan, values: Vec::new() }
        }
    };
    matview::check_changes(db, &statement)?;
    if options.analyze {
        matview::check_populated(db, &statement)?;
    }
    let tree = tree_of(db, &statement, &planned, options.verbose)?;
    check_settings(db, &tree)?;
    let lines = match options.format {
        ExplainFormat::Text => tree.lines(options.costs),
        _ if options.analyze => return Err(refuse("ANALYZE in another format than text")),
        format => tree.formatted(format, options.costs, db.cluster.version().major()).map(|whole| Vec::from([whole])),
    };
    let lines = with_labels(db, lines.ok_or_else(|| refuse("this plan with costs"))?);
    db.cluster.take_snapshot();
    if options.times {
        db.notes.push("the simulator has no times".into());
    }
    if options.analyze {
        return analyze(db, planned, values, tree, options);
    }
    if let Some(table) = planned.replaces() {
        let relation = db.cluster.pg.relation(table)?;
        db.cluster.check_replica_identity(&relation);
    }
    db.cluster.look_up(planned.indexes().into_iter().map(Lookup::RelationName));
    let writes = !matches!(&planned, Plan::Select(select) if select.locking.is_none());
    if writes {
        db.cluster.pg.current_command_id();
    }
    Ok(Execution { plan: lines, ..Execution::of(Work::Done("EXPLAIN")) })
}

/// Settings that decide about sorts and hash tables are what they are at first.
fn check_settings(db: &Database, tree: &Tree) -> Result<(), StatementError> {
    let is = |name: &str, value: &str| -> Result<bool, StatementError> {
        Ok(db.show_setting(name, true)?.is_none_or(|shown| shown == value))
    };
    if tree.keeps_much() && !is("work_mem", "4MB")? {
        return Err(refuse("so large a sort or hash table with another work_mem"));
    }
    if !is("enable_group_by_reordering", "on")? || !is("enable_distinct_reordering", "on")? {
        return Err(refuse("a plan without reordering of keys"));
    }
    Ok(())
}

/// The parameters that a generic plan has, whose types the statement decides.
fn parameters(db: &Database, options: ExplainOptions) -> Result<Given, StatementError> {
    let explains = !options.analyze;
    let Some(count) = options.generic else { return Ok(Given { explains, ..Given::default() }) };
    if !db.cluster.version().explains_generic_plans() {
        return Err(StatementError::server("42601", "unrecognized EXPLAIN option \"generic_plan\""));
    }
    let params = alloc::vec![Analyzer::UNDECIDED; usize::from(count)];
    Ok(Given { params, explains, ..Given::default() })
}

fn analyze(
    db: &mut Database,
    planned: Plan,
    values: Vec<Value>,
    tree: Tree,
    options: ExplainOptions,
) -> Result<Execution, StatementError> {
    if !tree.hashes_few() {
        return Err(refuse("so many groups with ANALYZE"));
    }
    if !tree.is_counted() {
        return Err(refuse("this plan with ANALYZE"));
    }
    if options.wal && (planned.joins() || tree.has_queries()) {
        return Err(refuse("a join or a query in an expression with WAL"));
    }
    let buffers = options.buffers.unwrap_or_else(|| db.cluster.version().tells_index_searches());
    let relations = planned.relations();
    let files = relations.iter().filter_map(|table| db.cluster.pg.relations.get(table)).map(|table| table.file);
    let files: Vec<FileId> = files.collect();
    let file = files.first().copied();
    let is_whole = opens_no_index(db, &planned);
    if buffers {
        if tree.has_queries() {
            return Err(refuse("a query in an expression with BUFFERS"));
        }
        if tree.spills() {
            return Err(refuse("a function with so many rows with BUFFERS"));
        }
        check_buffers(db, &files)?;
        if !is_whole {
            db.notes.push("this INSERT reads catalogs to open indexes: its blocks are not told".into());
        }
    }
    read_only::check_query(db, &planned)?;
    db.cluster.look_up(planned.indexes().into_iter().map(Lookup::RelationName));
    let before = (db.cluster.pg.backend().wal.usage, db.cluster.pg.buffer_usage());
    let is_local = file.is_some_and(|file| db.cluster.pg.buffers.is_temporary(file));
    let outside = core::mem::replace(&mut db.params, values.clone());
    let started = Execution::start_planned(db, planned);
    db.params = outside;
    let started = match started {
        Ok(started) => started,
        Err(Stop::Error(error)) => return Err(error.into()),
        Err(Stop::Wait(_)) => return Err(SqlError::new("XX000", "a scan waits before it begins").into()),
    };
    let Execution { work, mut running, .. } = started;
    running.counted.counts_sort = true;
    let lines = Vec::new();
    let work = Work::Explain(Box::new(Analyzed { work, tree, options, before, buffers, is_whole, is_local, lines }));
    Ok(Execution { work, running, params: values, plan: Vec::new() })
}

/// Is it known which blocks are in buffers? All are, but for those that were written past them, as long as all fit.
fn check_buffers(db: &mut Database, files: &[FileId]) -> Result<(), StatementError> {
    let pg = &db.cluster.pg;
    // a quarter is taken to be the catalogs'
    let is_full = pg.buffers.blocks() > u64::from(pg.settings.shared_buffers / 4 * 3);
    if is_full || files.iter().any(|file| !pg.buffers.knows_buffers(*file)) {
        return Err(refuse("so many blocks with BUFFERS"));
    }
    db.notes.push("of catalogs, which planning reads, and a node that needs them first, no blocks are counted".into());
    Ok(())
}

/// From 14 on an INSERT opens the indexes with its first row (`ExecInsert`), unless the session has them open.
fn opens_no_index(db: &Database, planned: &Plan) -> bool {
    let Plan::Insert(insert) = planned else { return true };
    let pg = &db.cluster.pg;
    let is_open = |index| pg.backend().roots.contains_key(index);
    !db.cluster.version().updates_by_column()
        || pg.relations.get(&insert.table).is_some_and(|table| table.indexes.iter().all(is_open))
}

fn refuse(what: &str) -> StatementError {
    StatementError::unsupported(alloc::format!("EXPLAIN of {what} is not supported"), None)
}

fn tree_of(db: &Database, statement: &Statement, planned: &Plan, verbose: bool) -> Result<Tree, StatementError> {
    let statement = if let Statement::With(with) = statement { &with.statement } else { statement };
    let whole = planned;
    let planned = if let Plan::With(with) = planned { &with.plan } else { planned };
    let (name, alias) = named(statement);
    let query = if let Plan::Select(select) = planned { Some(select) } else { None };
    if query.is_none() && name.is_some_and(|name| db.view(name).is_some()) {
        return Err(refuse("a query of a view"));
    }
    // what is sorted for INSERT is a query of its own (`Subquery Scan`)
    let is_sorted = |select: &Select| !select.order_by.is_empty();
    if matches!(statement, Statement::Insert(Insert { source: InsertSource::Select(select), .. }) if is_sorted(select))
    {
        return Err(refuse("INSERT of rows in an order"));
    }
    let table = match query {
        Some(select) => select.scan.as_ref().and_then(|scan| db.table_of(scan.table)),
        None => name.and_then(|name| db.table(name)),
    };
    let alias = query.map_or(alias, |select| select.shown.first().map(|shown| shown.name.as_str()));
    let target = name.map(|name| alias.unwrap_or(&name.name)).filter(|_| planned.joined().is_none());
    let find = |oid: Oid| db.table_of(oid);
    let plans = Plans::of(whole, target, &find);
    let conflict = match statement {
        Statement::Insert(insert) => {
            insert.on_conflict.as_ref().map(|conflict| !conflict.columns.is_empty() || conflict.constraint.is_some())
        }
        _ => None,
    };
    let schema = table.as_ref().map_or("public", |table| db.cluster.schema_of(table.oid));
    let parts = planned.scan().map_or_else(Vec::new, |scan| scan.parts().filter_map(|oid| db.table_of(oid)).collect());
    let from = first_item(statement);
    let function = from.and_then(function_of);
    let inner = inner_table(db, planned);
    let shown = inner.as_ref().map(|inner| source_alias(from, inner, table.as_ref(), alias));
    let of_rows = query.or(planned.joined());
    let tables = of_rows.and_then(|select| select.join.as_ref()).into_iter().flat_map(|join| join.tables.iter());
    let table_of = |table: &JoinTable| match &table.rows {
        Some(rows) => Some(TableInfo::clone(rows)),
        None => db.table_of(table.oid),
    };
    let tables: Vec<TableInfo> = tables.filter_map(table_of).collect();
    let of_table = Explained {
        table: table.as_ref(),
        parts: &parts,
        alias,
        conflict,
        major: db.cluster.version().major(),
        input: db.input(),
        enabled: db.scans(),
        schema: Some(schema).filter(|_| verbose),
        function: function.as_ref(),
        source: None,
        tables: &tables,
        around: None,
        subquery: None,
        has_prefixes: plans.entries > 1,
        plans: &plans,
    };
    let subquery = from.and_then(name_of_query);
    let source = Explained { table: inner.as_ref(), alias: shown.as_deref(), conflict: None, subquery, ..of_table };
    let explained = Explained { source: Some(&source), ..of_table };
    // columns that are computed where they are read are told as they are computed
    let is_computed = |table: &TableInfo| table.columns.iter().any(|column| column.generation.is_some());
    if verbose && (!parts.is_empty() || table.as_ref().is_some_and(is_computed)) {
        return Err(refuse("this plan with VERBOSE"));
    }
    explained.tree(whole).ok_or_else(|| refuse("this plan"))
}

impl Plan {
    /// Is it a join as it was planned?
    fn joins(&self) -> bool {
        let query = if let Self::Select(select) = self { Some(select) } else { self.joined() };
        query.is_some_and(|select| select.join.is_some())
    }

    /// The table whose rows it replaces or takes away (`CheckValidResultRel`).
    fn replaces(&self) -> Option<Oid> {
        match self {
            Self::Insert(plan) => plan.on_conflict.as_ref()?.update.as_ref().map(|_| plan.table),
            Self::Update(plan) => Some(plan.scan.table),
            Self::Delete(plan) => Some(plan.scan.table),
            Self::Merge(plan) => Some(plan.table),
            Self::With(with) => with.plan.replaces(),
            Self::Select(_) => None,
        }
    }

    /// The indexes that its scans read.
    fn indexes(&self) -> Vec<Oid> {
        let scans: Vec<&Scan> = match self {
            Self::Insert(InsertPlan { source: InsertRows::Select(select, _), .. }) | Self::Select(select) => {
                select.scan.as_deref().into_iter().chain(select.extremes.iter().map(|extreme| &*extreme.scan)).collect()
            }
            Self::Insert(_) => Vec::new(),
            Self::Update(plan) => Vec::from([&*plan.scan]),
            Self::Delete(plan) => Vec::from([&*plan.scan]),
            Self::Merge(plan) => plan.query.scan.as_deref().into_iter().collect(),
            Self::With(_) => Vec::new(),
        };
        let mut found = Vec::new();
        scans.into_iter().for_each(|scan| scans_of(scan, &mut found));
        found.into_iter().map(|scan| scan.index).collect()
    }
}

fn scans_of<'a>(scan: &'a Scan, found: &mut Vec<&'a IndexScan>) {
    match &scan.method {
        Method::Index(scan) => found.push(scan),
        Method::Bitmap(bitmap) => bitmap.scans(found),
        Method::Append(append) => append.scans.iter().for_each(|scan| scans_of(scan, found)),
        _ => {}
    }
}

/// What stands first in FROM.
fn first_item(statement: &Statement) -> Option<&FromItem> {
    match statement {
        Statement::Select(select) => select.from.first(),
        Statement::Insert(insert) => match &insert.source {
            InsertSource::Select(select) => select.from.first(),
            _ => None,
        },
        _ => None,
    }
}

/// The function that is there.
fn function_of(item: &FromItem) -> Option<FunctionItem> {
    let FromItem::Function { call, alias, columns, ordinality: false } = item else { return None };
    let ExprNode::Function { name, .. } = &call.node else { return None };
    let shown = alias.as_ref().unwrap_or(name);
    let column = columns.first().unwrap_or(shown);
    Some(FunctionItem { name: name.clone(), alias: shown.clone(), column: column.clone() })
}

/// The table that a statement reads which changes another one.
fn inner_table(db: &Database, planned: &Plan) -> Option<TableInfo> {
    match planned {
        Plan::Insert(InsertPlan { source: InsertRows::Select(query, _), .. }) => {
            query.scan.as_ref().and_then(|scan| db.table_of(scan.table))
        }
        _ => None,
    }
}

fn name_of_query(item: &FromItem) -> Option<&str> {
    match item {
        FromItem::Query { alias, .. } => alias.as_deref(),
        _ => None,
    }
}

/// What the table is called that INSERT reads: with a number where it is called as the one that it fills
/// (`set_rtable_names`).
fn source_alias(from: Option<&FromItem>, inner: &TableInfo, filled: Option<&TableInfo>, alias: Option<&str>) -> String {
    let from = match from {
        Some(FromItem::Query { query, .. }) => query.from.first(),
        from => from,
    };
    let name = match from {
        Some(FromItem::Table { alias: Some(alias), .. }) => alias.as_str(),
        _ => &inner.name,
    };
    let other = alias.or(filled.map(|filled| filled.name.as_str()));
    if other == Some(name) { alloc::format!("{name}_1") } else { name.into() }
}

/// The table of a statement, and its alias.
fn named(statement: &Statement) -> (Option<&RangeVar>, Option<&str>) {
    match statement {
        Statement::Insert(insert) => (Some(&insert.table), insert.alias.as_deref()),
        Statement::Update(update) => (Some(&update.table), update.alias.as_deref()),
        Statement::Delete(delete) => (Some(&delete.table), delete.alias.as_deref()),
        Statement::Merge(merge) => (Some(&merge.table), merge.alias.as_deref()),
        _ => (None, None),
    }
}
