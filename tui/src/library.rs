//! The recordings of snapshots/, carried within the program, so that `ffviz` works without a file or a server.

use crate::lesson;
use ffviz_story::app::LibraryEntry;

/// Names and titles, in the order of the list.
const TITLES: &str = include_str!("../../snapshots/library.json");

macro_rules! embedded {
    ($($name:literal),+ $(,)?) => {
        &[$(($name, include_bytes!(concat!("../../snapshots/", $name, ".ffrec.gz")))),+]
    };
}

/// The files themselves; a test compares the names with those of `library.json`.
const RECORDINGS: &[(&str, &[u8])] = embedded![
    "18/hot-chain",
    "18/update-not-hot",
    "18/fillfactor-100",
    "18/fillfactor-80",
    "18/delete-vacuum-reuse",
    "18/btree-grow",
    "18/dedup-bottomup",
    "18/wal-records",
    "14/hot-chain",
    "14/update-not-hot",
    "14/fillfactor-100",
    "14/fillfactor-80",
    "14/delete-vacuum-reuse",
    "14/btree-grow",
    "14/dedup-bottomup",
    "13/hot-chain",
    "13/update-not-hot",
    "13/fillfactor-100",
    "13/fillfactor-80",
    "13/delete-vacuum-reuse",
    "13/btree-grow",
    "13/dedup-bottomup",
    "13/wal-records"
];

/// What there is to open: lessons, then recordings.
#[must_use]
pub fn entries() -> Vec<LibraryEntry> {
    let list: Vec<serde_json::Value> = serde_json::from_str(TITLES).unwrap_or_default();
    let text = |entry: &serde_json::Value, key: &str| entry[key].as_str().unwrap_or_default().to_owned();
    let recordings = list.iter().map(|entry| LibraryEntry { name: text(entry, "name"), title: text(entry, "title") });
    lesson::entries().chain(recordings).collect()
}

/// The first entry: what is played where nobody can choose.
#[must_use]
pub fn first() -> Option<String> {
    entries().into_iter().next().map(|entry| entry.name)
}

/// The file of a recording, by its name.
#[must_use]
pub fn find(name: &str) -> Option<&'static [u8]> {
    RECORDINGS.iter().find(|(known, _)| *known == name).map(|(_, bytes)| *bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_has_its_file() {
        let is_recording = |name: &String| lesson::find(name).is_none();
        let listed: Vec<String> = entries().into_iter().map(|entry| entry.name).filter(is_recording).collect();
        let mut files: Vec<&str> = RECORDINGS.iter().map(|(name, _)| *name).collect();
        let mut sorted = listed.clone();
        sorted.sort();
        files.sort_unstable();
        assert!(!listed.is_empty());
        assert_eq!(sorted, files);
    }
}
