//! Which relations a statement locks before it runs, and how (`AlterTableGetLockLevel`,
//! src/backend/commands/tablecmds.c; `parserOpenTable`, src/backend/parser/parse_relation.c; `get_relation_info`,
//! src/backend/optimizer/util/plancat.c).
//!
//! ```text
//!  rows are read or written     the table, and each of its indexes in the same mode
//!  definitions change           the table; indexes that go or are made anew exclusively
//! ```
//!
//! All are taken before the statement begins, also those of one that was prepared; a block of PL/pgSQL takes those of
//! its statements on the way. Tables that foreign keys lead to are locked by the checks (`sql/commands/foreign_key`).

use crate::cluster::{Class, Cluster};
use crate::sql::ast::{
    AlterAction, AlterTable, ColumnDef, ColumnDefault, Constraint, ConstraintKind, CreateTable, DetachHow,
    DomainStatement, Drop, DropKind, EnumStatement, Expr, FromItem, InsertSource, Merge, MergeAction, Object, RangeVar,
    RefreshMatView, Rename, RenamePart, Renamed, SchemaOf, Select, Statement, StatisticsStatement, Target, Update,
};
use crate::sql::catalog::looking::{system_relation, with_its_indexes};
use crate::sql::commands::plain_kind;
use crate::storage::{LockMode, RelationLock};
use crate::version::SqlBehaviour;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::page::Oid;
use ffviz_format::state::RelKind;

/// Locks in the order in which they are taken.
struct Wanted<'a> {
    cluster: &'a Cluster,
    locks: Vec<RelationLock>,
}

/// What a statement locks. Relations that there are not are left to the statement, which says so.
pub(in crate::sql) fn wanted(cluster: &Cluster, statement: &Statement) -> Vec<RelationLock> {
    let mut wanted = Wanted { cluster, locks: Vec::new() };
    wanted.statement(statement);
    wanted.locks
}

/// Are the locks that a statement holds until its transaction ends all those of [`wanted`], of what it calls, and of
/// the relations that it makes? Those of functions in SQL are not.
pub(super) fn is_told(statement: &Statement, has_sql_functions: bool) -> bool {
    match statement {
        Statement::Transaction(_) | Statement::Set(_) | Statement::Show(_) => true,
        _ if has_sql_functions => false,
        Statement::Select(_)
        | Statement::Insert(_)
        | Statement::Update(_)
        | Statement::Delete(_)
        | Statement::Merge(_)
        | Statement::With(_)
        | Statement::Copy(_)
        | Statement::Checkpoint
        | Statement::AlterSystem(_)
        | Statement::Lock(_)
        | Statement::Notification(_)
        | Statement::Truncate(_)
        | Statement::Rename(_)
        | Statement::CreateSequence(_)
        | Statement::Object(
            Object::Declare(_)
            | Object::Fetch(_)
            | Object::Close(_)
            | Object::CreateView(_)
            | Object::CreateTrigger(_)
            | Object::CreateFunction(_),
        ) => true,
        Statement::Explain(explained, _) => is_told(explained, has_sql_functions),
        Statement::AlterTable(alter) => alter.actions.iter().all(is_told_of),
        Statement::CreateTable(create) => {
            let is_foreign = |it: &Constraint| matches!(it.kind, ConstraintKind::Foreign { .. });
            // a sequence of its own is locked several times
            let is_plain =
                |column: &ColumnDef| !matches!(column.default, ColumnDefault::Serial | ColumnDefault::Identity { .. });
            create.partition_of.is_none()
                && create.likes.is_empty()
                && create.columns.iter().all(is_plain)
                && !create.constraints.iter().any(is_foreign)
        }
        Statement::CreateIndex(create) => !create.concurrently,
        Statement::Drop(drop) => drop.kind == DropKind::Index && !drop.concurrently && !drop.cascade,
        _ => false,
    }
}

/// The same of an action of ALTER TABLE.
fn is_told_of(action: &AlterAction) -> bool {
    match action {
        AlterAction::AddColumn { column, constraints, .. } => {
            constraints.is_empty() && column.default == ColumnDefault::Null
        }
        AlterAction::AddConstraint(constraint) => {
            matches!(constraint.kind, ConstraintKind::Check(_) | ConstraintKind::Index(_))
        }
        AlterAction::DropColumn { cascade, .. } => !cascade,
        AlterAction::SetNotNull { .. }
        | AlterAction::SetDefault { .. }
        | AlterAction::SetStatistics { .. }
        | AlterAction::SetOptions(_)
        | AlterAction::ResetOptions(_)
        | AlterAction::SetStorage { .. }
        | AlterAction::SetTrigger { .. } => true,
        _ => false,
    }
}

/// What CREATE, DROP and REINDEX INDEX name, where they go on CONCURRENTLY.
fn of_concurrently(statement: &Statement) -> Option<Vec<&RangeVar>> {
    match statement {
        Statement::CreateIndex(create) if create.concurrently => Some(Vec::from([&create.table])),
        Statement::Drop(drop) if drop.concurrently => Some(drop.names.iter().collect()),
        Statement::Reindex(reindex) if reindex.concurrently => Some(Vec::from([&reindex.name])),
        _ => None,
    }
}

impl Wanted<'_> {
    fn statement(&mut self, statement: &Statement) {
        if let Some(names) = of_concurrently(statement) {
            names.into_iter().for_each(|name| self.named(name, LockMode::ShareUpdateExclusive));
            return;
        }
        match statement {
            Statement::Select(select) => self.select(select),
            Statement::Insert(insert) => {
                self.filled(&insert.table, insert.on_conflict.is_some());
                if let InsertSource::Select(select) = &insert.source {
                    self.select(select);
                }
            }
            Statement::Copy(copy) => self.filled(&copy.table, false),
            Statement::Update(update) => self.update(update),
            Statement::Delete(delete) => {
                self.rows(&delete.table, LockMode::RowExclusive);
                delete.using.iter().for_each(|item| self.item_of_from(item, LockMode::AccessShare));
                delete.filter.iter().for_each(|expr| self.expr(expr));
            }
            Statement::Merge(merge) => self.merge(merge),
            Statement::With(with) => {
                with.with.iter().for_each(|common| self.statement(&common.statement));
                self.statement(&with.statement);
            }
            Statement::RefreshMatView(refresh) => self.refreshed(refresh),
            Statement::CreateTableAs(create) => self.select(&create.query),
            Statement::CreateTable(create) => self.create_table(create),
            Statement::CreateIndex(create) => {
                let is_parent = self.find(&create.table).is_some_and(|oid| self.cluster.catalog.is_inherited(oid));
                self.whole(&RangeVar { only: is_parent, ..create.table.clone() }, LockMode::Share);
            }
            Statement::Drop(drop) => self.drop(drop),
            Statement::Truncate(truncate) => {
                let tables = truncate.tables.iter().filter(|name| !self.is_matview(name));
                let tables: Vec<&RangeVar> = tables.collect();
                for name in tables {
                    self.rows(name, LockMode::AccessExclusive);
                    self.emptied(name);
                }
            }
            Statement::AlterTable(alter) => self.altered(alter),
            Statement::Rename(rename) => self.renamed(rename),
            Statement::Reindex(_) | Statement::Vacuum(_) | Statement::Cluster(_) | Statement::Analyze(..) => {
                self.maintenance(statement);
            }
            Statement::Explain(statement, _) => self.statement(statement),
            Statement::Comment(comment) => self.named(&comment.relation, LockMode::ShareUpdateExclusive),
            // outside of a block it is refused first
            Statement::Lock(lock) if lock.tables.iter().any(|name| self.is_matview(name)) => {}
            Statement::Lock(lock) if self.is_in_block() => {
                lock.tables.iter().for_each(|name| self.whole(name, lock.mode));
            }
            Statement::AlterSequence(alter) => self.named(&alter.name, LockMode::ShareRowExclusive),
            Statement::Object(object) => self.object(object),
            Statement::CopyTo(copy) => self.select(&copy.query),
            Statement::CreateSequence(_)
            | Statement::Transaction(_)
            | Statement::Checkpoint
            | Statement::Do(_)
            | Statement::Set(_)
            | Statement::Show(_)
            | Statement::Extension(_)
            | Statement::AlterSystem(_)
            | Statement::Grant(_)
            | Statement::Lock(_)
            | Statement::Discard(_)
            | Statement::SetConstraints(_)
            | Statement::Notification(_) => {}
        }
    }

    fn altered(&mut self, alter: &AlterTable) {
        match alter.actions.iter().any(AlterAction::recurses) {
            true => self.tree(&alter.name, alter_mode(alter)),
            false => self.named(&alter.name, alter_mode(alter)),
        }
        alter.actions.iter().for_each(|action| self.referenced(action));
    }

    fn refreshed(&mut self, refresh: &RefreshMatView) {
        let mode = if refresh.concurrently { LockMode::Exclusive } else { LockMode::AccessExclusive };
        let class = self.find(&refresh.name).and_then(|oid| self.cluster.catalog.class(oid));
        // `RangeVarCallbackMaintainsTable` refuses others before it locks
        if class.is_some_and(|class| matches!(plain_kind(class.kind), RelKind::Index | RelKind::Sequence)) {
            return;
        }
        self.named(&refresh.name, mode);
        let matview = class.and_then(|class| class.matview.clone());
        matview.iter().for_each(|matview| self.read_by_view(&matview.depends));
    }

    /// REINDEX, VACUUM, CLUSTER, ANALYZE.
    fn maintenance(&mut self, statement: &Statement) {
        match statement {
            Statement::Reindex(reindex) if reindex.index => self.index(&reindex.name, LockMode::Share),
            Statement::Reindex(reindex) => {
                self.named(&reindex.name, LockMode::Share);
                self.indexes_of(&reindex.name, LockMode::AccessExclusive);
            }
            // as it is where its options do not fit
            Statement::Vacuum(vacuum) if vacuum.full && vacuum.process_toast == Some(false) => {}
            // it does not wait
            Statement::Vacuum(vacuum) if vacuum.skip_locked && self.is_any_locked(&vacuum.tables) => {}
            // where it is refused it has not come to its tables
            Statement::Vacuum(vacuum) if vacuum.full && self.is_in_block() => {}
            Statement::Vacuum(vacuum) if vacuum.full => {
                vacuum.tables.iter().for_each(|name| self.rewritten(name));
            }
            Statement::Cluster(cluster) => {
                cluster.table.iter().for_each(|table| self.rewritten(table));
            }
            Statement::Vacuum(vacuum) => self.maintained(&vacuum.tables, LockMode::RowExclusive),
            Statement::Analyze(tables, _) => self.maintained(tables, LockMode::AccessShare),
            _ => {}
        }
    }

    fn update(&mut self, update: &Update) {
        self.rows(&update.table, LockMode::RowExclusive);
        update.from.iter().for_each(|item| self.item_of_from(item, LockMode::AccessShare));
        let values = update.set.iter().filter_map(|set| set.value.as_ref());
        values.chain(&update.filter).for_each(|expr| self.expr(expr));
    }

    fn merge(&mut self, merge: &Merge) {
        self.rows(&merge.table, LockMode::RowExclusive);
        self.item_of_from(&merge.source, LockMode::AccessShare);
        self.expr(&merge.on);
        for when in &merge.whens {
            when.filter.iter().for_each(|expr| self.expr(expr));
            match &when.action {
                MergeAction::Update(set) => {
                    set.iter().filter_map(|set| set.value.as_ref()).for_each(|it| self.expr(it))
                }
                MergeAction::Insert { values, .. } => values.iter().flatten().flatten().for_each(|it| self.expr(it)),
                MergeAction::Nothing | MergeAction::Delete => {}
            }
        }
    }

    /// Of another kind it is not locked (`RangeVarCallbackForTruncate`, `RangeVarCallbackForLockTable`).
    fn is_matview(&self, name: &RangeVar) -> bool {
        let class = self.find(name).and_then(|oid| self.cluster.catalog.class(oid));
        class.is_some_and(|class| class.matview.is_some())
    }

    /// Has another session locked one of the tables, so that VACUUM would wait?
    fn is_any_locked(&self, tables: &[RangeVar]) -> bool {
        let locked = |relation: Oid| {
            let lock = RelationLock { relation, mode: LockMode::ShareUpdateExclusive };
            self.cluster.pg.locks.blockers(self.cluster.pg.me, lock).next().is_some()
        };
        tables.iter().filter_map(|name| self.find(name)).any(locked)
    }

    fn is_in_block(&self) -> bool {
        self.cluster.pg.backend().xact.as_ref().is_some_and(|xact| xact.in_block)
    }

    fn object(&mut self, object: &Object) {
        match object {
            Object::Prepare(prepare) => self.statement(&prepare.statement),
            Object::Declare(declare) => self.select(&declare.query),
            Object::CreateView(create) => self.select(&create.query),
            Object::Statistics(StatisticsStatement::Create { table, .. }) => {
                self.named(table, LockMode::ShareUpdateExclusive);
            }
            Object::CreateTrigger(create) => self.named(&create.table, LockMode::ShareRowExclusive),
            // `get_rels_with_domain`, whose rows are looked at
            Object::Domain(domain) if domain.looks_at_rows() => {
                let DomainStatement::Alter { name, .. } = &**domain else { return };
                let domain = self.cluster.find_domain(name.schema.as_deref(), &name.name).map(|domain| domain.oid);
                let uses = |class: &&Arc<Class>| class.domains.values().any(|of| Some(*of) == domain);
                let tables: Vec<Oid> = self.cluster.catalog.classes().filter(uses).map(|class| class.oid).collect();
                tables.into_iter().for_each(|table| self.add(table, LockMode::Share));
            }
            // what columns are dropped of
            Object::Enum(EnumStatement::Drop { names, cascade: true, .. }) => self.columns_of_types(names),
            Object::Domain(domain) if matches!(**domain, DomainStatement::Drop { cascade: true, .. }) => {
                let DomainStatement::Drop { names, .. } = &**domain else { return };
                self.columns_of_types(names);
            }
            Object::RenameTrigger(rename) => self.named(&rename.table, LockMode::AccessExclusive),
            // one that there is not is looked for with less
            Object::DropTrigger(drop) => {
                let class = self.find(&drop.table).and_then(|oid| self.cluster.catalog.class(oid));
                let is_there = class.is_some_and(|class| class.triggers.iter().any(|it| it.name == drop.name));
                let mode = if is_there { LockMode::AccessExclusive } else { LockMode::AccessShare };
                self.named(&drop.table, mode);
            }
            Object::DropFunction(drop) if drop.cascade => {
                let gone = drop.names.iter().flat_map(|name| self.cluster.triggers_that_call(&name.name));
                gone.collect::<Vec<_>>().into_iter().for_each(|(table, _)| self.add(table, LockMode::AccessExclusive));
            }
            Object::DropSchema(drop) if drop.cascade => {
                let within = drop.names.iter().flat_map(|name| self.cluster.in_schema(name));
                let within: Vec<Oid> = within.collect();
                within.into_iter().for_each(|oid| self.add(oid, LockMode::AccessExclusive));
            }
            Object::SetSchema(set) => {
                let view = self.cluster.find_view(set.name.schema.as_deref(), &set.name.name).map(|(_, view)| view.oid);
                let view = view.filter(|_| matches!(set.of, SchemaOf::Table | SchemaOf::View));
                let class = self.find(&set.name).and_then(|oid| self.cluster.catalog.class(oid));
                let table = class.filter(|class| set.of.fits(class.relkind())).map(|class| class.oid);
                view.or(table).into_iter().for_each(|oid| self.add(oid, LockMode::AccessExclusive));
            }
            Object::CreateSchema(_)
            | Object::DropSchema(_)
            | Object::DropView(_)
            | Object::CreateFunction(_)
            | Object::Call(_)
            | Object::DropFunction(_)
            | Object::AlterFunction(_)
            | Object::Enum(_)
            | Object::Domain(_)
            | Object::Statistics(_)
            | Object::Role(_)
            | Object::Execute(_)
            | Object::Deallocate(_)
            | Object::Fetch(_)
            | Object::Close(_) => {}
        }
    }

    fn columns_of_types(&mut self, names: &[RangeVar]) {
        let types = names.iter().filter_map(|name| self.cluster.find_type(name.schema.as_deref(), &name.name));
        let columns: Vec<(Oid, u16)> = types.flat_map(|ty| self.cluster.columns_of_type(ty)).collect();
        let tables = columns.into_iter().map(|(table, _)| table);
        let tables: Vec<Oid> = tables.filter(|table| self.cluster.catalog.class(*table).is_some()).collect();
        tables.into_iter().for_each(|table| self.add(table, LockMode::AccessExclusive));
    }

    fn add(&mut self, relation: Oid, mode: LockMode) {
        self.locks.push(RelationLock { relation, mode });
    }

    fn find(&self, name: &RangeVar) -> Option<Oid> {
        self.cluster.find(name.schema.as_deref(), &name.name)
    }

    fn named(&mut self, name: &RangeVar, mode: LockMode) {
        if let Some(oid) = self.find(name) {
            self.add(oid, mode);
        }
    }

    fn indexes_of(&mut self, name: &RangeVar, mode: LockMode) {
        let relation = self.find(name).and_then(|oid| self.cluster.pg.relations.get(&oid));
        let indexes = relation.map_or_else(Vec::new, |relation| relation.indexes.clone());
        indexes.into_iter().for_each(|index| self.add(index, mode));
    }

    /// A table whose rows are read or written.
    fn rows(&mut self, name: &RangeVar, mode: LockMode) {
        if let Some((_, view)) = self.cluster.find_view(name.schema.as_deref(), &name.name) {
            let (oid, depends) = (view.oid, view.depends.clone());
            self.add(oid, mode);
            match (mode, &depends[..]) {
                (LockMode::RowExclusive, [table]) => self.written_by_view(*table),
                _ => self.read_by_view(&depends),
            }
        }
        self.named(name, mode);
        self.indexes_of(name, mode);
        self.partitions(name, mode);
        if self.find(name).is_none() {
            self.of_system(system_relation(name));
        }
    }

    /// A table that is truncated: its indexes are built anew, and so is its TOAST table (`reindex_relation`).
    fn emptied(&mut self, name: &RangeVar) {
        let Some(table) = self.find(name) else { return };
        self.add(table, LockMode::Share);
        let relations = &self.cluster.pg.relations;
        let Some(toast) = relations.get(&table).and_then(|table| relations.get(&table.toast?)).cloned() else { return };
        self.add(toast.oid, LockMode::AccessExclusive);
        self.add(toast.oid, LockMode::Share);
        toast.indexes.iter().for_each(|index| self.add(*index, LockMode::AccessExclusive));
    }

    /// A table that gets rows: its indexes are locked for no longer than the statement (`ExecCloseIndices`), unless the
    /// planner has looked for those of ON CONFLICT (`infer_arbiter_indexes`). Those that inherit from it get none.
    fn filled(&mut self, name: &RangeVar, infers: bool) {
        let is_view = self.cluster.find_view(name.schema.as_deref(), &name.name).is_some();
        let class = self.find(name).and_then(|oid| self.cluster.catalog.class(oid));
        let is_partitioned = class.is_some_and(|class| class.relkind() == RelKind::PartitionedTable);
        if infers || is_view || is_partitioned {
            let is_parent = self.find(name).is_some_and(|oid| self.cluster.catalog.is_inherited(oid));
            self.rows(&RangeVar { only: is_parent, ..name.clone() }, LockMode::RowExclusive);
        } else {
            self.named(name, LockMode::RowExclusive);
        }
    }

    /// A catalog of the system's own.
    fn of_system(&mut self, catalog: Option<Oid>) {
        let all = catalog.into_iter().flat_map(with_its_indexes);
        all.for_each(|relation| self.add(relation, LockMode::AccessShare));
    }

    /// A table with those that inherit from it, which are changed with it.
    fn tree(&mut self, name: &RangeVar, mode: LockMode) {
        let is_parent = self.find(name).is_some_and(|oid| self.cluster.catalog.is_inherited(oid));
        self.named(name, mode);
        if is_parent && !name.only {
            let all = self.find(name).map_or_else(Vec::new, |oid| self.cluster.catalog.inheritors(oid));
            all.into_iter().skip(1).for_each(|child| self.add(child, mode));
        }
    }

    /// A table with its partitions.
    fn whole(&mut self, name: &RangeVar, mode: LockMode) {
        self.named(name, mode);
        self.partitions(name, mode);
    }

    /// Those of a table that is partitioned, with their indexes.
    fn partitions(&mut self, name: &RangeVar, mode: LockMode) {
        let all = self.find(name).filter(|_| !name.only);
        let all = all.map_or_else(Vec::new, |oid| self.cluster.catalog.inheritors(oid));
        for part in all.into_iter().skip(1) {
            self.add(part, mode);
            let relation = self.cluster.pg.relations.get(&part);
            let indexes = relation.map_or_else(Vec::new, |relation| relation.indexes.clone());
            indexes.into_iter().for_each(|index| self.add(index, mode));
        }
    }

    /// What a view stands for that rows are written to by.
    fn written_by_view(&mut self, oid: Oid) {
        self.add(oid, LockMode::RowExclusive);
        if let Some((_, view)) = self.cluster.catalog.views().find(|(_, view)| view.oid == oid) {
            if let [table] = view.depends.clone()[..] {
                self.written_by_view(table);
            }
            return;
        }
        let relation = self.cluster.pg.relations.get(&oid);
        let indexes = relation.map_or_else(Vec::new, |relation| relation.indexes.clone());
        indexes.into_iter().for_each(|index| self.add(index, LockMode::RowExclusive));
    }

    fn read_by_view(&mut self, depends: &[Oid]) {
        for oid in depends {
            if let Some((_, view)) = self.cluster.catalog.views().find(|(_, view)| view.oid == *oid) {
                self.add(*oid, LockMode::AccessShare);
                self.read_by_view(&view.depends.clone());
            } else if self.cluster.catalog.class(*oid).is_some() {
                self.add(*oid, LockMode::AccessShare);
                let relation = self.cluster.pg.relations.get(oid);
                let indexes = relation.map_or_else(Vec::new, |relation| relation.indexes.clone());
                indexes.into_iter().for_each(|index| self.add(index, LockMode::AccessShare));
            } else {
                self.of_system(Some(*oid));
            }
        }
    }

    fn select(&mut self, select: &Select) {
        let mode = if select.locking.is_some() { LockMode::RowShare } else { LockMode::AccessShare };
        for common in &select.with {
            self.statement(&common.statement);
        }
        if let Some(set) = &select.set {
            self.select(&set.left);
            self.select(&set.right);
        }
        select.from.iter().for_each(|item| self.item_of_from(item, mode));
        queries(select).into_iter().for_each(|query| self.select(query));
    }

    fn expr(&mut self, expr: &Expr) {
        let mut found = Vec::new();
        expr.queries(&mut found);
        found.into_iter().for_each(|query| self.select(query));
    }

    fn item_of_from(&mut self, item: &FromItem, mode: LockMode) {
        match item {
            FromItem::Table { name, .. } => self.rows(name, mode),
            FromItem::Function { .. } => {}
            FromItem::Query { query, .. } => self.select(query),
            FromItem::Join(join) => {
                self.item_of_from(&join.left, mode);
                self.item_of_from(&join.right, mode);
            }
        }
    }

    fn create_table(&mut self, create: &CreateTable) {
        create.likes.iter().for_each(|like| self.named(&like.name, LockMode::AccessShare));
        create.constraints.iter().for_each(|constraint| self.constraint(constraint));
        create.inherits.iter().for_each(|name| self.named(name, LockMode::ShareUpdateExclusive));
        create.partition_of.iter().for_each(|of| self.named(&of.table, LockMode::ShareUpdateExclusive));
    }

    /// `RenameRelation`: an index may be read and written meanwhile, whatever the statement calls it.
    fn renamed(&mut self, rename: &Rename) {
        if rename.kind == Renamed::View {
            // nothing else is renamed by that
            return;
        }
        let class = self.find(&rename.name).and_then(|oid| self.cluster.catalog.class(oid));
        let is_index = class.is_some_and(|class| class.kind == RelKind::Index);
        let is_whole = rename.part == RenamePart::Relation;
        let mode = if is_index && is_whole { LockMode::ShareUpdateExclusive } else { LockMode::AccessExclusive };
        match rename.part {
            RenamePart::Relation => self.named(&rename.name, mode),
            _ => self.tree(&rename.name, mode),
        }
    }

    /// The tables that new foreign keys lead to.
    fn referenced(&mut self, action: &AlterAction) {
        match action {
            AlterAction::AddConstraint(constraint) => self.constraint(constraint),
            AlterAction::AttachPartition(of) => self.named(&of.table, LockMode::AccessExclusive),
            AlterAction::Inherit(parent) => self.named(parent, LockMode::ShareUpdateExclusive),
            AlterAction::NoInherit(parent) => self.named(parent, LockMode::AccessShare),
            AlterAction::DetachPartition(name, DetachHow::Concurrently) => {
                self.named(name, LockMode::ShareUpdateExclusive);
            }
            AlterAction::DetachPartition(name, _) => self.named(name, LockMode::AccessExclusive),
            AlterAction::AddColumn { constraints, .. } => {
                constraints.iter().for_each(|constraint| self.constraint(constraint));
            }
            _ => {}
        }
    }

    fn constraint(&mut self, constraint: &Constraint) {
        if let ConstraintKind::Foreign { table, .. } = &constraint.kind {
            self.named(table, LockMode::ShareRowExclusive);
        }
    }

    fn drop(&mut self, drop: &Drop) {
        for name in &drop.names {
            let class = self.find(name).and_then(|oid| self.cluster.catalog.class(oid));
            // one of another kind is not locked (`RangeVarCallbackForDropRelation`)
            if class.is_some_and(|class| plain_kind(class.relkind()) != drop.kind.relkind()) {
                return;
            }
            if let Some(parent) = class.and_then(|class| class.partitioning.parent) {
                self.add(parent, LockMode::AccessExclusive);
            }
            if drop.kind == DropKind::Index {
                self.index(name, LockMode::AccessExclusive);
            } else {
                self.rows(name, LockMode::AccessExclusive);
            }
        }
    }

    /// An index that goes or is made anew, after its table.
    fn index(&mut self, name: &RangeVar, of_table: LockMode) {
        let class = self.find(name).and_then(|oid| self.cluster.catalog.class(oid));
        if let Some(table) = class.and_then(|class| class.table) {
            self.add(table, of_table);
        }
        self.named(name, LockMode::AccessExclusive);
    }

    /// CLUSTER and VACUUM FULL, which leave those alone that inherit from the table.
    fn rewritten(&mut self, name: &RangeVar) {
        let is_parent = self.find(name).is_some_and(|oid| self.cluster.catalog.is_inherited(oid));
        self.rows(&RangeVar { only: is_parent, ..name.clone() }, LockMode::AccessExclusive);
    }

    /// VACUUM and ANALYZE; of no table is of all.
    fn maintained(&mut self, names: &[RangeVar], of_indexes: LockMode) {
        if names.is_empty() {
            let tables = self.cluster.catalog.classes().filter(|class| class.kind == RelKind::Table);
            let own = tables.map(|class| class.oid).filter(|table| !self.cluster.is_other_temporary(*table));
            own.for_each(|oid| self.add(oid, LockMode::ShareUpdateExclusive));
        }
        for name in names {
            self.named(name, LockMode::ShareUpdateExclusive);
            self.indexes_of(name, of_indexes);
            let is_parent = self.find(name).is_some_and(|oid| self.cluster.catalog.is_inherited(oid));
            if !is_parent || self.cluster.version().maintains_children() {
                self.partitions(name, LockMode::ShareUpdateExclusive);
            }
        }
    }
}

/// The queries within the expressions of a query.
fn queries(select: &Select) -> Vec<&Select> {
    let mut found = Vec::new();
    let targets = select.targets.iter().filter_map(|target| match target {
        Target::Expr { expr, .. } => Some(expr),
        Target::Star(_) => None,
    });
    let sort = select.order_by.iter().map(|by| &by.expr);
    let others = select.filter.iter().chain(&select.having).chain(&select.group_by);
    targets.chain(sort).chain(others).for_each(|expr| expr.queries(&mut found));
    found
}

/// `AlterTableGetLockLevel`: the strongest that an action asks for.
fn alter_mode(alter: &AlterTable) -> LockMode {
    let of_brin = |name: &str| matches!(name, "pages_per_range" | "autosummarize");
    let mode = |action: &AlterAction| match action {
        AlterAction::SetOptions(options) if options.iter().any(|option| of_brin(&option.name)) => {
            LockMode::AccessExclusive
        }
        AlterAction::ResetOptions(names) if names.iter().any(|name| of_brin(name)) => LockMode::AccessExclusive,
        AlterAction::SetOptions(_)
        | AlterAction::ResetOptions(_)
        | AlterAction::SetStatistics { .. }
        | AlterAction::SetDistinct { .. }
        | AlterAction::SetWithoutCluster
        | AlterAction::ClusterOn(_)
        | AlterAction::AttachPartition(_)
        | AlterAction::DetachPartition(_, DetachHow::Concurrently | DetachHow::Finalize)
        | AlterAction::ValidateConstraint(_) => LockMode::ShareUpdateExclusive,
        AlterAction::SetTrigger { .. } => LockMode::ShareRowExclusive,
        AlterAction::AddConstraint(Constraint { kind: ConstraintKind::Foreign { .. }, .. }) => {
            LockMode::ShareRowExclusive
        }
        _ => LockMode::AccessExclusive,
    };
    alter.actions.iter().map(mode).max().unwrap_or(LockMode::AccessExclusive)
}
