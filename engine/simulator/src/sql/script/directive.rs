//! Lines that begin with `--@`: comments to psql, directives to ffviz.

use super::Directive;
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// What all directives are, for whoever mistyped one.
const ALL: &str = "directives are session NAME, crash, crash torn RELATION BLOCK BYTES, crash before TYPE, set NAME VALUE, lsn X/X, xid N, oid N, multixact N, redo SESSION";

/// A line: a directive, or a session for the statements that follow.
pub(super) enum DirectiveLine {
    Session(String),
    Directive(Directive),
}

/// Reads what stands after `--@`.
///
/// # Errors
/// A sentence.
pub(super) fn parse(text: &str) -> Result<DirectiveLine, String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let directive = match words.as_slice() {
        ["session", name] => return session(name).map(DirectiveLine::Session),
        ["crash"] => Directive::Crash,
        ["crash", "torn", rel, block, bytes] => torn(rel, block, bytes)?,
        ["crash", "before", kind] => Directive::CrashBefore { kind: kind.to_ascii_uppercase() },
        ["set", name, _, ..] => set(text, name),
        ["lsn", lsn] => Directive::Lsn(lsn.parse().map_err(|why| format!("--@ lsn: {why}"))?),
        ["xid", number] => Directive::Xid(counter("xid", number)?),
        ["oid", number] => Directive::Oid(counter("oid", number)?),
        ["multixact", number] => Directive::MultiXact(counter("multixact", number)?),
        ["redo", name] => Directive::Redo(session(name)?),
        [] => return Err(format!("--@ without a directive; {ALL}")),
        _ => return Err(format!("--@ {} is not understood; {ALL}", text.trim())),
    };
    Ok(DirectiveLine::Directive(directive))
}

fn session(name: &str) -> Result<String, String> {
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if !is_name {
        return Err(format!("{name:?} is no name of a session; it is a letter, then letters, digits and _, such as B"));
    }
    Ok(name.to_owned())
}

fn torn(rel: &str, block: &str, bytes: &str) -> Result<Directive, String> {
    let block = block.parse().map_err(|_| format!("{block:?} is no number of a block; blocks are counted from 0"))?;
    let bytes = bytes.parse().ok().filter(|bytes| (1..8192).contains(bytes));
    let bytes = bytes.ok_or("a torn page has 1 to 8191 bytes of its new version, 4096 for one half")?;
    Ok(Directive::CrashTorn { rel: rel.to_string(), block, bytes })
}

/// All after the name is the value, as after ALTER SYSTEM SET name =; quotes around it fall away.
fn set(text: &str, name: &str) -> Directive {
    let value = text.split_once(name).map_or("", |(_, rest)| rest.trim());
    let bare = value.strip_prefix('\'').and_then(|value| value.strip_suffix('\''));
    Directive::Set { name: name.to_ascii_lowercase(), value: bare.unwrap_or(value).to_owned() }
}

/// Counters of 32 bits; 0 is `InvalidTransactionId`, `InvalidOid` and `InvalidMultiXactId`.
fn counter(name: &str, number: &str) -> Result<u32, String> {
    let parsed = number.parse().ok().filter(|number| *number > 0);
    parsed.ok_or_else(|| format!("--@ {name} takes a number from 1 to {}, not {number:?}", u32::MAX))
}
