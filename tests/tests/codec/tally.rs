//! What was compared, what differs, and what the server's answers showed to have occurred.

use crate::fixtures::Fixture;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;

/// A row of a server's answer: names and values as text.
pub struct Row(pub Vec<(String, Option<String>)>);

impl Row {
    /// The value of a column; `None` for NULL.
    pub fn get(&self, name: &str) -> Option<&str> {
        let column = self.0.iter().find(|(column, _)| column == name);
        column.unwrap_or_else(|| panic!("the server's answer has no column {name}")).1.as_deref()
    }

    /// A number of a column that is not NULL.
    pub fn number(&self, name: &str) -> u32 {
        self.get(name).and_then(|text| text.parse().ok()).unwrap_or_else(|| panic!("{name} is no number"))
    }
}

/// Our values of a row, by the server's names; `None` for NULL.
pub type Ours = BTreeMap<&'static str, Option<String>>;

/// A value that is not NULL.
pub fn some(value: impl Display) -> Option<String> {
    Some(value.to_string())
}

/// Where a comparison is: relation, fork and block, item.
#[derive(Clone)]
pub struct Place {
    /// relation, fork and block
    pub page: String,
    /// line pointer or slot, where it is about one
    pub item: Option<u32>,
}

/// The result of a run on one server.
pub struct Tally {
    /// version of the server
    pub major: u32,
    pages: usize,
    items: usize,
    fields: usize,
    seen: BTreeSet<String>,
    fixture: &'static str,
    differences: Vec<String>,
}

impl Tally {
    /// Nothing compared yet.
    pub const fn new(major: u32) -> Self {
        Self { major, pages: 0, items: 0, fields: 0, seen: BTreeSet::new(), fixture: "", differences: Vec::new() }
    }

    /// What is seen from now on counts for that fixture.
    pub fn begin(&mut self, fixture: &'static str) {
        self.fixture = fixture;
        self.seen.clear();
    }

    /// The server shows that this occurs.
    pub fn saw(&mut self, what: impl Into<String>) {
        self.seen.insert(what.into());
    }

    /// Counts a page.
    pub const fn page(&mut self) {
        self.pages += 1;
    }

    /// Counts an item of a page: a line pointer.
    pub const fn item(&mut self) {
        self.items += 1;
    }

    /// Compares one field.
    pub fn field(&mut self, place: &Place, name: &str, ours: Option<&str>, theirs: Option<&str>) {
        self.fields += 1;
        if ours != theirs {
            let show = |value: Option<&str>| value.map_or("NULL".to_owned(), |text| format!("{text:?}"));
            let item = place.item.map_or(String::new(), |item| format!(" item {item}"));
            self.differences.push(format!(
                "{} {}{item} {name}: ours {}, theirs {}",
                self.major,
                place.page,
                show(ours),
                show(theirs)
            ));
        }
    }

    /// Compares every column of a row of the server's with ours; `skip` names those that say where the row is.
    pub fn row(&mut self, place: &Place, function: &str, theirs: &Row, ours: &Ours, skip: &[&str]) {
        for (name, value) in theirs.0.iter().filter(|(name, _)| !skip.contains(&name.as_str())) {
            let not_read = Some("a field that is not compared".to_owned());
            let our = ours.get(name.as_str()).unwrap_or(&not_read);
            self.field(place, &format!("{function}.{name}"), our.as_deref(), value.as_deref());
        }
    }

    /// Compares the keys of two sets, so that no row is left out on either side.
    pub fn same_count(&mut self, place: &Place, what: &str, ours: usize, theirs: usize) {
        self.field(place, what, Some(&ours.to_string()), Some(&theirs.to_string()));
    }

    /// What the fixture was made for must have occurred.
    pub fn expect_reached(&mut self, fixture: &Fixture) {
        for what in fixture.reaches.iter().filter_map(|text| applies(text, self.major)) {
            if !self.seen.contains(what) {
                let seen: Vec<&str> = self.seen.iter().map(String::as_str).collect();
                self.differences.push(format!(
                    "{} {}: {what} did not occur, only {}",
                    self.major,
                    fixture.name,
                    seen.join(", ")
                ));
            }
        }
    }

    /// Prints the numbers, and fails when anything differs.
    pub fn finish(self) {
        println!(
            "PostgreSQL {}: {} pages, {} items, {} fields compared, {} differ",
            self.major,
            self.pages,
            self.items,
            self.fields,
            self.differences.len()
        );
        let shown = self.differences.iter().take(60).map(String::as_str).collect::<Vec<_>>().join("\n");
        assert!(self.differences.is_empty(), "{} differences:\n{shown}", self.differences.len());
    }
}

/// `14+ what` and `13 what` are for these versions only.
fn applies(text: &'static str, major: u32) -> Option<&'static str> {
    let Some((versions, what)) = text.split_once(": ") else { return Some(text) };
    let holds = match versions.split_once('+') {
        Some((from, _)) => from.parse().is_ok_and(|from: u32| major >= from),
        None => versions.parse().is_ok_and(|only: u32| major == only),
    };
    holds.then_some(what)
}
