//! PREPARE, EXECUTE, DEALLOCATE; DECLARE, FETCH, MOVE, CLOSE; CREATE SCHEMA, DROP SCHEMA.

use super::cursor::Parser;
use super::lex::Token;
use crate::sql::StatementError;
use crate::sql::ast::{CreateSchema, Declare, DropSchema, Execute, Fetch, FetchDirection, Object, Prepare, Statement};
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

impl Parser {
    /// After a first word; nothing where it begins something else.
    pub fn object(&mut self, first: &str) -> Result<Option<Object>, StatementError> {
        Ok(Some(match first {
            "prepare" => Object::Prepare(self.prepare()?),
            "execute" => Object::Execute(self.execute()?),
            "deallocate" => Object::Deallocate(self.deallocate()?),
            "declare" => Object::Declare(self.declare()?),
            "fetch" => Object::Fetch(self.fetch(false)?),
            "move" => Object::Fetch(self.fetch(true)?),
            "close" => Object::Close(self.name_or_all()?),
            _ => return Ok(None),
        }))
    }

    /// After PREPARE.
    fn prepare(&mut self) -> Result<Prepare, StatementError> {
        if self.is_word("transaction") {
            return Err(self.unsupported("a prepared transaction"));
        }
        let name = self.name()?;
        let types = self.maybe_in_parens(Self::type_name)?;
        self.expect("as")?;
        let from = self.mark();
        let statement = Box::new(self.statement()?);
        if !matches!(
            *statement,
            Statement::Select(_)
                | Statement::Insert(_)
                | Statement::Update(_)
                | Statement::Delete(_)
                | Statement::Merge(_)
                | Statement::With(_)
        ) {
            return Err(self.unsupported("PREPARE of this statement"));
        }
        let parameters = self.parameters_since(from);
        Ok(Prepare { name, types, parameters, statement, text: String::new() })
    }

    /// The greatest number of a parameter between there and here.
    pub(super) fn parameters_since(&self, from: usize) -> u16 {
        let numbers = self.lexemes()[from..self.mark()].iter().filter_map(|lexeme| match lexeme.token {
            Token::Param(number) => Some(number),
            _ => None,
        });
        numbers.max().unwrap_or(0)
    }

    /// After EXECUTE.
    fn execute(&mut self) -> Result<Execute, StatementError> {
        let name = self.name()?;
        if self.is_op("(") && *self.peek_second() == Token::Op(")".into()) {
            self.step();
            return Err(self.wrong_here());
        }
        Ok(Execute { name, arguments: self.maybe_in_parens(Self::expr)? })
    }

    /// After DEALLOCATE.
    fn deallocate(&mut self) -> Result<Option<String>, StatementError> {
        self.eat("prepare");
        self.name_or_all()
    }

    /// After DECLARE.
    fn declare(&mut self) -> Result<Declare, StatementError> {
        let name = self.name()?;
        let mut scroll = None;
        loop {
            if self.is_word("binary") {
                return Err(self.unsupported("a cursor that is BINARY"));
            }
            if self.eat("no scroll") {
                scroll = Some(false);
            } else if self.eat("scroll") {
                scroll = Some(true);
            } else if !self.eat("insensitive") && !self.eat("asensitive") {
                break;
            }
        }
        self.expect("cursor")?;
        let hold = self.eat("with hold");
        if !hold {
            self.eat("without hold");
        }
        self.expect("for")?;
        let query = Box::new(self.select()?);
        Ok(Declare { name, query, scroll, hold })
    }

    /// After FETCH or MOVE. A word that is followed by nothing is the cursor's name.
    fn fetch(&mut self, is_move: bool) -> Result<Fetch, StatementError> {
        let direction = if matches!(self.peek_second(), Token::End) || *self.peek_second() == Token::Op(";".into()) {
            FetchDirection::Forward(Some(1))
        } else {
            self.fetch_direction()?
        };
        if !self.eat("from") {
            self.eat("in");
        }
        Ok(Fetch { is_move, name: self.name()?, direction })
    }

    fn fetch_direction(&mut self) -> Result<FetchDirection, StatementError> {
        const SINGLE: [(&str, FetchDirection); 4] = [
            ("next", FetchDirection::Forward(Some(1))),
            ("prior", FetchDirection::Backward(Some(1))),
            ("first", FetchDirection::Absolute(1)),
            ("last", FetchDirection::Absolute(-1)),
        ];
        if let Some((_, direction)) = SINGLE.iter().find(|(word, _)| self.eat(word)) {
            return Ok(*direction);
        }
        if self.eat("absolute") {
            return self.integer().map(FetchDirection::Absolute);
        }
        if self.eat("relative") {
            return self.integer().map(FetchDirection::Relative);
        }
        let backward = self.eat("backward");
        if !backward {
            self.eat("forward");
        }
        let count = self.row_count()?;
        let size = count.map(i64::unsigned_abs);
        Ok(match count {
            // of the row that it stands on
            Some(0) => FetchDirection::Relative(0),
            Some(..0) if backward => FetchDirection::Forward(size),
            Some(..0) => FetchDirection::Backward(size),
            _ if backward => FetchDirection::Backward(size),
            _ => FetchDirection::Forward(size),
        })
    }

    /// ALL, a number, or nothing, which is 1.
    fn row_count(&mut self) -> Result<Option<i64>, StatementError> {
        if self.eat("all") {
            return Ok(None);
        }
        if !matches!(self.peek(), Token::Number(_)) && !self.is_op("-") {
            return Ok(Some(1));
        }
        self.integer().map(Some)
    }

    /// After CLOSE.
    fn name_or_all(&mut self) -> Result<Option<String>, StatementError> {
        if self.eat("all") { Ok(None) } else { self.name().map(Some) }
    }

    /// After CREATE SCHEMA.
    pub fn create_schema(&mut self) -> Result<Statement, StatementError> {
        let if_not_exists = self.eat("if not exists");
        let name = if self.is_word("authorization") { None } else { Some(self.name()?) };
        let owner = if self.eat("authorization") { Some(self.role()?) } else { None };
        if !self.is_op(";") && *self.peek() != Token::End {
            return Err(self.unsupported("what CREATE SCHEMA says beside its name"));
        }
        Ok(Statement::Object(Object::CreateSchema(CreateSchema { name, owner, if_not_exists })))
    }

    /// After DROP SCHEMA.
    pub fn drop_schema(&mut self) -> Result<Statement, StatementError> {
        let if_exists = self.eat("if exists");
        let names: Vec<String> = self.list(Self::name)?;
        let cascade = self.eat("cascade");
        if !cascade {
            self.eat("restrict");
        }
        Ok(Statement::Object(Object::DropSchema(DropSchema { names, if_exists, cascade })))
    }
}
