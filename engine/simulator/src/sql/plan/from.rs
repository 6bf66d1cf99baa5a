//! FROM: its items in the order in which they are looped over, and the names of their columns (`transformFromClause`,
//! src/backend/parser/parse_clause.c).
//!
//! ```text
//!  a JOIN b ON … LEFT JOIN c ON …     a ─▶ b ─▶ c, each within the one before
//!  a RIGHT JOIN b                     b ─▶ a: rows of b without a partner stay
//! ```

use super::fold::{fold, parts};
use super::query::Wanted;
use super::source::{CommonPlan, Source, SourceRows};
use super::statement::{Planner, range_of};
use super::targets::name_of;
use crate::cluster::ddl::quote_identifier;
use crate::sql::StatementError;
use crate::sql::ast::{Expr, ExprNode, FromItem, Join, JoinCondition, JoinKind, Literal, RangeVar};
use crate::sql::catalog::looking;
use crate::sql::catalog::{SqlFunction, TableInfo};
use crate::sql::expr::{Column, Node, RangeTable, SYSTEM, Typed, proc_name};
use crate::version::SqlBehaviour;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::{SqlType, Value};

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
    /// `None`: within its own recursive part
    pub plan: Option<Arc<CommonPlan>>,
}

/// An item that is no JOIN.
struct Leaf<'a> {
    item: &'a FromItem,
    /// its place in the statement
    order: usize,
    keeps_left: bool,
    conditions: Vec<&'a JoinCondition>,
}

/// Does a clause ask for rows of a catalog by one of its keys, so that no row of the system's own satisfies it, or one
/// that is named?
fn asks(clause: &Typed, is_key: &impl Fn(u16) -> bool) -> bool {
    let compares = match &clause.node {
        Node::Or(parts) => return parts.iter().all(|part| asks(part, is_key)),
        Node::And(parts) => return parts.iter().any(|part| asks(part, is_key)),
        Node::Binary(op, _) => *op == crate::sql::ast::BinaryOp::Eq,
        Node::AnyOf(_, _, negated) => !negated,
        Node::Query(_) => true,
        Node::Call(function, args) => match (proc_name(*function), &args[..]) {
            (Some(name), [_, Typed { node: Node::Const(pattern), .. }]) => {
                beginning(name, pattern).is_some_and(|it| looking::is_beginning_of_own(&it))
            }
            _ => false,
        },
        _ => false,
    };
    let mut slots = Vec::new();
    clause.slots(&mut slots);
    compares && slots.iter().any(|slot| is_key(*slot))
}

/// What a text that LIKE or `~` takes begins with; nothing where that may be anything.
fn beginning(function: &str, pattern: &Value) -> Option<String> {
    let bytes = pattern.plain_bytes()?;
    let pattern = core::str::from_utf8(bytes).ok()?;
    let pattern = match function {
        "like" => pattern,
        "textregexeq" if !pattern.contains('|') => pattern.strip_prefix('^')?,
        _ => return None,
    };
    let is_plain = |c: char| c.is_alphanumeric() || c == '_' && function != "like";
    let end = pattern.find(|c| !is_plain(c)).unwrap_or(pattern.len());
    let may_repeat = function != "like" && pattern[end..].starts_with(['?', '*', '{']);
    let plain = &pattern[..end];
    let plain = if may_repeat { plain.get(..plain.len().checked_sub(1)?)? } else { plain };
    (!plain.is_empty()).then(|| String::from(plain))
}

impl Planner<'_> {
    pub(super) fn from(&mut self, items: &[FromItem]) -> Result<From, StatementError> {
        let (mut leaves, mut count) = (Vec::new(), 0);
        for item in items {
            leaves.extend(flattened(item, &mut count)?);
        }
        let is_table = |planner: &Self, leaf: &Leaf<'_>| match leaf.item {
            FromItem::Table { name, .. } => planner.common(name).is_none() && planner.catalog.kind(name).is_some(),
            _ => false,
        };
        let tables: Vec<usize> = (0..leaves.len()).filter(|n| is_table(self, &leaves[*n])).collect();
        // a table alone is scanned first, wherever it stands
        if let [only] = tables[..]
            && leaves.iter().all(|leaf| !leaf.keeps_left && leaf.conditions.is_empty())
        {
            let leaf = leaves.remove(only);
            leaves.insert(0, leaf);
        }
        let mut from = From::default();
        for (n, leaf) in leaves.into_iter().enumerate() {
            let is_first_table = n == 0 && !tables.is_empty() && is_table(self, &leaf);
            self.add(&mut from, &leaf, is_first_table)?;
        }
        Ok(from)
    }

    /// Are the rows of catalogs asked for by what tells the script's own from the system's?
    pub(super) fn check_catalogs(&self, from: &From, clauses: &[Typed]) -> Result<(), StatementError> {
        for entry in &from.range.entries {
            let Some(relation) = &entry.catalog else { continue };
            let keys = looking::keys(relation);
            let is_key = |slot: u16| {
                let column = slot.checked_sub(entry.first).and_then(|at| entry.columns.get(usize::from(at)));
                column.is_some_and(|column| keys.contains(&column.name.as_str()))
            };
            let on = from.sources.iter().flat_map(|source| &source.on);
            if !keys.is_empty() && !clauses.iter().chain(on).any(|clause| asks(clause, &is_key)) {
                let message = format!(
                    "{relation} without a condition such as {} = … is not supported; the simulator has no rows of the system's own relations",
                    keys[0]
                );
                return Err(StatementError::unsupported(message, None));
            }
        }
        Ok(())
    }

    /// The query of WITH of that name.
    fn common(&self, name: &RangeVar) -> Option<&Common> {
        self.commons.iter().rev().find(|common| name.schema.is_none() && common.name == name.name)
    }

    fn add(&mut self, from: &mut From, leaf: &Leaf<'_>, is_first_table: bool) -> Result<(), StatementError> {
        let first = from.range.width();
        match leaf.item {
            FromItem::Table { name, alias, columns } => {
                self.add_relation(from, name, alias.as_deref(), columns, is_first_table)?;
            }
            FromItem::Function { call, alias, columns, ordinality } if self.sql_function(call).is_some() => {
                if *ordinality {
                    let message = "WITH ORDINALITY of a function in SQL is not supported";
                    return Err(StatementError::unsupported(message, None));
                }
                self.add_sql_function(from, call, alias.as_deref(), columns)?;
            }
            FromItem::Function { call, alias, columns, ordinality } => {
                let source = self.function(&from.range, call, *ordinality, alias.as_ref())?;
                let (name, mut entry, source) = source;
                rename(&mut entry, columns, &name)?;
                from.range.add(&name, entry);
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
        from.range.entries[entry].order = leaf.order;
        from.range.entries[entry].first = first;
        for condition in &leaf.conditions {
            let parts = self.joined_by(&mut from.range, condition, entry)?;
            if leaf.keeps_left
                && let Some(source) = from.sources.last_mut()
            {
                source.keeps_left = true;
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
        let shown = alias.unwrap_or(&name.name).to_string();
        if let Some(Common { columns, plan, name: common, .. }) = self.common(name).cloned() {
            if plan.as_ref().and_then(|plan| plan.plan()).is_some_and(|plan| plan.returning().is_none()) {
                let message = format!("WITH query \"{common}\" does not have a RETURNING clause");
                return Err(StatementError::server("0A000", message));
            }
            let mut entry = columns;
            let rows = plan.map_or_else(|| SourceRows::Work(common), SourceRows::Common);
            rename(&mut entry, names, &shown)?;
            from.sources.push(source(rows, &entry, false));
            from.range.add(&shown, entry);
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
            from.sources.push(source(rows, &entry, false));
            from.range.add(&shown, entry);
            if let Some(entry) = from.range.entries.last_mut() {
                entry.catalog = Some(name.name.clone());
            }
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
        names: &[String],
    ) -> Result<(), StatementError> {
        let (Some(function), ExprNode::Function { args, .. }) = (self.sql_function(call), &call.node) else {
            return Ok(());
        };
        if function.routine.is_some() {
            let message = format!("{}, a function in PL/pgSQL, is not supported in FROM", function.name);
            return Err(StatementError::unsupported(message, Some(call.position)));
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
        if let ([column], true) = (&mut entry[..], alias.is_some()) {
            column.name.clone_from(&shown);
        }
        rename(&mut entry, names, &shown)?;
        from.sources.push(source(SourceRows::Query(planned.plan), &entry, false));
        from.range.add(&shown, entry);
        Ok(())
    }

    /// A catalog, or a sequence, as a relation that is read.
    fn looked_at(&self, name: &RangeVar) -> Option<(SourceRows, Vec<Column>)> {
        if self.catalog.kind(name) == Some(ffviz_format::state::RelKind::Sequence) {
            let schema = name.schema.iter().map(|schema| quote_identifier(schema) + ".");
            let whole: String = schema.chain([quote_identifier(&name.name)]).collect();
            let argument = Typed::constant(Value::text(&whole), SqlType::TEXT);
            let columns = columns_of(&[("last_value", 20), ("log_cnt", 20), ("is_called", 16)]);
            return Some((SourceRows::Function("sequence", Vec::from([argument])), columns));
        }
        if self.catalog.kind(name).is_some() {
            return None;
        }
        let catalog = looking::catalog(name, self.major())?;
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
                {
                    column.name.clone_from(&name);
                }
                return Ok((SourceRows::Function(function, args), columns));
            }
            if let Some(series) = analyzer.series(call)? {
                let column = Column { name: name.clone(), ty: series.ty };
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

    /// ON, USING or NATURAL between the entry and those before it.
    fn joined_by(
        &mut self,
        range: &mut RangeTable,
        condition: &JoinCondition,
        entry: usize,
    ) -> Result<Vec<Typed>, StatementError> {
        let names = match condition {
            JoinCondition::All => return Ok(Vec::new()),
            JoinCondition::On(expr) => {
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
        let mut found = Vec::new();
        for name in names {
            let missing = |side: &str| {
                let message = format!("column \"{name}\" specified in USING clause does not exist in {side} table");
                StatementError::server("42703", message)
            };
            let before = RangeTable { entries: range.entries[..entry].to_vec(), ..RangeTable::default() };
            let left = before.column(None, &name)?.ok_or_else(|| missing("left"))?;
            let mine = RangeTable { entries: range.entries[entry..].to_vec(), ..RangeTable::default() };
            let right = mine.column(None, &name)?.ok_or_else(|| missing("right"))?;
            let side = |(slot, ty)| Typed { node: Node::Slot(slot), ty };
            let nothing = RangeTable::default();
            found.push(self.analyze(&nothing, "JOIN/USING", |analyzer| analyzer.equal(side(left), side(right)))?);
            range.entries[entry].hidden.push(right.0);
            range.merged.push(left.0);
        }
        Ok(found)
    }
}

/// `types` as columns of these names.
fn columns_of(columns: &[(&str, u32)]) -> Vec<Column> {
    columns.iter().map(|(name, oid)| Column { name: (*name).to_string(), ty: SqlType::plain(*oid) }).collect()
}

fn source(rows: SourceRows, columns: &[Column], lateral: bool) -> Source {
    Source {
        rows,
        types: columns.iter().map(|column| column.ty).collect(),
        ordinality: false,
        keeps_left: false,
        on: Vec::new(),
        filter: Vec::new(),
        lateral,
    }
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
        return Ok(Vec::from([Leaf { item, order: *count, keeps_left: false, conditions: Vec::new() }]));
    };
    let Join { kind, left, right, condition } = &**join;
    let (left, right) = (flattened(left, count)?, flattened(right, count)?);
    let (mut before, mut after) = match kind {
        JoinKind::Inner | JoinKind::Left => (left, right),
        JoinKind::Right => (right, left),
        JoinKind::Full => return Err(StatementError::unsupported("FULL JOIN is not supported", None)),
    };
    if *kind != JoinKind::Inner {
        let [leaf] = &mut after[..] else {
            let message = "an outer join of several tables to one is not supported; join them one after another";
            return Err(StatementError::unsupported(message, None));
        };
        leaf.keeps_left = true;
    }
    if let Some(last) = after.last_mut() {
        last.conditions.push(condition);
    }
    before.append(&mut after);
    Ok(before)
}
