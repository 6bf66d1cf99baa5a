//! CREATE SEQUENCE.

use super::cursor::Parser;
use crate::datum::SqlType;
use crate::sql::StatementError;
use crate::sql::ast::CreateSequence;
use alloc::vec::Vec;

impl Parser {
    /// After CREATE SEQUENCE.
    pub fn create_sequence(&mut self) -> Result<CreateSequence, StatementError> {
        let if_not_exists = self.eat("if not exists");
        let name = self.range_var()?;
        let mut create = CreateSequence {
            name,
            if_not_exists,
            type_name: SqlType::INT8,
            start: None,
            increment: None,
            min: None,
            max: None,
            cycle: false,
            redundant: false,
        };
        let mut given = Vec::new();
        while let Some(option) = self.sequence_option(&mut create)? {
            create.redundant |= given.contains(&option);
            given.push(option);
        }
        Ok(create)
    }

    /// An option, by its name in `init_params`; `None` when none follows.
    fn sequence_option(&mut self, create: &mut CreateSequence) -> Result<Option<&'static str>, StatementError> {
        Ok(Some(if self.eat("as") {
            create.type_name = self.type_name()?;
            "as"
        } else if self.eat("start") {
            self.eat("with");
            create.start = Some(self.integer()?);
            "start"
        } else if self.eat("increment") {
            self.eat("by");
            create.increment = Some(self.integer()?);
            "increment"
        } else if self.eat("no minvalue") {
            "minvalue"
        } else if self.eat("no maxvalue") {
            "maxvalue"
        } else if self.eat("minvalue") {
            create.min = Some(self.integer()?);
            "minvalue"
        } else if self.eat("maxvalue") {
            create.max = Some(self.integer()?);
            "maxvalue"
        } else if self.eat("no cycle") {
            "cycle"
        } else if self.eat("cycle") {
            create.cycle = true;
            "cycle"
        } else if self.eat("cache") {
            if self.integer()? != 1 {
                return Err(self.unsupported("CACHE of more than one value"));
            }
            "cache"
        } else if self.is_word("owned") {
            return Err(self.unsupported("OWNED BY"));
        } else {
            return Ok(None);
        }))
    }
}
