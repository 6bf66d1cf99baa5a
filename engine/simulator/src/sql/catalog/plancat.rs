//! What analysis and planning ask of the catalog, answered from the cluster.

use super::endpoint::index_end;
use crate::access::nbtree::root_height;
use crate::cluster::ddl::quote_identifier;
use crate::cluster::pg_class::{ColumnDefault, Constraint, ExprId};
use crate::cluster::{Class, Domains, EnumType, Lookup, RowTypes};
use crate::sql::ast::{Expr, ExprNode, Literal, RangeVar};
use crate::sql::catalog::{
    BrinStats, Catalog, ColumnInfo, ColumnSource, ColumnStats, EnabledScans, End, Ends, ForeignKeyInfo, IndexInfo,
    IndexKey, PageCosts, SqlFunction, TableInfo, View,
};
use crate::sql::elsewhere;
use crate::sql::error::NOT_SIMULATED;
use crate::sql::error::Position;
use crate::sql::executor::generated::generation_expr;
use crate::sql::expr::{Analyzer, Context, Node, RangeTable, Typed};
use crate::sql::guc;
use crate::sql::partition::PartitionDesc;
use crate::sql::plan::{fold, parts};
use crate::sql::tcop::Database;
use crate::sql::tcop::database::StoredExpr;
use crate::storage::{Buffer, Deferrable, Persistence, RelationData};
use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::input::Context as Input;
use ffviz_format::datum::{SqlError, SqlType, Value};
use ffviz_format::page::brin::brin_meta;
use ffviz_format::page::{ForkNumber, Oid, precedes};
use ffviz_format::state::RelKind;

/// Where expressions stand that nobody wrote.
pub(in crate::sql) const NOWHERE: Position = Position { line: 1, column: 1 };

impl Catalog for Database {
    fn constraint_index(&self, table: Oid, name: &str) -> Option<Option<Oid>> {
        let catalog = &self.cluster.catalog;
        let constraints = &catalog.class(table)?.constraints;
        let found = constraints.iter().find(|constraint| catalog.constraint_name(constraint) == name)?;
        Some(match found {
            Constraint::Index(index) => Some(*index),
            Constraint::Foreign { .. } | Constraint::Check { .. } | Constraint::NotNull { .. } => None,
        })
    }

    fn input(&self) -> Input {
        Context::input(self)
    }

    fn table(&self, name: &RangeVar) -> Option<TableInfo> {
        let oid = self.find(name)?;
        let kind = self.cluster.catalog.class(oid)?.kind;
        let is_table = matches!(kind, RelKind::Table | RelKind::PartitionedTable | RelKind::Toast);
        let info = is_table.then(|| self.table_info(oid)).flatten()?;
        Some(TableInfo { is_parent: !name.only && self.cluster.catalog.is_inherited(oid), ..info })
    }

    fn inheritors(&self, table: Oid) -> Vec<Oid> {
        self.cluster.catalog.inheritors(table)
    }

    /// `get_relation_constraints`
    fn known_of_rows(&self, table: Oid) -> Vec<Typed> {
        let catalog = &self.cluster.catalog;
        let (Some(class), Ok(relation)) = (catalog.class(table), self.cluster.pg.relation(table)) else {
            return Vec::new();
        };
        let mut known = Vec::new();
        for constraint in &class.constraints {
            if let Constraint::Check { expr, validated: true, enforced: true, .. } = constraint {
                known.extend(self.stored_condition(&relation, *expr));
            }
        }
        let in_part = catalog.not_null_in_part(table);
        for column in relation.desc.attributes() {
            if column.not_null && !column.dropped && !in_part.contains(&column.num) {
                let ty = column.ty();
                let value = Typed { node: Node::Slot(column.num - 1), ty };
                known.push(Typed { node: Node::IsNull(Box::new(value), true), ty: SqlType::BOOL });
            }
        }
        known
    }

    fn table_of(&self, oid: Oid) -> Option<TableInfo> {
        self.table_info(oid)
    }

    fn partition_desc(&self, table: Oid) -> Option<PartitionDesc> {
        let relation = self.cluster.pg.relations.get(&table)?;
        PartitionDesc::of(&self.cluster.catalog, relation, Context::input(self))
    }

    fn kind(&self, name: &RangeVar) -> Option<RelKind> {
        self.cluster.catalog.class(self.find(name)?).map(|class| class.kind)
    }

    fn view(&self, name: &RangeVar) -> Option<Arc<View>> {
        let (_, form) = self.cluster.find_view(name.schema.as_deref(), &name.name)?;
        self.views.get(form.query as usize).cloned()
    }

    fn constant_of(&mut self, function: &Arc<SqlFunction>, values: Vec<Value>) -> Option<Value> {
        if function.is_strict && values.iter().any(Value::is_null) {
            return Some(Value::Null);
        }
        // what it raises is raised again where it is run
        crate::sql::plpgsql::call(self, function, values).ok()
    }

    fn sql_functions(&self) -> Vec<Arc<SqlFunction>> {
        self.cluster.catalog.functions().filter_map(|number| self.functions.get(number as usize).cloned()).collect()
    }

    fn enums(&self) -> Arc<Vec<EnumType>> {
        self.cluster.catalog.enums().clone()
    }

    fn domains(&self) -> Domains {
        self.cluster.catalog.domains().clone()
    }

    fn row_types(&self) -> RowTypes {
        Self::row_types(self)
    }

    fn scans(&self) -> EnabledScans {
        let settings = &self.cluster.pg.backend().settings;
        EnabledScans {
            seqscan: settings.enable_seqscan,
            indexscan: settings.enable_indexscan,
            indexonlyscan: settings.enable_indexonlyscan,
            bitmapscan: settings.enable_bitmapscan,
            tidscan: settings.enable_tidscan,
            sort: settings.enable_sort,
            presorted_aggregate: settings.enable_presorted_aggregate,
            hashagg: settings.enable_hashagg,
            incremental_sort: settings.enable_incremental_sort,
            nestloop: settings.enable_nestloop,
            mergejoin: settings.enable_mergejoin,
            hashjoin: settings.enable_hashjoin,
            material: settings.enable_material,
            memoize: settings.enable_memoize,
            partition_pruning: settings.enable_partition_pruning,
            constraint_exclusion: settings.constraint_exclusion,
        }
    }

    fn index_end(&mut self, table: Oid, index: &IndexInfo, end: End) -> Result<Option<Value>, SqlError> {
        index_end(self, table, index.oid, end)
    }

    fn extensions(&self) -> Vec<&'static str> {
        self.extensions.iter().copied().collect()
    }

    fn names_relation(&self, name: &str) -> Result<(), SqlError> {
        self.regclass_in(name).map(|_| ())
    }

    fn look_up(&mut self, wanted: Vec<Lookup>) {
        self.cluster.look_up(wanted);
    }
}

impl Database {
    /// The relation of that name.
    pub(in crate::sql) fn find(&self, name: &RangeVar) -> Option<Oid> {
        self.cluster.find(name.schema.as_deref(), &name.name)
    }

    /// The relation of that name.
    pub(in crate::sql) fn open(&self, name: &RangeVar) -> Result<Arc<RelationData>, SqlError> {
        self.cluster.pg.relation(self.find(name).ok_or_else(|| self.missing(name, "relation"))?)
    }

    /// There is no relation of that name: `word` is what a server calls it in its error (`RangeVarGetRelid`).
    pub(in crate::sql) fn missing(&self, name: &RangeVar, word: &str) -> SqlError {
        if self.view(name).is_some() {
            return SqlError::new(
                NOT_SIMULATED,
                format!("{name} is a view, of which this is not supported; tables have it"),
            );
        }
        if name.schema.as_deref().is_some_and(|schema| self.cluster.is_hidden(schema)) {
            let message = "the schema of another session's temporary tables is not supported; pg_temp is one's own";
            return SqlError::new(NOT_SIMULATED, message);
        }
        let schema = name.schema.as_deref().map_or(Ok(()), |schema| self.cluster.check_schema(schema));
        schema.err().unwrap_or_else(|| elsewhere::relation(name, word))
    }

    /// The schema that a new relation goes to, and whether it has one of that name.
    pub(in crate::sql) fn creation(&self, name: &RangeVar) -> Result<(String, bool), SqlError> {
        if self.cluster.creates_temporary(name.schema.as_deref()) {
            let message = "anything but a table in pg_temp, and a search_path that begins with it, is not supported";
            return Err(SqlError::new(NOT_SIMULATED, message));
        }
        let schema = self.cluster.creation_schema(name.schema.as_deref())?;
        let is_there = self.cluster.catalog.find(&schema, &name.name).is_some();
        Ok((schema, is_there))
    }

    /// `RangeVarGetAndCheckCreationNamespace`: the same of a table, and what it then is: one of pg_temp is temporary.
    pub(in crate::sql) fn creation_of_table(
        &mut self,
        name: &RangeVar,
        wanted: Persistence,
    ) -> Result<(String, Persistence, bool), SqlError> {
        let is_named = name.schema.as_deref().is_some_and(|schema| self.cluster.is_temp_schema(schema));
        let is_other = name.schema.is_some() && !is_named;
        if !is_named && (wanted != Persistence::Temporary || is_other) {
            let (schema, is_there) = self.creation(name)?;
            if wanted == Persistence::Temporary {
                let message = "cannot create temporary relation in non-temporary schema";
                return Err(SqlError::new("42P16", message));
            }
            return Ok((schema, wanted, is_there));
        }
        if wanted == Persistence::Unlogged {
            let message = "only temporary relations may be created in temporary schemas";
            return Err(SqlError::new("42P16", message));
        }
        if elsewhere::is_catalog(&RangeVar::new(None, name.name.clone())) {
            let message = "a temporary table that hides a catalog is not supported";
            return Err(SqlError::new(NOT_SIMULATED, message));
        }
        let schema = self.cluster.init_temp_namespace();
        let is_there = self.cluster.catalog.find(&schema, &name.name).is_some();
        Ok((schema, Persistence::Temporary, is_there))
    }

    /// A table as the planner sees it.
    pub(super) fn table_info(&self, oid: Oid) -> Option<TableInfo> {
        let (class, relation) = (self.cluster.catalog.class(oid)?, self.cluster.pg.relations.get(&oid)?);
        let is_valid = |index: &&Oid| self.cluster.pg.relations.get(index).is_some_and(|index| !index.is_invalid());
        let (usable, unusable): (Vec<Oid>, Vec<Oid>) =
            relation.indexes.iter().filter(is_valid).partition(|index| self.is_usable(**index));
        let infos = |indexes: Vec<Oid>| -> Vec<IndexInfo> {
            indexes.into_iter().filter_map(|index| self.index_info(relation, index)).collect()
        };
        let (summaries, indexes) = infos(usable).into_iter().partition(|index: &IndexInfo| index.brin.is_some());
        let stats = self.cluster.known_stats(oid);
        Some(TableInfo {
            oid,
            name: class.name.clone(),
            row_type: class.row_type,
            columns: self.columns(class, relation),
            is_partitioned: class.kind == RelKind::PartitionedTable,
            is_parent: false,
            has_subclass: class.inheritance.has_subclass,
            is_toast: class.kind == RelKind::Toast,
            indexes,
            summaries,
            unusable: infos(unusable).into_iter().filter(|index| index.brin.is_none()).collect(),
            blocks: self.cluster.pg.buffers.nblocks(relation.file, ForkNumber::Main),
            relpages: stats.relpages,
            reltuples: f64::from(stats.reltuples),
            relallvisible: stats.relallvisible,
            has_triggers: stats.has_triggers,
            foreign_keys: foreign_keys(class),
            fillfactor: relation.fillfactor.unwrap_or(100),
            page_costs: self.page_costs(),
            sample: None,
            stats: self.column_stats(class, relation),
            extended: class
                .statistics_objects
                .iter()
                .filter_map(|it| it.data.clone())
                .filter(|it| !it.columns.is_empty())
                .collect(),
        })
    }

    /// What reading blocks costs, as the session has set it.
    fn page_costs(&self) -> PageCosts {
        let pg = &self.cluster.pg;
        let set = |name: &str| {
            let is_set = [&pg.backend().settings.shown, &pg.settings.shown].iter().any(|it| it.contains_key(name));
            if !is_set {
                return None;
            }
            let guc = guc::find(name, self.cluster.version().major())?;
            let (_, shown) = self.setting(name)?;
            guc.read(&shown, self.cluster.version().major()).ok()
        };
        let default = PageCosts::default();
        PageCosts {
            seq: set("seq_page_cost").map_or(default.seq, |value| value.rate()),
            random: set("random_page_cost").map_or(default.random, |value| value.rate()),
            cache: set("effective_cache_size").and_then(|value| value.number()).map_or(default.cache, |it| it as f64),
        }
    }

    /// May the planner take the index, for a snapshot that is taken now (`get_relation_info`)?
    pub(in crate::sql) fn is_usable(&self, index: Oid) -> bool {
        let form = self.cluster.pg.relations.get(&index).and_then(|relation| relation.index.as_ref());
        let check_xmin = form.and_then(|form| form.check_xmin);
        check_xmin.is_none_or(|xmin| precedes(xmin, self.cluster.pg.transaction_xmin()))
    }

    /// What ANALYZE found out of columns, and of expressions that indexes have as keys.
    fn column_stats(&self, class: &Class, table: &RelationData) -> Vec<(Node, Arc<ColumnStats>)> {
        let of_columns = class.column_stats.iter();
        let mut stats: Vec<_> =
            of_columns.map(|(attnum, stats)| (Node::Slot(attnum.saturating_sub(1)), stats.clone())).collect();
        for index in &table.indexes {
            let Some(class) = self.cluster.catalog.class(*index).filter(|class| !class.column_stats.is_empty()) else {
                continue;
            };
            let Some(relation) = self.cluster.pg.relations.get(index) else { continue };
            let keys = (1..).zip(self.index_expressions(table, relation));
            stats.extend(keys.filter_map(|(n, key)| Some((key.node, class.column_stats.get(&n)?.clone()))));
        }
        let objects = class.statistics_objects.iter();
        let of_expressions = objects.filter_map(|it| Some((it.expr?, it.data.as_ref()?.expr.clone()?)));
        stats.extend(of_expressions.filter_map(|(id, known)| Some((self.statistics_expr(table, id)?.node, known))));
        stats
    }

    /// The expression that a statistics object is of.
    pub(in crate::sql) fn statistics_expr(&self, table: &RelationData, id: ExprId) -> Option<Typed> {
        let stored = self.expressions.get(id)?;
        let expr = self.analyzer(&range_when_stored(table, stored)).decided(&stored.expr).ok()?;
        Some(fold(expr.clone(), Context::input(self)).unwrap_or(expr))
    }

    /// `_bt_getrootheight`
    fn root_height(&self, index: &RelationData) -> u32 {
        let meta = Buffer::main(index.file, 0);
        if self.cluster.pg.buffers.nblocks(index.file, ForkNumber::Main) == 0 {
            return 0;
        }
        root_height(self.cluster.pg.buffers.page(meta))
    }

    /// `brinGetStats`
    fn brin_stats(&self, index: &RelationData) -> BrinStats {
        let meta = Buffer::main(index.file, 0);
        if self.cluster.pg.buffers.nblocks(index.file, ForkNumber::Main) == 0 {
            return BrinStats { pages_per_range: 1, revmap_pages: 0 };
        }
        let meta = brin_meta(self.cluster.pg.buffers.page(meta));
        let revmap_pages = meta.lastRevmapPage().saturating_sub(1);
        BrinStats { pages_per_range: meta.pagesPerRange().max(1), revmap_pages }
    }

    fn columns(&self, class: &Class, relation: &RelationData) -> Vec<ColumnInfo> {
        let columns = relation.desc.attributes().iter().enumerate();
        // to plans a column whose NOT NULL is NOT VALID may be NULL (`attnullability`)
        let not_valid = self.cluster.catalog.not_null_in_part(class.oid);
        let column = |(n, attribute): (usize, &ffviz_format::datum::Attribute)| {
            let default = class.defaults.get(n).copied().unwrap_or_default();
            let expr = match default {
                ColumnDefault::Null => None,
                ColumnDefault::Expr(id) => self.expressions.get(id).map(|stored| stored.expr.clone()),
                ColumnDefault::Generated(_) | ColumnDefault::Virtual(_) => None,
                ColumnDefault::Sequence(sequence) | ColumnDefault::Identity { sequence, .. } => {
                    self.nextval_of(sequence)
                }
            };
            let domain = class.domains.get(&attribute.num).copied();
            let of_domain = domain.and_then(|domain| self.cluster.catalog.domain(domain)?.default);
            let of_domain = of_domain.filter(|_| !default.is_generated());
            let of_domain = of_domain.and_then(|id| self.expressions.get(id)).map(|stored| stored.expr.clone());
            let source = match default {
                ColumnDefault::Generated(_) | ColumnDefault::Virtual(_) => ColumnSource::Generated,
                ColumnDefault::Identity { always: true, .. } => ColumnSource::IdentityAlways,
                ColumnDefault::Identity { .. } => ColumnSource::IdentityByDefault,
                ColumnDefault::Null | ColumnDefault::Expr(_) | ColumnDefault::Sequence(_) => ColumnSource::Given,
            };
            let generation = match default {
                ColumnDefault::Virtual(id) => generation_expr(self, relation, n, id).ok().map(Arc::new),
                _ => None,
            };
            let mut attribute = attribute.clone();
            attribute.not_null &= !not_valid.contains(&attribute.num);
            ColumnInfo { attribute, domain, default: expr.or(of_domain), source, generation }
        };
        columns.map(column).collect()
    }

    /// `nextval('sequence')`
    pub(in crate::sql) fn nextval_of(&self, sequence: Oid) -> Option<Expr> {
        let class = self.cluster.catalog.class(sequence)?;
        let name = format!("{}.{}", quote_identifier(&class.schema), quote_identifier(&class.name));
        let name = Expr { node: ExprNode::Literal(Literal::String(name)), position: NOWHERE };
        let node = ExprNode::Function {
            name: "nextval".to_string(),
            args: alloc::vec![name],
            star: false,
            distinct: false,
            order_by: Vec::new(),
            filter: None,
            over: None,
            form: false,
        };
        Some(Expr { node, position: NOWHERE })
    }

    fn index_info(&self, table: &RelationData, oid: Oid) -> Option<IndexInfo> {
        let (class, relation) = (self.cluster.catalog.class(oid)?, self.cluster.pg.relations.get(&oid)?);
        let form = relation.index.as_ref()?;
        let keys = self.index_expressions(table, relation);
        let columns = form.columns.iter().zip(keys).take(form.n_keys.into());
        let stats = self.cluster.known_stats(oid);
        Some(IndexInfo {
            oid,
            name: class.name.clone(),
            unique: form.unique && form.gist.is_none(),
            primary: form.primary,
            excludes: form.gist.as_ref().is_some_and(|gist| !gist.operators.is_empty()),
            immediate: form.deferrable == Deferrable::No,
            keys: columns
                .map(|(key, expr)| IndexKey {
                    expr,
                    descending: key.desc,
                    nulls_first: key.nulls_first,
                    pattern: key.pattern,
                })
                .collect(),
            include: form.columns.iter().skip(form.n_keys.into()).map(|key| key.attnum.saturating_sub(1)).collect(),
            predicate: self.predicate(table, oid),
            blocks: self.cluster.pg.buffers.nblocks(relation.file, ForkNumber::Main),
            relpages: stats.relpages,
            reltuples: f64::from(stats.reltuples),
            height: if form.is_btree() { self.root_height(relation) } else { 0 },
            gist: form.gist.as_ref().map(|gist| gist.classes.clone()),
            brin: form.summarizing.then(|| self.brin_stats(relation)),
            ends: Ends::default(),
        })
    }

    /// What an index' columns are, over the table's columns as slots.
    pub(in crate::sql) fn index_expressions(&self, table: &RelationData, index: &RelationData) -> Vec<Typed> {
        let Some(form) = &index.index else { return Vec::new() };
        let columns = form.columns.iter().enumerate();
        let column = |(n, key): (usize, &crate::storage::IndexKey)| match key.attnum.checked_sub(1) {
            Some(slot) => {
                let attribute = table.desc.attributes().get(usize::from(slot))?;
                let ty = attribute.ty();
                Some(Typed { node: Node::Slot(slot), ty })
            }
            None => {
                let stored = self.expressions.get(*self.expressions.keys.get(&(index.oid, n as u16))?)?;
                let expr = self.analyzer(&range_when_stored(table, stored)).decided(&stored.expr).ok()?;
                Some(fold(expr.clone(), Context::input(self)).unwrap_or(expr))
            }
        };
        columns.filter_map(column).collect()
    }

    /// WHERE of an index, its ANDs apart and its constant parts worked out (`RelationGetIndexPredicate`).
    pub(in crate::sql) fn predicate(&self, table: &RelationData, index: Oid) -> Vec<Typed> {
        let Some(id) = self.expressions.predicates.get(&index) else { return Vec::new() };
        self.stored_condition(table, *id)
    }

    /// An expression of the catalog that is a condition.
    pub(in crate::sql) fn stored_condition(&self, table: &RelationData, id: ExprId) -> Vec<Typed> {
        let Some(stored) = self.expressions.get(id) else { return Vec::new() };
        self.condition_over(&range_when_stored(table, stored), stored)
    }

    /// The same over these columns.
    pub(in crate::sql) fn condition_over(&self, range: &RangeTable, stored: &StoredExpr) -> Vec<Typed> {
        let Ok(condition) = self.analyzer(range).condition(&stored.expr) else { return Vec::new() };
        match parts(condition.clone(), Context::input(self)) {
            Ok(Some(parts)) => parts,
            // never true, which may be NULL, and so no violation of a CHECK; or an error, with which a row fails that
            // comes to it
            Ok(None) | Err(_) => alloc::vec![condition],
        }
    }

    pub(in crate::sql) fn analyzer<'a>(&self, range: &'a RangeTable) -> Analyzer<'a> {
        let mut analyzer = Analyzer::new(range, Context::input(self), "WHERE");
        (analyzer.enums, analyzer.functions) = (self.enums(), self.sql_functions());
        (analyzer.domains, analyzer.row_types) = (self.domains(), self.row_types());
        analyzer.extensions = self.extensions();
        analyzer
    }
}

/// The table alone, its columns by the names that they had when an expression was stored.
pub(in crate::sql) fn range_when_stored(table: &RelationData, stored: &StoredExpr) -> RangeTable {
    let mut columns = table.desc.attributes().to_vec();
    columns.iter_mut().zip(&stored.columns).for_each(|(column, name)| column.name.clone_from(name));
    let mut range = RangeTable::default();
    range.add_table(&table.name, &columns);
    range
}

/// The table alone.
pub(in crate::sql) fn range_of(table: &RelationData) -> RangeTable {
    let mut range = RangeTable::default();
    range.add_table(&table.name, table.desc.attributes());
    range
}

/// `RelationGetFKeyList`: those that are enforced.
fn foreign_keys(class: &Class) -> Vec<ForeignKeyInfo> {
    let mut found: Vec<(&String, ForeignKeyInfo)> = Vec::new();
    for constraint in &class.constraints {
        if let Constraint::Foreign { name, columns, table, columns_to, enforced: true, .. } = constraint {
            let columns = columns.iter().zip(columns_to).map(|(own, its)| (own - 1, its - 1)).collect();
            found.push((name, ForeignKeyInfo { table: *table, columns }));
        }
    }
    found.sort_by_key(|(name, _)| *name);
    found.into_iter().map(|(_, key)| key).collect()
}
