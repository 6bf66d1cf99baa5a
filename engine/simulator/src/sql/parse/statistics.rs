//! CREATE, ALTER and DROP STATISTICS (`CreateStatsStmt`, `AlterStatsStmt`, src/backend/parser/gram.y).

use super::cursor::Parser;
use super::lex::Token;
use crate::sql::StatementError;
use crate::sql::ast::{Expr, ExprNode, Object, Statement, StatisticsStatement};
use alloc::boxed::Box;
use alloc::vec::Vec;

fn statement(statement: StatisticsStatement) -> Statement {
    Statement::Object(Object::Statistics(statement))
}

impl Parser {
    /// After CREATE STATISTICS.
    pub fn create_statistics(&mut self) -> Result<Statement, StatementError> {
        let if_not_exists = self.eat("if not exists");
        let is_named = if_not_exists || !self.is_word("on") && !self.is_op("(");
        let name = if is_named { Some(self.range_var()?) } else { None };
        let kinds = if self.is_op("(") { self.in_parens(Self::name)? } else { Vec::new() };
        self.expect("on")?;
        let (mut columns, mut exprs) = (Vec::new(), Vec::new());
        self.list(|parser| {
            let is_call = *parser.peek_second() == Token::Op("(".into());
            if parser.is_op("(") || is_call {
                exprs.push(parser.statistics_expr(is_call)?);
            } else {
                columns.push(parser.name()?);
            }
            Ok(())
        })?;
        if exprs.len() > 1 || !exprs.is_empty() && !columns.is_empty() {
            return Err(self.unsupported("CREATE STATISTICS of an expression with others"));
        }
        let expr = exprs.pop().map(Box::new);
        self.expect("from")?;
        let table = self.range_var()?;
        Ok(statement(StatisticsStatement::Create { name, if_not_exists, kinds, columns, expr, table }))
    }

    /// `stats_param`: a call, or an expression in parentheses.
    fn statistics_expr(&mut self, is_call: bool) -> Result<Expr, StatementError> {
        if !is_call {
            self.expect_op("(")?;
        }
        let at = self.position();
        let expr = self.expr()?;
        if !is_call {
            self.expect_op(")")?;
        } else if !matches!(expr.node, ExprNode::Function { .. }) {
            return Err(StatementError::syntax(self.text(), at));
        }
        Ok(expr)
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
