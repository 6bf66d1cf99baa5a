//! FROM: tables, functions, queries, and JOIN between them (`table_ref` of src/backend/parser/gram.y).

use super::cursor::Parser;
use super::lex::Token;
use crate::sql::StatementError;
use crate::sql::ast::{Expr, ExprNode, FromItem, Join, JoinCondition, JoinKind, Literal, TableSample};
use crate::sql::catalog::looking::lists_columns;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Words between two sides that are joined.
const JOINS: &[(&str, JoinKind)] = &[
    ("join", JoinKind::Inner),
    ("inner join", JoinKind::Inner),
    ("left join", JoinKind::Left),
    ("left outer join", JoinKind::Left),
    ("right join", JoinKind::Right),
    ("right outer join", JoinKind::Right),
    ("full join", JoinKind::Full),
    ("full outer join", JoinKind::Full),
];

impl Parser {
    /// An item of FROM, with what is joined to it.
    pub fn item_of_from(&mut self) -> Result<FromItem, StatementError> {
        let mut left = self.joinable()?;
        loop {
            let crossed = self.eat("cross join");
            let natural = !crossed && self.eat("natural");
            let kind = if crossed {
                JoinKind::Inner
            } else {
                match JOINS.iter().find(|(words, _)| self.eat(words)) {
                    Some((_, kind)) => *kind,
                    None if natural => return Err(self.refuse()),
                    None => return Ok(left),
                }
            };
            // what follows at once is joined first: a JOIN b JOIN c ON … ON …
            let right = self.joinable()?;
            let condition = if crossed {
                JoinCondition::All
            } else if natural {
                JoinCondition::Natural
            } else if self.eat("using") {
                JoinCondition::Using(self.in_parens(Self::name)?)
            } else {
                if !self.eat("on") {
                    return Err(self.wrong_here());
                }
                JoinCondition::On(self.expr()?)
            };
            left = FromItem::Join(Box::new(Join { kind, left, right, condition }));
        }
    }

    /// An item without JOIN, unless in parentheses.
    fn joinable(&mut self) -> Result<FromItem, StatementError> {
        let lateral = self.eat("lateral");
        if self.is_word("rows") && *self.peek_second() == Token::Word("from".into()) {
            return Err(self.refuse());
        }
        if self.is_word("only") {
            return self.named_table();
        }
        if self.eat_op("(") {
            if !self.is_query() && !self.is_op("(") {
                self.deeper(1)?;
                let inner = self.item_of_from()?;
                self.depth -= 1;
                self.expect_op(")")?;
                return Ok(inner);
            }
            let query = Box::new(self.select()?);
            self.expect_op(")")?;
            let (alias, columns) = self.alias_and_columns()?;
            return Ok(FromItem::Query { query, alias, columns, lateral });
        }
        if self.is_word("json_table") && *self.peek_second() == Token::Op("(".into()) {
            return self.json_table();
        }
        if self.is_call() {
            let call = self.expr()?;
            let ordinality = self.eat("with ordinality");
            if let Some((alias, call)) = self.listed_columns(&call)? {
                return Ok(FromItem::Function { call, alias, columns: Vec::new(), ordinality });
            }
            let (alias, columns) = self.alias_and_columns()?;
            return Ok(FromItem::Function { call, alias, columns, ordinality });
        }
        self.named_table()
    }

    fn named_table(&mut self) -> Result<FromItem, StatementError> {
        let name = self.opened_table()?;
        if self.eat_op(".") {
            let message = alloc::format!("cross-database references are not implemented: \"{name}.{}\"", self.name()?);
            return Err(StatementError::server("0A000", message));
        }
        let (alias, columns) = self.alias_and_columns()?;
        let sample = if self.eat("tablesample") { Some(Box::new(self.table_sample()?)) } else { None };
        Ok(FromItem::Table { name, alias, columns, sample })
    }

    /// After TABLESAMPLE.
    fn table_sample(&mut self) -> Result<TableSample, StatementError> {
        let method = self.name()?;
        self.expect_op("(")?;
        let percent = self.sample_number()?;
        self.expect_op(")")?;
        let mut seed = None;
        if self.eat("repeatable") {
            self.expect_op("(")?;
            seed = Some(self.sample_number()?);
            self.expect_op(")")?;
        }
        Ok(TableSample { method, percent, seed })
    }

    fn sample_number(&mut self) -> Result<String, StatementError> {
        if self.eat_op("-") {
            return Ok(format!("-{}", self.sample_number()?));
        }
        let Token::Number(number) = self.peek() else {
            return Err(self.unsupported("a percentage or seed of TABLESAMPLE that is no number"));
        };
        let number = number.clone();
        self.step();
        Ok(number)
    }

    /// Does a function's name with its parenthesis come next, perhaps with its schema?
    fn is_call(&mut self) -> bool {
        let mark = self.mark();
        let has_name = self.maybe_name().is_some() && (!self.eat_op(".") || self.maybe_name().is_some());
        let is_call = has_name && self.is_op("(");
        self.back_to(mark);
        let is_keyword = ["current_user", "current_date", "session_user"].into_iter().any(|word| self.is_word(word));
        is_call || is_keyword
    }

    /// `func_alias_clause` with the types of the columns, which become arguments of the call.
    fn listed_columns(&mut self, call: &Expr) -> Result<Option<(Option<String>, Expr)>, StatementError> {
        let ExprNode::Function { name, .. } = &call.node else { return Ok(None) };
        if !lists_columns(name) {
            return Ok(None);
        }
        let mark = self.mark();
        let is_list = self.eat("as") && self.is_op("(");
        if !is_list {
            self.back_to(mark);
        }
        let alias = if is_list { None } else { self.alias()? };
        if !self.eat_op("(") {
            self.back_to(mark);
            return Ok(None);
        }
        let mut call = call.clone();
        let columns = self.list(|parser| {
            let (position, name) = (parser.position(), parser.name()?);
            let null = Box::new(Expr { node: ExprNode::Literal(Literal::Null), position });
            let value = Box::new(Expr { node: ExprNode::Cast(null, parser.type_name()?), position });
            Ok(Expr { node: ExprNode::Named(name, value), position })
        })?;
        self.expect_op(")")?;
        if let ExprNode::Function { args, .. } = &mut call.node {
            args.extend(columns);
        }
        Ok(Some((alias, call)))
    }

    pub(super) fn alias_and_columns(&mut self) -> Result<(Option<String>, Vec<String>), StatementError> {
        let alias = self.alias()?;
        let mark = self.mark();
        if alias.is_none() || !self.eat_op("(") {
            return Ok((alias, Vec::new()));
        }
        let columns = self.list(Self::name)?;
        if !self.eat_op(")") {
            self.back_to(mark);
            return Err(self.unsupported("a list of columns with types"));
        }
        Ok((alias, columns))
    }
}
