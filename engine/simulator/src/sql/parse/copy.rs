//! COPY: from STDIN, to STDOUT; options in parentheses, and as they were written before there were any.

use super::cursor::Parser;
use super::lex::Token;
use crate::sql::StatementError;
use crate::sql::ast::{
    CommonTable, Copy, CopyFormat, CopyTo, DefElem, Delete, Expr, ExprNode, FromItem, Insert, RangeVar, Select,
    Statement, Target, Update,
};
use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// Options as they are read.
#[derive(Default)]
struct Options {
    freeze: bool,
    csv: bool,
    header: bool,
    delimiter: Option<String>,
    null: Option<String>,
    quote: Option<String>,
    ignores_errors: bool,
    reject_limit: Option<u64>,
    default: Option<String>,
    matches_header: bool,
    /// those that not all versions have, and the first that has them
    newer: Vec<(String, u32)>,
}

impl Parser {
    /// After COPY.
    pub fn copy(&mut self) -> Result<Statement, StatementError> {
        if self.eat_op("(") {
            let query = match self.query_or_change()? {
                Statement::Select(select) => Box::new(select),
                change => Box::new(of_change(change)?),
            };
            self.expect_op(")")?;
            return self.copy_to(None, query);
        }
        let table = self.range_var()?;
        let columns = self.names()?;
        if self.is_word("to") {
            let position = self.position();
            let column = |name: &String| Target::Expr {
                expr: Expr { node: ExprNode::Column { table: None, name: name.clone() }, position },
                alias: None,
            };
            let all = Vec::from([Target::Star(None)]);
            let targets = if columns.is_empty() { all } else { columns.iter().map(column).collect() };
            // the rows of the table alone
            let name = RangeVar { only: true, ..table.clone() };
            let from = Vec::from([FromItem::Table { name, alias: None, columns: Vec::new(), sample: None }]);
            return self.copy_to(Some(table), Box::new(Select { targets, from, ..Select::default() }));
        }
        self.expect("from")?;
        if !self.eat("stdin") {
            return Err(self.unsupported("COPY from anything but STDIN"));
        }
        let options = self.copy_options()?;
        let (freeze, ignores_errors, newer) = (options.freeze, options.ignores_errors, options.newer.clone());
        let (reject_limit, matches_header) = (options.reject_limit, options.matches_header);
        let default = options.default.clone();
        let format = options.format(self)?;
        let filter = if self.eat("where") { Some(Box::new(self.expr()?)) } else { None };
        Ok(Statement::Copy(Copy {
            table,
            columns,
            freeze,
            format,
            ignores_errors,
            reject_limit,
            matches_header,
            default,
            filter,
            newer,
        }))
    }

    fn copy_to(&mut self, relation: Option<RangeVar>, query: Box<Select>) -> Result<Statement, StatementError> {
        self.expect("to")?;
        if !self.eat("stdout") {
            return Err(self.unsupported("COPY to anything but STDOUT"));
        }
        let options = self.copy_options()?;
        if options.default.is_some() {
            return Err(self.unsupported("DEFAULT of COPY TO"));
        }
        options.format(self)?;
        if relation.is_some() && self.is_word("where") {
            let error = StatementError::server("42601", "WHERE clause not allowed with COPY TO");
            return Err(error.at(self.position()));
        }
        Ok(Statement::CopyTo(CopyTo { relation, query }))
    }

    fn copy_options(&mut self) -> Result<Options, StatementError> {
        let mut options = Options::default();
        self.eat("with");
        if self.is_op("(") {
            let at = self.position();
            let all = self.in_parens(Self::copy_option)?;
            for option in all.into_iter().flatten() {
                let value = option.value.as_deref();
                if let Some(since) = since(&option.name) {
                    options.newer.push((option.name.clone(), since));
                }
                match option.name.as_str() {
                    "on_error" => options.ignores_errors = on_error(value)?,
                    "log_verbosity" if matches!(value, Some("default" | "verbose" | "silent")) => {}
                    "encoding"
                        if value.is_some_and(|name| ["utf8", "utf-8"].contains(&&*name.to_ascii_lowercase())) => {}
                    "freeze" => options.freeze = self.boolean("freeze", value)?,
                    "format" if value == Some("text") => {}
                    "format" if value == Some("csv") => options.csv = true,
                    "reject_limit" => options.reject_limit = Some(reject_limit(value)?),
                    "format" if value == Some("binary") => {
                        return Err(StatementError { position: Some(at), ..self.unsupported("COPY in binary format") });
                    }
                    "format" => {
                        let message = format!("COPY format \"{}\" not recognized", value.unwrap_or_default());
                        return Err(StatementError::server("22023", message).at(at));
                    }
                    "header" if value == Some("match") => {
                        options.matches_header = true;
                        options.newer.push((option.name.clone(), MATCHES_HEADER));
                    }
                    "header" => options.header = self.boolean("header", value)?,
                    "delimiter" => options.delimiter = value.map(ToString::to_string),
                    "null" => options.null = value.map(ToString::to_string),
                    "quote" => options.quote = value.map(ToString::to_string),
                    "default" => options.default = value.map(ToString::to_string),
                    name => {
                        let what = format!("COPY option {}", name.to_ascii_uppercase());
                        return Err(StatementError { position: Some(at), ..self.unsupported(&what) });
                    }
                }
            }
            return Ok(options);
        }
        loop {
            if self.eat("freeze") {
                options.freeze = true
            } else if self.eat("csv") {
                options.csv = true
            } else if self.eat("header") {
                options.header = true
            } else if self.eat("delimiter") {
                options.delimiter = Some(self.copy_sign()?)
            } else if self.eat("null") {
                options.null = Some(self.copy_sign()?)
            } else if self.eat("quote") {
                options.quote = Some(self.copy_sign()?)
            } else {
                return Ok(options);
            }
        }
    }

    /// An option; nothing of one that says how values are written only.
    fn copy_option(&mut self) -> Result<Option<DefElem>, StatementError> {
        let name = self.any_word()?;
        if name == "force_quote" {
            if !self.eat_op("*") {
                self.in_parens(Self::name)?;
            }
            return Ok(None);
        }
        let has_value = !self.is_op(",") && !self.is_op(")");
        Ok(Some(DefElem { name, value: if has_value { Some(self.setting_value()?) } else { None } }))
    }

    /// AS, where it is written, and a string.
    fn copy_sign(&mut self) -> Result<String, StatementError> {
        self.eat("as");
        let Token::String(text) = self.peek() else { return Err(self.refuse()) };
        let text = text.clone();
        self.step();
        Ok(text)
    }
}

/// The first version that has HEADER match.
const MATCHES_HEADER: u32 = 15;

/// A statement that gives the rows that it changes, as a query.
fn of_change(statement: Statement) -> Result<Select, StatementError> {
    let returning = match &statement {
        Statement::Insert(Insert { returning, .. })
        | Statement::Update(Update { returning, .. })
        | Statement::Delete(Delete { returning, .. }) => !returning.is_empty(),
        _ => return Err(StatementError::unsupported("COPY of this statement is not supported", None)),
    };
    if !returning {
        return Err(StatementError::server("0A000", "COPY query must have a RETURNING clause"));
    }
    let name = "copied".to_string();
    let with = CommonTable {
        name: name.clone(),
        columns: Vec::new(),
        materialized: None,
        statement: statement.into(),
        marks: None,
    };
    let table = RangeVar::new(None, name);
    let from = FromItem::Table { name: table, alias: None, columns: Vec::new(), sample: None };
    let targets = Vec::from([Target::Star(None)]);
    Ok(Select { with: Vec::from([with]), targets, from: Vec::from([from]), ..Select::default() })
}

/// `defGetCopyRejectLimitOption`
fn reject_limit(value: Option<&str>) -> Result<u64, StatementError> {
    let number = value.and_then(|value| value.parse::<i64>().ok());
    let Some(number) = number else {
        return Err(StatementError::unsupported("this REJECT_LIMIT is not supported", None));
    };
    u64::try_from(number).ok().filter(|number| *number > 0).ok_or_else(|| {
        let message = format!("REJECT_LIMIT ({number}) must be greater than zero");
        StatementError::server("22023", message)
    })
}

/// The first version that has an option, of those that not all have.
fn since(name: &str) -> Option<u32> {
    match name {
        "on_error" | "log_verbosity" => Some(17),
        "default" => Some(16),
        "reject_limit" => Some(18),
        _ => None,
    }
}

/// `defGetCopyOnErrorChoice`
fn on_error(value: Option<&str>) -> Result<bool, StatementError> {
    match value.map(str::to_ascii_lowercase).as_deref() {
        None | Some("stop") => Ok(false),
        Some("ignore") => Ok(true),
        Some(_) => {
            let message = format!("COPY ON_ERROR \"{}\" not recognized", value.unwrap_or_default());
            Err(StatementError::server("22023", message))
        }
    }
}

impl Options {
    fn format(self, parser: &Parser) -> Result<CopyFormat, StatementError> {
        let sign = |text: Option<String>, name: &str, otherwise: char| match text {
            None => Ok(otherwise),
            Some(text) => {
                let mut chars = text.chars();
                let only = chars.next().filter(|c| c.is_ascii() && chars.next().is_none());
                let message = format!("COPY {name} must be a single one-byte character");
                only.ok_or_else(|| StatementError::server("0A000", message))
            }
        };
        if !self.csv {
            if self.quote.is_some() {
                return Err(parser.unsupported("QUOTE of COPY in text format"));
            }
            let null = self.null.unwrap_or_else(|| "\\N".to_string());
            return Ok(CopyFormat::Text {
                header: self.header,
                delimiter: sign(self.delimiter, "delimiter", '\t')?,
                null,
            });
        }
        Ok(CopyFormat::Csv {
            header: self.header,
            delimiter: sign(self.delimiter, "delimiter", ',')?,
            null: self.null.unwrap_or_default(),
            quote: sign(self.quote, "quote", '"')?,
        })
    }
}
