//! Values that are not stored plainly: TOAST pointers and compressed values (src/include/varatt.h).
//!
//! ```text
//! TOAST pointer:  0x01 0x12 ┤ va_rawsize ┼ va_extinfo ┼ va_valueid ┼ va_toastrelid ┤
//! compressed:     va_header ┤ va_tcinfo ┼ compressed bytes …
//! ```

use crate::page::Oid;
use crate::page::layout::c_struct;
use alloc::format;
use alloc::string::String;

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

/// The low 30 bits of a size word
const SIZE_MASK: u32 = 0x3FFF_FFFF;

/// The name of the method in the two high bits of a size word.
const fn method(word: u32) -> &'static str {
    match word >> 30 {
        0 => "pglz",
        1 => "lz4",
        _ => "unknown method",
    }
}

impl VarattExternal<'_> {
    /// In words: `TOAST pointer: 12000 bytes, stored 1996 compressed (pglz), value 16403 in relation 16390`.
    pub fn words(&self) -> String {
        let raw = self.va_rawsize().saturating_sub(4);
        let stored = self.va_extinfo() & SIZE_MASK;
        let how = if stored < raw {
            format!("stored {stored} compressed ({})", method(self.va_extinfo()))
        } else {
            "stored uncompressed".into()
        };
        format!("TOAST pointer: {raw} bytes, {how}, value {} in relation {}", self.va_valueid(), self.va_toastrelid())
    }
}

/// What `va_tcinfo` of a value compressed in line says: `compressed (pglz), 1200 of 4000 bytes`.
pub fn compressed_words(va_tcinfo: u32, stored: usize) -> String {
    format!("compressed ({}), {stored} of {} bytes", method(va_tcinfo), va_tcinfo & SIZE_MASK)
}
