//! Small words for counts and lists.

use alloc::string::{String, ToString};
use core::fmt::Display;

/// `1 row`, `3 rows`; `entry` becomes `entries`.
pub(super) fn count(n: usize, one: &str) -> String {
    ffviz_format::page::count(n as u64, one)
}

/// `1 byte`, `1,204 bytes`.
pub(super) fn bytes(n: usize) -> String {
    ffviz_format::page::bytes(n as u64)
}

/// One after the other with something between.
pub(super) fn join<T: Display>(items: impl IntoIterator<Item = T>, between: &str) -> String {
    let mut text = String::new();
    for item in items {
        if !text.is_empty() {
            text.push_str(between);
        }
        text.push_str(&item.to_string());
    }
    text
}
