//! DROP and TRUNCATE.

use super::cursor::Parser;
use crate::sql::StatementError;
use crate::sql::ast::{Drop, DropKind, RangeVar};
use alloc::vec::Vec;

impl Parser {
    /// After DROP.
    pub fn drop_relation(&mut self) -> Result<Drop, StatementError> {
        let kind = if self.eat("index") {
            DropKind::Index
        } else if self.eat("table") {
            DropKind::Table
        } else if self.eat("sequence") {
            DropKind::Sequence
        } else {
            return Err(self.unsupported("DROP of anything but a TABLE, an INDEX or a SEQUENCE"));
        };
        let if_exists = self.eat("if exists");
        let names = self.list(Self::range_var)?;
        let cascade = self.eat("cascade");
        if !cascade {
            self.eat("restrict");
        }
        Ok(Drop { kind, if_exists, names, cascade })
    }

    /// After TRUNCATE.
    pub fn truncate(&mut self) -> Result<Vec<RangeVar>, StatementError> {
        self.eat("table");
        self.eat("only");
        let tables = self.list(Self::range_var)?;
        if self.is_word("restart") {
            return Err(self.unsupported("RESTART IDENTITY"));
        }
        self.eat("continue identity");
        self.eat("restrict");
        Ok(tables)
    }
}
