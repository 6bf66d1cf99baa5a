//! IF, CASE, loops, EXIT and CONTINUE (src/pl/plpgsql/src/pl_gram.y).

use super::{Compiler, Open, Scope, Turns};
use crate::sql::StatementError;
use crate::sql::ast::{DeclaredType, Embedded, ForInteger, Opened, Step};
use crate::sql::parse::lex::{Lexeme, Token};
use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::datum::SqlType;

/// A loop's next turn jumps over its end.
struct Turn {
    /// where a turn begins
    head: usize,
    /// the step that ends it
    next: Option<usize>,
    /// of FOR, which one
    number: Option<usize>,
}

impl Compiler<'_> {
    /// After IF.
    pub(super) fn if_statement(&mut self) -> Result<(), StatementError> {
        let mut ends = Vec::new();
        loop {
            let condition = self.expression_until(&["then"])?;
            self.parser.expect("then")?;
            let unless = self.step(Step::Unless(condition, 0));
            self.statements(&["elsif", "elseif", "else", "end"])?;
            ends.push(self.step(Step::Jump(0)));
            self.lead_here(unless);
            if !self.parser.eat("elsif") && !self.parser.eat("elseif") {
                break;
            }
        }
        if self.parser.eat("else") {
            self.statements(&["end"])?;
        }
        self.parser.expect("end if")?;
        ends.into_iter().for_each(|step| self.lead_here(step));
        Ok(())
    }

    /// After CASE.
    pub(super) fn case_statement(&mut self) -> Result<(), StatementError> {
        let mut compared = None;
        if !self.parser.is_word("when") {
            let operand = self.expression_until(&["when"])?;
            let (name, number) = self.case_variable();
            self.step(Step::Assign(number, operand));
            compared = Some(name);
        }
        let mut ends = Vec::new();
        while self.parser.eat("when") {
            let tokens = self.until(&["then"])?;
            let condition = match &compared {
                None => self.expression(tokens)?,
                Some(name) => {
                    let made = |token: Token, text: &str| Lexeme {
                        token,
                        text: text.to_string(),
                        position: self.parser.position(),
                    };
                    let mut all = Vec::from([
                        made(Token::Word(name.clone()), name),
                        made(Token::Word("in".to_string()), "in"),
                        made(Token::Op("(".to_string()), "("),
                    ]);
                    all.extend(tokens);
                    all.push(made(Token::Op(")".to_string()), ")"));
                    self.expression(all)?
                }
            };
            self.parser.expect("then")?;
            let unless = self.step(Step::Unless(condition, 0));
            self.statements(&["when", "else", "end"])?;
            ends.push(self.step(Step::Jump(0)));
            self.lead_here(unless);
        }
        if self.parser.eat("else") {
            self.statements(&["end"])?;
        } else {
            self.step(Step::CaseNotFound);
        }
        self.parser.expect("end case")?;
        ends.into_iter().for_each(|step| self.lead_here(step));
        Ok(())
    }

    /// From LOOP to END LOOP.
    fn turns(&mut self, label: Option<&str>, turn: &Turn) -> Result<(), StatementError> {
        self.parser.expect("loop")?;
        self.open.push(Open::Loop {
            label: label.map(ToString::to_string),
            turns: turn.number.map_or(Turns::Loop, Turns::For),
            exits: Vec::new(),
            continues: Vec::new(),
        });
        self.statements(&["end"])?;
        self.parser.expect("end loop")?;
        self.end_label(label)?;
        if let Some(Open::Loop { continues, .. }) = self.open.last_mut() {
            let continues = core::mem::take(continues);
            continues.into_iter().for_each(|step| self.lead_here(step));
        }
        self.step(Step::Jump(turn.head));
        turn.next.iter().for_each(|step| self.lead_here(*step));
        self.close();
        if let Some(number) = turn.number {
            self.step(Step::EndLoop(number));
        }
        Ok(())
    }

    /// LOOP
    pub(super) fn loop_statement(&mut self, label: Option<String>) -> Result<(), StatementError> {
        let turn = Turn { head: self.here(), next: None, number: None };
        self.in_scope(label, |compiler, label| compiler.turns(label, &turn))
    }

    /// After WHILE.
    pub(super) fn while_statement(&mut self, label: Option<String>) -> Result<(), StatementError> {
        let head = self.here();
        let condition = self.expression_until(&["loop"])?;
        let next = self.step(Step::Unless(condition, 0));
        let turn = Turn { head, next: Some(next), number: None };
        self.in_scope(label, |compiler, label| compiler.turns(label, &turn))
    }

    fn in_scope<T>(
        &mut self,
        label: Option<String>,
        work: impl FnOnce(&mut Self, Option<&str>) -> Result<T, StatementError>,
    ) -> Result<T, StatementError> {
        self.scopes.push(Scope { label: label.clone(), names: Vec::new() });
        let done = work(self, label.as_deref());
        self.scopes.pop();
        done
    }

    /// After FOR.
    pub(super) fn for_statement(&mut self, label: Option<String>) -> Result<(), StatementError> {
        let mark = self.parser.mark();
        let name = self.parser.name()?;
        let is_name = self.parser.eat("in");
        let number = self.routine.loops;
        self.routine.loops += 1;
        if is_name && let Some(cursor) = self.declared_cursor() {
            return self.for_cursor(label, name, (number, cursor));
        }
        if is_name && !self.parser.is_word("execute") {
            let reverse = self.parser.eat("reverse");
            let tokens = self.until(&["loop", ".."])?;
            if self.parser.is_op(".") {
                return self.for_integer(label, name, number, (reverse, tokens));
            }
            if reverse {
                return Err(StatementError::server("42601", "cannot specify REVERSE in query FOR loop"));
            }
        }
        self.parser.back_to(mark);
        let targets = self.targets_until_in()?;
        if self.parser.eat("execute") {
            let text = self.expression_until(&["using", "loop"])?;
            let using = if self.parser.eat("using") { self.expressions_until(&["loop"])? } else { Vec::new() };
            self.step(Step::ForDynamic(number, text, using));
        } else {
            let query = self.rows_until(&["loop"])?;
            self.step(Step::ForRows(number, query));
        }
        let head = self.here();
        let next = self.step(Step::NextRow { number, targets, end: 0 });
        let turn = Turn { head, next: Some(next), number: Some(number) };
        self.in_scope(label, |compiler, label| compiler.turns(label, &turn))
    }

    /// FOR over a cursor, from its name on.
    fn for_cursor(
        &mut self,
        label: Option<String>,
        name: String,
        (number, cursor): (usize, usize),
    ) -> Result<(), StatementError> {
        self.parser.step();
        let arguments = self.cursor_arguments(cursor)?;
        let variable = self.routine.cursors[cursor].variable;
        self.step(Step::ForCursor(number, variable, Box::new(Opened::Declared(cursor, arguments))));
        self.scopes.push(Scope { label: label.clone(), names: Vec::new() });
        let row = self.record(&name, None);
        let head = self.here();
        let next = self.step(Step::NextRow { number, targets: Vec::from([row]), end: 0 });
        let turn = Turn { head, next: Some(next), number: Some(number) };
        self.turns(label.as_deref(), &turn)?;
        self.scopes.pop();
        Ok(())
    }

    /// After FOREACH.
    pub(super) fn foreach_statement(&mut self, label: Option<String>) -> Result<(), StatementError> {
        let at = self.parser.position();
        let name = self.parser.name()?;
        let Some(variable) = self.find(&name) else {
            let message = format!("\"{name}\" is not a known variable");
            return Err(StatementError::server("42601", message).at(at));
        };
        self.check_assignable(variable)?;
        let slice = if self.parser.eat("slice") { self.parser.integer()? } else { 0 };
        let Ok(slice) = u32::try_from(slice) else { return Err(self.syntax()) };
        self.parser.expect("in array")?;
        let number = self.routine.loops;
        self.routine.loops += 1;
        let array = self.expression_until(&["loop"])?;
        self.step(Step::ForEach(number, array, slice));
        let head = self.here();
        let next = self.step(Step::NextElement { number, variable, end: 0 });
        let turn = Turn { head, next: Some(next), number: Some(number) };
        self.in_scope(label, |compiler, label| compiler.turns(label, &turn))
    }

    /// FOR over integers, from the two points on.
    fn for_integer(
        &mut self,
        label: Option<String>,
        name: String,
        number: usize,
        (reverse, from): (bool, Vec<Lexeme>),
    ) -> Result<(), StatementError> {
        let from = self.expression(from)?;
        self.parser.expect_op(".")?;
        self.parser.expect_op(".")?;
        let to = self.expression_until(&["by", "loop"])?;
        let by: Option<Embedded> = if self.parser.eat("by") { Some(self.expression_until(&["loop"])?) } else { None };
        self.scopes.push(Scope { label: label.clone(), names: Vec::new() });
        let variable = self.variable(&name, DeclaredType::Known(SqlType::INT4), false);
        self.step(Step::ForInteger(Box::new(ForInteger { number, variable, from, to, by, reverse })));
        let head = self.here();
        let next = self.step(Step::NextInteger { number, variable, end: 0 });
        let turn = Turn { head, next: Some(next), number: Some(number) };
        self.turns(label.as_deref(), &turn)?;
        self.scopes.pop();
        Ok(())
    }

    /// After EXIT or CONTINUE.
    pub(super) fn exit_statement(&mut self, is_exit: bool) -> Result<(), StatementError> {
        let label = if self.parser.is_word("when") || self.parser.is_op(";") { None } else { Some(self.any_name()?) };
        let condition = if self.parser.eat("when") { Some(self.expression_until(&[";"])?) } else { None };
        let unless = condition.map(|condition| self.step(Step::Unless(condition, 0)));
        let is_meant = |open: &Open| match open {
            Open::Loop { label: known, turns, .. } => match &label {
                Some(label) => known.as_ref() == Some(label),
                None => *turns != Turns::None,
            },
            _ => false,
        };
        let Some(at) = self.open.iter().rposition(is_meant) else {
            let message = match &label {
                Some(label) => {
                    format!("there is no label \"{label}\" attached to any block or loop enclosing this statement")
                }
                None if is_exit => "EXIT cannot be used outside a loop, unless it has a label".to_string(),
                None => "CONTINUE cannot be used outside a loop".to_string(),
            };
            return Err(StatementError::server("42601", message));
        };
        if !is_exit && matches!(&self.open[at], Open::Loop { turns: Turns::None, .. }) {
            let message = format!("block label \"{}\" cannot be used in CONTINUE", label.unwrap_or_default());
            return Err(StatementError::server("42601", message));
        }
        self.leave(at + 1);
        let jump = self.step(Step::Jump(0));
        if let Some(Open::Loop { exits, continues, .. }) = self.open.get_mut(at) {
            if is_exit { exits.push(jump) } else { continues.push(jump) }
        }
        unless.into_iter().for_each(|step| self.lead_here(step));
        Ok(())
    }

    /// The blocks within, from `depth` on, are left: their subtransactions end.
    pub(super) fn leave(&mut self, depth: usize) {
        for at in (depth..self.open.len()).rev() {
            let step = match &self.open[at] {
                Open::Try(_) => Step::EndTry,
                Open::Handler => Step::EndHandler,
                Open::Loop { turns: Turns::For(number), .. } => Step::EndLoop(*number),
                Open::Loop { .. } => continue,
            };
            let step = self.step(step);
            if let Open::Try(leaves) = &mut self.open[at] {
                leaves.push(step);
            }
        }
    }
}
