//! Rows of catalogs that a transaction writes more than once. There are no such rows here, but each that a transaction
//! inserts and then replaces uses up a combo command id (`HeapTupleHeaderAdjustCmax`,
//! src/backend/utils/time/combocid.c), which the rows of tables then do not get.

use super::Cluster;
use crate::storage::CommandId;
use crate::version::Behaviour;
use ffviz_format::page::Oid;

/// A row of a catalog.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CatalogRow {
    /// `pg_class`, of this relation
    Class(Oid),
    /// `pg_attribute`, of the columns of this table that have a DEFAULT (`atthasdef`)
    Defaults(Oid),
    /// `pg_index`, of this index
    Index(Oid),
    /// `pg_sequence`, of this sequence
    Sequence(Oid),
    /// `pg_statistic`, of the columns of this relation
    Statistics(Oid),
}

/// A row that the running transaction has written.
#[derive(Debug, Clone)]
pub(super) struct Written {
    row: CatalogRow,
    /// depth of the (sub)transaction that wrote it
    pub depth: usize,
    cmin: CommandId,
}

impl Cluster {
    /// The row is new, or replaces one.
    pub(super) fn write_row(&mut self, row: CatalogRow) {
        let depth = self.depth();
        let cid = self.pg.backend().xact.as_ref().map_or(0, |xact| xact.command_id);
        let known = self.session().rows.iter().rfind(|known| known.row == row).map(|known| known.cmin);
        if let Some(cmin) = known {
            self.pg.backend_mut().combo_command_id((cmin, cid));
        }
        self.session().rows.push(Written { row, depth, cmin: cid });
    }

    /// The row of `pg_class` is replaced. What VACUUM and its like put into it from now on goes with the transaction,
    /// should it abort. The new row begins as what the session has heard of the old one (`SearchSysCacheCopy1`): before
    /// 14 a change in place may be lost.
    pub(super) fn update_class_row(&mut self, oid: Oid) {
        self.pg.current_xid();
        self.write_row(CatalogRow::Class(oid));
        let heard = if self.version().tells_changes_in_place() { None } else { Some(self.known_stats(oid)) };
        self.edit_class(oid, |class| {
            class.row_version += 1;
            class.stats = heard.unwrap_or(class.stats);
        });
    }
}
