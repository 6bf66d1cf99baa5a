//! Plans that are kept for the statements of a script: `-M prepared` (`sendCommand` of src/bin/pgbench/pgbench.c).
//! Where a statement cannot be planned before its values are known it is sent as a text.
//!
//! `-M simple` has each statement planned anew, with its values. Plans of which that is seen to come to the same
//! (`Plan::for_any_value`) are kept too.

use super::Protocol;
use super::expr::Value as Number;
use super::script::{Piece, SqlCommand};
use super::variables::Variables;
use crate::sql::plan::AnyValue;
use crate::sql::run::{Prepared, Simulator, UNDECIDED};
use crate::storage::FileId;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write as _;
use ffviz_format::datum::{SqlError, SqlType, Value};
use ffviz_format::page::{BlockNumber, ForkNumber, Oid};

/// Words that statements begin with which leave other plans as they are. ROLLBACK does not: it takes DDL back.
const HARMLESS: [&str; 8] = ["select", "insert", "update", "delete", "begin", "start", "commit", "end"];
/// A function that changes what decides plans.
const SETS: &str = "set_config";

/// The plans of a client, by script and line.
#[derive(Debug)]
pub(super) struct KeptPlans {
    protocol: Protocol,
    plans: BTreeMap<(usize, u32), Option<Kept>>,
}

#[derive(Debug)]
struct Kept {
    prepared: Prepared,
    /// the blocks of files on which the choice of the plan depends
    sizes: Vec<(FileId, BlockNumber)>,
}

impl KeptPlans {
    pub const fn new(protocol: Protocol) -> Self {
        Self { protocol, plans: BTreeMap::new() }
    }

    /// The tables may have changed: all is planned anew.
    pub fn forget(&mut self) {
        self.plans.clear();
    }

    /// A statement was sent as a text.
    pub fn sent(&mut self, sql: &str) {
        let sql = sql.trim_start().to_ascii_lowercase();
        let first = sql.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
        if !HARMLESS.contains(&first) || sql.contains(SETS) {
            self.forget();
        }
    }

    /// Runs the statement by its plan; `None`, where it has none for these values.
    pub fn run(
        &mut self,
        simulator: &mut Simulator,
        place: (usize, u32),
        sql: &SqlCommand,
        variables: &Variables,
    ) -> Option<Result<(), SqlError>> {
        if sql.got.is_some() {
            return None;
        }
        let protocol = self.protocol;
        let kept = self.plans.entry(place).or_insert_with(|| Kept::new(simulator, sql, protocol));
        if kept.as_ref().is_some_and(|kept| !kept.holds(simulator)) {
            *kept = Kept::new(simulator, sql, protocol);
        }
        let prepared = &mut kept.as_mut()?.prepared;
        let values = values(sql, variables, &prepared.types)?;
        Some(simulator.execute(prepared, &values).map(drop))
    }
}

impl Kept {
    fn new(simulator: &mut Simulator, sql: &SqlCommand, protocol: Protocol) -> Option<Self> {
        let (text, count) = with_parameters(sql)?;
        let prepared = simulator.prepare(&text, &alloc::vec![UNDECIDED; count]).ok()?;
        let sizes = match protocol {
            Protocol::Prepared => Vec::new(),
            Protocol::Simple => match prepared.for_any_value(simulator)? {
                AnyValue::Always => Vec::new(),
                AnyValue::WhileSize(table) => sizes(simulator, table),
            },
        };
        Some(Self { prepared, sizes })
    }

    /// Would the same be chosen now?
    fn holds(&self, simulator: &Simulator) -> bool {
        let buffers = &simulator.db.cluster.pg.buffers;
        self.sizes.iter().all(|(file, blocks)| buffers.nblocks(*file, ForkNumber::Main) == *blocks)
    }
}

/// A table and its indexes, as long as they are now.
fn sizes(simulator: &Simulator, table: Oid) -> Vec<(FileId, BlockNumber)> {
    let pg = &simulator.db.cluster.pg;
    let table = pg.relations.get(&table).into_iter();
    let relations = table.flat_map(|table| {
        let indexes = table.indexes.iter().filter_map(|index| pg.relations.get(index));
        core::iter::once(table).chain(indexes)
    });
    relations.map(|relation| (relation.file, pg.buffers.nblocks(relation.file, ForkNumber::Main))).collect()
}

/// `parseQuery`: `$1`, `$2` … in place of the variables. Within quotes they are no parameters.
fn with_parameters(sql: &SqlCommand) -> Option<(String, usize)> {
    let (mut text, mut count) = (String::new(), 0);
    for piece in &sql.pieces {
        match piece {
            Piece::Text(part) => text.push_str(part),
            Piece::Variable(_) if !text.matches('\'').count().is_multiple_of(2) => return None,
            Piece::Variable(_) => {
                count += 1;
                let _ = write!(text, "${count}");
            }
        }
    }
    // rather too many than too few
    let may_be_quoted = ["\"", "$$", "/*", "--"].iter().any(|quote| text.contains(quote));
    let statement = text.trim_end_matches(';').trim_end();
    (!may_be_quoted || count == 0).then(|| (String::from(statement), count))
}

fn values(sql: &SqlCommand, variables: &Variables, types: &[Oid]) -> Option<Vec<Value>> {
    let names = sql.pieces.iter().filter_map(|piece| match piece {
        Piece::Variable(name) => Some(name),
        Piece::Text(_) => None,
    });
    names.zip(types).map(|(name, ty)| value(variables.value(name).ok()?, *ty)).collect()
}

/// A whole number as a value of a column's type.
fn value(number: Number, ty: Oid) -> Option<Value> {
    let Number::Int(number) = number else { return None };
    match ty {
        _ if ty == SqlType::INT4.oid => number.try_into().ok().map(Value::Int4),
        _ if ty == SqlType::INT8.oid => Some(Value::Int8(number)),
        _ => None,
    }
}
