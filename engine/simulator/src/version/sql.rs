//! What versions do differently in SQL: grammar, types, plans, messages, what contrib's functions show; a question
//! each.

use super::Behaviour;

macro_rules! questions {
    ($($(#[$about:meta])* $name:ident: $since:literal,)*) => {
        $($(#[$about])*
        #[must_use]
        fn $name(self) -> bool {
            self.version().major() >= $since
        })*
    };
}

/// The questions; the number is the major version since which the answer is yes.
pub trait SqlBehaviour: Behaviour {
    // grammar and types
    questions! {
        /// Has a recursive query SEARCH and CYCLE?
        marks_rows_found: 14,
        /// Are there collations of the server's own beside "C"?
        has_builtin_collations: 17,
        /// May the body of a function in SQL be RETURN or BEGIN ATOMIC?
        has_standard_bodies: 14,
        /// Is there CREATE OR REPLACE TRIGGER?
        replaces_triggers: 14,
        /// Has a cursor of PL/pgSQL no name of its own, as long as nobody gives it one?
        has_nameless_cursors: 16,
        /// Does ALTER TRIGGER look for the old name before it looks for the new one?
        finds_trigger_first: 15,
        /// May a query in FROM have no alias?
        takes_unnamed_queries: 16,
        /// Are true and false constants of the grammar's own, rather than casts of 't' and 'f'?
        has_boolean_constants: 15,
        /// Is EXTRACT a function, whose result is numeric, rather than a call of `date_part`?
        has_extract: 14,
        /// Are `of`, `tzh` and `tzm` words of a pattern, as `OF` is?
        has_lower_zone_patterns: 15,
        /// Do `to_timestamp` and `to_date` read what TZ and OF stand for?
        reads_zones_by_pattern: 17,
        /// Does EXTRACT know dates as such, rather than as timestamps?
        extracts_from_dates: 14,
        /// Is an unknown field told as a unit, for a type by its whole name?
        names_types_of_units: 15,
        /// Has an interval weeks, and quarters counted backwards before zero?
        has_weeks_of_intervals: 18,
        /// Is NULL as a key told alike for all functions that make objects?
        says_object_keys_alike: 16,
        /// Has a power of numeric as many digits as its size says, also for a whole exponent?
        scales_powers_by_weight: 16,
        /// Is a wrong argument of a method of jsonpath shown?
        shows_arguments_of_paths: 17,
        /// Does `uuid_extract_timestamp` read UUIDs of version 7?
        reads_times_of_uuid7: 18,
        /// Is it known how many rows `generate_series` of times and of numeric gives?
        expects_series: 18,
        /// Does any unique key among the columns of GROUP BY make others of its table useless, rather than the primary
        /// one alone?
        groups_by_unique_keys: 18,
        /// Are arguments of procedures that come in told to be such?
        marks_in_arguments: 14,
        /// Has the query of a view no entries for OLD and NEW, so that columns of a table alone are told without it?
        has_bare_views: 16,
        /// Are both ways to find equal rows of UNION and its like kept, if one is sorted?
        keeps_ways_of_sets: 17,
        /// Do INTERSECT and EXCEPT read their sides apart, rather than one behind the other?
        reads_set_sides_apart: 18,
        /// Is there `any_value`?
        has_any_value: 16,
        /// Is there `bit_xor` of rows?
        has_bit_xor: 14,
        /// Is there `string_to_table`?
        has_string_to_table: 14,
        /// Is there no factorial of a negative number?
        refuses_negative_factorials: 14,
        /// Is a number added to a position in the WAL?
        adds_to_positions: 14,
        /// Does `make_timestamp` take years before Christ?
        makes_timestamps_bc: 14,
        /// Are `old` and `new` in RETURNING the row before and after?
        has_old_and_new: 18,
        /// Has the row that RETURNING of INSERT and UPDATE reads a header, with xmin and the like?
        returns_headers: 14,
        /// Has `pg_stats` columns about ranges?
        shows_range_statistics: 17,
        /// Does `pg_prepared_statements` count plans?
        counts_plans: 14,
        /// Is a partitioned table that is UNLOGGED refused?
        refuses_unlogged_roots: 18,
        /// May a constraint be NOT ENFORCED?
        has_enforced_constraints: 18,
        /// Has a column that is made a STORAGE, and is DEFAULT one?
        has_storage_of_new_columns: 16,
        /// Do generated columns keep the columns that they are computed of from going (`StoreAttrDefault`)?
        keeps_generated_columns: 15,
        /// Does `pg_size_bytes` know petabytes?
        sizes_in_petabytes: 15,
        /// Does `pg_size_bytes` take B for bytes?
        sizes_in_single_bytes: 16,
        /// Does `pgstattuple_approx` take TOAST tables?
        approximates_toast: 14,
        /// Does pgrowlocks call the locks of several transactions as it calls that of one?
        names_row_locks_alike: 17,
        /// Has "char" a category of its own (`TYPCATEGORY_INTERNAL`), rather than that of strings?
        has_internal_category: 15,
        /// Are there casts between whole numbers and bytea?
        casts_integers_to_bytea: 18,
        /// Is a name that is cast to regclass looked up without an error of its schema (`regclassin` with `escontext`)?
        reads_regclass_softly: 16,
        /// Are plans of functions in SQL kept from query to query, also those for given values (`funccache.c`)?
        keeps_plans_of_sql_functions: 18,
        /// Is a column that does not fit told by its name too (`convert_tuples_by_position`)?
        names_returned_columns: 18,
        /// Are there numbers such as `0xFF` and `1_000`?
        has_later_numbers: 16,
        /// Is a letter right behind a number an error?
        refuses_junk_after_numbers: 15,
        /// Does amcheck look at tables?
        has_verify_heapam: 14,
        /// Does amcheck say which access method an index is of that it cannot check?
        names_checked_methods: 18,
        /// Has MERGE a RETURNING?
        returns_from_merge: 17,
        /// Has the database `postgres` an OID that is always the same (`PostgresDbOid`)?
        has_fixed_database_oids: 15,
    }

    /// Are the elements of IN looked up by hash (`convert_saop_to_hashed_saop`), or those of NOT IN (`negated`)?
    #[must_use]
    fn hashes_lists(self, negated: bool) -> bool {
        self.version().major() >= if negated { 15 } else { 14 }
    }

    // partitions
    questions! {
        /// Have partitions the identity columns of their table?
        inherits_identity: 17,
        /// Are the counts of parents that have a column or a constraint two bytes wide?
        has_narrow_inheritance_counts: 16,
        /// Do VACUUM and ANALYZE take the children of a table that others inherit from?
        maintains_children: 18,
        /// Is a new materialized view filled by a REFRESH?
        refreshes_new_matviews: 17,
        /// Has VACUUM the option PROCESS_TOAST?
        can_leave_toast_out: 14,
        /// Has VACUUM options for its TOAST table alone, the database's numbers and the ring of buffers?
        vacuums_toast_alone: 16,
        /// Has REINDEX options in parentheses beside VERBOSE?
        has_reindex_options: 14,
        /// Does EXPLAIN tell of memory and of what is sent?
        explains_memory: 17,
        /// Does `pg_prepared_statements` tell the types of the columns?
        tells_result_types: 16,
        /// Does COPY … TO take materialized views?
        copies_matviews: 18,
        /// Has each index of a partition that is detached a command of its own?
        detaches_indexes_one_by_one: 14,
        /// Is there DETACH PARTITION … CONCURRENTLY?
        detaches_concurrently: 14,
        /// Have UPDATE and DELETE of partitions one plan, rather than one a partition?
        updates_partitions_by_one_plan: 14,
        /// Does ATTACH PARTITION name the table in which a column is not NOT NULL?
        names_attached_table: 18,
        /// Does a modulus that does not fit name the one that it does not go with?
        tells_moduli: 14,
    }

    // plans
    questions! {
        /// Is one equality for both sides kept, whichever stands on its left (`create_join_clause`)?
        takes_commuted_clauses: 16,
        /// May the rows of a join that have no partner be those of the inner side (`JOIN_RIGHT_ANTI`)?
        has_right_anti_joins: 16,
        /// And may those be that have one (`JOIN_RIGHT_SEMI`)?
        has_right_semi_joins: 18,
        /// May a nested loop keep the inner rows of each value (Memoize)?
        has_memoize: 14,
        /// Does an index take `a = 1 OR a = 2` for `a = ANY` (`match_orclause_to_indexcol`)?
        takes_or_for_any: 18,
        /// Does a bitmap heap scan know that a condition that is a key itself was asked of the index?
        knows_boolean_keys: 16,
        /// Are foreign keys of a table looked up that has no triggers too?
        looks_up_all_foreign_keys: 18,
        /// Does the order of a scan serve aggregates with ORDER BY or DISTINCT (`enable_presorted_aggregate`)?
        presorts_aggregates: 16,
        /// Does EXPLAIN ANALYZE tell how often a tree was searched, parts of a row (a mean of several loops), and
        /// BUFFERS?
        tells_index_searches: 18,
        /// Does EXPLAIN ANALYZE tell where Materialize keeps its rows (`show_material_info`)?
        tells_storage: 18,
        /// Costs a query that only passes its rows on nothing (`cost_subqueryscan`)?
        passes_rows_freely: 16,
        /// Does EXPLAIN tell of windows what they are (`show_window_def`)?
        tells_windows: 18,
        /// Is a frame left out where a window function numbers rows (`optimize_window_clauses`)?
        counts_rows_without_frame: 16,
        /// Does the cost of a window count rows that are read before the first comes out
        /// (`get_windowclause_startup_tuples`)?
        reads_ahead_of_windows: 17,
        /// Does a merge join sort by what the query is sorted by first, where that is all that it joins by?
        merges_by_prefix: 16,
        /// May the default of `lag` and `lead` have another type than their value (anycompatible)?
        has_compatible_lag: 14,
        /// Has the RETURNING list of MERGE `merge_action()`?
        has_merge_action: 17,
        /// Is `ALTER TYPE … DROP VALUE` read, to be refused?
        names_dropping_values: 17,
        /// Do conditions on the number of a row end a window function early (`find_window_run_conditions`)?
        ends_windows_early: 15,
        /// Do UPDATE and DELETE have rows of their own in a plan only where RETURNING gives them, and does UPDATE
        /// compute no more than the columns that change?
        updates_by_column: 14,
        /// Has COPY in text format HEADER?
        has_text_headers: 15,
        /// Has EXPLAIN an option `GENERIC_PLAN`?
        explains_generic_plans: 16,
        /// Are there scans of ranges of ctid (`TidRangePath`)?
        has_tid_range_scans: 14,
        /// Are there no TID scans where `enable_tidscan` is off, rather than expensive ones?
        leaves_tid_scans_out: 18,
        /// Do rows stay in order where an index is searched for an array that is not of its first key?
        keeps_order_with_arrays: 17,
        /// Does a plan count its nodes that a setting forbids (`disabled_nodes`), rather than add 1e10 to their cost?
        counts_disabled_nodes: 18,
        /// Is the number of rows of a table that nobody counted estimated by its fillfactor?
        estimates_by_fillfactor: 17,
        /// Is a column that is never NULL not asked whether it is (`restriction_is_always_true`)?
        knows_not_null: 17,
        /// Does information_schema tell the condition of a CHECK alone, rather than cut it out of its definition?
        tells_checks_alone: 17,
        /// Are the searches of an index for arrays limited to a third of its pages, and counted where they are bounds
        /// only?
        limits_array_searches: 17,
        /// Does the cost of an incremental sort take its groups to be of the average size?
        costs_average_groups: 16,
        /// Is a path that is sorted by some of the keys sorted within groups only, never as a whole?
        sorts_within_groups_only: 16,
        /// Are keys of GROUP BY and DISTINCT that a condition fixes left out (`processed_groupClause`)?
        leaves_fixed_keys_out: 16,
        /// May GROUP BY have another order than the one in which its keys are written, also where that is ORDER BY's
        /// only in part (`get_useful_group_keys_orderings`)?
        reorders_group_keys: 17,
        /// May DISTINCT have another order, too (`get_useful_pathkeys_for_distinct`)?
        reorders_distinct_keys: 18,
        /// Are no columns read below Unique that do not come out?
        reads_exact_columns: 18,
        /// Has a hash table in memory the size that `hash_mem_multiplier` gives it, twice that of work_mem?
        doubles_hash_memory: 15,
        /// Are aggregates that are written twice planned once (`preprocess_aggrefs`)?
        plans_aggregates_once: 14,
        /// Has a sum of intervals a final function?
        finishes_interval_sums: 17,
    }

    // expressions
    questions! {
        /// Comes an array that UPDATE has computed as an expanded object into its tuple as it is?
        keeps_expanded_arrays: 14,
        /// Are there multiranges?
        has_multiranges: 14,
        /// Is a value that is in a known range one between two bounds (`elem_contained_by_range_support`)?
        takes_ranges_apart: 17,
        /// Has jsonb subscripts?
        subscripts_jsonb: 14,
    }

    // messages
    questions! {
        /// Are relations of a kind that a statement cannot use refused by `errdetail_relkind_not_supported`?
        details_kinds: 15,
        /// Has a value for a column GENERATED ALWAYS an error of its own (`ERRCODE_GENERATED_ALWAYS`)?
        has_generated_error: 14,
        /// Does EXPLAIN leave out which parameter an InitPlan gives?
        leaves_init_parameters_out: 17,
        /// Does a scan of a query stay that gives what rows are sorted by and nothing else (`trivial_subqueryscan`)?
        keeps_scans_for_junk: 18,
        /// Does VALIDATE CONSTRAINT take NOT NULL?
        validates_not_null: 18,
        /// Have the bounds of a setting their unit in messages?
        tells_units_of_bounds: 17,
        /// Is what a message adds of a table that cannot be referenced here its detail, rather than its hint?
        details_unreferenced_tables: 16,
        /// Is an extension that is not installed an error of the feature, rather than of a file?
        refuses_extensions_by_feature: 15,
    }

    // contrib's functions, and those that look at WAL
    questions! {
        /// pageinspect 1.9: numbers of blocks have 64 bits
        has_pageinspect_1_9: 14,
        /// pageinspect 1.10: the offsets of `page_header` have 32 bits
        has_pageinspect_1_10: 15,
        /// pageinspect 1.12: `brin_page_items` tells which ranges have no row
        has_pageinspect_1_12: 16,
        /// Does pgstattuple count all of a page's free space, also what a line pointer would take
        /// (`PageGetExactFreeSpace`)?
        counts_exact_space: 18,
        /// Does the position at the beginning of a segment belong to it, for `pg_walfile_name`?
        names_segments_from_their_beginning: 17,
        /// Do the statistics tell when a relation was scanned last, and of updates that went to another page?
        tells_last_scans: 16,
        /// Are partitioned tables among those of the statistics?
        counts_partitioned_tables: 14,
        /// Do the statistics tell how long VACUUM and ANALYZE took?
        tells_vacuum_times: 18,
        /// Does the error about a trigger say of which kind the relation is?
        tells_kind_of_relation: 15,
        /// Is there the privilege MAINTAIN?
        has_maintain: 17,
        /// Has each membership of a role INHERIT and SET, and is it told at length what a role lacks?
        has_options_of_members: 16,
        /// Does CREATE TABLE AS look for the schema of its table before anything is asked of its query?
        chooses_schema_first: 14,
        /// May only the owner of the database create in the schema public?
        closes_public: 15,
        /// May parameters be granted (`ACL_SET`)?
        grants_parameters: 15,
        /// Are arrays and elements of other types brought to one type (`anycompatiblearray`)?
        has_compatible_arrays: 14,
        /// Does the grammar make json and jsonb of values (`JsonArrayConstructor` and its like)?
        has_json_constructors: 16,
        /// Does it ask them (`JsonFuncExpr`)?
        has_json_queries: 17,
        /// Does generate_series take a time zone?
        has_series_of_zone: 16,
        /// pg_walinspect 1.1: ranges end with the last record, texts that are empty are NULL, and pages have a function
        has_walinspect_1_1: 16,
        /// Are there statistics objects of expressions (`stxexprs`)?
        has_statistics_of_expressions: 14,
        /// Is the data of a statistics object said to be of a table with those that inherit from it (`stxdinherit`)?
        tells_inherited_statistics: 15,
        /// Are statistics objects made again when a column gets another type?
        remakes_statistics: 14,
        /// Does CREATE STATISTICS choose a name where none is given?
        names_statistics: 16,
        /// Is a target that is not set NULL (`stxstattarget`), which comes after the columns?
        has_no_default_target: 17,
    }

    /// Are single values sorted alone, rather than in a tuple (`datumSort`)? In 15 those that are passed by value.
    #[must_use]
    fn sorts_single_values(self, by_value: bool) -> bool {
        self.version().major() >= if by_value { 15 } else { 16 }
    }

    /// Is the memory of single values counted that are sorted alone, and of which none is given back?
    #[must_use]
    fn counts_sorted_values(self) -> bool {
        self.version().major() < 17
    }

    /// The header of a piece of memory (`ALLOC_CHUNKHDRSZ`).
    #[must_use]
    fn chunk_header(self) -> usize {
        if self.version().major() >= 16 { 8 } else { 16 }
    }

    /// What a tuple of that size takes of the memory of a sort, which LIMIT may bound: pieces that can be given back
    /// have sizes that are powers of 2, as all had before 15.
    #[must_use]
    fn sort_chunk(self, size: usize, is_bounded: bool) -> usize {
        const LARGEST: usize = 8192;
        let rounded = size.next_multiple_of(8);
        let piece = if rounded > LARGEST { rounded } else { size.next_power_of_two().max(8) };
        match self.version().major() {
            major if major < 15 || is_bounded => piece + self.chunk_header(),
            15 => rounded + 24,
            16 => rounded + self.chunk_header(),
            _ => rounded,
        }
    }
}

impl<T: Behaviour> SqlBehaviour for T {}
