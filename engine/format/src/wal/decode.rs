//! A record taken apart (`DecodeXLogRecord`, src/backend/access/transam/xlogreader.c).
//!
//! ```text
//!  XLogRecord ┼ block header 0 ┼ block header 1 … ┼ main header ┼ image 0 ┼ data 0 ┼ image 1 ┼ data 1 … ┼ main data
//!  24 bytes     id, fork and flags, lengths,         0xFF + u8 or
//!               image header, locator, block         0xFE + u32
//! ```

use super::header::XLR_CHECK_CONSISTENCY;
use super::{
    BlockImage, BlockTag, Blocks, Compression, Record, RecordRef, RecordType, RelFileLocator, Rmgr, XLogRecord,
};
use crate::page::layout::Wire;
use crate::page::{BLCKSZ, ForkNumber, Page, PgVersion, TransactionId};
use alloc::format;
use alloc::string::String;
use core::ops::Range;

/// A record taken apart; everything borrows the record's bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecodedRecord<'a> {
    /// the record
    pub record: RecordRef<'a>,
    /// version of the server that wrote it
    pub version: PgVersion,
    /// block references in ascending order of their ids
    pub blocks: Blocks<'a>,
    /// replication origin, where there is one
    pub origin: Option<u16>,
    /// top-level transaction, in the first record of a subtransaction with `wal_level` logical, from 14 on
    pub toplevel_xid: Option<TransactionId>,
    /// what the resource manager wrote besides blocks
    pub main_data: &'a [u8],
    /// where the block headers and the other short headers end and images and data begin, in bytes from the record's
    /// start
    pub headers_end: u32,
}

/// A block reference (`DecodedBkpBlock`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockRef<'a> {
    /// its number within the record
    pub id: u8,
    /// which page
    pub tag: BlockTag,
    /// `BKPBLOCK_WILL_INIT`: recovery makes the page anew
    pub will_init: bool,
    /// `BKPBLOCK_SAME_REL`: the locator of the reference before was not repeated, which saves 12 bytes
    pub same_rel: bool,
    /// its full-page image
    pub image: Option<BlockImage<'a>>,
    /// what is to be done to the page
    pub data: &'a [u8],
    /// does it have data, be it of no bytes?
    pub has_data: bool,
    /// where its header is in the record
    pub header: Range<u32>,
    /// where its image is
    pub image_at: Range<u32>,
    /// where its data is
    pub data_at: Range<u32>,
}

impl Record {
    /// Takes it apart, as a server of that version does.
    ///
    /// # Errors
    /// A sentence, where lengths and headers do not fit together.
    #[inline]
    pub fn decode(&self, version: PgVersion) -> Result<DecodedRecord<'_>, String> {
        self.lend().decode(version)
    }
}

impl<'a> RecordRef<'a> {
    /// Takes it apart, as a server of that version does.
    ///
    /// # Errors
    /// A sentence, where lengths and headers do not fit together.
    #[inline]
    pub fn decode(self, version: PgVersion) -> Result<DecodedRecord<'a>, String> {
        let mut decoded = DecodedRecord::blank(self, version);
        Decoder::new(self.bytes, version).read(&mut decoded)?;
        Ok(decoded)
    }

    /// The same for who looks at the parts and forgets them: they stay where they were written, since to move some
    /// hundred bytes takes as long as to fill them.
    ///
    /// # Errors
    /// A sentence, where lengths and headers do not fit together.
    #[inline]
    pub fn decoded<T>(self, version: PgVersion, look: impl FnOnce(&DecodedRecord<'a>) -> T) -> Result<T, String> {
        let mut decoded = DecodedRecord::blank(self, version);
        Decoder::new(self.bytes, version).read(&mut decoded)?;
        Ok(look(&decoded))
    }
}

impl<'a> DecodedRecord<'a> {
    /// Nothing of it is known yet.
    #[inline]
    const fn blank(record: RecordRef<'a>, version: PgVersion) -> Self {
        Self { record, version, blocks: Blocks::NONE, origin: None, toplevel_xid: None, main_data: &[], headers_end: 0 }
    }
}

impl DecodedRecord<'_> {
    /// Which resource manager.
    #[must_use]
    pub fn rmgr(&self) -> Rmgr {
        Rmgr(self.record.header().xl_rmid())
    }

    /// `xl_info`
    #[must_use]
    pub fn info(&self) -> u8 {
        self.record.header().xl_info()
    }

    /// Which type of record.
    #[must_use]
    #[inline]
    pub fn record_type(&self) -> RecordType {
        self.record.record_type(self.version)
    }

    /// Major version of the server that wrote it.
    #[must_use]
    #[inline]
    pub const fn major(&self) -> u32 {
        self.version.major()
    }

    /// `xl_xid`
    #[must_use]
    pub fn xid(&self) -> TransactionId {
        self.record.header().xl_xid()
    }

    /// `xl_tot_len`
    #[must_use]
    pub fn tot_len(&self) -> u32 {
        self.record.header().xl_tot_len()
    }

    /// Does it carry images only to check consistency (`wal_consistency_checking`)?
    #[must_use]
    pub fn checks_consistency(&self) -> bool {
        self.info() & XLR_CHECK_CONSISTENCY != 0
    }

    /// Name of its type, as `pg_waldump` prints it: `HOT_UPDATE`, `INSERT+INIT`.
    #[must_use]
    pub fn type_name(&self) -> String {
        self.rmgr().type_name(self.info(), self.version)
    }

    /// Bytes of its full-page images.
    #[must_use]
    pub fn fpi_len(&self) -> u32 {
        self.blocks.iter().filter_map(|block| block.image).map(|image| image.bytes.len() as u32).sum()
    }

    /// The block reference of that id.
    #[must_use]
    pub fn block(&self, id: u8) -> Option<&BlockRef<'_>> {
        self.blocks.iter().find(|block| block.id == id)
    }

    /// Is too little told of the record to say what it does to the page of a block reference?
    #[must_use]
    pub fn lacks(&self, block: &BlockRef<'_>) -> bool {
        let Some(rebuilt) = &self.record.rebuilt else { return false };
        match block.image {
            Some(image) if image.apply => {
                !self.record.is_told(&block.image_at) && !self.record.restored.iter().any(|(id, _)| *id == block.id)
            }
            _ => {
                let data_length = block.header.start + 2..block.header.start + 4;
                rebuilt.lacks_main_data || !self.record.is_told(&data_length) || !self.record.is_told(&block.data_at)
            }
        }
    }

    /// The page of a full-page image.
    ///
    /// # Errors
    /// A sentence, where the block reference has none or it is damaged.
    pub fn restore(&self, block: &BlockRef<'_>, page_size: u16) -> Result<Page, String> {
        match (&block.image, self.record.restored.iter().find(|(id, _)| *id == block.id)) {
            (Some(_), Some((_, page))) => Ok(page.clone()),
            (Some(image), None) => image.restore(page_size),
            (None, _) => Err(format!("block reference {} has no image", block.id)),
        }
    }
}

/// Marks main data whose length is one byte; like the following it stands where a block number would.
pub const XLR_BLOCK_ID_DATA_SHORT: u8 = 255;
/// Marks main data whose length is four bytes.
pub const XLR_BLOCK_ID_DATA_LONG: u8 = 254;
/// Marks a replication origin.
pub const XLR_BLOCK_ID_ORIGIN: u8 = 253;
/// Marks the top-level transaction id.
pub const XLR_BLOCK_ID_TOPLEVEL_XID: u8 = 252;
/// `XLR_MAX_BLOCK_ID`
const XLR_MAX_BLOCK_ID: u8 = 32;

/// flags beside the fork's number
const BKPBLOCK_FORK_MASK: u8 = 0x0F;
/// `BKPBLOCK_HAS_IMAGE`: a full-page image
pub const BKPBLOCK_HAS_IMAGE: u8 = 0x10;
/// `BKPBLOCK_HAS_DATA`: data of the block
pub const BKPBLOCK_HAS_DATA: u8 = 0x20;
/// `BKPBLOCK_WILL_INIT`: redo makes the page anew
pub const BKPBLOCK_WILL_INIT: u8 = 0x40;
/// `BKPBLOCK_SAME_REL`: no locator, since it is that of the block before
pub const BKPBLOCK_SAME_REL: u8 = 0x80;
/// `BKPIMAGE_HAS_HOLE`, the same in all versions
pub const BKPIMAGE_HAS_HOLE: u8 = 1;

/// Reads the short headers one after the other.
struct Decoder<'a> {
    /// length of the record
    length: usize,
    /// what is still to be read
    rest: &'a [u8],
    version: PgVersion,
    /// length of the main data, as its header announces it
    main: usize,
    /// bytes of all images and block data that were announced
    parts: usize,
}

impl<'a> Decoder<'a> {
    #[inline]
    fn new(bytes: &'a [u8], version: PgVersion) -> Self {
        Self { length: bytes.len(), rest: bytes.get(XLogRecord::SIZE..).unwrap_or(&[]), version, main: 0, parts: 0 }
    }

    #[inline(never)]
    fn read(mut self, decoded: &mut DecodedRecord<'a>) -> Result<(), String> {
        let tot_len = decoded.record.header().xl_tot_len();
        if self.length < XLogRecord::SIZE || self.length != tot_len as usize {
            return Err(format!("xl_tot_len is {tot_len}, the record has {} bytes", self.length));
        }
        while self.rest.len() > self.announced() {
            match self.take::<u8>()? {
                id @ ..=XLR_MAX_BLOCK_ID => self.block(id, &mut decoded.blocks)?,
                XLR_BLOCK_ID_DATA_SHORT => self.main = usize::from(self.take::<u8>()?),
                XLR_BLOCK_ID_DATA_LONG => self.main = self.take::<u32>()? as usize,
                XLR_BLOCK_ID_ORIGIN => decoded.origin = Some(self.take()?),
                XLR_BLOCK_ID_TOPLEVEL_XID => decoded.toplevel_xid = Some(self.take()?),
                id => return Err(out_of_order(id)),
            }
            if self.rest.len() < self.announced() {
                return Err(format!("its parts have {} bytes, {} are left", self.announced(), self.rest.len()));
            }
        }
        decoded.headers_end = self.at();
        self.hand_out(decoded);
        Ok(())
    }

    /// Bytes of everything that was announced: main data, images, block data.
    #[inline]
    const fn announced(&self) -> usize {
        self.main.saturating_add(self.parts)
    }

    /// Where the rest begins, in bytes from the record's start.
    #[inline]
    const fn at(&self) -> u32 {
        (self.length - self.rest.len()) as u32
    }

    /// The next bytes: one comparison for all of them.
    #[inline]
    fn chunk<const N: usize>(&mut self) -> Result<&'a [u8; N], &'static str> {
        let (chunk, rest) = self.rest.split_first_chunk().ok_or("a header is cut off at the record's end")?;
        self.rest = rest;
        Ok(chunk)
    }

    /// Reads a value.
    #[inline]
    fn take<T: Wire>(&mut self) -> Result<T, &'static str> {
        let (bytes, rest) = self.rest.split_at_checked(T::SIZE).ok_or("a header is cut off at the record's end")?;
        self.rest = rest;
        Ok(T::get(bytes))
    }

    #[inline]
    fn block(&mut self, id: u8, blocks: &mut Blocks<'a>) -> Result<(), String> {
        let start = self.at() - 1;
        if blocks.last().is_some_and(|last| last.id >= id) {
            return Err(out_of_order(id));
        }
        let &[flags, low, high] = self.chunk()?;
        let data_length = u16::from_le_bytes([low, high]);
        let has_data = flags & BKPBLOCK_HAS_DATA != 0;
        if has_data != (data_length > 0) {
            return Err(format!(
                "block {id}: BKPBLOCK_HAS_DATA and a data length of {data_length} do not fit together"
            ));
        }
        let image = if flags & BKPBLOCK_HAS_IMAGE != 0 { Some(self.image(id)?) } else { None };
        let tag = self.tag(flags, blocks)?;
        let image_length = image.map_or(0, |(_, length)| u32::from(length));
        self.parts += image_length as usize + usize::from(data_length);
        let header = start..self.at();
        let block = blocks.add();
        block.id = id;
        block.tag = tag;
        block.will_init = flags & BKPBLOCK_WILL_INIT != 0;
        block.same_rel = flags & BKPBLOCK_SAME_REL != 0;
        block.image = image.map(|(image, _)| image);
        block.has_data = has_data;
        block.header = header;
        // only how long they are, until all headers are read
        block.image_at = 0..image_length;
        block.data_at = 0..u32::from(data_length);
        Ok(())
    }

    /// Which page: its relation may be that of the reference before.
    #[inline]
    fn tag(&mut self, flags: u8, blocks: &Blocks<'a>) -> Result<BlockTag, &'static str> {
        let fork = ForkNumber::of_number(flags & BKPBLOCK_FORK_MASK).ok_or("a fork that does not exist")?;
        if flags & BKPBLOCK_SAME_REL != 0 {
            let before = blocks.last().ok_or("BKPBLOCK_SAME_REL without a reference before it")?;
            return Ok(BlockTag { locator: before.tag.locator, fork, block: self.take()? });
        }
        let bytes = self.chunk::<16>()?;
        let (locator, block) = bytes.split_at(RelFileLocator::SIZE);
        Ok(BlockTag { locator: RelFileLocator::get(locator), fork, block: u32::get(block) })
    }

    /// The header of an image, and the image's length in the record.
    fn image(&mut self, id: u8) -> Result<(BlockImage<'a>, u16), String> {
        let (length, hole_offset, bimg_info): (u16, u16, u8) = (self.take()?, self.take()?, self.take()?);
        let (apply, compression) = image_flags(bimg_info, self.version);
        let has_hole = bimg_info & BKPIMAGE_HAS_HOLE != 0;
        let hole_length = match (has_hole, compression) {
            (false, _) => 0,
            (true, Some(_)) => self.take()?,
            (true, None) => BLCKSZ.checked_sub(length).ok_or("an image is longer than a page")?,
        };
        if length > BLCKSZ || (has_hole && (hole_length == 0 || hole_offset.saturating_add(hole_length) > BLCKSZ)) {
            return Err(format!("block {id}: image of {length} bytes, hole of {hole_length} at {hole_offset}"));
        }
        let image = BlockImage { bytes: &[], hole_offset, hole_length, bimg_info, compression, apply };
        Ok((image, length))
    }

    /// Gives each part its bytes.
    #[inline]
    fn hand_out(mut self, decoded: &mut DecodedRecord<'a>) {
        for block in &mut decoded.blocks {
            let bytes;
            (block.image_at, bytes) = self.cut(block.image_at.end as usize);
            if let Some(image) = &mut block.image {
                image.bytes = bytes;
            }
            (block.data_at, block.data) = self.cut(block.data_at.end as usize);
        }
        (_, decoded.main_data) = self.cut(self.main);
    }

    #[inline]
    fn cut(&mut self, length: usize) -> (Range<u32>, &'a [u8]) {
        let start = self.at();
        let (part, rest) = self.rest.split_at_checked(length).unwrap_or((self.rest, &[]));
        self.rest = rest;
        (start..start + part.len() as u32, part)
    }
}

fn out_of_order(id: u8) -> String {
    format!("block id {id} is out of order")
}

/// `BKPIMAGE_APPLY` and the method of compression; the bits changed with 15.
const fn image_flags(bimg_info: u8, version: PgVersion) -> (bool, Option<Compression>) {
    if !version.has_image_methods() {
        return (bimg_info & 4 != 0, if bimg_info & 2 != 0 { Some(Compression::Pglz) } else { None });
    }
    let method = if bimg_info & 4 != 0 {
        Some(Compression::Pglz)
    } else if bimg_info & 8 != 0 {
        Some(Compression::Lz4)
    } else if bimg_info & 0x10 != 0 {
        Some(Compression::Zstd)
    } else {
        None
    };
    (bimg_info & 2 != 0, method)
}
