//! CREATE, ALTER and DROP STATISTICS (`CreateStatsStmt`, `AlterStatsStmt`, src/backend/parser/gram.y).

use super::cursor::Parser;
use super::lex::Token;
use crate::sql::StatementError;
use crate::sql::ast::{Object, Statement, StatisticsStatement};
use alloc::vec::Vec;

fn statement(statement: StatisticsStatement) -> Statement {
    Statement::Object(Object::Statistics(statement))
}

impl Parser {
    /// After CREATE STATISTICS.
    pub fn create_statistics(&mut self) -> Result<Statement, StatementError> {
        let if_not_exists = self.eat("if not exists");
        if self.is_word("on") {
            return Err(self.unsupported("CREATE STATISTICS without a name"));
        }
        let name = self.range_var()?;
        let kinds = if self.is_op("(") { self.in_parens(Self::name)? } else { Vec::new() };
        self.expect("on")?;
        let columns = self.list(|parser| {
            let is_call = *parser.peek_second() == Token::Op("(".into());
            if parser.is_op("(") || is_call {
                return Err(parser.unsupported("CREATE STATISTICS of an expression"));
            }
            parser.name()
        })?;
        self.expect("from")?;
        let table = self.range_var()?;
        Ok(statement(StatisticsStatement::Create { name, if_not_exists, kinds, columns, table }))
    }

    /// After ALTER STATISTICS.
    pub fn alter_statistics(&mut self) -> Result<Statement, StatementError> {
        let if_exists = self.eat("if exists");
        let name = self.range_var()?;
        if !if_exists && self.eat("rename to") {
            return Ok(statement(StatisticsStatement::Rename { name, to: self.name()? }));
        }
        if !self.eat("set statistics") {
            return Err(self.unsupported("ALTER STATISTICS other than SET STATISTICS and RENAME"));
        }
        let target = if self.eat("default") { -1 } else { self.integer()? };
        Ok(statement(StatisticsStatement::SetTarget { name, if_exists, target }))
    }

    /// After DROP STATISTICS.
    pub fn drop_statistics(&mut self) -> Result<Statement, StatementError> {
        let if_exists = self.eat("if exists");
        let names = self.list(Self::range_var)?;
        let _ = self.eat("cascade") || self.eat("restrict");
        Ok(statement(StatisticsStatement::Drop { names, if_exists }))
    }
}
