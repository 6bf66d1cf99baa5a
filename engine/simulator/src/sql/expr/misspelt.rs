//! What somebody may have meant: columns whose names are nearly the one that there is not (`errorMissingColumn`,
//! `updateFuzzyAttrMatchState` of src/backend/parser/parse_relation.c; `varstr_levenshtein_less_equal` of
//! src/backend/utils/adt/levenshtein.c), and the literal that an error of a cast is about.

use super::scope::{RangeEntry, RangeTable};
use crate::sql::StatementError;
use crate::sql::ast::{Expr, ExprNode, Literal};
use crate::sql::error::Position;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Ordering;
use ffviz_format::datum::SqlError;

/// `MAX_FUZZY_DISTANCE`
const MAX_FUZZY_DISTANCE: usize = 3;

/// The nearest names.
struct Nearest<'a> {
    distance: usize,
    /// table and column; none any more, where there were more than two
    found: Vec<(&'a str, &'a str)>,
    is_given_up: bool,
}

/// There is no such column: `ranges` are those of the query and of those around it, the nearest first.
pub(super) fn no_column<'a>(ranges: impl Iterator<Item = &'a RangeTable>, table: Option<&str>, name: &str) -> SqlError {
    let message = match table {
        Some(table) => format!("column {table}.{name} does not exist"),
        None => format!("column \"{name}\" does not exist"),
    };
    let error = SqlError::new("42703", message);
    match hint(ranges, table, name) {
        Some(hint) => error.with_hint(hint),
        None => error,
    }
}

fn hint<'a>(ranges: impl Iterator<Item = &'a RangeTable>, table: Option<&str>, name: &str) -> Option<String> {
    let mut nearest = Nearest { distance: MAX_FUZZY_DISTANCE + 1, found: Vec::new(), is_given_up: false };
    for range in ranges {
        let mut entries: Vec<&RangeEntry> = range.entries.iter().collect();
        entries.sort_by_key(|entry| entry.order);
        for entry in entries {
            let penalty = table.map_or(0, |table| distance(table, &entry.name));
            let columns = entry.columns.iter().map(|column| column.name.as_str());
            columns.for_each(|column| nearest.look((&entry.name, column), name, penalty));
        }
    }
    match nearest.found.as_slice() {
        [(table, column)] => Some(format!("Perhaps you meant to reference the column \"{table}.{column}\".")),
        [(table, column), (other, second)] => Some(format!(
            "Perhaps you meant to reference the column \"{table}.{column}\" or the column \"{other}.{second}\"."
        )),
        _ => None,
    }
}

impl<'a> Nearest<'a> {
    fn look(&mut self, (table, column): (&'a str, &'a str), name: &str, penalty: usize) {
        if penalty > self.distance || column.is_empty() {
            return;
        }
        let away = distance(column, name);
        // more than half of it is otherwise
        if away > name.len() / 2 {
            return;
        }
        match (away + penalty).cmp(&self.distance) {
            Ordering::Less => {
                self.distance = away + penalty;
                self.found = Vec::from([(table, column)]);
                self.is_given_up = false;
            }
            Ordering::Equal if self.found.len() == 2 => {
                self.found.clear();
                self.is_given_up = true;
            }
            Ordering::Equal if self.found.len() == 1 && !self.is_given_up => self.found.push((table, column)),
            Ordering::Equal | Ordering::Greater => {}
        }
    }
}

/// Characters that are put in, left out or are others; what is farther apart than [`MAX_FUZZY_DISTANCE`] is one more
/// than that.
fn distance(one: &str, other: &str) -> usize {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    if one.len().abs_diff(other.len()) > MAX_FUZZY_DISTANCE {
        return MAX_FUZZY_DISTANCE + 1;
    }
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (i, a) in one.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in other.iter().enumerate() {
            let replaced = diagonal + usize::from(a != b);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[other.len()].min(MAX_FUZZY_DISTANCE + 1)
}

/// The error of an expression with its place, unless one within it has it already.
pub(super) fn placed(error: StatementError, expr: &Expr) -> StatementError {
    let literal = literal(expr, &error.error).filter(|_| error.position.is_none());
    error.at(literal.unwrap_or(expr.position))
}

/// The place of the literal that an error of its cast is about, where the expression has it: class 22 of SQLSTATEs.
fn literal(expr: &Expr, error: &SqlError) -> Option<Position> {
    let (first, last) = error.sqlstate.split_at_checked(2)?;
    if first != "22" || last == "012" {
        return None;
    }
    let mut literals = Vec::new();
    collect(expr, &mut literals);
    let named = literals.iter().find(|(text, _)| error.message.contains(&format!("\"{text}\"")));
    named.or(literals.first().filter(|_| literals.len() == 1)).map(|(_, at)| *at)
}

/// String literals of an expression, but for those within what it calls.
fn collect<'a>(expr: &'a Expr, into: &mut Vec<(&'a str, Position)>) {
    match &expr.node {
        ExprNode::Literal(Literal::String(text)) => into.push((text, expr.position)),
        _ => expr.children().into_iter().for_each(|child| collect(child, into)),
    }
}
