//! Versions of PostgreSQL: which there are, what each is known by, and what they do differently in what is read here, a
//! question each. A new major version is a row of `KNOWN`, and an answer where it has another one than the last.

use core::fmt;

/// A server version as `server_version_num` gives it: 180004 is 18.4.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct PgVersion(pub u32);

/// What a major version is known by.
struct Major {
    number: u32,
    /// `XLOG_PAGE_MAGIC`
    page_magic: u16,
    /// `CATALOG_VERSION_NO`
    catalog_version: u32,
}

const fn known(number: u32, page_magic: u16, catalog_version: u32) -> Major {
    Major { number, page_magic, catalog_version }
}

/// The major versions, in order and without a gap.
const KNOWN: [Major; 6] = [
    known(13, 0xD106, 202_007_201),
    known(14, 0xD10D, 202_107_181),
    known(15, 0xD110, 202_209_061),
    known(16, 0xD113, 202_307_071),
    known(17, 0xD116, 202_406_281),
    known(18, 0xD118, 202_506_291),
];

const NEWEST: &Major = &KNOWN[KNOWN.len() - 1];

/// The major versions that are known.
pub const MAJORS: [u32; KNOWN.len()] = {
    let (mut majors, mut n) = ([0; KNOWN.len()], 0);
    while n < KNOWN.len() {
        majors[n] = KNOWN[n].number;
        n += 1;
    }
    majors
};

impl PgVersion {
    /// The first of a major version.
    #[must_use]
    pub const fn of_major(major: u32) -> Self {
        Self(major * 10_000)
    }

    /// One of [`MAJORS`], unless somebody made it up.
    #[must_use]
    pub const fn major(self) -> u32 {
        self.0 / 10_000
    }

    const fn known(self) -> Option<&'static Major> {
        let mut n = 0;
        while n < KNOWN.len() {
            if KNOWN[n].number == self.major() {
                return Some(&KNOWN[n]);
            }
            n += 1;
        }
        None
    }

    /// `XLOG_PAGE_MAGIC`; 0 of a version that is not known.
    #[must_use]
    pub const fn page_magic(self) -> u16 {
        match self.known() {
            Some(major) => major.page_magic,
            None => 0,
        }
    }

    /// `CATALOG_VERSION_NO`; of a version that is not known that of the newest.
    #[must_use]
    pub const fn catalog_version(self) -> u32 {
        match self.known() {
            Some(major) => major.catalog_version,
            None => NEWEST.catalog_version,
        }
    }

    #[inline]
    const fn is_since(self, major: u32) -> bool {
        self.0 >= major * 10_000
    }
}

macro_rules! questions {
    ($($(#[$about:meta])* $name:ident: $since:literal,)*) => {
        /// What came with a major version; the number is that version.
        impl PgVersion {
            $($(#[$about])*
            #[must_use]
            #[inline]
            pub const fn $name(self) -> bool {
                self.is_since($since)
            })*
        }
    };
}

// B-trees and heap pages
questions! {
    /// Do deleted pages of B-trees have an xid of 64 bits, and metapages another layout (`BTDeletedPageData`)?
    has_btree_full_xids: 14,
    /// Does DELETE of a B-tree shorten posting lists (`xl_btree_delete.nupdated`)?
    deletes_from_posting_lists: 14,
    /// Does an INSERT or UPDATE look in the table for entries of dead rows before it splits a leaf (bottom-up
    /// deletion)?
    deletes_bottom_up: 14,
    /// Are tuples moved in the order in which they lie where a page is compacted (`compactify_tuples`)?
    compacts_in_order: 14,
    /// Are unused line pointers at the end of the array cut off by pruning too?
    prunes_line_pointer_array: 15,
    /// May HOT go where the old page has `PD_PAGE_FULL`?
    hot_ignores_page_full: 15,
    /// May an UPDATE that changes only columns of summarizing indexes be HOT?
    hot_ignores_summarizing: 16,
    /// Does COPY FREEZE set the bits of the visibility map?
    copy_freeze_sets_visibility_map: 14,
    /// Does a tuple that fits on no page beside what fillfactor keeps free look for a page that is nearly empty?
    looks_for_an_empty_page: 14,
    /// Do pages grow by several blocks at a time in bulk inserts (`RelationAddBlocks`)?
    extends_in_bulk: 16,
}

// WAL
questions! {
    /// Do VACUUM's second pass and pruning have records of their own (`XLOG_HEAP2_VACUUM`, `XLOG_HEAP2_PRUNE`)?
    has_heap_vacuum_records: 14,
    /// Do pruning and freezing write one record (`xl_heap_prune` with flags)?
    prunes_and_freezes_at_once: 17,
    /// Do row versions that are frozen alike share a plan in records?
    shares_freeze_plans: 16,
    /// Do records that remove say of a catalog that it is one (`isCatalogRel`)?
    marks_catalogs: 16,
    /// Is that told of by descriptions too?
    describes_catalogs: 17,
    /// Do the flags of images say whether recovery applies them, and by which method they are compressed?
    has_image_methods: 15,
    /// Do records of transactions say whose statistics go with them?
    drops_stats_by_transaction: 15,
    /// Have the objects of these numbers of 64 bits?
    has_long_stats_ids: 18,
    /// Are messages for caches logged command by command (`XLOG_XACT_INVALIDATIONS`)?
    logs_invalidations: 14,
    /// Do checkpoints and the end of recovery tell `wal_level`?
    tells_wal_level: 17,
    /// Do changes of a catalog row in place bring messages for caches along?
    inplace_sends_messages: 18,
    /// Does CREATE DATABASE write one of two records, by its strategy?
    creates_databases_by_wal: 15,
    /// Are descriptions of records written `key: value, key: value`?
    describes_by_keys: 16,
    /// Do descriptions of COMMIT tell of `apply_feedback`, and those of ABORT of an origin?
    describes_all_of_xact: 15,
}

// values
questions! {
    /// Has numeric infinities?
    has_infinite_numeric: 14,
    /// Has interval infinities?
    has_infinite_interval: 17,
    /// Are NaN and infinity looked at before floats are divided?
    divides_special_floats: 14,
    /// Are differences of dates checked for overflow?
    checks_date_differences: 16,
    /// May a "char" be written and shown in octal?
    has_octal_char: 15,
    /// May numbers be written in hexadecimal, octal, binary, and with underscores?
    reads_other_bases: 16,
    /// Are parts of intervals rounded where they are read?
    rounds_intervals: 15,
    /// Is a JSON null cast to NULL?
    casts_json_null: 18,
    /// Are random numbers those of xoroshiro128** (src/common/pg_prng.c)?
    has_xoroshiro: 15,
}

impl fmt::Display for PgVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major(), self.0 % 10_000)
    }
}
