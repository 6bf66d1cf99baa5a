//! Which xids VACUUM removes and freezes (`vacuum_set_xid_limits` of 13 to 15, `vacuum_get_cutoffs` from 16 on,
//! src/backend/commands/vacuum.c).

use super::VacuumParams;
use crate::access::heap::freeze::VacuumCutoffs;
use crate::storage::{FileId, Instance};
use crate::version::Behaviour;
use ffviz_format::page::{FIRST_NORMAL_XID, TransactionId, precedes, precedes_or_equals};

/// `vacuum_multixact_freeze_min_age`
const MULTIXACT_FREEZE_MIN_AGE: u32 = 5_000_000;

/// So many xids before; never one of the special ones.
const fn before(xid: TransactionId, age: u32) -> TransactionId {
    let limit = xid.wrapping_sub(age);
    if limit < FIRST_NORMAL_XID { FIRST_NORMAL_XID } else { limit }
}

/// The bounds, and whether every page has to be visited that is not all-frozen (an aggressive VACUUM).
pub fn vacuum_get_cutoffs(pg: &mut Instance, file: FileId, params: &VacuumParams) -> (VacuumCutoffs, bool) {
    let oldest_xmin = pg.oldest_nonremovable(file);
    let oldest_mxact = pg.oldest_multixact();
    let (settings, own) = (&pg.settings, &pg.backend().settings);
    let (min_age, multi_age, table_age) = if params.freeze {
        (0, 0, 0)
    } else {
        let most = settings.autovacuum_freeze_max_age;
        let table_age = own.vacuum_freeze_table_age.unwrap_or(settings.vacuum_freeze_table_age);
        let min_age = own.vacuum_freeze_min_age.unwrap_or(settings.vacuum_freeze_min_age);
        (min_age.min(most / 2), MULTIXACT_FREEZE_MIN_AGE, table_age.min(most / 100 * 95))
    };
    let next_xid = pg.transam.next_xid;
    let start = if pg.version.freezes_pages() { next_xid } else { oldest_xmin };
    let limit = before(start, min_age);
    let freeze_limit = if precedes(oldest_xmin, limit) { oldest_xmin } else { limit };
    let multi_cutoff = oldest_mxact.saturating_sub(multi_age).max(1);
    let aggressive = precedes_or_equals(params.relfrozenxid, before(next_xid, table_age));
    (VacuumCutoffs { oldest_xmin, oldest_mxact, freeze_limit, multi_cutoff }, aggressive)
}
