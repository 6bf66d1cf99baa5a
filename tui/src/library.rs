//! The recordings of snapshots/, carried within the program, so that `ffviz` works without a file or a server.

use crate::book;
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
    book::entries().chain(recordings).collect()
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

/// The whole name of a recording; without a version it is that of the newest that has it.
#[must_use]
pub fn whole_name(name: &str) -> Option<&'static str> {
    let names = || RECORDINGS.iter().map(|(known, _)| *known);
    let newest = || names().find(|known| known.split_once('/').is_some_and(|(_, bare)| bare == name));
    names().find(|known| *known == name).or_else(newest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_without_a_version_is_of_the_newest() {
        assert_eq!(whole_name("hot-chain"), Some("18/hot-chain"));
        assert_eq!(whole_name("13/hot-chain"), Some("13/hot-chain"));
        assert_eq!((whole_name("chain"), whole_name("18"), whole_name("")), (None, None, None));
    }

    #[test]
    fn every_entry_has_its_file() {
        let is_recording = |name: &String| book::find(name).is_none();
        let listed: Vec<String> = entries().into_iter().map(|entry| entry.name).filter(is_recording).collect();
        let mut files: Vec<&str> = RECORDINGS.iter().map(|(name, _)| *name).collect();
        let mut sorted = listed.clone();
        sorted.sort();
        files.sort_unstable();
        assert!(!listed.is_empty());
        assert_eq!(sorted, files);
    }
}
