//! Brackets beside rows that join the members of a HOT chain, one lane for each of the chains that overlap.
//!
//! ```text
//!  ╭  lp 1   redirect
//!  │╭ lp 2   another chain's root
//!  ├│ lp 3
//!  │╰ lp 4
//!  ╰  lp 5
//! ```

use super::Row;
use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;

/// A sign of a bracket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stroke {
    /// nothing
    None,
    /// the first row of a chain
    Top,
    /// a row between, of the chain
    Member,
    /// a row between, of another chain or none
    Pass,
    /// the last row of a chain
    Bottom,
}

impl Stroke {
    /// The sign, in Unicode or in ASCII.
    #[must_use]
    pub const fn sign(self, ascii: bool) -> char {
        match (self, ascii) {
            (Self::None, _) => ' ',
            (Self::Top, false) => '╭',
            (Self::Member, false) => '├',
            (Self::Pass, false) => '│',
            (Self::Bottom, false) => '╰',
            (Self::Top | Self::Bottom, true) => '+',
            (Self::Member, true) => '>',
            (Self::Pass, true) => '|',
        }
    }
}

/// The strokes beside each row, lane by lane; all rows have as many lanes.
#[must_use]
pub fn brackets(rows: &[Row]) -> Vec<Vec<Stroke>> {
    let mut spans: BTreeMap<u16, (usize, usize)> = BTreeMap::new();
    for (at, mark) in rows.iter().enumerate().filter_map(|(at, row)| Some((at, row.chain?))) {
        spans.entry(mark.chain).and_modify(|span| span.1 = at).or_insert((at, at));
    }
    let mut order: Vec<(u16, (usize, usize))> = spans.into_iter().collect();
    order.sort_by_key(|(_, span)| *span);
    let mut lanes: Vec<Vec<(u16, (usize, usize))>> = Vec::new();
    for (chain, span) in order {
        let free = lanes.iter_mut().find(|lane| lane.last().is_none_or(|(_, last)| last.1 < span.0));
        match free {
            Some(lane) => lane.push((chain, span)),
            None => lanes.push(vec![(chain, span)]),
        }
    }
    let mut strokes = vec![vec![Stroke::None; lanes.len()]; rows.len()];
    for (lane, (chain, (top, bottom))) in
        lanes.iter().enumerate().flat_map(|(n, lane)| lane.iter().map(move |span| (n, *span)))
    {
        for (at, row) in rows.iter().enumerate().take(bottom + 1).skip(top) {
            strokes[at][lane] = match row.chain.is_some_and(|mark| mark.chain == chain) {
                _ if at == top => Stroke::Top,
                _ if at == bottom => Stroke::Bottom,
                true => Stroke::Member,
                false => Stroke::Pass,
            };
        }
    }
    strokes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::OffsetNumber;
    use crate::scene::{ChainMark, Change, PartId, Role};
    use alloc::string::String;

    #[test]
    fn overlapping_chains_take_lanes() {
        let row = |(n, chain): (u16, u16)| Row {
            part: PartId::LinePointer(OffsetNumber(n)),
            role: Role::LpNormal,
            change: Change::Same,
            cells: Vec::new(),
            chain: (chain > 0).then_some(ChainMark { chain, place: 0, last: false }),
        };
        let rows: Vec<Row> = [(1, 1), (2, 2), (3, 1), (4, 2), (5, 0), (6, 3), (7, 3)].map(row).into();
        let lines = brackets(&rows)
            .into_iter()
            .map(|lanes| lanes.into_iter().map(|stroke| stroke.sign(false)).collect::<String>());
        assert_eq!(lines.collect::<Vec<_>>(), ["╭ ", "│╭", "╰│", " ╰", "  ", "╭ ", "╰ "]);
    }
}
