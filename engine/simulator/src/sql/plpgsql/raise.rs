//! RAISE, ASSERT and what is told of an error (`exec_stmt_raise`, `exec_stmt_getdiag`).

use super::Interpreter;
use super::conditions;
use crate::sql::ast::{Embedded, Raise, RaiseOption, StackedItem};
use crate::sql::error::NOT_SIMULATED;
use crate::sql::expr::Context;
use crate::sql::tcop::Database;
use crate::storage::{Outcome, Stop};
use alloc::borrow::Cow;
use alloc::format;
use alloc::string::{String, ToString};
use ffviz_format::datum::{SqlError, SqlType, Value};

impl Interpreter {
    pub(super) fn raise(&mut self, db: &mut Database, raise: &Raise) -> Outcome<()> {
        if raise.again {
            let none =
                || SqlError::new("0Z002", "RAISE without parameters cannot be used outside an exception handler");
            return Err(Stop::Error(self.caught.last().cloned().unwrap_or_else(none)));
        }
        let mut message = match &raise.format {
            Some(format) => Some(self.formatted(db, format, &raise.arguments)?),
            None => None,
        };
        let (mut sqlstate, mut detail) = (raise.sqlstate, None);
        for (option, value) in &raise.using {
            let text = self.text(db, value)?;
            let Some(text) = text else {
                return Err(SqlError::new("22004", "RAISE statement option cannot be null").into());
            };
            let is_known = match option {
                RaiseOption::Errcode => sqlstate.is_some(),
                RaiseOption::Message => message.is_some(),
                RaiseOption::Detail | RaiseOption::Other => false,
            };
            if is_known {
                let name = if *option == RaiseOption::Errcode { "ERRCODE" } else { "MESSAGE" };
                return Err(SqlError::new("42601", format!("RAISE option already specified: {name}")).into());
            }
            match option {
                RaiseOption::Errcode => {
                    let unknown = || SqlError::new(NOT_SIMULATED, format!("ERRCODE {text} is not supported"));
                    let known = conditions::code(&text).or_else(|| conditions::named(&text).next());
                    let code = known.or_else(|| own_code(db, &text));
                    sqlstate = Some(code.ok_or_else(unknown)?);
                }
                RaiseOption::Message => message = Some(text),
                RaiseOption::Detail => detail = Some(text),
                RaiseOption::Other => {}
            }
        }
        let message = message.or_else(|| raise.condition.clone()).or_else(|| sqlstate.map(ToString::to_string));
        let message = message.unwrap_or_else(|| "P0001".to_string());
        if !raise.is_error {
            db.notes.push(format!("{}: {message}", raise.level));
            return Ok(());
        }
        let error = SqlError::new(sqlstate.unwrap_or("P0001"), message);
        Err(Stop::Error(match detail {
            Some(detail) => error.with_detail(detail),
            None => error,
        }))
    }

    /// The message with its arguments.
    fn formatted(&mut self, db: &mut Database, format: &str, arguments: &[Embedded]) -> Outcome<String> {
        let mut arguments = arguments.iter();
        let mut told = String::new();
        let mut chars = format.chars().peekable();
        while let Some(c) = chars.next() {
            if c != '%' {
                told.push(c);
            } else if chars.next_if_eq(&'%').is_some() {
                told.push('%');
            } else if let Some(argument) = arguments.next() {
                let (value, ty) = self.eval(db, argument)?;
                match value {
                    Value::Null => told.push_str("<NULL>"),
                    value => told.push_str(&db.printed(&value, ty)?),
                }
            }
        }
        Ok(told)
    }

    pub(super) fn assert(
        &mut self,
        db: &mut Database,
        condition: &Embedded,
        message: Option<&Embedded>,
    ) -> Outcome<()> {
        if self.holds(db, condition)? {
            return Ok(());
        }
        let told = match message {
            Some(message) => self.text(db, message)?,
            None => None,
        };
        let told = told.map_or(Cow::Borrowed("assertion failed"), Cow::Owned);
        Err(SqlError::new("P0004", told).into())
    }

    pub(super) fn stacked(&mut self, db: &mut Database, items: &[(usize, StackedItem)]) -> Outcome<()> {
        let Some(error) = self.caught.last().cloned() else { return Ok(()) };
        for (target, item) in items {
            let text = match item {
                StackedItem::Sqlstate => error.sqlstate,
                StackedItem::Message => &error.message,
                StackedItem::Detail => error.detail.as_deref().unwrap_or(""),
                StackedItem::Constraint => quoted_after(&error.message, "constraint ", error.sqlstate),
                StackedItem::Column => quoted_after(&error.message, "null value in column ", error.sqlstate),
            };
            self.assign(db, *target, (Value::text(text), SqlType::TEXT))?;
        }
        Ok(())
    }
}

impl Database {
    /// A value as its output function writes it.
    ///
    /// # Errors
    /// A time that the session's zone has no rule for.
    pub(super) fn printed(&self, value: &Value, ty: SqlType) -> Result<String, SqlError> {
        Ok(Context::input(self).style.output(value, ty.oid)?.unwrap_or_default())
    }
}

/// A SQLSTATE of the script's own, each kept once.
fn own_code(db: &mut Database, text: &str) -> Option<&'static str> {
    let codes = &mut db.session().sqlstates;
    if let Some(known) = codes.get(text) {
        return Some(known);
    }
    let code = conditions::made(text)?;
    codes.insert(text.to_string(), code);
    Some(code)
}

/// The name that an error about a constraint has (`errtableconstraint`, `errtablecol`), which its message tells too.
fn quoted_after<'a>(message: &'a str, word: &str, sqlstate: &str) -> &'a str {
    let rest = message.split_once(word).filter(|_| sqlstate.starts_with("23")).map(|(_, rest)| rest);
    rest.and_then(|rest| rest.strip_prefix('"')?.split_once('"')).map_or("", |(name, _)| name)
}
