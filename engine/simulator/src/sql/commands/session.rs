//! COMMENT ON, GRANT, LOCK, DISCARD, NOTIFY: what they do besides pages of a user's relation, which they leave alone.
//! Rows of catalogs are written by some, which takes a transaction id.

use super::partition::plain_kind;
use crate::sql::ast::{Comment, CommentKind, Discard, Grant, Lock, Notification, RangeVar, Set};
use crate::sql::catalog::Catalog as _;
use crate::sql::elsewhere;
use crate::sql::error::NOT_SIMULATED;
use crate::sql::guc::settings;
use crate::sql::tcop::Database;
use crate::version::SqlBehaviour;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ffviz_format::datum::{Attribute, SqlError, Value};
use ffviz_format::page::{FIRST_NORMAL_OBJECT_ID, Oid, PgVersion};
use ffviz_format::state::RelKind;

/// `CommentObject`, `CreateComments` (src/backend/commands/comment.c): a row of `pg_description`.
pub(in crate::sql) fn comment(db: &mut Database, comment: &Comment) -> Result<String, SqlError> {
    let name = &comment.relation;
    let view = db.view(name).zip(db.cluster.find_view(name.schema.as_deref(), &name.name).map(|(_, view)| view.oid));
    let (oid, kind, columns) = match view {
        Some((view, oid)) => (oid, CommentKind::View, view.columns.clone()),
        None => {
            let relation = db.open(name)?;
            let is_matview = db.cluster.catalog.class(relation.oid).is_some_and(|class| class.matview.is_some());
            let kind = match plain_kind(relation.kind) {
                _ if is_matview => CommentKind::MatView,
                RelKind::Index => CommentKind::Index,
                RelKind::Sequence => CommentKind::Sequence,
                _ => CommentKind::Table,
            };
            let name = |it: &Attribute| if it.dropped { String::new() } else { it.name.clone() };
            (relation.oid, kind, relation.desc.attributes().iter().map(name).collect())
        }
    };
    if comment.column.is_none() && kind != comment.kind {
        let what = match comment.kind {
            CommentKind::Table => "a table",
            CommentKind::Index => "an index",
            CommentKind::Sequence => "a sequence",
            CommentKind::View => "a view",
            CommentKind::MatView => "a materialized view",
        };
        return Err(SqlError::new("42809", format!("\"{}\" is not {what}", name.name)));
    }
    let mut place = 0;
    if let Some(column) = &comment.column {
        if matches!(kind, CommentKind::Index | CommentKind::Sequence) {
            let message = "COMMENT ON COLUMN of what is no table and no view is not supported";
            return Err(SqlError::new(NOT_SIMULATED, message));
        }
        place = columns.iter().position(|known| known == column).map_or(0, |n| n as u16 + 1);
        if place == 0 {
            let message = format!("column \"{column}\" of relation \"{}\" does not exist", name.name);
            return Err(SqlError::new("42703", message));
        }
    }
    db.cluster.describe((oid, place), comment.text.clone());
    db.notes.push("a comment changes no page that is shown here".to_string());
    Ok("COMMENT".to_string())
}

/// `obj_description`, `col_description`: what a comment says of a relation, or of its column. Nothing is known of the
/// system's own objects.
pub(in crate::sql) fn description(db: &Database, args: &[Value]) -> Result<Value, SqlError> {
    let place = match args {
        [Value::Oid(oid), ..] if *oid < FIRST_NORMAL_OBJECT_ID => {
            let message = "the description of an object of the system's own is not supported";
            return Err(SqlError::new(NOT_SIMULATED, message));
        }
        [Value::Oid(oid)] => (*oid, 0),
        [Value::Oid(oid), Value::Int4(column)] => (*oid, u16::try_from(*column).unwrap_or(u16::MAX)),
        [Value::Oid(oid), Value::Text(catalog)] if &**catalog == b"pg_class" => (*oid, 0),
        _ => return Ok(Value::Null),
    };
    Ok(db.cluster.catalog.description(place).map_or(Value::Null, Value::text))
}

/// There is one role, postgres (`get_role_oid`, src/backend/utils/adt/acl.c).
pub(super) fn find_role(role: &str) -> Result<(), SqlError> {
    const OWN: [&str; 4] = ["postgres", "current_user", "session_user", "current_role"];
    if OWN.contains(&role) {
        return Ok(());
    }
    Err(SqlError::new("42704", format!("role \"{role}\" does not exist")))
}

/// `ExecGrant_Relation` (src/backend/catalog/aclchk.c): the row of each table in `pg_class`.
pub(in crate::sql) fn grant(db: &mut Database, grant: &Grant) -> Result<String, SqlError> {
    let tables = grant.tables.iter().map(|name| granted(db, name)).collect::<Result<Vec<Oid>, _>>()?;
    for role in grant.roles.iter().filter(|role| *role != "public") {
        find_role(role)?;
    }
    let version = db.cluster.version();
    grant.privileges.iter().try_for_each(|privilege| check_privilege(privilege, version))?;
    tables.into_iter().for_each(|table| db.cluster.change_privileges(table));
    db.notes.push("privileges change no page that is shown here".to_string());
    Ok(if grant.revoke { "REVOKE" } else { "GRANT" }.to_string())
}

/// `string_to_privilege`, and is it one of a table (`ACL_ALL_RIGHTS_RELATION`)?
fn check_privilege(privilege: &str, version: PgVersion) -> Result<(), SqlError> {
    const OF_TABLES: [&str; 7] = ["select", "insert", "update", "delete", "truncate", "references", "trigger"];
    const OF_OTHERS: [&str; 7] = ["execute", "usage", "create", "temporary", "temp", "connect", "rule"];
    if OF_TABLES.contains(&privilege) || privilege == "maintain" && version.has_maintain() {
        return Ok(());
    }
    if OF_OTHERS.contains(&privilege) || privilege == "set" && version.grants_parameters() {
        let name = if privilege == "temp" { "TEMPORARY".to_string() } else { privilege.to_ascii_uppercase() };
        return Err(SqlError::new("0LP01", format!("invalid privilege type {name} for table")));
    }
    Err(SqlError::new("42601", format!("unrecognized privilege type \"{privilege}\"")))
}

fn granted(db: &Database, name: &RangeVar) -> Result<Oid, SqlError> {
    let relation = db.open(name)?;
    match plain_kind(relation.kind) {
        RelKind::Table => Ok(relation.oid),
        RelKind::Index => Err(SqlError::new("42809", format!("\"{}\" is an index", name.name))),
        _ => Err(SqlError::new(NOT_SIMULATED, "privileges on anything but tables are not supported")),
    }
}

/// `LockTableCommand`: the locks were taken before it began; `is_top`: not within a function, which is in a transaction
/// that it does not end.
pub(in crate::sql) fn lock(db: &Database, lock: &Lock, is_top: bool) -> Result<String, SqlError> {
    let in_block = db.cluster.pg.backend().xact.as_ref().is_some_and(|xact| xact.in_block);
    if is_top && !in_block {
        return Err(SqlError::new("25P01", "LOCK TABLE can only be used in transaction blocks"));
    }
    for name in &lock.tables {
        let oid = db.find(name).ok_or_else(|| elsewhere::relation(name, "relation"))?;
        if db.cluster.catalog.class(oid).is_some_and(|class| plain_kind(class.kind) != RelKind::Table) {
            return Err(SqlError::new("42809", format!("\"{}\" is not a table", name.name)));
        }
    }
    Ok("LOCK TABLE".to_string())
}

/// `DiscardCommand`
pub(in crate::sql) fn discard(db: &mut Database, what: Discard) -> Result<String, SqlError> {
    let tag = match what {
        Discard::All => "DISCARD ALL",
        Discard::Plans => "DISCARD PLANS",
        Discard::Sequences => "DISCARD SEQUENCES",
        Discard::Temp => "DISCARD TEMP",
    };
    if what == Discard::All {
        if db.cluster.pg.backend().xact.as_ref().is_some_and(|xact| xact.in_block) {
            return Err(SqlError::new("25001", "DISCARD ALL cannot run inside a transaction block"));
        }
        settings::set(db, &Set { name: None, value: None, reset: true, local: false })?;
    }
    if what == Discard::All {
        db.session().prepared.clear();
    }
    if matches!(what, Discard::All | Discard::Temp) {
        db.cluster.drop_temporary();
    }
    if matches!(what, Discard::All | Discard::Sequences) {
        let session = db.session();
        session.sequences.clear();
        session.last_sequence = None;
    }
    Ok(tag.to_string())
}

/// `PreCommit_Notify` (src/backend/commands/async.c): a transaction that notifies has an id, as early as its end, so
/// one of several statements is left alone.
pub(in crate::sql) fn notification(db: &mut Database, kind: Notification) -> Result<String, SqlError> {
    if kind == Notification::Notify {
        if db.cluster.pg.backend().xact.as_ref().is_some_and(|xact| xact.in_block) {
            return Err(SqlError::new(NOT_SIMULATED, "NOTIFY within a transaction block is not supported"));
        }
        db.cluster.pg.current_xid();
    }
    db.notes.push("nobody else listens here".to_string());
    Ok(match kind {
        Notification::Listen => "LISTEN",
        Notification::Unlisten => "UNLISTEN",
        Notification::Notify => "NOTIFY",
    }
    .to_string())
}
