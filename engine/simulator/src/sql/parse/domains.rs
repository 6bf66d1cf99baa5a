//! CREATE DOMAIN, ALTER DOMAIN, DROP DOMAIN (`CreateDomainStmt`, `AlterDomainStmt`, src/backend/parser/gram.y).

use super::cursor::Parser;
use crate::sql::StatementError;
use crate::sql::ast::{DomainAction, DomainClause, DomainStatement, Object, Statement};
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::datum::SqlType;
use ffviz_format::datum::enums::is_enum;

fn statement(domain: DomainStatement) -> Statement {
    Statement::Object(Object::Domain(Box::new(domain)))
}

impl Parser {
    /// After CREATE DOMAIN.
    pub fn create_domain(&mut self) -> Result<Statement, StatementError> {
        let name = self.range_var()?;
        self.eat("as");
        let base = self.base_type()?;
        self.collation()?;
        let mut clauses = Vec::new();
        while let Some(clause) = self.domain_clause()? {
            clauses.push(clause);
        }
        Ok(statement(DomainStatement::Create { name, base, clauses }))
    }

    /// The type that a domain is over.
    fn base_type(&mut self) -> Result<SqlType, StatementError> {
        if self.domain()?.is_some() {
            return Err(self.unsupported("a domain over a domain"));
        }
        let base = self.column_type()?;
        if is_enum(base.oid) { Err(self.unsupported("a domain over an enum")) } else { Ok(base) }
    }

    /// One of NOT NULL, DEFAULT, CHECK …; nothing when none follows.
    fn domain_clause(&mut self) -> Result<Option<DomainClause>, StatementError> {
        const OF_TABLES: [(&str, &str); 3] =
            [("unique", "unique"), ("primary key", "primary key"), ("references", "foreign key")];
        let name = self.constraint_name()?;
        if self.eat("not null") {
            return Ok(Some(DomainClause::NotNull(name)));
        }
        if self.eat("null") {
            return Ok(Some(DomainClause::Null));
        }
        if self.eat("check") {
            self.expect_op("(")?;
            let expr = self.expr()?;
            self.expect_op(")")?;
            return Ok(Some(DomainClause::Check(name, expr)));
        }
        if let Some((words, what)) = OF_TABLES.into_iter().find(|(words, _)| self.eat(words)) {
            if words == "references" {
                self.range_var()?;
                self.names()?;
            }
            return Ok(Some(DomainClause::OfTable(what)));
        }
        if name.is_none() && self.eat("default") {
            return Ok(Some(DomainClause::Default(self.expr()?)));
        }
        if name.is_some() { Err(self.refuse()) } else { Ok(None) }
    }

    /// After DROP DOMAIN.
    pub fn drop_domain(&mut self) -> Result<Statement, StatementError> {
        let if_exists = self.eat("if exists");
        let names = self.list(Self::range_var)?;
        let cascade = self.eat("cascade");
        if !cascade {
            self.eat("restrict");
        }
        Ok(statement(DomainStatement::Drop { names, if_exists, cascade }))
    }

    /// After ALTER DOMAIN.
    pub fn alter_domain(&mut self) -> Result<Statement, StatementError> {
        let name = self.range_var()?;
        let action = self.domain_action()?;
        Ok(statement(DomainStatement::Alter { name, action }))
    }

    fn domain_action(&mut self) -> Result<DomainAction, StatementError> {
        if self.eat("set default") {
            return Ok(DomainAction::Default(Some(self.expr()?)));
        }
        if self.eat("drop default") {
            return Ok(DomainAction::Default(None));
        }
        if self.eat("set not null") {
            return Ok(DomainAction::NotNull(true));
        }
        if self.eat("drop not null") {
            return Ok(DomainAction::NotNull(false));
        }
        if self.eat("add") {
            return self.added_check();
        }
        if self.eat("validate constraint") {
            return Ok(DomainAction::Validate(self.name()?));
        }
        if self.eat("drop constraint") {
            let if_exists = self.eat("if exists");
            let name = self.name()?;
            // nothing hangs on it
            let _ = self.eat("cascade") || self.eat("restrict");
            return Ok(DomainAction::DropConstraint { name, if_exists });
        }
        if self.eat("rename to") {
            return Ok(DomainAction::Rename(self.name()?));
        }
        if self.eat("rename constraint") {
            let from: String = self.name()?;
            self.expect("to")?;
            return Ok(DomainAction::RenameConstraint(from, self.name()?));
        }
        Err(self.unsupported("this ALTER DOMAIN"))
    }

    /// After ADD.
    fn added_check(&mut self) -> Result<DomainAction, StatementError> {
        let name = self.constraint_name()?;
        if !self.eat("check") {
            return Err(self.unsupported("ALTER DOMAIN ADD other than CHECK"));
        }
        self.expect_op("(")?;
        let expr = self.expr()?;
        self.expect_op(")")?;
        Ok(DomainAction::AddCheck { name, expr, not_valid: self.eat("not valid") })
    }
}
