//! A place in the tokens, and the questions a grammar asks there.

use super::lex::{Lexeme, Token, lex};
use super::types::TypeNames;
use super::words;
use crate::sql::StatementError;
use crate::sql::ast::{Persistence, RangeVar, Window};
use crate::sql::error::{Position, Refusal};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Reads a statement from left to right. Each part of the grammar is a method in a file of its own.
pub struct Parser {
    tokens: Vec<Lexeme>,
    at: usize,
    /// of the expression that is being read
    pub depth: u16,
    /// WINDOW of the query that was read last
    pub windows: Vec<(String, Window)>,
    /// INTO of a query: the table that it makes, and where it stands
    pub into: Option<(RangeVar, Persistence, Position)>,
    /// the types that scripts have made
    pub types: TypeNames,
    /// where names stand that have to be there
    pub named: Named,
}

/// Names that the server looks for while it analyzes a statement, and points to where there is none (`errposition`),
/// each with its place.
#[derive(Debug, Default)]
pub struct Named {
    /// tables whose rows are read or changed, and those of LIKE
    pub relations: Vec<(String, Position)>,
    /// columns that get a value: of INSERT, and of SET
    pub targets: Vec<(String, Position)>,
    /// string literals, which may be read as names (`regclassin`)
    pub literals: Vec<(String, Position)>,
}

impl Parser {
    pub fn new(sql: &str) -> Result<Self, StatementError> {
        Ok(Self {
            tokens: lex(sql)?,
            at: 0,
            depth: 0,
            windows: Vec::new(),
            into: None,
            types: TypeNames::default(),
            named: Named::default(),
        })
    }

    /// Reads what is a part of another text; `end` stands behind it.
    pub fn part(mut tokens: Vec<Lexeme>, end: Lexeme, types: TypeNames) -> Self {
        tokens.push(Lexeme { token: Token::End, text: String::new(), position: end.position });
        Self { tokens, at: 0, depth: 0, windows: Vec::new(), into: None, types, named: Named::default() }
    }

    /// All tokens.
    pub fn lexemes(&self) -> &[Lexeme] {
        &self.tokens
    }

    /// The next token with its text and place.
    pub fn lexeme(&self) -> &Lexeme {
        // the last token is End, and nothing steps over it
        &self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    pub fn peek(&self) -> &Token {
        &self.lexeme().token
    }

    /// The token after the next one.
    pub fn peek_second(&self) -> &Token {
        self.tokens.get(self.at + 1).map_or(&Token::End, |lexeme| &lexeme.token)
    }

    /// The next token as it stands in the statement.
    pub fn text(&self) -> &str {
        &self.lexeme().text
    }

    pub fn position(&self) -> Position {
        self.lexeme().position
    }

    /// Where the parser stands, for [`Self::back_to`].
    pub const fn mark(&self) -> usize {
        self.at
    }

    pub const fn back_to(&mut self, mark: usize) {
        self.at = mark;
    }

    pub const fn step(&mut self) {
        self.at += 1;
    }

    pub fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Token::Word(here) if here == word)
    }

    pub fn is_op(&self, op: &str) -> bool {
        matches!(self.peek(), Token::Op(here) if here == op)
    }

    /// Takes these words if they all come next.
    pub fn eat(&mut self, wanted: &str) -> bool {
        let mark = self.at;
        let all = wanted.split(' ').all(|word| {
            let here = self.is_word(word);
            self.at += usize::from(here);
            here
        });
        if !all {
            self.at = mark;
        }
        all
    }

    pub fn eat_op(&mut self, op: &str) -> bool {
        let here = self.is_op(op);
        self.at += usize::from(here);
        here
    }

    pub fn expect(&mut self, words: &str) -> Result<(), StatementError> {
        if self.eat(words) { Ok(()) } else { Err(self.refuse()) }
    }

    pub fn expect_op(&mut self, op: &str) -> Result<(), StatementError> {
        if self.eat_op(op) { Ok(()) } else { Err(self.refuse()) }
    }

    /// The statement ends here, perhaps with a semicolon.
    pub fn expect_end(&mut self) -> Result<(), StatementError> {
        self.eat_op(";");
        if *self.peek() == Token::End { Ok(()) } else { Err(self.refuse()) }
    }

    /// Nothing of the grammar fits the next token: not supported when PostgreSQL has something that begins so, else no
    /// SQL.
    pub fn refuse(&self) -> StatementError {
        match self.peek() {
            Token::Word(word) if words::OTHER.contains(&word.as_str()) => self.unsupported(&word.to_ascii_uppercase()),
            Token::Op(op) if words::OTHER_OPERATORS.contains(&op.as_str()) => {
                self.unsupported(&format!("operator {op}"))
            }
            _ => StatementError::syntax(self.text(), self.position()),
        }
    }

    /// A syntax error that the judge would not see.
    pub fn wrong_here(&self) -> StatementError {
        let error = StatementError::syntax(self.text(), self.position());
        StatementError { refusal: Refusal::Server, ..error }
    }

    /// `what` is not supported, said at this place.
    pub fn unsupported(&self, what: &str) -> StatementError {
        StatementError::unsupported(format!("{what} is not supported"), Some(self.position()))
    }

    /// The same, and what there is of that kind.
    pub fn unsupported_beside(&self, what: &str, known: &str) -> StatementError {
        let message = format!("{what} is not supported; the simulator knows {known}");
        StatementError::unsupported(message, Some(self.position()))
    }

    /// A name: of a column, a table, an alias.
    pub fn name(&mut self) -> Result<String, StatementError> {
        match self.maybe_name() {
            Some(name) => Ok(name),
            None => Err(self.refuse()),
        }
    }

    /// A name, unless a reserved word or something else comes next.
    pub fn maybe_name(&mut self) -> Option<String> {
        let name = match self.peek() {
            Token::Word(word) if !words::RESERVED.contains(&word.as_str()) => word.clone(),
            Token::Quoted(name) => name.clone(),
            _ => return None,
        };
        self.at += 1;
        Some(name)
    }

    /// AS and a name, or a name that is no keyword with a meaning here.
    pub fn alias(&mut self) -> Result<Option<String>, StatementError> {
        if self.eat("as") {
            return match self.peek() {
                // after AS any word is a name
                Token::Word(word) => {
                    let name = word.clone();
                    self.at += 1;
                    Ok(Some(name))
                }
                _ => self.name().map(Some),
            };
        }
        match self.peek() {
            Token::Word(word) if words::NO_ALIAS.contains(&word.as_str()) => Ok(None),
            _ => Ok(self.maybe_name()),
        }
    }

    /// The name of a relation.
    pub fn range_var(&mut self) -> Result<RangeVar, StatementError> {
        let name = self.name()?;
        if self.eat_op(".") {
            return Ok(RangeVar::new(Some(name), self.name()?));
        }
        Ok(RangeVar::new(None, name))
    }

    /// A table that the server looks for while it analyzes the statement.
    pub fn opened_table(&mut self) -> Result<RangeVar, StatementError> {
        let mark = self.mark();
        if self.eat("only") {
            self.eat_op("(");
        }
        let at = self.position();
        self.back_to(mark);
        let name = self.relation_expr()?;
        let told = match &name.schema {
            Some(schema) => format!("{schema}.{}", name.name),
            None => name.name.clone(),
        };
        self.named.relations.push((told, at));
        Ok(name)
    }

    /// The name of a column that gets a value.
    pub fn target_column(&mut self) -> Result<String, StatementError> {
        let at = self.position();
        let name = self.name()?;
        self.named.targets.push((name.clone(), at));
        Ok(name)
    }

    /// A table with or without those that inherit from it (`relation_expr`): ONLY before the name, or `*` behind it.
    pub fn relation_expr(&mut self) -> Result<RangeVar, StatementError> {
        if !self.eat("only") {
            let name = self.range_var()?;
            self.eat_op("*");
            return Ok(name);
        }
        let in_parens = self.eat_op("(");
        let name = self.range_var()?;
        if in_parens {
            self.expect_op(")")?;
        }
        Ok(RangeVar { only: true, ..name })
    }

    /// One or more of something, with commas between.
    pub fn list<T>(
        &mut self,
        mut item: impl FnMut(&mut Self) -> Result<T, StatementError>,
    ) -> Result<Vec<T>, StatementError> {
        let mut items = alloc::vec![item(self)?];
        while self.eat_op(",") {
            items.push(item(self)?);
        }
        Ok(items)
    }

    /// One or more of something in parentheses.
    pub fn in_parens<T>(
        &mut self,
        item: impl FnMut(&mut Self) -> Result<T, StatementError>,
    ) -> Result<Vec<T>, StatementError> {
        self.expect_op("(")?;
        let items = self.list(item)?;
        self.expect_op(")")?;
        Ok(items)
    }

    /// The same, or nothing when there is no parenthesis.
    pub fn maybe_in_parens<T>(
        &mut self,
        item: impl FnMut(&mut Self) -> Result<T, StatementError>,
    ) -> Result<Vec<T>, StatementError> {
        if self.is_op("(") { self.in_parens(item) } else { Ok(Vec::new()) }
    }

    /// A whole number, perhaps with a sign.
    pub fn integer(&mut self) -> Result<i64, StatementError> {
        let negative = self.eat_op("-");
        let Token::Number(digits) = self.peek() else { return Err(self.refuse()) };
        let Ok(number) = digits.parse::<i64>() else { return Err(self.refuse()) };
        self.at += 1;
        Ok(if negative { -number } else { number })
    }
}
