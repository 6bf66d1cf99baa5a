//! The text of a jsonpath as items (src/backend/utils/adt/jsonpath_gram.y, jsonpath_scan.l). What is not read here is
//! refused, since it may be one all the same.

use super::{Item, Json, Path, Step, refuse};
use crate::sql::expr::proc::json::unquoted;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::datum::SqlError;
use ffviz_format::datum::error::Result;

/// A token.
#[derive(Debug, Clone, PartialEq)]
enum Token {
    Word(String),
    /// between double quotes
    Text(String),
    Number(String),
    /// `$name`
    Variable(String),
    Sign(&'static str),
    End,
}

const SIGNS: &[&str] = &[
    "&&", "||", "==", "!=", "<>", "<=", ">=", "**", "<", ">", "!", "$", "@", ".", "*", "[", "]", "(", ")", "?", ",",
    "+", "-", "/", "%", "{", "}",
];
const COMPARISONS: &[&str] = &["==", "!=", "<>", "<", "<=", ">", ">="];

fn tokens(text: &str) -> Result<Vec<Token>> {
    let (mut found, mut rest) = (Vec::new(), text.trim_start());
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c == '_' || c.is_alphanumeric();
        let length = match first {
            '"' => {
                let mut is_escaped = false;
                let end = rest.char_indices().skip(1).find(|(_, c)| {
                    let ends = *c == '"' && !is_escaped;
                    is_escaped = *c == '\\' && !is_escaped;
                    ends
                });
                let (end, _) = end.ok_or_else(|| refuse("a string without an end"))?;
                found.push(Token::Text(unquoted(&rest[..=end])));
                end + 1
            }
            '0'..='9' => {
                let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
                let mut end = digits(rest);
                if rest[end..].starts_with('.') && rest[end + 1..].starts_with(|c: char| c.is_ascii_digit()) {
                    end += 1 + digits(&rest[end + 1..]);
                }
                if rest[end..].starts_with(is_word) {
                    return Err(refuse("such a number"));
                }
                found.push(Token::Number(rest[..end].to_string()));
                end
            }
            '$' if rest[1..].starts_with(|c: char| is_word(c) && !c.is_ascii_digit()) => {
                let end = 1 + rest[1..].find(|c: char| !is_word(c)).unwrap_or(rest.len() - 1);
                found.push(Token::Variable(rest[1..end].to_string()));
                end
            }
            _ if is_word(first) => {
                let end = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
                found.push(Token::Word(rest[..end].to_string()));
                end
            }
            _ => {
                let sign = SIGNS.iter().find(|sign| rest.starts_with(**sign));
                let sign = *sign.ok_or_else(|| refuse(&format!("the sign {first}")))?;
                found.push(Token::Sign(sign));
                sign.len()
            }
        };
        rest = rest[length..].trim_start();
    }
    found.push(Token::End);
    Ok(found)
}

/// A whole path.
pub(super) fn path(text: &str) -> Result<Path> {
    let mut parser = Parser { tokens: tokens(text)?, at: 0, depth: 0 };
    let is_strict = parser.eat_word("strict");
    if !is_strict {
        parser.eat_word("lax");
    }
    let item = parser.or()?;
    if *parser.peek() != Token::End {
        return Err(parser.refused());
    }
    Ok(Path { is_strict, item })
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
    depth: u32,
}

impl Parser {
    fn peek(&self) -> &Token {
        &self.tokens[self.at]
    }

    fn next(&mut self) -> Token {
        let token = self.tokens[self.at].clone();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    fn eat(&mut self, sign: &str) -> bool {
        let is_it = matches!(self.peek(), Token::Sign(known) if *known == sign);
        self.at += usize::from(is_it);
        is_it
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let is_it = matches!(self.peek(), Token::Word(known) if known == word);
        self.at += usize::from(is_it);
        is_it
    }

    fn expect(&mut self, sign: &str) -> Result<()> {
        if self.eat(sign) { Ok(()) } else { Err(self.refused()) }
    }

    fn refused(&self) -> SqlError {
        match self.peek() {
            Token::End => SqlError::new("42601", "syntax error at end of jsonpath input"),
            Token::Sign(sign) => refuse(sign),
            Token::Word(text) | Token::Text(text) | Token::Number(text) | Token::Variable(text) => refuse(text),
        }
    }

    fn or(&mut self) -> Result<Item> {
        const DEEPEST: u32 = 100;
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(refuse("a condition nested this deeply"));
        }
        let mut left = self.and()?;
        while self.eat("||") {
            left = Item::Or(Box::new((left, self.and()?)));
        }
        self.depth -= 1;
        Ok(left)
    }

    fn and(&mut self) -> Result<Item> {
        let mut left = self.not()?;
        while self.eat("&&") {
            left = Item::And(Box::new((left, self.not()?)));
        }
        Ok(left)
    }

    fn not(&mut self) -> Result<Item> {
        if self.eat("!") {
            return Ok(Item::Not(Box::new(self.not()?)));
        }
        let left = self.sum()?;
        if let Token::Sign(sign) = self.peek()
            && let Some(op) = COMPARISONS.iter().find(|op| *op == sign)
        {
            self.at += 1;
            let op = if *op == "!=" { "<>" } else { *op };
            return Ok(Item::Compare(op, Box::new((left, self.sum()?))));
        }
        if self.eat_word("starts") {
            if !self.eat_word("with") {
                return Err(self.refused());
            }
            return Ok(Item::StartsWith(Box::new((left, self.primary()?))));
        }
        if self.eat_word("like_regex") {
            let Token::Text(pattern) = self.next() else { return Err(self.refused()) };
            let mut flags = String::new();
            if self.eat_word("flag") {
                let Token::Text(given) = self.next() else { return Err(self.refused()) };
                flags = given;
            }
            return Ok(Item::LikeRegex(Box::new(left), pattern, flags));
        }
        if self.eat_word("is") {
            return if self.eat_word("unknown") { Ok(Item::IsUnknown(Box::new(left))) } else { Err(self.refused()) };
        }
        Ok(left)
    }

    fn sum(&mut self) -> Result<Item> {
        let mut left = self.product()?;
        loop {
            let op = if self.eat("+") {
                '+'
            } else if self.eat("-") {
                '-'
            } else {
                return Ok(left);
            };
            left = Item::Arithmetic(op, Box::new((left, self.product()?)));
        }
    }

    fn product(&mut self) -> Result<Item> {
        let mut left = self.signed()?;
        loop {
            let op = if self.eat("*") {
                '*'
            } else if self.eat("/") {
                '/'
            } else if self.eat("%") {
                '%'
            } else {
                return Ok(left);
            };
            left = Item::Arithmetic(op, Box::new((left, self.signed()?)));
        }
    }

    fn signed(&mut self) -> Result<Item> {
        let sign = if self.eat("-") {
            '-'
        } else if self.eat("+") {
            '+'
        } else {
            return self.accessed();
        };
        Ok(Item::Unary(sign, Box::new(self.signed()?)))
    }

    /// An item with what follows it.
    fn accessed(&mut self) -> Result<Item> {
        let mut item = self.primary()?;
        loop {
            let step = if self.eat(".") {
                self.member()?
            } else if self.eat("[") {
                self.subscripts()?
            } else if self.eat("?") {
                self.expect("(")?;
                let condition = self.or()?;
                self.expect(")")?;
                Step::Filter(Box::new(condition))
            } else {
                return Ok(item);
            };
            item = Item::Step(Box::new(item), step);
        }
    }

    fn member(&mut self) -> Result<Step> {
        if self.eat("**") {
            let is_plain = *self.peek() != Token::Sign("{");
            return if is_plain { Ok(Step::AnyLevel) } else { Err(self.refused()) };
        }
        if self.eat("*") {
            return Ok(Step::AnyKey);
        }
        match self.next() {
            Token::Text(name) => Ok(Step::Key(name)),
            Token::Word(name) if self.eat("(") => {
                self.expect(")")?;
                Ok(Step::Method(name))
            }
            Token::Word(name) => Ok(Step::Key(name)),
            _ => Err(self.refused()),
        }
    }

    fn subscripts(&mut self) -> Result<Step> {
        if self.eat("*") {
            self.expect("]")?;
            return Ok(Step::AnyElement);
        }
        let mut all = Vec::new();
        loop {
            let from = self.sum()?;
            let to = if self.eat_word("to") { Some(self.sum()?) } else { None };
            all.push((from, to));
            if !self.eat(",") {
                break;
            }
        }
        self.expect("]")?;
        Ok(Step::Subscripts(all))
    }

    fn primary(&mut self) -> Result<Item> {
        if self.eat("(") {
            let inner = self.or()?;
            self.expect(")")?;
            return Ok(inner);
        }
        if self.eat("$") {
            return Ok(Item::Root);
        }
        if self.eat("@") {
            return Ok(Item::Current);
        }
        let literal = match self.peek().clone() {
            Token::Text(text) => Json::String(text),
            Token::Number(digits) => Json::Number(digits),
            Token::Word(word) => match word.as_str() {
                "null" => Json::Null,
                "true" | "false" => Json::Bool(word == "true"),
                "last" => {
                    self.at += 1;
                    return Ok(Item::Last);
                }
                "exists" => {
                    self.at += 1;
                    self.expect("(")?;
                    let inner = self.sum()?;
                    self.expect(")")?;
                    return Ok(Item::Exists(Box::new(inner)));
                }
                _ => return Err(self.refused()),
            },
            Token::Variable(name) => {
                self.at += 1;
                return Ok(Item::Variable(name));
            }
            _ => return Err(self.refused()),
        };
        self.at += 1;
        Ok(Item::Literal(literal))
    }
}
