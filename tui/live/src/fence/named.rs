//! What a statement names: relations and functions. Every part of the tree is taken apart by name, so that a new one
//! does not compile until somebody has said here what it names.

use ffviz_simulator::sql::ast::{
    AlterAction, AlterFunction, AlterSequence, AlterTable, Assignment, Call, Cluster, ColumnDef, ColumnDefault,
    Comment, CommonTable, ConflictUpdate, Constraint, ConstraintKind, Copy, CopyTo, CreateFunction, CreateIndex,
    CreateSchema, CreateSequence, CreateTable, CreateTableAs, CreateTrigger, CreateView, Datum, Declare, DeclaredType,
    Delete, Drop, DropFunction, DropSchema, DropTrigger, DropView, Exclusion, Execute, Expr, ExprNode, Extension,
    Fetch, FromItem, IndexConstraint, IndexElem, Insert, InsertSource, Join, JoinCondition, Lock, Merge, MergeAction,
    MergeWhen, Object, OnConflict, OwnedBy, PartitionBy, PartitionOf, Prepare, QueryKind, RangeVar, RefreshMatView,
    Reindex, Rename, RenameTrigger, Routine, Select, SequenceOptions, SetOperation, SetSchema, SortBy, Statement,
    StatisticsStatement, Step, TableLike, Target, Truncate, Update, Vacuum, Window, With,
};

/// `pg_type.oid`
const REGCLASS: u32 = 2205;
const REGPROC: u32 = 24;
const REGPROCEDURE: u32 = 2202;

/// What a statement names.
#[derive(Debug, Default)]
pub struct Named<'a> {
    /// relations that it makes, changes, locks or drops
    pub written: Vec<&'a RangeVar>,
    /// relations that it reads
    pub read: Vec<&'a RangeVar>,
    /// functions, with their arguments
    pub calls: Vec<(&'a str, &'a [Expr])>,
    /// functions in the defaults of columns, which INSERT calls later
    pub defaults: Vec<&'a str>,
}

impl<'a> Named<'a> {
    /// All that a statement names.
    #[must_use]
    pub fn of(statement: &'a Statement) -> Self {
        let mut named = Self::default();
        named.statement(statement);
        named
    }

    fn statement(&mut self, statement: &'a Statement) {
        match statement {
            Statement::CreateTable(create) => self.create_table(create),
            Statement::CreateTableAs(CreateTableAs {
                name,
                persistence: _,
                on_commit: _,
                if_not_exists: _,
                columns: _,
                options: _,
                query,
                with_data: _,
                matview: _,
                is_select_into: _,
            }) => {
                self.written.push(name);
                self.select(query);
            }
            Statement::CreateIndex(create) => self.create_index(create),
            Statement::CreateSequence(CreateSequence { name, if_not_exists: _, options })
            | Statement::AlterSequence(AlterSequence { name, if_exists: _, options }) => self.sequence(name, options),
            Statement::Drop(Drop { kind: _, concurrently: _, if_exists: _, names, cascade: _ })
            | Statement::Truncate(Truncate { tables: names, restart: _, cascade: _ }) => {
                self.written.extend(names);
            }
            Statement::RefreshMatView(RefreshMatView { name, concurrently: _, with_data: _ })
            | Statement::Rename(Rename { kind: _, if_exists: _, name, part: _, to: _ }) => self.written.push(name),
            Statement::AlterTable(AlterTable { index: _, if_exists: _, name, actions }) => {
                self.written.push(name);
                actions.iter().for_each(|action| self.action(action));
            }
            Statement::Insert(insert) => self.insert(insert),
            Statement::Copy(Copy { table, filter, .. }) => {
                self.written.push(table);
                filter.iter().for_each(|filter| self.expr(filter));
            }
            Statement::CopyTo(CopyTo { relation, query }) => {
                self.read.extend(relation);
                self.select(query);
            }
            Statement::Update(update) => self.update(update),
            Statement::Delete(delete) => self.delete(delete),
            Statement::Merge(merge) => self.merge(merge),
            Statement::With(with) => self.with(with),
            Statement::Select(select) => self.select(select),
            Statement::Explain(inner, _) => self.statement(inner),
            // one whose SQL is known only when it runs is refused before
            Statement::Do(routine) => self.routine(routine),
            Statement::Vacuum(vacuum) => self.vacuum(vacuum),
            Statement::Analyze(tables, _) => self.written.extend(tables),
            Statement::Cluster(Cluster { table, index: _ }) => self.written.extend(table),
            Statement::Reindex(Reindex { concurrently: _, by_option: _, index: _, name }) => self.written.push(name),
            Statement::Comment(Comment { relation, kind: _, column: _, text: _ }) => self.written.push(relation),
            Statement::Grant(grant) => self.written.extend(grant.relations()),
            Statement::Lock(Lock { tables, mode: _, waits: _ }) => {
                self.written.extend(tables);
            }
            Statement::Object(object) => self.object(object),
            // they name no relation and call no function
            Statement::Discard(_)
            | Statement::SetConstraints(_)
            | Statement::Notification(_)
            | Statement::Transaction(_)
            | Statement::Checkpoint
            | Statement::Set(_)
            | Statement::Show(_)
            | Statement::Extension(Extension { create: _, name: _, if_exists: _ })
            | Statement::AlterSystem(_) => {}
        }
    }

    fn vacuum(&mut self, vacuum: &'a Vacuum) {
        let Vacuum {
            tables,
            columns: _,
            full: _,
            freeze: _,
            analyze: _,
            disable_page_skipping: _,
            index_cleanup: _,
            truncate: _,
            parallel: _,
            process_toast: _,
            skip_locked: _,
            skip_main: _,
            only_database_stats: _,
            buffer_limit: _,
            newer: _,
        } = vacuum;
        self.written.extend(tables);
    }

    /// A block of PL/pgSQL: the tables of its variables, and the SQL within.
    fn routine(&mut self, routine: &'a Routine) {
        for datum in &routine.datums {
            match datum {
                Datum::Var { name: _, ty: DeclaredType::Column(table, _), not_null: _ }
                | Datum::Record { name: _, of: Some(table) } => self.read.push(table),
                Datum::Var { .. } | Datum::Record { .. } | Datum::Field { .. } => {}
            }
        }
        let embedded = routine.steps.iter().flat_map(Step::embedded);
        embedded.for_each(|sql| self.statement(&sql.statement));
    }

    fn with(&mut self, With { with, recursive: _, statement }: &'a With) {
        let queries = with.iter();
        queries.for_each(|CommonTable { name: _, columns: _, materialized: _, statement, marks: _ }| {
            self.statement(statement)
        });
        self.statement(statement);
    }

    fn update(&mut self, update: &'a Update) {
        let Update { table, alias: _, set, from, filter, current_of: _, returning } = update;
        self.written.push(table);
        from.iter().for_each(|item| self.item_of_from(item, false));
        self.assignments(set);
        self.exprs(filter);
        self.targets(returning);
    }

    fn delete(&mut self, delete: &'a Delete) {
        let Delete { table, alias: _, using, filter, current_of: _, returning } = delete;
        self.written.push(table);
        using.iter().for_each(|item| self.item_of_from(item, false));
        self.exprs(filter);
        self.targets(returning);
    }

    fn merge(&mut self, merge: &'a Merge) {
        let Merge { table, alias: _, source, on, whens, returning } = merge;
        self.written.push(table);
        self.item_of_from(source, false);
        self.expr(on);
        for MergeWhen { kind: _, filter, action } in whens {
            self.exprs(filter);
            match action {
                MergeAction::Nothing | MergeAction::Delete => {}
                MergeAction::Update(set) => self.assignments(set),
                MergeAction::Insert { columns: _, overriding: _, values } => {
                    self.exprs(values.iter().flatten().flatten())
                }
            }
        }
        self.targets(returning);
    }

    fn object(&mut self, object: &'a Object) {
        match object {
            Object::Prepare(Prepare { name: _, types: _, parameters: _, statement, text: _ }) => {
                self.statement(statement);
            }
            Object::Execute(Execute { name: _, arguments }) => self.exprs(arguments),
            Object::Declare(Declare { name: _, query, scroll: _, hold: _ }) => self.select(query),
            Object::CreateView(CreateView { name, replace: _, temporary: _, columns: _, query, check: _ }) => {
                self.written.push(name);
                self.select(query);
            }
            // what it calls is called later
            Object::CreateFunction(CreateFunction {
                name,
                replace: _,
                arguments: _,
                defaults,
                columns: _,
                has_outs: _,
                inouts: _,
                row_type,
                is_set: _,
                rows: _,
                body,
                kind: _,
                is_strict: _,
                volatility: _,
                settings: _,
                is_definer: _,
                wrong: _,
                source: _,
                standard: _,
            }) => {
                self.written.push(name);
                self.read.extend(row_type);
                self.exprs(defaults);
                self.routine(body.routine());
            }
            Object::Call(Call { name, arguments }) => {
                self.calls.push((name, arguments));
                self.exprs(arguments);
            }
            Object::DropFunction(DropFunction { is_procedure: _, names, if_exists: _, cascade: _, arguments: _ })
            | Object::DropView(DropView { names, if_exists: _, cascade: _ }) => self.written.extend(names),
            Object::AlterFunction(AlterFunction { is_procedure: _, name, arguments: _, action: _ }) => {
                self.written.push(name);
            }
            Object::CreateTrigger(create) => {
                let CreateTrigger { table, when, function, .. } = &**create;
                self.written.push(table);
                self.exprs(when);
                self.calls.push((function, &[]));
            }
            Object::DropTrigger(DropTrigger { name: _, table, if_exists: _ })
            | Object::RenameTrigger(RenameTrigger { name: _, table, to: _ })
            | Object::SetSchema(SetSchema { of: _, if_exists: _, name: table, schema: _ }) => self.written.push(table),
            Object::Statistics(StatisticsStatement::Create { expr, .. }) => self.exprs(expr.as_deref()),
            // they name no relation and call no function
            Object::CreateSchema(CreateSchema { name: _, owner: _, if_not_exists: _ })
            | Object::DropSchema(DropSchema { names: _, if_exists: _, cascade: _ })
            | Object::Enum(_)
            | Object::Domain(_)
            | Object::Statistics(_)
            | Object::Role(_)
            | Object::Deallocate(_)
            | Object::Fetch(Fetch { is_move: _, name: _, direction: _ })
            | Object::Close(_) => {}
        }
    }

    fn create_table(&mut self, create: &'a CreateTable) {
        let CreateTable {
            name,
            persistence: _,
            on_commit: _,
            if_not_exists: _,
            columns,
            likes,
            constraints,
            options: _,
            inherits,
            partition_by,
            partition_of,
        } = create;
        self.written.push(name);
        // what is written to a table may go to those that inherit from it
        self.written.extend(inherits);
        // it names columns
        let _: &Option<PartitionBy> = partition_by;
        partition_of.iter().for_each(|partition| self.partition(partition));
        columns.iter().for_each(|column| self.column(column));
        likes.iter().for_each(|TableLike { after: _, name, including: _ }| self.read.push(name));
        constraints.iter().for_each(|constraint| self.constraint(constraint));
    }

    /// What is written to a table may go to its partition, and the other way round.
    fn partition(&mut self, partition: &'a PartitionOf) {
        let PartitionOf { table, bound } = partition;
        self.written.push(table);
        bound.exprs().for_each(|expr| self.expr(expr));
    }

    fn constraint(&mut self, constraint: &'a Constraint) {
        let Constraint { name: _, columns: _, kind, not_valid: _, enforced: _, deferrable: _, no_inherit: _ } =
            constraint;
        match kind {
            ConstraintKind::Index(IndexConstraint {
                primary: _,
                nulls_not_distinct: _,
                without_overlaps: _,
                include: _,
                options: _,
            })
            | ConstraintKind::UsingIndex { primary: _, index: _ }
            | ConstraintKind::NotNull => {}
            // triggers are put on that table too
            ConstraintKind::Foreign { table, columns: _, actions: _, deleted: _ } => self.written.push(table),
            ConstraintKind::Exclude(Exclusion { elements, include: _, options: _, predicate }) => {
                elements.iter().for_each(|(element, _)| self.stored(&element.expr));
                predicate.iter().for_each(|expr| self.stored(expr));
            }
            // INSERT and UPDATE call what it calls, as they do what a default calls
            ConstraintKind::Check(expr) => self.stored(expr),
        }
    }

    /// An expression that is evaluated when rows come later.
    fn stored(&mut self, expr: &'a Expr) {
        let known = self.calls.len();
        self.expr(expr);
        let called: Vec<&str> = self.calls[known..].iter().map(|(name, _)| *name).collect();
        self.defaults.extend(called);
    }

    fn column(&mut self, column: &'a ColumnDef) {
        let ColumnDef {
            name: _,
            type_name: _,
            domain: _,
            storage: _,
            compression: _,
            not_null: _,
            not_null_names: _,
            default,
        } = column;
        match default {
            ColumnDefault::Expr(expr) => self.stored(expr),
            ColumnDefault::Generated(expr) | ColumnDefault::Virtual(expr, _) => self.stored(expr),
            ColumnDefault::Identity { always: _, options } => self.owner(options),
            ColumnDefault::Null | ColumnDefault::Serial => {}
        }
    }

    fn create_index(&mut self, create: &'a CreateIndex) {
        let CreateIndex {
            name: _,
            table,
            unique: _,
            concurrently: _,
            if_not_exists: _,
            method: _,
            keys,
            include: _,
            nulls_not_distinct: _,
            options: _,
            predicate,
        } = create;
        self.written.push(table);
        keys.iter().for_each(|IndexElem { expr, opclass: _, descending: _, nulls_first: _ }| self.expr(expr));
        self.exprs(predicate);
    }

    fn sequence(&mut self, name: &'a RangeVar, options: &'a SequenceOptions) {
        self.written.push(name);
        self.owner(options);
    }

    fn owner(&mut self, options: &'a SequenceOptions) {
        let SequenceOptions {
            type_name: _,
            start: _,
            restart: _,
            increment: _,
            min: _,
            max: _,
            cache: _,
            cycle: _,
            owned_by,
            name,
            redundant: _,
        } = options;
        self.written.extend(name);
        match owned_by {
            Some(OwnedBy::Column(table, _)) => self.written.push(table),
            Some(OwnedBy::None) | None => {}
        }
    }

    fn action(&mut self, action: &'a AlterAction) {
        match action {
            AlterAction::AddColumn { column, constraints, if_not_exists: _ } => {
                self.column(column);
                constraints.iter().for_each(|constraint| self.constraint(constraint));
            }
            AlterAction::AddConstraint(constraint) => self.constraint(constraint),
            AlterAction::AddIdentity { column: _, always: _, options } => self.owner(options),
            AlterAction::SetType { column: _, type_name: _, using } => self.exprs(using),
            AlterAction::SetDefault { column: _, default } => default.iter().for_each(|expr| self.stored(expr)),
            AlterAction::SetExpression { column: _, expr } => self.stored(expr),
            AlterAction::AttachPartition(partition) => self.partition(partition),
            AlterAction::DetachPartition(table, _) | AlterAction::Inherit(table) | AlterAction::NoInherit(table) => {
                self.written.push(table);
            }
            AlterAction::ReplicaIdentity(_)
            | AlterAction::SetTrigger { name: _, user: _, firing: _ }
            | AlterAction::SetOptions(_)
            | AlterAction::SetWithoutCluster
            | AlterAction::ClusterOn(_)
            | AlterAction::ResetOptions(_)
            | AlterAction::DropColumn { name: _, if_exists: _, cascade: _ }
            | AlterAction::DropConstraint { name: _, if_exists: _, cascade: _ }
            | AlterAction::ValidateConstraint(_)
            | AlterAction::AlterConstraint(..)
            | AlterAction::SetPersistence(_)
            | AlterAction::SetNotNull { column: _, not_null: _ }
            | AlterAction::SetStatistics { column: _, target: _ }
            | AlterAction::SetDistinct { column: _, distinct: _ }
            | AlterAction::DropIdentity { column: _, if_exists: _ }
            | AlterAction::SetIdentity { column: _, always: _, options: _ }
            | AlterAction::DropExpression { column: _, if_exists: _ }
            | AlterAction::OwnerTo(_)
            | AlterAction::SetStorage { column: _, storage: _ }
            | AlterAction::SetCompression { column: _, method: _ } => {}
        }
    }

    fn insert(&mut self, insert: &'a Insert) {
        let Insert { table, alias: _, columns: _, overriding: _, source, on_conflict, returning } = insert;
        self.written.push(table);
        match source {
            InsertSource::Defaults => {}
            InsertSource::Values(rows) => rows.iter().flatten().flatten().for_each(|expr| self.expr(expr)),
            InsertSource::Select(select) => self.select(select),
        }
        if let Some(OnConflict { columns, filter, .. }) = on_conflict {
            columns.iter().for_each(|key| self.expr(key));
            filter.iter().for_each(|filter| self.expr(filter));
        }
        if let Some(OnConflict { columns: _, filter: _, constraint: _, update: Some(ConflictUpdate { set, filter }) }) =
            on_conflict
        {
            self.assignments(set);
            self.exprs(filter);
        }
        self.targets(returning);
    }

    fn assignments(&mut self, set: &'a [Assignment]) {
        set.iter().for_each(|Assignment { column: _, value }| self.exprs(value));
    }

    fn window(&mut self, window: &'a Window) {
        let Window { name: _, called: _, copied: _, copies: _, partition, order_by, frame: _, offsets } = window;
        self.exprs(partition);
        self.sort(order_by);
        self.exprs(offsets.iter().flatten());
    }

    fn select(&mut self, select: &'a Select) {
        let Select {
            with,
            recursive: _,
            set,
            values,
            distinct,
            targets,
            from,
            filter,
            group_by,
            grouping_sets: _,
            group_form: _,
            windows,
            having,
            order_by,
            limit,
            offset,
            locking,
        } = select;
        for CommonTable { name: _, columns: _, materialized: _, statement, marks: _ } in with {
            self.statement(statement);
        }
        if let Some(set) = set {
            let SetOperation { kind: _, all: _, left, right } = &**set;
            self.select(left);
            self.select(right);
        }
        self.targets(targets);
        from.iter().for_each(|item| self.item_of_from(item, locking.is_some()));
        self.sort(order_by);
        windows.iter().for_each(|(_, window)| self.window(window));
        self.exprs(values.iter().flatten());
        self.exprs(distinct.iter().flatten());
        self.exprs(group_by);
        [filter, having, limit, offset].into_iter().for_each(|expr| self.exprs(expr));
    }

    fn item_of_from(&mut self, item: &'a FromItem, is_locked: bool) {
        match item {
            // FOR UPDATE locks rows, which writes to them
            FromItem::Table { name, alias: _, columns: _, sample: _ } if is_locked => self.written.push(name),
            FromItem::Table { name, alias: _, columns: _, sample: _ } => self.read.push(name),
            FromItem::Function { call, alias: _, columns: _, ordinality: _ } => self.expr(call),
            FromItem::Query { query, alias: _, columns: _, lateral: _ } => self.select(query),
            FromItem::Join(join) => {
                let Join { kind: _, left, right, condition } = &**join;
                self.item_of_from(left, is_locked);
                self.item_of_from(right, is_locked);
                match condition {
                    JoinCondition::On(expr) => self.expr(expr),
                    JoinCondition::All | JoinCondition::Natural | JoinCondition::Using(_) => {}
                }
            }
        }
    }

    fn targets(&mut self, targets: &'a [Target]) {
        for target in targets {
            match target {
                Target::Star(_) => {}
                Target::Expr { expr, alias: _ } => self.expr(expr),
            }
        }
    }

    fn sort(&mut self, order_by: &'a [SortBy]) {
        order_by.iter().for_each(|SortBy { expr, descending: _, nulls_first: _ }| self.expr(expr));
    }

    fn exprs(&mut self, exprs: impl IntoIterator<Item = &'a Expr>) {
        exprs.into_iter().for_each(|expr| self.expr(expr));
    }

    fn expr(&mut self, expr: &'a Expr) {
        match &expr.node {
            ExprNode::Column { table: _, name: _ } | ExprNode::Param(_) | ExprNode::Literal(_) => {}
            // which looks for a relation, or a function, by its name
            ExprNode::Cast(operand, ty) if matches!(ty.oid, REGCLASS | REGPROC | REGPROCEDURE) => {
                self.calls.push(("regclass", core::slice::from_ref(&**operand)));
                self.expr(operand);
            }
            ExprNode::Cast(operand, _)
            | ExprNode::Domain(operand, ..)
            | ExprNode::Named(_, operand)
            | ExprNode::Minus(operand)
            | ExprNode::Not(operand) => self.expr(operand),
            ExprNode::Binary(_, left, right) => self.exprs([&**left, &**right]),
            ExprNode::Array(list) | ExprNode::And(list) | ExprNode::Or(list) => self.exprs(list),
            ExprNode::IsNull { expr, negated: _ } => self.expr(expr),
            ExprNode::In { expr, list, negated: _ } | ExprNode::Any { expr, list, cast: _ } => {
                self.expr(expr);
                self.exprs(list);
            }
            ExprNode::Between { expr, low, high, negated: _ } => self.exprs([&**expr, &**low, &**high]),
            ExprNode::Case { operand, whens, otherwise } => {
                self.exprs(operand.as_deref());
                whens.iter().for_each(|(when, then)| self.exprs([when, then]));
                self.exprs(otherwise.as_deref());
            }
            ExprNode::Function { name, args, star: _, distinct: _, order_by, filter, over, form: _ } => {
                self.calls.push((name, args));
                self.exprs(args);
                self.sort(order_by);
                self.exprs(filter.as_deref());
                over.iter().for_each(|window| self.window(window));
            }
            ExprNode::Operator(_, left, right) => {
                self.exprs(left.as_deref());
                self.expr(right);
            }
            ExprNode::IsDistinct { operands, negated: _ } => self.exprs([&operands.0, &operands.1]),
            ExprNode::IsTruth { expr, value: _, negated: _ } => self.expr(expr),
            ExprNode::Row(list) => self.exprs(list),
            ExprNode::Field(row, _) => self.expr(row),
            ExprNode::Subscript(array, index) => self.exprs([&**array, &**index]),
            ExprNode::Slice(array, from, to) => {
                self.exprs(core::iter::once(&**array).chain(from.as_deref()).chain(to.as_deref()));
            }
            ExprNode::AssignedParts(parts) => {
                self.exprs(parts.iter().flat_map(|(path, value)| path.iter().chain([value])))
            }
            ExprNode::AssignedFields(fields) => self.exprs(fields.iter().map(|(_, value)| value)),
            ExprNode::AnyArray { expr, op: _, array, all: _ } => self.exprs([&**expr, &**array]),
            ExprNode::Query { kind, query } => {
                match kind {
                    QueryKind::Any(expr, _) | QueryKind::All(expr, _) => self.expr(expr),
                    QueryKind::Exists | QueryKind::Scalar | QueryKind::Array => {}
                }
                self.select(query);
            }
        }
    }
}
