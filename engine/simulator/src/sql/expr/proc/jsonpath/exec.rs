//! What a jsonpath finds (`executeItemOptUnwrapTarget`, `executeBoolItem`, src/backend/utils/adt/jsonpath_exec.c).

use super::super::regex::Regex;
use super::{Item, Json, NOWHERE, Step, refuse};
use crate::sql::ast::BinaryOp;
use crate::sql::error::NOT_SIMULATED;
use crate::sql::expr::operate;
use crate::sql::expr::pg_catalog::NUMERIC;
use crate::version::SqlBehaviour;
use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;
use core::cmp::Ordering;
use ffviz_format::datum::error::{Result, SqlError};
use ffviz_format::datum::input::{Context as Input, input};
use ffviz_format::datum::{SqlType, Value, ops};

/// As it was told before 17.
const WRONG_DOUBLE: &str =
    "string argument of jsonpath item method .double() is not a valid representation of a double precision number";

/// A path that is followed.
pub(super) struct Execution<'a> {
    root: &'a Json,
    vars: &'a Json,
    is_strict: bool,
    input: Input,
    /// `@`, the innermost last
    current: Vec<Json>,
    /// how many elements the array has whose subscripts are computed
    length: Option<usize>,
}

impl<'a> Execution<'a> {
    pub(super) fn new(root: &'a Json, vars: &'a Json, is_strict: bool, input: Input) -> Self {
        Self { root, vars, is_strict, input, current: Vec::new(), length: None }
    }

    /// The items that an expression finds; a condition is true, false or null.
    pub(super) fn all(&mut self, item: &Item) -> Result<Vec<Json>> {
        match item {
            Item::Root => Ok(Vec::from([self.root.clone()])),
            Item::Current => Ok(self.current.last().cloned().into_iter().collect()),
            Item::Literal(literal) => Ok(Vec::from([literal.clone()])),
            Item::Variable(name) => {
                let Json::Object(members, _) = self.vars else { return Ok(Vec::new()) };
                let missing = || SqlError::new("42704", format!("could not find jsonpath variable \"{name}\""));
                let found = members.iter().find(|(known, _)| known == name).ok_or_else(missing)?;
                Ok(Vec::from([found.1.clone()]))
            }
            Item::Last => {
                let last = self.length.ok_or_else(|| refuse("last outside of brackets"))?;
                Ok(Vec::from([Json::Number((last as i64 - 1).to_string())]))
            }
            Item::Step(inner, step) => {
                let mut found = Vec::new();
                for value in self.all(inner)? {
                    self.step(step, value, !self.is_strict, &mut found)?;
                }
                Ok(found)
            }
            Item::Unary(sign, operand) => self.unary(*sign, operand),
            Item::Arithmetic(op, operands) => self.arithmetic(*op, operands),
            condition => Ok(Vec::from([self.condition(condition)?.map_or(Json::Null, Json::Bool)])),
        }
    }

    /// The same with arrays unwrapped, where the path is lax.
    fn unwrapped(&mut self, item: &Item) -> Result<Vec<Json>> {
        let found = self.all(item)?;
        if self.is_strict {
            return Ok(found);
        }
        Ok(found.into_iter().flat_map(|it| if let Json::Array(all) = it { all } else { Vec::from([it]) }).collect())
    }

    /// A structural error, which only a strict path raises.
    fn structural(&self, sqlstate: &'static str, message: &str) -> Result<()> {
        if self.is_strict { Err(SqlError::new(sqlstate, message.to_string())) } else { Ok(()) }
    }

    fn step(&mut self, step: &Step, value: Json, unwraps: bool, found: &mut Vec<Json>) -> Result<()> {
        match (step, value) {
            (Step::Key(_) | Step::AnyKey | Step::Filter(_), Json::Array(elements)) if unwraps => {
                elements.into_iter().try_for_each(|element| self.step(step, element, false, found))
            }
            (Step::Key(name), Json::Object(members, _)) => {
                match members.into_iter().find(|(known, _)| known == name) {
                    Some((_, value)) => found.push(value),
                    None => {
                        let message = format!("JSON object does not contain key \"{name}\"");
                        self.structural("2203A", &message)?;
                    }
                }
                Ok(())
            }
            (Step::Key(_), _) => self.structural("2203A", "jsonpath member accessor can only be applied to an object"),
            (Step::AnyKey, Json::Object(members, _)) => {
                found.extend(members.into_iter().map(|(_, value)| value));
                Ok(())
            }
            (Step::AnyKey, _) => {
                self.structural("2203C", "jsonpath wildcard member accessor can only be applied to an object")
            }
            (Step::AnyLevel, value) => {
                levels(value, found);
                Ok(())
            }
            (Step::AnyElement, Json::Array(elements)) => {
                found.extend(elements);
                Ok(())
            }
            (Step::AnyElement, value) => {
                self.structural("22039", "jsonpath wildcard array accessor can only be applied to an array")?;
                found.push(value);
                Ok(())
            }
            (Step::Subscripts(all), value) => self.subscripts(all, value, found),
            (Step::Filter(condition), value) => {
                self.current.push(value);
                let holds = self.condition(condition);
                let value = self.current.pop();
                if holds? == Some(true) {
                    found.extend(value);
                }
                Ok(())
            }
            (Step::Method(name), value) => self.method(name, value, unwraps, found),
        }
    }

    fn subscripts(&mut self, all: &[(Item, Option<Item>)], value: Json, found: &mut Vec<Json>) -> Result<()> {
        let elements = match value {
            Json::Array(elements) => elements,
            other => {
                self.structural("22039", "jsonpath array accessor can only be applied to an array")?;
                Vec::from([other])
            }
        };
        for (from, to) in all {
            let outer = self.length.replace(elements.len());
            let bounds =
                self.bound(from).and_then(|from| Ok((from, to.as_ref().map_or(Ok(from), |to| self.bound(to))?)));
            self.length = outer;
            let (from, to) = bounds?;
            if from < 0 || from > to || to >= elements.len() as i64 {
                let message = "jsonpath array subscript is out of bounds";
                self.structural("22033", message)?;
            }
            let (from, to) = (from.max(0) as usize, (to + 1).clamp(0, elements.len() as i64) as usize);
            found.extend(elements.get(from..to).unwrap_or(&[]).iter().cloned());
        }
        Ok(())
    }

    fn bound(&mut self, item: &Item) -> Result<i64> {
        let [Json::Number(digits)] = &self.all(item)?[..] else {
            return Err(SqlError::new("22033", "jsonpath array subscript is not a single numeric value"));
        };
        let whole = digits.split('.').next().unwrap_or("0");
        let out_of_range = || SqlError::new("22033", "jsonpath array subscript is out of integer range");
        whole.parse::<i32>().map(i64::from).map_err(|_| out_of_range())
    }

    fn method(&mut self, name: &str, value: Json, unwraps: bool, found: &mut Vec<Json>) -> Result<()> {
        match (name, value) {
            ("type", value) => found.push(Json::String(value.kind().to_string())),
            ("size", Json::Array(elements)) => found.push(Json::Number(elements.len().to_string())),
            ("size", _) => {
                self.structural("22039", "jsonpath item method .size() can only be applied to an array")?;
                found.push(Json::Number("1".to_string()));
            }
            ("keyvalue", Json::Object(members, place)) if place != NOWHERE => {
                found.extend(members.into_iter().map(|(name, value)| {
                    let id = ("id".to_string(), Json::Number(place.to_string()));
                    let key = ("key".to_string(), Json::String(name));
                    Json::Object(Vec::from([id, key, ("value".to_string(), value)]), NOWHERE)
                }));
            }
            ("abs" | "floor" | "ceiling" | "double" | "keyvalue", Json::Array(elements)) if unwraps => {
                return elements.into_iter().try_for_each(|element| self.method(name, element, false, found));
            }
            ("double", Json::Number(digits)) => found.push(Json::Number(digits)),
            ("double", Json::String(text)) => {
                let shows_argument = self.input.version().shows_arguments_of_paths();
                let number: f64 = text.trim().parse().map_err(|_| {
                    let message = match shows_argument {
                        true => format!(
                            "argument \"{text}\" of jsonpath item method .double() is invalid for type double precision"
                        ),
                        false => WRONG_DOUBLE.to_string(),
                    };
                    SqlError::new("22036", message)
                })?;
                let shown = Value::Float8(number).output(701).unwrap_or_default();
                let plain = shown.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-'));
                if !plain {
                    return Err(refuse("such a double"));
                }
                found.push(Json::Number(shown));
            }
            ("double", _) => {
                let message = "jsonpath item method .double() can only be applied to a string or numeric value";
                return Err(SqlError::new("22036", message));
            }
            ("abs" | "floor" | "ceiling", Json::Number(digits)) => {
                let number = self.number(&digits)?;
                let whole = ops::round(&number, 0, true)?;
                let order = operate::compare(&number, &whole, [NUMERIC; 2], &self.input)?;
                let one = operate::numeric(1, &self.input)?;
                let of = |op| operate::binary(op, &whole, &one, [NUMERIC; 2], &self.input);
                found.push(shown(&match (name, order) {
                    ("abs", _) => ops::abs(&number, &self.input)?,
                    ("floor", Ordering::Less) => of(BinaryOp::Sub)?,
                    ("ceiling", Ordering::Greater) => of(BinaryOp::Add)?,
                    _ => whole,
                }));
            }
            ("abs" | "floor" | "ceiling", _) => {
                let message = format!("jsonpath item method .{name}() can only be applied to a numeric value");
                return Err(SqlError::new("22036", message));
            }
            ("keyvalue", other) if !matches!(other, Json::Object(..)) => {
                let message = "jsonpath item method .keyvalue() can only be applied to an object";
                return Err(SqlError::new("2203C", message));
            }
            _ => return Err(refuse(&format!(".{name}()"))),
        }
        Ok(())
    }

    fn number(&self, digits: &str) -> Result<Value> {
        input(digits, SqlType::NUMERIC, &self.input)
    }

    fn unary(&mut self, sign: char, operand: &Item) -> Result<Vec<Json>> {
        let mut found = Vec::new();
        for value in self.unwrapped(operand)? {
            let Json::Number(digits) = &value else {
                let message = format!("operand of unary jsonpath operator {sign} is not a numeric value");
                return Err(SqlError::new("2203B", message));
            };
            found.push(match sign {
                '-' => shown(&ops::negate(&self.number(digits)?, &self.input)?),
                _ => value,
            });
        }
        Ok(found)
    }

    fn arithmetic(&mut self, op: char, (left, right): &(Item, Item)) -> Result<Vec<Json>> {
        let mut operands = Vec::with_capacity(2);
        for (side, item) in [("left", left), ("right", right)] {
            match &self.unwrapped(item)?[..] {
                [Json::Number(digits)] => operands.push(self.number(digits)?),
                _ => {
                    let message = format!("{side} operand of jsonpath operator {op} is not a single numeric value");
                    return Err(SqlError::new("22038", message));
                }
            }
        }
        let op = match op {
            '+' => BinaryOp::Add,
            '-' => BinaryOp::Sub,
            '*' => BinaryOp::Mul,
            '/' => BinaryOp::Div,
            _ => BinaryOp::Mod,
        };
        Ok(Vec::from([shown(&operate::binary(op, &operands[0], &operands[1], [NUMERIC; 2], &self.input)?)]))
    }

    /// Does a condition hold? `None`: that is not known.
    fn condition(&mut self, item: &Item) -> Result<Option<bool>> {
        Ok(match item {
            Item::And(parts) => match self.condition(&parts.0)? {
                Some(false) => Some(false),
                left => match self.condition(&parts.1)? {
                    Some(true) => left,
                    right => right,
                },
            },
            Item::Or(parts) => match self.condition(&parts.0)? {
                Some(true) => Some(true),
                left => match self.condition(&parts.1)? {
                    Some(false) => left,
                    right => right,
                },
            },
            Item::Not(inner) => self.condition(inner)?.map(|holds| !holds),
            Item::IsUnknown(inner) => Some(self.condition(inner)?.is_none()),
            Item::Exists(inner) => self.soft(inner, false)?.map(|found| !found.is_empty()),
            Item::Compare(op, operands) => {
                let (left, right) = (self.soft(&operands.0, true)?, self.soft(&operands.1, true)?);
                self.pairs(left, right, |left, right, input| compared(op, left, right, input))?
            }
            Item::StartsWith(operands) => {
                let (left, right) = (self.soft(&operands.0, true)?, self.soft(&operands.1, false)?);
                self.pairs(left, right, |left, right, _| match (left, right) {
                    (Json::String(whole), Json::String(begin)) => Ok(Some(whole.starts_with(begin.as_str()))),
                    _ => Ok(None),
                })?
            }
            Item::LikeRegex(operand, pattern, flags) => {
                let regex = Regex::new(pattern, flags)?;
                let found = self.soft(operand, true)?;
                self.pairs(found, Some(Vec::from([Json::Null])), |value, _, _| match value {
                    Json::String(text) => {
                        let chars: Vec<char> = text.chars().collect();
                        Ok(Some(regex.find(&chars, 0).is_some()))
                    }
                    _ => Ok(None),
                })?
            }
            other => match &self.all(other)?[..] {
                [Json::Bool(holds)] => Some(*holds),
                _ => return Err(refuse("an expression as a condition")),
            },
        })
    }

    /// What an operand finds; nothing is known where it fails.
    fn soft(&mut self, item: &Item, unwraps: bool) -> Result<Option<Vec<Json>>> {
        match if unwraps { self.unwrapped(item) } else { self.all(item) } {
            Ok(found) => Ok(Some(found)),
            Err(error) if matches!(error.sqlstate, NOT_SIMULATED | "42704") => Err(error),
            Err(_) => Ok(None),
        }
    }

    /// `executePredicate`: does it hold of one pair?
    fn pairs(
        &self,
        left: Option<Vec<Json>>,
        right: Option<Vec<Json>>,
        test: impl Fn(&Json, &Json, &Input) -> Result<Option<bool>>,
    ) -> Result<Option<bool>> {
        let (Some(left), Some(right)) = (left, right) else { return Ok(None) };
        let (mut is_found, mut is_unknown) = (false, false);
        for one in &left {
            for other in &right {
                match test(one, other, &self.input)? {
                    Some(true) if !self.is_strict => return Ok(Some(true)),
                    Some(true) => is_found = true,
                    None if self.is_strict => return Ok(None),
                    None => is_unknown = true,
                    Some(false) => {}
                }
            }
        }
        Ok(if is_found {
            Some(true)
        } else if is_unknown {
            None
        } else {
            Some(false)
        })
    }
}

fn shown(number: &Value) -> Json {
    Json::Number(number.output(NUMERIC).unwrap_or_default())
}

/// The value and all that is in it.
fn levels(value: Json, found: &mut Vec<Json>) {
    found.push(value.clone());
    match value {
        Json::Array(elements) => elements.into_iter().for_each(|element| levels(element, found)),
        Json::Object(members, _) => members.into_iter().for_each(|(_, member)| levels(member, found)),
        _ => {}
    }
}

/// `compareItems`
fn compared(op: &str, left: &Json, right: &Json, context: &Input) -> Result<Option<bool>> {
    let order = match (left, right) {
        (Json::Null, Json::Null) => Ordering::Equal,
        (Json::Null, _) | (_, Json::Null) => return Ok(Some(op == "<>")),
        (Json::Bool(left), Json::Bool(right)) => left.cmp(right),
        (Json::String(left), Json::String(right)) => left.cmp(right),
        (Json::Number(left), Json::Number(right)) => {
            let number = |digits: &str| input(digits, SqlType::NUMERIC, context);
            operate::compare(&number(left)?, &number(right)?, [NUMERIC; 2], context)?
        }
        _ => return Ok(None),
    };
    Ok(Some(match op {
        "==" => order.is_eq(),
        "<>" => order.is_ne(),
        "<" => order.is_lt(),
        "<=" => order.is_le(),
        ">" => order.is_gt(),
        _ => order.is_ge(),
    }))
}
