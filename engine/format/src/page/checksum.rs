//! The page checksum: `pg_checksum_page` (src/include/storage/checksum_impl.h), an FNV-1a hash in 32 parallel sums.

use super::{BlockNumber, Page};

/// Parallel sums: the page is read as rows of that many 32-bit words.
const N_SUMS: usize = 32;
/// Bytes of a row; a page is a whole number of them.
const ROW: usize = N_SUMS * size_of::<u32>();
/// Where `pd_checksum` lies within the third word of the page.
const CHECKSUM_WORD: usize = 2;
const FNV_PRIME: u32 = 16_777_619;

/// `checksumBaseOffsets`: where each sum starts, chosen at random once.
const BASE_OFFSETS: [u32; N_SUMS] = [
    0x5B1F_36E9,
    0xB852_5960,
    0x02AB_50AA,
    0x1DE6_6D2A,
    0x79FF_467A,
    0x9BB9_F8A3,
    0x217E_7CD2,
    0x83E1_3D2C, //
    0xF8D4_474F,
    0xE39E_B970,
    0x42C6_AE16,
    0x9932_16FA,
    0x7B09_3B5D,
    0x98DA_FF3C,
    0xF718_902A,
    0x0B1C_9CDB, //
    0xE58F_764B,
    0x1876_36BC,
    0x5D7B_3BB1,
    0xE73D_E7DE,
    0x92BE_C979,
    0xCCA6_C0B2,
    0x304A_0979,
    0x85AA_43D4, //
    0x7831_25BB,
    0x6CA8_EAA2,
    0xE407_EAC6,
    0x4B5C_FC3E,
    0x9FBF_8C76,
    0x15CA_20BE,
    0xF2CA_9FD3,
    0x959B_D756, //
];

/// What a page's `pd_checksum` says of its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChecksumState {
    /// 0: checksums are off, or the page was not written out since it was made
    None,
    /// the bytes are those that were written out
    Correct,
    /// it should be that: the page was changed in memory since it was last written out, or is damaged
    Different(u16),
}

impl Page {
    /// The checksum these bytes should have as that block of their fork; never 0. `None` for a size no page can have.
    #[must_use]
    pub fn checksum(&self, block: BlockNumber) -> Option<u16> {
        if self.bytes().is_empty() || !self.bytes().len().is_multiple_of(ROW) {
            return None;
        }
        let mut sums = BASE_OFFSETS;
        let zeros = [0; N_SUMS];
        for (n, row) in self.bytes().chunks_exact(ROW).enumerate() {
            let mut words = zeros;
            for (word, bytes) in words.iter_mut().zip(row.chunks_exact(size_of::<u32>())) {
                *word = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
            }
            if n == 0 {
                words[CHECKSUM_WORD] &= 0xFFFF_0000;
            }
            mix(&mut sums, &words);
        }
        mix(&mut sums, &zeros);
        mix(&mut sums, &zeros);
        let folded = sums.iter().fold(0, |all, sum| all ^ sum) ^ block;
        Some((folded % 65_535 + 1) as u16)
    }

    /// Compares `pd_checksum` with the bytes.
    #[must_use]
    pub fn verify_checksum(&self, block: BlockNumber) -> ChecksumState {
        let stored = self.header().pd_checksum();
        match self.checksum(block) {
            _ if stored == 0 => ChecksumState::None,
            Some(right) if right != stored => ChecksumState::Different(right),
            _ => ChecksumState::Correct,
        }
    }
}

/// `CHECKSUM_COMP` for one row of words.
fn mix(sums: &mut [u32; N_SUMS], words: &[u32; N_SUMS]) {
    for (sum, word) in sums.iter_mut().zip(words) {
        let both = *sum ^ word;
        *sum = both.wrapping_mul(FNV_PRIME) ^ (both >> 17);
    }
}
