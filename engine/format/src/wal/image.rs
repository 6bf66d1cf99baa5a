//! Full-page images: the page of a block reference, its hole filled with zeros again (`RestoreBlockImage`,
//! xlogreader.c).
//!
//! ```text
//!  in the record   ├ bytes before the hole ┼ bytes behind it ┤            maybe compressed
//!  the page        ├ bytes before the hole ┼ 0 0 0 … 0 ┼ bytes behind it ┤
//! ```

use crate::page::Page;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// How an image is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Compression {
    /// PostgreSQL's own
    Pglz,
    /// lz4, from 15 on
    Lz4,
    /// Zstandard, from 15 on
    Zstd,
}

impl Compression {
    /// Its name as `wal_compression` takes it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pglz => "pglz",
            Self::Lz4 => "lz4",
            Self::Zstd => "zstd",
        }
    }
}

/// A full-page image within a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockImage<'a> {
    /// the bytes in the record
    pub bytes: &'a [u8],
    /// `hole_offset`: where the hole begins on the page
    pub hole_offset: u16,
    /// bytes of the hole; 0: there is none
    pub hole_length: u16,
    /// `bimg_info`, whose bits differ by version
    pub bimg_info: u8,
    /// how it is compressed, if it is
    pub compression: Option<Compression>,
    /// `BKPIMAGE_APPLY`: recovery puts it in place; else it is there to check consistency
    pub apply: bool,
}

impl BlockImage<'_> {
    /// The page.
    ///
    /// # Errors
    /// A sentence, where the image is damaged or this build lacks the method of compression.
    pub fn restore(&self, page_size: u16) -> Result<Page, String> {
        let size = usize::from(page_size);
        let (offset, hole) = (usize::from(self.hole_offset), usize::from(self.hole_length));
        let wanted = size.checked_sub(hole).filter(|_| offset + hole <= size);
        let wanted = wanted.ok_or_else(|| format!("the hole of {hole} bytes at {offset} is not within the page"))?;
        let unpacked;
        let bytes = match self.compression {
            None => self.bytes,
            Some(method) => {
                unpacked = decompress(method, self.bytes, wanted)?;
                &unpacked
            }
        };
        if bytes.len() != wanted {
            return Err(format!("the image has {} bytes where {wanted} are needed", bytes.len()));
        }
        let (front, back) = bytes.split_at(offset.min(wanted));
        let mut page = Page::zero(page_size);
        page.bytes_mut()[..front.len()].copy_from_slice(front);
        page.bytes_mut()[front.len() + hole..].copy_from_slice(back);
        Ok(page)
    }
}

/// The bytes of an image as they were before compression; `wanted` of them.
fn decompress(method: Compression, bytes: &[u8], wanted: usize) -> Result<Vec<u8>, String> {
    let damaged = || format!("the image cannot be decompressed ({})", method.name());
    match method {
        Compression::Pglz => crate::datum::pglz::decompress(bytes, wanted).ok_or_else(damaged),
        #[cfg(feature = "native")]
        Compression::Lz4 => lz4_flex::block::decompress(bytes, wanted).map_err(|_| damaged()),
        #[cfg(feature = "native")]
        Compression::Zstd => zstd(bytes, wanted).ok_or_else(damaged),
        #[cfg(not(feature = "native"))]
        Compression::Lz4 | Compression::Zstd => Err(String::from("lz4 and zstd are left out of this build")),
    }
}

#[cfg(feature = "native")]
fn zstd(bytes: &[u8], wanted: usize) -> Option<Vec<u8>> {
    let mut page = Vec::with_capacity(wanted);
    ruzstd::decoding::FrameDecoder::new().decode_all_to_vec(bytes, &mut page).ok()?;
    Some(page)
}
