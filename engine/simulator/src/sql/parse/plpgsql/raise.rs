//! RAISE (`stmt_raise`, src/pl/plpgsql/src/pl_gram.y).

use super::{Compiler, Open};
use crate::sql::StatementError;
use crate::sql::ast::{Raise, RaiseOption, Step};
use crate::sql::parse::lex::Token;
use crate::sql::plpgsql::conditions;
use alloc::boxed::Box;
use alloc::vec::Vec;

/// Words of RAISE, and how what they say is told; without one it is an error.
const LEVELS: [(&str, &str); 6] = [
    ("debug", "DEBUG"),
    ("log", "LOG"),
    ("info", "INFO"),
    ("notice", "NOTICE"),
    ("warning", "WARNING"),
    ("exception", "ERROR"),
];

impl Compiler<'_> {
    /// After RAISE.
    pub(super) fn raise_statement(&mut self) -> Result<(), StatementError> {
        let level = LEVELS.iter().find(|(word, _)| self.parser.eat(word)).map_or("ERROR", |(_, told)| told);
        let mut raise = Raise {
            is_error: level == "ERROR",
            level,
            again: false,
            sqlstate: None,
            condition: None,
            format: None,
            arguments: Vec::new(),
            using: Vec::new(),
        };
        if self.parser.is_op(";") {
            raise.again = true;
            if !self.open.iter().any(|open| matches!(open, Open::Handler)) {
                self.step(Step::Fail("0Z002", "RAISE without parameters cannot be used outside an exception handler"));
            }
        } else if let Token::String(format) = self.parser.peek().clone() {
            self.parser.step();
            while self.parser.eat_op(",") {
                let tokens = self.until(&[",", "using"])?;
                let argument = self.expression(tokens)?;
                raise.arguments.push(argument);
            }
            check_places(&format, raise.arguments.len())?;
            raise.format = Some(format);
        } else if !self.parser.is_word("using") {
            self.raised_condition(&mut raise)?;
        }
        if self.parser.eat("using") {
            self.raise_options(&mut raise)?;
        }
        self.step(Step::Raise(Box::new(raise)));
        Ok(())
    }

    /// A condition in place of a message.
    fn raised_condition(&mut self, raise: &mut Raise) -> Result<(), StatementError> {
        let at = self.parser.position();
        let unknown =
            |what: &str| StatementError::unsupported(alloc::format!("the exception {what} is not supported"), Some(at));
        let is_code = self.parser.eat("sqlstate");
        let (code, name) = match self.parser.peek().clone() {
            Token::String(code) if is_code => {
                (conditions::code(&code).or_else(|| conditions::made(&code)).ok_or_else(|| unknown(&code))?, code)
            }
            Token::Word(name) if !is_code => {
                let code = conditions::named(&name).next();
                (code.ok_or_else(|| unknown(&name))?, name)
            }
            _ => return Err(self.syntax()),
        };
        self.parser.step();
        (raise.sqlstate, raise.condition) = (Some(code), Some(name));
        Ok(())
    }

    fn raise_options(&mut self, raise: &mut Raise) -> Result<(), StatementError> {
        loop {
            let option = match self.parser.any_word()?.as_str() {
                "errcode" => RaiseOption::Errcode,
                "message" => RaiseOption::Message,
                "detail" => RaiseOption::Detail,
                "hint" | "column" | "constraint" | "datatype" | "table" | "schema" => RaiseOption::Other,
                _ => return Err(self.syntax()),
            };
            if !self.parser.eat_op("=") && !self.parser.eat_op(":=") {
                return Err(self.syntax());
            }
            let tokens = self.until(&[","])?;
            let value = self.expression(tokens)?;
            if raise.using.iter().any(|(known, _)| *known == option && option != RaiseOption::Other) {
                return Err(self.parser.unsupported("an option of RAISE that is given twice"));
            }
            raise.using.push((option, value));
            if !self.parser.eat_op(",") {
                return Ok(());
            }
        }
    }
}

/// `check_raise_parameters`
fn check_places(format: &str, arguments: usize) -> Result<(), StatementError> {
    let places = format.replace("%%", "").matches('%').count();
    let message = match places.cmp(&arguments) {
        core::cmp::Ordering::Less => "too many parameters specified for RAISE",
        core::cmp::Ordering::Greater => "too few parameters specified for RAISE",
        core::cmp::Ordering::Equal => return Ok(()),
    };
    Err(StatementError::server("42601", message))
}
