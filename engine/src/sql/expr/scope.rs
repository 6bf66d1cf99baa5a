//! The names that an expression can use: columns of the tables and functions in FROM (`ParseNamespaceItem`,
//! src/backend/parser/parse_relation.c).

use crate::datum::{Attribute, SqlType};
use crate::sql::StatementError;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// A column of a range table entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// its name; empty when the column was dropped
    pub name: String,
    /// its type
    pub ty: SqlType,
}

/// A table or a function in FROM.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RangeEntry {
    /// alias, or the table's own name
    pub name: String,
    /// the columns, dropped ones too
    pub columns: Vec<Column>,
    /// where the first one lies in the row
    pub first: u16,
    /// must its columns be qualified, as those of `excluded` must?
    pub only_qualified: bool,
}

/// What an expression may refer to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RangeTable {
    /// in the order of FROM
    pub entries: Vec<RangeEntry>,
}

const SYSTEM: &[&str] = &["ctid", "xmin", "xmax", "cmin", "cmax", "tableoid"];

impl RangeTable {
    /// Appends a table.
    pub fn add_table(&mut self, name: &str, attributes: &[Attribute]) {
        let column = |attribute: &Attribute| Column {
            name: if attribute.dropped { String::new() } else { attribute.name.clone() },
            ty: SqlType { oid: attribute.typid, typmod: attribute.typmod },
        };
        self.add(name, attributes.iter().map(column).collect());
    }

    /// Appends an entry with these columns.
    pub fn add(&mut self, name: &str, columns: Vec<Column>) {
        let first = self.width();
        self.entries.push(RangeEntry { name: name.into(), columns, first, only_qualified: false });
    }

    /// Values in a row.
    #[must_use]
    pub fn width(&self) -> u16 {
        self.entries.last().map_or(0, |last| last.first + last.columns.len() as u16)
    }

    /// The entry of that name.
    #[must_use]
    pub fn entry(&self, name: &str) -> Option<&RangeEntry> {
        self.entries.iter().find(|entry| entry.name == name)
    }

    /// Where a column lies in the row, and its type; `None` where no entry has it.
    ///
    /// # Errors
    /// Two entries have it, the table is not there, it is a system column.
    pub fn column(&self, table: Option<&str>, name: &str) -> Result<Option<(u16, SqlType)>, StatementError> {
        let found = match table {
            Some(table) => match self.entry(table) {
                Some(entry) => entry.column(name),
                None => {
                    let message = format!("missing FROM-clause entry for table \"{table}\"");
                    return Err(StatementError::server("42P01", message));
                }
            },
            None => {
                let mut all = self.entries.iter().filter(|entry| !entry.only_qualified);
                let first = all.find_map(|entry| entry.column(name));
                if first.is_some() && all.any(|entry| entry.column(name).is_some()) {
                    let message = format!("column reference \"{name}\" is ambiguous");
                    return Err(StatementError::server("42702", message));
                }
                first
            }
        };
        if found.is_none() && SYSTEM.contains(&name) {
            let message =
                format!("system column {name} is not supported; the simulator knows the columns of CREATE TABLE");
            return Err(StatementError::unsupported(message, None));
        }
        Ok(found)
    }
}

impl RangeEntry {
    fn column(&self, name: &str) -> Option<(u16, SqlType)> {
        let index = self.columns.iter().position(|column| column.name == name && !name.is_empty())?;
        Some((self.first + index as u16, self.columns[index].ty))
    }
}
