//! Pages that no server made, for property tests: random bytes, and real pages with random bytes changed.

use super::{ItemIdData, golden};
use alloc::vec;
use alloc::vec::Vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestError, TestRunner};

/// Any page: its size, seed of its bytes.
pub fn random() -> impl Strategy<Value = Vec<u8>> {
    (0..=32768_usize, any::<u64>(), any::<bool>()).prop_map(|(size, seed, plausible)| {
        let mut state = seed | 1;
        let mut bytes: Vec<u8> = (0..size)
            .map(|_| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                state as u8
            })
            .collect();
        // a header that lets the decoders get further than the first check
        if plausible && size >= 64 {
            let (size, lower) = (size as u16, 24 + 4 * (seed % 300) as u16 % (size as u16 - 24));
            for (at, value) in [(12, lower), (14, lower), (16, size), (18, size | 4)] {
                bytes[at..at + 2].copy_from_slice(&value.to_le_bytes());
            }
        }
        bytes
    })
}

/// A real page of some length, with some bytes changed; half of these among header and line pointers.
pub fn mutated(goldens: &'static [&'static str]) -> impl Strategy<Value = Vec<u8>> {
    let edits = prop::collection::vec((any::<bool>(), any::<u16>(), any::<u8>()), 0..40);
    let sizes = prop_oneof![4 => Just(8192_usize), 1 => 0..=32768_usize];
    (0..goldens.len(), sizes, edits).prop_map(|(which, size, edits)| {
        let mut bytes = vec![0; size];
        let golden = golden::page(goldens[which]);
        let shared = size.min(golden.bytes().len());
        bytes[..shared].copy_from_slice(&golden.bytes()[..shared]);
        for (in_front, at, value) in edits {
            let range = if in_front { 24 + 20 * ItemIdData::SIZE } else { size };
            if let Some(byte) = bytes.get_mut(usize::from(at) % range.max(1)) {
                *byte = value;
            }
        }
        bytes
    })
}

/// Checks that many pages, and says so. A page that fails is printed as a golden one.
pub fn run(cases: u32, pages: &impl Strategy<Value = Vec<u8>>, check: impl Fn(&[u8])) {
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let outcome = TestRunner::new(config).run(pages, |bytes| {
        check(&bytes);
        Ok(())
    });
    match outcome {
        Ok(()) => std::println!("{cases} pages"),
        Err(TestError::Fail(reason, bytes)) => panic!("{reason}\n{} bytes:\n{}", bytes.len(), golden::text(&bytes)),
        Err(TestError::Abort(reason)) => panic!("{reason}"),
    }
}
