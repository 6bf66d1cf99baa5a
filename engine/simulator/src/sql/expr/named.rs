//! Arguments by their names, and what those are that are missing (`MatchNamedCall`, src/backend/catalog/namespace.c;
//! `reorder_function_arguments`, `add_function_defaults`, src/backend/optimizer/util/clauses.c).

use super::analyze::Analyzer;
use super::function::type_name;
use super::pg_proc;
use crate::sql::StatementError;
use crate::sql::ast::{Expr, ExprNode, Literal};
use crate::sql::catalog::SqlFunction;
use crate::sql::error::Position;
use alloc::borrow::Cow;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::datum::SqlError;

/// `proargnames` and `proargdefaults` of functions that people call so: a name a word, with `=` its default.
const PARAMETERS: &[(&str, &str)] = &[
    ("array_sort", "array descending nulls_first"),
    ("jsonb_insert", "jsonb_in path replacement insert_after=false"),
    ("jsonb_path_exists", "target path vars={} silent=false"),
    ("jsonb_path_match", "target path vars={} silent=false"),
    ("jsonb_path_query", "target path vars={} silent=false"),
    ("jsonb_path_query_array", "target path vars={} silent=false"),
    ("jsonb_path_query_first", "target path vars={} silent=false"),
    ("jsonb_set", "jsonb_in path replacement create_if_missing=true"),
    ("jsonb_set_lax", "jsonb_in path replacement create_if_missing=true null_value_treatment=use_json_null"),
    ("make_date", "year month day"),
    ("make_interval", "years=0 months=0 weeks=0 days=0 hours=0 mins=0 secs=0.0"),
    ("make_time", "hour min sec"),
    ("make_timestamp", "year month mday hour min sec"),
    ("make_timestamptz", "year month mday hour min sec timezone"),
];

/// Is it given by its name?
const fn is_named(arg: &Expr) -> bool {
    matches!(arg.node, ExprNode::Named(..))
}

/// The arguments in the order of the parameters, with defaults for what is missing; `None`: they are no arguments of
/// it.
fn in_order(args: &[Expr], names: &[Option<&str>], default: impl Fn(usize) -> Option<Expr>) -> Option<Vec<Expr>> {
    let mut places: Vec<Option<Expr>> = names.iter().map(|_| None).collect();
    for (n, arg) in args.iter().enumerate() {
        let (at, value) = match &arg.node {
            ExprNode::Named(name, value) => (names.iter().position(|known| *known == Some(name))?, &**value),
            _ => (n, arg),
        };
        if places.get_mut(at)?.replace(value.clone()).is_some() {
            return None;
        }
    }
    // what follows the last one may be missing, where the function is one with fewer arguments
    let mut all = Vec::with_capacity(places.len());
    let mut is_at_end = false;
    for (n, place) in places.into_iter().enumerate() {
        match place.or_else(|| default(n)) {
            Some(_) if is_at_end => return None,
            Some(value) => all.push(value),
            None => is_at_end = true,
        }
    }
    Some(all)
}

/// A default as it stands in [`PARAMETERS`].
fn literal(text: &str, position: Position) -> Expr {
    let literal = match text {
        "true" | "false" => Literal::Bool(text == "true"),
        _ if text.starts_with(|c: char| c.is_ascii_digit()) => Literal::Number(text.to_string()),
        _ => Literal::String(text.to_string()),
    };
    Expr { node: ExprNode::Literal(literal), position }
}

impl Analyzer<'_> {
    /// The arguments of a function that is built in, in their order.
    ///
    /// # Errors
    /// It has none of that name; names that are not known here.
    pub(in crate::sql) fn in_places<'a>(
        &mut self,
        name: &str,
        args: &'a [Expr],
    ) -> Result<Cow<'a, [Expr]>, StatementError> {
        let has_names = args.iter().any(is_named);
        let at = args.first().map_or(Position { line: 1, column: 1 }, |arg| arg.position);
        let is_arity = || pg_proc::proc_args(name, self.major()).any(|count| count == args.len());
        let known = PARAMETERS.iter().find(|(known, _)| *known == name).map(|(_, list)| *list);
        let Some(known) = known.filter(|list| has_names || list.contains('=') && !is_arity()) else {
            return if has_names { Err(self.not_by_name(name, args)?) } else { Ok(Cow::Borrowed(args)) };
        };
        let words: Vec<(&str, Option<&str>)> = known
            .split(' ')
            .map(|word| word.split_once('=').map_or((word, None), |(name, it)| (name, Some(it))))
            .collect();
        let names: Vec<Option<&str>> = words.iter().map(|(name, _)| Some(*name)).collect();
        match in_order(args, &names, |n| words[n].1.map(|text| literal(text, at))) {
            Some(all) => Ok(Cow::Owned(all)),
            None if has_names => Err(self.no_such_names(name, args)?),
            None => Ok(Cow::Borrowed(args)),
        }
    }

    /// The arguments of a function of the script's in their order, as far as they are given by name.
    ///
    /// # Errors
    /// It has none of that name.
    pub(in crate::sql) fn in_places_of<'a>(
        &mut self,
        function: &SqlFunction,
        args: &'a [Expr],
    ) -> Result<Cow<'a, [Expr]>, StatementError> {
        if !args.iter().any(is_named) {
            return Ok(Cow::Borrowed(args));
        }
        let names: Vec<Option<&str>> = function.arguments.iter().map(|(name, _)| name.as_deref()).collect();
        let first = names.len() - function.defaults.len().min(names.len());
        match in_order(args, &names, |n| n.checked_sub(first).and_then(|n| function.defaults.get(n)).cloned()) {
            Some(all) if all.len() == names.len() => Ok(Cow::Owned(all)),
            _ => Err(self.no_such_names(&function.name, args)?),
        }
    }

    /// `func_signature_string`
    fn no_such_names(&mut self, name: &str, args: &[Expr]) -> Result<StatementError, StatementError> {
        let mut types: Vec<String> = Vec::with_capacity(args.len());
        for arg in args {
            types.push(match &arg.node {
                ExprNode::Named(name, value) => format!("{name} => {}", type_name(self.expr(value)?.ty.oid)),
                _ => type_name(self.expr(arg)?.ty.oid),
            });
        }
        let message = format!("function {name}({}) does not exist", types.join(", "));
        Ok(SqlError::new("42883", message).with_hint(super::function::NO_FUNCTION).into())
    }

    /// A function without names, or one whose names are not known here.
    fn not_by_name(&mut self, name: &str, args: &[Expr]) -> Result<StatementError, StatementError> {
        if self.extensions.is_empty() && !pg_proc::is_of_servers(name) {
            return self.no_such_names(name, args);
        }
        let message = format!("an argument of {name} by its name is not supported; give them in their order");
        Ok(StatementError::unsupported(message, None))
    }
}
