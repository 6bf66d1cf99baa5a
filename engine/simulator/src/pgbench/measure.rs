//! The numbers that are kept of a run: a sample every so many transactions.

use crate::access::transam::RecordKind;
use crate::sql::run::Simulator;
use crate::storage::{Buffer, RelationData};
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::page::{ForkNumber, PgVersion};
use ffviz_format::state::RelKind;
use ffviz_story::timeline::{RelationSize, Sample, Samples, Usage, WalUsage};

/// Samples of a run, at most.
const MOST: u64 = 200;
/// Pages that are looked at for all samples of a run, more or less.
const PAGES: u64 = 20_000_000;

/// Takes the samples.
#[derive(Debug)]
pub(super) struct Measure {
    /// transactions of a sample
    every: u64,
    usage: Usage,
    by_kind: Vec<(RecordKind, WalUsage)>,
    /// what was taken
    pub samples: Samples,
}

impl Measure {
    /// From now on, for so many transactions.
    pub fn new(simulator: &Simulator, transactions: u64) -> Self {
        let pages = simulator.db.cluster.pg.buffers.blocks().max(1);
        let count = (PAGES / pages).clamp(20, MOST);
        let mut measure = Self {
            every: transactions.div_ceil(count).max(1),
            usage: simulator.db.cluster.pg.usage(),
            by_kind: simulator.db.cluster.pg.wal.usage_by_kind().collect(),
            samples: Samples::default(),
        };
        measure.take(simulator, 0);
        measure
    }

    /// So many transactions are done.
    pub fn note(&mut self, simulator: &Simulator, transactions: u64) {
        if transactions.is_multiple_of(self.every) {
            self.take(simulator, transactions);
        }
    }

    /// The last transactions, though they are fewer.
    pub fn finish(&mut self, simulator: &Simulator, transactions: u64) {
        if self.samples.transactions() < transactions {
            self.take(simulator, transactions);
        }
    }

    fn take(&mut self, simulator: &Simulator, transactions: u64) {
        let pg = &simulator.db.cluster.pg;
        let usage = pg.usage();
        let by_kind: Vec<_> = pg.wal.usage_by_kind().collect();
        let wal = by_kind.iter().filter_map(|(kind, now)| {
            let known = self.by_kind.iter().find(|(known, _)| known == kind);
            let since = *now - known.map(|(_, then)| *then).unwrap_or_default();
            (since.records > 0).then(|| (name(*kind, pg.version), since))
        });
        let sample =
            Sample { transactions, usage: usage - self.usage, wal: wal.collect(), relations: sizes(simulator) };
        self.samples.all.push(sample);
        (self.usage, self.by_kind) = (usage, by_kind);
    }
}

/// `Heap/HOT_UPDATE`, as `pg_waldump` prints it
fn name(RecordKind(rmgr, info): RecordKind, version: PgVersion) -> String {
    format!("{}/{}", rmgr.name(), rmgr.type_name(info, version))
}

fn sizes(simulator: &Simulator) -> Vec<RelationSize> {
    let cluster = &simulator.db.cluster;
    let all = cluster.pg.relations.values().filter(|relation| relation.kind != RelKind::Sequence);
    let size = |relation: &Arc<RelationData>| {
        let name = cluster.catalog.trace_name(relation.oid)?;
        let blocks = cluster.pg.buffers.nblocks(relation.file, ForkNumber::Main);
        let free =
            (0..blocks).map(|block| u64::from(cluster.pg.buffers.page(Buffer::main(relation.file, block)).free()));
        Some(RelationSize { name, is_index: relation.kind == RelKind::Index, blocks, free: free.sum() })
    };
    all.filter_map(size).collect()
}
