//! The text of a block of PL/pgSQL as steps (src/pl/plpgsql/src/pl_gram.y; `do_compile`,
//! src/pl/plpgsql/src/pl_comp.c).
//!
//! ```text
//!  text ──tokens──▶ Compiler: a method a statement ──▶ steps, variables
//!            SQL within goes to the parser of SQL, with a list of the variables that it may name (`sql`)
//! ```

mod block;
mod control;
mod cursor;
mod declare;
mod raise;
mod sql;
mod statement;

pub(in crate::sql) use sql::is_done_at_once;

use super::cursor::Parser;
use super::lex::Token;
use super::types::TypeNames;
use crate::sql::StatementError;
use crate::sql::ast::{Datum, DeclaredType, Routine, Step, TG, TriggerDatums};
use crate::sql::error::{Position, Refusal};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::datum::{SqlError, SqlType, is_composite};

/// Statements of PL/pgSQL that there are.
const STATEMENTS: &str = "assignments, blocks, loops, IF, CASE, PERFORM, INTO, SQL, EXECUTE, CALL, OPEN, FETCH, CLOSE, RAISE, ASSERT, GET DIAGNOSTICS, COMMIT, ROLLBACK and RETURN";

/// What a block is the body of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Body<'a> {
    /// DO
    Block,
    /// a procedure
    Procedure(&'a str),
    /// a function of that name
    Function {
        /// its name
        name: &'a str,
        /// does it give nothing?
        is_void: bool,
        /// does it give rows?
        is_set: bool,
        /// does it give what its OUT arguments have?
        has_outs: bool,
        /// does it give a row of a table?
        is_row: bool,
    },
    /// a function that triggers call
    Trigger(&'a str),
}

/// Arguments, those of OUT or RETURNS TABLE, and which of these are arguments too.
pub(super) type Arguments<'a> = (&'a [(Option<String>, SqlType)], &'a [(String, SqlType)], &'a [Option<usize>]);

/// Makes steps of a text.
struct Compiler<'a> {
    parser: Parser,
    routine: Routine,
    scopes: Vec<Scope>,
    open: Vec<Open>,
    body: Body<'a>,
    /// variables that are CONSTANT
    constants: Vec<usize>,
}

/// Names of variables, and how they may be qualified (`PLpgSQL_nsitem`).
#[derive(Default)]
struct Scope {
    label: Option<String>,
    names: Vec<(String, usize)>,
}

/// What has turns.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Turns {
    /// a block, which has none
    None,
    /// a loop
    Loop,
    /// FOR of that number
    For(usize),
}

/// What is around a statement.
enum Open {
    /// a loop, or a block with a label, with jumps that lead behind it and to its next turn
    Loop { label: Option<String>, turns: Turns, exits: Vec<usize>, continues: Vec<usize> },
    /// a block that may have EXCEPTION, with the steps that leave it
    Try(Vec<usize>),
    /// what is done with an exception
    Handler,
}

/// Compiles the text of a body, which begins in the statement at `at`, with arguments.
pub(super) fn compile(
    text: &str,
    at: Position,
    types: TypeNames,
    body: Body<'_>,
    (arguments, outs, inouts): Arguments<'_>,
) -> Result<Routine, StatementError> {
    let inside = |error: StatementError| error.inside(at);
    let mut parser = Parser::new(&spaced(text)).map_err(inside)?;
    parser.types = types;
    let label = match &body {
        Body::Block => None,
        Body::Procedure(name) | Body::Trigger(name) | Body::Function { name, .. } => Some((*name).to_string()),
    };
    let scope = Scope { label, names: Vec::new() };
    let routine = Routine::default();
    let mut compiler =
        Compiler { parser, routine, scopes: Vec::from([scope]), open: Vec::new(), body, constants: Vec::new() };
    compiler.whole((arguments, outs, inouts)).map_err(inside)?;
    Ok(compiler.routine)
}

/// The text with room around two points, which the tokenizer takes for those of numbers.
fn spaced(text: &str) -> String {
    let mut spaced = String::with_capacity(text.len() + 8);
    let mut quote: Option<char> = None;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        spaced.push(c);
        match (quote, c) {
            (None, '\'' | '"') => quote = Some(c),
            (Some(open), c) if open == c => quote = None,
            (None, '-') if chars.peek() == Some(&'-') => quote = Some('\n'),
            (None, '.') if chars.peek() == Some(&'.') => {
                spaced.pop();
                spaced.push_str(" . . ");
                chars.next();
            }
            _ => {}
        }
    }
    spaced
}

impl Parser {
    /// After DO.
    pub(super) fn do_block(&mut self) -> Result<Routine, StatementError> {
        self.do_language()?;
        let at = self.position();
        let Token::String(text) = self.peek().clone() else { return Err(self.refuse()) };
        self.step();
        self.do_language()?;
        compile(&text, at, self.types.clone(), Body::Block, (&[], &[], &[])).map_err(|error| match error.refusal {
            // the text is none of SQL, of which the judge knows what is wrong
            Refusal::Syntax => StatementError { refusal: Refusal::Server, ..error },
            _ => error,
        })
    }

    /// `LANGUAGE plpgsql`.
    fn do_language(&mut self) -> Result<(), StatementError> {
        if !self.eat("language") || self.eat("plpgsql") {
            return Ok(());
        }
        if matches!(self.peek(), Token::String(name) if name == "plpgsql") {
            self.step();
            return Ok(());
        }
        let at = self.position();
        let name = match self.peek().clone() {
            Token::String(name) => name,
            _ => self.name()?,
        };
        let error = match name.as_str() {
            "sql" | "c" | "internal" => {
                SqlError::new("0A000", format!("language \"{name}\" does not support inline code execution"))
            }
            "plperl" | "plperlu" | "plpython3u" | "pltcl" | "pltclu" => {
                return Err(StatementError::unsupported(format!("the language {name} is not supported"), Some(at)));
            }
            _ => SqlError::new("42704", format!("language \"{name}\" does not exist")),
        };
        Err(error.into())
    }
}

impl Compiler<'_> {
    fn whole(&mut self, (arguments, outs, inouts): Arguments<'_>) -> Result<(), StatementError> {
        self.routine.arguments = arguments.len();
        let mut given = Vec::with_capacity(arguments.len());
        for (name, ty) in arguments {
            let name = name.clone().unwrap_or_default();
            let composite =
                self.parser.types.iter().rev().find(|(_, known)| is_composite(ty.oid) && known.ty.oid == ty.oid);
            given.push(match composite {
                Some((of, _)) => self.record(&name, Some(of.clone())),
                None => self.variable(&name, DeclaredType::Known(*ty), false),
            });
        }
        for (place, (name, ty)) in outs.iter().enumerate() {
            let argument = inouts.get(place).copied().flatten().and_then(|argument| given.get(argument));
            let out = match argument {
                Some(argument) => *argument,
                None => self.variable(name, DeclaredType::Known(SqlType::plain(ty.oid)), false),
            };
            self.routine.outs.push(out);
        }
        self.routine.found = self.variable("found", DeclaredType::Known(SqlType::BOOL), false);
        if matches!(self.body, Body::Trigger(_)) {
            let new = self.record("new", None);
            let old = self.record("old", None);
            let first = self.routine.datums.len();
            for (name, ty) in TG {
                self.variable(name, DeclaredType::Known(ty), false);
            }
            self.routine.trigger = Some(TriggerDatums { new, old, first });
        }
        if self.parser.is_op("#") {
            return Err(self.parser.unsupported("an option of PL/pgSQL such as #variable_conflict"));
        }
        let label = self.label()?;
        if !self.parser.is_word("declare") && !self.parser.is_word("begin") {
            return Err(self.syntax());
        }
        self.block(label)?;
        self.parser.eat_op(";");
        if *self.parser.peek() != Token::End {
            return Err(self.syntax());
        }
        self.routine.steps.push(Step::End(false));
        Ok(())
    }

    /// Nothing of PL/pgSQL fits the next token.
    fn syntax(&self) -> StatementError {
        StatementError::syntax(self.parser.text(), self.parser.position())
    }

    fn variable(&mut self, name: &str, ty: DeclaredType, not_null: bool) -> usize {
        let name = name.to_string();
        self.datum(Datum::Var { name: name.clone(), ty, not_null }, name)
    }

    fn record(&mut self, name: &str, of: Option<crate::sql::ast::RangeVar>) -> usize {
        let name = name.to_string();
        self.datum(Datum::Record { name: name.clone(), of }, name)
    }

    fn datum(&mut self, datum: Datum, name: String) -> usize {
        let number = self.routine.datums.len();
        self.routine.datums.push(datum);
        if let Some(scope) = self.scopes.last_mut().filter(|_| !name.is_empty()) {
            scope.names.push((name, number));
        }
        number
    }

    /// `plpgsql_ns_lookup`: the variable of that name, from the inside out.
    fn find(&self, name: &str) -> Option<usize> {
        let named = |scope: &Scope| scope.names.iter().rev().find(|(known, _)| known == name).map(|(_, datum)| *datum);
        self.scopes.iter().rev().find_map(named)
    }

    /// That of a block with a label.
    fn find_in(&self, label: &str, name: &str) -> Option<usize> {
        let scope = self.scopes.iter().rev().find(|scope| scope.label.as_deref() == Some(label))?;
        scope.names.iter().rev().find(|(known, _)| known == name).map(|(_, datum)| *datum)
    }

    /// The column of a row that is a variable.
    fn field(&mut self, record: usize, name: &str) -> usize {
        let field = Datum::Field { record, name: name.to_string() };
        match self.routine.datums.iter().position(|known| *known == field) {
            Some(known) => known,
            None => {
                self.routine.datums.push(field);
                self.routine.datums.len() - 1
            }
        }
    }

    fn step(&mut self, step: Step) -> usize {
        self.routine.steps.push(step);
        self.routine.steps.len() - 1
    }

    fn here(&self) -> usize {
        self.routine.steps.len()
    }

    /// A step that jumps leads here.
    fn lead_here(&mut self, step: usize) {
        let here = self.here();
        match self.routine.steps.get_mut(step) {
            Some(Step::Jump(to) | Step::Unless(_, to)) => *to = here,
            Some(Step::NextInteger { end, .. } | Step::NextElement { end, .. } | Step::NextRow { end, .. }) => {
                *end = here;
            }
            _ => {}
        }
    }

    /// `any_identifier`: words that SQL keeps for itself are names here.
    fn any_name(&mut self) -> Result<String, StatementError> {
        match self.parser.peek() {
            Token::Word(_) => self.parser.any_word(),
            _ => self.parser.name(),
        }
    }

    /// `check_assignable`
    fn check_assignable(&self, target: usize) -> Result<(), StatementError> {
        let of = match self.routine.datums[target] {
            Datum::Field { record, .. } => record,
            _ => target,
        };
        if !self.constants.contains(&of) {
            return Ok(());
        }
        let name = match &self.routine.datums[of] {
            Datum::Var { name, .. } | Datum::Record { name, .. } => name.as_str(),
            Datum::Field { .. } => "",
        };
        Err(StatementError::server("22005", alloc::format!("variable \"{name}\" is declared CONSTANT")))
    }

    /// `<<label>>`
    fn label(&mut self) -> Result<Option<String>, StatementError> {
        if !self.parser.eat_op("<<") {
            return Ok(None);
        }
        let label = self.any_name()?;
        self.parser.expect_op(">>")?;
        Ok(Some(label))
    }
}
