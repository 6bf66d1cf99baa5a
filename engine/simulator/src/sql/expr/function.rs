//! Operators and functions with their arguments: `make_op`, `ParseFuncOrColumn` (src/backend/parser/parse_oper.c,
//! parse_func.c).

use super::aggregate::{Aggregate, AggregateKind, SortKey};
use super::analyze::{Analyzer, truth};
use super::choose::{Choice, choose};
use super::pg_catalog::{
    self, ANYNONARRAY, BPCHAR, Candidate, INET, INT4_ARRAY, JSONB, TEXT, TEXT_ARRAY, UNKNOWN, is_range,
};
use super::pg_proc::{self, Builtin};
use super::polymorphic::undetermined;
use super::{Node, Typed};
use crate::cluster::{Lookup, Strategy};
use crate::sql::StatementError;
use crate::sql::ast::{BinaryOp, Expr, RoutineKind, SortBy};
use crate::sql::catalog::SqlFunction;
use crate::sql::catalog::looking::{PG_NODE_TREE, gives_rows, is_of_another_version};
use crate::sql::parse::JSON_ITEM;
use crate::version::SqlBehaviour;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::enums::is_enum;
use ffviz_format::datum::range::range_subtype;
use ffviz_format::datum::zone::Zone;
use ffviz_format::datum::{SqlError, SqlType, Value, element_of, is_row};
use ffviz_format::page::Oid;

/// `format_type_be`, for messages.
pub(in crate::sql) fn type_name(oid: Oid) -> String {
    match oid {
        UNKNOWN => "unknown".to_string(),
        BPCHAR => "character".to_string(),
        pg_catalog::BIT => "bit".to_string(),
        _ => SqlType::plain(oid).name(),
    }
}

impl Analyzer<'_> {
    /// What an index is searched for is not moved from zone to zone.
    fn check_moments(&self, op: BinaryOp, given: [Oid; 2]) -> Result<(), StatementError> {
        if !op.is_comparison() || !given.contains(&pg_catalog::TIMESTAMPTZ) || self.input.style.zone == Zone::UTC {
            return Ok(());
        }
        match given.into_iter().find(|oid| matches!(*oid, pg_catalog::DATE | pg_catalog::TIMESTAMP)) {
            Some(other) => {
                let other = SqlType::plain(other).name();
                let message = format!(
                    "comparing timestamptz with {other} in another time zone than UTC is not supported; cast one of them"
                );
                Err(StatementError::unsupported(message, None))
            }
            None => Ok(()),
        }
    }

    /// An operator with two operands, cast as the operator takes them.
    pub(super) fn binary(&mut self, op: BinaryOp, left: Typed, right: Typed) -> Result<Typed, StatementError> {
        let given = [left.ty.oid, right.ty.oid];
        if given.contains(&PG_NODE_TREE) {
            let message = "an operator on a value of type pg_node_tree is not supported; pg_get_expr tells it";
            return Err(StatementError::unsupported(message, None));
        }
        if given.contains(&pg_catalog::LSN)
            && let Some(done) = self.with_position(op, &left, &right)?
        {
            return Ok(done);
        }
        if given.into_iter().any(is_row) {
            return self.row_operator(op, left, right);
        }
        check_collations(&left, &right).and_then(|()| self.check_moments(op, given))?;
        let mut candidates = pg_catalog::operators(op.name());
        // a literal is taken for what stands beside it
        let [l, r] = if given[0] == UNKNOWN { [given[1]; 2] } else { given };
        self.lookups.push(Lookup::Operator(op.name(), l, if r == UNKNOWN { l } else { r }));
        if op == BinaryOp::Gt {
            self.lookups.push(Lookup::Sort(l, true));
        }
        let is_array = |oid: &Oid| matches!(*oid, INT4_ARRAY | TEXT_ARRAY);
        if !given.iter().any(is_array) {
            // their operands are polymorphic, so that a literal is taken for an array only beside one
            candidates.retain(|candidate| !candidate.args.iter().any(is_array));
        }
        if let Some(of) = given.into_iter().find(|oid| is_enum(*oid))
            && op.is_comparison()
        {
            candidates.push(Candidate { args: [of; 2], result: pg_catalog::BOOL });
            if !matches!(op, BinaryOp::Eq | BinaryOp::Ne) && self.needs_order(of).is_err() {
                let (left, right) = (self.operand(left, of)?, self.operand(right, of)?);
                let operands = (self.ordered(left)?, self.ordered(right)?);
                return Ok(truth(Node::Binary(op, Box::new(operands))));
            }
        }
        if is_of_ranges(op, given, &mut candidates) {
            return self.range_operator(op.name(), left, right);
        }
        if op == BinaryOp::Concat && given.iter().any(|oid| element_of(*oid).is_some()) {
            return self.array_concat(left, right);
        }
        let found = self.operator(&candidates, given);
        let Choice::One(found) = found else { return Err(missing(op.name(), given, found)) };
        let Candidate { args, result } = candidates[found];
        if op == BinaryOp::Concat && args == [JSONB; 2] {
            let args = Vec::from([self.operand(left, JSONB)?, self.operand(right, JSONB)?]);
            let node = Node::Call(const { Builtin::of("jsonb_concat") }, args);
            return Ok(Typed { node, ty: SqlType::plain(JSONB) });
        }
        if op == BinaryOp::Sub && args[0] == JSONB {
            let builtin = match args[1] {
                TEXT => const { Builtin::of("jsonb_delete") },
                TEXT_ARRAY => const { Builtin::of("jsonb_delete_array") },
                _ => const { Builtin::of("jsonb_delete_index") },
            };
            let args = Vec::from([self.operand(left, JSONB)?, self.operand(right, args[1])?]);
            return Ok(Typed { node: Node::Call(builtin, args), ty: SqlType::plain(JSONB) });
        }
        let without_kernel = |oid: &Oid| matches!(*oid, INET | JSONB);
        if !op.is_comparison() && args.iter().any(without_kernel) {
            let (name, ty) = (op.name(), type_name(args[0]));
            let message =
                format!("operator {name} of {ty} is not supported; the simulator compares values of jsonb and inet");
            return Err(StatementError::unsupported(message, None));
        }
        let operand = |analyzer: &mut Self, expr: Typed, to: Oid| {
            // what is no string becomes text where it is joined to text
            let to = if to == ANYNONARRAY { TEXT } else { to };
            if expr.ty.oid == to { Ok(expr) } else { analyzer.operand(expr, to) }
        };
        let operands = (operand(self, left, args[0])?, operand(self, right, args[1])?);
        Ok(Typed { node: Node::Binary(op, Box::new(operands)), ty: SqlType::plain(result) })
    }

    /// What lies between two positions in the WAL, and `pg_lsn + numeric` and its like (`pg_lsn_mi`, `pg_lsn_pli`,
    /// `pg_lsn_mii`, src/backend/utils/adt/pg_lsn.c).
    fn with_position(&mut self, op: BinaryOp, left: &Typed, right: &Typed) -> Result<Option<Typed>, StatementError> {
        use pg_catalog::{LSN, NUMERIC};
        if op == BinaryOp::Sub && [left.ty.oid, right.ty.oid].iter().all(is_position) {
            let args = Vec::from([self.implicit(left.clone(), LSN)?, self.implicit(right.clone(), LSN)?]);
            let node = Node::Call(const { Builtin::of("pg_wal_lsn_diff") }, args);
            return Ok(Some(Typed { node, ty: SqlType::NUMERIC }));
        }
        let is_number = |of: &Typed| of.ty.oid == UNKNOWN || matches!(of.ty.oid, 20 | 21 | 23 | NUMERIC);
        let (position, number) = match (op, left.ty.oid, right.ty.oid) {
            (BinaryOp::Add | BinaryOp::Sub, LSN, _) if is_number(right) => (left, right),
            (BinaryOp::Add, _, LSN) if is_number(left) => (right, left),
            _ => return Ok(None),
        };
        if !self.input.version().adds_to_positions() {
            return Ok(None);
        }
        let args = Vec::from([position.clone(), self.implicit(number.clone(), NUMERIC)?]);
        let builtin = match op {
            BinaryOp::Add => const { Builtin::of("pg_lsn_pli") },
            _ => const { Builtin::of("pg_lsn_mii") },
        };
        Ok(Some(Typed { node: Node::Call(builtin, args), ty: SqlType::plain(LSN) }))
    }

    /// `||` of an array and another one, or an element; a literal is an array.
    fn array_concat(&mut self, left: Typed, right: Typed) -> Result<Typed, StatementError> {
        let given = [left.ty.oid, right.ty.oid];
        let is_array = |oid: Oid| oid == UNKNOWN || element_of(oid).is_some();
        let name = match given.map(is_array) {
            [true, true] => "array_cat",
            [true, false] => "array_append",
            _ => "array_prepend",
        };
        let builtin = match name {
            "array_cat" => const { Builtin::of("array_cat") },
            "array_append" => const { Builtin::of("array_append") },
            _ => const { Builtin::of("array_prepend") },
        };
        let args = self.compatible(name, Vec::from([left, right])).map_err(|error| match error.error.sqlstate {
            "42883" => missing("||", given, Choice::None),
            _ => error,
        })?;
        let array = args[usize::from(name == "array_prepend")].ty;
        Ok(Typed { node: Node::Call(builtin, args), ty: array })
    }

    /// Which of the candidates is meant, and the arguments as it takes them.
    ///
    /// # Errors
    /// None is.
    pub fn chosen(
        &mut self,
        name: &str,
        candidates: &[&[Oid]],
        args: Vec<Typed>,
    ) -> Result<(usize, Vec<Typed>), StatementError> {
        let given: Vec<Oid> = args.iter().map(|arg| arg.ty.oid).collect();
        let found = choose(candidates, &given, self.major());
        let Choice::One(found) = found else { return Err(no_function(name, &given, found)) };
        let range = self.range_among(name, candidates[found], &given)?;
        let mut cast = Vec::with_capacity(args.len());
        for (arg, to) in args.into_iter().zip(candidates[found]) {
            cast.push(match (*to, arg.ty.oid) {
                (pg_catalog::ANY, UNKNOWN) => self.implicit(arg, TEXT)?,
                // `quote_literal(v::text)`: true, not t
                (pg_catalog::ANY, pg_catalog::BOOL) if name.starts_with("quote_") => {
                    Typed { node: Node::Cast(Box::new(arg), true), ty: SqlType::TEXT }
                }
                (pg_catalog::ANY, _) if !name.starts_with("pg_column_") => self.printed(arg)?,
                (pg_catalog::ANYRANGE, _) => self.implicit(arg, range)?,
                (pg_catalog::ANYARRAY, UNKNOWN) => match given.iter().find(|oid| element_of(**oid).is_some()) {
                    Some(array) => self.implicit(arg, *array)?,
                    None => return Err(undetermined()),
                },
                (pg_catalog::ANY | pg_catalog::ANYARRAY, _) => arg,
                _ => self.implicit(arg, *to)?,
            });
        }
        Ok((found, cast))
    }

    /// The type of the ranges among the arguments of a function, which must be one
    /// (`enforce_generic_type_consistency`).
    fn range_among(&self, name: &str, candidate: &[Oid], given: &[Oid]) -> Result<Oid, StatementError> {
        let pairs = || candidate.iter().zip(given).filter(|(to, _)| **to == pg_catalog::ANYRANGE);
        let mut known = pairs().map(|(_, oid)| *oid).filter(|oid| *oid != UNKNOWN);
        match known.next() {
            Some(first) if known.all(|oid| oid == first) => Ok(first),
            Some(_) => Err(no_function(name, given, Choice::None)),
            None if pairs().next().is_none() => Ok(UNKNOWN),
            // there is a function of multiranges of that name, too
            None if self.input.version().has_multiranges() => Err(no_function(name, given, Choice::Ambiguous)),
            None => {
                let message = "could not determine polymorphic type because input has type unknown";
                Err(StatementError::server("42804", message))
            }
        }
    }

    /// A call of a function of the script's that is run.
    fn routine(&mut self, function: &Arc<SqlFunction>, args: &[Expr]) -> Result<Typed, StatementError> {
        const VOID: Oid = 2278;
        let args = self.routine_args(function, args)?;
        let row_type = function.row_oid.and_then(|oid| self.row_types.iter().find(|ty| ty.oid == oid));
        if let Some(ty) = row_type.filter(|_| !function.is_set) {
            return Ok(Typed { ty: SqlType::plain(ty.typid()), node: Node::Routine(function.clone(), args) });
        }
        if function.is_set || function.columns.len() > 1 || function.row_type.is_some() {
            let message = format!("{}, which gives rows, is not supported here; put it into FROM", function.name);
            return Err(StatementError::unsupported(message, None));
        }
        let ty = function.columns.first().map_or(SqlType::plain(VOID), |(_, ty)| SqlType::plain(ty.oid));
        Ok(Typed { node: Node::Routine(function.clone(), args), ty })
    }

    /// GROUPING, of keys of the query.
    fn grouping(&mut self, args: &[Expr]) -> Result<Typed, StatementError> {
        let keys = args.iter().map(|arg| self.expr(arg)).collect::<Result<Vec<_>, _>>()?;
        let node = Node::Call(const { Builtin::of("grouping") }, keys);
        Ok(Typed { node, ty: SqlType::plain(pg_catalog::INT4) })
    }

    /// Can a function be called with these, whose query stands in its place? Nothing else is noted of them.
    fn check_call(&mut self, function: &Arc<SqlFunction>, args: &[Expr]) -> Result<(), StatementError> {
        let kept = (self.lookups.len(), self.aggregates.clone(), self.windows.clone());
        let checked = self.routine_args(function, args).map(drop);
        self.lookups.truncate(kept.0);
        (self.aggregates, self.windows) = (kept.1, kept.2);
        checked
    }

    /// What it is called with, with defaults for what is missing.
    ///
    /// # Errors
    /// It takes no such arguments, or cannot be called so.
    pub(in crate::sql) fn routine_args(
        &mut self,
        function: &Arc<SqlFunction>,
        args: &[Expr],
    ) -> Result<Vec<Typed>, StatementError> {
        let args = &*self.in_places_of(function, args)?;
        let name = &function.name;
        let types: Vec<Oid> = function.arguments.iter().map(|(_, ty)| ty.oid).collect();
        let missing = types.len().checked_sub(args.len()).filter(|count| *count <= function.defaults.len());
        let defaults = &function.defaults[function.defaults.len() - missing.unwrap_or(0)..];
        let args = args.iter().chain(defaults).map(|arg| self.expr(arg)).collect::<Result<Vec<_>, _>>()?;
        let (_, args) = self.chosen(name, &[&types], args)?;
        match function.kind {
            RoutineKind::Function => {}
            RoutineKind::Procedure => {
                let message = format!("{} is a procedure", function.signature());
                return Err(StatementError::server("42809", message));
            }
            RoutineKind::Trigger => {
                return Err(StatementError::server("0A000", "trigger functions can only be called as triggers"));
            }
        }
        Ok(args)
    }

    /// Are the two equal?
    ///
    /// # Errors
    /// Their types have no such operator.
    pub fn equal(&mut self, left: Typed, right: Typed) -> Result<Typed, StatementError> {
        self.binary(BinaryOp::Eq, left, right)
    }

    /// `binary_oper_exact`, `oper_select_candidate`: a literal first is taken for the other operand's type.
    fn operator(&self, candidates: &[Candidate], given: [Oid; 2]) -> Choice {
        let alike = match given {
            [UNKNOWN, right] => [right, right],
            [left, UNKNOWN] => [left, left],
            both => both,
        };
        if let Some(exact) = candidates.iter().position(|candidate| candidate.args == alike && candidate.args[0] != 0) {
            return Choice::One(exact);
        }
        let binary: Vec<usize> = (0..candidates.len()).filter(|n| candidates[*n].args[0] != 0).collect();
        let args: Vec<&[Oid]> = binary.iter().map(|n| &candidates[*n].args[..]).collect();
        match choose(&args, &given, self.major()) {
            Choice::One(n) => Choice::One(binary[n]),
            other => other,
        }
    }

    /// An operand as the operator takes it; to text also what has only an output function.
    fn operand(&mut self, expr: Typed, to: Oid) -> Result<Typed, StatementError> {
        let context = if to == TEXT { pg_catalog::Coercion::Assignment } else { pg_catalog::Coercion::Implicit };
        match self.coerce(expr, SqlType::plain(to), context)? {
            Some(expr) => Ok(expr),
            None => Err(StatementError::server("42846", format!("cannot cast to type {}", type_name(to)))),
        }
    }

    /// `-x`
    pub(super) fn negated(&mut self, operand: Typed) -> Result<Typed, StatementError> {
        let candidates = pg_catalog::operators("-");
        let prefix: Vec<&Candidate> = candidates.iter().filter(|candidate| candidate.args[0] == 0).collect();
        let args: Vec<&[Oid]> = prefix.iter().map(|candidate| &candidate.args[1..]).collect();
        let found = choose(&args, &[operand.ty.oid], self.major());
        let Choice::One(found) = found else { return Err(missing("-", [0, operand.ty.oid], found)) };
        let Candidate { args, result } = *prefix[found];
        self.lookups.push(Lookup::Operator("-", 0, operand.ty.oid));
        let operand = self.implicit(operand, args[1])?;
        Ok(Typed { node: Node::Negate(Box::new(operand)), ty: SqlType::plain(result) })
    }

    /// `findTargetlistEntrySQL99`: an expression over the rows; a number is no place here.
    pub(super) fn sort_key(&mut self, by: &SortBy) -> Result<SortKey, StatementError> {
        let expr = self.decided(&by.expr)?;
        has_order(expr.ty.oid)?;
        self.look_up_order(expr.ty.oid, by.descending);
        let expr = self.ordered(expr)?;
        Ok(SortKey { expr, descending: by.descending, nulls_first: by.nulls_first })
    }

    /// `get_sort_group_operators`: what is less, for the equality of its family too.
    pub(in crate::sql) fn look_up_order(&mut self, of: Oid, descending: bool) {
        self.lookups.extend([Lookup::Sort(of, false), Lookup::member(of, Strategy::Less)]);
        self.lookups.push(Lookup::member(of, Strategy::Equal));
        if descending {
            self.lookups.push(Lookup::Sort(of, true));
        }
    }

    pub(super) fn look_up_function(&mut self, name: &str, args: &[Typed]) {
        const ANY: Oid = 2276;
        // count is one function for all types
        let given = |arg: &Typed| if name == "count" { ANY } else { arg.ty.oid };
        let types: Vec<Oid> = args.iter().map(given).collect();
        // its place in an index' order is what decides about a sort too
        if name == "max" {
            self.lookups.extend(types.first().map(|of| Lookup::Sort(*of, true)));
        }
        self.lookups.push(Lookup::Function(name.into(), types));
    }

    /// A function that takes a whole row, where it is called with one.
    fn of_whole_row(&mut self, name: &str, args: &[Expr]) -> Result<Option<Typed>, StatementError> {
        if let ("pg_column_size", [arg]) = (name, args)
            && let Some(parts) = self.parts_of_row(arg)?
        {
            let parts = self.with_dropped(arg, parts);
            let node = Node::Call(const { Builtin::of("row_size") }, parts);
            return Ok(Some(Typed { node, ty: SqlType::plain(pg_catalog::INT4) }));
        }
        if let ("to_jsonb" | "to_json" | "row_to_json", [arg]) = (name, args)
            && let Some(document) = self.row_to_document(name, arg)?
        {
            return Ok(Some(document));
        }
        Ok(None)
    }

    /// A function or an aggregate.
    pub(super) fn call(
        &mut self,
        name: &str,
        args: &[Expr],
        star: bool,
        distinct: bool,
        order_by: &[SortBy],
        filter: Option<&Expr>,
    ) -> Result<Typed, StatementError> {
        let name = if name == "extract" && !self.input.version().has_extract() { "date_part" } else { name };
        if let Some(done) = self.ordered_set(name, args, order_by, filter)? {
            return Ok(done);
        }
        if let Some(kind) = Self::aggregate_kind(name).filter(|_| AggregateKind::is_there(name, self.input.version())) {
            let outer = core::mem::replace(&mut self.in_aggregate, true);
            let before = self.window_count();
            let args = args.iter().map(|arg| self.expr(arg)).collect::<Result<Vec<_>, _>>();
            let order = order_by.iter().map(|by| self.sort_key(by)).collect::<Result<Vec<_>, _>>();
            let filter = filter.map(|filter| self.boolean(filter, "FILTER")).transpose();
            self.in_aggregate = outer;
            self.check_windows(before, ("42803", "aggregate function calls cannot contain window function calls"))?;
            let args = args?;
            self.look_up_function(name, &args);
            let aggregate = Aggregate::new(self, name, kind, args, star)?.sorted(self, order?, distinct)?;
            return self.add_aggregate(Aggregate { filter: filter?, ..aggregate });
        }
        let of_aggregates = [("FILTER", filter.is_some()), ("DISTINCT", distinct), ("ORDER BY", !order_by.is_empty())];
        if let Some((clause, _)) = of_aggregates.into_iter().find(|(_, is_there)| *is_there) {
            let is_own = self.functions.iter().any(|function| function.name == name);
            // an aggregate that is not known here, or nothing
            if !is_own && (name.ends_with("_agg") || !pg_proc::is_of_servers(name)) {
                let args = args.iter().map(|arg| self.expr(arg)).collect::<Result<Vec<_>, _>>()?;
                return Err(self.unknown_function(name, &args));
            }
            let message = format!("{clause} specified, but {name} is not an aggregate function");
            return Err(StatementError::server("42809", message));
        }
        if name == "generate_series" {
            let message = "generate_series within an expression is not supported; the simulator knows it in FROM and alone after SELECT";
            return Err(StatementError::unsupported(message, None));
        }
        if let Some(function) = self.functions.iter().find(|function| function.name == name).cloned() {
            let args = &*self.in_places_of(&function, args)?;
            if !function.stands_for_value(args) || self.planner.is_none() {
                return self.routine(&function, args);
            }
            self.check_call(&function, args)?;
            return self.expr(&function.value(args)?);
        }
        let args = &*self.in_places(name, args)?;
        if let Some(done) = self.of_whole_row(name, args)? {
            return Ok(done);
        }
        if name == "grouping" {
            return self.grouping(args);
        }
        let args = args.iter().map(|arg| self.expr(arg)).collect::<Result<Vec<_>, _>>()?;
        if star {
            // a function of nothing would be meant
            self.builtin(name, Vec::new()).map(|_| ()).or_else(|error| match error.error.sqlstate {
                "42883" => Err(error),
                _ => Ok(()),
            })?;
            let message = format!("{name}(*) specified, but {name} is not an aggregate function");
            return Err(StatementError::server("42809", message));
        }
        if let Some(done) = self.enum_function(name, &args)? {
            return Ok(done);
        }
        if let Some(function) = name.strip_prefix(JSON_ITEM) {
            return self.json_item(function, args);
        }
        if let Some(special) = self.special(name, &args)? {
            return Ok(special);
        }
        check_letters(&args)?;
        self.builtin(name, args)
    }

    /// `JSON_VALUE` and its like (17).
    fn json_item(&mut self, name: &str, args: Vec<Typed>) -> Result<Typed, StatementError> {
        let spec = match args.get(3) {
            Some(Typed { node: Node::Const(Value::Text(spec)), .. }) => String::from_utf8_lossy(spec).into_owned(),
            _ => String::new(),
        };
        let words: Vec<&str> = spec.split(' ').collect();
        let [_, oid, typmod, first, ..] = words[..] else { return Err(Self::not_here(name)) };
        if !self.input.version().has_json_queries() {
            if first != ")" {
                let message = format!("syntax error at or near \"{first}\"");
                return Err(StatementError::server("42601", message));
            }
            let document = args.first().map_or(UNKNOWN, |document| match &document.node {
                Node::Cast(inner, _) => inner.ty.oid,
                Node::Const(_) => UNKNOWN,
                _ => document.ty.oid,
            });
            return Err(no_function(name, &[document, UNKNOWN], Choice::None));
        }
        let ty = SqlType { oid: oid.parse().unwrap_or(TEXT), typmod: typmod.parse().unwrap_or(-1) };
        let builtin = match name {
            "json_value" => const { Builtin::of("json value") },
            "json_query" => const { Builtin::of("json query") },
            _ => const { Builtin::of("json exists") },
        };
        if element_of(ty.oid).is_some() || is_row(ty.oid) {
            let message =
                format!("{name} RETURNING {} is not supported; it gives jsonb, text and plain values", ty.name());
            return Err(StatementError::unsupported(message, None));
        }
        let args = args.into_iter().map(|arg| if arg.ty.oid == UNKNOWN { self.implicit(arg, TEXT) } else { Ok(arg) });
        let args = args.collect::<Result<Vec<_>, _>>()?;
        Ok(Typed { node: Node::Call(builtin, args), ty })
    }

    /// A function that is built in.
    pub(super) fn builtin(&mut self, name: &str, args: Vec<Typed>) -> Result<Typed, StatementError> {
        let procs = pg_proc::named(name, self.major());
        if procs.is_empty() {
            return Err(self.unknown_function(name, &args));
        }
        check_gives_value(name, &procs, args.len())?;
        self.look_up_function(name, &args);
        let is_there = |proc: &&&pg_proc::Proc| match pg_proc::extension(proc.name) {
            Some(extension) => self.extensions.contains(&extension),
            None => true,
        };
        let procs: Vec<_> = procs.iter().filter(is_there).collect();
        let candidates: Vec<&[Oid]> = procs.iter().map(|proc| proc.args).collect();
        let args = self.compatible(name, args)?;
        let first = args.iter().map(|arg| arg.ty.oid).find(|oid| element_of(*oid).is_some());
        let (found, cast) = self.chosen(name, &candidates, args)?;
        let proc = procs[found];
        let range = cast.iter().map(|arg| arg.ty.oid).find(|oid| is_range(*oid)).unwrap_or(UNKNOWN);
        // a polymorphic result is of the type of the array among the arguments
        let result = match proc.result {
            pg_catalog::ANYARRAY => first.unwrap_or(proc.result),
            pg_catalog::ANYRANGE => range,
            pg_catalog::ANYELEMENT => range_subtype(range).unwrap_or(proc.result),
            other => other,
        };
        Ok(Typed { node: Node::Call(proc.builtin(), cast), ty: SqlType::plain(result) })
    }
}

impl Analyzer<'_> {
    fn not_here(name: &str) -> StatementError {
        StatementError::unsupported(format!("function {name} is not supported; {}", pg_proc::KNOWN), None)
    }

    /// A literal of no type is text.
    pub(super) fn implicit_text(&mut self, expr: Typed) -> Result<Typed, StatementError> {
        if expr.ty.oid == UNKNOWN { self.implicit(expr, TEXT) } else { Ok(expr) }
    }

    /// A function that is not known here: without extensions that may have it, and where no server has it, it is an
    /// error of PostgreSQL's.
    fn unknown_function(&self, name: &str, args: &[Typed]) -> StatementError {
        if pg_proc::is_of_grammar(name, self.input.version()) {
            return Self::not_here(name);
        }
        if let Some(error) = self.called_elsewhere(name, args.len()) {
            return error;
        }
        let is_unknown = !name.contains('.') && !pg_proc::is_of_servers(name);
        let is_later = pg_proc::is_later(name) || Self::is_aggregate(name);
        let is_later = is_later || is_of_another_version(name, self.major());
        if is_later || self.extensions.is_empty() && is_unknown {
            let given: Vec<Oid> = args.iter().map(|arg| arg.ty.oid).collect();
            return no_function(name, &given, Choice::None);
        }
        Self::not_here(name)
    }
}

/// `get_sort_group_operators`: of some types no value is less than another.
///
/// # Errors
/// It is one of them.
pub(in crate::sql) fn has_order(oid: Oid) -> Result<(), StatementError> {
    const WITHOUT: [Oid; 3] = [28, 29, 114];
    if !WITHOUT.contains(&oid) {
        return Ok(());
    }
    let message = format!("could not identify an ordering operator for type {}", type_name(oid));
    Err(StatementError::server("42883", message))
}

impl Typed {
    /// What stands behind COLLATE, and the collation.
    pub(in crate::sql) fn collated(&self) -> Option<(&Self, String)> {
        let Node::Call(builtin, args) = &self.node else { return None };
        let [text, Self { node: Node::Const(name), .. }] = &args[..] else { return None };
        (*builtin == const { Builtin::of("collate") }).then(|| Some((text, name.output(TEXT)?)))?
    }

    fn collation(&self) -> Option<String> {
        self.collated().map(|(_, name)| name)
    }
}

/// Letters of other scripts than the Latin one are not known here.
fn check_letters(args: &[Typed]) -> Result<(), StatementError> {
    match args.iter().any(|arg| arg.collation().is_some_and(|name| name == "pg_c_utf8")) {
        true => Err(StatementError::unsupported("a function of text COLLATE pg_c_utf8 is not supported", None)),
        false => Ok(()),
    }
}

/// `merge_collation_state`, of two operands with COLLATE.
fn check_collations(left: &Typed, right: &Typed) -> Result<(), StatementError> {
    match (left.collation(), right.collation()) {
        (Some(one), Some(other)) if one != other => {
            let message = format!("collation mismatch between explicit collations \"{one}\" and \"{other}\"");
            Err(StatementError::server("42P21", message))
        }
        _ => Ok(()),
    }
}

/// Is it an operator of ranges alone? Two of them are compared like other values.
fn is_of_ranges(op: BinaryOp, given: [Oid; 2], candidates: &mut Vec<Candidate>) -> bool {
    let Some(range) = given.into_iter().find(|oid| is_range(*oid)) else { return false };
    candidates.push(Candidate { args: [range; 2], result: pg_catalog::BOOL });
    !op.is_comparison() && op != BinaryOp::Concat
}

/// A position in the WAL, or a literal that may be one.
const fn is_position(oid: &Oid) -> bool {
    matches!(*oid, pg_catalog::LSN | UNKNOWN)
}

/// `op_error`
pub(super) fn missing(name: &str, [left, right]: [Oid; 2], choice: Choice) -> StatementError {
    let signature = match left {
        0 => format!("{name} {}", type_name(right)),
        _ => format!("{} {name} {}", type_name(left), type_name(right)),
    };
    let error = match (choice, left) {
        (Choice::Ambiguous, _) => SqlError::new("42725", format!("operator is not unique: {signature}"))
            .with_hint("Could not choose a best candidate operator. You might need to add explicit type casts."),
        (_, 0) => SqlError::new("42883", format!("operator does not exist: {signature}")).with_hint(
            "No operator matches the given name and argument type. You might need to add an explicit type cast.",
        ),
        _ => SqlError::new("42883", format!("operator does not exist: {signature}")).with_hint(
            "No operator matches the given name and argument types. You might need to add explicit type casts.",
        ),
    };
    error.into()
}

/// One of that name that gives rows stands in FROM.
fn check_gives_value(name: &str, procs: &[&pg_proc::Proc], count: usize) -> Result<(), StatementError> {
    if procs.iter().any(|proc| proc.args.len() == count) || !gives_rows(name, count) {
        return Ok(());
    }
    let message = format!("{name}, which gives rows, is not supported here; put it into FROM");
    Err(StatementError::unsupported(message, None))
}

/// What is said where none fits.
pub(super) const NO_FUNCTION: &str =
    "No function matches the given name and argument types. You might need to add explicit type casts.";

/// No function of that name takes such arguments.
pub(super) fn no_function(name: &str, given: &[Oid], choice: Choice) -> StatementError {
    let types: Vec<String> = given.iter().map(|oid| type_name(*oid)).collect();
    // the grammar calls it by its schema
    let schema = if name == "overlaps" { "pg_catalog." } else { "" };
    let signature = format!("{schema}{name}({})", types.join(", "));
    let error = match choice {
        Choice::Ambiguous => SqlError::new("42725", format!("function {signature} is not unique"))
            .with_hint("Could not choose a best candidate function. You might need to add explicit type casts."),
        _ => SqlError::new("42883", format!("function {signature} does not exist")).with_hint(NO_FUNCTION),
    };
    error.into()
}
