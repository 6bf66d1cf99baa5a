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
    /// these statements were run; and, where counters tell it, the share of updates that changed a column of an index
    Statements(Vec<UpdateStatement>, Option<f64>),
}

/// UPDATE statements that set the same columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UpdateStatement {
    /// the columns
    pub columns: Vec<String>,
    /// rows that they updated
    pub rows: u64,
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
    /// columns that are known to change, with the share of the updates that do
    pub named: Vec<(usize, f64)>,
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
            Updates::Statements(statements, measured) => Self::of_statements(shape, statements, *measured),
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
            share: if is_hot { 0.0 } else { 1.0 },
            named: columns.iter().map(|column| (*column, 1.0)).collect(),
            indexed: columns,
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
            let text = format!("what an UPDATE changes besides is {}: no index has it", name(*column));
            facts.push(Fact::new(Origin::Assumed, text).with_option("--updates COLUMN,… says which"));
        }
        if let Some(column) = key {
            facts.push(Fact::new(Origin::Assumed, format!("the column of an index that changes is {}", name(column))));
        }
        Ok(Self { plain, indexed, share, named: Vec::new(), facts })
    }

    /// The most frequent statement of either kind stands for all of its kind.
    fn of_statements(shape: &Shape, all: &[UpdateStatement], measured: Option<f64>) -> Result<Self, String> {
        let place = |name: &String| shape.columns.iter().position(|column| column.name == *name);
        let mut statements: Vec<(Vec<usize>, u64)> = all
            .iter()
            .map(|statement| (statement.columns.iter().filter_map(place).collect(), statement.rows))
            .filter(|(columns, rows): &(Vec<usize>, u64)| !columns.is_empty() && *rows > 0)
            .collect();
        statements.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        let total: u64 = statements.iter().map(|(_, rows)| rows).sum();
        if total == 0 {
            let origin = if measured.is_some() { Origin::Measured } else { Origin::Assumed };
            return Self::of_share(shape, measured.unwrap_or(0.0), origin);
        }
        let of_total = |rows: u64| rows as f64 / total as f64;
        let is_hot = |columns: &[usize]| columns.iter().all(|column| shape.is_hot(*column));
        let indexed: u64 = statements.iter().filter(|(columns, _)| !is_hot(columns)).map(|(_, rows)| rows).sum();
        let share = measured.unwrap_or_else(|| of_total(indexed));
        let mut pattern = Self::of_share(shape, share, Origin::Measured)?;
        for (columns, rows) in statements.iter().rev() {
            *if is_hot(columns) { &mut pattern.plain } else { &mut pattern.indexed } = columns.clone();
            for column in columns {
                match pattern.named.iter_mut().find(|(known, _)| known == column) {
                    Some((_, sum)) => *sum += of_total(*rows),
                    None => pattern.named.push((*column, of_total(*rows))),
                }
            }
        }
        let name = |column: &usize| shape.columns[*column].name.as_str();
        let told = statements.iter().take(Self::TOLD).map(|(columns, rows)| {
            let names: Vec<&str> = columns.iter().map(name).collect();
            format!("{} {:.0} %", names.join(", "), of_total(*rows) * 100.0)
        });
        let told = told.collect::<Vec<_>>().join("; ");
        pattern.facts.truncate(1);
        pattern
            .facts
            .push(Fact::new(Origin::Measured, format!("columns that updates set, by pg_stat_statements: {told}")));
        pattern.facts.push(Fact::new(Origin::Assumed, "a column that is set gets another value"));
        Ok(pattern)
    }

    /// Statements that are named.
    const TOLD: usize = 5;

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
