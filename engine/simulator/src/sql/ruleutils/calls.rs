//! Functions, aggregates and window functions as catalogs keep them (`get_func_expr`, `get_agg_expr`,
//! `get_windowfunc_expr`, src/backend/utils/adt/ruleutils.c).

use super::constants::quote_identifier;
use super::layout::{Around, Kind};
use super::written::{Deparser, Text};
use crate::sql::ast::{Expr, ExprNode, Frame, FrameBound, FrameUnit, Literal, ORDERED_SETS, SortBy, Window};
use crate::sql::expr::pg_catalog::{TEXT, VARCHAR};
use crate::sql::expr::{AggregateKind, Node, Typed, WindowCall, WindowFunction, has_order};
use crate::version::SqlBehaviour;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::datum::SqlType;

/// `SQLValueFunction`
const VALUES: &str = "current_date current_time current_timestamp localtime localtimestamp current_role current_user user \
    session_user current_catalog";

/// Functions that take values of any types, as they are.
const OF_ANY: &str = "concat concat_ws format json_build_array json_build_object jsonb_build_array jsonb_build_object num_nonnulls num_nulls to_json to_jsonb";

/// Functions whose forms in SQL are no calls, and are not told apart from those.
const FORMS: &str =
    "grouping overlaps similar_to_escape normalize is_normalized xmlexists collation_for current_schema";

fn is_one_of(name: &str, names: &str) -> bool {
    names.split(' ').any(|known| known == name)
}

/// What behind the function is between its parentheses, and behind them.
struct Written<'e> {
    name: &'e str,
    args: &'e [Expr],
    star: bool,
    distinct: bool,
    order_by: &'e [SortBy],
    filter: Option<&'e Expr>,
}

impl Deparser<'_> {
    pub(super) fn function(&mut self, expr: &Expr, typed: &Typed) -> Option<Text> {
        let ExprNode::Function { name, args, star, distinct, order_by, filter, over, form } = &expr.node else {
            return None;
        };
        let (star, distinct, filter) = (*star, *distinct, filter.as_deref());
        let written = Written { name, args, star, distinct, order_by, filter };
        match (&typed.node, over) {
            (Node::Aggregate(number), Some(over)) => self.window(&written, over, *number, typed.ty),
            (Node::Aggregate(number), None) => self.aggregate(&written, *number),
            (Node::Case(_), _) => self.conditional(name, args, typed),
            (Node::Routine(_, given), _) if !name.contains('.') => {
                let texts = self.list(args, given.get(..args.len())?)?;
                Some(Text::simple(format!("{}({})", quote_identifier(name), texts.join(", ")), typed.ty))
            }
            (Node::Call(builtin, given), _) => {
                let of_string = |oid| matches!(oid, TEXT | VARCHAR);
                let ty = match builtin.result() {
                    result if of_string(result) && of_string(typed.ty.oid) => SqlType::plain(result),
                    _ => typed.ty,
                };
                self.call((name, *form), args, given).map(|text| Text { ty: Some(ty), ..text })
            }
            _ => None,
        }
    }

    /// COALESCE, NULLIF.
    fn conditional(&mut self, name: &str, args: &[Expr], typed: &Typed) -> Option<Text> {
        let Node::Case(case) = &typed.node else { return None };
        let given: Vec<Typed> = match name {
            "coalesce" => case.whens.iter().map(|(_, value)| value).chain([&case.otherwise]).cloned().collect(),
            "nullif" => match &case.whens.first()?.0.node {
                Node::Binary(_, operands) => Vec::from([operands.0.clone(), operands.1.clone()]),
                _ => return None,
            },
            _ => return None,
        };
        let texts = self.list(args, &given)?;
        Some(Text::simple(format!("{}({})", name.to_uppercase(), texts.join(", ")), typed.ty))
    }

    fn call(&mut self, (name, form): (&str, bool), args: &[Expr], given: &[Typed]) -> Option<Text> {
        let simple = |text: String| Some(Text::simple(text, SqlType::TEXT));
        if args.is_empty() && is_one_of(name, VALUES) {
            return simple(name.to_uppercase());
        }
        if is_one_of(name, FORMS) || args.iter().any(|arg| matches!(arg.node, ExprNode::Named(..))) {
            return None;
        }
        if is_one_of(name, OF_ANY) {
            let mut texts = Vec::with_capacity(args.len());
            for arg in args {
                let own = self.own_type(arg)?;
                texts.push(self.part(arg, &own)?.text);
            }
            return simple(format!("{name}({})", texts.join(", ")));
        }
        if args.len() != given.len() {
            return None;
        }
        if matches!(name, "greatest" | "least") {
            let texts = self.list(args, given)?;
            return simple(format!("{}({})", name.to_uppercase(), texts.join(", ")));
        }
        if form && self.db.cluster.version().has_extract() {
            return self.form(name, args, given).and_then(simple);
        }
        let name = match name {
            "extract" => "date_part",
            name if name.contains(['.', ' ']) => return None,
            name => name,
        };
        let texts = self.list(args, given)?;
        simple(format!("{}({})", quote_identifier(name), texts.join(", ")))
    }

    /// `get_func_sql_syntax`
    fn form(&mut self, name: &str, args: &[Expr], given: &[Typed]) -> Option<String> {
        let mut texts = Vec::with_capacity(args.len());
        for (arg, typed) in args.iter().zip(given) {
            let text = self.part(arg, typed)?;
            texts.push(self.within(text, Around::Other));
        }
        Some(match (name, &texts[..]) {
            ("extract", [_, from]) => match &args[0].node {
                ExprNode::Literal(Literal::String(field)) => {
                    let _ = from;
                    format!("EXTRACT({field} FROM {})", self.part(&args[1], &given[1])?.text)
                }
                _ => return None,
            },
            ("timezone", [zone, time]) => format!("({time} AT TIME ZONE {zone})"),
            ("position", [whole, part]) => format!("POSITION(({part}) IN ({whole}))"),
            ("substring", [text, from]) => format!("SUBSTRING({text} FROM {from})"),
            ("substring", [text, from, count]) => format!("SUBSTRING({text} FROM {from} FOR {count})"),
            ("overlay", [text, new, from]) => format!("OVERLAY({text} PLACING {new} FROM {from})"),
            ("overlay", [text, new, from, count]) => format!("OVERLAY({text} PLACING {new} FROM {from} FOR {count})"),
            ("btrim", [text]) => format!("TRIM(BOTH FROM {text})"),
            ("btrim", [text, what]) => format!("TRIM(BOTH {what} FROM {text})"),
            ("ltrim", [text]) => format!("TRIM(LEADING FROM {text})"),
            ("ltrim", [text, what]) => format!("TRIM(LEADING {what} FROM {text})"),
            ("rtrim", [text]) => format!("TRIM(TRAILING FROM {text})"),
            ("rtrim", [text, what]) => format!("TRIM(TRAILING {what} FROM {text})"),
            _ => return None,
        })
    }

    /// `get_agg_expr`
    fn aggregate(&mut self, written: &Written<'_>, number: u16) -> Option<Text> {
        let aggregate = self.aggregates.get(usize::from(number))?.clone();
        if is_one_of(written.name, &ORDERED_SETS.join(" ")) {
            return None;
        }
        let mut text = self.arguments(written, aggregate.kind, &aggregate.args)?;
        if !written.order_by.is_empty() {
            let mut keys = Vec::with_capacity(written.order_by.len());
            for (by, key) in written.order_by.iter().zip(&aggregate.order) {
                keys.push(self.sort_item(&by.expr, &key.expr)? + direction(by.descending, by.nulls_first));
            }
            text += &format!(" ORDER BY {}", keys.join(", "));
        }
        let mut text = format!("{}({text})", written.name);
        if let (Some(filter), Some(of)) = (written.filter, &aggregate.filter) {
            text += &format!(" FILTER (WHERE {})", self.part(filter, of)?.text);
        }
        Some(Text::simple(text, aggregate.ty))
    }

    fn arguments(&mut self, written: &Written<'_>, kind: AggregateKind, given: &[Typed]) -> Option<String> {
        if written.star {
            return Some("*".to_string());
        }
        let texts = match kind {
            AggregateKind::JsonAgg(..) => {
                let mut texts = Vec::with_capacity(written.args.len());
                for arg in written.args {
                    let own = self.own_type(arg)?;
                    texts.push(self.part(arg, &own)?.text);
                }
                texts
            }
            _ => self.list(written.args, given)?,
        };
        Some(format!("{}{}", if written.distinct { "DISTINCT " } else { "" }, texts.join(", ")))
    }

    /// `get_windowfunc_expr`
    fn window(&mut self, written: &Written<'_>, over: &Window, number: u16, ty: SqlType) -> Option<Text> {
        let call = self.windows.get(usize::from(number & 0x7FFF))?.clone();
        let args = match (written.star, &call.function) {
            (true, _) => "*".to_string(),
            (_, WindowFunction::Aggregate(aggregate)) => self.arguments(written, aggregate.kind, &aggregate.args)?,
            _ => self.list(written.args, &call.args)?.join(", "),
        };
        let mut text = format!("{}({args})", written.name);
        if let (Some(filter), Some(of)) = (written.filter, &call.filter) {
            text += &format!(" FILTER (WHERE {})", self.part(filter, of)?.text);
        }
        let over = match &over.called {
            Some(name) => quote_identifier(name),
            None => self.window_spec(over, &call)?,
        };
        Some(Text::simple(format!("{text} OVER {over}"), ty))
    }

    /// `get_rule_windowspec`
    pub(super) fn window_spec(&mut self, over: &Window, call: &WindowCall) -> Option<String> {
        let mut parts = Vec::new();
        if !over.partition.is_empty() {
            let mut keys = Vec::new();
            for (key, typed) in over.partition.iter().zip(&call.partition) {
                keys.push(self.sort_item(key, typed)?);
            }
            parts.push(format!("PARTITION BY {}", keys.join(", ")));
        }
        if !over.order_by.is_empty() {
            let mut keys = Vec::new();
            for (by, key) in over.order_by.iter().zip(&call.order) {
                keys.push(self.sort_item(&by.expr, &key.expr)? + direction(by.descending, by.nulls_first));
            }
            parts.push(format!("ORDER BY {}", keys.join(", ")));
        }
        parts.extend(over.frame.map(frame));
        Some(format!("({})", parts.join(" ")))
    }

    /// `get_rule_sortgroupclause`
    pub(super) fn sort_item(&mut self, expr: &Expr, typed: &Typed) -> Option<String> {
        has_order(typed.ty.oid).ok()?;
        let text = self.shown(expr, typed)?;
        let is_call = match &expr.node {
            ExprNode::Column { .. } => return Some(text.text),
            ExprNode::Literal(_) => return None,
            ExprNode::Function { name, .. } => {
                !is_one_of(name, VALUES) && !matches!(name.as_str(), "coalesce" | "nullif" | "greatest" | "least")
            }
            // of types whose casts are functions
            ExprNode::Cast(..) => text.kind == Kind::Simple && !matches!(typed.ty.oid, TEXT | VARCHAR | 1042),
            _ => false,
        };
        Some(if self.style.pretty || is_call { format!("({})", text.text) } else { text.text })
    }
}

/// `get_rule_orderby`
pub(super) const fn direction(descending: bool, nulls_first: bool) -> &'static str {
    match (descending, nulls_first) {
        (false, true) => " NULLS FIRST",
        (true, true) => " DESC",
        (true, false) => " DESC NULLS LAST",
        (false, false) => "",
    }
}

fn frame(frame: Frame) -> String {
    let unit = match frame.unit {
        FrameUnit::Rows => "ROWS",
        FrameUnit::Range => "RANGE",
        FrameUnit::Groups => "GROUPS",
    };
    let bound = |bound: FrameBound| match bound {
        FrameBound::First => "UNBOUNDED PRECEDING".to_string(),
        FrameBound::Last => "UNBOUNDED FOLLOWING".to_string(),
        FrameBound::By(0) => "CURRENT ROW".to_string(),
        FrameBound::By(count) if count < 0 => format!("{} PRECEDING", -count),
        FrameBound::By(count) => format!("{count} FOLLOWING"),
    };
    match frame.is_between {
        true => format!("{unit} BETWEEN {} AND {}", bound(frame.start), bound(frame.end)),
        false => format!("{unit} {}", bound(frame.start)),
    }
}
