//! How generated UUIDs are laid out (src/backend/utils/adt/uuid.c); clock and random bytes are the caller's.
//!
//! ```text
//! version 4: random, 60 bits ┤ 4 ┼ random ┤ 10 ┼ random
//! version 7: milliseconds since 1970, 48 bits ┤ 7 ┼ parts of a millisecond, 12 bits ┤ 10 ┼ random, 62 bits
//! ```

/// `SUBMS_MINIMAL_STEP_NS`: where the clock of `uuidv7()` has not gone on, it is taken to be that many nanoseconds
/// later.
pub const MINIMAL_STEP_NS: u64 = 245;

/// `gen_random_uuid()`, `uuidv4()`
#[must_use]
pub const fn v4(random: [u8; 16]) -> [u8; 16] {
    marked(random, 4)
}

/// `uuidv7()` at that many nanoseconds since 1970.
#[must_use]
pub fn v7(unix_ns: u64, random: [u8; 8]) -> [u8; 16] {
    const NS_PER_MS: u64 = 1_000_000;
    let (ms, rest) = (unix_ns / NS_PER_MS, unix_ns % NS_PER_MS);
    let part = (rest << 12) / NS_PER_MS;
    let mut uuid = [0; 16];
    uuid[..8].copy_from_slice(&(ms << 16 | part).to_be_bytes());
    uuid[8..].copy_from_slice(&random);
    marked(uuid, 7)
}

/// With version and variant (`uuid_set_version`, RFC 9562).
const fn marked(mut uuid: [u8; 16], version: u8) -> [u8; 16] {
    uuid[6] = uuid[6] & 0x0F | version << 4;
    uuid[8] = uuid[8] & 0x3F | 0x80;
    uuid
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_and_variant_are_set() {
        assert_eq!(v4([0xFF; 16])[6..9], [0x4F, 0xFF, 0xBF]);
        // 2024-01-01 00:00:00.0005
        let uuid = v7(1_704_067_200_000_500_000, [0; 8]);
        assert_eq!(uuid[..9], [0x01, 0x8C, 0xC2, 0x51, 0xF4, 0x00, 0x78, 0x00, 0x80]);
    }
}
