//! DO with one loop of PL/pgSQL: `BEGIN FOR i IN 1..10 LOOP …; COMMIT; END LOOP; END`. The loop's variable is a name in
//! the body.

use super::cursor::Parser;
use super::lex::Token;
use crate::sql::StatementError;
use crate::sql::ast::{DoLoop, Statement, Transaction};
use alloc::string::String;
use alloc::vec::Vec;

const KNOWS: &str = "of PL/pgSQL the simulator knows one FOR loop over numbers, with queries and COMMIT in it";

impl Parser {
    /// After DO.
    pub fn do_block(&mut self) -> Result<DoLoop, StatementError> {
        self.language()?;
        let at = self.position();
        let Token::String(body) = self.peek().clone() else { return Err(self.refuse()) };
        self.step();
        self.language()?;
        let mut block = Self::new(&body, KNOWS).map_err(|error| error.inside(at))?;
        block.block().map_err(|error| error.inside(at))
    }

    /// `LANGUAGE plpgsql`.
    fn language(&mut self) -> Result<(), StatementError> {
        if !self.eat("language") || self.eat("plpgsql") {
            return Ok(());
        }
        Err(self.unsupported("another language"))
    }

    fn block(&mut self) -> Result<DoLoop, StatementError> {
        if self.is_word("declare") {
            return Err(self.unsupported("DECLARE"));
        }
        self.expect("begin")?;
        if !self.eat("for") {
            return Err(self.unsupported("a block without a FOR loop"));
        }
        let variable = self.name()?;
        self.expect("in")?;
        if self.is_word("reverse") || self.is_word("select") {
            return Err(self.unsupported("this kind of loop"));
        }
        let (from, to) = self.range()?;
        let mut body = Vec::new();
        while !self.eat("end loop") {
            body.push(self.loop_statement()?);
            self.expect_op(";")?;
        }
        self.expect_op(";")?;
        self.expect("end")?;
        self.expect_end()?;
        Ok(DoLoop { variable, from, to, body })
    }

    /// `from..to LOOP`; the tokenizer takes 1..10 for two numbers with points.
    fn range(&mut self) -> Result<(i64, i64), StatementError> {
        let at = self.position();
        let mut range = String::new();
        while !self.eat("loop") {
            if matches!(self.peek(), Token::Word(_) | Token::End) {
                return Err(self.unsupported("a loop over anything but constants"));
            }
            range += self.text();
            self.step();
        }
        let bounds = range.split_once("..").and_then(|(from, to)| Some((from.parse().ok()?, to.parse().ok()?)));
        bounds.ok_or_else(|| StatementError::syntax(&range, at))
    }

    fn loop_statement(&mut self) -> Result<Statement, StatementError> {
        // a query whose result nobody takes
        if self.eat("perform") {
            return self.after_select().map(Statement::Select);
        }
        let at = self.position();
        let statement = self.statement()?;
        self.knows = KNOWS;
        let returns = match &statement {
            Statement::Insert(insert) => !insert.returning.is_empty(),
            Statement::Update(update) => !update.returning.is_empty(),
            Statement::Delete(delete) => !delete.returning.is_empty(),
            Statement::Merge(merge) => !merge.returning.is_empty(),
            _ => false,
        };
        if returns {
            return Err(StatementError { position: Some(at), ..self.unsupported("RETURNING within a loop") });
        }
        match &statement {
            Statement::Insert(_) | Statement::Update(_) | Statement::Delete(_) | Statement::Merge(_) => Ok(statement),
            Statement::Transaction(Transaction::Commit | Transaction::Rollback) => Ok(statement),
            Statement::Select(_) => {
                Err(StatementError::server("42601", "query has no destination for result data").at(at))
            }
            _ => Err(StatementError { position: Some(at), ..self.unsupported("this statement within a loop") }),
        }
    }
}
