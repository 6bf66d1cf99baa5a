//! `to_number` (`NUM_numpart_from_char`, src/backend/utils/adt/formatting.c), in the locale C.

use super::number::{Desc, Key, Node, parsed};
use crate::sql::ast::BinaryOp;
use crate::sql::expr::call::Call;
use crate::sql::expr::operate;
use crate::sql::expr::pg_catalog::NUMERIC;
use alloc::string::String;
use ffviz_format::datum::error::{Result, SqlError};
use ffviz_format::datum::input::input;
use ffviz_format::datum::{SqlType, Value};

/// A text from which a number is read.
struct Reader<'a> {
    desc: Desc,
    rest: &'a str,
    sign: Option<char>,
    number: String,
    pre: usize,
    post: usize,
    has_point: bool,
}

/// `numeric_to_number`
pub(super) fn to_number(call: &mut Call<'_, '_>) -> Result<Value> {
    let pattern = call.text(1)?;
    if pattern.is_empty() {
        return Ok(Value::Null);
    }
    let (nodes, desc) = parsed(pattern)?;
    if desc.is_exponent {
        return Err(SqlError::new("0A000", "\"EEEE\" not supported for input"));
    }
    if desc.is_roman {
        let message = "to_number of Roman numerals is not supported";
        return Err(SqlError::new(crate::sql::error::NOT_SIMULATED, message));
    }
    let (multi, precision) = (desc.multi, desc.pre + desc.multi);
    let rest = call.text(0)?;
    let mut reader = Reader { desc, rest, sign: None, number: String::new(), pre: 0, post: 0, has_point: false };
    reader.all(&nodes);
    let scale = reader.post;
    let number = reader.number.strip_suffix('.').unwrap_or(&reader.number);
    let text = alloc::format!("{}{number}", reader.sign.unwrap_or(' '));
    let context = call.input();
    let typmod = (((precision + scale) << 16) | scale) as i32 + 4;
    let ty = SqlType { oid: NUMERIC, typmod: if precision + scale == 0 { -1 } else { typmod } };
    let mut value = input(&text, ty, &context)?;
    for _ in 0..multi {
        let ten = operate::numeric(10, &context)?;
        value = operate::binary(BinaryOp::Div, &value, &ten, [NUMERIC; 2], &context)?;
    }
    Ok(value)
}

impl Reader<'_> {
    fn all(&mut self, nodes: &[Node]) {
        for node in nodes {
            if self.rest.is_empty() {
                break;
            }
            match node {
                Node::Char(_) => self.step(),
                Node::Key(Key::Nine | Key::Zero | Key::Point) => {
                    self.part(matches!(node, Node::Key(Key::Point)));
                    self.step();
                }
                Node::Key(Key::Comma | Key::Group) if self.rest.starts_with(',') && !self.desc.fills_not => self.step(),
                Node::Key(Key::Currency) => self.skip_other(1),
                Node::Key(Key::Minus) => self.signed(&['-']),
                Node::Key(Key::Plus) => self.signed(&['+']),
                Node::Key(Key::BothSigns) => self.signed(&['-', '+']),
                Node::Key(Key::Ordinal(_)) => self.skip_other(2),
                Node::Key(_) => {}
            }
        }
    }

    fn step(&mut self) {
        let mut chars = self.rest.chars();
        chars.next();
        self.rest = chars.as_str();
    }

    /// `NUM_eat_non_data_chars`
    fn skip_other(&mut self, count: usize) {
        for _ in 0..count {
            let is_data = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | '+' | '-');
            if self.rest.starts_with(is_data) {
                break;
            }
            self.step();
        }
    }

    fn signed(&mut self, signs: &[char]) {
        match self.rest.chars().next().filter(|c| signs.contains(c)) {
            Some(sign) => {
                self.sign = Some(sign);
                self.step();
            }
            None => self.skip_other(1),
        }
    }

    /// Takes a sign that stands here.
    fn eat_sign(&mut self, takes_bracket: bool) {
        match self.rest.chars().next() {
            Some('-') => self.sign = Some('-'),
            Some('<') if takes_bracket => self.sign = Some('-'),
            Some('+') => self.sign = Some('+'),
            _ => return,
        }
        self.step();
    }

    fn part(&mut self, is_point: bool) {
        if self.rest.starts_with(' ') {
            self.step();
        }
        if self.sign.is_none() && !is_point && self.pre + self.post == 0 {
            self.eat_sign(self.desc.has_bracket);
        }
        let Some(c) = self.rest.chars().next() else { return };
        let mut is_read = false;
        if c.is_ascii_digit() {
            if self.has_point && self.post == self.desc.post {
                return;
            }
            self.number.push(c);
            *(if self.has_point { &mut self.post } else { &mut self.pre }) += 1;
            is_read = true;
        } else if self.desc.has_point && !self.has_point && c == '.' {
            self.number.push('.');
            self.has_point = true;
            is_read = true;
        }
        if self.sign.is_some() || self.pre + self.post == 0 {
            return;
        }
        let next = self.rest.chars().nth(1);
        if self.desc.has_sign {
            // it may follow the last digit at once
            if let Some(sign @ ('-' | '+')) = next
                && is_read
            {
                self.sign = Some(sign);
                self.step();
            }
        } else if !is_read && !self.desc.has_plus && !self.desc.has_minus && matches!(c, '-' | '+') {
            self.sign = Some(c);
        }
    }
}
