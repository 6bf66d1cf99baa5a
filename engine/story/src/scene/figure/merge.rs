//! Ghosts in their old places: what is there now, in its order, with what is gone put in front of the neighbour that it
//! had before.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

/// One of what is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place<T> {
    /// there now
    There(T),
    /// there before only
    Ghost(T),
}

/// `before` and `after` name things in the order of the page; those in both are the same thing.
pub(super) fn merge<T: Ord + Copy>(before: &[T], after: &[T]) -> Vec<Place<T>> {
    let stays: BTreeMap<T, usize> = after.iter().enumerate().map(|(at, name)| (*name, at)).collect();
    let mut in_front: BTreeMap<usize, Vec<T>> = BTreeMap::new();
    let mut waiting = Vec::new();
    for name in before {
        match stays.get(name) {
            Some(at) => in_front.entry(*at).or_default().append(&mut waiting),
            None => waiting.push(*name),
        }
    }
    let mut merged = Vec::with_capacity(after.len() + before.len());
    for (at, name) in after.iter().enumerate() {
        merged.extend(in_front.remove(&at).into_iter().flatten().map(Place::Ghost));
        merged.push(Place::There(*name));
    }
    merged.extend(waiting.into_iter().map(Place::Ghost));
    merged
}

#[cfg(test)]
mod tests {
    use super::Place::{Ghost, There};
    use super::merge;

    #[test]
    fn a_ghost_stands_before_the_neighbour_that_it_had() {
        assert_eq!(merge(&[1, 2, 3], &[3]), [Ghost(1), Ghost(2), There(3)]);
        assert_eq!(merge(&[1, 2, 3], &[4, 1, 3]), [There(4), There(1), Ghost(2), There(3)]);
        assert_eq!(merge(&[1, 2], &[]), [Ghost(1), Ghost(2)]);
    }
}
