//! The values of a row in few words: `id 1 · n 0`; what only fills the row comes last, and shortened.

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

/// The values of a heap tuple.
pub(super) fn row(look: &Look<'_>, relation: &Relation, page: &Page, tuple: &HeapTuple) -> String {
    columns(look, relation, page, &tuple.columns(page, &relation.attributes))
}

/// The values of a row whose columns lie there.
pub(super) fn columns(look: &Look<'_>, relation: &Relation, page: &Page, columns: &[Datum]) -> String {
    let live = columns.iter().zip(&relation.attributes).filter(|(_, attribute)| !attribute.dropped);
    let (mut short, mut long): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    for (datum, attribute) in live {
        let text = value(look, page, datum, attribute);
        if text.chars().count() <= SHORT {
            short.push(format!("{} {text}", attribute.name));
        } else {
            long.push(format!("{} {}", attribute.name, words::shorten(&text, SHORTENED)));
        }
    }
    short.append(&mut long);
    line(&short)
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
