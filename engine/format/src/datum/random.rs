//! `random()` and `setseed()`: erand48 in 13 and 14 (src/port/erand48.c), xoroshiro128** from 15
//! (src/common/pg_prng.c).

use super::error::{Result, SqlError};
use crate::page::PgVersion;
use alloc::format;

/// The state of a session's generator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Random {
    /// 48 bits (13, 14)
    Erand48(u64),
    /// 128 bits (15 and later)
    Xoroshiro([u64; 2]),
}

impl Random {
    /// `setseed(seed)` of that major version.
    ///
    /// # Errors
    /// Where the seed is not from -1 to 1.
    pub fn setseed(seed: f64, major: u32) -> Result<Self> {
        if !(-1.0..=1.0).contains(&seed) {
            let message = format!("setseed parameter {seed} is out of allowed range [-1,1]");
            return Err(SqlError::new("22023", message));
        }
        if !PgVersion::of_major(major).has_xoroshiro() {
            // the sign and 47 bits
            let seed = (seed * 0x7FFF_FFFF_FFFF_u64 as f64) as i64;
            return Ok(Self::Erand48(seed.cast_unsigned() & 0xFFFF_FFFF_FFFF));
        }
        let mut seed = (((1_u64 << 52) - 1) as f64 * seed) as i64 as u64;
        Ok(Self::Xoroshiro([splitmix64(&mut seed), splitmix64(&mut seed)]))
    }

    /// `random()`: from 0 up to, not including, 1.
    pub fn next_f64(&mut self) -> f64 {
        match self {
            Self::Erand48(state) => {
                *state = (state.wrapping_mul(0x5_DEEC_E66D) + 0xB) & 0xFFFF_FFFF_FFFF;
                *state as f64 / (1_u64 << 48) as f64
            }
            Self::Xoroshiro(_) => (self.next_u64() >> 12) as f64 / (1_u64 << 52) as f64,
        }
    }

    /// 64 bits (`pg_prng_uint64`); of erand48 four times 16, the high ones of its state.
    pub fn next_u64(&mut self) -> u64 {
        match self {
            Self::Xoroshiro([s0, s1]) => {
                let (old, mixed) = (*s0, *s1 ^ *s0);
                *s0 = old.rotate_left(24) ^ mixed ^ mixed << 16;
                *s1 = mixed.rotate_left(37);
                old.wrapping_mul(5).rotate_left(7).wrapping_mul(9)
            }
            Self::Erand48(_) => (0..4).fold(0, |bits, _| bits << 16 | (self.next_f64() * 65_536.0) as u64),
        }
    }

    /// `pg_prng_int64_range`: each number from `low` to `high` as likely as any other; bits are taken until they fit.
    pub fn next_between(&mut self, low: i64, high: i64) -> i64 {
        let range = high.wrapping_sub(low).cast_unsigned();
        if range == 0 {
            return low;
        }
        loop {
            let bits = self.next_u64() >> range.leading_zeros();
            if bits <= range {
                return low.wrapping_add(bits.cast_signed());
            }
        }
    }

    /// Bytes for [`super::uuid`].
    pub fn next_bytes<const N: usize>(&mut self) -> [u8; N] {
        let mut bytes = [0; N];
        for chunk in bytes.chunks_mut(8) {
            chunk.copy_from_slice(&self.next_u64().to_le_bytes()[..chunk.len()]);
        }
        bytes
    }
}

fn splitmix64(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let value = (*state ^ *state >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let value = (value ^ value >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    value ^ value >> 31
}

#[cfg(test)]
mod tests {
    use super::Random;

    /// `select setseed(…)`, then `random()` of PostgreSQL 13 and 18.
    #[test]
    fn the_same_numbers_as_the_server() {
        let series: [(u32, f64, &[f64]); 6] = [
            (13, 0.5, &[0.2499104186659835, 0.520017612227381, 0.4611753978720401]),
            (14, -0.123, &[0.1045308159789542, 0.27493831183651096]),
            (13, 0.0, &[3.907985046680551e-14, 0.0009853946746503084]),
            (15, 0.5, &[0.9851677175347999, 0.825301858027981, 0.12974610012450416]),
            (18, -0.123, &[0.16810865717467838, 0.21852391907503654]),
            (18, 0.0, &[0.8702553105818676, 0.426569726107606]),
        ];
        for (major, seed, expected) in series {
            let mut random = Random::setseed(seed, major).expect("a seed");
            assert!(expected.iter().all(|number| random.next_f64() == *number), "{major} {seed}");
        }
        assert!(Random::setseed(1.5, 18).is_err());
    }
}
