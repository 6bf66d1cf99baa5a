//! Brackets beside rows that join the members of a HOT chain, one lane for each of the chains that overlap; where more
//! overlap than there are lanes, the shortest chains have them.
//!
//! ```text
//!  ╭  lp 1   redirect
//!  │╭ lp 2   another chain's root
//!  ├│ lp 3
//!  │╰ lp 4
//!  ╰  lp 5
//! ```

use crate::scene::Row;
use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;

/// lanes side by side at most
const LANES: usize = 5;

/// The first and the last row of a chain.
type Span = (usize, usize);

/// A sign of a bracket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stroke {
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
    pub(super) const fn sign(self, ascii: bool) -> char {
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
pub(super) fn brackets(rows: &[Row]) -> Vec<Vec<Stroke>> {
    let mut spans: BTreeMap<u16, Span> = BTreeMap::new();
    for (at, mark) in rows.iter().enumerate().filter_map(|(at, row)| Some((at, row.chain?))) {
        spans.entry(mark.chain).and_modify(|span| span.1 = at).or_insert((at, at));
    }
    let mut order: Vec<(u16, Span)> = spans.into_iter().collect();
    order.sort_by_key(|(_, (top, bottom))| (bottom - top, *top));
    let mut lanes: Vec<Vec<(u16, Span)>> = Vec::new();
    let apart = |a: Span, b: Span| a.1 < b.0 || b.1 < a.0;
    for (chain, span) in order {
        let free = lanes.iter().position(|lane| lane.iter().all(|(_, other)| apart(*other, span)));
        match free {
            Some(lane) => lanes[lane].push((chain, span)),
            None if lanes.len() < LANES => lanes.push(vec![(chain, span)]),
            None => {}
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
    use crate::scene::{ChainMark, Change, PartId, Role};
    use alloc::string::String;
    use ffviz_format::page::{OffsetNumber, RegionKind};

    #[test]
    fn overlapping_chains_take_lanes() {
        let row = |(n, chain): (u16, u16)| Row {
            part: PartId::Region(RegionKind::LinePointer(OffsetNumber(n))),
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
