//! Hashes of keys (src/common/hashfn.c).

use ffviz_format::datum::Value;

/// `hash_bytes`
pub(in crate::sql) fn hash_bytes(key: &[u8]) -> u32 {
    hash_bytes_extended(key, 0) as u32
}

/// The four bytes that an integer is hashed by, of whichever length it is: `hashint8` gives what `hashint4` gives of
/// the same number.
pub(in crate::sql) fn hashed_integer(value: &Value) -> Option<u32> {
    let number = value.integer()?;
    let (low, high) = (number as u32, (number >> 32) as u32);
    Some(low ^ if number >= 0 { high } else { !high })
}

/// `hash_bytes_extended`, on a machine whose words begin with their lowest byte.
pub(in crate::sql) fn hash_bytes_extended(key: &[u8], seed: u64) -> u64 {
    const GOLDEN: u32 = 0x9E37_79B9;
    const SEED: u32 = 3_923_095;
    let start = GOLDEN.wrapping_add(key.len() as u32).wrapping_add(SEED);
    let [mut a, mut b, mut c] = [start; 3];
    // a := a - c …, and the three change places
    let mix = |a: &mut u32, b: &mut u32, c: &mut u32| {
        for (left, right) in [(4, 6), (8, 16), (19, 4)] {
            *a = a.wrapping_sub(*c) ^ c.rotate_left(left);
            *c = c.wrapping_add(*b);
            *b = b.wrapping_sub(*a) ^ a.rotate_left(right);
            *a = a.wrapping_add(*c);
            (*a, *b, *c) = (*c, *a, *b);
        }
    };
    if seed != 0 {
        a = a.wrapping_add((seed >> 32) as u32);
        b = b.wrapping_add(seed as u32);
        mix(&mut a, &mut b, &mut c);
    }
    let word = |bytes: &[u8], shift: u32| {
        bytes.iter().enumerate().fold(0_u32, |sum, (n, byte)| sum | u32::from(*byte) << (8 * n as u32 + shift))
    };
    let mut blocks = key.chunks_exact(12);
    for block in &mut blocks {
        a = a.wrapping_add(word(&block[..4], 0));
        b = b.wrapping_add(word(&block[4..8], 0));
        c = c.wrapping_add(word(&block[8..], 0));
        mix(&mut a, &mut b, &mut c);
    }
    let rest = blocks.remainder();
    let part = |from: usize, to: usize| &rest[from.min(rest.len())..to.min(rest.len())];
    a = a.wrapping_add(word(part(0, 4), 0));
    b = b.wrapping_add(word(part(4, 8), 0));
    // the lowest byte of c is kept for the length
    c = c.wrapping_add(word(part(8, 12), 8));
    c = (c ^ b).wrapping_sub(b.rotate_left(14));
    a = (a ^ c).wrapping_sub(c.rotate_left(11));
    b = (b ^ a).wrapping_sub(a.rotate_left(25));
    c = (c ^ b).wrapping_sub(b.rotate_left(16));
    a = (a ^ c).wrapping_sub(c.rotate_left(4));
    b = (b ^ a).wrapping_sub(a.rotate_left(14));
    c = (c ^ b).wrapping_sub(b.rotate_left(24));
    u64::from(b) << 32 | u64::from(c)
}

/// `hashtext`
pub(super) fn hashtext(text: &[u8]) -> Value {
    Value::Int4(hash_bytes(text).cast_signed())
}
