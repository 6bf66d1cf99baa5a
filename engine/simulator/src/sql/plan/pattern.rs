//! What LIKE and `~` with a constant say of a text: how it begins, which an index takes for a range, and which share of
//! texts goes on so (`like_fixed_prefix`, `like_selectivity`, `regex_selectivity`, `match_pattern_prefix`,
//! src/backend/utils/adt/like_support.c). Texts have the order of their bytes.
//!
//! ```text
//!  x LIKE 'ab_c%'   prefix 'ab', the rest '_c%'   ──▶  x >= 'ab' AND x < 'ac', and the condition is asked again
//! ```

use crate::sql::ast::BinaryOp;
use crate::sql::expr::pg_catalog::BPCHAR;
use crate::sql::expr::{Node, Typed, proc_name};
use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::datum::{SqlType, Value};

/// `FIXED_CHAR_SEL`
const FIXED_CHAR: f64 = 0.20;
/// `CHAR_RANGE_SEL`
const CHAR_RANGE: f64 = 0.25;
/// `ANY_CHAR_SEL`
const ANY_CHAR: f64 = 0.9;
/// `FULL_WILDCARD_SEL`
const FULL_WILDCARD: f64 = 5.0;
/// `PARTIAL_WILDCARD_SEL`
const PARTIAL_WILDCARD: f64 = 2.0;

/// A condition with a pattern.
pub struct Pattern<'a> {
    /// the text that is asked
    pub variable: &'a Typed,
    /// must the text not match?
    pub negated: bool,
    /// how the text begins
    pub prefix: String,
    /// is that all of it (`Pattern_Prefix_Exact`)?
    pub exact: bool,
    /// which share of texts goes on as the rest of the pattern says
    pub rest: f64,
}

impl<'a> Pattern<'a> {
    /// LIKE, ILIKE, `~`, `~*` and their opposites.
    pub fn of(clause: &'a Typed) -> Option<Self> {
        let Node::Call(builtin, args) = &clause.node else { return None };
        let [variable, Typed { node: Node::Const(value), .. }] = &args[..] else { return None };
        let pattern = core::str::from_utf8(value.plain_bytes()?).ok()?;
        if variable.is_pseudo_constant() {
            return None;
        }
        let (of_regex, any_case, negated) = match proc_name(*builtin)? {
            "like" => (false, false, false),
            "notlike" => (false, false, true),
            "texticlike" => (false, true, false),
            "texticnlike" => (false, true, true),
            "textregexeq" => (true, false, false),
            "textregexne" => (true, false, true),
            "texticregexeq" => (true, true, false),
            "texticregexne" => (true, true, true),
            _ => return None,
        };
        let (prefix, exact, rest) = if of_regex { regex(pattern, any_case) } else { like(pattern, any_case) };
        Some(Self { variable, negated, prefix, exact, rest })
    }

    /// What an index over the text is asked for in place of the condition.
    pub fn bounds(&self) -> Vec<(BinaryOp, Typed)> {
        let ty = if self.variable.ty.oid == BPCHAR { SqlType::plain(BPCHAR) } else { SqlType::TEXT };
        let text = |text: &str| Typed::constant(Value::text(text), ty);
        if self.negated || self.prefix.is_empty() && !self.exact {
            return Vec::new();
        }
        if self.exact {
            return Vec::from([(BinaryOp::Eq, text(&self.prefix))]);
        }
        let upper = greater(&self.prefix).map(|greater| (BinaryOp::Lt, text(&greater)));
        core::iter::once((BinaryOp::Ge, text(&self.prefix))).chain(upper).collect()
    }

    /// The text compared with that.
    pub fn compared(&self, op: BinaryOp, value: &Typed) -> Typed {
        let node = Node::Binary(op, Box::new((self.variable.clone(), value.clone())));
        Typed { node, ty: SqlType::BOOL }
    }
}

/// Prefix, whether that is all, and the share of the rest.
fn like(pattern: &str, any_case: bool) -> (String, bool, f64) {
    let (mut prefix, mut chars) = (String::new(), pattern.char_indices());
    while let Some((at, c)) = chars.next() {
        let literal = match c {
            '%' | '_' => return (prefix, false, like_rest(&pattern[at..])),
            '\\' => match chars.next() {
                Some((_, escaped)) => escaped,
                None => break,
            },
            other => other,
        };
        if any_case && literal.is_ascii_alphabetic() {
            // behind a backslash the rest begins with the letter
            let from = at + usize::from(c == '\\');
            return (prefix, false, like_rest(&pattern[from..]));
        }
        prefix.push(literal);
    }
    (prefix, true, 1.0)
}

/// `like_selectivity`: by bytes, as the server counts them.
fn like_rest(pattern: &str) -> f64 {
    let mut bytes = pattern.bytes().skip_while(|byte| matches!(byte, b'%' | b'_'));
    let mut share = 1.0;
    while let Some(byte) = bytes.next() {
        share *= match byte {
            b'%' => FULL_WILDCARD,
            b'_' => ANY_CHAR,
            b'\\' if bytes.next().is_none() => break,
            _ => FIXED_CHAR,
        };
    }
    f64::min(share, 1.0)
}

/// Of a regular expression: plain characters behind `^` are its prefix.
fn regex(pattern: &str, any_case: bool) -> (String, bool, f64) {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, ' ' | '_' | '-' | ',' | ':' | '/' | '@' | '#');
    let mut prefix: String = match pattern.strip_prefix('^') {
        Some(behind) if !pattern.contains('|') => {
            behind.chars().take_while(|c| is_plain(*c) && !(any_case && c.is_ascii_alphabetic())).collect()
        }
        _ => String::new(),
    };
    let behind = pattern.get(1 + prefix.len()..).unwrap_or_default();
    if behind.starts_with(['?', '*', '{']) {
        prefix.pop();
    }
    if behind == "$" && pattern.starts_with('^') {
        return (prefix, true, 1.0);
    }
    let rest = regex_rest(pattern, prefix.len());
    (prefix, false, rest)
}

/// `regex_selectivity`
fn regex_rest(pattern: &str, prefix: usize) -> f64 {
    let bytes = pattern.as_bytes();
    let mut share = match bytes {
        [before @ .., b'$'] if before.last() != Some(&b'\\') => regex_part(before),
        all => regex_part(all) * FULL_WILDCARD,
    };
    for _ in 0..prefix {
        share /= FIXED_CHAR;
    }
    share.clamp(0.0, 1.0)
}

/// `regex_selectivity_sub`
fn regex_part(pattern: &[u8]) -> f64 {
    let (mut share, mut depth, mut open, mut at) = (1.0, 0_u32, 0, 0);
    let end_of = |from: usize, end: u8| {
        pattern[from.min(pattern.len())..].iter().position(|byte| *byte == end).map_or(pattern.len(), |n| from + n)
    };
    while let Some(byte) = pattern.get(at) {
        let mut factor = 1.0;
        match byte {
            b'(' => {
                if depth == 0 {
                    open = at;
                }
                depth += 1;
            }
            b')' if depth > 0 => {
                depth -= 1;
                if depth == 0 {
                    share *= regex_part(&pattern[open + 1..at]);
                }
            }
            b'|' if depth == 0 => {
                share += regex_part(&pattern[at + 1..]);
                break;
            }
            b'[' => {
                at += 1;
                let negated = pattern.get(at) == Some(&b'^');
                at += usize::from(negated);
                // a bracket at the start of a class is not special
                at += usize::from(pattern.get(at) == Some(&b']'));
                at = end_of(at, b']');
                factor = if negated { 1.0 - CHAR_RANGE } else { CHAR_RANGE };
            }
            b'.' => factor = ANY_CHAR,
            b'*' | b'?' | b'+' => factor = PARTIAL_WILDCARD,
            b'{' => {
                at = end_of(at, b'}');
                factor = PARTIAL_WILDCARD;
            }
            b'\\' => {
                at += 1;
                if at >= pattern.len() {
                    break;
                }
                factor = FIXED_CHAR;
            }
            _ => factor = FIXED_CHAR,
        }
        if depth == 0 {
            share *= factor;
        }
        at += 1;
    }
    f64::min(share, 1.0)
}

/// `make_greater_string`: the last character that has a next one becomes that; those behind it go.
pub fn greater(text: &str) -> Option<String> {
    let mut chars: Vec<char> = text.chars().collect();
    while let Some(last) = chars.pop() {
        let next = char::from_u32(u32::from(last) + 1).filter(|next| next.len_utf8() == last.len_utf8());
        if let Some(next) = next.filter(|_| last != '\u{7f}') {
            return Some(chars.iter().collect::<String>() + &next.to_string());
        }
    }
    None
}
