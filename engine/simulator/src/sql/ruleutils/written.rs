//! Expressions as catalogs keep them (`get_rule_expr`, src/backend/utils/adt/ruleutils.c): what was written says which
//! forms they have, what analysis made of it where they are cast. What is not told for certain as the server does
//! gives `None`.

use super::constants::{array, constant, literal, quote_identifier};
use super::layout::{Around, Kind, Style, VAR, is_simple, keyword, trimmed};
use super::query::Queries;
use super::scope::{Found, Scope};
use crate::sql::StatementError;
use crate::sql::ast::{BinaryOp, Expr, ExprNode, Literal};
use crate::sql::expr::pg_catalog::{BOOL, BPCHAR, INT4, INTERVAL, TEXT, UNKNOWN, VARCHAR};
use crate::sql::expr::{Analyzer, Case, Column, Node, Typed, proc_name};
use crate::sql::tcop::Database;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::datum::SqlType;

/// Tells expressions and queries.
#[derive(Clone)]
pub struct Deparser<'a> {
    pub(super) db: &'a Database,
    pub(super) style: Style,
    /// what columns are called, outermost first
    pub(super) scopes: Vec<Scope>,
    /// the queries of WITH that can be named, and their columns; none: those whose place has not come
    pub(super) commons: Vec<(String, Option<Vec<Column>>)>,
    /// `indentLevel`
    pub(super) indent: i32,
    /// `wrapColumn`
    pub(super) wrap: i32,
}

/// An expression that is told.
pub(super) struct Text {
    pub text: String,
    pub kind: Kind,
    /// its own type, before it is cast; not known of a literal
    pub ty: Option<SqlType>,
    /// is it a column of a domain?
    pub is_of_domain: bool,
}

impl Text {
    pub(super) const fn new(text: String, kind: Kind, ty: SqlType) -> Self {
        Self { text, kind, ty: Some(ty), is_of_domain: false }
    }

    pub(super) const fn simple(text: String, ty: SqlType) -> Self {
        Self::new(text, Kind::Simple, ty)
    }
}

impl<'a> Deparser<'a> {
    /// Over these columns.
    #[must_use]
    pub fn new(db: &'a Database, style: Style, scope: Scope) -> Self {
        Self { scopes: Vec::from([scope]), ..Self::of_query(db, style, 0) }
    }

    /// Over none; lines of what is selected, and of FROM, are filled up to `wrap`.
    pub(super) const fn of_query(db: &'a Database, style: Style, wrap: i32) -> Self {
        Self { db, style, scopes: Vec::new(), commons: Vec::new(), indent: 0, wrap }
    }

    /// The whole expression, without casts that nobody wrote.
    #[must_use]
    pub fn told(&mut self, expr: &Expr, typed: &Typed) -> Option<String> {
        Some(trimmed(&self.part(expr, typed)?.text))
    }

    /// A condition, as analysis makes it of what is kept.
    #[must_use]
    pub fn condition(&mut self, expr: &Expr) -> Option<String> {
        let range = self.scopes.last()?.range.clone();
        let typed = self.db.analyzer(&range).condition(expr).ok()?;
        self.told(expr, &typed)
    }

    /// An expression of its own type, as analysis makes it of what is kept.
    #[must_use]
    pub fn decided(&mut self, expr: &Expr) -> Option<String> {
        let range = self.scopes.last()?.range.clone();
        let typed = self.db.analyzer(&range).decided(expr).ok()?;
        self.told(expr, &typed)
    }

    /// A key of an index: what looks like no function stands in parentheses.
    #[must_use]
    pub fn index_key(&mut self, expr: &Expr) -> Option<String> {
        let range = self.scopes.last()?.range.clone();
        let typed = self.db.analyzer(&range).decided(expr).ok()?;
        let is_call = matches!(&expr.node, ExprNode::Function { .. } | ExprNode::Column { .. });
        let text = self.told(expr, &typed)?;
        Some(if is_call && !text.starts_with('(') { text } else { format!("({text})") })
    }

    /// What an expression is alone.
    pub(super) fn own_type(&self, expr: &Expr) -> Option<Typed> {
        self.analyzed(|analyzer| analyzer.expr(expr))
    }

    /// What analysis makes of something over the columns that there are.
    pub(super) fn analyzed<T>(&self, what: impl FnOnce(&mut Analyzer<'_>) -> Result<T, StatementError>) -> Option<T> {
        let (scope, around) = self.scopes.split_last()?;
        let outer: Vec<_> = around.iter().map(|scope| scope.range.clone()).collect();
        let mut queries = Queries(self);
        let mut analyzer = self.db.analyzer(&scope.range);
        analyzer.outer = &outer;
        (analyzer.aggregates, analyzer.windows) = (Some(Vec::new()), Some(Vec::new()));
        analyzer.planner = Some(&mut queries);
        what(&mut analyzer).ok()
    }

    /// The expression without casts around it.
    pub(super) fn part(&mut self, expr: &Expr, typed: &Typed) -> Option<Text> {
        self.node(expr, own(expr, typed))
    }

    /// With casts that nobody wrote.
    pub(super) fn shown(&mut self, expr: &Expr, typed: &Typed) -> Option<Text> {
        let inner = own(expr, typed);
        let text = self.node(expr, inner)?;
        let Some(ty) = text.ty else { return Some(text) };
        if !core::ptr::eq(inner, typed) && !is_rank(typed) && ty.oid != typed.ty.oid {
            return Some(self.coercion(text, typed.ty));
        }
        match (ty.oid, typed.ty.oid) {
            (from, to) if from == to => Some(text),
            _ if is_rank(typed) => Some(text),
            (VARCHAR, TEXT) | (TEXT, VARCHAR) => Some(self.coercion(text, SqlType::plain(typed.ty.oid))),
            _ => None,
        }
    }

    /// The same as an operator or a function takes it: a column of a domain as the type that this is over.
    pub(super) fn operand(&mut self, expr: &Expr, typed: &Typed) -> Option<Text> {
        let text = self.shown(expr, typed)?;
        Some(if text.is_of_domain { self.coercion(text, SqlType::plain(typed.ty.oid)) } else { text })
    }

    /// `get_coercion_expr`
    pub(super) fn coercion(&self, text: Text, to: SqlType) -> Text {
        let Text { text, kind, ty, .. } = text;
        let is_string = |oid| matches!(oid, TEXT | VARCHAR | BPCHAR);
        let is_function = to.typmod >= 0 || !is_string(to.oid) && ty.is_some_and(|ty| !is_string(ty.oid));
        let is_bare = self.style.pretty && is_simple(kind, Around::Other);
        let cast = if is_bare { format!("{text}::{}", to.name()) } else { format!("({text})::{}", to.name()) };
        Text::new(cast, if is_function || kind == Kind::Simple { Kind::Simple } else { Kind::Other }, to)
    }

    /// `get_rule_expr_paren`
    pub(super) fn within(&self, text: Text, around: Around) -> String {
        if !self.style.pretty || is_simple(text.kind, around) { text.text } else { format!("({})", text.text) }
    }

    /// What has its own parentheses where all are shown.
    pub(super) fn wrapped(&self, text: String, kind: Kind, ty: SqlType) -> Text {
        Text::new(if self.style.pretty { text } else { format!("({text})") }, kind, ty)
    }

    fn node(&mut self, expr: &Expr, typed: &Typed) -> Option<Text> {
        match &expr.node {
            ExprNode::Column { table, name } => self.column(table.as_deref(), name, typed),
            ExprNode::Literal(written) => of_literal(written, typed),
            ExprNode::Cast(inner, to) => self.cast(inner, *to, typed),
            ExprNode::Minus(operand) => {
                let Node::Negate(inner) = &typed.node else { return None };
                let text = self.operand(operand, inner)?;
                let text = self.within(text, Around::Operator(None, true));
                Some(self.wrapped(format!("- {text}"), Kind::Operator(None), typed.ty))
            }
            ExprNode::Not(operand) => {
                let Node::Not(inner) = &typed.node else { return None };
                let text = self.part(operand, inner)?;
                let text = self.within(text, Around::Not);
                Some(self.wrapped(format!("NOT {text}"), Kind::Not, SqlType::BOOL))
            }
            ExprNode::And(list) => self.connected(list, typed, Kind::And),
            ExprNode::Or(list) => self.connected(list, typed, Kind::Or),
            ExprNode::IsNull { expr, negated } => {
                let Node::IsNull(operand, _) = &typed.node else { return None };
                let text = self.shown(expr, operand)?;
                let text = self.within(text, Around::Other);
                let not = if *negated { "NOT " } else { "" };
                Some(self.wrapped(format!("{text} IS {not}NULL"), Kind::Test, SqlType::BOOL))
            }
            ExprNode::Binary(op, left, right) => self.binary(*op, left, right, typed),
            ExprNode::Operator(name, left, right) => self.operator(name, left.as_deref(), right, typed),
            ExprNode::Between { expr, low, high, negated } => {
                let ((Node::And(tests), false) | (Node::Or(tests), true)) = (&typed.node, *negated) else {
                    return None;
                };
                let (kind, word) = if *negated { (Kind::Or, " OR ") } else { (Kind::And, " AND ") };
                let ops = if *negated { ["<", ">"] } else { [">=", "<="] };
                let mut texts = Vec::with_capacity(2);
                for (n, bound) in [low, high].into_iter().enumerate() {
                    let text = self.pair(ops[n], expr, bound, tests.get(n)?)?;
                    texts.push(self.within(text, if *negated { Around::Or } else { Around::And }));
                }
                Some(self.wrapped(texts.join(word), kind, SqlType::BOOL))
            }
            ExprNode::In { expr, list, negated } => self.in_list(expr, list, *negated, typed),
            ExprNode::Any { expr, list, cast } => self.any(expr, list, *cast, typed),
            ExprNode::AnyArray { expr, op, array, all } => self.any_array(expr, op, array, *all, typed),
            ExprNode::Case { operand, whens, otherwise } => {
                self.case(operand.as_deref(), whens, otherwise.as_deref(), typed)
            }
            ExprNode::Array(list) => {
                let Node::Array(items) = &typed.node else { return None };
                let texts = self.list(list, items)?;
                Some(Text::simple(format!("ARRAY[{}]", texts.join(", ")), typed.ty))
            }
            ExprNode::Row(list) => {
                let Node::Row(_, items) = &typed.node else { return None };
                let texts = self.list(list, items)?;
                Some(Text::simple(format!("ROW({})", texts.join(", ")), typed.ty))
            }
            _ => self.rarer(expr, typed),
        }
    }

    fn rarer(&mut self, expr: &Expr, typed: &Typed) -> Option<Text> {
        match &expr.node {
            ExprNode::Function { .. } => match &typed.node {
                Node::Aggregate(_) => self.aggregate(expr, typed),
                _ => self.function(expr, typed),
            },
            ExprNode::Query { kind, query } => self.sub_link(kind, query, typed),
            ExprNode::IsDistinct { operands, negated } => {
                let Node::Case(case) = &typed.node else { return None };
                let Node::Binary(_, pair) = &case.otherwise.node else { return None };
                let mut sides = Vec::with_capacity(2);
                for (n, (side, typed)) in [(&operands.0, &pair.0), (&operands.1, &pair.1)].into_iter().enumerate() {
                    let text = self.operand(side, typed)?;
                    sides.push(self.within(text, Around::Operator(None, n == 0)));
                }
                let test = format!("{} IS DISTINCT FROM {}", sides[0], sides[1]);
                let test = self.wrapped(test, Kind::Test, SqlType::BOOL);
                if !negated {
                    return Some(test);
                }
                let test = self.within(test, Around::Not);
                Some(self.wrapped(format!("NOT {test}"), Kind::Not, SqlType::BOOL))
            }
            ExprNode::IsTruth { expr, value, negated } => {
                let operand = match &typed.node {
                    Node::IsNull(operand, _) => &**operand,
                    Node::Case(case) => match (&case.whens.first()?.0, value) {
                        (Typed { node: Node::Not(operand), .. }, Some(false)) => operand,
                        (operand, _) => operand,
                    },
                    _ => return None,
                };
                let text = self.part(expr, operand)?;
                let text = self.within(text, Around::Other);
                let word = value.map_or("UNKNOWN", |value| if value { "TRUE" } else { "FALSE" });
                let not = if *negated { "NOT " } else { "" };
                Some(self.wrapped(format!("{text} IS {not}{word}"), Kind::Test, SqlType::BOOL))
            }
            ExprNode::Slice(array, from, to) => {
                let own = self.own_type(array)?;
                let array = self.subscripted(array, &own)?;
                let mut bounds = [String::new(), String::new()];
                for (text, bound) in bounds.iter_mut().zip([from, to]) {
                    if let Some(bound) = bound {
                        let typed = self.own_type(bound).filter(|it| it.ty.oid == INT4)?;
                        *text = self.shown(bound, &typed)?.text;
                    }
                }
                Some(Text::simple(format!("{array}[{}]", bounds.join(":")), typed.ty))
            }
            ExprNode::Subscript(array, index) => {
                let Node::Call(builtin, args) = &typed.node else { return None };
                let ([of, at], "array_subscript") = (&args[..], builtin.name()) else { return None };
                let (array, index) = (self.subscripted(array, of)?, self.shown(index, at)?);
                Some(Text::simple(format!("{array}[{}]", index.text), typed.ty))
            }
            _ => None,
        }
    }

    /// What stands before brackets: what is no column in parentheses.
    fn subscripted(&mut self, array: &Expr, typed: &Typed) -> Option<String> {
        let array = self.shown(array, typed)?;
        let is_column = array.kind == Kind::Simple && !array.text.contains(['(', '[', ' ', ':']);
        Some(if is_column { array.text } else { format!("({})", array.text) })
    }

    /// The column of that name; of a query around, always behind the name of its table.
    pub(super) fn found(&self, table: Option<&str>, name: &str) -> Option<Found> {
        let mut scopes = self.scopes.iter().rev().enumerate();
        let (level, found) = scopes.find_map(|(level, scope)| Some((level, scope.find(table, name)?)))?;
        Some(if level > 0 { Found { text: found.whole.clone(), ..found } } else { found })
    }

    fn column(&mut self, table: Option<&str>, name: &str, typed: &Typed) -> Option<Text> {
        // a whole row
        let entry = match table {
            None => Some(name),
            Some(table) => Some(table).filter(|_| name == "*"),
        };
        if let (Node::Row(..), Some(entry)) = (&typed.node, entry) {
            let of = |scope: &Scope| {
                let place = scope.range.entries.iter().position(|known| known.name == entry)?;
                Some(format!("{}.*", quote_identifier(scope.names.get(place)?)))
            };
            return Some(Text::simple(self.scopes.iter().rev().find_map(of)?, typed.ty));
        }
        let found = self.found(table, name)?;
        Some(Text { is_of_domain: found.is_of_domain, ..Text::simple(found.text, found.ty) })
    }

    fn cast(&mut self, inner: &Expr, to: SqlType, typed: &Typed) -> Option<Text> {
        if let ExprNode::Literal(Literal::String(_) | Literal::Null) = &inner.node {
            // which of its fields it has
            if to.oid == INTERVAL && to.typmod >= 0 {
                return None;
            }
            let (value, has_length) = match &typed.node {
                Node::Const(value) => (value, false),
                Node::Cast(of, _) => match &of.node {
                    Node::Const(value) => (value, true),
                    _ => return None,
                },
                Node::Call(builtin, args) if builtin.name() == "regclassin" => match &args.first()?.node {
                    Node::Const(value) => (value, false),
                    _ => return None,
                },
                _ => return None,
            };
            let plain = SqlType::plain(to.oid);
            let text = match &typed.node {
                Node::Call(..) => format!("{}::regclass", literal(&value.output(TEXT)?)),
                _ if has_length => format!("{}::{}", literal(&value.output(to.oid)?), to.name()),
                _ => constant(value, plain)?,
            };
            return Some(Text::simple(text, to));
        }
        if matches!(&inner.node, ExprNode::Array(list) if list.is_empty()) {
            return Some(Text::simple(format!("ARRAY[]::{}", to.name()), to));
        }
        let mut of = typed;
        while let Node::Cast(inner, _) = &of.node {
            of = inner;
            if of.ty.oid != to.oid {
                break;
            }
        }
        let text = self.part(inner, of)?;
        match text.ty {
            Some(ty) if ty.oid == to.oid && (to.typmod < 0 || to.typmod == ty.typmod) && !text.is_of_domain => {
                Some(text)
            }
            Some(ty) if is_told_cast(ty.oid) && is_told_cast(to.oid) => Some(self.coercion(text, to)),
            _ => None,
        }
    }

    /// AND, OR.
    fn connected(&mut self, list: &[Expr], typed: &Typed, kind: Kind) -> Option<Text> {
        let (Node::And(tests) | Node::Or(tests)) = &typed.node else { return None };
        if tests.len() != list.len() {
            return None;
        }
        let (word, around) = if kind == Kind::And { (" AND ", Around::And) } else { (" OR ", Around::Or) };
        let mut texts = Vec::with_capacity(list.len());
        for (expr, test) in list.iter().zip(tests) {
            let text = self.part(expr, test)?;
            texts.push(self.within(text, around));
        }
        Some(self.wrapped(texts.join(word), kind, SqlType::BOOL))
    }

    pub(super) fn list(&mut self, list: &[Expr], typed: &[Typed]) -> Option<Vec<String>> {
        if list.len() != typed.len() {
            return None;
        }
        list.iter().zip(typed).map(|(expr, typed)| Some(self.operand(expr, typed)?.text)).collect()
    }

    fn binary(&mut self, op: BinaryOp, left: &Expr, right: &Expr, typed: &Typed) -> Option<Text> {
        if let (ExprNode::Row(left), ExprNode::Row(right)) = (&left.node, &right.node) {
            return self.rows(op, left, right, typed);
        }
        self.pair(op.name(), left, right, typed)
    }

    fn rows(&mut self, op: BinaryOp, left: &[Expr], right: &[Expr], typed: &Typed) -> Option<Text> {
        let sides = left.iter().zip(right);
        match &typed.node {
            Node::And(tests) | Node::Or(tests) if tests.len() == left.len() => {
                let is_and = matches!(typed.node, Node::And(_));
                let (word, around, kind) =
                    if is_and { (" AND ", Around::And, Kind::And) } else { (" OR ", Around::Or, Kind::Or) };
                let mut texts = Vec::with_capacity(tests.len());
                for ((left, right), test) in sides.zip(tests) {
                    let text = self.pair(op.name(), left, right, test)?;
                    texts.push(self.within(text, around));
                }
                Some(self.wrapped(texts.join(word), kind, SqlType::BOOL))
            }
            Node::Rows(op, pairs) => {
                let (lefts, rights): (Vec<Typed>, Vec<Typed>) = pairs.iter().cloned().unzip();
                let (left, right) = (self.list(left, &lefts)?.join(", "), self.list(right, &rights)?.join(", "));
                // pretty, too
                let text = format!("(ROW({left}) {} ROW({right}))", op.name());
                Some(Text::new(text, Kind::Other, SqlType::BOOL))
            }
            _ => None,
        }
    }

    /// `get_oper_expr`
    fn pair(&mut self, name: &str, left: &Expr, right: &Expr, typed: &Typed) -> Option<Text> {
        let (one, other) = match &typed.node {
            Node::Binary(_, operands) => (&operands.0, &operands.1),
            Node::Call(builtin, args) if !builtin.name().starts_with("pg_") => match &args[..] {
                [one, other] => (one, other),
                _ => return None,
            },
            _ => return None,
        };
        // of which jsonpath is read as text here
        if matches!(name, "@?" | "@@") {
            return None;
        }
        let sign = name.chars().next().filter(|sign| name.len() == 1 && "+-*/%".contains(*sign));
        let mut sides = Vec::with_capacity(2);
        for (n, (side, typed)) in [(left, one), (right, other)].into_iter().enumerate() {
            // `textanycat` and `anytextcat` take a value of any type
            let text = match &typed.node {
                Node::Cast(of, false) if name == "||" && !matches!(of.ty.oid, TEXT | VARCHAR | BPCHAR) => {
                    self.operand(side, of)?
                }
                _ => self.operand(side, typed)?,
            };
            sides.push(self.within(text, Around::Operator(sign, n == 0)));
        }
        Some(self.wrapped(format!("{} {name} {}", sides[0], sides[1]), Kind::Operator(sign), typed.ty))
    }

    fn operator(&mut self, name: &str, left: Option<&Expr>, right: &Expr, typed: &Typed) -> Option<Text> {
        let Some(left) = left else {
            let Node::Call(_, args) = &typed.node else { return None };
            let text = self.operand(right, args.first().filter(|_| args.len() == 1)?)?;
            let text = self.within(text, Around::Operator(None, true));
            return Some(self.wrapped(format!("{name} {text}"), Kind::Operator(None), typed.ty));
        };
        self.pair(if name == "!=" { "<>" } else { name }, left, right, typed)
    }

    /// IN: an array of what is no column, where there are several.
    fn in_list(&mut self, left: &Expr, list: &[Expr], negated: bool, typed: &Typed) -> Option<Text> {
        let op = if negated { "<>" } else { "=" };
        match (&typed.node, list) {
            (Node::AnyOf(one, items, _), _) => {
                let text = self.operand(left, one)?;
                let own = self.part(left, one)?.ty?;
                let is_text = items.first()?.ty.oid == TEXT;
                let all_literals = list.iter().all(|item| matches!(item.node, ExprNode::Literal(_)));
                let of_varchar = own.oid == VARCHAR && is_text;
                if of_varchar && !all_literals {
                    return None;
                }
                let texts = match of_varchar {
                    true => {
                        let varchar = SqlType::plain(VARCHAR);
                        let items = items.iter().map(|item| Typed { node: item.node.clone(), ty: varchar });
                        self.list(list, &items.collect::<Vec<_>>())?
                    }
                    false => self.list(list, items)?,
                };
                let array = Text::simple(format!("ARRAY[{}]", texts.join(", ")), SqlType::TEXT);
                let array = match of_varchar {
                    true if self.style.pretty => format!("{}::text[]", array.text),
                    true => format!("({})::text[]", array.text),
                    false => array.text,
                };
                Some(self.any_test(text, op, &array, negated))
            }
            (_, [only]) => self.pair(op, left, only, typed),
            (Node::And(tests) | Node::Or(tests), _) if tests.len() == list.len() => {
                let (word, around, kind) =
                    if negated { (" AND ", Around::And, Kind::And) } else { (" OR ", Around::Or, Kind::Or) };
                let mut texts = Vec::with_capacity(tests.len());
                for (item, test) in list.iter().zip(tests) {
                    let text = self.pair(op, left, item, test)?;
                    texts.push(self.within(text, around));
                }
                Some(self.wrapped(texts.join(word), kind, SqlType::BOOL))
            }
            _ => None,
        }
    }

    /// `ScalarArrayOpExpr`
    fn any_test(&self, left: Text, op: &str, array: &str, all: bool) -> Text {
        let left = self.within(left, Around::Other);
        let word = if all { "ALL" } else { "ANY" };
        self.wrapped(format!("{left} {op} {word} ({array})"), Kind::Other, SqlType::BOOL)
    }

    /// `= ANY (ARRAY[…])`
    fn any(&mut self, left: &Expr, list: &[Expr], cast: Option<SqlType>, typed: &Typed) -> Option<Text> {
        let Node::AnyOf(one, items, _) = &typed.node else { return None };
        let is_plain = |item: &Expr| matches!(item.node, ExprNode::Literal(_));
        if !list.iter().all(is_plain) || cast.is_some_and(|to| items.first().is_none_or(|item| item.ty.oid != to.oid)) {
            return None;
        }
        let text = self.operand(left, one)?;
        let texts = self.list(list, items)?;
        Some(self.any_test(text, "=", &format!("ARRAY[{}]", texts.join(", ")), false))
    }

    fn any_array(&mut self, left: &Expr, op: &str, written: &Expr, all: bool, typed: &Typed) -> Option<Text> {
        match &typed.node {
            Node::AnyOf(one, items, _) => {
                let text = self.operand(left, one)?;
                Some(self.any_test(text, op, &array(items)?, all))
            }
            Node::AnyElement(parts, _) => {
                let Node::Binary(_, operands) = &parts.1.node else { return None };
                let text = self.operand(left, &operands.0)?;
                let array = self.shown(written, &parts.0)?;
                let array = self.within(array, Around::Other);
                Some(self.any_test(text, op, &array, all))
            }
            _ => None,
        }
    }

    /// `get_rule_expr` of a `CaseExpr`
    fn case(
        &mut self,
        operand: Option<&Expr>,
        whens: &[(Expr, Expr)],
        otherwise: Option<&Expr>,
        typed: &Typed,
    ) -> Option<Text> {
        let Node::Case(case) = &typed.node else { return None };
        let Case { operand: of, whens: typed_whens, otherwise: typed_else } = &**case;
        if whens.len() != typed_whens.len() {
            return None;
        }
        let mut text = keyword(self.indent, 0, "CASE");
        self.indent += VAR;
        if let (Some(operand), Some(of)) = (operand, of) {
            text = format!("{text} {}", self.shown(operand, of)?.text);
        }
        for ((when, then), (test, result)) in whens.iter().zip(typed_whens) {
            let test = match &test.node {
                Node::Binary(BinaryOp::Eq, operands) if of.is_some() => self.shown(when, &operands.1)?,
                _ if of.is_some() => return None,
                _ => self.part(when, test)?,
            };
            text += &format!("{}{} THEN ", keyword(self.indent, 0, "WHEN "), test.text);
            text += &self.operand(then, result)?.text;
        }
        let last = match otherwise {
            Some(otherwise) => self.operand(otherwise, typed_else)?.text,
            None => format!("NULL::{}", typed.ty.name()),
        };
        text += &format!("{}{last}", keyword(self.indent, 0, "ELSE "));
        self.indent -= VAR;
        Some(Text::simple(text + &keyword(self.indent, 0, "END"), SqlType::plain(typed_else.ty.oid)))
    }
}

/// What an expression became before it was cast to something that others wanted.
fn own<'t>(expr: &Expr, typed: &'t Typed) -> &'t Typed {
    let is_cast = matches!(expr.node, ExprNode::Cast(..) | ExprNode::Domain(..));
    let mut own = typed;
    loop {
        own = match &own.node {
            Node::Cast(_, true) if is_cast => return own,
            Node::Cast(inner, _) => inner,
            Node::Call(_, args) if is_rank(own) => match args.first() {
                Some(inner) => inner,
                None => return own,
            },
            _ => return own,
        };
    }
}

/// The place of a label of an enum, by which it is compared.
fn is_rank(typed: &Typed) -> bool {
    matches!(&typed.node, Node::Call(builtin, _) if builtin.name() == "enum_rank" && proc_name(*builtin).is_none())
}

fn of_literal(written: &Literal, typed: &Typed) -> Option<Text> {
    let Node::Const(value) = &typed.node else { return None };
    // spaces before the end of a line are taken away
    if matches!(written, Literal::String(text) if text.contains(" \n")) {
        return None;
    }
    let text = match (written, typed.ty.oid) {
        (Literal::String(text), UNKNOWN) => literal(text),
        (_, UNKNOWN) => return None,
        (_, oid) => constant(value, SqlType::plain(oid))?,
    };
    Some(Text { ty: Some(SqlType::plain(typed.ty.oid)), ..Text::simple(text, typed.ty) })
}

/// Is a cast of such values one function or none, so that it stands there once?
fn is_told_cast(oid: u32) -> bool {
    const TOLD: [u32; 14] = [BOOL, 20, 21, INT4, TEXT, 26, 114, 700, 701, 1082, 1114, 1184, 1700, 2950];
    const OTHERS: [u32; 6] = [BPCHAR, VARCHAR, 1083, 1186, 3802, 17];
    TOLD.contains(&oid) || OTHERS.contains(&oid)
}
