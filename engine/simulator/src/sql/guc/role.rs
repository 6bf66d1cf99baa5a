//! SET ROLE, SET SESSION AUTHORIZATION (`check_role`, `check_session_authorization`,
//! src/backend/commands/variable.c). Who has logged in is postgres, a superuser.

use crate::cluster::roles::SUPERUSER;
use crate::sql::tcop::Database;
use alloc::format;
use alloc::string::ToString;
use ffviz_format::datum::SqlError;

/// Sets one of the two; without a value as it was in the beginning.
pub(super) fn set(db: &mut Database, name: &str, value: Option<&str>) -> Result<(), SqlError> {
    let (is_role, backend) = (name == "role", db.cluster.pg.backend());
    if backend.settings.definer.is_some() {
        let message = format!("cannot set parameter \"{name}\" within security-definer function");
        return Err(SqlError::new("42501", message));
    }
    let value = value.filter(|value| !is_role || *value != "none");
    let oid = match value {
        None if is_role => 0,
        None => SUPERUSER,
        Some(role) => {
            let missing = || SqlError::new("22023", format!("role \"{role}\" does not exist"));
            let oid = db.cluster.find_role(role).ok_or_else(missing)?;
            if is_role && !db.cluster.may_become(backend.settings.session_user, oid) {
                return Err(SqlError::new("42501", format!("permission denied to set role \"{role}\"")));
            }
            oid
        }
    };
    let settings = &mut db.cluster.pg.backend_mut().settings;
    match value {
        Some(role) => settings.shown.insert(name.to_string(), role.to_string()),
        None => settings.shown.remove(name),
    };
    if is_role {
        settings.role = oid;
    } else {
        settings.shown.remove("role");
        (settings.session_user, settings.role) = (oid, 0);
    }
    Ok(())
}
