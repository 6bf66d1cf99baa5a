//! DROP and TRUNCATE.

use super::cursor::Parser;
use crate::sql::StatementError;
use crate::sql::ast::{Drop, DropKind, DropView, Truncate};

impl Parser {
    /// After DROP.
    pub fn drop_relation(&mut self) -> Result<Drop, StatementError> {
        let kind = if self.eat("index") {
            DropKind::Index
        } else if self.eat("table") {
            DropKind::Table
        } else if self.eat("sequence") {
            DropKind::Sequence
        } else if self.eat("materialized view") {
            DropKind::MaterializedView
        } else {
            return Err(self.other_object("DROP", super::DROPPED));
        };
        let concurrently = kind == DropKind::Index && self.eat("concurrently");
        let if_exists = self.eat("if exists");
        let names = self.list(Self::range_var)?;
        let cascade = self.eat("cascade");
        if !cascade {
            self.eat("restrict");
        }
        Ok(Drop { kind, concurrently, if_exists, names, cascade })
    }

    /// After DROP VIEW.
    pub fn drop_view(&mut self) -> Result<DropView, StatementError> {
        let if_exists = self.eat("if exists");
        let names = self.list(Self::range_var)?;
        let cascade = self.eat("cascade");
        if !cascade {
            self.eat("restrict");
        }
        Ok(DropView { names, if_exists, cascade })
    }

    /// After TRUNCATE.
    pub fn truncate(&mut self) -> Result<Truncate, StatementError> {
        self.eat("table");
        let tables = self.list(Self::relation_expr)?;
        let restart = self.eat("restart identity");
        if !restart {
            self.eat("continue identity");
        }
        let cascade = self.eat("cascade");
        if !cascade {
            self.eat("restrict");
        }
        Ok(Truncate { tables, restart, cascade })
    }
}
