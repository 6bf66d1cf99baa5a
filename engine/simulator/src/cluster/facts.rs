//! The catalog as captures of real servers have it, so that views and explanations need not know where pages come from.

use super::namespace::PUBLIC;
use super::temporary::PG_TEMP;
use super::{Catalog, Class, Cluster};
use crate::storage::{Buffer, IndexForm, RelationData, TableAm};
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::datum::Attribute;
use ffviz_format::page::{ForkNumber, Oid};
use ffviz_format::state::{AccessMethod, ForkBlocks, IndexColumns, PageId, RelKind, Relation, Server, State};

const FORKS: [ForkNumber; 4] = [ForkNumber::Main, ForkNumber::Fsm, ForkNumber::Vm, ForkNumber::Init];

impl Cluster {
    /// What captures say of the server.
    #[must_use]
    pub fn server(&self) -> Server {
        Server {
            version: self.version(),
            block_size: crate::storage::BLCKSZ,
            data_checksums: self.pg.settings.data_checksums,
            log_hints: self.pg.settings.log_hints(),
        }
    }

    /// All that there is to see, as a capture of everything.
    #[must_use]
    pub fn state(&self) -> State {
        let mut state = State::empty(self.server());
        for (oid, relation) in &self.pg.relations {
            let Some(facts) = self.facts(*oid) else { continue };
            for fork in FORKS {
                for block in 0..facts.blocks.of(fork) {
                    let id = PageId { relation: *oid, fork, block };
                    let buf = Buffer { file: relation.file, fork, block };
                    state.pages.insert(id, self.pg.buffers.page(buf).clone());
                }
            }
            state.relations.insert(*oid, Arc::new(facts));
        }
        state.lsn = Some(self.pg.wal.position().insert_lsn());
        state.redo = Some(self.pg.wal.redo_rec_ptr());
        state
    }

    /// A relation by the name that a trace gives it.
    #[must_use]
    pub fn find_traced(&self, name: &str) -> Option<&RelationData> {
        let mut all = self.pg.relations.values();
        all.find(|relation| self.catalog.trace_name(relation.oid).as_deref() == Some(name)).map(AsRef::as_ref)
    }

    /// What captures say of a relation; `None` where there is none of that oid, or it has no pages of its own.
    #[must_use]
    pub fn facts(&self, oid: Oid) -> Option<Relation> {
        let (class, relation) = (self.catalog.class(oid)?, self.pg.relations.get(&oid)?);
        if matches!(class.kind, RelKind::PartitionedTable | RelKind::PartitionedIndex) {
            return None;
        }
        let locator = self.pg.buffers.locator(relation.file);
        Some(Relation {
            oid,
            schema: class.schema.clone(),
            name: class.name.clone(),
            kind: class.relkind(),
            am: access_method(class, relation.am),
            table: class.table.filter(|_| class.kind != RelKind::Sequence),
            filenode: class.filenode,
            database: locator.db,
            tablespace: locator.spc,
            fillfactor: relation.fillfactor,
            blocks: self.blocks(relation),
            attributes: relation.desc.attributes().to_vec(),
            index: relation.index.as_ref().map(|form| index_columns(form, class)),
            stats: None,
        })
    }

    fn blocks(&self, relation: &RelationData) -> ForkBlocks {
        let mut blocks = ForkBlocks::default();
        for fork in FORKS {
            blocks.set(fork, self.pg.buffers.nblocks(relation.file, fork));
        }
        blocks
    }
}

fn access_method(class: &Class, am: TableAm) -> AccessMethod {
    match class.kind {
        _ if am == TableAm::Undo => AccessMethod::Undo,
        RelKind::Sequence => AccessMethod::Sequence,
        RelKind::Index if class.is_brin => AccessMethod::Other("brin".to_string()),
        RelKind::Index if class.is_gist => AccessMethod::Other("gist".to_string()),
        RelKind::Index => AccessMethod::Btree,
        _ => AccessMethod::Heap,
    }
}

fn index_columns(form: &IndexForm, class: &Class) -> IndexColumns {
    IndexColumns {
        unique: form.unique,
        primary: form.primary,
        n_keys: form.n_keys,
        columns: form.columns.iter().map(|column| column.attnum).collect(),
        depends: class.depends.clone(),
        summarizing: form.summarizing,
        definition: class.definition.clone(),
    }
}

impl Catalog {
    /// What a trace calls a relation: its name, with the schema where that is not public; of a TOAST table `t.toast`,
    /// of that one's index `t.toast_idx`.
    #[must_use]
    pub fn trace_name(&self, oid: Oid) -> Option<String> {
        let class = self.class(oid)?;
        let table = class.table.and_then(|table| self.class(table));
        Some(match (class.kind, table) {
            (RelKind::Toast, Some(_)) => alloc::format!("{}.toast", self.trace_name(class.table?)?),
            (RelKind::Index, Some(toast)) if toast.kind == RelKind::Toast => {
                alloc::format!("{}.toast_idx", self.trace_name(toast.table?)?)
            }
            // there may be a table of the same name that it hides
            _ if class.schema.starts_with(PG_TEMP) => alloc::format!("{PG_TEMP}.{}", class.name),
            _ if class.schema != PUBLIC => alloc::format!("{}.{}", class.schema, class.name),
            _ => class.name.clone(),
        })
    }

    /// The columns of a table that are there, in order.
    #[must_use]
    pub fn live_columns(relation: &RelationData) -> Vec<&Attribute> {
        relation.desc.attributes().iter().filter(|attribute| !attribute.dropped).collect()
    }
}
