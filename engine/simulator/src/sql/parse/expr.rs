//! Expressions, by precedence climbing with PostgreSQL's precedences (the `%left` lines of src/backend/parser/gram.y).
//!
//! ```text
//! OR < AND < NOT < IS < comparisons < BETWEEN, IN, LIKE < || and all others
//!    < + - < * / % < ^ < AT < COLLATE < unary minus < [] < ::
//! ```
//!
//! What is written like a function, but with words between its arguments, is in `call.rs`.

use super::cursor::Parser;
use super::lex::Token;
use super::words;
use crate::sql::StatementError;
use crate::sql::ast::{BinaryOp, Expr, ExprNode, Literal, QueryKind};
use crate::sql::error::Position;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use ffviz_format::datum::SqlType;

/// How tightly an operator binds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Prec {
    Lowest,
    Or,
    And,
    Not,
    Is,
    Comparison,
    Between,
    Other,
    Add,
    Mul,
    Power,
    At,
    Collate,
    Minus,
    Subscript,
    Cast,
}

const BINARY: &[(&str, BinaryOp, Prec)] = &[
    ("=", BinaryOp::Eq, Prec::Comparison),
    ("<>", BinaryOp::Ne, Prec::Comparison),
    ("<", BinaryOp::Lt, Prec::Comparison),
    ("<=", BinaryOp::Le, Prec::Comparison),
    (">", BinaryOp::Gt, Prec::Comparison),
    (">=", BinaryOp::Ge, Prec::Comparison),
    ("||", BinaryOp::Concat, Prec::Other),
    ("+", BinaryOp::Add, Prec::Add),
    ("-", BinaryOp::Sub, Prec::Add),
    ("*", BinaryOp::Mul, Prec::Mul),
    ("/", BinaryOp::Div, Prec::Mul),
    ("%", BinaryOp::Mod, Prec::Mul),
];

/// Operators that are functions by another name, with two operands.
const OTHER_BINARY: &[&str] = &[
    "->", "->>", "#>", "#>>", "#-", "@>", "<@", "?", "?|", "?&", "&&", "~", "~*", "!~", "!~*", "~~", "!~~", "&", "|",
    "#", "<<", ">>", "^@", "@@", "@?", "<->", "&<", "&>", "-|-", "==", "===", "!==", "<=>", "~=",
];

/// Those that stand before their only operand.
const PREFIX: &[&str] = &["~", "@", "|/", "||/"];

/// What stands for a cast to `point`, and for a part of one: names that no function has.
const AS_POINT: &str = "a value of type point";
const PART_OF_POINT: &str = "a part of a point";

/// Parentheses, NOT, CASE and the like within each other: `max_stack_depth` would stop PostgreSQL later.
const DEEPEST: u16 = 200;

impl Parser {
    /// An expression.
    pub fn expr(&mut self) -> Result<Expr, StatementError> {
        self.above(Prec::Lowest)
    }

    /// Goes into something that calls itself.
    pub(super) fn deeper(&mut self, by: u16) -> Result<(), StatementError> {
        self.depth += by;
        if self.depth > DEEPEST {
            return Err(self.unsupported("an expression nested this deeply"));
        }
        Ok(())
    }

    /// An expression whose operators bind more tightly than `floor`.
    fn above(&mut self, floor: Prec) -> Result<Expr, StatementError> {
        self.deeper(1)?;
        let mut left = self.prefix()?;
        let mut ceiling = Prec::Cast;
        while let Some(prec) = self.next_operator().filter(|prec| *prec > floor && *prec <= ceiling) {
            let at = self.position();
            left = self.infix(left, prec, at)?;
            ceiling = highest_after(&left);
        }
        self.depth -= 1;
        Ok(left)
    }

    /// How tightly the operator binds that comes next.
    fn next_operator(&self) -> Option<Prec> {
        match self.peek() {
            Token::Op(op) => match op.as_str() {
                "::" => Some(Prec::Cast),
                "[" => Some(Prec::Subscript),
                "^" => Some(Prec::Power),
                other if OTHER_BINARY.contains(&other) => Some(Prec::Other),
                other => BINARY.iter().find(|(name, ..)| *name == other).map(|(_, _, prec)| *prec),
            },
            Token::Word(word) => match word.as_str() {
                "or" => Some(Prec::Or),
                "and" => Some(Prec::And),
                "is" | "isnull" | "notnull" => Some(Prec::Is),
                "between" | "in" | "like" | "ilike" | "overlaps" => Some(Prec::Between),
                "similar" if *self.peek_second() == Token::Word("to".into()) => Some(Prec::Between),
                "at" if *self.peek_second() == Token::Word("time".into()) => Some(Prec::At),
                "collate" => Some(Prec::Collate),
                "not" => match self.peek_second() {
                    Token::Word(second) if ["between", "in", "like", "ilike", "similar"].contains(&second.as_str()) => {
                        Some(Prec::Between)
                    }
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        }
    }

    /// What follows a left operand.
    fn infix(&mut self, left: Expr, prec: Prec, at: Position) -> Result<Expr, StatementError> {
        let expr = Box::new(left);
        let node = match prec {
            Prec::Or => ExprNode::Or(self.same_level(*expr, "or", prec)?),
            Prec::And => ExprNode::And(self.same_level(*expr, "and", prec)?),
            Prec::Is => self.is_null(expr)?,
            Prec::Between => {
                let negated = self.eat("not");
                if self.is_word("overlaps") {
                    self.overlaps(*expr)?
                } else if self.eat("in") {
                    self.in_list(expr, negated, at)?
                } else if self.is_word("like") || self.is_word("ilike") {
                    self.like(expr, negated)?
                } else if self.eat("similar to") {
                    self.similar(expr, negated)?
                } else {
                    self.between(expr, negated)?
                }
            }
            Prec::Subscript => self.subscript(expr)?,
            Prec::At => {
                self.expect("at time zone")?;
                let zone = self.above(prec)?;
                function("timezone", vec![zone, *expr])
            }
            Prec::Collate => {
                self.step();
                let name = self.collation_name(at)?;
                let name = Expr { node: ExprNode::Literal(Literal::String(name)), position: at };
                function("collate", vec![*expr, name])
            }
            Prec::Cast if *self.peek_second() == Token::Word("point".into()) => {
                self.step();
                self.step();
                // of the type no more is known than its parts, which is what `(ctid::text::point)[0]` asks for
                function(AS_POINT, vec![*expr])
            }
            Prec::Cast => {
                self.step();
                self.cast_to(expr)?
            }
            _ => {
                let Token::Op(name) = self.peek().clone() else { return Err(self.refuse()) };
                self.step();
                let is_any = self.eat("any") || self.eat("some");
                if is_any || self.eat("all") {
                    return Ok(Expr { node: self.any_or_all(expr, name, !is_any)?, position: at });
                }
                let right = Box::new(self.above(prec)?);
                match BINARY.iter().find(|(known, ..)| *known == name) {
                    Some((_, op, _)) => ExprNode::Binary(*op, expr, right),
                    None => ExprNode::Operator(name, Some(expr), right),
                }
            }
        };
        Ok(Expr { node, position: at })
    }

    /// `a AND b AND c` as one node, as `makeAndExpr` flattens it.
    fn same_level(&mut self, first: Expr, word: &str, prec: Prec) -> Result<Vec<Expr>, StatementError> {
        let mut operands = vec![first];
        while self.eat(word) {
            operands.push(self.above(prec)?);
        }
        Ok(operands)
    }

    fn is_null(&mut self, expr: Box<Expr>) -> Result<ExprNode, StatementError> {
        if self.eat("isnull") {
            return Ok(ExprNode::IsNull { expr, negated: false });
        }
        if self.eat("notnull") {
            return Ok(ExprNode::IsNull { expr, negated: true });
        }
        self.expect("is")?;
        let negated = self.eat("not");
        if self.eat("null") {
            return Ok(ExprNode::IsNull { expr, negated });
        }
        for (word, value) in [("true", Some(true)), ("false", Some(false)), ("unknown", None)] {
            if self.eat(word) {
                return Ok(ExprNode::IsTruth { expr, value, negated });
            }
        }
        if self.eat("distinct from") {
            let operands = Box::new((*expr, self.above(Prec::Is)?));
            return Ok(ExprNode::IsDistinct { operands, negated });
        }
        match self.peek() {
            Token::Word(word) => Err(self.unsupported(&format!("IS {}", word.to_ascii_uppercase()))),
            _ => Err(self.refuse()),
        }
    }

    fn in_list(&mut self, expr: Box<Expr>, negated: bool, at: Position) -> Result<ExprNode, StatementError> {
        if *self.peek_second() == Token::Word("select".into()) || self.is_query_second() {
            let found = self.parenthesised(|query| query)?;
            let node = ExprNode::Query { kind: QueryKind::Any(expr, "=".to_string()), query: found };
            return Ok(if negated { ExprNode::Not(Box::new(Expr { node, position: at })) } else { node });
        }
        let list = self.in_parens(Self::expr)?;
        Ok(ExprNode::In { expr, list, negated })
    }

    fn is_query_second(&self) -> bool {
        matches!(self.peek_second(), Token::Word(word) if ["values", "with", "table"].contains(&word.as_str()))
    }

    /// The operand that stands before IN of `position`.
    pub(super) fn operand_before_in(&mut self) -> Result<Expr, StatementError> {
        self.above(Prec::Between)
    }

    /// A query in parentheses.
    pub(super) fn parenthesised<T>(
        &mut self,
        made: impl FnOnce(Box<crate::sql::ast::Select>) -> T,
    ) -> Result<T, StatementError> {
        self.expect_op("(")?;
        let query = Box::new(self.select()?);
        self.expect_op(")")?;
        Ok(made(query))
    }

    /// `row OVERLAPS row`
    fn overlaps(&mut self, left: Expr) -> Result<ExprNode, StatementError> {
        let ExprNode::Row(mut args) = left.node else { return Err(self.refuse()) };
        self.step();
        let right = self.above(Prec::Between)?;
        let ExprNode::Row(others) = right.node else { return Err(self.refuse()) };
        for (side, count, at) in [("left", args.len(), left.position), ("right", others.len(), right.position)] {
            if count != 2 {
                let message = format!("wrong number of parameters on {side} side of OVERLAPS expression");
                return Err(StatementError::server("42601", message).at(at));
            }
        }
        args.extend(others);
        Ok(function("overlaps", args))
    }

    /// LIKE is an operator by another name (`~~`).
    fn like(&mut self, expr: Box<Expr>, negated: bool) -> Result<ExprNode, StatementError> {
        let ignores_case = !self.eat("like");
        if ignores_case {
            self.expect("ilike")?;
        }
        let position = self.position();
        let mut pattern = Box::new(self.above(Prec::Between)?);
        if self.eat("escape") {
            let node = function("like_escape", vec![*pattern, self.above(Prec::Between)?]);
            pattern = Box::new(Expr { node, position });
        }
        let op = match (negated, ignores_case) {
            (false, false) => "~~",
            (false, true) => "~~*",
            (true, false) => "!~~",
            (true, true) => "!~~*",
        };
        Ok(ExprNode::Operator(op.to_string(), Some(expr), pattern))
    }

    /// After SIMILAR TO, which is `~` with the pattern as an expression.
    fn similar(&mut self, expr: Box<Expr>, negated: bool) -> Result<ExprNode, StatementError> {
        let position = self.position();
        let pattern = self.above(Prec::Between)?;
        if self.is_word("escape") {
            return Err(self.unsupported("ESCAPE of SIMILAR TO"));
        }
        let pattern = Box::new(Expr { node: function("similar_to_escape", vec![pattern]), position });
        let op = if negated { "!~" } else { "~" };
        Ok(ExprNode::Operator(op.to_string(), Some(expr), pattern))
    }

    /// `array[n]`
    fn subscript(&mut self, array: Box<Expr>) -> Result<ExprNode, StatementError> {
        self.expect_op("[")?;
        let from = if self.is_op(":") { None } else { Some(Box::new(self.expr()?)) };
        if self.eat_op(":") {
            let to = if self.is_op("]") { None } else { Some(Box::new(self.expr()?)) };
            self.expect_op("]")?;
            return Ok(ExprNode::Slice(array, from, to));
        }
        let Some(index) = from else { return Err(self.refuse()) };
        self.expect_op("]")?;
        if let ExprNode::Function { name, args, .. } = &array.node
            && let ([text], AS_POINT) = (&args[..], name.as_str())
        {
            return Ok(function(PART_OF_POINT, vec![text.clone(), *index]));
        }
        Ok(ExprNode::Subscript(array, index))
    }

    /// After an operator and ANY or ALL: a query, or an array.
    fn any_or_all(&mut self, expr: Box<Expr>, op: String, all: bool) -> Result<ExprNode, StatementError> {
        if self.is_op("(") && (self.is_query_second() || *self.peek_second() == Token::Word("select".into())) {
            let kind = if all { QueryKind::All(expr, op) } else { QueryKind::Any(expr, op) };
            return self.parenthesised(|query| ExprNode::Query { kind, query });
        }
        let mark = self.mark();
        if op == "=" && !all && *self.peek_second() == Token::Word("array".into()) {
            if let Ok(node) = self.any(expr.clone()) {
                return Ok(node);
            }
            self.back_to(mark);
        }
        self.expect_op("(")?;
        let array = Box::new(self.expr()?);
        self.expect_op(")")?;
        Ok(ExprNode::AnyArray { expr, op, array, all })
    }

    /// After `= ANY`: an array whose elements are written out.
    fn any(&mut self, expr: Box<Expr>) -> Result<ExprNode, StatementError> {
        self.expect_op("(")?;
        let ExprNode::Array(list) = self.array()? else { return Err(self.refuse()) };
        let cast = if self.eat_op("::") { self.element_type()? } else { None };
        if cast.is_some() {
            self.expect_op("[")?;
            self.expect_op("]")?;
        }
        self.expect_op(")")?;
        Ok(ExprNode::Any { expr, list, cast })
    }

    fn between(&mut self, expr: Box<Expr>, negated: bool) -> Result<ExprNode, StatementError> {
        self.expect("between")?;
        let low = Box::new(self.above(Prec::Between)?);
        self.expect("and")?;
        let high = Box::new(self.above(Prec::Between)?);
        Ok(ExprNode::Between { expr, low, high, negated })
    }

    /// `c_expr`, as far as a number of rows needs it.
    pub(super) fn primary(&mut self) -> Result<Expr, StatementError> {
        self.prefix()
    }

    /// What can begin an expression.
    fn prefix(&mut self) -> Result<Expr, StatementError> {
        let position = self.position();
        if self.eat("not") {
            let operand = Box::new(self.above(Prec::Not)?);
            return Ok(Expr { node: ExprNode::Not(operand), position });
        }
        if self.eat_op("-") {
            return Ok(Expr { node: negate(self.above(Prec::Minus)?), position });
        }
        if self.eat_op("+") {
            return self.above(Prec::Minus);
        }
        if let Token::Op(op) = self.peek()
            && PREFIX.contains(&op.as_str())
        {
            let op = op.clone();
            self.step();
            let operand = Box::new(self.above(Prec::Other)?);
            return Ok(Expr { node: ExprNode::Operator(op, None, operand), position });
        }
        if self.is_op("(") && (self.is_query_second() || *self.peek_second() == Token::Word("select".into())) {
            let node = self.parenthesised(|query| ExprNode::Query { kind: QueryKind::Scalar, query })?;
            return Ok(Expr { node, position });
        }
        if self.eat_op("(") {
            let mut inner = self.list(Self::expr)?;
            self.expect_op(")")?;
            if inner.len() > 1 {
                return Ok(Expr { node: ExprNode::Row(inner), position });
            }
            return self.fields(inner.swap_remove(0), position);
        }
        let node = match self.peek().clone() {
            Token::Number(digits) => {
                self.step();
                ExprNode::Literal(Literal::Number(digits))
            }
            Token::String(text) => {
                self.step();
                ExprNode::Literal(Literal::String(text))
            }
            Token::Param(number) => {
                self.step();
                ExprNode::Param(number)
            }
            Token::Bits(text) => {
                self.step();
                ExprNode::Literal(Literal::Bits(text))
            }
            Token::Word(word) => self.word(&word)?,
            Token::Quoted(name) if *self.peek_second() == Token::Op("(".to_string()) => self.call(&name)?,
            Token::Quoted(_) => self.typed_string()?.map_or_else(|| self.column(), Ok)?,
            Token::Op(op) if op == "[" => return Err(self.wrong_here()),
            Token::Op(_) | Token::End => return Err(self.refuse()),
        };
        Ok(Expr { node, position })
    }

    /// What follows an expression in parentheses: columns of a row.
    fn fields(&mut self, mut row: Expr, position: Position) -> Result<Expr, StatementError> {
        while self.eat_op(".") {
            let field = if self.eat_op("*") { "*".to_string() } else { self.name()? };
            row = Expr { node: ExprNode::Field(Box::new(row), field), position };
        }
        Ok(row)
    }

    /// An expression that begins with a word.
    fn word(&mut self, word: &str) -> Result<ExprNode, StatementError> {
        let literal = match word {
            "null" => Some(Literal::Null),
            "true" => Some(Literal::Bool(true)),
            "false" => Some(Literal::Bool(false)),
            _ => None,
        };
        if let Some(literal) = literal {
            self.step();
            return Ok(ExprNode::Literal(literal));
        }
        match word {
            "case" => self.case(),
            "cast" => self.cast(),
            "array" => self.array(),
            "exists" if *self.peek_second() == Token::Op("(".to_string()) => {
                self.step();
                self.parenthesised(|query| ExprNode::Query { kind: QueryKind::Exists, query })
            }
            "row" if *self.peek_second() == Token::Op("(".to_string()) => {
                self.step();
                if *self.peek_second() == Token::Op(")".to_string()) {
                    self.step();
                    self.step();
                    return Ok(ExprNode::Row(Vec::new()));
                }
                self.in_parens(Self::expr).map(ExprNode::Row)
            }
            _ => {
                if let Some(typed) = self.typed_string()? {
                    return Ok(typed);
                }
                if let Some(call) = self.special_call(word)? {
                    return Ok(call);
                }
                if ["any", "some", "all"].contains(&word) {
                    return Err(self.wrong_here());
                }
                let is_call = *self.peek_second() == Token::Op("(".to_string());
                if is_call && Self::names_function(word) {
                    let is_refused = words::OTHER.contains(&word) && !["right", "isnull", "notnull"].contains(&word);
                    return if is_refused { Err(self.refuse()) } else { self.call(word) };
                }
                self.column()
            }
        }
    }

    /// `type 'text'`.
    pub(super) fn typed_string(&mut self) -> Result<Option<ExprNode>, StatementError> {
        let mark = self.mark();
        if let Ok(Some((base, domain))) = self.domain()
            && let Token::String(text) = self.peek().clone()
        {
            let literal = Expr { node: ExprNode::Literal(Literal::String(text)), position: self.position() };
            self.step();
            return Ok(Some(ExprNode::Domain(Box::new(literal), base, domain)));
        }
        self.back_to(mark);
        // before a constant bit alone has no length (`ConstBit`)
        let is_any_bit = self.is_word("bit") && matches!(self.peek_second(), Token::String(_));
        if let Ok(Some(type_name)) = self.maybe_type_name() {
            let type_name = if is_any_bit { SqlType::plain(type_name.oid) } else { type_name };
            let position = self.position();
            if let Token::String(text) = self.peek().clone() {
                self.step();
                let literal = Expr { node: ExprNode::Literal(Literal::String(text)), position };
                let is_interval = type_name.oid == 1186 && type_name.typmod == -1;
                let typmod = if is_interval { self.interval_fields()? } else { type_name.typmod };
                return Ok(Some(ExprNode::Cast(Box::new(literal), SqlType { typmod, ..type_name })));
            }
        }
        self.back_to(mark);
        Ok(None)
    }

    fn column(&mut self) -> Result<ExprNode, StatementError> {
        let name = self.name()?;
        if !self.eat_op(".") {
            return Ok(ExprNode::Column { table: None, name });
        }
        if let Token::Word(function) = self.peek().clone()
            && *self.peek_second() == Token::Op("(".to_string())
        {
            // all that are known are in pg_catalog, or belong to an extension
            let is_plain = name == "pg_catalog";
            return self.call(&if is_plain { function } else { format!("{name}.{function}") });
        }
        let column = if self.eat_op("*") { "*".to_string() } else { self.name()? };
        if column != "*" && self.eat_op(".") {
            // schema.table.column
            let table = Some(format!("{name}.{column}"));
            let column = if self.eat_op("*") { "*".to_string() } else { self.name()? };
            return Ok(ExprNode::Column { table, name: column });
        }
        Ok(ExprNode::Column { table: Some(name), name: column })
    }

    fn cast(&mut self) -> Result<ExprNode, StatementError> {
        self.step();
        self.expect_op("(")?;
        let expr = self.expr()?;
        self.expect("as")?;
        let cast = self.cast_to(Box::new(expr))?;
        self.expect_op(")")?;
        Ok(cast)
    }

    /// A cast to the type that is named next.
    fn cast_to(&mut self, expr: Box<Expr>) -> Result<ExprNode, StatementError> {
        Ok(match self.domain()? {
            Some((base, domain)) => ExprNode::Domain(expr, base, domain),
            None => ExprNode::Cast(expr, self.type_name()?),
        })
    }

    fn array(&mut self) -> Result<ExprNode, StatementError> {
        self.step();
        if self.is_op("(") {
            return self.parenthesised(|query| ExprNode::Query { kind: QueryKind::Array, query });
        }
        self.elements()
    }

    /// `array_expr`: elements in brackets, which may be in brackets again.
    fn elements(&mut self) -> Result<ExprNode, StatementError> {
        self.expect_op("[")?;
        let elements = if self.is_op("]") { Vec::new() } else { self.list(Self::element)? };
        self.expect_op("]")?;
        Ok(ExprNode::Array(elements))
    }

    fn element(&mut self) -> Result<Expr, StatementError> {
        let position = self.position();
        if self.is_op("[") { Ok(Expr { node: self.elements()?, position }) } else { self.expr() }
    }

    fn case(&mut self) -> Result<ExprNode, StatementError> {
        self.step();
        let operand = if self.is_word("when") { None } else { Some(Box::new(self.expr()?)) };
        let mut whens = Vec::new();
        while self.eat("when") {
            let condition = self.expr()?;
            self.expect("then")?;
            whens.push((condition, self.expr()?));
        }
        if whens.is_empty() {
            return Err(self.refuse());
        }
        let otherwise = if self.eat("else") { Some(Box::new(self.expr()?)) } else { None };
        self.expect("end")?;
        Ok(ExprNode::Case { operand, whens, otherwise })
    }
}

/// A call without more than arguments.
pub(super) fn function(name: &str, args: Vec<Expr>) -> ExprNode {
    let name = name.to_string();
    let (order_by, filter, over) = (Vec::new(), None, None);
    ExprNode::Function { name, args, star: false, distinct: false, order_by, filter, over, form: true }
}

/// What may follow an operand that ends here: `a < b < c` is an error, for these do not associate.
const fn highest_after(left: &Expr) -> Prec {
    match left.node {
        ExprNode::Binary(op, ..) if op.is_comparison() => Prec::Is,
        ExprNode::Between { .. } => Prec::Comparison,
        _ => Prec::Cast,
    }
}

/// A sign before digits belongs to the constant (`doNegate`), so that the smallest int2 is an int2.
fn negate(operand: Expr) -> ExprNode {
    match operand.node {
        ExprNode::Literal(Literal::Number(digits)) => {
            let turned = digits.strip_prefix('-').map(ToString::to_string);
            ExprNode::Literal(Literal::Number(turned.unwrap_or_else(|| format!("-{digits}"))))
        }
        _ => ExprNode::Minus(Box::new(operand)),
    }
}
