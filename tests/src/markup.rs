//! What a screen reader finds in the browser face's markup: the parts, as what, and in which words.
//!
//! ```text
//! <tr data-part="lp:1" data-role="redirect"><td><svg aria-label="redirect">…</svg></td><td>1</td></tr>
//!     └─ part ─┘             └─ role ─┘                          └───── words: "redirect 1" ─────┘
//! ```

/// A part of a picture as a face shows it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shown {
    /// `PartId` as text
    pub part: String,
    /// `Role::word`
    pub role: String,
    /// its words, without the commas and spaces between them
    pub words: String,
}

impl Shown {
    /// A part with its words brought to the form in which faces are compared.
    #[must_use]
    pub fn new(part: &str, role: &str, words: &str) -> Self {
        let words: Vec<&str> = words.split_whitespace().map(|word| word.trim_end_matches(',')).collect();
        Self { part: part.to_owned(), role: role.to_owned(), words: words.join(" ") }
    }
}

/// An element that is open while reading.
struct Open {
    tag: String,
    /// where it began in the list of parts, if it is one
    part: Option<usize>,
    /// words inside are not heard: hidden, or named otherwise
    silent: bool,
}

const VOID: [&str; 3] = ["input", "br", "hr"];

/// The parts of a piece of markup as the server-side renderer writes it, in order.
///
/// # Panics
/// When elements do not close in order.
#[must_use]
pub fn parts(html: &str) -> Vec<Shown> {
    let mut found: Vec<(String, String, String)> = Vec::new();
    let mut open: Vec<Open> = Vec::new();
    for piece in html.split('<').skip(1) {
        let (tag, text) = piece.split_once('>').expect("a tag ends");
        if let Some(closed) = tag.strip_prefix('/') {
            let last = open.pop().expect("an element is open");
            assert_eq!(last.tag, closed, "elements close in order");
        } else if !tag.starts_with('!') {
            let name = tag.split(' ').next().unwrap_or_default();
            let part = attribute(tag, "data-part").map(|part| {
                found.push((part, attribute(tag, "data-role").unwrap_or_default(), String::new()));
                found.len() - 1
            });
            let hidden = attribute(tag, "aria-hidden").is_some_and(|value| value == "true");
            let label = attribute(tag, "aria-label");
            let silent = open.last().is_some_and(|parent| parent.silent);
            open.push(Open { tag: name.to_owned(), part, silent });
            if let Some(label) = label.as_deref().filter(|_| !hidden) {
                hear(&mut found, &open, label);
            }
            // a group's label stands before what is in it, any other's in its place
            let replaced = label.is_some() && attribute(tag, "role").as_deref() != Some("group");
            if let Some(own) = open.last_mut() {
                own.silent |= hidden || replaced;
            }
            if VOID.contains(&name) {
                open.pop();
            }
        }
        hear(&mut found, &open, &plain(text));
    }
    assert!(open.is_empty(), "elements are left open");
    found.iter().map(|(part, role, words)| Shown::new(part, role, words)).collect()
}

/// Adds words to the innermost part they are in.
fn hear(found: &mut [(String, String, String)], open: &[Open], words: &str) {
    if open.last().is_none_or(|element| element.silent) {
        return;
    }
    if let Some(part) = open.iter().rev().find_map(|element| element.part) {
        found[part].2 += " ";
        found[part].2 += words;
    }
}

/// All text of a piece of markup.
#[must_use]
pub fn words(html: &str) -> String {
    plain(&html.split('<').filter_map(|piece| Some(piece.split_once('>')?.1)).collect::<String>())
}

fn attribute(tag: &str, name: &str) -> Option<String> {
    let rest = tag.split_once(&format!(" {name}=\""))?.1;
    Some(plain(rest.split_once('"')?.0))
}

fn plain(text: &str) -> String {
    let signs = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#x27;", "'"), ("&#x2F;", "/"), ("&amp;", "&")];
    signs.iter().fold(text.to_owned(), |text, (coded, sign)| text.replace(coded, sign))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hears_what_a_screen_reader_hears() {
        let html = "<table><tr class=\"x\" data-part=\"lp:1\" data-role=\"redirect\"><td><svg aria-label=\"redirect\">\
                    <text aria-hidden=\"true\">↷</text></svg></td><td>1</td><td>a &amp; b,</td></tr></table>\
                    <g data-part=\"hole\" data-role=\"free\"><title>free</title><g aria-hidden=\"true\">…</g></g>";
        assert_eq!(
            parts(html),
            [Shown::new("lp:1", "redirect", "redirect 1 a & b"), Shown::new("hole", "free", "free")]
        );
    }
}
