//! The targets of a SELECT, what it is sorted by, and the aggregates of both (src/backend/parser/parse_target.c,
//! parse_clause.c).

use super::fold::fold;
use super::from::From;
use super::grouping::{Grouping, has_equality};
use super::statement::Planner;
use super::{Output, OutputValue};
use crate::sql::StatementError;
use crate::sql::ast::{Expr, ExprNode, Literal, QueryKind, Select, SortBy, Target};
use crate::sql::expr::{
    Aggregate, Analyzer, Builtin, Node, RangeEntry, RangeTable, SeriesCall, SortKey, Typed, WindowCall, has_order,
    type_name,
};
use crate::version::SqlBehaviour;
use alloc::borrow::Cow;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::convert::Infallible;
use ffviz_format::datum::enums::{is_enum, mark};
use ffviz_format::datum::input::Context as Input;
use ffviz_format::datum::{SqlType, is_composite};
use ffviz_format::page::PgVersion;

/// A literal whose type is not decided.
const UNKNOWN: u32 = Analyzer::UNDECIDED;

/// What comes out, in which order, and the aggregates of both.
pub(super) struct TargetList {
    pub outputs: Vec<Output>,
    pub sort: Vec<SortKey>,
    pub aggregates: Vec<Aggregate>,
    pub grouping: Grouping,
}

impl OutputValue {
    /// The type of the column.
    #[must_use]
    pub const fn ty(&self) -> SqlType {
        match self {
            Self::Expr(expr) => expr.ty,
            Self::Series(SeriesCall { over: Some(over), .. }) => over.ty,
            Self::Series(series) => series.ty,
        }
    }

    /// The expression, where it is one.
    #[must_use]
    pub const fn expr(&self) -> Option<&Typed> {
        match self {
            Self::Expr(expr) => Some(expr),
            Self::Series(_) => None,
        }
    }

    /// A literal of no type.
    pub(super) const fn literal(&self) -> Option<&Typed> {
        match self {
            Self::Expr(expr) if expr.ty.oid == UNKNOWN => Some(expr),
            _ => None,
        }
    }
}

impl Planner<'_> {
    /// Targets, and what is sorted by; both may have aggregates.
    pub(super) fn targets(
        &mut self,
        select: &Select,
        from: &From,
        keeps_literals: bool,
    ) -> Result<TargetList, StatementError> {
        let (input, major) = (self.catalog.input(), self.major());
        self.analyze(&from.range, "SELECT", |analyzer| {
            analyzer.aggregates = Some(Vec::new());
            analyzer.windows = Some(Vec::new());
            let mut outputs = Vec::new();
            for target in &select.targets {
                match target {
                    Target::Star(table) => star(&from.range, table.as_deref(), &mut outputs)?,
                    Target::Expr { expr, .. } if is_star(expr) => {
                        let columns = analyzer.columns_of_star(expr)?.unwrap_or_default();
                        outputs.extend(columns.into_iter().map(|(name, value)| {
                            let value = OutputValue::Expr(value);
                            Output { name, value }
                        }));
                    }
                    Target::Expr { expr, alias } => {
                        let name = name_of(expr, alias.as_ref(), major);
                        let series = match analyzer.series(expr)? {
                            None => analyzer.over_series(expr)?,
                            series => series,
                        };
                        let value = match series {
                            Some(series) => OutputValue::Series(super::expected_rows::of_arguments(series, input)?),
                            None if keeps_literals => OutputValue::Expr(analyzer.expr(expr)?),
                            None => OutputValue::Expr(analyzer.decided(expr)?),
                        };
                        outputs.push(Output { name, value });
                    }
                }
            }
            let mut sort = Vec::new();
            for by in &select.order_by {
                sort.push(sort_key(analyzer, by, &outputs)?);
            }
            let (bare, clause) = (analyzer.has_bare_column(), analyzer.clause);
            let windows = analyzer.windows.take().unwrap_or_default();
            let mut grouping = Grouping::read(analyzer, select, &outputs, input)?;
            analyzer.clause = clause;
            let mut aggregates = analyzer.aggregates.take().unwrap_or_default();
            let is_work = |source: &super::Source| matches!(source.rows, super::SourceRows::Work(_));
            if !aggregates.is_empty() && from.sources.iter().any(is_work) {
                let message = "aggregate functions are not allowed in a recursive query's recursive term";
                return Err(StatementError::server("42P19", message));
            }
            let has_star = select.targets.iter().any(|target| matches!(target, Target::Star(_)));
            if !grouping.grouped && !aggregates.is_empty() && (bare || has_star) {
                return Err(analyzer.ungrouped(&from.range));
            }
            for output in &mut outputs {
                if let OutputValue::Expr(expr) = &mut output.value {
                    *expr = fold(expr.clone(), input)?;
                }
            }
            fold_keys(&mut sort, input)?;
            for aggregate in &mut aggregates {
                let args = aggregate.args.drain(..).map(|arg| fold(arg, input));
                aggregate.args = args.collect::<Result<_, _>>()?;
                fold_keys(&mut aggregate.order, input)?;
                aggregate.filter = aggregate.filter.take().map(|filter| fold(filter, input)).transpose()?;
            }
            let mut windows = windows;
            share_aggregates(&mut aggregates, &mut outputs, &mut sort, &mut grouping, &mut windows);
            check_distinct(&grouping, &outputs, &sort)?;
            grouping.windows = windows;
            grouping.check_grouping_calls(&outputs, &sort)?;
            grouping.apply(&mut outputs, &mut sort, aggregates.len());
            grouping.check(from, &outputs, &sort)?;
            Ok(TargetList { outputs, sort, aggregates, grouping })
        })
    }
}

/// An aggregate that is written several times is worked out once (`find_compatible_agg`).
fn share_aggregates(
    aggregates: &mut Vec<Aggregate>,
    outputs: &mut [Output],
    sort: &mut [SortKey],
    grouping: &mut Grouping,
    windows: &mut [WindowCall],
) {
    let is_volatile = |aggregate: &Aggregate| aggregate.args.iter().any(|arg| arg.any(&super::pull_up::is_volatile));
    let mut kept: Vec<Aggregate> = Vec::new();
    let mut places = Vec::with_capacity(aggregates.len());
    for aggregate in aggregates.drain(..) {
        let known = kept.iter().position(|known| *known == aggregate).filter(|_| !is_volatile(&aggregate));
        places.push(known.unwrap_or_else(|| {
            kept.push(aggregate);
            kept.len() - 1
        }));
    }
    *aggregates = kept;
    let change = |expr: &mut Typed| *expr = renumbered(expr.clone(), &places);
    for output in outputs {
        if let OutputValue::Expr(expr) = &mut output.value {
            change(expr);
        }
    }
    sort.iter_mut().for_each(|key| change(&mut key.expr));
    grouping.having.iter_mut().for_each(change);
    grouping.distinct.iter_mut().flatten().for_each(change);
    for call in windows {
        let of_order = call.order.iter_mut().map(|key| &mut key.expr);
        call.args.iter_mut().chain(&mut call.filter).chain(&mut call.partition).chain(of_order).for_each(change);
    }
}

fn renumbered(expr: Typed, places: &[usize]) -> Typed {
    if let Node::Aggregate(number) = expr.node {
        let place = places.get(usize::from(number)).map_or(number, |place| *place as u16);
        return Typed { node: Node::Aggregate(place), ty: expr.ty };
    }
    let Ok(expr) = expr.map_children(&mut |child| Ok::<_, Infallible>(renumbered(child, places)));
    expr
}

/// Is it the place of a label of an enum?
fn is_rank(expr: &Typed) -> bool {
    matches!(expr.node, Node::Call(builtin, _) if builtin == const { Builtin::of("enum_rank") })
}

/// DISTINCT leaves only what comes out to be sorted by.
fn check_distinct(grouping: &Grouping, outputs: &[Output], sort: &[SortKey]) -> Result<(), StatementError> {
    let Some(on) = &grouping.distinct else { return Ok(()) };
    if on.is_empty() {
        outputs.iter().try_for_each(|output| has_equality(output.value.ty().oid))?;
    }
    let is_output = |key: &SortKey| outputs.iter().any(|output| output.value.expr() == Some(&key.expr));
    if let Some(key) = sort.iter().find(|key| is_rank(&key.expr) && !is_output(key)) {
        let name = type_name(key.expr.children().first().map_or(0, |label| label.ty.oid));
        let message =
            format!("DISTINCT beside the order of {name}, which has a value between others, is not supported");
        return Err(StatementError::unsupported(message, None));
    }
    if on.is_empty() && !sort.iter().all(is_output) {
        let message = "for SELECT DISTINCT, ORDER BY expressions must appear in select list";
        return Err(StatementError::server("42P10", message));
    }
    if !sort.iter().take(on.len()).all(|key| on.contains(&key.expr)) {
        let message = "SELECT DISTINCT ON expressions must match initial ORDER BY expressions";
        return Err(StatementError::server("42P10", message));
    }
    Ok(())
}

/// `(row).*`
pub(super) fn is_star(expr: &Expr) -> bool {
    matches!(&expr.node, ExprNode::Field(_, field) if field == "*")
}

/// What can be worked out before the first row; rows of one value need no order.
fn fold_keys(keys: &mut Vec<SortKey>, input: Input) -> Result<(), StatementError> {
    for key in &mut *keys {
        key.expr = fold(key.expr.clone(), input)?;
    }
    keys.retain(|key| !matches!(key.expr.node, Node::Const(_)));
    Ok(())
}

/// `findTargetlistEntrySQL92`: a name of an output, its place, or an expression over the rows.
fn sort_key(analyzer: &mut Analyzer<'_>, by: &SortBy, outputs: &[Output]) -> Result<SortKey, StatementError> {
    let expr = match &by.expr.node {
        ExprNode::Literal(Literal::Number(digits)) => {
            let place = digits.parse::<usize>().ok().and_then(|place| outputs.get(place.wrapping_sub(1)));
            let missing = || {
                let message = format!("ORDER BY position {digits} is not in select list");
                StatementError::server("42P10", message).at(by.expr.position)
            };
            output_expr(place.ok_or_else(missing)?, by)?
        }
        ExprNode::Literal(literal)
            if analyzer.input.version().has_boolean_constants() || !matches!(literal, Literal::Bool(_)) =>
        {
            let error = StatementError::server("42601", "non-integer constant in ORDER BY");
            return Err(error.at(by.expr.position));
        }
        ExprNode::Column { table: None, name } => match named(outputs, name).map_err(|it| it.at(by.expr.position))? {
            Some(output) => output_expr(output, by)?,
            None => analyzer.decided(&by.expr)?,
        },
        _ => analyzer.decided(&by.expr)?,
    };
    has_order(expr.ty.oid)?;
    analyzer.look_up_order(expr.ty.oid, by.descending);
    let expr = analyzer.ordered(expr)?;
    Ok(SortKey { expr, descending: by.descending, nulls_first: by.nulls_first })
}

/// The output of that name; several have to be the same.
fn named<'a>(outputs: &'a [Output], name: &str) -> Result<Option<&'a Output>, StatementError> {
    let mut all = outputs.iter().filter(|output| output.name == *name);
    let first = all.next();
    match first.is_some_and(|first| all.any(|other| other.value != first.value)) {
        true => Err(StatementError::server("42702", format!("ORDER BY \"{name}\" is ambiguous"))),
        false => Ok(first),
    }
}

fn output_expr(output: &Output, by: &SortBy) -> Result<Typed, StatementError> {
    match &output.value {
        OutputValue::Expr(expr) => Ok(expr.clone()),
        OutputValue::Series(_) => {
            let message = "ORDER BY a set-returning function is not supported; put the function into FROM";
            Err(StatementError::unsupported(message, Some(by.expr.position)))
        }
    }
}

/// `*`
pub(in crate::sql) fn star(
    range: &RangeTable,
    table: Option<&str>,
    outputs: &mut Vec<Output>,
) -> Result<(), StatementError> {
    let missing =
        |table: &str| StatementError::server("42P01", format!("missing FROM-clause entry for table \"{table}\""));
    let of_table = table.map(|table| range.entry(table).ok_or_else(|| missing(table))).transpose()?;
    if table.is_none() && range.entries.is_empty() {
        return Err(StatementError::server("42601", "SELECT * with no tables specified is not valid"));
    }
    if let Some(catalog) = range.catalog_with_more(table) {
        let message = format!("all columns of {catalog} are not supported; name those that are wanted");
        return Err(StatementError::unsupported(message, None));
    }
    let mut push = |slot: u16, name: &str, ty| {
        let value = OutputValue::Expr(range.read_named(table, slot, ty));
        outputs.push(Output { name: name.to_string(), value });
    };
    let mut entries: Vec<_> = range.entries.iter().filter(|entry| !entry.only_qualified || table.is_some()).collect();
    entries.sort_by_key(|entry| entry.order);
    let columns = |entry: &RangeEntry| (entry.first..).zip(entry.columns.clone()).collect::<Vec<_>>();
    if table.is_none() {
        for slot in &range.merged {
            let found = entries.iter().flat_map(|entry| columns(entry)).find(|(known, _)| known == slot);
            found.iter().for_each(|(slot, column)| push(*slot, &column.name, column.ty));
        }
    }
    for entry in entries.into_iter().filter(|entry| of_table.is_none_or(|table| core::ptr::eq(*entry, table))) {
        for (slot, column) in columns(entry).into_iter().filter(|(_, column)| !column.name.is_empty()) {
            let is_told = table.is_none() && (range.merged.contains(&slot) || entry.hidden.contains(&slot));
            if !is_told {
                push(slot, &column.name, column.ty);
            }
        }
    }
    Ok(())
}

/// `FigureColname`: what a column is called, under its alias where it has one.
pub(in crate::sql) fn name_of(expr: &Expr, alias: Option<&String>, major: u32) -> String {
    let known = || figure_name(expr, major).map_or(Cow::Borrowed("?column?"), |name| name.0);
    alias.map_or_else(|| known().into_owned(), Clone::clone)
}

/// `FigureColnameInternal`: a name, and whether it is better than that of a type or `case`.
fn figure_name(expr: &Expr, major: u32) -> Option<(Cow<'_, str>, bool)> {
    let good = |expr| figure_name(expr, major).filter(|(_, is_good)| *is_good);
    let (name, is_good) = match &expr.node {
        ExprNode::Function { name, .. } if name == "extract" && !PgVersion::of_major(major).has_extract() => {
            ("date_part", true)
        }
        ExprNode::Function { name, .. } if name == "user" => ("user", true),
        ExprNode::Function { name, args, .. } if name == "collate" => return figure_name(args.first()?, major),
        ExprNode::Column { table: Some(table), name } if name == "*" => (table.as_str(), true),
        ExprNode::Column { name, .. } | ExprNode::Field(_, name) => (name.as_str(), true),
        // without its schema
        ExprNode::Function { name, .. } => (name.rsplit('.').next().unwrap_or(name), true),
        ExprNode::Array(_) => ("array", true),
        ExprNode::Query { kind: QueryKind::Exists, .. } => ("exists", true),
        ExprNode::Query { kind: QueryKind::Array, .. } => ("array", true),
        ExprNode::Query { kind: QueryKind::Scalar, query } => match query.targets.first()? {
            Target::Expr { alias: Some(alias), .. } => (alias.as_str(), true),
            Target::Expr { expr, .. } => return figure_name(expr, major).map(|(name, _)| (name, true)),
            Target::Star(_) => return None,
        },
        ExprNode::Row(_) => ("row", true),
        ExprNode::Subscript(array, _) | ExprNode::Slice(array, ..) => return figure_name(array, major),
        ExprNode::Cast(inner, ty) => {
            let name = || {
                if is_enum(ty.oid) || is_composite(ty.oid) {
                    Cow::Owned(ty.name())
                } else {
                    Cow::Borrowed(type_column(*ty))
                }
            };
            return good(inner).or_else(|| Some((name(), false)));
        }
        ExprNode::Domain(inner, _, domain) => {
            return good(inner).or_else(|| Some((Cow::Owned(mark(*domain)), false)));
        }
        ExprNode::Case { otherwise, .. } => {
            return otherwise.as_deref().and_then(good).or(Some((Cow::Borrowed("case"), false)));
        }
        ExprNode::Literal(Literal::Bool(_)) if !PgVersion::of_major(major).has_boolean_constants() => ("bool", false),
        _ => return None,
    };
    Some((Cow::Borrowed(name), is_good))
}

/// `pg_type.typname`
const fn type_column(ty: SqlType) -> &'static str {
    match ty.oid {
        16 => "bool",
        17 => "bytea",
        18 => "char",
        20 => "int8",
        21 => "int2",
        23 | 1007 => "int4",
        25 | 1009 => "text",
        26 => "oid",
        27 => "tid",
        28 => "xid",
        29 => "cid",
        114 => "json",
        700 => "float4",
        701 => "float8",
        869 => "inet",
        1042 => "bpchar",
        1043 => "varchar",
        1082 => "date",
        1083 => "time",
        1114 => "timestamp",
        1184 => "timestamptz",
        1186 => "interval",
        1560 => "bit",
        1562 => "varbit",
        1700 => "numeric",
        2205 => "regclass",
        2206 => "regtype",
        4089 => "regnamespace",
        24 => "regproc",
        2202 => "regprocedure",
        2950 => "uuid",
        790 => "money",
        3220 => "pg_lsn",
        5069 => "xid8",
        3802 => "jsonb",
        3904 => "int4range",
        3906 => "numrange",
        3908 => "tsrange",
        3910 => "tstzrange",
        3912 => "daterange",
        3926 => "int8range",
        _ => "?column?",
    }
}
