//! CREATE SEQUENCE, ALTER SEQUENCE.

use super::cursor::Parser;
use super::lex::Token;
use crate::sql::StatementError;
use crate::sql::ast::{AlterSequence, CreateSequence, OwnedBy, RangeVar, SequenceOptions};
use alloc::format;
use alloc::vec::Vec;

impl Parser {
    /// After CREATE SEQUENCE.
    pub fn create_sequence(&mut self) -> Result<CreateSequence, StatementError> {
        let if_not_exists = self.eat("if not exists");
        let name = self.range_var()?;
        let (options, _) = self.sequence_options()?;
        Ok(CreateSequence { name, if_not_exists, options })
    }

    /// After ALTER SEQUENCE.
    pub fn alter_sequence(&mut self) -> Result<AlterSequence, StatementError> {
        let if_exists = self.eat("if exists");
        let name = self.range_var()?;
        let (options, count) = self.sequence_options()?;
        match self.peek() {
            Token::Word(word) if count == 0 => {
                Err(self.unsupported(&format!("ALTER SEQUENCE … {}", word.to_ascii_uppercase())))
            }
            _ if count == 0 => Err(self.refuse()),
            _ => Ok(AlterSequence { name, if_exists, options }),
        }
    }

    /// The options, and how many there are.
    pub fn sequence_options(&mut self) -> Result<(SequenceOptions, usize), StatementError> {
        let mut options = SequenceOptions::default();
        let mut given = Vec::new();
        while let Some(option) = self.sequence_option(&mut options)? {
            options.redundant |= given.contains(&option);
            given.push(option);
        }
        Ok((options, given.len()))
    }

    /// An option, by its name in `init_params`; `None` when none follows.
    fn sequence_option(&mut self, options: &mut SequenceOptions) -> Result<Option<&'static str>, StatementError> {
        Ok(Some(if self.eat("as") {
            options.type_name = Some(self.type_name()?);
            "as"
        } else if self.eat("start") {
            self.eat("with");
            options.start = Some(self.integer()?);
            "start"
        } else if self.eat("restart") {
            let has_value = self.eat("with") || self.is_op("-") || matches!(self.peek(), Token::Number(_));
            options.restart = Some(if has_value { Some(self.integer()?) } else { None });
            "restart"
        } else if self.eat("increment") {
            self.eat("by");
            options.increment = Some(self.integer()?);
            "increment"
        } else if self.eat("no minvalue") {
            options.min = Some(None);
            "minvalue"
        } else if self.eat("no maxvalue") {
            options.max = Some(None);
            "maxvalue"
        } else if self.eat("minvalue") {
            options.min = Some(Some(self.integer()?));
            "minvalue"
        } else if self.eat("maxvalue") {
            options.max = Some(Some(self.integer()?));
            "maxvalue"
        } else if self.eat("no cycle") {
            options.cycle = Some(false);
            "cycle"
        } else if self.eat("cycle") {
            options.cycle = Some(true);
            "cycle"
        } else if self.eat("cache") {
            options.cache = Some(self.integer()?);
            "cache"
        } else if self.eat("owned by") {
            options.owned_by = Some(self.owned_by()?);
            "owned_by"
        } else if self.eat("sequence name") {
            options.name = Some(self.range_var()?);
            "sequence_name"
        } else {
            return Ok(None);
        }))
    }

    fn owned_by(&mut self) -> Result<OwnedBy, StatementError> {
        if self.eat("none") {
            return Ok(OwnedBy::None);
        }
        let RangeVar { schema, name, .. } = self.range_var()?;
        if self.eat_op(".") {
            return Ok(OwnedBy::Column(RangeVar::new(schema, name), self.name()?));
        }
        match schema {
            Some(table) => Ok(OwnedBy::Column(RangeVar::new(None, table), name)),
            None => Err(StatementError::server("42601", "invalid OWNED BY option")),
        }
    }
}
