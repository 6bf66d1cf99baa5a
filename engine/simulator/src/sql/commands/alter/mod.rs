//! ALTER TABLE and ALTER INDEX SET, as statements (`ATController`, src/backend/commands/tablecmds.c).
//!
//! ```text
//!  actions ─by their pass─▶ the catalog, new indexes ─▶ all rows: written anew, or looked at
//!                                                    ─▶ foreign keys that are new
//! ```

mod children;
mod column;
mod column_type;
mod constraint;
mod expression;
mod not_null;
mod options;
mod persistence;
mod rename;
mod replica_identity;

pub(in crate::sql) use rename::rename;

use super::create_index::build_new;
use super::function_body::{self, Touched};
use super::rewrite::{NewColumn, Verify, rewrite, verify_rows};
use super::{cluster, column_storage, inherit, partition, trigger, user, view};
use crate::cluster::roles::Kind;
use crate::sql::ast::{AlterAction, AlterTable, Constraint};
use crate::sql::catalog::dependency;
use crate::sql::error::NOT_SIMULATED;
use crate::sql::tcop::Database;
use crate::storage::{Persistence, RelationData};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::SqlError;
use ffviz_format::page::Oid;

/// What is left to be done when the catalog is as it is to be (`AlteredTableInfo`).
#[derive(Debug, Default)]
struct Left {
    added: Vec<NewColumn>,
    verify: Verify,
    /// foreign keys whose rows are to be checked, by name
    foreign_keys: Vec<String>,
    /// SET LOGGED, SET UNLOGGED: what the table becomes
    persistence: Option<Persistence>,
    /// indexes that were made again: they are built, unless all are with the table
    indexes: Vec<Oid>,
    /// have the values been cleared that older rows have for columns that came later?
    clears_missing: bool,
    /// has a relation been made?
    makes_relation: bool,
    /// OIDs that were used up before the first relation was made: a script's `--@ oid` is that of this relation, so
    /// they come behind
    oids: usize,
}

/// The tables that are changed, as they were, the one that is named first (`wqueue`).
#[derive(Debug, Default)]
struct Queue {
    tables: Vec<(Arc<RelationData>, Left)>,
}

impl Queue {
    /// `ATGetQueueEntry`
    fn of(&mut self, db: &Database, table: Oid) -> Result<&mut Left, SqlError> {
        let place = match self.tables.iter().position(|(before, _)| before.oid == table) {
            Some(place) => place,
            None => {
                let makes_relation = self.tables.iter().any(|(_, left)| left.makes_relation);
                self.tables.push((db.cluster.pg.relation(table)?, Left { makes_relation, ..Left::default() }));
                self.tables.len() - 1
            }
        };
        Ok(&mut self.tables[place].1)
    }
}

impl Left {
    /// Is the table written anew?
    const fn rewrites(&self) -> bool {
        !self.added.is_empty() || self.persistence.is_some()
    }

    fn use_oids(&mut self, db: &mut Database, count: usize) {
        if self.makes_relation {
            db.cluster.use_oids(count);
        } else {
            self.oids += count;
        }
    }
}

/// Runs it.
pub(in crate::sql) fn alter_table(db: &mut Database, alter: &AlterTable) -> Result<String, SqlError> {
    let tag = if alter.index { "ALTER INDEX" } else { "ALTER TABLE" }.to_string();
    if alter.if_exists && db.find(&alter.name).is_none() {
        return Ok(tag);
    }
    let relation = match alter.index {
        true => partition::find_index(db, &alter.name)?,
        false => partition::find_altered(db, alter)?,
    };
    let changes_columns = alter
        .actions
        .iter()
        .any(|action| matches!(action, AlterAction::SetType { .. } | AlterAction::DropColumn { .. }));
    let adds = alter.actions.iter().any(|action| matches!(action, AlterAction::AddColumn { .. }));
    // of one column alone it is known who reads it
    let is_known = match &alter.actions[..] {
        [AlterAction::DropColumn { name, cascade, .. }] => view::check_drop_column(db, relation, name, *cascade)?,
        [AlterAction::SetType { column, .. }] if find_column(db, relation, column).is_ok() => {
            view::check_column_type(db, relation, column)?
        }
        _ => false,
    };
    view::check_alter(db, relation, changes_columns && !is_known, adds)?;
    for action in &alter.actions {
        if let AlterAction::SetType { column: name, .. } | AlterAction::DropColumn { name, .. } = action {
            function_body::check_unread(db, relation, Touched::Column(name))?;
        }
    }
    let has = |is_it: fn(&AlterAction) -> bool| alter.actions.iter().any(is_it);
    if has(|it| matches!(it, AlterAction::SetType { .. })) && has(|it| matches!(it, AlterAction::AddColumn { .. })) {
        return Err(SqlError::new(NOT_SIMULATED, "ALTER COLUMN … TYPE beside ADD COLUMN is not supported"));
    }
    let mut actions = prepared(db, relation, &alter.actions);
    actions.sort_by_key(pass);
    let mut queue = Queue::default();
    queue.of(db, relation)?;
    for action in &actions {
        children::run(db, (relation, alter.name.only), action, &mut queue)?;
    }
    let (mut oids, mut sequences) = (0, Vec::new());
    // the table that was written anew last: has it a TOAST table?
    let mut last: Option<bool> = None;
    for (before, mut left) in queue.tables {
        sequences.extend(left.added.iter().filter_map(|column| column.sequence));
        if db.cluster.catalog.partition_key(before.oid).is_some() {
            // it has no rows of its own
            oids += left.oids;
            continue;
        }
        left.verify.not_valid = db.cluster.catalog.not_null_in_part(before.oid);
        if last == Some(false) && left.rewrites() {
            // the one before left a command open
            db.cluster.use_commands(1);
        }
        finish(db, &before, &left)?;
        if left.rewrites() {
            last = Some(db.cluster.pg.relation(before.oid)?.toast.is_some());
        }
        oids += left.oids;
    }
    db.cluster.own_sequences(relation, &sequences, last == Some(true));
    db.cluster.use_oids(oids);
    Ok(tag)
}

/// `transformAlterTableStmt`: the constraints of a column that is added are actions of their own.
fn prepared(db: &Database, table: Oid, actions: &[AlterAction]) -> Vec<AlterAction> {
    let mut all = Vec::new();
    for action in actions {
        let AlterAction::AddColumn { column, constraints, if_not_exists } = action else {
            all.push(action.clone());
            continue;
        };
        if *if_not_exists && find_column(db, table, &column.name).is_ok() {
            continue;
        }
        let mut column = column.clone();
        column.not_null |= constraints.iter().any(Constraint::is_primary);
        all.push(AlterAction::AddColumn { column, constraints: Vec::new(), if_not_exists: false });
        all.extend(constraints.iter().cloned().map(AlterAction::AddConstraint));
    }
    all
}

/// `AT_PASS_…`: what is done first, wherever it is written.
const fn pass(action: &AlterAction) -> u8 {
    match action {
        AlterAction::DropColumn { .. } | AlterAction::DropConstraint { .. } => 0,
        AlterAction::DropIdentity { .. }
        | AlterAction::SetNotNull { not_null: false, .. }
        | AlterAction::SetDefault { default: None, .. } => 0,
        AlterAction::DropExpression { .. } => 0,
        AlterAction::SetType { .. } | AlterAction::SetExpression { .. } => 1,
        AlterAction::AddColumn { .. } => 2,
        AlterAction::SetNotNull { .. } => 3,
        AlterAction::AddConstraint(constraint) if constraint::is_not_null(constraint) => 3,
        AlterAction::AddConstraint(constraint) if constraint::has_index(constraint) => 4,
        AlterAction::AddConstraint(_) | AlterAction::SetDefault { .. } => 5,
        _ => 6,
    }
}

fn run(db: &mut Database, table: Oid, action: &AlterAction, left: &mut Left) -> Result<(), SqlError> {
    match action {
        AlterAction::SetOptions(given) => options::set_options(db, table, given)?,
        AlterAction::ResetOptions(names) => options::reset_options(db, table, names),
        AlterAction::AddColumn { column, .. } => column::add_column(db, table, column, left)?,
        AlterAction::DropColumn { name, if_exists, cascade } => drop_column(db, table, name, (*if_exists, *cascade))?,
        AlterAction::AddConstraint(added) => constraint::add(db, table, added, left)?,
        AlterAction::DropConstraint { name, if_exists, cascade } => {
            constraint::drop(db, table, name, *if_exists, *cascade)?;
        }
        AlterAction::AlterConstraint(name, to) => constraint::alter(db, table, name, *to, left)?,
        AlterAction::ValidateConstraint(name) => constraint::validate(db, table, name, left)?,
        AlterAction::SetNotNull { column, not_null } => {
            let column = find_column(db, table, column)?;
            not_null::set_not_null(db, table, column as u16 + 1, *not_null, left)?;
        }
        AlterAction::SetDefault { column, default } => {
            let column = find_column(db, table, column)?;
            column::set_default(db, table, column, default.as_ref())?;
        }
        AlterAction::SetExpression { column, expr } => {
            let column = find_column(db, table, column)?;
            expression::set_expression(db, table, column, expr, left)?;
        }
        AlterAction::DropExpression { column, if_exists } => {
            let column = find_column(db, table, column)?;
            expression::drop_expression(db, table, column, *if_exists)?;
        }
        AlterAction::SetType { column, type_name, using } => {
            let column = find_column(db, table, column)?;
            column_type::set_type(db, table, column, *type_name, using.as_ref(), left)?;
        }
        AlterAction::AddIdentity { column, always, options } => {
            let column = find_column(db, table, column)?;
            column::add_identity(db, table, column, *always, options, left)?;
        }
        AlterAction::SetIdentity { column, always, options } => {
            let column = find_column(db, table, column)?;
            column::set_identity(db, table, column, *always, options)?;
        }
        AlterAction::DropIdentity { column, if_exists } => {
            let column = find_column(db, table, column)?;
            column::drop_identity(db, table, column, *if_exists)?;
        }
        AlterAction::SetStatistics { column, target } => {
            let column = find_column(db, table, column)?;
            column::set_statistics(db, table, column, *target)?;
        }
        AlterAction::SetDistinct { column, distinct } => {
            let column = find_column(db, table, column)?;
            column::set_distinct(db, table, column, *distinct)?;
        }
        AlterAction::SetStorage { column, storage } => column_storage::set_storage(db, table, column, storage)?,
        AlterAction::ReplicaIdentity(identity) => replica_identity::replica_identity(db, table, identity)?,
        AlterAction::SetTrigger { name, user, firing } => {
            trigger::set_enabled(db, table, (name.as_ref(), *user), *firing)?;
        }
        AlterAction::SetCompression { column, method } => {
            column_storage::set_compression(db, table, column, method)?;
        }
        AlterAction::SetWithoutCluster => cluster::set_clustered(db, table, None),
        AlterAction::ClusterOn(index) => cluster::mark_index_clustered(db, table, index)?,
        AlterAction::SetPersistence(wanted) => persistence::set_persistence(db, table, *wanted, left)?,
        AlterAction::OwnerTo(role) => user::alter_owner(db, (Kind::Relation, table), role)?,
        AlterAction::AttachPartition(of) => partition::attach(db, table, of)?,
        AlterAction::Inherit(parent) => inherit::inherit(db, table, parent)?,
        AlterAction::NoInherit(parent) => inherit::no_inherit(db, table, parent)?,
        AlterAction::DetachPartition(name, how) => partition::detach(db, table, name, *how)?,
    }
    Ok(())
}

/// DROP COLUMN.
fn drop_column(db: &mut Database, table: Oid, name: &str, (if_exists, cascade): (bool, bool)) -> Result<(), SqlError> {
    match find_column(db, table, name) {
        Ok(column) => {
            trigger::check_column(db, table)?;
            dependency::drop_column(db, table, column, cascade)
        }
        Err(_) if if_exists => Ok(()),
        Err(error) => Err(error),
    }
}

/// `ATRewriteTables`
fn finish(db: &mut Database, before: &RelationData, left: &Left) -> Result<(), SqlError> {
    let table = before.oid;
    if !left.rewrites() {
        left.indexes.iter().try_for_each(|index| build_new(db, *index))?;
        if left.verify.is_needed() {
            verify_rows(db, table, &left.verify)?;
        }
    } else {
        rewrite(db, before, &left.added, &left.verify, left.persistence)?;
    }
    if let Some(wanted) = left.persistence {
        persistence::change_sequences(db, table, wanted)?;
    }
    left.foreign_keys.iter().try_for_each(|name| constraint::check_foreign_key(db, table, name))
}

pub(in crate::sql::commands) fn find_column(db: &Database, table: Oid, name: &str) -> Result<usize, SqlError> {
    let relation = db.cluster.pg.relation(table)?;
    let found = relation.desc.attributes().iter().position(|column| !column.dropped && column.name == name);
    let missing = || format!("column \"{name}\" of relation \"{}\" does not exist", relation.name);
    found.ok_or_else(|| SqlError::new("42703", missing()))
}
