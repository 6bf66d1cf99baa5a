//! Parentheses and line breaks (`isSimpleNode`, `get_rule_expr_paren`, `appendContextKeyword`,
//! src/backend/utils/adt/ruleutils.c).

use alloc::format;
use alloc::string::{String, ToString};

/// `prettyFlags`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// `PRETTYFLAG_PAREN`, `PRETTYFLAG_SCHEMA`: only the parentheses, and the schemas, that are needed
    pub pretty: bool,
}

/// As everything is told unless it is to be pretty.
pub const PLAIN: Style = Style { pretty: false };

/// `PRETTYINDENT_STD`
pub(super) const STD: i32 = 8;
/// `PRETTYINDENT_JOIN`, `PRETTYINDENT_VAR`
pub(super) const VAR: i32 = 4;
/// `PRETTYINDENT_LIMIT`
const LIMIT: i32 = 40;

/// What an expression looks like to what is around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// it needs no parentheses
    Simple,
    /// an operator; of arithmetic its sign
    Operator(Option<char>),
    /// IS NULL, IS DISTINCT FROM, a query
    Test,
    And,
    Or,
    Not,
    /// it needs them always
    Other,
}

/// What an expression stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Around {
    /// an operator, first in it or not
    Operator(Option<char>, bool),
    And,
    Or,
    Not,
    /// what has parentheses or brackets of its own
    Call,
    /// all else
    Other,
}

/// `isSimpleNode`
pub(super) fn is_simple(kind: Kind, around: Around) -> bool {
    let is_high = |sign: char| matches!(sign, '*' | '/' | '%');
    match (kind, around) {
        (Kind::Simple, _) => true,
        (Kind::Other, _) => false,
        (Kind::Operator(Some(sign)), Around::Operator(Some(other), is_first)) => {
            match (is_high(sign), is_high(other)) {
                (true, false) => true,
                (false, true) => false,
                _ => is_first,
            }
        }
        (Kind::Operator(_) | Kind::Test, around) => {
            matches!(around, Around::And | Around::Or | Around::Not | Around::Call)
        }
        (Kind::And | Kind::Not, Around::And | Around::Or) | (Kind::Or, Around::Or) => true,
        (Kind::And | Kind::Or | Kind::Not, around) => around == Around::Call,
    }
}

/// `appendContextKeyword`: the line break, and the word.
pub(super) fn keyword(indent: i32, more: i32, word: &str) -> String {
    let amount = match indent.max(0) {
        indent if indent < LIMIT => indent,
        indent => (LIMIT + (indent - LIMIT) / (STD / 2)) % LIMIT,
    };
    format!("\n{}{word}", " ".repeat((amount + more).max(0) as usize))
}

/// What may begin on a line of its own is appended.
pub(super) fn append(text: &mut String, more: &str) {
    if more.starts_with('\n') {
        text.truncate(text.trim_end_matches(' ').len());
    }
    text.push_str(more);
}

/// `removeStringInfoSpaces`: no line ends with spaces.
pub(super) fn trimmed(text: &str) -> String {
    let mut lines = text.split('\n').peekable();
    let mut whole = String::new();
    while let Some(line) = lines.next() {
        let is_last = lines.peek().is_none();
        whole += &if is_last { line.to_string() } else { format!("{}\n", line.trim_end_matches(' ')) };
    }
    whole
}
