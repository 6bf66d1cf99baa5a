//! MERGE (`MergeStmt` of src/backend/parser/gram.y).

use super::cursor::Parser;
use crate::sql::StatementError;
use crate::sql::ast::{Merge, MergeAction, MergeMatch, MergeWhen};
use alloc::vec::Vec;

impl Parser {
    /// After MERGE.
    pub fn merge(&mut self) -> Result<Merge, StatementError> {
        self.expect("into")?;
        self.eat("only");
        let table = self.opened_table()?;
        let alias = self.alias()?;
        self.expect("using")?;
        let source = self.item_of_from()?;
        self.expect("on")?;
        let on = self.expr()?;
        let mut whens = Vec::new();
        self.expect("when")?;
        loop {
            whens.push(self.merge_when()?);
            if !self.eat("when") {
                break;
            }
        }
        Ok(Merge { table, alias, source, on, whens, returning: self.returning()? })
    }

    /// After WHEN.
    fn merge_when(&mut self) -> Result<MergeWhen, StatementError> {
        let kind = if self.eat("matched") {
            MergeMatch::Matched
        } else {
            self.expect("not matched")?;
            if self.eat("by source") {
                MergeMatch::BySource
            } else {
                self.eat("by target");
                MergeMatch::ByTarget
            }
        };
        let filter = if self.eat("and") { Some(self.expr()?) } else { None };
        self.expect("then")?;
        // what a WHEN of the other kind may do is no SQL here
        let is_insert = self.is_word("insert");
        let is_of_target = self.is_word("update") || self.is_word("delete");
        if kind == MergeMatch::ByTarget && is_of_target || kind != MergeMatch::ByTarget && is_insert {
            return Err(self.wrong_here());
        }
        let action = if self.eat("do nothing") {
            MergeAction::Nothing
        } else if kind == MergeMatch::ByTarget {
            self.merge_insert()?
        } else if self.eat("delete") {
            MergeAction::Delete
        } else {
            self.expect("update set")?;
            MergeAction::Update(self.assignments()?)
        };
        Ok(MergeWhen { kind, filter, action })
    }

    fn merge_insert(&mut self) -> Result<MergeAction, StatementError> {
        self.expect("insert")?;
        let columns = self.names()?;
        let overriding = self.overriding();
        let values = if self.eat("default values") {
            None
        } else {
            self.expect("values")?;
            Some(self.in_parens(Self::value)?)
        };
        Ok(MergeAction::Insert { columns, overriding, values })
    }
}
