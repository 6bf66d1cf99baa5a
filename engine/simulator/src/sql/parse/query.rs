//! SELECT.

use super::cursor::Parser;
use super::lex::Token;
use crate::sql::StatementError;
use crate::sql::ast::{FromItem, LockStrength, LockWait, Locking, Select, SortBy, Target};
use alloc::vec::Vec;

impl Parser {
    /// SELECT and what follows.
    pub fn select(&mut self) -> Result<Select, StatementError> {
        if self.is_op("(") || self.is_word("values") || self.is_word("table") {
            return Err(self.unsupported("a query that does not begin with SELECT"));
        }
        self.expect("select")?;
        self.after_select()
    }

    /// After SELECT, or PERFORM.
    pub fn after_select(&mut self) -> Result<Select, StatementError> {
        self.eat("all");
        let targets = if self.is_word("from") { Vec::new() } else { self.list(Self::target)? };
        let mut select = Select { targets, ..Select::default() };
        if self.eat("from") {
            select.from = self.list(Self::range_item)?;
        }
        if self.eat("where") {
            select.filter = Some(self.expr()?);
        }
        select.order_by = self.order_by()?;
        self.limit(&mut select)?;
        self.locking(&mut select)?;
        self.limit(&mut select)?;
        Ok(select)
    }

    /// An item between SELECT and FROM, or after RETURNING.
    pub fn target(&mut self) -> Result<Target, StatementError> {
        if self.eat_op("*") {
            return Ok(Target::Star(None));
        }
        let mark = self.mark();
        if let Some(table) = self.maybe_name()
            && self.eat_op(".")
            && self.eat_op("*")
        {
            return Ok(Target::Star(Some(table)));
        }
        self.back_to(mark);
        let expr = self.expr()?;
        Ok(Target::Expr { expr, alias: self.alias()? })
    }

    fn range_item(&mut self) -> Result<FromItem, StatementError> {
        if self.is_op("(") {
            return Err(self.unsupported("a subquery in FROM"));
        }
        if *self.peek_second() == Token::Op("(".into()) {
            let call = self.expr()?;
            if self.is_word("with") {
                return Err(self.unsupported("WITH ORDINALITY"));
            }
            let alias = self.alias()?;
            let columns = if alias.is_some() { self.maybe_in_parens(Self::name)? } else { Vec::new() };
            if columns.len() > 1 {
                return Err(self.unsupported("a function of several columns"));
            }
            return Ok(FromItem::Function { call, alias, column: columns.into_iter().next() });
        }
        let name = self.range_var()?;
        let alias = self.alias()?;
        if alias.is_some() && self.is_op("(") {
            return Err(self.unsupported("an alias with columns"));
        }
        Ok(FromItem::Table { name, alias })
    }

    /// An item of ORDER BY.
    /// ORDER BY, where it stands.
    pub fn order_by(&mut self) -> Result<Vec<SortBy>, StatementError> {
        if self.eat("order by") { self.list(Self::sort_by) } else { Ok(Vec::new()) }
    }

    fn sort_by(&mut self) -> Result<SortBy, StatementError> {
        let expr = self.expr()?;
        let (descending, nulls_first) = self.direction()?;
        Ok(SortBy { expr, descending, nulls_first })
    }

    /// ASC or DESC, NULLS FIRST or LAST; without it NULL is the greatest value.
    pub fn direction(&mut self) -> Result<(bool, bool), StatementError> {
        let descending = !self.eat("asc") && self.eat("desc");
        if !self.eat("nulls") {
            return Ok((descending, descending));
        }
        let nulls_first = self.eat("first");
        if !nulls_first {
            self.expect("last")?;
        }
        Ok((descending, nulls_first))
    }

    fn limit(&mut self, select: &mut Select) -> Result<(), StatementError> {
        loop {
            if select.limit.is_none() && self.eat("limit") {
                // LIMIT ALL is no limit
                select.limit = if self.eat("all") { None } else { Some(self.expr()?) };
            } else if select.offset.is_none() && self.eat("offset") {
                select.offset = Some(self.expr()?);
                let _ = self.eat("rows") || self.eat("row");
            } else {
                return Ok(());
            }
        }
    }

    fn locking(&mut self, select: &mut Select) -> Result<(), StatementError> {
        if !self.eat("for") {
            return Ok(());
        }
        let words = [
            ("update", LockStrength::Update),
            ("no key update", LockStrength::NoKeyUpdate),
            ("share", LockStrength::Share),
            ("key share", LockStrength::KeyShare),
        ];
        let found = words.into_iter().find(|(words, _)| self.eat(words));
        let Some((_, strength)) = found else { return Err(self.refuse()) };
        if self.is_word("of") {
            return Err(self.unsupported("FOR … OF"));
        }
        let wait = match (self.eat("nowait"), self.eat("skip locked")) {
            (true, _) => LockWait::Error,
            (_, true) => LockWait::Skip,
            _ => LockWait::Block,
        };
        if self.is_word("for") {
            return Err(self.unsupported("a second FOR"));
        }
        select.locking = Some(Locking { strength, wait });
        Ok(())
    }
}
