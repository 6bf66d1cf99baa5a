//! A record's bytes from its parts (`XLogRecordAssemble`, src/backend/access/transam/xloginsert.c), each where it
//! stands in the real one.
//!
//! ```text
//!  24 header ┼ block headers ┼ (origin) (top-level xid) ┼ main header ┼ image 0 ┼ data 0 ┼ … ┼ main data
//!  └───────────────────────── xl_tot_len is told: what is left over is data that is not told ─────────────┘
//! ```

use super::main_data::Main;
use super::{Data, Told, ToldBlock, ToldImage};
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::Range;
use ffviz_format::page::layout::Wire;
use ffviz_format::page::{BLCKSZ, Page, PgVersion};
use ffviz_format::wal::XLR_SPECIAL_REL_UPDATE;
use ffviz_format::wal::record_type::BtreeType;
use ffviz_format::wal::{Compression, Rebuilt, Record, RecordType, Rmgr, XLR_CHECK_CONSISTENCY, XLogRecord, crc32c};

/// Where `xl_info` and `xl_crc` are.
const INFO: Range<u32> = 16..17;
const CRC: Range<u32> = 20..24;
/// The headers of a replication origin and of a top-level transaction.
const ORIGIN: u32 = 3;
const TOPLEVEL_XID: u32 = 5;

/// The record of these parts.
pub(super) fn record(told: &Told, version: PgVersion, main: &Main) -> Result<Record, String> {
    let mut sizes = Sizes::of(told)?;
    let mut maker = Maker { bytes: Vec::new(), untold: Vec::new() };
    if main.description.is_some() && told.rmgr() == Rmgr::TRANSACTION {
        // whether there is more than the time
        maker.untold.push(INFO);
    }
    let info = info(told, version, main)?;
    maker.put(&XLogRecord::make(told.length, told.xid, told.prev.0, info, told.rmgr().0, 0));
    for (n, block) in told.blocks.iter().enumerate() {
        let before = n.checked_sub(1).and_then(|n| told.blocks.get(n));
        let at = maker.bytes.len() as u32;
        maker.block_header(block, before, will_init(told, told.record_type(version), block.id), sizes.data[n])?;
        if sizes.is_mixed && block.data == Data::Untold {
            maker.untold.push(at + 1..at + 4);
        }
    }
    maker.short_headers(&sizes, told.main_data_length, main.origin);
    let mut restored = Vec::new();
    for (block, length) in told.blocks.iter().zip(sizes.data.drain(..)) {
        if let Some(image) = &block.image {
            restored.extend(maker.image(image).map(|page| (block.id, page)));
        }
        match &block.data {
            Data::Bytes(bytes) => maker.bytes.extend_from_slice(bytes),
            Data::Length(_) | Data::Untold => maker.skip(length),
        }
    }
    maker.main_data(main, told.main_data_length);
    if maker.bytes.len() != told.length as usize {
        return Err(format!("its parts have {} bytes, the record {}", maker.bytes.len(), told.length));
    }
    Ok(maker.finish(told, main, restored))
}

/// `xl_info`: type, and what it says of the record besides.
fn info(told: &Told, version: PgVersion, main: &Main) -> Result<u8, String> {
    let rmgr = told.rmgr();
    let kind = (0..16).map(|high: u8| high << 4).find(|info| rmgr.type_name(*info, version) == told.kind);
    let kind = kind.ok_or_else(|| format!("no type of {} is called {}", told.rmgr, told.kind))?;
    let checks = told.blocks.iter().filter_map(|block| block.image.as_ref()).any(|image| !image.apply);
    // files of a whole database
    let is_special = rmgr == Rmgr::DBASE && told.kind != "CREATE_WAL_LOG";
    let special = if is_special { XLR_SPECIAL_REL_UPDATE } else { 0 };
    Ok(kind | main.info | special | if checks { XLR_CHECK_CONSISTENCY } else { 0 })
}

/// `BKPBLOCK_WILL_INIT` is not told, but follows from the type: these block references are of pages that redo makes
/// anew. `None` for access methods that are not replayed.
fn will_init(told: &Told, of: RecordType, id: u8) -> Option<bool> {
    Some(match (of, id) {
        (RecordType::Heap(_) | RecordType::Heap2(_), 0) => told.kind.ends_with("+INIT"),
        (RecordType::Btree(of), _) => matches!(
            (of, id),
            (BtreeType::SplitL | BtreeType::SplitR, 1)
                | (BtreeType::InsertMeta | BtreeType::Newroot, 2)
                | (
                    BtreeType::Newroot
                        | BtreeType::UnlinkPage
                        | BtreeType::UnlinkPageMeta
                        | BtreeType::MarkPageHalfdead
                        | BtreeType::MetaCleanup,
                    0
                )
                | (BtreeType::UnlinkPage | BtreeType::UnlinkPageMeta, 3)
                | (BtreeType::UnlinkPageMeta, 4)
        ),
        (RecordType::Seq(_), 0) => true,
        (RecordType::Heap(_) | RecordType::Heap2(_) | RecordType::Seq(_) | RecordType::Xlog(_), _) => false,
        _ => return None,
    })
}

/// How many bytes the parts have whose length is not told.
struct Sizes {
    /// of the data of each block reference
    data: Vec<u32>,
    /// it is not told how much of the data belongs to which of them
    is_mixed: bool,
    has_origin: bool,
    has_toplevel_xid: bool,
}

impl Sizes {
    /// What is left of the record's length is block data that is not told, on 15 maybe with origin and top-level
    /// transaction; where all data is told, it is these two.
    fn of(told: &Told) -> Result<Self, String> {
        let main = [told.main_data_length, main_header_size(told.main_data_length)];
        let blocks = told.blocks.iter().enumerate().flat_map(|(n, block)| {
            let image = block.image.as_ref().map_or(0, |image| u32::from(image.length()));
            [header_size(told, n, block), image, data_length(&block.data).unwrap_or(0)]
        });
        let parts = blocks.chain(main).fold(XLogRecord::SIZE as u32, u32::saturating_add);
        let left = told
            .length
            .checked_sub(parts)
            .ok_or_else(|| format!("{parts} bytes are told of, the record has {}", told.length))?;
        let untold = |block: &&ToldBlock| block.data == Data::Untold;
        // an image mostly stands for the data
        let place = told
            .blocks
            .iter()
            .filter(untold)
            .find(|block| block.image.is_none())
            .or_else(|| told.blocks.iter().find(untold));
        let of = |block: &ToldBlock| {
            data_length(&block.data).unwrap_or(if place.is_some_and(|place| place.id == block.id) { left } else { 0 })
        };
        let data = told.blocks.iter().map(of).collect();
        let (has_origin, has_toplevel_xid) = match (place, left) {
            (Some(_), _) | (None, 0) => (false, false),
            (None, ORIGIN) => (true, false),
            (None, TOPLEVEL_XID) => (false, true),
            (None, left) if left == ORIGIN + TOPLEVEL_XID => (true, true),
            _ => return Err(format!("{left} bytes more than are told of")),
        };
        let is_mixed = left > 0 && told.blocks.iter().filter(untold).count() > 1;
        Ok(Self { data, is_mixed, has_origin, has_toplevel_xid })
    }
}

fn data_length(data: &Data) -> Option<u32> {
    match data {
        Data::Untold => None,
        Data::Length(length) => Some(*length),
        Data::Bytes(bytes) => Some(bytes.len() as u32),
    }
}

/// Bytes of a block reference's header.
fn header_size(told: &Told, n: usize, block: &ToldBlock) -> u32 {
    let before = n.checked_sub(1).and_then(|n| told.blocks.get(n));
    let locator = if is_same_rel(block, before) { 0 } else { 12 };
    let image = block.image.as_ref().map_or(0, |image| if has_hole_length(image) { 7 } else { 5 });
    8 + locator + image
}

fn is_same_rel(block: &ToldBlock, before: Option<&ToldBlock>) -> bool {
    before.is_some_and(|before| before.tag.locator == block.tag.locator)
}

/// Of a compressed image the hole's length cannot be told from the image's.
const fn has_hole_length(image: &ToldImage) -> bool {
    image.compressed.is_some() && image.hole_length > 0
}

const fn main_header_size(length: u32) -> u32 {
    match length {
        0 => 0,
        1..=255 => 2,
        _ => 5,
    }
}

/// Bytes in the making.
struct Maker {
    bytes: Vec<u8>,
    untold: Vec<Range<u32>>,
}

impl Maker {
    fn put<T: Wire>(&mut self, value: &T) {
        let at = self.bytes.len();
        self.bytes.resize(at + T::SIZE, 0);
        value.set(&mut self.bytes[at..]);
    }

    /// Bytes that nobody told.
    fn skip(&mut self, length: u32) {
        let at = self.bytes.len() as u32;
        if length > 0 {
            self.untold.push(at..at + length);
        }
        self.bytes.resize((at + length) as usize, 0);
    }

    /// `XLogRecordBlockHeader` and what follows it.
    fn block_header(
        &mut self,
        block: &ToldBlock,
        before: Option<&ToldBlock>,
        will_init: Option<bool>,
        data: u32,
    ) -> Result<(), String> {
        let data = u16::try_from(data).map_err(|_| format!("{data} bytes of data for block reference {}", block.id))?;
        let same_rel = is_same_rel(block, before);
        let bit = |is: bool, bit: u8| if is { bit } else { 0 };
        let flags = block.tag.fork as u8
            | bit(block.image.is_some(), 0x10)
            | bit(data > 0, 0x20)
            | bit(will_init == Some(true), 0x40)
            | bit(same_rel, 0x80);
        if will_init.is_none() {
            let at = self.bytes.len() as u32 + 1;
            self.untold.push(at..at + 1);
        }
        self.bytes.extend([block.id, flags]);
        self.put(&data);
        if let Some(image) = &block.image {
            self.put(&image.length());
            self.put(&image.hole_offset);
            self.put(&bimg_info(image));
            if has_hole_length(image) {
                self.put(&image.hole_length);
            }
        }
        if !same_rel {
            self.put(&block.tag.locator);
        }
        self.put(&block.tag.block);
        Ok(())
    }

    /// Origin, top-level transaction, and how long main data is.
    fn short_headers(&mut self, sizes: &Sizes, main: u32, origin: Option<u16>) {
        if sizes.has_origin {
            self.put(&253_u8);
            match origin {
                Some(origin) => self.put(&origin),
                None => self.skip(2),
            }
        }
        if sizes.has_toplevel_xid {
            self.put(&252_u8);
            self.skip(4);
        }
        match main_header_size(main) {
            0 => {}
            2 => self.bytes.extend([255, main as u8]),
            _ => {
                self.put(&254_u8);
                self.put(&main);
            }
        }
    }

    /// The bytes of an image, or, where they are compressed, the page that stands in for them.
    fn image(&mut self, image: &ToldImage) -> Option<Page> {
        let (start, end) =
            (usize::from(image.hole_offset), usize::from(image.hole_offset) + usize::from(image.hole_length));
        match &image.page {
            Some(page) if image.compressed.is_none() && page.bytes().len() == usize::from(BLCKSZ) => {
                self.bytes.extend_from_slice(&page.bytes()[..start.min(page.bytes().len())]);
                self.bytes.extend_from_slice(page.bytes().get(end..).unwrap_or(&[]));
                None
            }
            page => {
                self.skip(image.length().into());
                page.clone()
            }
        }
    }

    fn main_data(&mut self, main: &Main, length: u32) {
        if main.bytes.is_empty() {
            return self.skip(length);
        }
        let at = self.bytes.len() as u32;
        self.untold.extend(main.untold.iter().map(|range| at + range.start as u32..at + range.end as u32));
        self.bytes.extend_from_slice(&main.bytes);
    }

    /// With its CRC: that of the server, where nothing is missing.
    fn finish(mut self, told: &Told, main: &Main, restored: Vec<(u8, Page)>) -> Record {
        let crc = crc32c(&[&self.bytes[XLogRecord::SIZE..], &self.bytes[..CRC.start as usize]]);
        XLogRecord::edit(&mut self.bytes).xl_crc(crc);
        if !self.untold.is_empty() {
            self.untold.push(CRC);
            self.untold.sort_unstable_by_key(|untold| untold.start);
        }
        let rebuilt =
            Rebuilt { untold: self.untold, lacks_main_data: main.lacks, description: main.description.clone() };
        Record {
            start: told.start,
            end: told.end,
            bytes: Arc::from(self.bytes),
            restored,
            rebuilt: Some(Arc::new(rebuilt)),
        }
    }
}

/// `bimg_info` of 15 and later.
fn bimg_info(image: &ToldImage) -> u8 {
    let method = match image.compressed.map(|(method, _)| method) {
        None => 0,
        Some(Compression::Pglz) => 4,
        Some(Compression::Lz4) => 8,
        Some(Compression::Zstd) => 0x10,
    };
    u8::from(image.hole_length > 0) | if image.apply { 2 } else { 0 } | method
}
