//! How many buckets a hash table has (`ExecChooseHashTableSize`, src/backend/executor/nodeHash.c).

use super::size::clamp;

/// `NTUP_PER_BUCKET` is one; there are so many buckets at least.
const FEWEST_BUCKETS: u32 = 1024;

/// `ExecChooseHashTableSize`, where all fits into memory.
pub fn buckets(rows: f64) -> u32 {
    (clamp(rows) as u32).next_power_of_two().max(FEWEST_BUCKETS)
}
