//! Cursors and other names: ALIAS, CURSOR, OPEN, FETCH, MOVE, CLOSE (`decl_statement`, `stmt_open`, `stmt_fetch`,
//! `read_cursor_args`, `read_fetch_direction`, src/pl/plpgsql/src/pl_gram.y).

use super::{Compiler, Scope};
use crate::sql::StatementError;
use crate::sql::ast::{Datum, DeclaredCursor, DeclaredType, Embedded, FetchDirection, FetchStep, Opened, Step};
use crate::sql::parse::lex::Token;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::datum::SqlType;

impl Compiler<'_> {
    /// After ALIAS FOR.
    pub(super) fn alias_declaration(&mut self, name: String) -> Result<(), StatementError> {
        let at = self.parser.position();
        let (found, other) = match self.parser.peek().clone() {
            Token::Param(number) => {
                let number = usize::from(number);
                self.parser.step();
                let is_there = (1..=self.routine.arguments).contains(&number);
                (is_there.then(|| number - 1), format!("${number}"))
            }
            _ => {
                let mut names = Vec::from([self.any_name()?]);
                while self.parser.eat_op(".") {
                    names.push(self.any_name()?);
                }
                (self.target(&names), names.join("."))
            }
        };
        let Some(number) = found else {
            return Err(StatementError::server("42704", format!("variable \"{other}\" does not exist")).at(at));
        };
        self.parser.expect_op(";")?;
        if let Some(scope) = self.scopes.last_mut() {
            scope.names.push((name, number));
        }
        Ok(())
    }

    /// After the name, from CURSOR or what may stand before it on.
    pub(super) fn cursor_declaration(&mut self, name: String) -> Result<(), StatementError> {
        let scroll = self.scroll();
        self.parser.expect("cursor")?;
        let mut arguments = Vec::new();
        self.scopes.push(Scope { label: None, names: Vec::new() });
        if self.parser.eat_op("(") {
            loop {
                let name = self.any_name()?;
                let ty = self.parser.type_name()?;
                let variable = self.variable(&name, DeclaredType::Known(ty), false);
                arguments.push((name, variable));
                if !self.parser.eat_op(",") {
                    break;
                }
            }
            self.parser.expect_op(")")?;
        }
        if !self.parser.eat("is") {
            self.parser.expect("for")?;
        }
        let query = self.query_until(&[])?;
        self.scopes.pop();
        self.parser.expect_op(";")?;
        let variable = self.variable(&name, DeclaredType::Known(SqlType::TEXT), false);
        self.step(Step::BeginCursor(variable, name.clone()));
        self.routine.cursors.push(DeclaredCursor { variable, name, scroll, arguments, query });
        Ok(())
    }

    /// SCROLL, NO SCROLL
    fn scroll(&mut self) -> Option<bool> {
        if self.parser.eat("no scroll") {
            return Some(false);
        }
        self.parser.eat("scroll").then_some(true)
    }

    /// The cursor with a query of its own that the next word names.
    pub(super) fn declared_cursor(&self) -> Option<usize> {
        let Token::Word(name) = self.parser.peek() else { return None };
        let is_alone = matches!(self.parser.peek_second(), Token::Op(op) if op == "(" || op == ";")
            || matches!(self.parser.peek_second(), Token::Word(word) if word == "loop");
        let variable = self.find(name).filter(|_| is_alone)?;
        self.routine.cursors.iter().position(|cursor| cursor.variable == variable)
    }

    /// The arguments of a cursor that is opened, in parentheses.
    pub(super) fn cursor_arguments(&mut self, cursor: usize) -> Result<Vec<(usize, Embedded)>, StatementError> {
        let DeclaredCursor { name, arguments, .. } = self.routine.cursors[cursor].clone();
        let wrong = |message: String| Err(StatementError::server("42601", message));
        if !self.parser.eat_op("(") {
            return if arguments.is_empty() {
                Ok(Vec::new())
            } else {
                wrong(format!("cursor \"{name}\" has arguments"))
            };
        }
        if arguments.is_empty() {
            return wrong(format!("cursor \"{name}\" has no arguments"));
        }
        let mut given: Vec<(usize, Embedded)> = Vec::new();
        loop {
            let by_name = matches!(self.parser.peek_second(), Token::Op(op) if op == ":=" || op == "=>");
            let target = if by_name {
                let named = self.any_name()?;
                self.parser.step();
                let Some((_, variable)) = arguments.iter().find(|(known, _)| *known == named) else {
                    return wrong(format!("cursor \"{name}\" has no argument named \"{named}\""));
                };
                *variable
            } else {
                let Some((_, variable)) = arguments.get(given.len()) else {
                    return wrong(format!("too many arguments for cursor \"{name}\""));
                };
                *variable
            };
            if given.iter().any(|(known, _)| *known == target) {
                let named = arguments.iter().find(|(_, variable)| *variable == target).map_or("", |(name, _)| name);
                return wrong(format!("value for parameter \"{named}\" of cursor \"{name}\" specified more than once"));
            }
            let tokens = self.until(&[",", ")"])?;
            let value = self.expression(tokens)?;
            given.push((target, value));
            if !self.parser.eat_op(",") {
                break;
            }
        }
        self.parser.expect_op(")")?;
        if given.len() < arguments.len() {
            return wrong(format!("not enough arguments for cursor \"{name}\""));
        }
        Ok(given)
    }

    /// The variable of a cursor.
    pub(super) fn cursor_variable(&mut self) -> Result<usize, StatementError> {
        let at = self.parser.position();
        let name = self.any_name()?;
        let Some(variable) = self.find(&name) else {
            return Err(StatementError::server("42601", format!("\"{name}\" is not a known variable")).at(at));
        };
        match self.routine.datums[variable] {
            Datum::Var { .. } => Ok(variable),
            _ => Err(StatementError::server("42804", "cursor variable must be a simple variable").at(at)),
        }
    }

    /// After OPEN.
    pub(super) fn open_statement(&mut self) -> Result<(), StatementError> {
        let cursor = self.declared_cursor();
        let variable = self.cursor_variable()?;
        if let Some(cursor) = cursor {
            let arguments = self.cursor_arguments(cursor)?;
            let scroll = self.routine.cursors[cursor].scroll;
            self.step(Step::Open(variable, scroll, Box::new(Opened::Declared(cursor, arguments))));
            return Ok(());
        }
        let scroll = self.scroll();
        self.parser.expect("for")?;
        let opened = if self.parser.eat("execute") {
            let text = self.expression_until(&["using"])?;
            let using = if self.parser.eat("using") { self.expressions_until(&[])? } else { Vec::new() };
            Opened::Dynamic(text, using)
        } else {
            Opened::Query(self.query_until(&[])?)
        };
        self.step(Step::Open(variable, scroll, Box::new(opened)));
        Ok(())
    }

    /// After FETCH or MOVE.
    pub(super) fn fetch_statement(&mut self, is_move: bool) -> Result<(), StatementError> {
        use FetchDirection::{Absolute, Backward, Forward, Relative};
        let (mut count, mut is_many) = (None, false);
        let mut direction = Forward(Some(1));
        let single =
            [("next", Forward(Some(1))), ("prior", Backward(Some(1))), ("first", Absolute(1)), ("last", Absolute(-1))];
        if let Some((_, known)) = single.into_iter().find(|(word, _)| self.parser.eat(word)) {
            direction = known;
            self.eat_from()?;
        } else if self.parser.is_word("absolute") || self.parser.is_word("relative") {
            direction = if self.parser.eat("absolute") { Absolute(1) } else { Relative(1) };
            self.parser.eat("relative");
            count = Some(self.expression_until(&["from", "in"])?);
            self.eat_from()?;
        } else if self.parser.eat("all") {
            (direction, is_many) = (Forward(None), true);
            self.eat_from()?;
        } else if self.parser.is_word("forward") || self.parser.is_word("backward") {
            let is_back = self.parser.eat("backward") || !self.parser.eat("forward");
            let of = |count| if is_back { Backward(count) } else { Forward(count) };
            direction = of(Some(1));
            if self.parser.eat("all") {
                (direction, is_many) = (of(None), true);
            } else if !self.parser.is_word("from") && !self.parser.is_word("in") {
                count = Some(self.expression_until(&["from", "in"])?);
                is_many = true;
            }
            self.eat_from()?;
        } else if !self.parser.eat("from") && !self.parser.eat("in") && self.names_no_variable() {
            count = Some(self.expression_until(&["from", "in"])?);
            is_many = true;
            self.eat_from()?;
        }
        let variable = self.cursor_variable()?;
        let mut targets = Vec::new();
        if !is_move {
            self.parser.expect("into")?;
            targets = self.into()?.targets;
            if is_many {
                return Err(StatementError::server("0A000", "FETCH statement cannot return multiple rows"));
            }
        }
        self.step(Step::Fetch(Box::new(FetchStep { variable, is_move, direction, count, targets })));
        Ok(())
    }

    fn names_no_variable(&self) -> bool {
        !matches!(self.parser.peek(), Token::Word(name) if self.find(name).is_some())
    }

    fn eat_from(&mut self) -> Result<(), StatementError> {
        if self.parser.eat("from") || self.parser.eat("in") { Ok(()) } else { Err(self.syntax()) }
    }
}
