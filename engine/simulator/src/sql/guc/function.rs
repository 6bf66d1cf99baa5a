//! SET of a function: its settings hold while it runs (`update_proconfig_value`,
//! src/backend/commands/functioncmds.c; `fmgr_security_definer`, src/backend/utils/fmgr/fmgr.c; `AtEOXact_GUC`,
//! src/backend/utils/misc/guc.c).

use super::settings::{apply, put};
use super::{Context, unknown};
use crate::sql::ast::{FunctionSetting, Set};
use crate::sql::error::NOT_SIMULATED;
use crate::sql::guc;
use crate::sql::tcop::Database;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::datum::SqlError;
use ffviz_format::page::Oid;

/// Those that are a transaction's or a session's: what a server restores of them behind a function is not known here.
const OTHER: [&str; 8] = [
    "role",
    "session_authorization",
    "seed",
    "transaction_isolation",
    "transaction_read_only",
    "transaction_deferrable",
    "wal_compression",
    "session_replication_role",
];

/// The settings that were before a function began.
#[derive(Debug)]
pub(in crate::sql) struct Kept {
    /// how many settings were kept for the end of the transaction
    count: usize,
    before: Vec<(String, Option<String>)>,
    /// as whom it ran
    definer: Option<Oid>,
}

/// `proconfig` of what CREATE FUNCTION says, over what it was.
///
/// # Errors
/// A name or a value that there is not.
pub(in crate::sql) fn config(
    db: &Database,
    mut known: Vec<Set>,
    settings: &[FunctionSetting],
) -> Result<Vec<Set>, SqlError> {
    let major = db.cluster.version().major();
    for setting in settings {
        let (name, value) = match setting {
            FunctionSetting::Set(Set { name: None, .. }) => {
                known.clear();
                continue;
            }
            FunctionSetting::Set(Set { name: Some(name), value, .. }) => (name, value.clone()),
            FunctionSetting::Current(name) => {
                let now = db.setting(name).map(|(_, now)| now);
                (name, Some(now.ok_or_else(|| unknown(name))?))
            }
        };
        let name = match guc::find(name, major) {
            Some(guc) => {
                if OTHER.contains(&guc.name) {
                    let message = format!("SET {} of a function is not supported", guc.name);
                    return Err(SqlError::new(NOT_SIMULATED, message));
                }
                if guc.context != Context::User {
                    return Err(guc.cannot_be_changed());
                }
                if let Some(text) = &value {
                    let now = db.setting(guc.name).map_or_else(String::new, |(_, now)| now);
                    guc::effect::check(&guc, &guc.read_over(&now, text, major)?, &now)?;
                }
                guc.name.to_string()
            }
            None if name.contains('.') => name.clone(),
            None => return Err(unknown(name)),
        };
        let place = known.iter().position(|set| set.name.as_ref() == Some(&name));
        match (value, place) {
            (Some(value), Some(place)) => known[place].value = Some(value),
            (Some(value), None) => {
                known.push(Set { name: Some(name), value: Some(value), reset: false, local: true });
            }
            (None, Some(place)) => {
                known.remove(place);
            }
            (None, None) => {}
        }
    }
    Ok(known)
}

/// A function begins: its settings hold, and it runs as its owner where it says so.
///
/// # Errors
/// A value that cannot be now.
pub(in crate::sql) fn enter(
    db: &mut Database,
    settings: &[Set],
    definer: Option<Oid>,
) -> Result<Option<Kept>, SqlError> {
    if settings.is_empty() && definer.is_none() {
        return Ok(None);
    }
    let count = db.cluster.kept_settings();
    db.cluster.keep_settings(true, None);
    let now = &mut db.cluster.pg.backend_mut().settings;
    let mut kept = Kept { count, before: Vec::new(), definer: now.definer };
    now.definer = definer.or(now.definer);
    let told = db.notes.len();
    for set in settings {
        let Some(name) = &set.name else { continue };
        let shown = &db.cluster.pg.backend().settings.shown;
        kept.before.push((name.clone(), shown.get(name).cloned()));
        if let Err(error) = apply(db, set) {
            leave(db, kept);
            return Err(error);
        }
    }
    db.notes.truncate(told);
    Ok(Some(kept))
}

/// It is over: the settings are what they were, but those that it set itself, other than by SET LOCAL.
pub(in crate::sql) fn leave(db: &mut Database, kept: Kept) {
    let major = db.cluster.version().major();
    let of_server = db.cluster.pg.settings.of_sessions.clone();
    for (name, before) in kept.before.iter().rev() {
        if db.cluster.is_set_since(kept.count, name) {
            continue;
        }
        let guc = guc::find(name, major);
        let value = guc.as_ref().zip(before.as_ref()).and_then(|(guc, text)| guc.read(text, major).ok());
        let now = &mut db.cluster.pg.backend_mut().settings;
        put(now, (name, guc.as_ref()), (before.as_deref(), value.as_ref()), &of_server);
        for settings in db.cluster.settings_kept_since(kept.count + 1) {
            put(settings, (name, guc.as_ref()), (before.as_deref(), value.as_ref()), &of_server);
        }
    }
    db.cluster.pg.backend_mut().settings.definer = kept.definer;
    db.cluster.settings_kept_since(kept.count + 1).for_each(|settings| settings.definer = kept.definer);
    db.cluster.forget_kept_settings(kept.count);
}
