//! Records that have a function of their own, made of the values that the server's record says.

use ffviz_format::page::layout::Wire;
use ffviz_format::page::{ForkNumber, Page};
use ffviz_format::wal::rec::other::{MultiXactMember, XlMultixactCreate, XlSmgrCreate, XlSmgrTruncate};
use ffviz_format::wal::rec::standby::{MESSAGE_SIZE, XlInvalidations, XlRunningXacts, XlStandbyLock};
use ffviz_format::wal::rec::xact::{
    XACT_XINFO_HAS_DBINFO, XACT_XINFO_HAS_DROPPED_STATS, XACT_XINFO_HAS_GID, XACT_XINFO_HAS_INVALS,
    XACT_XINFO_HAS_ORIGIN, XACT_XINFO_HAS_RELFILELOCATORS, XACT_XINFO_HAS_SUBXACTS, XACT_XINFO_HAS_TWOPHASE, XactEnd,
    XlXactAssignment, XlXactDbinfo, XlXactEnd, XlXactOrigin, XlXactStatsItem, XlXactStatsItem15,
};
use ffviz_format::wal::rec::xlog::CheckPoint;
use ffviz_format::wal::record_type::MultiXactType;
use ffviz_format::wal::{BlockTag, DecodedRecord, RecordType, RelFileLocator};
use ffviz_simulator::access::transam::*;

/// Types of record that have one in all versions, and that the workloads reach.
pub const OF_ALL_VERSIONS: [(u8, &str); 21] = [
    (0, "CHECKPOINT_ONLINE"),
    (0, "CHECKPOINT_SHUTDOWN"),
    (0, "NEXTOID"),
    (0, "FPW_CHANGE"),
    (0, "SWITCH"),
    (0, "FPI_FOR_HINT"),
    (0, "FPI"),
    (1, "COMMIT"),
    (1, "ABORT"),
    (1, "COMMIT_PREPARED"),
    (1, "ABORT_PREPARED"),
    (1, "ASSIGNMENT"),
    (2, "CREATE"),
    (2, "TRUNCATE"),
    (3, "ZEROPAGE"),
    (18, "ZEROPAGE"),
    (6, "ZERO_MEM_PAGE"),
    (6, "CREATE_ID"),
    (8, "LOCK"),
    (8, "RUNNING_XACTS"),
    (8, "INVALIDATIONS"),
];

/// Inserts the record by its function; `None` where it has none.
pub fn insert(
    wal: &mut WalWriter,
    backend: &mut BackendWal,
    record: &DecodedRecord<'_>,
    pages: &[Page],
) -> Option<Inserted> {
    let main = record.main_data;
    let blocks: Vec<(BlockTag, &[u8])> =
        record.blocks.iter().map(|block| block.tag).zip(pages.iter().map(Page::bytes)).collect();
    let has_hole = record.blocks.iter().any(|block| block.image.is_some_and(|image| image.hole_length > 0));
    Some(match (record.rmgr().0, record.type_name().as_str()) {
        (0, "CHECKPOINT_REDO") => {
            wal.settings.level = level(i32::get(main));
            begin_checkpoint(wal, backend, CheckpointKind::Online);
            last(wal)
        }
        (0, "CHECKPOINT_ONLINE") => checkpoint(wal, backend, CheckpointKind::Online, main),
        (0, "CHECKPOINT_SHUTDOWN") => checkpoint(wal, backend, CheckpointKind::Shutdown, main),
        (0, "NEXTOID") => log_nextoid(wal, backend, u32::get(main)),
        (0, "FPW_CHANGE") => wal.update_full_page_writes(backend, main[0] != 0)?,
        (0, "SWITCH") => wal.switch(backend)?,
        (0, "FPI_FOR_HINT") => log_hint_image(wal, backend, blocks[0], has_hole)?,
        (0, "FPI") if blocks.len() == 1 => log_newpage(wal, backend, blocks[0], has_hole),
        (0, "FPI") => log_newpages(wal, backend, &blocks, has_hole).pop()?,
        (1, "COMMIT" | "ABORT" | "COMMIT_PREPARED" | "ABORT_PREPARED") => xact_end(wal, backend, record),
        (1, "ASSIGNMENT") => {
            let subxacts: Vec<u32> = values(&main[XlXactAssignment::SIZE..]);
            log_xact_assignment(wal, backend, XlXactAssignment::new(main).xtop(), &subxacts)
        }
        (2, "CREATE") => {
            let create = XlSmgrCreate::new(main);
            let fork = ForkNumber::of_number(create.forkNum() as u8)?;
            log_smgr_create(wal, backend, create.rlocator(), fork)
        }
        (2, "TRUNCATE") => {
            let truncate = XlSmgrTruncate::new(main);
            log_smgr_truncate(wal, backend, truncate.rlocator(), truncate.blkno(), truncate.flags())
        }
        (3, "ZEROPAGE") => log_clog_zeropage(wal, backend, number(main)),
        (18, "ZEROPAGE") => log_committs_zeropage(wal, backend, number(main)),
        (6, "ZERO_OFF_PAGE") => log_multixact_zeropage(wal, backend, MultiXactType::ZeroOffPage, number(main)),
        (6, "ZERO_MEM_PAGE") => log_multixact_zeropage(wal, backend, MultiXactType::ZeroMemPage, number(main)),
        (6, "CREATE_ID") => {
            let create = XlMultixactCreate::new(main);
            let members = main[XlMultixactCreate::SIZE..].chunks_exact(8).map(MultiXactMember::new);
            let members: Vec<_> = members.map(|member| (member.xid(), member.status())).collect();
            log_multixact_create(wal, backend, create.mid(), create.moff(), &members)
        }
        (8, name) => standby(wal, backend, record, name)?,
        _ => return None,
    })
}

/// `wal_level`, which initdb leaves at its default.
fn level(number: i32) -> WalLevel {
    match number {
        0 => WalLevel::Minimal,
        1 => WalLevel::Replica,
        _ => WalLevel::Logical,
    }
}

/// Bytes of alignment that the server leaves as the stack had them, in bytes from the record's start.
pub fn left_unset(record: &DecodedRecord<'_>) -> std::ops::Range<usize> {
    let main = record.record.bytes.len() - record.main_data.len();
    match record.type_name().as_str() {
        "RUNNING_XACTS" => main + 9..main + 12,
        _ => 0..0,
    }
}

fn last(wal: &WalWriter) -> Inserted {
    let record = wal.records().last().expect("records are kept");
    Inserted { start: record.start, end: record.end, tot_len: record.bytes.len() as u32, images: 0 }
}

fn values<T: Wire>(bytes: &[u8]) -> Vec<T> {
    bytes.chunks_exact(T::SIZE).map(T::get).collect()
}

/// Number of an SLRU's page.
fn number(main: &[u8]) -> u64 {
    u64::get(main)
}

fn checkpoint(wal: &mut WalWriter, backend: &mut BackendWal, kind: CheckpointKind, main: &[u8]) -> Inserted {
    let said = CheckPoint::new(main);
    if wal.settings.version.major() >= 17 {
        wal.settings.level = level(said.wal_level());
    }
    if kind == CheckpointKind::Shutdown {
        assert_eq!(begin_checkpoint(wal, backend, kind), said.redo().0, "redo of a shutdown is the record's own start");
    }
    let state = CheckpointState {
        this_timeline: said.ThisTimeLineID(),
        prev_timeline: said.PrevTimeLineID(),
        next_xid: said.nextXid().0,
        next_oid: said.nextOid(),
        next_multi: said.nextMulti(),
        next_multi_offset: said.nextMultiOffset(),
        oldest_xid: said.oldestXid(),
        oldest_xid_db: said.oldestXidDB(),
        oldest_multi: said.oldestMulti(),
        oldest_multi_db: said.oldestMultiDB(),
        time: said.time(),
        oldest_commit_ts_xid: said.oldestCommitTsXid(),
        newest_commit_ts_xid: said.newestCommitTsXid(),
        oldest_active_xid: said.oldestActiveXid(),
    };
    log_checkpoint(wal, backend, kind, said.redo().0, &state)
}

fn standby(wal: &mut WalWriter, backend: &mut BackendWal, record: &DecodedRecord<'_>, name: &str) -> Option<Inserted> {
    let main = record.main_data;
    match name {
        "LOCK" => {
            let locks = main[4..].chunks_exact(XlStandbyLock::SIZE).map(XlStandbyLock::new);
            let locks: Vec<_> = locks.map(|lock| (lock.xid(), lock.dbOid(), lock.relOid())).collect();
            Some(log_access_exclusive_locks(wal, backend, &locks))
        }
        "RUNNING_XACTS" => {
            let said = XlRunningXacts::new(main);
            let all: Vec<u32> = values(&main[XlRunningXacts::SIZE..]);
            let (xids, subxids) = all.split_at(said.xcnt() as usize);
            let running = RunningXacts {
                xids,
                subxids,
                subxid_overflow: said.subxid_overflow(),
                next_xid: said.nextXid(),
                oldest_running_xid: said.oldestRunningXid(),
                latest_completed_xid: said.latestCompletedXid(),
            };
            Some(log_running_xacts(wal, backend, &running))
        }
        "INVALIDATIONS" => {
            let said = XlInvalidations::new(main);
            let (messages, _) = main[XlInvalidations::SIZE..].as_chunks::<MESSAGE_SIZE>();
            let dbinfo = (said.dbId(), said.tsId());
            Some(log_invalidations(wal, backend, dbinfo, said.relcacheInitFileInval(), messages))
        }
        _ => None,
    }
}

/// Bits of `xinfo` that announce a part, which is then there.
const PARTS: u32 = XACT_XINFO_HAS_DBINFO
    | XACT_XINFO_HAS_SUBXACTS
    | XACT_XINFO_HAS_RELFILELOCATORS
    | XACT_XINFO_HAS_INVALS
    | XACT_XINFO_HAS_TWOPHASE
    | XACT_XINFO_HAS_ORIGIN
    | XACT_XINFO_HAS_GID
    | XACT_XINFO_HAS_DROPPED_STATS;

fn xact_end(wal: &mut WalWriter, backend: &mut BackendWal, record: &DecodedRecord<'_>) -> Inserted {
    let RecordType::Xact(kind) = record.record_type() else { panic!("{} ends no transaction", record.type_name()) };
    let said = XactEnd::new(record.main_data, record.info(), record.version, kind.commits());
    let subxacts: Vec<u32> = said.subxacts.items.values();
    let rels: Vec<RelFileLocator> = said.rels.items.values();
    let stats: Vec<DroppedStats> = if record.major() >= 18 {
        said.stats.items.elements(XlXactStatsItem::SIZE).map(|part| new_stats(part.bytes)).collect()
    } else {
        said.stats.items.elements(XlXactStatsItem15::SIZE).map(|part| old_stats(part.bytes)).collect()
    };
    let gid = std::str::from_utf8(&said.gid.bytes[..said.gid.bytes.len().saturating_sub(1)]).expect("a name");
    let (dbinfo, origin) = (XlXactDbinfo::new(said.dbinfo.bytes), XlXactOrigin::new(said.origin.bytes));
    let end = XactEndRecord {
        completion: said.xinfo() & !PARTS,
        dbinfo: (!said.dbinfo.is_empty()).then(|| (dbinfo.dbId(), dbinfo.tsId())),
        subxacts: &subxacts,
        rels: &rels,
        stats: &stats,
        messages: said.msgs.items.bytes.as_chunks::<MESSAGE_SIZE>().0,
        twophase: (!said.twophase_xid.is_empty())
            .then(|| (u32::get(said.twophase_xid.bytes), (!said.gid.is_empty()).then_some(gid))),
        origin: (!said.origin.is_empty())
            .then(|| XactOrigin { lsn: origin.origin_lsn().0, timestamp: origin.origin_timestamp() }),
        ..XactEndRecord::new(kind, XlXactEnd::new(said.time.bytes).xact_time())
    };
    log_xact_end(wal, backend, &end)
}

fn new_stats(bytes: &[u8]) -> DroppedStats {
    let item = XlXactStatsItem::new(bytes);
    let object = u64::from(item.objid_hi()) << 32 | u64::from(item.objid_lo());
    DroppedStats { kind: item.kind(), db: item.dboid(), object }
}

fn old_stats(bytes: &[u8]) -> DroppedStats {
    let item = XlXactStatsItem15::new(bytes);
    DroppedStats { kind: item.kind(), db: item.dboid(), object: u64::from(item.objoid()) }
}
