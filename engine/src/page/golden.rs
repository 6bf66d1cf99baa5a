//! Pages of real servers for unit tests: engine/golden/*.page, lines of `offset hex`; what is not listed is zero.

use super::Page;
use alloc::vec;
use alloc::vec::Vec;

/// A golden page of 8192 bytes.
pub fn page(text: &str) -> Page {
    let mut bytes = vec![0; 8192];
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let (at, hex) = line.split_once(' ').expect("offset hex");
        let at: usize = at.parse().expect("an offset");
        let run = unhex(hex);
        bytes[at..at + run.len()].copy_from_slice(&run);
    }
    Page::new(&bytes)
}

/// Bytes of a string of hexadecimal digits.
pub fn unhex(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).expect("hexadecimal digits")).collect()
}
