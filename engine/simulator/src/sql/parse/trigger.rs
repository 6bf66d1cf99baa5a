//! CREATE TRIGGER and DROP TRIGGER.

use super::constraint::Said;
use super::cursor::Parser;
use super::lex::Token;
use crate::sql::StatementError;
use crate::sql::ast::{
    AlterAction, CreateTrigger, Deferrable, DropTrigger, Expr, ExprNode, Firing, Object, RenameTrigger, Statement,
    TriggerEvents,
};
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

impl Parser {
    /// After CREATE TRIGGER, and OR REPLACE, or CREATE CONSTRAINT TRIGGER.
    pub fn create_trigger(&mut self, replace: bool, is_constraint: bool) -> Result<Statement, StatementError> {
        let name = self.name()?;
        let before = !is_constraint && self.eat("before");
        let instead = !before && !is_constraint && self.eat("instead of");
        if !before && !instead && !self.eat("after") {
            return Err(self.wrong_here());
        }
        let (events, update_of) = self.trigger_events()?;
        self.expect("on")?;
        let table = self.range_var()?;
        if self.is_word("from") {
            return Err(self.unsupported("FROM of a constraint trigger"));
        }
        let mut constraint = None;
        if is_constraint {
            let mut said = Said::default();
            constraint = Some(self.deferrable(&mut said)?.unwrap_or(Deferrable::No));
            if said.not_valid || said.enforced.is_some() {
                return Err(self.unsupported("this part of CREATE CONSTRAINT TRIGGER"));
            }
        }
        let (old_table, new_table) = if is_constraint { (None, None) } else { self.transition_tables()? };
        let mut row = false;
        if self.eat("for") {
            self.eat("each");
            row = self.eat("row");
            if !row && is_constraint {
                return Err(self.wrong_here());
            }
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
        let arguments = self.trigger_arguments()?;
        if !row && when.as_ref().is_some_and(reads_row) {
            let message = "statement trigger's WHEN condition cannot reference column values";
            return Err(StatementError::server("42P17", message));
        }
        if when.is_some() && !row {
            return Err(self.unsupported("WHEN of a trigger for statements"));
        }
        let create = CreateTrigger {
            replace,
            constraint,
            name,
            table,
            before,
            instead,
            row,
            events,
            update_of,
            when,
            function,
            arguments,
            old_table,
            new_table,
        };
        Ok(Statement::Object(Object::CreateTrigger(Box::new(create))))
    }

    /// The events, with OR between, and the columns of UPDATE OF.
    fn trigger_events(&mut self) -> Result<(TriggerEvents, Vec<String>), StatementError> {
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
            } else if self.eat("truncate") {
                events.truncate = true;
            } else {
                return Err(self.unsupported("a trigger for this event"));
            }
            if !self.eat("or") {
                break;
            }
        }
        Ok((events, update_of))
    }

    /// What the function is called with, and the parenthesis behind it.
    fn trigger_arguments(&mut self) -> Result<Vec<String>, StatementError> {
        let mut arguments = Vec::new();
        while !self.eat_op(")") {
            if !arguments.is_empty() {
                self.expect_op(",")?;
            }
            let (Token::String(text) | Token::Number(text) | Token::Word(text)) = self.peek() else {
                return Err(self.refuse());
            };
            arguments.push(text.clone());
            self.step();
        }
        Ok(arguments)
    }

    /// REFERENCING
    fn transition_tables(&mut self) -> Result<(Option<String>, Option<String>), StatementError> {
        let (mut old, mut new) = (None, None);
        if !self.eat("referencing") {
            return Ok((old, new));
        }
        loop {
            let place = if self.eat("old table") {
                &mut old
            } else if self.eat("new table") {
                &mut new
            } else if old.is_some() || new.is_some() {
                return Ok((old, new));
            } else {
                return Err(self.unsupported("ROW variable naming in the REFERENCING clause"));
            };
            if place.is_some() {
                return Err(StatementError::server("42P17", "OLD TABLE cannot be specified multiple times"));
            }
            self.eat("as");
            *place = Some(self.name()?);
        }
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
    pub fn alter_trigger(&mut self, firing: Firing) -> Result<AlterAction, StatementError> {
        let may_be_all = matches!(firing, Firing::Origin | Firing::Disabled);
        let user = may_be_all && self.eat("user");
        let name = if user || may_be_all && self.eat("all") { None } else { Some(self.name()?) };
        Ok(AlterAction::SetTrigger { name, user, firing })
    }

    /// After ALTER TRIGGER.
    pub fn rename_trigger(&mut self) -> Result<Statement, StatementError> {
        let name = self.name()?;
        self.expect("on")?;
        let table = self.range_var()?;
        if !self.eat("rename to") {
            return Err(self.unsupported("ALTER TRIGGER other than RENAME"));
        }
        let to = self.name()?;
        Ok(Statement::Object(Object::RenameTrigger(RenameTrigger { name, table, to })))
    }
}

/// Does the condition read the row that changes?
fn reads_row(expr: &Expr) -> bool {
    let is_row = matches!(&expr.node, ExprNode::Column { table: Some(table), .. } if table == "new" || table == "old");
    is_row || expr.children().into_iter().any(reads_row)
}
