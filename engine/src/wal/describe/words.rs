//! Small words for counts and lists.

use crate::page::thousands;
use alloc::format;
use alloc::string::{String, ToString};
use core::fmt::Display;

/// `1 row`, `3 rows`; `entry` becomes `entries`.
pub(super) fn count(n: usize, one: &str) -> String {
    let number = thousands(n as u64);
    match one.strip_suffix("ry") {
        _ if n == 1 => format!("{number} {one}"),
        Some(stem) => format!("{number} {stem}ries"),
        None => format!("{number} {one}s"),
    }
}

/// `1 byte`, `1,204 bytes`.
pub(super) fn bytes(n: usize) -> String {
    count(n, "byte")
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
