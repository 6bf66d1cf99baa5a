//! The body of a function in SQL: its statements as steps (`fmgr_sql_validator`, src/backend/catalog/pg_proc.c;
//! `init_execution_state`, src/backend/executor/functions.c).
//!
//! ```text
//!  INSERT …; DELETE … RETURNING *     0 Sql   1 ReturnQuery   2 End
//!  SELECT $1 + 1                      0 Result   1 End; and the query itself, which may stand where it is called
//! ```

use super::cursor::Parser;
use super::lex::{Lexeme, Token, on_one_line};
use crate::sql::StatementError;
use crate::sql::ast::{CreateFunction, Datum, DeclaredType, Embedded, FunctionBody, Routine, Statement, Step};
use crate::sql::error::Position;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::SqlType;

/// Statements that there are in functions in SQL.
const STATEMENTS: &str = "SELECT, INSERT, UPDATE, DELETE and MERGE there";

impl Parser {
    /// The statements of a text.
    pub(super) fn body_in_sql(
        &self,
        function: &CreateFunction,
        text: &str,
        at: Position,
    ) -> Result<FunctionBody, StatementError> {
        let inside = |error: StatementError| error.inside(at);
        let mut whole = Self::new(text).map_err(inside)?;
        whole.types = self.types.clone();
        let mut statements = Vec::new();
        while let Some(tokens) = whole.next_of_body() {
            statements.push(whole.part_of_body(tokens).map_err(inside)?);
        }
        Ok(body_of(function, statements))
    }

    /// After RETURN: an expression that is the function's body, as if it stood behind SELECT.
    pub(super) fn returned_expression(&mut self) -> Result<(String, Statement), StatementError> {
        let select = Lexeme { token: Token::Word("select".into()), text: "select".into(), ..self.lexeme().clone() };
        let expression = self.next_of_body().ok_or_else(|| self.refuse())?;
        self.part_of_body(core::iter::once(select).chain(expression).collect())
    }

    /// After BEGIN ATOMIC, up to its END.
    pub(super) fn atomic_statements(&mut self) -> Result<Vec<(String, Statement)>, StatementError> {
        let mut statements = Vec::new();
        loop {
            while self.eat_op(";") {}
            if self.eat("end") {
                return Ok(statements);
            }
            let tokens = self.next_of_body().ok_or_else(|| self.refuse())?;
            statements.push(self.part_of_body(tokens)?);
        }
    }

    /// The tokens of the next statement.
    fn next_of_body(&mut self) -> Option<Vec<Lexeme>> {
        while self.eat_op(";") {}
        let mut tokens = Vec::new();
        while *self.peek() != Token::End && !self.is_op(";") {
            tokens.push(self.lexeme().clone());
            self.step();
        }
        (!tokens.is_empty()).then_some(tokens)
    }

    /// A statement, and how it is written.
    fn part_of_body(&self, tokens: Vec<Lexeme>) -> Result<(String, Statement), StatementError> {
        use Statement as S;
        let at = tokens.first().map(|lexeme| lexeme.position);
        let written = on_one_line(&tokens);
        let words: Vec<&str> = tokens.iter().map(|lexeme| lexeme.text.as_str()).collect();
        let text = words.join(" ");
        let mut parser = Self::part(tokens, self.lexeme().clone(), self.types.clone());
        let read = parser.statement().and_then(|statement| parser.expect_end().map(|()| statement));
        let statement = read.map_err(|error| parser.judged(&text, error))?;
        match statement {
            S::Select(_) | S::Insert(_) | S::Update(_) | S::Delete(_) | S::Merge(_) | S::With(_) => {
                Ok((written, statement))
            }
            _ => {
                let refused = parser.unsupported_beside("this statement in a function in SQL", STATEMENTS);
                Err(StatementError { position: at, ..refused })
            }
        }
    }
}

/// The body that these statements are: a query alone may stand where the function is called.
pub(super) fn body_of(function: &CreateFunction, statements: Vec<(String, Statement)>) -> FunctionBody {
    let is_void = function.columns.is_empty() && function.row_type.is_none();
    let query = match &statements[..] {
        [(_, Statement::Select(select))] if !is_void && !function.is_strict => Some(Box::new(select.clone())),
        _ => None,
    };
    let routine = Arc::new(routine_of(function, statements, is_void));
    match query {
        Some(query) => FunctionBody::Query(query, routine),
        None => FunctionBody::Sql(routine),
    }
}

fn routine_of(function: &CreateFunction, statements: Vec<(String, Statement)>, is_void: bool) -> Routine {
    let name = |n: usize| function.arguments[n].0.clone().unwrap_or_default();
    let count = function.arguments.len();
    let var = |name: String, ty: SqlType| Datum::Var {
        name,
        ty: DeclaredType::Known(SqlType::plain(ty.oid)),
        not_null: false,
    };
    let mut datums: Vec<Datum> = function.arguments.iter().enumerate().map(|(n, (_, ty))| var(name(n), *ty)).collect();
    datums.push(var(String::new(), SqlType::BOOL));
    let named = |n: usize| (name(n), n);
    let whole = |n: usize| (format!("{}.{}", function.name.name, name(n)), n);
    let params: Vec<(String, usize)> = (0..count).map(named).chain((0..count).map(whole)).collect();
    let last = statements.len().saturating_sub(1);
    let sites = statements.len();
    let step = |(site, (text, statement)): (usize, (String, Statement))| {
        let embedded = Embedded { site, text, statement, params: params.clone(), rows: Vec::new() };
        match (site == last && !is_void, function.is_set) {
            (true, true) => Step::ReturnQuery(embedded),
            (true, false) => Step::Result(embedded),
            (false, _) => Step::Sql(embedded, None, true),
        }
    };
    let mut steps: Vec<Step> = statements.into_iter().enumerate().map(step).collect();
    steps.push(Step::End(true));
    Routine { datums, arguments: count, steps, sites, found: count, is_sql: true, ..Routine::default() }
}
