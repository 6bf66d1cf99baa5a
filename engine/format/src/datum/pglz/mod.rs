//! pglz: literals and references back, eight a control byte (src/common/pg_lzcompress.c).

mod compress;

use alloc::vec::Vec;
pub use compress::compress;

/// `pglz_decompress`: exactly `rawsize` bytes from all of `source`; `None` where it is damaged.
pub fn decompress(source: &[u8], rawsize: usize) -> Option<Vec<u8>> {
    let mut output = Vec::new();
    let mut bytes = source.iter().copied();
    while output.len() < rawsize {
        let control = bytes.next()?;
        for bit in 0..8 {
            if output.len() >= rawsize {
                break;
            }
            if control >> bit & 1 == 0 {
                output.push(bytes.next()?);
            } else {
                copy(&mut output, &mut bytes, rawsize)?;
            }
        }
    }
    bytes.next().is_none().then_some(output)
}

/// A reference: 4 bits of length − 3, 12 bits of distance; a length of 18 or more goes on in a third byte.
fn copy(output: &mut Vec<u8>, bytes: &mut impl Iterator<Item = u8>, rawsize: usize) -> Option<()> {
    let (first, second) = (usize::from(bytes.next()?), usize::from(bytes.next()?));
    let mut len = (first & 0x0F) + 3;
    if len == 18 {
        len += usize::from(bytes.next()?);
    }
    let distance = (first & 0xF0) << 4 | second;
    let start = output.len().checked_sub(distance).filter(|_| distance > 0)?;
    // what is copied may overlap what it makes
    for at in start..start + len.min(rawsize - output.len()) {
        output.push(output[at]);
    }
    Some(())
}
