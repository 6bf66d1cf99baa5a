//! Constraints of CREATE TABLE and ALTER TABLE (`ConstraintElem`, `ColConstraintElem`, src/backend/parser/gram.y).

use super::cursor::Parser;
use super::lex::Token;
use crate::sql::StatementError;
use crate::sql::ast::{Constraint, ConstraintKind, ForeignAction, ForeignActions, IndexConstraint};
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

/// Collations that order text by its bytes, as all do here.
const BY_BYTES: &[&str] = &["C", "POSIX", "default", "ucs_basic"];

impl Parser {
    /// Does a constraint of the table come next? None of the words may be the name of a column, but `exclude` and
    /// `like`, behind which a type follows.
    pub fn is_table_constraint(&self) -> bool {
        ["constraint", "primary", "unique", "foreign", "check", "exclude", "like"].iter().any(|word| self.is_word(word))
    }

    pub fn constraint_name(&mut self) -> Result<Option<String>, StatementError> {
        if self.eat("constraint") { self.name().map(Some) } else { Ok(None) }
    }

    /// COLLATE, where it is there: of a column, or of a key of an index.
    pub fn collation(&mut self) -> Result<(), StatementError> {
        if !self.is_word("collate") {
            return Ok(());
        }
        let at = self.position();
        self.step();
        let name = self.range_var()?;
        let is_known = name.schema.as_deref().is_none_or(|schema| schema == "pg_catalog");
        if is_known && BY_BYTES.contains(&name.name.as_str()) {
            return Ok(());
        }
        let what = "an order of text other than that of its bytes (COLLATE \"C\", \"POSIX\")";
        Err(StatementError { position: Some(at), ..self.unsupported(what) })
    }

    pub fn table_constraint(&mut self) -> Result<Constraint, StatementError> {
        let name = self.constraint_name()?;
        if self.eat("foreign key") {
            let columns = self.in_parens(Self::name)?;
            let kind = self.references()?;
            return self.with_attributes(Constraint { name, columns, kind, not_valid: false });
        }
        if self.eat("check") {
            let kind = self.check()?;
            return self.with_attributes(Constraint { name, columns: Vec::new(), kind, not_valid: false });
        }
        if self.is_word("exclude") || self.is_word("like") {
            return Err(self.refuse());
        }
        let primary = self.eat("primary key");
        if !primary {
            self.expect("unique")?;
        }
        if self.eat("using index") {
            let kind = ConstraintKind::UsingIndex { primary, index: self.name()? };
            return self.with_attributes(Constraint { name, columns: Vec::new(), kind, not_valid: false });
        }
        let nulls_not_distinct = !primary && self.nulls_not_distinct()?;
        let columns = self.in_parens(Self::name)?;
        let kind = self.index_constraint(primary, nulls_not_distinct)?;
        self.with_attributes(Constraint { name, columns, kind, not_valid: false })
    }

    /// A constraint that stands with a column, of that name; nothing where none does.
    pub fn constraint_of_column(
        &mut self,
        name: Option<String>,
        column: &str,
    ) -> Result<Option<Constraint>, StatementError> {
        let columns = vec![String::from(column)];
        let kind = if self.eat("primary key") {
            self.index_constraint(true, false)?
        } else if self.eat("unique") {
            let nulls_not_distinct = self.nulls_not_distinct()?;
            self.index_constraint(false, nulls_not_distinct)?
        } else if self.is_word("references") {
            self.references()?
        } else if self.eat("check") {
            self.check()?
        } else {
            return Ok(None);
        };
        self.with_attributes(Constraint { name, columns, kind, not_valid: false }).map(Some)
    }

    /// NULLS NOT DISTINCT?
    pub fn nulls_not_distinct(&mut self) -> Result<bool, StatementError> {
        if self.eat("nulls not distinct") {
            return Ok(true);
        }
        self.eat("nulls distinct");
        Ok(false)
    }

    fn check(&mut self) -> Result<ConstraintKind, StatementError> {
        self.expect_op("(")?;
        let expr = self.expr()?;
        self.expect_op(")")?;
        Ok(ConstraintKind::Check(expr))
    }

    fn index_constraint(&mut self, primary: bool, nulls_not_distinct: bool) -> Result<ConstraintKind, StatementError> {
        let include = if self.eat("include") { self.in_parens(Self::name)? } else { Vec::new() };
        let options = self.with_options()?;
        if self.is_word("using") {
            return Err(self.refuse());
        }
        Ok(ConstraintKind::Index(IndexConstraint { primary, nulls_not_distinct, include, options }))
    }

    fn references(&mut self) -> Result<ConstraintKind, StatementError> {
        self.expect("references")?;
        let table = self.range_var()?;
        let columns = self.names()?;
        if self.is_word("match") && !self.eat("match simple") {
            return Err(self.refuse());
        }
        let mut actions = ForeignActions::default();
        loop {
            if self.eat("on delete") {
                actions.delete = self.action()?;
            } else if self.eat("on update") {
                actions.update = self.action()?;
            } else {
                return Ok(ConstraintKind::Foreign { table, columns, actions });
            }
        }
    }

    fn action(&mut self) -> Result<ForeignAction, StatementError> {
        let actions = [
            ("no action", ForeignAction::NoAction),
            ("restrict", ForeignAction::Restrict),
            ("cascade", ForeignAction::Cascade),
            ("set null", ForeignAction::SetNull),
            ("set default", ForeignAction::SetDefault),
        ];
        match actions.into_iter().find(|(words, _)| self.eat(words)) {
            // of some columns only, from 15 on
            Some(_) if self.is_op("(") => Err(self.unsupported("SET NULL and SET DEFAULT of some columns")),
            Some((_, action)) => Ok(action),
            None => Err(self.refuse()),
        }
    }

    /// NOT VALID, and what says when it is checked.
    fn with_attributes(&mut self, mut constraint: Constraint) -> Result<Constraint, StatementError> {
        loop {
            if self.eat("not valid") {
                constraint.not_valid = true;
            } else if self.eat("not deferrable") || self.eat("initially immediate") {
                // so it is anyway
            } else if let Token::Word(word) = self.peek()
                && ["deferrable", "initially", "enforced"].contains(&word.as_str())
            {
                return Err(self.unsupported(&format!("a constraint that is {}", word.to_ascii_uppercase())));
            } else if self.is_word("no") {
                return Err(self.unsupported("NO INHERIT"));
            } else {
                return Ok(constraint);
            }
        }
    }
}
