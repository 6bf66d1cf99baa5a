//! CREATE TYPE … AS ENUM and AS (…), ALTER TYPE, DROP TYPE
//! (`DefineStmt`, `AlterEnumStmt`, `AlterCompositeTypeStmt`,
//! src/backend/parser/gram.y).

use super::cursor::Parser;
use super::lex::Token;
use crate::sql::StatementError;
use crate::sql::ast::{AttributeAction, EnumStatement, Object, RangeVar, Statement};
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::datum::Attribute;

impl Parser {
    /// After CREATE TYPE.
    pub fn create_type(&mut self) -> Result<Statement, StatementError> {
        let name = self.range_var()?;
        if !self.eat("as enum") {
            return self.create_composite(name);
        }
        self.expect_op("(")?;
        let labels = if self.is_op(")") { Vec::new() } else { self.list(Self::label)? };
        self.expect_op(")")?;
        Ok(Statement::Object(Object::Enum(EnumStatement::Create(name, labels))))
    }

    /// Its columns.
    fn create_composite(&mut self, name: RangeVar) -> Result<Statement, StatementError> {
        if !self.eat("as") || !self.is_op("(") {
            return Err(self.unsupported("a type that is neither an enum nor a composite type"));
        }
        self.expect_op("(")?;
        if self.is_op(")") {
            return Err(self.unsupported("a composite type without columns"));
        }
        let columns = self.list(Self::attribute)?;
        self.expect_op(")")?;
        Ok(Statement::Object(Object::Enum(EnumStatement::CreateComposite(name, columns))))
    }

    /// Name and type.
    fn attribute(&mut self) -> Result<Attribute, StatementError> {
        let name = self.name()?;
        self.attribute_of_type(&name)
    }

    /// A column of that name; one of a domain is told as such.
    fn attribute_of_type(&mut self, name: &str) -> Result<Attribute, StatementError> {
        let domain = self.domain()?;
        let ty = match domain {
            Some((base, _)) => base,
            None => self.column_type()?,
        };
        self.collation()?;
        let mut attribute = ty.attribute(1, name);
        if let Some((base, domain)) = domain {
            (attribute.typid, attribute.base) = (domain, Some(base.oid));
        }
        Ok(attribute)
    }

    /// An action of ALTER TYPE.
    fn attribute_action(&mut self) -> Result<AttributeAction, StatementError> {
        let action = if self.eat("add attribute") {
            AttributeAction::Add(self.attribute()?)
        } else if self.eat("drop attribute") {
            let if_exists = self.eat("if exists");
            AttributeAction::Drop(self.name()?, if_exists)
        } else if self.eat("alter attribute") {
            let name = self.name()?;
            self.eat("set data");
            self.expect("type")?;
            AttributeAction::SetType(self.attribute_of_type(&name)?)
        } else {
            return Err(self.unsupported("this ALTER TYPE"));
        };
        // only tables of the type would follow
        let _ = self.eat("cascade") || self.eat("restrict");
        Ok(action)
    }

    /// After DROP TYPE.
    pub fn drop_type(&mut self) -> Result<Statement, StatementError> {
        let if_exists = self.eat("if exists");
        let names = self.list(Self::range_var)?;
        let cascade = self.eat("cascade");
        if !cascade {
            self.eat("restrict");
        }
        Ok(Statement::Object(Object::Enum(EnumStatement::Drop { names, if_exists, cascade })))
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
        if self.eat("rename to") {
            let new = self.name()?;
            return Ok(Statement::Object(Object::Enum(EnumStatement::Rename(name, new))));
        }
        if self.eat("rename attribute") {
            let from = self.name()?;
            self.expect("to")?;
            let actions = Vec::from([AttributeAction::Rename(from, self.name()?)]);
            let _ = self.eat("cascade") || self.eat("restrict");
            return Ok(Statement::Object(Object::Enum(EnumStatement::AlterComposite(name, actions))));
        }
        if self.eat("drop value") {
            let name = self.label()?;
            return Ok(Statement::Object(Object::Enum(EnumStatement::DropValue(name))));
        }
        if !self.eat("add value") {
            let actions = self.list(Self::attribute_action)?;
            return Ok(Statement::Object(Object::Enum(EnumStatement::AlterComposite(name, actions))));
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
