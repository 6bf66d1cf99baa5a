//! In which order rows come out of a hash table: that of their places, from behind (`tuplehash`,
//! src/include/lib/simplehash.h; `TupleHashTableHash_internal`, src/backend/executor/execGrouping.c).
//!
//! ```text
//!  hash ─▶ its place, or the next one that is free; who is farther from home than the one that stands there takes the place
//! ```

use alloc::vec;
use alloc::vec::Vec;

/// How full it may be (`SH_FILLFACTOR`).
const FILL: f64 = 0.9;
/// It grows, too, where an entry would be so far from its place, or so many had to move (`SH_GROW_MAX_DIB`,
/// `SH_GROW_MAX_MOVE`), unless it is nearly empty (`SH_GROW_MIN_FILLFACTOR`).
const FARTHEST: usize = 25;
const MOST_MOVED: usize = 150;
const NEARLY_EMPTY: f64 = 0.1;

struct Table<'a> {
    hashes: &'a [u32],
    /// numbers of entries
    places: Vec<Option<usize>>,
    members: usize,
    grow_threshold: usize,
}

/// Numbers of entries that came in their order, as they come out. `expected`: how many were; `goes_on`: somebody looked
/// for one after the last had come.
pub(super) fn order(hashes: &[u32], expected: f64, goes_on: bool) -> Vec<usize> {
    let hashes: Vec<u32> = hashes.iter().map(|hash| murmurhash32(*hash)).collect();
    let size = ((expected.max(1.0) / FILL) as usize).max(2).next_power_of_two();
    let mut table = Table { hashes: &hashes, places: Vec::new(), members: 0, grow_threshold: 0 };
    table.grow(size);
    (0..hashes.len()).for_each(|entry| table.insert(entry));
    if goes_on && table.members >= table.grow_threshold {
        table.grow(table.places.len() * 2);
    }
    // from the first free place to the left, around
    let first = table.places.iter().position(Option::is_none).unwrap_or(0);
    let size = table.places.len();
    (0..size).filter_map(|n| table.places[(first + size - n) % size]).collect()
}

const fn murmurhash32(mut hash: u32) -> u32 {
    hash ^= hash >> 16;
    hash = hash.wrapping_mul(0x85EB_CA6B);
    hash ^= hash >> 13;
    hash = hash.wrapping_mul(0xC2B2_AE35);
    hash ^ hash >> 16
}

impl Table<'_> {
    fn home(&self, entry: usize) -> usize {
        self.hashes[entry] as usize & (self.places.len() - 1)
    }

    fn next(&self, place: usize) -> usize {
        (place + 1) & (self.places.len() - 1)
    }

    fn is_filled(&self) -> bool {
        self.members as f64 / self.places.len() as f64 >= NEARLY_EMPTY
    }

    /// `SH_GROW`: beginning with one that stands at its place, so that nobody is moved.
    fn grow(&mut self, size: usize) {
        let old = core::mem::replace(&mut self.places, vec![None; size]);
        self.grow_threshold = (size as f64 * FILL) as usize;
        let is_first = |(at, entry): (usize, &Option<usize>)| entry.is_none_or(|entry| self.home(entry) == at);
        let start = old.iter().enumerate().position(is_first).unwrap_or(0);
        for entry in old[start..].iter().chain(&old[..start]).flatten() {
            let mut place = self.home(*entry);
            while self.places[place].is_some() {
                place = self.next(place);
            }
            self.places[place] = Some(*entry);
        }
    }

    /// `SH_INSERT`
    fn insert(&mut self, entry: usize) {
        if self.members >= self.grow_threshold {
            self.grow(self.places.len() * 2);
        }
        let (mut place, mut distance) = (self.home(entry), 0);
        while let Some(there) = self.places[place] {
            let is_nearer = (place + self.places.len() - self.home(there)) % self.places.len() < distance;
            if is_nearer {
                break;
            }
            place = self.next(place);
            distance += 1;
            if distance > FARTHEST && self.is_filled() {
                self.grow_threshold = 0;
                return self.insert(entry);
            }
        }
        let (mut free, mut moved) = (place, 0);
        while self.places[free].is_some() {
            free = self.next(free);
            moved += 1;
            if moved > MOST_MOVED && self.is_filled() {
                self.grow_threshold = 0;
                return self.insert(entry);
            }
        }
        while free != place {
            let before = (free + self.places.len() - 1) % self.places.len();
            self.places[free] = self.places[before];
            free = before;
        }
        self.places[place] = Some(entry);
        self.members += 1;
    }
}
