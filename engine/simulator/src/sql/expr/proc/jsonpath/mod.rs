//! jsonpath: paths into jsonb with conditions (src/backend/utils/adt/jsonpath_exec.c). A path is read each time from
//! its text.
//!
//! ```text
//!  parse   the text as items                     exec   items found in a document, and what holds of them
//! ```

mod exec;
mod item;
mod parse;

use super::json::{Parts, as_jsonb, kind, quoted, unquoted};
use crate::sql::error::NOT_SIMULATED;
use crate::sql::expr::call::{Call, text};
use crate::sql::expr::pg_catalog::{BOOL, JSONB, TEXT};
use crate::sql::expr::pg_proc::{Proc, f};
use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use exec::Execution;
use ffviz_format::datum::error::{Result, SqlError};
use ffviz_format::datum::input::{Context as Input, input};
use ffviz_format::datum::{SqlType, Value};
pub(in crate::sql::expr) use item::json_item;

const WITH_ALL: &[u32] = &[JSONB, TEXT, JSONB, BOOL];

pub(super) const PROCS: &[Proc] = &[
    f("jsonb_path_exists", WITH_ALL, BOOL, |call| {
        Ok(found(call)?.map_or(Value::Null, |items| Value::Bool(!items.is_empty())))
    }),
    f("jsonb_path_exists_opr", &[JSONB, TEXT], BOOL, |call| {
        Ok(found(call)?.map_or(Value::Null, |items| Value::Bool(!items.is_empty())))
    }),
    f("jsonb_path_match", WITH_ALL, BOOL, path_match),
    f("jsonb_path_match_opr", &[JSONB, TEXT], BOOL, path_match),
    f("jsonb_path_query_array", WITH_ALL, JSONB, |call| {
        as_jsonb(&Json::Array(found(call)?.unwrap_or_default()).to_string())
    }),
    f("jsonb_path_query_first", WITH_ALL, JSONB, |call| {
        let first = found(call)?.and_then(|items| items.into_iter().next());
        first.map_or(Ok(Value::Null), |item| as_jsonb(&item.to_string()))
    }),
];

/// Where an object stands that is in no document.
const NOWHERE: usize = usize::MAX;

/// A document, or a part of one.
#[derive(Debug, Clone, PartialEq)]
enum Json {
    Null,
    Bool(bool),
    /// its digits
    Number(String),
    String(String),
    Array(Vec<Json>),
    /// with where it stands in the document
    Object(Vec<(String, Json)>, usize),
}

impl Json {
    fn read(document: &str) -> Self {
        match Parts::of(document) {
            Parts::Object(members) => {
                let members = members.into_iter().map(|(name, value)| (name, Self::read(value)));
                Self::Object(members.collect(), NOWHERE)
            }
            Parts::Array(elements) => Self::Array(elements.into_iter().map(Self::read).collect()),
            Parts::Scalar => match kind(document) {
                "null" => Self::Null,
                "boolean" => Self::Bool(document.trim() == "true"),
                "string" => Self::String(unquoted(document)),
                _ => Self::Number(document.trim().to_string()),
            },
        }
    }

    /// Says of each object where it stands, as jsonb is stored (`convertJsonbValue`). Gives where the value ends.
    fn place(&mut self, at: usize, context: &Input) -> Result<usize> {
        const ENTRY: usize = 4;
        let aligned = at.next_multiple_of(ENTRY);
        Ok(match self {
            Self::Null | Self::Bool(_) => at,
            Self::String(text) => at + text.len(),
            Self::Number(digits) => {
                let number = input(digits, SqlType::NUMERIC, context)?;
                aligned + ENTRY + number.bytes().map_or(0, |bytes| bytes.len())
            }
            Self::Array(elements) => {
                let begin = aligned + ENTRY * (1 + elements.len());
                elements.iter_mut().try_fold(begin, |at, element| element.place(at, context))?
            }
            Self::Object(members, place) => {
                *place = aligned;
                let names: usize = members.iter().map(|(name, _)| name.len()).sum();
                let begin = aligned + ENTRY * (1 + 2 * members.len()) + names;
                members.iter_mut().try_fold(begin, |at, (_, member)| member.place(at, context))?
            }
        })
    }

    /// `jsonb_typeof`
    const fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "boolean",
            Self::Number(_) => "number",
            Self::String(_) => "string",
            Self::Array(_) => "array",
            Self::Object(..) => "object",
        }
    }
}

impl core::fmt::Display for Json {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Bool(value) => write!(f, "{value}"),
            Self::Number(digits) => f.write_str(digits),
            Self::String(text) => f.write_str(&quoted(text)),
            Self::Array(elements) => {
                let all: Vec<String> = elements.iter().map(ToString::to_string).collect();
                write!(f, "[{}]", all.join(", "))
            }
            Self::Object(members, _) => {
                let all: Vec<String> = members.iter().map(|(name, it)| format!("{}: {it}", quoted(name))).collect();
                write!(f, "{{{}}}", all.join(", "))
            }
        }
    }
}

/// A part of a path (`JsonPathItem`).
#[derive(Debug, Clone, PartialEq)]
enum Item {
    /// `$`
    Root,
    /// `@`
    Current,
    /// `$name`
    Variable(String),
    /// `last`
    Last,
    Literal(Json),
    /// an item, and what is done with it
    Step(Box<Item>, Step),
    Unary(char, Box<Item>),
    Arithmetic(char, Box<(Item, Item)>),
    /// `==` and its like
    Compare(&'static str, Box<(Item, Item)>),
    And(Box<(Item, Item)>),
    Or(Box<(Item, Item)>),
    Not(Box<Item>),
    StartsWith(Box<(Item, Item)>),
    /// an expression, a pattern and its flags
    LikeRegex(Box<Item>, String, String),
    Exists(Box<Item>),
    IsUnknown(Box<Item>),
}

/// What follows an item.
#[derive(Debug, Clone, PartialEq)]
enum Step {
    /// `.name`
    Key(String),
    /// `.*`
    AnyKey,
    /// `.**`
    AnyLevel,
    /// `[*]`
    AnyElement,
    /// `[n, n to m]`
    Subscripts(Vec<(Item, Option<Item>)>),
    /// `.name()`
    Method(String),
    /// `? (condition)`
    Filter(Box<Item>),
}

/// A path: strict or lax.
struct Path {
    is_strict: bool,
    item: Item,
}

/// What is not read or done here.
fn refuse(what: &str) -> SqlError {
    SqlError::new(NOT_SIMULATED, format!("{what} in a jsonpath is not supported"))
}

/// What the path finds: nothing where it fails and must not say so.
fn items(document: &Value, path: &str, vars: Option<&Value>, silent: bool, input: Input) -> Result<Option<Vec<Json>>> {
    let path = parse::path(path)?;
    let read = |value: &Value| Json::read(&value.output(JSONB).unwrap_or_default());
    let vars = vars.map_or_else(|| Json::Object(Vec::new(), NOWHERE), read);
    if !matches!(vars, Json::Object(..)) {
        let detail = "Jsonpath parameters should be encoded as key-value pairs of \"vars\" object.";
        return Err(SqlError::new("22023", "\"vars\" argument is not an object").with_detail(detail));
    }
    let mut root = read(document);
    root.place(0, &input)?;
    match Execution::new(&root, &vars, path.is_strict, input).all(&path.item) {
        Err(error) if silent && error.sqlstate != NOT_SIMULATED => Ok(None),
        other => other.map(Some),
    }
}

/// The same for a function's arguments; an operator is silent.
fn found(call: &mut Call<'_, '_>) -> Result<Option<Vec<Json>>> {
    let silent = call.args.len() == 2 || call.is_true(3);
    items(&call.args[0], call.text(1)?, call.get(2), silent, call.input())
}

fn path_match(call: &mut Call<'_, '_>) -> Result<Value> {
    let silent = call.args.len() == 2 || call.is_true(3);
    match found(call)?.as_deref() {
        Some([Json::Bool(value)]) => Ok(Value::Bool(*value)),
        Some([Json::Null]) | None => Ok(Value::Null),
        Some(_) if silent => Ok(Value::Null),
        Some(_) => Err(SqlError::new("22038", "single boolean result is expected")),
    }
}

/// The rows of `jsonb_path_query`.
pub(in crate::sql) fn path_rows(args: &[Value], input: Input) -> Result<Vec<Vec<Value>>> {
    let silent = args.get(3) == Some(&Value::Bool(true));
    let found = items(&args[0], text(&args[1])?, args.get(2), silent, input)?.unwrap_or_default();
    found.iter().map(|item| Ok(Vec::from([as_jsonb(&item.to_string())?]))).collect()
}
