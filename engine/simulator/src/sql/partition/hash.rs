//! Hashes that tell rows apart (`compute_partition_hash_value`, src/backend/partitioning/partbounds.c;
//! `hashint4extended` and its like, src/backend/access/hash/hashfunc.c).

use crate::sql::expr::{hash_bytes_extended, hashed_integer};
use ffviz_format::datum::Value;

/// `HASH_PARTITION_SEED`
const SEED: u64 = 0x7A5B_2236_7996_DCFD;

/// Types of columns that rows can be told apart by: int2, int4, int8, text, varchar, uuid.
pub const HASHED_TYPES: [u32; 6] = [20, 21, 23, 25, 1043, 2950];

/// The hash of a key; NULL adds nothing.
pub fn row_hash(key: &[Value]) -> u64 {
    key.iter().filter(|value| !value.is_null()).fold(0, |row, value| combine(row, value_hash(value)))
}

/// `hash_combine64`
const fn combine(a: u64, b: u64) -> u64 {
    const GOLDEN: u64 = 0x49A0_F4DD_15E5_A8E3;
    a ^ b.wrapping_add(GOLDEN).wrapping_add(a << 54).wrapping_add(a >> 7)
}

fn value_hash(value: &Value) -> u64 {
    match hashed_integer(value) {
        Some(number) => hash_bytes_extended(&number.to_le_bytes(), SEED),
        None => hash_bytes_extended(value.plain_bytes().unwrap_or_default(), SEED),
    }
}
