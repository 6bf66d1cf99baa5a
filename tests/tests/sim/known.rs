//! The list of known differences, `tests/known-differences.txt`: each with its reason. One that is not there any more
//! has to go.

use ffviz_verify::compare::Difference;
use std::fs;
use std::path::Path;

/// Those of a version.
pub struct Known {
    entries: Vec<Entry>,
}

/// A line of the list: `script | versions | place | reason`; the place is part of a difference's place and field.
struct Entry {
    line: String,
    script: String,
    place: String,
    seen: bool,
}

impl Known {
    /// Reads the list.
    pub fn of(major: u32) -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("known-differences.txt");
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        Self { entries: lines.filter_map(|line| Entry::parse(line, major)).collect() }
    }

    /// Is the difference in the list?
    pub fn has(&mut self, script: &str, difference: &Difference) -> bool {
        let told = format!("{}: {}", difference.place, difference.field);
        let entry = self.entries.iter_mut().find(|entry| entry.script == script && told.contains(&entry.place));
        entry.is_some_and(|entry| {
            entry.seen = true;
            true
        })
    }

    /// The lines that no difference has fitted.
    pub fn vanished(&self) -> Vec<String> {
        self.entries.iter().filter(|entry| !entry.seen).map(|entry| entry.line.clone()).collect()
    }
}

impl Entry {
    /// A line, where it is for that version.
    fn parse(line: &str, major: u32) -> Option<Self> {
        let parts: Vec<&str> = line.split('|').map(str::trim).collect();
        let [script, versions, place, reason] = parts[..] else {
            panic!("known-differences.txt: {line:?} is not script | versions | place | reason");
        };
        assert!(!reason.is_empty() && !place.is_empty(), "known-differences.txt: {line:?} needs a place and a reason");
        let (from, to) = versions.split_once('-').unwrap_or((versions, versions));
        let number =
            |text: &str| text.parse::<u32>().unwrap_or_else(|_| panic!("known-differences.txt: versions of {line:?}"));
        let is_for = (number(from)..=number(to)).contains(&major);
        is_for.then(|| Self { line: line.to_owned(), script: script.to_owned(), place: place.to_owned(), seen: false })
    }
}
