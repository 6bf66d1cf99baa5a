//! Which rights a query needs: on relations and their columns (`markVarForSelectPriv`, `transformInsertStmt` and its
//! like, src/backend/parser), of views as their owners (`checkAsUser`), and of functions.

use crate::cluster::ViewForm;
use crate::cluster::roles::{AclMode, rights};
use crate::sql::ast::{
    Assignment, CommonTable, Expr, ExprNode, FromItem, Insert, InsertSource, JoinCondition, Merge, MergeAction, Object,
    RangeVar, Select, Statement, Target,
};
use crate::sql::catalog::looking::system_relation;
use crate::sql::error::NOT_SIMULATED;
use crate::sql::tcop::Database;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::datum::SqlError;
use ffviz_format::page::Oid;

/// Catalogs that show everybody the same.
const OPEN: &str = "pg_class pg_namespace pg_attribute pg_index pg_indexes pg_tables pg_views pg_matviews pg_type \
    pg_enum pg_constraint pg_trigger pg_proc pg_roles pg_settings pg_sequence pg_inherits pg_database pg_extension \
    pg_am pg_depend pg_description pg_locks pg_prepared_statements pg_cursors pg_auth_members";

/// Functions that not everybody may call, or that do not tell everybody the same.
const CLOSED: &str = "heap_page_items heap_page_item_attrs get_raw_page page_header page_checksum fsm_page_contents \
    bt_metap bt_page_stats bt_page_items bt_multi_page_stats brin_page_type brin_metapage_info brin_revmap_data \
    brin_page_items brin_summarize_new_values brin_summarize_range brin_desummarize_range gist_page_opaque_info \
    gist_page_items tuple_data_split heap_tuple_infomask_flags pg_freespace pg_visibility pg_visibility_map \
    pg_visibility_map_summary pg_check_frozen pg_check_visible pg_truncate_visibility_map pg_buffercache_pages \
    pg_buffercache_summary pg_buffercache_usage_counts pg_buffercache_evict pgstattuple pgstatindex \
    pgstattuple_approx pg_relpages pg_get_wal_record_info pg_get_wal_records_info pg_get_wal_stats \
    pg_get_wal_block_info pg_switch_wal pg_reload_conf pg_stat_reset pg_stat_reset_single_table_counters \
    pg_stat_clear_snapshot pg_prewarm pg_create_restore_point pg_logical_emit_message pg_sequence_last_value \
    pg_ls_dir pg_ls_waldir pg_read_file pg_read_binary_file pg_stat_file pgrowlocks set_config amcheck \
    bt_index_check bt_index_parent_check verify_heapam";

/// Columns that a right is needed on.
#[derive(Debug)]
pub(super) enum Columns {
    /// these; none: any of them
    Known(Vec<u16>),
    /// these, and perhaps those of a name that queries within have too
    Perhaps(Vec<u16>, Vec<u16>),
}

/// What is needed of a relation.
#[derive(Debug)]
pub(super) struct Need {
    pub oid: Oid,
    /// by whom
    pub role: Oid,
    pub rights: AclMode,
    pub selected: Columns,
    pub inserted: Columns,
    pub updated: Columns,
}

/// What a statement needs.
#[derive(Debug, Default)]
pub(super) struct Needs {
    pub relations: Vec<Need>,
    pub functions: Vec<(Oid, String)>,
}

/// What the statement needs.
///
/// # Errors
/// A schema whose objects may not be named; what may not be known here.
pub(super) fn needs(db: &Database, statement: &Statement) -> Result<Needs, SqlError> {
    let mut walk = Walk::new(db);
    walk.statement(statement)?;
    Ok(walk.found)
}

/// What a query needs.
///
/// # Errors
/// As [`needs`].
pub(super) fn needs_of_query(db: &Database, query: &Select) -> Result<Needs, SqlError> {
    let mut walk = Walk::new(db);
    walk.select(query, 0)?;
    Ok(walk.found)
}

/// Names of columns that expressions read, each perhaps with that of a table.
#[derive(Default)]
struct Read<'a> {
    columns: Vec<(Option<&'a str>, &'a str)>,
    /// `*`, or `t.*`
    stars: Vec<Option<&'a str>>,
}

/// A relation as a query calls it.
struct Called<'a> {
    alias: &'a str,
    columns: Vec<(u16, String)>,
}

struct Walk<'a> {
    db: &'a Database,
    /// as whom relations are read: the owner of the view that is read
    role: Oid,
    user: Oid,
    /// WITH
    names: Vec<String>,
    found: Needs,
    depth: u32,
}

type Done = Result<(), SqlError>;

impl<'a> Walk<'a> {
    fn new(db: &'a Database) -> Self {
        let user = db.cluster.user();
        Self { db, role: user, user, names: Vec::new(), found: Needs::default(), depth: 0 }
    }
}

impl Walk<'_> {
    fn statement(&mut self, statement: &Statement) -> Done {
        match statement {
            Statement::Select(select) => self.select(select, 0),
            Statement::Insert(insert) => self.insert(insert),
            Statement::Update(update) => {
                let values = update.set.iter().filter_map(|set| set.value.as_ref());
                let exprs: Vec<&Expr> = values.chain(&update.filter).collect();
                let set = names_of(&update.set);
                let target = (&update.table, update.alias.as_deref());
                self.changed(target, rights::UPDATE, (&[], &set), (&exprs, &update.returning), &update.from)
            }
            Statement::Delete(delete) => {
                let exprs: Vec<&Expr> = delete.filter.iter().collect();
                let target = (&delete.table, delete.alias.as_deref());
                self.changed(target, rights::DELETE, (&[], &[]), (&exprs, &delete.returning), &delete.using)
            }
            Statement::Merge(merge) => self.merge(merge),
            Statement::With(with) => {
                let count = self.names.len();
                self.with(&with.with)?;
                self.statement(&with.statement)?;
                self.names.truncate(count);
                Ok(())
            }
            Statement::Explain(inner, _) => self.statement(inner),
            Statement::CopyTo(copy) => self.select(&copy.query, 0),
            Statement::Copy(copy) => {
                let exprs: Vec<&Expr> = copy.filter.as_deref().into_iter().collect();
                let columns: Vec<&str> = copy.columns.iter().map(String::as_str).collect();
                self.changed((&copy.table, None), rights::INSERT, (&columns, &[]), (&exprs, &[]), &[])
            }
            Statement::Object(Object::Declare(declare)) => self.select(&declare.query, 0),
            _ => Ok(()),
        }
    }

    fn with(&mut self, with: &[CommonTable]) -> Done {
        for common in with {
            // one that is recursive names itself
            self.names.push(common.name.clone());
            self.statement(&common.statement)?;
        }
        Ok(())
    }

    fn insert(&mut self, insert: &Insert) -> Done {
        let columns: Vec<&str> = match insert.source {
            InsertSource::Defaults => Vec::from([""]),
            _ => insert.columns.iter().map(String::as_str).collect(),
        };
        let mut exprs: Vec<&Expr> = Vec::new();
        let mut set = Vec::new();
        let mut wanted = rights::INSERT;
        if let Some(conflict) = &insert.on_conflict {
            exprs.extend(&conflict.columns);
            exprs.extend(conflict.filter.as_deref());
            if let Some(update) = &conflict.update {
                wanted |= rights::UPDATE;
                set = names_of(&update.set);
                exprs.extend(update.set.iter().filter_map(|set| set.value.as_ref()).chain(&update.filter));
            }
        }
        let target = (&insert.table, insert.alias.as_deref());
        self.changed(target, wanted, (&columns, &set), (&exprs, &insert.returning), &[])?;
        match &insert.source {
            InsertSource::Select(select) => self.select(select, 0),
            InsertSource::Values(rows) => rows.iter().flatten().flatten().try_for_each(|expr| self.expr(expr)),
            InsertSource::Defaults => Ok(()),
        }
    }

    fn merge(&mut self, merge: &Merge) -> Done {
        let (mut wanted, mut exprs, mut set, mut columns) = (0, Vec::from([&merge.on]), Vec::new(), Vec::new());
        for when in &merge.whens {
            exprs.extend(&when.filter);
            match &when.action {
                MergeAction::Nothing => {}
                MergeAction::Delete => wanted |= rights::DELETE,
                MergeAction::Update(assigned) => {
                    wanted |= rights::UPDATE;
                    set.extend(names_of(assigned));
                    exprs.extend(assigned.iter().filter_map(|set| set.value.as_ref()));
                }
                MergeAction::Insert { columns: named, values, .. } => {
                    wanted |= rights::INSERT;
                    columns.extend(named.iter().map(String::as_str));
                    exprs.extend(values.iter().flatten().flatten());
                }
            }
        }
        let target = (&merge.table, merge.alias.as_deref());
        let source = core::slice::from_ref(&merge.source);
        self.changed(target, wanted, (&columns, &set), (&exprs, &merge.returning), source)
    }

    /// A table whose rows are changed, with what is read beside it.
    fn changed(
        &mut self,
        (table, alias): (&RangeVar, Option<&str>),
        wanted: AclMode,
        (inserted, updated): (&[&str], &[&str]),
        (exprs, returning): (&[&Expr], &[Target]),
        from: &[FromItem],
    ) -> Done {
        let (mut own, mut within) = (Read::default(), Read::default());
        exprs.iter().for_each(|expr| read(expr, &mut own, &mut within));
        targets(returning, &mut own, &mut within);
        from.iter().for_each(|item| joined(item, &mut own, &mut within));
        self.relation((table, alias.unwrap_or(&table.name)), wanted, (inserted, updated), (&own, &within))?;
        from.iter().try_for_each(|item| self.item(item, 0, (&own, &within)))?;
        exprs.iter().try_for_each(|expr| self.expr(expr))?;
        for target in returning {
            if let Target::Expr { expr, .. } = target {
                self.expr(expr)?;
            }
        }
        Ok(())
    }

    /// A query; `locks`: UPDATE, where its rows are locked.
    fn select(&mut self, select: &Select, locks: AclMode) -> Done {
        let locks = if select.locking.is_some() { rights::UPDATE } else { locks };
        let count = self.names.len();
        self.with(&select.with)?;
        if let Some(set) = &select.set {
            self.select(&set.left, 0)?;
            self.select(&set.right, 0)?;
        }
        let (mut own, mut within) = (Read::default(), Read::default());
        targets(&select.targets, &mut own, &mut within);
        let named = |expr: &Expr| {
            let is_target = |target: &Target, name: &str| matches!(target, Target::Expr { alias: Some(alias), .. } if alias == name);
            matches!(&expr.node, ExprNode::Column { table: None, name }
                if select.targets.iter().any(|target| is_target(target, name)))
        };
        let sorted = select.order_by.iter().map(|by| &by.expr).filter(|expr| !named(expr));
        let others = select.values.iter().flatten().chain(select.distinct.iter().flatten());
        let single = select.filter.iter().chain(&select.having).chain(&select.limit).chain(&select.offset);
        let all: Vec<&Expr> = sorted.chain(others).chain(&select.group_by).chain(single).collect();
        all.iter().for_each(|expr| read(expr, &mut own, &mut within));
        select.from.iter().for_each(|item| joined(item, &mut own, &mut within));
        select.from.iter().try_for_each(|item| self.item(item, locks, (&own, &within)))?;
        for target in &select.targets {
            if let Target::Expr { expr, .. } = target {
                self.expr(expr)?;
            }
        }
        all.into_iter().try_for_each(|expr| self.expr(expr))?;
        self.names.truncate(count);
        Ok(())
    }

    fn item(&mut self, item: &FromItem, locks: AclMode, reads: (&Read<'_>, &Read<'_>)) -> Done {
        match item {
            FromItem::Table { name, alias, columns, .. } => {
                if name.schema.is_none() && self.names.contains(&name.name) {
                    return Ok(());
                }
                let alias = alias.as_deref().unwrap_or(&name.name);
                if columns.is_empty() {
                    return self.relation((name, alias), rights::SELECT | locks, (&[], &[]), reads);
                }
                // columns by other names: all may be read
                let all = Read { columns: Vec::new(), stars: Vec::from([None]) };
                self.relation((name, alias), rights::SELECT | locks, (&[], &[]), (&Read::default(), &all))
            }
            FromItem::Function { call, .. } => self.expr(call),
            FromItem::Query { query, .. } => self.select(query, locks),
            FromItem::Join(join) => {
                self.item(&join.left, locks, reads)?;
                self.item(&join.right, locks, reads)?;
                if let JoinCondition::On(expr) = &join.condition { self.expr(expr) } else { Ok(()) }
            }
        }
    }

    /// Functions and queries within an expression.
    fn expr(&mut self, expr: &Expr) -> Done {
        match &expr.node {
            ExprNode::Query { query, .. } => self.select(query, 0)?,
            ExprNode::Function { name, .. } => self.function(name)?,
            _ => {}
        }
        expr.children().into_iter().try_for_each(|child| self.expr(child))
    }

    fn function(&mut self, name: &str) -> Done {
        let Some(oid) = self.db.cluster.catalog.function_oid(name) else {
            if CLOSED.split_whitespace().any(|closed| closed == name) && !self.db.cluster.is_superuser(self.user) {
                let message = format!("{name} called by a role that is no superuser is not supported");
                return Err(SqlError::new(NOT_SIMULATED, message));
            }
            return Ok(());
        };
        self.found.functions.push((oid, name.to_string()));
        let number = self.db.cluster.catalog.function(name);
        let function = number.and_then(|number| self.db.functions.get(number as usize)).cloned();
        // its query may stand in place of the call
        if let Some(query) = function.as_ref().and_then(|function| function.body.query())
            && self.depth < 20
        {
            self.depth += 1;
            let role = core::mem::replace(&mut self.role, self.user);
            let done = self.select(query, 0);
            (self.role, self.depth) = (role, self.depth - 1);
            done?;
        }
        Ok(())
    }

    fn relation(
        &mut self,
        (name, alias): (&RangeVar, &str),
        wanted: AclMode,
        (inserted, updated): (&[&str], &[&str]),
        reads: (&Read<'_>, &Read<'_>),
    ) -> Done {
        if let Some(schema) = &name.schema
            && self.role == self.user
        {
            self.db.cluster.check_schema_right(schema, rights::USAGE)?;
        }
        let view = self.db.cluster.find_view(name.schema.as_deref(), &name.name).map(|(_, view)| view.clone());
        let Some(oid) = view.as_ref().map(|view| view.oid).or_else(|| self.db.find(name)) else {
            return self.of_system(name);
        };
        let called = Called { alias, columns: self.columns(oid, view.as_ref()) };
        let numbers = |names: &[&str]| {
            let number = |name: &&str| called.columns.iter().find(|(_, known)| known == name).map(|(at, _)| *at);
            Columns::Known(names.iter().filter_map(number).collect())
        };
        let inserted = match inserted {
            [] if wanted & rights::INSERT != 0 => Columns::Known(called.columns.iter().map(|(at, _)| *at).collect()),
            // DEFAULT VALUES: any of them will do
            [""] => Columns::Known(Vec::new()),
            named => numbers(named),
        };
        let (sure, perhaps) = (called.read(reads.0), called.read(reads.1));
        // rows that are changed are read where a column is named
        let reads_any = !sure.is_empty() || !perhaps.is_empty();
        let is_changed = wanted & rights::SELECT == 0;
        let wanted = wanted | if is_changed && reads_any { rights::SELECT } else { 0 };
        let selected = match perhaps.iter().all(|column| sure.contains(column)) {
            true => Columns::Known(sure),
            false => Columns::Perhaps(sure, perhaps),
        };
        let updated = numbers(updated);
        self.found.relations.push(Need { oid, role: self.role, rights: wanted, selected, inserted, updated });
        view.map_or(Ok(()), |view| self.view(&view, wanted & !rights::SELECT, is_changed))
    }

    /// What a view reads its owner reads.
    fn view(&mut self, view: &ViewForm, wanted: AclMode, is_changed: bool) -> Done {
        let Some(query) = self.db.views.get(view.query as usize).cloned() else { return Ok(()) };
        let role = core::mem::replace(&mut self.role, self.db.cluster.owner_of(view.oid));
        let names = core::mem::take(&mut self.names);
        if is_changed && let [FromItem::Table { name, alias, .. }] = &query.query.from[..] {
            let alias = alias.as_deref().unwrap_or(&name.name);
            self.relation((name, alias), wanted, (&[], &[]), (&Read::default(), &Read::default()))?;
        }
        let locks = if is_changed { 0 } else { wanted };
        let done = self.select(&query.query, locks);
        (self.role, self.names) = (role, names);
        done
    }

    /// Numbers and names of the columns of a relation.
    fn columns(&self, oid: Oid, view: Option<&ViewForm>) -> Vec<(u16, String)> {
        if let Some(view) = view.and_then(|view| self.db.views.get(view.query as usize)) {
            return (1..).zip(view.columns.iter().cloned()).collect();
        }
        let Ok(relation) = self.db.cluster.pg.relation(oid) else { return Vec::new() };
        let there = relation.desc.attributes().iter().filter(|it| !it.dropped);
        there.map(|it| (it.num, it.name.clone())).collect()
    }

    fn of_system(&self, name: &RangeVar) -> Done {
        let is_open = name.schema.as_deref().is_none_or(|schema| schema == "pg_catalog")
            && OPEN.split_whitespace().any(|open| open == name.name);
        let is_there = system_relation(name).is_some() || crate::sql::elsewhere::is_catalog(name);
        if is_open || !is_there || self.db.cluster.is_superuser(self.role) {
            return Ok(());
        }
        let message = format!("{name} as a role that is no superuser sees it is not supported");
        Err(SqlError::new(NOT_SIMULATED, message))
    }
}

impl Called<'_> {
    /// The columns of it that are read.
    fn read(&self, read: &Read<'_>) -> Vec<u16> {
        let is_mine = |table: &Option<&str>| table.is_none_or(|table| table == self.alias);
        let all = || self.columns.iter().map(|(at, _)| *at);
        if read.stars.iter().any(is_mine) {
            return all().collect();
        }
        let mut found = Vec::new();
        for (_, name) in read.columns.iter().filter(|(table, _)| is_mine(table)) {
            match self.columns.iter().find(|(_, known)| known == name) {
                Some((at, _)) => found.push(*at),
                // the whole row
                None if *name == self.alias => found.extend(all()),
                // a system column, on which no right is of its own
                None if SYSTEM_COLUMNS.contains(name) => found.push(u16::MAX),
                None => {}
            }
        }
        found
    }
}

const SYSTEM_COLUMNS: [&str; 6] = ["ctid", "xmin", "xmax", "cmin", "cmax", "tableoid"];

fn names_of(set: &[Assignment]) -> Vec<&str> {
    set.iter().map(|set| set.column.as_str()).collect()
}

/// What an expression reads itself, and what queries within it do, perhaps of their own tables.
fn read<'a>(expr: &'a Expr, own: &mut Read<'a>, within: &mut Read<'a>) {
    match &expr.node {
        ExprNode::Column { table, name } => own.columns.push((table.as_deref(), name)),
        ExprNode::Query { query, .. } => read_within(query, within),
        ExprNode::Field(row, name) if name == "*" => {
            if let ExprNode::Column { table: None, name } = &row.node {
                own.stars.push(Some(name));
            }
        }
        _ => {}
    }
    expr.children().into_iter().for_each(|child| read(child, own, within));
}

fn targets<'a>(targets: &'a [Target], own: &mut Read<'a>, within: &mut Read<'a>) {
    for target in targets {
        match target {
            Target::Star(table) => own.stars.push(table.as_deref()),
            Target::Expr { expr, .. } => read(expr, own, within),
        }
    }
}

/// What conditions of joins read.
fn joined<'a>(item: &'a FromItem, own: &mut Read<'a>, within: &mut Read<'a>) {
    match item {
        FromItem::Table { .. } => {}
        FromItem::Function { call, .. } => read(call, own, within),
        FromItem::Query { query, lateral, .. } => {
            if *lateral {
                read_within(query, within);
            }
        }
        FromItem::Join(join) => {
            match &join.condition {
                JoinCondition::Using(names) => own.columns.extend(names.iter().map(|name| (None, name.as_str()))),
                JoinCondition::On(expr) => read(expr, own, within),
                JoinCondition::Natural => within.stars.push(None),
                JoinCondition::All => {}
            }
            joined(&join.left, own, within);
            joined(&join.right, own, within);
        }
    }
}

/// All that a query within reads, whosever it may be.
fn read_within<'a>(query: &'a Select, within: &mut Read<'a>) {
    let (mut own, mut deeper) = (Read::default(), Read::default());
    targets(&query.targets, &mut own, &mut deeper);
    let lists = query.values.iter().flatten().chain(query.distinct.iter().flatten()).chain(&query.group_by);
    let single = query.filter.iter().chain(&query.having).chain(&query.limit).chain(&query.offset);
    let sorted = query.order_by.iter().map(|by| &by.expr);
    lists.chain(single).chain(sorted).for_each(|expr| read(expr, &mut own, &mut deeper));
    query.from.iter().for_each(|item| joined(item, &mut own, &mut deeper));
    for item in &query.from {
        if let FromItem::Query { query, .. } = item {
            read_within(query, &mut deeper);
        }
    }
    if let Some(set) = &query.set {
        read_within(&set.left, &mut deeper);
        read_within(&set.right, &mut deeper);
    }
    for common in &query.with {
        if let Statement::Select(query) = &*common.statement {
            read_within(query, &mut deeper);
        }
    }
    // `*` of a query within is of its own tables, `t.*` may be of others
    own.stars.retain(Option::is_some);
    deeper.stars.retain(Option::is_some);
    within.columns.extend(own.columns.into_iter().chain(deeper.columns));
    within.stars.extend(own.stars.into_iter().chain(deeper.stars));
}
