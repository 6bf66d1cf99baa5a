//! SET, RESET and ALTER SYSTEM: the settings that decide about bytes and plans take effect, the others are kept for
//! SHOW.

use super::{Context, Guc, Setting, role, style};
use crate::access::transam::WalLevel;
use crate::sql::ast::{IsolationLevel, Set, TransactionModes};
use crate::sql::guc;
use crate::sql::tcop::Database;
use crate::storage::{ConstraintExclusion, Instance, PlanCacheMode, SessionSettings};
use alloc::format;
use alloc::string::{String, ToString};
use ffviz_format::datum::SqlError;
use ffviz_format::datum::random::Random;
use ffviz_format::wal::Compression;

/// Is it taken only when the server starts?
pub(in crate::sql) fn needs_restart(set: &Set, major: u32) -> bool {
    let guc = set.name.as_deref().and_then(|name| guc::find(name, major));
    guc.is_some_and(|guc| guc.context == Context::Postmaster)
}

/// SET and RESET of the session.
pub(in crate::sql) fn set(db: &mut Database, set: &Set) -> Result<String, SqlError> {
    let major = db.cluster.version().major();
    let known = set.name.as_deref().map(|name| guc::find(name, major).map_or(name, |guc| guc.name));
    db.cluster.keep_settings(set.local, known);
    apply(db, set)
}

/// The same, without keeping what was before.
pub(super) fn apply(db: &mut Database, set: &Set) -> Result<String, SqlError> {
    let major = db.cluster.version().major();
    let tag = if set.reset { "RESET" } else { "SET" }.to_string();
    let Some(name) = &set.name else {
        reset_all(db);
        return Ok(tag);
    };
    let Some(guc) = guc::find(name, major) else {
        set_custom(db, name, set.value.as_deref())?;
        return Ok(tag);
    };
    if guc.context != Context::User {
        return Err(guc.cannot_be_changed());
    }
    if guc.of_superuser && !db.cluster.is_superuser(db.cluster.user()) {
        return Err(SqlError::new("42501", format!("permission denied to set parameter \"{}\"", guc.name)));
    }
    if matches!(guc.name, "role" | "session_authorization") {
        role::set(db, guc.name, set.value.as_deref())?;
        return Ok(tag);
    }
    let now = db.setting(guc.name).map_or_else(String::new, |(_, now)| now);
    let value = set.value.as_deref().map(|text| guc.read_over(&now, text, major)).transpose()?;
    if let Some(value) = &value {
        guc::effect::check(&guc, value, &now)?;
    }
    db.notes.extend(guc::effect::note(&guc));
    if let Some(modes) = modes(&guc, value.as_ref()) {
        crate::sql::tcop::transaction::set_modes(db, modes)?;
        return Ok(tag);
    }
    let pg = &mut db.cluster.pg;
    let of_server = pg.settings.of_sessions.clone();
    let backend = pg.backend_mut();
    match &value {
        Some(value) => backend.settings.shown.insert(guc.name.to_string(), guc.show(value)),
        None => backend.settings.shown.remove(guc.name),
    };
    match guc.name {
        "wal_compression" => backend.wal.own_compression = value.as_ref().map(compression),
        "seed" => {
            if let Some(value) = &value {
                db.session().random = Random::setseed(value.rate(), major)?;
            }
        }
        _ => set_of_session(&mut backend.settings, &guc, value.as_ref(), &of_server),
    }
    Ok(tag)
}

/// RESET ALL, which leaves alone as whom the session runs (`GUC_NO_RESET_ALL`).
fn reset_all(db: &mut Database) {
    let pg = &mut db.cluster.pg;
    let of_server = pg.settings.of_sessions.clone();
    let backend = pg.backend_mut();
    let (session_user, role, definer) =
        (backend.settings.session_user, backend.settings.role, backend.settings.definer);
    let mut shown = of_server.shown.clone();
    for name in ["role", "session_authorization"] {
        shown.extend(backend.settings.shown.remove_entry(name));
    }
    backend.settings = SessionSettings { session_user, role, definer, shown, ..of_server };
    backend.wal.own_compression = None;
}

/// `transaction_isolation` and `transaction_read_only` are what SET TRANSACTION says.
fn modes(guc: &Guc, value: Option<&Setting>) -> Option<TransactionModes> {
    let value = value?;
    match guc.name {
        "transaction_isolation" => {
            Some(TransactionModes { isolation: Some(isolation_level(value)), ..TransactionModes::default() })
        }
        "transaction_read_only" => {
            Some(TransactionModes { read_only: Some(value.is_on()), ..TransactionModes::default() })
        }
        _ => None,
    }
}

fn isolation_level(value: &Setting) -> IsolationLevel {
    match value {
        Setting::Text(level) if level == "serializable" => IsolationLevel::Serializable,
        Setting::Text(level) if level == "read uncommitted" => IsolationLevel::ReadUncommitted,
        Setting::Text(level) if level == "repeatable read" => IsolationLevel::RepeatableRead,
        _ => IsolationLevel::ReadCommitted,
    }
}

fn plan_cache_mode(value: &Setting) -> PlanCacheMode {
    match value {
        Setting::Text(mode) if mode == "force_generic_plan" => PlanCacheMode::ForceGeneric,
        Setting::Text(mode) if mode == "force_custom_plan" => PlanCacheMode::ForceCustom,
        _ => PlanCacheMode::Auto,
    }
}

fn constraint_exclusion(value: &Setting) -> ConstraintExclusion {
    match value {
        Setting::Text(mode) if mode == "off" => ConstraintExclusion::Off,
        Setting::Text(mode) if mode == "on" => ConstraintExclusion::On,
        _ => ConstraintExclusion::Partition,
    }
}

/// A setting with a point in its name, which nothing here knows (`add_placeholder_variable`).
fn set_custom(db: &mut Database, name: &str, value: Option<&str>) -> Result<(), SqlError> {
    if !name.contains('.') {
        return Err(guc::unknown(name));
    }
    db.session().placeholders.insert(name.to_string());
    let shown = &mut db.cluster.pg.backend_mut().settings.shown;
    match value {
        Some(value) => shown.insert(name.to_string(), value.to_string()),
        None => shown.remove(name),
    };
    Ok(())
}

/// A setting of a session, also as it is shown, is this, or that of the server.
pub(super) fn put(
    settings: &mut SessionSettings,
    (name, guc): (&str, Option<&Guc>),
    (text, value): (Option<&str>, Option<&Setting>),
    of_server: &SessionSettings,
) {
    match text {
        Some(text) => settings.shown.insert(name.to_string(), text.to_string()),
        None => settings.shown.remove(name),
    };
    if let Some(guc) = guc {
        set_of_session(settings, guc, value, of_server);
    }
}

/// Gives a setting of a session its value; without one that of the server.
fn set_of_session(settings: &mut SessionSettings, guc: &Guc, value: Option<&Setting>, of_server: &SessionSettings) {
    let number = value.and_then(Setting::number);
    match guc.name {
        "vacuum_freeze_min_age" => settings.vacuum_freeze_min_age = number,
        "vacuum_freeze_table_age" => settings.vacuum_freeze_table_age = number,
        "vacuum_max_eager_freeze_failure_rate" => {
            settings.vacuum_max_eager_freeze_failure_rate = value.map(Setting::rate);
        }
        "plan_cache_mode" => {
            settings.plan_cache_mode = value.map_or(of_server.plan_cache_mode, plan_cache_mode);
        }
        "constraint_exclusion" => {
            settings.constraint_exclusion = value.map_or(of_server.constraint_exclusion, constraint_exclusion);
        }
        "DateStyle" | "IntervalStyle" | "TimeZone" => {
            style::reset(&mut settings.style, guc.name, &of_server.style);
            if let Some(value) = value {
                style::set(&mut settings.style, guc.name, &guc.show(value));
            }
        }
        "session_replication_role" => {
            let is_replica = |value: &Setting| matches!(value, Setting::Text(role) if role == "replica");
            settings.replica = value.map_or(of_server.replica, is_replica);
        }
        "default_transaction_isolation" => {
            let server = of_server.default_transaction_isolation;
            settings.default_transaction_isolation =
                value.map_or(server, |value| crate::sql::tcop::transaction::level(isolation_level(value)));
        }
        name => {
            let server = switch_of_session(&mut of_server.clone(), name).map(|on| *on);
            if let (Some(place), Some(server)) = (switch_of_session(settings, name), server) {
                *place = value.map_or(server, Setting::is_on);
            }
        }
    }
}

fn switch_of_session<'a>(settings: &'a mut SessionSettings, name: &str) -> Option<&'a mut bool> {
    Some(match name {
        "synchronous_commit" => &mut settings.synchronous_commit,
        "enable_seqscan" => &mut settings.enable_seqscan,
        "enable_indexscan" => &mut settings.enable_indexscan,
        "enable_indexonlyscan" => &mut settings.enable_indexonlyscan,
        "enable_bitmapscan" => &mut settings.enable_bitmapscan,
        "enable_tidscan" => &mut settings.enable_tidscan,
        "enable_sort" => &mut settings.enable_sort,
        "default_transaction_read_only" => &mut settings.default_transaction_read_only,
        "enable_presorted_aggregate" => &mut settings.enable_presorted_aggregate,
        "enable_hashagg" => &mut settings.enable_hashagg,
        "enable_incremental_sort" => &mut settings.enable_incremental_sort,
        "enable_nestloop" => &mut settings.enable_nestloop,
        "enable_mergejoin" => &mut settings.enable_mergejoin,
        "enable_hashjoin" => &mut settings.enable_hashjoin,
        "enable_material" => &mut settings.enable_material,
        "enable_memoize" => &mut settings.enable_memoize,
        "enable_partition_pruning" => &mut settings.enable_partition_pruning,
        _ => return None,
    })
}

/// ALTER SYSTEM: takes effect with `pg_reload_conf()`.
pub(in crate::sql) fn alter_system(db: &mut Database, set: &Set) -> Result<String, SqlError> {
    let major = db.cluster.version().major();
    if let Some(name) = &set.name {
        if let Some(guc) = guc::find(name, major) {
            if guc.context == Context::Internal {
                return Err(guc.cannot_be_changed());
            }
            let value = set.value.as_deref().map(|text| guc.read(text, major)).transpose()?;
            if let Some(value) = &value {
                let now = db.setting(guc.name).map_or_else(String::new, |(_, now)| now);
                guc::effect::check(&guc, value, &now)?;
            }
            db.notes.extend(guc::effect::note(&guc));
        } else if !name.contains('.') {
            return Err(guc::unknown(name));
        }
    }
    db.pending_settings.push(set.clone());
    Ok("ALTER SYSTEM".to_string())
}

/// Would a server with that setting do what is not simulated?
///
/// # Errors
/// Then, and where there is no such setting or value.
pub fn check_server_setting(name: &str, value: &str, major: u32) -> Result<(), SqlError> {
    match guc::find(name, major) {
        Some(guc) => guc::effect::check(&guc, &guc.read(value, major)?, &guc.boot(major)),
        None if name.contains('.') => Ok(()),
        None => Err(guc::unknown(name)),
    }
}

/// Sets a setting of the server; `None` is its default.
///
/// # Errors
/// A name or a value that there is not.
pub fn server_setting(pg: &mut Instance, name: &str, value: Option<&str>) -> Result<(), SqlError> {
    let major = pg.version.major();
    let Some(guc) = guc::find(name, major) else {
        return if name.contains('.') { Ok(()) } else { Err(guc::unknown(name)) };
    };
    let boot = guc.boot(major);
    let value = guc.read(value.unwrap_or(&boot), major)?;
    pg.settings.shown.insert(guc.name.to_string(), guc.show(&value));
    let number = value.number().unwrap_or_default();
    match guc.name {
        "full_page_writes" => pg.log_full_page_writes(value.is_on()),
        "wal_compression" => pg.wal.settings.compression = compression(&value),
        "wal_log_hints" => pg.settings.wal_log_hints = value.is_on(),
        "ignore_checksum_failure" => pg.settings.ignore_checksum_failure = value.is_on(),
        "data_checksums" => pg.settings.data_checksums = value.is_on(),
        "wal_level" => {
            pg.wal.settings.level = match guc.show(&value).as_str() {
                "minimal" => WalLevel::Minimal,
                "logical" => WalLevel::Logical,
                _ => WalLevel::Replica,
            }
        }
        "shared_buffers" => pg.settings.shared_buffers = number,
        "vacuum_freeze_min_age" => pg.settings.vacuum_freeze_min_age = number,
        "vacuum_freeze_table_age" => pg.settings.vacuum_freeze_table_age = number,
        "vacuum_max_eager_freeze_failure_rate" => pg.settings.vacuum_max_eager_freeze_failure_rate = value.rate(),
        "max_pred_locks_per_page" => pg.settings.predicate_locks.per_page = number,
        "max_pred_locks_per_relation" => pg.settings.predicate_locks.per_relation = number.cast_signed(),
        "max_pred_locks_per_transaction" => pg.settings.predicate_locks.per_transaction = number,
        "autovacuum_freeze_max_age" => pg.settings.autovacuum_freeze_max_age = number,
        _ => set_of_all_sessions(pg, &guc, &value),
    }
    Ok(())
}

/// Of those that there are and have not set it themselves, and of those that will connect.
fn set_of_all_sessions(pg: &mut Instance, guc: &Guc, value: &Setting) {
    let of_server = pg.settings.of_sessions.clone();
    set_of_session(&mut pg.settings.of_sessions, guc, Some(value), &of_server);
    for backend in &mut pg.backends {
        if !backend.settings.shown.contains_key(guc.name) {
            set_of_session(&mut backend.settings, guc, Some(value), &of_server);
        }
    }
}

/// Before 15 `wal_compression` is a switch: there is one method, and no name for it.
fn compression(value: &Setting) -> Option<Compression> {
    match value {
        Setting::Text(method) if method == "lz4" => Some(Compression::Lz4),
        Setting::Text(method) if method == "zstd" => Some(Compression::Zstd),
        value => value.is_on().then_some(Compression::Pglz),
    }
}
