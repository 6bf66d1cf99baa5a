//! CREATE INDEX.

use super::cursor::Parser;
use super::lex::Token;
use crate::sql::StatementError;
use crate::sql::ast::{CreateIndex, ExprNode, IndexElem, IndexMethod};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Types of indexes that there are.
const INDEX_TYPES: &str = "btree, brin and gist";

impl Parser {
    /// A column of INCLUDE.
    fn included(&mut self) -> Result<String, StatementError> {
        if self.is_op("(") || *self.peek_second() == Token::Op("(".into()) {
            return Err(StatementError::server("0A000", "expressions are not supported in included columns"));
        }
        self.name()
    }

    /// After CREATE, and UNIQUE, and INDEX.
    pub fn create_index(&mut self, unique: bool) -> Result<CreateIndex, StatementError> {
        let concurrently = self.eat("concurrently");
        let if_not_exists = self.eat("if not exists");
        let name = if self.is_word("on") { None } else { Some(self.name()?) };
        self.expect("on")?;
        let table = self.range_var()?;
        let method = if self.eat("using") { self.index_method()? } else { IndexMethod::Btree };
        let keys = self.in_parens(Self::index_elem)?;
        let include = if self.eat("include") { self.in_parens(Self::included)? } else { Vec::new() };
        let nulls_not_distinct = self.nulls_not_distinct()?;
        let options = self.with_options()?;
        let predicate = if self.eat("where") { Some(self.expr()?) } else { None };
        Ok(CreateIndex {
            name,
            table,
            unique,
            concurrently,
            if_not_exists,
            method,
            keys,
            include,
            nulls_not_distinct,
            options,
            predicate,
        })
    }

    fn index_method(&mut self) -> Result<IndexMethod, StatementError> {
        let at = self.position();
        match self.name()?.as_str() {
            "btree" => Ok(IndexMethod::Btree),
            "brin" => Ok(IndexMethod::Brin),
            "gist" => Ok(IndexMethod::Gist),
            other => {
                let refused = self.unsupported_beside(&format!("an index of type {other}"), INDEX_TYPES);
                Err(StatementError { position: Some(at), ..refused })
            }
        }
    }

    /// A column, a function, or an expression in parentheses.
    pub(super) fn index_elem(&mut self) -> Result<IndexElem, StatementError> {
        let (at, mark) = (self.position(), self.mark());
        let in_parens = self.is_op("(");
        let mut expr = self.expr()?;
        if let ExprNode::Function { name, args, form: true, .. } = &mut expr.node
            && name == "collate"
        {
            expr = args.swap_remove(0);
        }
        let plain = matches!(expr.node, ExprNode::Column { table: None, .. } | ExprNode::Function { .. });
        if !in_parens && matches!(expr.node, ExprNode::Binary(..)) {
            // a column or a call alone: the server stops at what comes behind
            self.back_to(mark);
            self.name()?;
            let _ = self.maybe_in_parens(Self::expr);
            self.eat_op(")");
            return Err(self.wrong_here());
        }
        if !in_parens && !plain {
            return Err(StatementError::syntax(self.text(), at));
        }
        self.collation()?;
        let opclass = match self.peek() {
            Token::Word(word) if !["asc", "desc", "nulls", "with"].contains(&word.as_str()) => Some(self.opclass()?),
            _ => None,
        };
        let (descending, nulls_first) = self.direction()?;
        Ok(IndexElem { expr, opclass, descending, nulls_first })
    }

    /// `any_name` of an operator class, without options.
    fn opclass(&mut self) -> Result<String, StatementError> {
        let name = self.name()?;
        if self.is_op(".") || self.is_op("(") {
            return Err(self.unsupported("an operator class with a schema or options"));
        }
        Ok(name)
    }
}
