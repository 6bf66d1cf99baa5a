//! Positions in the WAL as what they are the end of. Two runs put the same record at other positions when anybody else writes in between.

use ffviz_engine::page::Lsn;
use ffviz_engine::sql::trace::TraceLine;
use std::collections::BTreeMap;

/// Which record of a trace ends where.
#[derive(Debug, Clone, Default)]
pub(super) struct RecordOrder(BTreeMap<Lsn, (usize, usize)>);

impl RecordOrder {
    /// The records of a trace, as far as it has them.
    pub fn of(lines: &[TraceLine]) -> Self {
        let of_line = |(line, trace): (usize, &TraceLine)| {
            let ends = trace.wal().iter().enumerate();
            let ends = ends.filter_map(move |(n, wal)| Some((wal.record.as_ref()?.end, (line, n))));
            ends.collect::<Vec<_>>()
        };
        Self(lines.iter().enumerate().flat_map(of_line).collect())
    }

    /// The record that ends there: its line and its number in the line; `None` where the trace has none.
    pub fn at(&self, end: Lsn) -> Option<(usize, usize)> {
        self.0.get(&end).copied()
    }

    /// Does the trace say where records are?
    pub fn is_known(&self) -> bool {
        !self.0.is_empty()
    }

    /// A value of `pd_lsn` in words.
    pub fn tell(&self, lsn: Lsn) -> String {
        match self.at(lsn) {
            Some((line, n)) => format!("{lsn}, the end of record {} of line {}", n + 1, line + 1),
            None if lsn.0 == 0 => "0/0".to_owned(),
            None => format!("{lsn}, the end of no listed record"),
        }
    }
}
