//! Records of the rest: images for their own sake, OIDs, files, pages of the SLRUs (xlog.c, xloginsert.c,
//! catalog/storage.c, clog.c, multixact.c).

use super::standby::xid_bytes;
use super::{Assembly, BackendWal, Block, Inserted, REGBUF_FORCE_IMAGE, REGBUF_STANDARD, WalWriter};
use crate::version::Behaviour;
use alloc::vec::Vec;
use ffviz_format::page::{BlockNumber, ForkNumber, Oid, TransactionId};
use ffviz_format::wal::XLR_SPECIAL_REL_UPDATE;
use ffviz_format::wal::rec::heap::XlHeapTruncate;
use ffviz_format::wal::rec::other::{MultiXactMember, XlMultixactCreate, XlSmgrCreate, XlSmgrTruncate};
use ffviz_format::wal::rec::xlog::XlNextOid;
use ffviz_format::wal::record_type::{HeapType, MultiXactType, SmgrType, XlogType};
use ffviz_format::wal::{BlockTag, RelFileLocator, Rmgr};

/// Flag of `xl_heap_truncate`: TRUNCATE … CASCADE
pub const XLH_TRUNCATE_CASCADE: u8 = 1 << 0;
/// Flag of `xl_heap_truncate`: TRUNCATE … RESTART IDENTITY
pub const XLH_TRUNCATE_RESTART_SEQS: u8 = 1 << 1;
/// Blocks in one record (`XLR_MAX_BLOCK_ID`)
const MAX_PAGES: usize = 32;

/// Whether a page is of the standard layout, so that its hole is left out.
const fn layout(standard: bool) -> u8 {
    if standard { REGBUF_STANDARD } else { 0 }
}

/// `log_newpage`: FPI, the image of one page that was written as a whole.
pub fn log_newpage(
    wal: &mut WalWriter,
    backend: &mut BackendWal,
    (tag, page): (BlockTag, &[u8]),
    standard: bool,
) -> Inserted {
    let block = Block::new(0, tag, page, REGBUF_FORCE_IMAGE | layout(standard));
    wal.insert(backend, &Assembly { blocks: &[block][..], ..Assembly::new(Rmgr::XLOG, XlogType::Fpi.info()) })
}

/// `log_newpages`, `log_newpage_range`: FPI records of up to 32 pages each.
pub fn log_newpages(
    wal: &mut WalWriter,
    backend: &mut BackendWal,
    pages: &[(BlockTag, &[u8])],
    standard: bool,
) -> Vec<Inserted> {
    let flags = REGBUF_FORCE_IMAGE | layout(standard);
    let mut batch = |pages: &[(BlockTag, &[u8])]| {
        let blocks: Vec<_> = pages.iter().zip(0..).map(|((tag, page), id)| Block::new(id, *tag, page, flags)).collect();
        wal.insert(backend, &Assembly { blocks: &blocks[..], ..Assembly::new(Rmgr::XLOG, XlogType::Fpi.info()) })
    };
    pages.chunks(MAX_PAGES).map(&mut batch).collect()
}

/// `XLogSaveBufferForHint`: FPI_FOR_HINT, where a change that is not logged is the first of the page after a
/// checkpoint; `None` where it is not. Before 15 the page has its image even where `full_page_writes` is off.
pub fn log_hint_image(
    wal: &mut WalWriter,
    backend: &mut BackendWal,
    (tag, page): (BlockTag, &[u8]),
    standard: bool,
) -> Option<Inserted> {
    let redo = wal.get_redo_rec_ptr(backend);
    if ffviz_format::page::PageHeaderData::new(page).pd_lsn() > redo {
        return None;
    }
    let force = if wal.settings.version.leaves_hint_images_out() { 0 } else { REGBUF_FORCE_IMAGE };
    let block = Block::new(0, tag, page, force | layout(standard));
    Some(
        wal.insert(
            backend,
            &Assembly { blocks: &[block][..], ..Assembly::new(Rmgr::XLOG, XlogType::FpiForHint.info()) },
        ),
    )
}

/// `XLogPutNextOid`: NEXTOID; OIDs below `next` may be given out without a further record.
pub fn log_nextoid(wal: &mut WalWriter, backend: &mut BackendWal, next: Oid) -> Inserted {
    let main: &[u8] = &XlNextOid::make(next);
    wal.insert(backend, &Assembly { main: &[main], ..Assembly::new(Rmgr::XLOG, XlogType::NextOid.info()) })
}

/// `ExecuteTruncateGuts`: TRUNCATE of these tables, for logical decoding; `flags` are [`XLH_TRUNCATE_CASCADE`] and
/// [`XLH_TRUNCATE_RESTART_SEQS`].
pub fn log_heap_truncate(
    wal: &mut WalWriter,
    backend: &mut BackendWal,
    db: Oid,
    tables: &[Oid],
    flags: u8,
) -> Inserted {
    let head: &[u8] = &XlHeapTruncate::make(db, tables.len() as u32, flags);
    let main = [head, &xid_bytes(tables)];
    let assembly =
        Assembly { main: &main, include_origin: true, ..Assembly::new(Rmgr::HEAP, HeapType::Truncate.info()) };
    wal.insert(backend, &assembly)
}

/// `log_smgrcreate`: CREATE, a new file.
pub fn log_smgr_create(
    wal: &mut WalWriter,
    backend: &mut BackendWal,
    locator: RelFileLocator,
    fork: ForkNumber,
) -> Inserted {
    let main: &[u8] = &XlSmgrCreate::make(locator, fork as i32);
    let info = SmgrType::Create.info() | XLR_SPECIAL_REL_UPDATE;
    wal.insert(backend, &Assembly { main: &[main], ..Assembly::new(Rmgr::STORAGE, info) })
}

/// `RelationTruncate`: TRUNCATE, a relation becomes shorter. `forks`: 1 main, 2 visibility map, 4 free space map; all
/// of them in VACUUM.
pub fn log_smgr_truncate(
    wal: &mut WalWriter,
    backend: &mut BackendWal,
    locator: RelFileLocator,
    blocks: BlockNumber,
    forks: i32,
) -> Inserted {
    let main: &[u8] = &XlSmgrTruncate::make(blocks, locator, forks);
    let info = SmgrType::Truncate.info() | XLR_SPECIAL_REL_UPDATE;
    wal.insert(backend, &Assembly { main: &[main], ..Assembly::new(Rmgr::STORAGE, info) })
}

/// A page of an SLRU is new; its number has 64 bits from 17 on.
fn log_zeropage(wal: &mut WalWriter, backend: &mut BackendWal, rmgr: Rmgr, info: u8, page: u64) -> Inserted {
    let number = page.to_le_bytes();
    let main = &number[..if wal.settings.version.has_long_slru_pages() { 8 } else { 4 }];
    wal.insert(backend, &Assembly { main: &[main], ..Assembly::new(rmgr, info) })
}

/// ZEROPAGE of the commit log, every 32,768 transactions.
pub fn log_clog_zeropage(wal: &mut WalWriter, backend: &mut BackendWal, page: u64) -> Inserted {
    log_zeropage(wal, backend, Rmgr::CLOG, 0, page)
}

/// ZEROPAGE of the commit timestamps.
pub fn log_committs_zeropage(wal: &mut WalWriter, backend: &mut BackendWal, page: u64) -> Inserted {
    log_zeropage(wal, backend, Rmgr::COMMIT_TS, 0, page)
}

/// ZERO_OFF_PAGE or ZERO_MEM_PAGE of the multixacts.
pub fn log_multixact_zeropage(wal: &mut WalWriter, backend: &mut BackendWal, of: MultiXactType, page: u64) -> Inserted {
    log_zeropage(wal, backend, Rmgr::MULTIXACT, of.info(), page)
}

/// `RecordNewMultiXact`: CREATE_ID. Members are transactions with what they do (`MultiXactStatus`), and lie from
/// `offset` on.
pub fn log_multixact_create(
    wal: &mut WalWriter,
    backend: &mut BackendWal,
    multi: u32,
    offset: u32,
    members: &[(TransactionId, i32)],
) -> Inserted {
    let head: &[u8] = &XlMultixactCreate::make(multi, offset, members.len() as i32);
    let members: Vec<u8> = members.iter().flat_map(|(xid, status)| MultiXactMember::make(*xid, *status)).collect();
    let main = [head, &members];
    wal.insert(backend, &Assembly { main: &main, ..Assembly::new(Rmgr::MULTIXACT, MultiXactType::CreateId.info()) })
}
