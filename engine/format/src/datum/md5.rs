//! MD5 (RFC 1321), as the SQL function `md5` gives it: 32 hexadecimal digits (src/common/md5.c).

use alloc::string::String;
use alloc::vec::Vec;

/// Left rotations of the four rounds.
const SHIFTS: [[u32; 4]; 4] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]];

/// `floor(2^32 * abs(sin(n + 1)))`
const SINES: [u32; 64] = [
    0xd76a_a478,
    0xe8c7_b756,
    0x2420_70db,
    0xc1bd_ceee,
    0xf57c_0faf,
    0x4787_c62a,
    0xa830_4613,
    0xfd46_9501,
    0x6980_98d8,
    0x8b44_f7af,
    0xffff_5bb1,
    0x895c_d7be,
    0x6b90_1122,
    0xfd98_7193,
    0xa679_438e,
    0x49b4_0821,
    0xf61e_2562,
    0xc040_b340,
    0x265e_5a51,
    0xe9b6_c7aa,
    0xd62f_105d,
    0x0244_1453,
    0xd8a1_e681,
    0xe7d3_fbc8,
    0x21e1_cde6,
    0xc337_07d6,
    0xf4d5_0d87,
    0x455a_14ed,
    0xa9e3_e905,
    0xfcef_a3f8,
    0x676f_02d9,
    0x8d2a_4c8a,
    0xfffa_3942,
    0x8771_f681,
    0x6d9d_6122,
    0xfde5_380c,
    0xa4be_ea44,
    0x4bde_cfa9,
    0xf6bb_4b60,
    0xbebf_bc70,
    0x289b_7ec6,
    0xeaa1_27fa,
    0xd4ef_3085,
    0x0488_1d05,
    0xd9d4_d039,
    0xe6db_99e5,
    0x1fa2_7cf8,
    0xc4ac_5665,
    0xf429_2244,
    0x432a_ff97,
    0xab94_23a7,
    0xfc93_a039,
    0x655b_59c3,
    0x8f0c_cc92,
    0xffef_f47d,
    0x8584_5dd1,
    0x6fa8_7e4f,
    0xfe2c_e6e0,
    0xa301_4314,
    0x4e08_11a1,
    0xf753_7e82,
    0xbd3a_f235,
    0x2ad7_d2bb,
    0xeb86_d391,
];

/// The digest in hexadecimal.
#[must_use]
pub fn md5_hex(bytes: &[u8]) -> String {
    let mut padded = Vec::from(bytes);
    padded.push(0x80);
    padded.resize((bytes.len() + 9).next_multiple_of(64) - 8, 0);
    padded.extend_from_slice(&(bytes.len() as u64 * 8).to_le_bytes());
    let mut state = [0x6745_2301_u32, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];
    padded.chunks_exact(64).for_each(|block| transform(&mut state, block));
    let digest = state.iter().flat_map(|word| word.to_le_bytes());
    digest.flat_map(|byte| [byte >> 4, byte & 0xF]).filter_map(|n| char::from_digit(n.into(), 16)).collect()
}

fn transform(state: &mut [u32; 4], block: &[u8]) {
    let word = |n: usize| u32::from_le_bytes([block[4 * n], block[4 * n + 1], block[4 * n + 2], block[4 * n + 3]]);
    let [mut a, mut b, mut c, mut d] = *state;
    for n in 0..64 {
        let (mixed, at) = match n / 16 {
            0 => (b & c | !b & d, n),
            1 => (d & b | !d & c, (5 * n + 1) % 16),
            2 => (b ^ c ^ d, (3 * n + 5) % 16),
            _ => (c ^ (b | !d), 7 * n % 16),
        };
        let sum = a.wrapping_add(mixed).wrapping_add(SINES[n]).wrapping_add(word(at));
        (a, d, c) = (d, c, b);
        b = b.wrapping_add(sum.rotate_left(SHIFTS[n / 16][n % 4]));
    }
    for (old, new) in state.iter_mut().zip([a, b, c, d]) {
        *old = old.wrapping_add(new);
    }
}

#[cfg(test)]
mod tests {
    use super::md5_hex;

    /// `select md5(…)`
    #[test]
    fn digests() {
        assert_eq!(md5_hex(b""), "d41d8cd98f00b204e9800998ecf8427e");
        assert_eq!(md5_hex(b"abc"), "900150983cd24fb0d6963f7d28e17f72");
        assert_eq!(md5_hex(&[b'x'; 56]), "668a72d5ba17f08e62dabcafad6db14b");
        assert_eq!(md5_hex(&[b'x'; 64]), "c1bb4f81d892b2d57947682aeb252456");
    }
}
