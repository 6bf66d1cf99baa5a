//! The lists: functions and settings that a script may use on a server. What is not on one is not sent.

/// Functions of pg_catalog that read or change nothing but their arguments, the session, and sequences whose names are looked at (`judge`).
pub const FUNCTIONS: [&str; 32] = [
    "abs",
    "array_agg",
    "avg",
    "bool_and",
    "bool_or",
    "count",
    "current_setting",
    "currval",
    "gen_random_uuid",
    "generate_series",
    "lastval",
    "left",
    "length",
    "lower",
    "lpad",
    "max",
    "md5",
    "min",
    "mod",
    "nextval",
    "now",
    "pg_sleep",
    "random",
    "repeat",
    "setseed",
    "setval",
    "string_agg",
    "substr",
    "sum",
    "txid_current",
    "upper",
    "uuidv7",
];

/// Functions whose first argument names a relation.
pub const NAMING: [&str; 3] = ["currval", "nextval", "setval"];

/// Settings of a session that change what the session itself does, and nothing else. Planner switches, `enable_…`, are allowed too.
pub const SESSION_SETTINGS: [&str; 30] = [
    "application_name",
    "bytea_output",
    "client_min_messages",
    "datestyle",
    "deadlock_timeout",
    "default_statistics_target",
    "default_toast_compression",
    "default_transaction_isolation",
    "default_transaction_read_only",
    "effective_cache_size",
    "extra_float_digits",
    "idle_in_transaction_session_timeout",
    "intervalstyle",
    "jit",
    "lock_timeout",
    "maintenance_work_mem",
    "max_parallel_maintenance_workers",
    "max_parallel_workers_per_gather",
    "random_page_cost",
    "seq_page_cost",
    "statement_timeout",
    "synchronous_commit",
    "timezone",
    "transaction_isolation",
    "transaction_read_only",
    "vacuum_freeze_min_age",
    "vacuum_freeze_table_age",
    "vacuum_max_eager_freeze_failure_rate",
    "wal_compression",
    "work_mem",
];

/// Settings that decide whom or what the statements after them reach.
pub const REDIRECTING: [&str; 5] =
    ["search_path", "role", "session_authorization", "session_replication_role", "allow_system_table_mods"];

/// Settings of the server that `--allow-server-wide` lets a script change; they are put back afterwards.
pub const SERVER_SETTINGS: [&str; 8] = [
    "autovacuum",
    "checkpoint_timeout",
    "full_page_writes",
    "max_pred_locks_per_page",
    "max_pred_locks_per_relation",
    "max_wal_size",
    "vacuum_max_eager_freeze_failure_rate",
    "wal_compression",
];

/// Is it a setting that a session may change?
#[must_use]
pub fn is_session_setting(name: &str) -> bool {
    SESSION_SETTINGS.contains(&name) || name.starts_with("enable_")
}

/// Extensions of PostgreSQL's contrib that stay inside a database: types, index methods, functions of their arguments.
pub const EXTENSIONS: [&str; 25] = [
    "bloom",
    "btree_gin",
    "btree_gist",
    "citext",
    "cube",
    "dict_int",
    "fuzzystrmatch",
    "hstore",
    "intagg",
    "intarray",
    "isn",
    "lo",
    "ltree",
    "pg_prewarm",
    "pg_trgm",
    "pgcrypto",
    "seg",
    "tablefunc",
    "tcn",
    "tsm_system_rows",
    "tsm_system_time",
    "unaccent",
    "uuid-ossp",
    "pgrowlocks",
    "plpgsql",
];

/// Settings that are for superusers, and change nothing but what the session itself writes and counts; wall.sql has them
/// too.
pub const LENT_SETTINGS: [&str; 5] =
    ["wal_compression", "wal_consistency_checking", "track_io_timing", "track_functions", "deadlock_timeout"];

/// Is it one that looks at pages, buffers and WAL, and changes nothing? Its functions are for superusers, and lent.
#[must_use]
pub fn is_inspection(extension: &str) -> bool {
    const INSPECTION: [&str; 7] = [
        "amcheck",
        "pageinspect",
        "pg_buffercache",
        "pg_freespacemap",
        "pg_visibility",
        "pg_walinspect",
        "pgstattuple",
    ];
    INSPECTION.contains(&extension)
}
