//! What a session has looked up in catalogs besides relations, and need not look up again
//! (src/backend/utils/cache/catcache.c, typcache.c; `OprCacheHash`, src/backend/parser/parse_oper.c).
//!
//! What is looked up for the first time is read from the catalog, which moves the horizon of a transaction that keeps
//! its snapshot (`read_catalog`).

use super::Cluster;
use alloc::vec::Vec;
use ffviz_format::datum::enums::is_enum;
use ffviz_format::page::Oid;

/// What is looked up. No statement here changes operators, functions, casts or types, so that only what is known of
/// relations has to be read again.
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
    /// a type by its oid, for how wide its values are (`get_typavgwidth`), or how they are written
    /// (`getTypeOutputInfo`)
    Type(Oid),
    /// a system column of a table, by its number among those that a row has (`scanRTEForColumn`)
    SystemColumn(Oid, u16),
    /// the operator that compares a key of one type with a value of the other, by the order of keys in an index and its
    /// strategy (`get_opfamily_member`)
    FamilyMember(Oid, Oid, Strategy),
    /// the families of orders that an operator belongs to (`get_mergejoin_opfamilies`, `get_ordering_op_properties`)
    Families(Comparison),
    /// whether an operator belongs to the family of an index (`op_in_opfamily`)
    InFamily(Comparison),
    /// how a key of one type is compared with a value of the other (`get_opfamily_proc`)
    Support(Oid, Oid),
    /// the name of a column (`get_attname`)
    ColumnName(Oid, u16),
    /// the name of a schema (`get_namespace_name`)
    SchemaName,
    /// a language by its name (`ExecuteDoStmt`)
    Language,
    /// what ANALYZE has found out of a column, or that it has not (`STATRELATTINH`)
    Statistics(Oid, u16),
    /// which publications a table belongs to (`rd_pubdesc`)
    Publications(Oid),
    /// which statistics of several columns a table has (`rd_statlist`)
    ExtendedStatistics(Oid),
    /// the foreign keys of a table (`rd_fkeylist`)
    ForeignKeys(Oid),
    /// the name of a relation (`get_rel_name`)
    RelationName(Oid),
}

/// An operator that compares: its name and what its families take for its operands' types.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Comparison(&'static str, Oid, Oid);

impl Comparison {
    /// The operator of that name of operands of these types.
    #[must_use]
    pub const fn new(name: &'static str, left: Oid, right: Oid) -> Self {
        Self(name, opcintype(left), opcintype(right))
    }
}

/// What an operator asks of the order of two values, of those that are looked for by it
/// (src/include/access/stratnum.h).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Strategy {
    /// `BTLessStrategyNumber`
    Less,
    /// `BTEqualStrategyNumber`
    Equal,
}

impl Lookup {
    /// The relation that a session forgets this of when it hears that it has changed.
    #[must_use]
    pub const fn of_relation(&self) -> Option<Oid> {
        match self {
            Self::Publications(oid)
            | Self::ExtendedStatistics(oid)
            | Self::ForeignKeys(oid)
            | Self::RelationName(oid) => Some(*oid),
            _ => None,
        }
    }

    /// The same of keys and values of one type.
    #[must_use]
    pub const fn member(of: Oid, strategy: Strategy) -> Self {
        Self::FamilyMember(opcintype(of), opcintype(of), strategy)
    }

    /// The equality of a key and a value.
    #[must_use]
    pub const fn equality(left: Oid, right: Oid) -> Self {
        Self::FamilyMember(opcintype(left), opcintype(right), Strategy::Equal)
    }

    /// How a key and a value are compared.
    #[must_use]
    pub const fn support(left: Oid, right: Oid) -> Self {
        Self::Support(opcintype(left), opcintype(right))
    }
}

/// `opcintype`: the type whose order values of a type are kept in.
const fn opcintype(of: Oid) -> Oid {
    const ANYARRAY: Oid = 2277;
    const ANYENUM: Oid = 3500;
    const ANYRANGE: Oid = 3831;
    match of {
        // varchar as text
        1043 => 25,
        // cidr as inet
        650 => 869,
        // int[] and text[]
        1007 | 1009 => ANYARRAY,
        3904 | 3906 | 3908 | 3910 | 3912 | 3926 => ANYRANGE,
        of if is_enum(of) => ANYENUM,
        _ => of,
    }
}

impl Cluster {
    /// `SearchCatCache`: the running session reads what it has not looked up before.
    pub fn look_up(&mut self, wanted: impl IntoIterator<Item = Lookup>) {
        let known = &mut self.session().looked_up;
        let count = known.len();
        for lookup in wanted {
            // the list of an operator's families has each of them
            let is_listed =
                matches!(&lookup, Lookup::InFamily(operator) if known.contains(&Lookup::Families(*operator)));
            if !is_listed {
                known.insert(lookup);
            }
        }
        if known.len() > count {
            self.pg.read_catalog();
        }
    }

    /// All sessions hear that a relation's statistics are others (`CatCacheInvalidate`).
    pub(super) fn forget_statistics(&mut self, oid: Oid) {
        for session in &mut self.sessions {
            session.looked_up.retain(|lookup| !matches!(lookup, Lookup::Statistics(relation, _) if *relation == oid));
        }
    }
}
