//! The recordings of snapshots/, carried within the program, so that `ffviz` works without a file or a server.

use ffviz_engine::app::LibraryEntry;

/// Name, title, and the file's bytes.
type Embedded = (&'static str, &'static str, &'static [u8]);

const RECORDINGS: &[Embedded] = &[];

/// What there is to open.
#[must_use]
pub fn entries() -> Vec<LibraryEntry> {
    let entry = |(name, title, _): &Embedded| LibraryEntry { name: (*name).to_owned(), title: (*title).to_owned() };
    RECORDINGS.iter().map(entry).collect()
}

/// The file of a recording, by its name.
#[must_use]
pub fn find(name: &str) -> Option<&'static [u8]> {
    RECORDINGS.iter().find(|(known, ..)| *known == name).map(|(.., bytes)| *bytes)
}
