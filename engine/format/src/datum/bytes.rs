//! The bytes of a value of variable length, without its varlena header.
//!
//! ```text
//!  'ann'         │ Few, 3, a n n             │    in the value itself: to copy it asks nobody
//!  a long text   │ Many ──▶ count │ a l o n… │    copies share them
//! ```

use alloc::vec::Vec;
use core::fmt;
use core::ops::Deref;
use triomphe::ThinArc;

/// As many as there is room for beside the length.
const FEW: usize = 14;

/// Bytes of any length, cheap to clone.
#[derive(Clone)]
pub struct Bytes(Repr);

#[derive(Clone)]
enum Repr {
    Few { len: u8, bytes: [u8; FEW] },
    Many(ThinArc<(), u8>),
}

impl Bytes {
    /// So many are copied into memory of their own, where that is there, rather than shared.
    pub const COPIED: usize = 256;

    /// Becomes these bytes; as many as there were take their memory, where that is nobody else's.
    #[inline]
    pub fn replace(&mut self, bytes: &[u8]) {
        if !self.write(bytes) {
            *self = bytes.into();
        }
    }

    /// Becomes the other.
    #[inline]
    pub fn copy(&mut self, other: &Self) {
        if other.len() > Self::COPIED || !self.write(other) {
            *self = other.clone();
        }
    }

    /// Writes as many bytes as there are in their place. Is that possible?
    fn write(&mut self, bytes: &[u8]) -> bool {
        match &mut self.0 {
            Repr::Many(memory) if memory.slice.len() == bytes.len() => memory.with_arc_mut(|memory| {
                let place = triomphe::Arc::get_mut(memory);
                place.map(|memory| memory.slice_mut().copy_from_slice(bytes)).is_some()
            }),
            _ => false,
        }
    }
}

impl From<&[u8]> for Bytes {
    #[inline]
    fn from(from: &[u8]) -> Self {
        let mut bytes = [0; FEW];
        Self(match bytes.get_mut(..from.len()) {
            Some(place) => {
                place.copy_from_slice(from);
                Repr::Few { len: from.len() as u8, bytes }
            }
            None => Repr::Many(ThinArc::from_header_and_slice((), from)),
        })
    }
}

impl From<Vec<u8>> for Bytes {
    fn from(from: Vec<u8>) -> Self {
        from.as_slice().into()
    }
}

impl<const N: usize> From<[u8; N]> for Bytes {
    fn from(from: [u8; N]) -> Self {
        from.as_slice().into()
    }
}

impl Deref for Bytes {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        match &self.0 {
            Repr::Few { len, bytes } => bytes.get(..usize::from(*len)).unwrap_or(bytes),
            Repr::Many(bytes) => &bytes.slice,
        }
    }
}

impl PartialEq for Bytes {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    #[test]
    fn bytes_are_what_they_were_made_of_however_many() {
        for len in 0..40_u8 {
            let (made, other): (Vec<u8>, Vec<u8>) = ((0..len).collect(), vec![7; 40 - usize::from(len)]);
            let mut bytes = Bytes::from(made.clone());
            let copy = bytes.clone();
            assert_eq!((&*bytes, &bytes), (&made[..], &copy));
            bytes.replace(&other);
            bytes.replace(&vec![8; other.len()]);
            let mut third = Bytes::from(other);
            third.copy(&bytes);
            assert_eq!((&*bytes, &third, &*copy), (&vec![8; third.len()][..], &bytes, &made[..]));
        }
    }

    #[test]
    fn a_value_is_no_larger_than_with_a_pointer() {
        assert_eq!((size_of::<Bytes>(), size_of::<super::super::Value>()), (16, 24));
    }
}
