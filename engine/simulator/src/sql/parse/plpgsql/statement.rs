//! Statements (`proc_stmt`, src/pl/plpgsql/src/pl_gram.y).

use super::{Body, Compiler, KNOWS, Open};
use crate::sql::StatementError;
use crate::sql::ast::{Datum, StackedItem, Step};
use crate::sql::parse::lex::Token;
use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

impl Compiler<'_> {
    /// Until one of these words comes.
    pub(super) fn statements(&mut self, ends: &[&str]) -> Result<(), StatementError> {
        while !ends.iter().any(|word| self.parser.is_word(word)) {
            if *self.parser.peek() == Token::End {
                return Err(self.syntax());
            }
            self.statement()?;
            self.parser.knows = KNOWS;
            if !self.parser.eat_op(";") {
                return Err(self.syntax());
            }
        }
        Ok(())
    }

    fn statement(&mut self) -> Result<(), StatementError> {
        let label = self.label()?;
        if self.parser.is_word("begin") || self.parser.is_word("declare") {
            return self.block(label);
        }
        if self.parser.is_word("loop") {
            return self.loop_statement(label);
        }
        if self.parser.eat("while") {
            return self.while_statement(label);
        }
        if self.parser.eat("for") {
            return self.for_statement(label);
        }
        if self.parser.eat("foreach") {
            return self.foreach_statement(label);
        }
        if label.is_some() {
            return Err(self.syntax());
        }
        let mark = self.parser.mark();
        if let Some(done) = self.assignment()? {
            return Ok(done);
        }
        self.parser.back_to(mark);
        let word = match self.parser.peek() {
            Token::Word(word) => word.clone(),
            _ => return Err(self.syntax()),
        };
        self.parser.step();
        match word.as_str() {
            "if" => self.if_statement(),
            "case" => self.case_statement(),
            "exit" => self.exit_statement(true),
            "continue" => self.exit_statement(false),
            "return" => self.return_statement(),
            "raise" => self.raise_statement(),
            "assert" => self.assert_statement(),
            "execute" => self.execute_statement(),
            "perform" => {
                let query = self.query_after_select()?;
                self.step(Step::Sql(query, None, true));
                Ok(())
            }
            "null" => Ok(()),
            "get" => self.get_statement(),
            "commit" | "rollback" => self.transaction_statement(word == "commit"),
            "savepoint" | "release" | "start" => {
                self.until(&[])?;
                self.step(Step::Fail("0A000", "unsupported transaction command in PL/pgSQL"));
                Ok(())
            }
            "vacuum" => {
                self.until(&[])?;
                self.step(Step::Fail("25001", "VACUUM cannot be executed from a function"));
                Ok(())
            }
            "open" | "fetch" | "move" | "close" | "call" | "import" => {
                self.parser.back_to(mark);
                Err(self.parser.unsupported(&word.to_ascii_uppercase()))
            }
            _ => {
                self.parser.back_to(mark);
                self.sql_statement()
            }
        }
    }

    /// `variable := expression`, where that is it.
    fn assignment(&mut self) -> Result<Option<()>, StatementError> {
        let at = self.parser.position();
        let Some(name) = self.parser.maybe_name() else { return Ok(None) };
        let mut names = Vec::from([name]);
        while self.parser.eat_op(".") {
            names.push(self.parser.name()?);
        }
        let is_known = self.find(&names[0]).is_some();
        if self.parser.is_op("[") && is_known {
            return Err(self.parser.unsupported("an element of an array that is assigned"));
        }
        if !self.parser.eat_op(":=") && !self.parser.eat_op("=") {
            return Ok(None);
        }
        let Some(target) = self.target(&names) else {
            let whole = names.join(".");
            return Err(StatementError::server("42601", alloc::format!("\"{whole}\" is not a known variable")).at(at));
        };
        if matches!(self.routine.datums[target], Datum::Record { .. }) {
            return Err(self.parser.unsupported("a row that is assigned"));
        }
        let value = self.expression_until(&[";"])?;
        self.step(Step::Assign(target, value));
        Ok(Some(()))
    }

    /// The variable of that name, or the column of a row.
    pub(super) fn target(&mut self, names: &[String]) -> Option<usize> {
        match names {
            [name] => self.find(name),
            [outer, name] => match self.find(outer) {
                Some(record) if matches!(self.routine.datums[record], Datum::Record { .. }) => {
                    Some(self.field(record, name))
                }
                _ => self.find_in(outer, name),
            },
            _ => None,
        }
    }

    /// After COMMIT or ROLLBACK.
    fn transaction_statement(&mut self, commits: bool) -> Result<(), StatementError> {
        let is_over_rows = |open: &Open| matches!(open, Open::Loop { turns: super::Turns::For(_), .. });
        if !self.parser.is_op(";") {
            return Err(self.parser.unsupported("this end of a transaction"));
        }
        let has_rows = self.routine.steps.iter().any(|step| matches!(step, Step::ForRows(..) | Step::ForDynamic(..)));
        if has_rows && self.open.iter().any(is_over_rows) {
            return Err(self.parser.unsupported("COMMIT within a loop over rows"));
        }
        self.step(Step::EndTransaction(commits));
        Ok(())
    }

    /// After RETURN.
    fn return_statement(&mut self) -> Result<(), StatementError> {
        if self.parser.is_word("next") || self.parser.is_word("query") {
            return Err(self.parser.unsupported("RETURN NEXT or RETURN QUERY"));
        }
        let takes_value = match self.body {
            Body::Block | Body::Procedure(_) => false,
            Body::Function { is_void, .. } => !is_void,
            Body::Trigger(_) => true,
        };
        if !takes_value {
            if !self.parser.is_op(";") {
                return Err(self.parser.unsupported("RETURN of a value here"));
            }
            self.step(Step::Return(None));
        } else if self.parser.is_op(";") {
            return Err(self.syntax());
        } else {
            self.returned()?;
        }
        self.leave(0);
        self.step(Step::End(true));
        Ok(())
    }

    /// The value of RETURN.
    fn returned(&mut self) -> Result<(), StatementError> {
        let mark = self.parser.mark();
        if matches!(self.body, Body::Trigger(_)) {
            let record = self.parser.maybe_name().and_then(|name| self.find(&name));
            let record = record.filter(|it| matches!(self.routine.datums[*it], Datum::Record { .. }));
            if let Some(record) = record.filter(|_| self.parser.is_op(";")) {
                self.step(Step::ReturnRow(record));
                return Ok(());
            }
            self.parser.back_to(mark);
            if self.parser.eat("null") && self.parser.is_op(";") {
                self.step(Step::Return(None));
                return Ok(());
            }
            return Err(self.parser.unsupported("RETURN of anything but a row or NULL"));
        }
        let value = self.expression_until(&[";"])?;
        self.step(Step::Return(Some(value)));
        Ok(())
    }

    /// After EXECUTE.
    fn execute_statement(&mut self) -> Result<(), StatementError> {
        let text = self.expression_until(&["into", "using"])?;
        let (mut into, mut using) = (None, Vec::new());
        loop {
            if into.is_none() && self.parser.eat("into") {
                into = Some(self.into()?);
            } else if using.is_empty() && self.parser.eat("using") {
                using = self.expressions_until(&["into"])?;
            } else {
                break;
            }
        }
        self.step(Step::Dynamic(text, into, using));
        Ok(())
    }

    /// After ASSERT.
    fn assert_statement(&mut self) -> Result<(), StatementError> {
        let mut all = self.expressions_until(&[])?;
        if all.len() > 2 {
            return Err(self.syntax());
        }
        let message = if all.len() == 2 { all.pop() } else { None };
        let Some(condition) = all.pop() else { return Err(self.syntax()) };
        self.step(Step::Assert(Box::new((condition, message))));
        Ok(())
    }

    /// After GET.
    fn get_statement(&mut self) -> Result<(), StatementError> {
        let stacked = self.parser.eat("stacked");
        if !stacked {
            self.parser.eat("current");
        }
        self.parser.expect("diagnostics")?;
        let mut items = Vec::new();
        loop {
            let target = self.one_target()?;
            if !self.parser.eat_op(":=") && !self.parser.eat_op("=") {
                return Err(self.syntax());
            }
            let item = match (stacked, self.parser.name()?.as_str()) {
                (false, "row_count") => None,
                (true, "returned_sqlstate") => Some(StackedItem::Sqlstate),
                (true, "message_text") => Some(StackedItem::Message),
                (true, "pg_exception_detail") => Some(StackedItem::Detail),
                _ => return Err(self.parser.unsupported("this item of GET DIAGNOSTICS")),
            };
            match item {
                None => {
                    self.step(Step::RowCount(target));
                }
                Some(item) => items.push((target, item)),
            }
            if !self.parser.eat_op(",") {
                break;
            }
        }
        if stacked {
            if !self.open.iter().any(|open| matches!(open, Open::Handler)) {
                let message = "GET STACKED DIAGNOSTICS cannot be used outside an exception handler";
                self.step(Step::Fail("0Z002", message));
            }
            self.step(Step::Stacked(items));
        }
        Ok(())
    }

    /// Where a value goes to.
    pub(super) fn one_target(&mut self) -> Result<usize, StatementError> {
        let at = self.parser.position();
        let mut names = Vec::from([self.parser.name()?]);
        while self.parser.eat_op(".") {
            names.push(self.parser.name()?);
        }
        if self.parser.is_op("[") {
            return Err(self.parser.unsupported("an element of an array here"));
        }
        self.target(&names).ok_or_else(|| {
            let message = alloc::format!("\"{}\" is not a known variable", names.join("."));
            StatementError::server("42601", message.to_string()).at(at)
        })
    }
}
