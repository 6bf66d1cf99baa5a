//! Writing WAL for changed pages, and hints that may need an image (`XLogInsert`,
//! src/backend/access/transam/xloginsert.c; `MarkBufferDirtyHint`, src/backend/storage/buffer/bufmgr.c).

use super::buffers::Buffer;
use super::trace::Happening;
use super::{Instance, RelationData};
use crate::access::transam::{
    Assembly, BackendWal, Block, Inserted, REGBUF_FORCE_IMAGE, REGBUF_STANDARD, RecordKind, WalLevel, WalWriter,
    length, log_hint_image, log_nextoid,
};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::borrow::Borrow;
use ffviz_format::page::{BlockNumber, FIRST_NORMAL_OBJECT_ID, HeaderMut, Lsn, Oid, Page};
use ffviz_format::wal::record_type::XlogType;
use ffviz_format::wal::{Rmgr, XLOG_BLCKSZ, XLogPageHeaderData};

/// `MAX_PENDING_WRITES`: pages that 17 and later log at once where files are filled
pub const MAX_PENDING_WRITES: usize = 32;
/// `VAR_OID_PREFETCH`
const VAR_OID_PREFETCH: u32 = 8192;

/// A page that a record is about (`XLogRegisterBuffer`, `XLogRegisterBufData`). The page is changed already, but for
/// its LSN.
#[derive(Debug, Clone, Copy)]
pub struct Registered<'a> {
    /// `block_id`
    pub id: u8,
    /// the page
    pub buf: Buffer,
    /// `REGBUF_*`
    pub flags: u8,
    /// what is to be done to it
    pub data: &'a [&'a [u8]],
    /// does the page get the record's end as its LSN?
    pub sets_lsn: bool,
}

/// [`WalWriter::count_about_pages`] for one page that is at hand, which gets the record's end as its LSN. `REGBUF_…`
/// and the lengths of main data and of the page's stand behind it.
#[inline]
pub(crate) fn count_at_hand(
    wal: &mut WalWriter,
    backend: &mut BackendWal,
    page: &mut HeaderMut<'_>,
    (kind, flags, lengths): (RecordKind, u8, (usize, usize)),
) -> Option<Lsn> {
    let pd_lsn = page.header().pd_lsn();
    let end = wal.count_about_pages(backend, kind, [(flags, pd_lsn)], lengths)?;
    page.set_pd_lsn(end);
    Some(end)
}

impl Instance {
    /// `XLogInsert`: writes the record, sets the LSN of the pages and tells what happened. Gives the record's end.
    #[inline]
    pub fn xlog_insert<'a, B>(&mut self, rmgr: Rmgr, info: u8, main: &'a [&'a [u8]], blocks: B) -> Lsn
    where
        B: IntoIterator<Item: Borrow<Registered<'a>>, IntoIter: Clone> + Clone,
    {
        self.name_transaction();
        let mut each = blocks.clone().into_iter();
        if let (Some(block), None) = (each.next(), each.next())
            && let Some(end) = self.count_about_page(RecordKind(rmgr, info), main, block.borrow())
        {
            return end;
        }
        self.insert_about_pages(rmgr, info, main, blocks)
    }

    /// `log_newpage_buffer`: an image in any case. `standard`: the page has a hole that it leaves out.
    pub fn log_newpage_buffer(&mut self, buf: Buffer, standard: bool) {
        let flags = REGBUF_FORCE_IMAGE | if standard { REGBUF_STANDARD } else { 0 };
        let block = Registered { id: 0, buf, flags, data: &[], sets_lsn: true };
        self.xlog_insert(Rmgr::XLOG, XlogType::Fpi.info(), &[], &[block]);
    }

    /// `log_newpages`: one record with the images of these pages, which are new.
    pub fn log_newpages(&mut self, rel: &RelationData, blocks: &[BlockNumber]) {
        if !rel.permanent {
            return;
        }
        let flags = REGBUF_FORCE_IMAGE | REGBUF_STANDARD;
        let registered = (0..).zip(blocks).map(|(id, block)| {
            let buf = Buffer::main(rel.file, *block);
            Registered { id, buf, flags, data: &[], sets_lsn: true }
        });
        self.xlog_insert(Rmgr::XLOG, XlogType::Fpi.info(), &[], registered);
    }

    /// [`count_at_hand`] for a page that is looked up.
    #[inline]
    fn count_about_page(&mut self, kind: RecordKind, main: &[&[u8]], block: &Registered<'_>) -> Option<Lsn> {
        if !block.sets_lsn {
            return None;
        }
        let mut page = self.buffers.header_mut(block.buf);
        let lengths = (length(main), length(block.data));
        count_at_hand(&mut self.wal, &mut self.backends[self.me].wal, &mut page, (kind, block.flags, lengths))
    }

    /// The same for pages of one relation, each with `REGBUF_…`; the record has so many bytes of main data and of the
    /// pages'.
    #[inline]
    pub(crate) fn count_about_pages(
        &mut self,
        kind: RecordKind,
        pages: impl Iterator<Item = (u8, Buffer)> + Clone,
        lengths: (usize, usize),
    ) -> Option<Lsn> {
        let buffers = &self.buffers;
        let known = pages.clone().map(|(flags, buf)| (flags, buffers.page(buf).header().pd_lsn()));
        let end = self.wal.count_about_pages(&mut self.backends[self.me].wal, kind, known, lengths)?;
        for (_, buf) in pages {
            self.buffers.header_mut(buf).set_pd_lsn(end);
        }
        Some(end)
    }

    /// May the next record only be counted, before its page is let go of? Its transaction is named then. Under
    /// `wal_level` logical it may have to name two.
    #[inline]
    pub(crate) fn prepare_to_count(&mut self) -> bool {
        let only_counts = self.wal.only_counts() && self.wal.settings.level < WalLevel::Logical;
        if only_counts {
            self.name_transaction();
        }
        only_counts
    }

    #[inline(never)]
    fn insert_about_pages<'a, B>(&mut self, rmgr: Rmgr, info: u8, main: &'a [&'a [u8]], blocks: B) -> Lsn
    where
        B: IntoIterator<Item: Borrow<Registered<'a>>, IntoIter: Clone> + Clone,
    {
        let registered = || blocks.clone().into_iter().map(|block| *block.borrow());
        let mut files = registered().map(|block| block.buf.file);
        let first = files.next();
        if first.is_some() && files.all(|file| Some(file) == first) && registered().all(|block| block.sets_lsn) {
            let lengths = (length(main), registered().map(|block| length(block.data)).sum());
            let pages = registered().map(|block| (block.flags, block.buf));
            if let Some(end) = self.count_about_pages(RecordKind(rmgr, info), pages, lengths) {
                return end;
            }
        }
        let buffers = &self.buffers;
        let blocks = registered().map(|Registered { id, buf, flags, data, .. }| {
            let (tag, page) = buffers.named(buf);
            Block { id, tag, page: page.bytes(), flags, data }
        });
        let assembly = Assembly { rmgr, info, include_origin: false, blocks, main };
        let inserted = self.wal.insert(&mut self.backends[self.me].wal, &assembly);
        for block in registered().filter(|block| block.sets_lsn) {
            self.buffers.header_mut(block.buf).set_pd_lsn(inserted.end);
        }
        if self.trace.on {
            self.tell_record(registered().map(|block| block.buf));
        }
        inserted.end
    }

    /// `GetNewObjectId`: an OID; each 8,192 of them are announced by a NEXTOID record.
    pub fn new_object_id(&mut self) -> Oid {
        if self.transam.oid_count == 0 {
            let next = self.transam.next_oid.wrapping_add(VAR_OID_PREFETCH);
            self.log_about_no_page(|wal, backend| log_nextoid(wal, backend, next));
            self.transam.oid_count = VAR_OID_PREFETCH;
        }
        self.transam.oid_count -= 1;
        let mut oid = self.transam.next_oid;
        // `GetNewOidWithIndex` passes over those that are taken; a script may set the counter back
        while self.relations.contains_key(&oid) {
            oid += 1;
        }
        self.transam.next_oid = oid.checked_add(1).unwrap_or(FIRST_NORMAL_OBJECT_ID);
        oid
    }

    /// Inserts a record about no page (COMMIT, CREATE of a file) and tells it. Gives its end.
    pub fn log_about_no_page(&mut self, insert: impl FnOnce(&mut WalWriter, &mut BackendWal) -> Inserted) -> Lsn {
        self.name_transaction();
        let inserted = insert(&mut self.wal, &mut self.backends[self.me].wal);
        if self.trace.on {
            self.tell_record([]);
        }
        inserted.end
    }

    /// `RequestXLogSwitch`: the next record begins a segment. Gives the end of the record that says so, or where a
    /// segment begins already; with the segment all is flushed.
    pub fn switch_wal(&mut self) -> Lsn {
        const PAGE: u64 = XLOG_BLCKSZ as u64;
        self.name_transaction();
        let begins = self.wal.position().insert_lsn();
        let Some(inserted) = self.wal.switch(&mut self.backends[self.me].wal) else { return begins };
        if self.trace.on {
            self.tell_record([]);
        }
        self.flushed = inserted.end;
        let end = inserted.start.0 + u64::from(inserted.tot_len);
        let is_across = inserted.start.0 / PAGE != end / PAGE;
        let header = if is_across { XLogPageHeaderData::SIZE as u64 } else { 0 };
        Lsn(end + header)
    }

    /// Lets the checkpointer insert records about no page, and tells the last of them.
    pub fn by_checkpointer<T>(&mut self, insert: impl FnOnce(&mut WalWriter, &mut BackendWal) -> T) -> T {
        let before = self.wal.usage().records;
        let done = insert(&mut self.wal, &mut self.checkpointer);
        if self.trace.on && self.wal.usage().records > before {
            self.tell_record([]);
        }
        done
    }

    /// `full_page_writes` is switched by the checkpointer, which says so in the WAL.
    pub fn log_full_page_writes(&mut self, on: bool) {
        self.by_checkpointer(|wal, checkpointer| wal.update_full_page_writes(checkpointer, on));
    }

    /// The record that was written last, with the pages that it left.
    fn tell_record(&mut self, buffers: impl IntoIterator<Item = Buffer>) {
        let Some(record) = self.wal.records().last().cloned() else { return };
        let mut pages: Vec<(Buffer, Page)> = Vec::new();
        for buf in buffers.into_iter().chain(self.trace.take_along()) {
            if pages.iter().all(|(known, _)| *known != buf) {
                pages.push((buf, self.buffers.page(buf).clone()));
            }
        }
        self.trace.add(Happening::Record(Arc::new(record), pages));
    }

    /// A record about a catalog, which has no pages here: it names the session's transaction, and the session learns
    /// the redo pointer.
    pub(crate) fn insert_catalog_record(&mut self) {
        self.name_transaction();
        self.wal.tell(&mut self.backends[self.me].wal);
    }

    /// `XLogNeedsFlush`: is WAL up to there not on disk yet?
    #[must_use]
    pub fn xlog_needs_flush(&self, lsn: Lsn) -> bool {
        lsn > self.flushed
    }

    /// `XLogCheckBufferNeedsBackup`: would a record about the page bring its image, as far as the session knows the
    /// redo pointer?
    #[must_use]
    pub fn buffer_needs_backup(&self, buf: Buffer) -> bool {
        let known = &self.backend().wal;
        known.do_page_writes && self.buffers.page(buf).header().pd_lsn() <= known.redo_rec_ptr
    }

    /// `MarkBufferDirtyHint`: the page changed in a way that need not survive a crash. With checksums or
    /// `wal_log_hints` the first such change after a checkpoint is an image in the WAL. `standard`: the page has a hole
    /// between `pd_lower` and `pd_upper`.
    pub fn mark_buffer_dirty_hint(&mut self, buf: Buffer, standard: bool) {
        if self.buffers.is_dirty(buf) {
            return;
        }
        if self.settings.log_hints() && self.buffers.is_permanent(buf.file) {
            self.save_buffer_for_hint(buf, standard);
        }
        self.mark_buffer_dirty(buf);
    }

    /// `XLogSaveBufferForHint`
    fn save_buffer_for_hint(&mut self, buf: Buffer, standard: bool) {
        self.name_transaction();
        let image = (self.buffers.tag(buf), self.buffers.page(buf).bytes());
        let Some(inserted) = log_hint_image(&mut self.wal, &mut self.backends[self.me].wal, image, standard) else {
            return;
        };
        self.buffers.header_mut(buf).set_pd_lsn(inserted.end);
        if self.trace.on {
            self.tell_record([buf]);
        }
    }
}
