//! Tokens to an expression (src/bin/pgbench/exprparse.y), with the precedence of the operators that stands there.

use super::function::Arguments;
use super::lex::{Token, tokens};
use super::{Expr, ExprError, Function, Value};
use alloc::format;
use alloc::string::ToString;
use alloc::vec;
use alloc::vec::Vec;

/// How deep expressions nest, and how many operators and functions there are, at most; pgbench has no such limit but
/// its memory's.
const MOST: usize = 300;

/// Binary operators, a line a precedence, from the lowest to the highest above comparison.
const LEFT: [&[(&str, Function)]; 3] = [
    &[
        ("|", Function::BitOr),
        ("#", Function::BitXor),
        ("&", Function::BitAnd),
        ("<<", Function::LeftShift),
        (">>", Function::RightShift),
    ],
    &[("+", Function::Add), ("-", Function::Sub)],
    &[("*", Function::Mul), ("/", Function::Div), ("%", Function::Mod)],
];

/// Reads an expression that takes the whole text.
///
/// # Errors
/// What is none, and the byte where that shows.
pub fn parse(text: &str) -> Result<Expr, ExprError> {
    let mut parser = Parser { tokens: tokens(text)?, at: 0, end: text.trim_end().len(), depth: 0, calls: 0 };
    let expr = parser.or()?;
    if parser.at < parser.tokens.len() {
        return Err(parser.error("syntax error"));
    }
    Ok(expr)
}

struct Parser {
    tokens: Vec<(usize, Token)>,
    at: usize,
    end: usize,
    depth: usize,
    calls: usize,
}

type Parsed = Result<Expr, ExprError>;

impl Parser {
    fn place(&self) -> usize {
        self.tokens.get(self.at).map_or(self.end, |(at, _)| *at)
    }

    fn error(&self, message: &str) -> ExprError {
        ExprError::at(self.place(), message)
    }

    fn take(&mut self, wanted: &Token) -> bool {
        let is_there = self.tokens.get(self.at).is_some_and(|(_, token)| token == wanted);
        self.at += usize::from(is_there);
        is_there
    }

    fn keyword(&mut self, keyword: &'static str) -> bool {
        self.take(&Token::Keyword(keyword))
    }

    fn operator(&mut self, operator: &'static str) -> bool {
        self.take(&Token::Operator(operator))
    }

    fn expect(&mut self, is_there: bool) -> Result<(), ExprError> {
        if is_there { Ok(()) } else { Err(self.error("syntax error")) }
    }

    fn call(&mut self, function: Function, arguments: Vec<Expr>) -> Parsed {
        self.calls += 1;
        if self.calls > MOST {
            return Err(self.error("the expression is too long"));
        }
        Ok(Expr::Call(function, arguments))
    }

    fn or(&mut self) -> Parsed {
        self.depth += 1;
        if self.depth > MOST {
            return Err(self.error("the expression is nested too deeply"));
        }
        let mut left = self.and()?;
        while self.keyword("or") {
            let right = self.and()?;
            left = self.call(Function::Or, vec![left, right])?;
        }
        self.depth -= 1;
        Ok(left)
    }

    fn and(&mut self) -> Parsed {
        let mut left = self.not()?;
        while self.keyword("and") {
            let right = self.not()?;
            left = self.call(Function::And, vec![left, right])?;
        }
        Ok(left)
    }

    fn not(&mut self) -> Parsed {
        let mut count = 0;
        while self.keyword("not") {
            count += 1;
        }
        let mut expr = self.is()?;
        for _ in 0..count {
            expr = self.call(Function::Not, vec![expr])?;
        }
        Ok(expr)
    }

    /// IS, ISNULL, NOTNULL
    fn is(&mut self) -> Parsed {
        let expr = self.comparison()?;
        let (negated, value) = if self.keyword("isnull") {
            (false, Value::Null)
        } else if self.keyword("notnull") {
            (true, Value::Null)
        } else if self.keyword("is") {
            let negated = self.keyword("not");
            let known = [("null", Value::Null), ("true", Value::Bool(true)), ("false", Value::Bool(false))];
            let found = known.into_iter().find(|(word, _)| self.keyword(word));
            (negated, found.ok_or_else(|| self.error("syntax error"))?.1)
        } else {
            return Ok(expr);
        };
        let is = self.call(Function::Is, vec![expr, Expr::Constant(value)])?;
        if negated { self.call(Function::Not, vec![is]) } else { Ok(is) }
    }

    fn comparison(&mut self) -> Parsed {
        let left = self.left(0)?;
        let operators = [
            ("<=", Function::Le, false),
            (">=", Function::Le, true),
            ("<>", Function::Ne, false),
            ("!=", Function::Ne, false),
            ("<", Function::Lt, false),
            (">", Function::Lt, true),
            ("=", Function::Eq, false),
        ];
        let Some((_, function, turned)) = operators.into_iter().find(|(operator, ..)| self.operator(operator)) else {
            return Ok(left);
        };
        let right = self.left(0)?;
        self.call(function, if turned { vec![right, left] } else { vec![left, right] })
    }

    /// Operators of that precedence, from left to right.
    fn left(&mut self, level: usize) -> Parsed {
        let Some(operators) = LEFT.get(level) else { return self.unary() };
        let mut left = self.left(level + 1)?;
        while let Some((_, function)) = operators.iter().find(|(operator, _)| self.operator(operator)) {
            let right = self.left(level + 1)?;
            left = self.call(*function, vec![left, right])?;
        }
        Ok(left)
    }

    /// `+x`, `-x`, which is 0 - x, and what needs no operator.
    fn unary(&mut self) -> Parsed {
        self.depth += 1;
        if self.depth > MOST {
            return Err(self.error("the expression is nested too deeply"));
        }
        let expr = if self.operator("+") {
            self.unary()
        } else if self.operator("-") {
            if self.take(&Token::MaxIntPlusOne) {
                Ok(Expr::Constant(Value::Int(i64::MIN)))
            } else {
                let expr = self.unary()?;
                self.call(Function::Sub, vec![Expr::Constant(Value::Int(0)), expr])
            }
        } else if self.operator("~") {
            // it binds as the operators of bits do: what is added belongs to it
            let expr = self.left(1)?;
            self.call(Function::BitXor, vec![Expr::Constant(Value::Int(-1)), expr])
        } else if self.keyword("not") {
            let expr = self.is()?;
            self.call(Function::Not, vec![expr])
        } else {
            self.primary()
        };
        self.depth -= 1;
        expr
    }

    fn primary(&mut self) -> Parsed {
        let place = self.place();
        let Some((_, token)) = self.tokens.get(self.at).cloned() else { return Err(self.error("syntax error")) };
        self.at += 1;
        Ok(match token {
            Token::Int(value) => Expr::Constant(Value::Int(value)),
            Token::Double(value) => Expr::Constant(Value::Double(value)),
            Token::Variable(name) => Expr::Variable(name),
            Token::Keyword("null") => Expr::Constant(Value::Null),
            Token::Keyword("true") => Expr::Constant(Value::Bool(true)),
            Token::Keyword("false") => Expr::Constant(Value::Bool(false)),
            Token::Keyword("case") => return self.case(),
            Token::Function(name) => return self.function(&name, place),
            Token::Operator("(") => {
                let expr = self.or()?;
                let closed = self.operator(")");
                self.expect(closed)?;
                expr
            }
            Token::MaxIntPlusOne => {
                return Err(ExprError::at(place, "bigint constant overflow (9223372036854775808)"));
            }
            Token::Keyword(_) | Token::Operator(_) => return Err(ExprError::at(place, "syntax error")),
        })
    }

    /// WHEN … THEN … and ELSE, which is NULL where it is not written.
    fn case(&mut self) -> Parsed {
        let mut arguments = Vec::new();
        while self.keyword("when") {
            arguments.push(self.or()?);
            let then = self.keyword("then");
            self.expect(then)?;
            arguments.push(self.or()?);
        }
        self.expect(!arguments.is_empty())?;
        arguments.push(if self.keyword("else") { self.or()? } else { Expr::Constant(Value::Null) });
        let end = self.keyword("end");
        self.expect(end)?;
        self.call(Function::Case, arguments)
    }

    fn function(&mut self, name: &str, place: usize) -> Parsed {
        let unknown = || ExprError::at(place, format!("unexpected function name ({name})"));
        let (function, wanted) = Function::find(name).ok_or_else(unknown)?;
        let open = self.operator("(");
        self.expect(open)?;
        let mut arguments = Vec::new();
        if !self.operator(")") {
            arguments.push(self.or()?);
            while self.operator(",") {
                arguments.push(self.or()?);
            }
            let closed = self.operator(")");
            self.expect(closed)?;
        }
        let count = arguments.len();
        let fits = match wanted {
            Arguments::Exactly(n) => count == n,
            Arguments::Some => count > 0,
            Arguments::Hash => count == 1 || count == 2,
        };
        if !fits {
            let why = if wanted == Arguments::Some {
                "at least one argument expected"
            } else {
                "unexpected number of arguments"
            };
            return Err(ExprError::at(place, format!("{why} ({name})")));
        }
        if wanted == Arguments::Hash && count == 1 {
            arguments.push(Expr::Variable("default_seed".to_string()));
        }
        self.call(function, arguments)
    }
}
