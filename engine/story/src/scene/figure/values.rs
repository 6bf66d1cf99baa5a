//! The values of rows in few words: `id 1 · n 0`, in the order of the table. What tells the rows of a page apart stays
//! where room is short: the first column, what an UPDATE changed, what differs from row to row; a long value keeps its
//! beginning and its end.

use super::panel::Value;
use crate::scene::page::n_keys;
use crate::scene::{Look, words};
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::datum::{Attribute, Datum, Storage};
use ffviz_format::heap::HeapTuple;
use ffviz_format::nbtree::IndexTuple;
use ffviz_format::page::Page;
use ffviz_format::state::Relation;

/// characters of a value that is shown whole
const SHORT: usize = 14;
/// characters that are shown of a longer one
const SHORTENED: usize = 9;
/// characters in all
const LINE: usize = 34;

/// A row's columns.
pub(super) struct Row(Vec<Column>);

/// A column that is not dropped.
struct Column {
    name: String,
    text: String,
    /// has it another value in the version before or after?
    changed: bool,
}

/// The values of a heap tuple; `other`: the version before or after it.
pub(super) fn row(
    look: &Look<'_>,
    relation: &Relation,
    page: &Page,
    tuple: &HeapTuple,
    other: Option<(&Page, &HeapTuple)>,
) -> Row {
    let own = tuple.columns(page, &relation.attributes);
    let theirs = other.map(|(page, tuple)| (page, tuple.columns(page, &relation.attributes)));
    let changed = |n: usize, text: &str| {
        let Some((page, columns)) = &theirs else { return false };
        let pair = columns.get(n).zip(relation.attributes.get(n));
        pair.is_some_and(|(datum, attribute)| value(look, page, datum, attribute) != text)
    };
    read(look, relation, page, &own, changed)
}

/// The values of a row whose columns lie there.
pub(super) fn columns(look: &Look<'_>, relation: &Relation, page: &Page, columns: &[Datum]) -> Row {
    read(look, relation, page, columns, |_, _| false)
}

fn read(
    look: &Look<'_>,
    relation: &Relation,
    page: &Page,
    columns: &[Datum],
    changed: impl Fn(usize, &str) -> bool,
) -> Row {
    let live = columns.iter().zip(&relation.attributes).enumerate().filter(|(_, (_, attribute))| !attribute.dropped);
    let column = |(n, (datum, attribute)): (usize, (&Datum, &Attribute))| {
        let text = value(look, page, datum, attribute);
        Column { name: attribute.name.clone(), changed: changed(n, &text), text }
    };
    Row(live.map(column).collect())
}

/// What is shown of the rows of a page: of each as much as a line holds, what tells it from the others first.
pub(super) fn told(rows: &[Row]) -> Vec<Vec<Value>> {
    let differs = |n: usize| {
        let texts: BTreeSet<&str> =
            rows.iter().filter_map(|row| row.0.get(n)).map(|column| column.text.as_str()).collect();
        rows.len() < 2 || texts.len() > 1
    };
    let most = rows.iter().map(|row| row.0.len()).max().unwrap_or(0);
    let differing: Vec<bool> = (0..most).map(differs).collect();
    let equal: Vec<usize> = (0..most).map(|n| beginning(rows, n)).collect();
    rows.iter().map(|row| line(row, &differing, &equal)).collect()
}

/// Characters with which all values of a column begin, up to where a word does: of times of one day the date.
fn beginning(rows: &[Row], n: usize) -> usize {
    let mut texts = rows.iter().filter_map(|row| row.0.get(n)).map(|column| column.text.as_str());
    let Some(first) = texts.next() else { return 0 };
    let equal = |text: &str| first.chars().zip(text.chars()).take_while(|(a, b)| a == b).count();
    let Some(equal) = texts.map(equal).min() else { return 0 };
    let words: Vec<char> = first.chars().take(equal).collect();
    words.iter().rposition(|sign| !sign.is_alphanumeric()).map_or(0, |at| at + 1)
}

/// Whole values as far as they fit, in the order of the table.
fn line(row: &Row, differing: &[bool], equal: &[usize]) -> Vec<Value> {
    let value = |(n, column): (usize, &Column)| {
        let long = column.text.chars().count() > SHORT;
        let skipped = equal.get(n).copied().filter(|skipped| long && *skipped > 1);
        let text = match skipped {
            Some(skipped) => format!("…{}", column.text.chars().skip(skipped).collect::<String>()),
            None => column.text.clone(),
        };
        let is_short = text.chars().count() <= SHORT;
        let rank = match (n, is_short, differing.get(n).copied().unwrap_or(true)) {
            _ if column.changed => Value::CHANGED,
            (0, true, true) => Value::FIRST,
            (_, true, true) => Value::DIFFERS,
            (_, true, false) => Value::CONSTANT,
            (_, false, true) => Value::LONG,
            (_, false, false) => Value::FILLER,
        };
        let text = if is_short { text } else { words::middle(&text, SHORTENED) };
        Value { column: n as u16, name: column.name.clone(), text, rank }
    };
    let all: Vec<Value> = row.0.iter().enumerate().map(value).collect();
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by_key(|n| all[*n].rank);
    let (mut used, mut kept) = (0, BTreeSet::new());
    for n in order {
        let length = all[n].length() + 3;
        if kept.is_empty() || used + length <= LINE + 3 {
            used += length;
            kept.insert(n);
        }
    }
    // that there are more is said
    let rest = all.len() as u16;
    let mut values: Vec<Value> =
        all.into_iter().enumerate().filter(|(n, _)| kept.contains(n)).map(|(_, value)| value).collect();
    if values.last().is_some_and(|last| last.column + 1 < rest) {
        values.push(Value { column: rest, name: String::new(), text: String::new(), rank: Value::FIRST });
    }
    values
}

/// The key columns of an index tuple, each shortened: those behind the key (INCLUDE) do not order it.
pub(super) fn key(look: &Look<'_>, relation: &Relation, page: &Page, tuple: &IndexTuple) -> String {
    let columns = tuple.columns(page, &relation.attributes);
    let keys = columns.iter().zip(&relation.attributes).take(usize::from(n_keys(relation)));
    let text = |(datum, attribute): (&Datum, &Attribute)| match datum.storage {
        Storage::Missing => String::from("−∞"),
        _ => words::middle(&value(look, page, datum, attribute), SHORT),
    };
    let keys: Vec<String> = keys.map(text).collect();
    words::shorten(&keys.join(", "), LINE)
}

fn value(look: &Look<'_>, page: &Page, datum: &Datum, attribute: &Attribute) -> String {
    if look.redact {
        return words::HIDDEN.to_string();
    }
    if let Some(value) = datum.toast_value(page) {
        return format!("→ value {value}");
    }
    words::squeeze(&datum.text(page, attribute)).trim_end().to_string()
}
