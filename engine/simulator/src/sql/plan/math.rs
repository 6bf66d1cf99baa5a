//! Functions of floats that core has not: precise enough for costs, whose differences decide.

/// Square root, rounded as the processor rounds it: the whole root of the mantissa with twice its bits.
pub fn sqrt(number: f64) -> f64 {
    const BIAS: i32 = 1023;
    if number <= 0.0 {
        return 0.0;
    }
    let bits = number.to_bits();
    let exponent = (bits >> 52) as i32 - BIAS;
    let mantissa = u128::from(bits & ((1 << 52) - 1) | 1 << 52);
    // 2^(52 + 54) times the mantissa, twice that where the exponent is odd: the root has 54 bits
    let square = mantissa << (54 + exponent.rem_euclid(2));
    let root = square.isqrt();
    // of the last bit and what is left the nearest; it never lies in the middle
    let rounded = ((root >> 1) + (root & 1)) as u64;
    let root = rounded as f64 / (1_u64 << 52) as f64;
    root * f64::from_bits(((exponent.div_euclid(2) + BIAS) as u64) << 52)
}

/// Logarithm to base 2 of a number of at least 1: its exponent, then by squaring the mantissa a bit at a time.
pub fn log2(number: f64) -> f64 {
    const BITS: u32 = 50;
    let bits = number.max(1.0).to_bits();
    let mut log = (bits >> 52) as f64 - 1023.0;
    let mut mantissa = f64::from_bits(bits & ((1 << 52) - 1) | 1023 << 52);
    let mut bit = 0.5;
    for _ in 0..BITS {
        mantissa *= mantissa;
        if mantissa >= 2.0 {
            mantissa /= 2.0;
            log += bit;
        }
        bit /= 2.0;
    }
    log
}

/// A number from 0 to 1 raised to a power of at least 0, by its logarithm.
pub fn power(base: f64, exponent: f64) -> f64 {
    if base <= 0.0 {
        return if exponent == 0.0 { 1.0 } else { 0.0 };
    }
    // base^exponent = 2^-(exponent * log2(1 / base)), whose whole part is an exponent and whose rest a series
    let log = exponent * log2(1.0 / base);
    let (whole, rest) = (log as u64, log - log as u64 as f64);
    let x = -rest * core::f64::consts::LN_2;
    let (mut term, mut sum) = (1.0, 1.0);
    for n in 1..25 {
        term *= x / f64::from(n);
        sum += term;
    }
    if whole > 1022 { 0.0 } else { sum * f64::from_bits((1023 - whole) << 52) }
}

/// The logarithm rounded up.
pub fn log2_ceil(number: f64) -> f64 {
    super::size::ceil(log2(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_precise_as_the_library() {
        for number in (1..2000).map(|n| f64::from(n) * 1.37) {
            assert_eq!(sqrt(number), number.sqrt(), "{number}");
            assert_eq!(sqrt(1.0 / number), (1.0 / number).sqrt(), "1 / {number}");
            let (base, exponent) = (1.0 / number.max(1.0), number / 100.0);
            assert!((power(base, exponent) - base.powf(exponent)).abs() < 1e-12, "{base} {exponent}");
            assert!((log2(number) - number.log2()).abs() < 1e-12, "{number}");
        }
        assert_eq!([log2_ceil(1024.0), log2_ceil(1025.0), log2_ceil(1.5)], [10.0, 11.0, 1.0]);
    }
}
