//! `pglz_compress` with `PGLZ_strategy_default` (src/common/pg_lzcompress.c): the same bytes as the server's, since
//! they stand on the page.
//!
//! ```text
//! first[hash of 4 bytes] ──▶ newest place with that hash ──▶ older ──▶ … at most 4095 bytes back
//! ```
//!
//! The chains hold the latest 4096 places, in a ring; a place that leaves the ring leaves its chain. The search goes
//! from the newest to the oldest and is content with less the longer it takes.

use alloc::vec;
use alloc::vec::Vec;

/// `PGLZ_HISTORY_SIZE`
const HISTORY_SIZE: usize = 4096;
/// `PGLZ_MAX_MATCH`
const MAX_MATCH: usize = 273;
/// The strategy: `min_input_size`, `min_comp_rate`, `first_success_by`, `match_size_good`, `match_size_drop`
const MIN_INPUT: usize = 32;
const MIN_RATE: usize = 25;
const FIRST_SUCCESS_BY: usize = 1024;
const GOOD_MATCH: usize = 128;
const GOOD_DROP: usize = 10;
/// No further back do matches begin.
const MAX_DISTANCE: usize = 4095;

/// The compressed bytes of `source`; `None` where not a quarter is saved, or nothing repeats in the beginning.
pub fn compress(source: &[u8]) -> Option<Vec<u8>> {
    if source.len() < MIN_INPUT {
        return None;
    }
    let limit = source.len() * (100 - MIN_RATE) / 100;
    let mut history = History::new(source);
    let mut output = Output { bytes: Vec::with_capacity(limit.min(FIRST_SUCCESS_BY)), control_at: 0, bit: 8 };
    let mut found = false;
    let mut at = 0;
    while at < source.len() {
        if output.bytes.len() >= limit || (!found && output.bytes.len() >= FIRST_SUCCESS_BY) {
            return None;
        }
        let len = match history.find(at) {
            Some((len, distance)) => {
                found = true;
                output.reference(len, distance);
                len
            }
            None => {
                output.literal(source[at]);
                1
            }
        };
        (at..at + len).for_each(|at| history.add(at));
        at += len;
    }
    (output.bytes.len() < limit).then_some(output.bytes)
}

/// What is written: items, with a control byte before each eight of them.
struct Output {
    bytes: Vec<u8>,
    control_at: usize,
    bit: u32,
}

impl Output {
    fn item(&mut self, is_reference: bool) {
        if self.bit == 8 {
            (self.control_at, self.bit) = (self.bytes.len(), 0);
            self.bytes.push(0);
        }
        self.bytes[self.control_at] |= u8::from(is_reference) << self.bit;
        self.bit += 1;
    }

    fn literal(&mut self, byte: u8) {
        self.item(false);
        self.bytes.push(byte);
    }

    /// `pglz_out_tag`
    fn reference(&mut self, len: usize, distance: usize) {
        self.item(true);
        let high = (distance >> 4 & 0xF0) as u8;
        if len > 17 {
            self.bytes.extend([high | 0x0F, distance as u8, (len - 18) as u8]);
        } else {
            self.bytes.extend([high | (len - 3) as u8, distance as u8]);
        }
    }
}

/// A place in the source, in the chain of its hash; place 0 is the end of each chain.
#[derive(Clone, Copy, Default)]
struct Place {
    next: u16,
    prev: u16,
    hash: u16,
    at: u32,
}

struct History<'a> {
    source: &'a [u8],
    /// the newest place of each hash
    first: Vec<u16>,
    places: Vec<Place>,
    next: usize,
    /// have all places been used once?
    is_full: bool,
}

impl<'a> History<'a> {
    fn new(source: &'a [u8]) -> Self {
        let hashes = match source.len() {
            0..128 => 512,
            128..256 => 1024,
            256..512 => 2048,
            512..1024 => 4096,
            _ => 8192,
        };
        let places = vec![Place::default(); HISTORY_SIZE.min(source.len()) + 1];
        Self { source, first: vec![0; hashes], places, next: 1, is_full: false }
    }

    /// `pglz_hist_idx`; a byte is a signed char
    fn hash(&self, at: usize) -> usize {
        let byte = |n: usize| i32::from(self.source[at + n].cast_signed());
        let hash = match self.source.len() - at {
            0..4 => byte(0),
            _ => byte(0) << 6 ^ byte(1) << 4 ^ byte(2) << 2 ^ byte(3),
        };
        hash.cast_unsigned() as usize & (self.first.len() - 1)
    }

    /// `pglz_find_match`: length and distance of the longest match of more than two bytes.
    fn find(&self, at: usize) -> Option<(usize, usize)> {
        let (mut len, mut distance, mut good) = (0, 0, GOOD_MATCH);
        let mut place = self.first[self.hash(at)];
        while place != 0 {
            let Place { next, at: start, .. } = self.places[usize::from(place)];
            let start = start as usize;
            if at - start >= MAX_DISTANCE {
                break;
            }
            let this = self.match_len(start, at, len);
            if this > len {
                (len, distance) = (this, at - start);
            }
            place = next;
            if place != 0 {
                if len >= good {
                    break;
                }
                good -= good * GOOD_DROP / 100;
            }
        }
        (len > 2).then_some((len, distance))
    }

    /// How many bytes are equal; a match that cannot be longer than a best one of 16 or more is not looked at.
    fn match_len(&self, start: usize, at: usize, best: usize) -> usize {
        let end = (self.source.len() - at).min(MAX_MATCH);
        if best >= 16 && self.source[start..start + best] != self.source[at..at + best] {
            return 0;
        }
        let equal = |n: &usize| self.source[start + n] == self.source[at + n];
        let from = if best >= 16 { best } else { 0 };
        from + (from..end).take_while(equal).count()
    }

    /// `pglz_hist_add`
    fn add(&mut self, at: usize) {
        let hash = self.hash(at);
        let number = self.next;
        if self.is_full {
            let Place { next, prev, hash, .. } = self.places[number];
            if prev == 0 {
                self.first[usize::from(hash)] = next;
            } else {
                self.places[usize::from(prev)].next = next;
            }
            self.places[usize::from(next)].prev = prev;
        }
        let next = self.first[hash];
        self.places[number] = Place { next, prev: 0, hash: hash as u16, at: at as u32 };
        self.places[usize::from(next)].prev = number as u16;
        self.first[hash] = number as u16;
        self.next += 1;
        if self.next > HISTORY_SIZE {
            (self.next, self.is_full) = (1, true);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{compress, decompress};
    use alloc::vec::Vec;

    #[test]
    fn what_is_compressed_reads_back() {
        let mut state = 1_u32;
        let mut byte = |alphabet: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            ((state >> 16) % alphabet) as u8
        };
        let mut compressed = 0;
        for n in 0..600_usize {
            let source: Vec<u8> = (0..n * 29).map(|_| byte(1 + n as u32 % 7)).collect();
            if let Some(bytes) = compress(&source) {
                assert!(bytes.len() < source.len() * 3 / 4);
                assert_eq!(decompress(&bytes, source.len()).as_deref(), Some(&source[..]));
                compressed += 1;
            }
        }
        assert!(compressed > 400);
    }

    /// `repeat('abcdefghij', 300)` takes 54 bytes in line, of which 8 are the header.
    #[test]
    fn the_size_is_the_servers() {
        assert_eq!(compress(&b"abcdefghij".repeat(300)).map(|bytes| bytes.len()), Some(46));
        assert_eq!(compress(&[b'x'; 31]), None);
        assert_eq!(compress(&[b'x'; 32]).map(|bytes| bytes.len()), Some(5));
    }
}
