//! What a session has looked up in catalogs besides relations, and need not look up again (src/backend/utils/cache/catcache.c, typcache.c;
//! `OprCacheHash`, src/backend/parser/parse_oper.c).
//!
//! What is looked up for the first time is read from the catalog, which moves the horizon of a transaction that keeps its snapshot (`read_catalog`).

use super::Cluster;
use crate::page::Oid;
use alloc::vec::Vec;

/// What is looked up. No statement here changes operators, functions, casts or types, so that only statistics have to be read again.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lookup {
    /// an operator by its name, for operands of these types; 0: it stands before the only one (`oper`, `left_oper`)
    Operator(&'static str, Oid, Oid),
    /// a function by its name, for arguments of these types (`func_get_detail`)
    Function(Vec<u8>, Vec<Oid>),
    /// how a value of one type becomes one of the other (`find_coercion_pathway`); of the same, how its length is cut
    Cast(Oid, Oid),
    /// the type of arrays of this one (`get_array_type`)
    ArrayOf(Oid),
    /// a type by its name (`typenameType`)
    TypeName(Oid),
    /// how values of a type are sorted (`get_sort_group_operators`); true: from the greatest down
    Sort(Oid, bool),
    /// a type by its oid, for how wide its values are (`get_typavgwidth`)
    Width(Oid),
    /// what ANALYZE has found out of a column, or that it has not (`STATRELATTINH`)
    Statistics(Oid, u16),
}

impl Cluster {
    /// `SearchCatCache`: the running session reads what it has not looked up before.
    pub fn look_up(&mut self, wanted: impl IntoIterator<Item = Lookup>) {
        let known = &mut self.session().looked_up;
        let count = known.len();
        known.extend(wanted);
        if known.len() > count {
            self.read_catalog();
        }
    }

    /// All sessions hear that a relation's statistics are others (`CatCacheInvalidate`).
    pub(super) fn forget_statistics(&mut self, oid: Oid) {
        for session in &mut self.sessions {
            session.looked_up.retain(|lookup| !matches!(lookup, Lookup::Statistics(relation, _) if *relation == oid));
        }
    }
}
