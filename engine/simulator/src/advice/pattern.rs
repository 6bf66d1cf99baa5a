//! Which columns updates change, and how often one of them is in an index.

use super::facts::{Fact, Origin};
use super::shape::{Kind, Shape};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// What is known of updates.
#[derive(Debug, Clone, PartialEq)]
pub enum Updates {
    /// each changes these columns
    Columns(Vec<String>),
    /// this share of them changes a column of an index, and where that is known from
    Indexed(f64, Origin),
}

/// What is simulated.
#[derive(Debug, Clone, PartialEq)]
pub struct Pattern {
    /// columns that an update changes which may be HOT
    pub plain: Vec<usize>,
    /// columns that the others change
    pub indexed: Vec<usize>,
    /// the share of the others, 0 to 1
    pub share: f64,
    /// what was taken for granted
    pub facts: Vec<Fact>,
}

impl Pattern {
    /// What they come to with this table.
    ///
    /// # Errors
    /// A sentence: no such column; no column of an index that could change.
    pub fn new(shape: &Shape, updates: &Updates) -> Result<Self, String> {
        match updates {
            Updates::Columns(names) => Self::of_columns(shape, names),
            Updates::Indexed(share, origin) => Self::of_share(shape, share.clamp(0.0, 1.0), *origin),
        }
    }

    fn of_columns(shape: &Shape, names: &[String]) -> Result<Self, String> {
        let mut columns = Vec::new();
        for name in names {
            let Some(column) = shape.columns.iter().position(|column| column.name == *name) else {
                let known: Vec<&str> = shape.columns.iter().map(|column| column.name.as_str()).collect();
                return Err(format!("{} has no column {name:?}; it has {}", shape.name, known.join(", ")));
            };
            columns.push(column);
        }
        let is_hot = columns.iter().all(|column| shape.is_hot(*column));
        let fact = Fact::new(Origin::Given, format!("each UPDATE changes {}", names.join(", ")));
        Ok(Self {
            plain: columns.clone(),
            indexed: columns,
            share: if is_hot { 0.0 } else { 1.0 },
            facts: Vec::from([fact]),
        })
    }

    fn of_share(shape: &Shape, share: f64, origin: Origin) -> Result<Self, String> {
        let plain = plain(shape);
        // where all columns are in indexes there is nothing else to change
        let share = if plain.is_none() { 1.0 } else { share };
        let key = (share > 0.0).then(|| key(shape)).flatten();
        if share > 0.0 && key.is_none() {
            return Err(format!("{} has no index that an UPDATE could need an entry in", shape.name));
        }
        let plain: Vec<usize> = plain.into_iter().collect();
        let indexed: Vec<usize> = plain.iter().copied().chain(key).collect();
        let name = |column: usize| shape.columns.get(column).map_or("", |column| column.name.as_str());
        let mut facts = Vec::new();
        let percent = share * 100.0;
        let of = match key {
            None => "no UPDATE changes a column of an index".to_string(),
            Some(_) => format!("{percent:.0} % of the updates change a column of an index"),
        };
        facts.push(Fact::new(origin, of));
        if let Some(column) = plain.first() {
            let text = format!(
                "what an UPDATE changes besides is {}: no index has it; --updates COLUMN,… says which",
                name(*column)
            );
            facts.push(Fact::new(Origin::Assumed, text));
        }
        if let Some(column) = key {
            facts.push(Fact::new(Origin::Assumed, format!("the column of an index that changes is {}", name(column))));
        }
        Ok(Self { plain, indexed, share, facts })
    }

    /// Were the columns named, rather than chosen here?
    #[must_use]
    pub fn is_by_name(&self) -> bool {
        self.plain == self.indexed && self.facts.first().is_some_and(|fact| fact.origin == Origin::Given)
    }

    /// All columns that change.
    pub fn changed(&self) -> impl Iterator<Item = usize> {
        let plain = self.plain.iter().filter(|_| self.share < 1.0);
        plain.chain(self.indexed.iter().filter(|_| self.share > 0.0)).copied()
    }
}

/// A column in no index: the last one of fixed length, as counters and times of changes are, or else the last.
fn plain(shape: &Shape) -> Option<usize> {
    let free = || (0..shape.columns.len()).rev().filter(|column| shape.is_hot(*column));
    let fixed = free().find(|column| !matches!(shape.columns[*column].kind, Kind::Text(_)));
    fixed.or_else(|| free().next())
}

/// A column of an index, rather one that may have the same value twice.
fn key(shape: &Shape) -> Option<usize> {
    let first = |is_unique: bool| {
        let all = shape.indexes.iter().filter(|index| !index.is_summarizing && index.is_unique == is_unique);
        all.filter_map(|index| index.keys.first().or(index.others.first())).copied().next()
    };
    first(false).or_else(|| first(true))
}
