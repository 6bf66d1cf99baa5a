//! The targets of a SELECT, what it is sorted by, and the aggregates of both (src/backend/parser/parse_target.c, parse_clause.c).

use super::fold::fold;
use super::select::From;
use super::statement::Planner;
use super::{Output, OutputValue};
use crate::sql::StatementError;
use crate::sql::ast::{Expr, ExprNode, Literal, Select, SortBy, Target};
use crate::sql::expr::{Aggregate, Analyzer, Node, RangeTable, SortKey, Typed};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::datum::SqlType;
use ffviz_format::datum::input::Context as Input;

/// A literal whose type is not decided.
const UNKNOWN: u32 = Analyzer::UNDECIDED;

/// What comes out, in which order, and the aggregates of both.
pub(super) struct TargetList {
    pub outputs: Vec<Output>,
    pub sort: Vec<SortKey>,
    pub aggregates: Vec<Aggregate>,
}

impl OutputValue {
    /// The type of the column.
    #[must_use]
    pub const fn ty(&self) -> SqlType {
        match self {
            Self::Expr(expr) => expr.ty,
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
            let mut outputs = Vec::new();
            for target in &select.targets {
                match target {
                    Target::Star(table) => star(&from.range, table.as_deref(), &mut outputs)?,
                    Target::Expr { expr, alias } => {
                        let name = name_of(expr, alias.as_ref(), major);
                        let value = match analyzer.series(expr)? {
                            Some(series) => OutputValue::Series(series),
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
            let mut aggregates = analyzer.aggregates.take().unwrap_or_default();
            let has_star = select.targets.iter().any(|target| matches!(target, Target::Star(_)));
            if !aggregates.is_empty() && (analyzer.has_bare_column() || has_star) {
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
            }
            Ok(TargetList { outputs, sort, aggregates })
        })
    }
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
        // before 15 true and false are casts of 't' and 'f'
        ExprNode::Literal(literal) if analyzer.input.major >= 15 || !matches!(literal, Literal::Bool(_)) => {
            let error = StatementError::server("42601", "non-integer constant in ORDER BY");
            return Err(error.at(by.expr.position));
        }
        ExprNode::Column { table: None, name } => match outputs.iter().find(|output| output.name == *name) {
            Some(output) => output_expr(output, by)?,
            None => analyzer.decided(&by.expr)?,
        },
        _ => analyzer.decided(&by.expr)?,
    };
    analyzer.look_up_order(expr.ty.oid, by.descending);
    Ok(SortKey { expr, descending: by.descending, nulls_first: by.nulls_first })
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
pub(super) fn star(range: &RangeTable, table: Option<&str>, outputs: &mut Vec<Output>) -> Result<(), StatementError> {
    let missing =
        |table: &str| StatementError::server("42P01", format!("missing FROM-clause entry for table \"{table}\""));
    if let Some(table) = table {
        range.entry(table).ok_or_else(|| missing(table))?;
    } else if range.entries.is_empty() {
        return Err(StatementError::server("42601", "SELECT * with no tables specified is not valid"));
    }
    for entry in range.entries.iter().filter(|entry| table.is_none_or(|table| entry.name == table)) {
        for (number, column) in entry.columns.iter().enumerate().filter(|(_, column)| !column.name.is_empty()) {
            let node = Node::Slot(entry.first + number as u16);
            let value = OutputValue::Expr(Typed { node, ty: column.ty });
            outputs.push(Output { name: column.name.clone(), value });
        }
    }
    Ok(())
}

/// `FigureColname`: what a column is called, under its alias where it has one.
pub(super) fn name_of(expr: &Expr, alias: Option<&String>, major: u32) -> String {
    let known = || figure_name(expr, major).map_or("?column?", |name| name.0);
    alias.map_or_else(|| known().to_string(), Clone::clone)
}

/// `FigureColnameInternal`: a name, and whether it is better than that of a type or `case`.
fn figure_name(expr: &Expr, major: u32) -> Option<(&str, bool)> {
    let good = |expr| figure_name(expr, major).filter(|(_, is_good)| *is_good);
    match &expr.node {
        ExprNode::Column { name, .. } | ExprNode::Function { name, .. } => Some((name, true)),
        ExprNode::Array(_) => Some(("array", true)),
        ExprNode::Cast(inner, ty) => good(inner).or_else(|| Some((type_column(*ty), false))),
        ExprNode::Case { otherwise, .. } => otherwise.as_deref().and_then(good).or(Some(("case", false))),
        // before 15 a text that the parser casts
        ExprNode::Literal(Literal::Bool(_)) if major < 15 => Some(("bool", false)),
        _ => None,
    }
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
        1700 => "numeric",
        2950 => "uuid",
        3802 => "jsonb",
        _ => "?column?",
    }
}
