//! Digests: `hashtext` (src/common/hashfn.c), `sha256` (src/common/sha2.c).

use alloc::vec::Vec;
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

/// The first bits of the fractions of the cube roots of the first primes.
const ROUNDS: [u32; 64] = [
    0x428a_2f98,
    0x7137_4491,
    0xb5c0_fbcf,
    0xe9b5_dba5,
    0x3956_c25b,
    0x59f1_11f1,
    0x923f_82a4,
    0xab1c_5ed5,
    0xd807_aa98,
    0x1283_5b01,
    0x2431_85be,
    0x550c_7dc3,
    0x72be_5d74,
    0x80de_b1fe,
    0x9bdc_06a7,
    0xc19b_f174,
    0xe49b_69c1,
    0xefbe_4786,
    0x0fc1_9dc6,
    0x240c_a1cc,
    0x2de9_2c6f,
    0x4a74_84aa,
    0x5cb0_a9dc,
    0x76f9_88da,
    0x983e_5152,
    0xa831_c66d,
    0xb003_27c8,
    0xbf59_7fc7,
    0xc6e0_0bf3,
    0xd5a7_9147,
    0x06ca_6351,
    0x1429_2967,
    0x27b7_0a85,
    0x2e1b_2138,
    0x4d2c_6dfc,
    0x5338_0d13,
    0x650a_7354,
    0x766a_0abb,
    0x81c2_c92e,
    0x9272_2c85,
    0xa2bf_e8a1,
    0xa81a_664b,
    0xc24b_8b70,
    0xc76c_51a3,
    0xd192_e819,
    0xd699_0624,
    0xf40e_3585,
    0x106a_a070,
    0x19a4_c116,
    0x1e37_6c08,
    0x2748_774c,
    0x34b0_bcb5,
    0x391c_0cb3,
    0x4ed8_aa4a,
    0x5b9c_ca4f,
    0x682e_6ff3,
    0x748f_82ee,
    0x78a5_636f,
    0x84c8_7814,
    0x8cc7_0208,
    0x90be_fffa,
    0xa450_6ceb,
    0xbef9_a3f7,
    0xc671_78f2,
];

/// `sha256`
pub(super) fn sha256(bytes: &[u8]) -> Value {
    let state =
        [0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19];
    Value::Bytea(digest(bytes, state).into())
}

/// `sha224`: the same from another beginning, without the last four bytes.
pub(super) fn sha224(bytes: &[u8]) -> Vec<u8> {
    let state =
        [0xc105_9ed8, 0x367c_d507, 0x3070_dd17, 0xf70e_5939, 0xffc0_0b31, 0x6858_1511, 0x64f9_8fa7, 0xbefa_4fa4];
    let mut digest = digest(bytes, state);
    digest.truncate(28);
    digest
}

fn digest(bytes: &[u8], mut state: [u32; 8]) -> Vec<u8> {
    let mut padded = bytes.to_vec();
    padded.push(0x80);
    padded.resize((padded.len() + 8).next_multiple_of(64) - 8, 0);
    padded.extend((bytes.len() as u64 * 8).to_be_bytes());
    for block in padded.chunks_exact(64) {
        let mut words = [0_u32; 64];
        for (word, bytes) in words.iter_mut().zip(block.chunks_exact(4)) {
            *word = bytes.iter().fold(0, |sum, byte| sum << 8 | u32::from(*byte));
        }
        for n in 16..64 {
            let (before, last) = (words[n - 15], words[n - 2]);
            let low = before.rotate_right(7) ^ before.rotate_right(18) ^ before >> 3;
            let high = last.rotate_right(17) ^ last.rotate_right(19) ^ last >> 10;
            words[n] = words[n - 16].wrapping_add(low).wrapping_add(words[n - 7]).wrapping_add(high);
        }
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = state;
        for (word, round) in words.into_iter().zip(ROUNDS) {
            let mixed = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
            let chosen = e & f ^ !e & g;
            let one = h.wrapping_add(mixed).wrapping_add(chosen).wrapping_add(round).wrapping_add(word);
            let mixed = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
            let other = mixed.wrapping_add(a & b ^ a & c ^ b & c);
            (h, g, f, e) = (g, f, e, d.wrapping_add(one));
            (d, c, b, a) = (c, b, a, one.wrapping_add(other));
        }
        for (sum, more) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
            *sum = sum.wrapping_add(more);
        }
    }
    state.into_iter().flat_map(u32::to_be_bytes).collect()
}
