//! Small words: counts, byte counts, lists that stay short however long they are.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::Display;
pub use ffviz_format::page::thousands as number;

/// How many members of a list are named.
const NAMED: usize = 4;

/// `1 byte`, `1,204 bytes`.
pub fn bytes(n: impl Into<u64>) -> String {
    let n = n.into();
    format!("{} {}", number(n), if n == 1 { "byte" } else { "bytes" })
}

/// `1 row`, `3 rows`; `entry` becomes `entries`.
pub fn count(n: usize, one: &str) -> String {
    let number = number(n as u64);
    match one.strip_suffix('y') {
        _ if n == 1 => format!("{number} {one}"),
        Some(stem) if one.ends_with("ry") => format!("{number} {stem}ies"),
        _ => format!("{number} {one}s"),
    }
}

/// `at least `, of a count, where there may have been more.
pub const fn lower_bound(at_least: bool) -> &'static str {
    if at_least { "at least " } else { "" }
}

/// `, 3 of them rolled back`.
pub fn of_them_void(void: usize, all: usize) -> String {
    match void {
        0 => String::new(),
        _ if void == all => ", all rolled back".to_string(),
        _ => format!(", {} of them rolled back", number(void as u64)),
    }
}

/// `a, b and c`; long lists end with `and 12 more`.
pub fn list<T: Display>(all: &[T]) -> String {
    let shown = if all.len() > NAMED + 1 { NAMED } else { all.len() };
    let mut parts: Vec<String> = all[..shown].iter().map(T::to_string).collect();
    if shown < all.len() {
        parts.push(format!("{} more", number((all.len() - shown) as u64)));
    }
    match parts.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        Some((last, _)) => last.clone(),
        None => String::new(),
    }
}

/// Ascending numbers with runs drawn together: `1–4, 7 and 9`.
pub fn runs(numbers: impl IntoIterator<Item = u32>) -> String {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for n in numbers {
        match runs.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(n) => *last = n,
            Some((_, last)) if *last == n => {}
            _ => runs.push((n, n)),
        }
    }
    let mut texts: Vec<String> = Vec::new();
    for (first, last) in runs {
        match last - first {
            0 => texts.push(first.to_string()),
            1 => texts.extend([first.to_string(), last.to_string()]),
            _ => texts.push(format!("{first}–{last}")),
        }
    }
    list(&texts)
}

/// `block 3`, `blocks 1–4`; several blocks in ascending order.
pub fn blocks(numbers: impl IntoIterator<Item = u32>) -> String {
    plural("block", numbers)
}

/// `line pointer 3`, `line pointers 1, 2 and 5`.
pub fn plural(noun: &str, numbers: impl IntoIterator<Item = u32>) -> String {
    let mut numbers: Vec<u32> = numbers.into_iter().collect();
    numbers.sort_unstable();
    numbers.dedup();
    let s = if numbers.len() == 1 { "" } else { "s" };
    format!("{noun}{s} {}", runs(numbers))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_lists_read_like_english() {
        assert_eq!([number(7), number(1204), number(1_000_000)], ["7", "1,204", "1,000,000"]);
        assert_eq!([bytes(1u16), bytes(1204u16)], ["1 byte", "1,204 bytes"]);
        assert_eq!([count(1, "entry"), count(2, "entry"), count(1000, "row")], ["1 entry", "2 entries", "1,000 rows"]);
        assert_eq!([list(&[1]), list(&[1, 2]), list(&[1, 2, 3])], ["1", "1 and 2", "1, 2 and 3"]);
        assert_eq!(list(&[1, 2, 3, 4, 5]), "1, 2, 3, 4 and 5");
        assert_eq!(list(&[1, 2, 3, 4, 5, 6]), "1, 2, 3, 4 and 2 more");
        assert_eq!(blocks([3]), "block 3");
        assert_eq!(blocks([9, 1, 2, 3, 4, 7, 7]), "blocks 1–4, 7 and 9");
        assert_eq!(plural("line pointer", [1, 2]), "line pointers 1 and 2");
    }
}
