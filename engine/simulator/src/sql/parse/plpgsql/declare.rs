//! DECLARE (`decl_statement`, src/pl/plpgsql/src/pl_gram.y).

use super::Compiler;
use crate::sql::StatementError;
use crate::sql::ast::{Datum, DeclaredType, RangeVar, Step};
use crate::sql::parse::lex::Token;
use alloc::format;
use alloc::vec::Vec;
use ffviz_format::datum::{SqlType, is_composite};

/// What a variable is declared as.
enum Declared {
    Value(DeclaredType),
    Row(Option<RangeVar>),
}

impl Compiler<'_> {
    /// The variables of a block, until BEGIN.
    pub(super) fn declarations(&mut self) -> Result<(), StatementError> {
        while !self.parser.is_word("begin") {
            if self.parser.eat("declare") {
                continue;
            }
            self.declaration()?;
        }
        Ok(())
    }

    fn declaration(&mut self) -> Result<(), StatementError> {
        let at = self.parser.position();
        let name = self.parser.name()?;
        let scope = self.scopes.last();
        if scope.is_some_and(|scope| scope.names.iter().any(|(known, _)| *known == name)) {
            return Err(StatementError::syntax(&name, at));
        }
        if name.contains('.') {
            return Err(self.parser.unsupported("a variable with a point in its name"));
        }
        if self.parser.eat("alias for") {
            return self.alias_declaration(name);
        }
        if self.parser.is_word("cursor") || self.parser.is_word("scroll") || self.parser.is_word("no") {
            return self.cursor_declaration(name);
        }
        let is_constant = self.parser.eat("constant");
        let declared = self.declared()?;
        if self.parser.is_word("collate") {
            return Err(self.parser.unsupported("COLLATE"));
        }
        let not_null = self.parser.eat("not null");
        let has_default = self.parser.eat("default") || self.parser.eat_op(":=") || self.parser.eat_op("=");
        let default = if has_default { Some(self.expression_until(&[";"])?) } else { None };
        self.parser.expect_op(";")?;
        match declared {
            Declared::Value(ty) => {
                if not_null && default.is_none() {
                    let message =
                        format!("variable \"{name}\" must have a default value, since it's declared NOT NULL");
                    return Err(StatementError::server("22004", message));
                }
                let number = self.variable(&name, ty, not_null);
                self.step(Step::Begin(number, default));
                if is_constant {
                    self.constants.push(number);
                }
            }
            Declared::Row(_) if not_null => {
                return Err(self.parser.unsupported("a row that is NOT NULL"));
            }
            Declared::Row(of) => {
                let number = self.record(&name, of);
                if is_constant {
                    self.constants.push(number);
                }
                self.step(Step::Begin(number, None));
                if let Some(default) = default {
                    self.step(Step::Assign(number, default));
                }
            }
        }
        Ok(())
    }

    /// `type`, `variable%TYPE`, `table.column%TYPE`, `table%ROWTYPE`, `record`
    fn declared(&mut self) -> Result<Declared, StatementError> {
        if self.parser.eat("record") {
            return Ok(Declared::Row(None));
        }
        // the name of a cursor is a text
        if self.parser.is_word("refcursor") && !matches!(self.parser.peek_second(), Token::Op(op) if op == "[") {
            self.parser.step();
            return Ok(Declared::Value(DeclaredType::Known(SqlType::TEXT)));
        }
        let mark = self.parser.mark();
        let mut names = Vec::new();
        while let Some(name) = self.parser.maybe_name() {
            names.push(name);
            if !self.parser.eat_op(".") {
                break;
            }
        }
        if self.parser.eat_op("%") {
            return self.referred(names);
        }
        self.parser.back_to(mark);
        let ty = self.parser.maybe_type_name()?.filter(|ty| !is_composite(ty.oid));
        let Some(ty) = ty else {
            self.parser.back_to(mark);
            let table = self.parser.range_var()?;
            return match self.parser.peek() {
                Token::Op(op) if op != ";" && op != ":=" && op != "=" => Err(self.parser.unsupported("this type")),
                _ => Ok(Declared::Row(Some(table))),
            };
        };
        match self.parser.peek() {
            Token::Op(op) if op != ";" && op != ":=" && op != "=" => Err(self.parser.unsupported("this type")),
            _ => Ok(Declared::Value(DeclaredType::Known(ty))),
        }
    }

    /// What stands behind `%`.
    fn referred(&mut self, mut names: Vec<alloc::string::String>) -> Result<Declared, StatementError> {
        let of_table = |mut names: Vec<alloc::string::String>| {
            let name = names.pop().unwrap_or_default();
            RangeVar::new(names.pop(), name)
        };
        if self.parser.eat("rowtype") {
            return Ok(Declared::Row(Some(of_table(names))));
        }
        self.parser.expect("type")?;
        if let [name] = &names[..] {
            let Some(known) = self.find(name) else {
                return Err(self.parser.unsupported("%TYPE of what is no variable"));
            };
            return match &self.routine.datums[known] {
                Datum::Var { .. } => Ok(Declared::Value(DeclaredType::Variable(known))),
                _ => Err(self.parser.unsupported("%TYPE of a row")),
            };
        }
        let column = names.pop().unwrap_or_default();
        Ok(Declared::Value(DeclaredType::Column(of_table(names), column)))
    }

    /// A variable that nobody can name.
    pub(super) fn hidden(&mut self, ty: SqlType) -> usize {
        self.routine.datums.push(Datum::Var {
            name: alloc::string::String::new(),
            ty: DeclaredType::Known(ty),
            not_null: false,
        });
        self.routine.datums.len() - 1
    }
}
