//! What a setting comes to here: it takes effect as on a server, it decides nothing that is shown here, or it would
//! decide something and is not simulated.

use super::{Guc, Setting};
use crate::sql::error::NOT_SIMULATED;
use alloc::format;
use alloc::string::String;
use ffviz_format::datum::SqlError;

/// Those that take effect (`guc/settings.rs`).
const SIMULATED: &str = "\
    autovacuum_freeze_max_age constraint_exclusion data_checksums DateStyle default_transaction_isolation default_transaction_read_only \
    effective_cache_size enable_bitmapscan enable_hashagg enable_hashjoin enable_incremental_sort enable_indexonlyscan \
    enable_indexscan enable_material enable_memoize enable_mergejoin enable_nestloop enable_partition_pruning \
    enable_presorted_aggregate enable_seqscan enable_sort enable_tidscan full_page_writes ignore_checksum_failure IntervalStyle max_pred_locks_per_page max_pred_locks_per_relation \
    max_pred_locks_per_transaction plan_cache_mode random_page_cost role seed seq_page_cost session_authorization session_replication_role shared_buffers synchronous_commit TimeZone \
    transaction_isolation transaction_read_only vacuum_freeze_min_age vacuum_freeze_table_age \
    vacuum_max_eager_freeze_failure_rate wal_compression wal_log_hints";

/// Those that would decide about rows, plans, pages or WAL, and stay as they are.
const OTHER: &str = "\
    array_nulls autovacuum backslash_quote bytea_output cpu_index_tuple_cost cpu_operator_cost \
    cpu_tuple_cost cursor_tuple_fraction debug_parallel_query default_statistics_target \
    default_table_access_method default_tablespace default_toast_compression \
    extra_float_digits force_parallel_mode from_collapse_limit hash_mem_multiplier \
    join_collapse_limit recursive_worktable_factor \
    standard_conforming_strings track_commit_timestamp transform_null_equals \
    vacuum_cleanup_index_scale_factor vacuum_failsafe_age vacuum_multixact_failsafe_age \
    vacuum_multixact_freeze_min_age vacuum_multixact_freeze_table_age vacuum_truncate wal_consistency_checking \
    wal_level xmlbinary xmloption";

/// Those that a server finds out when it starts, from its machine or its folders.
const OF_MACHINE: &str = "\
    archive_command commit_timestamp_buffers config_file data_directory data_directory_mode hba_file ident_file \
    io_max_concurrency krb_server_keyfile log_file_mode max_stack_depth num_os_semaphores shared_memory_size \
    shared_memory_size_in_huge_pages ssl_library subtransaction_buffers tcp_keepalives_count tcp_keepalives_idle \
    tcp_keepalives_interval transaction_buffers unix_socket_directories unix_socket_permissions wal_buffers";

fn has(names: &str, name: &str) -> bool {
    names.split(' ').any(|known| known == name)
}

/// Is it one whose value nobody can know without a machine?
pub(in crate::sql) fn is_of_machine(name: &str) -> bool {
    has(OF_MACHINE, name)
}

/// What a session is told of a setting that changes nothing here.
pub(in crate::sql) fn note(guc: &Guc) -> Option<String> {
    let shows = ["application_name", "search_path"].contains(&guc.name);
    let decides = has(SIMULATED, guc.name) || has(OTHER, guc.name);
    (!decides && !shows).then(|| format!("{} has no effect on what is shown here", guc.name))
}

/// A value that would decide something and is not simulated is refused; `now` is what the setting is.
///
/// # Errors
/// A sentence with what it stays at.
pub(in crate::sql) fn check(guc: &Guc, value: &Setting, now: &str) -> Result<(), SqlError> {
    let wanted = guc.show(value);
    if !has(OTHER, guc.name) || wanted == now || is_alike(guc.name, &wanted) {
        return Ok(());
    }
    let name = guc.name;
    Err(SqlError::new(NOT_SIMULATED, format!("{name} = {wanted} is not supported; the simulator has it at {now}")))
}

/// Other values under which the same is shown as under the one that there is from the beginning.
fn is_alike(name: &str, wanted: &str) -> bool {
    match name {
        // floats are written with as many digits as they need
        "extra_float_digits" => matches!(wanted, "1" | "2" | "3"),
        // the parser asks for no more than these
        "backslash_quote" | "xmloption" | "xmlbinary" => true,
        // joins of more tables than that are not planned
        "from_collapse_limit" | "join_collapse_limit" => wanted.parse::<u32>().is_ok_and(|limit| limit >= 8),
        "wal_level" => wanted != "minimal",
        "default_tablespace" => wanted == "pg_default",
        _ => false,
    }
}
