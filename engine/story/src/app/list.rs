//! The lists to choose from: lessons of the library and recordings by server version, tables of a live database.

use super::{LESSONS, LibraryEntry, Model, Source, TableEntry};
use crate::scene::{Change, Column, InspectorScene, ListScene, PartId, Role, Row, words};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// The list to choose from now.
pub(super) fn scene(model: &Model) -> ListScene {
    model.attached().map_or_else(|| library(model), |live| tables(model, &live.tables))
}

impl Model {
    /// The entry that is open, of the library or of the tables: where the list begins when it is looked at again. Else
    /// its first.
    pub(super) fn open_entry_of_list(&self) -> Option<PartId> {
        let (count, open) = match &self.source {
            Source::Live(_, live) => {
                let is_open = |table: &TableEntry| Some(table.oid) == live.table;
                (live.tables.len(), live.tables.iter().position(is_open))
            }
            Source::Recording(name) | Source::Lesson(name, _) | Source::Script(name, _) => {
                (self.library.len(), self.library.iter().position(|entry| entry.name == *name))
            }
            Source::Library => (self.library.len(), None),
        };
        (count > 0).then(|| PartId::Entry(open.unwrap_or(0) as u32))
    }
}

/// What is known of the selected entry.
pub(super) fn inspect(model: &Model, part: Option<PartId>) -> InspectorScene {
    let Some(PartId::Entry(n)) = part else { return InspectorScene::default() };
    let n = n as usize;
    if let Some(table) = model.attached().and_then(|live| live.tables.get(n)) {
        return InspectorScene {
            title: table.name.clone(),
            intro: table.refused.clone().unwrap_or_else(|| table.kind.clone()),
            ..InspectorScene::default()
        };
    }
    let entry = model.library.get(n).filter(|_| !model.is_live());
    entry.map_or_else(InspectorScene::default, |entry| InspectorScene {
        title: entry.name.clone(),
        intro: entry.title.clone(),
        ..InspectorScene::default()
    })
}

/// Does an entry match what was typed? Every word must occur, in any case; of ASCII letters, as the tables of all
/// others would be a good part of what a browser loads first.
fn matches(model: &Model, texts: &[&str]) -> bool {
    let typed = model.place.filter.as_deref().unwrap_or_default().to_ascii_lowercase();
    let text = texts.join(" ").to_ascii_lowercase();
    typed.split_whitespace().all(|word| text.contains(word))
}

fn library(model: &Model) -> ListScene {
    let mut rows = Vec::new();
    let mut group = None;
    for (ix, entry) in model.library.iter().enumerate() {
        let (version, name) = entry.name.split_once('/').unwrap_or(("", &entry.name));
        if !matches(model, &[&entry.name, &entry.title]) {
            continue;
        }
        if group != Some(version) && !version.is_empty() {
            rows.push(heading(rows.len(), &group_title(&model.library, version)));
        }
        group = Some(version);
        rows.push(entry_row(ix, Role::Entry, Vec::from([name.to_string(), entry.title.clone()])));
    }
    let LibraryHint { title, hint } = library_hint(&model.library, rows.is_empty());
    ListScene {
        title,
        hint,
        columns: Vec::from([Column::new("name", false), Column::new("what it shows", false)]),
        rows,
    }
}

/// What a version's recordings are called; of those that a version before has too, that they are the same again.
fn group_title(library: &[LibraryEntry], version: &str) -> String {
    if version == LESSONS {
        return "Lessons".to_string();
    }
    let parts = || library.iter().filter_map(|entry| entry.name.split_once('/'));
    let earlier = || parts().take_while(|(other, _)| *other != version).map(|(_, name)| name);
    let mut names = parts().filter(|(other, _)| *other == version).map(|(_, name)| name);
    let again = if names.all(|name| earlier().any(|known| known == name)) { ": the same statements again" } else { "" };
    format!("PostgreSQL {version}{again}")
}

struct LibraryHint {
    title: String,
    hint: String,
}

fn library_hint(library: &[LibraryEntry], nothing_shown: bool) -> LibraryHint {
    let hint = match (library.is_empty(), nothing_shown) {
        (true, _) => "There are no lessons and recordings here. Open a file, or attach to a database.",
        (_, true) => "No lesson or recording has all of these words.",
        _ => "Lessons, and pages of real PostgreSQL servers, to step through. Choose one.",
    };
    LibraryHint { title: "Library".to_string(), hint: hint.to_string() }
}

pub(super) fn heading(n: usize, text: &str) -> Row {
    Row {
        part: PartId::Heading(n as u32),
        role: Role::Heading,
        change: Change::Same,
        cells: Vec::from([text.to_string()]),
        chain: None,
    }
}

pub(super) fn entry_row(ix: usize, role: Role, cells: Vec<String>) -> Row {
    Row { part: PartId::Entry(ix as u32), role, change: Change::Same, cells, chain: None }
}

/// Why tables cannot be shown, each reason once: said above the list, and not in every row, where it would take the
/// names their room.
struct Reasons<'a> {
    reasons: Vec<&'a str>,
    /// does a row need a sign that says which holds for it?
    numbered: bool,
}

impl<'a> Reasons<'a> {
    fn of(tables: &'a [TableEntry]) -> Self {
        let mut reasons: Vec<&str> = Vec::new();
        for reason in tables.iter().filter_map(|table| table.refused.as_deref()) {
            if !reasons.contains(&reason) {
                reasons.push(reason);
            }
        }
        let some_are_shown = tables.iter().any(|table| table.refused.is_none());
        let numbered = reasons.len() > 1 || (reasons.len() == 1 && some_are_shown);
        Self { reasons, numbered }
    }

    /// The cell of a table that says which holds for it, where the list has such a column.
    fn sign(&self, table: &TableEntry) -> Option<String> {
        let reason = self.reasons.iter().position(|reason| table.refused.as_deref() == Some(*reason));
        self.numbered.then(|| reason.map_or_else(String::new, |at| format!("({})", at + 1)))
    }

    /// All of them, as sentences that end in a blank.
    fn sentences(&self) -> String {
        let sentence = |(at, reason): (usize, &&str)| match self.numbered {
            true => format!("({}) {reason}. ", at + 1),
            false => format!("{reason}. "),
        };
        self.reasons.iter().enumerate().map(sentence).collect()
    }
}

fn tables(model: &Model, tables: &[TableEntry]) -> ListScene {
    let reasons = Reasons::of(tables);
    let shown = tables.iter().enumerate().filter(|(_, table)| matches(model, &[&table.name, &table.kind]));
    let rows: Vec<Row> = shown.map(|(ix, table)| table_row(ix, table, reasons.sign(table))).collect();
    let hint = match (tables.is_empty(), rows.is_empty()) {
        (true, _) if model.busy.is_some() => "",
        (true, _) => "There are no tables in this database that this role may see.",
        (_, true) => "No table has all of these words in its name.",
        _ => {
            "Sizes with indexes and TOAST. Dead tuples and the HOT share are the statistics' estimates. Choose a table."
        }
    };
    let columns = [
        Some(Column::new("table", false)),
        reasons.numbered.then(|| Column::new("", false)),
        Some(Column::new("kind", false)),
        Some(Column::new("size", true)),
        Some(Column::new("dead tuples", true)),
        Some(Column::new("HOT updates", true)),
        Some(Column::new("fillfactor", true)),
    ];
    ListScene {
        title: "Tables".to_string(),
        hint: reasons.sentences() + hint,
        columns: columns.into_iter().flatten().collect(),
        rows,
    }
}

fn table_row(ix: usize, table: &TableEntry, sign: Option<String>) -> Row {
    let role = if table.refused.is_some() { Role::Refused } else { Role::Entry };
    let mut cells = Vec::from([
        table.name.clone(),
        table.kind.clone(),
        words::size(table.bytes),
        words::thousands(table.dead.max(0).unsigned_abs()),
        table.hot_percent.map_or_else(|| "–".to_string(), |percent| format!("{percent} %")),
        table.fillfactor.to_string(),
    ]);
    // beside the name, where a narrow screen leaves it
    sign.into_iter().for_each(|sign| cells.insert(1, sign));
    entry_row(ix, role, cells)
}
