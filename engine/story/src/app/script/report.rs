//! What is said of a script when it is opened: which of its statements did not do what they say.

use crate::app::Model;
use crate::scene::words;
use crate::timeline::{NOT_SENT, NOT_SUPPORTED};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// numbers of statements that are named
const NAMED: usize = 3;

/// One line; nothing where all statements were run and none failed.
pub(super) fn report(model: &Model) -> String {
    let failures = model.timeline.as_ref().map_or_else(Vec::new, |timeline| timeline.failures(model.redact));
    // without row data only the sort is left of the words
    let is = |words: &str, sort: &str| words.contains(sort.trim_end_matches([' ', ':']));
    let numbers = |wanted: &dyn Fn(&str) -> bool| -> Vec<usize> {
        failures.iter().filter(|(_, words)| wanted(words)).map(|(n, _)| *n).collect()
    };
    let unsupported = numbers(&|words| is(words, NOT_SUPPORTED));
    let not_sent = numbers(&|words| is(words, NOT_SENT) && !is(words, NOT_SUPPORTED));
    let failed = numbers(&|words| !is(words, NOT_SUPPORTED) && !is(words, NOT_SENT));
    let parts = [
        named(&unsupported, ["is not supported", "are not supported"]),
        named(&not_sent, ["was not sent to the server", "were not sent to the server"]),
        named(&failed, ["failed with an error", "failed with an error"]),
    ];
    let said: Vec<String> = parts.into_iter().flatten().collect();
    let Some(first) = said.first().and_then(|first| first.chars().next()) else { return String::new() };
    let sentence = format!("{}{}.", first.to_uppercase(), &said.join("; ")[first.len_utf8()..]);
    let elsewhere = if unsupported.is_empty() { "" } else { model.elsewhere };
    [sentence.as_str(), elsewhere].join(" ").trim_end().to_string()
}

/// `statements 2, 5 and 7 are not supported`
fn named(numbers: &[usize], [is, are]: [&str; 2]) -> Option<String> {
    let list: Vec<String> = numbers.iter().map(ToString::to_string).collect();
    Some(match &list[..] {
        [] => return None,
        [one] => format!("statement {one} {is}"),
        [before @ .., last] if list.len() <= NAMED => format!("statements {} and {last} {are}", before.join(", ")),
        _ => format!("{} {are}", words::count(list.len() as u64, "statement")),
    })
}
