//! Constraints of CREATE TABLE and ALTER TABLE (`ConstraintElem`, `ColConstraintElem`, src/backend/parser/gram.y).

use super::cursor::Parser;
use super::lex::Token;
use crate::sql::StatementError;
use crate::sql::ast::{
    Constraint, ConstraintKind, Deferrable, Exclusion, ForeignAction, ForeignActions, IndexConstraint,
};
use crate::sql::error::Position;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

/// Collations that order text by its bytes, as all do here.
const BY_BYTES: &[&str] = &["C", "POSIX", "default", "ucs_basic"];

/// One that does, and knows more letters (17).
const PG_C_UTF8: &str = "pg_c_utf8";
const OTHER_ORDER: &str = "an order of text other than that of its bytes (COLLATE \"C\", \"POSIX\")";

/// Has the type a collation? char, name, text, char(n), varchar; arrays of text.
pub(in crate::sql) const fn is_collatable(oid: u32) -> bool {
    matches!(oid, 19 | 25 | 1042 | 1043 | 1009 | 1015)
}

/// What is said of a constraint beside when it is checked.
#[derive(Default)]
pub struct Said {
    /// NOT VALID
    pub not_valid: bool,
    /// ENFORCED, NOT ENFORCED
    pub enforced: Option<bool>,
}

impl Parser {
    /// Does a constraint of the table come next? None of the words may be the name of a column, but `exclude` and
    /// `like`, behind which a type follows.
    pub fn is_table_constraint(&self) -> bool {
        let words = ["constraint", "primary", "unique", "foreign", "check", "exclude", "like", "not"];
        words.iter().any(|word| self.is_word(word))
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
        match &*self.collation_name(at)? {
            PG_C_UTF8 => Err(StatementError { position: Some(at), ..self.unsupported(OTHER_ORDER) }),
            _ => Ok(()),
        }
    }

    /// The name of a collation that orders by bytes.
    ///
    /// # Errors
    /// Another one, or one that no server has.
    pub fn collation_name(&mut self, at: Position) -> Result<String, StatementError> {
        let name = self.range_var()?;
        let is_known = name.schema.as_deref().is_none_or(|schema| schema == "pg_catalog");
        if is_known && (BY_BYTES.contains(&name.name.as_str()) || name.name == PG_C_UTF8) {
            return Ok(name.name);
        }
        // of the operating system and of ICU: de_DE, de-DE-x-icu, de
        let is_language = |name: &str| {
            let mut parts = name.split(['_', '-']);
            parts.next().is_some_and(|it| matches!(it.len(), 2 | 3) || matches!(it, "und" | "pg" | "unicode"))
        };
        if name.schema.is_none() && !is_language(&name.name) {
            let message = alloc::format!("collation \"{}\" for encoding \"UTF8\" does not exist", name.name);
            return Err(StatementError::server("42704", message).at(at));
        }
        Err(StatementError { position: Some(at), ..self.unsupported(OTHER_ORDER) })
    }

    pub fn table_constraint(&mut self) -> Result<Constraint, StatementError> {
        let name = self.constraint_name()?;
        if self.eat("foreign key") {
            let columns = self.in_parens(|parser| {
                if parser.is_word("period") && matches!(parser.peek_second(), Token::Word(_) | Token::Quoted(_)) {
                    return Err(parser.unsupported("FOREIGN KEY with PERIOD"));
                }
                parser.name()
            })?;
            let kind = self.references()?;
            return self.with_attributes(Constraint::of(name, columns, kind));
        }
        if self.eat("check") {
            let kind = self.check()?;
            return self.with_attributes(Constraint::of(name, Vec::new(), kind));
        }
        if self.eat("not null") {
            let columns = vec![self.name()?];
            return self.with_attributes(Constraint::of(name, columns, ConstraintKind::NotNull));
        }
        if self.eat("exclude") {
            let kind = self.exclusion()?;
            return self.with_attributes(Constraint::of(name, Vec::new(), kind));
        }
        if self.is_word("like") {
            return Err(self.refuse());
        }
        let primary = self.eat("primary key");
        if !primary {
            self.expect("unique")?;
        }
        if self.eat("using index") {
            let kind = ConstraintKind::UsingIndex { primary, index: self.name()? };
            return self.with_attributes(Constraint::of(name, Vec::new(), kind));
        }
        let nulls_not_distinct = !primary && self.nulls_not_distinct()?;
        let mut without_overlaps = false;
        let columns = self.in_parens(|parser| {
            let name = parser.name()?;
            without_overlaps = parser.eat("without overlaps");
            Ok(name)
        })?;
        let kind = self.index_constraint(primary, nulls_not_distinct, without_overlaps)?;
        self.with_attributes(Constraint::of(name, columns, kind))
    }

    /// A constraint that stands with a column, of that name; nothing where none does.
    pub fn constraint_of_column(
        &mut self,
        name: Option<String>,
        column: &str,
    ) -> Result<Option<Constraint>, StatementError> {
        let columns = vec![String::from(column)];
        let kind = if self.eat("primary key") {
            self.index_constraint(true, false, false)?
        } else if self.eat("unique") {
            let nulls_not_distinct = self.nulls_not_distinct()?;
            self.index_constraint(false, nulls_not_distinct, false)?
        } else if self.is_word("references") {
            self.references()?
        } else if self.eat("check") {
            self.check()?
        } else {
            return Ok(None);
        };
        let constraint = Constraint::of(name, columns, kind);
        if matches!(constraint.kind, ConstraintKind::Check(_)) {
            self.no_deferrable()?;
        }
        self.with_attributes(constraint).map(Some)
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

    /// After EXCLUDE.
    fn exclusion(&mut self) -> Result<ConstraintKind, StatementError> {
        let at = self.position();
        if !self.eat("using gist") {
            let refused = self.unsupported("EXCLUDE by an index that is not gist");
            return Err(StatementError { position: Some(at), ..refused });
        }
        let elements = self.in_parens(|parser| {
            let element = parser.index_elem()?;
            parser.expect("with")?;
            Ok((element, parser.operator()?))
        })?;
        let include = if self.eat("include") { self.in_parens(Self::name)? } else { Vec::new() };
        let options = self.with_options()?;
        let predicate = if self.eat("where") {
            self.expect_op("(")?;
            let expr = self.expr()?;
            self.expect_op(")")?;
            Some(expr)
        } else {
            None
        };
        Ok(ConstraintKind::Exclude(Exclusion { elements, include, options, predicate }))
    }

    /// An operator by its name alone.
    fn operator(&mut self) -> Result<String, StatementError> {
        let Token::Op(name) = self.peek().clone() else { return Err(self.refuse()) };
        self.step();
        Ok(name)
    }

    fn index_constraint(
        &mut self,
        primary: bool,
        nulls_not_distinct: bool,
        without_overlaps: bool,
    ) -> Result<ConstraintKind, StatementError> {
        let include = if self.eat("include") { self.in_parens(Self::name)? } else { Vec::new() };
        let options = self.with_options()?;
        if self.is_word("using") {
            return Err(self.refuse());
        }
        Ok(ConstraintKind::Index(IndexConstraint { primary, nulls_not_distinct, without_overlaps, include, options }))
    }

    fn references(&mut self) -> Result<ConstraintKind, StatementError> {
        self.expect("references")?;
        let table = self.range_var()?;
        let columns = self.names()?;
        let mut actions = ForeignActions { full: self.eat("match full"), ..ForeignActions::default() };
        if self.is_word("match") && !self.eat("match simple") {
            return Err(match self.eat("match partial") {
                true => StatementError::server("0A000", "MATCH PARTIAL not yet implemented"),
                false => self.refuse(),
            });
        }
        let mut deleted = Vec::new();
        loop {
            if self.eat("on delete") {
                actions.delete = self.action()?;
                // of some columns only, from 15 on
                if matches!(actions.delete, ForeignAction::SetNull | ForeignAction::SetDefault) && self.is_op("(") {
                    deleted = self.in_parens(Self::name)?;
                }
            } else if self.eat("on update") {
                actions.update = self.action()?;
                if self.is_op("(") {
                    return Err(self.unsupported("a list of columns with ON UPDATE, which PostgreSQL refuses too"));
                }
            } else {
                return Ok(ConstraintKind::Foreign { table, columns, actions, deleted });
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
            Some((_, action)) => Ok(action),
            None => Err(self.refuse()),
        }
    }

    /// NOT VALID, and what says when it is checked (`ConstraintAttributeSpec`).
    fn with_attributes(&mut self, mut constraint: Constraint) -> Result<Constraint, StatementError> {
        let mut said = Said::default();
        if let Some(deferrable) = self.deferrable(&mut said)? {
            constraint.deferrable = deferrable;
        }
        (constraint.not_valid, constraint.enforced) = (said.not_valid, said.enforced);
        let may_be_unenforced = matches!(constraint.kind, ConstraintKind::Foreign { .. } | ConstraintKind::Check(_));
        if constraint.enforced == Some(false) && !may_be_unenforced {
            return Err(self.unsupported("NOT ENFORCED of anything but a CHECK or a foreign key"));
        }
        if self.eat("no inherit") {
            if !matches!(constraint.kind, ConstraintKind::Check(_)) {
                return Err(self.unsupported("NO INHERIT of anything but a CHECK"));
            }
            constraint.no_inherit = true;
        }
        if constraint.deferrable != Deferrable::No && matches!(constraint.kind, ConstraintKind::Check(_)) {
            return Err(StatementError::server("0A000", "CHECK constraints cannot be marked DEFERRABLE"));
        }
        Ok(constraint)
    }

    /// What stands with NOT NULL of a column.
    pub fn no_attributes(&self) -> Result<(), StatementError> {
        self.no_deferrable()?;
        match self.is_word("no") {
            true => Err(self.unsupported("NO INHERIT")),
            false => Ok(()),
        }
    }

    /// What stands with a column and is no key.
    fn no_deferrable(&self) -> Result<(), StatementError> {
        let is_deferred = *self.peek_second() == Token::Word("deferred".into());
        let clause = match (self.is_word("deferrable"), self.is_word("initially")) {
            (false, false) => return Ok(()),
            (true, _) => "DEFERRABLE",
            (_, true) if is_deferred => "INITIALLY DEFERRED",
            _ => "INITIALLY IMMEDIATE",
        };
        Err(StatementError::server("42601", format!("misplaced {clause} clause")).at(self.position()))
    }

    /// DEFERRABLE and its like, as far as they are said, and what else stands among them.
    pub fn deferrable(&mut self, said: &mut Said) -> Result<Option<Deferrable>, StatementError> {
        let (mut can, mut initially) = (None, None);
        loop {
            if self.eat("not valid") {
                said.not_valid = true;
                continue;
            }
            let is_not = self.eat("not enforced");
            if is_not || self.eat("enforced") {
                if said.enforced.replace(!is_not).is_some() {
                    return Err(self.unsupported("ENFORCED that is said twice"));
                }
                continue;
            }
            let words = [
                ("not deferrable", true, false),
                ("deferrable", true, true),
                ("initially immediate", false, false),
                ("initially deferred", false, true),
            ];
            let Some((_, is_can, value)) = words.into_iter().find(|(words, ..)| self.eat(words)) else { break };
            let of_both = if is_can { &mut can } else { &mut initially };
            if of_both.replace(value).is_some() {
                return Err(self.unsupported("DEFERRABLE or INITIALLY that is said twice"));
            }
        }
        match (can, initially) {
            (None, None) => Ok(None),
            (Some(false), Some(true)) => {
                let message = "constraint declared INITIALLY DEFERRED must be DEFERRABLE";
                Err(StatementError::server("42601", message).at(self.position()))
            }
            (_, Some(true)) => Ok(Some(Deferrable::Deferred)),
            (Some(true), _) => Ok(Some(Deferrable::Immediate)),
            _ => Ok(Some(Deferrable::No)),
        }
    }
}
