//! The values of a row in few words: `id 1 · n 0`; its first column, then what an UPDATE changed, as it tells two
//! versions apart; what only fills the row comes last, and shortened.

use crate::scene::page::n_keys;
use crate::scene::{Look, words};
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
const SHORTENED: usize = 8;
/// characters in all
const LINE: usize = 34;

/// The values of a heap tuple; `other`: the version before or after it.
pub(super) fn row(
    look: &Look<'_>,
    relation: &Relation,
    page: &Page,
    tuple: &HeapTuple,
    other: Option<(&Page, &HeapTuple)>,
) -> String {
    let own = tuple.columns(page, &relation.attributes);
    let theirs = other.map(|(page, tuple)| (page, tuple.columns(page, &relation.attributes)));
    let changed = |n: usize, text: &str| {
        let Some((page, columns)) = &theirs else { return false };
        let pair = columns.get(n).zip(relation.attributes.get(n));
        pair.is_some_and(|(datum, attribute)| value(look, page, datum, attribute) != text)
    };
    in_order(look, relation, page, &own, changed)
}

/// The values of a row whose columns lie there.
pub(super) fn columns(look: &Look<'_>, relation: &Relation, page: &Page, columns: &[Datum]) -> String {
    in_order(look, relation, page, columns, |_, _| false)
}

/// `changed`: has the column of this number another value in the version before or after?
fn in_order(
    look: &Look<'_>,
    relation: &Relation,
    page: &Page,
    columns: &[Datum],
    changed: impl Fn(usize, &str) -> bool,
) -> String {
    let live = columns.iter().zip(&relation.attributes).enumerate().filter(|(_, (_, attribute))| !attribute.dropped);
    let mut values: Vec<(u8, String)> = Vec::new();
    for (n, (datum, attribute)) in live {
        let text = value(look, page, datum, attribute);
        let is_short = text.chars().count() <= SHORT;
        let rank = match (values.is_empty(), is_short) {
            (true, true) => 0,
            _ if changed(n, &text) => 1,
            (_, true) => 2,
            (_, false) => 3,
        };
        let text = if is_short { text } else { words::shorten(&text, SHORTENED) };
        values.push((rank, format!("{} {text}", attribute.name)));
    }
    values.sort_by_key(|(rank, _)| *rank);
    line(&values.into_iter().map(|(_, value)| value).collect::<Vec<_>>())
}

/// Whole values as far as they fit; that there are more is said.
fn line(values: &[String]) -> String {
    let mut text = String::new();
    for (n, value) in values.iter().enumerate() {
        let length = text.chars().count() + value.chars().count() + 3;
        if n > 0 && length > LINE {
            return text + " …";
        }
        if n > 0 {
            text += " · ";
        }
        text += value;
    }
    words::shorten(&text, LINE + 6)
}

/// The key columns of an index tuple, each shortened: those behind the key (INCLUDE) do not order it.
pub(super) fn key(look: &Look<'_>, relation: &Relation, page: &Page, tuple: &IndexTuple) -> String {
    let columns = tuple.columns(page, &relation.attributes);
    let keys = columns.iter().zip(&relation.attributes).take(usize::from(n_keys(relation)));
    let text = |(datum, attribute): (&Datum, &Attribute)| match datum.storage {
        Storage::Missing => String::from("−∞"),
        _ => words::shorten(&value(look, page, datum, attribute), SHORT),
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
