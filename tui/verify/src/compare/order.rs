//! Positions in the WAL as what they are the end of. Two runs put the same record at other positions when anybody else
//! writes in between.

use ffviz_format::page::Lsn;
use ffviz_simulator::sql::trace::TraceLine;
use std::collections::{BTreeMap, BTreeSet};

/// Which record of a trace ends where, for each relation by itself: what was left out of a trace does not shift the
/// others.
#[derive(Debug, Clone, Default)]
pub(super) struct RecordOrder(BTreeMap<(Option<String>, Lsn), (usize, usize)>);

impl RecordOrder {
    /// The records of a trace, as far as it has them.
    pub fn of(lines: &[TraceLine]) -> Self {
        let mut ends = BTreeMap::new();
        for (line, trace) in lines.iter().enumerate() {
            let mut seen: BTreeMap<Option<String>, usize> = BTreeMap::new();
            for wal in trace.wal() {
                let Some(record) = &wal.record else { continue };
                let relations: BTreeSet<_> = wal.blocks.iter().map(|block| block.rel.clone()).collect();
                for relation in relations {
                    let n = seen.entry(relation.clone()).or_default();
                    ends.insert((relation, record.end), (line, *n));
                    *n += 1;
                }
            }
        }
        Self(ends)
    }

    /// The record about a relation that ends there: its line and its number among those of the line; `None` where the
    /// trace has none.
    pub fn at(&self, relation: Option<&str>, end: Lsn) -> Option<(usize, usize)> {
        self.0.get(&(relation.map(str::to_owned), end)).copied()
    }

    /// Does the trace say where records are?
    pub fn is_known(&self) -> bool {
        !self.0.is_empty()
    }

    /// A value of `pd_lsn` in words.
    pub fn tell(&self, relation: Option<&str>, lsn: Lsn) -> String {
        match self.at(relation, lsn) {
            Some((line, n)) => format!("{lsn}, the end of record {} about it in line {}", n + 1, line + 1),
            None if lsn.0 == 0 => "0/0".to_owned(),
            None => format!("{lsn}, the end of no listed record"),
        }
    }
}
