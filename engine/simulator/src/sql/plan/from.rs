//! FROM: its items in the order in which they are looped over, and the names of their columns (`transformFromClause`,
//! src/backend/parser/parse_clause.c).
//!
//! ```text
//!  a JOIN b ON … LEFT JOIN c ON …     a ─▶ b ─▶ c, each within the one before
//!  a RIGHT JOIN b                     b ─▶ a: rows of b without a partner stay
//! ```

use super::SelectPlan;
use super::expected_rows;
use super::fold::{fold, parts};
use super::query::Wanted;
use super::sample::Sample;
use super::source::{CommonPlan, Semi, Source, SourceRows};
use super::statement::{Planner, range_of};
use super::targets::name_of;
use crate::cluster::ddl::quote_identifier;
use crate::sql::StatementError;
use crate::sql::ast::{
    BinaryOp, Expr, ExprNode, FromItem, Join, JoinCondition, JoinKind, Literal, RangeVar, TableSample,
};
use crate::sql::catalog::looking::{self, SEQUENCE};
use crate::sql::catalog::{SqlFunction, TableInfo};
use crate::sql::expr::{Builtin, Column, Node, RangeEntry, RangeTable, SYSTEM, SystemColumns, Typed};
use crate::version::SqlBehaviour;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::{SqlError, SqlType, Value};
use ffviz_format::page::{Oid, PgVersion};

/// FROM.
#[derive(Default)]
pub(super) struct From {
    /// the table that is scanned first
    pub table: Option<TableInfo>,
    /// names
    pub range: RangeTable,
    /// what is looped over within it
    pub sources: Vec<Source>,
    /// ON and USING of inner joins
    pub conditions: Vec<Typed>,
    /// tables among the sources: number of the source, the table, its first slot
    pub tables: Vec<(usize, TableInfo, u16)>,
}

/// A query of WITH, as FROM finds it.
#[derive(Clone)]
pub(super) struct Common {
    pub name: String,
    pub columns: Vec<Column>,
    /// how many of the last ones `*` leaves out
    pub hidden: usize,
    /// is it a transition table?
    pub is_table: bool,
    /// `None`: within its own recursive part, and of a transition table
    pub plan: Option<Arc<CommonPlan>>,
}

/// An item that is no JOIN.
struct Leaf<'a> {
    item: &'a FromItem,
    /// its place in the statement
    order: usize,
    keeps_left: bool,
    /// FULL: its own rows without a partner stay, too
    keeps_right: bool,
    /// which rows before it stay, where its own do not come out
    semi: Option<Semi>,
    /// each with the first place that its join has in the statement
    conditions: Vec<(&'a JoinCondition, usize)>,
}

impl Planner<'_> {
    pub(super) fn from(&mut self, items: &[FromItem]) -> Result<From, StatementError> {
        let (mut leaves, mut count) = (Vec::new(), 0);
        for item in items {
            leaves.extend(flattened(item, &mut count)?);
        }
        let tables: Vec<usize> = (0..leaves.len()).filter(|n| self.is_table(&leaves[*n])).collect();
        self.table_first(leaves, &tables)
    }

    fn table_first(&mut self, mut leaves: Vec<Leaf<'_>>, tables: &[usize]) -> Result<From, StatementError> {
        // a table alone is scanned first, wherever it stands
        if let [only] = *tables
            && leaves.iter().all(|leaf| !leaf.keeps_left && leaf.conditions.is_empty())
        {
            let leaf = leaves.remove(only);
            leaves.insert(0, leaf);
        }
        self.added(&leaves, tables)
    }

    /// The items in that order.
    fn added(&mut self, leaves: &[Leaf<'_>], tables: &[usize]) -> Result<From, StatementError> {
        let is_outer = leaves.iter().any(|leaf| leaf.keeps_left);
        if leaves.len() > 2 && leaves.iter().any(|leaf| leaf.keeps_right) {
            let message = "FULL JOIN beside another item of FROM is not supported; put it into a query in FROM";
            return Err(StatementError::unsupported(message, None));
        }
        let mut from = From::default();
        let is_sampled = |leaf: &Leaf<'_>| matches!(leaf.item, FromItem::Table { sample: Some(_), .. });
        if leaves.len() > 1 && leaves.iter().any(is_sampled) {
            let message = "TABLESAMPLE of one of several tables is not supported";
            return Err(StatementError::unsupported(message, None));
        }
        for (n, leaf) in leaves.iter().enumerate() {
            let is_first_table = n == 0 && !tables.is_empty() && self.is_table(leaf);
            self.add(&mut from, leaf, is_first_table)?;
        }
        if is_outer && from.range.entries.iter().any(|entry| !entry.generated.is_empty()) {
            let message = "a virtual generated column beside an outer join is not supported; put its table into a view";
            return Err(StatementError::unsupported(message, None));
        }
        Ok(from)
    }

    fn is_table(&self, leaf: &Leaf<'_>) -> bool {
        match leaf.item {
            FromItem::Table { name, .. } => self.common(name).is_none() && self.catalog.kind(name).is_some(),
            _ => false,
        }
    }

    /// The query of WITH of that name.
    pub(super) fn common(&self, name: &RangeVar) -> Option<&Common> {
        self.commons.iter().rev().find(|common| name.schema.is_none() && common.name == name.name)
    }

    fn add(&mut self, from: &mut From, leaf: &Leaf<'_>, is_first_table: bool) -> Result<(), StatementError> {
        let first = from.range.width();
        match leaf.item {
            FromItem::Table { name, alias, columns, sample } => {
                self.add_relation(from, name, alias.as_deref(), columns, is_first_table)?;
                if let Some(sample) = sample {
                    add_sample(from, sample, is_first_table)?;
                }
            }
            FromItem::Function { call, alias, columns, ordinality } if self.sql_function(call).is_some() => {
                self.add_sql_function(from, call, alias.as_deref(), (columns, *ordinality))?;
            }
            FromItem::Function { call, alias, columns, ordinality } => {
                let source = self.function(&from.range, call, *ordinality, alias.as_ref())?;
                let (name, mut entry, source) = source;
                rename(&mut entry, columns, &name)?;
                from.range.add(&name, entry);
                if let (Some(entry), SourceRows::Function(function, _)) = (from.range.entries.last_mut(), &source.rows)
                {
                    entry.is_scalar = looking::names_its_column(function);
                    if *function == looking::ROW_LOCKS {
                        entry.catalog = Some(looking::ROW_LOCKS.to_string());
                    }
                }
                from.sources.push(source);
            }
            FromItem::Query { query, alias, columns, lateral } => {
                let around = if *lateral { Some(&from.range) } else { None };
                let planned = self.sub_query(query, around)?;
                let name = alias.clone().unwrap_or_default();
                if alias.is_none() && !self.version().takes_unnamed_queries() {
                    return Err(StatementError::server("42601", "subquery in FROM must have an alias"));
                }
                let outputs = planned.plan.targets.iter();
                let mut entry: Vec<Column> =
                    outputs.map(|output| Column { name: output.name.clone(), ty: output.value.ty() }).collect();
                rename(&mut entry, columns, &name)?;
                let reads = *lateral && !planned.reads.is_empty();
                from.sources.push(source(SourceRows::Query(planned.plan), &entry, reads));
                from.range.add(&name, entry);
            }
            FromItem::Join(_) => {}
        }
        let entry = from.range.entries.len() - 1;
        let has_alias = matches!(leaf.item, FromItem::Table { alias: Some(_), .. });
        check_name_conflicts(&from.range.entries, has_alias)?;
        from.range.entries[entry].order = leaf.order;
        from.range.entries[entry].first = first;
        from.range.entries[entry].is_nullable = leaf.keeps_left;
        if leaf.keeps_right
            && let Some(source) = from.sources.last_mut()
        {
            source.rows = whole(source);
            source.keeps_right = Some(usize::from(first));
            from.range.entries.iter_mut().for_each(|entry| entry.is_nullable = true);
        }
        for (condition, since) in &leaf.conditions {
            let parts = self.joined_by(&mut from.range, condition, (entry, *since, leaf.keeps_right))?;
            if leaf.keeps_right && !parts.is_empty() && !parts.iter().any(|part| is_join_key(part, first)) {
                let message = "FULL JOIN is only supported with merge-joinable or hash-joinable join conditions";
                return Err(StatementError::server("0A000", message));
            }
            if let Some(source) = from.sources.last_mut().filter(|_| leaf.keeps_left || leaf.semi.is_some()) {
                (source.keeps_left, source.semi) = (leaf.keeps_left, leaf.semi);
                source.on.extend(parts);
            } else {
                from.conditions.extend(parts);
            }
        }
        Ok(())
    }

    fn add_relation(
        &mut self,
        from: &mut From,
        name: &RangeVar,
        alias: Option<&str>,
        names: &[String],
        is_first_table: bool,
    ) -> Result<(), StatementError> {
        let before = from.range.entries.len();
        self.add_named(from, name, (alias, names), is_first_table)?;
        from.range.qualify(before, name, alias);
        Ok(())
    }

    fn add_named(
        &mut self,
        from: &mut From,
        name: &RangeVar,
        (alias, names): (Option<&str>, &[String]),
        is_first_table: bool,
    ) -> Result<(), StatementError> {
        let shown = alias.unwrap_or(&name.name).to_string();
        if let Some(Common { columns, plan, name: common, is_table, hidden }) = self.common(name).cloned() {
            if plan.as_ref().and_then(|plan| plan.plan()).is_some_and(|plan| plan.returning().is_none()) {
                let message = format!("WITH query \"{common}\" does not have a RETURNING clause");
                return Err(StatementError::server("0A000", message));
            }
            let mut entry = columns;
            let rows = match plan {
                Some(plan) => SourceRows::Common(plan),
                None if is_table => SourceRows::Transition(common),
                None => SourceRows::Work(common),
            };
            rename(&mut entry, names, &shown)?;
            from.sources.push(source(rows, &entry, false));
            from.range.add(&shown, entry);
            let end = from.range.width();
            from.range.entries.iter_mut().last().into_iter().for_each(|it| it.hidden.extend(end - hidden as u16..end));
            return Ok(());
        }
        if let Some(view) = self.catalog.view(name) {
            // what WITH names is not meant in its query
            let commons = core::mem::take(&mut self.commons);
            let planned = self.sub_query(&view.query, None);
            self.commons = commons;
            let columns = view.columns.iter().zip(&view.types);
            let mut entry: Vec<Column> = columns.map(|(name, ty)| Column { name: name.clone(), ty: *ty }).collect();
            rename(&mut entry, names, &shown)?;
            from.sources.push(source(SourceRows::Query(planned?.plan), &entry, false));
            from.range.add(&shown, entry);
            return Ok(());
        }
        if let Some((rows, mut entry)) = self.looked_at(name) {
            rename(&mut entry, names, &shown)?;
            let is_sequence = matches!(rows, SourceRows::Function(SEQUENCE, _));
            let known = match rows {
                SourceRows::Function(known, _) if !is_sequence => known.to_string(),
                _ => name.name.clone(),
            };
            let mut of_rows = source(rows, &entry, false);
            from.range.add(&shown, entry);
            if let Some(entry) = from.range.entries.last_mut() {
                if let Some(place) = looking::view_text(&known) {
                    let oid = Typed { node: Node::Slot(entry.columns.len() as u16 - 1), ty: SqlType::OID };
                    let node = Node::Call(const { Builtin::of("pg_get_viewdef") }, Vec::from([oid]));
                    entry.generated = Vec::from([(place, Arc::new(Typed { node, ty: SqlType::TEXT }))]);
                }
                entry.catalog = Some(known);
                if is_sequence {
                    entry.system = SystemColumns::Read;
                    of_rows.types.extend(SYSTEM.iter().map(|(_, ty)| *ty));
                }
            }
            from.sources.push(of_rows);
            return Ok(());
        }
        let table = self.any_table(name)?;
        let of_table = range_of(&table, alias);
        let [mut entry] =
            <[_; 1]>::try_from(of_table.entries).map_err(|_| StatementError::server("XX000", "a table"))?;
        rename(&mut entry.columns, names, &shown)?;
        from.range.entries.push(entry);
        if is_first_table {
            from.table = Some(table);
            return Ok(());
        }
        let mut types: Vec<SqlType> = table.columns.iter().map(crate::sql::catalog::ColumnInfo::ty).collect();
        types.extend(SYSTEM.iter().map(|(_, ty)| *ty));
        from.tables.push((from.sources.len(), table.clone(), from.range.entries.last().map_or(0, |it| it.first)));
        let rows = SourceRows::Table(Arc::new(Wanted::nothing(&table)));
        from.sources.push(Source { types, ..source(rows, &[], false) });
        Ok(())
    }

    /// The function in SQL that is called.
    fn sql_function(&self, call: &Expr) -> Option<Arc<SqlFunction>> {
        let ExprNode::Function { name, .. } = &call.node else { return None };
        self.catalog.sql_functions().into_iter().find(|function| function.name == *name)
    }

    /// Its query in place of it.
    fn add_sql_function(
        &mut self,
        from: &mut From,
        call: &Expr,
        alias: Option<&str>,
        (names, ordinality): (&[String], bool),
    ) -> Result<(), StatementError> {
        let (Some(function), ExprNode::Function { args, .. }) = (self.sql_function(call), &call.node) else {
            return Ok(());
        };
        let args = &*self.analyze(&from.range, "FROM", |analyzer| analyzer.in_places_of(&function, args))?;
        if !function.stands_for_call(args) || ordinality {
            return self.add_routine(from, &function, args, alias, (names, ordinality));
        }
        let mut query = function.called(args)?;
        if !function.is_set {
            query.limit =
                Some(Expr { node: ExprNode::Literal(Literal::Number("1".to_string())), position: call.position });
        }
        let shown = alias.unwrap_or(&function.name).to_string();
        let planned = self.sub_query(&query, None)?;
        let outputs = planned.plan.targets.iter();
        let mut entry: Vec<Column> =
            outputs.map(|output| Column { name: output.name.clone(), ty: output.value.ty() }).collect();
        // a function of one column gives it the alias
        if let ([column], true) = (&mut entry[..], alias.is_some() && !function.has_outs) {
            column.name.clone_from(&shown);
        }
        rename(&mut entry, names, &shown)?;
        from.sources.push(source(SourceRows::Query(planned.plan), &entry, false));
        from.range.add(&shown, entry);
        Ok(())
    }

    /// A function of the script's that is run, for each row before it where it reads one.
    fn add_routine(
        &mut self,
        from: &mut From,
        function: &Arc<SqlFunction>,
        args: &[Expr],
        alias: Option<&str>,
        (names, ordinality): (&[String], bool),
    ) -> Result<(), StatementError> {
        const VOID: Oid = 2278;
        let input = self.catalog.input();
        let args = self.analyze(&from.range, "FROM", |analyzer| {
            let args = analyzer.routine_args(function, args)?;
            Ok(args.into_iter().map(|arg| fold(arg, input)).collect::<Result<Vec<_>, _>>()?)
        })?;
        let shown = alias.unwrap_or(&function.name).to_string();
        let column = |(name, ty): &(String, SqlType)| Column { name: name.clone(), ty: SqlType::plain(ty.oid) };
        let mut entry: Vec<Column> = function.columns.iter().map(column).collect();
        let is_scalar = function.row_type.is_none() && entry.len() <= 1;
        if entry.is_empty() {
            entry.push(Column { name: function.name.clone(), ty: SqlType::plain(VOID) });
        }
        if let ([column], true) = (&mut entry[..], alias.is_some() && is_scalar && !function.has_outs) {
            column.name.clone_from(&shown);
        }
        let mut source = source(SourceRows::Routine(function.clone(), args), &entry, false);
        source.lateral = source.args().iter().any(|arg| arg.any(&|node| matches!(node, Node::Slot(_))));
        source.ordinality = ordinality;
        if ordinality {
            entry.push(Column { name: "ordinality".to_string(), ty: SqlType::INT8 });
        }
        rename(&mut entry, names, &shown)?;
        from.sources.push(source);
        from.range.add(&shown, entry);
        if let Some(entry) = from.range.entries.last_mut() {
            entry.is_scalar = is_scalar && !ordinality;
        }
        Ok(())
    }

    /// A catalog, or a sequence, as a relation that is read.
    pub(super) fn looked_at(&self, name: &RangeVar) -> Option<(SourceRows, Vec<Column>)> {
        if self.catalog.kind(name) == Some(ffviz_format::state::RelKind::Sequence) {
            let schema = name.schema.iter().map(|schema| quote_identifier(schema) + ".");
            let whole: String = schema.chain([quote_identifier(&name.name)]).collect();
            let argument = Typed::constant(Value::text(&whole), SqlType::TEXT);
            let columns = columns_of(&[("last_value", 20), ("log_cnt", 20), ("is_called", 16)]);
            return Some((SourceRows::Function(SEQUENCE, Vec::from([argument])), columns));
        }
        if self.catalog.kind(name).is_some() {
            return None;
        }
        let catalog = looking::catalog(name, self.major())?;
        if catalog.extension.is_some_and(|extension| !self.catalog.extensions().contains(&extension)) {
            return None;
        }
        Some((SourceRows::Function(catalog.name, Vec::new()), columns_of(&catalog.columns(self.major()))))
    }

    /// A function: its name there, its columns, its rows.
    fn function(
        &mut self,
        range: &RangeTable,
        call: &Expr,
        ordinality: bool,
        alias: Option<&String>,
    ) -> Result<(String, Vec<Column>, Source), StatementError> {
        let (major, input) = (self.major(), self.catalog.input());
        let name = name_of(call, alias, major);
        let (rows, columns) = self.analyze(range, "FROM", |analyzer| {
            if let Some((function, args, mut columns)) = analyzer.set_function(call)? {
                let args = args.into_iter().map(|arg| fold(arg, input)).collect::<Result<Vec<_>, _>>()?;
                // a function of one column gives it the alias
                if let [column] = &mut columns[..]
                    && alias.is_some()
                    && !looking::names_its_column(function)
                {
                    column.name.clone_from(&name);
                }
                return Ok((SourceRows::Function(function, args), columns));
            }
            if let Some(series) = analyzer.series(call)? {
                let column = Column { name: name.clone(), ty: series.ty };
                let series = expected_rows::of_arguments(series, input)?;
                return Ok((SourceRows::Series(series), Vec::from([column])));
            }
            let value = fold(analyzer.decided(call)?, input)?;
            let column = Column { name: name.clone(), ty: value.ty };
            Ok((SourceRows::Value(value), Vec::from([column])))
        })?;
        let mut source = source(rows, &columns, false);
        source.lateral = source.args().iter().any(|arg| arg.any(&|node| matches!(node, Node::Slot(_))));
        source.ordinality = ordinality;
        let mut columns = columns;
        if ordinality {
            columns.push(Column { name: "ordinality".to_string(), ty: SqlType::INT8 });
        }
        Ok((name, columns, source))
    }

    /// ON, USING or NATURAL between the entry and those before it; `keeps_both`: rows of either side alone too.
    fn joined_by(
        &mut self,
        range: &mut RangeTable,
        condition: &JoinCondition,
        (entry, since, keeps_both): (usize, usize, bool),
    ) -> Result<Vec<Typed>, StatementError> {
        let names = match condition {
            JoinCondition::All => return Ok(Vec::new()),
            JoinCondition::On(expr) => {
                check_scope(range, expr, since, self.version())?;
                let condition = self.analyze(range, "JOIN/ON", |analyzer| analyzer.condition(expr))?;
                let never = || Vec::from([Typed::constant(Value::Bool(false), SqlType::BOOL)]);
                return Ok(parts(condition, self.catalog.input())?.unwrap_or_else(never));
            }
            JoinCondition::Using(names) => names.clone(),
            JoinCondition::Natural => {
                let mine = range.entries[entry].columns.iter().map(|column| column.name.clone());
                let of_others = |name: &String| {
                    range.entries[..entry].iter().any(|it| it.columns.iter().any(|column| column.name == *name))
                };
                mine.filter(|name| !name.is_empty() && of_others(name)).collect()
            }
        };
        let (mut found, mut merged) = (Vec::new(), Vec::new());
        for name in names {
            let missing = |side: &str| {
                let message = format!("column \"{name}\" specified in USING clause does not exist in {side} table");
                StatementError::server("42703", message)
            };
            let before = RangeTable { entries: range.entries[..entry].to_vec(), ..RangeTable::default() };
            let left = before.column(None, &name)?.ok_or_else(|| missing("left"))?;
            let mine = RangeTable { entries: range.entries[entry..].to_vec(), ..RangeTable::default() };
            let right = mine.column(None, &name)?.ok_or_else(|| missing("right"))?;
            let side = |(slot, ty)| range.read(slot, ty);
            let nothing = RangeTable::default();
            found.push(self.analyze(&nothing, "JOIN/USING", |analyzer| analyzer.equal(side(left), side(right)))?);
            if keeps_both {
                let both = Vec::from([side(left), side(right)]);
                let both = self.analyze(&nothing, "JOIN/USING", |analyzer| analyzer.coalesce(&both))?;
                range.coalesced.push((left.0, both));
            }
            range.entries[entry].hidden.push(right.0);
            merged.push(left.0);
        }
        // columns of the outermost join stand first
        merged.extend(range.merged.iter().copied().filter(|slot| !merged.contains(slot)).collect::<Vec<_>>());
        range.merged = merged;
        Ok(found)
    }
}

/// `types` as columns of these names.
fn columns_of(columns: &[(&str, u32)]) -> Vec<Column> {
    columns.iter().map(|(name, oid)| Column { name: (*name).to_string(), ty: SqlType::plain(*oid) }).collect()
}

/// `checkNameSpaceConflicts`: is the last entry called as one before it? Tables of two schemas may be, without an
/// alias.
fn check_name_conflicts(entries: &[RangeEntry], has_alias: bool) -> Result<(), StatementError> {
    let Some((last, before)) = entries.split_last() else { return Ok(()) };
    let is_other_table = |other: &RangeEntry| matches!((last.relation, other.relation), (Some(one), Some(other)) if one != other && !has_alias);
    match before.iter().any(|other| other.name == last.name && !is_other_table(other)) {
        true => {
            let message = format!("table name \"{}\" specified more than once", last.name);
            Err(StatementError::server("42712", message))
        }
        false => Ok(()),
    }
}

fn source(rows: SourceRows, columns: &[Column], lateral: bool) -> Source {
    Source {
        rows,
        types: columns.iter().map(|column| column.ty).collect(),
        ordinality: false,
        keeps_left: false,
        keeps_right: None,
        semi: None,
        on: Vec::new(),
        filter: Vec::new(),
        lateral,
    }
}

/// The table is sampled.
fn add_sample(from: &mut From, written: &TableSample, is_first_table: bool) -> Result<(), StatementError> {
    let Some(table) = from.table.as_mut().filter(|_| is_first_table) else {
        let message = "TABLESAMPLE clause can only be applied to tables and materialized views";
        return Err(StatementError::server("0A000", message));
    };
    let sample = Sample::of(written)?;
    if table.has_parts() {
        return Err(StatementError::unsupported("TABLESAMPLE of a partitioned table is not supported", None));
    }
    table.sample = Some(sample);
    Ok(())
}

/// The first columns get the names in parentheses after the alias.
fn rename(columns: &mut [Column], names: &[String], alias: &str) -> Result<(), StatementError> {
    if names.len() > columns.len() {
        let (has, given) = (columns.len(), names.len());
        let message = format!("table \"{alias}\" has {has} columns available but {given} columns specified");
        return Err(StatementError::server("42P10", message));
    }
    columns.iter_mut().zip(names).for_each(|(column, name)| column.name.clone_from(name));
    Ok(())
}

fn flattened<'a>(item: &'a FromItem, count: &mut usize) -> Result<Vec<Leaf<'a>>, StatementError> {
    let FromItem::Join(join) = item else {
        *count += 1;
        return Ok(Vec::from([Leaf {
            item,
            order: *count,
            keeps_left: false,
            keeps_right: false,
            semi: None,
            conditions: Vec::new(),
        }]));
    };
    let Join { kind, left, right, condition } = &**join;
    let since = *count + 1;
    let (left, right) = (flattened(left, count)?, flattened(right, count)?);
    let (mut before, mut after) = match kind {
        JoinKind::Inner | JoinKind::Left | JoinKind::Semi | JoinKind::Anti => (left, right),
        JoinKind::Right => (right, left),
        JoinKind::Full if left.len() > 1 => {
            let message = "FULL JOIN of more than two items is not supported; put the others into a query in FROM";
            return Err(StatementError::unsupported(message, None));
        }
        JoinKind::Full => (left, right),
    };
    if *kind != JoinKind::Inner {
        let [leaf] = &mut after[..] else {
            let message = "an outer join of several tables to one is not supported; join them one after another";
            return Err(StatementError::unsupported(message, None));
        };
        leaf.semi = match kind {
            JoinKind::Semi => Some(Semi::Has),
            JoinKind::Anti => Some(Semi::HasNot),
            _ => None,
        };
        leaf.keeps_left = leaf.semi.is_none();
        leaf.keeps_right = *kind == JoinKind::Full;
    }
    if let Some(last) = after.last_mut() {
        last.conditions.push((condition, since));
    }
    before.append(&mut after);
    Ok(before)
}

/// ON reads what is joined there, not what stands before that in FROM (`errorMissingRTE`,
/// src/backend/parser/parse_relation.c). `since`: the first place of the join in the statement.
fn check_scope(range: &RangeTable, expr: &Expr, since: usize, version: PgVersion) -> Result<(), StatementError> {
    if let ExprNode::Column { table: Some(table), .. } = &expr.node
        && range.entry(table).is_some_and(|entry| entry.order != 0 && entry.order < since)
    {
        let message = alloc::format!("invalid reference to FROM-clause entry for table \"{table}\"");
        let detail = alloc::format!(
            "There is an entry for table \"{table}\", but it cannot be referenced from this part of the query."
        );
        let error = SqlError::new("42P01", message);
        let is_detail = version.details_unreferenced_tables();
        let error = if is_detail { error.with_detail(detail) } else { error.with_hint(detail) };
        return Err(StatementError::from(error).at(expr.position));
    }
    expr.children().into_iter().try_for_each(|child| check_scope(range, child, since, version))
}

/// Is it an equality of something on the left with something on the right, whose columns begin at that slot?
fn is_join_key(condition: &Typed, first: u16) -> bool {
    let Node::Binary(BinaryOp::Eq, operands) = &condition.node else { return false };
    let sides = [&operands.0, &operands.1].map(|side| {
        let mut slots = Vec::new();
        side.slots(&mut slots);
        (slots.iter().any(|slot| *slot < first), slots.iter().any(|slot| *slot >= first))
    });
    matches!(sides, [(true, false), (false, true)] | [(false, true), (true, false)])
}

/// The rows of both sides of a FULL JOIN are read whole: those of a function come out of a query of it.
fn whole(source: &Source) -> SourceRows {
    match source.rows {
        SourceRows::Series(_) => SourceRows::Query(Arc::new(SelectPlan::over(source.clone()))),
        _ => source.rows.clone(),
    }
}
