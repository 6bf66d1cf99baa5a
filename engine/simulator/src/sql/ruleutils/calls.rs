//! Functions as catalogs keep them (`get_func_expr`, `get_func_sql_syntax`, src/backend/utils/adt/ruleutils.c).

use super::constants::quote_identifier;
use super::layout::{Around, Kind};
use super::written::{Deparser, Text};
use crate::sql::ast::{Expr, ExprNode, Literal};
use crate::sql::expr::pg_catalog::{TEXT, VARCHAR};
use crate::sql::expr::{Node, Typed};
use crate::version::SqlBehaviour;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::datum::SqlType;

/// `SQLValueFunction`
const VALUES: &str = "current_date current_time current_timestamp localtime localtimestamp current_role current_user user \
    session_user current_catalog";

/// Functions that take values of any types, as they are.
const OF_ANY: &str = "concat concat_ws format json_build_array json_build_object jsonb_build_array jsonb_build_object num_nonnulls num_nulls to_json to_jsonb";

/// Functions whose forms in SQL are no calls, and are not told apart from those.
const FORMS: &str = "overlaps similar_to_escape normalize is_normalized xmlexists collation_for current_schema";

/// Functions of which there are more than are known here.
const OTHERS: &str =
    "width_bucket jsonb_path_exists jsonb_path_match jsonb_path_query jsonb_path_query_array jsonb_path_query_first";

fn is_one_of(name: &str, names: &str) -> bool {
    names.split(' ').any(|known| known == name)
}

impl Deparser<'_> {
    pub(super) fn function(&mut self, expr: &Expr, typed: &Typed) -> Option<Text> {
        let ExprNode::Function { name, args, form, .. } = &expr.node else { return None };
        match &typed.node {
            Node::Case(_) => self.conditional(name, args, typed),
            Node::Routine(_, given) if !name.contains('.') => {
                let texts = self.list(args, given.get(..args.len())?)?;
                Some(Text::simple(format!("{}({})", quote_identifier(name), texts.join(", ")), typed.ty))
            }
            Node::Call(..) if name == "collate" => {
                let [text, Expr { node: ExprNode::Literal(Literal::String(collation)), .. }] = &args[..] else {
                    return None;
                };
                let own = self.own_type(text)?;
                let text = self.part(text, &own)?;
                let text = self.within(text, Around::Other);
                Some(self.wrapped(format!("{text} COLLATE {}", quote_identifier(collation)), Kind::Other, own.ty))
            }
            Node::Call(builtin, given) => {
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
        if name == "grouping" {
            let own = args.iter().map(|arg| self.own_type(arg)).collect::<Option<Vec<_>>>()?;
            return simple(format!("GROUPING({})", self.list(args, &own)?.join(", ")));
        }
        if is_one_of(name, FORMS)
            || is_one_of(name, OTHERS)
            || args.iter().any(|arg| matches!(arg.node, ExprNode::Named(..)))
        {
            return None;
        }
        if is_one_of(name, OF_ANY) {
            let mut texts = Vec::with_capacity(args.len());
            for (n, arg) in args.iter().enumerate() {
                let is_text = n == 0 && matches!(name, "format" | "concat_ws");
                texts.push(match given.first().filter(|_| is_text) {
                    Some(first) => self.operand(arg, first)?.text,
                    None => {
                        let own = self.own_type(arg)?;
                        self.part(arg, &own)?.text
                    }
                });
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
            ("extract", [_, _]) => match &args[0].node {
                ExprNode::Literal(Literal::String(field)) => {
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
}
