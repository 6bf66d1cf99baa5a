//! Blocks, and what they do with exceptions (`pl_block`, `exception_sect`, src/pl/plpgsql/src/pl_gram.y).
//!
//! ```text
//!  Try ─▶ statements ─▶ EndTry ─▶ behind it
//!    └ an error ─▶ the handler that fits ─▶ EndHandler ─▶ behind it
//! ```

use super::{Compiler, Open, Scope, Turns};
use crate::sql::StatementError;
use crate::sql::ast::{DeclaredType, Handler, Step};
use crate::sql::parse::lex::Token;
use crate::sql::plpgsql::conditions;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::datum::SqlType;

impl Compiler<'_> {
    /// From DECLARE or BEGIN to END.
    pub(super) fn block(&mut self, label: Option<String>) -> Result<(), StatementError> {
        self.scopes.push(Scope { label: label.clone(), names: Vec::new() });
        self.open.push(Open::Loop {
            label: label.clone(),
            turns: Turns::None,
            exits: Vec::new(),
            continues: Vec::new(),
        });
        if self.parser.eat("declare") {
            self.declarations()?;
        }
        self.parser.expect("begin")?;
        let start = self.here();
        self.step(Step::Jump(start + 1));
        self.open.push(Open::Try(Vec::new()));
        self.statements(&["exception", "end"])?;
        let leaves = match self.open.pop() {
            Some(Open::Try(leaves)) => leaves,
            _ => Vec::new(),
        };
        if self.parser.eat("exception") {
            self.exceptions(start)?;
        } else {
            // who leaves it has nothing to end
            leaves.into_iter().for_each(|step| self.routine.steps[step] = Step::Jump(step + 1));
        }
        self.parser.expect("end")?;
        self.end_label(label.as_deref())?;
        self.scopes.pop();
        self.close();
        Ok(())
    }

    /// The label may stand at the end too.
    pub(super) fn end_label(&mut self, label: Option<&str>) -> Result<(), StatementError> {
        if self.parser.is_op(";") || *self.parser.peek() == Token::End {
            return Ok(());
        }
        let at = self.parser.position();
        let name = self.any_name()?;
        if label == Some(name.as_str()) { Ok(()) } else { Err(StatementError::syntax(&name, at)) }
    }

    /// What is around the next statement has ended: what leaves it leads here.
    pub(super) fn close(&mut self) {
        if let Some(Open::Loop { exits, .. }) = self.open.pop() {
            exits.into_iter().for_each(|step| self.lead_here(step));
        }
    }

    /// After EXCEPTION.
    fn exceptions(&mut self, start: usize) -> Result<(), StatementError> {
        let sqlstate = self.hidden(SqlType::TEXT);
        let sqlerrm = self.hidden(SqlType::TEXT);
        self.step(Step::EndTry);
        let mut ends = Vec::from([self.step(Step::Jump(0))]);
        let mut handlers = Vec::new();
        let names = Vec::from([("sqlstate".to_string(), sqlstate), ("sqlerrm".to_string(), sqlerrm)]);
        self.scopes.push(Scope { label: None, names });
        while self.parser.eat("when") {
            let mut conditions = Vec::from([self.condition()?]);
            while self.parser.eat("or") {
                conditions.push(self.condition()?);
            }
            self.parser.expect("then")?;
            let conditions = conditions.into_iter().flatten().collect();
            handlers.push(Handler { conditions, step: self.here(), variables: (sqlstate, sqlerrm) });
            self.open.push(Open::Handler);
            self.statements(&["when", "end"])?;
            self.open.pop();
            self.step(Step::EndHandler);
            ends.push(self.step(Step::Jump(0)));
        }
        self.scopes.pop();
        if handlers.is_empty() {
            return Err(self.syntax());
        }
        self.routine.steps[start] = Step::Try(handlers);
        ends.into_iter().for_each(|step| self.lead_here(step));
        Ok(())
    }

    /// A condition: its SQLSTATEs, none of OTHERS.
    fn condition(&mut self) -> Result<Vec<Option<String>>, StatementError> {
        if self.parser.eat("sqlstate") {
            let Token::String(code) = self.parser.peek().clone() else { return Err(self.syntax()) };
            let is_code = |c: char| c.is_ascii_digit() || c.is_ascii_uppercase();
            if code.len() != 5 || !code.chars().all(is_code) {
                return Err(StatementError::server("42601", "invalid SQLSTATE code"));
            }
            self.parser.step();
            return Ok(Vec::from([Some(code)]));
        }
        let at = self.parser.position();
        let name = self.parser.name()?;
        if name == "others" {
            return Ok(Vec::from([None]));
        }
        let codes: Vec<_> = conditions::named(&name).map(|code| Some(code.to_string())).collect();
        if codes.is_empty() {
            let message = alloc::format!("the exception {name} is not supported");
            return Err(StatementError::unsupported(message, Some(at)));
        }
        Ok(codes)
    }

    /// A variable of a CASE, of the type of what it is compared with.
    pub(super) fn case_variable(&mut self) -> (String, usize) {
        let name = alloc::format!("__case__variable_{}__", self.routine.datums.len());
        let number = self.variable(&name, DeclaredType::Assigned, false);
        (name, number)
    }
}
