//! A full-page image: the page without its hole, compressed where that makes it shorter (`XLogRecordAssemble`,
//! `XLogCompressBackupBlock`, xloginsert.c).

use super::REGBUF_STANDARD;
use super::assemble::{Policy, Sink};
use alloc::vec::Vec;
use ffviz_format::page::PageHeaderData;
use ffviz_format::page::PgVersion;
use ffviz_format::page::layout::Wire;
use ffviz_format::wal::Compression;
use ffviz_format::wal::decode::BKPIMAGE_HAS_HOLE;

/// `BKPIMAGE_APPLY`, before 15 and from 15 on
const BKPIMAGE_APPLY: [u8; 2] = [0x04, 0x02];

/// What the header of an image says.
#[derive(Debug, Clone, Copy)]
pub(super) struct ImageHeader {
    /// bytes in the record
    length: u16,
    hole_offset: u16,
    /// 0: no hole
    hole_length: u16,
    bimg_info: u8,
    is_compressed: bool,
}

impl ImageHeader {
    /// `XLogRecordBlockImageHeader`, and `XLogRecordBlockCompressHeader` where the image is compressed and has a hole.
    pub fn write(self, record: &mut impl Sink) {
        let mut bytes = [0; 7];
        self.length.set(&mut bytes);
        self.hole_offset.set(&mut bytes[2..]);
        bytes[4] = self.bimg_info;
        self.hole_length.set(&mut bytes[5..]);
        let has_length = self.is_compressed && self.hole_length > 0;
        record.put(&bytes[..if has_length { 7 } else { 5 }]);
    }
}

/// The hole of a page: where, and how many bytes; none unless the page is of the standard layout and has free space.
fn hole(page: &[u8], flags: u8) -> (u16, u16) {
    let header = PageHeaderData::new(page);
    let (lower, upper) = (header.pd_lower(), header.pd_upper());
    let is_there = flags & REGBUF_STANDARD != 0
        && usize::from(lower) >= PageHeaderData::SIZE
        && upper > lower
        && usize::from(upper) <= page.len();
    if is_there { (lower, upper - lower) } else { (0, 0) }
}

/// Adds the image's bytes to `images` and says what its header is. `apply`: recovery is to restore it.
pub(super) fn add(images: &mut impl Sink, page: &[u8], flags: u8, apply: bool, policy: &Policy<'_>) -> ImageHeader {
    let (hole_offset, hole_length) = hole(page, flags);
    let parts = [&page[..usize::from(hole_offset)], &page[usize::from(hole_offset + hole_length)..]];
    let version = policy.settings.version;
    let mut bimg_info = if hole_length > 0 { BKPIMAGE_HAS_HOLE } else { 0 };
    if apply {
        bimg_info |= BKPIMAGE_APPLY[usize::from(version.has_image_methods())];
    }
    // the length of the hole, which a compressed image does not tell, has to be won back too
    let extra = if hole_length > 0 { u16::SIZE } else { 0 };
    let packed = policy.compression().and_then(|method| compress(method, &parts.concat()).map(|bytes| (method, bytes)));
    let packed = packed.filter(|(_, bytes)| bytes.len() + extra < parts[0].len() + parts[1].len());
    let start = images.len();
    match &packed {
        Some((method, bytes)) => {
            images.put(bytes);
            bimg_info |= method_bit(*method, version);
        }
        None => parts.iter().for_each(|part| images.put(part)),
    }
    let length = (images.len() - start) as u16;
    ImageHeader { length, hole_offset, hole_length, bimg_info, is_compressed: packed.is_some() }
}

/// `BKPIMAGE_IS_COMPRESSED` before 15, `BKPIMAGE_COMPRESS_…` from 15 on.
const fn method_bit(method: Compression, version: PgVersion) -> u8 {
    match method {
        _ if !version.has_image_methods() => 0x02,
        Compression::Pglz => 0x04,
        Compression::Lz4 => 0x08,
        Compression::Zstd => 0x10,
    }
}

/// The bytes made shorter; `None` where the method gives up, or this build lacks it. How short lz4 and zstd make
/// them depends on the library, also
/// between servers.
fn compress(method: Compression, bytes: &[u8]) -> Option<Vec<u8>> {
    match method {
        Compression::Pglz => ffviz_format::datum::pglz::compress(bytes),
        #[cfg(feature = "native")]
        Compression::Lz4 => Some(lz4_flex::block::compress(bytes)),
        #[cfg(feature = "native")]
        Compression::Zstd => {
            Some(ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest))
        }
        #[cfg(not(feature = "native"))]
        Compression::Lz4 | Compression::Zstd => None,
    }
}
