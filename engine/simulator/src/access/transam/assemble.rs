//! A record's bytes (`XLogRecordAssemble`, src/backend/access/transam/xloginsert.c); `wal::decode` has the picture and
//! takes them apart.

use super::{
    Assembly, BackendWal, Block, REGBUF_FORCE_IMAGE, REGBUF_KEEP_DATA, REGBUF_NO_IMAGE, REGBUF_WILL_INIT, WalSettings,
    image,
};
use alloc::vec::Vec;
use core::borrow::Borrow;
use ffviz_format::page::layout::Wire;
use ffviz_format::page::{BlockNumber, Lsn, PageHeaderData};
use ffviz_format::wal::decode::{
    BKPBLOCK_HAS_DATA, BKPBLOCK_HAS_IMAGE, BKPBLOCK_SAME_REL, BKPBLOCK_WILL_INIT, XLR_BLOCK_ID_DATA_LONG,
    XLR_BLOCK_ID_DATA_SHORT, XLR_BLOCK_ID_ORIGIN, XLR_BLOCK_ID_TOPLEVEL_XID,
};
use ffviz_format::wal::record::CRC_AT;
use ffviz_format::wal::{Compression, RelFileLocator, XLR_CHECK_CONSISTENCY, XLogRecord, crc32c};

/// What decides which pages need an image.
#[derive(Debug, Clone, Copy)]
pub(super) struct Images {
    /// redo position of the last checkpoint that has begun
    pub redo_rec_ptr: Lsn,
    /// `full_page_writes`, or a base backup runs
    pub do_page_writes: bool,
}

impl Images {
    /// Does the page need one, so that recovery need not trust what is on disk? `flags`: `REGBUF_…`
    #[inline]
    pub const fn needs(self, flags: u8, pd_lsn: Lsn) -> bool {
        if flags & REGBUF_FORCE_IMAGE != 0 {
            return true;
        }
        flags & REGBUF_NO_IMAGE == 0 && self.do_page_writes && pd_lsn.0 <= self.redo_rec_ptr.0
    }
}

/// What decides about images and how they are written.
#[derive(Debug, Clone, Copy)]
pub(super) struct Policy<'a> {
    pub images: Images,
    pub settings: &'a WalSettings,
    /// `wal_compression` of the session, where it has set it
    pub own_compression: Option<Option<Compression>>,
    /// does `wal_consistency_checking` name the resource manager?
    pub check_consistency: bool,
}

impl Policy<'_> {
    /// How images are compressed.
    pub fn compression(&self) -> Option<Compression> {
        self.own_compression.unwrap_or(self.settings.compression)
    }
}

/// `xl_tot_len` of a record about pages of one relation, all without image, where it names neither origin nor top-level
/// transaction.
#[inline]
pub(super) const fn length_about_pages(pages: usize, main: usize, data: usize) -> u32 {
    const BLOCK: usize = 4 + BlockNumber::SIZE;
    let main_header = match main {
        0 => 0,
        1..=0xFF => 2,
        _ => 5,
    };
    (XLogRecord::SIZE + RelFileLocator::SIZE + pages * BLOCK + main_header + data + main) as u32
}

/// Where the parts of a record go, one behind the other: into memory, or nowhere, where only its length is asked for.
pub(super) trait Sink {
    /// Adds bytes.
    fn put(&mut self, bytes: &[u8]);
    /// Adds pieces one behind the other.
    fn put_all(&mut self, pieces: &[&[u8]]);
    /// How many were added.
    fn len(&self) -> usize;
    /// Begins anew.
    fn clear(&mut self);
}

impl Sink for Vec<u8> {
    #[inline]
    fn put(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }

    fn put_all(&mut self, pieces: &[&[u8]]) {
        pieces.iter().for_each(|piece| self.put(piece));
    }

    fn len(&self) -> usize {
        self.len()
    }

    fn clear(&mut self) {
        self.clear();
    }
}

/// The length of a record that nobody reads.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Length(usize);

impl Sink for Length {
    #[inline]
    fn put(&mut self, bytes: &[u8]) {
        self.0 += bytes.len();
    }

    #[inline]
    fn put_all(&mut self, pieces: &[&[u8]]) {
        self.0 += length(pieces);
    }

    fn len(&self) -> usize {
        self.0
    }

    fn clear(&mut self) {
        self.0 = 0;
    }
}

/// Bytes of all pieces together.
#[inline]
#[must_use]
pub fn length(pieces: &[&[u8]]) -> usize {
    match pieces {
        // most have one
        [piece] => piece.len(),
        _ => pieces.iter().map(|piece| piece.len()).sum(),
    }
}

/// What every record is put together in.
#[derive(Debug, Clone, Default)]
pub(super) struct Scratch<S> {
    /// the record
    pub record: S,
    /// images and block data, until all headers are written
    payload: S,
}

impl Scratch<Vec<u8>> {
    /// The record's bytes, all but `xl_prev` and `xl_crc`; says how many images it has.
    pub fn write<'a, B>(&mut self, assembly: &Assembly<'a, B>, backend: &mut BackendWal, policy: &Policy<'_>) -> u32
    where
        B: IntoIterator<Item: Borrow<Block<'a>>> + Clone,
    {
        let images = self.assemble(assembly, length(assembly.main), backend, policy);
        self.record.extend_from_slice(&self.payload);
        self.record.put_all(assembly.main);
        let info = assembly.info | if policy.check_consistency { XLR_CHECK_CONSISTENCY } else { 0 };
        let tot_len = self.record.len() as u32;
        XLogRecord::edit(&mut self.record)
            .xl_tot_len(tot_len)
            .xl_xid(backend.xid)
            .xl_info(info)
            .xl_rmid(assembly.rmgr.0);
        images
    }

    /// Sets `xl_prev` and, with it, `xl_crc`, which covers it.
    pub fn finish(&mut self, prev: Lsn) {
        XLogRecord::edit(&mut self.record).xl_prev(prev.0);
        let (header, rest) = self.record.split_at(XLogRecord::SIZE);
        let crc = crc32c(&[rest, &header[..CRC_AT]]);
        XLogRecord::edit(&mut self.record).xl_crc(crc);
    }
}

impl Scratch<Length> {
    /// How long the record would be, and how many images it would have.
    #[inline]
    pub fn measure<'a, B>(
        mut self,
        assembly: &Assembly<'a, B>,
        backend: &mut BackendWal,
        policy: &Policy<'_>,
    ) -> (u32, u32)
    where
        B: IntoIterator<Item: Borrow<Block<'a>>> + Clone,
    {
        let main = length(assembly.main);
        let images = self.assemble(assembly, main, backend, policy);
        ((self.record.len() + self.payload.len() + main) as u32, images)
    }
}

impl<S: Sink> Scratch<S> {
    /// Puts all headers and the payload together, and says how many images there are. `main`: length of the main data.
    #[inline]
    fn assemble<'a, B>(
        &mut self,
        assembly: &Assembly<'a, B>,
        main: usize,
        backend: &mut BackendWal,
        policy: &Policy<'_>,
    ) -> u32
    where
        B: IntoIterator<Item: Borrow<Block<'a>>> + Clone,
    {
        self.record.clear();
        self.payload.clear();
        self.record.put(&[0; XLogRecord::SIZE]);
        let mut images = 0;
        let mut previous = None;
        for block in assembly.blocks.clone() {
            let block = block.borrow();
            images += u32::from(self.block(block, previous, policy));
            previous = Some(block.tag.locator);
        }
        self.short_headers(main, assembly.include_origin, backend);
        images
    }

    /// The header of a block reference, its image and data; says whether it has an image. `previous`: relation of the
    /// reference before.
    #[inline]
    fn block(&mut self, block: &Block<'_>, previous: Option<RelFileLocator>, policy: &Policy<'_>) -> bool {
        let needs_backup = policy.images.needs(block.flags, PageHeaderData::new(block.page).pd_lsn());
        let image = (needs_backup || policy.check_consistency)
            .then(|| image::add(&mut self.payload, block.page, block.flags, needs_backup, policy));
        let data_at = self.payload.len();
        if !needs_backup || block.flags & REGBUF_KEEP_DATA != 0 {
            self.payload.put_all(block.data);
        }
        let data_length = (self.payload.len() - data_at) as u16;
        let same_rel = previous == Some(block.tag.locator);
        let flag = |holds: bool, flag: u8| if holds { flag } else { 0 };
        let fork_flags = block.tag.fork as u8
            | flag(image.is_some(), BKPBLOCK_HAS_IMAGE)
            | flag(data_length > 0, BKPBLOCK_HAS_DATA)
            | flag(block.flags & REGBUF_WILL_INIT == REGBUF_WILL_INIT, BKPBLOCK_WILL_INIT)
            | flag(same_rel, BKPBLOCK_SAME_REL);
        let [low, high] = data_length.to_le_bytes();
        self.record.put(&[block.id, fork_flags, low, high]);
        if let Some(image) = image {
            image.write(&mut self.record);
        }
        if !same_rel {
            let mut locator = [0; RelFileLocator::SIZE];
            block.tag.locator.set(&mut locator);
            self.record.put(&locator);
        }
        self.record.put(&block.tag.block.to_le_bytes());
        image.is_some()
    }

    /// Origin, top-level transaction and the length of main data, each only where there is one.
    #[inline]
    fn short_headers(&mut self, length: usize, include_origin: bool, backend: &mut BackendWal) {
        if let Some(origin) = backend.origin.filter(|_| include_origin) {
            self.record.put(&[XLR_BLOCK_ID_ORIGIN]);
            self.record.put(&origin.to_le_bytes());
        }
        if let Some(xid) = backend.toplevel_xid.take() {
            self.record.put(&[XLR_BLOCK_ID_TOPLEVEL_XID]);
            self.record.put(&xid.to_le_bytes());
        }
        match u8::try_from(length) {
            Ok(0) => {}
            Ok(short) => self.record.put(&[XLR_BLOCK_ID_DATA_SHORT, short]),
            Err(_) => {
                self.record.put(&[XLR_BLOCK_ID_DATA_LONG]);
                self.record.put(&(length as u32).to_le_bytes());
            }
        }
    }
}
