//! CREATE SEQUENCE.

use super::cursor::Parser;
use crate::datum::SqlType;
use crate::sql::StatementError;
use crate::sql::ast::CreateSequence;

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
        };
        while self.sequence_option(&mut create)? {}
        Ok(create)
    }

    /// An option; false when none follows.
    fn sequence_option(&mut self, create: &mut CreateSequence) -> Result<bool, StatementError> {
        if self.eat("as") {
            create.type_name = self.type_name()?;
        } else if self.eat("start") {
            self.eat("with");
            create.start = Some(self.integer()?);
        } else if self.eat("increment") {
            self.eat("by");
            create.increment = Some(self.integer()?);
        } else if self.eat("no minvalue") {
            create.min = None;
        } else if self.eat("no maxvalue") {
            create.max = None;
        } else if self.eat("minvalue") {
            create.min = Some(self.integer()?);
        } else if self.eat("maxvalue") {
            create.max = Some(self.integer()?);
        } else if self.eat("no cycle") {
            create.cycle = false;
        } else if self.eat("cycle") {
            create.cycle = true;
        } else if self.eat("cache") {
            if self.integer()? != 1 {
                return Err(self.unsupported("CACHE of more than one value"));
            }
        } else if self.is_word("owned") {
            return Err(self.unsupported("OWNED BY"));
        } else {
            return Ok(false);
        }
        Ok(true)
    }
}
