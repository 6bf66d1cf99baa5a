//! CREATE TRIGGER and DROP TRIGGER.

use super::cursor::Parser;
use super::lex::Token;
use crate::sql::StatementError;
use crate::sql::ast::{AlterAction, CreateTrigger, DropTrigger, Object, Statement, TriggerEvents};
use alloc::boxed::Box;
use alloc::vec::Vec;

impl Parser {
    /// After CREATE TRIGGER.
    pub fn create_trigger(&mut self) -> Result<Statement, StatementError> {
        let name = self.name()?;
        let before = self.eat("before");
        if !before && !self.eat("after") {
            return Err(self.unsupported("this kind of trigger"));
        }
        let (mut events, mut update_of) = (TriggerEvents::default(), Vec::new());
        loop {
            if self.eat("insert") {
                events.insert = true;
            } else if self.eat("delete") {
                events.delete = true;
            } else if self.eat("update") {
                events.update = true;
                if self.eat("of") {
                    update_of = self.list(Self::name)?;
                }
            } else {
                return Err(self.unsupported("a trigger for this event"));
            }
            if !self.eat("or") {
                break;
            }
        }
        self.expect("on")?;
        let table = self.range_var()?;
        if self.is_word("referencing") || self.is_word("from") || self.is_word("deferrable") {
            return Err(self.unsupported("this part of CREATE TRIGGER"));
        }
        let mut row = false;
        if self.eat("for") {
            self.eat("each");
            row = self.eat("row");
            if !row {
                self.expect("statement")?;
            }
        }
        let mut when = None;
        if self.eat("when") {
            self.expect_op("(")?;
            when = Some(self.expr()?);
            self.expect_op(")")?;
        }
        self.expect("execute")?;
        if !self.eat("function") {
            self.expect("procedure")?;
        }
        let function = self.range_var()?.name;
        self.expect_op("(")?;
        let mut arguments = 0;
        while !self.eat_op(")") {
            if arguments > 0 {
                self.expect_op(",")?;
            }
            if !matches!(self.peek(), Token::String(_) | Token::Number(_) | Token::Word(_)) {
                return Err(self.refuse());
            }
            self.step();
            arguments += 1;
        }
        if when.is_some() && !row {
            return Err(self.unsupported("WHEN of a trigger for statements"));
        }
        let create = CreateTrigger { name, table, before, row, events, update_of, when, function, arguments };
        Ok(Statement::Object(Object::CreateTrigger(Box::new(create))))
    }

    /// After DROP TRIGGER.
    pub fn drop_trigger(&mut self) -> Result<Statement, StatementError> {
        let if_exists = self.eat("if exists");
        let name = self.name()?;
        self.expect("on")?;
        let table = self.range_var()?;
        let _ = self.eat("cascade") || self.eat("restrict");
        Ok(Statement::Object(Object::DropTrigger(DropTrigger { name, table, if_exists })))
    }

    /// After ALTER TABLE … ENABLE or DISABLE TRIGGER.
    pub fn alter_trigger(&mut self, enabled: bool) -> Result<AlterAction, StatementError> {
        let name = if self.eat("all") || self.eat("user") { None } else { Some(self.name()?) };
        Ok(AlterAction::SetTrigger { name, enabled })
    }
}
