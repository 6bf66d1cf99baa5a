//! Aggregates, window functions, and queries in place of values (`get_agg_expr`, `get_windowfunc_expr`,
//! `get_rule_windowspec`, `get_sublink_expr`, src/backend/utils/adt/ruleutils.c).

use super::constants::quote_identifier;
use super::layout::Kind;
use super::query::Shown;
use super::written::{Deparser, Text};
use crate::sql::ast::{
    Exclude, Expr, ExprNode, Frame, FrameBound, FrameUnit, ORDERED_SETS, QueryKind, Select, SortBy, Window,
};
use crate::sql::expr::pg_catalog::UNKNOWN;
use crate::sql::expr::{Node, Typed};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::datum::SqlType;

/// Of any type, domains too.
const OF_ANY: &str = "array_agg any_value first_value last_value lag lead nth_value count";

impl Deparser<'_> {
    pub(super) fn aggregate(&mut self, expr: &Expr, typed: &Typed) -> Option<Text> {
        let ExprNode::Function { name, args, star, distinct, order_by, filter, over, .. } = &expr.node else {
            return None;
        };
        if name.contains(['.', ' ']) {
            return None;
        }
        // what it is called with is found last, behind what stands within it
        let given = self.analyzed(|analyzer| {
            analyzer.expr(expr)?;
            let of_aggregate = analyzer.aggregates.iter_mut().find_map(Vec::pop).map(|it| it.args);
            let of_window = analyzer.windows.iter_mut().find_map(Vec::pop).map(|it| it.args);
            Ok(if over.is_some() { of_window } else { of_aggregate })
        })??;
        let is_ordered = ORDERED_SETS.contains(&&**name);
        let mut texts = match *star {
            // the last one is what is sorted by
            false if is_ordered => {
                let shares = args.split_last()?.1.iter().map(|share| {
                    let typed = self.analyzed(|analyzer| analyzer.assigned(share, "", SqlType::FLOAT8))?;
                    Some(self.operand(share, &typed)?.text)
                });
                shares.collect::<Option<Vec<_>>>()?
            }
            true => Vec::from(["*".to_string()]),
            // they take values of any type
            false if name.starts_with("json") => {
                let own = args.iter().map(|arg| self.own_type(arg)).collect::<Option<Vec<_>>>()?;
                self.list(args, &own)?
            }
            // a value of a domain stays one
            false if OF_ANY.split(' ').any(|known| known == name) => {
                let texts = args.iter().zip(&given).map(|(arg, typed)| Some(self.shown(arg, typed)?.text));
                texts.collect::<Option<Vec<_>>>()?
            }
            false => self.list(args, &given)?,
        };
        if let Some(first) = texts.first_mut().filter(|_| *distinct) {
            *first = format!("DISTINCT {first}");
        }
        let mut text = format!("{}({}", quote_identifier(name), texts.join(", "));
        if is_ordered {
            let (by, key) = (order_by.first()?, given.first()?);
            let key = match self.own_type(&by.expr)?.ty == key.ty {
                true => self.key(&by.expr, &[], false)?,
                false => format!("({})", self.operand(&by.expr, key)?.text),
            };
            text += &format!(") WITHIN GROUP (ORDER BY {key}{}", direction(by));
        } else if !order_by.is_empty() {
            text += &format!(" ORDER BY {}", self.sorted(order_by)?);
        }
        text.push(')');
        if let Some(filter) = filter {
            let typed = self.analyzed(|analyzer| analyzer.condition(filter))?;
            text += &format!(" FILTER (WHERE {})", self.part(filter, &typed)?.text);
        }
        if let Some(over) = over {
            text += " OVER ";
            text += &match &over.called {
                Some((_, name)) => quote_identifier(name),
                None => self.window(over)?,
            };
        }
        Some(Text::simple(text, typed.ty))
    }

    fn sorted(&mut self, order_by: &[SortBy]) -> Option<String> {
        let keys = order_by.iter().map(|by| Some(self.key(&by.expr, &[], false)? + direction(by)));
        Some(keys.collect::<Option<Vec<_>>>()?.join(", "))
    }

    /// What stands behind OVER, or in WINDOW.
    pub(super) fn window(&mut self, window: &Window) -> Option<String> {
        let mut parts = Vec::new();
        let own_order = window.copied.as_ref().is_none_or(|(_, own)| *own);
        if let Some((name, _)) = &window.copied {
            parts.push(quote_identifier(name));
        } else if !window.partition.is_empty() {
            let keys = window.partition.iter().map(|expr| self.key(expr, &[], false));
            parts.push(format!("PARTITION BY {}", keys.collect::<Option<Vec<_>>>()?.join(", ")));
        }
        if own_order && !window.order_by.is_empty() {
            parts.push(format!("ORDER BY {}", self.sorted(&window.order_by)?));
        }
        if let Some(frame) = window.frame {
            let whole = |number: u64| number.to_string();
            parts.push(frame_options(frame, whole, |n| {
                let offset = window.offsets[n].as_ref()?;
                let typed = self.own_type(offset).filter(|typed| typed.ty.oid != UNKNOWN)?;
                Some(self.part(offset, &typed)?.text)
            })?);
        }
        Some(format!("({})", parts.join(" ")))
    }

    pub(super) fn sub_link(&mut self, kind: &QueryKind, query: &Select, typed: &Typed) -> Option<Text> {
        let Node::Query(plan) = &typed.node else { return None };
        let mut left = |left: &Expr| match &plan.test.as_ref()?.node {
            Node::Binary(_, operands) => Some(self.operand(left, &operands.0)?.text),
            _ => None,
        };
        let before = match kind {
            QueryKind::Exists => "(EXISTS (".to_string(),
            QueryKind::Scalar => "(".to_string(),
            QueryKind::Array => "ARRAY(".to_string(),
            QueryKind::Any(of, op) if op == "=" => format!("({} IN (", left(of)?),
            QueryKind::Any(of, op) => format!("({} {op} ANY (", left(of)?),
            QueryKind::All(of, op) => format!("({} {op} ALL (", left(of)?),
        };
        let after = if matches!(kind, QueryKind::Scalar | QueryKind::Array) { ")" } else { "))" };
        let query = self.query(query, &Shown::default())?;
        Some(Text::new(format!("{before}{query}{after}"), Kind::Test, typed.ty))
    }
}

/// What stands behind a key of ORDER BY.
pub(super) const fn direction(by: &SortBy) -> &'static str {
    match (by.descending, by.nulls_first) {
        (false, false) => "",
        (false, true) => " NULLS FIRST",
        (true, true) => " DESC",
        (true, false) => " DESC NULLS LAST",
    }
}

/// `get_window_frame_options`: `whole` writes a whole number, `offset` what else one of the bounds is off by.
pub fn frame_options(
    frame: Frame,
    whole: impl Fn(u64) -> String,
    mut offset: impl FnMut(usize) -> Option<String>,
) -> Option<String> {
    let mut bound = |bound: FrameBound, n: usize| {
        let side = |is_before: bool| if is_before { "PRECEDING" } else { "FOLLOWING" };
        Some(match bound {
            FrameBound::First => "UNBOUNDED PRECEDING".to_string(),
            FrameBound::Last => "UNBOUNDED FOLLOWING".to_string(),
            FrameBound::By(0) => "CURRENT ROW".to_string(),
            FrameBound::By(by) => format!("{} {}", whole(by.unsigned_abs()), side(by < 0)),
            FrameBound::Offset(is_before) => format!("{} {}", offset(n)?, side(is_before)),
        })
    };
    let unit = match frame.unit {
        FrameUnit::Rows => "ROWS",
        FrameUnit::Range => "RANGE",
        FrameUnit::Groups => "GROUPS",
    };
    let start = bound(frame.start, 0)?;
    let bounds = match frame.between {
        true => format!("BETWEEN {start} AND {}", bound(frame.end, 1)?),
        false => start,
    };
    let exclude = match frame.exclude {
        Exclude::Nothing => "",
        Exclude::Current => " EXCLUDE CURRENT ROW",
        Exclude::Group => " EXCLUDE GROUP",
        Exclude::Ties => " EXCLUDE TIES",
    };
    Some(format!("{unit} {bounds}{exclude}"))
}
