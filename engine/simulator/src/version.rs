//! What versions do differently, each a question with PostgreSQL's answer; minor versions where they differ. What can
//! be seen in pages and WAL stands in `ffviz_format::page::version`, what is SQL in `sql` below.

mod sql;

pub use sql::SqlBehaviour;

use ffviz_format::page::PgVersion;

/// The questions.
pub trait Behaviour: Copy {
    /// The version that is asked.
    fn version(self) -> PgVersion;

    /// Does a record that clears bits of the visibility map name the map's page? (17.11 and 18.6, both of August 2026)
    #[must_use]
    fn logs_vm_block(self) -> bool {
        (self.version().0 >= 170_011 && self.version().major() == 17) || self.version().0 >= 180_006
    }

    /// Does the refresh of the upper levels of the free space map after bulk extension include the last new block?
    #[must_use]
    fn refreshes_last_new_block(self) -> bool {
        self.logs_vm_block()
    }

    /// Are new pages of the free space map and the visibility map written with a header (`fsm_extend`, `vm_extend`),
    /// rather than as zeros?
    #[must_use]
    fn extends_maps_initialized(self) -> bool {
        self.version().major() < 16
    }

    /// Are pages, not tuples, frozen, and early where an image is paid anyway?
    #[must_use]
    fn freezes_pages(self) -> bool {
        self.version().major() >= 16
    }

    /// Can ON DELETE SET NULL and SET DEFAULT name columns?
    #[must_use]
    fn sets_some_columns(self) -> bool {
        self.version().major() >= 15
    }

    /// May a unique index be NULLS NOT DISTINCT?
    #[must_use]
    fn has_nulls_not_distinct(self) -> bool {
        self.version().major() >= 15
    }

    /// Have the operator classes of ranges and of btree_gist an order, so that GiST indexes are built sorted?
    #[must_use]
    fn sorts_gist_builds(self) -> bool {
        self.version().major() >= 18
    }

    /// Gets each range of a table a summary when a BRIN index is built, those behind the last row too?
    #[must_use]
    fn fills_empty_ranges(self) -> bool {
        self.version().major() >= 17
    }

    /// Is a BRIN index' metapage read once a statement that inserts, not for each row?
    #[must_use]
    fn keeps_brin_map(self) -> bool {
        self.version().major() >= 17
    }

    /// May a key be WITHOUT OVERLAPS?
    #[must_use]
    fn has_temporal_keys(self) -> bool {
        self.version().major() >= 18
    }

    /// Is there MERGE?
    #[must_use]
    fn has_merge(self) -> bool {
        self.version().major() >= 15
    }

    /// May MERGE have RETURNING and NOT MATCHED BY?
    #[must_use]
    fn has_whole_merge(self) -> bool {
        self.version().major() >= 17
    }

    /// Does DROP EXPRESSION write one row of the catalogs less?
    #[must_use]
    fn drops_expressions_at_once(self) -> bool {
        self.version().major() >= 15
    }

    /// Are there generated columns that are VIRTUAL?
    #[must_use]
    fn has_virtual_columns(self) -> bool {
        self.version().major() >= 18
    }

    /// Is `attstattarget` NULL where it is not set? Else -1.
    #[must_use]
    fn has_nullable_targets(self) -> bool {
        self.version().major() >= 17
    }

    /// Is there ALTER COLUMN … SET EXPRESSION?
    #[must_use]
    fn sets_expressions(self) -> bool {
        self.version().major() >= 17
    }

    /// Can RETURNING give `old` and `new`?
    #[must_use]
    fn returns_images(self) -> bool {
        self.version().major() >= 18
    }

    /// Has a key that goes against ON DELETE RESTRICT an error of its own?
    #[must_use]
    fn tells_of_restrict(self) -> bool {
        self.version().major() >= 18
    }

    /// Do messages about columns of foreign keys that do not fit say of which table each is?
    #[must_use]
    fn tells_tables_of_keys(self) -> bool {
        self.version().major() >= 18
    }

    /// Does a backward scan that begins at a high key look at the leaf before it only (`BTScanInsertData.backward`)?
    #[must_use]
    fn finds_end_of_backward_scan(self) -> bool {
        self.version().major() >= 17
    }

    /// Does one scan of a B-tree read all values of `= ANY` that lie on a leaf (`_bt_advance_array_keys`)? Before, it
    /// is a scan a value.
    #[must_use]
    fn reads_arrays_by_leaf(self) -> bool {
        self.version().major() >= 17
    }

    /// Does a scan for several values, once it has gone from one leaf to the next, go on to one more before it searches
    /// the tree again (`_bt_scanbehind_checkkeys`)?
    #[must_use]
    fn goes_on_beside_leaves(self) -> bool {
        self.version().major() >= 18
    }

    /// Does a scan of a B-tree go from value to value of a column that it is not asked for, so that conditions behind
    /// it lead it too (`_bt_num_array_keys`)?
    #[must_use]
    fn skips_columns(self) -> bool {
        self.version().major() >= 18
    }

    /// Is a SERIALIZABLE transaction that has to fail found at each page of a sequential scan, also at one without rows
    /// (`heap_prepare_pagescan`)?
    #[must_use]
    fn checks_page_for_conflicts(self) -> bool {
        self.version().major() >= 17
    }

    /// Does a sequential scan of pages in memory hold the next one pinned too (`read_stream.c`)?
    #[must_use]
    fn seq_scan_looks_ahead(self) -> bool {
        self.version().major() >= 17
    }

    /// Does a bitmap heap scan?
    #[must_use]
    fn bitmap_scan_looks_ahead(self) -> bool {
        self.version().major() >= 18
    }

    /// May VACUUM leave indexes alone where few pages have dead line pointers?
    #[must_use]
    fn bypasses_index_vacuum(self) -> bool {
        self.version().major() >= 14
    }

    /// Does an online checkpoint mark its redo pointer by a record?
    #[must_use]
    fn logs_checkpoint_redo(self) -> bool {
        self.version().major() >= 17
    }

    /// Does making a `MultiXact` prepare the place of the next one too, so that a page of offsets begins one
    /// `MultiXact` earlier? (14.21, 15.16, 16.12, 17.8 and 18.2 of February 2026)
    #[must_use]
    fn writes_next_multixact_offset(self) -> bool {
        let minor = self.version().0 % 10_000;
        match self.version().major() {
            ..14 => false,
            14 => minor >= 21,
            15 => minor >= 16,
            16 => minor >= 12,
            17 => minor >= 8,
            _ => minor >= 2,
        }
    }

    /// Have pages of the commit log and its like numbers of 64 bits?
    #[must_use]
    fn has_long_slru_pages(self) -> bool {
        self.version().major() >= 17
    }

    /// Does CREATE INDEX log its pages up to 32 at a time (`bulk_write.c`)?
    #[must_use]
    fn logs_built_pages_in_batches(self) -> bool {
        self.version().major() >= 17
    }

    /// Have TOAST tables and sequences row types in `pg_type`, which use up an OID?
    #[must_use]
    fn has_toast_row_types(self) -> bool {
        self.version().major() < 14
    }

    /// Are the sequences of UNLOGGED tables not logged either?
    #[must_use]
    fn has_unlogged_sequences(self) -> bool {
        self.version().major() >= 15
    }

    /// Is NOT NULL a constraint with a name, and a row of `pg_constraint`, which uses up an OID?
    #[must_use]
    fn catalogs_not_null(self) -> bool {
        self.version().major() >= 18
    }

    /// Is NOT NULL of a domain one too?
    #[must_use]
    fn catalogs_not_null_of_domains(self) -> bool {
        self.version().major() >= 17
    }

    /// Is NOT NULL said twice of a domain an error?
    #[must_use]
    fn refuses_not_null_twice(self) -> bool {
        self.version().major() >= 18
    }

    /// Is `reltuples` -1 until somebody counts, rather than 0?
    #[must_use]
    fn counts_from_unknown(self) -> bool {
        self.version().major() >= 14
    }

    /// Does REINDEX, also that of TRUNCATE, come to the TOAST table's index first?
    #[must_use]
    fn reindexes_toast_first(self) -> bool {
        self.version().major() >= 17
    }

    /// Does building an index leave `reltuples` of a table alone that autovacuum leaves alone?
    #[must_use]
    fn builds_keep_table_stats(self) -> bool {
        self.version().major() >= 18
    }

    /// Groups of slots in which a session keeps its weak locks on relations, under `max_locks_per_transaction` of 64
    /// (`FastPathLockGroupsPerBackend`).
    #[must_use]
    fn fast_path_lock_groups(self) -> u16 {
        if self.version().major() >= 18 { 4 } else { 1 }
    }

    /// May a column have a compression method of its own?
    #[must_use]
    fn has_column_compression(self) -> bool {
        self.version().major() >= 14
    }

    /// May INDEX_CLEANUP be AUTO, where VACUUM itself decides (`VacOptValue`)?
    #[must_use]
    fn cleans_indexes_by_choice(self) -> bool {
        self.version().major() >= 14
    }

    /// Are all row versions of a page classified before pruning follows the chains?
    #[must_use]
    fn classifies_before_pruning(self) -> bool {
        self.version().major() >= 14
    }

    /// Does VACUUM's second pass cut off unused line pointers, and leave the tuples where they are?
    #[must_use]
    fn vacuum_truncates_line_pointers(self) -> bool {
        self.version().major() >= 14
    }

    /// Does `MULTI_INSERT` make a page anew that had no line pointers? Before, one whose only tuples are the record's.
    #[must_use]
    fn inits_pages_without_line_pointers(self) -> bool {
        self.version().major() >= 14
    }

    /// For logical decoding, does the first record of a subtransaction name the transaction that it belongs to?
    #[must_use]
    fn names_top_transaction(self) -> bool {
        self.version().major() >= 14
    }

    /// For logical decoding, do records of INSERT tell a TOAST table?
    #[must_use]
    fn marks_toast_inserts(self) -> bool {
        self.version().major() >= 14
    }

    /// Does VACUUM carry the newest removed xid from page to page, and tell standbys of it before it goes to the
    /// indexes?
    #[must_use]
    fn carries_removed_xid(self) -> bool {
        self.version().major() < 14
    }

    /// Does VACUUM visit the last page always, and set `relfrozenxid` to the oldest xid that stays?
    #[must_use]
    fn vacuums_last_page(self) -> bool {
        self.version().major() >= 15
    }

    /// Does `pg_class` have `relallfrozen`?
    #[must_use]
    fn keeps_all_frozen_pages(self) -> bool {
        self.version().major() >= 18
    }

    /// Are the indexes of TOAST tables known to have equal keys in equal bytes (`btm_allequalimage`)?
    #[must_use]
    fn dedups_toast_indexes(self) -> bool {
        self.version().major() >= 15
    }

    /// Does an UPDATE tell every index that no key of it was set? 14.2 left out to look, which had cost memory; 15
    /// looks again.
    #[must_use]
    fn takes_keys_for_unchanged(self) -> bool {
        self.version().major() == 14 && self.version().0 >= 140_002
    }

    /// Does UPDATE fetch the row version that it replaces, rather than get all columns from its plan?
    #[must_use]
    fn fetches_old_row(self) -> bool {
        self.version().major() >= 14
    }

    /// Does UPDATE form its tuple by the columns of its plan, as INSERT does (`ExecFilterJunk`), rather than by the
    /// table's?
    #[must_use]
    fn updates_by_plan(self) -> bool {
        self.version().major() < 14
    }

    /// Does an UPDATE tell an index that no key of it was set (`indexUnchanged`)?
    #[must_use]
    fn hints_unchanged_keys(self) -> bool {
        self.version().major() >= 14
    }

    /// Do all sessions hear at once of what is changed in place in a catalog, not only when the transaction commits?
    #[must_use]
    fn tells_changes_in_place(self) -> bool {
        self.version().major() >= 14
    }

    /// Are the publications looked up of each table that rows are changed of, not only of one whose rows nothing names?
    #[must_use]
    fn looks_up_all_publications(self) -> bool {
        self.version().major() >= 15
    }

    /// Does what is no sequence fail as any relation of a wrong kind does (`sequence_open`)?
    #[must_use]
    fn opens_sequences_by_kind(self) -> bool {
        self.version().major() >= 17
    }

    /// Does a VACUUM that is not aggressive freeze some of the pages that it might skip?
    #[must_use]
    fn scans_eagerly(self) -> bool {
        self.version().major() >= 18
    }

    /// Does ANALYZE within a transaction use up a command beside that of the rows of `pg_statistic`?
    #[must_use]
    fn analyze_uses_command(self) -> bool {
        self.version().major() >= 14
    }

    /// Is the init fork of an index logged before it is written, so that its page gets the LSN of its record?
    #[must_use]
    fn logs_init_fork_first(self) -> bool {
        self.version().major() >= 16
    }

    /// Is the init fork of an index written past the buffers after its record (`bulk_write.c`)?
    #[must_use]
    fn writes_init_fork_in_bulk(self) -> bool {
        self.version().major() >= 17
    }

    /// Are pgbench's random numbers those of xoroshiro128** (src/common/pg_prng.c)?
    #[must_use]
    fn pgbench_has_xoroshiro(self) -> bool {
        self.version().major() >= 15
    }

    /// Does `pgbench -i` copy with FREEZE?
    #[must_use]
    fn pgbench_copies_frozen(self) -> bool {
        self.version().major() >= 14
    }

    /// Does `pgbench -i` fill all tables by COPY, rather than the small ones by an INSERT a row?
    #[must_use]
    fn pgbench_copies_all_tables(self) -> bool {
        self.version().major() >= 17
    }

    /// Does a client of pgbench go on after a deadlock or a serialization failure?
    #[must_use]
    fn pgbench_goes_on_after_failure(self) -> bool {
        self.version().major() >= 15
    }

    /// Does pgbench have the function `permute`?
    #[must_use]
    fn pgbench_permutes(self) -> bool {
        self.version().major() >= 14
    }

    /// Does a record of a transaction that removes files say so (`XLR_SPECIAL_REL_UPDATE`)?
    #[must_use]
    fn marks_dropped_files(self) -> bool {
        self.version().major() >= 14
    }

    /// Does a backend learn of the redo pointer at its first record only?
    #[must_use]
    fn learns_redo_pointer_late(self) -> bool {
        self.version().major() >= 15
    }

    /// Does a record of hint bits leave the image out where the page has one since the checkpoint?
    #[must_use]
    fn leaves_hint_images_out(self) -> bool {
        self.version().major() >= 15
    }

    /// Are horizons computed when somebody asks (`GlobalVisState`)?
    #[must_use]
    fn has_global_vis(self) -> bool {
        self.version().major() >= 14
    }

    /// Do messages put names of files in quotation marks?
    #[must_use]
    fn quotes_paths(self) -> bool {
        self.version().major() >= 18
    }
}

impl Behaviour for PgVersion {
    fn version(self) -> PgVersion {
        self
    }
}
