//! Expressions, by precedence climbing with PostgreSQL's precedences (the `%left` lines of src/backend/parser/gram.y).
//!
//! ```text
//! OR < AND < NOT < IS < comparisons < BETWEEN, IN < || < + - < * / % < unary minus < ::
//! ```

use super::cursor::Parser;
use super::lex::Token;
use super::words;
use crate::sql::StatementError;
use crate::sql::ast::{BinaryOp, Expr, ExprNode, Literal};
use crate::sql::error::Position;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::ToString;
use alloc::vec;
use alloc::vec::Vec;

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
    Minus,
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

/// Parentheses, NOT, CASE and the like within each other: `max_stack_depth` would stop PostgreSQL later.
const DEEPEST: u16 = 200;

impl Parser {
    /// An expression.
    pub fn expr(&mut self) -> Result<Expr, StatementError> {
        self.above(Prec::Lowest)
    }

    /// An expression whose operators bind more tightly than `floor`.
    fn above(&mut self, floor: Prec) -> Result<Expr, StatementError> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.unsupported("an expression nested this deeply"));
        }
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
            Token::Op(op) if op == "::" => Some(Prec::Cast),
            Token::Op(op) => BINARY.iter().find(|(name, ..)| name == op).map(|(_, _, prec)| *prec),
            Token::Word(word) => match word.as_str() {
                "or" => Some(Prec::Or),
                "and" => Some(Prec::And),
                "is" | "isnull" | "notnull" => Some(Prec::Is),
                "between" | "in" => Some(Prec::Between),
                "not" => match self.peek_second() {
                    Token::Word(second) if second == "between" || second == "in" => Some(Prec::Between),
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
                if self.eat("in") { self.in_list(expr, negated)? } else { self.between(expr, negated)? }
            }
            Prec::Cast => {
                self.step();
                ExprNode::Cast(expr, self.type_name()?)
            }
            _ => {
                let op = BINARY.iter().find(|(name, ..)| self.is_op(name)).map_or(BinaryOp::Eq, |(_, op, _)| *op);
                self.step();
                if op == BinaryOp::Eq && (self.eat("any") || self.eat("some")) {
                    self.any(expr)?
                } else {
                    ExprNode::Binary(op, expr, Box::new(self.above(prec)?))
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
        match self.peek() {
            Token::Word(word) => Err(self.unsupported(&format!("IS {}", word.to_ascii_uppercase()))),
            _ => Err(self.refuse()),
        }
    }

    fn in_list(&mut self, expr: Box<Expr>, negated: bool) -> Result<ExprNode, StatementError> {
        let list = self.in_parens(Self::expr)?;
        Ok(ExprNode::In { expr, list, negated })
    }

    /// After `= ANY`: an array whose elements are written out.
    fn any(&mut self, expr: Box<Expr>) -> Result<ExprNode, StatementError> {
        self.expect_op("(")?;
        if !self.is_word("array") {
            return Err(self.unsupported("ANY of anything but ARRAY[…]"));
        }
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
        if self.eat_op("(") {
            let inner = self.expr()?;
            if self.is_op(",") {
                return Err(self.unsupported("a row of several values"));
            }
            self.expect_op(")")?;
            return Ok(inner);
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
            Token::Word(word) => self.word(&word)?,
            Token::Quoted(_) => self.typed_string()?.map_or_else(|| self.column(), Ok)?,
            Token::Op(_) | Token::End => return Err(self.refuse()),
        };
        Ok(Expr { node, position })
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
            "select" | "with" => Err(self.unsupported("a subquery")),
            _ => {
                if let Some(typed) = self.typed_string()? {
                    return Ok(typed);
                }
                let is_call = *self.peek_second() == Token::Op("(".to_string());
                if is_call && (!words::RESERVED.contains(&word) || word == "left" || word == "right") {
                    return if words::OTHER.contains(&word) && word != "right" {
                        Err(self.refuse())
                    } else {
                        self.call(word)
                    };
                }
                self.column()
            }
        }
    }

    /// `type 'text'`.
    fn typed_string(&mut self) -> Result<Option<ExprNode>, StatementError> {
        let mark = self.mark();
        if let Ok(Some(type_name)) = self.maybe_type_name() {
            let position = self.position();
            if let Token::String(text) = self.peek().clone() {
                self.step();
                let literal = Expr { node: ExprNode::Literal(Literal::String(text)), position };
                return Ok(Some(ExprNode::Cast(Box::new(literal), type_name)));
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
        if self.is_op("*") {
            return Err(self.unsupported("a whole row as a value"));
        }
        Ok(ExprNode::Column { table: Some(name), name: self.name()? })
    }

    fn call(&mut self, name: &str) -> Result<ExprNode, StatementError> {
        self.step();
        self.expect_op("(")?;
        let star = self.eat_op("*");
        let distinct = !star && self.eat("distinct");
        let has_none = !distinct && !self.eat("all") && self.is_op(")");
        let args = if star || has_none { Vec::new() } else { self.list(Self::expr)? };
        let order_by = self.order_by()?;
        self.expect_op(")")?;
        if self.is_word("over") || self.is_word("filter") {
            return Err(self.refuse());
        }
        Ok(ExprNode::Function { name: name.to_string(), args, star, distinct, order_by })
    }

    fn cast(&mut self) -> Result<ExprNode, StatementError> {
        self.step();
        self.expect_op("(")?;
        let expr = self.expr()?;
        self.expect("as")?;
        let type_name = self.type_name()?;
        self.expect_op(")")?;
        Ok(ExprNode::Cast(Box::new(expr), type_name))
    }

    fn array(&mut self) -> Result<ExprNode, StatementError> {
        self.step();
        self.expect_op("[")?;
        let elements = if self.is_op("]") { Vec::new() } else { self.list(Self::expr)? };
        self.expect_op("]")?;
        Ok(ExprNode::Array(elements))
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
