//! May whoever runs a statement do what it does (`ExecCheckPermissions`, src/backend/executor/execMain.c; src/backend/
//! catalog/aclchk.c)? The superuser may do everything, as long as nothing is anybody else's.
//!
//! | file | what | PostgreSQL |
//! | --- | --- | --- |
//! | `needs` | which rights on which relations, columns and functions a query needs, and as whom | `parse_relation.c` |
//! | `utility` | whose what other statements change has to be | `ProcessUtilitySlow` and the files of commands |

mod needs;
mod utility;

pub(in crate::sql) use utility::{check_lock, check_references, check_utility, may_maintain};

use crate::cluster::roles::{AclMode, Kind, rights};
use crate::sql::ast::{Select, Statement};
use crate::sql::error::NOT_SIMULATED;
use crate::sql::tcop::Database;
use crate::storage::Stop;
use alloc::format;
use ffviz_format::datum::SqlError;
use ffviz_format::page::Oid;
use needs::{Columns, Need, Needs, needs, needs_of_query};

/// `aclcheck_error` of what may not be done.
pub(in crate::sql) fn denied(db: &Database, kind: Kind, oid: Oid, name: &str) -> SqlError {
    let word = match kind {
        Kind::Relation | Kind::Sequence => db.cluster.object_word(oid).map_or("table", |(word, _)| word),
        Kind::Function if db.function_is_procedure(name) => "procedure",
        Kind::Function => "function",
        Kind::Schema => "schema",
        Kind::Database => "database",
    };
    SqlError::new("42501", format!("permission denied for {word} {name}"))
}

/// The same of what is somebody else's.
pub(in crate::sql) fn not_owner(db: &Database, oid: Oid) -> SqlError {
    let (word, name) = db.cluster.object_word(oid).unwrap_or(("table", alloc::string::String::new()));
    let word = if word == "function" && db.function_is_procedure(&name) { "procedure" } else { word };
    SqlError::new("42501", format!("must be owner of {word} {name}"))
}

/// `object_ownercheck`
///
/// # Errors
/// PostgreSQL's, where it is somebody else's.
pub(in crate::sql) fn check_owner(db: &Database, oid: Oid) -> Result<(), SqlError> {
    if db.cluster.is_owner(oid, db.cluster.user()) { Ok(()) } else { Err(not_owner(db, oid)) }
}

/// Has whoever runs the statement one of these rights?
///
/// # Errors
/// PostgreSQL's, where he has none of them.
pub(in crate::sql) fn check_any(db: &Database, kind: Kind, oid: Oid, wanted: AclMode) -> Result<(), SqlError> {
    if db.cluster.rights(kind, oid, db.cluster.user()) & wanted != 0 {
        return Ok(());
    }
    let name = db.cluster.object_word(oid).map(|(_, name)| name).unwrap_or_default();
    Err(denied(db, kind, oid, &name))
}

impl Database {
    /// Is the function of that name a procedure?
    pub(in crate::sql) fn function_is_procedure(&self, name: &str) -> bool {
        let number = self.cluster.catalog.function(name);
        let function = number.and_then(|number| self.functions.get(number as usize));
        function.is_some_and(|function| function.kind == crate::sql::ast::RoutineKind::Procedure)
    }
}

/// `ExecCheckPermissions` of a statement that is planned, or of the query within another.
///
/// # Errors
/// PostgreSQL's, where somebody may not what the statement does.
pub(in crate::sql) fn check_query(db: &Database, statement: &Statement) -> Result<(), SqlError> {
    if db.cluster.has_one_user() { Ok(()) } else { check_needs(db, needs(db, statement)?) }
}

/// The same of a query that fills a table.
///
/// # Errors
/// As [`check_query`].
pub(in crate::sql) fn check_select(db: &Database, query: &Select) -> Result<(), SqlError> {
    if db.cluster.has_one_user() { Ok(()) } else { check_needs(db, needs_of_query(db, query)?) }
}

fn check_needs(db: &Database, found: Needs) -> Result<(), SqlError> {
    found.relations.iter().try_for_each(|need| check_need(db, need))?;
    let user = db.cluster.user();
    for (oid, name) in found.functions {
        if db.cluster.rights(Kind::Function, oid, user) & rights::EXECUTE == 0 {
            return Err(denied(db, Kind::Function, oid, &name));
        }
    }
    Ok(())
}

/// What a violated constraint tells of rows is not for those who may not read them (`ExecBuildSlotValueDescription`,
/// `BuildIndexValueDescription`, `ri_ReportViolation`).
pub(in crate::sql) fn hide(db: &Database, stop: Stop) -> Stop {
    let (Stop::Error(error), false) = (&stop, db.cluster.is_superuser(db.cluster.user())) else { return stop };
    let (Some(detail), true) = (&error.detail, error.sqlstate.starts_with("23")) else { return stop };
    let mut names = error.message.split('"').skip(1).step_by(2);
    let named = match error.sqlstate {
        "23502" => names.nth(1),
        _ => names.next(),
    };
    let oid = named.and_then(|name| db.cluster.find(None, name));
    let table = oid.map(|oid| db.cluster.catalog.class(oid).and_then(|class| class.table).unwrap_or(oid));
    let may_read = |oid: Oid| db.cluster.rights(Kind::Relation, oid, db.cluster.user()) & rights::SELECT != 0;
    if table.is_none_or(may_read) {
        return stop;
    }
    let any = table.is_some_and(|oid| db.cluster.any_column_rights(oid, db.cluster.user()) != 0);
    let error = SqlError::new(error.sqlstate, error.message.clone());
    let told = [" is not present in table", " is still referenced from table"];
    let told = told.into_iter().find_map(|words| detail.find(words)).map(|at| format!("Key{}", &detail[at..]));
    Stop::Error(match told {
        _ if any || detail.starts_with("Failing row") => {
            SqlError::new(NOT_SIMULATED, "what a role is told of a row that it may not read is not supported")
        }
        Some(told) => error.with_detail(told),
        None => error,
    })
}

/// `ExecCheckOneRelPerms`
fn check_need(db: &Database, need: &Need) -> Result<(), SqlError> {
    let (cluster, role, oid) = (&db.cluster, need.role, need.oid);
    if cluster.is_superuser(role) {
        return Ok(());
    }
    let kind = match cluster.object_word(oid) {
        Some(("sequence", _)) => Kind::Sequence,
        _ => Kind::Relation,
    };
    let lacks = need.rights & !cluster.rights(kind, oid, role);
    if lacks == 0 {
        return Ok(());
    }
    let denied = || {
        let name = cluster.object_word(oid).map(|(_, name)| name).unwrap_or_default();
        denied(db, kind, oid, &name)
    };
    let of_columns = rights::SELECT | rights::INSERT | rights::UPDATE;
    let any = cluster.any_column_rights(oid, role);
    if lacks & !of_columns != 0 || lacks & !any != 0 {
        return Err(denied());
    }
    let lists = [(rights::SELECT, &need.selected), (rights::INSERT, &need.inserted), (rights::UPDATE, &need.updated)];
    for (right, columns) in lists.into_iter().filter(|(right, _)| lacks & right != 0) {
        let has = |column: &u16| cluster.column_rights(oid, *column, role) & right != 0;
        match columns {
            Columns::Known(columns) if columns.iter().all(has) => {}
            Columns::Known(_) => return Err(denied()),
            Columns::Perhaps(sure, _) if !sure.iter().all(has) => return Err(denied()),
            Columns::Perhaps(_, perhaps) if perhaps.iter().all(has) => {}
            Columns::Perhaps(..) => {
                let message = "rights on columns of which a query within another may name more are not supported";
                return Err(SqlError::new(NOT_SIMULATED, message));
            }
        }
    }
    Ok(())
}
