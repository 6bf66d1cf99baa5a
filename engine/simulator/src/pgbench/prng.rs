//! pgbench's generator of random numbers: xoroshiro128** from 15 on (src/common/pg_prng.c), before that the 48-bit
//! generator of erand48 (src/port/erand48.c).

use crate::version::Behaviour;
use ffviz_format::page::PgVersion;

/// erand48's multiplier and increment.
const LCG: (u64, u64) = (0x5_DEEC_E66D, 0xB);
const MASK_48: u64 = (1 << 48) - 1;

/// A generator of the kind that the version has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Prng {
    /// 13 and 14: `xseed`, three times 16 bits, the lowest first
    Erand48(u64),
    /// from 15 on: `s0`, `s1`
    Xoroshiro(u64, u64),
}

const fn splitmix64(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut val = *state;
    val = (val ^ (val >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    val = (val ^ (val >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    val ^ (val >> 31)
}

/// `2^-n`
const fn power_of_half(n: u64) -> f64 {
    f64::from_bits((1023 - n) << 52)
}

impl Prng {
    /// The base sequence that `--random-seed` gives.
    #[must_use]
    pub fn seed(version: PgVersion, seed: u64) -> Self {
        if version.pgbench_has_xoroshiro() { Self::xoroshiro(seed) } else { Self::Erand48(seed & MASK_48) }
    }

    /// `pg_prng_seed`
    #[must_use]
    pub const fn xoroshiro(mut seed: u64) -> Self {
        let (s0, s1) = (splitmix64(&mut seed), splitmix64(&mut seed));
        if s0 == 0 && s1 == 0 {
            return Self::Xoroshiro(0x5851_F42D_4C95_7F2D, 0x1405_7B7E_F767_814F);
        }
        Self::Xoroshiro(s0, s1)
    }

    /// `initRandomState`: a generator of its own, from the base sequence.
    #[must_use]
    pub const fn child(&mut self) -> Self {
        match self {
            Self::Erand48(_) => {
                let (low, middle, high) = (self.jrand48() & 0xFFFF, self.jrand48() & 0xFFFF, self.jrand48() & 0xFFFF);
                Self::Erand48(low as u64 | (middle as u64) << 16 | (high as u64) << 32)
            }
            Self::Xoroshiro(..) => Self::xoroshiro(self.bits()),
        }
    }

    /// The seed of hash functions where none is given: all 64 bits.
    #[must_use]
    pub const fn default_seed(&mut self) -> i64 {
        match self {
            Self::Erand48(_) => {
                let low = self.jrand48() & 0xFFFF_FFFF;
                let high = self.jrand48() & 0xFFFF_FFFF;
                low | high << 32
            }
            Self::Xoroshiro(..) => self.bits() as i64,
        }
    }

    /// `_dorand48`: the next state
    const fn step(&mut self) -> u64 {
        if let Self::Erand48(state) = self {
            *state = state.wrapping_mul(LCG.0).wrapping_add(LCG.1) & MASK_48;
            return *state;
        }
        0
    }

    /// `pg_jrand48`: the upper 32 bits, with a sign
    const fn jrand48(&mut self) -> i64 {
        (self.step() >> 16) as u32 as i32 as i64
    }

    /// `pg_prng_uint64`, of xoroshiro128**
    pub(super) const fn bits(&mut self) -> u64 {
        let Self::Xoroshiro(s0, s1) = self else { return self.step() };
        let (state, sx) = (*s0, *s1 ^ *s0);
        let val = state.wrapping_mul(5).rotate_left(7).wrapping_mul(9);
        *s0 = state.rotate_left(24) ^ sx ^ (sx << 16);
        *s1 = sx.rotate_left(37);
        val
    }

    /// From 0 to below 1: with 52 bits, before 15 with 48.
    pub const fn double(&mut self) -> f64 {
        match self {
            Self::Erand48(_) => self.step() as f64 * power_of_half(48),
            Self::Xoroshiro(..) => (self.bits() >> 12) as f64 * power_of_half(52),
        }
    }

    /// `pg_prng_uint64_range` of 0 to `range`: bits are taken until they fit.
    pub(super) const fn below(&mut self, range: u64) -> u64 {
        if range == 0 {
            return 0;
        }
        let shift = range.leading_zeros();
        loop {
            let val = self.bits() >> shift;
            if val <= range {
                return val;
            }
        }
    }

    /// `getrand`: each number from `min` to `max` as likely as any other.
    pub const fn range(&mut self, min: i64, max: i64) -> i64 {
        match self {
            Self::Erand48(_) => {
                let numbers = max.wrapping_sub(min).wrapping_add(1) as f64;
                min.wrapping_add((numbers * self.double()) as i64)
            }
            Self::Xoroshiro(..) => min.wrapping_add(self.below(max.wrapping_sub(min) as u64) as i64),
        }
    }
}
