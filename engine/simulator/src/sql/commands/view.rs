//! CREATE VIEW, DROP VIEW (`DefineView`, src/backend/commands/view.c; `RemoveRelations`,
//! src/backend/commands/tablecmds.c).

use super::alter::find_column;
use super::function_body::{self, Touched};
use super::{function, matview};
use crate::cluster::{Class, MatView, ViewForm, ViewName};
use crate::sql::StatementError;
use crate::sql::ast::{
    CommonTable, CreateView, DropView, Expr, ExprNode, FromItem, RangeVar, Select, Statement, Target, is_common,
};
use crate::sql::catalog::dependency::generated_lines;
use crate::sql::catalog::looking::system_relation;
use crate::sql::catalog::{Catalog, View};
use crate::sql::error::{NOT_SIMULATED, Position};
use crate::sql::executor::generated::computed_of;
use crate::sql::expr::type_name;
use crate::sql::plan::{Output, not_updatable, plan_query};
use crate::sql::tcop::Database;
use crate::storage::Persistence;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::SqlError;
use ffviz_format::page::Oid;

/// `DefineView`
pub(in crate::sql) fn create(db: &mut Database, create: &CreateView) -> Result<(), StatementError> {
    let plan = plan_query(&create.query, db)?;
    db.cluster.take_snapshot();
    let view = View {
        columns: columns(&plan.targets, &create.columns)?,
        types: plan.targets.iter().map(|target| target.value.ty()).collect(),
        query: stored(db, &create.query),
        aliased: aliased(&create.query),
        check: create.check,
    };
    if create.check.is_some() && not_updatable(&view.query).is_some() {
        let message = "WITH CHECK OPTION is supported only on automatically updatable views";
        return Err(StatementError::server("0A000", message));
    }
    let mut depends = Vec::new();
    tables_of(db, &view.query, &mut depends);
    let (schema, is_relation) = match create.temporary || depends.iter().any(|oid| db.cluster.reads_temporary(*oid)) {
        true => temporary(db, &create.name)?,
        false => db.creation(&create.name)?,
    };
    let known = db.cluster.catalog.view(&schema, &create.name.name).map(|known| known.query);
    let name = (schema, create.name.name.clone());
    if create.replace && (known.is_some() || is_relation) {
        db.cluster.lock_view();
    }
    match known.and_then(|query| db.views.get(query as usize)) {
        Some(known) if create.replace => check_columns(known, &view)?,
        _ if create.replace && is_relation => {
            return Err(StatementError::server("42809", format!("\"{}\" is not a view", name.1)));
        }
        _ => db.cluster.check_new_name(&name.0, &name.1)?,
    }
    let has_star = view.query.targets.iter().any(|target| matches!(target, Target::Star(_)));
    let form = ViewForm { oid: 0, query: db.views.len() as u32, columns: view.columns.len() as u16, depends, has_star };
    db.views.push(Arc::new(view));
    match known {
        Some(_) => db.cluster.replace_view(&name, form),
        None => db.cluster.define_view(name, form),
    }
    Ok(())
}

/// The schema of a view that is temporary, as all are that read a temporary table (`isQueryUsingTempRelation`), and
/// whether it has a table of that name.
fn temporary(db: &mut Database, name: &RangeVar) -> Result<(String, bool), StatementError> {
    let (schema, _, is_there) = db.creation_of_table(name, Persistence::Temporary)?;
    if db.find(name).is_some() && !is_there {
        let message =
            format!("a temporary view ({}) that hides a table is not supported; give it another name", name.name);
        return Err(StatementError::unsupported(message, None));
    }
    Ok((schema, is_there))
}

fn columns(outputs: &[Output], given: &[String]) -> Result<Vec<String>, StatementError> {
    if given.len() > outputs.len() {
        return Err(StatementError::server("42601", "CREATE VIEW specifies more column names than columns"));
    }
    let names = outputs.iter().enumerate().map(|(n, output)| given.get(n).unwrap_or(&output.name).clone());
    let names: Vec<String> = names.collect();
    match names.iter().enumerate().find(|(n, name)| names[..*n].contains(name)) {
        Some((_, name)) => Err(StatementError::server("42701", format!("column \"{name}\" specified more than once"))),
        None => Ok(names),
    }
}

/// `checkViewColumns`: there may be more of them, but those that there were stay.
fn check_columns(before: &View, after: &View) -> Result<(), StatementError> {
    let wrong = |message: String| Err(StatementError::server("42P16", message));
    if after.columns.len() < before.columns.len() {
        return wrong("cannot drop columns from view".to_string());
    }
    for (n, name) in before.columns.iter().enumerate() {
        let (new, types) = (&after.columns[n], [before.types[n], after.types[n]]);
        if new != name {
            return wrong(format!("cannot change name of view column \"{name}\" to \"{new}\""));
        }
        if types[0] != types[1] {
            let [from, to] = types.map(|ty| type_name(ty.oid));
            return wrong(format!("cannot change data type of view column \"{name}\" from {from} to {to}"));
        }
    }
    Ok(())
}

/// Which tables of its FROM are given a name, as they are told with it.
pub(super) fn aliased(query: &Select) -> Vec<bool> {
    fn add(item: &FromItem, found: &mut Vec<bool>) {
        match item {
            FromItem::Table { alias, .. } => found.push(alias.is_some()),
            FromItem::Join(join) => {
                add(&join.left, found);
                add(&join.right, found);
            }
            FromItem::Function { .. } | FromItem::Query { .. } => {}
        }
    }
    let mut found = Vec::new();
    query.from.iter().for_each(|item| add(item, &mut found));
    found
}

/// The query as it is kept: with the schemas that its tables are in now, and, of a table alone, with the columns that
/// it has now.
pub(super) fn stored(db: &Database, query: &Select) -> Select {
    let mut query = query.clone();
    let Select { with, from, .. } = &mut query;
    from.iter_mut().for_each(|item| qualify(db, item, with));
    let names = match &query.from[..] {
        [FromItem::Table { name, columns, .. }] if columns.is_empty() && !is_common(name, &query.with) => {
            column_names(db, name)
        }
        _ => None,
    };
    let (Some(names), Some(FromItem::Table { name, alias, .. })) = (names, query.from.first()) else { return query };
    let shown = alias.clone().unwrap_or_else(|| name.name.clone());
    let mut targets = Vec::new();
    for target in query.targets {
        match target {
            Target::Star(table) if table.as_deref().is_none_or(|table| table == shown) => {
                targets.extend(names.iter().map(|name| column_of(&shown, name)));
            }
            other => targets.push(other),
        }
    }
    Select { targets, ..query }
}

fn column_of(table: &str, name: &str) -> Target {
    let node = ExprNode::Column { table: Some(table.to_string()), name: name.to_string() };
    Target::Expr { expr: Expr { node, position: Position { line: 1, column: 1 } }, alias: None }
}

fn column_names(db: &Database, name: &RangeVar) -> Option<Vec<String>> {
    if let Some(view) = db.view(name) {
        return Some(view.columns.clone());
    }
    let table = db.table(name)?;
    let there = table.columns.into_iter().filter(|column| !column.attribute.dropped);
    Some(there.map(|column| column.attribute.name).collect())
}

fn qualify(db: &Database, item: &mut FromItem, with: &[CommonTable]) {
    match item {
        FromItem::Table { name, alias, .. } if name.schema.is_none() && !is_common(name, with) => {
            let schema = match (db.find(name), db.cluster.find_view(None, &name.name)) {
                (Some(oid), _) => Some(db.cluster.schema_of(oid)),
                (None, view) => view.map(|(schema, _)| schema),
            };
            if let Some(schema) = schema {
                alias.get_or_insert_with(|| name.name.clone());
                name.schema = Some(schema.to_string());
            }
        }
        FromItem::Join(join) => {
            qualify(db, &mut join.left, with);
            qualify(db, &mut join.right, with);
        }
        FromItem::Table { .. } | FromItem::Function { .. } | FromItem::Query { .. } => {}
    }
}

/// The tables and views that a query names, in its queries too.
pub(super) fn tables_of(db: &Database, query: &Select, found: &mut Vec<Oid>) {
    tables_within(db, query, &[], found);
}

/// The same, where `around` are queries of WITH that can be named.
fn tables_within(db: &Database, query: &Select, around: &[&str], found: &mut Vec<Oid>) {
    let own = |count: usize| query.with[..count].iter().map(|common| &common.name[..]);
    let known = |count: usize| around.iter().copied().chain(own(count)).collect::<Vec<&str>>();
    for (n, common) in query.with.iter().enumerate() {
        if let Statement::Select(statement) = &*common.statement {
            // without RECURSIVE a query can name those before it
            tables_within(db, statement, &known(if query.recursive { query.with.len() } else { n }), found);
        }
    }
    let known = known(query.with.len());
    if let Some(set) = &query.set {
        tables_within(db, &set.left, &known, found);
        tables_within(db, &set.right, &known, found);
    }
    query.from.iter().for_each(|item| tables_of_item(db, item, &known, found));
    let targets = query.targets.iter().filter_map(|target| match target {
        Target::Expr { expr, .. } => Some(expr),
        Target::Star(_) => None,
    });
    let sort = query.order_by.iter().map(|by| &by.expr);
    let all = targets.chain(sort).chain(&query.filter).chain(&query.having).chain(&query.group_by);
    let mut queries = Vec::new();
    all.for_each(|expr| expr.queries(&mut queries));
    queries.into_iter().for_each(|query| tables_within(db, query, &known, found));
}

fn tables_of_item(db: &Database, item: &FromItem, known: &[&str], found: &mut Vec<Oid>) {
    match item {
        FromItem::Table { name, .. } if name.schema.is_none() && known.contains(&&name.name[..]) => {}
        FromItem::Table { name, .. } => {
            let view = db.cluster.find_view(name.schema.as_deref(), &name.name).map(|(_, view)| view.oid);
            found.extend(db.find(name).or(view).or_else(|| system_relation(name)));
        }
        FromItem::Query { query, .. } => tables_within(db, query, known, found),
        FromItem::Join(join) => {
            tables_of_item(db, &join.left, known, found);
            tables_of_item(db, &join.right, known, found);
        }
        FromItem::Function { .. } => {}
    }
}

/// `RemoveRelations`, of views.
pub(in crate::sql) fn drop(db: &mut Database, drop: &DropView) -> Result<String, SqlError> {
    let mut found: Vec<(ViewName, Oid)> = Vec::new();
    for name in &drop.names {
        let view = db.cluster.find_view(name.schema.as_deref(), &name.name);
        match view.map(|(schema, view)| ((schema.to_string(), name.name.clone()), view.oid)) {
            Some(view) => found.push(view),
            None if db.find(name).is_some() => {
                return Err(SqlError::new("42809", format!("\"{}\" is not a view", name.name)));
            }
            None if drop.if_exists => {}
            None => return Err(db.missing(name, "view")),
        }
    }
    let oids: Vec<Oid> = found.iter().map(|(_, oid)| *oid).collect();
    if !found.is_empty() {
        db.cluster.lock_view();
    }
    let others = db.cluster.catalog.views_of(&oids).into_iter().filter(|(_, oid)| !oids.contains(oid));
    let others: Vec<(ViewName, Oid)> = others.collect();
    let is_read = !matview::readers(db, &oids).is_empty()
        || others.iter().any(|(_, oid)| !matview::readers(db, &[*oid]).is_empty())
        || !functions_of(db, &oids)?.is_empty();
    if is_read {
        drop_dependents(db, &oids, drop.cascade)?;
        found.iter().rev().for_each(|(name, _)| db.cluster.drop_view(name));
        return Ok("DROP VIEW".to_string());
    }
    if !others.is_empty() && !drop.cascade {
        let message = match &found[..] {
            [((_, name), _)] => format!("cannot drop view {name} because other objects depend on it"),
            _ => "cannot drop desired object(s) because other objects depend on them".to_string(),
        };
        return Err(SqlError::new("2BP01", message).with_detail(lines(db, &others, &oids)));
    }
    // what depends on others goes first
    found.iter().chain(&others).rev().for_each(|(name, _)| db.cluster.drop_view(name));
    Ok("DROP VIEW".to_string())
}

/// DROP TABLE: views that read what goes go with CASCADE.
///
/// # Errors
/// PostgreSQL's, where one would be left.
pub(super) fn drop_dependents(db: &mut Database, gone: &[Oid], cascade: bool) -> Result<(), SqlError> {
    let functions = functions_of(db, gone)?;
    let views = db.cluster.catalog.views_of(gone);
    let mut dependents = Vec::new();
    gone.iter().for_each(|table| add_dependents(db, *table, gone, &mut dependents));
    let has_matviews = dependents.iter().any(|(oid, _)| kind_word(db, *oid) == MATVIEW);
    let is_free = dependents.is_empty() && functions.is_empty();
    // their functions would stand behind each of them
    dependents.iter().try_for_each(|(oid, _)| function_body::check_unread(db, *oid, Touched::Whole))?;
    if !is_free && !cascade {
        let message = match gone {
            [table] => {
                let name = db.regclass_out(*table);
                format!("cannot drop {} {name} because other objects depend on it", kind_word(db, *table))
            }
            _ => "cannot drop desired object(s) because other objects depend on them".to_string(),
        };
        let named = |oid: Oid| format!("{} {}", kind_word(db, oid), name_of(db, oid));
        let line = |(oid, on): &(Oid, Oid)| format!("{} depends on {}", named(*oid), named(*on));
        let mut told: Vec<String> = functions.iter().map(|(_, line)| line.clone()).collect();
        let detail = match has_matviews {
            true => dependents.iter().map(line).collect::<Vec<_>>().join("\n"),
            false => lines(db, &views, gone),
        };
        told.extend((!detail.is_empty()).then_some(detail));
        return Err(SqlError::new("2BP01", message).with_detail(told.join("\n")));
    }
    // the newest first
    let oldest = dependents.iter().map(|(oid, _)| *oid).min().unwrap_or(0);
    let is_newer = |name: &str| db.cluster.catalog.function_oid(name).is_some_and(|oid| oid > oldest);
    let (before, behind): (Vec<_>, Vec<_>) = functions.iter().rev().partition(|(name, _)| is_newer(name));
    before.into_iter().for_each(|(name, _)| db.cluster.drop_function(name));
    if !has_matviews {
        views.iter().rev().for_each(|(name, _)| db.cluster.drop_view(name));
        behind.into_iter().for_each(|(name, _)| db.cluster.drop_function(name));
        return Ok(());
    }
    behind.into_iter().for_each(|(name, _)| db.cluster.drop_function(name));
    let mut order = Vec::new();
    gone.iter().for_each(|table| add_in_order(db, *table, gone, &mut order));
    for oid in order {
        if db.cluster.pg.relations.contains_key(&oid) {
            db.cluster.check_serializable_drop(oid)?;
            db.cluster.drop_relation(oid);
            continue;
        }
        let found = db.cluster.catalog.views().find(|(_, view)| view.oid == oid);
        if let Some(name) = found.map(|(name, _)| name.clone()) {
            db.cluster.drop_view(&name);
        }
    }
    Ok(())
}

/// In which order what reads a relation is deleted: the newest first, each behind what reads it, and among them the
/// newer indexes of the relation itself (`findDependentObjects`).
fn add_in_order(db: &Database, on: Oid, gone: &[Oid], order: &mut Vec<Oid>) {
    let views = db.cluster.catalog.views().filter(|(_, view)| view.depends.contains(&on));
    let mut all: Vec<Oid> = views.map(|(_, view)| view.oid).chain(matview::readers(db, &[on])).collect();
    let Some(oldest) = all.iter().min().copied() else { return };
    let indexes = db.cluster.pg.relations.get(&on).map_or_else(Vec::new, |it| it.indexes.clone());
    all.extend(indexes.into_iter().filter(|index| *index > oldest));
    all.sort_unstable_by(|one, other| other.cmp(one));
    for oid in all {
        if !gone.contains(&oid) && !order.contains(&oid) {
            add_in_order(db, oid, gone, order);
            order.push(oid);
        }
    }
}

/// The functions that give rows of one of these and so depend on its type, or whose bodies read it, the oldest first,
/// and how that is told.
///
/// # Errors
/// A sentence, where something calls such a function.
fn functions_of(db: &Database, gone: &[Oid]) -> Result<Vec<(String, String)>, SqlError> {
    let mut all: Vec<(Oid, u32)> = db.cluster.catalog.functions_with_oids().collect();
    all.sort_unstable();
    let mut found = Vec::new();
    for (_, number) in all {
        let Some(function) = db.functions.get(number as usize) else { continue };
        let by_body = function.reads.iter().flatten().find(|of| gone.contains(of));
        let by_type = function.row_type.filter(|of| gone.contains(of));
        let on = match (by_body, by_type) {
            (Some(of), _) => format!("{} {}", kind_word(db, *of), name_of(db, *of)),
            (None, Some(of)) => format!("type {}", db.regclass_out(of)),
            (None, None) => continue,
        };
        if function::is_called(db, &function.name) {
            let message = format!(
                "dropping a table that a function ({}) depends on which something calls is not supported; drop the function first",
                function.name
            );
            return Err(SqlError::new(NOT_SIMULATED, message));
        }
        let line = format!("function {} depends on {on}", function.signature());
        found.push((function.name.clone(), line));
    }
    Ok(found)
}

const MATVIEW: &str = "materialized view";

/// What a message calls a table, a view, a materialized view.
fn kind_word(db: &Database, oid: Oid) -> &'static str {
    match db.cluster.catalog.class(oid) {
        Some(class) if class.matview.is_some() => MATVIEW,
        Some(_) => "table",
        None => "view",
    }
}

fn name_of(db: &Database, oid: Oid) -> String {
    match db.cluster.catalog.views().find(|(_, view)| view.oid == oid) {
        Some(((_, name), _)) => name.clone(),
        None => db.regclass_out(oid),
    }
}

/// What reads a relation, the oldest first, each with what it reads, and followed by what reads it
/// (`findDependentObjects`).
fn add_dependents(db: &Database, on: Oid, gone: &[Oid], found: &mut Vec<(Oid, Oid)>) {
    let views = db.cluster.catalog.views().filter(|(_, view)| view.depends.contains(&on));
    let mut reading: Vec<Oid> = views.map(|(_, view)| view.oid).chain(matview::readers(db, &[on])).collect();
    reading.sort_unstable();
    for oid in reading {
        if !gone.contains(&oid) && !found.iter().any(|(known, _)| *known == oid) {
            found.push((oid, on));
            add_dependents(db, oid, gone, found);
        }
    }
}

/// DROP COLUMN: is it one that a view or a materialized view reads? Gives whether that is known.
///
/// # Errors
/// PostgreSQL's, where one reads it.
pub(super) fn check_drop_column(db: &Database, table: Oid, name: &str, cascade: bool) -> Result<bool, SqlError> {
    let relation = db.cluster.pg.relation(table)?;
    let Ok(column) = find_column(db, table, name) else { return Ok(false) };
    for generated in computed_of(db, &relation, column)? {
        let generated = relation.desc.attributes().get(generated).map_or("", |column| &column.name);
        let Some(lines) = lines_of_readers(db, table, generated) else { return Ok(false) };
        if !lines.is_empty() {
            let what = "DROP COLUMN of a column of which a generated column is computed that a view reads";
            return Err(SqlError::new(NOT_SIMULATED, format!("{what} is not supported; drop the view first")));
        }
    }
    let Some(lines) = lines_of_readers(db, table, name) else { return Ok(false) };
    if lines.is_empty() {
        return Ok(true);
    }
    if cascade {
        let what = "DROP COLUMN … CASCADE of a column that a view reads";
        return Err(SqlError::new(NOT_SIMULATED, format!("{what} is not supported; drop the view first")));
    }
    let mut all = generated_lines(db, &relation, column)?;
    all.extend(lines);
    let on = db.regclass_out(table);
    let message = format!("cannot drop column {name} of table {on} because other objects depend on it");
    Err(SqlError::new("2BP01", message).with_detail(all.join("\n")))
}

/// ALTER COLUMN … TYPE: is it one that a view reads (`RememberAllDependentForRebuilding`)? Gives whether that is
/// known.
///
/// # Errors
/// PostgreSQL's, where one reads it.
pub(super) fn check_column_type(db: &Database, table: Oid, column: &str) -> Result<bool, SqlError> {
    let Some(readers) = readers_of_column(db, table, column) else { return Ok(false) };
    let Some(reader) = readers.first() else { return Ok(true) };
    let rule = format!("rule _RETURN on {} {}", kind_word(db, *reader), name_of(db, *reader));
    let error = SqlError::new("0A000", "cannot alter type of a column used by a view or rule");
    Err(error.with_detail(format!("{rule} depends on column \"{column}\"")))
}

/// RENAME COLUMN: views know a column by its number, so that their queries name it as it is called then.
///
/// # Errors
/// A sentence, where a view reads more than the table, or through expressions in FROM.
pub(super) fn follow_column_rename(db: &mut Database, table: Oid, from: &str, to: &str) -> Result<(), SqlError> {
    let mut renamed = Vec::new();
    for (name, mut view) in readers_of(db, table) {
        let has_star = view.query.targets.iter().any(|target| matches!(target, Target::Star(_)));
        let is_of_it = matches!(&view.query.from[..], [FromItem::Table { name, columns, .. }] if columns.is_empty() && found(db, name) == Some(table));
        let mut within = Vec::new();
        tables_of(db, &view.query, &mut within);
        if has_star || !is_of_it || within.len() > 1 {
            let message = format!(
                "another name of a column that a view ({}) may read is not supported; drop the view first",
                name.1
            );
            return Err(SqlError::new(NOT_SIMULATED, message));
        }
        view.query.visit_mut(&mut |expr| {
            if let ExprNode::Column { name, .. } = &mut expr.node
                && name == from
            {
                *name = to.to_string();
            }
        });
        renamed.push((name, view));
    }
    keep_queries(db, renamed);
    Ok(())
}

/// The views that read a relation, as they are.
fn readers_of(db: &Database, table: Oid) -> Vec<(ViewName, View)> {
    let reads = db.cluster.catalog.views().filter(|(_, view)| view.depends.contains(&table));
    let view = |number: u32| db.views.get(number as usize).map(|view| View::clone(view));
    reads.filter_map(|(name, form)| Some((name.clone(), view(form.query)?))).collect()
}

/// Views have these queries from now on.
fn keep_queries(db: &mut Database, views: Vec<(ViewName, View)>) {
    for (name, view) in views {
        let number = db.views.len() as u32;
        db.views.push(Arc::new(view));
        db.cluster.set_view_query(&name, number);
    }
}

/// The views and materialized views that read a column, the oldest first; nothing where it is not known what they read.
fn readers_of_column(db: &Database, table: Oid, column: &str) -> Option<Vec<Oid>> {
    let catalog = &db.cluster.catalog;
    let views = catalog.views().map(|(_, view)| (view.oid, view.query, &view.depends));
    let matviews = catalog.classes().filter_map(|class| {
        let matview = class.matview.as_ref()?;
        Some((class.oid, matview.query, &matview.depends))
    });
    let mut readers: Vec<_> = views.chain(matviews).filter(|(.., depends)| depends.contains(&table)).collect();
    readers.sort_unstable_by_key(|(oid, ..)| *oid);
    let mut found = Vec::new();
    for (oid, query, depends) in readers {
        let view = db.views.get(query as usize)?;
        // what is named is the table's column where no other is read
        if depends.len() > 1 || !matches!(view.query.from[..], [FromItem::Table { .. }]) {
            return None;
        }
        let mut query = view.query.clone();
        let mut is_named = query.targets.iter().any(|target| matches!(target, Target::Star(_)));
        query.visit_mut(&mut |expr| {
            is_named |= matches!(&expr.node, ExprNode::Column { name, .. } if name == column);
        });
        found.extend(is_named.then_some(oid));
    }
    Some(found)
}

/// What the error says of views that read a column; nothing where it is not known what they read.
fn lines_of_readers(db: &Database, table: Oid, column: &str) -> Option<Vec<String>> {
    let (mut lines, mut found) = (Vec::new(), Vec::new());
    let on = db.regclass_out(table);
    let named = |oid: Oid| format!("{} {}", kind_word(db, oid), name_of(db, oid));
    for oid in readers_of_column(db, table, column)? {
        lines.push(format!("{} depends on column {column} of table {on}", named(oid)));
        let before = found.len();
        add_dependents(db, oid, &[], &mut found);
        lines.extend(found[before..].iter().map(|(oid, on)| format!("{} depends on {}", named(*oid), named(*on))));
    }
    Some(lines)
}

/// `reportDependentObjects`
fn lines(db: &Database, views: &[(ViewName, Oid)], gone: &[Oid]) -> String {
    let name_of = |oid: Oid| match db.cluster.catalog.views().find(|(_, view)| view.oid == oid) {
        Some(((_, name), _)) => format!("view {name}"),
        None => format!("{} {}", kind_word(db, oid), db.regclass_out(oid)),
    };
    let line = |(name, oid): &(ViewName, Oid)| {
        let (_, form) = db.cluster.catalog.views().find(|(_, view)| view.oid == *oid)?;
        let is_going = |on: &&Oid| gone.contains(on) || views.iter().any(|(_, view)| view == *on);
        let on = form.depends.iter().find(is_going)?;
        Some(format!("view {} depends on {}", name.1, name_of(*on)))
    };
    views.iter().filter_map(line).collect::<Vec<_>>().join("\n")
}

/// The view that a statement names.
pub(super) fn name_of_view(db: &Database, name: &RangeVar) -> Option<ViewName> {
    let (schema, _) = db.cluster.find_view(name.schema.as_deref(), &name.name)?;
    Some((schema.to_string(), name.name.clone()))
}

/// ALTER VIEW … RENAME TO.
///
/// # Errors
/// A sentence, where what reads the view cannot follow.
pub(super) fn rename(db: &mut Database, name: &ViewName, to: &str) -> Result<(), SqlError> {
    let Some(oid) = db.cluster.catalog.view(&name.0, &name.1).map(|view| view.oid) else { return Ok(()) };
    check_matviews(db, oid)?;
    follow_rename(db, oid, to)?;
    db.cluster.move_view(name, (name.0.clone(), to.to_string()));
    Ok(())
}

/// ALTER VIEW … RENAME COLUMN (`renameatt_internal`).
///
/// # Errors
/// PostgreSQL's, or a sentence as above.
pub(super) fn rename_column(db: &mut Database, name: &ViewName, from: &str, to: &str) -> Result<(), SqlError> {
    let found = db.cluster.catalog.view(&name.0, &name.1).map(|view| (view.oid, view.query));
    let Some((oid, query)) = found else { return Ok(()) };
    let Some(mut view) = db.views.get(query as usize).map(|view| View::clone(view)) else { return Ok(()) };
    let place = |wanted: &str| view.columns.iter().position(|column| column == wanted);
    db.cluster.lock_view();
    let Some(renamed) = place(from) else {
        return Err(SqlError::new("42703", format!("column \"{from}\" does not exist")));
    };
    if place(to).is_some() {
        let message = format!("column \"{to}\" of relation \"{}\" already exists", name.1);
        return Err(SqlError::new("42701", message));
    }
    check_matviews(db, oid)?;
    follow_column_rename(db, oid, from, to)?;
    view.columns[renamed] = to.to_string();
    keep_queries(db, Vec::from([(name.clone(), view)]));
    db.cluster.use_commands(1);
    Ok(())
}

fn check_matviews(db: &Database, view: Oid) -> Result<(), SqlError> {
    function_body::check_unread(db, view, Touched::Whole)?;
    match matview::readers(db, &[view]).is_empty() {
        true => Ok(()),
        false => Err(SqlError::new(NOT_SIMULATED, "another name of what a materialized view reads is not supported")),
    }
}

/// ALTER TABLE … RENAME: views know a table by its OID, so that their queries name it as it is called then.
///
/// # Errors
/// A sentence, where a query within a view's query names it.
pub(super) fn follow_rename(db: &mut Database, table: Oid, to: &str) -> Result<(), SqlError> {
    follow(db, table, &|name| name.name = to.to_string())
}

/// ALTER … SET SCHEMA: the same of views that read what goes to another schema.
pub(super) fn follow_schema(db: &mut Database, relation: Oid, to: &str) -> Result<(), SqlError> {
    function_body::check_unread(db, relation, Touched::Whole)?;
    follow(db, relation, &|name| name.schema = Some(to.to_string()))
}

fn follow(db: &mut Database, table: Oid, to: &dyn Fn(&mut RangeVar)) -> Result<(), SqlError> {
    let mut renamed = Vec::new();
    for (name, mut view) in readers_of(db, table) {
        let mut named = Vec::new();
        tables_of(db, &view.query, &mut named);
        let mut left = named.iter().filter(|oid| **oid == table).count();
        view.query.from.iter_mut().for_each(|item| left -= rename_item(db, item, table, to));
        if left > 0 {
            check_alter(db, table, true, false)?;
        }
        renamed.push((name, view));
    }
    keep_queries(db, renamed);
    Ok(())
}

/// The table or view of that name.
fn found(db: &Database, name: &RangeVar) -> Option<Oid> {
    let view = db.cluster.find_view(name.schema.as_deref(), &name.name).map(|(_, view)| view.oid);
    view.or_else(|| db.find(name))
}

/// How often the item named the table, which it names otherwise now.
fn rename_item(db: &Database, item: &mut FromItem, table: Oid, to: &dyn Fn(&mut RangeVar)) -> usize {
    match item {
        FromItem::Table { name, alias, .. } if found(db, name) == Some(table) => {
            alias.get_or_insert_with(|| name.name.clone());
            to(name);
            1
        }
        FromItem::Join(join) => {
            rename_item(db, &mut join.left, table, to) + rename_item(db, &mut join.right, table, to)
        }
        FromItem::Table { .. } | FromItem::Function { .. } | FromItem::Query { .. } => 0,
    }
}

/// ALTER TABLE: what views read of a table stays as it is here; new columns matter to those that read all.
///
/// # Errors
/// A sentence that names a view.
pub(super) fn check_alter(db: &Database, table: Oid, changes: bool, adds: bool) -> Result<(), SqlError> {
    let reads = |class: &&Arc<Class>| {
        let reads = |it: &MatView| it.depends.contains(&table) && (changes || adds && it.has_star);
        class.matview.as_ref().is_some_and(reads)
    };
    if let Some(class) = db.cluster.catalog.classes().find(reads) {
        let what = format!("ALTER of a table that a materialized view ({}) reads", class.name);
        return Err(SqlError::new(NOT_SIMULATED, format!("{what} is not supported; drop the view first")));
    }
    let reads = |view: &ViewForm| view.depends.contains(&table) && (changes || adds && view.has_star);
    match db.cluster.catalog.views().find(|(_, view)| reads(view)) {
        Some(((_, name), _)) => {
            let message = format!("ALTER of a table that a view ({name}) reads is not supported; drop the view first");
            Err(SqlError::new(NOT_SIMULATED, message))
        }
        None => Ok(()),
    }
}
