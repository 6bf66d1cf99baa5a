//! Partitions of CREATE TABLE and ALTER TABLE (`PartitionSpec`, `PartitionBoundSpec`, src/backend/parser/gram.y).

use super::cursor::Parser;
use super::lex::Token;
use crate::sql::StatementError;
use crate::sql::ast::{
    AlterAction, BoundDatum, BoundSpec, DetachHow, PartitionBy, PartitionOf, PartitionStrategy, RangeVar,
};
use crate::sql::error::Position;
use alloc::string::String;
use alloc::vec::Vec;

/// What a statement names behind ONLY, which matters of partitioned tables alone, and where.
#[must_use]
pub fn named_only(sql: &str) -> Vec<(RangeVar, Position)> {
    let Ok(mut parser) = Parser::new(sql) else { return Vec::new() };
    let mut named = Vec::new();
    while *parser.peek() != Token::End {
        let at = parser.position();
        if !parser.eat("only") {
            parser.step();
            continue;
        }
        parser.eat_op("(");
        let mark = parser.mark();
        match parser.range_var() {
            Ok(name) => named.push((name, at)),
            Err(_) => parser.back_to(mark),
        }
    }
    named
}

impl Parser {
    /// PARTITION BY, where it is there.
    pub fn partition_by(&mut self) -> Result<Option<PartitionBy>, StatementError> {
        if !self.eat("partition by") {
            return Ok(None);
        }
        let found = PartitionStrategy::ALL.into_iter().find(|(word, _)| self.eat(word));
        let Some((_, strategy)) = found else { return Err(self.refuse()) };
        Ok(Some(PartitionBy { strategy, columns: self.in_parens(Self::partition_column)? }))
    }

    fn partition_column(&mut self) -> Result<String, StatementError> {
        let at = self.position();
        let is_call = *self.peek_second() == Token::Op("(".into());
        if self.is_op("(") || is_call {
            return Err(self.unsupported("an expression as partition key"));
        }
        let name = self.name()?;
        self.collation()?;
        if !self.is_op(",") && !self.is_op(")") {
            let refused = self.unsupported("an operator class of a partition key");
            return Err(StatementError { position: Some(at), ..refused });
        }
        Ok(name)
    }

    /// After PARTITION OF.
    pub fn partition_of(&mut self) -> Result<PartitionOf, StatementError> {
        let table = self.range_var()?;
        if self.is_op("(") {
            return Err(self.unsupported("a partition with constraints or defaults of its own"));
        }
        Ok(PartitionOf { table, bound: self.bound_spec()? })
    }

    fn bound_spec(&mut self) -> Result<BoundSpec, StatementError> {
        if self.eat("default") {
            return Ok(BoundSpec::Default);
        }
        self.expect("for values")?;
        if self.eat("in") {
            return self.in_parens(Self::expr).map(BoundSpec::In);
        }
        if self.eat("with") {
            return self.hash_bound();
        }
        self.expect("from")?;
        let from = self.in_parens(Self::bound_datum)?;
        self.expect("to")?;
        Ok(BoundSpec::FromTo(from, self.in_parens(Self::bound_datum)?))
    }

    fn bound_datum(&mut self) -> Result<BoundDatum, StatementError> {
        if self.eat("minvalue") {
            return Ok(BoundDatum::MinValue);
        }
        if self.eat("maxvalue") {
            return Ok(BoundDatum::MaxValue);
        }
        self.expr().map(BoundDatum::Value)
    }

    /// `(MODULUS n, REMAINDER n)`, in whichever order.
    fn hash_bound(&mut self) -> Result<BoundSpec, StatementError> {
        let (mut modulus, mut remainder) = (None, None);
        self.in_parens(|parser| {
            let place = match () {
                () if parser.eat("modulus") => &mut modulus,
                () if parser.eat("remainder") => &mut remainder,
                () => return Err(parser.refuse()),
            };
            *place = Some(parser.integer()?);
            Ok(())
        })?;
        match (modulus, remainder) {
            (Some(modulus), Some(remainder)) => Ok(BoundSpec::With(modulus, remainder)),
            _ => Err(self.refuse()),
        }
    }

    /// ATTACH PARTITION, DETACH PARTITION of ALTER TABLE, where one comes next.
    pub fn alter_partition(&mut self) -> Result<Option<AlterAction>, StatementError> {
        if self.eat("attach partition") {
            let name = self.range_var()?;
            return Ok(Some(AlterAction::AttachPartition(PartitionOf { table: name, bound: self.bound_spec()? })));
        }
        if !self.eat("detach partition") {
            return Ok(None);
        }
        let name = self.range_var()?;
        let how = match () {
            () if self.eat("concurrently") => DetachHow::Concurrently,
            () if self.eat("finalize") => DetachHow::Finalize,
            () => DetachHow::Plainly,
        };
        Ok(Some(AlterAction::DetachPartition(name, how)))
    }
}
