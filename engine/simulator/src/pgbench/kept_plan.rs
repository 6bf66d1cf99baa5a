//! Plans that are kept for the statements of a script: `-M prepared` (`sendCommand` of src/bin/pgbench/pgbench.c).
//! Where a statement cannot be planned before its values are known it is sent as a text.

use super::expr::Value as Number;
use super::script::{Piece, SqlCommand};
use super::variables::Variables;
use crate::sql::run::{Prepared, Simulator, UNDECIDED};
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write as _;
use ffviz_format::datum::{SqlError, SqlType, Value};
use ffviz_format::page::Oid;

/// The plans of a client, by script and line.
#[derive(Debug, Default)]
pub(super) struct KeptPlans(BTreeMap<(usize, u32), Option<Prepared>>);

impl KeptPlans {
    /// The tables may have changed: all is planned anew.
    pub fn forget(&mut self) {
        self.0.clear();
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
        let kept = self.0.entry(place).or_insert_with(|| {
            let (text, count) = with_parameters(sql)?;
            simulator.prepare(&text, &alloc::vec![UNDECIDED; count]).ok()
        });
        let prepared = kept.as_mut()?;
        let values = values(sql, variables, &prepared.types)?;
        Some(simulator.execute(prepared, &values).map(drop))
    }
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
