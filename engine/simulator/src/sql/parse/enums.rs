//! CREATE TYPE … AS ENUM, ALTER TYPE of an enum, DROP TYPE (`CreateEnum`, `AlterEnumStmt`, src/backend/parser/gram.y).

use super::cursor::Parser;
use super::lex::Token;
use crate::sql::StatementError;
use crate::sql::ast::{EnumStatement, Object, Statement};
use alloc::string::String;
use alloc::vec::Vec;

impl Parser {
    /// After CREATE TYPE.
    pub fn create_type(&mut self) -> Result<Statement, StatementError> {
        let name = self.range_var()?;
        if !self.eat("as enum") {
            return Err(self.unsupported("a type that is no enum"));
        }
        self.expect_op("(")?;
        let labels = if self.is_op(")") { Vec::new() } else { self.list(Self::label)? };
        self.expect_op(")")?;
        Ok(Statement::Object(Object::Enum(EnumStatement::Create(name, labels))))
    }

    /// After DROP TYPE.
    pub fn drop_type(&mut self) -> Result<Statement, StatementError> {
        let if_exists = self.eat("if exists");
        let names = self.list(Self::range_var)?;
        if self.is_word("cascade") {
            return Err(self.unsupported("DROP TYPE … CASCADE"));
        }
        self.eat("restrict");
        Ok(Statement::Object(Object::Enum(EnumStatement::Drop { names, if_exists })))
    }

    /// After ALTER TYPE.
    pub fn alter_type(&mut self) -> Result<Statement, StatementError> {
        let name = self.range_var()?;
        if self.eat("rename value") {
            let from = self.label()?;
            self.expect("to")?;
            let to = self.label()?;
            return Ok(Statement::Object(Object::Enum(EnumStatement::RenameValue { name, from, to })));
        }
        if !self.eat("add value") {
            return Err(self.unsupported("ALTER TYPE other than ADD VALUE and RENAME VALUE"));
        }
        let if_not_exists = self.eat("if not exists");
        let label = self.label()?;
        let is_after = self.eat("after");
        let neighbor = if is_after || self.eat("before") { Some((is_after, self.label()?)) } else { None };
        Ok(Statement::Object(Object::Enum(EnumStatement::AddValue { name, label, if_not_exists, neighbor })))
    }

    fn label(&mut self) -> Result<String, StatementError> {
        let Token::String(label) = self.peek().clone() else { return Err(self.refuse()) };
        self.step();
        Ok(label)
    }
}
