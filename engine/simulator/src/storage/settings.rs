//! Server settings that decide bytes (src/backend/utils/misc/guc_tables.c), and what a simulated server starts with.

use super::IsolationLevel;
use super::relcache::TableAm;
use alloc::collections::BTreeMap;
use alloc::string::String;
use ffviz_format::datum::style::Style;
use ffviz_format::page::Oid;

/// Settings of the whole server; those about WAL are in [`crate::access::transam::WalSettings`].
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a setting of PostgreSQL by its own name")]
pub struct Settings {
    /// `data_checksums`
    pub data_checksums: bool,
    /// `wal_log_hints`
    pub wal_log_hints: bool,
    /// `ignore_checksum_failure`
    pub ignore_checksum_failure: bool,
    /// `shared_buffers` in blocks
    pub shared_buffers: u32,
    /// `max_connections` with what else may pin buffers: `MaxBackends + NUM_AUXILIARY_PROCS`
    pub max_backends: u32,
    /// `vacuum_freeze_min_age`
    pub vacuum_freeze_min_age: u32,
    /// `vacuum_freeze_table_age`
    pub vacuum_freeze_table_age: u32,
    /// `vacuum_max_eager_freeze_failure_rate`, from 18 on
    pub vacuum_max_eager_freeze_failure_rate: f64,
    /// `autovacuum_freeze_max_age`
    pub autovacuum_freeze_max_age: u32,
    /// `max_pred_locks_per_…`
    pub predicate_locks: PredicateLockLimits,
    /// `default_table_access_method`
    pub default_table_am: TableAm,
    /// does the disk image of each page have to be kept, so that a crash can lose the buffers? Costs memory
    pub keep_disk: bool,
    /// how many blocks there is room for on the disk
    pub disk_blocks: u64,
    /// what was configured, by name, as SHOW gives it
    pub shown: BTreeMap<String, String>,
    /// what sessions begin with
    pub of_sessions: SessionSettings,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            data_checksums: false,
            wal_log_hints: false,
            ignore_checksum_failure: false,
            shared_buffers: 32_768,
            max_backends: 100 + 8 + 10,
            vacuum_freeze_min_age: 50_000_000,
            vacuum_freeze_table_age: 150_000_000,
            vacuum_max_eager_freeze_failure_rate: 0.03,
            autovacuum_freeze_max_age: 200_000_000,
            predicate_locks: PredicateLockLimits::default(),
            default_table_am: TableAm::Heap,
            keep_disk: true,
            disk_blocks: u64::MAX,
            shown: BTreeMap::new(),
            of_sessions: SessionSettings::default(),
        }
    }
}

impl Settings {
    /// `XLogHintBitIsNeeded`: does the first hint on a page after a checkpoint need an image?
    #[must_use]
    pub const fn log_hints(&self) -> bool {
        self.data_checksums || self.wal_log_hints
    }
}

/// How many SIREAD locks a transaction may have before they become coarser ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PredicateLockLimits {
    /// `max_pred_locks_per_transaction`
    pub per_transaction: u32,
    /// `max_pred_locks_per_relation`; below 0: that part of those of a transaction
    pub per_relation: i32,
    /// `max_pred_locks_per_page`
    pub per_page: u32,
}

impl Default for PredicateLockLimits {
    fn default() -> Self {
        Self { per_transaction: 64, per_relation: -2, per_page: 2 }
    }
}

/// `plan_cache_mode`: for which values a prepared statement is planned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlanCacheMode {
    /// what is cheaper
    Auto,
    /// for any
    ForceGeneric,
    /// for those that are given
    ForceCustom,
}

/// `constraint_exclusion`: of which tables CHECKs are asked whether they have rows that satisfy conditions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConstraintExclusion {
    /// of none
    Off,
    /// of those that are read by way of another
    Partition,
    /// of all
    On,
}

/// `BOOTSTRAP_SUPERUSERID`: postgres
pub const SUPERUSER: Oid = 10;

/// Settings of one session (`SET`).
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a setting of PostgreSQL by its own name")]
pub struct SessionSettings {
    /// `synchronous_commit`: is WAL flushed before COMMIT returns?
    pub synchronous_commit: bool,
    /// `enable_seqscan`
    pub enable_seqscan: bool,
    /// `enable_indexscan`
    pub enable_indexscan: bool,
    /// `enable_indexonlyscan`
    pub enable_indexonlyscan: bool,
    /// `enable_bitmapscan`
    pub enable_bitmapscan: bool,
    /// `enable_tidscan`
    pub enable_tidscan: bool,
    /// `enable_sort`
    pub enable_sort: bool,
    /// `enable_presorted_aggregate`, from 16 on
    pub enable_presorted_aggregate: bool,
    /// `enable_hashagg`
    pub enable_hashagg: bool,
    /// `enable_incremental_sort`
    pub enable_incremental_sort: bool,
    /// `enable_nestloop`
    pub enable_nestloop: bool,
    /// `enable_mergejoin`
    pub enable_mergejoin: bool,
    /// `enable_hashjoin`
    pub enable_hashjoin: bool,
    /// `enable_material`
    pub enable_material: bool,
    /// `enable_memoize`
    pub enable_memoize: bool,
    /// `enable_partition_pruning`
    pub enable_partition_pruning: bool,
    /// `constraint_exclusion`
    pub constraint_exclusion: ConstraintExclusion,
    /// `plan_cache_mode`
    pub plan_cache_mode: PlanCacheMode,
    /// `DateStyle`, `IntervalStyle`, `TimeZone`
    pub style: Style,
    /// `default_transaction_isolation`
    pub default_transaction_isolation: IsolationLevel,
    /// `default_transaction_read_only`
    pub default_transaction_read_only: bool,
    /// is `session_replication_role` replica?
    pub replica: bool,
    /// `vacuum_freeze_min_age`, where it is not the server's
    pub vacuum_freeze_min_age: Option<u32>,
    /// `vacuum_freeze_table_age`, where it is not the server's
    pub vacuum_freeze_table_age: Option<u32>,
    /// `vacuum_max_eager_freeze_failure_rate`, where it is not the server's
    pub vacuum_max_eager_freeze_failure_rate: Option<f64>,
    /// SET SESSION AUTHORIZATION
    pub session_user: Oid,
    /// SET ROLE; 0: NONE
    pub role: Oid,
    /// the owner of the function or view that runs as him
    pub definer: Option<Oid>,
    /// what SET set, by name, as SHOW gives it
    pub shown: BTreeMap<String, String>,
}

impl Default for SessionSettings {
    fn default() -> Self {
        Self {
            synchronous_commit: true,
            enable_seqscan: true,
            enable_indexscan: true,
            enable_indexonlyscan: true,
            enable_bitmapscan: true,
            enable_tidscan: true,
            enable_sort: true,
            enable_presorted_aggregate: true,
            enable_hashagg: true,
            enable_incremental_sort: true,
            enable_nestloop: true,
            enable_mergejoin: true,
            enable_hashjoin: true,
            enable_material: true,
            enable_memoize: true,
            enable_partition_pruning: true,
            constraint_exclusion: ConstraintExclusion::Partition,
            plan_cache_mode: PlanCacheMode::Auto,
            style: Style::DEFAULT,
            default_transaction_isolation: IsolationLevel::default(),
            default_transaction_read_only: false,
            replica: false,
            vacuum_freeze_min_age: None,
            vacuum_freeze_table_age: None,
            vacuum_max_eager_freeze_failure_rate: None,
            session_user: SUPERUSER,
            role: 0,
            definer: None,
            shown: BTreeMap::new(),
        }
    }
}
