//! What a chapter says in HTML comments, which a reader does not see.
//!
//! ```text
//! <!-- lesson: pg=18 set=data_checksums=off start-xid=1000 -->     the server
//! <!-- look: page t 0 tuple 3 -->                                  what is shown from here on
//! <!-- = wal.len HOT_UPDATE -->                                    what the figure before it is computed from
//! <!-- ffviz sim --pg 13: … -->                                    where figures come from that are not computed here
//! ```

use super::{Expression, Look, Options};
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// A comment.
pub(super) enum Comment {
    Lesson(Options),
    Look(Look),
    Figure(Expression),
    /// the command that a figure comes from which is not computed here
    Source,
}

/// Reads a comment, from `<!--` to `-->`.
///
/// # Errors
/// A sentence.
pub(super) fn parse(html: &str) -> Result<Comment, String> {
    let text = html.trim().strip_prefix("<!--").and_then(|text| text.strip_suffix("-->"));
    let text = text.ok_or_else(|| format!("{}: of HTML a chapter has comments only", html.trim()))?.trim();
    if let Some(options) = text.strip_prefix("lesson:") {
        return options_of(options).map(Comment::Lesson);
    }
    if let Some(look) = text.strip_prefix("look:") {
        let words: Vec<&str> = look.split_whitespace().collect();
        return look_of(&words).map(Comment::Look).ok_or_else(|| {
            format!("look:{look} is not understood; it is page REL BLOCK, page REL BLOCK tuple N, map REL, tree INDEX, or wal")
        });
    }
    if let Some(expression) = text.strip_prefix('=') {
        return expression.parse().map(Comment::Figure);
    }
    if text.starts_with("ffviz ") {
        return Ok(Comment::Source);
    }
    Err(format!("the comment {text:?} is not understood; comments begin with lesson:, look: or ="))
}

fn options_of(text: &str) -> Result<Options, String> {
    let mut options = Options::default();
    for word in text.split_whitespace() {
        match word.split_once('=') {
            Some(("pg", version)) => options.version = Some(version.to_owned()),
            Some(("set", setting)) => {
                let (name, value) =
                    setting.split_once('=').ok_or_else(|| format!("{word}: a setting is NAME=VALUE"))?;
                options.settings.push((name.to_owned(), value.to_owned()));
            }
            Some(("start-xid", xid)) => {
                options.xid = Some(xid.parse().map_err(|_| format!("{word}: a transaction id is a number"))?);
            }
            _ => return Err(format!("{word} is no option of a lesson; those are pg=, set=NAME=VALUE, start-xid=")),
        }
    }
    Ok(options)
}

fn look_of(words: &[&str]) -> Option<Look> {
    let page = |relation: &str, block: &str, tuple| {
        Some(Look::Page { relation: relation.to_owned(), block: block.parse().ok()?, tuple })
    };
    match words {
        ["page", relation, block] => page(relation, block, None),
        ["page", relation, block, "tuple", n] => page(relation, block, Some(n.parse().ok()?)),
        ["map", relation] => Some(Look::Map((*relation).to_owned())),
        ["tree", index] => Some(Look::Tree((*index).to_owned())),
        ["wal"] => Some(Look::Wal),
        _ => None,
    }
}
