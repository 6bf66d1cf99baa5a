//! COMMENT ON, LOCK, DISCARD, LISTEN: statements that change no page of a user's relation.

use super::cursor::Parser;
use super::lex::Token;
use crate::sql::StatementError;
use crate::sql::ast::{Comment, CommentKind, Discard, Lock, Notification, SetConstraints};
use crate::storage::LockMode;
use alloc::vec::Vec;

/// `lock_type`, longer ones first where one begins as another does.
const MODES: [(&str, LockMode); 8] = [
    ("access share", LockMode::AccessShare),
    ("row share", LockMode::RowShare),
    ("row exclusive", LockMode::RowExclusive),
    ("share update exclusive", LockMode::ShareUpdateExclusive),
    ("share row exclusive", LockMode::ShareRowExclusive),
    ("share", LockMode::Share),
    ("access exclusive", LockMode::AccessExclusive),
    ("exclusive", LockMode::Exclusive),
];

impl Parser {
    /// After COMMENT.
    pub fn comment(&mut self) -> Result<Comment, StatementError> {
        self.expect("on")?;
        let kinds = [
            ("table", CommentKind::Table),
            ("index", CommentKind::Index),
            ("sequence", CommentKind::Sequence),
            ("view", CommentKind::View),
            ("materialized view", CommentKind::MatView),
        ];
        let found = kinds.into_iter().find(|(word, _)| self.eat(word)).map(|(_, kind)| kind);
        let is_column = found.is_none() && self.eat("column");
        if found.is_none() && !is_column {
            return Err(self.unsupported("COMMENT ON anything but a TABLE, a COLUMN, an INDEX, a SEQUENCE or a VIEW"));
        }
        let mut relation = self.range_var()?;
        let column = if is_column && self.eat_op(".") {
            Some(self.name()?)
        } else if is_column {
            // table.column reads as schema.table
            let column = core::mem::take(&mut relation.name);
            relation.name = relation.schema.take().unwrap_or_default();
            Some(column)
        } else {
            None
        };
        self.expect("is")?;
        let text = match self.peek() {
            Token::String(text) => Some(text.clone()),
            _ if self.is_word("null") => None,
            _ => return Err(self.refuse()),
        };
        self.step();
        // an empty one is none
        let text = text.filter(|text| !text.is_empty());
        Ok(Comment { relation, kind: found.unwrap_or(CommentKind::Table), column, text })
    }

    /// After LOCK.
    pub fn lock(&mut self) -> Result<Lock, StatementError> {
        self.eat("table");
        let tables = self.list(Self::relation_expr)?;
        let mut mode = LockMode::AccessExclusive;
        if self.eat("in") {
            let found = MODES.iter().find(|(words, _)| self.eat(words));
            let Some((_, named)) = found else { return Err(self.refuse()) };
            self.expect("mode")?;
            mode = *named;
        }
        let waits = !self.eat("nowait");
        Ok(Lock { tables, mode, waits })
    }

    /// After SET CONSTRAINTS.
    pub fn set_constraints(&mut self) -> Result<SetConstraints, StatementError> {
        let names = if self.eat("all") { Vec::new() } else { self.list(Self::range_var)? };
        let deferred = self.eat("deferred");
        if !deferred {
            self.expect("immediate")?;
        }
        Ok(SetConstraints { names, deferred })
    }

    /// After DISCARD.
    pub fn discard(&mut self) -> Result<Discard, StatementError> {
        let kinds = [
            ("all", Discard::All),
            ("plans", Discard::Plans),
            ("sequences", Discard::Sequences),
            ("temporary", Discard::Temp),
            ("temp", Discard::Temp),
        ];
        let found = kinds.into_iter().find(|(word, _)| self.eat(word));
        found.map(|(_, kind)| kind).ok_or_else(|| self.refuse())
    }

    /// After LISTEN, UNLISTEN or NOTIFY.
    pub fn notification(&mut self, kind: Notification) -> Result<Notification, StatementError> {
        if kind == Notification::Unlisten && self.eat_op("*") {
            return Ok(kind);
        }
        self.name()?;
        if kind == Notification::Notify && self.eat_op(",") {
            let Token::String(_) = self.peek() else { return Err(self.refuse()) };
            self.step();
        }
        Ok(kind)
    }
}
