//! The simulated server: loaded from a capture, it does what the real one does.

use super::history::Action;
use super::server::{Capture, FORKS, Server};
use ffviz_format::datum::TupleDesc;
use ffviz_format::page::{ItemPointer, Lsn};
use ffviz_format::state::RelKind;
use ffviz_format::wal::{DEFAULT_SEGMENT_SIZE, Record};
use ffviz_simulator::access::heap::scan::HeapScan;
use ffviz_simulator::access::heap::vacuum::{IndexCleanup, IndexVacuum, VacuumParams, heap_vacuum_rel};
use ffviz_simulator::access::transam::{InsertPosition, Keep, WalLevel, WalSettings, WalWriter};
use ffviz_simulator::storage::{
    Backend, Buffer, Happening, Instance, IsolationLevel, MultiXacts, Outcome, RelationData, ReplicaIdentity, Settings,
    TableAm, Trace, Transam, VacuumOptions, Xact, XidStatus,
};
use std::sync::Arc;

/// The simulated server and the table.
pub struct Simulated {
    pub pg: Instance,
    pub rel: Arc<RelationData>,
    params: VacuumParams,
    /// records of the last action
    pub records: Vec<Record>,
    /// decisions that were told in it
    pub told: Vec<String>,
    /// where the records end that were written since it was loaded: its own, and the server's
    pub ends: [Vec<Lsn>; 2],
}

/// No entry is simulated here.
struct NoIndex;

impl IndexVacuum for NoIndex {
    fn bulk_delete(&mut self, _: &mut Instance, dead: &[ItemPointer]) -> Outcome<()> {
        assert!(dead.is_sorted(), "the TIDs ascend");
        Ok(())
    }

    fn cleanup(&mut self, _: &mut Instance) -> Outcome<()> {
        Ok(())
    }
}

/// A server that is as the real one is.
pub fn load(capture: &Capture, server: &Server<'_>) -> Simulated {
    let settings = WalSettings {
        version: server.version,
        level: WalLevel::Replica,
        compression: None,
        consistency_checking: Vec::new(),
    };
    let position = InsertPosition::new(capture.insert, capture.insert, DEFAULT_SEGMENT_SIZE);
    let wal = WalWriter::new(settings, position, capture.redo, Keep::Records);
    let settings = Settings { data_checksums: server.checksums, ..Settings::default() };
    let mut pg = Instance::new(settings, wal, transam(capture));
    pg.multixacts = MultiXacts::restored(1, capture.multixacts.clone());
    for (xmin, xid) in &capture.readers {
        let mut backend = Backend::new("reader".to_owned(), pg.wal.backend(), pg.settings.of_sessions.clone());
        let mut xact = Xact::new(IsolationLevel::RepeatableRead, true);
        xact.levels[0].xid = *xid;
        (backend.proc_xmin, backend.xact) = (*xmin, Some(xact));
        pg.backends.push(backend);
    }
    pg.trace = Trace::of(usize::MAX);
    let file = pg.buffers.create(capture.locator, server.table.permanent);
    for (fork, pages) in FORKS.into_iter().zip(&capture.forks) {
        let Some(pages) = pages else { continue };
        pg.buffers.create_fork(file, fork);
        pg.buffers.extend(file, fork, pages.len() as u32);
        for (block, page) in (0..).zip(pages) {
            pg.buffers.replace(Buffer { file, fork, block }, page.clone());
        }
    }
    let rel = RelationData {
        oid: server.oid,
        name: server.table.name.to_owned(),
        kind: RelKind::Table,
        file,
        am: TableAm::Heap,
        permanent: server.table.permanent,
        created_by: None,
        desc: Arc::new(TupleDesc::new(Vec::new())),
        fillfactor: server.table.fillfactor,
        toast_tuple_target: 2032,
        vacuum: VacuumOptions::default(),
        replica_identity: ReplicaIdentity::Default,
        toast: None,
        indexes: if server.table.indexed { vec![1] } else { Vec::new() },
        indexed: Vec::new(),
        index: None,
    };
    let params = VacuumParams {
        freeze: false,
        disable_page_skipping: false,
        index_cleanup: IndexCleanup::Auto,
        truncate: true,
        may_lock_exclusively: true,
        database: capture.locator.db,
        relpages: capture.relpages as u32,
        reltuples: capture.reltuples,
        relfrozenxid: capture.relfrozenxid,
        relminmxid: 1,
    };
    Simulated { pg, rel: Arc::new(rel), params, records: Vec::new(), told: Vec::new(), ends: [Vec::new(), Vec::new()] }
}

fn transam(capture: &Capture) -> Transam {
    let mut transam = Transam::new(capture.first_xid, 100_000);
    for status in &capture.status {
        let xid = transam.assign(None);
        if *status != XidStatus::InProgress {
            transam.end([xid], *status, None);
        }
    }
    transam
}

/// Does it in a new session; afterwards the counters are those of the real server.
pub fn act(simulated: &mut Simulated, action: Action, after: &Capture) {
    let pg = &mut simulated.pg;
    let session = format!("session {}", pg.backends.len());
    pg.switch_to(&session);
    pg.start_transaction(false);
    let rel = Arc::clone(&simulated.rel);
    if action == Action::Select {
        let snapshot = pg.get_snapshot();
        let mut scan = HeapScan::new(pg, &rel);
        while scan.next_page(pg, &rel, &snapshot).expect("a page").is_some() {}
    } else {
        pg.backend_mut().in_vacuum = true;
        pg.get_snapshot();
        let stats = heap_vacuum_rel(pg, &rel, params(simulated.params, action), &mut NoIndex).expect("a VACUUM");
        let class = stats.class;
        let figures = (after.relpages as u32, after.reltuples);
        assert_eq!(
            (class.relpages, class.reltuples),
            figures,
            "{action:?} of {}: pages and rows, before {:?}, {stats:?}",
            rel.name,
            simulated.params
        );
        (simulated.params.relpages, simulated.params.reltuples) = figures;
        simulated.params.relfrozenxid = class.relfrozenxid.unwrap_or(simulated.params.relfrozenxid);
        assert_eq!(simulated.params.relfrozenxid, after.relfrozenxid, "{action:?} of {}: relfrozenxid", rel.name);
    }
    let pg = &mut simulated.pg;
    let xid = pg.backend().top_xid();
    pg.transam.end(xid, XidStatus::Committed, None);
    let backend = pg.backend_mut();
    (backend.in_vacuum, backend.proc_xmin, backend.xact) = (false, None, None);
    // those with which the real server flushed its WAL
    while pg.transam.next_xid < after.first_xid + after.status.len() as u32 {
        let xid = pg.transam.assign(None);
        pg.transam.end([xid], XidStatus::Committed, None);
    }
    let told = pg.trace.happenings.drain(..).filter_map(|happening| match happening {
        Happening::Told(told) => Some(told.sentence),
        _ => None,
    });
    simulated.told = told.collect();
    let version = pg.version;
    let is_about = |record: &Record| {
        let decoded = record.decode(version).expect("an own record");
        decoded.rmgr() != ffviz_format::wal::Rmgr::STANDBY
    };
    simulated.records = pg.wal.take_records().into_iter().filter(is_about).collect();
}

fn params(params: VacuumParams, action: Action) -> VacuumParams {
    match action {
        Action::Select | Action::Vacuum => params,
        Action::VacuumFreeze => VacuumParams { freeze: true, ..params },
        Action::NoCleanup => VacuumParams { index_cleanup: IndexCleanup::Off, ..params },
        Action::Cleanup => VacuumParams { index_cleanup: IndexCleanup::On, ..params },
        Action::NoSkipping => VacuumParams { disable_page_skipping: true, ..params },
        Action::NoTruncate => VacuumParams { truncate: false, ..params },
    }
}
