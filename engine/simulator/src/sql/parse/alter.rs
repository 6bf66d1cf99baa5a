//! ALTER TABLE, ALTER INDEX, and RENAME of whatever can be renamed.

use super::constraint::Said;
use super::cursor::Parser;
use super::lex::Token;
use crate::sql::StatementError;
use crate::sql::ast::{
    AlterAction, AlterTable, AlteredConstraint, DefElem, DropKind, Firing, Persistence, RangeVar, Rename, RenamePart,
    Renamed, ReplicaIdentity, SequenceOptions, Statement,
};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Actions of ALTER TABLE that there are.
const ACTIONS: &str = "ADD, DROP, ALTER and RENAME of columns and constraints, SET and RESET of options, SET LOGGED and UNLOGGED, OWNER TO, INHERIT, ATTACH and DETACH PARTITION, VALIDATE CONSTRAINT, CLUSTER ON, REPLICA IDENTITY, ENABLE and DISABLE TRIGGER";
/// The same of ALTER COLUMN.
const OF_COLUMNS: &str = "TYPE, SET and DROP of DEFAULT, NOT NULL and EXPRESSION, SET STATISTICS, STORAGE and COMPRESSION, and GENERATED AS IDENTITY";

impl Parser {
    /// After ALTER, and TABLE or INDEX or SEQUENCE: which relation, and what is to be another name; nothing where no
    /// RENAME follows.
    pub fn rename(&mut self, kind: Renamed) -> Result<Option<Statement>, StatementError> {
        let mark = self.mark();
        let (if_exists, name) = self.altered_relation(kind)?;
        if !self.eat("rename") {
            self.back_to(mark);
            return Ok(None);
        }
        let part = if self.eat("to") {
            RenamePart::Relation
        } else {
            let is_constraint = self.eat("constraint");
            let _ = is_constraint || self.eat("column");
            let name = self.name()?;
            self.expect("to")?;
            if is_constraint { RenamePart::Constraint(name) } else { RenamePart::Column(name) }
        };
        let to = self.name()?;
        Ok(Some(Statement::Rename(Rename { kind, if_exists, name, part, to })))
    }

    /// `IF EXISTS ONLY name *`
    fn altered_relation(&mut self, kind: Renamed) -> Result<(bool, RangeVar), StatementError> {
        let if_exists = self.eat("if exists");
        let name = if kind == Renamed::Stored(DropKind::Table) { self.relation_expr()? } else { self.range_var()? };
        Ok((if_exists, name))
    }

    /// After ALTER, and TABLE or INDEX.
    pub fn alter_table(&mut self, kind: DropKind) -> Result<AlterTable, StatementError> {
        let (if_exists, name) = self.altered_relation(Renamed::Stored(kind))?;
        let index = kind == DropKind::Index;
        let actions = self.list(|parser| parser.alter_action(index))?;
        Ok(AlterTable { index, if_exists, name, actions })
    }

    fn alter_action(&mut self, index: bool) -> Result<AlterAction, StatementError> {
        if self.is_word("set") && *self.peek_second() == Token::Op("(".into()) {
            self.step();
            return self.options().map(AlterAction::SetOptions);
        }
        if self.is_word("reset") && *self.peek_second() == Token::Op("(".into()) {
            self.step();
            return self.in_parens(Self::any_word).map(AlterAction::ResetOptions);
        }
        if index {
            return Err(self.unsupported_beside("this ALTER INDEX", "SET, RESET and RENAME"));
        }
        if let Some(action) = self.alter_partition()? {
            return Ok(action);
        }
        match self.peek().clone() {
            Token::Word(word) if word == "add" => self.add(),
            Token::Word(word) if word == "drop" => self.drop_part(),
            Token::Word(_) if self.eat("alter constraint") => self.alter_constraint(),
            Token::Word(word) if word == "alter" => self.alter_column(),
            Token::Word(word) if word == "replica" => self.replica_identity().map(AlterAction::ReplicaIdentity),
            Token::Word(_) if self.eat("validate constraint") => self.name().map(AlterAction::ValidateConstraint),
            Token::Word(_) if self.eat("set without cluster") => Ok(AlterAction::SetWithoutCluster),
            Token::Word(_) if self.eat("set logged") => Ok(AlterAction::SetPersistence(Persistence::Permanent)),
            Token::Word(_) if self.eat("set unlogged") => Ok(AlterAction::SetPersistence(Persistence::Unlogged)),
            Token::Word(_) if self.eat("cluster on") => self.name().map(AlterAction::ClusterOn),
            Token::Word(_) if self.eat("enable trigger") => self.alter_trigger(Firing::Origin),
            Token::Word(_) if self.eat("disable trigger") => self.alter_trigger(Firing::Disabled),
            Token::Word(_) if self.eat("enable replica trigger") => self.alter_trigger(Firing::Replica),
            Token::Word(_) if self.eat("enable always trigger") => self.alter_trigger(Firing::Always),
            Token::Word(_) if self.eat("inherit") => self.range_var().map(AlterAction::Inherit),
            Token::Word(_) if self.eat("no inherit") => self.range_var().map(AlterAction::NoInherit),
            Token::Word(_) if self.eat("owner to") => self.role().map(AlterAction::OwnerTo),
            Token::Word(word) => {
                Err(self.unsupported_beside(&format!("ALTER TABLE … {}", word.to_ascii_uppercase()), ACTIONS))
            }
            _ => Err(self.refuse()),
        }
    }

    fn add(&mut self) -> Result<AlterAction, StatementError> {
        self.step();
        if self.is_table_constraint() && !self.is_word("like") {
            return self.table_constraint().map(AlterAction::AddConstraint);
        }
        self.eat("column");
        let if_not_exists = self.eat("if not exists");
        let mut constraints = Vec::new();
        let column = self.column_def(&mut constraints)?;
        Ok(AlterAction::AddColumn { column, constraints, if_not_exists })
    }

    /// After ALTER CONSTRAINT.
    fn alter_constraint(&mut self) -> Result<AlterAction, StatementError> {
        let (name, mut said) = (self.name()?, Said::default());
        let deferrable = self.deferrable(&mut said)?;
        if said.not_valid {
            return Err(StatementError::server("0A000", "constraints cannot be altered to be NOT VALID"));
        }
        match said.enforced {
            None if deferrable.is_none() => Err(self.unsupported("ALTER CONSTRAINT that says nothing known")),
            enforced => Ok(AlterAction::AlterConstraint(name, AlteredConstraint { deferrable, enforced })),
        }
    }

    /// DROP COLUMN, DROP CONSTRAINT.
    fn drop_part(&mut self) -> Result<AlterAction, StatementError> {
        self.step();
        let is_constraint = self.eat("constraint");
        if !is_constraint {
            self.eat("column");
        }
        let if_exists = self.eat("if exists");
        let name = self.name()?;
        let cascade = self.eat("cascade");
        let _ = cascade || self.eat("restrict");
        Ok(match is_constraint {
            true => AlterAction::DropConstraint { name, if_exists, cascade },
            false => AlterAction::DropColumn { name, if_exists, cascade },
        })
    }

    fn replica_identity(&mut self) -> Result<ReplicaIdentity, StatementError> {
        self.expect("replica identity")?;
        if self.eat("using index") {
            return self.name().map(ReplicaIdentity::Index);
        }
        for (word, identity) in [
            ("default", ReplicaIdentity::Default),
            ("full", ReplicaIdentity::Full),
            ("nothing", ReplicaIdentity::Nothing),
        ] {
            if self.eat(word) {
                return Ok(identity);
            }
        }
        Err(self.refuse())
    }

    /// ALTER COLUMN.
    fn alter_column(&mut self) -> Result<AlterAction, StatementError> {
        self.step();
        self.eat("column");
        let column = self.name()?;
        if self.eat("add generated") {
            let always = self.eat("always as identity");
            if !always {
                self.expect("by default as identity")?;
            }
            return Ok(AlterAction::AddIdentity { column, always, options: self.identity_options()? });
        }
        if self.is_word("restart") || self.is_word("set") && *self.peek_second() == Token::Word("generated".into()) {
            return self.set_identity(column);
        }
        if self.eat("drop identity") {
            return Ok(AlterAction::DropIdentity { column, if_exists: self.eat("if exists") });
        }
        if self.eat("type") || self.eat("set data type") {
            let type_name = self.column_type()?;
            self.collation()?;
            let using = if self.eat("using") { Some(self.expr()?) } else { None };
            return Ok(AlterAction::SetType { column, type_name, using });
        }
        if self.eat("reset") {
            let options = self.options()?;
            return self.column_options(column, &options, false);
        }
        let set = self.eat("set");
        if set && self.is_op("(") {
            let options = self.options()?;
            return self.column_options(column, &options, true);
        }
        if !set && !self.is_word("drop") {
            return Err(self.unsupported_beside("this ALTER COLUMN", OF_COLUMNS));
        }
        if set && self.eat("compression") {
            return Ok(AlterAction::SetCompression { column, method: self.name_or_default()? });
        }
        if set && self.eat("storage") {
            return Ok(AlterAction::SetStorage { column, storage: self.name_or_default()? });
        }
        if set && self.eat("statistics") {
            let target = if self.eat("default") { -1 } else { self.integer()? };
            return Ok(AlterAction::SetStatistics { column, target });
        }
        if set && self.eat("default") {
            return Ok(AlterAction::SetDefault { column, default: Some(self.expr()?) });
        }
        if !set && self.eat("drop default") {
            return Ok(AlterAction::SetDefault { column, default: None });
        }
        if set && self.eat("expression as") {
            self.expect_op("(")?;
            let expr = self.expr()?;
            self.expect_op(")")?;
            return Ok(AlterAction::SetExpression { column, expr });
        }
        if !set && self.eat("drop expression") {
            return Ok(AlterAction::DropExpression { column, if_exists: self.eat("if exists") });
        }
        if set && self.eat("not null") || self.eat("drop not null") {
            return Ok(AlterAction::SetNotNull { column, not_null: set });
        }
        Err(self.unsupported_beside("this ALTER COLUMN", OF_COLUMNS))
    }

    /// `attoptions`, of which `n_distinct` alone is known.
    fn column_options(&self, column: String, options: &[DefElem], set: bool) -> Result<AlterAction, StatementError> {
        let [DefElem { name, value }] = options else { return Err(self.unsupported("several options of a column")) };
        let number = value.as_ref().and_then(|value| value.parse().ok());
        if name != "n_distinct" || number.is_some() != set {
            return Err(self.unsupported("another option of a column than n_distinct"));
        }
        Ok(AlterAction::SetDistinct { column, distinct: number })
    }

    /// SET GENERATED and RESTART, in any order.
    fn set_identity(&mut self, column: String) -> Result<AlterAction, StatementError> {
        let (mut always, mut options) = (None, SequenceOptions::default());
        loop {
            let before = always;
            if self.eat("set generated always") {
                always = Some(true);
            } else if self.eat("set generated by default") {
                always = Some(false);
            } else if self.eat("restart") {
                options.redundant |= options.restart.is_some();
                let has_value = self.eat("with") || matches!(self.peek(), Token::Number(_)) || self.is_op("-");
                options.restart = Some(if has_value { Some(self.integer()?) } else { None });
                continue;
            } else if self.is_word("set") {
                return Err(self.unsupported("SET of an option of an identity's sequence"));
            } else {
                return Ok(AlterAction::SetIdentity { column, always, options });
            }
            options.redundant |= before.is_some();
        }
    }
}
