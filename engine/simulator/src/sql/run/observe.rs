//! What is otherwise than after the last statement: pages, lengths, records; as a server's observer sees it.

use crate::cluster::Cluster;
use crate::sql::trace::{ForkTrace, PageTrace, WalTrace, is_end, is_listed};
use crate::storage::{Buffer, FileId};
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use ffviz_format::page::{BlockNumber, ForkNumber, Lsn, Oid, Page};
use ffviz_format::wal::{DecodedRecord, RelFileLocator};

const FORKS: [ForkNumber; 4] = [ForkNumber::Main, ForkNumber::Fsm, ForkNumber::Vm, ForkNumber::Init];

/// All pages as they were, and what the files were called.
#[derive(Debug, Clone, Default)]
pub(super) struct Observer {
    files: BTreeMap<Oid, File>,
    names: BTreeMap<RelFileLocator, String>,
    /// where the records begin that were not listed yet
    seen: Lsn,
}

/// What a statement has changed.
#[derive(Debug, Default)]
pub(super) struct Seen {
    pub pages: Vec<PageTrace>,
    pub forks: Vec<ForkTrace>,
    /// records about pages
    pub wal: Vec<WalTrace>,
    /// the others that are compared
    pub ends: Vec<WalTrace>,
}

/// A relation's file.
#[derive(Debug, Clone, Default)]
struct File {
    name: Option<String>,
    id: Option<FileId>,
    filenode: Oid,
    /// forks that exist
    forks: BTreeMap<ForkNumber, Vec<Page>>,
}

impl File {
    fn blocks(&self, fork: ForkNumber) -> BlockNumber {
        self.forks.get(&fork).map_or(0, |pages| pages.len() as BlockNumber)
    }
}

impl Observer {
    /// Looks at everything, and takes the records that were written.
    pub fn look(&mut self, cluster: &Cluster) -> Seen {
        let mut files = read(cluster);
        // what an open transaction has dropped is there until its end, also an index whose file another one has
        let is_open = cluster.pg.backends.iter().any(|backend| backend.xact.as_ref().is_some_and(|it| it.in_block));
        let is_taken_over = |id| is_open && files.values().any(|file| file.id == Some(id));
        let waits = |file: &&File| file.id.is_some_and(|id| cluster.is_to_be_dropped(id) || is_taken_over(id));
        let waiting: Vec<(Oid, File)> =
            self.files.iter().filter(|(_, file)| waits(file)).map(|(oid, file)| (*oid, file.clone())).collect();
        for (oid, file) in waiting {
            files.entry(oid).or_insert(file);
        }
        for relation in cluster.pg.relations.values() {
            if let Some(name) = cluster.catalog.trace_name(relation.oid) {
                self.names.insert(cluster.pg.buffers.locator(relation.file), name);
            }
        }
        let before = core::mem::replace(&mut self.files, files);
        let (pages, forks) = (self.changed_pages(&before), self.changed_forks(&before));
        let seen = Seen { pages, forks, wal: self.records(cluster, is_listed), ends: self.records(cluster, is_end) };
        self.seen = cluster.pg.wal.position().next_start();
        seen
    }

    fn changed_pages(&self, before: &BTreeMap<Oid, File>) -> Vec<PageTrace> {
        let mut changed = Vec::new();
        for (oid, file) in &self.files {
            let known = before.get(oid).filter(|known| known.filenode == file.filenode);
            for (fork, pages) in &file.forks {
                let old = known.and_then(|known| known.forks.get(fork)).map_or(&[][..], Vec::as_slice);
                for (block, page) in pages.iter().enumerate() {
                    if !old.get(block).is_some_and(|old| old.same(page) || old == page) {
                        let (rel, blk) = (file.name.clone(), block as BlockNumber);
                        changed.push(PageTrace { rel, fork: *fork, blk, page: page.clone() });
                    }
                }
            }
        }
        changed
    }

    fn changed_forks(&self, before: &BTreeMap<Oid, File>) -> Vec<ForkTrace> {
        let mut changed = Vec::new();
        let fork = |file: &File, fork, blocks| ForkTrace { rel: file.name.clone(), fork, blocks };
        for (oid, file) in &self.files {
            for at in FORKS {
                if before.get(oid).map_or(0, |known| known.blocks(at)) != file.blocks(at) {
                    changed.push(fork(file, at, file.blocks(at)));
                }
            }
        }
        for file in before.iter().filter(|(oid, _)| !self.files.contains_key(oid)).map(|(_, file)| file) {
            changed.extend(FORKS.into_iter().filter(|at| file.blocks(*at) > 0).map(|at| fork(file, at, 0)));
        }
        changed
    }

    fn records(&self, cluster: &Cluster, is_wanted: fn(&DecodedRecord<'_>) -> bool) -> Vec<WalTrace> {
        let version = cluster.version();
        let records = cluster.pg.wal.records();
        let first = records.partition_point(|record| record.start < self.seen);
        let wanted =
            records[first..].iter().filter(|record| record.decode(version).is_ok_and(|decoded| is_wanted(&decoded)));
        let name = |file: RelFileLocator| self.names.get(&file).cloned();
        wanted.filter_map(|record| WalTrace::of(record, version, name).ok()).collect()
    }
}

fn read(cluster: &Cluster) -> BTreeMap<Oid, File> {
    let buffers = &cluster.pg.buffers;
    let mut files = BTreeMap::new();
    for relation in cluster.pg.relations.values() {
        let mut file = File {
            name: cluster.catalog.trace_name(relation.oid),
            id: Some(relation.file),
            filenode: buffers.locator(relation.file).rel,
            forks: BTreeMap::new(),
        };
        for fork in FORKS.into_iter().filter(|fork| buffers.exists(relation.file, *fork)) {
            let page = |block| buffers.page(Buffer { file: relation.file, fork, block }).clone();
            file.forks.insert(fork, (0..buffers.nblocks(relation.file, fork)).map(page).collect());
        }
        files.insert(relation.oid, file);
    }
    files
}
