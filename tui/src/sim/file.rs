//! Reading a script from a file, or from standard input: what is no script is told as what it is.

use crate::book;
use std::fs;
use std::io::{self, Read};
use std::path::Path;

/// Where a file is asked for and there is none.
const STANDARD_INPUT: &str = "-";

/// What the file is called in messages.
#[must_use]
pub fn name(path: &Path) -> String {
    if path.as_os_str() == STANDARD_INPUT { String::from("standard input") } else { path.display().to_string() }
}

/// The text of a script; `-` is standard input.
///
/// # Errors
/// A file that cannot be read, or is none of SQL: a sentence.
pub fn read(path: &Path) -> Result<String, String> {
    let name = name(path);
    if path.as_os_str() == STANDARD_INPUT {
        let mut text = String::new();
        io::stdin().read_to_string(&mut text).map_err(|error| format!("{name}: {error}"))?;
        return Ok(text.strip_prefix('\u{FEFF}').map(str::to_owned).unwrap_or(text));
    }
    if path.is_dir() {
        return Err(format!("{name}: a folder; a script is a file of SQL"));
    }
    let bytes = fs::read(path).map_err(|error| format!("{name}: {error}"))?;
    let text = String::from_utf8(without_mark(&bytes).to_vec())
        .map_err(|error| format!("{name}: no SQL script: byte {} is not UTF-8", error.utf8_error().valid_up_to()))?;
    match chapter(path) {
        Some(sentence) => Err(format!("{name}: {sentence}")),
        None => Ok(text),
    }
}

/// Without the byte order mark that some editors put first; psql leaves it out too (`MainLoop` of mainloop.c).
#[must_use]
pub fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix("\u{FEFF}".as_bytes()).unwrap_or(bytes)
}

/// What Markdown is told.
fn chapter(path: &Path) -> Option<String> {
    let stem = path.file_stem()?.to_str()?;
    path.extension().filter(|extension| extension.eq_ignore_ascii_case("md"))?;
    Some(match book::find(stem) {
        Some(found) => format!("a chapter of the book, and no SQL script; `ffviz lesson {}` plays it", found.name),
        None => "Markdown, and no SQL script; `ffviz lesson --list` lists the chapters that can be played".to_owned(),
    })
}
