//! The names that an expression can use: columns of the tables and functions in FROM (`ParseNamespaceItem`,
//! src/backend/parser/parse_relation.c).

use super::{Node, Typed, pg_catalog};
use crate::cluster::Lookup;
use crate::sql::StatementError;
use crate::sql::ast::RangeVar;
use crate::sql::catalog::looking::has_more_columns;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::{Align, Attribute, SqlType};
use ffviz_format::page::Oid;

/// A column of a range table entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// its name; empty when the column was dropped
    pub name: String,
    /// its type
    pub ty: SqlType,
}

/// A table or a function in FROM.
#[derive(Debug, Clone, PartialEq)]
pub struct RangeEntry {
    /// alias, or the table's own name
    pub name: String,
    /// the columns, dropped ones too
    pub columns: Vec<Column>,
    /// where the first one lies in the row
    pub first: u16,
    /// must its columns be qualified, as those of `excluded` must?
    pub only_qualified: bool,
    /// the table, where it is one
    pub relation: Option<Oid>,
    /// `schema.table` of one that has no other name
    pub qualified: Option<String>,
    /// `reltype`: the type of its rows, where that has a name
    pub row_type: Option<Oid>,
    /// can its system columns be read?
    pub system: SystemColumns,
    /// its place in FROM, which is that of its columns in `*`
    pub order: usize,
    /// slots of columns that USING has merged with others
    pub hidden: Vec<u16>,
    /// the relation of pg_catalog, where it is one
    pub catalog: Option<String>,
    /// is it a function whose only column has another name, so that the function's own name means its value too?
    pub is_scalar: bool,
    /// can all its columns be NULL, as an outer join has no row of it?
    pub is_nullable: bool,
    /// columns, from 0, that are computed where they are read, of the table's others
    pub generated: Vec<(u16, Arc<Typed>)>,
    /// columns, from 0, of domains
    pub domains: Vec<(u16, Oid)>,
}

/// The system columns of an entry (`SysAtt`, src/backend/catalog/heap.c).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SystemColumns {
    /// it is no table, and has none
    None,
    /// they are not supported where it stands
    Refused,
    /// they follow the columns in the row
    Read,
}

/// What an expression may refer to.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RangeTable {
    /// in the order in which their values stand in a row
    pub entries: Vec<RangeEntry>,
    /// slots of columns that USING has merged, which come first in `*`
    pub merged: Vec<u16>,
    /// what those of a FULL JOIN are, of which either side may have no row, by the slot of the left one
    pub coalesced: Vec<(u16, Typed)>,
}

/// The system columns in the order in which a row has them (`heap::system_values`).
pub const SYSTEM: &[(&str, SqlType)] = &[
    ("ctid", SqlType::TID),
    ("xmin", SqlType::XID),
    ("xmax", SqlType::XID),
    ("cmin", SqlType::CID),
    ("cmax", SqlType::CID),
    ("tableoid", SqlType::OID),
];

/// A type whose values lie in a row as those of a dropped column do, of which length and alignment are kept.
fn like_dropped(attribute: &Attribute) -> SqlType {
    const UUID: Oid = 2950;
    const INT8_ARRAY: Oid = 1016;
    let oid = match (attribute.len, attribute.align) {
        (1, _) => pg_catalog::BOOL,
        (2, _) => pg_catalog::INT2,
        (4, _) => pg_catalog::INT4,
        (8, _) => pg_catalog::INT8,
        (16, Align::Char) => UUID,
        (16, _) => pg_catalog::INTERVAL,
        (-1, Align::Double) => INT8_ARRAY,
        (-1, _) => pg_catalog::TEXT,
        _ => attribute.typid,
    };
    SqlType::plain(oid)
}

impl RangeTable {
    /// Appends a table.
    pub fn add_table(&mut self, name: &str, attributes: &[Attribute]) {
        let column = |attribute: &Attribute| Column {
            name: if attribute.dropped { String::new() } else { attribute.name.clone() },
            ty: if attribute.dropped { like_dropped(attribute) } else { attribute.ty() },
        };
        self.add(name, attributes.iter().map(column).collect());
        self.entries.iter_mut().last().into_iter().for_each(|entry| entry.system = SystemColumns::Refused);
    }

    /// Appends an entry with these columns.
    pub fn add(&mut self, name: &str, columns: Vec<Column>) {
        let first = self.width();
        self.entries.push(RangeEntry {
            name: name.into(),
            columns,
            first,
            only_qualified: false,
            relation: None,
            row_type: None,
            system: SystemColumns::None,
            order: self.entries.len(),
            hidden: Vec::new(),
            catalog: None,
            qualified: None,
            is_scalar: false,
            is_nullable: false,
            generated: Vec::new(),
            domains: Vec::new(),
        });
    }

    /// An entry, which is a table without an alias, is called `schema.table` too, where it is written so.
    pub fn qualify(&mut self, entry: usize, name: &RangeVar, alias: Option<&str>) {
        if let (None, Some(schema), Some(entry)) = (alias, &name.schema, self.entries.get_mut(entry)) {
            entry.qualified = Some(format!("{schema}.{}", name.name));
        }
    }

    /// Values in a row.
    #[must_use]
    pub fn width(&self) -> u16 {
        self.entries.last().map_or(0, RangeEntry::end)
    }

    /// The entry of that name.
    #[must_use]
    pub fn entry(&self, name: &str) -> Option<&RangeEntry> {
        let is_it = |entry: &&RangeEntry| entry.name == name || entry.qualified.as_deref() == Some(name);
        self.entries.iter().find(is_it)
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
                    let bare = table.rsplit('.').next().unwrap_or(table);
                    if bare != table && self.entry(bare).is_some() {
                        let message = format!("{table} of a table that is named otherwise in FROM is not supported");
                        return Err(StatementError::unsupported(message, None));
                    }
                    let message = format!("missing FROM-clause entry for table \"{bare}\"");
                    return Err(StatementError::server("42P01", message));
                }
            },
            None => {
                let mut all = self.entries.iter().filter(|entry| !entry.only_qualified);
                let shown = |entry: &RangeEntry| entry.column(name).filter(|(slot, _)| !entry.hidden.contains(slot));
                let first = all.find_map(shown);
                if first.is_some() && all.any(|entry| shown(entry).is_some()) {
                    let message = format!("column reference \"{name}\" is ambiguous");
                    return Err(StatementError::server("42702", message));
                }
                first
            }
        };
        let refuses = |entry: &RangeEntry| entry.system == SystemColumns::Refused;
        if found.is_none() && self.entries.iter().any(refuses) && SYSTEM.iter().any(|(known, _)| *known == name) {
            let message = format!(
                "system column {name} is not supported here; the simulator knows it in SELECT, UPDATE and DELETE"
            );
            return Err(StatementError::unsupported(message, None));
        }
        Ok(found)
    }

    /// What is read where a column of the row is named: what a virtual one is computed of
    /// (`expand_generated_columns_in_expr`, src/backend/rewrite/rewriteHandler.c).
    #[must_use]
    pub fn read(&self, slot: u16, ty: SqlType) -> Typed {
        let owner = self.entries.iter().rev().find(|entry| entry.first <= slot);
        let generation = owner.and_then(|entry| Some((entry.first, entry.generation(slot)?)));
        match generation {
            Some((first, expr)) => moved(expr.clone(), &|slot| Node::Slot(first + slot)),
            None => Typed { node: Node::Slot(slot), ty },
        }
    }

    /// The same of a column that is named with that table, or without one, or that `*` gives: what USING has merged is
    /// that of either side.
    #[must_use]
    pub fn read_named(&self, table: Option<&str>, slot: u16, ty: SqlType) -> Typed {
        let coalesced = self.coalesced.iter().find(|(left, _)| table.is_none() && *left == slot);
        coalesced.map_or_else(|| self.read(slot, ty), |(_, both)| both.clone())
    }

    /// The domain that a column of the row is of.
    #[must_use]
    pub fn domain(&self, slot: u16) -> Option<Oid> {
        let entry = self.entries.iter().rev().find(|entry| entry.first <= slot)?;
        entry.domains.iter().find(|(column, _)| entry.first + column == slot).map(|(_, domain)| *domain)
    }

    /// The same of a row around.
    #[must_use]
    pub fn read_outer(&self, level: u16, slot: u16, ty: SqlType) -> Typed {
        moved(self.read(slot, ty), &|slot| Node::Outer(level, slot))
    }

    /// A relation of pg_catalog that may have a column that is not known here: that of this name, or any.
    #[must_use]
    pub fn catalog_with_more(&self, table: Option<&str>) -> Option<&str> {
        let meant = self.entries.iter().filter(|entry| table.is_none_or(|table| entry.name == table));
        meant.filter_map(|entry| entry.catalog.as_deref()).find(|catalog| has_more_columns(catalog))
    }

    /// `scanRTEForColumn`: a system column is looked for in the catalog; `None` for any other.
    #[must_use]
    pub fn look_up(&self, slot: u16) -> Option<Lookup> {
        let entry = self.entries.iter().rev().find(|entry| entry.first <= slot)?;
        let system = (slot - entry.first).checked_sub(entry.columns.len() as u16)?;
        Some(Lookup::SystemColumn(entry.relation?, system))
    }
}

impl RangeEntry {
    fn column(&self, name: &str) -> Option<(u16, SqlType)> {
        let index = self.columns.iter().position(|column| column.name == name && !name.is_empty());
        let of_table = |index: usize| (self.first + index as u16, self.columns[index].ty);
        index.map(of_table).or_else(|| self.system_column(name))
    }

    fn system_column(&self, name: &str) -> Option<(u16, SqlType)> {
        let index = SYSTEM.iter().position(|(known, _)| self.system == SystemColumns::Read && *known == name)?;
        Some((self.first + (self.columns.len() + index) as u16, SYSTEM[index].1))
    }

    fn generation(&self, slot: u16) -> Option<&Typed> {
        let index = slot - self.first;
        self.generated.iter().find(|(column, _)| *column == index).map(|(_, expr)| &**expr)
    }

    /// The slot behind its last one.
    fn end(&self) -> u16 {
        let system = if self.system == SystemColumns::Read { SYSTEM.len() } else { 0 };
        self.first + (self.columns.len() + system) as u16
    }
}

/// The expression with its columns elsewhere.
fn moved(expr: Typed, to: &impl Fn(u16) -> Node) -> Typed {
    if let Node::Slot(slot) = expr.node {
        return Typed { node: to(slot), ty: expr.ty };
    }
    let done: Result<Typed, core::convert::Infallible> = expr.map_children(&mut |part| Ok(moved(part, to)));
    match done {
        Ok(expr) => expr,
        Err(never) => match never {},
    }
}
