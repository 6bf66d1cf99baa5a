//! The settings that there are here, each a row (src/backend/utils/misc/guc_tables.c).

use super::units::Unit;
use super::{Context, Guc, Kind};

const fn guc(name: &'static str, context: Context, kind: Kind, boot: &'static str) -> Guc {
    Guc { name, context, kind, boot, since: 0 }
}

/// A switch of the planner that a session may set; `since`: the first major version that has it.
const fn switch(name: &'static str, since: u32) -> Guc {
    Guc { since, ..guc(name, Context::User, Kind::Bool, "on") }
}

const fn number(min: i64, max: i64) -> Kind {
    Kind::Integer { unit: None, min, max }
}

const fn measure(unit: Unit, min: i64, max: i64) -> Kind {
    Kind::Integer { unit: Some(unit), min, max }
}

/// Values of an enumeration, each with how it is shown.
type Values = &'static [(&'static str, &'static str)];

/// `client_message_level_options`
const LEVELS: Values = &[
    ("debug5", "debug5"),
    ("debug4", "debug4"),
    ("debug3", "debug3"),
    ("debug2", "debug2"),
    ("debug1", "debug1"),
    ("debug", "debug2"),
    ("log", "log"),
    ("info", "info"),
    ("notice", "notice"),
    ("warning", "warning"),
    ("error", "error"),
];

/// `synchronous_commit_options`
const COMMITS: Values = &[
    ("local", "local"),
    ("remote_write", "remote_write"),
    ("remote_apply", "remote_apply"),
    ("on", "on"),
    ("off", "off"),
    ("true", "on"),
    ("false", "off"),
    ("yes", "on"),
    ("no", "off"),
    ("1", "on"),
    ("0", "off"),
];

/// `wal_compression_options`, from 15 on
const METHODS: Values = &[
    ("pglz", "pglz"),
    ("lz4", "lz4"),
    ("zstd", "zstd"),
    ("on", "pglz"),
    ("off", "off"),
    ("true", "pglz"),
    ("false", "off"),
    ("yes", "pglz"),
    ("no", "off"),
    ("1", "pglz"),
    ("0", "off"),
];

/// `wal_level_options`
const WAL_LEVELS: Values = &[
    ("minimal", "minimal"),
    ("replica", "replica"),
    ("archive", "replica"),
    ("hot_standby", "replica"),
    ("logical", "logical"),
];

const INT_MAX: i64 = i32::MAX as i64;

pub(super) const GUCS: &[Guc] = &[
    guc("application_name", Context::User, Kind::Text, ""),
    guc("autovacuum", Context::Sighup, Kind::Bool, "on"),
    guc("autovacuum_freeze_max_age", Context::Postmaster, number(100_000, 2_000_000_000), "200000000"),
    guc("checkpoint_timeout", Context::Sighup, measure(Unit::Seconds, 30, 86_400), "300"),
    guc("client_min_messages", Context::User, Kind::Enum(LEVELS), "notice"),
    guc("data_checksums", Context::Internal, Kind::Bool, "off"),
    guc("deadlock_timeout", Context::User, measure(Unit::Milliseconds, 1, INT_MAX), "1000"),
    switch("enable_async_append", 14),
    switch("enable_bitmapscan", 0),
    switch("enable_distinct_reordering", 18),
    switch("enable_gathermerge", 0),
    switch("enable_group_by_reordering", 17),
    switch("enable_hashagg", 0),
    switch("enable_hashjoin", 0),
    switch("enable_incremental_sort", 0),
    switch("enable_indexonlyscan", 0),
    switch("enable_indexscan", 0),
    switch("enable_material", 0),
    switch("enable_memoize", 14),
    switch("enable_mergejoin", 0),
    switch("enable_nestloop", 0),
    switch("enable_parallel_append", 0),
    switch("enable_parallel_hash", 0),
    switch("enable_partition_pruning", 0),
    guc("enable_partitionwise_aggregate", Context::User, Kind::Bool, "off"),
    guc("enable_partitionwise_join", Context::User, Kind::Bool, "off"),
    switch("enable_presorted_aggregate", 16),
    switch("enable_self_join_elimination", 18),
    switch("enable_seqscan", 0),
    switch("enable_sort", 0),
    switch("enable_tidscan", 0),
    guc("full_page_writes", Context::Sighup, Kind::Bool, "on"),
    guc("ignore_checksum_failure", Context::User, Kind::Bool, "off"),
    guc("jit", Context::User, Kind::Bool, "on"),
    guc("lock_timeout", Context::User, measure(Unit::Milliseconds, 0, INT_MAX), "0"),
    guc("maintenance_work_mem", Context::User, measure(Unit::Kilobytes, 64, INT_MAX), "65536"),
    guc("max_parallel_workers_per_gather", Context::User, number(0, 1024), "2"),
    guc("max_pred_locks_per_page", Context::Sighup, number(0, INT_MAX), "2"),
    guc("max_pred_locks_per_relation", Context::Sighup, number(i32::MIN as i64, INT_MAX), "-2"),
    guc("max_pred_locks_per_transaction", Context::Postmaster, number(10, INT_MAX), "64"),
    guc("max_wal_size", Context::Sighup, measure(Unit::Megabytes, 2, INT_MAX), "1024"),
    guc("search_path", Context::User, Kind::Text, "\"$user\", public"),
    guc("shared_buffers", Context::Postmaster, measure(Unit::Blocks, 16, INT_MAX / 2), "16384"),
    guc("statement_timeout", Context::User, measure(Unit::Milliseconds, 0, INT_MAX), "0"),
    guc("synchronous_commit", Context::User, Kind::Enum(COMMITS), "on"),
    guc("TimeZone", Context::User, Kind::Zone, "UTC"),
    guc("vacuum_freeze_min_age", Context::User, number(0, 1_000_000_000), "50000000"),
    guc("vacuum_freeze_table_age", Context::User, number(0, 2_000_000_000), "150000000"),
    Guc { since: 18, ..guc("vacuum_max_eager_freeze_failure_rate", Context::User, Kind::Real(0.0, 1.0), "0.03") },
    guc("wal_compression", Context::User, Kind::Methods(METHODS), "off"),
    guc("wal_init_zero", Context::User, Kind::Bool, "on"),
    guc("wal_level", Context::Postmaster, Kind::Enum(WAL_LEVELS), "replica"),
    guc("wal_log_hints", Context::Postmaster, Kind::Bool, "off"),
    guc("wal_recycle", Context::User, Kind::Bool, "on"),
    guc("work_mem", Context::User, measure(Unit::Kilobytes, 64, INT_MAX), "4096"),
];
