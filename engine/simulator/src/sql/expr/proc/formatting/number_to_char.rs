//! `to_char` of numbers (`NUM_processor`, `NUM_numpart_to_char`, src/backend/utils/adt/formatting.c), in the locale C.

use super::Letters;
use super::number::{Desc, Key, Node, SignPlace, parsed};
use super::to_char::ending;
use crate::sql::ast::BinaryOp;
use crate::sql::expr::call::Call;
use crate::sql::expr::operate;
use crate::sql::expr::pg_catalog::NUMERIC;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::datum::error::{Result, SqlError};
use ffviz_format::datum::input::input;
use ffviz_format::datum::{SqlType, Value, ops};

/// `numeric_to_char`, `int4_to_char`, `float8_to_char`
pub(super) fn to_char(call: &mut Call<'_, '_>) -> Result<Value> {
    let (nodes, mut desc) = parsed(call.text(1)?)?;
    let shown = call.args[0].output(call.type_of(0)).unwrap_or_default();
    let is_number = !shown.ends_with(|c: char| c.is_ascii_alphabetic());
    if desc.is_roman {
        let number = roman(if is_number { rounded(call, 0)?.parse().unwrap_or(0) } else { 0 });
        let desc = Desc { is_roman: true, fills_not: desc.fills_not, ..Desc::default() };
        return Ok(Value::text(&Processor::new(desc, &number, '+', 0).all(&nodes)?));
    }
    if desc.is_exponent {
        return Ok(Value::text(&match is_number {
            true => scientific(call, desc.post)?,
            // NaN and infinity have no digits
            false => {
                let point = if desc.has_point { "." } else { "" };
                format!(" {}{point}{}####", "#".repeat(desc.pre), "#".repeat(desc.post))
            }
        }));
    }
    if !is_number {
        let message = "to_char of NaN and Infinity is not supported";
        return Err(SqlError::new(crate::sql::error::NOT_SIMULATED, message));
    }
    let digits = text_of(call, &mut desc)?;
    let (sign, digits) = digits.strip_prefix('-').map_or(('+', &digits[..]), |digits| ('-', digits));
    let before = digits.find('.').unwrap_or(digits.len());
    let mut number = digits.to_string();
    if before > desc.pre {
        number = format!("{}.{}", "#".repeat(desc.pre), "#".repeat(desc.post));
    }
    let blanks = desc.pre.saturating_sub(before);
    Ok(Value::text(&Processor::new(desc, &number, sign, blanks).all(&nodes)?))
}

/// The number as numeric.
fn exact(call: &mut Call<'_, '_>) -> Result<Value> {
    let text = call.args[0].output(call.type_of(0)).unwrap_or_default();
    input(&text, SqlType::NUMERIC, &call.input())
}

/// The number with so many digits behind its point; those of floats as the C library rounds them.
fn rounded(call: &mut Call<'_, '_>, digits: usize) -> Result<String> {
    Ok(match call.args[0] {
        Value::Float8(number) => format!("{number:.digits$}"),
        Value::Float4(number) => format!("{:.digits$}", f64::from(number)),
        _ => ops::round(&exact(call)?, digits as i32, false)?.output(NUMERIC).unwrap_or_default(),
    })
}

/// The digits that are printed; V moves the point.
fn text_of(call: &mut Call<'_, '_>, desc: &mut Desc) -> Result<String> {
    if desc.is_multi {
        desc.pre += desc.multi;
        let input = call.input();
        let (mut number, ten) = (exact(call)?, operate::numeric(10, &input)?);
        for _ in 0..desc.multi {
            number = operate::binary(BinaryOp::Mul, &number, &ten, [NUMERIC; 2], &input)?;
        }
        return Ok(ops::round(&number, desc.post as i32, false)?.output(NUMERIC).unwrap_or_default());
    }
    /// digits that are certain in a float8, and in a float4
    const CERTAIN: [usize; 2] = [15, 6];
    let certain = match call.args[0] {
        Value::Float8(_) => CERTAIN[0],
        Value::Float4(_) => CERTAIN[1],
        _ => return rounded(call, desc.post),
    };
    let whole = rounded(call, 0)?.trim_start_matches('-').len();
    desc.post = if whole >= certain { 0 } else { desc.post.min(certain - whole) };
    rounded(call, desc.post)
}

/// `int_to_roman`
fn roman(number: i64) -> String {
    const SIGNS: [(i64, &str); 13] = [
        (1000, "M"),
        (900, "CM"),
        (500, "D"),
        (400, "CD"),
        (100, "C"),
        (90, "XC"),
        (50, "L"),
        (40, "XL"),
        (10, "X"),
        (9, "IX"),
        (5, "V"),
        (4, "IV"),
        (1, "I"),
    ];
    if !(1..4000).contains(&number) {
        return "#".repeat(15);
    }
    let (mut rest, mut text) = (number, String::new());
    for (value, sign) in SIGNS {
        while rest >= value {
            text.push_str(sign);
            rest -= value;
        }
    }
    text
}

/// One digit, so many behind the point, and the exponent: `numeric_out_sci`, which may round to 10, or `%e`.
fn scientific(call: &mut Call<'_, '_>, digits: usize) -> Result<String> {
    let float = match call.args[0] {
        Value::Numeric(_) => return Ok(numeric_scientific(&exact(call)?, digits)),
        Value::Float8(number) => number,
        Value::Float4(number) => f64::from(number),
        ref whole => whole.integer().unwrap_or(0) as f64,
    };
    let text = format!("{float:.digits$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i64 = exponent.parse().unwrap_or(0);
    let sign = if mantissa.starts_with('-') { "" } else { " " };
    Ok(format!("{sign}{mantissa}{}", shown_exponent(exponent)))
}

fn shown_exponent(exponent: i64) -> String {
    format!("e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs())
}

fn numeric_scientific(number: &Value, digits: usize) -> String {
    let text = number.output(NUMERIC).unwrap_or_default();
    let (sign, text) = text.strip_prefix('-').map_or((' ', &text[..]), |text| ('-', text));
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let all: String = [whole, fraction].concat();
    let zeros = all.len() - all.trim_start_matches('0').len();
    let exponent = if zeros == all.len() { 0 } else { whole.len() as i64 - 1 - zeros as i64 };
    let mut kept: Vec<u8> = all.trim_start_matches('0').bytes().map(|digit| digit - b'0').collect();
    kept.resize(kept.len().max(digits + 2), 0);
    let is_up = kept[digits + 1] >= 5;
    kept.truncate(digits + 1);
    if is_up {
        let nine = kept.iter().rposition(|digit| *digit < 9);
        kept[nine.map_or(0, |at| at + 1)..].fill(0);
        match nine {
            Some(at) => kept[at] += 1,
            None => kept[0] = 10,
        }
    }
    let shown: String = kept[1..].iter().map(|digit| char::from(b'0' + digit)).collect();
    let point = if digits > 0 { "." } else { "" };
    format!("{sign}{}{point}{shown}{}", kept[0], shown_exponent(exponent))
}

/// A pattern that is filled with a number's digits.
struct Processor<'a> {
    desc: Desc,
    /// the digits, of which those from here on are left
    number: &'a str,
    at: usize,
    sign: char,
    is_signed: bool,
    /// places before the first digit
    blanks: usize,
    /// places so far, and all there are
    place: usize,
    count: usize,
    /// have digits been written?
    in_number: bool,
    /// the last digit behind the point that is no zero, or the point
    last_relevant: Option<usize>,
    out: String,
}

impl<'a> Processor<'a> {
    fn new(mut desc: Desc, number: &'a str, sign: char, blanks: usize) -> Self {
        desc.zero_start = desc.zero_start.saturating_sub(1);
        let mut is_signed = false;
        if desc.has_plus || desc.has_minus {
            is_signed = !desc.has_plus || desc.has_minus;
        } else {
            if sign != '-' && desc.fills_not {
                desc.has_bracket = false;
            }
            is_signed |= sign == '+' && desc.fills_not && !desc.has_sign;
            if desc.sign == SignPlace::Before && desc.pre == desc.before_sign {
                desc.sign = SignPlace::Behind;
            }
        }
        let mut last_relevant = None;
        if desc.fills_not && desc.has_point {
            last_relevant = number
                .find('.')
                .map(|point| number[point + 1..].rfind(|c| c != '0').map_or(point, |at| point + 1 + at));
            if desc.zero_end > blanks {
                let last_zero = (number.len() - 1).min(desc.zero_end - blanks);
                last_relevant = last_relevant.map(|last| last.max(last_zero));
            }
        }
        let count = (desc.post + desc.pre + usize::from(!is_signed && blanks == 0)).saturating_sub(1);
        let out = String::new();
        Self { desc, number, at: 0, sign, is_signed, blanks, place: 0, count, in_number: false, last_relevant, out }
    }

    fn all(mut self, nodes: &[Node]) -> Result<String> {
        for node in nodes {
            let key = match node {
                Node::Char(c) => {
                    self.out.push(*c);
                    continue;
                }
                Node::Key(key) => *key,
            };
            let fills = !self.desc.fills_not;
            match key {
                Key::Nine | Key::Zero | Key::Point => self.part(key),
                Key::Comma | Key::Group if self.in_number => self.out.push(','),
                Key::Comma | Key::Group if fills => self.out.push(' '),
                Key::Currency => self.out.push(' '),
                Key::Roman(is_upper) => {
                    let shown = if is_upper { self.number.to_string() } else { self.number.to_ascii_lowercase() };
                    let width = if fills { 15 } else { 0 };
                    self.out.push_str(&format!("{shown:>width$}"));
                }
                Key::Ordinal(is_upper) => {
                    let has_none = self.desc.is_roman || self.number.starts_with('#') || self.sign == '-';
                    if !has_none && !self.desc.has_point {
                        let letters = if is_upper { Letters::Upper } else { Letters::Lower };
                        self.out.push_str(&ending(self.number, letters)?);
                    }
                }
                Key::Minus if self.sign == '-' => self.out.push('-'),
                Key::Plus if self.sign == '+' => self.out.push('+'),
                Key::Minus | Key::Plus if fills => self.out.push(' '),
                Key::BothSigns => self.out.push(self.sign),
                _ => {}
            }
        }
        Ok(self.out)
    }

    /// `IS_PREDEC_SPACE`: a zero alone before the point is not written.
    fn is_lone_zero(&self) -> bool {
        !self.desc.has_zero && self.at == 0 && self.number.starts_with('0') && self.desc.post != 0
    }

    fn ends_with_point(&self) -> bool {
        self.last_relevant.is_some_and(|last| self.number.as_bytes()[last] == b'.')
    }

    fn write_sign(&mut self) {
        let is_here = self.place >= self.blanks || self.desc.has_zero && self.desc.zero_start == self.place;
        if self.is_signed || !is_here || self.is_lone_zero() && !self.ends_with_point() {
            return;
        }
        match (self.sign, &self.desc) {
            (sign, desc) if desc.has_sign => {
                if desc.sign != SignPlace::Before {
                    return;
                }
                self.out.push(sign);
            }
            (sign, desc) if desc.has_bracket => self.out.push(if sign == '+' { ' ' } else { '<' }),
            ('+', desc) if desc.fills_not => {}
            ('+', _) => self.out.push(' '),
            _ => self.out.push('-'),
        }
        self.is_signed = true;
    }

    /// `NUM_numpart_to_char`: a place of a digit or of the point.
    fn part(&mut self, key: Key) {
        if self.desc.is_roman {
            return;
        }
        self.in_number = false;
        self.write_sign();
        let is_before = self.place < self.blanks;
        if is_before && (self.desc.zero_start > self.place || !self.desc.has_zero) {
            if !self.desc.fills_not {
                self.out.push(' ');
            }
        } else if is_before {
            self.out.push('0');
            self.in_number = true;
        } else {
            self.digit(key);
        }
        let mut end = self.count + usize::from(self.blanks > 0) + usize::from(self.desc.has_point);
        if self.last_relevant == Some(self.at) {
            end = self.place;
        }
        if self.place + 1 == end {
            if self.is_signed && self.desc.has_bracket {
                self.out.push(if self.sign == '+' { ' ' } else { '>' });
            } else if self.desc.has_sign && self.desc.sign == SignPlace::Behind {
                self.out.push(self.sign);
            }
        }
        self.place += 1;
    }

    fn digit(&mut self, key: Key) {
        match self.number.as_bytes().get(self.at) {
            Some(b'.') => self.out.push('.'),
            _ if self.last_relevant.is_some_and(|last| self.at > last) && key != Key::Zero => {}
            _ if self.is_lone_zero() => {
                if !self.desc.fills_not {
                    self.out.push(' ');
                } else if self.ends_with_point() {
                    self.out.push('0');
                }
            }
            Some(digit) => {
                self.out.push(char::from(*digit));
                self.in_number = true;
            }
            // a pattern with more places than the number has
            None => {}
        }
        self.at += usize::from(self.at < self.number.len());
    }
}
