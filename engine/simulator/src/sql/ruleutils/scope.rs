//! What columns are called where an expression or a query is told (`set_rtable_names`, `get_variable`,
//! src/backend/utils/adt/ruleutils.c).

use super::constants::quote_identifier;
use crate::sql::catalog::TableInfo;
use crate::sql::expr::{RangeTable, SYSTEM};
use crate::sql::tcop::database::StoredExpr;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::datum::SqlType;

/// The items of a FROM, and what they are called.
#[derive(Debug, Clone, Default)]
pub struct Scope {
    pub(super) range: RangeTable,
    /// `rtable_names`: of each entry, where it differs from others around
    pub(super) names: Vec<String>,
    /// of each entry its columns
    pub(super) columns: Vec<Vec<String>>,
    /// `varprefix`: do columns stand behind the name of their table?
    pub(super) has_prefixes: bool,
    /// of each entry: is its name shown in FROM, and are its columns?
    pub(super) shown: Vec<(bool, bool)>,
    /// of each join, behind those within it: the columns of USING
    pub(super) using: Vec<Vec<String>>,
}

/// A column that was found.
pub(super) struct Found {
    pub text: String,
    /// without its table
    pub name: String,
    /// with it
    pub whole: String,
    pub ty: SqlType,
    pub is_of_domain: bool,
}

impl Scope {
    /// A table alone, as an expression of the catalog knows it: by the names that its columns had then.
    #[must_use]
    pub fn of_table(table: &TableInfo, stored: Option<&StoredExpr>) -> Self {
        let mut range = RangeTable::default();
        let attributes: Vec<_> = table.columns.iter().map(|column| column.attribute.clone()).collect();
        let mut then = attributes.clone();
        let names = stored.map_or(&[][..], |stored| &stored.columns);
        then.iter_mut().zip(names).for_each(|(column, name)| column.name.clone_from(name));
        range.add_table(&table.name, &then);
        if let Some(entry) = range.entries.first_mut() {
            let domains = (0..).zip(&table.columns).filter_map(|(n, column)| Some((n, column.domain?)));
            entry.domains = domains.collect();
        }
        let columns = Vec::from([attributes.into_iter().map(|column| column.name).collect()]);
        Self { range, names: Vec::from([table.name.clone()]), columns, ..Self::default() }
    }

    /// A trigger's table twice, as OLD and NEW.
    #[must_use]
    pub fn of_trigger(table: &TableInfo) -> Self {
        let one = Self::of_table(table, None);
        let Some(entry) = one.range.entries.into_iter().next() else { return Self::default() };
        let mut range = RangeTable::default();
        for name in ["old", "new"] {
            range.add(name, entry.columns.clone());
            if let Some(added) = range.entries.last_mut() {
                added.domains.clone_from(&entry.domains);
            }
        }
        let columns = Vec::from([one.columns[0].clone(), one.columns[0].clone()]);
        Self {
            range,
            names: ["old", "new"].map(str::to_string).to_vec(),
            columns,
            has_prefixes: true,
            ..Self::default()
        }
    }

    /// The columns there are.
    #[must_use]
    pub const fn range(&self) -> &RangeTable {
        &self.range
    }

    /// The column of that name, where there is one.
    pub(super) fn find(&self, table: Option<&str>, name: &str) -> Option<Found> {
        if table.is_some_and(|table| self.range.entry(table).is_none()) {
            return None;
        }
        let (slot, ty) = self.range.column(table, name).ok()??;
        self.at(slot, ty)
    }

    /// The column at that place of the row.
    pub(super) fn at(&self, slot: u16, ty: SqlType) -> Option<Found> {
        let place = self.range.entries.iter().rposition(|entry| entry.first <= slot)?;
        let column = usize::from(slot - self.range.entries[place].first);
        let columns = self.columns.get(place)?;
        let name = match columns.get(column) {
            Some(name) => name.clone(),
            None => SYSTEM.get(column.checked_sub(columns.len())?)?.0.to_string(),
        };
        let whole = format!("{}.{}", quote_identifier(self.names.get(place)?), quote_identifier(&name));
        let text = if self.has_prefixes { whole.clone() } else { quote_identifier(&name) };
        Some(Found { text, name, whole, ty, is_of_domain: self.range.domain(slot).is_some() })
    }
}
