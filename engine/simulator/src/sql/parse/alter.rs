//! CREATE INDEX, DROP, TRUNCATE, ALTER TABLE and ALTER INDEX.

use super::cursor::Parser;
use super::lex::Token;
use crate::sql::StatementError;
use crate::sql::ast::{
    AlterAction, AlterTable, CreateIndex, Drop, DropKind, ExprNode, IndexElem, IndexMethod, RangeVar, ReplicaIdentity,
};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

impl Parser {
    /// After CREATE, and UNIQUE, and INDEX.
    pub fn create_index(&mut self, unique: bool) -> Result<CreateIndex, StatementError> {
        if self.is_word("concurrently") {
            return Err(self.refuse());
        }
        let if_not_exists = self.eat("if not exists");
        let name = if self.is_word("on") { None } else { Some(self.name()?) };
        self.expect("on")?;
        let table = self.range_var()?;
        let method = if self.eat("using") { self.index_method()? } else { IndexMethod::Btree };
        let keys = self.in_parens(Self::index_elem)?;
        let include = if self.eat("include") { self.in_parens(Self::name)? } else { Vec::new() };
        let nulls_not_distinct = self.eat("nulls not distinct");
        if !nulls_not_distinct {
            self.eat("nulls distinct");
        }
        let options = self.with_options()?;
        let predicate = if self.eat("where") { Some(self.expr()?) } else { None };
        Ok(CreateIndex {
            name,
            table,
            unique,
            if_not_exists,
            method,
            keys,
            include,
            nulls_not_distinct,
            options,
            predicate,
        })
    }

    fn index_method(&mut self) -> Result<IndexMethod, StatementError> {
        let at = self.position();
        match self.name()?.as_str() {
            "btree" => Ok(IndexMethod::Btree),
            "brin" => Ok(IndexMethod::Brin),
            other => {
                Err(StatementError { position: Some(at), ..self.unsupported(&format!("an index of type {other}")) })
            }
        }
    }

    /// A column, a function, or an expression in parentheses.
    fn index_elem(&mut self) -> Result<IndexElem, StatementError> {
        let at = self.position();
        let in_parens = self.is_op("(");
        let expr = self.expr()?;
        let plain = matches!(expr.node, ExprNode::Column { table: None, .. } | ExprNode::Function { .. });
        if !in_parens && !plain {
            return Err(StatementError::syntax(self.text(), at));
        }
        if let Token::Word(word) = self.peek()
            && !["asc", "desc", "nulls"].contains(&word.as_str())
        {
            return Err(self.unsupported("an operator class or a collation"));
        }
        let (descending, nulls_first) = self.direction()?;
        Ok(IndexElem { expr, descending, nulls_first })
    }

    /// After DROP.
    pub fn drop_relation(&mut self) -> Result<Drop, StatementError> {
        let kind = if self.eat("index") {
            DropKind::Index
        } else if self.eat("table") {
            DropKind::Table
        } else if self.eat("sequence") {
            DropKind::Sequence
        } else {
            return Err(self.unsupported("DROP of anything but a TABLE, an INDEX or a SEQUENCE"));
        };
        let if_exists = self.eat("if exists");
        let names = self.list(Self::range_var)?;
        let cascade = self.eat("cascade");
        if !cascade {
            self.eat("restrict");
        }
        Ok(Drop { kind, if_exists, names, cascade })
    }

    /// After TRUNCATE.
    pub fn truncate(&mut self) -> Result<Vec<RangeVar>, StatementError> {
        self.eat("table");
        self.eat("only");
        let tables = self.list(Self::range_var)?;
        if self.is_word("restart") {
            return Err(self.unsupported("RESTART IDENTITY"));
        }
        self.eat("continue identity");
        self.eat("restrict");
        Ok(tables)
    }

    /// After ALTER, and TABLE or INDEX.
    pub fn alter_table(&mut self, index: bool) -> Result<AlterTable, StatementError> {
        if self.is_word("if") || self.is_word("only") {
            return Err(self.unsupported("IF EXISTS and ONLY"));
        }
        let name = self.range_var()?;
        let actions = self.list(|parser| parser.alter_action(index))?;
        Ok(AlterTable { index, name, actions })
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
            return Err(self.unsupported("this ALTER INDEX"));
        }
        match self.peek().clone() {
            Token::Word(word) if word == "add" => self.add_column(),
            Token::Word(word) if word == "drop" => self.drop_column(),
            Token::Word(word) if word == "alter" => self.alter_column(),
            Token::Word(word) if word == "replica" => self.replica_identity().map(AlterAction::ReplicaIdentity),
            Token::Word(word) => Err(self.unsupported(&format!("ALTER TABLE … {}", word.to_ascii_uppercase()))),
            _ => Err(self.refuse()),
        }
    }

    fn add_column(&mut self) -> Result<AlterAction, StatementError> {
        self.step();
        for word in ["constraint", "primary", "unique", "foreign", "check", "exclude"] {
            if self.is_word(word) {
                return Err(self.unsupported("ADD of a constraint"));
            }
        }
        self.eat("column");
        let if_not_exists = self.eat("if not exists");
        let at = self.position();
        let mut constraints = Vec::new();
        let column = self.column_def(&mut constraints)?;
        if !constraints.is_empty() {
            return Err(StatementError { position: Some(at), ..self.unsupported("ADD COLUMN with a constraint") });
        }
        Ok(AlterAction::AddColumn { column, if_not_exists })
    }

    fn drop_column(&mut self) -> Result<AlterAction, StatementError> {
        self.step();
        if self.is_word("constraint") {
            return Err(self.unsupported("DROP CONSTRAINT"));
        }
        self.eat("column");
        let if_exists = self.eat("if exists");
        let name = self.name()?;
        if self.is_word("cascade") {
            return Err(self.refuse());
        }
        self.eat("restrict");
        Ok(AlterAction::DropColumn { name, if_exists })
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

    /// SET STORAGE, SET COMPRESSION.
    fn alter_column(&mut self) -> Result<AlterAction, StatementError> {
        self.step();
        self.eat("column");
        let column = self.name()?;
        if self.eat("set compression") {
            return Ok(AlterAction::SetCompression { column, method: self.any_word()? });
        }
        if !self.eat("set storage") {
            return Err(self.unsupported("ALTER COLUMN other than SET STORAGE and SET COMPRESSION"));
        }
        let word: String = self.any_word()?;
        let storage = match word.as_str() {
            "plain" => 'p',
            "external" => 'e',
            "main" => 'm',
            "extended" => 'x',
            _ => return Err(StatementError::server("22023", format!("invalid storage type \"{word}\""))),
        };
        Ok(AlterAction::SetStorage { column, storage })
    }
}
