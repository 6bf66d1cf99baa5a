//! The book's list of chapters: `1. [An UPDATE](hot-update.md): what it is about`.

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;

/// A chapter in the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BookEntry {
    /// its file's name without the ending
    pub name: String,
    /// its title
    pub title: String,
    /// what it is about
    pub about: String,
}

/// The chapters of the book, in their order: the items of lists in its README that begin with a link to a chapter.
#[must_use]
pub fn book(readme: &str) -> Vec<BookEntry> {
    readme.lines().filter_map(entry).collect()
}

fn entry(line: &str) -> Option<BookEntry> {
    let (marker, rest) = line.split_once(". [").or_else(|| line.split_once("- ["))?;
    let (title, rest) = rest.split_once("](").filter(|_| marker.chars().all(|c| c.is_ascii_digit()))?;
    let (file, about) = rest.split_once(')')?;
    let name = file.strip_suffix(".md").filter(|name| !name.contains('/'))?;
    let about = about.trim_start_matches([':', ' ', '–', '—']).replace(['`', '*'], "");
    Some(BookEntry { name: name.to_owned(), title: title.to_owned(), about })
}
