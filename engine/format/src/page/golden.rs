//! Pages of real servers for unit tests: engine/format/golden/*.page, lines of `offset hex`; what is not listed is
//! zero.

use super::Page;
use alloc::format;
use alloc::string::String;
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

/// The bytes in the form that [`page`] reads: runs of sixteen that are not all zero.
pub fn text(bytes: &[u8]) -> String {
    let runs = bytes.chunks(16).enumerate().filter(|(_, run)| run.iter().any(|byte| *byte != 0));
    let hex = |run: &[u8]| run.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    runs.map(|(n, run)| format!("{} {}\n", 16 * n, hex(run))).collect()
}

/// Bytes of a string of hexadecimal digits.
pub fn unhex(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).expect("hexadecimal digits")).collect()
}
