//! Lanes beside the rows, in which the brackets of HOT chains and arrows run without crossing one another.

use ffviz_story::scene::Row;

/// Lanes beside the rows, at most; further arrows are not drawn.
pub const MAX_LANES: usize = 4;
/// The same of chains where there is room; of more the longest are not drawn, and the heading says so.
pub const MOST_CHAINS: usize = 8;

/// A vertical line beside the rows: which rows it spans, and its lane.
pub struct Span {
    /// first row
    pub first: usize,
    /// last row
    pub last: usize,
    /// lane, from 0
    pub lane: usize,
}

/// First and last row of each chain.
pub fn chain_ends(rows: &[Row]) -> Vec<(usize, usize)> {
    let mut ends: Vec<(u16, usize, usize)> = Vec::new();
    for (n, row) in rows.iter().enumerate() {
        let Some(mark) = row.chain else { continue };
        match ends.iter_mut().find(|(chain, ..)| *chain == mark.chain) {
            Some(end) => end.2 = n,
            None => ends.push((mark.chain, n, n)),
        }
    }
    ends.into_iter().map(|(_, first, last)| (first, last)).collect()
}

/// The brackets of the chains, a lane each where they overlap. Where there are more of them than lanes, the shortest
/// have them.
pub fn chain_spans(rows: &[Row], lanes: usize) -> Vec<Span> {
    let mut ends = chain_ends(rows);
    ends.sort_by_key(|(first, last)| last - first);
    let mut placed: Vec<Span> = Vec::new();
    for (first, last) in ends {
        let taken = |lane: usize| placed.iter().any(|s| s.lane == lane && s.first <= last && first <= s.last);
        if let Some(lane) = (0..lanes).find(|lane| !taken(*lane)) {
            placed.push(Span { first, last, lane });
        }
    }
    placed
}

/// Gives each span the first lane that is free over its whole length.
pub fn spans(ends: &[(usize, usize)]) -> Vec<Span> {
    let mut placed: Vec<Span> = Vec::new();
    for &(first, last) in ends {
        let taken = |lane: usize| placed.iter().any(|s| s.lane == lane && s.first <= last && first <= s.last);
        let lane = (0..MAX_LANES).find(|lane| !taken(*lane)).unwrap_or(MAX_LANES - 1);
        placed.push(Span { first, last, lane });
    }
    placed
}

#[cfg(test)]
mod tests {
    use super::*;
    use ffviz_story::scene::{ChainMark, Change, PartId, Role};

    /// Six chains that overlap: four lanes are for the four shortest, and no two share one.
    #[test]
    fn chains_without_a_lane_are_not_drawn() {
        let row = |chain: u16| Row {
            part: PartId::Block(0),
            role: Role::LpNormal,
            cells: Vec::new(),
            change: Change::Same,
            chain: Some(ChainMark { chain, place: 0, last: false }),
        };
        let rows: Vec<Row> = (0..6).chain((0..6).rev()).map(row).collect();
        let lanes = |most| {
            let mut found: Vec<(usize, usize)> =
                chain_spans(&rows, most).iter().map(|span| (span.first, span.lane)).collect();
            found.sort_unstable();
            found
        };
        assert_eq!(lanes(4), [(2, 3), (3, 2), (4, 1), (5, 0)]);
        assert_eq!(lanes(8).len(), 6);
    }
}
