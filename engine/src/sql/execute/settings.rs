//! SET, RESET and ALTER SYSTEM: the settings that decide about bytes, and those that decide nothing here.

use super::Database;
use crate::datum::SqlError;
use crate::sql::ast::Set;
use crate::storage::{Instance, SessionSettings};
use crate::wal::Compression;
use crate::wal::insert::WalLevel;
use alloc::format;
use alloc::string::ToString;

/// Settings that scripts may set and that change nothing of what is simulated.
const WITHOUT_EFFECT: &[&str] = &[
    "application_name",
    "client_min_messages",
    "deadlock_timeout",
    "ignore_checksum_failure",
    "jit",
    "lock_timeout",
    "maintenance_work_mem",
    "max_parallel_workers_per_gather",
    "search_path",
    "statement_timeout",
    "timezone",
    "wal_init_zero",
    "wal_recycle",
    "work_mem",
    "autovacuum",
    "max_wal_size",
    "checkpoint_timeout",
];

/// Settings that a session cannot set, and when a server takes them (`GucContext`).
const NOT_OF_SESSIONS: &[(&str, Context)] = &[
    ("autovacuum", Context::Sighup),
    ("autovacuum_freeze_max_age", Context::Postmaster),
    ("checkpoint_timeout", Context::Sighup),
    ("data_checksums", Context::Internal),
    ("full_page_writes", Context::Sighup),
    ("max_pred_locks_per_page", Context::Sighup),
    ("max_pred_locks_per_relation", Context::Sighup),
    ("max_pred_locks_per_transaction", Context::Postmaster),
    ("max_wal_size", Context::Sighup),
    ("shared_buffers", Context::Postmaster),
    ("wal_level", Context::Postmaster),
    ("wal_log_hints", Context::Postmaster),
];

/// When a setting can change that is not a session's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Context {
    /// never: initdb has decided
    Internal,
    /// when the server starts
    Postmaster,
    /// when it reads its configuration again
    Sighup,
}

/// Its context; `None`: sessions may set it.
fn context(name: &str) -> Option<Context> {
    NOT_OF_SESSIONS.iter().find(|(known, _)| *known == name).map(|(_, context)| *context)
}

/// Is it taken only when the server starts?
pub(super) fn needs_restart(set: &Set) -> bool {
    set.name.as_deref().and_then(context) == Some(Context::Postmaster)
}

/// What a server says of a change that cannot be now.
fn cannot_be_changed(name: &str, context: Context) -> SqlError {
    let when = match context {
        Context::Internal => "",
        Context::Postmaster => " without restarting the server",
        Context::Sighup => " now",
    };
    SqlError::new("55P02", format!("parameter \"{name}\" cannot be changed{when}"))
}

/// SET and RESET of the session.
pub(super) fn set(db: &mut Database, set: &Set) -> Result<alloc::string::String, SqlError> {
    let major = db.cluster.version().major();
    db.cluster.keep_settings(set.local);
    let backend = db.cluster.pg.backend_mut();
    let tag = if set.reset { "RESET" } else { "SET" }.to_string();
    let Some(name) = &set.name else {
        (backend.settings, backend.wal.own_compression) = (SessionSettings::default(), None);
        return Ok(tag);
    };
    if let Some(context) = context(name) {
        return Err(cannot_be_changed(name, context));
    }
    let value = set.value.as_deref();
    if name == "wal_compression" {
        value.map_or(Ok(()), |text| check_method(name, text, major))?;
        backend.wal.own_compression = value.map(|text| compression(name, Some(text))).transpose()?;
        return Ok(tag);
    }
    let Some(place) = session_setting(&mut backend.settings, name) else {
        return if is_known(name) { Ok(tag) } else { Err(unknown(name)) };
    };
    *place = match value {
        Some(text) => boolean(name, text)?,
        None => true,
    };
    Ok(tag)
}

fn session_setting<'a>(settings: &'a mut SessionSettings, name: &str) -> Option<&'a mut bool> {
    Some(match name {
        "synchronous_commit" => &mut settings.synchronous_commit,
        "enable_seqscan" => &mut settings.enable_seqscan,
        "enable_indexscan" => &mut settings.enable_indexscan,
        "enable_indexonlyscan" => &mut settings.enable_indexonlyscan,
        "enable_bitmapscan" => &mut settings.enable_bitmapscan,
        "enable_tidscan" => &mut settings.enable_tidscan,
        "enable_sort" => &mut settings.enable_sort,
        _ => return None,
    })
}

fn is_known(name: &str) -> bool {
    WITHOUT_EFFECT.contains(&name) || name.contains('.') || name.starts_with("enable_")
}

fn unknown(name: &str) -> SqlError {
    SqlError::new("42704", format!("unrecognized configuration parameter \"{name}\""))
}

fn boolean(name: &str, text: &str) -> Result<bool, SqlError> {
    match text.to_ascii_lowercase().as_str() {
        "on" | "true" | "yes" | "1" => Ok(true),
        "off" | "false" | "no" | "0" => Ok(false),
        // synchronous_commit has more values, all of which flush
        "local" | "remote_write" | "remote_apply" if name == "synchronous_commit" => Ok(true),
        _ => Err(SqlError::new("22023", format!("parameter \"{name}\" requires a Boolean value"))),
    }
}

/// ALTER SYSTEM: takes effect with `pg_reload_conf()`.
pub(super) fn alter_system(db: &mut Database, set: &Set) -> Result<alloc::string::String, SqlError> {
    if let Some(name) = &set.name {
        if let Some(context @ Context::Internal) = context(name) {
            return Err(cannot_be_changed(name, context));
        }
        if let ("wal_compression", Some(text)) = (name.as_str(), &set.value) {
            check_method(name, text, db.cluster.version().major())?;
        }
        let mut trial = db.cluster.pg.clone();
        server_setting(&mut trial, name, set.value.as_deref())?;
    }
    db.pending_settings.push(set.clone());
    Ok("ALTER SYSTEM".to_string())
}

/// Sets a setting of the server; `None` is its default.
///
/// # Errors
/// A name or a value that there is not.
pub fn server_setting(pg: &mut Instance, name: &str, value: Option<&str>) -> Result<(), SqlError> {
    let number = |default: u32| match value {
        None => Ok(default),
        Some(text) => text.parse().map_err(|_| invalid(name, text)),
    };
    let switch = |default: bool| value.map_or(Ok(default), |text| boolean(name, text));
    match name {
        "full_page_writes" => {
            let on = switch(true)?;
            pg.log_full_page_writes(on);
        }
        "wal_compression" => pg.wal.settings.compression = compression(name, value)?,
        "wal_log_hints" => pg.settings.wal_log_hints = switch(false)?,
        "ignore_checksum_failure" => pg.settings.ignore_checksum_failure = switch(false)?,
        "data_checksums" => pg.settings.data_checksums = switch(false)?,
        "wal_level" => {
            pg.wal.settings.level = match value {
                Some("minimal") => WalLevel::Minimal,
                None | Some("replica") => WalLevel::Replica,
                Some("logical") => WalLevel::Logical,
                Some(text) => return Err(invalid(name, text)),
            }
        }
        "shared_buffers" => pg.settings.shared_buffers = buffers(name, value)?,
        "vacuum_freeze_min_age" => pg.settings.vacuum_freeze_min_age = number(50_000_000)?,
        "vacuum_freeze_table_age" => pg.settings.vacuum_freeze_table_age = number(150_000_000)?,
        "vacuum_max_eager_freeze_failure_rate" => {
            let rate = value.map_or(Ok(0.03), |text| text.parse().map_err(|_| invalid(name, text)));
            pg.settings.vacuum_max_eager_freeze_failure_rate = rate?;
        }
        "max_pred_locks_per_page" => pg.settings.predicate_locks.per_page = number(2)?,
        "max_pred_locks_per_relation" => {
            let most = value.map_or(Ok(-2), |text| text.parse().map_err(|_| invalid(name, text)));
            pg.settings.predicate_locks.per_relation = most?;
        }
        "max_pred_locks_per_transaction" => pg.settings.predicate_locks.per_transaction = number(64)?,
        "autovacuum_freeze_max_age" => pg.settings.autovacuum_freeze_max_age = number(200_000_000)?,
        _ => {
            let of_session = SessionSettings::default();
            let mut all = of_session.clone();
            match session_setting(&mut all, name) {
                Some(_) => {
                    let on = switch(true)?;
                    for backend in &mut pg.backends {
                        if let Some(place) = session_setting(&mut backend.settings, name) {
                            *place = on;
                        }
                    }
                }
                None if is_known(name) => {}
                None => return Err(unknown(name)),
            }
        }
    }
    Ok(())
}

fn invalid(name: &str, text: &str) -> SqlError {
    SqlError::new("22023", format!("invalid value for parameter \"{name}\": \"{text}\""))
}

/// Before 15 `wal_compression` is a switch: there is one method, and no name for it.
fn check_method(name: &str, text: &str, major: u32) -> Result<(), SqlError> {
    if major < 15 { boolean(name, text).map(drop) } else { Ok(()) }
}

fn compression(name: &str, value: Option<&str>) -> Result<Option<Compression>, SqlError> {
    Ok(match value {
        None | Some("off" | "false" | "no" | "0") => None,
        Some("on" | "pglz" | "true" | "yes" | "1") => Some(Compression::Pglz),
        Some("lz4") => Some(Compression::Lz4),
        Some("zstd") => Some(Compression::Zstd),
        Some(text) => return Err(invalid(name, text)),
    })
}

/// A number of blocks, or with a unit of bytes.
fn buffers(name: &str, value: Option<&str>) -> Result<u32, SqlError> {
    let Some(text) = value else { return Ok(16_384) };
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let count: u32 = digits.trim().parse().map_err(|_| invalid(name, text))?;
    let blocks = match &text[digits.len()..] {
        "" => Some(count),
        "kB" => Some(count / 8),
        "MB" => count.checked_mul(128),
        "GB" => count.checked_mul(131_072),
        _ => None,
    };
    blocks.filter(|blocks| *blocks >= 16).ok_or_else(|| invalid(name, text))
}
