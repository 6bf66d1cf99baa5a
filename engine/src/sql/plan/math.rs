//! Functions of floats that core has not: precise enough for costs, whose differences decide.

/// Square root by Newton's method.
pub fn sqrt(number: f64) -> f64 {
    if number <= 0.0 {
        return 0.0;
    }
    // half of the exponent is a good beginning
    let mut root = f64::from_bits((number.to_bits() >> 1) + (1023_u64 << 51));
    for _ in 0..6 {
        root = (root + number / root) / 2.0;
    }
    root
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
            assert!((sqrt(number) - number.sqrt()).abs() < 1e-12 * number, "{number}");
            assert!((log2(number) - number.log2()).abs() < 1e-12, "{number}");
        }
        assert_eq!([log2_ceil(1024.0), log2_ceil(1025.0), log2_ceil(1.5)], [10.0, 11.0, 1.0]);
    }
}
