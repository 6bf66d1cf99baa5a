//! CRC-32C of a record (src/include/port/pg_crc32c.h): bytes 24 to the end, then bytes 0 to 20.

#[cfg(not(feature = "native"))]
use crc::{CRC_32_ISCSI, Crc, Table};

/// Bytes at a time: the WAL of a busy server is long; but the tables for sixteen have 16 kB, which nothing compresses,
/// and a page has to load them.
#[cfg(not(feature = "native"))]
const AT_ONCE: usize = if cfg!(target_arch = "wasm32") { 1 } else { 16 };

#[cfg(not(feature = "native"))]
const CRC_32C: Crc<u32, Table<AT_ONCE>> = Crc::<u32, Table<AT_ONCE>>::new(&CRC_32_ISCSI);

/// CRC-32C over some pieces, one after the other.
#[must_use]
#[cfg(not(feature = "native"))]
pub fn crc32c(pieces: &[&[u8]]) -> u32 {
    let mut digest = CRC_32C.digest();
    for piece in pieces {
        digest.update(piece);
    }
    digest.finalize()
}

/// CRC-32C over some pieces, one after the other, by the processor's instruction where it has one.
#[must_use]
#[cfg(feature = "native")]
pub fn crc32c(pieces: &[&[u8]]) -> u32 {
    pieces.iter().fold(0, |sum, piece| crc32c::crc32c_append(sum, piece))
}
