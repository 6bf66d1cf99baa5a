//! Statements (`proc_stmt`, src/pl/plpgsql/src/pl_gram.y).

use super::{Body, Compiler, Open, STATEMENTS};
use crate::sql::StatementError;
use crate::sql::ast::{Datum, Expr, ExprNode, Into, Literal, StackedItem, Statement, Step, Target};
use crate::sql::error::Position;
use crate::sql::parse::cursor::Parser;
use crate::sql::parse::lex::{Lexeme, Token};
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
            other => match self.rarer_statement(other, mark) {
                Some(done) => done,
                None => {
                    self.parser.back_to(mark);
                    self.sql_statement()
                }
            },
        }
    }

    /// A statement that is rarer; nothing: it is one of SQL.
    fn rarer_statement(&mut self, word: &str, mark: usize) -> Option<Result<(), StatementError>> {
        Some(match word {
            "savepoint" | "release" | "start" => self.fails("0A000", "unsupported transaction command in PL/pgSQL"),
            "vacuum" => self.fails("25001", "VACUUM cannot be executed from a function"),
            "discard" if self.parser.is_word("all") => {
                self.fails("25001", "DISCARD ALL cannot be executed from a function")
            }
            "create" if self.parser.is_word("database") => {
                self.fails("25001", "CREATE DATABASE cannot be executed from a function")
            }
            "drop" if self.parser.is_word("database") => {
                self.fails("25001", "DROP DATABASE cannot be executed from a function")
            }
            "alter" if self.parser.is_word("system") => {
                self.fails("25001", "ALTER SYSTEM cannot be executed from a function")
            }
            "open" => self.open_statement(),
            "fetch" | "move" => self.fetch_statement(word == "move"),
            "close" => self.cursor_variable().map(|variable| {
                self.step(Step::Close(variable));
            }),
            "call" => self.call_statement(mark),
            "import" => {
                self.parser.back_to(mark);
                Err(self.parser.unsupported_beside(&word.to_ascii_uppercase(), STATEMENTS))
            }
            _ => return None,
        })
    }

    fn call_statement(&mut self, mark: usize) -> Result<(), StatementError> {
        self.parser.back_to(mark);
        let tokens = self.until(&[])?;
        let call = self.embedded(tokens, "", Parser::statement)?;
        self.step(Step::Call(call));
        Ok(())
    }

    /// A statement that always fails.
    fn fails(&mut self, sqlstate: &'static str, message: &'static str) -> Result<(), StatementError> {
        self.until(&[])?;
        self.step(Step::Fail(sqlstate, message));
        Ok(())
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
            return self.assigned_element(&names, at).map(Some);
        }
        if !self.parser.eat_op(":=") && !self.parser.eat_op("=") {
            return Ok(None);
        }
        let Some(target) = self.target(&names) else {
            let whole = names.join(".");
            return Err(StatementError::server("42601", alloc::format!("\"{whole}\" is not a known variable")).at(at));
        };
        self.check_assignable(target)?;
        if matches!(self.routine.datums[target], Datum::Record { .. }) {
            return self.assigned_row(target).map(Some);
        }
        let value = self.expression_until(&[";"])?;
        self.step(Step::Assign(target, value));
        Ok(Some(()))
    }

    /// `array[number] := …`
    fn assigned_element(&mut self, names: &[String], at: Position) -> Result<(), StatementError> {
        let Some(target) = self.target(names) else {
            let message = alloc::format!("\"{}\" is not a known variable", names.join("."));
            return Err(StatementError::server("42601", message).at(at));
        };
        if !matches!(self.routine.datums[target], Datum::Var { .. }) {
            return Err(self.parser.unsupported("an element of an array of a row that is assigned"));
        }
        self.check_assignable(target)?;
        self.parser.expect_op("[")?;
        let index = self.until(&["]", ":"])?;
        if !self.parser.eat_op("]") || self.parser.is_op("[") || self.parser.is_op(".") {
            return Err(self.parser.unsupported("a part of an array of several dimensions that is assigned"));
        }
        let index = self.expression(index)?;
        if !self.parser.eat_op(":=") && !self.parser.eat_op("=") {
            return Err(self.syntax());
        }
        let value = self.expression_until(&[";"])?;
        self.step(Step::AssignElement(target, Box::new((index, value))));
        Ok(())
    }

    /// `row := …`: another row, or one that is written out.
    fn assigned_row(&mut self, target: usize) -> Result<(), StatementError> {
        if let Some(source) = self.whole_record() {
            self.step(Step::AssignRow(target, source));
            return Ok(());
        }
        let mut tokens = self.until(&[])?;
        let whole = tokens.clone();
        if matches!(tokens.first().map(|it| &it.token), Some(Token::Word(word)) if word == "row") {
            tokens.remove(0);
        }
        let is_op = |at: usize, op: &str| tokens.get(at).is_some_and(|it| it.token == Token::Op(op.to_string()));
        if tokens.len() < 2 || !is_op(0, "(") || !is_op(tokens.len() - 1, ")") || !is_one_pair(&tokens) {
            let value = self.expression(whole)?;
            self.step(Step::Assign(target, value));
            return Ok(());
        }
        let inner = tokens[1..tokens.len() - 1].to_vec();
        let mut row = self.expression(inner)?;
        let Statement::Select(select) = &mut row.statement else { return Err(self.syntax()) };
        if select.targets.len() < 2 || !select.from.is_empty() {
            let value = self.expression(whole)?;
            self.step(Step::Assign(target, value));
            return Ok(());
        }
        let is_free = matches!(self.routine.datums[target], Datum::Record { of: None, .. });
        let is_untyped = |expr: &Expr| matches!(expr.node, ExprNode::Literal(Literal::String(_) | Literal::Null));
        for (n, target) in (1..).zip(&mut select.targets) {
            match target {
                Target::Expr { expr, .. } if is_untyped(expr) && is_free => {
                    return Err(self.parser.unsupported("a literal without a type in a row that is assigned"));
                }
                Target::Expr { alias, .. } => *alias = Some(alloc::format!("f{n}")),
                Target::Star(_) => return Err(self.parser.unsupported("this row that is assigned")),
            }
        }
        self.step(Step::Sql(row, Some(Into { targets: Vec::from([target]), strict: false }), false));
        Ok(())
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
        let is_of_rows = |step: &Step| matches!(step, Step::ForRows(..) | Step::ForDynamic(..) | Step::ForCursor(..));
        let has_rows = self.routine.steps.iter().any(is_of_rows);
        if has_rows && self.open.iter().any(is_over_rows) {
            return Err(self.parser.unsupported("COMMIT within a loop over rows"));
        }
        self.step(Step::EndTransaction(commits));
        Ok(())
    }

    /// After RETURN.
    fn return_statement(&mut self) -> Result<(), StatementError> {
        if self.parser.eat("next") {
            return self.return_next();
        }
        if self.parser.eat("query") {
            return self.return_query();
        }
        let takes_value = match self.body {
            Body::Block | Body::Procedure(_) => false,
            Body::Function { is_void, is_set, has_outs, .. } => !is_void && !is_set && !has_outs,
            Body::Trigger(_) => true,
        };
        if !takes_value {
            if !self.parser.is_op(";") {
                return Err(self.no_value());
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

    /// `make_return_stmt`: why RETURN has no value here.
    fn no_value(&self) -> StatementError {
        let message = match self.body {
            Body::Function { is_set: true, .. } => "RETURN cannot have a parameter in function returning set",
            Body::Function { has_outs: true, .. } => "RETURN cannot have a parameter in function with OUT parameters",
            Body::Procedure(_) if !self.routine.outs.is_empty() => {
                "RETURN cannot have a parameter in function with OUT parameters"
            }
            Body::Procedure(_) => "RETURN cannot have a parameter in a procedure",
            _ => "RETURN cannot have a parameter in function returning void",
        };
        StatementError::server("42804", message)
    }

    /// `make_return_next_stmt`
    fn return_next(&mut self) -> Result<(), StatementError> {
        let Body::Function { is_set: true, has_outs, .. } = self.body else {
            return Err(StatementError::server("42804", "cannot use RETURN NEXT in a non-SETOF function"));
        };
        if has_outs {
            if !self.parser.is_op(";") {
                let message = "RETURN NEXT cannot have a parameter in function with OUT parameters";
                return Err(StatementError::server("42804", message));
            }
            self.step(Step::ReturnNext(None));
            return Ok(());
        }
        let step = match self.whole_record() {
            Some(record) => Step::ReturnNextRow(record),
            None => Step::ReturnNext(Some(self.expression_until(&[";"])?)),
        };
        self.step(step);
        Ok(())
    }

    /// `make_return_query_stmt`
    fn return_query(&mut self) -> Result<(), StatementError> {
        let Body::Function { is_set: true, .. } = self.body else {
            return Err(StatementError::server("42804", "cannot use RETURN QUERY in a non-SETOF function"));
        };
        let step = if self.parser.eat("execute") {
            let text = self.expression_until(&["using"])?;
            let using = if self.parser.eat("using") { self.expressions_until(&[])? } else { Vec::new() };
            Step::ReturnDynamic(text, using)
        } else {
            Step::ReturnQuery(self.rows_until(&[])?)
        };
        self.step(step);
        Ok(())
    }

    /// The name of a variable that is a row, where nothing else stands before the semicolon.
    fn whole_record(&mut self) -> Option<usize> {
        let mark = self.parser.mark();
        let record = self.parser.maybe_name().and_then(|name| self.find(&name));
        let record = record.filter(|it| matches!(self.routine.datums[*it], Datum::Record { .. }));
        let record = record.filter(|_| self.parser.is_op(";"));
        if record.is_none() {
            self.parser.back_to(mark);
        }
        record
    }

    /// The value of RETURN.
    fn returned(&mut self) -> Result<(), StatementError> {
        if matches!(self.body, Body::Trigger(_) | Body::Function { is_row: true, .. }) {
            if let Some(record) = self.whole_record() {
                self.step(Step::ReturnRow(record));
                return Ok(());
            }
            let mark = self.parser.mark();
            if self.parser.eat("null") && self.parser.is_op(";") {
                self.step(Step::Return(None));
                return Ok(());
            }
            self.parser.back_to(mark);
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
                (true, "constraint_name") => Some(StackedItem::Constraint),
                (true, "column_name") => Some(StackedItem::Column),
                (_, name) => {
                    let what = alloc::format!("{} of GET DIAGNOSTICS", name.to_ascii_uppercase());
                    return Err(self.parser.unsupported(&what));
                }
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
        let target = self.target(&names).ok_or_else(|| {
            let message = alloc::format!("\"{}\" is not a known variable", names.join("."));
            StatementError::server("42601", message.to_string()).at(at)
        })?;
        self.check_assignable(target)?;
        Ok(target)
    }
}

/// Do the first token, which opens a parenthesis, and the last one belong together?
fn is_one_pair(tokens: &[Lexeme]) -> bool {
    let mut depth = 0_i32;
    for (n, lexeme) in tokens.iter().enumerate() {
        match &lexeme.token {
            Token::Op(op) if op == "(" => depth += 1,
            Token::Op(op) if op == ")" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return n + 1 == tokens.len();
        }
    }
    false
}
