//! COMMENT ON, LOCK, DISCARD, NOTIFY: what they do besides pages of a user's relation, which they leave alone.
//! Rows of catalogs are written by some, which takes a transaction id.

use super::partition::plain_kind;
use crate::sql::ast::{Comment, CommentKind, Discard, Lock, Notification, Set};
use crate::sql::catalog::Catalog as _;
use crate::sql::elsewhere;
use crate::sql::error::NOT_SIMULATED;
use crate::sql::guc::settings;
use crate::sql::permission;
use crate::sql::tcop::Database;
use alloc::format;
use alloc::string::{String, ToString};
use ffviz_format::datum::{Attribute, SqlError, Value};
use ffviz_format::page::FIRST_NORMAL_OBJECT_ID;
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
        permission::check_lock(db, name, lock.mode)?;
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
        for name in [Some("session_authorization"), None] {
            settings::set(db, &Set { name: name.map(Into::into), value: None, reset: true, local: false })?;
        }
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
