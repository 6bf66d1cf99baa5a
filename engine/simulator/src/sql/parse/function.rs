//! CREATE FUNCTION and DROP FUNCTION, of functions in SQL.

use super::cursor::Parser;
use super::lex::Token;
use super::parse_with;
use crate::sql::StatementError;
use crate::sql::ast::{CreateFunction, DropFunction, Object, Statement};
use alloc::boxed::Box;
use alloc::string::String;
use ffviz_format::datum::SqlType;

/// Attributes that change nothing of what a function gives here.
const ATTRIBUTES: &[&str] = &[
    "immutable",
    "stable",
    "volatile",
    "called on null input",
    "security invoker",
    "parallel safe",
    "parallel unsafe",
    "parallel restricted",
    "not leakproof",
];

impl Parser {
    /// After CREATE, and OR REPLACE, and FUNCTION.
    pub fn create_function(&mut self, replace: bool) -> Result<Statement, StatementError> {
        let name = self.range_var()?;
        let mut function = CreateFunction { name, replace, ..CreateFunction::default() };
        self.expect_op("(")?;
        if !self.eat_op(")") {
            self.list(|parser| parser.function_argument(&mut function))?;
            self.expect_op(")")?;
        }
        if self.eat("returns") {
            self.function_result(&mut function)?;
        }
        let (mut body, mut is_sql) = (None, false);
        loop {
            if self.eat("language") {
                is_sql = self.is_word("sql") || matches!(self.peek(), Token::String(name) if name == "sql");
                self.step();
            } else if self.eat("as") {
                let Token::String(text) = self.peek() else { return Err(self.refuse()) };
                body = Some(text.clone());
                self.step();
            } else if self.eat("cost") || self.eat("rows") {
                self.integer()?;
            } else if !ATTRIBUTES.iter().any(|words| self.eat(words)) {
                break;
            }
        }
        if !self.is_op(";") && *self.peek() != Token::End {
            return Err(self.unsupported("this part of CREATE FUNCTION"));
        }
        if !is_sql {
            return Err(self.unsupported("a function in a language other than SQL"));
        }
        let Some(body) = body else { return Err(self.unsupported("a function without AS")) };
        match parse_with(body.trim().trim_end_matches(';'), self.types.clone()) {
            Ok(Statement::Select(query)) => function.body = Box::new(query),
            Ok(_) => return Err(self.unsupported("a function that is more than one SELECT")),
            Err(_) if body.trim().trim_end_matches(';').contains(';') => {
                return Err(self.unsupported("a function that is more than one SELECT"));
            }
            Err(error) => return Err(error),
        }
        if function.columns.is_empty() {
            return Err(self.unsupported("a function without a result"));
        }
        Ok(Statement::Object(Object::CreateFunction(function)))
    }

    /// `[IN | OUT] [name] type [DEFAULT …]`
    fn function_argument(&mut self, function: &mut CreateFunction) -> Result<(), StatementError> {
        if self.is_word("inout") || self.is_word("variadic") {
            return Err(self.refuse());
        }
        let is_out = self.eat("out");
        if !is_out && !self.is_op(",") {
            self.eat("in");
        }
        let mark = self.mark();
        let alone = self.maybe_type_name().ok().flatten().filter(|_| self.is_op(",") || self.is_op(")"));
        let (name, ty) = match alone {
            Some(ty) => (None, ty),
            None => {
                self.back_to(mark);
                (Some(self.name()?), self.type_name()?)
            }
        };
        if self.is_word("default") || self.is_op("=") {
            return Err(self.unsupported("a default of an argument"));
        }
        if is_out {
            function.columns.push((name.unwrap_or_else(|| String::from("column1")), ty));
            return Ok(());
        }
        function.arguments.push((name, ty));
        Ok(())
    }

    /// After RETURNS.
    fn function_result(&mut self, function: &mut CreateFunction) -> Result<(), StatementError> {
        if self.eat("table") {
            function.is_set = true;
            function.columns = self.in_parens(|parser| Ok((parser.name()?, parser.type_name()?)))?;
            return Ok(());
        }
        function.is_set = self.eat("setof");
        if self.eat("record") {
            return Ok(());
        }
        if self.is_word("void") || self.is_word("trigger") {
            return Err(self.unsupported("a function without a result"));
        }
        let ty: SqlType = self.type_name()?;
        if function.columns.is_empty() {
            function.columns.push((function.name.name.clone(), ty));
        }
        Ok(())
    }

    /// After DROP FUNCTION.
    pub fn drop_function(&mut self) -> Result<Statement, StatementError> {
        let if_exists = self.eat("if exists");
        let names = self.list(|parser| {
            let name = parser.range_var()?;
            if parser.eat_op("(") {
                while !parser.eat_op(")") {
                    if *parser.peek() == Token::End {
                        return Err(parser.refuse());
                    }
                    parser.step();
                }
            }
            Ok(name)
        })?;
        let _ = self.eat("cascade") || self.eat("restrict");
        Ok(Statement::Object(Object::DropFunction(DropFunction { names, if_exists })))
    }
}
