//! Values that are not stored plainly: TOAST pointers and compressed values (src/include/varatt.h).
//!
//! ```text
//! TOAST pointer:  0x01 0x12 ┤ va_rawsize ┼ va_extinfo ┼ va_valueid ┼ va_toastrelid ┤
//! compressed:     va_header ┤ va_tcinfo ┼ compressed bytes …
//! ```

use super::Value;
use crate::page::Oid;
use crate::page::layout::c_struct;
use alloc::format;
use alloc::string::String;

/// `VARHDRSZ`: bytes of the header of a value of no fixed length
pub const VARHDRSZ: usize = 4;
/// `VARHDRSZ_COMPRESSED`: the same, with the length that it has uncompressed
pub const VARHDRSZ_COMPRESSED: usize = 8;

c_struct! {
    /// `varatt_external`: where an out-of-line value is.
    pub struct VarattExternal, 16 {
        /// size of the value before compression, with a header of 4 bytes
        0 => va_rawsize: u32,
        /// stored size in bytes; the two high bits are the compression method
        4 => va_extinfo: u32,
        /// `chunk_id` in the TOAST table
        8 => va_valueid: Oid,
        /// the TOAST table
        12 => va_toastrelid: Oid,
    }
}

/// A size in the low 30 bits, with the compression method in the two high ones: `va_extinfo`, `va_tcinfo`.
#[derive(Clone, Copy)]
pub struct Compression(pub u32);

impl Compression {
    /// The size in bytes: of `va_extinfo` the stored one, of `va_tcinfo` the one before compression.
    const fn size(self) -> u32 {
        self.0 & 0x3FFF_FFFF
    }

    const fn method(self) -> &'static str {
        match self.0 >> 30 {
            0 => "pglz",
            1 => "lz4",
            _ => "unknown method",
        }
    }

    /// Is the method pglz? (The only one before 14.)
    pub const fn is_pglz(self) -> bool {
        self.0 >> 30 == 0
    }

    /// Bytes before compression, of `va_tcinfo`.
    pub const fn rawsize(self) -> usize {
        self.size() as usize
    }

    /// What `va_tcinfo` says of a value compressed to that many bytes: `compressed (pglz), 1200 of 4000 bytes`.
    pub fn words(self, stored: usize) -> String {
        format!("compressed ({}), {stored} of {} bytes", self.method(), self.size())
    }
}

/// `toast_raw_datum_size`, less the header: bytes of a value of variable length when it is neither compressed nor out
/// of line.
#[must_use]
pub fn raw_size(value: &Value) -> usize {
    let Value::Stored(bytes) = value else { return value.bytes().map_or(0, |bytes| bytes.len()) };
    let word =
        |at: usize| bytes.get(at..at + 4).map_or(0, |word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
    match value.plain_bytes() {
        Some(plain) => plain.len(),
        None if bytes.first() == Some(&1) => word(2).saturating_sub(4) as usize,
        None => Compression(word(4)).rawsize(),
    }
}

/// `VARATT_EXTERNAL_GET_EXTSIZE`: bytes that the TOAST table has of a value that is out of line.
#[must_use]
pub fn external_size(stored: &[u8]) -> Option<usize> {
    const TAG: usize = 2;
    let pointer = stored.get(TAG..TAG + VarattExternal::SIZE)?;
    Some(Compression(VarattExternal::new(pointer).va_extinfo()).size() as usize)
}

/// `va_valueid` of a value that is out of line.
#[must_use]
pub fn value_id(stored: &[u8]) -> Option<Oid> {
    const TAG: usize = 2;
    let is_external = stored.first() == Some(&1);
    let pointer = stored.get(TAG..TAG + VarattExternal::SIZE).filter(|_| is_external)?;
    Some(VarattExternal::new(pointer).va_valueid())
}

/// `toast_get_compression_id`: how a value is compressed, where it is.
#[must_use]
pub fn compression_name(stored: &[u8]) -> Option<&'static str> {
    const TAG: usize = 2;
    if stored.first() == Some(&1) {
        let pointer = VarattExternal::new(stored.get(TAG..TAG + VarattExternal::SIZE)?);
        let info = Compression(pointer.va_extinfo());
        return (info.size() < pointer.va_rawsize().saturating_sub(4)).then(|| info.method());
    }
    let is_compressed = stored.first().is_some_and(|first| first & 3 == 2);
    let info = u32::from_le_bytes(stored.get(4..8)?.try_into().ok()?);
    is_compressed.then(|| Compression(info).method())
}

impl VarattExternal<'_> {
    /// In words: `TOAST pointer: 12000 bytes, stored 1996 compressed (pglz), value 16403 in relation 16390`.
    pub fn words(&self) -> String {
        let raw = self.va_rawsize().saturating_sub(4);
        let extinfo = Compression(self.va_extinfo());
        let how = if extinfo.size() < raw {
            format!("stored {} compressed ({})", extinfo.size(), extinfo.method())
        } else {
            "stored uncompressed".into()
        };
        format!("TOAST pointer: {raw} bytes, {how}, value {} in relation {}", self.va_valueid(), self.va_toastrelid())
    }
}
