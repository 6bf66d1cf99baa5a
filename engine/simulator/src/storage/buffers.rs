//! Shared buffers over files, all of which fit (src/backend/storage/buffer/bufmgr.c, src/backend/storage/smgr/md.c).
//!
//! ```text
//! file ─ fork ─┬─ frame 0: page │ dirty      page: what every session sees
//!              │  frame 1: …
//!              └─ disk of 0, 1, …             disk: what a crash leaves, where it is kept
//! ```

use super::changes::{AddedItem, ChangedItems, ItemMut};
use alloc::vec::Vec;
use core::ops::Range;
pub use ffviz_format::page::BLCKSZ;
use ffviz_format::page::{BlockNumber, ForkNumber, HeaderMut, OffsetNumber, Page, PageHeaderData, memory};
use ffviz_format::wal::{BlockTag, RelFileLocator};

/// A file, by its place in [`Buffers`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub u32);

/// A page in shared buffers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Buffer {
    /// which file
    pub file: FileId,
    /// which fork
    pub fork: ForkNumber,
    /// which block
    pub block: BlockNumber,
}

impl Buffer {
    /// A block of the main fork.
    #[must_use]
    pub const fn main(file: FileId, block: BlockNumber) -> Self {
        Self { file, fork: ForkNumber::Main, block }
    }
}

/// A page and what is known of it: no longer than a line of the processor's cache, since of many pages hardly any frame
/// is there.
#[derive(Debug, Clone)]
struct Frame {
    page: Page,
    /// what pruning has to look at
    changed_items: ChangedItems,
    /// the statement that changed it last, as [`Buffers::begin_statement`] counts them
    changed_by: u32,
    /// `BM_DIRTY`
    dirty: bool,
    /// is it on disk only, as far as PostgreSQL's buffers go?
    on_disk_only: bool,
}

const _: () = assert!(size_of::<Frame>() <= 64);

impl Frame {
    const fn clean(page: Page) -> Self {
        Self { page, changed_items: ChangedItems::UNKNOWN, changed_by: 0, dirty: false, on_disk_only: false }
    }
}

/// `relpersistence`
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Persistence {
    /// changes are written to WAL
    #[default]
    Permanent,
    /// UNLOGGED: they are not, and the table is empty after a crash
    Unlogged,
    /// TEMPORARY: they are not, and the table is its session's, whose local buffers it is in. No other session reads
    /// these, so here they are among the others
    Temporary,
}

/// The blocks of a fork.
#[derive(Debug, Clone, Default)]
struct Fork {
    frames: Vec<Frame>,
    /// the blocks in the file; `None`: the same as the page. None is kept where nobody asks for them
    disk: Vec<Option<Page>>,
}

/// A file with its forks.
#[derive(Debug, Clone)]
struct File {
    locator: RelFileLocator,
    persistence: Persistence,
    /// by number of the fork; `None`: the fork does not exist
    forks: [Option<Fork>; 4],
    dropped: bool,
    /// did it grow through a smaller ring of buffers, so that nobody knows which of its blocks are there?
    passed_ring: bool,
}

/// All files and the pages in memory.
#[derive(Debug, Clone)]
pub struct Buffers {
    files: Vec<File>,
    /// a page of zeros that all new blocks share
    zero: Page,
    /// are disk images kept?
    keep_disk: bool,
    /// number of the statement that runs
    statement: u32,
    /// pages that changed, each counted once a statement
    changed: u64,
    /// pages that were clean, and are not any more
    dirtied: u64,
    /// blocks of all files
    blocks: u64,
    /// may some be on disk only?
    some_on_disk_only: bool,
}

impl Buffers {
    /// No file yet. `keep_disk`: what a crash would leave is to be known.
    #[must_use]
    pub fn new(keep_disk: bool) -> Self {
        let zero = Page::new(&[0; BLCKSZ as usize]);
        let (files, some_on_disk_only) = (Vec::new(), false);
        Self { files, zero, keep_disk, statement: 1, changed: 0, dirtied: 0, blocks: 0, some_on_disk_only }
    }

    /// A statement begins: what it changes counts anew.
    pub const fn begin_statement(&mut self) {
        self.statement = self.statement.wrapping_add(1);
    }

    /// How many pages changed so far, each counted once a statement.
    #[must_use]
    pub const fn changed(&self) -> u64 {
        self.changed
    }

    /// How often a page that was clean became dirty.
    #[must_use]
    pub const fn dirtied(&self) -> u64 {
        self.dirtied
    }

    /// How many blocks all files have together.
    #[must_use]
    pub const fn blocks(&self) -> u64 {
        self.blocks
    }

    /// Makes a file with an empty main fork.
    pub fn create(&mut self, locator: RelFileLocator, permanent: bool) -> FileId {
        let forks = [Some(Fork::default()), None, None, None];
        let persistence = if permanent { Persistence::Permanent } else { Persistence::Unlogged };
        self.files.push(File { locator, persistence, forks, dropped: false, passed_ring: false });
        FileId(self.files.len() as u32 - 1)
    }

    /// Removes a file with its forks.
    pub fn unlink(&mut self, file: FileId) {
        let file = &mut self.files[file.0 as usize];
        self.blocks -= file.forks.iter().flatten().map(|fork| fork.frames.len() as u64).sum::<u64>();
        file.forks = [const { None }; 4];
        file.dropped = true;
    }

    /// The file's name in WAL.
    #[must_use]
    pub fn locator(&self, file: FileId) -> RelFileLocator {
        self.files[file.0 as usize].locator
    }

    /// Is the file logged, and kept in a crash?
    #[must_use]
    pub fn is_permanent(&self, file: FileId) -> bool {
        self.persistence(file) == Persistence::Permanent
    }

    /// Is it in local buffers (`RelationUsesLocalBuffers`)?
    #[must_use]
    pub fn is_temporary(&self, file: FileId) -> bool {
        self.persistence(file) == Persistence::Temporary
    }

    /// `relpersistence` of the relation that has the file.
    #[must_use]
    pub fn persistence(&self, file: FileId) -> Persistence {
        self.files[file.0 as usize].persistence
    }

    /// The file grew in bulk (`BAS_BULKWRITE`): no more than 16 MB of it are in buffers for sure.
    pub fn grew_in_bulk(&mut self, file: FileId) {
        const RING: BlockNumber = 2048;
        let is_larger = self.nblocks(file, ForkNumber::Main) > RING;
        self.files[file.0 as usize].passed_ring |= is_larger;
    }

    /// Is it known which blocks of the file are in buffers?
    #[must_use]
    pub fn knows_buffers(&self, file: FileId) -> bool {
        !self.files[file.0 as usize].passed_ring
    }

    /// Of a file that is new.
    pub fn set_temporary(&mut self, file: FileId) {
        self.files[file.0 as usize].persistence = Persistence::Temporary;
    }

    /// The files that are there.
    pub fn files(&self) -> impl Iterator<Item = FileId> {
        let there = self.files.iter().enumerate().filter(|(_, file)| !file.dropped);
        there.map(|(ix, _)| FileId(ix as u32))
    }

    /// The file of that name that is there.
    #[must_use]
    pub fn find(&self, locator: RelFileLocator) -> Option<FileId> {
        self.files().find(|file| self.locator(*file) == locator)
    }

    #[inline]
    fn fork(&self, file: FileId, fork: ForkNumber) -> Option<&Fork> {
        self.files[file.0 as usize].forks[fork as usize].as_ref()
    }

    #[inline]
    fn fork_mut(&mut self, file: FileId, fork: ForkNumber) -> Option<&mut Fork> {
        self.files[file.0 as usize].forks[fork as usize].as_mut()
    }

    #[inline]
    fn frame(&self, buf: Buffer) -> Option<&Frame> {
        self.fork(buf.file, buf.fork)?.frames.get(buf.block as usize)
    }

    #[inline]
    fn frame_mut(&mut self, buf: Buffer) -> Option<&mut Frame> {
        self.fork_mut(buf.file, buf.fork)?.frames.get_mut(buf.block as usize)
    }

    /// `smgrexists`
    #[must_use]
    pub fn exists(&self, file: FileId, fork: ForkNumber) -> bool {
        self.fork(file, fork).is_some()
    }

    /// `smgrcreate`: the fork is there, with no block.
    pub fn create_fork(&mut self, file: FileId, fork: ForkNumber) {
        self.files[file.0 as usize].forks[fork as usize].get_or_insert_default();
    }

    /// Removes a fork; the others stay.
    pub fn remove_fork(&mut self, file: FileId, fork: ForkNumber) {
        self.truncate(file, fork, 0);
        self.files[file.0 as usize].forks[fork as usize] = None;
    }

    /// Has the relation a file (`RELKIND_HAS_STORAGE`)?
    #[must_use]
    pub fn has_file(&self, file: FileId) -> bool {
        self.fork(file, ForkNumber::Main).is_some()
    }

    /// `smgrnblocks`; 0 where the fork does not exist.
    #[must_use]
    pub fn nblocks(&self, file: FileId, fork: ForkNumber) -> BlockNumber {
        self.fork(file, fork).map_or(0, |fork| fork.frames.len() as BlockNumber)
    }

    /// `smgrzeroextend`: so many blocks of zeros more, on disk too. Gives the first of them.
    pub fn extend(&mut self, file: FileId, fork: ForkNumber, by: BlockNumber) -> BlockNumber {
        let (zero, first) = (self.zero.clone(), self.nblocks(file, fork));
        self.create_fork(file, fork);
        let keep_disk = self.keep_disk;
        self.blocks += u64::from(by);
        if let Some(fork) = self.fork_mut(file, fork) {
            fork.frames.extend((0..by).map(|_| Frame::clean(zero.clone())));
            if keep_disk {
                fork.disk.resize(fork.frames.len(), None);
            }
        }
        first
    }

    /// `smgrtruncate`: only so many blocks stay.
    pub fn truncate(&mut self, file: FileId, fork: ForkNumber, blocks: BlockNumber) {
        self.blocks -= u64::from(self.nblocks(file, fork).saturating_sub(blocks));
        if let Some(fork) = self.fork_mut(file, fork) {
            fork.frames.truncate(blocks as usize);
            fork.disk.truncate(blocks as usize);
        }
    }

    /// A page to read; one of zeros where the block does not exist.
    #[must_use]
    #[inline]
    pub fn page(&self, buf: Buffer) -> &Page {
        self.frame(buf).map_or(&self.zero, |frame| &frame.page)
    }

    /// Asks memory for what is known of a page that is read soon.
    #[inline]
    pub fn ask_for(&self, buf: Buffer) {
        if let Some(fork) = self.fork(buf.file, buf.fork) {
            memory::ask_for(&fork.frames, buf.block as usize);
        }
    }

    /// A page to change in any way. The caller says by [`Self::mark_dirty`] that it did, where it is to reach the disk.
    ///
    /// # Panics
    /// Where the block does not exist: whoever changes a page has read it or made it before.
    #[inline]
    pub fn page_mut(&mut self, buf: Buffer) -> &mut Page {
        let frame = self.changing(buf);
        frame.changed_items = ChangedItems::UNKNOWN;
        &mut frame.page
    }

    /// The same of a page that is dirty then.
    ///
    /// # Panics
    /// As [`Self::page_mut`].
    #[inline]
    pub fn page_dirtied(&mut self, buf: Buffer) -> &mut Page {
        let frame = self.lend(buf, true);
        frame.changed_items = ChangedItems::UNKNOWN;
        &mut frame.page
    }

    /// Of a page the fields of its header that say nothing of its items.
    ///
    /// # Panics
    /// As [`Self::page_mut`].
    #[inline]
    pub fn header_mut(&mut self, buf: Buffer) -> HeaderMut<'_> {
        HeaderMut::of(&mut self.changing(buf).page)
    }

    /// Of a page one item, whose line pointer was read before, and says that it lies there.
    ///
    /// # Panics
    /// As [`Self::page_mut`].
    #[inline]
    pub fn item_mut(&mut self, buf: Buffer, n: OffsetNumber, item: &Range<u16>) -> ItemMut<'_> {
        let frame = self.changing(buf);
        frame.changed_items.add(n);
        debug_assert!(frame.page.item_id(n).is_none_or(|lp| (lp.lp_off()..lp.lp_off() + lp.lp_len()) == *item));
        let (header, rest) = HeaderMut::at_start(frame.page.bytes_mut());
        let [start, end] = [item.start, item.end].map(|at| usize::from(at).saturating_sub(PageHeaderData::SIZE));
        ItemMut { header, bytes: rest.get_mut(start..end).unwrap_or_default() }
    }

    /// [`Page::add_heap_item`], which makes the page dirty.
    ///
    /// # Panics
    /// As [`Self::page_mut`].
    #[inline]
    pub fn add_heap_item(&mut self, buf: Buffer, item: &[u8], most: u16) -> Option<AddedItem<'_>> {
        let Frame { page, changed_items, .. } = self.lend(buf, true);
        let (number, before, bytes) = page.add_heap_item(item, most)?;
        changed_items.add(number);
        Some(AddedItem { number, header: HeaderMut::at_start(before).0, bytes })
    }

    /// Pruning has looked at the whole page and left it in order, but for these items.
    pub fn in_order_but(&mut self, buf: Buffer, items: ChangedItems) {
        if let Some(frame) = self.frame_mut(buf) {
            frame.changed_items = items;
        }
    }

    /// The items that [`Self::in_order_but`] named last, and those that changed since; `None`: any may have.
    #[must_use]
    pub fn changed_items(&self, buf: Buffer) -> Option<ChangedItems> {
        self.frame(buf).map(|frame| frame.changed_items).filter(ChangedItems::is_known)
    }

    #[inline]
    fn changing(&mut self, buf: Buffer) -> &mut Frame {
        self.lend(buf, false)
    }

    /// A frame whose page changes.
    #[inline]
    fn lend(&mut self, buf: Buffer, dirties: bool) -> &mut Frame {
        let block = buf.block as usize;
        let fork = self.files[buf.file.0 as usize].forks[buf.fork as usize].as_mut();
        let there = fork.and_then(|fork| Some((fork.frames.get_mut(block)?, &mut fork.disk)));
        let (frame, disk) = there.expect("a page is changed that exists");
        if frame.changed_by != self.statement {
            frame.changed_by = self.statement;
            self.changed += 1;
        }
        frame.on_disk_only = false;
        if dirties && !frame.dirty {
            frame.dirty = true;
            self.dirtied += 1;
        }
        if let Some(disk) = disk.get_mut(block) {
            disk.get_or_insert_with(|| frame.page.clone());
        }
        frame
    }

    /// `MarkBufferDirty`
    #[inline]
    pub fn mark_dirty(&mut self, buf: Buffer) {
        let was_clean = self.frame_mut(buf).is_some_and(|frame| !core::mem::replace(&mut frame.dirty, true));
        self.dirtied += u64::from(was_clean);
    }

    /// `BM_DIRTY`
    #[must_use]
    pub fn is_dirty(&self, buf: Buffer) -> bool {
        self.frame(buf).is_some_and(|frame| frame.dirty)
    }

    /// The pages that are dirty, as a checkpoint writes them: by file, fork and block.
    pub fn dirty(&self) -> impl Iterator<Item = Buffer> {
        self.all().filter(|buf| self.is_dirty(*buf))
    }

    /// All pages of files that are there, by file, fork and block.
    pub fn all(&self) -> impl Iterator<Item = Buffer> {
        const FORKS: [ForkNumber; 4] = [ForkNumber::Main, ForkNumber::Fsm, ForkNumber::Vm, ForkNumber::Init];
        let forks = self.files().flat_map(|file| FORKS.map(|fork| (file, fork)));
        forks.flat_map(|(file, fork)| (0..self.nblocks(file, fork)).map(move |block| Buffer { file, fork, block }))
    }

    /// `FlushBuffer`: the block on disk is the page from now on.
    pub fn written(&mut self, buf: Buffer) {
        if let Some(frame) = self.frame_mut(buf) {
            frame.dirty = false;
        }
        self.forget_disk(buf);
    }

    /// The block was written past the buffers (`smgrextend`, src/backend/storage/smgr/bulk_write.c): it is not there.
    pub fn written_past(&mut self, buf: Buffer) {
        self.some_on_disk_only = true;
        if let Some(frame) = self.frame_mut(buf) {
            frame.on_disk_only = true;
        }
    }

    /// The block is read. Was it on disk only?
    #[inline]
    pub fn fetch(&mut self, buf: Buffer) -> bool {
        self.some_on_disk_only
            && self.frame_mut(buf).is_some_and(|frame| core::mem::replace(&mut frame.on_disk_only, false))
    }

    /// Of a block in buffers: is it dirty there?
    #[must_use]
    pub fn is_dirty_in_buffers(&self, buf: Buffer) -> Option<bool> {
        self.frame(buf).filter(|frame| !frame.on_disk_only).map(|frame| frame.dirty)
    }

    /// The block as it is on disk.
    #[must_use]
    pub fn on_disk(&self, buf: Buffer) -> &Page {
        let kept = self.fork(buf.file, buf.fork).and_then(|fork| fork.disk.get(buf.block as usize)?.as_ref());
        kept.unwrap_or_else(|| self.page(buf))
    }

    /// The block on disk is the same as the page.
    fn forget_disk(&mut self, buf: Buffer) {
        let fork = self.fork_mut(buf.file, buf.fork);
        if let Some(disk) = fork.and_then(|fork| fork.disk.get_mut(buf.block as usize)) {
            *disk = None;
        }
    }

    /// Puts a page in place, clean and on disk (recovery, a torn write).
    pub fn replace(&mut self, buf: Buffer, page: Page) {
        if let Some(frame) = self.frame_mut(buf) {
            *frame = Frame::clean(page);
        }
        self.forget_disk(buf);
    }

    /// A page with its name in WAL; one of zeros where the block does not exist.
    #[inline]
    pub(super) fn named(&self, buf: Buffer) -> (BlockTag, &Page) {
        (self.tag(buf), self.page(buf))
    }

    /// The page's name in WAL.
    #[must_use]
    pub fn tag(&self, buf: Buffer) -> BlockTag {
        BlockTag { locator: self.locator(buf.file), fork: buf.fork, block: buf.block }
    }
}
