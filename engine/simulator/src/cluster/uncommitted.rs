//! What a session sees of the catalog while transactions of others have changed it: the rows before them
//! (`GetCatalogSnapshot`, src/backend/utils/time/snapmgr.c).
//!
//! ```text
//!                     catalog, relation cache
//!  between statements what all sessions have made of it, committed or not
//!  a statement runs   what is committed, and what its own transaction did;  the others' is put aside ──▶ put back at its end
//! ```
//!
//! Locks let few such changes be met: an index that is being made (other sessions may read the table, or make indexes
//! too), a storage parameter, ANALYZE.

use super::{Class, Cluster, Undo};
use crate::storage::RelationData;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ffviz_format::page::Oid;
use ffviz_format::state::RelKind;

/// What the catalog says of a relation, and the relation cache.
type Known = (Option<Arc<Class>>, Option<Arc<RelationData>>);

/// A relation as another session's transaction has made it; `None`: it has dropped it.
#[derive(Debug, Clone)]
pub(super) struct Uncommitted {
    oid: Oid,
    /// the session
    owner: usize,
    class: Option<Arc<Class>>,
    relation: Option<Arc<RelationData>>,
}

impl Cluster {
    /// The running session looks at the catalog: what transactions of others have changed is as it was.
    pub fn hide_uncommitted(&mut self) {
        let me = self.pg.me;
        for owner in (0..self.sessions.len()).filter(|owner| *owner != me) {
            for at in 0..self.sessions[owner].undo.len() {
                let Undo { oid, class, relation, .. } = self.sessions[owner].undo[at].clone();
                if self.uncommitted.iter().all(|hidden| hidden.oid != oid) {
                    let (class, relation) = self.exchange(oid, class, relation);
                    self.uncommitted.push(Uncommitted { oid, owner, class, relation });
                }
            }
        }
        for at in 0..self.uncommitted.len() {
            self.refresh_indexes(self.uncommitted[at].oid);
        }
    }

    /// The statement is at its end, or waits: everything is there again.
    pub fn show_uncommitted(&mut self) {
        let hidden = core::mem::take(&mut self.uncommitted);
        let oids: Vec<Oid> = hidden.iter().map(|hidden| hidden.oid).collect();
        for Uncommitted { oid, owner, mut class, relation } in hidden {
            if let (Some(now), Some(its)) = (self.catalog.class(oid).cloned(), &mut class) {
                self.change_in_place(owner, &now, its);
            }
            self.exchange(oid, class, relation);
        }
        oids.into_iter().for_each(|oid| self.refresh_indexes(oid));
    }

    /// What was changed in place in a row is changed for the transaction that has the same row, and for its end.
    fn change_in_place(&mut self, owner: usize, now: &Class, its: &mut Arc<Class>) {
        let before = self.sessions[owner].undo.iter_mut().filter_map(|undo| undo.class.as_mut());
        let is_same_row = |class: &&mut Arc<Class>| class.oid == now.oid && class.row_version == now.row_version;
        for class in before.chain([its]).filter(is_same_row).filter(|class| class.stats != now.stats) {
            Arc::make_mut(class).stats = now.stats;
        }
    }

    /// What is known of a relation is something else from now on. Gives what it was.
    fn exchange(&mut self, oid: Oid, class: Option<Arc<Class>>, relation: Option<Arc<RelationData>>) -> Known {
        let before = (self.catalog.class(oid).cloned(), self.pg.relations.get(&oid).cloned());
        self.put(oid, class, relation);
        before
    }

    /// Has a relation of the schema the name, one that the running session sees or one that another session's
    /// transaction has made?
    pub(super) fn is_taken(&self, schema: &str, name: &str) -> bool {
        let mut made = self.uncommitted.iter().filter_map(|hidden| hidden.class.as_ref());
        self.catalog.find(schema, name).is_some()
            || self.catalog.view(schema, name).is_some()
            || made.any(|class| class.name == name && class.schema == schema)
    }

    /// A table has the indexes that are there: two transactions may have made some at once.
    pub(super) fn refresh_indexes(&mut self, oid: Oid) {
        let Some(relation) = self.pg.relations.get(&oid).filter(|relation| relation.kind == RelKind::Table) else {
            return;
        };
        if !self.catalog.indexes(oid).map(|class| class.oid).eq(relation.indexes.iter().copied()) {
            let mut relation = RelationData::clone(relation);
            self.columns_of_indexes(oid).set(&mut relation);
            self.pg.relations.insert(oid, Arc::new(relation));
        }
    }
}
