//! What planning reads of catalogs besides relations: `get_relation_info` (src/backend/optimizer/util/plancat.c),
//! `examine_variable` (src/backend/utils/adt/selfuncs.c), `set_rel_width` (src/backend/optimizer/path/costsize.c).

use super::size::asks_widths;
use super::statement::Planner;
use crate::cluster::Lookup;
use crate::sql::catalog::TableInfo;
use crate::sql::expr::{Node, SYSTEM, Typed};
use crate::version::SqlBehaviour;
use alloc::vec::Vec;

impl Planner<'_> {
    /// What hangs on a table that is scanned. `alone`: nothing else is there that its foreign keys could lead to.
    pub fn look_up_relation(&mut self, table: &TableInfo, alone: bool) {
        let mut wanted = alloc::vec![Lookup::ExtendedStatistics(table.oid)];
        // until 17 a table that has no triggers is known to have none
        if !alone && (table.has_triggers || self.version().looks_up_all_foreign_keys()) {
            wanted.push(Lookup::ForeignKeys(table.oid));
        }
        self.catalog.look_up(wanted);
    }

    /// What ANALYZE found out of the columns that conditions are on, or that are wanted of each row; of all, where it
    /// is not known how many rows a page has (`estimate_rel_size`). Where it found nothing of a column that is wanted,
    /// its type says how wide it is.
    pub fn look_up_statistics(&mut self, table: &TableInfo, clauses: &[Typed], needed: &[u16]) {
        let all = 0..table.columns.len() as u16;
        let mut wide = needed.to_vec();
        if asks_widths(table, self.major()) {
            wide.extend(all.clone());
        }
        let mut slots = wide.clone();
        slots.retain(|slot| all.contains(slot));
        clauses.iter().for_each(|clause| clause.slots(&mut slots));
        let mut wanted: Vec<Lookup> = slots.into_iter().map(|slot| Lookup::Statistics(table.oid, slot)).collect();
        let has_statistics = |slot: u16| table.stats.iter().any(|(node, _)| *node == Node::Slot(slot));
        let types = wide.iter().filter(|slot| !has_statistics(**slot)).filter_map(|slot| {
            let system = || SYSTEM.get(usize::from(*slot) - table.columns.len()).map(|(_, ty)| *ty);
            table.columns.get(usize::from(*slot)).map_or_else(system, |column| Some(column.ty()))
        });
        wanted.extend(types.map(|ty| Lookup::Type(ty.oid)));
        self.catalog.look_up(wanted);
    }

    /// `getTypeOutputInfo`: how what is given is written.
    pub fn look_up_outputs<'a>(&mut self, given: impl Iterator<Item = &'a Typed>) {
        self.catalog.look_up(given.map(|output| Lookup::Type(output.ty.oid)).collect());
    }
}
