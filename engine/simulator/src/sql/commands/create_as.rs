//! CREATE TABLE … AS (`ExecCreateTableAs`, src/backend/commands/createas.c): a table with the columns of a query,
//! filled in bulk and without the free space map.

use super::create_table::{check_name, on_commit};
use super::ddl::{OptionsOf, RelOptions, kept_options};
use super::view::tables_of;
use crate::access::heap::{BulkInsertState, InsertOptions, heap_insert};
use crate::cluster::ddl::{ColumnSpec, DefaultSpec, TableSpec};
use crate::sql::StatementError;
use crate::sql::ast::{CreateTableAs, ExprNode, FromItem, Select, Statement, Target};
use crate::sql::elsewhere::is_catalog;
use crate::sql::executor::row::materialize;
use crate::sql::executor::select::Query;
use crate::sql::expr::coerces_to_domain;
use crate::sql::parse::not_stored;
use crate::sql::permission;
use crate::sql::plan::{Output, OutputValue, SelectPlan, plan_query};
use crate::sql::tcop::Database;
use crate::storage::{CommandId, MvccSnapshot, Outcome, RelationData};
use crate::version::SqlBehaviour;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::{FormedTuple, SqlType};
use ffviz_format::page::Oid;

/// One that runs.
#[derive(Debug)]
pub(in crate::sql) struct CreateAs {
    /// `None`: the table is there already, or the query is not to be run
    query: Option<Query>,
    relation: Option<Arc<RelationData>>,
    cid: CommandId,
    bistate: BulkInsertState,
    done: u64,
}

impl CreateAs {
    /// Makes the table. Gives the query's plan besides.
    pub fn start(
        db: &mut Database,
        create: &CreateTableAs,
        snapshot: &MvccSnapshot,
    ) -> Result<(Self, Vec<String>), StatementError> {
        let plan = plan_query(&create.query, db)?;
        let explained = plan.explain();
        refuse_types(db, &create.query, &plan)?;
        let (cid, bistate) = (0, BulkInsertState::new());
        if !db.cluster.version().chooses_schema_first() {
            permission::check_select(db, &create.query)?;
        }
        let (schema, persistence, is_there) = db.creation_of_table(&create.name, create.persistence)?;
        if create.if_not_exists && is_there {
            return Ok((Self { query: None, relation: None, cid, bistate, done: 0 }, explained));
        }
        permission::check_select(db, &create.query)?;
        let options = RelOptions::of(OptionsOf::Table, &create.options)?;
        let on_commit = on_commit(create.on_commit, persistence)?;
        let table = options.table(schema, &create.name.name, columns(&plan, &create.columns)?);
        let spec = TableSpec { persistence, on_commit, ..table };
        let table = db.cluster.create_table(&spec)?;
        kept_options(db, table, &create.options, &[]);
        db.cluster.create_toast_table(table);
        let relation = db.cluster.pg.relation(table)?;
        let cid = db.cluster.pg.current_command_id();
        let query = create.with_data.then(|| Query::start(plan.into(), snapshot));
        Ok((Self { query, relation: Some(relation), cid, bistate, done: 0 }, explained))
    }

    /// Goes on until all rows are stored. Gives the command tag.
    pub fn go_on(&mut self, db: &mut Database) -> Outcome<String> {
        let (Some(query), Some(relation)) = (&mut self.query, &self.relation) else {
            return Ok("CREATE TABLE AS".to_string());
        };
        let options = InsertOptions { skip_fsm: true, ..InsertOptions::NONE };
        let mut tuple = FormedTuple::default();
        while let Some(row) = query.next(db)? {
            materialize(relation, row);
            tuple.form_inserted(&relation.desc, row);
            query.copy_tuple(db, &mut tuple);
            heap_insert(&mut db.cluster.pg, relation, &mut tuple, self.cid, options, Some(&mut self.bistate))?;
            self.done += 1;
        }
        self.bistate.release(&mut db.cluster.pg);
        Ok(format!("SELECT {}", self.done))
    }
}

/// A column that is made of one of type name is of that type too, whose values take 64 bytes each.
fn refuse_names(query: &Select) -> Result<(), StatementError> {
    let Some(name) = name_selected(query) else { return Ok(()) };
    let message = format!("a table with a column of type name, such as {name} of a catalog, is not supported");
    Err(StatementError::unsupported(format!("{message}; select {name}::text"), None))
}

/// A column of type name that a query selects from a catalog as it is.
fn name_selected(query: &Select) -> Option<&str> {
    let of_set = query.set.as_ref().and_then(|set| name_selected(&set.left));
    let with = query.with.iter().find_map(|common| match &*common.statement {
        Statement::Select(inner) => name_selected(inner),
        _ => None,
    });
    of_set.or(with).or_else(|| {
        let mut has_catalog = false;
        let within = query.from.iter().find_map(|item| name_of_item(item, &mut has_catalog));
        let own = query.targets.iter().find_map(|target| match target {
            Target::Star(_) => Some("relname"),
            Target::Expr { expr, .. } => match &expr.node {
                ExprNode::Column { name, .. } if name == "*" => Some("relname"),
                ExprNode::Column { name, .. } if name.len() > "name".len() && name.ends_with("name") => Some(name),
                _ => None,
            },
        });
        within.or(own.filter(|_| has_catalog))
    })
}

fn name_of_item<'a>(item: &'a FromItem, has_catalog: &mut bool) -> Option<&'a str> {
    match item {
        FromItem::Table { name, .. } => {
            *has_catalog |= is_catalog(name);
            None
        }
        FromItem::Query { query, .. } => name_selected(query),
        FromItem::Join(join) => {
            name_of_item(&join.left, has_catalog).or_else(|| name_of_item(&join.right, has_catalog))
        }
        FromItem::Function { .. } => None,
    }
}

/// A column that is made of one of a domain, or of type name, is of that type too.
pub(super) fn refuse_types(db: &Database, query: &Select, plan: &SelectPlan) -> Result<(), StatementError> {
    refuse_names(query)?;
    let catalog = &db.cluster.catalog;
    let mut tables = Vec::new();
    tables_of(db, query, &mut tables);
    let has_domains = |table: &Oid| match catalog.class(*table) {
        Some(class) => !class.domains.is_empty(),
        // a view
        None => catalog.classes().any(|class| !class.domains.is_empty()),
    };
    let is_cast = |target: &Output| target.value.expr().is_some_and(|expr| expr.any(&coerces_to_domain));
    if tables.iter().any(has_domains) || plan.targets.iter().any(is_cast) {
        let message = "a table made of a query that reads columns of a domain is not supported";
        return Err(StatementError::unsupported(message, None));
    }
    Ok(())
}

/// The query's columns under their own names, or those given.
pub(super) fn columns(plan: &SelectPlan, names: &[String]) -> Result<Vec<ColumnSpec>, StatementError> {
    let columns = plan.targets.iter().enumerate().map(|(n, target)| ColumnSpec {
        name: names.get(n).unwrap_or(&target.name).clone(),
        ty: match &target.value {
            OutputValue::Expr(expr) => expr.ty,
            series @ OutputValue::Series(_) => SqlType::plain(series.ty().oid),
        },
        not_null: false,
        default: DefaultSpec::Null,
        storage: None,
        compressed: false,
        domain: None,
        sequence_name: None,
    });
    let columns: Vec<ColumnSpec> = columns.collect();
    for (n, column) in columns.iter().enumerate() {
        if columns[..n].iter().any(|other| other.name == column.name) {
            let message = format!("column \"{}\" specified more than once", column.name);
            return Err(StatementError::server("42701", message));
        }
        if !column.ty.is_stored() {
            return Err(StatementError::unsupported(not_stored(column.ty), None));
        }
        check_name(&column.name)?;
    }
    Ok(columns)
}
