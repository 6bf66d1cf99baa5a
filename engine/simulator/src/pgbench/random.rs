//! Numbers that are not equally likely, hashes and permutations (`getGaussianRand`, `getZipfianRand`, `permute` … of
//! src/bin/pgbench/pgbench.c).
//!
//! Logarithms, sines and powers are those of the crate `libm`, on every machine and in the browser. pgbench has those
//! of the C library, whose last bit may be another one: then a number on the very edge of two is the neighbour.

use super::prng::Prng;
use libm::{exp, floor, log, pow, sin, sqrt};

/// `MIN_GAUSSIAN_PARAM`
pub(super) const MIN_GAUSSIAN_PARAM: f64 = 2.0;
/// `MIN_ZIPFIAN_PARAM`, `MAX_ZIPFIAN_PARAM`
pub(super) const ZIPFIAN_PARAM: (f64, f64) = (1.001, 1000.0);

/// As many numbers as there are from `min` to `max`, times a share of them.
fn at_share(min: i64, max: i64, share: f64) -> i64 {
    let numbers = max.wrapping_sub(min).wrapping_add(1) as f64;
    min.wrapping_add((numbers * share) as i64)
}

/// `getGaussianRand`
pub(super) fn gaussian(prng: &mut Prng, min: i64, max: i64, parameter: f64) -> i64 {
    let deviation = loop {
        let (u1, u2) = (1.0 - prng.double(), 1.0 - prng.double());
        // Box and Muller
        let normal = sqrt(-2.0 * log(u1)) * sin(2.0 * core::f64::consts::PI * u2);
        if normal >= -parameter && normal < parameter {
            break normal;
        }
    };
    at_share(min, max, (deviation + parameter) / (parameter * 2.0))
}

/// `getExponentialRand`
pub(super) fn exponential(prng: &mut Prng, min: i64, max: i64, parameter: f64) -> i64 {
    let cut = exp(-parameter);
    let uniform = 1.0 - prng.double();
    at_share(min, max, -log(cut + (1.0 - cut) * uniform) / parameter)
}

/// `getZipfianRand`, by rejection (Devroye, Non-Uniform Random Variate Generation, page 550)
pub(super) fn zipfian(prng: &mut Prng, min: i64, max: i64, s: f64) -> i64 {
    let n = max.wrapping_sub(min).wrapping_add(1);
    if n <= 1 {
        return min;
    }
    let b = pow(2.0, s - 1.0);
    loop {
        let (u, v) = (prng.double(), prng.double());
        let x = floor(pow(u, -1.0 / (s - 1.0)));
        let t = pow(1.0 + 1.0 / x, s - 1.0);
        if v * x * (t - 1.0) / (b - 1.0) <= t / b && x <= n as f64 {
            return min.wrapping_sub(1).wrapping_add(x as i64);
        }
    }
}

/// `getHashFnv1a`
pub(super) const fn hash_fnv1a(value: i64, seed: i64) -> i64 {
    let mut result = 0xCBF2_9CE4_8422_2325 ^ seed as u64;
    let bytes = value.to_le_bytes();
    let mut at = 0;
    while at < bytes.len() {
        result = (result ^ bytes[at] as u64).wrapping_mul(0x0100_0000_01B3);
        at += 1;
    }
    result as i64
}

/// `getHashMurmur2`
pub(super) const fn hash_murmur2(value: i64, seed: i64) -> i64 {
    const MUL: u64 = 0xC6A4_A793_5BD1_E995;
    const MUL_TIMES_8: u64 = 0x3525_3C9A_DE8F_4CA8;
    let mut k = (value as u64).wrapping_mul(MUL);
    k ^= k >> 47;
    k = k.wrapping_mul(MUL);
    let mut result = seed as u64 ^ MUL_TIMES_8;
    result = (result ^ k).wrapping_mul(MUL);
    result = (result ^ (result >> 47)).wrapping_mul(MUL);
    (result ^ (result >> 47)) as i64
}

/// `permute`: where the value goes in one of the orders of the numbers below `size`, of 15 and later.
pub(super) const fn permute(value: i64, size: i64, seed: i64) -> i64 {
    if size < 2 {
        return 0;
    }
    let mut prng = Prng::xoroshiro(seed as u64);
    let size = size as u64;
    let mut v = value as u64 % size;
    let bits = size.ilog2();
    let mask = (1 << bits) - 1;
    let mut round = 0;
    while round < 6 {
        v = scatter(&mut prng, v, mask, bits);
        // the upper half is the lower one, seen from the other end
        v = size - 1 - scatter(&mut prng, size - 1 - v, mask, bits);
        v = (v + prng.below(size - 1)) % size;
        round += 1;
    }
    v as i64
}

/// A number of the half that the mask covers goes to another place there: times an odd number, XOR, rotated.
const fn scatter(prng: &mut Prng, v: u64, mask: u64, bits: u32) -> u64 {
    let (multiplier, other) = ((prng.bits() & mask) | 1, prng.bits() & mask);
    if v > mask {
        return v;
    }
    let v = (v.wrapping_mul(multiplier) ^ other) & mask;
    ((v << 1) & mask) | (v >> (bits - 1))
}
