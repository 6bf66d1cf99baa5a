//! Places to split by how far they are from the wanted fill, where that is so simple that all sorts agree.

use super::SplitPoint;
use alloc::vec::Vec;

/// The places by how far they are, where no two are as far: then all sorts agree. They come ever nearer, then ever further, and are merged from where
/// they turn.
pub(super) fn nearest_first(splits: &[SplitPoint]) -> Option<Vec<SplitPoint>> {
    let turn = splits.windows(2).position(|pair| pair[0].delta <= pair[1].delta).map_or(splits.len(), |n| n + 1);
    let (mut before, mut behind) = splits.split_at(turn);
    let mut sorted: Vec<SplitPoint> = Vec::with_capacity(splits.len());
    loop {
        let nearest = match (before, behind) {
            ([rest @ .., near], others) if others.first().is_none_or(|far| near.delta < far.delta) => {
                before = rest;
                near
            }
            (_, [near, rest @ ..]) => {
                behind = rest;
                near
            }
            _ => return Some(sorted),
        };
        if sorted.last().is_some_and(|last| last.delta >= nearest.delta) {
            return None;
        }
        sorted.push(*nearest);
    }
}
